// SPDX-License-Identifier: MIT
//
// Dense vectors and matrices. The vector operations are plain loops, which the compiler vectorises
// and which cost less than a BLAS call at the lengths of a mechanism; sums run in four lanes, as
// strict floating point forbids the compiler to reorder one. The factorisations are LAPACK's,
// through those LAPACKE entries that take the workspace as an argument.

#include "linalg/dense.h"

#include "base/alloc.h"
#include "linalg/denormal.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

void tn_zero(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = 0.0;
}

void tn_copy(int n, const double *x, double *y)
{
    TN_ASSERT(n >= 0);
    if (n > 0)
        memmove(y, x, (size_t)n * sizeof(double)); // x and y may be the same
}

void tn_scale(int n, double s, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= s;
}

void tn_axpy(int n, double s, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += s * x[i];
}

double tn_dot(int n, const double *x, const double *y)
{
    double lane[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            lane[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        lane[0] += x[i] * y[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

double tn_norm2(int n, const double *x)
{
    return sqrt(tn_dot(n, x, x));
}

void tn_inner(int n, int na, const double *A, int nb, const double *B, double *out)
{
    for (size_t j = 0; j < (size_t)nb; j++)
        for (size_t i = 0; i < (size_t)na; i++)
            out[i + j * (size_t)na] = tn_dot(n, A + i * (size_t)n, B + j * (size_t)n);
}

void tn_add_columns(int n, int count, double s, const double *A, const double *x, double *y)
{
    for (int k = 0; k < count; k++)
        tn_axpy(n, s * x[k], A + (size_t)k * (size_t)n, y);
}

// A NaN anywhere gives NaN, so that no test of the form "norm < tol" passes by accident.
double tn_norm_inf(int n, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double a = fabs(x[i]);
        if (a > largest || isnan(a))
            largest = a;
    }
    return largest;
}

bool tn_all_finite(int n, const double *x)
{
    unsigned long long bits, bad = 0;
    for (int i = 0; i < n; i++) { // all ones in the exponent: written so that it is vectorised
        memcpy(&bits, &x[i], sizeof bits);
        bad |= ((bits >> 52 & 0x7ff) + 1) & 0x800;
    }
    return bad == 0;
}

bool tn_same(int n, const double *x, const double *y)
{
    return n <= 0 || memcmp(x, y, (size_t)n * sizeof *x) == 0;
}

int tn_largest_at(int n, const double *x)
{
    int most = 0;
    for (int i = 1; i < n; i++)
        if (!(fabs(x[i]) <= fabs(x[most])))
            most = i;
    return most;
}

void tn_magnitudes(int n, const double *x, double *size)
{
    for (int i = 0; i < n; i++)
        size[i] = fabs(x[i]);
}

// LAPACK's way to its loops costs as much as the loops themselves at this size, and a mechanism
// that has no larger matrices does not load it.
enum { SMALL = 20 };

static void swap_rows(int n, double *A, int a, int b)
{
    for (int j = 0; j < n && a != b; j++) {
        const double x = A[a + j * n];
        A[a + j * n] = A[b + j * n];
        A[b + j * n] = x;
    }
}

// By columns, with the largest entry of each as its pivot: dgetf2 of LAPACK.
static bool factor_small(int n, double *A, int *pivot)
{
    for (int k = 0; k < n; k++) {
        double *column = A + k * n;
        const int at = k + tn_largest_at(n - k, column + k);
        pivot[k] = at + 1; // from 1, as LAPACK counts
        if (column[at] == 0.0 || !isfinite(column[at]))
            return false;
        swap_rows(n, A, k, at);
        for (int i = k + 1; i < n; i++)
            column[i] /= column[k];
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++)
                A[i + j * n] -= column[i] * A[k + j * n];
    }
    return true;
}

tn_status tn_lu_factor(int n, double *A, int *pivot)
{
    TN_ASSERT(n >= 0);
    if (n <= SMALL)
        return factor_small(n, A, pivot) ? TN_OK : TN_RETRY_SINGULAR;
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivot) != 0)
        return TN_RETRY_SINGULAR;
    for (int i = 0; i < n; i++)
        if (!isfinite(A[i + (size_t)i * (size_t)n]))
            return TN_RETRY_SINGULAR;
    return TN_OK;
}

static void solve_small(int n, const double *LU, const int *pivot, double *b)
{
    for (int i = 0; i < n; i++) { // pivots count from 1
        const double x = b[pivot[i] - 1];
        b[pivot[i] - 1] = b[i];
        b[i] = x;
    }
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            b[i] -= LU[i + j * n] * b[j];
    for (int j = n - 1; j >= 0; j--) {
        b[j] /= LU[j + j * n];
        for (int i = 0; i < j; i++)
            b[i] -= LU[i + j * n] * b[j];
    }
}

void tn_lu_solve(int n, const double *LU, const int *pivot, double *b)
{
    TN_ASSERT(n == 0 || (pivot[0] >= 1 && pivot[0] <= n));
    if (n <= SMALL)
        solve_small(n, LU, pivot, b);
    else
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, LU, n, pivot, b, n);
}

int tn_band_size(int n, int band)
{
    return n * (3 * band + 1);
}

size_t tn_band_at(int band, int i, int j)
{
    return (size_t)(2 * band + i - j) + (size_t)(3 * band + 1) * (size_t)j;
}

tn_status tn_band_factor(int n, int band, double *A, int *pivot)
{
    TN_ASSERT(n >= 0 && band >= 0);
    if (n == 0)
        return TN_OK;
    if (LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, band, band, A, 3 * band + 1, pivot) != 0)
        return TN_RETRY_SINGULAR;
    for (int i = 0; i < n; i++)
        if (!isfinite(A[tn_band_at(band, i, i)]))
            return TN_RETRY_SINGULAR;
    return TN_OK;
}

void tn_band_solve(int n, int band, const double *LU, const int *pivot, double *b)
{
    TN_ASSERT(n == 0 || (pivot[0] >= 1 && pivot[0] <= band + 1));
    if (n > 0)
        LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', n, band, band, 1, LU, 3 * band + 1, pivot, b, n);
}

double tn_lu_rcond(int n, const double *LU, double norm1, double *work, int *iwork)
{
    TN_ASSERT(!(norm1 < 0.0));
    if (n == 0)
        return 1.0;
    double rcond = 0.0;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, LU, n, norm1, &rcond, work, iwork);
    return isfinite(rcond) ? rcond : 0.0;
}

int tn_qr_rank(int m, int n, double *A, double tol, int *jpvt, double *tau, double *work, int lwork)
{
    TN_ASSERT(tol >= 0.0 && (m == 0 || lwork >= 3 * n + 1));
    for (int j = 0; j < n; j++)
        jpvt[j] = 0; // for LAPACK: every column may move
    const int k = m < n ? m : n;
    const uint64_t control = tn_flush_denormals();
    if (k > 0)
        LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, A, m, jpvt, tau, work, lwork);
    tn_keep_denormals(control);
    for (int j = 0; j < n; j++)
        jpvt[j] = jpvt[j] > 0 ? jpvt[j] - 1 : j;
    const double largest = k > 0 ? fabs(A[0]) : 0.0;
    int rank = 0;
    while (rank < k && fabs(A[rank + (size_t)rank * (size_t)m]) > tol * largest)
        rank++;
    return rank;
}

int tn_qr_work(int m, int n)
{
    enum { BLOCK = 32 }; // of LAPACK
    double size = 1.0;
    if (m <= SMALL || n <= SMALL)
        return 2 * n + (n + 1) * BLOCK;
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, NULL, tn_larger(m, 1), NULL, NULL, &size, -1);
    return tn_larger((int)size, 3 * n + 1);
}

void tn_qr_factor(int m, int n, double *A, double *tau, double *work, int lwork)
{
    TN_ASSERT(m >= n && lwork >= n);
    const uint64_t control = tn_flush_denormals();
    if (m > 0 && n > 0)
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, m, n, A, m, tau, work, lwork);
    tn_keep_denormals(control);
}

void tn_qr_apply(int m, int k, bool transposed, const double *A, const double *tau, double *x,
                 double *work)
{
    TN_ASSERT(k <= m);
    if (m > 0 && k > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transposed ? 'T' : 'N', m, 1, k, A, m, tau, x, m,
                            work, 1);
}

void tn_upper_solve(int n, int ld, bool transposed, const double *R, double *b)
{
    TN_ASSERT(n <= ld && (n == 0 || R[0] != 0.0));
    if (n > 0)
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', transposed ? 'T' : 'N', 'N', n, 1, R, ld, b, n);
}

// Column by column, each reduced by those to its left: at the sizes of bodies a loop costs less
// than a call of LAPACK, which would not report how far the pivots have fallen.
tn_status tn_cholesky(int n, double *A, double tol)
{
    TN_ASSERT(tol >= 0.0);
    const size_t ld = (size_t)n;
    for (int j = 0; j < n; j++) {
        double *column = A + (size_t)j * ld;
        const double diagonal = column[j];
        for (int k = 0; k < j; k++) {
            const double *left = A + (size_t)k * ld, s = left[j];
            for (int i = j; i < n; i++)
                column[i] -= s * left[i];
        }
        if (!(column[j] > tol * diagonal) || !isfinite(column[j]))
            return TN_RETRY_SINGULAR;
        const double inverse = 1.0 / sqrt(column[j]);
        for (int i = j; i < n; i++)
            column[i] *= inverse;
    }
    return TN_OK;
}

void tn_lower_solve(int n, const double *L, double *b)
{
    TN_ASSERT(n == 0 || !(L[0] <= 0.0));
    for (int j = 0; j < n; j++) {
        const double *column = L + (size_t)j * (size_t)n;
        const double x = b[j] / column[j];
        b[j] = x;
        for (int i = j + 1; i < n; i++)
            b[i] -= x * column[i];
    }
}

void tn_lower_solve_t(int n, const double *L, double *b)
{
    TN_ASSERT(n == 0 || !(L[0] <= 0.0));
    for (int j = n - 1; j >= 0; j--) {
        const double *column = L + (size_t)j * (size_t)n;
        double x = b[j];
        for (int i = j + 1; i < n; i++)
            x -= column[i] * b[i];
        b[j] = x / column[j];
    }
}

// Column by column, each of which reduces those to its right: the next pivot waits for no sum.
tn_status tn_ldl(int n, double *A, double tol, double *pivot)
{
    TN_ASSERT(tol >= 0.0);
    const size_t ld = (size_t)n;
    for (int j = 0; j < n; j++)
        pivot[j] = A[(size_t)j * (ld + 1)];
    for (int j = 0; j < n; j++) {
        double *const left = A + (size_t)j * ld;
        if (!(left[j] > tol * pivot[j]) || !isfinite(left[j]))
            return TN_RETRY_SINGULAR;
        pivot[j] = left[j];
        left[j] = 1.0 / left[j];
        for (int k = j + 1; k < n; k++) {
            double *const column = A + (size_t)k * ld;
            const double s = left[k] * left[j];
            for (int i = k; i < n; i++)
                column[i] -= s * left[i];
            left[k] = s;
        }
    }
    return TN_OK;
}

void tn_ldl_solve(int n, const double *LD, double *b)
{
    TN_ASSERT(n == 0 || !(LD[0] <= 0.0));
    for (int j = 0; j < n; j++) {
        const double *column = LD + (size_t)j * (size_t)n, x = b[j];
        for (int i = j + 1; i < n; i++)
            b[i] -= x * column[i];
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *column = LD + (size_t)j * (size_t)n;
        double x = b[j] * column[j];
        for (int i = j + 1; i < n; i++)
            x -= column[i] * b[i];
        b[j] = x;
    }
}

void tn_lu_solve_t(int n, const double *LU, const int *pivot, double *b)
{
    TN_ASSERT(n == 0 || (pivot[0] >= 1 && pivot[0] <= n));
    if (n > 0)
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, LU, n, pivot, b, n);
}

static tn_status dense_singular(char job, int m, int n, double *A, double *s, double *U)
{
    TN_ASSERT(m >= 0 && n >= 0);
    if (m == 0 || n == 0)
        return TN_OK;
    double size = 1.0, none = 0.0;
    LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, job, 'N', m, n, A, m, s, U, m, &none, 1, &size, -1);
    const int lwork = (int)size;
    double *work = tn_alloc((size_t)lwork * sizeof(double));
    if (!work)
        return tn_fail(TN_ERR_MEMORY, "singular values of a %d x %d matrix: out of memory", m, n);
    const uint64_t control = tn_flush_denormals();
    const int info =
        LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, job, 'N', m, n, A, m, s, U, m, &none, 1, work, lwork);
    tn_keep_denormals(control);
    tn_free(work);
    if (info != 0)
        return tn_fail(TN_ERR_NUMERIC,
                       "singular values of a %d x %d matrix: the iteration did not converge, "
                       "usually because an entry is not finite",
                       m, n);
    return TN_OK;
}

tn_status tn_singular_values(int m, int n, double *A, double *s)
{
    double none = 0.0;
    return dense_singular('N', m, n, A, s, &none);
}

tn_status tn_left_singular(int m, int n, double *A, double *s, double *U)
{
    return dense_singular('S', m, n, A, s, U);
}
