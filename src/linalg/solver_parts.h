// SPDX-License-Identifier: MIT
//
// What the front of the solver (solver.c) and the factorisations behind it share. They all work on
// the equilibrated matrix
//
//   S = D_r A D_c,    D_r, D_c diagonal, powers of two, largest entry of each row and column near 1
//
// so that pivots, condition and rank are judged free of the units of rows and columns.

#pragma once

#include "linalg/solver.h"

// A pivot ratio or reciprocal condition number of S below this counts as singular: what cancels
// completely leaves n eps or so, 1e-16 to 1e-14, and no digit of a solution could be trusted.
#define TN_RCOND_MIN 1e-14

// Columns of S whose part across the others is below this, relative, are dependent. Constraints
// that repeat each other agree to round-off times a condition number; others differ by far more.
#define TN_RANK_TOL 1e-10

typedef struct tn_factor_ops {
    const char *name;
    tn_status (*create)(const tn_sparse *S, void **out); // from the pattern
    void (*destroy)(void *self);
    // Sets rcond, and pivotings where new pivots are chosen. TN_RETRY_SINGULAR for a zero pivot.
    tn_status (*factor)(void *self, const tn_sparse *S, tn_solver_stats *stats);
    void (*solve)(void *self, double *b);
    // The x of minimum 2-norm among those that minimise |S D_c^-1 x - b|; b is D_r times the right
    // side and becomes x. D_c is in `col`.
    tn_status (*min_norm)(void *self, const tn_sparse *S, const double *col, double *b, int *rank);
} tn_factor_ops;

extern const tn_factor_ops tn_factor_dense;
extern const tn_factor_ops tn_factor_klu;

// The same as min_norm, by SPQR; allocates.
tn_status tn_spqr_min_norm(const tn_sparse *S, const double *col, double *b, int *rank);
