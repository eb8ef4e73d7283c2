// SPDX-License-Identifier: MIT
//
// Inputs. To an expression an input is a formula in t whose numbers change when it is set, at the
// time s. Derivatives, discontinuities and ranges of expressions with inputs are therefore those
// that all expressions have.
//
//   held     x
//   motion   x + (t - s) (r + a (t - s) / 2)
//   filter   the solution of y'' = w^2 (x - y) - 2 z w y' that goes on from y and y' at s

#pragma once

#include "signal/timefn.h"
#include "text/param.h"

enum { TN_INPUT_NUMBERS = 4 }; // of a formula

typedef struct tn_input_data {
    const char *name;
    int index;
    tn_input_def def; // def.name is `name`
} tn_input_data;

static inline bool tn_input_jumps(const tn_input_data *input) // when it is set
{
    return input->def.kind == TN_INPUT_HELD;
}

static inline bool tn_input_has_rates(const tn_input_data *input) // that are set with its value
{
    return input->def.kind == TN_INPUT_MOTION;
}

extern const char *const tn_input_kinds[TN_INPUT_KIND_COUNT + 1]; // NULL at its end
extern const tn_param tn_input_params[];
extern const int tn_input_param_count;

// An expression in t, and in p0 … p3, the numbers that change, and p4, p5, which do not.
const char *tn_input_formula(const tn_input_data *input);
void tn_input_fixed_numbers(const tn_input_data *input, double out[2]);
// The numbers from time s on, when u (value and derivatives) is set and the input is `now` (value
// and derivatives).
void tn_input_numbers(const tn_input_data *input, double s, const double u[3], const double now[3],
                      double number[TN_INPUT_NUMBERS]);
// The same for a start at time s.
void tn_input_start(const tn_input_data *input, double s, double number[TN_INPUT_NUMBERS]);
