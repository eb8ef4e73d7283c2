// SPDX-License-Identifier: MIT
//
// Stabilised index-2 formulation of Gear, Gupta and Leimkuhler: position and velocity level at
// once, q' = H (v - B^T mu), g = 0, B v + g_t = 0 [Arn16, eq. 92]. mu vanishes for the exact
// solution.

#include "formulation/formulation_list.h"

const tn_formulation tn_formulation_ggl = {
    .name = "ggl",
    .text = "position and velocity level together, with multipliers mu (stabilised index 2)",
    .source = "[Arn16, eq. 92]",
    .offers = TN_VIEW_STEP | TN_VIEW_RESIDUAL | TN_VIEW_IMPACTS,
    .index = 2,
    .position = true,
    .velocity = true,
};
