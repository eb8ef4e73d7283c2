// SPDX-License-Identifier: MIT
//
// Revolute joint in the plane: frame B turns about the origin it shares with frame A. Point masses
// can be pinned too; their joint has no angle.
//
// Constraint side (2 rows)        d_x = 0,   d_y = 0
// Motion side (1 freedom)         X(q) = Rz(q),   S = (0; e_z)

#include "model/joint.h"

static const tn_row planar_revolute_rows[] = {
    {.form = TN_ROW_COORD, .i = TN_X},
    {.form = TN_ROW_COORD, .i = TN_Y},
};

static const char *const planar_revolute_row_names[] = {"x", "y"};

static const tn_joint_coord planar_revolute_coords[] = {
    {"angle", "rad", {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X}},
};

static void planar_revolute_motion(const tn_joint_def *def, const double *q, const double *v,
                                   tn_joint_motion *out)
{
    (void)def, (void)v;
    out->X = (tn_frame){.R = tn_m3_rot_z(q[0])};
    out->S[0] = (tn_twist){.w = {0, 0, 1}};
    out->Sdot[0] = (tn_twist){0};
}

static void planar_revolute_coordinates(const tn_joint_def *def, tn_frame X, double *q)
{
    (void)def;
    q[0] = atan2(X.R.m[1][0], X.R.m[0][0]);
}

const tn_joint_ops tn_joint_planar_revolute = {
    .name = "planar-revolute",
    .text = "in the plane: turns about the common origin",
    .dim = 2,
    .relative = true,
    .nq = 1,
    .nv = 1,
    .step = TN_STEP_TURN,
    .rows = planar_revolute_rows,
    .row_names = planar_revolute_row_names,
    .nrow = TN_COUNT(planar_revolute_rows),
    .coords = planar_revolute_coords,
    .ncoord = TN_COUNT(planar_revolute_coords),
    .motion = planar_revolute_motion,
    .coordinates = planar_revolute_coordinates,
};
