// SPDX-License-Identifier: MIT
//
// A joint that the library does not have: frame B slides in the x, y plane of frame A, without
// turning.
//
// Constraint side (4 rows)        z_A . d = 0,   x_A . y_B = 0,   x_A . z_B = 0,   y_A . z_B = 0
// Motion side (2 freedoms)        X(q) = shift by (q0, q1, 0),   S = (e_x; 0), (e_y; 0)

#include "model/joint.h"

static const tn_row xy_table_rows[] = {
    {.form = TN_ROW_AXIS, .i = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Y},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_Y, .j = TN_Z},
};

static const tn_joint_coord xy_table_coords[] = {
    {"x", "m", {.form = TN_ROW_AXIS, .i = TN_X}},
    {"y", "m", {.form = TN_ROW_AXIS, .i = TN_Y}},
};

static void xy_table_motion(const tn_joint_def *def, const double *q, const double *v,
                            tn_joint_motion *out)
{
    (void)def, (void)v;
    out->X = (tn_frame){.R = tn_m3_identity, .p = {q[0], q[1], 0}};
    out->S[0] = (tn_twist){.v = {1, 0, 0}};
    out->S[1] = (tn_twist){.v = {0, 1, 0}};
    out->Sdot[0] = out->Sdot[1] = (tn_twist){0};
}

const tn_joint_ops tn_joint_xy_table = {
    .name = "xy-table",
    .text = "slides in the plane normal to z of frame A",
    .glyph = "plate a; block b",
    .dim = 3,
    .relative = true,
    TN_ROWS(xy_table),
    TN_FREEDOMS(xy_table),
    .motion = xy_table_motion,
};
