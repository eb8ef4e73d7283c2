// SPDX-License-Identifier: MIT
//
// Baumgarte's stabilisation: a combination of the constraints of all three levels takes the place
// of that on acceleration level,
//
//   B v' + gamma + 2 alpha (B v + g_t) + beta^2 g = 0,     N v' + ngamma + 2 alpha (N v + n0) = 0
//
// so that g obeys g'' + 2 alpha g' + beta^2 g = 0 and dies out [Bau72; Arn16, 4.2]. Large
// coefficients make the equations stiff, small ones let g drift.

#include "formulation/formulation_list.h"
#include "formulation/ode_ops.h"

const tn_formulation tn_formulation_baumgarte = {
    .name = "baumgarte",
    .reads = "baumgarte_alpha baumgarte_beta",
    .text = "acceleration level with 2 alpha (B v + g_t) + beta^2 g added (Baumgarte)",
    .source = "[Bau72; Arn16, 4.2]",
    .offers = TN_VIEW_STEP | TN_VIEW_RESIDUAL | TN_VIEW_ACCEL,
    .index = 1,
    .acceleration = true,
    .baumgarte = true,
    .projects = true,
    .ode = &tn_ode_kkt,
};
