// SPDX-License-Identifier: MIT
//
// Planar joint: frame B slides in the x, y plane of frame A and turns about the normal z.
//
// Constraint side (3 rows)        z_A . d = 0,   x_A . z_B = 0,   y_A . z_B = 0
// Motion side (3 freedoms)        X(q) = shift by (q0, q1, 0) after Rz(q2),
//                                 S = (c, -s, 0; 0), (s, c, 0; 0), (0; e_z)
//
// with c = cos(q2), s = sin(q2).

#include "model/joint.h"

static const tn_row planar_rows[] = {
    {.form = TN_ROW_AXIS, .i = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_Y, .j = TN_Z},
};

static const tn_joint_coord planar_coords[] = {
    {"x", "m", {.form = TN_ROW_AXIS, .i = TN_X}},
    {"y", "m", {.form = TN_ROW_AXIS, .i = TN_Y}},
    {"angle", "rad", {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X}},
};

static void planar_motion(const tn_joint_def *def, const double *q, const double *v,
                          tn_joint_motion *out)
{
    const double c = cos(q[2]), s = sin(q[2]), w = v[2];
    out->X = (tn_frame){.R = tn_m3_rot_z(q[2]), .p = {q[0], q[1], 0}};
    out->S[0] = (tn_twist){.v = {c, -s, 0}};
    out->S[1] = (tn_twist){.v = {s, c, 0}};
    out->S[2] = (tn_twist){.w = {0, 0, 1}};
    out->Sdot[0] = (tn_twist){.v = {-s * w, -c * w, 0}};
    out->Sdot[1] = (tn_twist){.v = {c * w, -s * w, 0}};
    out->Sdot[2] = (tn_twist){0};
}

const tn_joint_ops tn_joint_planar = {
    .name = "planar",
    .text = "slides in the plane normal to z of frame A and turns about z",
    .glyph = "plate a; ball b 0.7",
    .dim = 3,
    .relative = true,
    TN_ROWS(planar),
    TN_FREEDOMS(planar),
    .motion = planar_motion,
};
