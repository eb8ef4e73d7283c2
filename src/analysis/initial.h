// SPDX-License-Identifier: MIT
//
// Consistent initial values on position and velocity level, for any system:
//
//   position:  min |dx|_W  such that  g(t, q o exp(dx)) = 0        Gauss-Newton, backtracking
//   velocity:  min |dv|_W  such that  B v + g_t = 0, N v + n0 = 0  one linear system
//
// W is a weight: the diagonal of the mass matrix, raised for values that the user states and very
// large for those that must not move. What is stated may be of another point than v is: with z = v
// + L v, W = (I + L)^T D (I + L) weighs z by the diagonal D. Rows that repeat others do no harm:
// the matrix ( W  C^T ; C  -eps ) is regular for any rank of C, and the iteration removes the error
// of eps.

#pragma once

#include "system/system.h"

typedef struct tn_initial tn_initial;

// L (nv x nv, or NULL) has blocks on its diagonal only. It must live as long as s, and its values
// may change in between.
tn_status tn_initial_create(tn_system *sys, const tn_sparse *L, tn_initial **out);
void tn_initial_destroy(tn_initial *s);

// Weights of the coordinates z (nv): factors on the mass matrix, 1 for free values, larger
// for stated ones, INFINITY for those that must keep their value.
void tn_initial_set_weights(tn_initial *s, const double *factor);
// Rows that take part on each level (ng + nn), 1 or 0.
void tn_initial_set_rows(tn_initial *s, const int *position, const int *velocity);

// Moves q (and w, s among the extra variables e) until |g| <= tol. The error names the joint that
// stays open, or the rows that contradict each other.
tn_status tn_initial_position(tn_initial *s, const tn_point *at, double tol, double *q, double *e);
// Changes v until the velocity level holds.
tn_status tn_initial_velocity(tn_initial *s, const tn_point *at, double tol, double *v);
// Solves 0 = b, 0 = h for w and s at the point.
tn_status tn_initial_extra(tn_initial *s, const tn_point *at, double *e);
