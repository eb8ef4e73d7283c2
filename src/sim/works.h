// SPDX-License-Identifier: MIT
//
// Works of dampers, motors, outer forces and drives within a step; see works.c.

#pragma once

#include "tenon/sim.h"

enum { TN_POWER_NODES = 6, TN_POWER_HALVINGS = 9, TN_POWER_PARTS = 1 << TN_POWER_HALVINGS };

typedef struct tn_exchange {
    double dissipated, supplied; // [W]; integrated: [J]
} tn_exchange;

// A part of a step over which the powers at the nodes give the work.
typedef struct tn_power_part {
    double from, to; // of the step, 0 to 1
    tn_exchange at[TN_POWER_NODES];
    tn_exchange before; // work of the step up to here
} tn_power_part;

typedef struct tn_works {
    bool known; // of the last step
    int count;
    tn_power_part *part; // TN_POWER_PARTS; NULL where there are no powers or no dense output
    tn_exchange sum;     // work of the step
    tn_exchange most;    // the largest work on the way, without sign
    double share;        // error of the work over a part that is allowed [J]
    double not_resolved; // estimated error of parts that ought to be halved once more [J]
    int in_a_row;        // steps one after the other that were not resolved
} tn_works;

// Integrates the powers over the last step h, `from` and `to` being those at its ends; false where
// there is no dense output.
bool tn_sim_integrate_works(tn_sim *sim, double h, tn_exchange from, tn_exchange to);
// Work over the part s of the last step, from 0 to 1.
tn_exchange tn_sim_partial_work(const tn_sim *sim, double s, double h);
