// SPDX-License-Identifier: MIT
//
// Linear complementarity problems w = M z + q, w >= 0, z >= 0, w . z = 0, by Lemke's method
// [CPS92]. For copositive plus matrices, among them positive semidefinite ones, it ends with a
// solution where w >= 0 can be reached at all; for others it may miss one that there is. Numbers
// should be of size one.

#pragma once

#include "base/carve.h"

typedef struct tn_lemke {
    int most;   // unknowns
    double *T;  // the tableau, most x (2 most + 2), row by row
    int *basis; // most
    int *tied;  // most
} tn_lemke;

void tn_lemke_layout(tn_lemke *s, int most, tn_carve *mem);

// M is n x n, column major. False where it ends on a ray or after too many pivots; z (n) is then
// the last point that it came to.
bool tn_lemke_solve(tn_lemke *s, int n, const double *M, const double *q, double *z);
