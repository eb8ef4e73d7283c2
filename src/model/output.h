// SPDX-License-Identifier: MIT
//
// Outputs of a model: numbers that are recorded beside the usual ones.

#pragma once

#include "model/vocabulary.h"
#include "signal/formula.h"

enum { TN_OUTPUT_VARIABLES = 64 }; // of one expression

// The meaning of a variable of an expression: an input, where there is one, or a quantity.
typedef struct tn_output_variable {
    int input; // -1: a quantity
    tn_named_quantity quantity;
} tn_output_variable;

typedef struct tn_output_data {
    const char *name;
    char *text, *unit;   // of an expression, or NULL
    tn_output_def def;   // its texts are these
    tn_formula *formula; // of an expression, else NULL
    int nvariable;
    tn_output_variable variable[TN_OUTPUT_VARIABLES];
} tn_output_data;

extern const tn_param tn_output_params[];
extern const int tn_output_param_count;

void tn_output_destroy(tn_output_data *output); // NULL is fine
const char *tn_output_unit(const tn_output_data *output);
