// SPDX-License-Identifier: MIT
//
// Trees in which freedoms have no inertia: over random mechanisms whose bodies have lost mass or
// moments of inertia, and over mechanisms on a grid, where axes meet, fall together and cancel, the
// null space and the solutions against the dense mass matrix and the residual formalism. The two
// configurations of [Arn13, section 4] against their equations.

#include "test.h"

#include "../cross/random_mechanism.h"
#include "kinds/family.h"
#include "linalg/dense.h"
#include "tree/tree_massless.h"

enum { SEEDS = 400, MOST_FREEDOMS = 6 * ROOM };

// Relative to the largest number: some thousand operations.
static const double ROUNDOFF = 1e-12;
static const double QUARTER = 1.57079632679489661923; // of a turn

typedef struct bench {
    tn_model *model;
    tn_tree *tree;
    int nv, count;
    double *q, *v, *a, *b, *r, *tau;
    double *M; // nv x nv
    double *N; // nv x count
    double size;
    tn_tree_massless out[MOST_FREEDOMS];
} bench;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    CHECK(x != NULL);
    return x;
}

static void put_state(const tn_tree *tree, double spread, double *q, double *v)
{
    for (int k = 0; k < tree->ngroup; k++) {
        const tn_group *g = &tree->groups[k];
        for (int i = 0; i < g->nq; i++)
            q[g->q0 + i] = spread * tn_random();
        double *e = q + g->q0 + tn_group_turn(g);
        if (g->kind != TN_GROUP_R)
            tn_quat_to(tn_quat_normalize((tn_quat){1.0 - spread + e[0], e[1], e[2], e[3]}), e);
    }
    for (int i = 0; i < tree->nv; i++)
        v[i] = tn_random();
}

static double *column(double *A, int rows, int j)
{
    return A + (size_t)rows * (size_t)j;
}

// The tree of a model, which it takes over, at a state, with its singular directions and motions.
static void open_bench(bench *b, tn_model *model, double spread)
{
    *b = (bench){.model = model};
    CHECK_OK(tn_tree_create(model, &b->tree));
    const int nv = b->nv = b->tree->nv;
    CHECK(nv <= MOST_FREEDOMS);
    b->q = numbers(b->tree->nq);
    b->v = numbers(nv);
    b->a = numbers(nv);
    b->b = numbers(nv);
    b->r = numbers(nv);
    b->tau = numbers(nv);
    b->M = numbers(nv * nv);
    put_state(b->tree, spread, b->q, b->v);
    tn_tree_move(b->tree, b->q, b->v);
    tn_tree_mass(b->tree, b->M);
    b->size = fmax(1.0, tn_norm_inf(nv * nv, b->M));
    CHECK_OK(tn_tree_factor_massless(b->tree, &b->count, b->out));
    b->N = numbers(nv * b->count);
    double *unit = numbers(b->count);
    for (int j = 0; j < b->count; j++) {
        tn_zero(b->count, unit);
        unit[j] = 1.0;
        tn_tree_massless_sum(b->tree, unit, column(b->N, nv, j));
    }
    free(unit);
}

static void close_bench(bench *b)
{
    double *const all[] = {b->q, b->v, b->a, b->b, b->r, b->tau, b->M, b->N};
    for (int i = 0; i < TN_COUNT(all); i++)
        free(all[i]);
    tn_tree_destroy(b->tree);
    tn_model_destroy(b->model);
}

// Mechanisms --------------------------------------------------------------------------------------

typedef enum loss { NOTHING, ALL, MOMENTS, MASS, ONE_AXIS, LOSSES } loss;

// The planar kind of a rod, whose moment about its own axis is lost, is a rod that stands upright.
static void lose(tn_body_data *body, loss what)
{
    const double least = body->inertia.m[0][0];
    if (what == ALL || what == MASS)
        body->def.mass = 0.0;
    if (what == ALL || what == MOMENTS)
        body->inertia = tn_m3_diag(0, 0, 0);
    if (what == ONE_AXIS)
        body->inertia = tn_m3_diag(least, least, 0.0);
}

static bool is_point(const tn_body_data *body)
{
    return body->ops->turns == 0;
}

static tn_model *random_model(int seed)
{
    mechanism m = random_mechanism_of(seed, seed % 7 == 0 ? 10 + seed % 31 : 0);
    for (int k = 1; k <= m.nbody; k++) {
        tn_body_data *body = &m.model->bodies.at[k];
        const loss what = (loss)random_int(LOSSES + 2); // the last two are none
        if (what < LOSSES)
            lose(body, is_point(body) && what != NOTHING ? ALL : what);
    }
    return m.model;
}

static tn_frame grid_frame(bool planar)
{
    static const tn_vec3 steps[] = {{0, 0, 0},   {0, 0, 0},   {0.5, 0, 0},
                                    {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0.5, 0}};
    const tn_mat3 turns[] = {tn_m3_identity, tn_m3_rot_z(QUARTER), tn_m3_rot_x(QUARTER),
                             tn_m3_rot_y(QUARTER)};
    return (tn_frame){turns[random_int(planar ? 2 : TN_COUNT(turns))],
                      steps[random_int(planar ? 4 : TN_COUNT(steps))]};
}

// Joints with parallel and crossing axes through common points, half of the bodies without inertia.
static tn_model *grid_model(int seed)
{
    static const tn_joint_kind spatial[] = {
        TN_JOINT_REVOLUTE,    TN_JOINT_REVOLUTE,  TN_JOINT_PRISMATIC, TN_JOINT_PRISMATIC,
        TN_JOINT_CYLINDRICAL, TN_JOINT_UNIVERSAL, TN_JOINT_SPHERICAL, TN_JOINT_PLANAR,
        TN_JOINT_SCREW,       TN_JOINT_FIXED};
    static const tn_joint_kind flat[] = {TN_JOINT_PLANAR_REVOLUTE, TN_JOINT_PLANAR_PRISMATIC,
                                         TN_JOINT_PIN_IN_SLOT};
    tn_random_seed((uint64_t)seed + 1000);
    const bool planar = seed % 4 == 3;
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, planar ? tn_v3(1.0, -9.0, 0.0) : random_vec3(8.0));
    for (int k = 1, n = 2 + random_int(9); k <= n; k++) {
        tn_body_def def = random_link(planar);
        tn_joint_def joint = tn_default_joint(planar ? flat[random_int(TN_COUNT(flat))]
                                                     : spatial[random_int(TN_COUNT(spatial))]);
        if (joint.kind == TN_JOINT_SCREW)
            joint.screw.pitch = 0.2;
        def.com = grid_frame(planar).p;
        def.inertia_axes = tn_m3_identity;
        joint.body_a.index = random_int(3) > 0 ? k - 1 : random_int(k);
        joint.body_b = tn_model_add_body(model, &def);
        joint.frame_a = grid_frame(planar);
        joint.frame_b = grid_frame(planar);
        if (random_int(6) > 0)
            tn_model_add_joint(model, &joint);
        lose(&model->bodies.at[k], random_int(2) == 0 ? ALL : (loss)random_int(LOSSES));
    }
    CHECK_OK(tn_model_status(model));
    return model;
}

static void check_each(void (*check)(bench *b))
{
    static bench b;
    int singular = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        if (seed % 2 == 0)
            open_bench(&b, random_model(seed / 2), 0.8);
        else
            open_bench(&b, grid_model(seed / 2), seed % 3 == 0 ? 0.8 : 0.0);
        check(&b);
        singular += b.count > 0;
        close_bench(&b);
    }
    CHECK(singular > SEEDS / 2);
}

// The null space ----------------------------------------------------------------------------------

// Dimension of the null space of M by its singular values; what is in doubt counts as half.
static double nullity(const bench *b)
{
    const int n = b->nv;
    double *A = numbers(n * n), *s = numbers(n), sum = 0.0;
    tn_copy(n * n, b->M, A);
    if (n > 0)
        CHECK_OK(tn_singular_values(n, n, A, s));
    for (int i = 0; i < n; i++)
        sum += s[i] < 1e-14 * b->size * n ? 1.0 : s[i] < 1e-9 * b->size ? 0.5 : 0.0;
    free(A);
    free(s);
    return sum;
}

static void times_mass(const bench *b, const double *x, double *y)
{
    tn_zero(b->nv, y);
    for (int j = 0; j < b->nv; j++)
        tn_axpy(b->nv, x[j], b->M + (size_t)b->nv * (size_t)j, y);
}

static void check_null_space(bench *b)
{
    int vanishing;
    CHECK_NEAR(b->count, nullity(b), 0.0);
    tn_tree_set_singular_tol(b->tree, 0.0); // round-off is no inertia in any case
    CHECK_OK(tn_tree_factor_massless(b->tree, &vanishing, NULL));
    CHECK(vanishing == b->count);
    for (int j = 0; j < b->count; j++) {
        double *x = column(b->N, b->nv, j);
        times_mass(b, x, b->r);
        CHECK_NEAR(tn_norm_inf(b->nv, b->r), 0.0, ROUNDOFF * b->size * tn_norm_inf(b->nv, x));
    }
    double *s = numbers(b->nv); // the motions are independent: M has no other null space
    if (b->count > 0) {
        for (int j = 0; j < b->count; j++)
            tn_scale(b->nv, 1.0 / tn_norm2(b->nv, column(b->N, b->nv, j)), column(b->N, b->nv, j));
        CHECK_OK(tn_singular_values(b->nv, b->count, b->N, s));
        CHECK(s[b->count - 1] > 1e-3);
    }
    free(s);
}

static void motions_span_the_null_space_of_the_mass_matrix(void)
{
    check_each(check_null_space);
}

static void check_directions(bench *b)
{
    for (int j = 0; j < b->count; j++) {
        const tn_tree_massless *d = &b->out[j];
        const tn_tree_body *body = &b->tree->body[d->place];
        CHECK(d->v0 == body->v0 && d->nv == body->nv && d->gamma == 0.0);
        CHECK(j == 0 || d->place >= b->out[j - 1].place);
        CHECK_NEAR(tn_norm2(d->nv, d->direction), 1.0, 1e-14);
        for (int i = 0; i < d->nv; i++) // the motion starts with the direction
            CHECK(b->N[d->v0 + i + b->nv * j] == d->direction[i]);
        for (int i = 0; i < d->v0; i++) // and moves nothing below
            CHECK(b->N[i + b->nv * j] == 0.0);
    }
}

static void directions_belong_to_their_joints(void)
{
    check_each(check_directions);
}

// Solutions ---------------------------------------------------------------------------------------

static bool is_singular(const bench *b, int place)
{
    for (int j = 0; j < b->count; j++)
        if (b->out[j].place == place)
            return true;
    return false;
}

// What is left of the equations, r = b - M x, is gamma and nothing else.
static void check_remainder(const bench *b, const double *r, const double *gamma, double tol)
{
    for (int k = 1; k < b->tree->n; k++)
        for (int i = 0; i < b->tree->body[k].nv && !is_singular(b, k); i++)
            CHECK_NEAR(r[b->tree->body[k].v0 + i], 0.0, tol);
    for (int j = 0; j < b->count; j++) {
        const tn_tree_massless *d = &b->out[j];
        CHECK_NEAR(tn_dot(d->nv, d->direction, r + d->v0), gamma[j], tol);
    }
}

static void check_solutions(bench *b)
{
    double *gamma = numbers(b->count), *f = numbers(b->nv);
    for (int consistent = 0; consistent < 2; consistent++) {
        for (int i = 0; i < b->nv; i++)
            f[i] = tn_random();
        if (consistent)
            tn_tree_times_mass(b->tree, f, f);
        tn_copy(b->nv, f, b->b);
        tn_tree_solve_massless(b->tree, b->b, gamma);
        tn_copy(b->nv, f, b->a);
        tn_tree_solve(b->tree, b->a);
        CHECK(memcmp(b->a, b->b, sizeof(double) * (size_t)b->nv) == 0);
        times_mass(b, b->b, b->r);
        tn_scale(b->nv, -1.0, b->r);
        tn_axpy(b->nv, 1.0, f, b->r);
        const double tol = ROUNDOFF * b->size * fmax(1.0, tn_norm_inf(b->nv, b->b));
        if (consistent)
            CHECK_NEAR(tn_norm_inf(b->nv, b->r), 0.0, tol);
        check_remainder(b, b->r, gamma, tol);
        for (int j = 0; j < b->count; j++)
            CHECK_NEAR(tn_dot(b->nv, column(b->N, b->nv, j), f), gamma[j], tol);
    }
    free(gamma);
    free(f);
}

static void solutions_leave_gamma_and_nothing_else(void)
{
    check_each(check_solutions);
}

static void random_forces(bench *b)
{
    for (int k = 1; k < b->tree->n; k++) {
        const bool point = is_point(&b->model->bodies.at[b->tree->body[k].body]);
        tn_tree_add_load(b->tree, k,
                         (tn_wrench){random_vec3(5.0), point ? tn_v3(0, 0, 0) : random_vec3(3.0)});
    }
    for (int i = 0; i < b->nv; i++)
        b->tau[i] = tn_random();
}

static void check_accelerations(bench *b)
{
    double *gamma = numbers(b->count), *f = numbers(b->nv);
    int count = -1;
    random_forces(b);
    CHECK_OK(tn_tree_accelerate_massless(b->tree, b->tau, b->a, &count, b->out));
    CHECK(count == b->count);
    for (int j = 0; j < count; j++)
        gamma[j] = b->out[j].gamma;
    tn_tree_residual(b->tree, b->tau, NULL, f); // -f - tau
    tn_tree_residual(b->tree, b->tau, b->a, b->r);
    tn_scale(b->nv, -1.0, b->r);
    tn_scale(b->nv, -1.0, f);
    const double tol = ROUNDOFF * (tn_norm_inf(b->nv, f) + b->size * tn_norm_inf(b->nv, b->a));
    check_remainder(b, b->r, gamma, tol);
    for (int j = 0; j < b->count; j++)
        CHECK_NEAR(tn_dot(b->nv, column(b->N, b->nv, j), f), gamma[j], tol);
    // the same by the factors
    tn_tree_solve(b->tree, f);
    for (int i = 0; i < b->nv; i++)
        CHECK_NEAR(f[i], b->a[i], 1e-8 * fmax(1.0, tn_norm_inf(b->nv, b->a))); // condition of M
    free(gamma);
    free(f);
}

static void gamma_is_the_force_along_the_motions(void)
{
    check_each(check_accelerations);
}

// Dampers between random bodies: loads are linear in twists, and no force of inertia is left in
// gamma, so that a unit step along a motion gives the column of the tangent.
typedef struct damper {
    int a, b;
    double D[12][12];
} damper;

static void load_by(bench *b, int n, const damper *dampers)
{
    tn_tree_clear_loads(b->tree);
    for (int k = 0; k < n; k++) {
        const damper *d = &dampers[k];
        double V[12], w[12];
        for (int side = 0; side < 2; side++) {
            const tn_twist twist = tn_tree_twist(b->tree, side ? d->b : d->a);
            tn_v3_to(twist.v, V + 6 * side);
            tn_v3_to(twist.w, V + 6 * side + 3);
        }
        for (int i = 0; i < 12; i++)
            w[i] = tn_dot(12, d->D[i], V);
        tn_tree_add_load(b->tree, d->a, (tn_wrench){{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
        tn_tree_add_load(b->tree, d->b, (tn_wrench){{w[6], w[7], w[8]}, {w[9], w[10], w[11]}});
    }
}

static void gamma_at(bench *b, const double *v, int n, const damper *dampers, double *gamma)
{
    int count;
    tn_tree_move(b->tree, b->q, v);
    load_by(b, n, dampers);
    CHECK_OK(tn_tree_accelerate_massless(b->tree, NULL, b->a, &count, b->out));
    for (int j = 0; j < count; j++)
        gamma[j] = b->out[j].gamma;
}

// The twists of both ends of a damper in a motion.
static void twists_in(bench *b, const tn_tree_massless *motion, const damper *d, double *x)
{
    static int place[ROOM + 1];
    static tn_twist V[ROOM + 1];
    CHECK(b->tree->n <= ROOM + 1);
    const int n = tn_tree_massless_bodies(b->tree, motion, place, V);
    tn_zero(12, x);
    for (int k = 0; k < n; k++)
        for (int side = 0; side < 2; side++)
            if (place[k] == (side ? d->b : d->a)) {
                tn_v3_to(V[k].v, x + 6 * side);
                tn_v3_to(V[k].w, x + 6 * side + 3);
            }
}

static void add_damping(bench *b, const damper *d, double *G)
{
    const int m = b->count;
    for (int j = 0; j < m; j++) {
        double x[12], y[12];
        twists_in(b, &b->out[j], d, x);
        for (int i = 0; i < m; i++) {
            twists_in(b, &b->out[i], d, y);
            for (int k = 0; k < 12; k++)
                G[i + m * j] += y[k] * tn_dot(12, d->D[k], x);
        }
    }
}

static void check_damping(bench *b)
{
    enum { DAMPERS = 4 };
    const int m = b->count, n = b->tree->n;
    damper dampers[DAMPERS];
    double *G = numbers(m * m), *before = numbers(m), *after = numbers(m);
    for (int k = 0; k < DAMPERS; k++) {
        dampers[k].a = random_int(n);
        dampers[k].b = random_int(n);
        for (int i = 0; i < 144; i++)
            dampers[k].D[i / 12][i % 12] = tn_random();
        add_damping(b, &dampers[k], G);
    }
    gamma_at(b, b->v, DAMPERS, dampers, before);
    const double size = fmax(1.0, tn_norm_inf(m, before));
    for (int j = 0; j < m; j++) {
        tn_copy(b->nv, b->v, b->r);
        tn_axpy(b->nv, 1.0, column(b->N, b->nv, j), b->r);
        gamma_at(b, b->r, DAMPERS, dampers, after);
        for (int i = 0; i < m; i++)
            CHECK_NEAR(after[i] - before[i], G[i + m * j], ROUNDOFF * b->size * size);
    }
    free(G);
    free(before);
    free(after);
}

// The sum of all motions is that of the columns.
static void check_sum(bench *b)
{
    const int m = b->count;
    double *z = numbers(m);
    tn_zero(b->nv, b->r);
    for (int j = 0; j < m; j++) {
        z[j] = tn_random();
        tn_axpy(b->nv, z[j], column(b->N, b->nv, j), b->r);
    }
    tn_tree_massless_sum(b->tree, z, b->a);
    for (int i = 0; i < b->nv; i++)
        CHECK_NEAR(b->a[i], b->r[i], ROUNDOFF * fmax(1.0, tn_norm_inf(b->nv, b->r)));
    free(z);
}

static void motions_add_up(void)
{
    check_each(check_sum);
}

static void tangents_of_gamma_are_those_of_dampers(void)
{
    check_each(check_damping);
}

// Where every freedom has inertia it is the explicit formalism.
static void regular_trees_have_their_accelerations(void)
{
    static bench b;
    for (int seed = 0; seed < SEEDS / 2; seed++) {
        int count = -1;
        open_bench(&b, random_mechanism_of(seed, seed % 9 == 0 ? 60 : 0).model, 0.8);
        random_forces(&b);
        CHECK(b.count == 0);
        CHECK_OK(tn_tree_accelerate(b.tree, b.tau, b.a, NULL));
        CHECK_OK(tn_tree_accelerate_massless(b.tree, b.tau, b.b, &count, b.out));
        CHECK(count == 0);
        for (int i = 0; i < b.nv; i++)
            CHECK_NEAR(b.b[i], b.a[i], 1e-10 * fmax(1.0, tn_norm_inf(b.nv, b.a)));
        CHECK_OK(tn_tree_factor(b.tree, NULL)); // and its factors come back
        tn_tree_times_mass(b.tree, b.v, b.r);
        tn_tree_solve(b.tree, b.r);
        for (int i = 0; i < b.nv; i++)
            CHECK_NEAR(b.r[i], b.v[i], 1e-9);
        close_bench(&b);
    }
}

// Special mechanisms ------------------------------------------------------------------------------

static void join(tn_model *model, tn_joint_kind kind, tn_body a, tn_body b, tn_mat3 R)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.R = def.frame_b.R = R;
    tn_model_add_joint(model, &def);
}

static const tn_vec3 ones = {1, 1, 1}, none = {0, 0, 0};

// What the outer turn undoes, the inner one does for nothing.
static void equal_axes_turn_against_each_other(void)
{
    for (int kind = 0; kind < 2; kind++) {
        static bench b;
        tn_model *model = tn_model_create();
        const tn_body_kind body = kind ? TN_BODY_PLANAR : TN_BODY_RIGID;
        const tn_body cross = add_link(model, body, 0.0, none);
        const tn_body leaf = add_link(model, body, 1.0, ones);
        join(model, TN_JOINT_REVOLUTE, TN_GROUND, cross, tn_m3_identity);
        join(model, TN_JOINT_REVOLUTE, cross, leaf, tn_m3_identity);
        open_bench(&b, model, 0.8);
        CHECK(b.count == 1 && b.tree->body[b.out[0].place].body == cross.index);
        CHECK_NEAR(b.N[0], 1.0, 0.0);
        CHECK_NEAR(b.N[1], -1.0, 1e-15);
        close_bench(&b);
    }
}

// Three slides in a row: two of them are free of inertia, each pushes the last one back.
static void several_massless_bodies_in_a_row_move_alone(void)
{
    static bench b;
    tn_model *model = tn_model_create();
    tn_body last = TN_GROUND;
    for (int k = 0; k < 4; k++) {
        const tn_body next = add_link(model, TN_BODY_RIGID, k == 3 ? 2.0 : 0.0, none);
        join(model, TN_JOINT_PRISMATIC, last, next, tn_m3_identity);
        last = next;
    }
    open_bench(&b, model, 0.5);
    CHECK(b.count == 3);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(b.N[i + 4 * j], i == j ? 1.0 : i == 3 ? -1.0 : 0.0, 1e-15);
    close_bench(&b);
}

static void a_free_rod_spins_about_itself(void)
{
    static bench b;
    tn_model *model = tn_model_create();
    add_link(model, TN_BODY_RIGID, 1.0, tn_v3(1.0, 1.0, 0.0));
    open_bench(&b, model, 0.8);
    CHECK(b.count == 1);
    for (int i = 0; i < 6; i++) // velocity in inertial axes, rate in body axes
        CHECK_NEAR(b.N[i], i == 5, 1e-15);
    close_bench(&b);
}

// A point at the end of an arm with two turns: one direction, which mixes both freedoms, turns the
// arm about itself.
static void directions_may_mix_freedoms(void)
{
    static bench b;
    tn_model *model = tn_model_create();
    tn_body_def def = tn_default_body();
    def.mass = 1.0;
    def.com = tn_v3(0.3, 0.4, 0.0);
    const tn_body arm = tn_model_add_body(model, &def);
    lose(&model->bodies.at[arm.index], MOMENTS);
    join(model, TN_JOINT_UNIVERSAL, TN_GROUND, arm, tn_m3_identity);
    open_bench(&b, model, 0.0);
    CHECK(b.count == 1 && b.nv == 2);
    CHECK_NEAR(b.out[0].direction[0], 0.6, 1e-14);
    CHECK_NEAR(b.out[0].direction[1], 0.8, 1e-14);
    close_bench(&b);
}

// Freedoms that do not mix stay directions of their own.
static void a_massless_leaf_keeps_its_freedoms(void)
{
    static const tn_joint_kind kinds[] = {TN_JOINT_REVOLUTE,  TN_JOINT_PRISMATIC,
                                          TN_JOINT_SPHERICAL, TN_JOINT_CYLINDRICAL,
                                          TN_JOINT_UNIVERSAL, TN_JOINT_PLANAR};
    for (int k = 0; k < TN_COUNT(kinds); k++) {
        static bench b;
        tn_model *model = tn_model_create();
        const tn_body base = add_link(model, TN_BODY_RIGID, 1.0, ones);
        const tn_body leaf = add_link(model, TN_BODY_RIGID, 0.0, none);
        join(model, TN_JOINT_SPHERICAL, TN_GROUND, base, tn_m3_identity);
        join(model, kinds[k], base, leaf, tn_m3_identity);
        open_bench(&b, model, 0.8);
        CHECK(b.count == tn_joint_ops_of(kinds[k])->nv);
        for (int j = 0; j < b.count; j++)
            for (int i = 0; i < b.count; i++)
                CHECK(b.out[j].direction[i] == (i == j));
        close_bench(&b);
    }
}

// A cross without mass between two axes makes a universal joint: nothing is singular.
static void a_massless_cross_is_a_universal_joint(void)
{
    double a[2][2];
    for (int two = 0; two < 2; two++) {
        static bench b;
        tn_model *model = tn_model_create();
        tn_model_set_gravity(model, tn_v3(1.0, 2.0, -9.81));
        tn_body_def def = tn_default_body();
        def.mass = 1.5;
        def.inertia = tn_v3(0.2, 0.3, 0.4);
        def.com = tn_v3(0.3, -0.2, 0.5);
        const tn_body arm = tn_model_add_body(model, &def);
        if (two) {
            const tn_body cross = add_link(model, TN_BODY_RIGID, 0.0, none);
            join(model, TN_JOINT_REVOLUTE, TN_GROUND, cross, tn_m3_rot_y(QUARTER)); // about x
            join(model, TN_JOINT_REVOLUTE, cross, arm, tn_m3_rot_x(-QUARTER));      // about y
        } else
            join(model, TN_JOINT_UNIVERSAL, TN_GROUND, arm, tn_m3_identity);
        open_bench(&b, model, 0.0);
        const double q[2] = {0.4, -0.7}, v[2] = {1.3, 0.6};
        tn_tree_move(b.tree, q, v);
        CHECK_OK(tn_tree_accelerate_massless(b.tree, NULL, a[two], &b.count, b.out));
        CHECK(b.count == 0 && b.nv == 2);
        close_bench(&b);
    }
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(a[1][i], a[0][i], 1e-12);
}

// Masses below the tolerance count as none; gamma is still the exact remainder.
static void small_inertia_is_left_out_by_the_tolerance(void)
{
    static bench b;
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0, 0, -9.81));
    const tn_body small = add_link(model, TN_BODY_RIGID, 1e-6, none);
    const tn_body large = add_link(model, TN_BODY_RIGID, 1.0, ones);
    join(model, TN_JOINT_PRISMATIC, TN_GROUND, small, tn_m3_identity);
    join(model, TN_JOINT_PRISMATIC, small, large, tn_m3_identity);
    open_bench(&b, model, 0.8);
    CHECK(b.count == 0);
    tn_tree_set_singular_tol(b.tree, 1e-5);
    const double tau[2] = {3.0, 5.0};
    CHECK_OK(tn_tree_accelerate_massless(b.tree, tau, b.a, &b.count, b.out));
    CHECK(b.count == 1 && b.out[0].place == 1 && b.a[0] == 0.0);
    CHECK_NEAR(b.a[1], 5.0 - 9.81, 1e-14);
    CHECK_NEAR(b.out[0].gamma, 3.0 - 5.0 - 1e-6 * 9.81, 1e-15 * 8.0);
    close_bench(&b);
}

// Points that can move in all directions leave their carrier the round-off of their masses, which
// is not inertia: each slides in a plane, which slides along its normal.
static void round_off_of_eliminated_masses_is_not_inertia(void)
{
    for (int seed = 0; seed < 50; seed++) {
        static bench b;
        tn_model *model = tn_model_create();
        tn_random_seed((uint64_t)seed);
        const tn_body frame = add_link(model, TN_BODY_RIGID, 0.0, none);
        tn_joint_def joint = tn_default_joint(TN_JOINT_PRISMATIC);
        joint.body_b = frame;
        joint.frame_a.R = random_rotation();
        tn_model_add_joint(model, &joint);
        for (int k = 0; k < 3; k++) {
            joint.kind = TN_JOINT_PRISMATIC;
            joint.body_a = frame;
            joint.body_b = add_link(model, TN_BODY_RIGID, 0.0, none);
            joint.frame_a = (tn_frame){random_rotation(), random_vec3(1.0)};
            tn_model_add_joint(model, &joint);
            joint.kind = TN_JOINT_POINT_IN_PLANE;
            joint.body_a = joint.body_b;
            joint.body_b = add_link(model, TN_BODY_POINT, exp(5.0 * tn_random()), none);
            joint.frame_a = (tn_frame){tn_m3_rot_z(tn_random()), random_vec3(1.0)};
            tn_model_add_joint(model, &joint);
        }
        open_bench(&b, model, 0.8);
        CHECK(b.nv == 10 && b.count == 1 && b.tree->body[b.out[0].place].body == frame.index);
        close_bench(&b);
    }
}

// A straight chain with parallel axes, tilted in the world: its moments across the axes grow with
// the third power of the number of links, those about them do not.
static void long_chains_are_regular(void)
{
    enum { N = 100000 };
    static const tn_joint_kind kinds[] = {TN_JOINT_REVOLUTE, TN_JOINT_UNIVERSAL};
    for (int i = 0; i < TN_COUNT(kinds); i++) {
        tn_model *model = tn_model_create();
        tn_tree *tree;
        tn_joint_def joint = tn_default_joint(kinds[i]);
        joint.frame_a.R = random_rotation();
        for (int k = 1; k <= N; k++) {
            joint.body_b = add_link(model, TN_BODY_RIGID, 1.0, tn_v3(0.01, 0.08, 0.08));
            tn_model_add_joint(model, &joint);
            joint.body_a = joint.body_b;
            joint.frame_a = (tn_frame){tn_m3_identity, tn_v3(1.0, 0.0, 0.2 * tn_random())};
        }
        CHECK_OK(tn_tree_create(model, &tree));
        double *q = numbers(tree->nq);
        int count = -1;
        tn_tree_move(tree, q, NULL);
        CHECK_OK(tn_tree_factor_massless(tree, &count, NULL));
        CHECK(count == 0);
        free(q);
        tn_tree_destroy(tree);
        tn_model_destroy(model);
    }
}

static void numbers_that_are_not_finite_are_refused(void)
{
    static bench b;
    open_bench(&b, random_model(3), 0.8);
    for (int i = 0; i < b.tree->nq; i++)
        b.q[i] = NAN;
    tn_tree_move(b.tree, b.q, b.v);
    CHECK_STATUS(tn_tree_factor_massless(b.tree, NULL, NULL), TN_RETRY_SINGULAR);
    CHECK(strstr(tn_last_error(), "not a finite number") != NULL);
    close_bench(&b);
}

static void evaluations_repeat_and_allocate_nothing(void)
{
    static bench b;
    open_bench(&b, random_model(21), 0.8);
    const long count = tn_test_alloc_count();
    CHECK_OK(tn_tree_accelerate_massless(b.tree, NULL, b.a, &b.count, b.out));
    for (int k = 0; k < 3; k++) {
        tn_tree_move(b.tree, b.q, b.v);
        CHECK_OK(tn_tree_factor_massless(b.tree, NULL, NULL));
        tn_tree_solve(b.tree, b.r);
        CHECK_OK(tn_tree_accelerate_massless(b.tree, NULL, b.b, &b.count, b.out));
        CHECK(memcmp(b.a, b.b, sizeof(double) * (size_t)b.nv) == 0);
    }
    CHECK(tn_test_alloc_count() == count);
    close_bench(&b);
}

// The configurations of [Arn13, section 4] --------------------------------------------------------

static const double PAPER = 1e-10; // what is asked for; round-off of numbers of size ten is 1e-14

enum { X, Y }; // components

// Springs and dampers of the paper [N/m, N s/m], at body i towards the ground and between i and j.
static const double c_i[2] = {20.0, 30.0}, d_i[2] = {3.0, 4.0}, c_jx = 15.0, d_jx = 2.0, m_j = 1.7;

// A chain of slides in the plane, along x or y: plates of mass m_i, and at its end a point of mass
// m_j in a slot.
static tn_model *chain_of_slides(int n, const int *along, double m_i)
{
    tn_model *model = tn_model_create();
    tn_body last = TN_GROUND;
    for (int k = 0; k < n; k++) {
        const bool end = k == n - 1;
        tn_joint_def slide =
            tn_default_joint(end ? TN_JOINT_PIN_IN_SLOT : TN_JOINT_PLANAR_PRISMATIC);
        slide.body_a = last;
        slide.body_b =
            add_link(model, end ? TN_BODY_POINT_2D : TN_BODY_PLANAR, end ? m_j : m_i, none);
        // axes of the plates stay level: frame B is turned as frame A, a point has no axes
        slide.frame_a.R = tn_m3_rot_z(along[k] == Y ? QUARTER : 0.0);
        if (!end)
            slide.frame_b.R = slide.frame_a.R;
        else
            slide.frame_a.p = tn_v3(0.8, 0.0, 0.0); // l_i
        tn_model_add_joint(model, &slide);
        last = slide.body_b;
    }
    CHECK_OK(tn_model_status(model));
    return model;
}

// Upper plot of Fig. 3: the joint of body j leaves x and y free and has a spring and damper along
// x. q = (q_ix, q_iy, q_jx, q_jy).
static void upper_forces(const double *q, const double *v, double *tau)
{
    for (int i = X; i <= Y; i++)
        tau[i] = -d_i[i] * v[i] - c_i[i] * q[i];
    tau[2] = -d_jx * v[2] - c_jx * q[2];
    tau[3] = 0.0;
}

static void the_upper_configuration_has_equations_34_and_35(void)
{
    static bench b;
    const int along[] = {X, Y, X, Y};
    open_bench(&b, chain_of_slides(4, along, 0.0), 0.8);
    const double *q = b.q, *v = b.v;
    CHECK(b.nv == 4 && b.count == 2);
    upper_forces(q, v, b.tau);
    CHECK_OK(tn_tree_accelerate_massless(b.tree, b.tau, b.a, &b.count, b.out));
    // (34), one equation for each freedom of body i, in which no acceleration is left
    CHECK(b.out[X].v0 == 0 && b.out[Y].v0 == 1);
    CHECK_NEAR(b.out[X].gamma, -d_i[X] * v[0] - c_i[X] * q[0] + d_jx * v[2] + c_jx * q[2], PAPER);
    CHECK_NEAR(b.out[Y].gamma, -d_i[Y] * v[1] - c_i[Y] * q[1], PAPER);
    // (35)
    CHECK_NEAR(m_j * (b.a[2] + b.a[0]), -d_jx * v[2] - c_jx * q[2], PAPER);
    CHECK_NEAR(m_j * (b.a[3] + b.a[1]), 0.0, PAPER);
    close_bench(&b);
}

// Small masses in a row are each measured against the large one, also past slides across.
static void small_masses_in_a_row_do_not_count(void)
{
    static bench b;
    const int along[] = {X, Y, X, Y};
    open_bench(&b, chain_of_slides(4, along, 1e-7), 0.8);
    CHECK(b.count == 0);
    tn_tree_set_singular_tol(b.tree, 1e-5);
    CHECK_OK(tn_tree_factor_massless(b.tree, &b.count, b.out));
    CHECK(b.count == 2 && b.out[X].v0 == 0 && b.out[Y].v0 == 1);
    close_bench(&b);
}

// The velocities of body j are differential, those of body i follow from (34): one step of Newton's
// method along the motions N, which leave the absolute velocity of body j as it is.
static void motions_solve_the_algebraic_equations(void)
{
    static bench b;
    const int along[] = {X, Y, X, Y};
    open_bench(&b, chain_of_slides(4, along, 0.0), 0.8);
    double zeta[2], A[4], v[4];
    int pivot[2];
    upper_forces(b.q, b.v, b.tau);
    CHECK_OK(tn_tree_accelerate_massless(b.tree, b.tau, b.a, &b.count, b.out));
    for (int j = 0; j < 2; j++) {
        tn_copy(4, b.v, v);
        tn_axpy(4, 1.0, column(b.N, 4, j), v);
        zeta[j] = -b.out[j].gamma;
        upper_forces(b.q, v, b.tau);
        for (int i = 0; i < 2; i++) // gamma = N^T tau is linear in v
            A[i + 2 * j] = tn_dot(4, column(b.N, 4, i), b.tau) - b.out[i].gamma;
    }
    CHECK_NEAR(A[0], -d_i[X] - d_jx, 1e-13); // -N^T D N
    CHECK_NEAR(A[3], -d_i[Y], 1e-13);
    CHECK_OK(tn_lu_factor(2, A, pivot));
    tn_lu_solve(2, A, pivot, zeta);
    tn_copy(4, b.v, v);
    for (int j = 0; j < 2; j++)
        tn_axpy(4, zeta[j], column(b.N, 4, j), v);
    upper_forces(b.q, v, b.tau);
    tn_tree_move(b.tree, b.q, v);
    CHECK_OK(tn_tree_accelerate_massless(b.tree, b.tau, b.a, &b.count, b.out));
    CHECK_NEAR(b.out[X].gamma, 0.0, 1e-13);
    CHECK_NEAR(b.out[Y].gamma, 0.0, 1e-13);
    CHECK_NEAR(v[0] + v[2], b.v[0] + b.v[2], 1e-14);
    CHECK_NEAR(v[1] + v[3], b.v[1] + b.v[3], 1e-14);
    CHECK_NEAR(v[1], -c_i[Y] * b.q[1] / d_i[Y], 1e-13); // (34), second row
    close_bench(&b);
}

// Lower plot of Fig. 3: body j slides along y on body i. Once with forces in the joints, once as
// loads on the bodies at their places in the plane.
static void the_lower_configuration_has_equations_36(void)
{
    for (int loads = 0; loads < 2; loads++) {
        static bench b;
        const int along[] = {X, Y, Y};
        open_bench(&b, chain_of_slides(3, along, 0.0), 0.8);
        const double *q = b.q, *v = b.v;
        double force[2];
        CHECK(b.nv == 3 && b.count == 1 && b.out[0].v0 == 1);
        for (int i = X; i <= Y; i++)
            force[i] = -d_i[i] * v[i] - c_i[i] * q[i];
        if (loads)
            tn_tree_add_load(b.tree, 2, (tn_wrench){{force[X], force[Y], 0.0}, {0.0, 0.0, 0.0}});
        else
            tn_copy(2, force, b.tau);
        CHECK_OK(tn_tree_accelerate_massless(b.tree, b.tau, b.a, &b.count, b.out));
        // m_j p_ix'' = force along x, 0 = force along y, and m_j (q_jy'' + q_iy'') = 0
        CHECK_NEAR(m_j * b.a[0], force[X], PAPER);
        CHECK_NEAR(b.out[0].gamma, force[Y], PAPER);
        CHECK_NEAR(m_j * (b.a[2] + b.a[1]), 0.0, PAPER);
        // (36c): the joint puts -mu_jx = m_j p_jx'' on body j
        tn_tree_residual(b.tree, b.tau, b.a, b.r);
        CHECK_NEAR(tn_tree_reaction(b.tree, 3).f.x, m_j * b.a[0], PAPER);
        close_bench(&b);
    }
}

// [Arn13, eq. 6], the coupled oscillators of section 2.2 in relative coordinates.
static void the_light_oscillator_has_equation_6(void)
{
    static bench b;
    const int along[] = {X, X};
    open_bench(&b, chain_of_slides(2, along, 0.0), 0.8);
    const double *q = b.q, *v = b.v, F = 0.7;
    b.tau[0] = F - d_i[X] * v[0] - c_i[X] * q[0];
    b.tau[1] = -d_jx * v[1] - c_jx * q[1];
    CHECK_OK(tn_tree_accelerate_massless(b.tree, b.tau, b.a, &b.count, b.out));
    const double p[2] = {q[0], q[0] + q[1]}, u[2] = {v[0], v[0] + v[1]};
    CHECK(b.count == 1 && b.out[0].place == 1);
    CHECK_NEAR(b.out[0].gamma,
               F - d_i[X] * u[0] - c_i[X] * p[0] + d_jx * (u[1] - u[0]) + c_jx * (p[1] - p[0]),
               PAPER);
    close_bench(&b);
}

// Runs --------------------------------------------------------------------------------------------

// A massless disc turns about a fixed axis, held by a spring and a damper; an arm turns freely
// about a point of this axis and has a damper against the disc. Once the arm stands on the disc,
// and q is the angle of the disc and the turn of the arm against it; once it stands on the ground,
// with the disc apart: its rate follows from the balance of its moments. N = (1, -R^T z) varies.
enum { NQ = 5, NV = 4 };

static const double c_disc = 4.0, d_disc = 0.7, d_arm = 0.5;

typedef enum road { ON_DISC, APART, WITHOUT_ZETA, ROADS } road;

static tn_tree *turntable(road kind)
{
    tn_tree *tree;
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(3.0, -5.0, 1.0));
    const tn_body disc = kind == APART ? TN_GROUND : add_link(model, TN_BODY_RIGID, 0.0, none);
    tn_body_def def = tn_default_body();
    def.mass = 1.2;
    def.com = tn_v3(0.4, 0.1, 0.2);
    def.inertia = tn_v3(0.05, 0.08, 0.1);
    const tn_body arm = tn_model_add_body(model, &def);
    if (kind != APART)
        join(model, TN_JOINT_REVOLUTE, TN_GROUND, disc, tn_m3_identity);
    join(model, TN_JOINT_SPHERICAL, disc, arm, tn_m3_identity);
    CHECK_OK(tn_tree_create(model, &tree));
    return tree;
}

static double forces_on_disc(tn_tree *tree, const double *q, const double *v, double *a, double *N)
{
    tn_tree_massless out[NV];
    const double tau[NV] = {-c_disc * q[0] - d_disc * v[0], -d_arm * v[1], -d_arm * v[2],
                            -d_arm * v[3]};
    int count;
    tn_tree_move(tree, q, v);
    CHECK_OK(tn_tree_accelerate_massless(tree, tau, a, &count, out));
    CHECK(count == 1 && out[0].place == 1);
    tn_tree_massless_sum(tree, (double[]){1.0}, N);
    return out[0].gamma;
}

// Completes v along N so that gamma = 0, and v' so that gamma' = 0, by differences along the
// motion.
static void rate_on_disc(tn_tree *tree, bool zeta, const double *q, double *v, double *a)
{
    const double step = 1e-5;
    double N[NV], x[NV], b[NV], q1[NQ], v1[NV], change = 0.0;
    double gamma = forces_on_disc(tree, q, v, a, N);
    const double slope = -d_disc * N[0] * N[0] - d_arm * tn_dot(3, N + 1, N + 1);
    tn_axpy(NV, -gamma / slope, N, v);
    gamma = forces_on_disc(tree, q, v, a, N);
    CHECK_NEAR(gamma, 0.0, 1e-12);
    for (int side = -1; side <= 1 && zeta; side += 2) {
        tn_copy(NV, v, x);
        tn_copy(NV, v, v1);
        tn_scale(NV, side * step, x);
        tn_axpy(NV, side * step, a, v1);
        tn_group_retract(tree->ngroup, tree->groups, q, x, q1);
        change += side * forces_on_disc(tree, q1, v1, b, x) / (2.0 * step);
    }
    tn_axpy(NV, -change / slope, N, a);
}

static void rate_apart(tn_tree *tree, const double *q, double *v, double *a)
{
    const tn_mat3 R = tn_quat_matrix(tn_quat_from(q + 1));
    const tn_vec3 z = tn_m3_apply_t(R, tn_v3(0, 0, 1)), w = tn_v3(v[1], v[2], v[3]);
    double tau[3];
    v[0] = (d_arm * tn_v3_dot(z, w) - c_disc * q[0]) / (d_disc + d_arm);
    tn_v3_to(tn_v3_scale(-d_arm, tn_v3_axpy(-v[0], z, w)), tau);
    a[0] = 0.0;
    tn_tree_move(tree, q + 1, v + 1);
    CHECK_OK(tn_tree_accelerate(tree, tau, a + 1, NULL));
}

// q' and v' at q, v; v is completed.
static void rates(road kind, tn_tree *tree, double *q, double *v, double *qdot, double *vdot)
{
    tn_quat_to(tn_quat_normalize(tn_quat_from(q + 1)), q + 1);
    if (kind == APART)
        rate_apart(tree, q, v, vdot);
    else
        rate_on_disc(tree, kind == ON_DISC, q, v, vdot);
    const tn_quat e = tn_quat_mul(tn_quat_from(q + 1), (tn_quat){0.0, v[1], v[2], v[3]});
    qdot[0] = v[0];
    tn_quat_to((tn_quat){0.5 * e.w, 0.5 * e.x, 0.5 * e.y, 0.5 * e.z}, qdot + 1);
}

// The classical Runge-Kutta method; the next step starts from the completed velocity.
static void run(road kind, double *q, double *v)
{
    enum { STEPS = 400 };
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weights[4] = {1, 2, 2, 1};
    const double h = 1.0 / STEPS;
    tn_tree *tree = turntable(kind);
    tn_model *model = (tn_model *)tree->model;
    for (int step = 0; step <= STEPS; step++) {
        double dq[NQ] = {0}, dv[NV] = {0}, qdot[NQ] = {0}, vdot[NV] = {0};
        for (int stage = 0; stage < 4; stage++) {
            double q1[NQ], v1[NV];
            tn_copy(NQ, q, q1);
            tn_copy(NV, v, v1);
            tn_axpy(NQ, node[stage] * h, qdot, q1);
            tn_axpy(NV, node[stage] * h, vdot, v1);
            rates(kind, tree, q1, v1, qdot, vdot);
            tn_axpy(NQ, weights[stage] * h / 6.0, qdot, dq);
            tn_axpy(NV, weights[stage] * h / 6.0, vdot, dv);
            if (stage == 0)
                tn_copy(NV, v1, v);
        }
        if (step == STEPS) // completed at the end
            break;
        tn_axpy(NQ, 1.0, dq, q);
        tn_axpy(NV, 1.0, dv, v);
    }
    tn_tree_destroy(tree);
    tn_model_destroy(model);
}

static void completed_velocities_give_the_motion(void)
{
    const tn_vec3 z = {0, 0, 1};
    const tn_quat turn = tn_quat_normalize((tn_quat){1.0, 0.4, -0.3, 0.2});
    double q[ROADS][NQ] = {{0}}, v[ROADS][NV] = {{0}};
    tn_mat3 R[ROADS];
    for (int k = 0; k < ROADS; k++) { // the disc starts at angle zero
        tn_quat_to(turn, q[k] + 1);
        tn_v3_to(tn_v3(1.0, -2.0, 1.5), v[k] + 1);
        run((road)k, q[k], v[k]);
        const tn_mat3 own = tn_quat_matrix(tn_quat_normalize(tn_quat_from(q[k] + 1)));
        R[k] = k == APART ? own : tn_m3_mul(tn_m3_rot_z(q[k][0]), own);
    }
    const double tol = 1e-8; // h^4, and differences of gamma
    const tn_vec3 w = tn_v3_axpy(v[0][0], tn_m3_apply_t(R[0], z), tn_v3(v[0][1], v[0][2], v[0][3]));
    CHECK_NEAR(q[ON_DISC][0], q[APART][0], tol);
    CHECK_NEAR(v[ON_DISC][0], v[APART][0], tol);
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(w, tn_v3(v[1][1], v[1][2], v[1][3]))), 0.0, tol);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(R[ON_DISC].m[i / 3][i % 3], R[APART].m[i / 3][i % 3], tol);
    CHECK(fabs(q[APART][0]) > 0.1); // it moved
    // with zeta' = 0 in each stage the method is of first order, as N varies
    CHECK(fabs(q[WITHOUT_ZETA][0] - q[APART][0]) > 1e-6);
}

static const tn_test tests[] = {
    {"motions span the null space of the mass matrix",
     motions_span_the_null_space_of_the_mass_matrix},
    {"directions belong to their joints", directions_belong_to_their_joints},
    {"solutions leave gamma and nothing else", solutions_leave_gamma_and_nothing_else},
    {"gamma is the force along the motions", gamma_is_the_force_along_the_motions},
    {"motions add up", motions_add_up},
    {"tangents of gamma are those of dampers", tangents_of_gamma_are_those_of_dampers},
    {"regular trees have their accelerations", regular_trees_have_their_accelerations},
    {"equal axes turn against each other", equal_axes_turn_against_each_other},
    {"several massless bodies in a row move alone", several_massless_bodies_in_a_row_move_alone},
    {"a free rod spins about itself", a_free_rod_spins_about_itself},
    {"directions may mix freedoms", directions_may_mix_freedoms},
    {"a massless leaf keeps its freedoms", a_massless_leaf_keeps_its_freedoms},
    {"a massless cross is a universal joint", a_massless_cross_is_a_universal_joint},
    {"small inertia is left out by the tolerance", small_inertia_is_left_out_by_the_tolerance},
    {"round-off of eliminated masses is not inertia",
     round_off_of_eliminated_masses_is_not_inertia},
    {"long chains are regular", long_chains_are_regular},
    {"numbers that are not finite are refused", numbers_that_are_not_finite_are_refused},
    {"evaluations repeat and allocate nothing", evaluations_repeat_and_allocate_nothing},
    {"the upper configuration has equations 34 and 35",
     the_upper_configuration_has_equations_34_and_35},
    {"small masses in a row do not count", small_masses_in_a_row_do_not_count},
    {"motions solve the algebraic equations", motions_solve_the_algebraic_equations},
    {"the lower configuration has equations 36", the_lower_configuration_has_equations_36},
    {"the light oscillator has equation 6", the_light_oscillator_has_equation_6},
    {"completed velocities give the motion", completed_velocities_give_the_motion},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
