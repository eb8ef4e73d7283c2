// SPDX-License-Identifier: MIT
//
// Cylindrical joint: frame B turns about the z axis it shares with frame A and slides along it.
//
// Constraint side (4 rows)        x_A . d = 0,   y_A . d = 0,   x_A . z_B = 0,   y_A . z_B = 0
// Motion side (2 freedoms)        X(q) = shift by q1 e_z after Rz(q0),   S = (0; e_z), (e_z; 0)

#include "model/joint.h"

static const tn_row cylindrical_rows[] = {
    {.form = TN_ROW_AXIS, .i = TN_X},
    {.form = TN_ROW_AXIS, .i = TN_Y},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_Y, .j = TN_Z},
};

static const tn_joint_coord cylindrical_coords[] = {
    {"angle", "rad", {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X}},
    {"displacement", "m", {.form = TN_ROW_AXIS, .i = TN_Z}},
};

static void cylindrical_motion(const tn_joint_def *def, const double *q, const double *v,
                               tn_joint_motion *out)
{
    out->X = (tn_frame){.R = tn_m3_rot_z(q[0]), .p = {0, 0, q[1]}};
    out->S[0] = (tn_twist){.w = {0, 0, 1}};
    out->S[1] = (tn_twist){.v = {0, 0, 1}};
    out->Sdot[0] = out->Sdot[1] = (tn_twist){0};
}

const tn_joint_ops tn_joint_cylindrical = {
    .name = "cylindrical",
    .text = "turns about the common z axis and slides along it",
    .glyph = "slide a; turn b",
    .dim = 3,
    .relative = true,
    TN_ROWS(cylindrical),
    TN_FREEDOMS(cylindrical),
    .motion = cylindrical_motion,
};
