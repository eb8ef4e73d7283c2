// SPDX-License-Identifier: MIT
//
// Rotations by three angles about axes that go along, in any of the twelve sequences:
//
//   R = R_a(angle 1) R_b(angle 2) R_c(angle 3),   a != b != c
//
// With a = c (zxz: precession, nutation, spin) the second angle is in [0, pi] and the others are
// not determined at its ends; with three axes (zyx: yaw, pitch, roll) it is in [-pi/2, pi/2],
// likewise. There the third angle is taken to be zero. Angles one and three are in (-pi, pi].

#pragma once

#include "tenon/spatial.h"

typedef struct tn_sequence {
    int axis[3]; // 0, 1, 2 for x, y, z
} tn_sequence;

void tn_euler_angles(tn_sequence s, tn_mat3 R, double angle[3]);
// Rates of the angles at the angular velocity W in body axes; NaN where the angles are not
// determined and the third one is taken to be zero.
void tn_euler_rates(tn_sequence s, tn_mat3 R, tn_vec3 W, double rate[3]);
