// SPDX-License-Identifier: MIT
//
// Spherical joint: frame B turns freely about the origin it shares with frame A.
//
// Constraint side (3 rows)        d = 0
// Motion side (3 freedoms)        X(q) = rotation of the unit quaternion q (scalar first),
//                                 S = (0; e_x), (0; e_y), (0; e_z)
//
// The velocities are the angular velocity of B against A in axes of B, not the rates of q.

#include "lie/so3.h"
#include "model/joint.h"

static const tn_row spherical_rows[] = {
    {.form = TN_ROW_COORD, .i = TN_X},
    {.form = TN_ROW_COORD, .i = TN_Y},
    {.form = TN_ROW_COORD, .i = TN_Z},
};

static void spherical_motion(const tn_joint_def *def, const double *q, const double *v,
                             tn_joint_motion *out)
{
    out->X = (tn_frame){.R = tn_quat_matrix(tn_quat_from(q))};
    out->S[0] = (tn_twist){.w = {1, 0, 0}};
    out->S[1] = (tn_twist){.w = {0, 1, 0}};
    out->S[2] = (tn_twist){.w = {0, 0, 1}};
    out->Sdot[0] = out->Sdot[1] = out->Sdot[2] = (tn_twist){0};
}

static void spherical_coordinates(const tn_joint_def *def, tn_frame X, double *q)
{
    tn_quat_to(tn_quat_from_matrix(X.R), q);
}

const tn_joint_ops tn_joint_spherical = {
    .name = "spherical",
    .text = "turns about the common origin",
    .glyph = "ball a; bearing",
    .dim = 3,
    .planar = &tn_joint_planar_revolute,
    .relative = true,
    .nq = 4,
    .nv = 3,
    TN_ROWS(spherical),
    .motion = spherical_motion,
    .coordinates = spherical_coordinates,
};
