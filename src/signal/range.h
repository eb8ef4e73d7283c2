// SPDX-License-Identifier: MIT
//
// Interval arithmetic on jets: bounds of a function of time and of its derivatives between two
// times. They are rounded outwards, so that values beyond them do not happen. If a function may
// jump, its derivatives have no bounds [Moore, Kearfott, Cloud 2009].

#pragma once

typedef struct tn_interval {
    double low, high;
} tn_interval;

typedef struct tn_range_jet {
    tn_interval v, d, dd; // value, first and second derivative
} tn_range_jet;

// As tn_jet_operation (signal/expression.h), for all times of a range.
struct tn_instruction;
typedef tn_range_jet *tn_range_operation(tn_range_jet *top, const struct tn_instruction *at,
                                         tn_interval t);

tn_range_jet tn_range_number(double value);
tn_range_jet tn_range_sub(tn_range_jet a, tn_range_jet b);
tn_range_jet tn_range_jet_least(tn_range_jet a, tn_range_jet b);
tn_range_jet tn_range_jet_most(tn_range_jet a, tn_range_jet b);
// The same value, with derivatives that may be anything.
tn_range_jet tn_range_broken(tn_range_jet a);

static inline int tn_range_has_zero(tn_interval a)
{
    return a.low <= 0.0 && a.high >= 0.0;
}

// One for each operation of signal/operation.c.
tn_range_operation tn_over_number, tn_over_time, tn_over_copy, tn_over_keep, tn_over_neg,
    tn_over_or, tn_over_and, tn_over_equal, tn_over_unequal, tn_over_not_above, tn_over_not_below,
    tn_over_below, tn_over_above, tn_over_add, tn_over_sub, tn_over_mul, tn_over_div, tn_over_atan2,
    tn_over_pow, tn_over_if, tn_over_sin, tn_over_cos, tn_over_tan, tn_over_asin, tn_over_acos,
    tn_over_atan, tn_over_sinh, tn_over_cosh, tn_over_tanh, tn_over_exp, tn_over_log, tn_over_log10,
    tn_over_sqrt, tn_over_abs, tn_over_sign, tn_over_min, tn_over_max, tn_over_step, tn_over_select,
    tn_over_smooth_abs, tn_over_table;
