// SPDX-License-Identifier: MIT
//
// Fixed joint in the plane: frame B rests in frame A.
//
// Constraint side (3 rows)        d_x = 0,   d_y = 0,   x_A . y_B = 0
// Motion side (no freedom)        X = identity

#include "model/joint.h"

static const tn_row planar_fixed_rows[] = {
    {.form = TN_ROW_COORD, .i = TN_X},
    {.form = TN_ROW_COORD, .i = TN_Y},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Y},
};

static const char *const planar_fixed_row_names[] = {"x", "y", "turn about z"};

const tn_joint_ops tn_joint_planar_fixed = {
    .name = "planar-fixed",
    .text = "in the plane: holds frame B in frame A",
    .glyph = "weld a",
    .dim = 2,
    .relative = true,
    TN_ROWS(planar_fixed),
    .motion = tn_rest_motion,
};
