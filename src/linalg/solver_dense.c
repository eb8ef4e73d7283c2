// SPDX-License-Identifier: MIT
//
// Small systems: dense LU, and the minimum-norm solution by a complete orthogonal factorisation.
// SPQR solves complex singular systems, which are rare.
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
#include "linalg/zsolver.h"

#include <lapacke.h>
#include <math.h>
#undef I

static const double DOUBT = 1e-8;

typedef struct {
    int parts, n, lwork;
    double *LU; // LU of S, and Q1 with R of a rank-revealing solve                n n parts
    int *pivot;
    double *work; // lwork, at least 4 n for the condition number, 6 n of complex ones
    // For real matrices:
    double *T; // Q2 with R2                                                             n n
    double *tau1, *tau2;
    int *jpvt;
    int *iwork;
} dense;

static void layout_solver_dense(dense *s, tn_carve *mem)
{
    const int n = s->n;
    s->LU = tn_carve_bytes(mem, (size_t)(s->parts * n) * (size_t)n * sizeof(double));
    if (s->parts == 1) {
        s->T = tn_carve_bytes(mem, (size_t)n * (size_t)n * sizeof(double));
        TN_CARVE_INTS(mem, n, &s->jpvt, &s->iwork);
        TN_CARVE_DOUBLES(mem, n, &s->tau1, &s->tau2);
    }
    s->pivot = tn_carve_ints(mem, n);
    s->work = tn_carve_doubles(mem, s->lwork);
}

static tn_status dense_create(int parts, const tn_sparse *S, void **out)
{
    TN_ASSERT(S->nrow == S->ncol);
    const int n = S->nrow, qr = parts == 1 ? tn_qr_work(n, n) : 0;
    dense shape = {.parts = parts, .n = n, .lwork = tn_larger(qr, parts == 1 ? 4 * n : 6 * n)};
    tn_carve mem = {0};
    tn_carve_bytes(&mem, sizeof(dense));
    layout_solver_dense(&shape, &mem);
    mem = (tn_carve){.base = tn_alloc(mem.used)};
    if (!mem.base)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for a dense %s%d x %d matrix",
                       parts == 2 ? "complex " : "", n, n);
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

// The modulus of number i.
static double size_at(int parts, const double *x, size_t i)
{
    return parts == 1 ? fabs(x[i]) : cabs(CMPLX(x[2 * i], x[2 * i + 1]));
}

static double norm_of(int parts, const tn_sparse *S)
{
    double norm = 0.0;
    for (int j = 0; j < S->ncol; j++) {
        double sum = 0.0;
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++)
            sum += size_at(parts, S->val, (size_t)k);
        norm = fmax(norm, sum);
    }
    return norm;
}

static tn_status factor_dense(dense *s, const tn_sparse *S)
{
    const size_t n = (size_t)s->n, parts = (size_t)s->parts;
    if (parts == 1) {
        tn_sparse_to_dense(S, s->LU);
        return tn_lu_factor(s->n, s->LU, s->pivot);
    }
    for (size_t k = 0; k < parts * n * n; k++)
        s->LU[k] = 0.0;
    for (int j = 0; j < S->ncol; j++)
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++)
            tn_copy(2, S->val + 2 * k, s->LU + 2 * ((size_t)S->rowind[k] + (size_t)j * n));
    const int bad = n == 0 ? 0
                           : LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, s->n, s->n,
                                                 (double complex *)s->LU, s->n, s->pivot);
    return bad ? TN_RETRY_SINGULAR : TN_OK;
}

static double estimate(dense *s, double norm)
{
    if (s->parts == 1)
        return tn_lu_rcond(s->n, s->LU, norm, s->work, s->iwork);
    double rcond = 0.0;
    LAPACKE_zgecon_work(LAPACK_COL_MAJOR, '1', s->n, (double complex *)s->LU, s->n, norm, &rcond,
                        (double complex *)s->work, s->work + 4 * s->n);
    return isfinite(rcond) ? rcond : 0.0;
}

// The ratio of the smallest to the largest pivot costs n comparisons and is near the reciprocal
// condition number or above it; the estimate of dgecon, which costs more than the factorisation of
// a small matrix, is computed only where the pivots do not decide.
static double judge_solver_dense(dense *s, const tn_sparse *S)
{
    const size_t n = (size_t)s->n;
    double smallest = INFINITY, largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double pivot = size_at(s->parts, s->LU, i + i * n);
        if (!isfinite(pivot))
            return 0.0;
        smallest = fmin(smallest, pivot);
        largest = fmax(largest, pivot);
    }
    if (n == 0 || smallest > DOUBT * largest)
        return n == 0 ? 1.0 : smallest / largest;
    return estimate(s, norm_of(s->parts, S));
}

static tn_status dense_factor(void *self, const tn_sparse *S, tn_solver_stats *stats)
{
    dense *s = self;
    TN_ASSERT(S->nrow == s->n);
    TN_TRY(factor_dense(s, S));
    stats->rcond = judge_solver_dense(s, S);
    return TN_OK;
}

static void dense_solve(void *self, double *b)
{
    const dense *s = self;
    if (s->parts == 1)
        tn_lu_solve(s->n, s->LU, s->pivot, b);
    else if (s->n > 0)
        LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'N', s->n, 1, (double complex *)s->LU, s->n, s->pivot,
                            (double complex *)b, s->n);
}

// The factors are made again where there were some.
static void dense_values(void *self, const tn_sparse *S, tn_values *v)
{
    if (tn_values_are_read(v))
        (void)factor_dense(self, S); // singular ones are not used
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
