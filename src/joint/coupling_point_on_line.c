// SPDX-License-Identifier: MIT
//
// Point on line: the origin of frame B stays on the z axis of frame A.
//
//   x_A . d = 0,   y_A . d = 0
//
// Between planar bodies the line lies in the plane and is the x axis of frame A: pin-in-slot.

#include "model/joint.h"

static const tn_row point_on_line_rows[] = {
    {.form = TN_ROW_AXIS, .i = TN_X},
    {.form = TN_ROW_AXIS, .i = TN_Y},
};

static const tn_joint_coord point_on_line_coords[] = {
    {"displacement", "m", {.form = TN_ROW_AXIS, .i = TN_Z}},
};

const tn_joint_ops tn_joint_point_on_line = {
    .name = "point-on-line",
    .text = "keeps the origin of frame B on z of frame A; in the plane on x of frame A",
    .glyph = "slide a; ball b 0.8",
    .dim = 3,
    .planar = &tn_joint_pin_in_slot,
    .coupling = true,
    .relative = true,
    TN_ROWS(point_on_line),
    TN_COORDS(point_on_line),
};
