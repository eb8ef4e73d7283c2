// SPDX-License-Identifier: MIT
//
// Shared parts of explicit Runge-Kutta methods: a tableau of coefficients, one machine that steps
// and interpolates by any of them, and the control of step sizes.

#pragma once

#include "base/alloc.h"
#include "integrator/integrator.h"

// Stages k_i = F(t + c_i h, z0 + h sum_j<i a_ij k_j). The last stage stands at the end of the step:
// its row of a is the weights b, and it is the first stage of the next step. Further stages are for
// dense output alone.
typedef struct tn_tableau {
    int stages, extra, order;
    const double *c;     // stages + extra
    const double *a;     // (stages + extra)^2: a_ij in row i
    const double *error; // stages: weights of the error estimate
    const double *rough; // stages: of a second one of lower order; NULL for none
    int ndense;          // terms of the dense output beyond the cubic one
    const double *dense; // ndense rows of stages + extra
} tn_tableau;

enum { TN_STAGES_MOST = 16 }; // with those of dense output

extern const tn_tableau tn_tableau_dopri5, tn_tableau_dop853;

const double *tn_tableau_row(const tn_tableau *m, int i); // a_i0 … a_i,i-1
// Weight of stage i in z(t0 + s h) = z0 + h sum_i w_i(s) k_i, for 0 <= s <= 1.
double tn_tableau_weight(const tn_tableau *m, int i, double s);

// Step sizes from the error of the current and of the last accepted step [HNW93, II.4; HW96, IV.2].
typedef struct tn_control {
    double exponent, beta; // of the current and of the last error
    double safe;           // factor of safety
    double least, most;    // factors
    double last;           // error of the last accepted step
    bool rejected;         // the last attempt was
} tn_control;

void tn_control_begin(tn_control *control);
// Sum over the components of (estimate / (atol + rtol max(size0, size1)))^2.
double tn_error_squares(int n, const double *estimate, const double *size0, const double *size1,
                        const double *atol, double rtol);
// The factor for the next step, or for the next attempt where error > 1 and `adaptive`.
double tn_control_factor(tn_control *control, double error, bool adaptive);

// Stages with weights that are not zero.
typedef struct tn_stage_sum {
    int n, at[TN_STAGES_MOST]; // where they begin among all
    double weight[TN_STAGES_MOST];
} tn_stage_sum;

// The machine: fields of an integrator that steps by a tableau.
typedef struct tn_runge_kutta {
    tn_integrator base;
    const tn_tableau *tableau;
    tn_stage_sum row[TN_STAGES_MOST], error, rough; // of the tableau
    tn_control control;
    bool opened;      // z0 and k_0 belong to the current state
    bool done;        // the stages belong to a step that was accepted
    bool dense;       // the extra stages are there
    double t0, h;     // of that step
    int stride;       // from stage to stage: n, filled up
    double *z0, *z1;  // n
    double *z;        // n: stages
    double *size[2];  // n: for relative errors, of z0 and z1
    double *atol;     // n: for absolute ones
    double *estimate; // n
    double *k;        // (stages + extra) x stride
} tn_runge_kutta;

void tn_runge_kutta_layout(tn_integrator *self, const tn_tableau *tableau,
                           const tn_stepper *stepper, tn_carve *mem);
void tn_runge_kutta_values(tn_integrator *self, tn_values *v);
void tn_control_values(tn_control *c, tn_values *v);
void tn_runge_kutta_begin(tn_integrator *self, const tn_tableau *tableau, tn_control control);
tn_status tn_runge_kutta_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h);
tn_status tn_runge_kutta_interpolate(tn_integrator *self, tn_stepper *stepper, double t,
                                     tn_state *out);
