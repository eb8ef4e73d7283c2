// SPDX-License-Identifier: MIT
//
// Algebra on open chains, on trees of random mechanisms in director coordinates: products with the
// null space matrix, kernels of carriers that belong to no position, impulses, solutions by
// elimination against a full matrix; and closed loops with rows that repeat others.

#include "coords/director.h"
#include "linalg/dense.h"
#include "motion/chain.h"
#include "motion/chain_loops.h"
#include "probe.h"
#include "test.h"

#include "cross/random_mechanism.h"

enum { SEEDS = 40 };

// Entries are sums of up to a few dozen terms of size one, bodies some metres apart.
static const double ROUND = 1e-12;
// Solutions of chains of up to 20 bodies lose three or four digits.
static const double SOLVED = 1e-9;

typedef struct bench {
    mechanism m;
    tn_system *world, *sys;
    tn_chain chain;
    tn_chain_block *P, *other; // in closed form, and for carriers
    tn_chain_joint *joints;
    int *of_row, *of_velocity;
    double *y, *q, *r, *X;
} bench;

static void *room(int n, size_t size)
{
    void *x = calloc((size_t)n + 1, size);
    CHECK(x != NULL);
    return x;
}

static double *numbers(int n)
{
    return room(n, sizeof(double));
}

// A position of the chain that differs from that of the last call.
static void place_anywhere(bench *b)
{
    double *x = numbers(b->chain.nw);
    random_fill(b->chain.nw, x);
    tn_group_retract(b->chain.ngroup, b->chain.groups, b->y, x, b->y);
    b->sys->ops->chain->to(b->sys, b->y, b->q);
    b->sys->ops->chain->blocks(b->sys, b->P);
    free(x);
}

static void start_coordinates(bench *b)
{
    for (int k = 0; k < b->chain.ngroup; k++)
        if (b->chain.groups[k].nq > b->chain.groups[k].nv)
            b->y[b->chain.groups[k].q0 + tn_group_turn(&b->chain.groups[k])] = 1.0;
}

static bench open_bench(int seed)
{
    bench b = {.m = random_mechanism_of(seed, 2 + seed % 19)};
    CHECK_OK(tn_absolute_create(b.m.model, TN_ROTATION_SO3, false, &b.world));
    CHECK_OK(tn_director_create(b.world, &b.sys));
    CHECK_OK(b.sys->ops->chain->open(b.sys, &b.chain));
    b.P = room(b.chain.n, sizeof *b.P);
    b.other = room(b.chain.n, sizeof *b.other);
    b.joints = room(b.chain.n, sizeof *b.joints);
    b.of_row = room(b.sys->ng, sizeof(int));
    b.of_velocity = room(b.sys->nv, sizeof(int));
    b.y = numbers(b.chain.ny);
    b.q = numbers(b.sys->nq);
    b.r = numbers(b.sys->nr);
    b.X = numbers(6 * b.chain.n);
    tn_chain_owners(&b.chain, b.sys->ng, b.of_row, b.of_velocity);
    start_coordinates(&b);
    place_anywhere(&b);
    return b;
}

static void close_bench(bench *b)
{
    void *all[] = {b->P, b->other, b->joints, b->of_row, b->of_velocity, b->y, b->q, b->r, b->X};
    for (int k = 0; k < TN_COUNT(all); k++)
        free(all[k]);
    tn_system_destroy(b->sys);
    tn_system_destroy(b->world);
    tn_model_destroy(b->m.model);
}

static void eval(const bench *b, const double *q)
{
    const tn_point at = {.q = q, .r = b->r};
    CHECK_OK(tn_system_eval(b->sys, &at, TN_EVAL_B | TN_EVAL_MASS));
}

// A carrier between two positions, where directors are not orthonormal, with blocks from here.
static void carry_middle(bench *b)
{
    double *q = numbers(b->sys->nq);
    tn_copy(b->sys->nq, b->q, q);
    memcpy(b->other, b->P, sizeof *b->P * (size_t)b->chain.n);
    double *x = numbers(b->chain.nw), *y = numbers(b->chain.ny), *q1 = numbers(b->sys->nq);
    random_fill(b->chain.nw, x);
    tn_scale(b->chain.nw, 0.3, x);
    tn_group_retract(b->chain.ngroup, b->chain.groups, b->y, x, y);
    b->sys->ops->chain->to(b->sys, y, q1);
    for (int i = 0; i < b->sys->nq; i++)
        q[i] = 0.5 * (q[i] + q1[i]);
    eval(b, q);
    b->sys->ops->chain->rigid(b->sys, q, b->other);
    CHECK_OK(tn_chain_carry(&b->chain, b->sys->block[TN_BLOCK_B], b->of_row, b->of_velocity,
                            b->other, b->joints));
    free(q);
    free(x);
    free(y);
    free(q1);
}

// Largest entry of the rows of A that the chain satisfies, times P w, for a random w.
static double misfit(const bench *b, const tn_chain_block *P)
{
    double *w = numbers(b->chain.nw), *v = numbers(b->sys->nv), *g = numbers(b->sys->ng);
    double most = 0.0;
    random_fill(b->chain.nw, w);
    tn_chain_expand(&b->chain, P, w, b->X, v);
    tn_sparse_mul(b->sys->block[TN_BLOCK_B], 1.0, v, g);
    for (int i = 0; i < b->sys->ng; i++)
        if (b->of_row[i] != TN_CHAIN_LOOP)
            most = fmax(most, fabs(g[i]));
    free(w);
    free(v);
    free(g);
    return most;
}

static void products_with_the_null_space_are_transposes_of_each_other(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        bench b = open_bench(seed);
        double *w = numbers(b.chain.nw), *v = numbers(b.sys->nv);
        double *f = numbers(b.sys->nv), *out = numbers(b.chain.nw);
        random_fill(b.chain.nw, w);
        random_fill(b.sys->nv, f);
        tn_chain_expand(&b.chain, b.P, w, b.X, v);
        tn_chain_reduce(&b.chain, b.P, f, b.X, out);
        CHECK_NEAR(tn_dot(b.sys->nv, f, v), tn_dot(b.chain.nw, out, w), 100.0 * ROUND);
        free(w);
        free(v);
        free(f);
        free(out);
        close_bench(&b);
    }
}

static void carriers_have_their_own_kernel(void)
{
    double before = 0.0, after = 0.0;
    for (int seed = 0; seed < SEEDS; seed++) {
        bench b = open_bench(seed);
        carry_middle(&b);
        before = fmax(before, misfit(&b, b.other));
        tn_chain_follow(&b.chain, b.joints, b.other);
        CHECK_NEAR(misfit(&b, b.other), 0.0, 10.0 * ROUND);
        after = fmax(after, misfit(&b, b.other));
        close_bench(&b);
    }
    printf("rows of joints on P: %.1e of the position, %.1e of the carrier\n", before, after);
    CHECK(before > 0.01); // there is something to follow
}

// From other T and S than those in closed form, at a position: the same motions. Nodes go on from
// each other, so that it is enough to see each of them by its freedoms: their number is the same.
static void at_a_position_elimination_finds_the_motions_in_closed_form(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        bench b = open_bench(seed);
        memcpy(b.other, b.P, sizeof *b.P * (size_t)b.chain.n);
        for (int k = 0; k < b.chain.n; k++)
            for (int i = 0; i < 36; i++) {
                b.other[k].T[i] += 0.3 * tn_random();
                b.other[k].S[i] += 0.3 * tn_random();
            }
        eval(&b, b.q);
        CHECK_OK(tn_chain_carry(&b.chain, b.sys->block[TN_BLOCK_B], b.of_row, b.of_velocity,
                                b.other, b.joints));
        tn_chain_follow(&b.chain, b.joints, b.other);
        CHECK_NEAR(misfit(&b, b.P), 0.0, 10.0 * ROUND);
        CHECK_NEAR(misfit(&b, b.other), 0.0, 10.0 * ROUND);
        close_bench(&b);
    }
}

// Random J: A^T J does no work on the kernel, and J is found again.
static void impulses_of_chains_are_found(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        bench b = open_bench(seed);
        const int nv = b.sys->nv, ng = b.sys->ng;
        double *J = numbers(ng), *found = numbers(ng), *f = numbers(nv), *rest = numbers(nv);
        double *out = numbers(b.chain.nw), *again = numbers(b.chain.nw);
        carry_middle(&b);
        random_fill(ng, J);
        for (int i = 0; i < ng; i++) // those of loops are given
            found[i] = b.of_row[i] == TN_CHAIN_LOOP ? J[i] : 7.0;
        tn_sparse_mul_t(b.sys->block[TN_BLOCK_B], 1.0, J, f);
        tn_chain_impulse(&b.chain, b.sys->block[TN_BLOCK_B], b.other, b.joints, f, rest, b.X, out,
                         found);
        for (int i = 0; i < ng; i++)
            CHECK_NEAR(found[i], J[i], SOLVED);
        // Without new blocks the reduction is that with them.
        random_fill(nv, f);
        tn_chain_reduce_along(&b.chain, b.other, b.joints, f, b.X, out, NULL);
        tn_chain_follow(&b.chain, b.joints, b.other);
        tn_chain_reduce(&b.chain, b.other, f, b.X, again);
        for (int i = 0; i < b.chain.nw; i++)
            CHECK_NEAR(out[i], again[i], 10.0 * ROUND);
        free(J);
        free(found);
        free(f);
        free(rest);
        free(out);
        free(again);
        close_bench(&b);
    }
}

// Elimination -------------------------------------------------------------------------------------

// A matrix of the pattern of all nodes and those they stand on, and of so many pairs across the
// chain that begin with the last node: M and any unsymmetric rest.
static tn_sparse *chain_matrix(const bench *b, int across)
{
    const int n = b->chain.n;
    int *size = room(n, sizeof(int)), pairs = 0;
    tn_pair_index *pair = room(3 * n + 2 * across, sizeof *pair);
    for (int k = 0; across > 0; k++)
        if (b->chain.node[n - 1].parent != k && b->chain.node[k].parent != n - 1) {
            pair[pairs++] = (tn_pair_index){k, n - 1};
            pair[pairs++] = (tn_pair_index){n - 1, k};
            across--;
        }
    for (int k = 0; k < n; k++) {
        const int parent = b->chain.node[k].parent;
        pair[pairs++] = (tn_pair_index){k, k};
        if (parent >= 0) {
            pair[pairs++] = (tn_pair_index){k, parent};
            pair[pairs++] = (tn_pair_index){parent, k};
        }
    }
    // Blocks of rows stand in the order of the coordinates, nodes in that of the tree.
    int *block = room(n, sizeof(int));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            block[k] += b->chain.node[i].v0 < b->chain.node[k].v0;
    for (int k = 0; k < n; k++)
        size[block[k]] = b->chain.node[k].nv;
    for (int i = 0; i < pairs; i++)
        pair[i] = (tn_pair_index){block[pair[i].row], block[pair[i].col]};
    tn_sparse *W = NULL;
    CHECK_OK(tn_sparse_create(n, size, n, size, pairs, pair, &W));
    for (int j = 0; j < W->ncol; j++)
        for (int p = W->colptr[j]; p < W->colptr[j + 1]; p++)
            W->val[p] =
                0.05 * tn_random() + tn_sparse_at(b->sys->block[TN_BLOCK_M], W->rowind[p], j);
    free(size);
    free(pair);
    free(block);
    return W;
}

// The same by columns and LU.
static void solve_full(const bench *b, const tn_sparse *W, double *x)
{
    const int n = b->chain.nw, nv = b->sys->nv;
    double *A = numbers(n * n), *v = numbers(nv), *f = numbers(nv), *unit = numbers(n);
    int *pivot = room(n, sizeof(int));
    for (int j = 0; j < n; j++) {
        unit[j] = 1.0;
        tn_chain_expand(&b->chain, b->P, unit, b->X, v);
        unit[j] = 0.0;
        tn_zero(nv, f);
        tn_sparse_mul(W, 1.0, v, f);
        tn_chain_reduce(&b->chain, b->other, f, b->X, A + j * n);
    }
    CHECK_OK(tn_lu_factor(n, A, pivot));
    tn_lu_solve(n, A, pivot, x);
    free(A);
    free(v);
    free(f);
    free(unit);
    free(pivot);
}

static void elimination_along_the_chain_solves_as_full_matrices_do(void)
{
    double most = 0.0;
    int paired = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        bench b = open_bench(seed);
        const int n = b.chain.nw, across = n < 24 ? 0 : n < 48 ? 1 : 2; // of rank 12 each
        double *x = numbers(n), *y = numbers(n);
        tn_chain_solver *solver = NULL;
        carry_middle(&b);
        tn_chain_follow(&b.chain, b.joints, b.other);
        tn_sparse *W = chain_matrix(&b, across);
        CHECK(tn_chain_follows(&b.chain, b.of_velocity, W));
        CHECK_OK(tn_chain_solver_create(&b.chain, b.of_velocity, W, &solver));
        paired += across;
        CHECK_OK(tn_chain_solver_factor(solver, W, b.other, b.P));
        random_fill(n, x);
        tn_copy(n, x, y);
        tn_chain_solver_solve(solver, x);
        solve_full(&b, W, y);
        const double size = 1.0 + tn_norm_inf(n, y);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(x[i] / size, y[i] / size, SOLVED);
            most = fmax(most, fabs(x[i] - y[i]) / size);
        }
        tn_chain_solver_destroy(solver);
        tn_sparse_destroy(W);
        free(x);
        free(y);
        close_bench(&b);
    }
    printf("solutions within %.1e, %d pairs across chains\n", most, paired);
    CHECK(paired > 10);
}

static void matrices_that_couple_other_nodes_are_not_for_elimination(void)
{
    const tn_chain_node node[3] = {{.parent = -1, .v0 = 0, .nv = 1, .nm = 1, .w0 = 0, .nw = 1},
                                   {.parent = 0, .v0 = 1, .nv = 1, .nm = 1, .w0 = 1, .nw = 1},
                                   {.parent = 1, .v0 = 2, .nv = 1, .nm = 1, .w0 = 2, .nw = 1}};
    const tn_chain chain = {.n = 3, .node = node, .nw = 3};
    const int size[1] = {3}, of_velocity[3] = {0, 1, 2};
    const tn_pair_index all = {0, 0};
    tn_sparse *W = NULL;
    CHECK_OK(tn_sparse_create(1, size, 1, size, 1, &all, &W));
    CHECK(!tn_chain_follows(&chain, of_velocity, W));
    tn_sparse_destroy(W);
}

// Loops -------------------------------------------------------------------------------------------

enum { ROWS = 5, RANK = 3, FREEDOMS = 7, FREE = FREEDOMS - RANK };

// Five rows, of which the last two repeat others.
static void random_rows(double C[ROWS][FREEDOMS])
{
    for (int r = 0; r < RANK; r++)
        random_fill(FREEDOMS, C[r]);
    for (int r = RANK; r < ROWS; r++)
        for (int j = 0; j < FREEDOMS; j++)
            C[r][j] = C[0][j] - 0.5 * r * C[r - 2][j];
}

static void give(tn_loops *l, double C[ROWS][FREEDOMS])
{
    memcpy(l->rows, C, sizeof(double) * ROWS * FREEDOMS); // C^T by columns
}

static void check_side(tn_loops *l, tn_loops_side side, double C[ROWS][FREEDOMS])
{
    double x[FREE], w[FREEDOMS], g[ROWS], z[FREEDOMS], out[FREE], s[ROWS], J[ROWS], right[FREE];
    random_fill(FREE, x);
    tn_loops_tangent(l, side, x, w);
    for (int r = 0; r < ROWS; r++)
        CHECK_NEAR(tn_dot(FREEDOMS, C[r], w), 0.0, ROUND);
    CHECK(tn_norm2(FREEDOMS, w) > 0.99 * tn_norm2(FREE, x));
    random_fill(FREEDOMS, z);
    tn_loops_reduce(l, side, z, out, s);
    CHECK_NEAR(tn_dot(FREE, out, x), tn_dot(FREEDOMS, z, w), ROUND);
    // Impulses of loops are found in their sum, and openings are closed.
    random_fill(ROWS, J);
    for (int j = 0; j < FREEDOMS; j++) {
        z[j] = 0.0;
        for (int r = 0; r < ROWS; r++)
            z[j] += C[r][j] * J[r];
    }
    tn_loops_reduce(l, side, z, right, s);
    for (int j = 0; j < FREEDOMS; j++)
        for (int r = 0; r < ROWS; r++)
            z[j] -= C[r][j] * s[r];
    CHECK_NEAR(tn_norm2(FREEDOMS, z), 0.0, 10.0 * ROUND);
    CHECK_NEAR(tn_norm2(FREE, right), 0.0, 10.0 * ROUND);
    CHECK(tn_norm2(ROWS, s) < tn_norm2(ROWS, J)); // the shortest
    for (int k = 0; k < ROWS - RANK; k++) {
        tn_loops_idle(l, side, k, s);
        CHECK_NEAR(tn_norm2(ROWS, s), 1.0, ROUND);
        for (int j = 0; j < FREEDOMS; j++) {
            z[j] = 0.0;
            for (int r = 0; r < ROWS; r++)
                z[j] += C[r][j] * s[r];
            CHECK_NEAR(z[j], 0.0, 10.0 * ROUND);
        }
    }
    random_fill(FREEDOMS, w);
    for (int r = 0; r < ROWS; r++)
        g[r] = tn_dot(FREEDOMS, C[r], w);
    tn_loops_close(l, side, g, z);
    for (int r = 0; r < ROWS; r++)
        CHECK_NEAR(tn_dot(FREEDOMS, C[r], z), tn_dot(FREEDOMS, C[r], w), 10.0 * ROUND);
}

static void loops_close_with_rows_that_repeat_others(void)
{
    double C[ROWS][FREEDOMS], D[ROWS][FREEDOMS];
    tn_loops *l = NULL;
    CHECK_OK(tn_loops_create(ROWS, RANK, FREEDOMS, &l));
    random_rows(C);
    give(l, C);
    CHECK_OK(tn_loops_split(l));
    CHECK_OK(tn_loops_form(l, TN_LOOPS_LEFT));
    for (int r = 0; r < ROWS; r++) // elsewhere, with the same dependence
        for (int j = 0; j < FREEDOMS; j++)
            D[r][j] = C[r][j] * (1.0 + 0.1 * j);
    give(l, D);
    CHECK_OK(tn_loops_form(l, TN_LOOPS_RIGHT));
    check_side(l, TN_LOOPS_LEFT, C);
    check_side(l, TN_LOOPS_RIGHT, D);
    memcpy(C[1], C[0], sizeof C[0]); // two rows are left
    for (int r = 2; r < ROWS; r++)
        memcpy(C[r], C[0], sizeof C[0]);
    give(l, C);
    CHECK_STATUS(tn_loops_split(l), TN_RETRY_SINGULAR);
    tn_loops_destroy(l);
}

static const tn_test tests[] = {
    {"products with the null space are transposes of each other",
     products_with_the_null_space_are_transposes_of_each_other},
    {"carriers have their own kernel", carriers_have_their_own_kernel},
    {"at a position elimination finds the motions in closed form",
     at_a_position_elimination_finds_the_motions_in_closed_form},
    {"impulses of chains are found", impulses_of_chains_are_found},
    {"elimination along the chain solves as full matrices do",
     elimination_along_the_chain_solves_as_full_matrices_do},
    {"matrices that couple other nodes are not for elimination",
     matrices_that_couple_other_nodes_are_not_for_elimination},
    {"loops close with rows that repeat others", loops_close_with_rows_that_repeat_others},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
