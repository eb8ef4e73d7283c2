// SPDX-License-Identifier: MIT
//
// Accelerations and multipliers at a state, and the projection of velocities: what is found
// satisfies the equations it was found from, on random mechanisms, with drives, with repeated rows,
// and with forces that depend on the multipliers.

#include "cross/random_mechanism.h"
#include "motion/accel.h"
#include "probe.h"
#include "start/start.h"
#include "system/callbacks.h"
#include "test.h"

enum { SEEDS = 40 };

// Residuals of a linear system with entries of size ten: 1e-16 times condition numbers of up to
// 1e4.
static const double SOLVED = 1e-10;

// A mechanism on its constraints; some that float have the frame of their first body driven.
typedef struct scene {
    tn_model *model;
    tn_start start;
    int nv, ng;
    double *x, *y, *z; // nv each
    double *rows;      // ng
} scene;

static scene open_scene(int seed)
{
    scene s = {0};
    mechanism m = random_mechanism(seed);
    if (seed % 3 == 0 && m.floating)
        random_pose_drive(m.model, (tn_body){1});
    tn_sim_options options = tn_default_sim();
    options.rotation = seed % 2 ? "se3" : "so3";
    options.t_start = 0.3;
    s.model = m.model;
    CHECK_OK(tn_start_model(m.model, &options, &s.start));
    s.nv = s.start.sys->nv;
    s.ng = s.start.sys->ng;
    s.x = calloc((size_t)(3 * s.nv + s.ng + 1), sizeof(double));
    CHECK(s.x != NULL);
    s.y = s.x + s.nv;
    s.z = s.y + s.nv;
    s.rows = s.z + s.nv;
    return s;
}

static void close_scene(scene *s)
{
    tn_start_clear(&s->start);
    tn_model_destroy(s->model);
    free(s->x);
}

static double multiplied(const tn_sparse *M, const double *x, const double *y, int n) // x^T M y
{
    double *My = calloc((size_t)n, sizeof(double));
    CHECK(My != NULL);
    tn_sparse_mul(M, 1.0, y, My);
    const double product = tn_dot(n, x, My);
    free(My);
    return product;
}

// Also in the rows that repeat others and are left out of the matrix.
static void accelerations_satisfy_their_equations(void)
{
    int redundant = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        scene s = open_scene(seed);
        tn_system *sys = s.start.sys;
        tn_state *x = &s.start.x;
        const tn_point at = tn_state_point(x);
        CHECK_OK(tn_accel_solve(s.start.accel, &at, NULL, x->a, x->lambda, x->eta));
        probe_residual(sys, &at, s.x);
        CHECK_NEAR(tn_norm_inf(s.nv, s.x), 0.0, SOLVED * (1.0 + tn_norm_inf(s.nv, sys->f)));
        CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_B | TN_EVAL_GAMMA));
        tn_copy(s.ng, sys->gamma, s.rows);
        if (s.ng > 0)
            tn_sparse_mul(sys->block[TN_BLOCK_B], 1.0, x->a, s.rows);
        CHECK_NEAR(tn_norm_inf(s.ng, s.rows), 0.0, SOLVED * (1.0 + tn_norm_inf(s.nv, x->a)));
        for (int i = 0; i < s.ng; i++)
            if (!s.start.redundancy.active[i])
                CHECK_NEAR(x->lambda[i], 0.0, 0.0);
        redundant += s.start.redundancy.count > 0;
        close_scene(&s);
    }
    CHECK(redundant > 3);
}

// v - v_old = -M^-1 B^T y: no shorter step leads onto the constraints.
static void projection_is_the_shortest_way(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        scene s = open_scene(seed);
        tn_system *sys = s.start.sys;
        const tn_state *x = &s.start.x;
        tn_point at = tn_state_point(x);
        random_fill(s.nv, s.x);
        tn_copy(s.nv, s.x, s.y);
        CHECK_OK(tn_accel_project(s.start.accel, &at, s.y));
        at.v = s.y;
        CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_MASS | TN_EVAL_GDOT));
        CHECK_NEAR(tn_norm_inf(s.ng, sys->gdot), 0.0, SOLVED);
        // The way is orthogonal to y - v for the other consistent velocity v of the start.
        for (int i = 0; i < s.nv; i++) {
            s.z[i] = s.y[i] - x->v[i];
            s.x[i] = s.y[i] - s.x[i];
        }
        const tn_sparse *M = sys->block[TN_BLOCK_M];
        CHECK_NEAR(multiplied(M, s.x, s.z, s.nv), 0.0, SOLVED * 10.0);
        if (s.ng > 0)
            CHECK(multiplied(M, s.x, s.x, s.nv) > 1e-6); // there was a way to go
        tn_copy(s.nv, s.y, s.z);
        CHECK_OK(tn_accel_project(s.start.accel, &at, s.z));
        tn_axpy(s.nv, -1.0, s.y, s.z);
        CHECK_NEAR(tn_norm_inf(s.nv, s.z), 0.0, SOLVED); // once is enough
        close_scene(&s);
    }
}

static void a_factored_matrix_solves_again(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        scene s = open_scene(seed);
        tn_system *sys = s.start.sys;
        const tn_point at = tn_state_point(&s.start.x);
        double *c = calloc(2 * (size_t)s.ng + 1, sizeof(double)), *left = c + s.ng;
        CHECK(c != NULL);
        CHECK_OK(tn_accel_factor(s.start.accel, &at));
        CHECK(!s.start.accel->kkt.singular);
        random_fill(s.nv, s.z);
        if (s.ng > 0)
            tn_sparse_mul(sys->block[TN_BLOCK_B], 1.0, s.z, c); // consistent with all rows
        random_fill(s.nv, s.x);
        tn_copy(s.nv, s.x, s.y);
        tn_copy(s.ng, c, left);
        CHECK_OK(tn_accel_resolve(s.start.accel, s.x, c)); // x and the multipliers
        tn_sparse_mul(sys->block[TN_BLOCK_M], -1.0, s.x, s.y);
        if (s.ng > 0) {
            tn_sparse_mul_t(sys->block[TN_BLOCK_B], -1.0, c, s.y);
            tn_sparse_mul(sys->block[TN_BLOCK_B], -1.0, s.x, left);
        }
        CHECK_NEAR(tn_norm_inf(s.nv, s.y), 0.0, SOLVED);
        CHECK_NEAR(tn_norm_inf(s.ng, left), 0.0, SOLVED);
        free(c);
        close_scene(&s);
    }
}

// Without a mask the matrix is singular where rows repeat: the solution of least norm has the same
// accelerations and shares the multipliers among equal rows.
static void repeated_rows_share_their_multipliers(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    tn_joint_def weld = tn_default_joint(TN_JOINT_FIXED);
    const tn_body_def body = tn_default_body();
    weld.body_b = tn_model_add_body(model, &body);
    tn_model_add_joint(model, &weld);
    tn_model_add_joint(model, &weld);
    tn_system *sys = NULL;
    tn_accel *accel = NULL;
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &sys));
    CHECK_OK(tn_accel_create(sys, &accel));
    probe p = probe_open(sys);
    tn_absolute_start(sys, p.q, p.v, p.r);
    const tn_point at = probe_point(&p);
    CHECK_OK(tn_accel_solve(accel, &at, NULL, p.a, p.lambda, p.eta));
    CHECK(accel->kkt.singular);
    CHECK_NEAR(tn_norm_inf(sys->nv, p.a), 0.0, SOLVED);
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(p.lambda[i], i == 2 ? -0.5 * 9.81 : 0.0, SOLVED);
        CHECK_NEAR(p.lambda[6 + i], p.lambda[i], SOLVED);
    }
    tn_accel_destroy(accel);
    probe_close(&p);
    tn_model_destroy(model);
}

// Forces that depend on the multipliers -----------------------------------------------------------

// A mass on a slope of unit mass, y = 0: f = (p - friction lambda, -g) gives lambda = -g and
// x'' = p + friction g. In y the multiplier pushes back on itself with the strength `feedback`.
typedef struct slope {
    double friction, feedback;
    double creep; // of a force creep / lambda in y
} slope;

static int slope_mass(void *user, const tn_arguments *x, double *M)
{
    (void)user;
    (void)x;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int slope_force(void *user, const tn_arguments *x, double *f)
{
    const slope *s = user;
    const double lambda = x->lambda ? x->lambda[0] : 0.0;
    f[0] = 3.0 - s->friction * lambda;
    f[1] = -9.81 + s->feedback * lambda + (s->creep > 0.0 ? s->creep / lambda : 0.0);
    return 0;
}

static int slope_constraint(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    g[0] = x->q[1];
    return 0;
}

static tn_status solve_slope(slope s, double a[2], double *lambda)
{
    const tn_callbacks functions = {
        .user = &s,
        .nq = 2,
        .ng = 1,
        .lambda_in_force = true,
        .mass = slope_mass,
        .force = slope_force,
        .constraint = slope_constraint,
    };
    const double q[2] = {0}, v[2] = {1.0, 0.0};
    tn_system *sys = NULL;
    tn_accel *accel = NULL;
    CHECK_OK(tn_callbacks_create(&functions, &sys));
    CHECK_OK(tn_accel_create(sys, &accel));
    const tn_point at = {.t = 0.5, .q = q, .v = v};
    const tn_status status = tn_accel_solve(accel, &at, NULL, a, lambda, lambda + 1);
    tn_accel_destroy(accel);
    tn_system_destroy(sys);
    return status;
}

static void forces_may_depend_on_multipliers(void)
{
    double a[2], lambda[2] = {0};
    CHECK_OK(solve_slope((slope){.friction = 0.4}, a, lambda));
    CHECK_NEAR(lambda[0], -9.81, SOLVED);
    CHECK_NEAR(a[0], 3.0 + 0.4 * 9.81, SOLVED);
    CHECK_NEAR(a[1], 0.0, SOLVED);
    CHECK_OK(solve_slope((slope){.friction = 0.4, .feedback = 0.6}, a, lambda));
    CHECK_NEAR(lambda[0], -9.81 / (1.0 - 0.6), SOLVED * 10.0);
}

// Sweeps do not contract from 1 on; the equation has a solution all the same, but at 1.
static void forces_may_depend_strongly_on_multipliers(void)
{
    static const double feedback[] = {0.8, 0.95, 1.5, -1.2, -8.0, 30.0};
    double a[2], lambda[2] = {0};
    for (int k = 0; k < TN_COUNT(feedback); k++) {
        CHECK_OK(solve_slope((slope){.friction = 0.4, .feedback = feedback[k]}, a, lambda));
        CHECK_NEAR(lambda[0], -9.81 / (1.0 - feedback[k]), 1e-8);
        lambda[0] = 0.0;
    }
    CHECK_STATUS(solve_slope((slope){.feedback = 1.0}, a, lambda), TN_RETRY_SINGULAR);
    CHECK_TEXT(tn_last_error(),
               "forces depend on the multipliers so strongly that these are not determined at t = "
               "0.5 s: the matrix of M, B^T - df/dlambda and B is singular, which the condition "
               "after [Arn16, eq. 44] rules out");
}

// lambda = -9.81 + c / lambda: no force at lambda = 0.
static void search_for_multipliers_begins_where_it_is_told(void)
{
    double a[2], lambda[2] = {0};
    const slope s = {.creep = 2.0};
    CHECK(solve_slope(s, a, lambda) != TN_OK);
    lambda[0] = -5.0;
    CHECK_OK(solve_slope(s, a, lambda));
    CHECK_NEAR(lambda[0], -0.5 * (9.81 + sqrt(9.81 * 9.81 + 8.0)), 1e-9);
}

static const tn_test tests[] = {
    {"accelerations satisfy their equations", accelerations_satisfy_their_equations},
    {"projection is the shortest way", projection_is_the_shortest_way},
    {"a factored matrix solves again", a_factored_matrix_solves_again},
    {"repeated rows share their multipliers", repeated_rows_share_their_multipliers},
    {"forces may depend on multipliers", forces_may_depend_on_multipliers},
    {"forces may depend strongly on multipliers", forces_may_depend_strongly_on_multipliers},
    {"search for multipliers begins where it is told",
     search_for_multipliers_begins_where_it_is_told},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
