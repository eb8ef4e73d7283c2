// SPDX-License-Identifier: MIT
//
// Linear motion with sampled systems; see linear_sampled.c.

#pragma once

#include "analysis/linear_parts.h"

// Poles z of the loop over one period; n = 0: not known. tn_free re, of which im is a part.
typedef struct tn_sampled_poles {
    int n;
    double period; // [s]
    double *re, *im;
} tn_sampled_poles;

// Tells in the verdict that sampled systems are held, where that matters, with the poles.
tn_status tn_linear_judge_sampled(tn_equilibrium *s, tn_sampled_poles *out);
