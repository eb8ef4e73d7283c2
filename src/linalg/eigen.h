// SPDX-License-Identifier: MIT
//
// Eigenvalues of small dense matrices over LAPACK, for analyses: these functions allocate. Matrices
// are column major.

#pragma once

#include "base/status.h"

// A = V diag(w) V^T of a symmetric matrix, of which the lower triangle is read: w (n) in increasing
// order; A becomes V, with orthonormal columns.
tn_status tn_eigen_symmetric(int n, double *A, double *w);

// X becomes L^-1 X L^-T, by which A x = s L L^T x becomes a problem of one matrix.
void tn_eigen_reduce(int n, const double *L, double *X);

// A x = s E x of a pair of matrices, both overwritten: s = (re + i im) / scale (n each, scale 0
// for values at infinity). V (n x n) receives vectors as LAPACK lays them out: one column for a
// real value, real and imaginary part in two columns for a pair of complex ones.
tn_status tn_eigen_pair(int n, double *A, double *E, double *re, double *im, double *scale,
                        double *V);

// A x = s x of any matrix, which is overwritten: s = re + i im (n each). V (n x n) as above, or
// NULL where vectors are not asked for. Many times faster than tn_eigen_pair.
tn_status tn_eigen_general(int n, double *A, double *re, double *im, double *V);

// Takes the zero eigenvalues out of A (n x n, overwritten): the rest, m x m, has all others. A zero
// that is multiple would be split by a root of round-off among the eigenvalues of A itself.
// Singular values up to tol times the largest column count as zero: scale A before.
tn_status tn_eigen_deflate(int n, double tol, double *A, int *m);
