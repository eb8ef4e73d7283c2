// SPDX-License-Identifier: MIT
//
// Creep of a wheel on a rail: forces x along the rail and y across it, where they touch, and a moment
// about the normal of the contact, from the rail on the wheel and back. With the directions of slip
// u_k = A_k V of the contact (slip.h),
//
//   w = x A_0 + y A_1 + spin A_2,   dw = x H_0 + y H_1 + spin H_2.
//
// Each is a number or an expression, of the speeds of slip NAME.slip.x, y and z, of the normal force
// -JOINT.lambda.gap and of contact coordinates. What they do is counted as supplied.

#include "model/force.h"

#include "model/model.h"

static void creep_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                       tn_load *out)
{
    const tn_creep *creep = &data->def.creep;
    const double F[TN_SLIPS] = {creep->x, creep->y, creep->spin};
    tn_slip_at slip;
    tn_slip_see(data, at, false, &slip);
    for (int k = 0; k < TN_SLIPS; k++) {
        out->supplied += F[k] * slip.u[k];
        for (int i = 0; i < 12; i++)
            out->w[i] += F[k] * slip.A[k][i];
    }
}

static void creep_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                          tn_load_tangent *out)
{
    const tn_creep *creep = &data->def.creep;
    const double F[TN_SLIPS] = {creep->x, creep->y, creep->spin};
    tn_slip_at slip;
    tn_slip_see(data, at, true, &slip);
    for (int k = 0; k < TN_SLIPS; k++)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++)
                out->K[i][j] += F[k] * slip.H[k][i][j];
}

#define CREEP(member, key, unit, ...) \
    TN_PARAM(tn_force_def, creep.member, NUMBER, key, unit, __VA_ARGS__)

static const tn_param creep_params[] = {
    CREEP(x, "x", "N", .affine = true,
          .text = "force on the wheel, body B, along the rail, x of frame A: a number or an "
                  "expression"),
    CREEP(y, "y", "N", .affine = true,
          .text = "the same across the rail, normal x x, in the plane of contact"),
    CREEP(spin, "spin", "N m", .affine = true,
          .text = "moment on the wheel about the normal of the contact"),
};

const tn_force_ops tn_force_creep = {
    .name = "creep",
    .text = "forces along and across a rail, and about the normal, where a wheel creeps on it",
    TN_PARAMS(creep_params),
    .on_joint = true,
    .slips = true,
    .needs_rotation = true,
    .eval = creep_eval,
    .tangent = creep_tangent,
};
