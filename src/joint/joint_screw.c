// SPDX-License-Identifier: MIT
//
// Screw joint: frame B turns about the z axis it shares with frame A and advances along it by the
// pitch p per radian.
//
// Constraint side (5 rows)        x_A . d = 0,   y_A . d = 0,   x_A . z_B = 0,   y_A . z_B = 0,
//                                 z_A . d - p angle = 0
// Motion side (1 freedom)         X(q) = shift by p q e_z after Rz(q),   S = (p e_z; e_z)
//
// The last row combines two terms on the joint's own frames. Its angle counts turns, so a start
// many turns out lies on the branch of the displacement, angle = z_A . d / p.

#include "model/joint.h"
#include "model/model.h"

enum { ADVANCE = 4 };

static const tn_row screw_rows[] = {
    {.form = TN_ROW_AXIS, .i = TN_X},
    {.form = TN_ROW_AXIS, .i = TN_Y},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_Y, .j = TN_Z},
    [ADVANCE] = {.form = TN_ROW_AXIS, .i = TN_Z},
};

static const char *const screw_row_names[] = {
    "offset along x", "offset along y", "tilt about y", "tilt about x", "advance along z",
};

static const tn_joint_coord screw_coords[] = {
    {"angle", "rad", {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X}},
    {"displacement", "m", {.form = TN_ROW_AXIS, .i = TN_Z}},
};

static const tn_param screw_params[] = {
    TN_PARAM(tn_joint_def, screw.pitch, NUMBER, "pitch", "m/rad", .range = TN_NONZERO,
             .required = true,
             .text = "advance along z per angle, negative for a left-hand thread"),
};

static tn_constraint_row screw_row(const tn_model *model, int joint, int i)
{
    tn_constraint_row row = tn_constraint_of_table(model, joint, i);
    if (i == ADVANCE) {
        const tn_joint_def *def = model->joints.at[joint].def;
        row.term[row.nterm++] = tn_joint_coord_term(model, (tn_joint){joint}, 0, -def->screw.pitch);
    }
    return row;
}

static void screw_motion(const tn_joint_def *def, const double *q, const double *v,
                         tn_joint_motion *out)
{
    const double pitch = def->screw.pitch;
    out->X = (tn_frame){.R = tn_m3_rot_z(q[0]), .p = {0, 0, pitch * q[0]}};
    out->S[0] = (tn_twist){.v = {0, 0, pitch}, .w = {0, 0, 1}};
    out->Sdot[0] = (tn_twist){0};
}

static void screw_coordinates(const tn_joint_def *def, tn_frame X, double *q)
{
    const double angle = atan2(X.R.m[1][0], X.R.m[0][0]);
    const double turns = nearbyint((X.p.z / def->screw.pitch - angle) / (2.0 * M_PI));
    q[0] = angle + 2.0 * M_PI * turns;
}

const tn_joint_ops tn_joint_screw = {
    .name = "screw",
    .text = "turns about the common z axis and advances along it by the pitch",
    .glyph = "slide a; turn b",
    .dim = 3,
    .relative = true,
    .counts_turns = true,
    .nq = 1,
    .nv = 1,
    TN_ROWS(screw),
    .row_names = screw_row_names,
    TN_COORDS(screw),
    TN_PARAMS(screw_params),
    .row = screw_row,
    .motion = screw_motion,
    .coordinates = screw_coordinates,
};
