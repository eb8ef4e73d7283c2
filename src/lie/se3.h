// SPDX-License-Identifier: MIT
//
// The group of rigid motions SE(3), frames as elements, after [BCA12]. A vector of the algebra is
// x = (u, w): translational part first. exp(x) = (exp(w), T_SO3(w)^T u), where T^T(w) = T(-w).
// T(x) is the left-trivialised 6 x 6 tangent operator: d/de exp(x + e y) = exp(x) (T(x) y)~.

#pragma once

#include "tenon/spatial.h"

tn_frame tn_se3_exp(const double x[6]);
void tn_se3_log(tn_frame H, double x[6]);
void tn_se3_tangent(const double x[6], double T[6][6]);
void tn_se3_tangent_inv(const double x[6], double T[6][6]);
// out = d/de T(x + e dx)^-1 y at e = 0; out may be y or dx.
void tn_se3_tangent_inv_along(const double x[6], const double y[6], const double dx[6],
                              double out[6]);

// T(x)^-1 = (F D; 0 F) at x = (u, w), T(-x)^-1 = (F^T D^T; 0 F^T), and the coefficients they share.
typedef struct tn_se3_inverse {
    tn_vec3 u, w;
    double gamma, delta, epsilon; // lie/coefficients.h
    tn_mat3 F, D;
} tn_se3_inverse;

// At x = log(H).
tn_se3_inverse tn_se3_log_inverse(tn_frame H);
// The derivative of T(x)^-1 y by x is (N Z; 0 N) with y = (yu, yw), N = -skew(yw) / 2 + odd_N and
// Z = -skew(yu) / 2 + odd_Z, where odd parts are those that change their sign with x.
void tn_se3_inverse_slopes(const tn_se3_inverse *T, tn_vec3 yu, tn_vec3 yw, tn_mat3 *odd_N,
                           tn_mat3 *odd_Z);
