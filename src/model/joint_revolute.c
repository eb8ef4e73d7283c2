// SPDX-License-Identifier: MIT
//
// Revolute joint: frame B turns about the z axis it shares with frame A.
//
// Constraint side (5 rows)        d = 0,   x_A . z_B = 0,   y_A . z_B = 0
// Motion side (1 freedom)         X(q) = Rz(q),   S = (0; e_z)

#include "model/joint.h"

static const tn_row revolute_rows[] = {
    {.form = TN_ROW_COORD, .i = TN_X},          {.form = TN_ROW_COORD, .i = TN_Y},
    {.form = TN_ROW_COORD, .i = TN_Z},          {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_Y, .j = TN_Z},
};

static const char *const revolute_row_names[] = {"x", "y", "z", "tilt about y", "tilt about x"};

static const tn_joint_coord revolute_coords[] = {
    {"angle", "rad", {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X}},
};

void tn_turn_motion(const tn_joint_def *def, const double *q, const double *v, tn_joint_motion *out)
{
    out->X = (tn_frame){.R = tn_m3_rot_z(q[0])};
    out->S[0] = (tn_twist){.w = {0, 0, 1}};
    out->Sdot[0] = (tn_twist){0};
}

const tn_joint_ops tn_joint_revolute = {
    .name = "revolute",
    .text = "turns about the common z axis",
    .glyph = "turn a; bearing",
    .dim = 3,
    .planar = &tn_joint_planar_revolute,
    .relative = true,
    .nq = 1,
    .nv = 1,
    .step = TN_STEP_TURN,
    TN_ROWS(revolute),
    TN_COORDS(revolute),
    .motion = tn_turn_motion,
};
