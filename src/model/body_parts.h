// SPDX-License-Identifier: MIT
//
// What the kinds of body share: parameters, and a check of the plane.

#pragma once

#include "model/builder.h"

#define TN_BODY_MASS                                                                    \
    {                                                                                   \
        .name = "mass", .type = TN_PARAM_NUMBER, .unit = "kg", .range = TN_NONNEGATIVE, \
        .fallback = 1.0, .required = true, .text = "mass, zero for a massless body",    \
        .offset = offsetof(tn_body_def, mass)                                           \
    }
#define TN_BODY_COM                                                                      \
    {                                                                                    \
        .name = "com", .type = TN_PARAM_VEC3, .unit = "m",                               \
        .text = "centre of mass in the body frame", .offset = offsetof(tn_body_def, com) \
    }
#define TN_BODY_POSITION                                                                         \
    {                                                                                            \
        .name = "position", .type = TN_PARAM_VEC3, .unit = "m",                                  \
        .text = "where the origin of the body frame starts, in the inertial frame",              \
        .offset = offsetof(tn_body_def, frame.p), .given = offsetof(tn_body_def, given_position) \
    }
#define TN_BODY_ORIENTATION(explanation)                                                         \
    {                                                                                            \
        .name = "orientation", .type = TN_PARAM_ROTATION, .unit = "", .text = (explanation),     \
        .offset = offsetof(tn_body_def, frame.R), .given = offsetof(tn_body_def, given_rotation) \
    }
#define TN_BODY_VELOCITY                                                                          \
    {                                                                                             \
        .name = "velocity", .type = TN_PARAM_VEC3, .unit = "m/s",                                 \
        .text = "start velocity of the origin of the body frame, inertial axes",                  \
        .offset = offsetof(tn_body_def, velocity), .given = offsetof(tn_body_def, given_velocity) \
    }
#define TN_BODY_FIXED_START                                                     \
    {                                                                           \
        .name = "fixed", .type = TN_PARAM_BOOL, .unit = "",                     \
        .text = "keep the stated start values when the mechanism is assembled", \
        .offset = offsetof(tn_body_def, fixed_start)                            \
    }

// Start values of a body of the plane keep it there.
tn_status tn_body_check_plane(const tn_body_def *def, const char *what);
