// SPDX-License-Identifier: MIT
//
// The penalty method: constraints are replaced by forces that grow with what is left of them on
// acceleration level, stabilised as Baumgarte's [BGS88],
//
//   M a = f - C^T lambda,     lambda = alpha (C a + gamma + 2 mu omega (C v + ...) + omega^2 g)
//
// Ordinary differential equations without any condition on the rank of C. Constraints are met up to
// g = lambda / (alpha omega^2), reactions are off by about 1 / alpha, relative.

#include "formulation/formulation_list.h"
#include "formulation/ode_penalty.h"

const tn_formulation tn_formulation_penalty = {
    .name = "penalty",
    .reads = "penalty_alpha penalty_omega penalty_mu",
    .text = "forces that grow with what is left of the constraints; any rank, g = lambda / alpha",
    .source = "[BGS88]",
    .offers = TN_VIEW_ACCEL,
    .index = 0,
    .acceleration = true,
    .projects = true,
    .ode = &tn_ode_penalty,
};
