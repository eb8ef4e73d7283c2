// SPDX-License-Identifier: MIT
//
// Dense vectors and matrices over BLAS and LAPACK. Matrices are column major with leading dimension
// equal to their row count. Nothing here allocates: LAPACK's workspaces are arguments.

#pragma once

#include "base/status.h"

void tn_zero(int n, double *x);
void tn_copy(int n, const double *x, double *y);           // y = x
void tn_scale(int n, double s, double *x);                 // x = s x
void tn_axpy(int n, double s, const double *x, double *y); // y = s x + y
double tn_dot(int n, const double *x, const double *y);
double tn_norm2(int n, const double *x);
double tn_norm_inf(int n, const double *x);
bool tn_all_finite(int n, const double *x);

// P A = L U in place. TN_RETRY_SINGULAR when a pivot is exactly zero or not finite.
tn_status tn_lu_factor(int n, double *A, int *pivot);
void tn_lu_solve(int n, const double *LU, const int *pivot, double *b);
// Reciprocal condition number from the factors and the 1-norm of A; work 4n doubles, iwork n ints.
double tn_lu_rcond(int n, const double *LU, double norm1, double *work, int *iwork);

// Pivoted QR of A (m x n, overwritten): A P = Q R. Returns the numerical rank: the number of
// diagonal entries of R above tol times the largest. jpvt[k] is the column of A that stands at k.
int tn_qr_rank(int m, int n, double *A, double tol, int *jpvt, double *tau, double *work,
               int lwork);
int tn_qr_work(int m, int n); // doubles that tn_qr_rank needs

// Singular values of A (overwritten), largest first, into s (min(m, n)); allocates, for analyses.
tn_status tn_singular_values(int m, int n, double *A, double *s);
