// SPDX-License-Identifier: MIT
//
// The linearised recursion and the topological solver, over random mechanisms with every joint
// kind, planar and spatial, fixed and floating, with point masses, loads and tangents of elements:
// products against differences of the residual and dense derivatives, solutions against products.

#include "test.h"

#include "../cross/random_mechanism.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "tree/tree.h"
#include "tree/tree_linear.h"

enum { SEEDS = 240 };

static const double STEP = 1e-5; // of central differences, error h^2 / 6 times third derivatives
static const double TRUNCATION = 1e-7;
// Of solutions, relative: some thousand operations and the condition of the matrices.
static const double ROUNDOFF = 1e-10;

// An element between two places whose load depends linearly on the motion of the centres of mass.
typedef struct element {
    int end[2];
    double K[12][12], D[12][12];
    tn_frame frame[2]; // centre of mass and axes where it is linearised
    tn_twist twist[2];
} element;

enum { MOST_ELEMENTS = 2 * ROOM };

typedef struct bench {
    mechanism m;
    tn_tree *tree;
    tn_tree_linear *lin;
    double *q, *v, *a, *x, *q1, *work;
    tn_wrench *load; // on each place, at the centre of mass
    int nelement;
    element element[MOST_ELEMENTS];
} bench;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    CHECK(x != NULL);
    return x;
}

static void random_numbers(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = tn_random();
}

static void random_state(bench *b)
{
    const tn_tree *t = b->tree;
    for (int k = 0; k < t->ngroup; k++) {
        const tn_group *g = &t->groups[k];
        for (int i = 0; i < g->nq; i++)
            b->q[g->q0 + i] = 0.8 * tn_random();
        double *e = b->q + g->q0 + tn_group_turn(g);
        if (g->kind != TN_GROUP_R)
            tn_quat_to(tn_quat_normalize((tn_quat){e[0], e[1], e[2], e[3]}), e);
    }
    random_numbers(t->nv, b->v);
    random_numbers(t->nv, b->a);
}

static bench *open_bench_of(mechanism m)
{
    bench *b = calloc(1, sizeof *b);
    CHECK(b != NULL);
    b->m = m;
    CHECK_OK(tn_tree_create(m.model, &b->tree));
    CHECK_OK(tn_tree_linear_create(b->tree, &b->lin));
    b->q = numbers(b->tree->nq);
    b->q1 = numbers(b->tree->nq);
    b->v = numbers(b->tree->nv);
    b->a = numbers(b->tree->nv);
    b->x = numbers(b->tree->nv);
    b->work = numbers(6 * b->tree->nv);
    b->load = calloc((size_t)b->tree->n, sizeof *b->load);
    CHECK(b->load != NULL);
    random_state(b);
    random_numbers(b->tree->nv, b->x);
    return b;
}

static void close_bench(bench *b)
{
    double *const all[] = {b->q, b->q1, b->v, b->a, b->x, b->work};
    for (int i = 0; i < TN_COUNT(all); i++)
        free(all[i]);
    free(b->load);
    tn_tree_linear_destroy(b->lin);
    tn_tree_destroy(b->tree);
    tn_model_destroy(b->m.model);
    free(b);
}

static void random_loads(bench *b)
{
    for (int k = 1; k < b->tree->n; k++)
        b->load[k] = (tn_wrench){random_vec3(5.0), random_vec3(3.0)};
}

// Elements ----------------------------------------------------------------------------------------

static tn_frame com_frame(const tn_tree *t, int k)
{
    tn_frame frame = tn_tree_frame(t, k);
    frame.p = tn_v3_add(frame.p, tn_tree_com(t, k));
    return frame;
}

static tn_twist com_twist(const tn_tree *t, int k)
{
    tn_twist V = tn_tree_twist(t, k);
    V.v = tn_v3_add(V.v, tn_v3_cross(V.w, tn_tree_com(t, k)));
    return V;
}

// Both ends of an element displaced and moving together make no difference.
static void make_relative(double A[12][12])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 3; j++)
            A[i][j] = -A[i][6 + j];
}

// At the present motion of the tree.
static bool add_random_element(bench *b, int from, int to, bool relative)
{
    element *e = &b->element[b->nelement];
    e->end[0] = from;
    e->end[1] = to;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            e->K[i][j] = 3.0 * tn_random();
            e->D[i][j] = tn_random();
        }
    if (relative) {
        make_relative(e->K);
        make_relative(e->D);
    }
    for (int s = 0; s < 2; s++) {
        e->frame[s] = com_frame(b->tree, e->end[s]);
        e->twist[s] = com_twist(b->tree, e->end[s]);
    }
    if (!tn_tree_linear_add(b->lin, from, to, e->K, e->D))
        return false;
    b->nelement++;
    return true;
}

// At the centre of mass, in world axes.
static void add_load(tn_tree *tree, int k, tn_wrench load)
{
    load.m = tn_v3_add(load.m, tn_v3_cross(tn_tree_com(tree, k), load.f));
    tn_tree_add_load(tree, k, load);
}

static void load_by_element(bench *b, const element *e)
{
    double x[12], y[12], w[12] = {0};
    for (int s = 0; s < 2; s++) {
        const tn_frame now = com_frame(b->tree, e->end[s]);
        const tn_twist V = com_twist(b->tree, e->end[s]);
        tn_v3_to(tn_v3_sub(now.p, e->frame[s].p), x + 6 * s);
        tn_v3_to(tn_so3_log(tn_m3_mul(now.R, tn_m3_transpose(e->frame[s].R))), x + 6 * s + 3);
        tn_v3_to(tn_v3_sub(V.v, e->twist[s].v), y + 6 * s);
        tn_v3_to(tn_v3_sub(V.w, e->twist[s].w), y + 6 * s + 3);
    }
    for (int i = 0; i < 12; i++)
        w[i] = tn_dot(12, e->K[i], x) + tn_dot(12, e->D[i], y);
    for (int s = 0; s < 2; s++)
        add_load(b->tree, e->end[s], (tn_wrench){tn_v3_from(w + 6 * s), tn_v3_from(w + 6 * s + 3)});
}

// The residual ------------------------------------------------------------------------------------

static void residual_at(bench *b, const double *q, const double *v, const double *a, bool loaded,
                        double *r)
{
    tn_tree_move(b->tree, q, v);
    for (int k = 1; k < b->tree->n && loaded; k++)
        add_load(b->tree, k, b->load[k]);
    for (int i = 0; i < b->nelement; i++)
        load_by_element(b, &b->element[i]);
    tn_tree_residual(b->tree, NULL, a, r);
}

static void linearise(bench *b, bool loaded)
{
    residual_at(b, b->q, b->v, b->a, loaded, b->work);
    tn_tree_linear_set(b->lin);
}

// (cq K + cv D + ca M) x by differences.
static void difference(bench *b, const double c[3], bool loaded, double *out)
{
    const tn_tree *t = b->tree;
    const int nv = t->nv;
    double *dx = b->work, *v = b->work + nv, *a = b->work + 2 * nv, *r[2] = {out, b->work + 3 * nv};
    for (int side = 0; side < 2; side++) {
        const double h = side ? -STEP : STEP;
        for (int i = 0; i < nv; i++) {
            dx[i] = h * c[0] * b->x[i];
            v[i] = b->v[i] + h * c[1] * b->x[i];
            a[i] = b->a[i] + h * c[2] * b->x[i];
        }
        tn_group_retract(t->ngroup, t->groups, b->q, dx, b->q1);
        residual_at(b, b->q1, v, a, loaded, r[side]);
    }
    for (int i = 0; i < nv; i++)
        out[i] = (r[0][i] - r[1][i]) / (2.0 * STEP);
}

static void check_product(bench *b, const double c[3], bool loaded)
{
    const int nv = b->tree->nv;
    double *y = numbers(nv), *wanted = numbers(nv);
    random_numbers(nv, y);
    tn_copy(nv, y, wanted);
    tn_tree_linear_times(b->lin, c[0], c[1], c[2], b->x, y);
    double *d = numbers(nv);
    difference(b, c, loaded, d);
    const double size = fmax(1.0, tn_norm_inf(nv, d));
    for (int i = 0; i < nv; i++)
        CHECK_NEAR(y[i] - wanted[i], d[i], TRUNCATION * size);
    free(y);
    free(wanted);
    free(d);
}

static void check_products(bench *b, bool loaded)
{
    static const double weights[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, -0.7, 1.1}};
    linearise(b, loaded);
    for (int i = 0; i < TN_COUNT(weights); i++)
        check_product(b, weights[i], loaded);
}

static void check_each(void (*check)(bench *b))
{
    for (int seed = 0; seed < SEEDS; seed++) {
        bench *b = open_bench_of(random_mechanism_of(seed, seed % 9 == 0 ? 20 + seed % 41 : 0));
        check(b);
        close_bench(b);
    }
}

static void check_free_products(bench *b)
{
    check_products(b, false);
}

static void products_match_differences(void)
{
    check_each(check_free_products);
}

static void check_loaded_products(bench *b)
{
    random_loads(b);
    check_products(b, true);
}

static void products_with_loads_match_differences(void)
{
    check_each(check_loaded_products);
}

// The same as the dense derivatives, which are sums over subtrees.
static void check_dense(bench *b)
{
    const int nv = b->tree->nv;
    double *A[3] = {numbers(nv * nv), numbers(nv * nv), numbers(nv * nv)}, *y = numbers(nv);
    random_loads(b);
    linearise(b, true);
    tn_tree_derivatives(b->tree, A[0], A[1]);
    tn_tree_mass(b->tree, A[2]);
    for (int which = 0; which < 3; which++) {
        const double size = fmax(1.0, tn_norm_inf(nv * nv, A[which]));
        for (int j = 0; j < nv; j++) {
            tn_zero(nv, b->x);
            tn_zero(nv, y);
            b->x[j] = 1.0;
            tn_tree_linear_times(b->lin, which == 0, which == 1, which == 2, b->x, y);
            for (int i = 0; i < nv; i++)
                CHECK_NEAR(y[i], A[which][i + nv * j], 1e-12 * size);
        }
        free(A[which]);
    }
    free(y);
}

static void products_are_those_of_dense_derivatives(void)
{
    check_each(check_dense);
}

// Elements ----------------------------------------------------------------------------------------

// Between neighbours, with the ground and on single bodies.
static void add_elements(bench *b, bool relative)
{
    for (int k = 1; k < b->tree->n; k++) {
        const int parent = b->tree->body[k].parent, kind = random_int(5);
        if (kind == 0)
            CHECK(add_random_element(b, parent, k, relative));
        else if (kind == 1)
            CHECK(add_random_element(b, k, parent, relative));
        else if (kind == 2 && !relative)
            CHECK(add_random_element(b, 0, k, false) && add_random_element(b, k, 0, false));
        else if (kind == 3 && !relative)
            CHECK(add_random_element(b, k, k, false));
    }
}

static void check_elements(bench *b)
{
    random_loads(b);
    for (int relative = 0; relative < 2; relative++) {
        static const double c[] = {0.3, -0.7, 1.1};
        b->nelement = 0;
        linearise(b, true);
        add_elements(b, relative);
        check_product(b, c, true);
    }
}

static void products_with_elements_match_differences(void)
{
    check_each(check_elements);
}

static void elements_between_strangers_are_refused(void)
{
    bench *b = open_bench_of(random_mechanism_of(9, 60));
    const tn_tree_body *body = b->tree->body;
    int refused = 0;
    double *y[2] = {numbers(b->tree->nv), numbers(b->tree->nv)};
    linearise(b, false);
    tn_tree_linear_times(b->lin, 1.0, 1.0, 1.0, b->x, y[0]);
    for (int i = 1; i < b->tree->n; i++)
        for (int j = 1; j < b->tree->n; j++)
            if (i != j && body[i].parent != j && body[j].parent != i) {
                CHECK(!add_random_element(b, i, j, false));
                refused++;
            }
    CHECK(refused > 1000);
    tn_tree_linear_times(b->lin, 1.0, 1.0, 1.0, b->x, y[1]);
    CHECK(memcmp(y[0], y[1], sizeof(double) * (size_t)b->tree->nv) == 0);
    free(y[0]);
    free(y[1]);
    close_bench(b);
}

// Solutions ---------------------------------------------------------------------------------------

// Random blocks near the identity on rotations, what is not to be used spoilt.
static double *random_blocks(const tn_tree *t, double identity)
{
    double *X = numbers(36 * t->ngroup);
    for (int k = 0; k < t->ngroup; k++) {
        const tn_group *g = &t->groups[k];
        const int turn = tn_group_turn(g);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                const bool used =
                    g->kind != TN_GROUP_R && i >= turn && j >= turn && i < g->nv && j < g->nv;
                X[36 * k + 6 * i + j] = used ? identity * (i == j) + 0.2 * tn_random() : NAN;
            }
    }
    return X;
}

// y += X x
static void times_blocks(const tn_tree *t, const double *X, double diagonal, const double *x,
                         double *y)
{
    for (int k = 0; k < t->ngroup; k++) {
        const tn_group *g = &t->groups[k];
        const int turn = g->kind == TN_GROUP_R || !X ? g->nv : tn_group_turn(g);
        for (int i = 0; i < turn; i++)
            y[g->v0 + i] += diagonal * x[g->v0 + i];
        for (int i = turn; i < g->nv; i++)
            for (int j = turn; j < g->nv; j++)
                y[g->v0 + i] += X[36 * k + 6 * i + j] * x[g->v0 + j];
    }
}

// A complex number times K X, D or M times x, added to y.
static void add_product(bench *b, int which, double complex c, double *const x[2],
                        double *const y[2])
{
    const int nv = b->tree->nv;
    double *r = b->work;
    for (int p = 0; p < 2; p++) {
        tn_zero(nv, r);
        tn_tree_linear_times(b->lin, which == 0, which == 1, which == 2, x[p], r);
        tn_axpy(nv, p ? -cimag(c) : creal(c), r, y[0]);
        tn_axpy(nv, p ? creal(c) : cimag(c), r, y[1]);
    }
}

// The right-hand side of the solution x.
static void right_side(bench *b, const double complex c[3], const double *const X[2],
                       double *const x[2], double *const y[2])
{
    const int nv = b->tree->nv;
    double *const moved[2] = {b->work + nv, b->work + 2 * nv}, *part = b->work + 3 * nv;
    for (int p = 0; p < 2; p++)
        tn_zero(nv, moved[p]);
    times_blocks(b->tree, X[0], 1.0, x[0], moved[0]);
    times_blocks(b->tree, X[0], 1.0, x[1], moved[1]);
    if (X[1]) {
        times_blocks(b->tree, X[1], 0.0, x[0], moved[1]);
        tn_zero(nv, part);
        times_blocks(b->tree, X[1], 0.0, x[1], part);
        tn_axpy(nv, -1.0, part, moved[0]);
    }
    for (int p = 0; p < 2; p++)
        tn_zero(nv, y[p]);
    add_product(b, 0, c[0], moved, y);
    add_product(b, 1, c[1], x, y);
    add_product(b, 2, c[2], x, y);
}

// Factors both planes, then solves by both.
static void check_solution(bench *b, const double complex c[3], const double *const X[2])
{
    const int nv = b->tree->nv;
    const double complex real[3] = {creal(c[0]), creal(c[1]), creal(c[2])};
    const double *const real_X[2] = {X[0], NULL};
    double *const x[2] = {numbers(nv), numbers(nv)}, *const y[2] = {numbers(nv), numbers(nv)};
    CHECK_OK(tn_tree_linear_factor(b->lin, 0, c, X, NULL));
    CHECK_OK(tn_tree_linear_factor(b->lin, 1, c, X, NULL));
    for (int planes = 1; planes <= 2; planes++) {
        tn_zero(nv, x[1]);
        for (int p = 0; p < planes; p++)
            random_numbers(nv, x[p]);
        right_side(b, planes == 1 ? real : c, planes == 1 ? real_X : X, x, y);
        tn_tree_linear_solve(b->lin, y[0], planes == 1 ? NULL : y[1]);
        for (int p = 0; p < planes; p++)
            for (int i = 0; i < nv; i++)
                CHECK_NEAR(y[p][i], x[p][i], ROUNDOFF);
    }
    for (int p = 0; p < 2; p++) {
        free(x[p]);
        free(y[p]);
    }
}

// Coefficients of steps of 0.1 and 0.01: q, v, a as h, 1, 1/h.
static void check_solutions(bench *b)
{
    static const double steps[] = {0.1, 0.01};
    double *const X[2] = {random_blocks(b->tree, 1.0), random_blocks(b->tree, 0.0)};
    const double *const none[2] = {NULL, NULL}, *const both[2] = {X[0], X[1]},
                        *const one[2] = {X[0], NULL};
    for (int i = 0; i < TN_COUNT(steps); i++) {
        const double complex h = steps[i] * CMPLX(1.0, 0.6);
        const double complex c[3] = {h, 1.0, 1.0 / h};
        check_solution(b, c, none);
        check_solution(b, c, one);
        check_solution(b, c, both);
    }
    free(X[0]);
    free(X[1]);
}

static void check_all_solutions(bench *b)
{
    linearise(b, false);
    check_solutions(b);
    random_loads(b);
    linearise(b, true);
    check_solutions(b);
    for (int relative = 1; relative >= 0; relative--) {
        b->nelement = 0;
        linearise(b, true);
        add_elements(b, relative);
        check_solutions(b);
    }
}

static void solutions_invert_products(void)
{
    check_each(check_all_solutions);
}

// Bodies without mass -----------------------------------------------------------------------------

static void add_joint(tn_model *model, tn_joint_kind kind, int a, tn_body b, double offset)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a.index = a;
    def.body_b = b;
    def.frame_a.p.x = offset;
    tn_model_add_joint(model, &def);
}

static const tn_vec3 ones = {1, 1, 1}, zeros = {0, 0, 0};

// A row of joints of one kind with frames in line, whose bodies have mass where `mass` has a 1.
static mechanism in_line(tn_joint_kind kind, tn_body_kind body, const char *mass)
{
    mechanism m = {.model = tn_model_create()};
    for (; mass[m.nbody]; m.nbody++) {
        const bool heavy = mass[m.nbody] == '1';
        add_joint(m.model, kind, m.nbody, add_link(m.model, body, heavy, heavy ? ones : zeros),
                  0.0);
    }
    CHECK_OK(tn_model_status(m.model));
    return m;
}

// Dampers of all relative velocities of neighbours.
static void add_dampers(bench *b)
{
    for (int k = 1; k < b->tree->n; k++) {
        double K[12][12] = {{0}}, D[12][12] = {{0}};
        for (int i = 0; i < 6; i++) {
            D[i][i] = D[6 + i][6 + i] = -0.5;
            D[6 + i][i] = D[i][6 + i] = 0.5;
        }
        CHECK(tn_tree_linear_add(b->lin, b->tree->body[k].parent, k, K, D));
    }
}

typedef struct row {
    tn_joint_kind joint;
    tn_body_kind body;
    const char *mass;
    int singular; // body
} row;

static const row rows[] = {
    {TN_JOINT_REVOLUTE, TN_BODY_RIGID, "10", 2},    {TN_JOINT_REVOLUTE, TN_BODY_RIGID, "01", 1},
    {TN_JOINT_REVOLUTE, TN_BODY_RIGID, "10001", 4}, {TN_JOINT_REVOLUTE, TN_BODY_PLANAR, "10", 2},
    {TN_JOINT_REVOLUTE, TN_BODY_PLANAR, "01", 1},   {TN_JOINT_REVOLUTE, TN_BODY_PLANAR, "1001", 3},
    {TN_JOINT_PRISMATIC, TN_BODY_RIGID, "01", 1},   {TN_JOINT_PRISMATIC, TN_BODY_RIGID, "1000", 4},
    {TN_JOINT_PRISMATIC, TN_BODY_PLANAR, "01", 1},  {TN_JOINT_PRISMATIC, TN_BODY_PLANAR, "00", 2},
    {TN_JOINT_SPHERICAL, TN_BODY_RIGID, "01", 1},   {TN_JOINT_SPHERICAL, TN_BODY_RIGID, "10", 2},
    {TN_JOINT_CYLINDRICAL, TN_BODY_RIGID, "01", 1}, {TN_JOINT_CYLINDRICAL, TN_BODY_RIGID, "100", 3},
};

static void bodies_without_mass_need_dampers(void)
{
    const double complex h = 0.01 * CMPLX(1.0, 0.6), c[3] = {h, 1.0, 1.0 / h};
    const double *const X[2] = {NULL, NULL};
    for (int i = 0; i < TN_COUNT(rows); i++) {
        bench *b = open_bench_of(in_line(rows[i].joint, rows[i].body, rows[i].mass));
        for (int k = 0; k < b->tree->nv; k++) // all in line
            b->v[k] = b->a[k] = 0.0;
        linearise(b, false);
        for (int plane = 0; plane < 2; plane++) {
            int singular = 0;
            CHECK_STATUS(tn_tree_linear_factor(b->lin, plane, c, X, &singular), TN_RETRY_SINGULAR);
            CHECK(b->tree->body[singular].body == rows[i].singular);
        }
        add_dampers(b);
        check_solution(b, c, X);
        close_bench(b);
    }
}

static void free_bodies_without_inertia_are_named(void)
{
    const double complex c[3] = {0.01, 1.0, 100.0};
    const double *const X[2] = {NULL, NULL};
    mechanism m = {.model = tn_model_create(), .nbody = 1};
    add_link(m.model, TN_BODY_RIGID, 1.0, tn_v3(1.0, 1.0, 0.0)); // a rod
    bench *b = open_bench_of(m);
    tn_zero(b->tree->nv, b->v);
    linearise(b, false);
    int singular = 0;
    CHECK_STATUS(tn_tree_linear_factor(b->lin, 0, c, X, &singular), TN_RETRY_SINGULAR);
    CHECK(singular == 1);
    close_bench(b);
}

// The whole ---------------------------------------------------------------------------------------

// A chain or comb of some hundred bodies: what carries over forks and long stretches.
static mechanism long_mechanism(bool comb)
{
    enum { N = 400 };
    mechanism m = {.model = tn_model_create(), .nbody = N};
    tn_model_set_gravity(m.model, tn_v3(0, 0, -9.81));
    for (int k = 1; k <= N; k++) {
        tn_body_def body = random_link(false);
        tn_joint_def joint = tn_default_joint(k % 7 == 3    ? TN_JOINT_PRISMATIC
                                              : k % 11 == 5 ? TN_JOINT_SPHERICAL
                                              : k % 13 == 4 ? TN_JOINT_FIXED
                                                            : TN_JOINT_REVOLUTE);
        joint.body_a.index = comb && k > 1 ? k - 1 - (k % 3 == 0) : k - 1;
        joint.body_b = tn_model_add_body(m.model, &body);
        joint.frame_a = joint_frame(false);
        joint.frame_b = joint_frame(false);
        tn_model_add_joint(m.model, &joint);
    }
    return m;
}

// What is left of the right-hand side, against it: solutions themselves are as inexact as those of
// the mass matrix of a long chain are.
static void check_long(bench *b)
{
    const double c[3] = {0.01, 1.0, 100.0};
    const double complex z[3] = {c[0], c[1], c[2]};
    const double *const X[2] = {NULL, NULL};
    const int nv = b->tree->nv;
    double *y = numbers(nv), *r = numbers(nv);
    tn_tree_move(b->tree, b->q, b->v);
    CHECK_OK(tn_tree_accelerate(b->tree, NULL, b->a, NULL));
    linearise(b, false);
    CHECK_OK(tn_tree_linear_factor(b->lin, 0, z, X, NULL));
    tn_tree_linear_times(b->lin, c[0], c[1], c[2], b->x, y);
    const double size = tn_norm_inf(nv, y);
    tn_copy(nv, y, b->x);
    tn_tree_linear_solve(b->lin, b->x, NULL);
    tn_tree_linear_times(b->lin, c[0], c[1], c[2], b->x, r);
    tn_axpy(nv, -1.0, y, r);
    CHECK_NEAR(tn_norm_inf(nv, r), 0.0, 1e-13 * size);
    free(y);
    free(r);
}

static void long_chains_and_combs_are_solved(void)
{
    for (int comb = 0; comb < 2; comb++) {
        bench *b = open_bench_of(long_mechanism(comb));
        check_long(b);
        close_bench(b);
    }
}

// Nothing changes when the tree moves on, numbers repeat to the last bit, nothing allocates.
static void solutions_repeat_and_allocate_nothing(void)
{
    bench *b = open_bench_of(random_mechanism_of(9, 60));
    const int nv = b->tree->nv;
    const double complex c[3] = {CMPLX(0.1, 0.1), 1.0, CMPLX(10.0, 3.0)};
    const double *const X[2] = {NULL, NULL};
    double *first[3] = {numbers(nv), numbers(nv), numbers(nv)};
    double *again[3] = {numbers(nv), numbers(nv), numbers(nv)};
    random_loads(b);
    linearise(b, true);
    add_elements(b, false);
    const long count = tn_test_alloc_count();
    for (int k = 0; k < 3; k++) {
        double **x = k == 0 ? first : again;
        for (int i = 0; i < 2; i++)
            tn_copy(nv, b->x, x[i]);
        tn_zero(nv, x[2]);
        CHECK_OK(tn_tree_linear_factor(b->lin, 0, c, X, NULL));
        CHECK_OK(tn_tree_linear_factor(b->lin, 1, c, X, NULL));
        tn_tree_linear_solve(b->lin, x[0], NULL);
        tn_tree_linear_solve(b->lin, x[1], x[2]);
        for (int i = 0; i < 3 && k > 0; i++)
            CHECK(memcmp(first[i], again[i], sizeof(double) * (size_t)nv) == 0);
        tn_tree_move(b->tree, b->q, NULL);
        tn_tree_residual(b->tree, NULL, NULL, b->work);
    }
    CHECK(tn_test_alloc_count() == count);
    for (int i = 0; i < 3; i++) {
        free(first[i]);
        free(again[i]);
    }
    close_bench(b);
}

static void failed_allocations_leave_nothing(void)
{
    mechanism m = random_mechanism_of(1, 20);
    tn_tree *tree;
    CHECK_OK(tn_tree_create(m.model, &tree));
    const long live = tn_test_alloc_live();
    for (long n = 1;; n++) {
        tn_tree_linear *lin;
        tn_test_alloc_fail_at(n);
        const tn_status status = tn_tree_linear_create(tree, &lin);
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(failed ? status == TN_ERR_MEMORY && !lin : status == TN_OK);
        tn_tree_linear_destroy(lin);
        CHECK(tn_test_alloc_live() == live);
        if (!failed)
            break;
    }
    tn_tree_destroy(tree);
    tn_model_destroy(m.model);
}

static const tn_test tests[] = {
    {"products match differences", products_match_differences},
    {"products with loads match differences", products_with_loads_match_differences},
    {"products are those of dense derivatives", products_are_those_of_dense_derivatives},
    {"products with elements match differences", products_with_elements_match_differences},
    {"elements between strangers are refused", elements_between_strangers_are_refused},
    {"solutions invert products", solutions_invert_products},
    {"bodies without mass need dampers", bodies_without_mass_need_dampers},
    {"free bodies without inertia are named", free_bodies_without_inertia_are_named},
    {"long chains and combs are solved", long_chains_and_combs_are_solved},
    {"solutions repeat and allocate nothing", solutions_repeat_and_allocate_nothing},
    {"failed allocations leave nothing", failed_allocations_leave_nothing},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
