// SPDX-License-Identifier: MIT
//
// The memory of radau5, for integrators that start themselves with it.

#pragma once

#include "integrator/integrator.h"

typedef struct tn_radau5 {
    tn_integrator base;
    int n;
    tn_dae_layout at;
    bool open;                 // y and yp belong to the state and to the current chart
    bool has_past;             // there is a last step
    bool due;                  // a new tangent is
    bool fresh;                // the tangent was evaluated in this step
    bool rejected;             // the step is tried again
    const tn_state *followed;  // where unknowns of predictions are followed from, or NULL
    bool index3;               // there are index-3 variables
    bool hurried;              // an iteration is given up where it will take too long
    int most;                  // iterations
    long accepted;             // steps since the beginning
    double h_factored;         // step size of the factorisations at hand, 0: none
    double rate;               // of convergence in the last iteration
    bool rounded;              // the residual was as small as round-off of coordinates lets it be
    double left;               // what an iteration leaves, as a part of its last correction
    double slowdown;           // factor for the next try after a failed iteration
    int iterations;            // in the last step
    double h_last, error_last; // of the last accepted step, for the controller
    double rtol, atol, kappa;  // in use; atol: that of lengths
    double *absolute;          // tolerance of each unknown                 n
    double t_past, h_past;     // last step
    double *past[4];           // y at its nodes, in the current chart      n
    double *q_past[4];         // configurations there                      nq
    double *y, *yp;            // start of the step                         n
    double *Z[3];              // increments of the stages                  n
    double *stage, *slope;     // a stage and its derivative                n
    double *R[3];              // residuals                                 n
    double *weight, *size0, *size1; // tolerance of each unknown, and sizes      n
    double complex *pair;           // complex right-hand side                   n
    int *level;                     // errors count h^level times; TN_DAE_PROJECTS: not at all  n
    int *still;                     // rows without y'                                      n
} tn_radau5;

void tn_radau5_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem);
void tn_radau5_values(tn_integrator *self, tn_values *v);
tn_status tn_radau5_begin(tn_integrator *self, const tn_sim_options *options);
tn_status tn_radau5_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h);
tn_status tn_radau5_interpolate(tn_integrator *self, tn_stepper *stepper, double t, tn_state *out);
