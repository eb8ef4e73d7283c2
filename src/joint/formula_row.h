// SPDX-License-Identifier: MIT
//
// An expression that a joint of kind position-row or velocity-row keeps at zero
// [Arn16, eq. 44a, g],
//
//   F(t, x)   or   F(t, x, r)
//
// of positions x and rates r of the mechanism. It is compiled once the model is complete: it may
// name elements that come later in a file.

#pragma once

#include "model/signal.h"
#include "signal/formula.h"

enum { TN_ROW_VARIABLES = 16 }; // different names in one expression, at most

typedef struct tn_formula_row {
    tn_formula *formula;
    int n;
    tn_variable variable[TN_ROW_VARIABLES];
    bool rate[TN_ROW_VARIABLES];
    bool holds_position; // it has no rates, and is a row of positions
    bool length;         // some rate, or position, is a length: it counts as one, else as an angle
    bool linear;         // in its rates
} tn_formula_row;

// For a joint of these kinds, or its slip; refuses expressions that constrain nothing or have
// branches.
tn_status tn_formula_row_create(const tn_model *model, int joint, bool slip, tn_formula_row *out);
void tn_formula_row_clear(tn_formula_row *row);
// Returns true if a row of a complete model counts as a length.
bool tn_formula_row_is_length(const tn_model *model, int joint);
