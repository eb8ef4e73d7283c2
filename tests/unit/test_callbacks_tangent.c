// SPDX-License-Identifier: MIT
//
// Derivatives of systems of user functions: a problem with every kind of variable is compared with
// differences of order eight of its equations, which the reference below writes down once more with
// all partial derivatives by hand.

#include "callbacks_problem.h"
#include "linalg/dense.h"
#include "test.h"

static const double ROUNDOFF = 1e-13;  // a few operations on numbers of size one
static const double FIRST = 3e-11;     // order four, one level: 3e-12 times the size of the terms
static const double TANGENT = 1e-9;    // order two, of exact functions: 4e-11 times that size
static const double NESTED = 2e-7;     // order two, of differences: 2e-8 times that size
static const double NESTED_4 = 4e-8;   // order four, of differences: 4e-9 times that size
static const double REFERENCE = 1e-10; // order eight with d = 0.02, second differences included

// One vector holds all results: r, gdot, ndot, extra, g(t, q, s(t,q)).
enum { R_ = 0, GDOT = NQ, NDOT = GDOT + NG, EXTRA = NDOT + NN, GBAR = EXTRA + NE, NY = GBAR + NG };

static tn_arguments named(const double *x, bool contacts)
{
    return (tn_arguments){.t = x[T],
                          .q = x + Q,
                          .v = x + V,
                          .lambda = x + L,
                          .eta = x + ETA,
                          .c = x + E,
                          .w = x + E + NC,
                          .s = contacts ? x + S : NULL,
                          .r = sampled};
}

// out = h_s^-1 b for the contact function above.
static void solve_hs(const double *s, const double *b, double *out)
{
    const double a01 = 0.2 * cos(s[1]), a10 = 0.2 * s[0], det = 1.0 - a01 * a10;
    const double x0 = (b[0] - a01 * b[1]) / det, x1 = (b[1] - a10 * b[0]) / det;
    out[0] = x0;
    out[1] = x1;
}

static void solve_contact(double *x)
{
    double h[NS];
    for (int k = 0; k < 30; k++) {
        const tn_arguments at = named(x, true);
        contact(NULL, &at, h);
        solve_hs(x + S, h, h);
        x[S] -= h[0];
        x[S + 1] -= h[1];
    }
}

// B (column major) and the part g_t - g_s h_s^-1 h_t of gdot at any t, q, s.
static void reference_B(const double *x, bool contacts, double *B, double *gt)
{
    const tn_arguments at = named(x, contacts);
    const double *q = at.q, *s = at.s;
    jacobian(NULL, &at, B);
    constraint_t(NULL, &at, gt);
    if (!contacts)
        return;
    const double gs[NG][NS] = {{0.3 * q[1], 0.2 * cos(s[1])}, {0.2, 0.8 * s[1]}};
    const double ht[NS] = {-0.1 * sin(at.t), -0.2 * q[0]};
    const double hq[NQ][NS] = {{-q[1], -0.2 * at.t}, {-q[0], 0.0}, {0.0, q[2]}};
    double y[NS];
    for (int j = 0; j <= NQ; j++) {
        solve_hs(s, j < NQ ? hq[j] : ht, y);
        for (int i = 0; i < NG; i++)
            (j < NQ ? B + NG * j : gt)[i] -= gs[i][0] * y[0] + gs[i][1] * y[1];
    }
}

static void reference(const double *x, bool contacts, double *y)
{
    const tn_arguments at = named(x, contacts);
    double M[NQ * NQ], f[NQ], B[NG * NQ], N[NQ], moved[NX];
    mass(NULL, &at, M);
    force(NULL, &at, f);
    reference_B(x, contacts, B, y + GDOT);
    pfaffian(NULL, &at, N, y + NDOT);
    for (int i = 0; i < NQ; i++) {
        y[R_ + i] = -f[i] + N[i] * at.eta[0];
        for (int j = 0; j < NQ; j++)
            y[R_ + i] += M[i + NQ * j] * accel[j];
        for (int k = 0; k < NG; k++) {
            y[R_ + i] += B[k + NG * i] * at.lambda[k];
            y[GDOT + k] += B[k + NG * i] * at.v[i];
        }
        y[NDOT] += N[i] * at.v[i];
    }
    states(NULL, &at, y + EXTRA);
    algebraic(NULL, &at, y + EXTRA + NC);
    y[EXTRA + NC + NW] = y[EXTRA + NC + NW + 1] = 0.0;
    if (contacts)
        contact(NULL, &at, y + EXTRA + NC + NW);
    memcpy(moved, x, sizeof moved);
    if (contacts)
        solve_contact(moved);
    const tn_arguments on = named(moved, contacts);
    constraint(NULL, &on, y + GBAR);
}

// First and second derivative along a direction, by central differences of order eight.
static void reference_along(const double *x, const double *dx, bool contacts, double *first,
                            double *second)
{
    static const double w1[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    static const double w2[5] = {-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
    const double d = 0.02;
    double moved[NX], y[NY];
    memset(first, 0, NY * sizeof *first);
    memset(second, 0, NY * sizeof *second);
    for (int k = -4; k <= 4; k++) {
        for (int j = 0; j < NX; j++)
            moved[j] = x[j] + k * d * dx[j];
        reference(moved, contacts, y);
        for (int i = 0; i < NY; i++) {
            if (k != 0)
                first[i] += (k > 0 ? 1.0 : -1.0) * w1[abs(k) - 1] * y[i] / d;
            second[i] += w2[abs(k)] * y[i] / (d * d);
        }
    }
}

static void random_arguments(bool contacts, double *x)
{
    for (int j = 0; j < NX; j++)
        x[j] = tn_random();
    if (contacts)
        solve_contact(x);
}

// Compares column j of a block with `rows` entries of a derivative; a missing block means zero.
static void check_column(const tn_sparse *A, int j, int rows, const double *expected, double tol)
{
    for (int i = 0; i < rows; i++)
        CHECK_NEAR(A ? tn_sparse_at(A, i, j) : 0.0, expected[i], tol);
}

static void check_tangents(const tn_system *sys, const double *x, bool contacts, double tol)
{
    static const struct {
        int from, n;
        tn_block r, gdot, ndot, extra;
    } args[] = {
        {Q, NQ, TN_BLOCK_K, TN_BLOCK_Z, TN_BLOCK_NZ, TN_BLOCK_EQ},
        {V, NQ, TN_BLOCK_D, TN_BLOCK_B, TN_BLOCK_N, TN_BLOCK_EV},
        {E, NE, TN_BLOCK_FE, TN_BLOCK_ZE, TN_BLOCK_NE, TN_BLOCK_EE},
        {L, NG, TN_BLOCK_FL, TN_BLOCK_COUNT, TN_BLOCK_COUNT, TN_BLOCK_EL},
        {ETA, NN, TN_BLOCK_FN, TN_BLOCK_COUNT, TN_BLOCK_COUNT, TN_BLOCK_EN},
    };
    double first[NY], second[NY], B[NG * NQ], gt[NG], N[NQ], n0[NN];
    const tn_arguments at = named(x, contacts);
    reference_B(x, contacts, B, gt);
    pfaffian(NULL, &at, N, n0);
    for (int k = 0; k < TN_COUNT(args); k++)
        for (int j = 0; j < (k == 2 ? sys->ne : args[k].n); j++) {
            double dx[NX] = {0};
            dx[args[k].from + j] = 1.0;
            reference_along(x, dx, contacts, first, second);
            for (int i = 0; i < NQ; i++) // the blocks hold only the part of f here
                first[R_ + i] -= k == 3 ? B[j + NG * i] : k == 4 ? N[i] : 0.0;
            check_column(sys->block[args[k].r], j, NQ, first + R_, tol);
            check_column(sys->block[args[k].extra], j, sys->ne, first + EXTRA, tol);
            if (args[k].gdot == TN_BLOCK_COUNT)
                continue;
            check_column(sys->block[args[k].gdot], j, NG, first + GDOT, tol);
            check_column(sys->block[args[k].ndot], j, NN, first + NDOT, tol);
        }
}

// s' = -h_s^-1 (h_q v + h_t), by differences of the solution of h = 0.
static void contact_rate(const double *x, double *ds)
{
    const double d = 1e-3, w[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    ds[0] = ds[1] = 0.0;
    for (int k = -3; k <= 3; k++) {
        double moved[NX];
        memcpy(moved, x, sizeof moved);
        moved[T] += k * d;
        for (int j = 0; j < NQ; j++)
            moved[Q + j] += k * d * x[V + j];
        solve_contact(moved);
        for (int i = 0; i < NS && k != 0; i++)
            ds[i] += (k > 0 ? 1.0 : -1.0) * w[abs(k) - 1] * moved[S + i] / d;
    }
}

static void check_constraints(const tn_system *sys, const double *x, bool contacts,
                              double first_tol, double gamma_tol)
{
    double first[NY], second[NY], y[NY], dx[NX] = {1.0};
    reference(x, contacts, y);
    for (int i = 0; i < NG; i++) {
        CHECK_NEAR(sys->g[i], y[GBAR + i], first_tol); // h = 0 holds to round-off
        CHECK_NEAR(sys->gdot[i], y[GDOT + i], first_tol);
    }
    CHECK_NEAR(sys->ndot[0], y[NDOT], ROUNDOFF);

    memcpy(dx + Q, x + V, NQ * sizeof *dx); // along the motion with v' = 0
    if (contacts)
        contact_rate(x, dx + S);
    reference_along(x, dx, contacts, first, second);
    for (int i = 0; i < NG; i++) {
        CHECK_NEAR(sys->gdot[i], first[GBAR + i], REFERENCE);
        CHECK_NEAR(sys->gamma[i], second[GBAR + i], gamma_tol);
    }
    CHECK_NEAR(sys->ngamma[0], first[NDOT], gamma_tol);

    for (int j = 0; j < NQ; j++) {
        double along_q[NX] = {0};
        along_q[Q + j] = 1.0;
        reference_along(x, along_q, contacts, first, second);
        check_column(sys->block[TN_BLOCK_B], j, NG, first + GBAR, REFERENCE);
    }
}

static void compare_equations(const tn_callbacks *cb, bool contacts, bool exact)
{
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(cb, &sys));
    CHECK(sys->block[TN_BLOCK_GE] == NULL);
    for (int trial = 0; trial < 5; trial++) {
        double x[NX];
        random_arguments(contacts, x);
        const tn_point at = point_of(x);
        CHECK_OK(tn_system_eval(sys, &at, EVERYTHING));
        check_constraints(sys, x, contacts, exact ? ROUNDOFF : FIRST, exact ? REFERENCE : NESTED_4);
        check_tangents(sys, x, contacts, exact ? TANGENT : NESTED);
    }
    tn_system_destroy(sys);
}

static void compare_with_the_reference(bool jacobians, bool contacts)
{
    const tn_callbacks cb = whole_problem(jacobians, contacts);
    compare_equations(&cb, contacts, jacobians && !contacts);
}

static void blocks_match_with_jacobians(void)
{
    compare_with_the_reference(true, false);
}

static void blocks_match_without_jacobians(void)
{
    compare_with_the_reference(false, false);
}

static void blocks_match_with_contact_points(void)
{
    compare_with_the_reference(true, true);
    compare_with_the_reference(false, true);
}

static int constraint_ds(void *user, const tn_arguments *x, double *gs)
{
    (void)user;
    gs[0] = 0.3 * x->q[1];
    gs[1] = 0.2;
    gs[2] = 0.2 * cos(x->s[1]);
    gs[3] = 0.8 * x->s[1];
    return 0;
}

static int contact_dq(void *user, const tn_arguments *x, double *hq)
{
    (void)user;
    const double columns[NQ * NS] = {-x->q[1], -0.2 * x->t, -x->q[0], 0.0, 0.0, x->q[2]};
    memcpy(hq, columns, sizeof columns);
    return 0;
}

static int contact_ds(void *user, const tn_arguments *x, double *hs)
{
    (void)user;
    hs[0] = hs[3] = 1.0;
    hs[1] = 0.2 * x->s[0];
    hs[2] = 0.2 * cos(x->s[1]);
    return 0;
}

static void blocks_match_with_tangents_of_contacts(void)
{
    tn_callbacks cb = whole_problem(true, true);
    cb.constraint_ds = constraint_ds;
    cb.contact_dq = contact_dq;
    cb.contact_ds = contact_ds;
    compare_equations(&cb, true, false); // h_t is by differences
}

// Newton's method for g = target, h = 0 in (q0, q1, s0, s1) with the blocks of the system; returns
// the norm of the residual before the step.
static double newton_step(tn_system *sys, const double *target, double *x)
{
    const tn_point at = point_of(x);
    double J[16] = {0}, b[4];
    int pivot[4];
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_G | TN_EVAL_B | TN_EVAL_EXTRA | TN_EVAL_TANGENT));
    for (int i = 0; i < 2; i++) {
        b[i] = sys->g[i] - target[i];
        b[2 + i] = sys->extra[NC + NW + i];
        for (int j = 0; j < 2; j++) {
            J[i + 4 * j] = tn_sparse_at(sys->block[TN_BLOCK_B], i, j);
            J[2 + i + 4 * j] = tn_sparse_at(sys->block[TN_BLOCK_EQ], NC + NW + i, j);
            J[10 + i + 4 * j] = tn_sparse_at(sys->block[TN_BLOCK_EE], NC + NW + i, NC + NW + j);
        }
    }
    const double norm = tn_norm2(4, b);
    CHECK_OK(tn_lu_factor(4, J, pivot));
    tn_lu_solve(4, J, pivot, b);
    for (int i = 0; i < 2; i++) {
        x[Q + i] -= b[i];
        x[S + i] -= b[2 + i];
    }
    return norm;
}

// With g instead of g~ in the rows of g, the first step would leave a residual of size g_s h.
static void newton_with_contact_points_is_quadratic(void)
{
    const double CONSTANT = 1.0; // second over squared first derivatives, all of size one here
    const tn_callbacks cb = whole_problem(true, true);
    double x[NX] = {0.3, 0.9, 0.2, -0.4}, target[NG], before = 0.0;
    int steps = 0;
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    solve_contact(x);
    const tn_arguments solution = named(x, true);
    constraint(NULL, &solution, target);
    x[Q] += 0.01; // away from the solution, and h is of size 0.1
    x[S] += 0.1;
    x[S + 1] -= 0.1;
    do {
        const double norm = newton_step(sys, target, x);
        CHECK(steps == 0 || norm <= CONSTANT * before * before + ROUNDOFF);
        before = norm;
    } while (before > ROUNDOFF && ++steps < 10);
    CHECK(steps <= 4);
    tn_system_destroy(sys);
}

static const tn_test tests[] = {
    {"blocks match with Jacobians", blocks_match_with_jacobians},
    {"blocks match without Jacobians", blocks_match_without_jacobians},
    {"blocks match with contact points", blocks_match_with_contact_points},
    {"blocks match with tangents of contacts", blocks_match_with_tangents_of_contacts},
    {"Newton with contact points is quadratic", newton_with_contact_points_is_quadratic},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
