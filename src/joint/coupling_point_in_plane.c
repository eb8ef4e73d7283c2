// SPDX-License-Identifier: MIT
//
// Point in plane: the origin of frame B stays in the x, y plane of frame A.
//
//   z_A . d = 0

#include "model/joint.h"

static const tn_row point_in_plane_rows[] = {{.form = TN_ROW_AXIS, .i = TN_Z}};

const tn_joint_ops tn_joint_point_in_plane = {
    .name = "point-in-plane",
    .text = "keeps the origin of frame B in the plane normal to z of frame A",
    .glyph = "plate a; ball b 0.8",
    .dim = 3,
    .coupling = true,
    .relative = true,
    .free_side = 1,
    .rubs = true,
    TN_ROWS(point_in_plane),
    TN_PLANE_COORDS,
};
