// SPDX-License-Identifier: MIT
//
// The front of the solver (solver.c) and the factorisations behind it share this. They all work on
// the equilibrated matrix
//
//   S = D_r A D_c,    D_r, D_c diagonal, powers of two, largest entry of each row and column near 1
//
// so that pivots, condition and rank are checked free of the units of rows and columns
// (equilibrate.c).
//
// Matrices with complex values (zsolver.h) travel as a tn_sparse whose `val` holds 2 nnz doubles,
// real and imaginary parts by turns; vectors likewise. Only the operations named complex take them.

#pragma once

#include "base/tolerance.h"
#include "linalg/solver.h"

// A pivot ratio or reciprocal condition number of S below this counts as singular: what cancels
// completely leaves n eps or so, 1e-16 to 1e-14, and no digit of a solution could be trusted.
#define TN_RCOND_MIN 1e-14

typedef struct tn_factor_ops {
    const char *name;
    tn_status (*create)(int parts, const tn_sparse *S, void **out); // from the pattern
    void (*destroy)(void *self);
    // Sets rcond, and pivotings where new pivots are chosen. TN_RETRY_SINGULAR for a zero pivot.
    tn_status (*factor)(void *self, const tn_sparse *S, tn_solver_stats *stats);
    void (*solve)(void *self, double *b);
    // The x of minimum 2-norm among those that minimise |S D_c^-1 x - b|; b is D_r times the right
    // side and becomes x. D_c is in `col`. Of real values; NULL: by SPQR.
    tn_status (*min_norm)(void *self, const tn_sparse *S, const double *col, double *b, int *rank);
    void (*fill)(const void *self, tn_solver_fill *out); // estimate and fact
    void (*widths)(const void *self, int *width); // see tn_solver_widths; NULL for full matrices
    // Told once where D_r and D_c will be; NULL for those that do not ask.
    void (*scales)(void *self, const double *row, const double *col);
    // Lists the numbers of factors; those that are read are made of S.
    void (*values)(void *self, const tn_sparse *S, tn_values *v);
} tn_factor_ops;

extern const tn_factor_ops tn_factor_dense, tn_factor_klu;

// Real matrices of at least TN_CONDENSE_FROM unknowns: the complement of small blocks, or KLU
// (solver_condense.c).
enum { TN_CONDENSE_FROM = 8192 };
extern const tn_factor_ops tn_factor_condensed;
bool tn_is_condensed(const void *factor); // true if the last factors are those of a complement

// Change of the range of pivots that calls for a trial solve.
#define TN_PIVOT_CHANGE 1e2

// The backward error of a trial solve by `solve(self, …)`; b and x are room for n values. NaN is
// poor.
double tn_trial_error(void *self, void (*solve)(void *self, double *b), int parts,
                      const tn_sparse *S, double *b, double *x);

// The same as min_norm, by SPQR, for real (1) or complex (2) values; allocates.
tn_status tn_spqr_min_norm(int parts, const tn_sparse *S, const double *col, double *b, int *rank);

// An error where factors with so many entries are more than `memory` bytes hold.
tn_status tn_factors_fit(int parts, int unknowns, double entries, double memory);

// Below this reciprocal condition number a matrix counts as singular. Chains of N bodies are well
// posed and still lose N^4 (B B^T is the stiffness of a beam of N parts; 2e-16 measured at N =
// 10^4), so large matrices are given more room; one that is singular to round-off lies below it all
// the same.
static inline double tn_least_rcond(int n)
{
    TN_ASSERT(n >= 0);
    const double room = n > 1000 ? 1000.0 / n : 1.0;
    return TN_RCOND_MIN * room * room;
}

// D_r and D_c from the sizes |a| of the entries; `reach` is room for n values.
void tn_equilibrate(const tn_sparse *sizes, const tn_inertia_rows *at, double *row, double *col,
                    double *reach);
// Returns true if scales by entries leave some inertia so small that ranks do not see it.
bool tn_hides_inertia(const tn_sparse *sizes, const tn_inertia_rows *at, const double *row,
                      const double *col);
