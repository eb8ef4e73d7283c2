// SPDX-License-Identifier: MIT
//
// Index-3 formulation: the constraints on position level, g(t,q) = 0, as they are [Arn16, eq. 77].
// The hidden constraint B v + g_t = 0 is met to the order of the integrator only.

#include "formulation/formulation_list.h"

const tn_formulation tn_formulation_index3 = {
    .name = "index3",
    .reads = "corrected_start",
    .text = "constraints on position level, g = 0",
    .source = "[Arn16, eq. 77]",
    .offers = TN_VIEW_STEP | TN_VIEW_RESIDUAL,
    .index = 3,
    .position = true,
};
