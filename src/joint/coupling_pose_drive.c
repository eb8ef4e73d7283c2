// SPDX-License-Identifier: MIT
//
// Pose drive: a frame of body B follows a frame that moves as a function of time (rheonomic).
//
//   rows of the fixed joint between the moving frame A(t) and frame B,
//   p_A = (x, y, z),   R_A = Rz(yaw) Ry(pitch) Rx(roll)
//
// The system builds the pair of frames: A is prescribed and belongs to no body. Only the rows that
// body B can answer apply: x, y and the turn about z for planar bodies, x, y, z for point masses.

#include "model/joint.h"
#include "model/model.h"

#include <math.h>

enum { XY = 1u << 0 | 1u << 1, Z = 1u << 2, TURN = 1u << 3, TILT = 1u << 4 | 1u << 5 };

#define POSE_PARAM(key, member, of_unit, explanation) \
    TN_PARAM(tn_joint_def, member, FUNCTION, key, of_unit, .text = (explanation))

static const tn_param pose_drive_params[] = {
    POSE_PARAM("x", pose.x, "m", "x of frame B in the inertial frame"),
    POSE_PARAM("y", pose.y, "m", "y of frame B in the inertial frame"),
    POSE_PARAM("z", pose.z, "m", "z of frame B in the inertial frame, ignored in the plane"),
    POSE_PARAM("roll", pose.roll, "rad", "R = Rz(yaw) Ry(pitch) Rx(roll); zero in the plane"),
    POSE_PARAM("pitch", pose.pitch, "rad", "second angle; zero in the plane"),
    POSE_PARAM("yaw", pose.yaw, "rad", "angle about z"),
    TN_PARAM(tn_joint_def, impulse, BOOL, "impulse", "",
             .text = "a jump of the driven velocity, not by an input, is an impulse; otherwise it "
                     "is refused"),
};

static unsigned pose_drive_active(const tn_model *model, int joint)
{
    const tn_body body = model->joints.at[joint].def->body_b;
    const bool planar = tn_body_is_planar(model, body);
    unsigned rows = XY;
    if (!planar)
        rows |= Z;
    if (tn_body_has_rotation(model, body))
        rows |= planar ? TURN : TURN | TILT;
    return rows;
}

static bool coupling_pose_drive_is_zero(tn_function f)
{
    return f.constant == 0.0 && !f.expression && f.n == 0;
}

// Angles that body B cannot follow.
static tn_status check_angles(const tn_model *model, const tn_joint_def *def, const char *what)
{
    const tn_body body = def->body_b;
    const bool tilts = !coupling_pose_drive_is_zero(def->pose.roll) ||
                       !coupling_pose_drive_is_zero(def->pose.pitch);
    if (!tn_body_has_rotation(model, body) &&
        (tilts || !coupling_pose_drive_is_zero(def->pose.yaw)))
        return tn_fail(TN_ERR_MODEL,
                       "%s: roll, pitch and yaw must be zero, as '%s' is a point mass; leave them "
                       "out",
                       what, tn_model_body_name(model, body));
    if (tn_body_is_planar(model, body) && tilts)
        return tn_fail(TN_ERR_MODEL,
                       "%s: roll and pitch must be zero, as '%s' moves in the plane; leave them "
                       "out",
                       what, tn_model_body_name(model, body));
    return TN_OK;
}

static bool is_identity(tn_frame f)
{
    double most = tn_v3_norm(f.p);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            most = fmax(most, fabs(f.R.m[i][j] - (i == j)));
    return most == 0.0;
}

static tn_status pose_drive_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    if (def->body_a.index != TN_GROUND.index)
        return tn_fail(
            TN_ERR_MODEL,
            "%s: a pose is driven against the ground, so body_a cannot be '%s'; leave it "
            "out",
            what, tn_model_body_name(model, def->body_a));
    if (!is_identity(def->frame_a))
        return tn_fail(TN_ERR_MODEL,
                       "%s: a pose is stated in the inertial frame, so there is no frame_a; leave "
                       "it out",
                       what);
    return check_angles(model, def, what);
}

// With exact velocity and acceleration,
//   w = yaw' z + pitch' y1 + roll' x2,   y1 = Rz y,  x2 = Rz Ry x
//   w' = yaw'' z + pitch'' y1 + roll'' x2 + yaw' z x pitch' y1 + (yaw' z + pitch' y1) x roll' x2
static void pose_drive_prescribe(double u[6][3], tn_frame *A, tn_twist *V, tn_twist *V_dot)
{
    const tn_mat3 Rz = tn_m3_rot_z(u[5][0]), Rzy = tn_m3_mul(Rz, tn_m3_rot_y(u[4][0]));
    const tn_vec3 z = {0, 0, 1}, y = tn_m3_column(Rz, 1), x = tn_m3_column(Rzy, 0);
    const tn_vec3 wz = tn_v3_scale(u[5][1], z), wy = tn_v3_scale(u[4][1], y);
    const tn_vec3 wx = tn_v3_scale(u[3][1], x), wzy = tn_v3_add(wz, wy);
    A->p = (tn_vec3){u[0][0], u[1][0], u[2][0]};
    A->R = tn_m3_mul(Rzy, tn_m3_rot_x(u[3][0]));
    V->v = (tn_vec3){u[0][1], u[1][1], u[2][1]};
    V->w = tn_v3_add(wzy, wx);
    V_dot->v = (tn_vec3){u[0][2], u[1][2], u[2][2]};
    V_dot->w = tn_v3_add(
        tn_v3_add(tn_v3_scale(u[5][2], z), tn_v3_scale(u[4][2], y)),
        tn_v3_add(tn_v3_scale(u[3][2], x), tn_v3_add(tn_v3_cross(wz, wy), tn_v3_cross(wzy, wx))));
}

const tn_joint_ops tn_joint_pose_drive = {
    .name = "pose-drive",
    .text = "moves a frame of a body as a function of time",
    .dim = 3,
    .coupling = true,
    .relative = true,
    .rows = tn_fixed_rows,
    .nrow = TN_FIXED_ROWS,
    TN_PARAMS(pose_drive_params),
    .prescribe = pose_drive_prescribe,
    .link = pose_drive_link,
    .active = pose_drive_active,
};
