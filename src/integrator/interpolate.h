// SPDX-License-Identifier: MIT
//
// Dense output from the two ends of a step, for integrators without their own.

#pragma once

#include "system/system.h"

// A number at the part s of a step h, by its values y and rates p at both ends.
static inline double tn_hermite(double s, double h, double y0, double y1, double p0, double p1)
{
    return y0 + s * s * (3.0 - 2.0 * s) * (y1 - y0) + s * (1.0 - s) * h * ((1.0 - s) * p0 - s * p1);
}

// The state at t between x0 and x1, the ends of a step: q by quintic Hermite interpolation of its
// motion, v by cubic, all else linearly. out->r is the caller's; out must not be x0 or x1.
void tn_interpolate(const tn_system *sys, const tn_state *x0, const tn_state *x1, double t,
                    tn_state *out);
