// SPDX-License-Identifier: MIT
//
// Index-2 formulation: the hidden constraints on velocity level, B v + g_t = 0 [Arn16, eq. 79].
// The position residual g drifts linearly in time, by the discretisation error of q' = H v.

#include "formulation/formulation_list.h"

const tn_formulation tn_formulation_index2 = {
    .name = "index2",
    .text = "constraints on velocity level, B v + g_t = 0; g drifts slowly",
    .source = "[Arn16, eq. 79]",
    .offers = TN_VIEW_STEP | TN_VIEW_RESIDUAL | TN_VIEW_BLOCKS,
    .index = 2,
    .velocity = true,
    .projects = true,
};
