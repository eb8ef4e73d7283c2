// SPDX-License-Identifier: MIT
//
// How stiff a mechanism is where it starts: its fastest undamped frequency, its fastest rate of
// decay, and the rate at which it moves. `auto` chooses by them, and simulations the matrices of
// stabilised formulations.

#pragma once

#include "analysis/start.h"

typedef struct tn_stiffness {
    double frequency; // root of the largest eigenvalue of the stiffness on the constraints [rad/s]
    double springs;   // the same of forces alone, without the tension in joints [rad/s]
    double decay;     // largest eigenvalue of the damping on the constraints [1/s]
    double motion;    // rate of the motion itself, at least 1 [1/s]
} tn_stiffness;

tn_status tn_stiffness_find(tn_start *start, tn_stiffness *out);
