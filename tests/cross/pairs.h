// SPDX-License-Identifier: MIT
//
// Kinematic pairs [LMO08, sect. 5.1]: two rigid bodies that fly freely without gravity, with
// different moments of inertia about all axes, joined off their centres of mass. They start where
// the joint fits, spinning, with velocities that it allows. Springs hold the displacements of a
// joint, so that pairs stay together for as long as one likes.

#pragma once

#include "kinds/family.h"
#include "model/model.h"
#include "tenon/tenon.h"
#include "test.h"

// R, P, C, S and E of [LMO08], and the other joints between rigid bodies that leave a freedom.
static const tn_joint_kind pair_kinds[] = {
    TN_JOINT_REVOLUTE, TN_JOINT_PRISMATIC, TN_JOINT_CYLINDRICAL, TN_JOINT_SPHERICAL,
    TN_JOINT_PLANAR,   TN_JOINT_UNIVERSAL, TN_JOINT_SCREW,
};

static inline tn_frame frame_at(double x, double y, double z, double about_x, double about_y)
{
    return (tn_frame){tn_m3_mul(tn_m3_rot_x(about_x), tn_m3_rot_y(about_y)), {x, y, z}};
}

// The velocity of the origin of a body frame and the rate in its axes, from a twist in world axes
// at a point.
static inline void state_twist(tn_body_def *def, tn_twist V, tn_vec3 point)
{
    def->velocity = tn_v3_add(V.v, tn_v3_cross(V.w, tn_v3_sub(def->frame.p, point)));
    def->rate = tn_m3_apply_t(def->frame.R, V.w);
}

// Places body B where the joint has its motion at q and v.
static inline void join(const tn_joint_def *joint, const tn_body_def *a, tn_body_def *b)
{
    static const double q[3] = {0.2, -0.3, 0.4}, ball[4] = {0.8, 0.6, 0.0, 0.0};
    static const double v[3] = {0.7, -0.5, 0.9};
    const tn_joint_ops *ops = tn_joint_ops_of(joint->kind);
    tn_joint_motion m;
    ops->motion(joint, ops->nq > ops->nv ? ball : q, v, &m);
    const tn_frame B = tn_frame_mul(tn_frame_mul(a->frame, joint->frame_a), m.X);
    b->frame = tn_frame_mul(B, tn_frame_inverse(joint->frame_b));
    tn_twist V = {a->velocity, tn_m3_apply(a->frame.R, a->rate)};
    V.v = tn_v3_add(V.v, tn_v3_cross(V.w, tn_v3_sub(B.p, a->frame.p)));
    for (int i = 0; i < ops->nv; i++) {
        V.v = tn_v3_axpy(v[i], tn_m3_apply(B.R, m.S[i].v), V.v);
        V.w = tn_v3_axpy(v[i], tn_m3_apply(B.R, m.S[i].w), V.w);
    }
    state_twist(b, V, B.p);
}

static inline tn_vec3 momentum(const tn_body_def *b)
{
    const tn_vec3 arm = tn_m3_apply(b->frame.R, tn_v3_cross(b->rate, b->com));
    return tn_v3_scale(b->mass, tn_v3_add(b->velocity, arm));
}

// The two together stay where they are: round-off is that of their own size.
static inline void rest(tn_body_def *a, tn_body_def *b)
{
    const tn_vec3 drift =
        tn_v3_scale(1.0 / (a->mass + b->mass), tn_v3_add(momentum(a), momentum(b)));
    a->velocity = tn_v3_sub(a->velocity, drift);
    b->velocity = tn_v3_sub(b->velocity, drift);
}

static inline void hold(tn_model *model, tn_joint joint)
{
    const tn_joint_ops *ops = model->joints.at[joint.index].ops;
    for (int i = 0; i < ops->ncoord; i++) {
        if (ops->coords[i].unit[0] != 'm')
            continue;
        tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
        spring.joint = joint;
        spring.coordinate = i;
        spring.spring.stiffness = 30.0;
        tn_model_add_force(model, &spring);
    }
}

static inline tn_model *kinematic_pair(tn_joint_kind kind)
{
    tn_model *model = tn_model_create();
    tn_body_def one = tn_default_body(), two = tn_default_body();
    tn_joint_def joint = tn_default_joint(kind);
    one.name = "one";
    one.mass = 2.0;
    one.com = tn_v3(0.1, -0.05, 0.02);
    one.inertia = tn_v3(0.05, 0.08, 0.1);
    one.inertia_axes = tn_m3_rot_y(0.4);
    one.frame = frame_at(0.3, -0.2, 0.1, 0.5, -0.3);
    one.rate = tn_v3(0.8, -0.4, 1.1);
    two.name = "two";
    two.mass = 1.2;
    two.com = tn_v3(0.15, 0.05, -0.1);
    two.inertia = tn_v3(0.06, 0.03, 0.05);
    joint.name = "pair";
    joint.frame_a = frame_at(0.3, 0.1, -0.05, 0.7, 0.2);
    joint.frame_b = frame_at(-0.2, 0.0, 0.1, -0.4, 0.6);
    if (kind == TN_JOINT_SCREW)
        joint.screw.pitch = 0.1;
    join(&joint, &one, &two);
    rest(&one, &two);
    joint.body_a = tn_model_add_body(model, &one);
    joint.body_b = tn_model_add_body(model, &two);
    hold(model, tn_model_add_joint(model, &joint));
    CHECK_OK(tn_model_status(model));
    return model;
}
