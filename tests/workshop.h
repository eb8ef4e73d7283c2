// SPDX-License-Identifier: MIT
//
// Random models for the tests of systems: bodies of any kind, every joint, coupling and force of
// the registry. They are meant for evaluation at any state; nothing here is assembled.

#pragma once

#include "kinds/family.h"
#include "model/model.h"
#include "test.h"

static inline tn_vec3 random_vec3(double size)
{
    const double x = tn_random(), y = tn_random(), z = tn_random();
    return tn_v3(size * x, size * y, size * z);
}

static inline tn_mat3 random_rotation(void)
{
    tn_quat e = {tn_random(), tn_random(), tn_random(), tn_random()};
    while (tn_quat_norm(e) < 0.1)
        e.w = tn_random();
    return tn_quat_matrix(tn_quat_normalize(e));
}

static inline bool is_flat(const tn_model *model, tn_body body)
{
    return body.index > 0 && tn_body_is_planar(model, body);
}

static inline double random_unit(void) // in [0, 1]
{
    return 0.5 + 0.5 * tn_random();
}

// A body at the origin, at rest.
static inline tn_body add_link(tn_model *model, tn_body_kind kind, double mass, tn_vec3 inertia)
{
    tn_body_def def = tn_default_body();
    def.kind = kind;
    def.mass = mass;
    def.inertia = inertia;
    return tn_model_add_body(model, &def);
}

// A body with an eccentric centre of mass and a full inertia matrix, anywhere, moving.
static inline tn_body random_body(tn_model *model, tn_body_kind kind)
{
    tn_body_def def = tn_default_body();
    const bool flat = kind == TN_BODY_PLANAR || kind == TN_BODY_POINT_2D;
    const bool point = kind == TN_BODY_POINT || kind == TN_BODY_POINT_2D;
    def.kind = kind;
    def.mass = 1.0 + random_unit();
    def.frame.p = random_vec3(1.0);
    def.frame.p.x += 1.2 * model->bodies.count; // apart from the others
    def.velocity = random_vec3(1.0);
    if (flat)
        def.velocity.z = 0.0;
    if (!point) {
        def.com = random_vec3(0.4);
        def.inertia = tn_v3_add(tn_v3(1.0, 1.0, 1.0), random_vec3(0.2));
        def.frame.R = flat ? tn_m3_rot_z(3.0 * tn_random()) : random_rotation();
        def.rate = flat ? tn_v3(0.0, 0.0, tn_random()) : random_vec3(1.0);
    }
    if (kind == TN_BODY_RIGID) {
        def.products = random_vec3(0.1);
        def.inertia_axes = random_rotation();
    }
    return tn_model_add_body(model, &def);
}

// A frame that a joint or a force may have on the body: none off a point mass.
static inline tn_frame random_frame(const tn_model *model, tn_body body, bool level)
{
    tn_frame f = {level ? tn_m3_rot_z(3.0 * tn_random()) : random_rotation(), random_vec3(0.5)};
    if (!tn_body_has_rotation(model, body))
        f.p = tn_v3(0.0, 0.0, 0.0);
    return f;
}

// Frames of a pair: A anywhere, B turned against A by up to half a radian about each axis and less
// than a metre away, where angles and lengths are far from their singular points.
static inline void random_frames(const tn_model *model, tn_body a, tn_body b, tn_frame *fa,
                                 tn_frame *fb)
{
    const bool level = tn_body_is_planar(model, a) && tn_body_is_planar(model, b);
    const tn_mat3 x = tn_m3_rot_x(0.4 * tn_random()), y = tn_m3_rot_y(0.4 * tn_random());
    const tn_mat3 z = tn_m3_rot_z(0.5 * tn_random());
    const tn_frame between = {level ? z : tn_m3_mul(tn_m3_mul(x, y), z),
                              tn_v3_add(tn_v3(0.5, 0.5, 0.5), random_vec3(0.2))};
    *fa = random_frame(model, a, level);
    const tn_frame world = tn_frame_mul(model->bodies.at[a.index].def.frame, *fa);
    *fb = tn_frame_mul(tn_frame_inverse(model->bodies.at[b.index].def.frame),
                       tn_frame_mul(world, between));
    if (!tn_body_has_rotation(model, b))
        fb->p = tn_v3(0.0, 0.0, 0.0);
}

static inline tn_joint random_joint(tn_model *model, tn_joint_kind kind, tn_body a, tn_body b)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a = a;
    def.body_b = b;
    random_frames(model, a, b, &def.frame_a, &def.frame_b);
    if (kind == TN_JOINT_SCREW)
        def.screw.pitch = 0.3;
    if (kind == TN_JOINT_DISTANCE)
        def.distance.length = 0.7 + 0.2 * tn_random();
    if (kind == TN_JOINT_ROLLING_WHEEL || kind == TN_JOINT_ROLLING_BALL)
        def.rolling.radius = 0.4;
    if (kind == TN_JOINT_ROLLING_WHEEL) { // upright: discs that lie nearly flat are steep
        def.rolling.tube = 0.1;
        def.frame_b.R = tn_m3_mul(def.frame_b.R, tn_m3_rot_x(1.5));
    }
    if (kind == TN_JOINT_ROLLING_BALL)
        def.rolling.spin = false;
    return tn_model_add_joint(model, &def);
}

static inline tn_function expression(const char *text)
{
    return (tn_function){.expression = text};
}

static inline tn_joint random_pose_drive(tn_model *model, tn_body b)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_POSE_DRIVE);
    const bool flat = tn_body_is_planar(model, b);
    def.body_b = b;
    def.frame_b = random_frame(model, b, flat);
    def.pose.x = expression("0.3*sin(2*t)");
    def.pose.y = expression("0.2*t^2+0.1");
    def.pose.z = expression("cos(t)");
    if (tn_body_has_rotation(model, b))
        def.pose.yaw = expression("0.7+sin(1.3*t)");
    if (tn_body_has_rotation(model, b) && !flat) {
        def.pose.roll = expression("0.5*t");
        def.pose.pitch = expression("0.4*cos(2*t)");
    }
    return tn_model_add_joint(model, &def);
}

static inline const tn_joint_coord *joint_coord(const tn_model *model, tn_joint joint, int i)
{
    const tn_joint_ops *ops = model->joints.at[joint.index].ops;
    return i < ops->ncoord ? &ops->coords[i] : NULL;
}

// Drives of every coordinate of the joint, and the laws that act on them.
static inline void use_coordinates(tn_model *model, tn_joint joint)
{
    for (int i = 0; joint_coord(model, joint, i); i++) {
        tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
        drive.drive.joint = joint;
        drive.drive.coordinate = i;
        drive.drive.motion = expression("0.4*sin(2*t)+0.1*t");
        tn_model_add_joint(model, &drive);

        tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
        spring.joint = joint;
        spring.coordinate = i;
        spring.spring.stiffness = 3.0;
        spring.spring.damping = 0.7;
        spring.spring.cubic = 0.5;
        spring.spring.preload = 0.3;
        tn_model_add_force(model, &spring);

        tn_force_def stop = tn_default_force(TN_FORCE_JOINT_STOP);
        stop.joint = joint;
        stop.coordinate = i;
        stop.stop.upper = -3.0; // touching, far from its corners in position and speed
        stop.stop.stiffness = 0.3;
        stop.stop.exponent = 1.5;
        stop.stop.damping = 0.02;
        tn_model_add_force(model, &stop);

        tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
        motor.joint = joint;
        motor.coordinate = i;
        motor.motor.effort = expression("1+cos(3*t)");
        tn_model_add_force(model, &motor);

        tn_force_def law = tn_default_force(TN_FORCE_JOINT_LAW);
        law.joint = joint;
        law.coordinate = i;
        law.law.law = expression("0.3*sin(t)");
        tn_model_add_force(model, &law);
    }
}

// A gear between two joints, and a rack with a pinion where their coordinates allow it.
static inline void couple(tn_model *model, tn_joint one, tn_joint two)
{
    for (int i = 0; joint_coord(model, one, i); i++)
        for (int k = 0; joint_coord(model, two, k); k++) {
            tn_joint_def gear = tn_default_joint(TN_JOINT_GEAR);
            gear.gear.joint_1 = one;
            gear.gear.joint_2 = two;
            gear.gear.coordinate_1 = i;
            gear.gear.coordinate_2 = k;
            gear.gear.ratio_1 = 2.0;
            gear.gear.ratio_2 = -1.5;
            tn_model_add_joint(model, &gear);
            if (joint_coord(model, one, i)->unit[0] != 'm' ||
                joint_coord(model, two, k)->unit[0] != 'r')
                continue;
            tn_joint_def rack = tn_default_joint(TN_JOINT_RACK_PINION);
            rack.rack_pinion.rack = one;
            rack.rack_pinion.pinion = two;
            rack.rack_pinion.rack_coordinate = i;
            rack.rack_pinion.pinion_coordinate = k;
            rack.rack_pinion.radius = 0.4;
            tn_model_add_joint(model, &rack);
        }
}

static inline void random_spring(tn_model *model, tn_force_kind kind, tn_body a, tn_body b)
{
    tn_force_def def = tn_default_force(kind);
    def.body_a = a;
    def.body_b = b;
    random_frames(model, a, b, &def.frame_a, &def.frame_b);
    if (kind == TN_FORCE_BUSHING) {
        def.bushing.stiffness = tn_v3(3.0, 4.0, 5.0);
        def.bushing.rotational_stiffness = tn_v3(0.6, 0.7, 0.8);
        def.bushing.damping = tn_v3(0.3, 0.4, 0.5);
        def.bushing.rotational_damping = tn_v3(0.1, 0.2, 0.3);
    } else if (kind == TN_FORCE_BEAM_ELEMENT) {
        def.beam.length = 0.8;
        def.beam.stiffness = tn_v3(3.0, 4.0, 5.0);
        def.beam.rotational_stiffness = tn_v3(0.6, 0.7, 0.8);
        def.beam.damping = 0.1;
        def.beam.stretch = tn_v3(0.1, 0.2, 0.7);
        def.beam.turn = tn_v3(0.3, -0.2, 0.1);
    } else {
        def.spring.stiffness = 4.0;
        def.spring.damping = 0.6;
        def.spring.cubic = 0.8;
        def.spring.preload = 0.5;
        def.spring.free = 0.3;
        def.spring.free_given = true;
    }
    tn_model_add_force(model, &def);
}

static inline void random_law(tn_model *model, tn_force_kind kind, tn_body a, tn_body b)
{
    tn_force_def def = tn_default_force(kind);
    def.body_a = a;
    def.body_b = b;
    random_frames(model, a, b, &def.frame_a, &def.frame_b);
    if (kind == TN_FORCE_LAW) {
        def.law.law = expression("0.8+0.1*t");
    } else {
        def.frame_law.force[0] = expression("0.7*cos(t)");
        def.frame_law.force[2].constant = 0.4;
        def.frame_law.torque[1] = expression("0.2+t");
    }
    tn_model_add_force(model, &def);
}

// Every force between two frames that the two bodies can have.
static inline void random_pair_forces(tn_model *model, tn_body a, tn_body b)
{
    random_spring(model, TN_FORCE_SPRING, a, b);
    random_law(model, TN_FORCE_LAW, a, b);
    if (!tn_body_has_rotation(model, a) || !tn_body_has_rotation(model, b))
        return;
    random_spring(model, TN_FORCE_TORSION_SPRING, a, b);
    random_spring(model, TN_FORCE_BUSHING, a, b);
    random_spring(model, TN_FORCE_BEAM_ELEMENT, a, b);
}

static inline void random_point_force(tn_model *model, tn_body b, bool follower)
{
    tn_force_def def = tn_default_force(TN_FORCE_POINT);
    def.body_b = b;
    def.frame_b = random_frame(model, b, false);
    def.point.force[0] = expression("1+t");
    def.point.force[1] = expression("sin(t)");
    def.point.force[2].constant = -2.0;
    if (tn_body_has_rotation(model, b)) {
        def.point.torque[0] = expression("0.5*cos(t)");
        def.point.torque[2].constant = 0.7;
        def.point.follower = follower;
    }
    tn_model_add_force(model, &def);
}

// Whether a kind of joint can stand between the two bodies, by its table of rows.
static inline bool joint_fits(const tn_model *model, tn_joint_kind kind, tn_body a, tn_body b)
{
    const tn_joint_ops *ops = tn_joint_ops_of(kind);
    const bool planar = tn_body_is_planar(model, a) && tn_body_is_planar(model, b);
    // shapes that touch have no rows where they have no contact: unit/touch, unit/wheel_rail
    if (!ops->relative || ops->shapes || kind == TN_JOINT_POSE_DRIVE)
        return false;
    if (ops->dim == 2 && !planar)
        return false;
    if (planar && ops->dim == 3 && !ops->planar && !ops->coupling)
        return false;
    if (planar && ops->planar)
        ops = ops->planar;
    if (ops->nroll > 0 && (!tn_body_has_rotation(model, a) || !tn_body_has_rotation(model, b)))
        return false;
    if (planar && (kind == TN_JOINT_ROLLING_WHEEL || kind == TN_JOINT_ROLLING_BALL))
        return false;
    for (int i = 0; i < ops->nrow; i++) {
        const tn_row_form form = ops->rows[i].form;
        const bool both = form == TN_ROW_DOT || form == TN_ROW_ANGLE;
        if ((both || form == TN_ROW_AXIS) && !tn_body_has_rotation(model, a))
            return false;
        if (both && !tn_body_has_rotation(model, b))
            return false;
    }
    return true;
}

// Forces on a coordinate and gears need bodies that turn where the coordinate is an angle.
static inline bool coordinates_fit(const tn_model *model, tn_body a, tn_body b)
{
    return tn_body_has_rotation(model, a) && tn_body_has_rotation(model, b);
}

// Every joint kind that fits between the two bodies, with everything that acts on its coordinates.
static inline void every_joint(tn_model *model, tn_body a, tn_body b)
{
    tn_joint last = {-1};
    for (int kind = 0; kind < TN_JOINT_KIND_COUNT; kind++) {
        if (!joint_fits(model, (tn_joint_kind)kind, a, b))
            continue;
        const tn_joint joint = random_joint(model, (tn_joint_kind)kind, a, b);
        if (!coordinates_fit(model, a, b) || !joint_coord(model, joint, 0))
            continue;
        use_coordinates(model, joint);
        if (last.index >= 0)
            couple(model, joint, last);
        last = joint;
    }
}

// Joints in which friction acts.
static inline bool can_rub(const tn_model *model, int joint)
{
    static const tn_joint_ops *const all[] = {&tn_joint_revolute,        &tn_joint_prismatic,
                                              &tn_joint_cylindrical,     &tn_joint_screw,
                                              &tn_joint_planar_revolute, &tn_joint_planar_prismatic,
                                              &tn_joint_spherical,       &tn_joint_gear};
    const tn_joint_data *data = &model->joints.at[joint];
    for (int k = 0; k < TN_COUNT(all); k++)
        if (data->ops == all[k])
            return !data->ops->relative || (tn_body_has_rotation(model, data->def->body_a) &&
                                            tn_body_has_rotation(model, data->def->body_b));
    return false;
}

// Friction in all joints that have it: under a stated load, or by bristles under the load of
// reactions.
static inline void add_friction(tn_model *model, tn_force_kind kind)
{
    for (int k = 0; k < model->joints.count; k++) {
        if (!can_rub(model, k))
            continue;
        tn_force_def def = tn_default_force(kind);
        def.joint = (tn_joint){k};
        def.friction.coulomb = 0.3;
        def.friction.stiction = 0.5;
        def.friction.stribeck = 0.7;
        def.friction.viscous = 0.2;
        def.friction.radius = 0.6;
        def.friction.load = 1.7;
        def.friction.load_given = kind == TN_FORCE_FRICTION;
        def.friction.speed = 0.4;
        def.friction.stiffness = 3.0;
        def.friction.damping = 0.3;
        tn_model_add_force(model, &def);
    }
    CHECK_OK(tn_model_status(model));
}

// Without the ground: nothing acts from outside, so momentum and spin are conserved.
static inline tn_model *floating_workshop(void)
{
    tn_model *model = tn_model_create();
    const tn_body a = random_body(model, TN_BODY_RIGID), b = random_body(model, TN_BODY_RIGID);
    const tn_body p = random_body(model, TN_BODY_POINT), q = random_body(model, TN_BODY_POINT);
    every_joint(model, a, b);
    every_joint(model, a, p);
    every_joint(model, p, q);
    random_pair_forces(model, a, b);
    random_pair_forces(model, p, b);
    random_pair_forces(model, p, q);
    CHECK_OK(tn_model_status(model));
    return model;
}

static inline tn_model *spatial_workshop(void)
{
    tn_model *model = floating_workshop();
    const tn_body a = {1}, b = {2}, p = {3};
    const tn_body flat = random_body(model, TN_BODY_PLANAR);
    const tn_body dot = random_body(model, TN_BODY_POINT_2D);
    tn_model_set_gravity(model, tn_v3(1.0, -2.0, -9.81));
    every_joint(model, TN_GROUND, a);
    every_joint(model, b, TN_GROUND);
    every_joint(model, a, flat);
    every_joint(model, flat, p);
    every_joint(model, a, dot);
    random_pose_drive(model, a);
    random_pose_drive(model, p);
    random_pair_forces(model, TN_GROUND, a);
    random_law(model, TN_FORCE_FRAME_LAW, a,
               b); // without a mean: directors keep moments to order 2
    random_pair_forces(model, flat, b);
    random_pair_forces(model, a, dot);
    random_point_force(model, a, true);
    random_point_force(model, b, false);
    random_point_force(model, p, false);
    CHECK_OK(tn_model_status(model));
    return model;
}

static inline tn_model *planar_workshop(bool grounded)
{
    tn_model *model = tn_model_create();
    const tn_body a = random_body(model, TN_BODY_PLANAR), b = random_body(model, TN_BODY_PLANAR);
    const tn_body p = random_body(model, TN_BODY_POINT_2D);
    const tn_body q = random_body(model, TN_BODY_POINT_2D);
    every_joint(model, a, b);
    every_joint(model, a, p);
    every_joint(model, p, q);
    random_pair_forces(model, a, b);
    random_pair_forces(model, a, p);
    random_pair_forces(model, p, q);
    if (grounded) {
        tn_model_set_gravity(model, tn_v3(1.0, -9.81, 0.0));
        every_joint(model, TN_GROUND, a);
        every_joint(model, TN_GROUND, p);
        random_pose_drive(model, b);
        random_pose_drive(model, q);
        random_point_force(model, a, true);
        random_point_force(model, p, false);
    }
    CHECK_OK(tn_model_status(model));
    return model;
}
