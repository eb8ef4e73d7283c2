// SPDX-License-Identifier: MIT
//
// Sparse Cholesky factors of symmetric positive definite matrices over CHOLMOD of SuiteSparse, and
// products of sparse matrices, for analyses: these functions allocate.

#pragma once

#include "linalg/sparse.h"

typedef struct tn_cholmod tn_cholmod; // L L^T = P A P^T

// Factors A, of which the upper triangle is read (it may be stored in full). TN_RETRY_SINGULAR
// without a sentence where A is not positive definite: *row is then the row of A at which that was
// found, else -1. On failure *out is NULL.
tn_status tn_cholmod_create(const tn_sparse *A, tn_cholmod **out, int *row);
// The same in two steps, for many matrices of one pattern: an order of elimination by AMD, then
// factors as often as values change.
tn_status tn_cholmod_analyse(const tn_sparse *A, tn_cholmod **out);
tn_status tn_cholmod_factor(tn_cholmod *factor, const tn_sparse *A, int *row);
double tn_cholmod_entries(const tn_cholmod *factor);   // of L, by the analysis
double tn_cholmod_thickness(const tn_cholmod *factor); // operations by entries
// Entries of each column of L: width[place[j]] for column j of A.
void tn_cholmod_widths(const tn_cholmod *factor, const int *place, int *width);
void tn_cholmod_destroy(tn_cholmod *factor); // NULL is fine

tn_status tn_cholmod_solve(tn_cholmod *factor, const double *b, double *x); // x = A^-1 b
double tn_cholmod_rcond(const tn_cholmod *factor); // a cheap estimate, from the diagonal of L

// T^T A T of a matrix that is stored in full.
tn_status tn_cholmod_project(const tn_sparse *A, const tn_sparse *T, tn_sparse **out);
