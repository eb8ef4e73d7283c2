// SPDX-License-Identifier: MIT
//
// Parts of linear_motion.h: coordinates, elimination and states.

#pragma once

#include "analysis/linear_motion.h"

// E Y' = A Y + B u in n unknowns that remain, and all (y, z, e, eta) by them: T Y + S u.
typedef struct tn_descriptor {
    int n, nu, nall;
    double *E, *A, *B; // n x n, n x n, n x nu
    double *T, *S;     // nall x n, nall x nu: all unknowns
    double *size;      // nall: what unknowns are counted in
    void *block;
} tn_descriptor;

// n1, coordinates and G.
tn_status tn_linear_choose_coordinates(tn_linear_motion *l);

// The equations of l->m without unknowns that have no rates: Y' = A Y + B u. tn_free block, after
// a failure, too.
tn_status tn_linear_eliminate(tn_linear_motion *l, tn_descriptor *d);

// States of l and their matrices from what remained.
tn_status tn_linear_name_states(tn_linear_motion *l, tn_descriptor *d);

tn_status tn_linear_undetermined(void); // the error
// out (rows x cols) = X (ld rows) V
void tn_linear_times(int rows, int ld, const double *X, int n, const double *V, int cols,
                     double *out);
