// SPDX-License-Identifier: MIT
//
// Parts of tenon/linear.h: what a linear model holds, its outputs, and its matrices in other
// coordinates.

#pragma once

#include "analysis/linear_sampled.h"
#include "tenon/linear.h"

typedef struct linear_name {
    char *name, *unit;
    double value;
} linear_name;

typedef struct linear_names {
    int count;
    linear_name *at;
} linear_names;

typedef struct linear_values {
    int rows, columns;
    double *at;
} linear_values;

struct tn_linear {
    tn_linear_options options;
    tn_equilibrium *at;
    tn_linear_motion *motion;
    int *input, *channel; // of each input and output
    tn_sampled_poles poles;
    linear_names names[TN_LINEAR_ROWS + 1];
    linear_values matrix[TN_LINEAR_MATRICES];
};

// Names have room for `most`.
tn_status tn_linear_open_names(linear_names *to, int most);
tn_status tn_linear_add_name(linear_names *to, const char *name, const char *unit, double value);
tn_status tn_linear_open_matrix(linear_values *to, int rows, int columns);
// Calls `each` for the names of a list "a, b,c".
tn_status tn_linear_each_name(tn_linear *l, const char *list,
                              tn_status (*each)(tn_linear *, const char *, void *), void *user);

int tn_linear_count_names(const char *list); // at most

tn_status tn_linear_put_outputs(tn_linear *l, const tn_model *model); // C and D
tn_status tn_linear_judge_elimination(tn_linear *l);                  // before that
tn_status tn_linear_put_mechanics(tn_linear *l); // masses, damping, stiffness, constraints
