// SPDX-License-Identifier: MIT
//
// The rotation group SO(3) and unit quaternions, after [BCA12] and [Arn16, section 3.1].
//
//   exp(x) = I + sin(t)/t skew(x) + (1 - cos t)/t^2 skew(x)^2,   t = |x|
//   T(x): d/de exp(x + e y) = exp(x) skew(T(x) y)
//   T(x) = I - (1 - cos t)/t^2 skew(x) + (t - sin t)/t^3 skew(x)^2
//
// T is the left-trivialised tangent (the body-fixed rate is T(x) x'). Accurate to round-off from
// angle 0 to beyond pi: series below a switch angle, closed forms above it.

#pragma once

#include "tenon/spatial.h"

tn_mat3 tn_so3_exp(tn_vec3 x);
tn_quat tn_so3_exp_quat(tn_vec3 x);
tn_vec3 tn_so3_log(tn_mat3 R);          // angle in [0, pi], accurate at both ends
tn_vec3 tn_so3_log_quat(tn_quat e);     // e and -e give the same rotation vector
tn_quat tn_quat_from_matrix(tn_mat3 R); // w >= 0, accurate everywhere
tn_mat3 tn_so3_tangent(tn_vec3 x);      // T(x)
tn_mat3 tn_so3_tangent_inv(tn_vec3 x);  // T(x)^-1, singular only at 2 pi k, k > 0
// Derivative of T(x)^-1 y with respect to x: column j is d/de T(x + e e_j)^-1 y.
tn_mat3 tn_so3_tangent_inv_deriv(tn_vec3 x, tn_vec3 y);
tn_mat3 tn_m3_inverse(tn_mat3 A);
tn_mat3 tn_m3_orthonormalize(tn_mat3 A); // the rotation R that is nearest to A, det A > 0
// P = (tr(S) I - S)^-1 of the stretch S of a polar decomposition A = S R: where the columns a_k of
// A change, R turns by dr = P sum_k r_k x da_k.
tn_mat3 tn_m3_polar_turn(tn_mat3 S);
