// SPDX-License-Identifier: MIT
//
// Building small mechanisms in tests: bodies that remember where they start, and joints placed by
// one frame in the inertial frame, from which the frames on both bodies follow.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

typedef struct part {
    tn_body id;
    tn_frame frame; // at the start, in the inertial frame
} part;

static const part ground = {{0}, {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}}};

static inline tn_body_def body_def(const char *name, double mass, tn_vec3 inertia, tn_frame frame)
{
    tn_body_def def = tn_default_body();
    def.name = name;
    def.mass = mass;
    def.inertia = inertia;
    def.frame = frame;
    return def;
}

static inline part add_part(tn_model *model, const tn_body_def *def)
{
    return (part){tn_model_add_body(model, def), def->frame};
}

// A joint between a and b whose frames both start at `at`.
static inline tn_joint_def joint_at(tn_joint_kind kind, const char *name, part a, part b,
                                    tn_frame at)
{
    tn_joint_def def = tn_default_joint(kind);
    def.name = name;
    def.body_a = a.id;
    def.body_b = b.id;
    def.frame_a = tn_frame_mul(tn_frame_inverse(a.frame), at);
    def.frame_b = tn_frame_mul(tn_frame_inverse(b.frame), at);
    return def;
}

static inline tn_joint join(tn_model *model, tn_joint_kind kind, const char *name, part a, part b,
                            tn_frame at)
{
    const tn_joint_def def = joint_at(kind, name, a, b, at);
    return tn_model_add_joint(model, &def);
}

static inline tn_frame frame_at(double x, double y, double z)
{
    return (tn_frame){tn_m3_identity, {x, y, z}};
}

static inline double largest(tn_vec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

static inline double distance(tn_vec3 a, tn_vec3 b) // largest difference of a component
{
    return largest(tn_v3_sub(a, b));
}
