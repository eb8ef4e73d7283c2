// SPDX-License-Identifier: MIT
//
// An expression of velocities that a joint of kind velocity-row keeps at zero [Arn16, eq. 44g],
//
//   F(t, x, r) = sum_k a_k(t, x) r_k + n(t, x)
//
// of positions x and rates r of the mechanism, linear in the rates. It is compiled once the model
// is complete: it may name what comes later in a file.

#pragma once

#include "model/formula.h"
#include "model/signal.h"

enum { TN_VELOCITY_VARIABLES = 16 }; // different names in one expression, at most

typedef struct tn_velocity_row {
    tn_formula *formula;
    int n;
    tn_variable variable[TN_VELOCITY_VARIABLES];
    bool rate[TN_VELOCITY_VARIABLES];
    bool length; // some rate is one of a length: its unit is m/s, else rad/s
} tn_velocity_row;

// Of a joint of this kind; refuses what is not linear in rates.
tn_status tn_velocity_row_create(const tn_model *model, int joint, tn_velocity_row *out);
void tn_velocity_row_clear(tn_velocity_row *row);
