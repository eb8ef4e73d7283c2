// SPDX-License-Identifier: MIT
//
// Null-space formulation: the dynamics projected onto the motions that the constraints allow,
// beside the constraints on acceleration level [LB08, eq. 14],
//
//   Gamma^T M a = Gamma^T f
//   C a = -gamma                  C Gamma = 0,  C = (B; N)
//
// for q and v, with lambda and eta from C^T y = f - M a. Gamma is needed at the point only, in any
// basis. It is the acceleration of index1, found without the multipliers: B v drifts linearly and g
// quadratically in time. M need be definite on the null space only, and rows may repeat each other.

#include "formulation/basis_ode.h"
#include "formulation/formulation_list.h"

static tn_status nullspace_accelerations(tn_ode *self)
{
    tn_basis_ode *s = (tn_basis_ode *)self;
    const tn_point at = tn_ode_point(self);
    TN_TRY(
        tn_system_eval(self->sys, &at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_GAMMA));
    TN_TRY(tn_basis_form(s->basis, &at));
    TN_TRY(tn_basis_factor(s->basis));
    tn_basis_ode_accelerate(s);
    return TN_OK;
}

static const tn_ode_ops ops = {
    .size = sizeof(tn_basis_ode),
    .layout = tn_basis_ode_layout,
    .open = tn_basis_ode_open,
    .close = tn_basis_ode_close,
    .activate = tn_basis_ode_activate,
    .accel = nullspace_accelerations,
    .solver = tn_basis_ode_solver,
    .values = tn_basis_ode_values,
};

const tn_formulation tn_formulation_nullspace = {
    .name = "nullspace",
    .reads = "nullspace",
    .text = "dynamics projected onto ker B, constraints on acceleration level; g drifts",
    .source = "[LB08, eq. 14]",
    .offers = TN_VIEW_ACCEL,
    .index = 1,
    .acceleration = true,
    .projects = true,
    .ode = &ops,
};
