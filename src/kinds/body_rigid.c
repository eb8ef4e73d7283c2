// SPDX-License-Identifier: MIT
//
// A rigid body in space, six freedoms, and its inertia in body axes,
//
//   I = A (diag(Ixx, Iyy, Izz) + products) A^T,   A the inertia axes.
//
// The moments of a real body are integrals of squared distances: none is negative, and with
// principal moments I1 <= I2 <= I3, I3 <= I1 + I2; equality holds for flat bodies and rods.

#include "model/builder.h"

#include <math.h>

// Moments typed with ten digits may miss the equality of a flat body by their rounding.
static const double INERTIA_TOL = 1e-9;

static const tn_param rigid_params[] = {
    TN_BODY_MASS,
    TN_BODY_COM,
    TN_PARAM(tn_body_def, inertia, VEC3, "inertia", "kg m^2", .range = TN_NONNEGATIVE,
             .fallback = 1.0, .required = true,
             .text = "moments of inertia Ixx, Iyy, Izz about the centre of mass"),
    TN_PARAM(tn_body_def, products, VEC3, "products", "kg m^2",
             .text = "entries Ixy, Ixz, Iyz of the inertia matrix"),
    TN_PARAM(tn_body_def, inertia_axes, ROTATION, "inertia_axes", "",
             .text = "axes of the inertia in the body frame"),
    TN_PARAM(tn_body_def, keep_inertia, BOOL, "keep_inertia", "",
             .text = "the inertia is taken as it is stated, also where no body can have it"),
    TN_PARAM(tn_body_def, angles, CHOICE, "angles", "", .choices = tn_angles_names,
             .text = "angles that results tell beside the quaternion, about axes in this sequence "
                     "that turn with the body: `zxz` precession, nutation, spin; `zyx` yaw, pitch, "
                     "roll"),
    TN_PARAM(tn_body_def, quaternion_rate, BOOL, "quaternion_rate", "",
             .text = "results tell the time derivative of the quaternion"),
    TN_BODY_POSITION,
    TN_BODY_ORIENTATION("how the body frame is turned at the start, in the inertial frame"),
    TN_BODY_VELOCITY,
    TN_PARAM(tn_body_def, rate, VEC3, "rate", "rad/s", .text = "start angular velocity, body axes",
             .given = offsetof(tn_body_def, given_rate)),
    TN_BODY_FIXED_START,
};

// Principal moments, smallest first.
static void principal_moments(tn_mat3 I, double moment[3])
{
    double found[3];
    tn_mat3 ignored;
    tn_principal_axes(I, found, &ignored);
    for (int i = 0; i < 3; i++) {
        int k = i;
        for (; k > 0 && moment[k - 1] > found[i]; k--)
            moment[k] = moment[k - 1];
        moment[k] = found[i];
    }
}

static tn_status check_moments(const tn_body_def *def, tn_mat3 I, const char *what)
{
    const bool principal =
        def->products.x == 0.0 && def->products.y == 0.0 && def->products.z == 0.0;
    double m[3];
    principal_moments(I, m);
    if (m[0] < -INERTIA_TOL * fabs(m[2]))
        return tn_fail(TN_ERR_MODEL,
                       "%s: inertia has the principal moment %g kg m^2; it must not be negative",
                       what, m[0]);
    if (m[2] <= m[0] + m[1] + INERTIA_TOL * m[2])
        return TN_OK;
    const tn_vec3 shown = principal ? def->inertia : tn_v3_from(m);
    return tn_fail(TN_ERR_MODEL,
                   "%s: inertia %s(%g, %g, %g) cannot belong to any body: each principal moment "
                   "must not exceed the sum of the other two (%g > %g)",
                   what, principal ? "" : "with principal moments ", shown.x, shown.y, shown.z,
                   m[2], m[0] + m[1]);
}

static tn_status rigid_check(const tn_body_def *def, tn_body_data *data, const char *what)
{
    const tn_vec3 d = def->inertia, p = def->products;
    const tn_mat3 I = {{{d.x, p.x, p.y}, {p.x, d.y, p.z}, {p.y, p.z, d.z}}};
    tn_frame axes = {def->inertia_axes, {0, 0, 0}};
    if (!def->keep_inertia)
        TN_TRY(check_moments(def, I, what));
    TN_TRY(tn_check_frame(&axes, what, "inertia_axes"));
    data->inertia = tn_m3_mul(axes.R, tn_m3_mul(I, tn_m3_transpose(axes.R)));
    return TN_OK;
}

const tn_body_ops tn_body_rigid = {
    .name = "rigid",
    .text = "rigid body in space, six freedoms",
    TN_PARAMS(rigid_params),
    .moves = 3,
    .turns = 3,
    .check = rigid_check,
};
