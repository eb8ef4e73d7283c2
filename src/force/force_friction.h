// SPDX-License-Identifier: MIT
//
// Both kinds of friction share this: parameters, wrench, tangent, and the load by reactions.

#pragma once

#include "model/force.h"

#define FRICTION(member, key, unit_, ...) \
    TN_PARAM(tn_force_def, friction.member, NUMBER, key, unit_, __VA_ARGS__)

// clang-format off
#define TN_FRICTION_PARAMS                                                                         \
    FRICTION(coulomb, "coulomb", "", .range = TN_POSITIVE, .required = true,                       \
             .text = "coefficient of sliding friction"),                                           \
    FRICTION(stiction, "static", "", .range = TN_NONNEGATIVE,                                      \
             .text = "coefficient at rest; when left out that of sliding"),                        \
    FRICTION(stribeck, "stribeck", "m/s", .range = TN_POSITIVE, .fallback = 0.01,                  \
             .text = "Stribeck's speed, over which friction falls from `static` to `coulomb`"),    \
    FRICTION(viscous, "viscous", "N s/m", .range = TN_NONNEGATIVE,                                 \
             .text = "viscous part: force per speed of slip"),                                     \
    FRICTION(radius, "radius", "m", .range = TN_NONNEGATIVE,                                       \
             .text = "of turning joints: where the surfaces slip; of gears of turning joints: the "\
                     "pitch circle of the first"),                                                 \
    FRICTION(length, "length", "m", .range = TN_NONNEGATIVE,                                       \
             .text = "of the bearing or guide: reaction torques press at its ends, and "           \
                     "twice their size by it adds to the load; without it nothing does"),          \
    FRICTION(load, "load", "N", .range = TN_NONNEGATIVE, .affine = true, .damps = true,            \
             .given = offsetof(tn_force_def, friction.load_given),                                 \
             .text = "normal load: a number or an expression; when left out that of the "          \
                     "reactions of the joint")
// clang-format on

// The state of direction k of LuGre's friction: "rub.bristle".
enum { TN_BRISTLE_NAME = 500 };
void tn_bristle_name(const tn_force_data *data, int k, char name[TN_BRISTLE_NAME]);

// mu(s) = mu_c + (mu_s - mu_c) exp(-(s / v_s)^2)
double tn_friction_coefficient(const tn_friction *f, double s);
void tn_friction_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                      tn_load *out);
void tn_friction_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                         tn_load_tangent *out);
tn_status tn_friction_prepare(tn_force_data *data, const tn_model *model);
tn_status tn_friction_join(tn_model *model, const tn_force_data *data, const char *what);
