// SPDX-License-Identifier: MIT
//
// Models for the tests of integrators: small, smooth, and each with something of its own.

#pragma once

#include "road.h"

static inline tn_body add_rigid(tn_model *model, tn_vec3 p, tn_vec3 com, tn_vec3 inertia)
{
    tn_body_def def = tn_default_body();
    def.frame.p = p;
    def.com = com;
    def.mass = 2.0;
    def.inertia = inertia;
    return tn_model_add_body(model, &def);
}

// A joint at a point of the world, its axes turned by R; both bodies stand unturned.
static inline tn_joint_def joint_at(tn_joint_kind kind, tn_body a, tn_vec3 in_a, tn_body b,
                                    tn_vec3 in_b)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.p = in_a;
    def.frame_b.p = in_b;
    return def;
}

// A point mass on a rod in the plane, off its lowest point and moving.
static inline tn_model *point_pendulum(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    tn_body_def bob = tn_default_body();
    bob.kind = TN_BODY_POINT_2D;
    bob.frame.p = tn_v3(sin(0.8), -cos(0.8), 0.0);
    bob.velocity = tn_v3(cos(0.8), sin(0.8), 0.0);
    tn_joint_def rod = tn_default_joint(TN_JOINT_DISTANCE);
    rod.body_b = tn_model_add_body(model, &bob);
    rod.distance.length = 1.0;
    tn_model_add_joint(model, &rod);
    return model;
}

// A heavy top that is slow enough to fall: no principal axis is special.
static inline tn_model *slow_top(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    tn_body_def top = tn_default_body();
    top.mass = 2.0;
    top.com = tn_v3(0.0, 0.6, 0.2);
    top.inertia = tn_v3(0.20, 0.12, 0.25);
    top.products = tn_v3(0.01, 0.02, -0.01);
    top.rate = tn_v3(0.4, 3.0, -0.7);
    tn_joint_def tip = tn_default_joint(TN_JOINT_SPHERICAL);
    tip.body_b = tn_model_add_body(model, &top);
    tn_model_add_joint(model, &tip);
    return model;
}

// Slider-crank of planar bodies: crank 0.3, rod 0.8, a spring with a damper behind the slider.
static inline tn_model *slider_crank(void)
{
    const double crank_length = 0.3, rod_length = 0.8, angle = 0.7;
    const double tilt = -asin(crank_length / rod_length * sin(angle));
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    tn_body_def def = tn_default_body();
    def.kind = TN_BODY_PLANAR;
    def.mass = 1.0;
    def.com = tn_v3(0.5 * crank_length, 0.0, 0.0);
    def.inertia.z = 0.01;
    def.frame.R = tn_m3_rot_z(angle);
    const tn_body crank = tn_model_add_body(model, &def);
    const tn_vec3 knee = {crank_length * cos(angle), crank_length * sin(angle), 0.0};
    def.com.x = 0.4 * rod_length;
    def.inertia.z = 0.05;
    def.frame = (tn_frame){tn_m3_rot_z(tilt), knee};
    const tn_body rod = tn_model_add_body(model, &def);
    def.com.x = 0.0;
    def.mass = 3.0;
    def.frame = (tn_frame){tn_m3_identity, tn_v3(knee.x + rod_length * cos(tilt), 0.0, 0.0)};
    const tn_body slider = tn_model_add_body(model, &def);

    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
    pin.body_b = crank;
    pin.nrate = 1;
    pin.rate[0] = 4.0;
    tn_model_add_joint(model, &pin);
    const tn_vec3 end = {crank_length, 0, 0}, tip = {rod_length, 0, 0}, none = {0};
    const tn_joint_def elbow = joint_at(TN_JOINT_REVOLUTE, crank, end, rod, none);
    tn_model_add_joint(model, &elbow);
    const tn_joint_def wrist = joint_at(TN_JOINT_REVOLUTE, rod, tip, slider, none);
    tn_model_add_joint(model, &wrist);
    const tn_joint_def guide = joint_at(TN_JOINT_PRISMATIC, TN_GROUND, none, slider, none);
    tn_model_add_joint(model, &guide);
    tn_force_def spring = tn_default_force(TN_FORCE_SPRING);
    spring.body_b = slider;
    spring.frame_a.p.x = 1.6;
    spring.spring.stiffness = 100.0;
    spring.spring.damping = 2.0;
    tn_model_add_force(model, &spring);
    return model;
}

// No constraints: a tumbling body between bushings.
static inline tn_model *tumbler(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    tn_body_def def = tn_default_body();
    def.mass = 2.0;
    def.com = tn_v3(0.1, 0.0, -0.1);
    def.inertia = tn_v3(0.1, 0.2, 0.25);
    def.rate = tn_v3(1.0, 2.0, -1.5);
    def.velocity = tn_v3(0.3, 0.0, 1.0);
    const tn_body body = tn_model_add_body(model, &def);
    tn_force_def bushing = tn_default_force(TN_FORCE_BUSHING);
    bushing.body_b = body;
    bushing.frame_b.p = tn_v3(0.2, 0.1, 0.0);
    bushing.bushing.stiffness = tn_v3(80.0, 90.0, 100.0);
    bushing.bushing.rotational_stiffness = tn_v3(3.0, 2.0, 4.0);
    bushing.bushing.damping = tn_v3(1.0, 1.0, 1.0);
    tn_model_add_force(model, &bushing);
    return model;
}

// A frame that is moved through space carries an arm on a universal joint, whose first angle is
// driven: every rheonomic term there is.
static inline tn_model *driven_arm(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    const tn_vec3 none = {0}, down = {0.0, 0.1, -0.4};
    const tn_body base = add_rigid(model, none, none, tn_v3(0.1, 0.1, 0.1));
    const tn_body arm = add_rigid(model, none, down, tn_v3(0.05, 0.06, 0.03));
    tn_joint_def pose = tn_default_joint(TN_JOINT_POSE_DRIVE);
    pose.body_b = base;
    pose.pose.x.expression = "0.2*sin(2*t)";
    pose.pose.z.expression = "0.1*t^2";
    pose.pose.yaw.expression = "0.6*sin(t)";
    pose.pose.roll.expression = "0.3*t";
    tn_model_add_joint(model, &pose);
    const tn_joint_def cross = joint_at(TN_JOINT_UNIVERSAL, base, none, arm, none);
    tn_joint_def motor = tn_default_joint(TN_JOINT_DRIVE);
    motor.drive.joint = tn_model_add_joint(model, &cross);
    motor.drive.motion.expression = "0.5*sin(3*t)";
    tn_model_add_joint(model, &motor);
    return model;
}
