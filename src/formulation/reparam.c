// SPDX-License-Identifier: MIT
//
// Discrete equations of the reduced size [LMO08, eq. 28]: unknowns are increments of the freedoms
// of the open chain of the system (chain.h), from a position of the chain on,
//
//   q1 = F(z o exp(h y)),   u = (q1 - q0) / h,   rows L^T b(u) = 0
//
// with the coordinates z of the chain, on a product of groups, moved on after each iteration: y is
// always 0 there. L spans the kernel of the carrier A, and R = dF is that of B at the end:
//
//   matrix L^T (M + d D + k K) R,   of size one for h -> 0
//
// The matrix is eliminated along the chain, in O(N), where it follows it. Rows that the chain does
// not satisfy by itself are those of closed loops (chain_loops.h): y then moves along Q2, an inner
// iteration along Q1 closes the loops at the end, and L and R become L Z_L and R Z_R.

#include "base/alloc.h"
#include "base/carve.h"
#include "base/tolerance.h"
#include "formulation/discrete.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"
#include "motion/chain.h"
#include "motion/chain_loops.h"

#include <float.h>
#include <math.h>

enum { PLACE_M, PLACE_D, PLACE_K, PLACE_COUNT };

// Loops are closed to round-off. The iteration for that takes new rows where it slows down, and
// ends where corrections no longer shrink, which are round-off from this size on.
static const int CLOSE_MAX = 20;
static const double CLOSE_RENEW = 0.1;

// Coordinates of the chain up to this size go on from one interval to the next: angles of a turn.
static const double TURN = 6.3;

enum { PAST = 3 }; // intervals that the next one is predicted from

// Rows of closed loops: entries of row i stand from first[i] on, in columns col and at places `at`
// of the values of B.
typedef struct loop_rows {
    int n, nnz;
    int *row, *first; // n, n + 1
    int *col, *at;    // nnz
} loop_rows;

typedef struct reparam {
    const tn_chain_ops *ops;
    tn_chain chain;
    void *linear; // of the chain of a system that has none
    int nv, ng, n;
    int *of_row, *of_velocity; // nodes
    int *place;                // ng, of rows of loops while they are laid out
    loop_rows rows;
    tn_loops *loops;              // NULL: none
    bool split;                   // freedoms are split for this interval
    tn_loops_side closing;        // whose rows close them
    tn_chain_block *node, *right; // at the node and at the end, in closed form
    tn_chain_block *middle;       // of carriers that belong to other points
    tn_chain_block *left;         // of the carrier: one of the two
    tn_chain_joint *joints;
    bool went;                    // there has been an interval
    double h;                     // its length
    int npast;                    // how many before it are known,
    double *past;                 // by their increments, the last first              PAST x nw
    double *z0, *z, *z1;          // coordinates of the chain at the node, at y = 0 and at the end
    double *q1;                   // that belongs to z1
    double *u, *v, *f;            // nv
    double *X;                    // 6 a node
    double *w, *reduced;          // nw
    double *g;                    // rows of loops
    double *unit;                 // n
    tn_composition W;             // M + d D + k K
    tn_chain_solver *elimination; // NULL: full matrices
    double *factors;              // n x n
    int *pivot;
    int nidle;           // rows that repeat others
    double *idle;        // ng x nidle, impulses that do nothing
    double *out, *minus; // of them on rows that are left out, nidle x nidle, and J there
    int *out_pivot;
    void *block, *full;
} reparam;

// Opening -----------------------------------------------------------------------------------------

static void layout_reparam(void *self, tn_carve *mem)
{
    reparam *f = self;
    const size_t n = (size_t)f->chain.n;
    TN_CARVE_INTS(mem, f->ng, &f->of_row, &f->place);
    f->of_velocity = tn_carve_ints(mem, f->nv);
    TN_CARVE_NUMBERS(mem, sizeof *f->node * n, f->node);
    TN_CARVE_NUMBERS(mem, sizeof *f->middle * n, f->middle);
    TN_CARVE_NUMBERS(mem, sizeof *f->right * n, f->right);
    TN_CARVE_NUMBERS(mem, sizeof *f->joints * n, f->joints);
    TN_CARVE_DOUBLES(mem, f->chain.ny, &f->z0, &f->z, &f->z1);
    TN_CARVE_DOUBLES(mem, PAST * f->chain.nw, &f->past);
    TN_CARVE_DOUBLES(mem, f->nv, &f->q1, &f->u, &f->v, &f->f);
    TN_CARVE_DOUBLES(mem, 6 * f->chain.n, &f->X);
    TN_CARVE_DOUBLES(mem, f->chain.nw, &f->w, &f->reduced);
    TN_CARVE_DOUBLES(mem, f->n, &f->unit);
    TN_CARVE_DOUBLES(mem, f->ng, &f->g);
    f->rows.row = tn_carve_ints(mem, f->ng);
    f->rows.first = tn_carve_ints(mem, f->ng + 1);
    TN_CARVE_INTS(mem, f->rows.nnz, &f->rows.col, &f->rows.at);
}

static void full_layout(void *self, tn_carve *mem)
{
    reparam *f = self;
    const size_t n = (size_t)f->n;
    TN_CARVE_NUMBERS(mem, sizeof(double) * n * n, f->factors);
    TN_CARVE_CHOICES(mem, 1, f->n, f->n, &f->pivot);
    TN_CARVE_NUMBERS(mem, sizeof(double) * (size_t)f->ng * (size_t)f->nidle, f->idle);
    TN_CARVE_NUMBERS(mem, sizeof(double) * (size_t)f->nidle * (size_t)f->nidle, f->out);
    TN_CARVE_DOUBLES(mem, f->nidle, &f->minus);
    TN_CARVE_CHOICES(mem, 1, f->nidle, f->nidle, &f->out_pivot);
}

// Which rows are those of loops, and where their entries stand in block B.
static void find_loops(reparam *f, const tn_sparse *B)
{
    loop_rows *rows = &f->rows;
    for (int i = 0; i < f->ng; i++)
        if (f->of_row[i] == TN_CHAIN_LOOP) {
            f->place[i] = rows->n;
            rows->row[rows->n++] = i;
        }
    for (int p = 0; p < B->nnz; p++)
        if (f->of_row[B->rowind[p]] == TN_CHAIN_LOOP)
            rows->first[f->place[B->rowind[p]] + 1]++;
    for (int i = 0; i < rows->n; i++)
        rows->first[i + 1] += rows->first[i];
    for (int i = 0; i < rows->n; i++)
        f->place[rows->row[i]] = rows->first[i]; // where the next entry goes
    for (int j = 0; j < B->ncol; j++)
        for (int p = B->colptr[j]; p < B->colptr[j + 1]; p++)
            if (f->of_row[B->rowind[p]] == TN_CHAIN_LOOP) {
                const int k = f->place[B->rowind[p]]++;
                rows->col[k] = j;
                rows->at[k] = p;
            }
}

static tn_status open_loops(reparam *f)
{
    const int rank = f->chain.nw - f->n;
    if (f->rows.n == 0 && rank == 0)
        return TN_OK;
    if (rank < 0 || rank > f->rows.n)
        return tn_fail(TN_ERR_PAIRING,
                       "reparam finds %d freedoms in the open chain of this model and %d with its "
                       "%d rows of closed loops, which cannot be: joints of the chain have rows "
                       "that repeat each other; take multiplier",
                       f->chain.nw, f->n, f->rows.n);
    f->nidle = f->rows.n - rank;
    return tn_loops_create(f->rows.n, rank, f->chain.nw, &f->loops);
}

static tn_status open_matrix(tn_discrete *d, reparam *f)
{
    const tn_system *s = d->sys;
    const tn_placement place[PLACE_COUNT] = {
        [PLACE_M] = {.source = s->block[TN_BLOCK_M]},
        [PLACE_D] = {.source = s->block[TN_BLOCK_D]},
        [PLACE_K] = {.source = s->block[TN_BLOCK_K]},
    };
    TN_TRY(tn_sparse_compose(f->nv, f->nv, PLACE_COUNT, place, &f->W));
    if (!f->loops && tn_chain_follows(&f->chain, f->of_velocity, f->W.matrix))
        return tn_chain_solver_create(&f->chain, f->of_velocity, f->W.matrix, &f->elimination);
    return tn_carve_block(f, full_layout, &f->full);
}

static tn_status reparam_open(tn_discrete *d)
{
    const tn_system *s = d->sys;
    reparam *f = tn_alloc(sizeof *f);
    TN_TRY(tn_got(f));
    d->form = f;
    f->ops = s->ops->chain ? s->ops->chain : &tn_chain_linear;
    f->n = f->nv = s->nv;
    f->ng = s->ng;
    for (int i = 0; i < f->ng; i++)
        f->n -= d->active[i];
    d->n = f->n;
    f->rows.nnz = s->block[TN_BLOCK_B] ? s->block[TN_BLOCK_B]->nnz : 0;
    TN_TRY(s->ops->chain ? f->ops->open(d->sys, &f->chain)
                         : tn_chain_open_linear(s, &f->chain, &f->linear));
    TN_TRY(tn_carve_block(f, layout_reparam, &f->block));
    tn_chain_owners(&f->chain, f->ng, f->of_row, f->of_velocity);
    if (s->block[TN_BLOCK_B])
        find_loops(f, s->block[TN_BLOCK_B]);
    TN_TRY(open_loops(f));
    return open_matrix(d, f);
}

static void reparam_close(tn_discrete *d)
{
    reparam *f = d->form;
    if (!f)
        return;
    tn_chain_solver_destroy(f->elimination);
    tn_loops_destroy(f->loops);
    tn_composition_clear(&f->W);
    TN_FREE(f->linear, f->full, f->block, f);
}

static void reparam_values(tn_discrete *d, tn_values *v)
{
    reparam *f = d->form;
    bool in_middle = f->left == f->middle;
    int npast = f->npast, side = (int)f->closing;
    tn_carve_values(f, layout_reparam, f->block, v);
    if (f->full)
        tn_carve_values(f, full_layout, f->full, v);
    if (f->loops)
        tn_loops_values(f->loops, v);
    TN_VALUES(v, "1", f->W.matrix->nnz, f->W.matrix->val);
    TN_VALUES_BOOL(v, &f->split, &f->went, &in_middle);
    TN_VALUES(v, "s", 1, &f->h);
    TN_VALUES_INT(v, 0, PAST, 1, &npast);
    TN_VALUES_INT(v, 0, TN_LOOPS_RIGHT, 1, &side);
    f->npast = npast;
    f->closing = (tn_loops_side)side;
    if (!tn_values_are_read(v))
        return;
    f->left = in_middle ? f->middle : f->node;
    f->ops->to(d->sys, f->went ? f->z1 : f->z0, f->q1); // where the chain of the system stands
}

// Null spaces -------------------------------------------------------------------------------------

static const tn_chain_block *blocks_of(const reparam *f, tn_loops_side side)
{
    return side == TN_LOOPS_LEFT ? f->left : f->right;
}

// The chain alone: L^T x or R^T x.
static void reduce_chain(reparam *f, tn_loops_side side, const double *x, double *out)
{
    if (side == TN_LOOPS_LEFT && f->ng > 0)
        tn_chain_reduce_along(&f->chain, f->left, f->joints, x, f->X, out, NULL);
    else
        tn_chain_reduce(&f->chain, blocks_of(f, side), x, f->X, out);
}

// With closed loops, whose impulses stay in f->g.
static void reduce_reparam(reparam *f, tn_loops_side side, const double *x, double *out)
{
    TN_ASSERT(out != f->reduced && x != f->reduced);
    reduce_chain(f, side, x, f->reduced);
    if (f->loops)
        tn_loops_reduce(f->loops, side, f->reduced, out, f->g);
    else
        tn_copy(f->n, f->reduced, out);
}

// w of the chain that belongs to unknowns x.
static const double *freedoms(reparam *f, tn_loops_side side, const double *x)
{
    if (!f->loops)
        return x;
    tn_loops_tangent(f->loops, side, x, f->w);
    return f->w;
}

static void expand_reparam(reparam *f, tn_loops_side side, const double *x,
                           double *v) // v = L x or R x
{
    tn_chain_expand(&f->chain, blocks_of(f, side), freedoms(f, side, x), f->X, v);
}

// L^T W R, or R^T W R.
static void form_matrix(reparam *f, tn_loops_side side, const tn_sparse *W, double *matrix)
{
    for (int j = 0; j < f->n; j++) {
        tn_zero(f->n, f->unit);
        f->unit[j] = 1.0;
        expand_reparam(f, TN_LOOPS_RIGHT, f->unit, f->v);
        tn_zero(f->nv, f->f);
        tn_sparse_mul(W, 1.0, f->v, f->f);
        reduce_reparam(f, side, f->f, matrix + (size_t)j * (size_t)f->n);
    }
}

static tn_status factor_reparam(reparam *f, tn_loops_side side, const tn_sparse *W)
{
    TN_ASSERT(f->elimination || f->factors);
    if (f->elimination)
        return tn_chain_solver_factor(f->elimination, W, blocks_of(f, side), f->right);
    form_matrix(f, side, W, f->factors);
    return tn_lu_factor(f->n, f->factors, f->pivot);
}

static void solve_reparam(const reparam *f, double *r)
{
    TN_ASSERT(f->elimination || f->factors);
    if (f->elimination)
        tn_chain_solver_solve(f->elimination, r);
    else
        tn_lu_solve(f->n, f->factors, f->pivot, r);
}

// C^T of the loops, with these values of block B.
static void loops_on_chain(reparam *f, tn_loops_side side, const double *values)
{
    TN_ASSERT(f->loops);
    double *C = f->loops->rows;
    tn_zero(f->nv, f->v);
    for (int i = 0; i < f->rows.n; i++) {
        for (int k = f->rows.first[i]; k < f->rows.first[i + 1]; k++)
            f->v[f->rows.col[k]] = values[f->rows.at[k]];
        reduce_chain(f, side, f->v, C + (size_t)i * (size_t)f->chain.nw);
        for (int k = f->rows.first[i]; k < f->rows.first[i + 1]; k++)
            f->v[f->rows.col[k]] = 0.0;
    }
}

// Blocks of a carrier that belongs to another point than the node, from those of the node on.
static void leave_node(tn_discrete *d, reparam *f, const double *q)
{
    if (f->left == f->node) {
        for (int k = 0; k < f->chain.n; k++)
            f->middle[k] = f->node[k];
        f->left = f->middle;
    }
    f->ops->rigid(d->sys, q, f->left);
}

static tn_status reparam_carry(tn_discrete *d, const tn_point *at)
{
    reparam *f = d->form;
    if (at->q != d->q || f->left == f->middle)
        leave_node(d, f, at->q);
    if (!d->sys->block[TN_BLOCK_B])
        return TN_OK;
    tn_sparse A = *d->sys->block[TN_BLOCK_B];
    A.val = d->carry;
    TN_TRY(tn_chain_carry(&f->chain, &A, f->of_row, f->of_velocity, f->left, f->joints));
    if (!f->loops)
        return TN_OK;
    loops_on_chain(f, TN_LOOPS_LEFT, d->carry);
    if (!f->split) {
        TN_TRY(tn_loops_split(f->loops));
        f->split = true;
        f->closing = TN_LOOPS_LEFT;
    }
    return tn_loops_form(f->loops, TN_LOOPS_LEFT);
}

// Motions of closed loops have the length one in the freedoms of the chain: at nodes they have, and
// elsewhere they grow away from there.
static int reparam_reduce(tn_discrete *d, const double *p, double *out)
{
    reparam *f = d->form;
    if (!out)
        return f->n;
    reduce_reparam(f, TN_LOOPS_LEFT, p, out);
    for (int j = 0; f->loops && j < f->n; j++) {
        tn_zero(f->n, f->unit);
        f->unit[j] = 1.0;
        out[j] /= tn_norm2(f->chain.nw, freedoms(f, TN_LOOPS_LEFT, f->unit));
    }
    return f->n;
}

// Freedoms of joints go on as the chain does, those of closed loops as pivots will.
static int reparam_loose(const tn_discrete *d)
{
    const reparam *f = d->form;
    return f->loops ? f->n : 0;
}

// Positions ---------------------------------------------------------------------------------------
//
// The chain of the system stands at z0 from the beginning of an interval on, and at z1 once it has
// moved, until the next one begins.

// Nodes are q0 + h u: q1 but for round-off.
static bool follows(const tn_discrete *d, const reparam *f)
{
    const double tol = 4.0 * DBL_EPSILON * (1.0 + tn_norm_inf(f->nv, f->q1));
    for (int i = 0; i < f->nv; i++)
        if (!(fabs(d->q[i] - f->q1[i]) <= tol))
            return false;
    return f->went;
}

static void remember_reparam(reparam *f, double h)
{
    TN_ASSERT(h > 0.0);
    const int nw = f->chain.nw;
    if (h != f->h)
        f->npast = 0;
    for (int k = PAST - 1; k > 0; k--)
        tn_copy(nw, f->past + (k - 1) * nw, f->past + k * nw);
    tn_group_difference(f->chain.ngroup, f->chain.groups, f->z0, f->z1, f->past);
    f->npast = f->npast < PAST ? f->npast + 1 : PAST;
    f->h = h;
}

// The chain goes on with its values at the end of an interval, without round-off of a new search,
// but for angles that have made a turn: theirs would grow with them.
static tn_status reparam_begin(tn_discrete *d)
{
    reparam *f = d->form;
    const bool on = follows(d, f);
    if (on)
        remember_reparam(f, d->h);
    else
        f->npast = 0;
    if (on && tn_norm_inf(f->chain.ny, f->z1) <= TURN) {
        tn_copy(f->chain.ny, f->z1, f->z0);
    } else {
        f->ops->from(d->sys, d->q, f->z0);
        f->ops->to(d->sys, f->z0, f->q1);
    }
    f->ops->blocks(d->sys, f->node);
    f->left = f->node;
    f->went = f->split = false;
    return TN_OK;
}

// Increments on their parabola, or from the velocity.
static void reparam_predict(tn_discrete *d, const double *u, const double *J, double *y)
{
    reparam *f = d->form;
    const int nw = f->chain.nw;
    const double *past = f->past;
    if (f->npast == PAST) {
        for (int i = 0; i < nw; i++)
            f->w[i] = 3.0 * (past[i] - past[i + nw]) + past[i + 2 * nw];
    } else {
        f->ops->velocities(d->sys, u, f->w);
        tn_scale(nw, d->h, f->w);
    }
    tn_group_retract(f->chain.ngroup, f->chain.groups, f->z0, f->w, f->z);
    tn_zero(f->n, y);
}

static void place_end(tn_discrete *d, reparam *f)
{
    TN_ASSERT(d->h > 0.0);
    f->ops->to(d->sys, f->z1, f->q1);
    for (int i = 0; i < f->nv; i++)
        f->u[i] = (f->q1[i] - d->q[i]) / d->h;
}

static tn_status eval_end(tn_discrete *d, const reparam *f, unsigned want)
{
    const tn_point end = {.t = d->t + d->h, .q = f->q1, .v = f->u, .r = d->r};
    return tn_system_eval(d->sys, &end, want);
}

// Rows of loops at the end, by block B.
static tn_status form_loops(tn_discrete *d, reparam *f)
{
    TN_ASSERT(f->loops);
    loops_on_chain(f, TN_LOOPS_RIGHT, d->sys->block[TN_BLOCK_B]->val);
    f->closing = TN_LOOPS_RIGHT;
    return tn_loops_form(f->loops, TN_LOOPS_RIGHT);
}

// Right blocks, and with loops their rows, at the end, where the chain has just been moved.
static tn_status form_right(tn_discrete *d, reparam *f)
{
    f->ops->blocks(d->sys, f->right);
    if (!f->loops)
        return TN_OK;
    TN_TRY(eval_end(d, f, TN_EVAL_B));
    return form_loops(d, f);
}

// The correction along Q1 that closes the loops, to f->w.
static tn_status find_closure(tn_discrete *d, reparam *f)
{
    TN_ASSERT(f->loops);
    TN_TRY(eval_end(d, f, TN_EVAL_G));
    for (int i = 0; i < f->rows.n; i++)
        f->g[i] = -d->sys->g[f->rows.row[i]];
    tn_loops_close(f->loops, f->closing, f->g, f->w);
    return TN_OK;
}

static tn_status close_loops(tn_discrete *d, reparam *f)
{
    const double tol = 4.0 * DBL_EPSILON * (1.0 + tn_norm_inf(f->nv, f->q1));
    double last = INFINITY;
    for (int k = 0; k < CLOSE_MAX; k++) {
        TN_TRY(find_closure(d, f));
        const double size = tn_norm_inf(f->chain.nw, f->w);
        if (size <= tol || (size <= TN_ROUND_ITERATE && size > 0.5 * last))
            return TN_OK;
        if (!isfinite(size))
            break;
        tn_group_retract(f->chain.ngroup, f->chain.groups, f->z1, f->w, f->z1);
        place_end(d, f);
        if (size > CLOSE_RENEW * last)
            TN_TRY(form_right(d, f));
        last = size;
    }
    return TN_RETRY_NEWTON;
}

static tn_status reparam_move(tn_discrete *d, const double *y, double *u)
{
    reparam *f = d->form;
    if (f->loops)
        tn_loops_free(f->loops, y, f->w);
    else
        tn_copy(f->n, y, f->w);
    tn_scale(f->chain.nw, d->h, f->w);
    tn_group_retract(f->chain.ngroup, f->chain.groups, f->z, f->w, f->z1);
    place_end(d, f);
    if (f->loops)
        TN_TRY(close_loops(d, f));
    tn_copy(f->nv, f->u, u);
    f->went = true;
    return TN_OK;
}

static void reparam_correct(tn_discrete *d, const double *step, double *y)
{
    reparam *f = d->form;
    tn_copy(f->chain.nw, freedoms(f, TN_LOOPS_RIGHT, step), f->w);
    tn_scale(f->chain.nw, -d->h, f->w);
    tn_group_retract(f->chain.ngroup, f->chain.groups, f->z1, f->w, f->z);
    tn_zero(f->n, y);
}

// Iteration ---------------------------------------------------------------------------------------

static tn_status reparam_residual(tn_discrete *d, const double *y, const double *u, const double *b,
                                  bool tangent, double *r)
{
    reparam *f = d->form;
    reduce_reparam(f, TN_LOOPS_LEFT, b, r);
    if (!tangent)
        return TN_OK;
    if (f->left == f->middle)
        tn_chain_follow(&f->chain, f->joints, f->middle);
    return form_right(d, f);
}

static tn_status reparam_factor(tn_discrete *d, const double *y, const tn_balance *at)
{
    reparam *f = d->form;
    tn_zero(f->W.matrix->nnz, f->W.matrix->val);
    tn_composition_add(&f->W, PLACE_M, 1.0, d->sys->block[TN_BLOCK_M]);
    tn_composition_add(&f->W, PLACE_D, at->d, d->sys->block[TN_BLOCK_D]);
    tn_composition_add(&f->W, PLACE_K, at->k, d->sys->block[TN_BLOCK_K]);
    return factor_reparam(f, TN_LOOPS_LEFT, f->W.matrix);
}

static void reparam_solve(tn_discrete *d, double *r)
{
    solve_reparam(d->form, r);
}

static void reparam_dense(const tn_discrete *d, double *matrix)
{
    reparam *f = d->form;
    form_matrix(f, TN_LOOPS_LEFT, f->W.matrix, matrix);
}

// R (L^T W R)^-1 L^T p
static void reparam_respond(tn_discrete *d, const double *p, double *v)
{
    reparam *f = d->form;
    reduce_reparam(f, TN_LOOPS_LEFT, p, f->unit);
    solve_reparam(f, f->unit);
    expand_reparam(f, TN_LOOPS_RIGHT, f->unit, v);
}

// The rest of b along L, by tolerance and by round-off of q over h, would go to J, and by J from
// one interval to the next: another Newton step takes it away.
static void settle_reparam(tn_discrete *d, reparam *f, const double *b)
{
    TN_ASSERT(b != f->f && b != f->v);
    reparam_respond(d, b, f->v);
    for (int i = 0; i < f->nv; i++)
        f->f[i] = -b[i];
    tn_sparse_mul(f->W.matrix, 1.0, f->v, f->f);
}

// A^T J = f: impulses of loops, which are in f->g, then those of the chain.
static void complete_reparam(reparam *f, const tn_sparse *A, const double *x, double *J)
{
    for (int i = 0; i < f->rows.n; i++)
        J[f->rows.row[i]] = f->g[i];
    tn_chain_impulse(&f->chain, A, f->left, f->joints, x, f->v, f->X, f->w, J);
}

// Among all J that do the same, the one without rows that are left out.
static void reparam_leave_out(const tn_discrete *d, reparam *f, const tn_sparse *A, double *J)
{
    TN_ASSERT(f->loops && f->nidle >= 0);
    const int n = f->nidle;
    tn_zero(f->nv, f->f);
    for (int j = 0; j < n; j++) {
        double *idle = f->idle + (size_t)j * (size_t)f->ng;
        tn_loops_idle(f->loops, TN_LOOPS_LEFT, j, f->g);
        complete_reparam(f, A, f->f, idle);
        for (int i = 0, k = 0; i < f->ng; i++)
            if (!d->active[i])
                f->out[k++ + j * n] = idle[i];
    }
    for (int i = 0, k = 0; i < f->ng; i++)
        if (!d->active[i])
            f->minus[k++] = J[i];
    if (tn_lu_factor(n, f->out, f->out_pivot) != TN_OK)
        return; // rows that cannot be left out here
    tn_lu_solve(n, f->out, f->out_pivot, f->minus);
    tn_add_columns(f->ng, n, -1.0, f->idle, f->minus, J);
    for (int i = 0; i < f->ng; i++)
        J[i] = d->active[i] ? J[i] : 0.0;
}

// A^T J = -b [LMO08, eq. 38].
static void reparam_impulse(tn_discrete *d, const double *y, const double *b, double *J)
{
    reparam *f = d->form;
    if (f->ng == 0)
        return;
    tn_sparse A = *d->sys->block[TN_BLOCK_B];
    A.val = d->carry;
    settle_reparam(d, f, b);
    if (f->loops)
        reduce_reparam(f, TN_LOOPS_LEFT, f->f, f->unit); // leaves those of loops in f->g
    complete_reparam(f, &A, f->f, J);
    if (f->nidle > 0)
        reparam_leave_out(d, f, &A, J);
}

// A motion of the chain that opens loops at the rates c, or none.
static void reparam_particular(reparam *f, const double *c, double *v)
{
    tn_zero(f->nv, v);
    if (!f->loops)
        return;
    for (int i = 0; i < f->rows.n; i++)
        f->g[i] = c[f->rows.row[i]];
    tn_loops_close(f->loops, TN_LOOPS_RIGHT, f->g, f->w);
    tn_chain_expand(&f->chain, f->right, f->w, f->X, v);
}

// v = v_p + R x, R^T M R x = R^T (p - M v_p), with R where the interval has ended.
static tn_status reparam_project(tn_discrete *d, const double *p, const double *c, double *mu,
                                 double *v)
{
    reparam *f = d->form;
    if (!f->went)
        return TN_RETRY_NEWTON;
    f->ops->blocks(d->sys, f->right);
    if ((f->loops && form_loops(d, f) != TN_OK) ||
        factor_reparam(f, TN_LOOPS_RIGHT, d->sys->block[TN_BLOCK_M]) != TN_OK)
        return TN_RETRY_NEWTON;
    reparam_particular(f, c, v);
    tn_copy(f->nv, p, f->f);
    tn_sparse_mul(d->sys->block[TN_BLOCK_M], -1.0, v, f->f);
    reduce_reparam(f, TN_LOOPS_RIGHT, f->f, f->unit);
    solve_reparam(f, f->unit);
    expand_reparam(f, TN_LOOPS_RIGHT, f->unit, f->v);
    tn_axpy(f->nv, 1.0, f->v, v);
    return TN_OK;
}

// Names -------------------------------------------------------------------------------------------

// The velocity that freedom w of the chain moves most in the node that it belongs to.
static int velocity_of(const reparam *f, int w)
{
    TN_ASSERT(w >= 0 && w < f->chain.nw);
    int k = 0;
    while (w < f->chain.node[k].w0 || w >= f->chain.node[k].w0 + f->chain.node[k].nw)
        k++;
    const tn_chain_node *node = &f->chain.node[k];
    double v[12] = {0.0};
    for (int m = 0; m < node->nm; m++)
        tn_axpy(node->nv, f->left[k].S[m + (w - node->w0) * node->nm], f->left[k].I + m * node->nv,
                v);
    return node->v0 + tn_largest_at(node->nv, v);
}

static int velocity_like(reparam *f, int i)
{
    TN_ASSERT(i >= 0 && i < f->n);
    tn_zero(f->n, f->unit);
    f->unit[i] = 1.0;
    const int w = f->loops ? tn_largest_at(f->chain.nw, freedoms(f, TN_LOOPS_LEFT, f->unit)) : i;
    return velocity_of(f, w);
}

static void reparam_name(const tn_discrete *d, int i, char *text, size_t size)
{
    d->sys->ops->velocity_name(d->sys, velocity_like(d->form, i), text, size);
}

// (28): one power of h for all, so that units alone differ. Increments are displacements or turns
// by the velocity that they move most.
static void reparam_written(const tn_discrete *d, double share, double *row, double *column)
{
    for (int i = 0; i < d->n; i++) {
        const int v = velocity_like(d->form, i);
        const double unit = tn_system_unit(d->sys, TN_MEASURE_VELOCITY, v);
        row[i] = tn_unit_energy(d->sys->units) / unit / share;
        column[i] = 1.0 / (unit * d->h);
    }
}

static const char *reparam_solver(const tn_discrete *d)
{
    const reparam *f = d->form;
    return f->elimination ? "tree elimination" : "dense LU";
}

static const tn_discrete_ops reparam_ops = {
    .open = reparam_open,
    .close = reparam_close,
    .values = reparam_values,
    .begin = reparam_begin,
    .carry = reparam_carry,
    .predict = reparam_predict,
    .move = reparam_move,
    .residual = reparam_residual,
    .factor = reparam_factor,
    .solve = reparam_solve,
    .correct = reparam_correct,
    .impulse = reparam_impulse,
    .project = reparam_project,
    .reduce = reparam_reduce,
    .loose = reparam_loose,
    .respond = reparam_respond,
    .name = reparam_name,
    .solver = reparam_solver,
    .dense = reparam_dense,
    .written = reparam_written,
};

const tn_formulation tn_formulation_reparam = {
    .name = "reparam",
    .text = "discrete equations of the reduced size, in increments of the freedoms",
    .source = "[LMO08, eq. 28]",
    .offers = TN_VIEW_DISCRETE,
    .index = 3,
    .position = true,
    .discrete = &reparam_ops,
};
