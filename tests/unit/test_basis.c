// SPDX-License-Identifier: MIT
//
// Null spaces of the constraints, by every way to find one: they satisfy the rows, have the right
// dimension, span the same space, give the same accelerations and multipliers as the linear system
// of the acceleration level, and are smooth where they are asked to be; in singular positions, with
// rows that repeat each other, and off the constraints.

#include "cross/random_mechanism.h"
#include "motion/basis_parts.h"
#include "probe.h"
#include "start/start.h"
#include "system/callbacks.h"
#include "text/options.h"

enum { SEEDS = 40, KINDS = 6 };

static const char *const kinds[KINDS] = {"qr",     "lu", "svd", "gram-schmidt", "zero-eigenvalue",
                                         "natural"};

// Linear systems with entries of size ten and condition numbers of up to 1e4, round-off 1e-16.
static const double SOLVED = 1e-9;
// Sums of some ten products of size ten.
static const double ROUND_OFF = 1e-12;
// Differences of fourth order with PROBE_STEP, and the condition of the constraints.
static const double DIFFERENCE = 1e-7;

// A mechanism on its constraints; some that float have the frame of their first body driven.
typedef struct scene {
    tn_model *model;
    tn_start start;
    tn_system *sys;
    tn_point at;
    int rows, rank;
    int *all;                                         // rows: every row takes part
    double *block;                                    // of what follows
    double *c, *y, *other_y, *gamma;                  // rows each
    double *x, *v, *r, *other_x, *moved, *difference; // nv each
    double *q;                                        // nq
    double *P, *other_P;                              // nv nv each
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
    s.sys = s.start.sys;
    s.at = tn_state_point(&s.start.x);
    s.rows = s.sys->ng + s.sys->nn;
    s.rank = s.start.redundancy.rank;
    const size_t nv = (size_t)s.sys->nv, rows = (size_t)s.rows;
    s.all = calloc(rows + 1, sizeof(int));
    s.block = calloc(4 * rows + 6 * nv + (size_t)s.sys->nq + 2 * nv * nv + 1, sizeof(double));
    CHECK(s.all != NULL && s.block != NULL);
    double **const by_row[] = {&s.c, &s.y, &s.other_y, &s.gamma};
    double **const by_v[] = {&s.x, &s.v, &s.r, &s.other_x, &s.moved, &s.difference};
    double *next = s.block;
    for (int k = 0; k < TN_COUNT(by_row); k++, next += rows)
        *by_row[k] = next;
    for (int k = 0; k < TN_COUNT(by_v); k++, next += nv)
        *by_v[k] = next;
    s.P = next;
    s.other_P = s.P + nv * nv;
    s.q = s.other_P + nv * nv;
    for (int i = 0; i < s.rows; i++)
        s.all[i] = 1;
    return s;
}

static void close_scene(scene *s)
{
    tn_start_clear(&s->start);
    tn_model_destroy(s->model);
    free(s->block);
    free(s->all);
}

static tn_basis *open_basis(scene *s, const char *kind)
{
    tn_basis *b = NULL;
    CHECK_OK(tn_basis_create(s->sys, kind, &b));
    CHECK_TEXT(b->ops->name, kind);
    return b;
}

static const double *column(const double *A, int rows, int j)
{
    return A + (size_t)j * (size_t)rows;
}

// y = C x, r = C^T y
static void rows_of_velocity(const tn_system *sys, const double *x, double *y)
{
    tn_zero(sys->ng + sys->nn, y);
    if (sys->ng > 0)
        tn_sparse_mul(sys->block[TN_BLOCK_B], 1.0, x, y);
    if (sys->nn > 0)
        tn_sparse_mul(sys->block[TN_BLOCK_N], 1.0, x, y + sys->ng);
}

static void force_of_rows(const tn_system *sys, const double *y, double *r)
{
    tn_zero(sys->nv, r);
    if (sys->ng > 0)
        tn_sparse_mul_t(sys->block[TN_BLOCK_B], 1.0, y, r);
    if (sys->nn > 0)
        tn_sparse_mul_t(sys->block[TN_BLOCK_N], 1.0, y + sys->ng, r);
}

static double distance(int n, const double *x, const double *y)
{
    double d = 0.0;
    for (int i = 0; i < n; i++)
        d = fmax(d, fabs(x[i] - y[i]));
    return d;
}

// The projector onto the span of the vectors, by Gram-Schmidt in two passes; the smallest part that
// one of them has across those before.
static double projector(const scene *s, const tn_basis *b, double *P)
{
    const int nv = s->sys->nv, nf = b->nf;
    double *Q = calloc((size_t)(nv * nf) + 1, sizeof(double)), least = 1.0;
    CHECK(Q != NULL);
    tn_zero(nv * nv, P);
    for (int k = 0; k < nf; k++) {
        double *w = Q + (size_t)k * (size_t)nv;
        tn_copy(nv, column(b->vectors, nv, k), w);
        const double size = tn_norm2(nv, w);
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k; j++)
                tn_axpy(nv, -tn_dot(nv, column(Q, nv, j), w), column(Q, nv, j), w);
        least = fmin(least, tn_norm2(nv, w) / size);
        tn_scale(nv, 1.0 / tn_norm2(nv, w), w);
        for (int j = 0; j < nv; j++)
            tn_axpy(nv, w[j], w, P + (size_t)j * (size_t)nv);
    }
    free(Q);
    return least;
}

static void check_vectors(scene *s, const tn_basis *b, double tol)
{
    const int nv = s->sys->nv;
    for (int k = 0; k < b->nf; k++) {
        const double *gamma = column(b->vectors, nv, k);
        rows_of_velocity(s->sys, gamma, s->c);
        CHECK_NEAR(tn_norm_inf(s->rows, s->c) / tn_norm2(nv, gamma), 0.0, tol);
    }
}

static void all_ways_span_the_kernel(void)
{
    int redundant = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        scene s = open_scene(seed);
        redundant += s.rank < s.rows;
        CHECK_OK(tn_system_eval(s.sys, &s.at, TN_EVAL_B));
        for (int k = 0; k < KINDS; k++) {
            tn_basis *b = open_basis(&s, kinds[k]);
            CHECK_OK(tn_basis_form(b, &s.at));
            CHECK(b->rank == s.rank);
            CHECK(b->nf == s.sys->nv - s.rank);
            check_vectors(&s, b, 10.0 * ROUND_OFF);
            CHECK(projector(&s, b, k ? s.other_P : s.P) > 1e-3);
            if (k > 0)
                CHECK_NEAR(distance(s.sys->nv * s.sys->nv, s.P, s.other_P), 0.0, SOLVED);
            tn_basis_destroy(b);
        }
        close_scene(&s);
    }
    CHECK(redundant > 5); // the random mechanisms do repeat rows
}

// Right sides that have a solution; the solution of minimum norm is one for all ways.
static void right_sides_are_met(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        scene s = open_scene(seed);
        const int nv = s.sys->nv;
        CHECK_OK(tn_system_eval(s.sys, &s.at, TN_EVAL_B));
        random_fill(nv, s.v);
        random_fill(s.rows, s.y);
        rows_of_velocity(s.sys, s.v, s.gamma);
        force_of_rows(s.sys, s.y, s.r);
        for (int k = 0; k < KINDS; k++) {
            tn_basis *b = open_basis(&s, kinds[k]);
            CHECK_OK(tn_basis_form(b, &s.at));
            tn_basis_particular(b, s.gamma, s.x);
            rows_of_velocity(s.sys, s.x, s.c);
            CHECK_NEAR(distance(s.rows, s.c, s.gamma), 0.0, SOLVED);
            tn_basis_multipliers(b, s.r, k ? s.other_y : s.y);
            force_of_rows(s.sys, k ? s.other_y : s.y, s.x);
            CHECK_NEAR(distance(nv, s.x, s.r), 0.0, SOLVED);
            if (k > 0)
                CHECK_NEAR(distance(s.rows, s.y, s.other_y), 0.0, SOLVED);
            tn_basis_destroy(b);
        }
        close_scene(&s);
    }
}

// With the independent rows, against the linear system of the acceleration level.
static void accelerations_are_those_of_the_linear_system(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        scene s = open_scene(seed);
        tn_system *sys = s.sys;
        const tn_state *x = &s.start.x;
        const double size = 1.0 + tn_norm_inf(sys->ng, x->lambda);
        CHECK_OK(
            tn_system_eval(sys, &s.at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_GAMMA));
        for (int i = 0; i < sys->ng; i++)
            s.c[i] = -sys->gamma[i];
        for (int k = 0; k < KINDS; k++) {
            tn_basis *b = open_basis(&s, kinds[k]);
            tn_basis_set_active(b, s.start.redundancy.active);
            CHECK_OK(tn_basis_form(b, &s.at));
            CHECK_OK(tn_basis_factor(b));
            tn_basis_solve(b, sys->f, s.c, s.x, s.y);
            CHECK_NEAR(distance(sys->nv, s.x, x->a) / size, 0.0, SOLVED);
            CHECK_NEAR(distance(sys->ng, s.y, x->lambda) / size, 0.0, SOLVED);
            tn_basis_destroy(b);
        }
        close_scene(&s);
    }
}

// v(e) = Gamma u + x_p with constant u along the motion q o exp(e v + e^2 a / 2): its rate is the
// particular solution of C x = -gamma with E x = 0. A drift of the point off the constraints is
// e^3.
static void velocity_along(scene *s, tn_basis *b, const double *u, double e, double *v)
{
    tn_system *sys = s->sys;
    tn_point at = s->at;
    for (int i = 0; i < sys->nv; i++)
        s->moved[i] = e * (s->at.v[i] + 0.5 * e * s->at.a[i]);
    tn_group_retract(sys->ngroup, sys->groups, s->at.q, s->moved, s->q);
    tn_zero(sys->nv, s->moved);
    at.q = s->q;
    at.v = s->moved;
    at.t += e;
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_B | TN_EVAL_GDOT));
    CHECK_OK(tn_basis_follow(b, &at));
    for (int i = 0; i < sys->ng; i++)
        s->c[i] = -sys->gdot[i];
    tn_basis_particular(b, s->c, v);
    tn_basis_add(b, u, v);
}

static void check_rates(scene *s, const char *kind)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    tn_system *sys = s->sys;
    const int nv = sys->nv;
    bool changed = false;
    tn_basis *b = open_basis(s, kind);
    tn_basis_set_active(b, s->start.redundancy.active);
    CHECK_OK(tn_system_eval(sys, &s->at, TN_EVAL_B | TN_EVAL_GAMMA));
    CHECK_OK(tn_basis_begin(b, &s->at, &changed));
    CHECK(changed);
    CHECK_OK(tn_basis_begin(b, &s->at, &changed));
    CHECK(!changed);
    CHECK_NEAR(tn_basis_growth(b), 1.0, ROUND_OFF);
    const int nf = b->nf;
    double *u = calloc((size_t)nf + 1, sizeof(double));
    CHECK(u != NULL);
    tn_basis_characteristics(b, s->at.v, u);
    for (int i = 0; i < sys->ng; i++)
        s->gamma[i] = -sys->gamma[i];
    tn_basis_particular(b, s->gamma, s->x);
    velocity_along(s, b, u, 0.0, s->v);
    CHECK_NEAR(distance(nv, s->v, s->at.v), 0.0, SOLVED);
    tn_zero(nv, s->difference);
    for (int k = 0; k < 4; k++) {
        velocity_along(s, b, u, at_step[k] * PROBE_STEP, s->v);
        tn_axpy(nv, weight[k] / (12.0 * PROBE_STEP), s->v, s->difference);
        for (int j = 0; j < nf; j++) // E Gamma = 1
            for (int i = 0; i < nf; i++)
                CHECK_NEAR(tn_dot(nv, column(b->Et, nv, i), column(b->vectors, nv, j)), i == j,
                           10.0 * ROUND_OFF);
    }
    const double size = 1.0 + tn_norm_inf(nv, s->x);
    CHECK_NEAR(distance(nv, s->difference, s->x) / size, 0.0, DIFFERENCE);
    free(u);
    tn_basis_destroy(b);
}

static void followed_vectors_are_smooth(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        scene s = open_scene(seed);
        for (int k = 0; k < KINDS; k++)
            check_rates(&s, kinds[k]);
        close_scene(&s);
    }
}

// Rows that repeat each other do so no longer, and the joints are open: the twists of the joints
// have to be corrected.
static void vectors_are_right_off_the_constraints(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        scene s = open_scene(seed);
        tn_point at = s.at;
        random_fill(s.sys->nv, s.moved);
        tn_scale(s.sys->nv, 1e-3, s.moved);
        tn_group_retract(s.sys->ngroup, s.sys->groups, at.q, s.moved, s.q);
        at.q = s.q;
        CHECK_OK(tn_system_eval(s.sys, &at, TN_EVAL_B));
        for (int k = 0; k < KINDS; k++) {
            tn_basis *b = open_basis(&s, kinds[k]);
            tn_basis_set_active(b, s.start.redundancy.active);
            CHECK_OK(tn_basis_form(b, &at));
            for (int j = 0; j < b->nf; j++) {
                const double *gamma = column(b->vectors, s.sys->nv, j);
                rows_of_velocity(s.sys, gamma, s.c);
                for (int i = 0; i < s.rows; i++)
                    if (s.start.redundancy.active[i])
                        CHECK_NEAR(s.c[i] / tn_norm2(s.sys->nv, gamma), 0.0, 10.0 * ROUND_OFF);
            }
            tn_basis_destroy(b);
        }
        close_scene(&s);
    }
}

// The tree of joints: every body once, its rows and freedoms are as many as its velocities, and its
// parent comes before it. Rows that do not take part keep their joint out.
static void bodies_stand_on_a_tree_of_joints(void)
{
    int carried = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        scene s = open_scene(seed);
        tn_tree_edge *edges = calloc((size_t)s.sys->ngroup, sizeof *edges);
        CHECK(edges != NULL);
        for (int some = 0; some < 2; some++) {
            const int *active = some ? s.start.redundancy.active : s.all;
            const int n = s.sys->ops->tree->plan(s.sys, active, edges);
            int column = 0;
            CHECK(n == s.sys->ngroup);
            for (int k = 0; k < n; k++) {
                CHECK(edges[k].parent < k);
                CHECK(edges[k].nrow + edges[k].ncol == edges[k].nv);
                CHECK(edges[k].col0 == column);
                column += edges[k].ncol;
                carried += edges[k].joint >= 0;
                for (int i = 0; i < edges[k].nrow; i++)
                    CHECK(active[edges[k].row0 + i]);
            }
        }
        free(edges);
        close_scene(&s);
    }
    CHECK(carried > 3 * SEEDS);
}

// User functions ----------------------------------------------------------------------------------

static int unit_mass(void *user, const tn_arguments *x, double *M)
{
    const int n = *(const int *)user;
    (void)x;
    for (int i = 0; i < n * n; i++)
        M[i] = i % (n + 1) == 0;
    return 0;
}

static int no_force(void *user, const tn_arguments *x, double *f)
{
    (void)x;
    for (int i = 0; i < *(const int *)user; i++)
        f[i] = 0.0;
    return 0;
}

// y = 0 and y + x z = 0: on the branch z = 0 only x moves, and at x = 0 the rows are equal.
static int crossing_constraint(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    g[0] = x->q[1];
    g[1] = x->q[1] + x->q[0] * x->q[2];
    return 0;
}

static int crossing_jacobian(void *user, const tn_arguments *x, double *G)
{
    (void)user;
    const double columns[6] = {0.0, x->q[2], 1.0, 1.0, 0.0, x->q[0]};
    memcpy(G, columns, sizeof columns);
    return 0;
}

static tn_system *open_crossing(int *n)
{
    const tn_callbacks functions = {.user = n,
                                    .nq = *n = 3,
                                    .ng = 2,
                                    .mass = unit_mass,
                                    .force = no_force,
                                    .constraint = crossing_constraint,
                                    .jacobian = crossing_jacobian};
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&functions, &sys));
    return sys;
}

static tn_point crossing_at(tn_system *sys, double x, double q[3])
{
    static const double rest[3] = {0};
    q[0] = x;
    q[1] = q[2] = 0.0;
    const tn_point at = {.t = x, .q = q, .v = rest};
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_B));
    return at;
}

static void check_crossing(const tn_basis *b)
{
    const double *gamma = b->vectors;
    CHECK(b->nf == 1);
    CHECK_NEAR(fabs(gamma[0]), 1.0, ROUND_OFF);
    CHECK_NEAR(gamma[1], 0.0, ROUND_OFF);
    CHECK_NEAR(gamma[2], 0.0, ROUND_OFF);
}

// The motion goes on as it came, through the position where another one branches off.
static void singular_positions_are_passed(void)
{
    int n;
    double q[3];
    tn_system *sys = open_crossing(&n);
    for (int k = 0; k < KINDS - 1; k++) {
        tn_basis *b = NULL;
        bool changed;
        CHECK_OK(tn_basis_create(sys, kinds[k], &b));
        tn_point at = crossing_at(sys, -0.1, q);
        CHECK_OK(tn_basis_begin(b, &at, &changed));
        check_crossing(b);
        at = crossing_at(sys, 0.0, q);
        CHECK_OK(tn_basis_follow(b, &at));
        CHECK(b->rank == 1);
        check_crossing(b);
        CHECK_OK(tn_basis_begin(b, &at, &changed));
        CHECK(!changed);
        check_crossing(b);
        at = crossing_at(sys, 0.1, q);
        CHECK_OK(tn_basis_follow(b, &at));
        CHECK(b->rank == 2);
        check_crossing(b);

        tn_basis_set_active(b, (const int[]){1, 1}); // forgets where it came from
        at = crossing_at(sys, 0.0, q);
        CHECK_OK(tn_basis_begin(b, &at, &changed));
        CHECK(b->nf == 2);
        at = crossing_at(sys, 0.1, q);
        CHECK_STATUS(tn_basis_follow(b, &at), TN_RETRY_SINGULAR);
        CHECK_TEXT(tn_last_error(),
                   "the constraints have rank 2 at t = 0.1 s, and had 1 where the step began: it "
                   "began in a singular position, where motions branch");
        CHECK_OK(tn_basis_begin(b, &at, &changed)); // now the rank is seen
        CHECK(changed);
        check_crossing(b);
        tn_basis_destroy(b);
    }
    tn_system_destroy(sys);
}

static int circle_constraint(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    g[0] = 0.5 * (x->q[0] * x->q[0] + x->q[1] * x->q[1] - 1.0);
    return 0;
}

static tn_point on_circle(tn_system *sys, double angle, double q[2])
{
    static const double rest[2] = {0};
    q[0] = cos(angle);
    q[1] = sin(angle);
    const tn_point at = {.t = angle, .q = q, .v = rest};
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_B));
    return at;
}

// E is kept up to a turn of 60 degrees, and cannot be followed to 90.
static void references_are_kept_as_long_as_they_are_good(void)
{
    int n = 2;
    double q[2];
    const tn_callbacks functions = {.user = &n,
                                    .nq = 2,
                                    .ng = 1,
                                    .mass = unit_mass,
                                    .force = no_force,
                                    .constraint = circle_constraint};
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&functions, &sys));
    for (int k = 0; k < KINDS - 1; k++) {
        tn_basis *b = NULL;
        bool changed;
        CHECK_OK(tn_basis_create(sys, kinds[k], &b));
        tn_point at = on_circle(sys, 0.0, q);
        CHECK_OK(tn_basis_begin(b, &at, &changed));
        for (int degrees = 0; degrees < 89; degrees++) {
            at = on_circle(sys, degrees * 3.14159265358979 / 180.0, q);
            CHECK_OK(tn_basis_follow(b, &at));
            CHECK_NEAR(tn_basis_growth(b), 1.0 / cos(at.t), SOLVED / cos(at.t));
            if (degrees == 59 || degrees == 0) {
                CHECK_OK(tn_basis_begin(b, &at, &changed));
                CHECK(!changed);
            }
        }
        at = on_circle(sys, 89.9 * 3.14159265358979 / 180.0, q);
        CHECK_STATUS(tn_basis_follow(b, &at), TN_RETRY_SINGULAR);
        at = on_circle(sys, 61.0 * 3.14159265358979 / 180.0, q);
        CHECK_OK(tn_basis_begin(b, &at, &changed));
        CHECK(changed);
        CHECK_NEAR(tn_basis_growth(b), 1.0, ROUND_OFF);
        tn_basis_destroy(b);
    }
    tn_system_destroy(sys);
}

static void names_are_checked(void)
{
    int n;
    tn_basis *b = NULL;
    tn_system *sys = open_crossing(&n);
    CHECK_STATUS(tn_basis_create(sys, "cholesky", &b), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "null space 'cholesky' is not known; take auto, lu, qr, svd, "
                                "gram-schmidt, natural or zero-eigenvalue");
    for (int k = 0; tn_basis_names[k]; k++)
        if (strcmp(tn_basis_names[k], "natural")) {
            CHECK_OK(tn_basis_create(sys, tn_basis_names[k], &b));
            CHECK(k == 0 || !strcmp(b->ops->name, tn_basis_names[k]));
            tn_basis_destroy(b);
        }
    tn_system_destroy(sys);
}

static int no_constraint(void *user, const tn_arguments *x, double *g)
{
    (void)user, (void)x, (void)g;
    return 0;
}

// Nothing is constrained, or nothing is free.
static void ends_of_the_range_are_no_exception(void)
{
    int n = 2;
    const tn_callbacks functions = {
        .user = &n, .nq = 2, .mass = unit_mass, .force = no_force, .constraint = no_constraint};
    const double q[2] = {0}, force[2] = {3.0, -2.0};
    const tn_point at = {.q = q, .v = q};
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&functions, &sys));
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_MASS | TN_EVAL_B));
    for (int k = 0; k < KINDS - 1; k++) {
        tn_basis *b = NULL;
        bool changed;
        double a[2];
        CHECK_OK(tn_basis_create(sys, kinds[k], &b));
        CHECK_OK(tn_basis_begin(b, &at, &changed));
        CHECK(b->nf == 2);
        CHECK_OK(tn_basis_factor(b));
        tn_basis_solve(b, force, NULL, a, NULL);
        CHECK_NEAR(distance(2, a, force), 0.0, ROUND_OFF);
        tn_basis_destroy(b);
    }
    tn_system_destroy(sys);

    tn_model *model = tn_model_create();
    tn_joint_def weld = tn_default_joint(TN_JOINT_FIXED);
    const tn_body_def body = tn_default_body();
    weld.body_b = tn_model_add_body(model, &body);
    tn_model_add_joint(model, &weld);
    tn_model_add_joint(model, &weld);
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &sys));
    probe p = probe_open(sys);
    tn_absolute_start(sys, p.q, p.v, p.r);
    const tn_point start = probe_point(&p);
    CHECK_OK(tn_system_eval(sys, &start, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B));
    for (int k = 0; k < KINDS; k++) {
        tn_basis *b = NULL;
        bool changed;
        double zero[12] = {0}, y[12];
        const double weight[6] = {0.0, 0.0, -9.81, 0.0, 0.0, 0.0};
        CHECK_OK(tn_basis_create(sys, kinds[k], &b));
        CHECK_OK(tn_basis_begin(b, &start, &changed));
        CHECK_OK(tn_basis_follow(b, &start));
        CHECK(b->nf == 0 && b->rank == 6);
        CHECK_OK(tn_basis_factor(b));
        tn_basis_solve(b, weight, zero, p.a, y);
        CHECK_NEAR(tn_norm_inf(6, p.a), 0.0, ROUND_OFF);
        for (int i = 0; i < 6; i++) { // equal rows share what they carry
            CHECK_NEAR(y[i], 0.5 * weight[i], 10.0 * ROUND_OFF);
            CHECK_NEAR(y[6 + i], 0.5 * weight[i], 10.0 * ROUND_OFF);
        }
        tn_basis_destroy(b);
    }
    probe_close(&p);
    tn_model_destroy(model);
}

static int massless(void *user, const tn_arguments *x, double *M)
{
    (void)user, (void)x;
    const double columns[4] = {1.0, 0.0, 0.0, 0.0};
    memcpy(M, columns, sizeof columns);
    return 0;
}

static int second_is(void *user, const tn_arguments *x, double *g)
{
    g[0] = x->q[*(const int *)user];
    return 0;
}

// Mass is needed on the null space only.
static void masses_may_vanish_across_the_constraints(void)
{
    const double q[2] = {0}, force[2] = {3.0, -2.0}, zero[1] = {0};
    for (int fixed = 0; fixed < 2; fixed++) {
        const tn_callbacks functions = {.user = &fixed,
                                        .nq = 2,
                                        .ng = 1,
                                        .mass = massless,
                                        .force = no_force,
                                        .constraint = second_is};
        const tn_point at = {.q = q, .v = q};
        tn_system *sys = NULL;
        CHECK_OK(tn_callbacks_create(&functions, &sys));
        CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_MASS | TN_EVAL_B));
        for (int k = 0; k < KINDS - 1; k++) {
            tn_basis *b = NULL;
            double a[2], y[1];
            CHECK_OK(tn_basis_create(sys, kinds[k], &b));
            CHECK_OK(tn_basis_form(b, &at));
            if (fixed == 1) {
                CHECK_OK(tn_basis_factor(b));
                tn_basis_solve(b, force, zero, a, y);
                CHECK_NEAR(a[0], 3.0, 10.0 * ROUND_OFF);
                CHECK_NEAR(a[1], 0.0, 10.0 * ROUND_OFF);
                CHECK_NEAR(y[0], -2.0, 10.0 * ROUND_OFF);
            } else
                CHECK_STATUS(tn_basis_factor(b), TN_RETRY_SINGULAR);
            tn_basis_destroy(b);
        }
        tn_system_destroy(sys);
    }
}

static void nothing_allocates_after_creation(void)
{
    scene s = open_scene(6);
    for (int k = 0; k < KINDS; k++) {
        tn_basis *b = open_basis(&s, kinds[k]);
        bool changed;
        const long before = tn_test_alloc_count();
        tn_basis_set_active(b, s.start.redundancy.active);
        CHECK_OK(tn_system_eval(s.sys, &s.at, TN_EVAL_MASS | TN_EVAL_B));
        CHECK_OK(tn_basis_form(b, &s.at));
        CHECK_OK(tn_basis_begin(b, &s.at, &changed));
        CHECK_OK(tn_basis_follow(b, &s.at));
        CHECK_OK(tn_basis_factor(b));
        tn_basis_solve(b, s.r, s.c, s.x, s.y);
        tn_basis_orthonormal(b, s.P);
        CHECK(tn_test_alloc_count() == before);
        tn_basis_destroy(b);
    }
    const long live = tn_test_alloc_live();
    for (long n = 1;; n++) {
        tn_basis *b = NULL;
        tn_test_alloc_fail_at(n);
        const tn_status status = tn_basis_create(s.sys, "natural", &b);
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        tn_basis_destroy(b);
        if (!failed)
            break;
        CHECK_STATUS(status, TN_ERR_MEMORY);
    }
    CHECK(tn_test_alloc_live() == live);
    close_scene(&s);
}

static const tn_test tests[] = {
    {"all ways span the kernel", all_ways_span_the_kernel},
    {"right sides are met", right_sides_are_met},
    {"accelerations are those of the linear system", accelerations_are_those_of_the_linear_system},
    {"followed vectors are smooth", followed_vectors_are_smooth},
    {"vectors are right off the constraints", vectors_are_right_off_the_constraints},
    {"bodies stand on a tree of joints", bodies_stand_on_a_tree_of_joints},
    {"singular positions are passed", singular_positions_are_passed},
    {"references are kept as long as they are good", references_are_kept_as_long_as_they_are_good},
    {"names are checked", names_are_checked},
    {"ends of the range are no exception", ends_of_the_range_are_no_exception},
    {"masses may vanish across the constraints", masses_may_vanish_across_the_constraints},
    {"nothing allocates after creation", nothing_allocates_after_creation},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
