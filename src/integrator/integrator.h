// SPDX-License-Identifier: MIT
//
// An integrator advances a problem by one step and knows nothing of bodies. Each kind is a const
// table of functions; the registry in integrator.c lists them.

#pragma once

#include "base/carve.h"
#include "formulation/accel.h"
#include "formulation/formulation.h"
#include "tenon/sim.h"

typedef struct tn_integrator tn_integrator;

// What a step needs besides its own memory.
typedef struct tn_stepper {
    tn_problem *problem;
    tn_accel *accel; // accelerations at a state, for starting values
    const tn_sim_options *options;
    long newton; // iterations so far
    long factorizations;
    double error;      // of the last step, relative to the tolerance: accept when <= 1
    char culprit[160]; // name of the unknown with the largest residual of a failed step
    double worst;      // that residual
} tn_stepper;

typedef struct tn_integrator_ops {
    const char *name;   // "galpha"
    const char *text;   // one line for `tenon methods`
    const char *source; // "[Arn16, eq. 64]"
    int order;          // in q, v and lambda
    unsigned needs;     // views of the formulation
    size_t size;        // of the integrator's own struct, which starts with tn_integrator
    void (*layout)(tn_integrator *self, const tn_problem *p, tn_carve *mem);
    // Sets the coefficients from the options; the first step starts anew.
    tn_status (*begin)(tn_integrator *self, const tn_sim_options *options);
    // One step from x to x + h. On a positive status x is untouched and a smaller h may succeed.
    // The estimate of the local error, relative to the tolerances, goes to stepper->error.
    tn_status (*step)(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h);
} tn_integrator_ops;

struct tn_integrator {
    const tn_integrator_ops *ops;
};

extern const tn_integrator_ops *const tn_integrators[];
extern const int tn_integrator_count;
const tn_integrator_ops *tn_find_integrator(const char *name); // NULL when unknown

// Whether the formulation offers what the integrator needs.
bool tn_pairing_is_legal(const tn_integrator_ops *integrator, const tn_formulation *formulation);
// TN_ERR_PAIRING with one sentence that names what is missing and the nearest legal pairing.
tn_status tn_pairing_check(const tn_integrator_ops *integrator, const tn_formulation *formulation);

// Step size control: the factor by which an error-controlled step of order p changes, from the
// present and the last accepted error (PI control) [HW96, IV.2].
double tn_step_factor(double error, double last_error, int order);
