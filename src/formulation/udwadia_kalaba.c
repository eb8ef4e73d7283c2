// SPDX-License-Identifier: MIT
//
// Udwadia and Kalaba's formulation: of all accelerations that the constraints allow, the one
// nearest to the free one in the norm of M, for constraint matrices of any rank [LB08, eq. 15a, b],
//
//   a = a0 + M^-1/2 (C M^-1/2)^+ (c - C a0),   a0 = M^-1 f,   c = -gamma,   C = (B; N).
//
// Any factor M = L L^T serves for the root: with A = C L^-T, y = L^T (a - a0) is the shortest
// solution of A y = c - C a0. From C^T lambda = f - M a follows A^T lambda = -y, of which lambda is
// the shortest solution: multipliers that are unique come out as they are, equal rows share theirs.
// All comes from orthogonal factorisations. The first is pivoted and decides the rank, with the
// columns of A^T scaled to unit length by D, so that the units of rows do not matter,
//
//   A^T D P = Q (R; 0),     W S = D^-1 P R^T,     A^T = Q1 S^T W^T
//   y = Q1 x,   x = S^-1 W^T (c - C a0),     lambda = -W S^-T x.
//
// Rows that repeat others do so exactly only where g = 0. Off the constraints, by drift, they
// contradict each other, and a compromise between them makes drift grow exponentially where rows
// are a varying combination of others (spatial four-bars). So, where the analysis has found such
// rows, the others alone determine y, and all of them share the multipliers,
//
//   W2 S2 = A Q1,     lambda = -W2 S2^-T x.
//
// If M is only definite on ker C, M + C^T V C with a diagonal V > 0 is definite, and with
// f + C^T V c on the right a and lambda are the same [ACB15, section 4; Arn16, Lemma 2].

#include "base/tolerance.h"
#include "formulation/formulation_list.h"
#include "formulation/ode_ops.h"
#include "linalg/dense.h"

#include <math.h>

typedef struct uk {
    tn_ode base;
    int n, m;
    int nindependent;
    int *independent; // rows that determine the accelerations
    int nblock;       // diagonal blocks of M
    int *start;       // nblock + 1: their first coordinates
    int whole[2];     // M as one block
    double *L;        // n n: factors of the blocks one after another, or of one
    double *C;        // n m: columns are rows of C
    double *A;        // n m: A^T
    double *Q;        // n m: A^T D of the independent rows, then Q and R
    double *W;        // m min(n, m)
    double *scale;    // m: lengths of the columns of A^T
    double *tau, *tau_w;
    double *free;      // n: f, then L^T a0
    double *x, *y, *c; // m, n, m
    double *work;
    int lwork;
    int *pivot; // m
} uk;

static size_t at(int ld, int column)
{
    return (size_t)ld * (size_t)column;
}

static void layout_udwadia_kalaba(tn_ode *self, tn_carve *mem)
{
    uk *s = (uk *)self;
    const int n = self->sys->nv, m = self->sys->ng + self->sys->nn, k = tn_smaller(n, m);
    s->n = n;
    s->m = m;
    TN_CARVE_CHOICES(mem, 0, m - 1, m, &s->independent);
    s->start = tn_carve_ints(mem, n + 1);
    TN_CARVE_NUMBERS(mem, at(n, n) * sizeof(double), s->L);
    TN_CARVE_NUMBERS(mem, at(n, m) * sizeof(double), s->C);
    TN_CARVE_NUMBERS(mem, at(n, m) * sizeof(double), s->A);
    TN_CARVE_NUMBERS(mem, at(n, m) * sizeof(double), s->Q);
    TN_CARVE_NUMBERS(mem, at(m, k) * sizeof(double), s->W);
    TN_CARVE_DOUBLES(mem, m, &s->scale, &s->c);
    TN_CARVE_DOUBLES(mem, k, &s->tau, &s->tau_w);
    TN_CARVE_DOUBLES(mem, n, &s->free, &s->y);
    TN_CARVE_DOUBLES(mem, tn_larger(n, m), &s->x);
    s->lwork = m > 0 ? tn_larger(tn_qr_work(n, m), tn_qr_work(m, k)) : 1;
    s->work = tn_carve_doubles(mem, s->lwork);
    TN_CARVE_CHOICES(mem, 0, m - 1, m, &s->pivot);
}

// Blocks of M: a coordinate begins one where no column before it reaches that far.
static tn_status open_udwadia_kalaba(tn_ode *self, const tn_sim_options *options)
{
    uk *s = (uk *)self;
    const tn_sparse *M = self->sys->block[TN_BLOCK_M];
    int reach = 0;
    s->nblock = 0;
    for (int j = 0; j < s->n; j++) {
        if (j >= reach)
            s->start[s->nblock++] = j;
        const int end = M->colptr[j + 1];
        if (end > M->colptr[j])
            reach = tn_larger(reach, M->rowind[end - 1] + 1);
        reach = tn_larger(reach, j + 1);
    }
    s->start[s->nblock] = s->n;
    s->whole[1] = s->n;
    return TN_OK;
}

static void udwadia_kalaba_values(tn_ode *self, tn_values *v)
{
    uk *s = (uk *)self;
    TN_VALUES_INT(v, 0, s->m, 1, &s->nindependent);
}

static void udwadia_kalaba_activate(tn_ode *self)
{
    uk *s = (uk *)self;
    s->nindependent = 0;
    for (int i = 0; i < s->m; i++)
        if (self->active[i])
            s->independent[s->nindependent++] = i;
}

// C, its rows as columns.
static void take_constraints(uk *s)
{
    const tn_system *sys = s->base.sys;
    tn_zero(s->n * s->m, s->C);
    tn_sparse_rows(sys->block[TN_BLOCK_B], NULL, s->n, s->C);
    tn_sparse_rows(sys->block[TN_BLOCK_N], NULL, s->n, s->C + at(s->n, sys->ng));
    tn_system_stack(sys, -1.0, sys->gamma, sys->ngamma, s->c);
}

// The mass matrix ---------------------------------------------------------------------------------

// Block b of M, dense, at L; returns its size.
static int take_block(const tn_sparse *M, const int *start, double *L)
{
    const int first = start[0], size = start[1] - first;
    tn_zero(size * size, L);
    for (int j = 0; j < size; j++)
        for (int k = M->colptr[first + j]; k < M->colptr[first + j + 1]; k++)
            L[at(size, j) + (size_t)(M->rowind[k] - first)] = M->val[k];
    return size;
}

static bool factor_blocks(uk *s)
{
    double *L = s->L;
    for (int b = 0; b < s->nblock; b++) {
        const int size = take_block(s->base.sys->block[TN_BLOCK_M], s->start + b, L);
        if (tn_cholesky(size, L, TN_ROUND_SOLVE) != TN_OK)
            return false;
        L += at(size, size);
    }
    return true;
}

static double largest_diagonal(int n, const double *A)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, A[at(n, i) + (size_t)i]);
    return most > 0.0 ? most : 1.0;
}

// M + C^T V C, with rows of unit length weighed like the heaviest mass, and f + C^T V c in `free`.
static bool factor_augmented(uk *s)
{
    take_block(s->base.sys->block[TN_BLOCK_M], s->whole, s->L);
    const double mass = largest_diagonal(s->n, s->L);
    for (int i = 0; i < s->m; i++) {
        const double *row = s->C + at(s->n, i);
        const double square = tn_dot(s->n, row, row);
        if (square <= 0.0)
            continue;
        for (int j = 0; j < s->n; j++)
            if (row[j] != 0.0)
                tn_axpy(s->n, mass / square * row[j], row, s->L + at(s->n, j));
        tn_axpy(s->n, mass / square * s->c[i], row, s->free);
    }
    return tn_cholesky(s->n, s->L, TN_ROUND_SOLVE) == TN_OK;
}

// x becomes L^-1 x, or L^-T x, block by block.
static void solve_root(const uk *s, int nblock, const int *start, bool transposed, double *x)
{
    const double *L = s->L;
    for (int b = 0; b < nblock; b++) {
        const int size = start[b + 1] - start[b];
        (transposed ? tn_lower_solve_t : tn_lower_solve)(size, L, x + start[b]);
        L += at(size, size);
    }
}

// The generalised inverse -------------------------------------------------------------------------

// A^T = L^-1 C^T
static void weigh_constraints(uk *s, int nblock, const int *start)
{
    tn_copy(s->n * s->m, s->C, s->A);
    for (int i = 0; i < s->m; i++) {
        solve_root(s, nblock, start, false, s->A + at(s->n, i));
        s->scale[i] = tn_norm2(s->n, s->A + at(s->n, i));
    }
}

// Q and R of the independent rows; the rank.
static int factor_rows(uk *s)
{
    for (int k = 0; k < s->nindependent; k++) {
        const int i = s->independent[k];
        tn_copy(s->n, s->A + at(s->n, i), s->Q + at(s->n, k));
        if (s->scale[i] > 0.0)
            tn_scale(s->n, 1.0 / s->scale[i], s->Q + at(s->n, k));
    }
    const int k = tn_smaller(s->n, s->nindependent),
              rank = tn_qr_rank(s->n, s->nindependent, s->Q, TN_RANK_TOL, s->pivot, s->tau, s->work,
                                s->lwork);
    const double least = k > 0 ? s->Q[at(s->n, k - 1) + (size_t)(k - 1)] / s->Q[0] : 1.0;
    tn_system_note_rcond(s->base.sys, least * least); // as that of (M C^T; C 0)
    return rank;
}

// x of y = Q1 x: the shortest y with A y = c in the independent rows.
static void solve_rows(uk *s, int rank)
{
    TN_ASSERT(rank <= s->nindependent);
    const int m = s->nindependent;
    tn_zero(m * rank, s->W);
    for (int k = 0; k < m; k++) {
        const double length = s->scale[s->independent[s->pivot[k]]];
        for (int i = 0; i < rank && i <= k; i++)
            s->W[at(m, i) + (size_t)s->pivot[k]] = length * s->Q[at(s->n, k) + (size_t)i];
        s->x[k] = s->c[s->independent[k]];
    }
    tn_qr_factor(m, rank, s->W, s->tau_w, s->work, s->lwork);
    tn_qr_apply(m, rank, true, s->W, s->tau_w, s->x, s->work);
    tn_upper_solve(rank, m, false, s->W, s->x);
}

// W2 and S2, from A Q1 of all rows; where all are independent W and S are there already.
static void factor_all(uk *s, int rank)
{
    TN_ASSERT(rank <= s->n && rank <= s->m);
    if (s->nindependent == s->m)
        return;
    for (int i = 0; i < s->m; i++) {
        tn_copy(s->n, s->A + at(s->n, i), s->y);
        tn_qr_apply(s->n, rank, true, s->Q, s->tau, s->y, s->work);
        for (int k = 0; k < rank; k++)
            s->W[at(s->m, k) + (size_t)i] = s->y[k];
    }
    tn_qr_factor(s->m, rank, s->W, s->tau_w, s->work, s->lwork);
}

// lambda into c, y from x.
static void solve_all(uk *s, int rank)
{
    tn_zero(s->n, s->y);
    tn_copy(rank, s->x, s->y);
    tn_qr_apply(s->n, rank, false, s->Q, s->tau, s->y, s->work);
    tn_zero(s->m, s->c);
    tn_axpy(rank, -1.0, s->x, s->c);
    tn_upper_solve(rank, s->m, true, s->W, s->c);
    tn_qr_apply(s->m, rank, false, s->W, s->tau_w, s->c, s->work);
}

static tn_status factor_mass(uk *s, int *nblock, const int **start)
{
    *nblock = s->nblock;
    *start = s->start;
    if (factor_blocks(s))
        return TN_OK;
    *nblock = 1;
    *start = s->whole;
    if (factor_augmented(s))
        return TN_OK;
    return tn_fail(TN_RETRY_SINGULAR,
                   "udwadia-kalaba: the mass matrix is not definite on the motions that the "
                   "constraints allow at t = %g s",
                   s->base.t);
}

static tn_status udwadia_kalaba_accelerations(tn_ode *self)
{
    uk *s = (uk *)self;
    tn_system *sys = self->sys;
    const tn_point point = tn_ode_point(self);
    TN_TRY(tn_system_eval(sys, &point,
                          TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA));
    take_constraints(s);
    tn_copy(s->n, sys->f, s->free);
    int nblock;
    const int *start;
    TN_TRY(factor_mass(s, &nblock, &start));
    solve_root(s, nblock, start, false, s->free); // L^T a0
    tn_copy(s->n, s->free, self->a);
    solve_root(s, nblock, start, true, self->a);
    if (s->m == 0)
        return TN_OK;
    weigh_constraints(s, nblock, start);
    for (int i = 0; i < s->m; i++)
        s->c[i] -= tn_dot(s->n, s->C + at(s->n, i), self->a);
    const int rank = factor_rows(s);
    solve_rows(s, rank);
    factor_all(s, rank);
    solve_all(s, rank);
    solve_root(s, nblock, start, true, s->y);
    tn_axpy(s->n, 1.0, s->y, self->a);
    tn_copy(sys->ng, s->c, self->lambda);
    tn_copy(sys->nn, s->c + sys->ng, self->eta);
    return TN_OK;
}

static const char *solver(const tn_ode *self)
{
    return "dense Cholesky and orthogonal factors";
}

static const tn_ode_ops ops = {
    .size = sizeof(uk),
    .layout = layout_udwadia_kalaba,
    .open = open_udwadia_kalaba,
    .activate = udwadia_kalaba_activate,
    .accel = udwadia_kalaba_accelerations,
    .solver = solver,
    .values = udwadia_kalaba_values,
};

const tn_formulation tn_formulation_udwadia_kalaba = {
    .name = "udwadia-kalaba",
    .text = "accelerations by generalised inverses, constraints of any rank",
    .source = "[LB08, eq. 15]",
    .offers = TN_VIEW_ACCEL,
    .index = 1,
    .acceleration = true,
    .projects = true,
    .ode = &ops,
};
