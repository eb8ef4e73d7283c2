// SPDX-License-Identifier: MIT
//
// Stabilised index-1 formulation of Fuehrer and Leimkuhler: all three levels at once,
//
//   q' = H (v - B^T mu),   v' = a - B^T tau - N^T tau_n,   M a = f - B^T lambda - N^T eta
//   g = 0,   B v + g_t = 0,   B a + gamma = 0,   N v + n0 = 0,   N a + ngamma = 0
//
// [40, 41 of Arn16, after eq. 92]. mu and tau vanish for the exact solution. The name distinguishes
// it from which formulation it comes: with mu and tau among the unknowns the index is two.

#include "formulation/formulation_list.h"

const tn_formulation tn_formulation_stabilized_index1 = {
    .name = "stabilized-index1",
    .text = "all three levels together, with multipliers mu and tau",
    .source = "[FL91; Arn16, after eq. 92]",
    .offers = TN_VIEW_RESIDUAL,
    .index = 2,
    .position = true,
    .velocity = true,
    .acceleration = true,
};
