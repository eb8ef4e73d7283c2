// SPDX-License-Identifier: MIT
//
// The open chain of director systems: every kind of joint between all bodies that it can carry,
// walked either way, and trees of random mechanisms. The columns of P = I (1 - T)^-1 S are the
// derivatives of q along the coordinates of the chain, and all motions that its rows leave.

#include "coords/director_parts.h"
#include "probe.h"
#include "test.h"

#include "cross/random_mechanism.h"
#include "kinds/family.h"

// Entries are sums of up to a few dozen terms of size one, bodies some metres apart.
static const double ROUND = 1e-13;
// Differences of fourth order with steps of PROBE_STEP: 1e-16 / 2e-4 times coordinates of size ten.
static const double SLOPE = 1e-10;

typedef struct bench {
    tn_model *model;
    tn_system *world, *sys;
    tn_chain chain;
    tn_chain_block *block;
    double *y, *q, *P, *r;
} bench;

static double *room(int n)
{
    double *x = calloc((size_t)n + 1, sizeof(double));
    CHECK(x != NULL);
    return x;
}

static bench open_bench(tn_model *model)
{
    bench b = {.model = model};
    CHECK_OK(tn_model_status(model));
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &b.world));
    CHECK_OK(tn_director_create(b.world, &b.sys));
    CHECK_OK(b.sys->ops->chain->open(b.sys, &b.chain));
    b.block = calloc((size_t)b.chain.n + 1, sizeof *b.block);
    CHECK(b.block != NULL);
    b.y = room(b.chain.ny);
    b.q = room(b.sys->nq);
    b.P = room(b.sys->nv * b.chain.nw);
    b.r = room(b.sys->nr);
    return b;
}

static void close_bench(bench *b)
{
    free(b->block);
    free(b->y);
    free(b->q);
    free(b->P);
    free(b->r);
    tn_system_destroy(b->sys);
    tn_system_destroy(b->world);
    tn_model_destroy(b->model);
}

static void move_by(const bench *b, const double *y, const double *x, double *out)
{
    tn_group_retract(b->chain.ngroup, b->chain.groups, y, x, out);
}

// Any coordinates, turned by up to a radian.
static void random_coordinates(bench *b)
{
    double *x = room(b->chain.nw);
    tn_zero(b->chain.ny, b->y);
    for (int k = 0; k < b->chain.ngroup; k++)
        if (b->chain.groups[k].nq > b->chain.groups[k].nv)
            b->y[b->chain.groups[k].q0 + tn_group_turn(&b->chain.groups[k])] = 1.0;
    random_fill(b->chain.nw, x);
    move_by(b, b->y, x, b->y);
    free(x);
}

// v = P w by the blocks: X = T X_p + S w, v = I X.
static void product(const bench *b, const double *w, double *v)
{
    double *X = room(6 * b->chain.n);
    for (int k = 0; k < b->chain.n; k++) {
        const tn_chain_node *node = &b->chain.node[k];
        const tn_chain_block *block = &b->block[k];
        const int below = node->parent >= 0 ? b->chain.node[node->parent].nm : 0;
        for (int i = 0; i < below; i++)
            tn_axpy(node->nm, X[6 * node->parent + i], block->T + node->nm * i, X + 6 * k);
        for (int i = 0; i < node->nw; i++)
            tn_axpy(node->nm, w[node->w0 + i], block->S + node->nm * i, X + 6 * k);
        tn_zero(node->nv, v + node->v0);
        for (int i = 0; i < node->nm; i++)
            tn_axpy(node->nv, X[6 * k + i], block->I + node->nv * i, v + node->v0);
    }
    free(X);
}

// To the coordinates y, with P there.
static void place(bench *b)
{
    const tn_chain_ops *ops = b->sys->ops->chain;
    double *w = room(b->chain.nw);
    ops->to(b->sys, b->y, b->q);
    ops->blocks(b->sys, b->block);
    for (int j = 0; j < b->chain.nw; j++) {
        w[j] = 1.0;
        product(b, w, b->P + b->sys->nv * j);
        w[j] = 0.0;
    }
    free(w);
}

static tn_point point_of(const bench *b)
{
    return (tn_point){.q = b->q, .r = b->r};
}

// What is checked of every chain ------------------------------------------------------------------

static int rows_of_nodes(const bench *b)
{
    int sum = 0;
    for (int k = 0; k < b->chain.n; k++)
        sum += b->chain.node[k].nrow + b->chain.node[k].ninternal;
    return sum;
}

// Rows i0, …, i0 + n - 1 of B, dense from row `at` of G (ld rows).
static void copy_rows(const bench *b, int i0, int n, double *G, int at, int ld)
{
    for (int j = 0; j < b->sys->nv; j++)
        for (int i = 0; i < n; i++)
            G[at + i + ld * j] = tn_sparse_at(b->sys->block[TN_BLOCK_B], i0 + i, j);
}

static double smallest_over_largest(int m, int n, const double *A)
{
    const int most = m < n ? m : n;
    double *copy = room(m * n), *s = room(most);
    tn_copy(m * n, A, copy);
    if (most > 0)
        CHECK_OK(tn_singular_values(m, n, copy, s));
    const double ratio = most > 0 ? s[most - 1] / s[0] : 1.0;
    free(copy);
    free(s);
    return ratio;
}

// g = 0 and B P = 0 on the rows of the nodes, which are independent, and P has full rank. With as
// many columns as these rows leave, P then spans all motions that they allow.
static void check_null_space(bench *b)
{
    const tn_point at = point_of(b);
    const int nv = b->sys->nv, nw = b->chain.nw, m = rows_of_nodes(b);
    double *G = room(m * nv);
    CHECK(m + nw == nv);
    CHECK_OK(tn_system_eval(b->sys, &at, TN_EVAL_G | TN_EVAL_B));
    for (int k = 0, row = 0; k < b->chain.n; k++) {
        const tn_chain_node *node = &b->chain.node[k];
        for (int i = 0; i < node->nrow; i++)
            CHECK_NEAR(b->sys->g[node->row0 + i], 0.0, ROUND);
        for (int i = 0; i < node->ninternal; i++)
            CHECK_NEAR(b->sys->g[node->internal0 + i], 0.0, ROUND);
        copy_rows(b, node->row0, node->nrow, G, row, m);
        row += node->nrow;
        copy_rows(b, node->internal0, node->ninternal, G, row, m);
        row += node->ninternal;
    }
    for (int j = 0; j < nw; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0.0;
            for (int c = 0; c < nv; c++)
                sum += G[i + m * c] * b->P[c + nv * j];
            CHECK_NEAR(sum, 0.0, ROUND);
        }
    CHECK(smallest_over_largest(m, nv, G) > 1e-4);
    CHECK(smallest_over_largest(nv, nw, b->P) > 1e-4);
    free(G);
}

// d/de to(y o exp(e e_j)) is column j of P.
static void check_slopes(const bench *b)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    const int n = b->sys->nq;
    double *x = room(b->chain.nw), *y = room(b->chain.ny), *q = room(n), *slope = room(n);
    for (int j = 0; j < b->chain.nw; j++) {
        tn_zero(n, slope);
        for (int k = 0; k < 4; k++) {
            x[j] = at_step[k] * PROBE_STEP;
            move_by(b, b->y, x, y);
            b->sys->ops->chain->to(b->sys, y, q);
            tn_axpy(n, weight[k] / (12.0 * PROBE_STEP), q, slope);
        }
        x[j] = 0.0;
        for (int i = 0; i < n; i++)
            CHECK_NEAR(slope[i], b->P[i + n * j], SLOPE);
    }
    free(x);
    free(y);
    free(q);
    free(slope);
}

// from(to(y)) = y, and the velocities of P w are w.
static void check_inverses(const bench *b)
{
    const tn_chain_ops *ops = b->sys->ops->chain;
    const int nw = b->chain.nw;
    double *y = room(b->chain.ny), *q = room(b->sys->nq), *v = room(b->sys->nv);
    double *w = room(nw), *x = room(nw);
    ops->to(b->sys, b->y, q);
    ops->from(b->sys, q, y);
    tn_group_difference(b->chain.ngroup, b->chain.groups, b->y, y, x);
    for (int i = 0; i < nw; i++)
        CHECK_NEAR(x[i], 0.0, 10.0 * ROUND);
    random_fill(nw, w);
    product(b, w, v);
    ops->velocities(b->sys, v, x);
    for (int i = 0; i < nw; i++)
        CHECK_NEAR(x[i], w[i], 10.0 * ROUND);
    free(y);
    free(q);
    free(v);
    free(w);
    free(x);
}

// I alone at the same q is that of the blocks; at any q internal rows do not see rigid motions, and
// centres of mass move as they say.
static void check_rigid(bench *b)
{
    tn_chain_block *block = calloc((size_t)b->chain.n + 1, sizeof *block);
    double *q = room(b->sys->nq);
    CHECK(block != NULL);
    b->sys->ops->chain->rigid(b->sys, b->q, block);
    for (int k = 0; k < b->chain.n; k++)
        for (int i = 0; i < b->chain.node[k].nv * b->chain.node[k].nm; i++)
            CHECK_NEAR(block[k].I[i], b->block[k].I[i], 0.0);
    for (int i = 0; i < b->sys->nq; i++)
        q[i] = b->q[i] + 0.3 * tn_random();
    b->sys->ops->chain->rigid(b->sys, q, block);
    const tn_point at = {.q = q, .r = b->r};
    CHECK_OK(tn_system_eval(b->sys, &at, TN_EVAL_B));
    for (int k = 0; k < b->chain.n; k++) {
        const tn_chain_node *node = &b->chain.node[k];
        for (int j = 0; j < node->nm; j++) {
            for (int i = 0; i < node->ninternal; i++) {
                double sum = 0.0;
                for (int c = 0; c < node->nv; c++)
                    sum +=
                        tn_sparse_at(b->sys->block[TN_BLOCK_B], node->internal0 + i, node->v0 + c) *
                        block[k].I[c + node->nv * j];
                CHECK_NEAR(sum, 0.0, ROUND);
            }
            const int dim = node->ninternal > 0 ? (node->nm + 1) / 2 : node->nm;
            for (int c = 0; c < dim; c++)
                CHECK_NEAR(block[k].I[c + node->nv * j], c == j ? 1.0 : 0.0, 0.0);
        }
    }
    free(block);
    free(q);
}

static void check_chain(bench *b)
{
    random_coordinates(b);
    place(b);
    check_null_space(b);
    check_slopes(b);
    check_inverses(b);
    check_rigid(b);
}

// Every joint -------------------------------------------------------------------------------------

// A body on a base, by the kind of joint, with one more body behind it. False where the kind does
// not stand between the two.
static bool build_pair(tn_model *model, tn_joint_kind kind, tn_body base, tn_body_kind child,
                       bool turned)
{
    const tn_body body = random_body(model, child);
    const tn_body a = turned ? body : base, b = turned ? base : body;
    if (!joint_fits(model, kind, a, b))
        return false;
    random_joint(model, kind, a, b);
    if (!tn_body_has_rotation(model, body))
        return true;
    const tn_body last = random_body(model, child);
    random_joint(model, child == TN_BODY_PLANAR ? TN_JOINT_PIN_IN_SLOT : TN_JOINT_UNIVERSAL, body,
                 last);
    return true;
}

enum { BASES = 3 };

static tn_body random_base(tn_model *model, int k)
{
    if (k == 0)
        return TN_GROUND;
    return random_body(model, k == 1 ? TN_BODY_RIGID : TN_BODY_PLANAR);
}

static bool in_tree(const bench *b, int joint)
{
    const int row0 =
        ((const director *)b->sys)->ninternal + tn_absolute_joint_row(b->world, joint, 0);
    for (int k = 0; k < b->chain.n; k++)
        if (b->chain.node[k].nrow > 0 && b->chain.node[k].row0 == row0)
            return true;
    return false;
}

// How many of all cases have the joint in the chain.
static int check_kind(tn_joint_kind kind)
{
    int count = 0;
    for (int k = 0; k < BASES * TN_BODY_KIND_COUNT * 2; k++) {
        tn_model *model = tn_model_create();
        const tn_body base = random_base(model, k % BASES);
        const tn_body_kind child = (tn_body_kind)(k / BASES % TN_BODY_KIND_COUNT);
        if (!build_pair(model, kind, base, child, k / BASES / TN_BODY_KIND_COUNT)) {
            tn_model_destroy(model);
            continue;
        }
        bench b = open_bench(model);
        check_chain(&b);
        count += in_tree(&b, 0);
        close_bench(&b);
    }
    return count;
}

static void every_joint_leaves_its_freedoms(void)
{
    for (int kind = 0; kind < TN_JOINT_KIND_COUNT; kind++) {
        const int count = check_kind((tn_joint_kind)kind);
        if (tn_joint_ops_of(kind)->motion)
            CHECK(count > 0);
    }
}

static void random_mechanisms_are_trees_with_loops(void)
{
    for (int seed = 1; seed <= 60; seed++) {
        mechanism m = random_mechanism(seed);
        bench b = open_bench(m.model);
        check_chain(&b);
        close_bench(&b);
    }
    for (int seed = 61; seed <= 64; seed++) {
        mechanism m = random_mechanism_of(seed, 30);
        bench b = open_bench(m.model);
        check_chain(&b);
        close_bench(&b);
    }
}

// Closed forms ------------------------------------------------------------------------------------

// Two bodies that fly freely, on a joint.
static bench flying_pair(tn_joint_kind kind)
{
    tn_model *model = tn_model_create();
    const tn_body one = random_body(model, TN_BODY_RIGID), two = random_body(model, TN_BODY_RIGID);
    random_joint(model, kind, one, two);
    bench b = open_bench(model);
    CHECK(b.chain.n == 2 && b.chain.node[0].nw == 6 && b.chain.node[0].v0 == 0);
    random_coordinates(&b);
    place(&b);
    return b;
}

typedef struct flying {
    tn_mat3 A;        // directors
    tn_vec3 phi, rho; // centre of mass, and from there to the joint
    tn_mat3 joint;    // axes of the frame of the joint
} flying;

static flying flying_body(const bench *b, int k)
{
    const tn_joint_def *joint = b->model->joints.at[0].def;
    const tn_frame attachment = k == 0 ? joint->frame_a : joint->frame_b;
    const double *q = b->q + 12 * k;
    flying f = {.A = tn_m3_columns(tn_v3_from(q + 3), tn_v3_from(q + 6), tn_v3_from(q + 9)),
                .phi = tn_v3_from(q)};
    const tn_vec3 com = b->model->bodies.at[k + 1].def.com;
    f.rho = tn_m3_apply(f.A, tn_v3_sub(attachment.p, com));
    f.joint = tn_m3_mul(f.A, attachment.R);
    return f;
}

static void put3(double *column, int at, tn_vec3 x)
{
    tn_v3_to(x, column + at);
}

static void put_turns(double *column, const flying *f, tn_vec3 w)
{
    for (int k = 0; k < 3; k++)
        put3(column, 3 + 3 * k, tn_v3_cross(w, tn_m3_column(f->A, k)));
}

static void check_column(const bench *b, int j, const double *exact)
{
    for (int i = 0; i < 24; i++)
        CHECK_NEAR(b->P[i + 24 * j], exact[i], ROUND);
}

// [LMO08, eq. 83] with nu = (phi_1', w_1, w_2): phi_2' = phi_1' + w_1 x rho_1 - w_2 x rho_2.
static void spherical_velocity(const flying *f, tn_vec3 v, tn_vec3 w1, tn_vec3 w2, double *out)
{
    put3(out, 0, v);
    put_turns(out, &f[0], w1);
    put3(out, 12, tn_v3_sub(tn_v3_add(v, tn_v3_cross(w1, f[0].rho)), tn_v3_cross(w2, f[1].rho)));
    put_turns(out + 12, &f[1], w2);
}

// Freedoms of the chain: the base turns in its own axes and carries the other body, which turns
// against it about the axes of its frame of the joint.
static void spherical_pair_has_its_closed_form(void)
{
    static const tn_vec3 rest = {0, 0, 0};
    bench b = flying_pair(TN_JOINT_SPHERICAL);
    const flying f[2] = {flying_body(&b, 0), flying_body(&b, 1)};
    for (int j = 0; j < 3; j++) {
        double exact[24];
        spherical_velocity(f, tn_m3_column(tn_m3_identity, j), rest, rest, exact);
        check_column(&b, j, exact);
        const tn_vec3 own = tn_m3_column(f[0].A, j);
        spherical_velocity(f, rest, own, own, exact);
        check_column(&b, 3 + j, exact);
        spherical_velocity(f, rest, rest, tn_m3_column(f[1].joint, j), exact);
        check_column(&b, 6 + j, exact);
    }
    close_bench(&b);
}

// [LMO08, eq. 92] with nu = (phi_1', w_1, theta').
static void revolute_velocity(const flying *f, tn_vec3 v, tn_vec3 w, double theta, double *out)
{
    const tn_vec3 n = tn_m3_column(f[0].joint, 2);
    const tn_vec3 w2 = tn_v3_axpy(theta, n, w);
    const tn_vec3 carried = tn_v3_cross(w, tn_v3_sub(f[0].rho, f[1].rho));
    put3(out, 0, v);
    put_turns(out, &f[0], w);
    put3(out, 12, tn_v3_axpy(theta, tn_v3_cross(f[1].rho, n), tn_v3_add(v, carried)));
    put_turns(out + 12, &f[1], w2);
}

static void revolute_pair_has_its_closed_form(void)
{
    static const tn_vec3 rest = {0, 0, 0};
    bench b = flying_pair(TN_JOINT_REVOLUTE);
    const flying f[2] = {flying_body(&b, 0), flying_body(&b, 1)};
    double exact[24];
    for (int j = 0; j < 3; j++) {
        revolute_velocity(f, tn_m3_column(tn_m3_identity, j), rest, 0.0, exact);
        check_column(&b, j, exact);
        revolute_velocity(f, rest, tn_m3_column(f[0].A, j), 0.0, exact);
        check_column(&b, 3 + j, exact);
    }
    revolute_velocity(f, rest, rest, 1.0, exact);
    check_column(&b, 6, exact);
    close_bench(&b);
}

// Forms -------------------------------------------------------------------------------------------

static bool of_node(const bench *b, int row)
{
    for (int k = 0; k < b->chain.n; k++) {
        const tn_chain_node *node = &b->chain.node[k];
        if ((row >= node->row0 && row < node->row0 + node->nrow) ||
            (row >= node->internal0 && row < node->internal0 + node->ninternal))
            return true;
    }
    return false;
}

// Drives, gears and cut joints are rows of no node, and the chain moves along them.
static void what_is_no_joint_of_the_tree_is_left_over(void)
{
    tn_model *model = tn_model_create();
    const tn_body one = random_body(model, TN_BODY_RIGID), two = random_body(model, TN_BODY_RIGID);
    const tn_joint pin = random_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, one);
    const tn_joint rod = random_joint(model, TN_JOINT_CYLINDRICAL, two, one);
    use_coordinates(model, pin);
    couple(model, rod, pin);
    random_joint(model, TN_JOINT_SPHERICAL, TN_GROUND, two);
    random_pose_drive(model, two);
    bench b = open_bench(model);
    check_chain(&b);
    place(&b);
    const tn_point at = point_of(&b);
    CHECK_OK(tn_system_eval(b.sys, &at, TN_EVAL_B));
    int left = 0;
    for (int i = 0; i < b.sys->ng; i++) {
        const int row = i - ((const director *)b.sys)->ninternal;
        const int joint = row >= 0 ? tn_absolute_row_joint(b.world, row, NULL) : -1;
        const bool tree = joint < 0 || joint == pin.index || joint == rod.index;
        CHECK(of_node(&b, i) == tree);
        left += !tree;
        double most = 0.0;
        for (int j = 0; j < b.chain.nw; j++) {
            double sum = 0.0;
            for (int c = 0; c < b.sys->nv; c++)
                sum += tn_sparse_at(b.sys->block[TN_BLOCK_B], i, c) * b.P[c + b.sys->nv * j];
            most = fmax(most, fabs(sum));
        }
        CHECK(tree ? most < ROUND : most > 1e-3);
    }
    CHECK(left == b.sys->ng - rows_of_nodes(&b) && left > 10);
    close_bench(&b);
}

// The displacement of a screw tells its turns; other angles come back within half a turn.
static void turns_come_back_where_directors_tell(void)
{
    bench b = flying_pair(TN_JOINT_SCREW);
    double y[8];
    b.y[7] = 20.0;
    b.sys->ops->chain->to(b.sys, b.y, b.q);
    b.sys->ops->chain->from(b.sys, b.q, y);
    CHECK_NEAR(y[7], 20.0, 1e-12);
    close_bench(&b);
    b = flying_pair(TN_JOINT_REVOLUTE);
    b.y[7] = 20.0;
    b.sys->ops->chain->to(b.sys, b.y, b.q);
    b.sys->ops->chain->from(b.sys, b.q, y);
    CHECK_NEAR(y[7], 20.0 - 6.0 * 3.14159265358979323846, 1e-12);
    close_bench(&b);
}

// Blocks belong to the last y whatever is evaluated, and evaluations do not see the chain.
static void chain_and_evaluation_do_not_meet(void)
{
    mechanism m = random_mechanism(11);
    bench b = open_bench(m.model);
    random_coordinates(&b);
    place(&b);
    const tn_chain_block kept = b.block[1];
    double *q = room(b.sys->nq), *v = room(b.sys->nv), *f = room(b.sys->nv);
    tn_copy(b.sys->nq, b.q, q);
    random_fill(b.sys->nq, q);
    random_fill(b.sys->nv, v);
    const tn_point there = {.q = q, .v = v, .r = b.r};
    CHECK_OK(tn_system_eval(b.sys, &there, TN_EVAL_FORCE));
    tn_copy(b.sys->nv, b.sys->f, f);
    b.sys->ops->chain->blocks(b.sys, b.block);
    CHECK(!memcmp(&kept, &b.block[1], sizeof kept));
    b.sys->ops->chain->to(b.sys, b.y, b.q);
    CHECK_OK(tn_system_eval(b.sys, &there, TN_EVAL_FORCE));
    CHECK(!memcmp(f, b.sys->f, (size_t)b.sys->nv * sizeof *f));
    free(q);
    free(v);
    free(f);
    close_bench(&b);
}

static void memory_is_taken_once(void)
{
    mechanism m = random_mechanism(4);
    bench b = open_bench(m.model);
    random_coordinates(&b);
    double *v = room(b.sys->nv), *w = room(b.chain.nw);
    const tn_chain_ops *ops = b.sys->ops->chain;
    tn_chain again;
    const long before = tn_test_alloc_count();
    CHECK_OK(ops->open(b.sys, &again));
    ops->to(b.sys, b.y, b.q);
    ops->from(b.sys, b.q, b.y);
    ops->velocities(b.sys, v, w);
    ops->blocks(b.sys, b.block);
    ops->rigid(b.sys, b.q, b.block);
    CHECK(again.node == b.chain.node);
    CHECK(tn_test_alloc_count() == before);
    free(v);
    free(w);
    close_bench(&b);
}

static void opening_may_fail(void)
{
    mechanism m = random_mechanism(4);
    tn_system *world = NULL, *sys = NULL;
    CHECK_OK(tn_absolute_create(m.model, TN_ROTATION_SO3, false, &world));
    CHECK_OK(tn_director_create(world, &sys));
    const long before = tn_test_alloc_live();
    int count = 0;
    tn_chain chain;
    for (bool failed = true; failed; count += failed) {
        tn_test_alloc_fail_at(count + 1);
        const tn_status status = sys->ops->chain->open(sys, &chain);
        failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(status == (failed ? TN_ERR_MEMORY : TN_OK));
        CHECK(!failed || tn_test_alloc_live() == before);
    }
    CHECK(count >= 4);
    tn_system_destroy(sys);
    tn_system_destroy(world);
    tn_model_destroy(m.model);
}

static const tn_test tests[] = {
    {"every joint leaves its freedoms", every_joint_leaves_its_freedoms},
    {"random mechanisms are trees with loops", random_mechanisms_are_trees_with_loops},
    {"a spherical pair has its closed form", spherical_pair_has_its_closed_form},
    {"a revolute pair has its closed form", revolute_pair_has_its_closed_form},
    {"what is no joint of the tree is left over", what_is_no_joint_of_the_tree_is_left_over},
    {"turns come back where directors tell", turns_come_back_where_directors_tell},
    {"chain and evaluation do not meet", chain_and_evaluation_do_not_meet},
    {"memory is taken once", memory_is_taken_once},
    {"opening may fail", opening_may_fail},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
