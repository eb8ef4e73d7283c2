// SPDX-License-Identifier: MIT
//
// Dense vectors and matrices over BLAS and LAPACK. Matrices are column major with leading dimension
// equal to their row count. Nothing here allocates: LAPACK's workspaces are arguments.
//
// Right-hand sides go one by one, with the least workspace: for several of them OpenBLAS wakes its
// threads however small the matrix, and for one with blocks of reflections from 48 rows on, which
// costs more than it gains and takes processors from simulations in other threads.

#pragma once

#include "base/status.h"

void tn_zero(int n, double *x);
void tn_copy(int n, const double *x, double *y);           // y = x
void tn_scale(int n, double s, double *x);                 // x = s x
void tn_axpy(int n, double s, const double *x, double *y); // y = s x + y
double tn_dot(int n, const double *x, const double *y);
// out (na x nb) = A^T B, by columns of n numbers; y += s A x with as many columns.
void tn_inner(int n, int na, const double *A, int nb, const double *B, double *out);
void tn_add_columns(int n, int count, double s, const double *A, const double *x, double *y);
double tn_norm2(int n, const double *x);
double tn_norm_inf(int n, const double *x);
bool tn_all_finite(int n, const double *x);
bool tn_same(int n, const double *x, const double *y);    // to the last bit
int tn_largest_at(int n, const double *x);                // index of the largest |x|, or of a nan
void tn_magnitudes(int n, const double *x, double *size); // |x|

static inline double *tn_column_of(double *A, int rows, int j)
{
    return A + (size_t)j * (size_t)rows;
}

// P A = L U in place. TN_RETRY_SINGULAR when a pivot is exactly zero or not finite.
tn_status tn_lu_factor(int n, double *A, int *pivot);
void tn_lu_solve(int n, const double *LU, const int *pivot, double *b);
// Reciprocal condition number from the factors and the 1-norm of A; work 4n doubles, iwork n ints.
double tn_lu_rcond(int n, const double *LU, double norm1, double *work, int *iwork);

// The same for a band of `band` diagonals on either side: tn_band_size doubles, in which entry
// (i, j) stands at tn_band_at. The rest of them is for the factors.
int tn_band_size(int n, int band);
size_t tn_band_at(int band, int i, int j);
tn_status tn_band_factor(int n, int band, double *A, int *pivot);
void tn_band_solve(int n, int band, const double *LU, const int *pivot, double *b);

// The tolerance of rank: rows or columns, scaled alike, whose part across the others is below this,
// relative, repeat them. Constraints that repeat each other agree to round-off times a condition
// number; others differ by far more. Whoever uses another one says why.
#define TN_RANK_TOL 1e-10

// Pivoted QR of A (m x n, overwritten): A P = Q R. Returns the numerical rank: the number of
// diagonal entries of R above tol times the largest. jpvt[k] is the column of A that stands at k.
int tn_qr_rank(int m, int n, double *A, double tol, int *jpvt, double *tau, double *work,
               int lwork);
int tn_qr_work(int m, int n); // doubles that tn_qr_rank needs, and LAPACK's products with Q

// Q R of A (m x n, m >= n, overwritten) without pivoting; workspace as for tn_qr_rank.
void tn_qr_factor(int m, int n, double *A, double *tau, double *work, int lwork);
// x becomes Q x or Q^T x, with the first k reflections that tn_qr_rank or tn_qr_factor left in A.
// One double of work makes LAPACK take them one by one, as is best for one vector.
void tn_qr_apply(int m, int k, bool transposed, const double *A, const double *tau, double *x,
                 double *work);
// Solves R x = b or R^T x = b with the upper triangle of the first n rows of R (leading dimension
// ld); its diagonal must not be zero.
void tn_upper_solve(int n, int ld, bool transposed, const double *R, double *b);

// A = L L^T in place, lower triangle. TN_RETRY_SINGULAR where A is not positive definite: a pivot
// below tol times the diagonal entry of A.
tn_status tn_cholesky(int n, double *A, double tol);
void tn_lower_solve(int n, const double *L, double *b);   // L x = b
void tn_lower_solve_t(int n, const double *L, double *b); // L^T x = b

// A = L D L^T in place, lower triangle, with 1/D on the diagonal, so that solutions take no
// divisions; D is in pivot (n). TN_RETRY_SINGULAR as above.
tn_status tn_ldl(int n, double *A, double tol, double *pivot);
void tn_ldl_solve(int n, const double *LD, double *b); // L D L^T x = b

// Solves A^T x = b with the factors of tn_lu_factor.
void tn_lu_solve_t(int n, const double *LU, const int *pivot, double *b);

// Singular values of A (overwritten), largest first, into s (min(m, n)); allocates, for analyses.
tn_status tn_singular_values(int m, int n, double *A, double *s);
// The same with the left vectors as columns of U (m x min(m, n)).
tn_status tn_left_singular(int m, int n, double *A, double *s, double *U);
