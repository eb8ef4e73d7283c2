// SPDX-License-Identifier: MIT
//
// Index-2 Baumgarte approach: velocity level with a part of the position residual,
//
//   B v + g_t + (C/h) g = 0,     h the step size, 0 < C <= 1       [Arn16, eq. 87]
//
// so that g shrinks by about exp(-C) in each step. Nonholonomic rows stay as they are.

#include "formulation/formulation_list.h"

const tn_formulation tn_formulation_baumgarte2 = {
    .name = "baumgarte2",
    .reads = "baumgarte_c",
    .text = "velocity level with (C/h) g added, h the step size",
    .source = "[Arn16, eq. 87]",
    .offers = TN_VIEW_STEP | TN_VIEW_RESIDUAL | TN_VIEW_BLOCKS,
    .index = 2,
    .velocity = true,
    .baumgarte = true,
    .projects = true,
};
