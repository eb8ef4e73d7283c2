// SPDX-License-Identifier: MIT
//
// Some eigenvalues of matrices whose values are known in closed form.

#include "linalg/arpack.h"
#include "linalg/dense.h"
#include "test.h"

static const double PI = 3.14159265358979323846;
static const double AGREEMENT = 1e-11; // relative: the tolerance of values and a condition of 1e4

// A string of N masses between two walls, K = tridiag(-1, 2, -1), M = 1, and past it a part of it
// of NONE points without mass that K holds: mu_k = 4 sin^2(k pi / (2 (N + 1))), k = 1 … N.
enum { N = 300, NONE = 40, ALL = N + NONE };

typedef struct string {
    double shift;
    int calls, fails_at; // fails_at 0: never
    bool undefined;      // an answer that is not a number
} string;

// (K - s) x = b by elimination without pivots; the shifts are below all values.
static tn_status string_apply(void *user, const double *b, double *x)
{
    string *s = user;
    double d[N], diagonal = 2.0 - s->shift;
    if (++s->calls == s->fails_at)
        return tn_fail(TN_ERR_NUMERIC, "the string broke");
    for (int i = 0; i < N; i++) {
        d[i] = i > 0 ? diagonal - 1.0 / d[i - 1] : diagonal;
        x[i] = b[i] + (i > 0 ? x[i - 1] / d[i - 1] : 0.0);
    }
    for (int i = N - 1; i >= 0; i--)
        x[i] = (x[i] + (i < N - 1 ? x[i + 1] : 0.0)) / d[i];
    for (int i = N; i < ALL; i++)
        x[i] = b[i] / 3.0;
    if (s->undefined)
        x[7] = NAN;
    return TN_OK;
}

static tn_status string_mass(void *user, const double *x, double *y)
{
    (void)user;
    for (int i = 0; i < ALL; i++)
        y[i] = i < N ? x[i] : 0.0;
    return TN_OK;
}

static double string_value(int k)
{
    const double root = 2.0 * sin(k * PI / (2.0 * (N + 1)));
    return root * root;
}

static void values_of_a_string_are_found_from_below(void)
{
    enum { COUNT = 12 };
    string s = {.shift = -1e-3};
    const tn_arpack_ops ops = {.apply = string_apply, .mass = string_mass, .user = &s};
    static double theta[COUNT], V[COUNT * ALL];
    int found = 0;
    CHECK_OK(tn_arpack_symmetric(ALL, COUNT, &ops, theta, V, &found));
    CHECK(found == COUNT);
    for (int i = 0; i < COUNT; i++) {
        CHECK_NEAR((1.0 / theta[i] + s.shift) / string_value(i + 1), 1.0, AGREEMENT);
        for (int j = 0; j <= i; j++)
            CHECK_NEAR(tn_dot(N, V + i * ALL, V + j * ALL), i == j, 1e-10);
        CHECK_NEAR(tn_norm2(NONE, V + i * ALL + N), 0.0, 1e-13); // no inertia, no motion
        for (int k = 0; k < N; k++)
            CHECK_NEAR(fabs(V[i * ALL + k]),
                       fabs(sqrt(2.0 / (N + 1)) * sin((i + 1) * (k + 1) * PI / (N + 1))), 1e-8);
    }
}

static void two_runs_give_the_same_bits(void)
{
    enum { COUNT = 5 };
    static double theta[2][COUNT], V[2][COUNT * ALL];
    for (int run = 0; run < 2; run++) {
        string s = {.shift = -1e-3};
        const tn_arpack_ops ops = {.apply = string_apply, .mass = string_mass, .user = &s};
        int found = 0;
        CHECK_OK(tn_arpack_symmetric(ALL, COUNT, &ops, theta[run], V[run], &found));
    }
    CHECK(memcmp(theta[0], theta[1], sizeof theta[0]) == 0);
    CHECK(memcmp(V[0], V[1], sizeof V[0]) == 0);
}

// Blocks (a b; -b a) along the diagonal have values a ± i b.
typedef struct pairs {
    int n;
} pairs;

static double pair_re(int k)
{
    return -0.02 * (k + 1);
}

static double pair_im(int k)
{
    return k % 3 == 2 ? 0.0 : 100.0 / (k + 1); // some real ones, twice each
}

static tn_status pairs_apply(void *user, const double *x, double *y)
{
    const pairs *p = user;
    for (int k = 0; k < p->n / 2; k++) {
        const double a = pair_re(k), b = pair_im(k), *u = x + 2 * k;
        y[2 * k] = a * u[0] + b * u[1];
        y[2 * k + 1] = -b * u[0] + a * u[1];
    }
    return TN_OK;
}

static void pairs_of_a_general_matrix_are_not_parted(void)
{
    enum { M = 120, COUNT = 5 };
    static const int pair[] = {0, 1, 3};
    pairs p = {M};
    const tn_arpack_ops ops = {.apply = pairs_apply, .user = &p};
    double re[COUNT + 1], im[COUNT + 1], V[(COUNT + 1) * M], y[M];
    int found = 0;
    CHECK_OK(tn_arpack_general(M, COUNT, &ops, re, im, V, &found));
    CHECK(found == 6);
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(re[i], pair_re(pair[i / 2]), 1e-10);
        CHECK_NEAR(im[i], (i % 2 ? -1.0 : 1.0) * pair_im(pair[i / 2]), 1e-10);
    }
    for (int i = 0; i < 6; i += 2) { // A (u + i w) = (re + i im) (u + i w)
        const double *u = V + i * M, *w = u + M;
        CHECK_OK(pairs_apply(&p, u, y));
        for (int k = 0; k < M; k++)
            CHECK_NEAR(y[k], re[i] * u[k] - im[i] * w[k], 1e-9);
        CHECK_NEAR(hypot(tn_norm2(M, u), tn_norm2(M, w)), 1.0, 1e-12);
    }
}

static void counts_out_of_range_are_refused(void)
{
    string s = {.shift = -1e-3};
    const tn_arpack_ops ops = {.apply = string_apply, .mass = string_mass, .user = &s};
    int found = 7;
    double x[1];
    CHECK_STATUS(tn_arpack_symmetric(ALL, 0, &ops, x, x, &found), TN_ERR_NUMERIC);
    CHECK(found == 0);
    CHECK_STATUS(tn_arpack_symmetric(ALL, ALL, &ops, x, x, &found), TN_ERR_NUMERIC);
    CHECK(tn_test_says("340 were asked for, but it finds 1 to 339"));
    CHECK_STATUS(tn_arpack_general(ALL, ALL - 1, &ops, x, x, x, &found), TN_ERR_NUMERIC);
    CHECK(tn_test_says("it finds 1 to 338"));
}

// All values have modulus 1, so that none is largest.
static tn_status turn_apply(void *user, const double *x, double *y)
{
    (void)user;
    for (int i = 0; i < ALL; i++)
        y[i] = x[(i + 1) % ALL];
    return TN_OK;
}

static void an_iteration_that_does_not_converge_says_how_far_it_came(void)
{
    enum { COUNT = 6 };
    static double re[COUNT + 1], im[COUNT + 1], V[(COUNT + 1) * ALL];
    const tn_arpack_ops ops = {.apply = turn_apply};
    int found = -1;
    CHECK_STATUS(tn_arpack_general(ALL, COUNT, &ops, re, im, V, &found), TN_ERR_NUMERIC);
    CHECK(tn_test_says("found 0 of 6 in 30"));
    CHECK(found == 0);
}

static void what_goes_wrong_is_told(void)
{
    enum { COUNT = 6 };
    static double theta[COUNT], V[COUNT * ALL];
    int found = -1;
    string s = {.shift = -1e-3, .fails_at = 9};
    const tn_arpack_ops ops = {.apply = string_apply, .mass = string_mass, .user = &s};
    CHECK_STATUS(tn_arpack_symmetric(ALL, COUNT, &ops, theta, V, &found), TN_ERR_NUMERIC);
    CHECK(tn_test_says("the string broke"));
    s = (string){.shift = -1e-3, .undefined = true};
    CHECK_STATUS(tn_arpack_symmetric(ALL, COUNT, &ops, theta, V, &found), TN_ERR_NUMERIC);
    CHECK(tn_test_says("not finite"));
    tn_test_alloc_fail_at(1);
    CHECK_STATUS(tn_arpack_symmetric(ALL, COUNT, &ops, theta, V, &found), TN_ERR_MEMORY);
    s = (string){.shift = -1e-3};
    CHECK_OK(tn_arpack_symmetric(ALL, COUNT, &ops, theta, V, &found)); // nothing is left locked
}

static const tn_test tests[] = {
    {"values of a string are found from below", values_of_a_string_are_found_from_below},
    {"two runs give the same bits", two_runs_give_the_same_bits},
    {"pairs of a general matrix are not parted", pairs_of_a_general_matrix_are_not_parted},
    {"counts out of range are refused", counts_out_of_range_are_refused},
    {"an iteration that does not converge says how far it came",
     an_iteration_that_does_not_converge_says_how_far_it_came},
    {"what goes wrong is told", what_goes_wrong_is_told},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
