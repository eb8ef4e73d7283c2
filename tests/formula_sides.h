// SPDX-License-Identifier: MIT
//
// The modes that the conditions of a formula have at t and x: the signs of their functions.

#pragma once

#include "signal/formula.h"

static inline void tn_test_sides(const tn_formula *f, double t, const double *x, signed char *side)
{
    double s[TN_KINKS_MAX];
    tn_formula_switches(f, t, x, NULL, s);
    for (int k = 0; k < tn_formula_switch_count(f); k++)
        side[k] = (signed char)((s[k] > 0.0) - (s[k] < 0.0));
}
