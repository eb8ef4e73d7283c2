// SPDX-License-Identifier: MIT
//
// BDF of fixed order with given steps, equal or not, on the residual view F(t, y, y') = 0: the part
// of `bdf` that works without error control. Functions have the signatures of tn_integrator_ops.

#pragma once

#include "integrator/integrator.h"
#include "integrator/radau5.h"

enum { TN_BDF_FIXED_MAX = 5 }; // largest order

typedef struct tn_bdf_fixed {
    int order;                          // asked for: options->max_order, 0: 2
    int kept;                           // points of history, at most order + 1
    double t[TN_BDF_FIXED_MAX + 2];     // times of history, newest first
    double *past[TN_BDF_FIXED_MAX + 2]; // y there, in the present chart
    double c_factored;                  // factorisation at hand belongs to c F_y' + F_y; 0: none
    double *y, *yp;                     // the point at hand
    double *known;                      // part of y' that the past gives
    double *r;                          // residual and correction
    double *weight;                     // of corrections
    int *level, *differential;          // kinds of unknowns
    tn_radau5 starter;                  // takes the first order - 1 steps
} tn_bdf_fixed;

void tn_bdf_fixed_layout(tn_bdf_fixed *s, const tn_stepper *stepper, tn_carve *mem);
tn_status tn_bdf_fixed_begin(tn_bdf_fixed *s, const tn_sim_options *options);
tn_status tn_bdf_fixed_step(tn_bdf_fixed *s, tn_stepper *stepper, tn_state *x, double h);
// The polynomial of the last step, through its end and the points before it.
tn_status tn_bdf_fixed_interpolate(tn_bdf_fixed *s, tn_stepper *stepper, double t, tn_state *out);
