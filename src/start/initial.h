// SPDX-License-Identifier: MIT
//
// Consistent initial values on position and velocity level, for any system:
//
//   position:  min |dx|_W  such that  g(t, q o exp(dx)) = 0        Gauss-Newton, backtracking
//   velocity:  min |dv|_W  such that  B v + g_t = 0, N v + n0 = 0  one linear system
//
// W = (I + L)^T D (I + L) weighs z = v + L v, as what is stated may be of another point than v is.
// D is a metric of the motions, in which turns by 1 rad are as far as slides by the size of the
// mechanism, times a factor: 1 for values that are open, more for those that are stated. Masses
// have no part in it. If a system has no metric, the diagonal of M takes its place. Rows that
// repeat others do no harm: the matrix ( W  C^T ; C  -eps ) is regular for any rank of C, and the
// iteration removes the error of eps. Unknowns are scaled by the metric, and rows that are lengths
// by the size of the mechanism, so that units do not matter.

#pragma once

#include "system/system.h"

typedef struct tn_initial tn_initial;

// L (nv x nv, or NULL) has blocks on its diagonal only. It must live as long as s, and its values
// may change in between.
tn_status tn_initial_create(tn_system *sys, const tn_sparse *L, tn_initial **out);
void tn_initial_destroy(tn_initial *s);
void tn_initial_values(tn_initial *s, tn_values *v);

// Roots of the metric (nv): what counts as 1 of each velocity, and the size of the mechanism [m].
// Tolerances are then relative to it.
void tn_initial_set_metric(tn_initial *s, const double *unit, double size);
// Factors of the coordinates z (nv): 1 for open values, more for stated ones, INFINITY for those
// that must keep their value.
void tn_initial_set_weights(tn_initial *s, const double *factor);
// Parts of rows on each level (ng + nn). Guesses have a part in tn_initial_approach alone.
typedef enum tn_row_part { TN_ROW_OFF, TN_ROW_HOLDS, TN_ROW_GUESS } tn_row_part;
void tn_initial_set_rows(tn_initial *s, const int *position, const int *velocity);

// A search that has come this near, relative to sizes, and gets on slowly only, ends with
// TN_RETRY_NEWTON and without a text: some rows depend on others, but for digits. 0, as at first:
// it goes on.
void tn_initial_set_near(tn_initial *s, double near);
// Moves q (and w, s among the extra variables e) until |g| <= tol. The error names the joint that
// stays open, or the rows that contradict each other.
tn_status tn_initial_position(tn_initial *s, const tn_point *at, double tol, double *q, double *e);
// Residual of the rows at q, lengths in sizes of the mechanism.
double tn_initial_misfit(tn_initial *s, const tn_point *at, const double *q);

// Requested change of z from q on: d (nv), 0 if open.
typedef void tn_initial_request(void *of, const double *q, double *d);
void tn_initial_set_request(tn_initial *s, tn_initial_request *request, void *of);
// Distance of stated values and guesses at q from the request, by weights and metric.
double tn_initial_distance(tn_initial *s, const tn_point *at, const double *q);
// Moves q, at which the rows hold, along them to where the stated values and guesses are nearest to
// what is wanted; open ones follow.
tn_status tn_initial_approach(tn_initial *s, const tn_point *at, double *q);

// Changes v until the velocity level holds, to tol relative to the speeds.
tn_status tn_initial_velocity(tn_initial *s, const tn_point *at, double tol, double *v);
// "joint 'a', row x, joint 'b', row y": the rows that changed v most in the last
// tn_initial_velocity, of those that are connected with v0 … v0 + nv - 1.
void tn_initial_pressed(tn_initial *s, int v0, int nv, char *text, size_t size);
// Solves 0 = b, 0 = h for w and s at the point.
tn_status tn_initial_extra(tn_initial *s, const tn_point *at, double *e);
