// SPDX-License-Identifier: MIT
//
// Director coordinates over the whole registry: every joint, coupling and force between every kind
// of body it accepts, at random states. Derivative blocks match differences where directors are not
// orthonormal; where they are, rows, forces and inertia are those of absolute coordinates.

#include "coords/director_parts.h"
#include "probe.h"
#include "test.h"
#include "workshop.h"

// Differences of fourth order, as in test_absolute.c.
static const double TANGENT_TOL = 1e-9;
static const double RATE_TOL = 1e-9;
static const double SAME = 1e-11; // sums of some hundred terms of size ten

enum { STATES = 1, WORKSHOPS = 4 };

static tn_model *workshop(int k)
{
    return k == 0 ? floating_workshop() : k == 1 ? spatial_workshop() : planar_workshop(k == 2);
}

typedef struct bench {
    probe world, p; // of absolute coordinates, and of directors
} bench;

// The world at random, and directors off the rigid ones by `off`, with velocities as `rigid` says.
static void randomize(bench *b, double off, bool rigid)
{
    tn_system *s = b->p.sys;
    probe_randomize(&b->world, 0.3);
    const tn_point at = probe_point(&b->world);
    CHECK_OK(s->ops->world->from(s, &at, b->p.q, b->p.v));
    for (int i = 0; i < s->nq; i++)
        b->p.q[i] += off * tn_random();
    if (!rigid)
        random_fill(s->nv, b->p.v);
    random_fill(s->nv, b->p.a);
    random_fill(s->ng, b->p.lambda);
    b->p.t = b->world.t;
    tn_copy(s->nr, b->world.r, b->p.r);
    const tn_point point = probe_point(&b->p);
    s->ops->accept(s, &point, b->p.r);
}

static void everywhere(void (*check)(bench *b))
{
    for (int k = 0; k < WORKSHOPS; k++) {
        tn_model *model = workshop(k);
        tn_system *world = NULL, *sys = NULL;
        add_friction(model, TN_FORCE_FRICTION);
        CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &world));
        CHECK_OK(tn_director_create(world, &sys));
        bench b = {probe_open(world), probe_open(sys)};
        for (int n = 0; n < STATES; n++)
            check(&b);
        probe_close(&b.p);
        probe_close(&b.world);
        tn_model_destroy(model);
    }
}

// Derivatives -------------------------------------------------------------------------------------

static void check_columns(bench *b)
{
    randomize(b, 0.1, false);
    for (int j = 0; j < b->p.sys->nv; j++) {
        CHECK_NEAR(probe_misfit(&b->p, ALONG_Q, j), 0.0, TANGENT_TOL);
        CHECK_NEAR(probe_misfit(&b->p, ALONG_V, j), 0.0, TANGENT_TOL);
    }
}

static void derivative_blocks_match_differences(void)
{
    everywhere(check_columns);
}

// g' = gdot, gdot' = B a + gamma and ndot' = N a + ngamma along the motion.
static void check_levels(bench *b)
{
    randomize(b, 0.1, false);
    probe *p = &b->p;
    tn_system *s = p->sys;
    const int ng = s->ng;
    double *rate = calloc((size_t)(2 * ng + s->nn + s->nv + 1), sizeof(double));
    CHECK(rate != NULL);
    probe_derivative(p, ALONG_MOTION, 0, rate);
    const tn_point at = probe_point(p);
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA));
    double *level = s->gamma;
    tn_sparse_mul(s->block[TN_BLOCK_B], 1.0, p->a, level);
    for (int i = 0; i < ng; i++) {
        CHECK_NEAR(s->gdot[i], rate[i], RATE_TOL * (1.0 + fabs(rate[i])));
        CHECK_NEAR(level[i], rate[ng + i], RATE_TOL * (1.0 + fabs(rate[ng + i])));
    }
    if (s->nn > 0)
        tn_sparse_mul(s->block[TN_BLOCK_N], 1.0, p->a, s->ngamma);
    for (int i = 0; i < s->nn; i++)
        CHECK_NEAR(s->ngamma[i], rate[2 * ng + i], RATE_TOL * (1.0 + fabs(rate[2 * ng + i])));
    free(rate);
}

static void velocity_and_acceleration_level_are_rates(void)
{
    everywhere(check_levels);
}

// Against absolute coordinates --------------------------------------------------------------------

// Directors of the state q o exp(e v + e^2 a / 2) of the world, with v + e a.
static void moved_directors(bench *b, double e, double *q, double *v)
{
    const tn_point at = probe_moved(&b->world, ALONG_MOTION, 0, e);
    CHECK_OK(b->p.sys->ops->world->from(b->p.sys, &at, q, v));
}

// The second rates of directors, by differences of their rates along the motion of the world.
static void second_rates(bench *b, double *a)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    const int n = b->p.sys->nv;
    double *q = calloc(2 * (size_t)n + 1, sizeof(double)), *v = q + n;
    CHECK(q != NULL);
    tn_zero(n, a);
    for (int k = 0; k < 4; k++) {
        moved_directors(b, at_step[k] * PROBE_STEP, q, v);
        tn_axpy(n, weight[k] / (12.0 * PROBE_STEP), v, a);
    }
    free(q);
}

static int internal_of(const bench *b)
{
    return ((const director *)b->p.sys)->ninternal;
}

// Rows of joints have the same values on all levels; internal ones are satisfied.
static void check_rows(bench *b)
{
    randomize(b, 0.0, true);
    second_rates(b, b->p.a);
    tn_system *s = b->p.sys, *w = b->world.sys;
    const tn_point at = probe_point(&b->p), there = probe_point(&b->world);
    const unsigned want = TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA;
    CHECK_OK(tn_system_eval(s, &at, want));
    tn_sparse_mul(s->block[TN_BLOCK_B], 1.0, b->p.a, s->gamma);
    CHECK_OK(tn_system_eval(w, &there, want));
    tn_sparse_mul(w->block[TN_BLOCK_B], 1.0, b->world.a, w->gamma);
    for (int i = 0; i < s->ng; i++) {
        const int k = i - internal_of(b);
        CHECK_NEAR(s->g[i], k < 0 ? 0.0 : w->g[k], SAME);
        CHECK_NEAR(s->gdot[i], k < 0 ? 0.0 : w->gdot[k], SAME);
        CHECK_NEAR(s->gamma[i], k < 0 ? 0.0 : w->gamma[k], RATE_TOL * (1.0 + fabs(s->gamma[i])));
    }
}

static void rows_are_those_of_absolute_coordinates(void)
{
    everywhere(check_rows);
}

// Rigid velocities N e_j of directors: the difference that unit j of v makes in the world.
static void rigid_column(bench *b, int j, double *column)
{
    const int n = b->p.sys->nv;
    double *q = calloc(2 * (size_t)n + 1, sizeof(double)), *v = q + n;
    CHECK(q != NULL);
    const tn_point at = probe_moved(&b->world, ALONG_V, j, 1.0);
    CHECK_OK(b->p.sys->ops->world->from(b->p.sys, &at, q, v));
    tn_copy(n, v, column);
    tn_axpy(n, -1.0, b->p.v, column);
    free(q);
}

// N^T (M a - f + B^T lambda) = (M a - f + B^T lambda) of the world: inertia, forces and reactions
// do the same to every rigid motion, whatever the multipliers of internal rows are.
static void check_dynamics(bench *b)
{
    randomize(b, 0.0, true);
    second_rates(b, b->p.a);
    tn_system *s = b->p.sys, *w = b->world.sys;
    tn_copy(w->ng, b->p.lambda + internal_of(b), b->world.lambda);
    tn_copy(w->nn, b->p.eta, b->world.eta);
    double *r = calloc((size_t)(2 * s->nv + w->nv + 1), sizeof(double)), *column = r + s->nv;
    double *exact = column + s->nv;
    CHECK(r != NULL);
    const tn_point at = probe_point(&b->p), there = probe_point(&b->world);
    probe_residual(s, &at, r);
    probe_residual(w, &there, exact);
    const double size = 1.0 + tn_norm_inf(s->nv, r);
    for (int j = 0; j < w->nv; j++) {
        rigid_column(b, j, column);
        CHECK_NEAR(tn_dot(s->nv, column, r), exact[j], RATE_TOL * size);
    }
    free(r);
}

static void forces_and_inertia_do_the_same_to_rigid_motions(void)
{
    everywhere(check_dynamics);
}

// What loads alone give is what all gives without constraint forces.
static void check_loads(bench *b)
{
    static const tn_block blocks[] = {TN_BLOCK_K, TN_BLOCK_D};
    randomize(b, 0.1, false);
    tn_system *s = b->p.sys;
    tn_zero(s->nv, b->p.a);
    tn_zero(s->ng, b->p.lambda);
    tn_zero(s->nn, b->p.eta);
    const tn_point at = probe_point(&b->p);
    for (int k = 0; k < TN_COUNT(blocks); k++) {
        const tn_sparse *A = s->block[blocks[k]];
        double *all = malloc(sizeof(double) * (size_t)(A->nnz + 1));
        CHECK_OK(tn_system_eval(s, &at, TN_EVAL_TANGENT));
        tn_copy(A->nnz, A->val, all);
        CHECK_OK(tn_system_eval(s, &at, TN_EVAL_LOADS));
        for (int i = 0; i < A->nnz; i++)
            CHECK_NEAR(A->val[i], all[i], SAME * (1.0 + fabs(all[i])));
        free(all);
    }
}

static void loads_alone_are_all_without_constraint_forces(void)
{
    everywhere(check_loads);
}

static void check_energy(bench *b)
{
    randomize(b, 0.0, true);
    tn_system *s = b->p.sys, *w = b->world.sys;
    tn_copy(w->ng, b->p.lambda + internal_of(b), b->world.lambda);
    tn_copy(w->nn, b->p.eta, b->world.eta);
    const tn_point at = probe_point(&b->p);
    tn_point there = probe_point(&b->world);
    there.r = at.r;
    tn_energy x, y;
    s->ops->energy(s, &at, &x);
    w->ops->energy(w, &there, &y);
    CHECK_NEAR(x.kinetic, y.kinetic, SAME * (1.0 + y.kinetic));
    CHECK_NEAR(x.potential, y.potential, SAME * (1.0 + fabs(y.potential)));
    CHECK_NEAR(x.dissipated, y.dissipated, SAME * (1.0 + y.dissipated));
    CHECK_NEAR(x.supplied, y.supplied, SAME * (1.0 + fabs(y.supplied)));
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(x.momentum[i], y.momentum[i], SAME);
        CHECK_NEAR(x.spin[i], y.spin[i], SAME);
    }
}

static void energies_and_momenta_are_the_same(void)
{
    everywhere(check_energy);
}

static double apart(tn_vec3 x, tn_vec3 y)
{
    return tn_v3_norm(tn_v3_sub(x, y));
}

// Bodies, reactions and joint coordinates are read as in the world, and the way back is exact.
static void check_read_out(bench *b)
{
    randomize(b, 0.0, true);
    second_rates(b, b->p.a);
    tn_system *s = b->p.sys, *w = b->world.sys;
    tn_copy(w->ng, b->p.lambda + internal_of(b), b->world.lambda);
    tn_copy(w->nn, b->p.eta, b->world.eta);
    const tn_point at = probe_point(&b->p);
    tn_point there = probe_point(&b->world);
    there.r = at.r;
    const tn_model *model = tn_absolute_model(w);
    for (int k = 0; k < model->bodies.count; k++) {
        tn_body_state x, y;
        s->ops->mechanism->body(s, &at, k, &x);
        w->ops->mechanism->body(w, &there, k, &y);
        CHECK_NEAR(apart(x.frame.p, y.frame.p), 0.0, SAME);
        CHECK_NEAR(x.rotation.w, y.rotation.w, SAME);
        CHECK_NEAR(x.rotation.z, y.rotation.z, SAME);
        CHECK_NEAR(apart(x.velocity, y.velocity), 0.0, SAME);
        CHECK_NEAR(apart(x.rate, y.rate), 0.0, SAME);
        CHECK_NEAR(apart(x.acceleration, y.acceleration), 0.0, RATE_TOL);
        CHECK_NEAR(apart(x.rate_dot, y.rate_dot), 0.0, RATE_TOL);
    }
    for (int k = 0; k < model->joints.count; k++) {
        double x[6], y[6], xd[6], yd[6];
        const tn_wrench f = s->ops->mechanism->reaction(s, &at, k);
        const int n = s->ops->mechanism->coordinates(s, &at, k, x, xd);
        const tn_wrench exact = w->ops->mechanism->reaction(w, &there, k);
        CHECK_NEAR(apart(f.f, exact.f) + apart(f.m, exact.m), 0.0, SAME);
        CHECK(w->ops->mechanism->coordinates(w, &there, k, y, yd) == n);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(fabs(x[i] - y[i]) + fabs(xd[i] - yd[i]), 0.0, SAME);
        CHECK(s->ops->mechanism->multipliers(s, &at, k, x) ==
              w->ops->mechanism->multipliers(w, &there, k, y));
        CHECK_NEAR(x[0], y[0], 0.0);
    }
    s->ops->world->to(s, &at, b->world.q1, b->world.v1, b->world.x);
    tn_group_difference(w->ngroup, w->groups, b->world.q, b->world.q1, b->p.x);
    for (int i = 0; i < w->nv; i++) { // angles of planar bodies come back without their turns
        CHECK_NEAR(remainder(b->p.x[i], 2.0 * 3.14159265358979323846), 0.0, SAME);
        CHECK_NEAR(b->world.v1[i], b->world.v[i], SAME);
        CHECK_NEAR(b->world.x[i], b->world.a[i], RATE_TOL);
    }
}

static void read_out_is_that_of_absolute_coordinates(void)
{
    everywhere(check_read_out);
}

// Forms -------------------------------------------------------------------------------------------

static void coordinates_rows_and_names(void)
{
    tn_model *model = tn_model_create();
    tn_body_def def = tn_default_body();
    static const tn_body_kind kinds[] = {TN_BODY_RIGID, TN_BODY_PLANAR, TN_BODY_POINT,
                                         TN_BODY_POINT_2D};
    static const char *const names[] = {"top", "disc", "ball", "dot"};
    for (int k = 0; k < 4; k++) {
        def.kind = kinds[k];
        def.name = names[k];
        def.mass = 2.0;
        def.inertia = tn_v3(0.0, 3.0, 3.0); // a thin rod: E = diag(3, 0, 0)
        tn_model_add_body(model, &def);
    }
    tn_system *world = NULL, *sys = NULL;
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &world));
    CHECK_OK(tn_director_create(world, &sys));
    CHECK(sys->nq == 12 + 6 + 3 + 2 && sys->nv == sys->nq);
    CHECK(sys->ng == 6 + 3 && ((const director *)sys)->ninternal == 9);
    static const double mass[] = {2, 2, 2,   3,   3,   3,   0, 0, 0, 0, 0, 0,
                                  2, 2, 1.5, 1.5, 1.5, 1.5, 2, 2, 2, 2, 2};
    for (int i = 0; i < sys->nv; i++)
        for (int j = 0; j < sys->nv; j++)
            CHECK_NEAR(tn_sparse_at(sys->block[TN_BLOCK_M], i, j), i == j ? mass[i] : 0.0, 0.0);
    static const struct {
        int row;
        const char *name;
    } rows[] = {{2, "body 'top', length of director 3"},
                {3, "body 'top', angle of directors 1 and 2"},
                {5, "body 'top', angle of directors 2 and 3"},
                {8, "body 'disc', angle of directors 1 and 2"}},
      velocities[] = {{0, "body 'top', x"},
                      {11, "body 'top', z of director 3"},
                      {15, "body 'disc', y of director 1"},
                      {20, "body 'ball', z"},
                      {22, "body 'dot', y"}};
    char text[96];
    for (int k = 0; k < TN_COUNT(rows); k++) {
        sys->ops->row_name(sys, rows[k].row, text, sizeof text);
        CHECK_TEXT(text, rows[k].name);
    }
    for (int k = 0; k < TN_COUNT(velocities); k++) {
        sys->ops->velocity_name(sys, velocities[k].row, text, sizeof text);
        CHECK_TEXT(text, velocities[k].name);
    }
    tn_system_destroy(sys);
    tn_system_destroy(world);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"derivative blocks match differences", derivative_blocks_match_differences},
    {"velocity and acceleration level are rates", velocity_and_acceleration_level_are_rates},
    {"rows are those of absolute coordinates", rows_are_those_of_absolute_coordinates},
    {"forces and inertia do the same to rigid motions",
     forces_and_inertia_do_the_same_to_rigid_motions},
    {"loads alone are all without constraint forces",
     loads_alone_are_all_without_constraint_forces},
    {"energies and momenta are the same", energies_and_momenta_are_the_same},
    {"read-out is that of absolute coordinates", read_out_is_that_of_absolute_coordinates},
    {"coordinates, rows and names", coordinates_rows_and_names},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
