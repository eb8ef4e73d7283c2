// SPDX-License-Identifier: MIT
//
// What a simulation holds: private to src/sim, but for the check of its options.

#pragma once

#include "analysis/start.h"
#include "sim/method.h"

#include <signal.h>

struct tn_sim {
    const tn_model *model; // NULL for user equations
    tn_sim_options options;
    tn_start start; // system, state, redundancy; start.x is the present state
    tn_method method;
    tn_problem *problem;
    tn_integrator *integrator, *measuring;
    tn_stepper stepper;
    double h, last_error; // of the error-controlled step
    volatile sig_atomic_t stop;
    double *project_times;
    int nprojected;

    tn_ledger ledger;
    tn_energy now;                 // at the present state
    double power_h;                // size of the last step, for the quadrature of powers
    double dissipated0, supplied0; // powers one step ago
    double dissipated_, supplied_; // powers two steps ago

    // Multipliers of minimum norm where constraints are redundant.
    double *lambda_out; // rows
    bool lambda_known;
    double *kernel; // count x rows: left null vectors of C
    double *gram;   // count^2, then a right-hand side
    int *gram_pivot;
    double *scratch; // nv
    void *block;
};

// TN_ERR_USAGE with a sentence that names the option and the rule.
tn_status tn_sim_options_check(const tn_sim_options *options);

void tn_sim_open_ledger(tn_sim *sim);
void tn_sim_note_step(tn_sim *sim, double h);
void tn_sim_note_jump(tn_sim *sim); // powers jump here: their quadrature starts anew
