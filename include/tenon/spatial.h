// SPDX-License-Identifier: MIT
//
// Small values of spatial mechanics: vectors, matrices, unit quaternions (scalar first), frames,
// twists and wrenches. Plain structs passed by value, all inline.
//
// A frame (R, p) maps local to outer coordinates: x = p + R x_local.
// A twist is (velocity of a point, angular velocity); a wrench is (force, moment about that point);
// both are expressed in the axes that the user of the value names.

#pragma once

#include "tenon/base.h"

#include <math.h>

// A vector in space.
typedef struct tn_vec3 {
    double x, y, z;
} tn_vec3;

// A matrix of three rows and columns.
typedef struct tn_mat3 {
    double m[3][3]; // row, column
} tn_mat3;

// A rotation as a unit quaternion.
typedef struct tn_quat {
    double w, x, y, z; // scalar first, unit length
} tn_quat;

// The pose of a frame: its origin and its rotation.
typedef struct tn_frame {
    tn_mat3 R; // axes of the frame as columns
    tn_vec3 p; // origin [m]
} tn_frame;

// Velocity and angular velocity.
typedef struct tn_twist {
    tn_vec3 v; // velocity of the reference point [m/s]
    tn_vec3 w; // angular velocity [rad/s]
} tn_twist;

// Force and moment.
typedef struct tn_wrench {
    tn_vec3 f; // force [N]
    tn_vec3 m; // moment about the reference point [N m]
} tn_wrench;

static const tn_mat3 tn_m3_identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
static const tn_frame tn_frame_identity = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
static const tn_quat tn_quat_identity = {1, 0, 0, 0};

static inline tn_vec3 tn_v3(double x, double y, double z)
{
    return TN_VALUE(tn_vec3){x, y, z};
}

static inline tn_vec3 tn_v3_add(tn_vec3 a, tn_vec3 b)
{
    return TN_VALUE(tn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline tn_vec3 tn_v3_sub(tn_vec3 a, tn_vec3 b)
{
    return TN_VALUE(tn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline tn_vec3 tn_v3_scale(double s, tn_vec3 a)
{
    return TN_VALUE(tn_vec3){s * a.x, s * a.y, s * a.z};
}

static inline tn_vec3 tn_v3_axpy(double s, tn_vec3 a, tn_vec3 b) // s a + b
{
    return TN_VALUE(tn_vec3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static inline tn_vec3 tn_v3_neg(tn_vec3 a)
{
    return TN_VALUE(tn_vec3){-a.x, -a.y, -a.z};
}

static inline double tn_v3_dot(tn_vec3 a, tn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline tn_vec3 tn_v3_cross(tn_vec3 a, tn_vec3 b)
{
    return TN_VALUE(tn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double tn_v3_norm(tn_vec3 a)
{
    return sqrt(tn_v3_dot(a, a));
}

static inline tn_vec3 tn_v3_from(const double *a)
{
    return TN_VALUE(tn_vec3){a[0], a[1], a[2]};
}

static inline void tn_v3_to(tn_vec3 a, double *out)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static inline tn_mat3 tn_m3_zero(void)
{
    return TN_VALUE(tn_mat3){{{0}}};
}

static inline tn_mat3 tn_m3_diag(double a, double b, double c)
{
    return TN_VALUE(tn_mat3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}

static inline tn_mat3 tn_m3_columns(tn_vec3 a, tn_vec3 b, tn_vec3 c)
{
    return TN_VALUE(tn_mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

static inline tn_vec3 tn_m3_column(tn_mat3 A, int j)
{
    return TN_VALUE(tn_vec3){A.m[0][j], A.m[1][j], A.m[2][j]};
}

static inline tn_mat3 tn_m3_skew(tn_vec3 a) // skew(a) b = a x b
{
    return TN_VALUE(tn_mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

static inline tn_mat3 tn_m3_outer(tn_vec3 a, tn_vec3 b) // a b^T
{
    return TN_VALUE(tn_mat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                              {a.y * b.x, a.y * b.y, a.y * b.z},
                              {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

static inline tn_mat3 tn_m3_axpy(double s, tn_mat3 A, tn_mat3 B) // s A + B
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B.m[i][j] += s * A.m[i][j];
    return B;
}

static inline tn_mat3 tn_m3_scale(double s, tn_mat3 A)
{
    return tn_m3_axpy(s, A, tn_m3_zero());
}

static inline tn_mat3 tn_m3_transpose(tn_mat3 A)
{
    tn_mat3 B;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B.m[i][j] = A.m[j][i];
    return B;
}

static inline tn_mat3 tn_m3_mul_t(tn_mat3 A, tn_mat3 B) // A B^T
{
    tn_mat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[i][0] * B.m[j][0] + A.m[i][1] * B.m[j][1] + A.m[i][2] * B.m[j][2];
    return C;
}

static inline tn_mat3 tn_m3_mul(tn_mat3 A, tn_mat3 B)
{
    tn_mat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[i][0] * B.m[0][j] + A.m[i][1] * B.m[1][j] + A.m[i][2] * B.m[2][j];
    return C;
}

static inline tn_vec3 tn_m3_apply(tn_mat3 A, tn_vec3 x) // A x
{
    return TN_VALUE(tn_vec3){A.m[0][0] * x.x + A.m[0][1] * x.y + A.m[0][2] * x.z,
                             A.m[1][0] * x.x + A.m[1][1] * x.y + A.m[1][2] * x.z,
                             A.m[2][0] * x.x + A.m[2][1] * x.y + A.m[2][2] * x.z};
}

static inline tn_vec3 tn_m3_apply_t(tn_mat3 A, tn_vec3 x) // A^T x
{
    return TN_VALUE(tn_vec3){A.m[0][0] * x.x + A.m[1][0] * x.y + A.m[2][0] * x.z,
                             A.m[0][1] * x.x + A.m[1][1] * x.y + A.m[2][1] * x.z,
                             A.m[0][2] * x.x + A.m[1][2] * x.y + A.m[2][2] * x.z};
}

static inline double tn_m3_det(tn_mat3 A)
{
    return tn_v3_dot(tn_m3_column(A, 0), tn_v3_cross(tn_m3_column(A, 1), tn_m3_column(A, 2)));
}

static inline tn_quat tn_quat_mul(tn_quat a, tn_quat b)
{
    return TN_VALUE(tn_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                             a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                             a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                             a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline tn_quat tn_quat_conj(tn_quat a)
{
    return TN_VALUE(tn_quat){a.w, -a.x, -a.y, -a.z};
}

static inline double tn_quat_norm(tn_quat a)
{
    return sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
}

static inline tn_quat tn_quat_normalize(tn_quat a)
{
    const double s = 1.0 / tn_quat_norm(a);
    return TN_VALUE(tn_quat){s * a.w, s * a.x, s * a.y, s * a.z};
}

static inline tn_quat tn_quat_from(const double *e)
{
    return TN_VALUE(tn_quat){e[0], e[1], e[2], e[3]};
}

static inline void tn_quat_to(tn_quat a, double *out)
{
    out[0] = a.w;
    out[1] = a.x;
    out[2] = a.y;
    out[3] = a.z;
}

static inline tn_mat3 tn_quat_matrix(tn_quat e) // rotation matrix of a unit quaternion
{
    const double w = e.w, x = e.x, y = e.y, z = e.z;
    return TN_VALUE(tn_mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                              {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                              {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

static inline tn_frame tn_frame_mul(tn_frame a, tn_frame b) // a after b: x = a(b(x_local))
{
    return TN_VALUE(tn_frame){tn_m3_mul(a.R, b.R), tn_v3_add(a.p, tn_m3_apply(a.R, b.p))};
}

static inline tn_frame tn_frame_inverse(tn_frame a)
{
    return TN_VALUE(tn_frame){tn_m3_transpose(a.R), tn_v3_neg(tn_m3_apply_t(a.R, a.p))};
}

static inline tn_vec3 tn_frame_point(tn_frame a, tn_vec3 x) // outer coordinates of a local point
{
    return tn_v3_add(a.p, tn_m3_apply(a.R, x));
}

static inline tn_mat3 tn_m3_rot_x(double a)
{
    const double c = cos(a), s = sin(a);
    return TN_VALUE(tn_mat3){{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
}

static inline tn_mat3 tn_m3_rot_y(double a)
{
    const double c = cos(a), s = sin(a);
    return TN_VALUE(tn_mat3){{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
}

static inline tn_mat3 tn_m3_rot_z(double a)
{
    const double c = cos(a), s = sin(a);
    return TN_VALUE(tn_mat3){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

static inline double tn_power(tn_wrench w, tn_twist v) // f . v + m . w
{
    return tn_v3_dot(w.f, v.v) + tn_v3_dot(w.m, v.w);
}
