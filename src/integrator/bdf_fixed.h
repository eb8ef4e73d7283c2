// SPDX-License-Identifier: MIT
//
// BDF of fixed order with given steps, equal or not, on the residual view F(t, y, y') = 0: the part
// of `bdf` that works without error control. Functions have the signatures of tn_integrator_ops.

#pragma once

#include "integrator/radau5.h"

enum { TN_BDF_FIXED_MAX = 5, TN_BDF_FIXED_DEFAULT = 2 }; // orders

typedef struct tn_bdf_fixed {
    int order;                          // asked for: options->max_order, 0: the default
    int n;                              // unknowns
    tn_dae_layout at;                   // and where they stand
    int kept;                           // points of the past, the newest is the state
    double t[TN_BDF_FIXED_MAX + 1];     // their times, newest first
    double *past[TN_BDF_FIXED_MAX + 1]; // y there, in the current chart                 n
    double *q[TN_BDF_FIXED_MAX + 1];    // configurations there                          nq
    bool index3;                        // there are index-3 variables
    bool by_starter;                    // the last step was
    bool due, fresh;                    // a new tangent is; it is of this step
    const tn_state *followed;           // where unknowns of a prediction are followed from, or NULL
    double c_factored;                  // of the factorisation at hand, 0: none
    double rate;                        // of convergence in the last step
    double noise; // size of corrections by round-off, with this tangent; negative: not known
    double *y, *yp, *known;    // the point at hand, and the past's part of y'  n
    double *r;                 // residual and correction                       n
    double *weight, *size;     // of corrections                                n
    int *level, *differential; // kinds of unknowns                             n
    tn_radau5 starter;         // takes the first order - 1 steps
} tn_bdf_fixed;

void tn_bdf_fixed_layout(tn_bdf_fixed *s, const tn_stepper *stepper, tn_carve *mem);
void tn_bdf_fixed_values(tn_bdf_fixed *s, tn_values *v);
tn_status tn_bdf_fixed_begin(tn_bdf_fixed *s, const tn_sim_options *options);
tn_status tn_bdf_fixed_step(tn_bdf_fixed *s, tn_stepper *stepper, tn_state *x, double h);
// The polynomial of the last step, through its end and the points before it.
tn_status tn_bdf_fixed_interpolate(tn_bdf_fixed *s, tn_stepper *stepper, double t, tn_state *out);
