// SPDX-License-Identifier: MIT
//
// Derivatives of the recursive core of joint coordinates, over random mechanisms with every joint
// kind walked either way, planar and spatial, fixed and floating, with point masses: columns of
// joints, motions of points, residuals and mass matrices against differences along
// left-trivialised increments.

#include "test.h"

#include "../cross/random_mechanism.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "tree/tree.h"
#include "tree/tree_parts.h"

enum { SEEDS = 240, MOST = 6 * ROOM };

// Differences of fourth order with step h have errors of h^4 / 30 times fifth derivatives and
// eps / h times values: near 1e-13 both, relative to the largest number of the kind.
static const double STEP = 1e-3;
static const double TRUNCATION = 1e-11;
static const double ROUNDOFF = 1e-12; // some thousand operations

typedef struct bench {
    mechanism m;
    tn_tree *tree;
    double *q, *v, *a, *q1, *v1;
    int nforce;               // springs of the model, left out
    tn_wrench load[ROOM + 1]; // at the centre of mass
} bench;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    CHECK(x != NULL);
    return x;
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
    for (int i = 0; i < t->nv; i++) {
        b->v[i] = tn_random();
        b->a[i] = 2.0 * tn_random();
    }
}

static bench bench_of(mechanism m)
{
    bench b = {.m = m};
    b.nforce = b.m.model->forces.count;
    b.m.model->forces.count = 0;
    CHECK_OK(tn_tree_create(b.m.model, &b.tree));
    b.q = numbers(b.tree->nq);
    b.q1 = numbers(b.tree->nq);
    b.v = numbers(b.tree->nv);
    b.v1 = numbers(b.tree->nv);
    b.a = numbers(b.tree->nv);
    for (int k = 1; k < b.tree->n; k++) {
        const bool point = b.m.point[b.tree->body[k].body];
        b.load[k] = (tn_wrench){random_vec3(5.0), point ? tn_v3(0, 0, 0) : random_vec3(3.0)};
    }
    random_state(&b);
    tn_tree_move(b.tree, b.q, b.v);
    return b;
}

static void close_bench(bench *b)
{
    double *const all[] = {b->q, b->v, b->a, b->q1, b->v1};
    for (int i = 0; i < TN_COUNT(all); i++)
        free(all[i]);
    tn_tree_destroy(b->tree);
    b->m.model->forces.count = b->nforce;
    tn_model_destroy(b->m.model);
}

static void check_each(void (*check)(bench *b))
{
    for (int seed = 0; seed < SEEDS; seed++) { // every third with joints of both directions
        bench b = bench_of(random_mechanism_of(seed, seed % 9 == 0   ? 20 + seed % 41
                                                     : seed % 3 == 0 ? 2 + seed % 7
                                                                     : 0));
        check(&b);
        close_bench(&b);
    }
}

// The tree at q o exp(dx e_j), v + dv e_j.
static void move_by(bench *b, int j, double dx, double dv)
{
    double *x = numbers(b->tree->nv);
    x[j] = dx;
    tn_group_retract(b->tree->ngroup, b->tree->groups, b->q, x, b->q1);
    tn_copy(b->tree->nv, b->v, b->v1);
    b->v1[j] += dv;
    tn_tree_move(b->tree, b->q1, b->v1);
    free(x);
}

// Weights of the values at h, -h, 2h, -2h: fourth order.
static const double STEPS[4] = {1.0, -1.0, 2.0, -2.0};
static const double WEIGHTS[4] = {8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0};

static tn_twist twist_axpy(double s, tn_twist a, tn_twist b)
{
    return (tn_twist){tn_v3_axpy(s, a.v, b.v), tn_v3_axpy(s, a.w, b.w)};
}

static void check_twist(tn_twist a, tn_twist b, double tolerance)
{
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(a.v, b.v)), 0.0, tolerance);
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(a.w, b.w)), 0.0, tolerance);
}

// Kinematics --------------------------------------------------------------------------------------

static void check_columns(bench *b)
{
    const tree *t = (const tree *)b->tree;
    for (int k = 1; k < b->tree->n; k++) {
        const tn_tree_body *body = &b->tree->body[k];
        for (int j = 0; j < body->nv; j++) {
            tn_twist slope[6], difference[6] = {{{0, 0, 0}, {0, 0, 0}}};
            tn_tree_move(b->tree, b->q, b->v);
            for (int i = 0; i < body->nv; i++)
                slope[i] = tree_column_slope(t, k, i, j);
            for (int s = 0; s < 4; s++) {
                move_by(b, body->v0 + j, STEPS[s] * STEP, 0.0);
                for (int i = 0; i < body->nv; i++)
                    difference[i] =
                        twist_axpy(WEIGHTS[s] / STEP, tree_column_at(t, k, i), difference[i]);
            }
            for (int i = 0; i < body->nv; i++)
                check_twist(slope[i], difference[i], TRUNCATION);
        }
    }
}

static void slopes_of_columns_match_differences(void)
{
    check_each(check_columns);
}

// Where a body-fixed point is, the axes of the body, and its twist.
typedef struct sight {
    tn_frame frame;
    tn_twist twist;
} sight;

static sight look(const bench *b, int k, tn_vec3 local)
{
    tn_frame frame = tn_tree_frame(b->tree, k);
    tn_twist V = tn_tree_twist(b->tree, k);
    const tn_vec3 arm = tn_m3_apply(frame.R, local);
    frame.p = tn_v3_add(frame.p, arm);
    V.v = tn_v3_add(V.v, tn_v3_cross(V.w, arm));
    return (sight){frame, V};
}

static void check_variation(bench *b)
{
    const int k = 1 + random_int(b->tree->n - 1);
    const tn_vec3 local = random_vec3(0.5);
    const tn_vec3 arm = tn_m3_apply(tn_tree_frame(b->tree, k).R, local);
    tn_twist J[MOST], P[MOST], alone[MOST];
    int index[MOST], same[MOST];
    const int n = tn_tree_variation(b->tree, k, arm, index, J, P);
    CHECK(n == tn_tree_path(b->tree, k));
    CHECK(n == tn_tree_variation(b->tree, k, arm, same, alone, NULL));
    const sight here = look(b, k, local);
    const double size =
        1.0 + tn_v3_norm(here.twist.v) + tn_v3_norm(here.twist.w) + tn_v3_norm(here.frame.p);
    for (int i = 0; i < n; i++) {
        tn_twist dx = {{0, 0, 0}, {0, 0, 0}}, dV = dx;
        CHECK(index[i] == same[i]);
        check_twist(J[i], alone[i], 0.0);
        for (int s = 0; s < 4; s++) {
            move_by(b, index[i], STEPS[s] * STEP, 0.0);
            const sight there = look(b, k, local);
            const tn_mat3 turn = tn_m3_mul(there.frame.R, tn_m3_transpose(here.frame.R));
            dx = twist_axpy(WEIGHTS[s] / STEP, (tn_twist){there.frame.p, tn_so3_log(turn)}, dx);
            dV = twist_axpy(WEIGHTS[s] / STEP, there.twist, dV);
        }
        check_twist(J[i], dx, TRUNCATION * size);
        check_twist(P[i], dV, TRUNCATION * size);
    }
}

static void variations_of_points_match_differences(void)
{
    check_each(check_variation);
}

// Dynamics ----------------------------------------------------------------------------------------

// At the centre of mass, in world axes.
static void add_load(tn_tree *t, int k, tn_wrench load)
{
    load.m = tn_v3_add(load.m, tn_v3_cross(tn_tree_com(t, k), load.f));
    tn_tree_add_load(t, k, load);
}

static void residual_at(bench *b, const double *a, double *r)
{
    for (int k = 1; k < b->tree->n; k++)
        add_load(b->tree, k, b->load[k]);
    tn_tree_residual(b->tree, NULL, a, r);
}

static double size_of(int n, const double *x)
{
    return fmax(1.0, tn_norm_inf(n, x));
}

static int place_of(const tn_tree *t, int v)
{
    int k = 1;
    while (v >= t->body[k].v0 + t->body[k].nv)
        k++;
    return k;
}

static bool on_one_path(const tn_tree *t, int i, int j)
{
    const int a = place_of(t, i), b = place_of(t, j);
    return a <= b ? b < t->body[a].end : a < t->body[b].end;
}

static void check_column(bench *b, int j, bool by_v, double size, const double *column)
{
    const int nv = b->tree->nv;
    double *r = numbers(nv), *x = numbers(nv);
    for (int s = 0; s < 4; s++) {
        const double h = STEPS[s] * STEP;
        move_by(b, j, by_v ? 0.0 : h, by_v ? h : 0.0);
        residual_at(b, b->a, r);
        tn_axpy(nv, WEIGHTS[s] / STEP, r, x);
    }
    for (int i = 0; i < nv; i++) {
        CHECK_NEAR(column[i], x[i], TRUNCATION * size);
        CHECK(column[i] == 0.0 || on_one_path(b->tree, i, j));
    }
    free(r);
    free(x);
}

static void check_residual(bench *b)
{
    const int nv = b->tree->nv;
    double *K = numbers(nv * nv), *D = numbers(nv * nv), *r = numbers(nv);
    residual_at(b, b->a, r);
    tn_tree_derivatives(b->tree, K, D);
    const double size = size_of(nv, r) + size_of(nv * nv, K) + size_of(nv * nv, D);
    for (int j = 0; j < nv; j++) {
        check_column(b, j, false, size, K + (size_t)nv * (size_t)j);
        check_column(b, j, true, size, D + (size_t)nv * (size_t)j);
    }
    free(K);
    free(D);
    free(r);
}

static void derivatives_of_residuals_match_differences(void)
{
    check_each(check_residual);
}

// K is affine in v': K(v') - K(0) = d(M v')/dq with the mass matrix of composite bodies; and
// dr/dv' = M.
static void check_mass(bench *b)
{
    const int nv = b->tree->nv;
    double *K = numbers(nv * nv), *rest = numbers(nv * nv), *D = numbers(nv * nv);
    double *M = numbers(nv * nv), *r = numbers(nv), *x = numbers(nv);
    tn_tree_residual(b->tree, NULL, NULL, r);
    tn_tree_derivatives(b->tree, rest, D);
    tn_tree_residual(b->tree, NULL, b->a, r);
    tn_tree_derivatives(b->tree, K, D);
    tn_tree_mass(b->tree, M);
    const double size = size_of(nv * nv, K) + size_of(nv * nv, M) + size_of(nv, r);
    for (int j = 0; j < nv; j++) {
        b->a[j] += 1.0;
        tn_tree_residual(b->tree, NULL, b->a, x);
        b->a[j] -= 1.0;
        for (int i = 0; i < nv; i++)
            CHECK_NEAR(x[i] - r[i], M[i + nv * j], ROUNDOFF * size);
    }
    for (int j = 0; j < nv; j++) {
        tn_zero(nv, x);
        for (int s = 0; s < 4; s++) {
            move_by(b, j, STEPS[s] * STEP, 0.0);
            tn_tree_mass(b->tree, M);
            for (int i = 0; i < nv * nv; i++)
                x[i % nv] += WEIGHTS[s] / STEP * M[i] * b->a[i / nv];
        }
        for (int i = 0; i < nv; i++)
            CHECK_NEAR(K[i + nv * j] - rest[i + nv * j], x[i], TRUNCATION * size);
    }
    double *const all[] = {K, rest, D, M, r, x};
    for (int i = 0; i < TN_COUNT(all); i++)
        free(all[i]);
}

static void derivatives_of_mass_matrices_match_differences(void)
{
    check_each(check_mass);
}

// Bodies of the plane on both of its joints, which carry an arm in space with a point mass.
static mechanism crane(void)
{
    mechanism m = {.model = tn_model_create(), .nbody = 4};
    const tn_joint_kind kinds[] = {TN_JOINT_REVOLUTE, TN_JOINT_PRISMATIC, TN_JOINT_UNIVERSAL,
                                   TN_JOINT_POINT_ON_LINE};
    tn_model_set_gravity(m.model, tn_v3(1.0, -2.0, -9.81));
    tn_body last = TN_GROUND;
    for (int k = 0; k < 4; k++) {
        tn_body_def body = random_link(k < 2);
        tn_joint_def joint = tn_default_joint(kinds[k]);
        joint.frame_a = joint_frame(k < 2);
        if (k < 2)
            body.frame.p.z = 0.4 + k;
        if (k == 3) {
            body.kind = TN_BODY_POINT;
            body.com = body.rate = tn_v3(0, 0, 0);
            body.frame.R = tn_m3_identity;
        } else
            joint.frame_b = joint_frame(k < 2);
        joint.body_a = last;
        joint.body_b = last = tn_model_add_body(m.model, &body);
        tn_model_add_joint(m.model, &joint);
    }
    m.point[last.index] = true;
    CHECK_OK(tn_model_status(m.model));
    return m;
}

static void planes_that_carry_bodies_of_space_are_differentiated(void)
{
    for (int k = 0; k < 20; k++) {
        bench b = bench_of(crane());
        CHECK(b.tree->ncut == 0 && b.tree->ncoupling == 0 && b.tree->nv == 1 + 1 + 2 + 1);
        check_residual(&b);
        tn_tree_move(b.tree, b.q, b.v);
        check_variation(&b);
        close_bench(&b);
    }
}

// A velocity that all share changes nothing.
static void check_flight(bench *b)
{
    const int nv = b->tree->nv;
    double *K[2], *D[2], *r = numbers(nv);
    int found = 0;
    for (int fast = 0; fast < 2; fast++) {
        for (int k = 1; k < b->tree->n && fast; k++)
            if (b->tree->body[k].joint < 0 && b->tree->body[k].nv == 6) {
                b->v[b->tree->body[k].v0 + 1] += 1e3;
                found++;
            }
        K[fast] = numbers(nv * nv);
        D[fast] = numbers(nv * nv);
        tn_tree_move(b->tree, b->q, b->v);
        residual_at(b, b->a, r);
        tn_tree_derivatives(b->tree, K[fast], D[fast]);
    }
    const double size = size_of(nv * nv, K[0]) + size_of(nv * nv, D[0]);
    for (int i = 0; i < nv * nv && found > 0; i++) {
        CHECK_NEAR(K[1][i], K[0][i], 10.0 * ROUNDOFF * size);
        CHECK_NEAR(D[1][i], D[0][i], 10.0 * ROUNDOFF * size);
    }
    for (int fast = 0; fast < 2; fast++) {
        free(K[fast]);
        free(D[fast]);
    }
    free(r);
}

static void flying_fast_changes_nothing(void)
{
    check_each(check_flight);
}

// Derivatives repeat to the last bit, allocate nothing and leave what the residual left.
static void derivatives_leave_no_trace(void)
{
    bench b = bench_of(random_mechanism_of(9, 60));
    const int nv = b.tree->nv;
    double *K[2], *D[2], *r = numbers(nv);
    tn_wrench reaction[ROOM + 1];
    for (int i = 0; i < 2; i++) {
        K[i] = numbers(nv * nv);
        D[i] = numbers(nv * nv);
    }
    residual_at(&b, b.a, r);
    for (int k = 1; k < b.tree->n; k++)
        reaction[k] = tn_tree_reaction(b.tree, k);
    const long count = tn_test_alloc_count();
    for (int i = 0; i < 2; i++)
        tn_tree_derivatives(b.tree, K[i], D[i]);
    CHECK(tn_test_alloc_count() == count);
    CHECK(memcmp(K[0], K[1], sizeof(double) * (size_t)(nv * nv)) == 0);
    CHECK(memcmp(D[0], D[1], sizeof(double) * (size_t)(nv * nv)) == 0);
    for (int k = 1; k < b.tree->n; k++) {
        const tn_wrench after = tn_tree_reaction(b.tree, k);
        CHECK(memcmp(&after, &reaction[k], sizeof after) == 0);
    }
    for (int i = 0; i < 2; i++) {
        free(K[i]);
        free(D[i]);
    }
    free(r);
    close_bench(&b);
}

static const tn_test tests[] = {
    {"slopes of columns match differences", slopes_of_columns_match_differences},
    {"variations of points match differences", variations_of_points_match_differences},
    {"derivatives of residuals match differences", derivatives_of_residuals_match_differences},
    {"derivatives of mass matrices match differences",
     derivatives_of_mass_matrices_match_differences},
    {"planes that carry bodies of space are differentiated",
     planes_that_carry_bodies_of_space_are_differentiated},
    {"flying fast changes nothing", flying_fast_changes_nothing},
    {"derivatives leave no trace", derivatives_leave_no_trace},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
