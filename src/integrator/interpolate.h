// SPDX-License-Identifier: MIT
//
// Dense output from the two ends of a step, for integrators without their own.

#pragma once

#include "system/system.h"

// The state at t between x0 and x1, the ends of a step: q by quintic Hermite interpolation of its
// motion, v by cubic, all else linearly. out->r is the caller's; out must not be x0 or x1.
void tn_interpolate(const tn_system *sys, const tn_state *x0, const tn_state *x1, double t,
                    tn_state *out);
