// SPDX-License-Identifier: MIT
//
// Prismatic joint in the plane: frame B slides along x of frame A, without turning.
//
// Constraint side (2 rows)        y_A . d = 0,   x_A . y_B = 0
// Motion side (1 freedom)         X(q) = shift by q e_x,   S = (e_x; 0)

#include "model/joint.h"

static const tn_row planar_prismatic_rows[] = {
    {.form = TN_ROW_AXIS, .i = TN_Y},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Y},
};

static const char *const planar_prismatic_row_names[] = {"offset along y", "turn about z"};

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
    .nq = 1,
    .nv = 1,
    .step = TN_STEP_SLIDE,
    TN_ROWS(planar_prismatic),
    TN_COORDS(planar_prismatic),
    .motion = planar_prismatic_motion,
};
