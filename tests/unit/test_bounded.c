// SPDX-License-Identifier: MIT
//
// Loads of many contacts without friction: conditions of the solution on random problems, regular
// and singular ones, and a row of balls in closed form.

#include "linalg/bounded.h"
#include "linalg/dense.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 400 };
static double W[MOST * MOST], H[MOST * MOST], c[MOST], y[MOST], u[MOST], work[7 * MOST];

static double solve(int n, double tol)
{
    const tn_bounded_problem p = {.n = n, .W = W, .c = c, .tol = tol, .most = 100000};
    return tn_bounded_solve(&p, y, u, work);
}

// W = H^T H of n contacts with `rank` freedoms; c is in its range, as rates of bodies are.
static void pose_random(int n, int rank)
{
    for (int i = 0; i < n * rank; i++)
        H[i] = tn_random();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            W[i + j * n] = tn_dot(rank, H + i * rank, H + j * rank);
    double v[MOST];
    for (int i = 0; i < rank; i++)
        v[i] = tn_random();
    for (int i = 0; i < n; i++)
        c[i] = tn_dot(rank, H + i * rank, v);
    tn_zero(n, y);
}

static void conditions_hold_on_random_problems(void)
{
    for (int k = 0; k < 200; k++) {
        const int n = 1 + k, rank = k % 2 ? n + 3 : 1 + n / 2; // regular, and singular
        pose_random(n, rank);
        const double most = tn_norm_inf(n, c), left = solve(n, 1e-10);
        CHECK(left <= 1e-9); // what round-off of sums adds to the bound
        for (int i = 0; i < n; i++) {
            CHECK(y[i] >= 0.0 && u[i] >= -1e-9 * most);
            CHECK(fmin(W[i + i * n] * y[i], u[i]) <= 1e-9 * most);
        }
    }
}

static void what_is_solved_stays(void)
{
    double first[MOST];
    pose_random(50, 60);
    solve(50, 1e-12);
    tn_copy(50, y, first);
    solve(50, 1e-12);
    for (int i = 0; i < 50; i++)
        CHECK_NEAR(y[i], first[i], 1e-11 * (1.0 + fabs(first[i])));
}

// The first of n touching balls has the speed 1 and e = 1: its end is (2 - n) / n, that of all
// others 2 / n, so that contact i passes on 2 (n - 1 - i) / n. W is that of a chain, whose
// condition grows with the square of n.
static void a_row_of_balls_shares_its_impulse(void)
{
    for (int n = 2; n <= MOST; n *= 5) {
        const int m = n - 1;
        for (int i = 0; i < m * m; i++)
            W[i] = 0.0;
        for (int i = 0; i < m; i++) {
            W[i + i * m] = 2.0;
            if (i + 1 < m)
                W[i + 1 + i * m] = W[i + (i + 1) * m] = -1.0;
            c[i] = i == 0 ? -2.0 : 0.0;
            y[i] = 0.0;
        }
        const double left = solve(m, 1e-12);
        CHECK(left <= 1e-11);
        for (int i = 0; i < m; i++)
            CHECK_NEAR(y[i], 2.0 * (n - 1 - i) / n, 1e-11 * n * n);
    }
}

static void bodies_that_part_have_no_loads(void)
{
    pose_random(20, 25);
    for (int i = 0; i < 20; i++)
        c[i] = 0.1 + fabs(c[i]);
    CHECK(solve(20, 1e-10) == 0.0);
    CHECK(tn_norm_inf(20, y) == 0.0);
    tn_zero(20, c);
    CHECK(solve(20, 1e-10) == 0.0);
    CHECK(tn_norm_inf(20, y) == 0.0);
}

static const tn_test tests[] = {
    {"conditions hold on random problems", conditions_hold_on_random_problems},
    {"what is solved stays", what_is_solved_stays},
    {"a row of balls shares its impulse", a_row_of_balls_shares_its_impulse},
    {"bodies that part have no loads", bodies_that_part_have_no_loads},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
