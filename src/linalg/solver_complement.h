// SPDX-License-Identifier: MIT
//
// Symmetric matrices (M C^T; C D) whose M falls into small blocks, as equations of motion of bodies
// do: M is eliminated block by block, and the multipliers are found from C M^-1 C^T - D by
// supernodes (CHOLMOD), which go through blocks of columns instead of single ones.

#pragma once

#include "linalg/sparse.h"

typedef struct tn_complement tn_complement;

// S = D_r A D_c with D_r and D_c in `row` and `col`; `kind` separates strong unknowns from weak
// ones (solver_order.h). *out is NULL where that does not suit: A is not symmetric, blocks are
// large, the complement is so sparse that supernodes win nothing, or memory is short.
void tn_complement_create(const tn_sparse *S, const double *row, const double *col,
                          const char *kind, tn_complement **out);
void tn_complement_destroy(tn_complement *c); // NULL is fine

// With these values, in the same pattern. False where A is not symmetric, or its blocks or the
// complement are not definite. rcond: as small as the pivots say.
bool tn_complement_factor(tn_complement *c, const tn_sparse *S, double *rcond);
// b becomes S^-1 b. False without memory, which the first solution alone can lack.
bool tn_complement_solve(tn_complement *c, double *b);

double tn_complement_entries(const tn_complement *c);          // of L and L^T, one diagonal
void tn_complement_widths(const tn_complement *c, int *width); // see tn_solver_widths
