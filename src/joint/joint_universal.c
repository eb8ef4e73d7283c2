// SPDX-License-Identifier: MIT
//
// Universal joint: frame B turns about x of frame A, then about y of itself; the cross between the
// two has no mass and is not a body.
//
// Constraint side (4 rows)        d = 0,   x_A . y_B = 0
// Motion side (2 freedoms)        X(q) = Rx(q0) Ry(q1),   S = (0; c1, 0, s1), (0; e_y)
//
// with c1 = cos(q1), s1 = sin(q1): in axes of B, x of A is Ry(q1)^T e_x.

#include "model/joint.h"

static const tn_row universal_rows[] = {
    {.form = TN_ROW_COORD, .i = TN_X},
    {.form = TN_ROW_COORD, .i = TN_Y},
    {.form = TN_ROW_COORD, .i = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Y},
};

// y_B = (0, cos q0, sin q0) and x_A . (x_B, z_B) = (cos q1, sin q1), components in A.
static const tn_joint_coord universal_coords[] = {
    {"angle about x", "rad", {TN_ROW_ANGLE, TN_Z, TN_Y, TN_Y, TN_Y}},
    {"angle about y", "rad", {TN_ROW_ANGLE, TN_X, TN_Z, TN_X, TN_X}},
};

static void universal_motion(const tn_joint_def *def, const double *q, const double *v,
                             tn_joint_motion *out)
{
    const double c = cos(q[1]), s = sin(q[1]);
    out->X = (tn_frame){.R = tn_m3_mul(tn_m3_rot_x(q[0]), tn_m3_rot_y(q[1]))};
    out->S[0] = (tn_twist){.w = {c, 0, s}};
    out->S[1] = (tn_twist){.w = {0, 1, 0}};
    out->Sdot[0] = (tn_twist){.w = {-s * v[1], 0, c * v[1]}};
    out->Sdot[1] = (tn_twist){0};
}

const tn_joint_ops tn_joint_universal = {
    .name = "universal",
    .text = "turns about x of frame A, then about y of frame B",
    .glyph = "ball a 0.8; turn a x 0.7; turn b y 0.7; bearing",
    .dim = 3,
    .relative = true,
    .axis_is_x = true,
    TN_ROWS(universal),
    TN_FREEDOMS(universal),
    .motion = universal_motion,
};
