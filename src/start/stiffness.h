// SPDX-License-Identifier: MIT
//
// Stiffness of a mechanism at its start: its fastest undamped frequency, its fastest rate of decay,
// and the rate at which it moves. `auto` chooses by them, and simulations the matrices of
// stabilised formulations.

#pragma once

#include "start/start.h"

typedef struct tn_stiffness {
    double frequency; // root of the largest eigenvalue of the stiffness on the constraints [rad/s]
    double springs;   // the same of forces alone, without the tension in joints [rad/s]
    double decay;     // largest eigenvalue of the damping on the constraints [1/s]
    double motion;    // rate of the motion itself, at least 1 [1/s]
} tn_stiffness;

tn_status tn_stiffness_find(tn_start *start, tn_stiffness *out);
// y = M^-1 A x on the constraints, of the symmetric part of A; motions without inertia follow in x
// and have no part in y. The start is factored; rows (ng + nn) is scratch.
tn_status tn_stiffness_apply(tn_start *start, const tn_point *at, const tn_sparse *A, double *x,
                             double *y, double *rows);
