// SPDX-License-Identifier: MIT
//
// Own functions of time (tenon/extend.h).

#pragma once

#include "signal/timefn.h"
#include "tenon/extend.h"

void tn_own_function_eval(const tn_own_function *f, const void *params, double t, double u[3]);
bool tn_own_function_next_kink(const tn_own_function *f, const void *params, double t, double end,
                               tn_kink *out); // as tn_timefn_next_kink

void tn_own_function_differences(const tn_own_function *f, const tn_function_at *at, double step,
                                 double u[2]);
