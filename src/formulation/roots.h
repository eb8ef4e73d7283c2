// SPDX-License-Identifier: MIT
//
// Algebraic variables e[first …] with as many equations at a point: w, s or both, by a simplified
// Newton method from the values that are there,
//
//   ( b_w  b_s ) ( dw )     ( b )
//   ( 0    h_s ) ( ds ) = - ( h ),        [Arn16, eq. 44e, f]
//
// with factors that are kept from one call to the next and renewed only where the iteration
// contracts slowly: tangents of a user's functions are dear, the functions themselves are not. It
// is carried on to round-off, so that what is found is a function of the point and not of the
// iteration.

#pragma once

#include "system/system.h"

typedef struct tn_roots {
    int first, n;
    bool factored;         // the matrix has been, at some point before
    double *matrix, *step; // n^2, n
    double *begin;         // n: where the iteration began
    int *pivot;            // n
} tn_roots;

void tn_roots_layout(tn_roots *r, int first, int n, tn_carve *mem);
// Solves for them at the point, whose e is `e`, to round-off.
tn_status tn_roots_find(tn_roots *r, tn_system *sys, const tn_point *at, double *e);
// The same with new factors in each iteration, from start values that may be far: any root will do,
// and where there is none no smaller step helps.
tn_status tn_roots_search(tn_roots *r, tn_system *sys, const tn_point *at, double *e);
// New factors at the point; leaves all derivative blocks there.
tn_status tn_roots_renew(tn_roots *r, tn_system *sys, const tn_point *at);
