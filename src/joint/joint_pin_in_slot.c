// SPDX-License-Identifier: MIT
//
// Pin in slot: in the plane, the origin of frame B slides along x of frame A and B turns about it.
//
// Constraint side (1 row)         y_A . d = 0
// Motion side (2 freedoms)        X(q) = shift by q0 e_x after Rz(q1),
//                                 S = (c, -s, 0; 0), (0; e_z),   c = cos q1, s = sin q1

#include "model/joint.h"

static const tn_row pin_in_slot_rows[] = {
    {.form = TN_ROW_AXIS, .i = TN_Y},
};

static const tn_joint_coord pin_in_slot_coords[] = {
    {"displacement", "m", {.form = TN_ROW_AXIS, .i = TN_X}},
    {"angle", "rad", {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X}},
};

static void pin_in_slot_motion(const tn_joint_def *def, const double *q, const double *v,
                               tn_joint_motion *out)
{
    const double c = cos(q[1]), s = sin(q[1]), w = v[1];
    out->X = (tn_frame){.R = tn_m3_rot_z(q[1]), .p = {q[0], 0, 0}};
    out->S[0] = (tn_twist){.v = {c, -s, 0}};
    out->S[1] = (tn_twist){.w = {0, 0, 1}};
    out->Sdot[0] = (tn_twist){.v = {-s * w, -c * w, 0}};
    out->Sdot[1] = (tn_twist){0};
}

const tn_joint_ops tn_joint_pin_in_slot = {
    .name = "pin-in-slot",
    .text = "in the plane: the origin of frame B slides along x of frame A and turns",
    .glyph = "slide a x; turn b",
    .dim = 2,
    .relative = true,
    TN_ROWS(pin_in_slot),
    TN_FREEDOMS(pin_in_slot),
    .motion = pin_in_slot_motion,
};
