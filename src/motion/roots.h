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
// iteration. One that comes to where the determinant has the other sign has gone beyond a fold, to
// a root that does not continue the values that were there: it is given up.
//
// If the point is far from the one that the values belong to, as within a long step, they are
// followed along the Newton homotopy
//
//   b(w) = (1 - s) b(w0),   s from 0 to 1     [Deu04, chap. 5],
//
// from the values w0 that are there. Of equations f(w) = g(point) these are the solutions for all g
// between that of the one point and that of the other.

#pragma once

#include "system/system.h"

typedef struct tn_roots {
    int first, n;
    bool factored;         // the matrix has been, at some point before
    int side;              // sign of its determinant
    double rate;           // of the last iteration: by which the first corrections have shrunk
    double *matrix, *step; // n^2, n
    double *last;          // n: the correction before
    double *begin;         // n: where the iteration began
    double *home, *misfit; // n, n: where a homotopy began, and the equations there
    int *pivot;            // n
} tn_roots;

void tn_roots_layout(tn_roots *r, int first, int n, tn_carve *mem);
void tn_roots_values(tn_roots *r, tn_values *v); // beside those of the layout
// Solves for them at the point, whose e is `e`, to round-off.
tn_status tn_roots_find(tn_roots *r, tn_system *sys, const tn_point *at, double *e);
// The same, followed by parts where the point is too far for that: for dense output, which cannot
// ask for a shorter step.
tn_status tn_roots_follow(tn_roots *r, tn_system *sys, const tn_point *at, double *e);
// One iteration with the factors there are.
tn_status tn_roots_improve(tn_roots *r, tn_system *sys, const tn_point *at, double *e);
// With new factors in each iteration, from start values that may be far: any root will do, and
// where there is none no smaller step helps.
tn_status tn_roots_search(tn_roots *r, tn_system *sys, const tn_point *at, double *e);
// New factors at the point; leaves all derivative blocks there.
tn_status tn_roots_renew(tn_roots *r, tn_system *sys, const tn_point *at);
