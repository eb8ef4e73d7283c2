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

#include "model/row.h"

// Origin, x, y and z of frame A, then of frame B.
typedef struct tn_linear_pair {
    tn_vec3 x[8], v[8]; // vectors and their rates
    double length;      // L of DISTANCE [m]
} tn_linear_pair;

double tn_linear_value(const tn_row *row, const tn_linear_pair *at, double reference);
void tn_linear_gradient(const tn_row *row, const tn_linear_pair *at, double G[24]); // sets
void tn_linear_hessian(const tn_row *row, const tn_linear_pair *at, double scale,
                       double H[24][24]);                                // adds
double tn_linear_rate(const double G[24], const tn_linear_pair *at);     // G . X'
double tn_linear_curvature(const tn_row *row, const tn_linear_pair *at); // X'^T H X'
