// SPDX-License-Identifier: MIT
//
// Derivatives of systems of user functions whose configuration has rotations: every block is
// compared with differences of order six of the functions themselves, along q o exp(dx).

#include "linalg/dense.h"
#include "system/callbacks.h"
#include "tenon/spatial.h"
#include "test.h"

#include <math.h>
#include <string.h>

// q = (x; e; p, e'): R^2, SO(3), SE(3).
enum { NQ = 13, NV = 11, NG = 3, NN = 1, NC = 1, NW = 1, NS = 1, NE = NC + NW + NS };
enum { EVERYTHING = 2 * TN_EVAL_TANGENT - 1 };

static const double TANGENT = 1e-8;  // order two, of exact functions
static const double NESTED = 3e-6;   // order two, of differences
static const double FIRST = 1e-9;    // order four
static const double NESTED_4 = 1e-6; // order four, of differences

static tn_mat3 turn_of(const double *e)
{
    return tn_quat_matrix(tn_quat_from(e));
}

// A few numbers that depend on all of q, the same for both signs of a quaternion.
static void features(const double *q, double y[6])
{
    const tn_mat3 R = turn_of(q + 2), S = turn_of(q + 9);
    const tn_vec3 tip = tn_v3_add(tn_v3_from(q + 6), tn_m3_apply(S, tn_v3(0.3, -0.2, 0.5)));
    y[0] = R.m[0][1] * q[0] + S.m[2][2];
    y[1] = R.m[2][0] + tip.x * q[1];
    y[2] = tip.y * R.m[1][1] + 0.3 * q[0] * q[0];
    y[3] = tip.z + sin(q[1]) * S.m[0][1];
    y[4] = R.m[1][2] * S.m[1][0] + q[0];
    y[5] = tip.x * tip.z - q[1] * R.m[0][0];
}

static int mass(void *user, const tn_arguments *x, double *M)
{
    double y[6];
    (void)user;
    features(x->q, y);
    memset(M, 0, NV * NV * sizeof *M);
    for (int i = 0; i < NV; i++)
        M[i + NV * i] = 2.0 + 0.1 * i + 0.2 * y[i % 6];
    for (int i = 1; i < NV; i++)
        M[i - 1 + NV * i] = M[i + NV * (i - 1)] = 0.1 * y[(i + 1) % 6];
    return 0;
}

static int force(void *user, const tn_arguments *x, double *f)
{
    double y[6];
    (void)user;
    features(x->q, y);
    for (int i = 0; i < NV; i++)
        f[i] = y[i % 6] * x->v[(i + 3) % NV] - 0.2 * x->v[i] * x->v[i] + 0.3 * x->c[0] * y[2] +
               0.1 * x->w[0] * x->v[(i + 5) % NV] + 0.1 * x->s[0] * i +
               0.05 * x->lambda[i % NG] * y[(i + 2) % 6] + 0.04 * x->eta[0] * x->eta[0];
    return 0;
}

static int constraint(void *user, const tn_arguments *x, double *g)
{
    double y[6];
    (void)user;
    features(x->q, y);
    for (int i = 0; i < NG; i++)
        g[i] = y[i] * y[i + 3] + 0.2 * sin(x->s[0]) * y[i + 1] + 0.1 * x->t * y[i + 2];
    return 0;
}

static int pfaffian(void *user, const tn_arguments *x, double *N, double *n0)
{
    double y[6];
    (void)user;
    features(x->q, y);
    for (int j = 0; j < NV; j++)
        N[j] = y[j % 6] + 0.1 * j + 0.2 * x->s[0];
    n0[0] = 0.3 * y[1] * cos(x->t);
    return 0;
}

static int states(void *user, const tn_arguments *x, double *d)
{
    double y[6];
    (void)user;
    features(x->q, y);
    d[0] = -x->c[0] + y[0] * x->v[4] + 0.2 * x->w[0] * x->lambda[1] + 0.1 * x->eta[0] * x->v[7];
    return 0;
}

static int algebraic(void *user, const tn_arguments *x, double *b)
{
    double y[6];
    (void)user;
    features(x->q, y);
    b[0] = x->w[0] + 0.1 * x->w[0] * x->w[0] - y[5] * x->v[8] - 0.2 * x->c[0] - 0.1 * x->lambda[2];
    return 0;
}

static int contact(void *user, const tn_arguments *x, double *h)
{
    double y[6];
    (void)user;
    features(x->q, y);
    h[0] = x->s[0] + 0.1 * sin(x->s[0]) - 0.3 * y[3] * y[0] - 0.1 * x->t;
    return 0;
}

static const tn_space spaces[] = {{TN_SPACE_LINEAR, 2}, {TN_SPACE_SO3, 0}, {TN_SPACE_SE3, 0}};
static const tn_callbacks functions = {
    .nq = NQ,
    .nspace = 3,
    .spaces = spaces,
    .ng = NG,
    .nn = NN,
    .nc = NC,
    .nw = NW,
    .ns = NS,
    .time_dependent = true,
    .lambda_in_force = true,
    .mass = mass,
    .force = force,
    .constraint = constraint,
    .pfaffian = pfaffian,
    .states = states,
    .algebraic = algebraic,
    .contact = contact,
};

// One point, and how it moves: increments of q, then v, e, lambda, eta.
enum { DV = NV, DE = DV + NV, DL = DE + NE, DN = DL + NG, MOVES = DN + NN };
// What is differentiated: r = M a - f + B^T lambda + N^T eta, gdot, ndot, extra, g~.
enum {
    OF_R,
    OF_GDOT = NV,
    OF_NDOT = OF_GDOT + NG,
    OF_EXTRA = OF_NDOT + NN,
    OF_G = OF_EXTRA + NE,
    VALUES = OF_G + NG
};

static const double start_q[NQ] = {0.4, -0.6, 0.8, 0.2, -0.4, 0.4, 0.3,
                                   0.5, -0.2, 0.6, 0.6, 0.2,  0.4};
static double a[NV], v0[NV], e0[NE] = {0.3, 0.2, 0.1}, lambda0[NG] = {0.7, -0.5, 0.4},
                             eta0[NN] = {0.6};

static void fill(void)
{
    for (int i = 0; i < NV; i++) {
        a[i] = 0.3 * sin(1.0 + 2.0 * i);
        v0[i] = 0.4 * cos(2.0 + 3.0 * i);
    }
}

static void unit_q(double *q)
{
    memcpy(q, start_q, sizeof start_q);
    for (int k = 2; k < NQ; k += 7)
        tn_scale(4, 1.0 / tn_norm2(4, q + k), q + k);
}

// All values at the point moved by `by` along one direction; time moves on its own.
static void values_at(tn_system *sys, int move, double by, double dt, double *out)
{
    double q[NQ], q1[NQ], dx[NV] = {0}, v[NV], e[NE], lambda[NG], eta[NN];
    unit_q(q);
    memcpy(v, v0, sizeof v);
    memcpy(e, e0, sizeof e);
    memcpy(lambda, lambda0, sizeof lambda);
    memcpy(eta, eta0, sizeof eta);
    if (move < DV)
        dx[move] = by;
    else
        *(move < DE   ? &v[move - DV]
          : move < DL ? &e[move - DE]
          : move < DN ? &lambda[move - DL]
                      : &eta[move - DN]) += by;
    tn_group_retract(sys->ngroup, sys->groups, q, dx, q1);
    const tn_point at = {0.2 + dt, q1, v, a, lambda, eta, e, NULL};
    CHECK_OK(tn_system_eval(
        sys, &at, tn_system_residual_parts(sys) | TN_EVAL_GDOT | TN_EVAL_EXTRA | TN_EVAL_G));
    tn_system_residual(sys, &at, out);
    tn_copy(NG, sys->gdot, out + OF_GDOT);
    tn_copy(NN, sys->ndot, out + OF_NDOT);
    tn_copy(NE, sys->extra, out + OF_EXTRA);
    tn_copy(NG, sys->g, out + OF_G);
}

static void difference(tn_system *sys, int move, double *out)
{
    static const double weight[3] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
    const double d = 0.01;
    double y[VALUES];
    memset(out, 0, VALUES * sizeof *out);
    for (int k = 1; k <= 3; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            values_at(sys, move, sign * k * d, 0.0, y);
            tn_axpy(VALUES, sign * weight[k - 1] / d, y, out);
        }
}

typedef struct expected_block {
    tn_block id;
    const char *name;
    int row, move;
    double tol;
} expected_block;

static const expected_block blocks[] = {
    {TN_BLOCK_K, "K", OF_R, 0, NESTED},         {TN_BLOCK_D, "D", OF_R, DV, TANGENT},
    {TN_BLOCK_FE, "FE", OF_R, DE, NESTED},      {TN_BLOCK_Z, "Z", OF_GDOT, 0, NESTED},
    {TN_BLOCK_NZ, "NZ", OF_NDOT, 0, NESTED},    {TN_BLOCK_ZE, "ZE", OF_GDOT, DE, NESTED},
    {TN_BLOCK_NE, "NE", OF_NDOT, DE, NESTED},   {TN_BLOCK_EQ, "EQ", OF_EXTRA, 0, NESTED},
    {TN_BLOCK_EV, "EV", OF_EXTRA, DV, TANGENT}, {TN_BLOCK_EE, "EE", OF_EXTRA, DE, NESTED},
    {TN_BLOCK_EL, "EL", OF_EXTRA, DL, TANGENT}, {TN_BLOCK_EN, "EN", OF_EXTRA, DN, TANGENT},
};

// FL and FN are of f alone: B^T and N^T stand beside them in r.
static double beside(const tn_sparse *B, int i, int j)
{
    return tn_sparse_at(B, j, i);
}

static void compare(const char *name, double found, double expected, double tol)
{
    if (!(fabs(found - expected) <= tol))
        printf("%s has %.12g, expected %.12g\n", name, found, expected);
    CHECK(fabs(found - expected) <= tol);
}

static void check_blocks(tn_system *sys, tn_system *other)
{
    static double by[MOVES][VALUES];
    double q[NQ];
    unit_q(q);
    for (int j = 0; j < MOVES; j++)
        difference(other, j, by[j]);
    const tn_point at = {0.2, q, v0, a, lambda0, eta0, e0, NULL};
    CHECK_OK(tn_system_eval(sys, &at, EVERYTHING));
    for (int b = 0; b < TN_COUNT(blocks); b++) {
        const tn_sparse *A = sys->block[blocks[b].id];
        for (int i = 0; i < A->nrow; i++)
            for (int j = 0; j < A->ncol; j++)
                compare(blocks[b].name, tn_sparse_at(A, i, j),
                        by[blocks[b].move + j][blocks[b].row + i], blocks[b].tol);
    }
    for (int i = 0; i < NV; i++) {
        for (int j = 0; j < NG; j++)
            compare("FL", tn_sparse_at(sys->block[TN_BLOCK_FL], i, j),
                    by[DL + j][i] - beside(sys->block[TN_BLOCK_B], i, j), TANGENT);
        compare("FN", tn_sparse_at(sys->block[TN_BLOCK_FN], i, 0),
                by[DN][i] - beside(sys->block[TN_BLOCK_N], i, 0), TANGENT);
    }
}

// B v is the rate of g along the motion at s that follows, and gamma that of gdot at constant v.
static void check_rates(tn_system *sys)
{
    static const double weight[3] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
    const double d = 0.01;
    double q[NQ], rate[NG] = {0}, bend[NG] = {0}, nbend[NN] = {0};
    unit_q(q);
    for (int k = -3; k <= 3; k++) {
        double q1[NQ], dx[NV], e[NE], g[NG];
        if (k == 0)
            continue;
        tn_copy(NV, v0, dx);
        tn_scale(NV, k * d, dx);
        tn_copy(NE, e0, e);
        tn_group_retract(sys->ngroup, sys->groups, q, dx, q1);
        const tn_point at = {0.2 + k * d, q1, v0, a, lambda0, eta0, e, NULL};
        const tn_arguments x = {.t = at.t, .q = q1, .s = e + NC + NW};
        for (int n = 0; n < 40; n++) { // s where h = 0
            double h[NS];
            contact(NULL, &x, h);
            e[NC + NW] -= h[0] / (1.0 + 0.1 * cos(e[NC + NW]));
        }
        constraint(NULL, &x, g);
        CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_B | TN_EVAL_GDOT));
        const double w = (k > 0 ? 1.0 : -1.0) * weight[abs(k) - 1] / d;
        tn_axpy(NG, w, g, rate);
        tn_axpy(NG, w, sys->gdot, bend);
        tn_axpy(NN, w, sys->ndot, nbend);
    }
    double e[NE];
    tn_copy(NE, e0, e);
    const tn_arguments x = {.t = 0.2, .q = q, .s = e + NC + NW};
    for (int n = 0; n < 40; n++) {
        double h[NS];
        contact(NULL, &x, h);
        e[NC + NW] -= h[0] / (1.0 + 0.1 * cos(e[NC + NW]));
    }
    const tn_point at = {0.2, q, v0, a, lambda0, eta0, e, NULL};
    CHECK_OK(tn_system_eval(sys, &at, EVERYTHING));
    for (int i = 0; i < NG; i++) {
        compare("gdot", sys->gdot[i], rate[i], FIRST);
        compare("gamma", sys->gamma[i], bend[i], NESTED_4);
    }
    compare("ngamma", sys->ngamma[0], nbend[0], NESTED_4);
}

static void derivatives_go_along_increments_of_the_group(void)
{
    tn_system *sys = NULL, *other = NULL;
    fill();
    CHECK_OK(tn_callbacks_create(&functions, &sys));
    CHECK_OK(tn_callbacks_create(&functions, &other));
    CHECK(sys->nq == NQ && sys->nv == NV && sys->ngroup == 3);
    check_blocks(sys, other);
    check_rates(sys);
    tn_system_destroy(sys);
    tn_system_destroy(other);
}

static void evaluation_allocates_nothing(void)
{
    double q[NQ];
    tn_system *sys = NULL;
    fill();
    unit_q(q);
    const tn_point at = {0.2, q, v0, a, lambda0, eta0, e0, NULL};
    CHECK_OK(tn_callbacks_create(&functions, &sys));
    const long before = tn_test_alloc_count();
    CHECK_OK(tn_system_eval(sys, &at, EVERYTHING));
    CHECK(tn_test_alloc_count() == before);
    tn_system_destroy(sys);
}

static const tn_test tests[] = {
    {"derivatives go along increments of the group", derivatives_go_along_increments_of_the_group},
    {"evaluation allocates nothing", evaluation_allocates_nothing},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
