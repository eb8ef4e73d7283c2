// SPDX-License-Identifier: MIT
//
// A rigid body in a plane z = const: x, y and the angle about z. Its inertia is Izz alone.

#include "model/builder.h"

static const tn_param planar_params[] = {
    TN_BODY_MASS,
    TN_BODY_COM,
    TN_PARAM(tn_body_def, inertia.z, NUMBER, "inertia", "kg m^2", .range = TN_NONNEGATIVE,
             .fallback = 1.0, .required = true,
             .text = "moment of inertia Izz about the centre of mass"),
    TN_BODY_POSITION,
    TN_BODY_ORIENTATION("how the body frame is turned about z at the start"),
    TN_BODY_VELOCITY,
    TN_PARAM(tn_body_def, rate.z, NUMBER, "rate", "rad/s", .text = "start angular velocity about z",
             .given = offsetof(tn_body_def, given_rate)),
    TN_BODY_FIXED_START,
};

static tn_status planar_check(const tn_body_def *def, tn_body_data *data, const char *what)
{
    data->inertia = tn_m3_diag(0.0, 0.0, def->inertia.z);
    return tn_body_check_plane(def, what);
}

const tn_body_ops tn_body_planar = {
    .name = "planar",
    .text = "rigid body in a plane z = const: x, y and the angle about z",
    TN_PARAMS(planar_params),
    .moves = 2,
    .turns = 1,
    .check = planar_check,
};
