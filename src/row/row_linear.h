// SPDX-License-Identifier: MIT
//
// The row forms of row.h on frames that need not be orthonormal: an origin and three axes, whose
// twelve numbers each are variables of their own. Every form is then a function of products of
// these vectors, quadratic at most but for LENGTH and ANGLE, with the same value as in row.h where
// the axes are orthonormal [LMO08, sect. 5.2].
//
// With X = (origin and axes of A, origin and axes of B), 24 numbers:
//
//   row' = G . X',    row'' = G . X'' + X'^T H X',    H = dG/dX symmetric

#pragma once

#include "row/row.h"

// Origin, x, y and z of frame A, then of frame B.
typedef struct tn_linear_pair {
    tn_vec3 x[8], v[8];             // vectors and their rates
    double length;                  // L of DISTANCE [m]
    const struct tn_joint_def *own; // as in tn_pair
} tn_linear_pair;

double tn_linear_value(const tn_row *row, const tn_linear_pair *at, double reference);
void tn_linear_gradient(const tn_row *row, const tn_linear_pair *at, double G[24]); // sets
void tn_linear_hessian(const tn_row *row, const tn_linear_pair *at, double scale,
                       double H[24][24]);                                // adds
double tn_linear_rate(const double G[24], const tn_linear_pair *at);     // G . X'
double tn_linear_curvature(const tn_row *row, const tn_linear_pair *at); // X'^T H X'

// The same over an interval from X0 to X1: a discrete gradient D that depends on both its ends,
//
//   D . (X1 - X0) = row(X1) - row(X0),    T = dD/dX1, not symmetric
//
// a function of products of vectors times the gradients of the products at the middle, so that it
// turns with the frames: scalar laws and constraints that act along D keep momentum and spin
// [Gon96]. An angle changes by less than half a turn.
typedef struct tn_linear_span {
    tn_linear_pair from, to; // without rates
    tn_linear_pair middle;   // (X0 + X1) / 2, with the rate (X1 - X0) / h
} tn_linear_span;

void tn_linear_mean_gradient(const tn_row *row, const tn_linear_span *over, double D[24]); // sets
void tn_linear_mean_tangent(const tn_row *row, const tn_linear_span *over, double scale,
                            double T[24][24]); // adds
