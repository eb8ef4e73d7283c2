// SPDX-License-Identifier: MIT
//
// Small systems with complex values: dense LU. Minimum-norm solutions, which are rare here, are
// left to sparse factorisations.

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "linalg/solver_parts.h"
#include "linalg/zsolver.h"

#include <lapacke.h>
#include <math.h>
#undef I

static const double DOUBT = 1e-8; // as for real values: a ratio of pivots that asks for zgecon

typedef struct {
    int n;
    double complex *LU; // n n
    int *pivot;
    double complex *work; // 2 n
    double *rwork;        // 2 n
} dense;

static double complex *carve_complex(tn_carve *mem, size_t count)
{
    return tn_carve_bytes(mem, count * sizeof(double complex));
}

static void layout_zsolver_dense(dense *s, tn_carve *mem)
{
    const size_t n = (size_t)s->n;
    s->LU = carve_complex(mem, n * n);
    s->work = carve_complex(mem, 2 * n);
    s->rwork = tn_carve_doubles(mem, 2 * s->n);
    s->pivot = tn_carve_ints(mem, s->n);
}

static tn_status dense_create(const tn_sparse *S, void **out)
{
    TN_ASSERT(S->nrow == S->ncol);
    dense shape = {.n = S->nrow};
    tn_carve mem = {0};
    tn_carve_bytes(&mem, sizeof(dense));
    layout_zsolver_dense(&shape, &mem);
    mem = (tn_carve){.base = tn_alloc(mem.used)};
    if (!mem.base)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for a dense complex %d x %d matrix",
                       S->nrow, S->nrow);
    dense *s = tn_carve_bytes(&mem, sizeof(dense));
    layout_zsolver_dense(&shape, &mem);
    *s = shape;
    *out = s;
    return TN_OK;
}

static void dense_destroy(void *self)
{
    tn_free(self);
}

// Returns the 1-norm.
static double to_dense(const tn_sparse *S, double complex *A)
{
    TN_ASSERT(S->nrow == S->ncol);
    const size_t n = (size_t)S->nrow;
    double norm = 0.0;
    for (size_t k = 0; k < n * n; k++)
        A[k] = 0.0;
    for (int j = 0; j < S->ncol; j++) {
        double sum = 0.0;
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++) {
            const double complex a = CMPLX(S->val[2 * k], S->val[2 * k + 1]);
            A[(size_t)S->rowind[k] + (size_t)j * n] = a;
            sum += cabs(a);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

static double judge_zsolver_dense(dense *s, double norm)
{
    const size_t n = (size_t)s->n;
    double smallest = INFINITY, largest = 0.0, rcond = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double pivot = cabs(s->LU[i + i * n]);
        if (!isfinite(pivot))
            return 0.0;
        smallest = fmin(smallest, pivot);
        largest = fmax(largest, pivot);
    }
    if (smallest > DOUBT * largest)
        return smallest / largest;
    LAPACKE_zgecon_work(LAPACK_COL_MAJOR, '1', s->n, s->LU, s->n, norm, &rcond, s->work, s->rwork);
    return isfinite(rcond) ? rcond : 0.0;
}

static tn_status dense_factor(void *self, const tn_sparse *S, tn_solver_stats *stats)
{
    dense *s = self;
    TN_ASSERT(S->nrow == s->n);
    stats->rcond = 1.0;
    if (s->n == 0)
        return TN_OK;
    const double norm = to_dense(S, s->LU);
    if (LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, s->n, s->n, s->LU, s->n, s->pivot) != 0)
        return TN_RETRY_SINGULAR;
    stats->rcond = judge_zsolver_dense(s, norm);
    return TN_OK;
}

static void dense_solve(void *self, double *b)
{
    const dense *s = self;
    TN_ASSERT(s->n == 0 || (s->pivot[0] >= 1 && s->pivot[0] <= s->n));
    if (s->n > 0)
        LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'N', s->n, 1, s->LU, s->n, s->pivot,
                            (double complex *)b, s->n);
}

// As for real values.
static void dense_values(void *self, const tn_sparse *S, tn_values *v)
{
    dense *s = self;
    if (!tn_values_are_read(v))
        return;
    to_dense(S, s->LU);
    LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, s->n, s->n, s->LU, s->n, s->pivot);
}

static void dense_fill(const void *self, tn_solver_fill *out)
{
    const dense *s = self;
    out->estimate = out->fact = (double)s->n * s->n;
}

const tn_factor_ops tn_factor_dense_complex = {
    .name = "complex dense LU",
    .create = dense_create,
    .destroy = dense_destroy,
    .factor = dense_factor,
    .solve = dense_solve,
    .values = dense_values,
    .fill = dense_fill,
};

static void swap_rows(int n, double complex *a, double complex *b)
{
    for (int i = 0; i < n; i++) {
        const double complex x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

bool tn_gauss_jordan(int n, int ld, bool sized, double complex *X)
{
    TN_ASSERT(n > 0 && ld >= (sized ? 3 : 2) * n);
    for (int j = 0; j < n; j++) {
        double complex *row = X + ld * j, *best = row;
        for (double complex *other = row; other < X + ld * n; other += ld) {
            const double mine = sized ? creal(other[2 * n + j]) : 1.0;
            const double its = sized ? creal(best[2 * n + j]) : 1.0;
            if (cabs(other[j]) * its > cabs(best[j]) * mine)
                best = other;
        }
        if (!(cabs(best[j]) > (sized ? creal(best[2 * n + j]) : 0.0)))
            return false;
        swap_rows((sized ? 3 : 2) * n, row, best);
        const double complex inverse = 1.0 / row[j];
        for (int m = 0; m < 2 * n; m++)
            row[m] *= inverse;
        for (double complex *other = X; other < X + ld * n; other += ld) {
            const double complex factor = other[j];
            for (int m = 0; m < 2 * n && other != row; m++)
                other[m] -= factor * row[m];
        }
    }
    return true;
}
