// SPDX-License-Identifier: MIT
//
// Index-1 formulation: the hidden constraints on acceleration level, B v' + gamma = 0 [Arn16, eq.
// 83]. Errors of v and q along the constraints are not called back: g drifts quadratically in time.

#include "formulation/formulation_list.h"
#include "formulation/ode_ops.h"

const tn_formulation tn_formulation_index1 = {
    .name = "index1",
    .text = "constraints on acceleration level, B v' + gamma = 0; g drifts",
    .source = "[Arn16, eq. 83]",
    .offers = TN_VIEW_STEP | TN_VIEW_RESIDUAL | TN_VIEW_ACCEL,
    .index = 1,
    .acceleration = true,
    .projects = true,
    .ode = &tn_ode_kkt,
};
