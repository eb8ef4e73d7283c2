// SPDX-License-Identifier: MIT
//
// The functions of t by whose signs the operations of an expression decide; see
// signal/kinks.c.

#pragma once

#include "signal/expression.h"

// All functions that decide, at one time.
typedef struct tn_look {
    int n;
    tn_jet of[TN_KINKS_MAX];
    bool touches[TN_KINKS_MAX]; // a zero at which it turns back is a discontinuity too
    double fastest;             // rate of the operand of a wave
} tn_look;

void tn_kinks_look(const tn_expression *expression, double t, tn_look *out);

// Bounds of the functions between two times.
typedef struct tn_expression_bounds {
    tn_range_jet of[TN_KINKS_MAX];
} tn_expression_bounds;

void tn_kinks_see(const tn_expression *expression, double a, double b, tn_expression_bounds *out);
