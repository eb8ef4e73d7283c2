// SPDX-License-Identifier: MIT
//
// Prismatic joint: frame B slides along the z axis it shares with frame A, without turning.
//
// Constraint side (5 rows)        x_A . d = 0,   y_A . d = 0,
//                                 x_A . y_B = 0,   x_A . z_B = 0,   y_A . z_B = 0
// Motion side (1 freedom)         X(q) = shift by q e_z,   S = (e_z; 0)

#include "model/joint.h"

static const tn_row prismatic_rows[] = {
    {.form = TN_ROW_AXIS, .i = TN_X},           {.form = TN_ROW_AXIS, .i = TN_Y},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Y}, {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_Y, .j = TN_Z},
};

static const tn_joint_coord prismatic_coords[] = {
    {"displacement", "m", {.form = TN_ROW_AXIS, .i = TN_Z}},
};

static void prismatic_motion(const tn_joint_def *def, const double *q, const double *v,
                             tn_joint_motion *out)
{
    out->X = (tn_frame){.R = tn_m3_identity, .p = {0, 0, q[0]}};
    out->S[0] = (tn_twist){.v = {0, 0, 1}};
    out->Sdot[0] = (tn_twist){0};
}

const tn_joint_ops tn_joint_prismatic = {
    .name = "prismatic",
    .text = "slides along the common z axis; in the plane along x of frame A",
    .glyph = "slide a; block b",
    .dim = 3,
    .planar = &tn_joint_planar_prismatic,
    .relative = true,
    .step = TN_STEP_SLIDE,
    TN_ROWS(prismatic),
    TN_FREEDOMS(prismatic),
    .motion = prismatic_motion,
};

// In the plane ------------------------------------------------------------------------------------
//
// Prismatic joint in the plane: frame B slides along x of frame A, without turning.
//
// Constraint side (2 rows)        y_A . d = 0,   x_A . y_B = 0
// Motion side (1 freedom)         X(q) = shift by q e_x,   S = (e_x; 0)

static const tn_row planar_prismatic_rows[] = {
    {.form = TN_ROW_AXIS, .i = TN_Y},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Y},
};

static const tn_joint_coord planar_prismatic_coords[] = {
    {"displacement", "m", {.form = TN_ROW_AXIS, .i = TN_X}},
};

static void planar_prismatic_motion(const tn_joint_def *def, const double *q, const double *v,
                                    tn_joint_motion *out)
{
    out->X = (tn_frame){.R = tn_m3_identity, .p = {q[0], 0, 0}};
    out->S[0] = (tn_twist){.v = {1, 0, 0}};
    out->Sdot[0] = (tn_twist){0};
}

const tn_joint_ops tn_joint_planar_prismatic = {
    .name = "planar-prismatic",
    .text = "in the plane: slides along x of frame A",
    .glyph = "slide a x; block b",
    .dim = 2,
    .relative = true,
    .step = TN_STEP_SLIDE,
    TN_ROWS(planar_prismatic),
    TN_FREEDOMS(planar_prismatic),
    .motion = planar_prismatic_motion,
};
