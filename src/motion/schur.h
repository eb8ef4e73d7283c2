// SPDX-License-Identifier: MIT
//
// The linear system of accel.h where the system solves with its mass matrix by recursion: with the
// Schur complement S = C M^-1 C^T of the rows C = (B; N),
//
//   S y = C M^-1 b - c,   x = M^-1 (b - C^T y)
//
// Half a solution for each row of C is enough for S, and a row sees no more of the tree than the
// ways of its bodies to the ground: it takes as many operations as these are long, and an entry of
// S only the freedoms that both of its rows have.

#pragma once

#include "system/system.h"

typedef struct tn_schur tn_schur;

// `active` (ng + nn rows) stays the caller's and may change before a factorisation.
tn_status tn_schur_create(tn_system *sys, const int *active, tn_schur **out);
void tn_schur_destroy(tn_schur *s);
void tn_schur_values(tn_schur *s, tn_values *v);

// With the factors of M and B as the system has them: TN_RETRY_SINGULAR where rows depend on each
// other. Notes the condition of the rows.
tn_status tn_schur_factor(tn_schur *s);
void tn_schur_solve(const tn_schur *s, double *b, double *c); // (b, c) become (x, y)
// The same where b is M^-1 b already.
void tn_schur_finish(const tn_schur *s, double *b, double *c);
