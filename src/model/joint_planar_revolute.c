// SPDX-License-Identifier: MIT
//
// Revolute joint in the plane: frame B turns about the origin it shares with frame A. Point masses
// can be pinned too; their joint has no angle.
//
// Constraint side (2 rows)        d_x = 0,   d_y = 0
// Motion side (1 freedom)         X(q) = Rz(q),   S = (0; e_z)

#include "model/joint.h"

static const tn_row planar_revolute_rows[] = {
    {.form = TN_ROW_COORD, .i = TN_X},
    {.form = TN_ROW_COORD, .i = TN_Y},
};

static const char *const planar_revolute_row_names[] = {"x", "y"};

static const tn_joint_coord planar_revolute_coords[] = {
    {"angle", "rad", {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X}},
};

const tn_joint_ops tn_joint_planar_revolute = {
    .name = "planar-revolute",
    .text = "in the plane: turns about the common origin",
    .glyph = "turn a; bearing",
    .dim = 2,
    .relative = true,
    .nq = 1,
    .nv = 1,
    .step = TN_STEP_TURN,
    TN_ROWS(planar_revolute),
    TN_COORDS(planar_revolute),
    .motion = tn_turn_motion,
};
