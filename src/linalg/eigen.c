// SPDX-License-Identifier: MIT
//
// See eigen.h.

#include "linalg/eigen.h"

#include "base/alloc.h"
#include "linalg/denormal.h"
#include "linalg/dense.h"

#include <lapacke.h>
#include <math.h>

static tn_status eigen_memory(int n)
{
    return tn_fail(TN_ERR_MEMORY, "eigenvalues of a %d x %d matrix: out of memory", n, n);
}

static tn_status judge_eigen(int n, int info)
{
    if (info == 0)
        return TN_OK;
    return tn_fail(TN_ERR_NUMERIC,
                   "eigenvalues of a %d x %d matrix: the iteration did not converge, usually "
                   "because an entry is not finite",
                   n, n);
}

void tn_eigen_reduce(int n, const double *L, double *X)
{
    for (int twice = 0; twice < 2; twice++) { // L^-1 X, and then (L^-1 (.)^T)^T
        for (int c = 0; c < n; c++)
            tn_lower_solve(n, L, tn_column_of(X, n, c));
        for (int c = 0; c < n; c++)
            for (int i = 0; i < c; i++) {
                double *a = &tn_column_of(X, n, c)[i], *b = &tn_column_of(X, n, i)[c];
                const double kept = *a;
                *a = *b;
                *b = kept;
            }
    }
}

tn_status tn_eigen_symmetric(int n, double *A, double *w)
{
    TN_ASSERT(n >= 0);
    if (n == 0)
        return TN_OK;
    double size = 1.0;
    LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, n, w, &size, -1);
    double *work = tn_alloc((size_t)size * sizeof(double));
    if (!work)
        return eigen_memory(n);
    const uint64_t control = tn_flush_denormals();
    const int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, n, w, work, (int)size);
    tn_keep_denormals(control);
    tn_free(work);
    return judge_eigen(n, info);
}

tn_status tn_eigen_pair(int n, double *A, double *E, double *re, double *im, double *scale,
                        double *V)
{
    TN_ASSERT(n >= 0);
    if (n == 0)
        return TN_OK;
    double size = 1.0, none = 0.0;
    LAPACKE_dggev_work(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, E, n, re, im, scale, &none, 1, V, n,
                       &size, -1);
    double *work = tn_alloc((size_t)size * sizeof(double));
    if (!work)
        return eigen_memory(n);
    const uint64_t control = tn_flush_denormals();
    const int info = LAPACKE_dggev_work(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, E, n, re, im, scale,
                                        &none, 1, V, n, work, (int)size);
    tn_keep_denormals(control);
    tn_free(work);
    return judge_eigen(n, info);
}

tn_status tn_eigen_general(int n, double *A, double *re, double *im, double *V)
{
    TN_ASSERT(n >= 0);
    if (n == 0)
        return TN_OK;
    const char vectors = V ? 'V' : 'N';
    double size = 1.0, none = 0.0, *right = V ? V : &none;
    const int rows = V ? n : 1;
    LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', vectors, n, A, n, re, im, &none, 1, right, rows,
                       &size, -1);
    double *work = tn_alloc((size_t)size * sizeof(double));
    if (!work)
        return eigen_memory(n);
    const uint64_t control = tn_flush_denormals();
    const int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', vectors, n, A, n, re, im, &none, 1,
                                        right, rows, work, (int)size);
    tn_keep_denormals(control);
    tn_free(work);
    return judge_eigen(n, info);
}

// With A Z = 0 and (V Z) orthogonal, (V Z)^T A (V Z) has zeros in its last columns, so that the
// other eigenvalues are those of V^T A V. A zero of higher multiplicity is found there again.
static tn_status deflate_once(int n, double *A, double least, double *work, int *m)
{
    const size_t square = (size_t)n * (size_t)n;
    double *turned = work, *U = turned + square, *w = U + square;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            tn_column_of(turned, n, i)[j] = tn_column_of(A, n, j)[i];
    TN_TRY(tn_left_singular(n, n, turned, w, U));
    int rank = n;
    while (rank > 0 && w[rank - 1] <= least)
        rank--;
    *m = rank;
    if (rank == n)
        return TN_OK;
    for (int j = 0; j < rank; j++) { // A V
        double *column = tn_column_of(turned, n, j);
        tn_zero(n, column);
        tn_add_columns(n, n, 1.0, A, tn_column_of(U, n, j), column);
    }
    tn_inner(n, rank, U, rank, turned, A);
    return TN_OK;
}

tn_status tn_eigen_deflate(int n, double tol, double *A, int *m)
{
    *m = n;
    if (n == 0)
        return TN_OK;
    const size_t square = (size_t)n * (size_t)n;
    double *work = tn_alloc(sizeof(double) * (2 * square + (size_t)n));
    if (!work)
        return eigen_memory(n);
    int left = n;
    tn_status status = TN_OK;
    double largest = 0.0;
    for (int j = 0; j < n; j++)
        largest = fmax(largest, tn_norm2(n, tn_column_of(A, n, j)));
    do {
        *m = left;
        TN_THEN(status, deflate_once(*m, A, tol * largest, work, &left));
    } while (status == TN_OK && left < *m && left > 0);
    *m = left;
    tn_free(work);
    return status;
}
