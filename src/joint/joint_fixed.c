// SPDX-License-Identifier: MIT
//
// Fixed joint: frame B rests in frame A.
//
// Constraint side (6 rows)        d = 0,   x_A . y_B = 0,   x_A . z_B = 0,   y_A . z_B = 0
// Motion side (no freedom)        X = identity
//
// The products of axes vanish at every half turn too: assembly refuses those, and a mechanism keeps
// to where it starts.

#include "model/joint.h"

const tn_row tn_fixed_rows[TN_FIXED_ROWS] = {
    {.form = TN_ROW_COORD, .i = TN_X},          {.form = TN_ROW_COORD, .i = TN_Y},
    {.form = TN_ROW_COORD, .i = TN_Z},          {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Y},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Z}, {.form = TN_ROW_DOT, .i = TN_Y, .j = TN_Z},
};

static void rest_motion(const tn_joint_def *def, const double *q, const double *v,
                        tn_joint_motion *out)
{
    out->X = tn_frame_identity;
}

const tn_joint_ops tn_joint_fixed = {
    .name = "fixed",
    .text = "holds frame B in frame A",
    .glyph = "weld a",
    .dim = 3,
    .planar = &tn_joint_planar_fixed,
    .relative = true,
    .rows = tn_fixed_rows,
    .nrow = TN_FIXED_ROWS,
    .motion = rest_motion,
};

// In the plane ------------------------------------------------------------------------------------
//
// Fixed joint in the plane: frame B rests in frame A.
//
// Constraint side (3 rows)        d_x = 0,   d_y = 0,   x_A . y_B = 0
// Motion side (no freedom)        X = identity

static const tn_row planar_fixed_rows[] = {
    {.form = TN_ROW_COORD, .i = TN_X},
    {.form = TN_ROW_COORD, .i = TN_Y},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Y},
};

const tn_joint_ops tn_joint_planar_fixed = {
    .name = "planar-fixed",
    .text = "in the plane: holds frame B in frame A",
    .glyph = "weld a",
    .dim = 2,
    .relative = true,
    TN_ROWS(planar_fixed),
    .motion = rest_motion,
};
