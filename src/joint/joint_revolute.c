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

static const tn_joint_coord revolute_coords[] = {
    {"angle", "rad", {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X}},
};

static void turn_motion(const tn_joint_def *def, const double *q, const double *v,
                        tn_joint_motion *out)
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
    .step = TN_STEP_TURN,
    TN_ROWS(revolute),
    TN_FREEDOMS(revolute),
    .motion = turn_motion,
};

// In the plane ------------------------------------------------------------------------------------
//
// Revolute joint in the plane: frame B turns about the origin it shares with frame A. Point masses
// can be pinned too; their joint has no angle.
//
// Constraint side (2 rows)        d_x = 0,   d_y = 0
// Motion side (1 freedom)         X(q) = Rz(q),   S = (0; e_z)

const tn_joint_ops tn_joint_planar_revolute = {
    .name = "planar-revolute",
    .text = "in the plane: turns about the common origin",
    .glyph = "turn a; bearing",
    .dim = 2,
    .relative = true,
    .step = TN_STEP_TURN,
    .rows = revolute_rows,
    .nrow = 2,
    TN_FREEDOMS(revolute),
    .motion = turn_motion,
};
