// SPDX-License-Identifier: MIT
//
// The recursive core of joint coordinates, over random mechanisms with every joint kind, planar and
// spatial, fixed and floating, with point masses and loops: frames and velocities against
// differences, accelerations and reactions against the linear system of absolute coordinates with
// the rows of the tree's joints, and the recursions against each other.

#include "test.h"

#include "../cross/random_mechanism.h"
#include "base/sincos.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "system/absolute.h"
#include "system/tree.h"

enum { SEEDS = 240 };

// A few thousand operations on numbers up to some hundreds, and the condition of the mechanisms.
static const double ROUNDOFF = 1e-10;
static const double STEP = 1e-5; // of central differences, error h^2 / 6 times some hundreds
static const double TRUNCATION = 2e-7;

// A mechanism with its tree at a random state, and the same in absolute coordinates.
typedef struct bench {
    mechanism m;
    tn_tree *tree;
    double *q, *v, *a, *tau, *r;
    tn_system *abs;
    double *aq, *av, *ar;
    int nforce; // springs of the model, left out
} bench;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    CHECK(x != NULL);
    return x;
}

static void random_state(const tn_tree *tree, double *q, double *v)
{
    for (int k = 0; k < tree->ngroup; k++) {
        const tn_group *g = &tree->groups[k];
        for (int i = 0; i < g->nq; i++)
            q[g->q0 + i] = 0.8 * tn_random();
        double *e = q + g->q0 + tn_group_turn(g);
        if (g->kind != TN_GROUP_R)
            tn_quat_to(tn_quat_normalize((tn_quat){e[0], e[1], e[2], e[3]}), e);
    }
    for (int i = 0; i < tree->nv; i++)
        v[i] = tn_random();
}

// The user's body frame and the twist of its centre of mass.
static tn_frame body_frame(const tn_tree *tree, int k)
{
    return tn_frame_mul(tn_tree_frame(tree, k), tn_frame_inverse(tree->body[k].seat));
}

static tn_vec3 com_velocity(const tn_tree *tree, int k)
{
    const tn_twist V = tn_tree_twist(tree, k);
    return tn_v3_add(V.v, tn_v3_cross(V.w, tn_tree_com(tree, k)));
}

// From the tree to absolute coordinates.
static void to_absolute(bench *b)
{
    for (int k = 1; k < b->tree->n; k++) {
        const int body = b->tree->body[k].body;
        int v0, q0 = b->abs->groups[body - 1].q0;
        const int nv = tn_absolute_body_velocity(b->abs, body, &v0);
        const tn_frame frame = body_frame(b->tree, k);
        const tn_twist V = tn_tree_twist(b->tree, k);
        const tn_vec3 p = tn_v3_add(tn_tree_frame(b->tree, k).p, tn_tree_com(b->tree, k));
        const tn_vec3 u = com_velocity(b->tree, k), w = tn_m3_apply_t(frame.R, V.w);
        const bool planar = b->m.model->bodies.at[body].kind == TN_BODY_PLANAR;
        const double x[3] = {p.x, p.y, planar ? atan2(frame.R.m[1][0], frame.R.m[0][0]) : p.z};
        const double y[3] = {u.x, u.y, planar ? w.z : u.z};
        tn_copy(nv < 3 ? nv : 3, x, b->aq + q0);
        tn_copy(nv < 3 ? nv : 3, y, b->av + v0);
        if (nv == 6) {
            tn_quat_to(tn_quat_from_matrix(frame.R), b->aq + q0 + 3);
            tn_v3_to(w, b->av + v0 + 3);
        }
    }
}

static bench open_bench(int seed, int bodies)
{
    bench b = {.m = random_mechanism_of(seed, bodies)};
    b.nforce = b.m.model->forces.count;
    b.m.model->forces.count = 0;
    CHECK_OK(tn_tree_create(b.m.model, &b.tree));
    CHECK_OK(tn_absolute_create(b.m.model, TN_ROTATION_SO3, false, &b.abs));
    b.q = numbers(b.tree->nq);
    b.v = numbers(b.tree->nv);
    b.a = numbers(b.tree->nv);
    b.r = numbers(b.tree->nv);
    b.tau = numbers(b.tree->nv);
    b.aq = numbers(b.abs->nq);
    b.av = numbers(b.abs->nv);
    b.ar = numbers(b.abs->nr);
    tn_absolute_start(b.abs, b.aq, b.av, b.ar);
    random_state(b.tree, b.q, b.v);
    tn_tree_move(b.tree, b.q, b.v);
    to_absolute(&b);
    return b;
}

static void close_bench(bench *b)
{
    double *const all[] = {b->q, b->v, b->a, b->r, b->tau, b->aq, b->av, b->ar};
    for (int i = 0; i < TN_COUNT(all); i++)
        free(all[i]);
    tn_tree_destroy(b->tree);
    tn_system_destroy(b->abs);
    b->m.model->forces.count = b->nforce;
    tn_model_destroy(b->m.model);
}

static void check_each(void (*check)(bench *b))
{
    for (int seed = 0; seed < SEEDS; seed++) {
        bench b = open_bench(seed, seed % 9 == 0 ? 20 + seed % 41 : 0);
        check(&b);
        close_bench(&b);
    }
}

static double size_of(int n, const double *x)
{
    return fmax(1.0, tn_norm_inf(n, x));
}

// The tree ----------------------------------------------------------------------------------------

static int rows_of_tree(const bench *b)
{
    int rows = 0;
    for (int k = 1; k < b->tree->n; k++)
        if (b->tree->body[k].joint >= 0)
            rows += tn_joint_row_count(b->m.model, (tn_joint){b->tree->body[k].joint});
    return rows;
}

static void check_structure(bench *b)
{
    const tn_tree *t = b->tree;
    CHECK(t->n == b->m.nbody + 1 && t->body[0].end == t->n);
    CHECK(t->nv == b->abs->nv - rows_of_tree(b)); // every row of the tree takes a freedom
    CHECK(t->ncut + t->ncoupling + (t->n - 1) >= b->m.model->joints.count);
    int nv = 0, nq = 0, last = 1;
    for (int k = 1; k < t->n; k++) {
        const tn_tree_body *body = &t->body[k], *below = &t->body[body->parent];
        CHECK(body->parent < k && k < body->end && body->end <= below->end);
        CHECK(t->place[body->body] == k && body->v0 == nv && body->q0 == nq);
        nv += body->nv;
        nq += body->nq;
        last = body->end > last ? body->end : last;
    }
    CHECK(nv == t->nv && nq == t->nq && last == t->n);
    nv = 0;
    for (int k = 0; k < t->ngroup; k++)
        nv += t->groups[k].nv;
    CHECK(nv == t->nv);
}

static void places_follow_their_predecessors(void)
{
    check_each(check_structure);
}

// Start frames that fit the joints come back.
static void check_assembly(bench *b)
{
    tn_frame frames[ROOM + 1];
    for (int k = 0; k <= b->m.nbody; k++)
        frames[k] = b->m.frame[k];
    tn_tree_coordinates(b->tree, frames, b->q);
    tn_tree_move(b->tree, b->q, NULL);
    for (int k = 1; k < b->tree->n; k++) {
        const int body = b->tree->body[k].body;
        const tn_frame there = body_frame(b->tree, k);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(there.p, frames[body].p)), 0.0, 1e-12);
        for (int i = 0; i < 9 && !b->m.point[body]; i++)
            CHECK_NEAR(there.R.m[i / 3][i % 3], frames[body].R.m[i / 3][i % 3], 1e-12);
    }
}

static void given_frames_come_back(void)
{
    check_each(check_assembly);
}

static void check_coordinates(bench *b)
{
    const tn_tree *t = b->tree;
    double *q1 = numbers(t->nq), *v1 = numbers(t->nv), *x = numbers(t->nv);
    tn_frame frames[ROOM + 1] = {tn_frame_identity};
    tn_twist twists[ROOM + 1] = {{{0, 0, 0}, {0, 0, 0}}};
    for (int k = 1; k < t->n; k++) {
        const int body = t->body[k].body;
        const tn_twist V = tn_tree_twist(t, k);
        frames[body] = body_frame(t, k);
        twists[body] = V;
        twists[body].v =
            tn_v3_add(V.v, tn_v3_cross(V.w, tn_v3_sub(frames[body].p, tn_tree_frame(t, k).p)));
    }
    tn_tree_coordinates(t, frames, q1);
    tn_group_difference(t->ngroup, t->groups, b->q, q1, x);
    CHECK_NEAR(tn_norm_inf(t->nv, x), 0.0, 1e-12);
    tn_tree_velocities(t, twists, v1);
    for (int i = 0; i < t->nv; i++)
        CHECK_NEAR(v1[i], b->v[i], 1e-11);
    free(q1);
    free(v1);
    free(x);
}

static void coordinates_and_velocities_come_back(void)
{
    check_each(check_coordinates);
}

// Kinematics --------------------------------------------------------------------------------------

// Rows of the tree's joints vanish with their rates: the absolute system sees the same mechanism.
static void check_rows(bench *b)
{
    const tn_point at = {.q = b->aq, .v = b->av, .r = b->ar};
    CHECK_OK(tn_system_eval(b->abs, &at, TN_EVAL_G | TN_EVAL_GDOT));
    for (int k = 1; k < b->tree->n; k++) {
        const int joint = b->tree->body[k].joint;
        for (int i = 0; joint >= 0 && i < tn_joint_row_count(b->m.model, (tn_joint){joint}); i++) {
            const int row = tn_absolute_joint_row(b->abs, joint) + i;
            CHECK_NEAR(b->abs->g[row], 0.0, 1e-12);
            CHECK_NEAR(b->abs->gdot[row], 0.0, 1e-11);
        }
    }
}

static void rows_of_the_joints_vanish(void)
{
    check_each(check_rows);
}

static void move_by(bench *b, double h, double *q)
{
    double *x = numbers(b->tree->nv);
    tn_axpy(b->tree->nv, h, b->v, x);
    tn_group_retract(b->tree->ngroup, b->tree->groups, b->q, x, q);
    tn_tree_move(b->tree, q, b->v); // v constant
    free(x);
}

static void check_velocities(bench *b)
{
    double *q = numbers(b->tree->nq);
    tn_frame frame[2][ROOM + 1];
    for (int side = 0; side < 2; side++) {
        move_by(b, side ? STEP : -STEP, q);
        for (int k = 1; k < b->tree->n; k++)
            frame[side][k] = tn_tree_frame(b->tree, k);
    }
    tn_tree_move(b->tree, b->q, b->v);
    for (int k = 1; k < b->tree->n; k++) {
        const tn_twist V = tn_tree_twist(b->tree, k);
        const tn_vec3 u = tn_v3_scale(0.5 / STEP, tn_v3_sub(frame[1][k].p, frame[0][k].p));
        const tn_mat3 turn = tn_m3_mul(frame[1][k].R, tn_m3_transpose(frame[0][k].R));
        const tn_vec3 w = tn_v3_scale(0.5 / STEP, tn_so3_log(turn));
        const double size = 1.0 + tn_v3_norm(V.w) * tn_v3_norm(V.w) * tn_v3_norm(V.w);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(u, V.v)), 0.0, TRUNCATION * size);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(w, V.w)), 0.0, TRUNCATION * size);
    }
    free(q);
}

static void velocities_match_differences(void)
{
    check_each(check_velocities);
}

// Columns are the twists of unit velocities, and their rates match differences along the motion.
static void check_jacobian(bench *b)
{
    enum { MOST = 6 * ROOM };
    const int nv = b->tree->nv;
    const int k = 1 + random_int(b->tree->n - 1);
    const tn_vec3 local = random_vec3(0.5);
    tn_vec3 arm = tn_m3_apply(tn_tree_frame(b->tree, k).R, local);
    tn_twist J[MOST], Jdot[MOST], side[2][MOST];
    int index[MOST];
    double *unit = numbers(nv), *q = numbers(b->tree->nq);
    const int n = tn_tree_jacobian(b->tree, k, arm, index, J, Jdot);
    CHECK(n == tn_tree_path(b->tree, k));
    tn_vec3 u = {0, 0, 0}, w = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        u = tn_v3_axpy(b->v[index[i]], J[i].v, u);
        w = tn_v3_axpy(b->v[index[i]], J[i].w, w);
    }
    const tn_twist V = tn_tree_twist(b->tree, k);
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(w, V.w)), 0.0, 1e-12);
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(u, tn_v3_add(V.v, tn_v3_cross(V.w, arm)))), 0.0, 1e-12);
    for (int i = 0; i < n; i++) {
        unit[index[i]] = 1.0;
        tn_tree_move(b->tree, b->q, unit);
        const tn_twist W = tn_tree_twist(b->tree, k);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(W.w, J[i].w)), 0.0, 1e-12);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(tn_v3_add(W.v, tn_v3_cross(W.w, arm)), J[i].v)), 0.0,
                   1e-12);
        unit[index[i]] = 0.0;
    }
    for (int s = 0; s < 2; s++) {
        move_by(b, s ? STEP : -STEP, q);
        arm = tn_m3_apply(tn_tree_frame(b->tree, k).R, local);
        tn_tree_jacobian(b->tree, k, arm, index, side[s], NULL);
    }
    for (int i = 0; i < n; i++) {
        const tn_vec3 dv = tn_v3_scale(0.5 / STEP, tn_v3_sub(side[1][i].v, side[0][i].v));
        const tn_vec3 dw = tn_v3_scale(0.5 / STEP, tn_v3_sub(side[1][i].w, side[0][i].w));
        const double size = 1.0 + tn_v3_norm(V.w) * tn_v3_norm(V.w) * tn_v3_norm(V.w);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(dv, Jdot[i].v)), 0.0, TRUNCATION * size);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(dw, Jdot[i].w)), 0.0, TRUNCATION * size);
    }
    free(unit);
    free(q);
}

static void jacobians_match_differences(void)
{
    check_each(check_jacobian);
}

// Dynamics ----------------------------------------------------------------------------------------

// Random wrenches, the same on the tree and in the forces of absolute coordinates.
static void random_loads(bench *b, double *f)
{
    for (int k = 1; k < b->tree->n; k++) {
        const int body = b->tree->body[k].body;
        const tn_body_kind kind = b->m.model->bodies.at[body].kind;
        const bool point = kind == TN_BODY_POINT || kind == TN_BODY_POINT_2D;
        const bool own_axes = !point && random_int(2) == 0;
        int v0;
        const int nv = tn_absolute_body_velocity(b->abs, body, &v0);
        tn_wrench load = {random_vec3(5.0), point ? tn_v3(0, 0, 0) : random_vec3(3.0)};
        const tn_mat3 R = body_frame(b->tree, k).R;
        tn_tree_add_load_at_com(b->tree, k, load,
                                own_axes ? TN_TREE_BODY_AXES : TN_TREE_WORLD_AXES);
        if (own_axes)
            load = (tn_wrench){tn_m3_apply(R, load.f), tn_m3_apply(R, load.m)};
        const double x[3] = {load.f.x, load.f.y, kind == TN_BODY_PLANAR ? load.m.z : load.f.z};
        double turn[3];
        tn_v3_to(tn_m3_apply_t(R, load.m), turn);
        tn_axpy(nv < 3 ? nv : 3, 1.0, x, f + v0);
        if (nv == 6)
            tn_axpy(3, 1.0, turn, f + v0 + 3);
    }
}

// M a + B^T lambda = f, B a = -gamma with the rows of the tree's joints alone.
typedef struct kkt {
    int n;
    double *A, *x;
    double *lambda; // all rows of the absolute system, zero where they are not in the tree
} kkt;

static kkt solve_kkt(bench *b, const double *loads)
{
    tn_system *s = b->abs;
    const tn_point at = {.q = b->aq, .v = b->av, .r = b->ar};
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_GAMMA));
    const int rows = rows_of_tree(b), n = s->nv + rows;
    kkt w = {n, numbers(n * n), numbers(n), numbers(s->ng)};
    double *M = numbers(s->nv * s->nv), *B = numbers(s->ng * s->nv);
    int *pivot = calloc((size_t)n + 1, sizeof(int)), next = s->nv;
    CHECK(pivot != NULL);
    tn_sparse_to_dense(s->block[TN_BLOCK_M], M);
    tn_sparse_to_dense(s->block[TN_BLOCK_B], B);
    for (int i = 0; i < s->nv; i++) {
        for (int j = 0; j < s->nv; j++)
            w.A[i + n * j] = M[i + s->nv * j];
        w.x[i] = s->f[i] + loads[i];
    }
    for (int pass = 0; pass < 2; pass++, next = s->nv) {
        for (int k = 1; k < b->tree->n; k++) {
            const int joint = b->tree->body[k].joint;
            const int count = joint < 0 ? 0 : tn_joint_row_count(b->m.model, (tn_joint){joint});
            for (int i = 0; i < count; i++, next++) {
                const int row = tn_absolute_joint_row(s, joint) + i;
                for (int j = 0; j < s->nv && pass == 0; j++)
                    w.A[next + n * j] = w.A[j + n * next] = B[row + s->ng * j];
                if (pass == 0)
                    w.x[next] = -s->gamma[row];
                else
                    w.lambda[row] = w.x[next];
            }
        }
        if (pass == 0) {
            CHECK_OK(tn_lu_factor(n, w.A, pivot));
            tn_lu_solve(n, w.A, pivot, w.x);
        }
    }
    free(M);
    free(B);
    free(pivot);
    return w;
}

static void close_kkt(kkt *w)
{
    free(w->A);
    free(w->x);
    free(w->lambda);
}

// Accelerations of the centres of mass and of the turning in body axes.
static void check_body_accelerations(const bench *b, const kkt *w)
{
    const double size = size_of(b->abs->nv, w->x);
    for (int k = 1; k < b->tree->n; k++) {
        const int body = b->tree->body[k].body;
        int v0;
        const int nv = tn_absolute_body_velocity(b->abs, body, &v0);
        const tn_twist a = tn_tree_acceleration(b->tree, k), V = tn_tree_twist(b->tree, k);
        const tn_vec3 c = tn_tree_com(b->tree, k);
        const tn_vec3 swing = tn_v3_cross(V.w, tn_v3_cross(V.w, c));
        const tn_vec3 com = tn_v3_add(a.v, tn_v3_add(tn_v3_cross(a.w, c), swing));
        const bool planar = b->m.model->bodies.at[body].kind == TN_BODY_PLANAR;
        const double x[3] = {com.x, com.y, planar ? a.w.z : com.z};
        double turn[3];
        tn_v3_to(tn_m3_apply_t(body_frame(b->tree, k).R, a.w), turn);
        for (int i = 0; i < nv; i++)
            CHECK_NEAR(i < 3 ? x[i] : turn[i - 3], w->x[v0 + i], ROUNDOFF * size);
    }
}

static void check_reactions(const bench *b, const kkt *w)
{
    const tn_point at = {.q = b->aq, .v = b->av, .r = b->ar, .lambda = w->lambda};
    const double size = size_of(b->abs->ng, w->lambda);
    for (int k = 1; k < b->tree->n; k++) {
        const int joint = b->tree->body[k].joint;
        tn_wrench own;
        if (joint < 0)
            continue;
        const tn_wrench wanted = tn_absolute_reaction(b->abs, &at, joint);
        CHECK(tn_tree_joint_reaction(b->tree, joint, &own));
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(own.f, wanted.f)), 0.0, 10.0 * ROUNDOFF * size);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(own.m, wanted.m)), 0.0, 10.0 * ROUNDOFF * size);
    }
}

static void check_explicit(bench *b)
{
    const int nv = b->tree->nv;
    double *loads = numbers(b->abs->nv);
    random_loads(b, loads);
    kkt w = solve_kkt(b, loads);
    CHECK_OK(tn_tree_accelerate(b->tree, NULL, b->a));
    tn_tree_residual(b->tree, NULL, b->a, b->r);
    CHECK_NEAR(tn_norm_inf(nv, b->r), 0.0, ROUNDOFF * size_of(b->abs->nv, w.x));
    check_body_accelerations(b, &w);
    check_reactions(b, &w);
    close_kkt(&w);
    free(loads);
}

static void accelerations_and_reactions_are_those_of_absolute_coordinates(void)
{
    check_each(check_explicit);
}

// tau enters the explicit and the residual formalism alike, and the loads as J^T load.
static void check_forces(bench *b)
{
    const int nv = b->tree->nv;
    double *loads = numbers(b->abs->nv), *f = numbers(nv), *zero = numbers(nv);
    tn_tree_residual(b->tree, NULL, NULL, zero); // -f without loads
    random_loads(b, loads);
    tn_tree_generalised(b->tree, f);
    tn_tree_residual(b->tree, NULL, NULL, b->r);
    const double size = size_of(nv, zero) + size_of(nv, f);
    for (int i = 0; i < nv; i++)
        CHECK_NEAR(b->r[i], zero[i] - f[i], ROUNDOFF * size);
    tn_tree_clear_loads(b->tree);
    CHECK_OK(tn_tree_accelerate(b->tree, f, b->a)); // as tau
    tn_tree_residual(b->tree, f, b->a, b->r);
    CHECK_NEAR(tn_norm_inf(nv, b->r), 0.0, ROUNDOFF * size_of(nv, b->a));
    free(loads);
    free(f);
    free(zero);
}

static void generalised_forces_are_those_of_the_loads(void)
{
    check_each(check_forces);
}

static void check_mass(bench *b)
{
    const int nv = b->tree->nv;
    double *M = numbers(nv * nv), *x = numbers(nv), *f = numbers(nv);
    tn_tree_mass(b->tree, M);
    const double size = size_of(nv * nv, M);
    for (int j = 0; j < nv; j++) {
        tn_zero(nv, x);
        x[j] = 1.0;
        tn_tree_times_mass(b->tree, x, x);
        for (int i = 0; i < nv; i++)
            CHECK_NEAR(M[i + nv * j], x[i], 1e-13 * size);
    }
    for (int both = 0; both < 2; both++) {
        if (both)
            CHECK_OK(tn_tree_accelerate(b->tree, NULL, b->a)); // leaves the same factors
        else
            CHECK_OK(tn_tree_factor(b->tree));
        for (int j = 0; j < nv; j++) {
            tn_copy(nv, M + (size_t)nv * (size_t)j, x);
            tn_tree_solve(b->tree, x);
            for (int i = 0; i < nv; i++)
                CHECK_NEAR(x[i], i == j, 1e-9); // condition of M
        }
    }
    // kinetic energy
    double sum = 0.0;
    tn_tree_times_mass(b->tree, b->v, f);
    const tn_point at = {.q = b->aq, .v = b->av, .r = b->ar, .lambda = numbers(b->abs->ng)};
    tn_energy energy;
    b->abs->ops->energy(b->abs, &at, &energy);
    free((double *)at.lambda);
    sum = 0.5 * tn_dot(nv, b->v, f);
    CHECK_NEAR(sum, energy.kinetic, 1e-12 * fmax(1.0, energy.kinetic));
    free(M);
    free(x);
    free(f);
}

static void mass_matrices_agree(void)
{
    check_each(check_mass);
}

static const tn_test tests[] = {
    {"places follow their predecessors", places_follow_their_predecessors},
    {"given frames come back", given_frames_come_back},
    {"coordinates and velocities come back", coordinates_and_velocities_come_back},
    {"rows of the joints vanish", rows_of_the_joints_vanish},
    {"velocities match differences", velocities_match_differences},
    {"jacobians match differences", jacobians_match_differences},
    {"accelerations and reactions are those of absolute coordinates",
     accelerations_and_reactions_are_those_of_absolute_coordinates},
    {"generalised forces are those of the loads", generalised_forces_are_those_of_the_loads},
    {"mass matrices agree", mass_matrices_agree},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
