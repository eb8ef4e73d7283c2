// SPDX-License-Identifier: MIT
//
// The augmented Lagrangian method: penalties whose multipliers are corrected in rounds until
// accelerations converge [BGS88, BL96],
//
//   M a = f - C^T lambda_i+1,   lambda_i+1 = lambda_i + alpha (C a + gamma + 2 mu omega ... )
//
// The rounds end at the acceleration and the reactions of `baumgarte` with weights mu omega and
// omega, whatever alpha is, and at those of minimum norm in the metric of alpha where rows repeat
// each other. With +project, the projections in the norm of M are those of [BL96].

#include "formulation/formulation_list.h"
#include "formulation/ode_penalty.h"

const tn_formulation tn_formulation_augmented_lagrangian = {
    .name = "augmented-lagrangian",
    .reads = "penalty_alpha penalty_omega penalty_mu penalty_iterations",
    .text = "penalties, with multipliers corrected in rounds until accelerations settle; any rank",
    .source = "[BGS88; BL96]",
    .offers = TN_VIEW_ACCEL,
    .index = 1,
    .acceleration = true,
    .projects = true,
    .ode = &tn_ode_augmented_lagrangian,
};
