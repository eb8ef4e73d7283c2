// SPDX-License-Identifier: MIT
//
// What the kinds of body share: parameters, and a check of the plane.

#pragma once

#include "model/builder.h"

#define TN_BODY_MASS                                                                            \
    TN_PARAM(tn_body_def, mass, NUMBER, "mass", "kg", .range = TN_NONNEGATIVE, .fallback = 1.0, \
             .required = true, .text = "mass, zero for a massless body")
#define TN_BODY_COM \
    TN_PARAM(tn_body_def, com, VEC3, "com", "m", .text = "centre of mass in the body frame")
#define TN_BODY_POSITION                                                                 \
    TN_PARAM(tn_body_def, frame.p, VEC3, "position", "m",                                \
             .text = "where the origin of the body frame starts, in the inertial frame", \
             .role = TN_ROLE_POINT, .given = offsetof(tn_body_def, given_position))
#define TN_BODY_ORIENTATION(explanation)                                               \
    TN_PARAM(tn_body_def, frame.R, ROTATION, "orientation", "", .text = (explanation), \
             .role = TN_ROLE_ROTATION, .given = offsetof(tn_body_def, given_rotation))
#define TN_BODY_VELOCITY                                                              \
    TN_PARAM(tn_body_def, velocity, VEC3, "velocity", "m/s",                          \
             .text = "start velocity of the origin of the body frame, inertial axes", \
             .role = TN_ROLE_DIRECTION, .given = offsetof(tn_body_def, given_velocity))
#define TN_BODY_FIXED_START                               \
    TN_PARAM(tn_body_def, fixed_start, BOOL, "fixed", "", \
             .text = "keep the stated start values when the mechanism is assembled")

// Start values of a body of the plane keep it there.
tn_status tn_body_check_plane(const tn_body_def *def, const char *what);
