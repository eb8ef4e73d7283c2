// SPDX-License-Identifier: MIT
//
// Some eigenvalues of large matrices over ARPACK, which restarts Lanczos' and Arnoldi's methods
// implicitly [LSY98]. The matrix is known by its products with vectors only. These functions
// allocate, take turns where threads call them at once (ARPACK keeps numbers of its own between
// calls), and start from the same vector in every run.

#pragma once

#include "base/status.h"

typedef struct tn_arpack_ops {
    // Symmetric: y = (K - s M)^-1 b, where b = M x is handed over. General: y = A b.
    tn_status (*apply)(void *user, const double *b, double *y);
    // y = M x; not used by tn_arpack_general.
    tn_status (*mass)(void *user, const double *x, double *y);
    void *user;
    int rank; // of the matrix whose values are found, at most; 0: n. The iteration stays below.
} tn_arpack_ops;

// K x = mu M x near the shift s, by theta = 1 / (mu - s) of (K - s M)^-1 M: the `count` theta that
// are largest by magnitude, these first. K is symmetric, M too and positive semidefinite; with
// constraints both act on motions that these leave free, and `apply` ends there. V (n x count)
// receives vectors with V^T M V = 1. Needs 0 < count < rank; eigen.h finds them all.
//
// `found` of them converged, all where TN_OK is returned. With TN_ERR_NUMERIC the first ones are of
// use all the same.
tn_status tn_arpack_symmetric(int n, int count, const tn_arpack_ops *ops, double *theta, double *V,
                              int *found);

// A x = theta x of any real matrix: the `count` values re + i im that are largest by magnitude,
// these first, and one more where a pair would be parted; the arrays have room for count + 1 values
// and V for n x (count + 1). V is laid out as in eigen.h: one column for a real value, real and
// imaginary part in two for a pair, whose value with the positive imaginary part comes first.
// Vectors have norm 1. Needs 0 < count < rank - 1.
tn_status tn_arpack_general(int n, int count, const tn_arpack_ops *ops, double *re, double *im,
                            double *V, int *found);
