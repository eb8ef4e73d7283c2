// SPDX-License-Identifier: MIT
//
// See eigen.h.

#include "linalg/eigen.h"

#include "base/alloc.h"
#include "linalg/denormal.h"

#include <lapacke.h>

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
