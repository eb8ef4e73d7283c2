// SPDX-License-Identifier: MIT
//
// The state of radau5, for integrators that start themselves with it.

#pragma once

#include "integrator/integrator.h"

typedef struct tn_radau5 {
    tn_integrator base;
    double c[4];    // nodes, after a leading zero
    double D[4][4]; // derivative of the collocation polynomial at node i: (1/h) sum D[i][j] Y_j
} tn_radau5;
