// SPDX-License-Identifier: MIT
//
// Small systems with complex values: dense LU, and the minimum-norm solution by two orthogonal
// factorisations, as in solver_dense.c with ^H in the place of ^T:
//
//   S P = Q1 [R; 0],   T = D_c^-1 P R^H = Q2 [R2; 0],   x = Q2 [R2^-H c; 0],  c = Q1^H b
//
// The second part is rare here and takes its memory when it is needed.

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/denormal.h"
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

static tn_status dense_create(const tn_sparse *S, tn_order order, void **out)
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

typedef struct {
    int n, rank, lwork;
    double complex *A, *T, *tau1, *tau2, *work;
    double *rwork;
    int *jpvt;
} orthogonal;

static void layout_orthogonal(void *self, tn_carve *mem)
{
    orthogonal *s = self;
    const size_t n = (size_t)s->n;
    s->A = carve_complex(mem, n * n);
    s->T = carve_complex(mem, n * n);
    s->tau1 = carve_complex(mem, n);
    s->tau2 = carve_complex(mem, n);
    s->work = carve_complex(mem, (size_t)s->lwork);
    s->rwork = tn_carve_doubles(mem, 2 * s->n);
    s->jpvt = tn_carve_ints(mem, s->n);
}

static int query(int n)
{
    double complex size = 1.0;
    LAPACKE_zgeqp3_work(LAPACK_COL_MAJOR, n, n, NULL, n, NULL, NULL, &size, -1, NULL);
    return (int)creal(size) > 32 * n ? (int)creal(size) : 32 * n; // room for blocks of the others
}

static void factor_twice(orthogonal *s, const tn_sparse *S, const double *col)
{
    TN_ASSERT(S->nrow == s->n && s->rank == 0);
    const int n = s->n;
    const size_t ld = (size_t)n;
    to_dense(S, s->A);
    const uint64_t control = tn_flush_denormals();
    LAPACKE_zgeqp3_work(LAPACK_COL_MAJOR, n, n, s->A, n, s->jpvt, s->tau1, s->work, s->lwork,
                        s->rwork);
    const double least = TN_RANK_TOL * cabs(s->A[0]);
    while (s->rank < n && cabs(s->A[(size_t)s->rank * (ld + 1)]) > least)
        s->rank++;
    for (int k = 0; k < n; k++) {
        const int j = s->jpvt[k] - 1;
        for (int i = 0; i < s->rank && i <= k; i++)
            s->T[(size_t)j + (size_t)i * ld] = conj(s->A[(size_t)i + (size_t)k * ld]) / col[j];
    }
    if (s->rank > 0)
        LAPACKE_zgeqrf_work(LAPACK_COL_MAJOR, n, s->rank, s->T, n, s->tau2, s->work, s->lwork);
    tn_keep_denormals(control);
}

static void solve_twice(orthogonal *s, double complex *b)
{
    TN_ASSERT(s->rank >= 0 && s->rank <= s->n);
    const int n = s->n;
    if (s->rank > 0)
        LAPACKE_zunmqr_work(LAPACK_COL_MAJOR, 'L', 'C', n, 1, n, s->A, n, s->tau1, b, n, s->work,
                            s->lwork);
    tn_zero(2 * (n - s->rank), (double *)(b + s->rank));
    if (s->rank == 0)
        return;
    LAPACKE_ztrtrs_work(LAPACK_COL_MAJOR, 'U', 'C', 'N', s->rank, 1, s->T, n, b, n);
    LAPACKE_zunmqr_work(LAPACK_COL_MAJOR, 'L', 'N', n, 1, s->rank, s->T, n, s->tau2, b, n, s->work,
                        s->lwork);
}

static tn_status dense_min_norm(void *self, const tn_sparse *S, const double *col, double *b,
                                int *rank)
{
    orthogonal s = {.n = S->nrow};
    void *block = NULL;
    if (s.n == 0)
        return TN_OK;
    s.lwork = query(s.n);
    TN_TRY(tn_carve_block(&s, layout_orthogonal, &block));
    factor_twice(&s, S, col);
    solve_twice(&s, (double complex *)b);
    *rank = s.rank;
    tn_free(block);
    return TN_OK;
}

const tn_factor_ops tn_factor_dense_complex = {
    .name = "complex dense LU",
    .create = dense_create,
    .destroy = dense_destroy,
    .factor = dense_factor,
    .solve = dense_solve,
    .min_norm = dense_min_norm,
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
