// SPDX-License-Identifier: MIT
//
// Small systems: dense LU, and the minimum-norm solution by a complete orthogonal factorisation.
//
//   S P = Q1 [R; 0],   R = rank rows kept        pivoted QR decides the rank of the equilibrated S
//   T = D_c^-1 P R^T = Q2 [R2; 0]                so that S D_c^-1 = Q1 [T^T; 0]
//   x = Q2 [R2^-T c; 0],  c = first rank entries of Q1^T b
//
// The second QR takes the column scales out again: the norm that is minimal is that of x, not that
// of D_c^-1 x. The rows of T differ by these scales; a range of 10^k costs about k digits in the
// orthogonality of x to the null space, and none in the residual.

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "linalg/solver_parts.h"

#include <lapacke.h>
#include <math.h>

static const double DOUBT = 1e-8;

typedef struct {
    int n, lwork;
    double *LU; // LU of S, and Q1 with R of a rank-revealing solve                      n n
    int *pivot;
    double *T; // Q2 with R2                                                             n n
    double *tau1, *tau2;
    int *jpvt;
    double *work; // lwork, at least 4 n for the condition number
    int *iwork;
} dense;

static void layout_solver_dense(dense *s, tn_carve *mem)
{
    const int n = s->n;
    s->LU = tn_carve_bytes(mem, (size_t)n * (size_t)n * sizeof(double));
    s->T = tn_carve_bytes(mem, (size_t)n * (size_t)n * sizeof(double));
    TN_CARVE_INTS(mem, n, &s->pivot, &s->jpvt, &s->iwork);
    TN_CARVE_DOUBLES(mem, n, &s->tau1, &s->tau2);
    s->work = tn_carve_doubles(mem, s->lwork);
}

static tn_status dense_create(const tn_sparse *S, void **out)
{
    TN_ASSERT(S->nrow == S->ncol);
    const int n = S->nrow, qr = tn_qr_work(n, n);
    dense shape = {.n = n, .lwork = qr > 4 * n ? qr : 4 * n};
    tn_carve mem = {0};
    tn_carve_bytes(&mem, sizeof(dense));
    layout_solver_dense(&shape, &mem);
    mem = (tn_carve){.base = tn_alloc(mem.used)};
    if (!mem.base)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for a dense %d x %d matrix", n, n);
    dense *s = tn_carve_bytes(&mem, sizeof(dense));
    layout_solver_dense(&shape, &mem);
    *s = shape;
    *out = s;
    return TN_OK;
}

static void dense_destroy(void *self)
{
    tn_free(self);
}

// The ratio of the smallest to the largest pivot costs n comparisons and is near the reciprocal
// condition number or above it; the estimate of dgecon, which costs more than the factorisation of
// a small matrix, is asked only where the pivots leave doubt.
static double judge_solver_dense(dense *s, const tn_sparse *S)
{
    double smallest = INFINITY, largest = 0.0;
    for (int i = 0; i < s->n; i++) {
        const double pivot = fabs(s->LU[i + i * s->n]);
        smallest = fmin(smallest, pivot);
        largest = fmax(largest, pivot);
    }
    if (s->n == 0 || smallest > DOUBT * largest)
        return s->n == 0 ? 1.0 : smallest / largest;
    return tn_lu_rcond(s->n, s->LU, tn_sparse_norm1(S), s->work, s->iwork);
}

static tn_status dense_factor(void *self, const tn_sparse *S, tn_solver_stats *stats)
{
    dense *s = self;
    TN_ASSERT(S->nrow == s->n);
    tn_sparse_to_dense(S, s->LU);
    TN_TRY(tn_lu_factor(s->n, s->LU, s->pivot));
    stats->rcond = judge_solver_dense(s, S);
    return TN_OK;
}

static void dense_solve(void *self, double *b)
{
    const dense *s = self;
    tn_lu_solve(s->n, s->LU, s->pivot, b);
}

// The factors are made again where there were some.
static void dense_values(void *self, const tn_sparse *S, tn_values *v)
{
    dense *s = self;
    if (!tn_values_are_read(v))
        return;
    tn_sparse_to_dense(S, s->LU);
    (void)tn_lu_factor(s->n, s->LU, s->pivot); // singular ones are not used
}

static int orthogonal_factor(dense *s, const tn_sparse *S, const double *col)
{
    TN_ASSERT(S->nrow == s->n && S->ncol == s->n);
    const int n = s->n;
    tn_sparse_to_dense(S, s->LU);
    const int rank = tn_qr_rank(n, n, s->LU, TN_RANK_TOL, s->jpvt, s->tau1, s->work, s->lwork);
    tn_zero(n * rank, s->T);
    for (int k = 0; k < n; k++) {
        const int j = s->jpvt[k];
        for (int i = 0; i < rank && i <= k; i++)
            s->T[j + i * n] = s->LU[i + k * n] / col[j];
    }
    if (rank > 0)
        tn_qr_factor(n, rank, s->T, s->tau2, s->work, s->lwork);
    return rank;
}

static tn_status dense_min_norm(void *self, const tn_sparse *S, const double *col, double *b,
                                int *rank)
{
    dense *s = self;
    const int n = s->n;
    *rank = 0;
    if (n == 0)
        return TN_OK;
    *rank = orthogonal_factor(s, S, col);
    if (*rank > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', n, 1, n, s->LU, n, s->tau1, b, n, s->work,
                            1);
    tn_zero(n - *rank, b + *rank);
    if (*rank > 0) {
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'T', 'N', *rank, 1, s->T, n, b, n);
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', n, 1, *rank, s->T, n, s->tau2, b, n,
                            s->work, 1);
    }
    return TN_OK;
}

static void dense_fill(const void *self, tn_solver_fill *out)
{
    const dense *s = self;
    out->estimate = out->fact = (double)s->n * s->n;
}

const tn_factor_ops tn_factor_dense = {
    .name = "dense LU",
    .create = dense_create,
    .destroy = dense_destroy,
    .factor = dense_factor,
    .solve = dense_solve,
    .min_norm = dense_min_norm,
    .fill = dense_fill,
    .values = dense_values,
};
