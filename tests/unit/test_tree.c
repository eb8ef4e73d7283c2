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
#include "tree/tree.h"

enum { SEEDS = 240 };

// Relative to the largest number: some thousand operations and the condition of the mechanisms.
static const double ROUNDOFF = 1e-12;
static const double STEP = 1e-5; // of central differences, error h^2 / 6 times third derivatives
static const double TRUNCATION = 1e-9;

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
    return tn_frame_mul(tn_tree_frame(tree, k), tn_frame_inverse(tree->body[k].attachment));
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
        const bool planar = b->m.model->bodies.at[body].ops->turns == 1;
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

static bench bench_of(mechanism m)
{
    bench b = {.m = m};
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

static bench open_bench(int seed, int bodies)
{
    return bench_of(random_mechanism_of(seed, bodies));
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
            rows += tn_model_joint_row_count(b->m.model, (tn_joint){b->tree->body[k].joint});
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
    tn_tree_velocities(t, twists, 1.0, v1);
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
        for (int i = 0; joint >= 0 && i < tn_model_joint_row_count(b->m.model, (tn_joint){joint});
             i++) {
            const int row = tn_absolute_joint_row(b->abs, joint, i);
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

// Columns are the twists of unit velocities.
static void check_jacobian(bench *b)
{
    enum { MOST = 6 * ROOM };
    const int nv = b->tree->nv;
    const int k = 1 + random_int(b->tree->n - 1);
    const tn_vec3 local = random_vec3(0.5);
    const tn_vec3 arm = tn_m3_apply(tn_tree_frame(b->tree, k).R, local);
    tn_twist J[MOST];
    int index[MOST];
    double *unit = numbers(nv);
    const int n = tn_tree_variation(b->tree, k, arm, index, J, NULL);
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
    free(unit);
}

static void jacobians_are_twists_of_unit_velocities(void)
{
    check_each(check_jacobian);
}

// Dynamics ----------------------------------------------------------------------------------------

// At the centre of mass, in world axes.
static void add_load(tn_tree *tree, int k, tn_wrench load)
{
    load.m = tn_v3_add(load.m, tn_v3_cross(tn_tree_com(tree, k), load.f));
    tn_tree_add_load(tree, k, load);
}

// Random wrenches, the same on the tree and in the forces of absolute coordinates.
static void random_loads(bench *b, double *f)
{
    for (int k = 1; k < b->tree->n; k++) {
        const int body = b->tree->body[k].body;
        const bool point = b->m.model->bodies.at[body].ops->turns == 0;
        int v0;
        const int nv = tn_absolute_body_velocity(b->abs, body, &v0);
        tn_wrench load = {random_vec3(5.0), point ? tn_v3(0, 0, 0) : random_vec3(3.0)};
        const tn_mat3 R = body_frame(b->tree, k).R;
        add_load(b->tree, k, load);
        const double x[3] = {load.f.x, load.f.y,
                             b->m.model->bodies.at[body].ops->turns == 1 ? load.m.z : load.f.z};
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
            const int count =
                joint < 0 ? 0 : tn_model_joint_row_count(b->m.model, (tn_joint){joint});
            for (int i = 0; i < count; i++, next++) {
                const int row = tn_absolute_joint_row(s, joint, i);
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
        const bool planar = b->m.model->bodies.at[body].ops->turns == 1;
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
    CHECK_OK(tn_tree_accelerate(b->tree, NULL, b->a, NULL));
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

// tau enters the explicit and the residual formalism alike, and as loads that do the same.
static void check_forces(bench *b)
{
    const int nv = b->tree->nv;
    double *loads = numbers(b->abs->nv), *f = numbers(nv), *zero = numbers(nv);
    double *with_loads = numbers(nv);
    tn_tree_residual(b->tree, NULL, NULL, zero); // -f without loads
    random_loads(b, loads);
    tn_tree_residual(b->tree, NULL, NULL, b->r);
    for (int i = 0; i < nv; i++)
        f[i] = zero[i] - b->r[i]; // of the loads
    CHECK_OK(tn_tree_accelerate(b->tree, NULL, with_loads, NULL));
    tn_tree_clear_loads(b->tree);
    CHECK_OK(tn_tree_accelerate(b->tree, f, b->a, NULL)); // as tau
    tn_tree_residual(b->tree, f, b->a, b->r);
    CHECK_NEAR(tn_norm_inf(nv, b->r), 0.0, ROUNDOFF * size_of(nv, b->a));
    for (int i = 0; i < nv; i++)
        CHECK_NEAR(b->a[i], with_loads[i], 1e-9 * (1.0 + size_of(nv, b->a)));
    free(loads);
    free(with_loads);
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
            CHECK_OK(tn_tree_accelerate(b->tree, NULL, b->a, NULL)); // leaves the same factors
        else
            CHECK_OK(tn_tree_factor(b->tree, NULL));
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

// Rows that see two places are those of their Jacobians, and are reduced along the ways of these as
// any vector is in the whole tree.
static void check_ways(bench *b)
{
    enum { MOST = 6 * ROOM, ROWS = 3 };
    const int nv = b->tree->nv;
    double *x = numbers(nv * ROWS), *one = numbers(nv * ROWS);
    int at[2][MOST];
    tn_tree_end end[2];
    CHECK_OK(tn_tree_factor(b->tree, NULL));
    for (int m = 0; m < 2; m++) {
        const int k = 1 + random_int(b->tree->n - 1);
        tn_twist J[MOST];
        tn_wrench w[ROWS];
        end[m] =
            (tn_tree_end){k, tn_tree_variation(b->tree, k, tn_v3(0, 0, 0), at[m], J, NULL), at[m]};
        for (int i = 0; i < ROWS; i++)
            w[i] = (tn_wrench){random_vec3(1.0), random_vec3(1.0)};
        for (int c = 0; c < end[m].n; c++)
            for (int i = 0; i < ROWS; i++)
                one[at[m][c] + nv * i] += tn_power(w[i], J[c]);
        for (int c = 0; c < end[m].n; c++)
            at[m][c] *= ROWS;
        tn_tree_add_rows(b->tree, &end[m], ROWS, w, x);
    }
    const double size = size_of(nv * ROWS, one);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < nv; k++)
            CHECK_NEAR(x[ROWS * k + i], one[k + nv * i], ROUNDOFF * size);
    tn_tree_reduce_rows(b->tree, 2, end, ROWS, x);
    for (int i = 0; i < ROWS; i++) {
        tn_tree_reduce(b->tree, one + nv * i);
        const double most = size_of(nv, one + nv * i);
        for (int k = 0; k < nv; k++)
            CHECK_NEAR(x[ROWS * k + i], one[k + nv * i], ROUNDOFF * most);
    }
    free(x);
    free(one);
}

static void rows_go_along_their_ways(void)
{
    check_each(check_ways);
}

// Special mechanisms ------------------------------------------------------------------------------

static tn_joint add_joint(tn_model *model, tn_joint_kind kind, tn_body a, tn_body b)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.p = tn_v3(0.3, -0.2, 0.0);
    return tn_model_add_joint(model, &def);
}

static const tn_vec3 ones = {1, 1, 1};

// Two ways to the last body: the loop is cut where that leaves the fewest rows.
static void loops_are_cut_at_the_joint_with_most_freedoms(void)
{
    tn_model *model = tn_model_create();
    tn_tree *t;
    tn_body b[4] = {TN_GROUND};
    for (int k = 1; k < 4; k++)
        b[k] = add_link(model, TN_BODY_RIGID, 1.0, ones);
    const tn_joint ball = add_joint(model, TN_JOINT_SPHERICAL, TN_GROUND, b[1]);
    add_joint(model, TN_JOINT_REVOLUTE, b[1], b[2]);
    add_joint(model, TN_JOINT_UNIVERSAL, b[2], b[3]);
    add_joint(model, TN_JOINT_REVOLUTE, b[3], TN_GROUND);
    CHECK_OK(tn_tree_create(model, &t));
    CHECK(t->ncut == 1 && t->cut[0] == ball.index && t->nv == 4 && t->ncoupling == 0);
    CHECK(t->body[t->place[3]].parent == 0 && t->body[t->place[3]].turned);
    CHECK(t->body[t->place[2]].parent == t->place[3] && t->body[t->place[2]].turned);
    CHECK(t->body[t->place[1]].parent == t->place[2] && t->body[t->place[1]].turned);
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

// A ring of equal joints is cut opposite to the ground, which halves its depth.
static void paths_are_short(void)
{
    enum { RING = 9 };
    tn_model *model = tn_model_create();
    tn_tree *t;
    tn_body last = TN_GROUND;
    for (int k = 0; k < RING; k++) {
        const tn_body next = add_link(model, TN_BODY_RIGID, 1.0, ones);
        add_joint(model, TN_JOINT_REVOLUTE, last, next);
        last = next;
    }
    add_joint(model, TN_JOINT_REVOLUTE, last, TN_GROUND);
    CHECK_OK(tn_tree_create(model, &t));
    CHECK(t->ncut == 1 && t->nv == RING);
    for (int k = 1; k < t->n; k++)
        CHECK(tn_tree_path(t, k) <= (RING + 1) / 2);
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

// Light subtrees first: places of the heavy one are the last.
static void heavy_subtrees_come_last(void)
{
    tn_model *model = tn_model_create();
    tn_tree *t;
    const tn_body hub = add_link(model, TN_BODY_RIGID, 1.0, ones);
    add_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, hub);
    for (int arm = 4; arm > 0; arm--) { // arms of 4, 3, 2, 1 bodies
        tn_body last = hub;
        for (int k = 0; k < arm; k++) {
            const tn_body next = add_link(model, TN_BODY_RIGID, 1.0, ones);
            add_joint(model, TN_JOINT_REVOLUTE, last, next);
            last = next;
        }
    }
    CHECK_OK(tn_tree_create(model, &t));
    static const int sizes[] = {1, 2, 3, 4};
    for (int k = 2, arm = 0; k < t->n; k = t->body[k].end, arm++)
        CHECK(t->body[k].parent == 1 && t->body[k].end - k == sizes[arm]);
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

// A planar trolley carries a rigid arm, along whose line a point mass slides, another point in a
// plane of its own, and a second planar body at another height. The plane holds the trolley.
static mechanism trolley(void)
{
    mechanism m = {.model = tn_model_create(), .nbody = 5};
    tn_model_set_gravity(m.model, tn_v3(1.0, -2.0, -9.81));
    tn_body_def body = random_link(true);
    body.frame.p.z = 0.7;
    const tn_body cart = tn_model_add_body(m.model, &body);
    body = random_link(false);
    const tn_body arm = tn_model_add_body(m.model, &body);
    body = random_link(true);
    body.frame.p.z = 1.1;
    const tn_body plate = tn_model_add_body(m.model, &body);
    tn_body point[2];
    for (int k = 0; k < 2; k++)
        point[k] = add_link(m.model, TN_BODY_POINT, 0.5, tn_v3(0, 0, 0));
    const tn_joint_kind kinds[] = {TN_JOINT_UNIVERSAL, TN_JOINT_POINT_ON_LINE,
                                   TN_JOINT_POINT_IN_PLANE, TN_JOINT_REVOLUTE};
    const tn_body a[] = {cart, arm, cart, cart}, b[] = {arm, point[0], point[1], plate};
    for (int k = 0; k < TN_COUNT(kinds); k++) {
        tn_joint_def joint = tn_default_joint(kinds[k]);
        joint.body_a = a[k];
        joint.body_b = b[k];
        joint.frame_a = joint_frame(b[k].index == plate.index);
        if (b[k].index == arm.index)
            joint.frame_b = joint_frame(false);
        tn_model_add_joint(m.model, &joint);
    }
    m.point[point[0].index] = m.point[point[1].index] = true;
    CHECK_OK(tn_model_status(m.model));
    return m;
}

static void planes_carry_bodies_of_space(void)
{
    for (int k = 0; k < 20; k++) {
        bench b = bench_of(trolley());
        const int plate = b.tree->place[3];
        CHECK(b.tree->ncut == 0 && b.tree->ncoupling == 0 && b.tree->nv == 3 + 2 + 1 + 1 + 2);
        CHECK_NEAR(body_frame(b.tree, plate).p.z, 1.1, 1e-15);
        check_rows(&b);
        check_explicit(&b);
        tn_tree_clear_loads(b.tree);
        check_mass(&b);
        close_bench(&b);
    }
}

static void check_singular(tn_model *model, int body)
{
    tn_tree *t;
    double q[16] = {0}, a[16];
    CHECK_OK(tn_tree_create(model, &t));
    for (int k = 0; k < t->ngroup; k++)
        if (t->groups[k].kind != TN_GROUP_R)
            q[t->groups[k].q0 + tn_group_turn(&t->groups[k])] = 1.0;
    tn_tree_move(t, q, NULL);
    int singular = 0;
    CHECK_STATUS(tn_tree_accelerate(t, NULL, a, &singular), TN_RETRY_SINGULAR);
    CHECK(t->body[singular].body == body);
    CHECK_STATUS(tn_tree_factor(t, &singular), TN_RETRY_SINGULAR);
    CHECK(t->body[singular].body == body);
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

static void bodies_without_inertia_are_named(void)
{
    const tn_vec3 none = {0, 0, 0};
    static const tn_joint_kind kinds[] = {TN_JOINT_REVOLUTE, TN_JOINT_PRISMATIC, TN_JOINT_SPHERICAL,
                                          TN_JOINT_CYLINDRICAL};
    for (int i = 0; i < TN_COUNT(kinds); i++) { // a massless leaf
        tn_model *model = tn_model_create();
        const tn_body base = add_link(model, TN_BODY_RIGID, 1.0, ones);
        const tn_body leaf = add_link(model, TN_BODY_RIGID, 0.0, none);
        add_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, base);
        add_joint(model, kinds[i], base, leaf);
        check_singular(model, leaf.index);
    }
    for (int i = 0; i < 2; i++) { // the same in the plane
        tn_model *model = tn_model_create();
        const tn_body base = add_link(model, TN_BODY_PLANAR, 1.0, ones);
        const tn_body leaf = add_link(model, TN_BODY_PLANAR, 0.0, none);
        add_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, base);
        add_joint(model, kinds[i], base, leaf);
        check_singular(model, leaf.index);
    }
    { // a massless body between two equal axes
        tn_model *model = tn_model_create();
        const tn_body cross = add_link(model, TN_BODY_RIGID, 0.0, none);
        const tn_body leaf = add_link(model, TN_BODY_RIGID, 1.0, ones);
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_b = cross;
        tn_model_add_joint(model, &pin);
        pin.body_a = cross;
        pin.body_b = leaf;
        tn_model_add_joint(model, &pin);
        check_singular(model, cross.index);
    }
    { // free: no moment about z
        tn_model *model = tn_model_create();
        const tn_body rod = add_link(model, TN_BODY_RIGID, 1.0, tn_v3(1.0, 1.0, 0.0));
        check_singular(model, rod.index);
    }
}

// Evaluations are repeatable to the last bit and allocate nothing.
static void evaluations_repeat_and_allocate_nothing(void)
{
    bench b = open_bench(9, 60);
    const int nv = b.tree->nv;
    double *first = numbers(nv), *r = numbers(nv);
    const long count = tn_test_alloc_count();
    CHECK_OK(tn_tree_accelerate(b.tree, NULL, first, NULL));
    for (int k = 0; k < 3; k++) {
        tn_tree_move(b.tree, b.q, b.v);
        tn_tree_residual(b.tree, NULL, b.a, r);
        tn_tree_times_mass(b.tree, b.v, r);
        CHECK_OK(tn_tree_factor(b.tree, NULL));
        tn_tree_solve(b.tree, r);
        CHECK_OK(tn_tree_accelerate(b.tree, NULL, b.a, NULL));
        CHECK(memcmp(first, b.a, sizeof(double) * (size_t)nv) == 0);
    }
    CHECK(tn_test_alloc_count() == count);
    free(first);
    free(r);
    close_bench(&b);
}

static void failed_allocations_leave_nothing(void)
{
    mechanism m = random_mechanism_of(1, 20);
    const long live = tn_test_alloc_live();
    for (long n = 1;; n++) {
        tn_tree *t;
        tn_test_alloc_fail_at(n);
        const tn_status status = tn_tree_create(m.model, &t);
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(failed ? status == TN_ERR_MEMORY && !t : status == TN_OK);
        tn_tree_destroy(t);
        CHECK(tn_test_alloc_live() == live);
        if (!failed)
            break;
    }
    tn_model_destroy(m.model);
}

// A chain and a comb of some hundred bodies: what carries over forks and long stretches.
static void check_long(bool comb)
{
    enum { N = 400 };
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0, 0, -9.81));
    for (int k = 1; k <= N; k++) {
        tn_body_def body = random_link(false);
        tn_joint_def joint = tn_default_joint(k % 7 == 3    ? TN_JOINT_PRISMATIC
                                              : k % 11 == 5 ? TN_JOINT_SPHERICAL
                                                            : TN_JOINT_REVOLUTE);
        joint.body_a.index = comb && k > 1 ? k - 1 - (k % 3 == 0) : k - 1;
        joint.body_b = tn_model_add_body(model, &body);
        joint.frame_a = joint_frame(false);
        joint.frame_b = joint_frame(false);
        tn_model_add_joint(model, &joint);
    }
    tn_tree *t;
    CHECK_OK(tn_tree_create(model, &t));
    double *q = numbers(t->nq), *v = numbers(t->nv), *a = numbers(t->nv), *r = numbers(t->nv),
           *x = numbers(t->nv);
    random_state(t, q, v);
    tn_tree_move(t, q, v);
    CHECK_OK(tn_tree_accelerate(t, v, a, NULL)); // v as some tau
    tn_tree_residual(t, v, NULL, x);
    const double size = size_of(t->nv, a), force = size_of(t->nv, x);
    tn_tree_residual(t, v, a, r);
    CHECK_NEAR(tn_norm_inf(t->nv, r), 0.0, 1e-10 * force); // forces of hundreds of bodies cancel
    tn_tree_solve(t, x);
    for (int i = 0; i < t->nv; i++)
        CHECK_NEAR(-x[i], a[i], 1e-9 * size);
    free(q);
    free(v);
    free(a);
    free(r);
    free(x);
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

static void long_chains_and_combs_are_solved(void)
{
    check_long(false);
    check_long(true);
}

static void sines_and_cosines_are_accurate(void)
{
    enum { N = 1000 };
    static double x[N], s[N], c[N];
    for (double size = 1e-8; size < 1e8; size *= 10.0) { // beyond 1e6 by the library
        for (int i = 0; i < N; i++)
            x[i] = size * tn_random();
        x[0] = 0.0;
        x[1] = -0.0;
        x[2] = 1.57079632679489661923; // near zeros of either
        x[3] = 355.0;
        tn_sincos(N, x, s, c);
        CHECK(s[0] == 0.0 && c[0] == 1.0 && s[1] == 0.0);
        for (int i = 0; i < N; i++) {
            CHECK_NEAR(s[i], sin(x[i]), 2.3e-16); // a unit in the last place of one
            CHECK_NEAR(c[i], cos(x[i]), 2.3e-16);
        }
    }
    x[7] = NAN;
    x[8] = INFINITY;
    tn_sincos(N, x, s, c);
    CHECK(isnan(s[7]) && isnan(c[7]) && isnan(s[8]) && isnan(c[8]) && s[2] == sin(x[2]));
}

static const tn_test tests[] = {
    {"places follow their predecessors", places_follow_their_predecessors},
    {"given frames come back", given_frames_come_back},
    {"coordinates and velocities come back", coordinates_and_velocities_come_back},
    {"rows of the joints vanish", rows_of_the_joints_vanish},
    {"velocities match differences", velocities_match_differences},
    {"jacobians match differences", jacobians_are_twists_of_unit_velocities},
    {"accelerations and reactions are those of absolute coordinates",
     accelerations_and_reactions_are_those_of_absolute_coordinates},
    {"generalised forces are those of the loads", generalised_forces_are_those_of_the_loads},
    {"mass matrices agree", mass_matrices_agree},
    {"rows go along their ways", rows_go_along_their_ways},
    {"loops are cut at the joint with most freedoms",
     loops_are_cut_at_the_joint_with_most_freedoms},
    {"paths are short", paths_are_short},
    {"heavy subtrees come last", heavy_subtrees_come_last},
    {"planes carry bodies of space", planes_carry_bodies_of_space},
    {"bodies without inertia are named", bodies_without_inertia_are_named},
    {"evaluations repeat and allocate nothing", evaluations_repeat_and_allocate_nothing},
    {"failed allocations leave nothing", failed_allocations_leave_nothing},
    {"long chains and combs are solved", long_chains_and_combs_are_solved},
    {"sines and cosines are accurate", sines_and_cosines_are_accurate},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
