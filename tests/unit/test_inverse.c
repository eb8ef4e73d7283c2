// SPDX-License-Identifier: MIT
//
// Inverse dynamics against closed forms, against the recursions of trees, and against itself: power
// and least norm. What cannot be done is refused with time and name.

#include "analysis/inverse_parts.h"
#include "linalg/dense.h"
#include "model/model.h"
#include "tenon/tenon.h"
#include "test.h"
#include "tree/tree.h"

static const double ROUNDOFF = 1e-11; // some hundred operations on numbers of size ten

// A two-link arm in the plane -------------------------------------------------------------------

typedef struct link {
    double length, com, mass, inertia; // com from the joint; inertia about the centre of mass
} link;

static const link upper = {1.0, 0.45, 3.0, 0.3}, lower = {0.8, 0.35, 2.0, 0.12};
static const double GRAVITY = 9.81;
static const char *const shoulder_motion = "0.4 + 0.7*sin(2*t)";
static const char *const elbow_motion = "-0.9 + 0.5*cos(3*t)";

static tn_joint add_link(tn_model *model, const char *name, const char *joint, tn_body below,
                         double at, double start, const link *l)
{
    tn_body_def body = tn_default_body();
    tn_joint_def pin = tn_default_joint(TN_JOINT_PLANAR_REVOLUTE);
    body.name = name;
    body.kind = TN_BODY_PLANAR;
    body.mass = l->mass;
    body.inertia.z = l->inertia;
    body.com.x = l->com;
    body.frame.p.x = start;
    pin.name = joint;
    pin.body_a = below;
    pin.body_b = tn_model_add_body(model, &body);
    pin.frame_a.p.x = at;
    return tn_model_add_joint(model, &pin);
}

static tn_model *arm(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -GRAVITY, 0.0));
    add_link(model, "upper", "shoulder", TN_GROUND, 0.0, 0.0, &upper);
    add_link(model, "lower", "elbow", tn_model_find_body(model, "upper"), upper.length,
             upper.length, &lower);
    return model;
}

static tn_motion motion_of(tn_model *model, const char *joint, const char *expression)
{
    return (tn_motion){.joint = tn_model_find_joint(model, joint), .motion.expression = expression};
}

static tn_motor motor_at(tn_model *model, const char *joint)
{
    return (tn_motor){.joint = tn_model_find_joint(model, joint), .force = {-1}};
}

static void arm_motion(double t, double q[2], double v[2], double a[2])
{
    q[0] = 0.4 + 0.7 * sin(2.0 * t);
    v[0] = 1.4 * cos(2.0 * t);
    a[0] = -2.8 * sin(2.0 * t);
    q[1] = -0.9 + 0.5 * cos(3.0 * t);
    v[1] = -1.5 * sin(3.0 * t);
    a[1] = -4.5 * cos(3.0 * t);
}

// Lagrange's equations of the arm, q_2 relative to the upper link.
static void arm_torques(double t, double tau[2])
{
    double q[2], v[2], a[2];
    arm_motion(t, q, v, a);
    const double m1 = upper.mass, m2 = lower.mass, l = upper.length, a1 = upper.com, a2 = lower.com;
    const double cross = m2 * l * a2, c = cross * cos(q[1]), s = cross * sin(q[1]);
    const double M22 = lower.inertia + m2 * a2 * a2, M12 = M22 + c;
    const double M11 = upper.inertia + m1 * a1 * a1 + m2 * l * l + M22 + 2.0 * c;
    const double G2 = m2 * a2 * GRAVITY * cos(q[0] + q[1]);
    const double G1 = (m1 * a1 + m2 * l) * GRAVITY * cos(q[0]) + G2;
    tau[0] = M11 * a[0] + M12 * a[1] - s * (2.0 * v[0] + v[1]) * v[1] + G1;
    tau[1] = M12 * a[0] + M22 * a[1] + s * v[0] * v[0] + G2;
}

static void check_arm(tn_inverse *inverse, tn_model *model)
{
    for (int k = 0; k <= 40; k++) {
        const double t = 0.1 * k;
        double q[2], v[2], a[2], tau[2];
        CHECK_OK(tn_inverse_move(inverse, t));
        CHECK_NEAR(tn_inverse_time(inverse), t, 0.0);
        arm_motion(t, q, v, a);
        arm_torques(t, tau);
        for (int i = 0; i < 2; i++) {
            const tn_joint joint = tn_model_find_joint(model, i == 0 ? "shoulder" : "elbow");
            const tn_motor_state now = tn_inverse_motor(inverse, i);
            double c, rate, acceleration;
            CHECK(tn_inverse_joint_coordinates(inverse, joint, &c, &rate, &acceleration) == 1);
            CHECK_NEAR(c, q[i], ROUNDOFF);
            CHECK_NEAR(rate, v[i], ROUNDOFF);
            CHECK_NEAR(acceleration, a[i], ROUNDOFF);
            CHECK_NEAR(now.effort, tau[i], 10.0 * ROUNDOFF);
            CHECK_NEAR(now.rate, v[i], ROUNDOFF);
            CHECK_NEAR(now.power, tau[i] * v[i], 100.0 * ROUNDOFF);
        }
        CHECK(!tn_inverse_is_least_norm(inverse));
    }
}

static void two_link_arm_takes_the_torques_of_its_closed_form(void)
{
    tn_model *model = arm();
    const tn_motion motions[] = {motion_of(model, "shoulder", shoulder_motion),
                                 motion_of(model, "elbow", elbow_motion)};
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    options.nmotion = 2;
    options.motions = motions;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    CHECK(tn_inverse_motor_count(inverse) == 2 && tn_inverse_freedoms(inverse) == 2);
    CHECK_TEXT(tn_inverse_motor_name(inverse, 0), "shoulder.angle");
    CHECK_TEXT(tn_inverse_motor_unit(inverse, 1), "N m");
    check_arm(inverse, model);
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

static void add_drive(tn_model *model, const char *name, const char *joint, const char *motion)
{
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    drive.name = name;
    drive.drive.joint = tn_model_find_joint(model, joint);
    drive.drive.motion.expression = motion;
    tn_model_add_joint(model, &drive);
}

static void drives_of_the_model_are_motors(void)
{
    tn_model *model = arm();
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    add_drive(model, "lift", "shoulder", shoulder_motion);
    add_drive(model, "bend", "elbow", elbow_motion);
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    CHECK_TEXT(tn_inverse_motor_name(inverse, 0), "lift");
    CHECK_TEXT(tn_inverse_motor_name(inverse, 1), "bend");
    check_arm(inverse, model);
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

// The effort that the model states for a motor is left out where it is to be found.
// A motor that is to be found acts with none of the effort that the model states for it, be it a
// function of time or of the state.
static void a_motor_of_the_model_is_found_and_others_act(void)
{
    static const char *const efforts[] = {"5 + t", "5 + t + 2*shoulder.angle - elbow.angle.rate"};
    for (int i = 0; i < TN_COUNT(efforts); i++) {
        tn_model *model = arm();
        const tn_motion motions[] = {motion_of(model, "shoulder", shoulder_motion),
                                     motion_of(model, "elbow", elbow_motion)};
        tn_force_def force = tn_default_force(TN_FORCE_MOTOR);
        tn_motor motors[2] = {motor_at(model, "shoulder"), {.force = {0}}};
        tn_inverse_options options = tn_default_inverse();
        tn_inverse *inverse = NULL;
        double tau[2], given = 7.0;
        force.name = "servo";
        force.joint = tn_model_find_joint(model, "elbow");
        force.motor.effort.expression = efforts[i];
        tn_model_add_force(model, &force);
        options.nmotion = options.nmotor = 2;
        options.motions = motions;
        options.motors = motors;
        CHECK_OK(tn_inverse_create(model, &options, &inverse));
        CHECK_TEXT(tn_inverse_motor_name(inverse, 1), "servo");
        check_arm(inverse, model);
        CHECK_NEAR(tn_inverse_energies(inverse).supplied, 0.0, ROUNDOFF);
        tn_inverse_destroy(inverse);

        motors[1] = motor_at(model, "elbow");
        CHECK_OK(tn_inverse_create(model, &options, &inverse));
        CHECK_OK(tn_inverse_move(inverse, 2.0));
        arm_torques(2.0, tau);
        if (i > 0) {
            double angle, rate;
            tn_inverse_joint_coordinates(inverse, motions[0].joint, &angle, NULL, NULL);
            tn_inverse_joint_coordinates(inverse, motions[1].joint, NULL, &rate, NULL);
            given += 2.0 * angle - rate;
        }
        CHECK_NEAR(tn_inverse_motor(inverse, 1).effort, tau[1] - given, 10.0 * ROUNDOFF);
        tn_inverse_destroy(inverse);
        tn_model_destroy(model);
    }
}

// The begin of a motion may be turns away from where the model starts.
static void motions_may_begin_elsewhere_and_count_turns(void)
{
    tn_model *model = arm();
    const tn_motion motions[] = {motion_of(model, "shoulder", "7 + 30*t"),
                                 motion_of(model, "elbow", "-2*t")};
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    double angle;
    options.nmotion = 2;
    options.motions = motions;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    tn_inverse_joint_coordinates(inverse, motions[0].joint, &angle, NULL, NULL);
    CHECK_NEAR(angle, 7.0, ROUNDOFF);
    CHECK_OK(tn_inverse_move(inverse, 1.0)); // five turns without a stop on the way
    tn_inverse_joint_coordinates(inverse, motions[0].joint, &angle, NULL, NULL);
    CHECK_NEAR(angle, 37.0, ROUNDOFF);
    CHECK_OK(tn_inverse_move(inverse, 0.0)); // and back
    tn_inverse_joint_coordinates(inverse, motions[0].joint, &angle, NULL, NULL);
    CHECK_NEAR(angle, 7.0, ROUNDOFF);
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

// Trees against the recursions -----------------------------------------------------------------

enum { LIMBS = 4, SEGMENTS = 4 };

static tn_body add_segment(tn_model *model, tn_body below, int k, tn_joint_kind kind)
{
    tn_body_def body = tn_default_body();
    tn_joint_def joint = tn_default_joint(kind);
    tn_frame at = {tn_m3_mul(tn_m3_rot_x(0.7 * k), tn_m3_rot_y(1.1 * k)), {0.1, 0.05 * k, -0.2}};
    body.kind = TN_BODY_RIGID;
    body.mass = 1.0 + 0.1 * k;
    body.inertia = tn_v3(0.02, 0.03, 0.025);
    body.com = tn_v3(0.02, 0.01 * (k % 3), -0.15);
    body.frame = tn_frame_mul(
        below.index > 0 ? model->bodies.at[below.index].def.frame : tn_frame_identity, at);
    joint.body_a = below;
    joint.body_b = tn_model_add_body(model, &body);
    joint.frame_a = at;
    tn_model_add_joint(model, &joint);
    return joint.body_b;
}

// A trunk that is moved by its pose, with limbs of hinges, slides and universal joints.
static tn_model *walker(void)
{
    static const tn_joint_kind kinds[SEGMENTS] = {TN_JOINT_UNIVERSAL, TN_JOINT_REVOLUTE,
                                                  TN_JOINT_PRISMATIC, TN_JOINT_REVOLUTE};
    tn_model *model = tn_model_create();
    tn_body_def trunk = tn_default_body();
    tn_joint_def pose = tn_default_joint(TN_JOINT_POSE_DRIVE);
    tn_model_set_gravity(model, tn_v3(0.5, -1.0, -9.81));
    trunk.name = "trunk";
    trunk.mass = 20.0;
    trunk.inertia = tn_v3(1.0, 0.8, 0.4);
    pose.name = "pose";
    pose.body_b = tn_model_add_body(model, &trunk);
    for (int l = 0; l < LIMBS; l++) {
        tn_body below = pose.body_b;
        for (int k = 0; k < SEGMENTS; k++)
            below = add_segment(model, below, 1 + l + k, kinds[k]);
    }
    pose.pose.x.expression = "0.3*sin(t)";
    pose.pose.z.expression = "0.1*cos(4*t) - 0.1";
    pose.pose.roll.expression = "0.2*sin(3*t)";
    pose.pose.pitch.expression = "0.3*sin(2*t)";
    pose.pose.yaw.expression = "0.5*t";
    tn_model_add_joint(model, &pose);
    CHECK_OK(tn_model_status(model));
    return model;
}

static int all_coordinates(tn_model *model, tn_motion *motions, char text[][48])
{
    int n = 0;
    for (int j = 0; j < tn_model_joint_count(model); j++)
        for (int i = 0; i < tn_model_joint_coordinate_count(model, (tn_joint){j}); i++, n++) {
            snprintf(text[n], sizeof text[n], "%g*sin(%g*t)", 0.4 - 0.01 * n, 1.0 + 0.1 * n);
            motions[n] = (tn_motion){{j}, i, {.expression = text[n]}};
        }
    return n;
}

// v' in the coordinates of the tree: those of joints, and of the free trunk those of `absolute`.
static void to_tree(tn_inverse *inverse, const tn_tree *tree, double *q, double *v, double *a)
{
    const tn_state *x = &inverse->start.x;
    for (int k = 1; k < tree->n; k++) {
        const tn_tree_body *b = &tree->body[k];
        if (b->joint >= 0) {
            tn_inverse_joint_coordinates(inverse, (tn_joint){b->joint}, q + b->q0, v + b->v0,
                                         a + b->v0);
            continue;
        }
        tn_copy(7, x->q, q + b->q0); // the trunk is the first body
        tn_copy(6, x->v, v + b->v0);
        tn_copy(6, x->a, a + b->v0);
        tn_scale(3, inverse->model->units.length, q + b->q0);
        tn_scale(3, inverse->model->units.length, v + b->v0);
        tn_scale(3, inverse->model->units.length, a + b->v0);
    }
}

static void trees_take_the_forces_of_the_recursions(void)
{
    enum { MOST = 64 };
    static char text[MOST][48];
    tn_motion motions[MOST];
    double q[MOST + 1], v[MOST], a[MOST], r[MOST];
    tn_model *model = walker();
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    tn_tree *tree = NULL;
    options.nmotion = all_coordinates(model, motions, text);
    options.motions = motions;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    CHECK_OK(tn_tree_create(model, &tree));
    CHECK(tn_inverse_freedoms(inverse) == 6 + LIMBS * (SEGMENTS + 1));
    CHECK(tree->nv == tn_inverse_freedoms(inverse));
    for (int step = 0; step <= 20; step++) {
        int motor = 6;
        CHECK_OK(tn_inverse_move(inverse, 0.1 * step));
        to_tree(inverse, tree, q, v, a);
        tn_tree_move(tree, q, v);
        tn_tree_residual(tree, NULL, a, r);
        for (int j = 0; j < tn_model_joint_count(model); j++)
            for (int k = 1; k < tree->n; k++)
                for (int i = 0; tree->body[k].joint == j && i < tree->body[k].nv; i++, motor++)
                    CHECK_NEAR(tn_inverse_motor(inverse, motor).effort, r[tree->body[k].v0 + i],
                               1e-9);
        // Efforts of the pose: forces along the axes of the world, then torques about z, y and x of
        // the trunk.
        const double *trunk = r + tree->body[tree->place[1]].v0;
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(tn_inverse_motor(inverse, i).effort, trunk[i], 1e-9);
            CHECK_NEAR(tn_inverse_motor(inverse, 3 + i).effort, trunk[5 - i], 1e-9);
        }
    }
    tn_tree_destroy(tree);
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

// A four-bar -----------------------------------------------------------------------------------

static const char *const crank_motion = "1 + 3*t + 0.4*sin(2*t)";

static tn_model *load(const char *path)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    for (int j = 0; j < model->joints.count; j++)
        model->joints.at[j].def->nrate = 0; // given by the motion here
    return model;
}

static tn_inverse *four_bar_in(tn_model *model, const char *rotation, const char *first,
                               const char *second)
{
    const tn_motion motion = motion_of(model, "A", crank_motion);
    tn_motor motors[2];
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    options.nmotion = 1;
    options.motions = &motion;
    if (first)
        motors[options.nmotor++] = motor_at(model, first);
    if (second)
        motors[options.nmotor++] = motor_at(model, second);
    options.motors = motors;
    options.start.rotation = rotation;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    return inverse;
}

static tn_inverse *four_bar(tn_model *model, const char *first, const char *second)
{
    return four_bar_in(model, "auto", first, second);
}

// By hand: with one freedom any motor does the same work, tau_D w_D = tau_A w_A; of two that share
// it, (tau_A, tau_D) = tau (1, k) / (1 + k^2), k = w_D / w_A, is the shortest.
static void four_bar_with_other_motors_agrees_with_the_hand_calculation(void)
{
    tn_model *model = load("models/fourbar.yaml");
    tn_inverse *crank = four_bar(model, NULL, NULL), *rocker = four_bar(model, "D", NULL);
    tn_inverse *both = four_bar(model, "A", "D");
    double turned = 0.0;
    for (int n = 1; n <= 200; n++) {
        const double t = 0.02 * n;
        CHECK_OK(tn_inverse_move(crank, t));
        CHECK_OK(tn_inverse_move(both, t));
        CHECK_OK(tn_inverse_move(rocker, t));
        const tn_motor_state one = tn_inverse_motor(crank, 0), D = tn_inverse_motor(rocker, 0);
        const double k = D.rate / one.rate, scale = 1.0 + fabs(one.effort);
        CHECK_NEAR(D.power, one.power, 1e-9 * scale);
        CHECK_NEAR(tn_inverse_motor(both, 0).effort, one.effort / (1.0 + k * k), 1e-10 * scale);
        CHECK_NEAR(tn_inverse_motor(both, 1).effort, k * one.effort / (1.0 + k * k), 1e-10 * scale);
        CHECK(tn_inverse_is_least_norm(both) && !tn_inverse_is_least_norm(rocker));
        turned = fmax(turned, fabs(D.rate));
    }
    CHECK(turned > 1.0);
    tn_inverse_destroy(crank);
    tn_inverse_destroy(rocker);
    tn_inverse_destroy(both);
    tn_model_destroy(model);
}

// In space three rows of the loop repeat others; in the plane none does. In se3 velocities are
// those of the bodies' own axes.
static void check_in_space(const char *rotation)
{
    tn_model *flat = load("models/fourbar.yaml"), *spatial = load("models/fourbar_spatial.yaml");
    tn_inverse *a = four_bar(flat, NULL, NULL), *b = four_bar_in(spatial, rotation, NULL, NULL);
    for (int n = 0; n <= 50; n++) {
        CHECK_OK(tn_inverse_move(a, 0.05 * n));
        CHECK_OK(tn_inverse_move(b, 0.05 * n));
        CHECK_NEAR(tn_inverse_motor(a, 0).effort, tn_inverse_motor(b, 0).effort, 1e-9);
        for (int j = 0; j < 4; j++) {
            const tn_vec3 p = tn_inverse_joint_reaction(a, (tn_joint){j}).f;
            const tn_vec3 q = tn_inverse_joint_reaction(b, (tn_joint){j}).f;
            CHECK_NEAR(p.x, q.x, 1e-9);
            CHECK_NEAR(p.y, q.y, 1e-9);
        }
    }
    tn_inverse_destroy(a);
    tn_inverse_destroy(b);
    tn_model_destroy(flat);
    tn_model_destroy(spatial);
}

static void repeated_rows_do_not_change_the_motor(void)
{
    check_in_space("so3");
    check_in_space("se3");
}

// Power of motors and other sources, less heat, is the rate of the energy: by central differences,
// error h^2 / 6 times the third derivative of the energy, here 1e4 W/s^2.
static void power_is_the_rate_of_energy(void)
{
    static const double h = 1e-5;
    tn_model *model = load("models/slider_crank.yaml");
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    double heat = 0.0;
    for (int n = 1; n < 40; n++) {
        double energy[2];
        for (int k = 0; k < 2; k++) {
            CHECK_OK(tn_inverse_move(inverse, 0.05 * n + (k == 0 ? -h : h)));
            const tn_inverse_energy e = tn_inverse_energies(inverse);
            energy[k] = e.kinetic + e.potential;
        }
        CHECK_OK(tn_inverse_move(inverse, 0.05 * n));
        const tn_inverse_energy e = tn_inverse_energies(inverse);
        CHECK_NEAR(e.motors + e.supplied - e.dissipated, (energy[1] - energy[0]) / (2.0 * h), 1e-6);
        CHECK_NEAR(e.motors, tn_inverse_motor(inverse, 0).power, 0.0);
        heat += e.dissipated;
    }
    CHECK(heat > 1.0);
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

// More motions than freedoms that agree: all are met.
static void motions_that_agree_may_be_more_than_the_freedoms(void)
{
    enum { N = 400 };
    static double t[N + 1], u[4][N + 1];
    tn_model *model = load("models/fourbar.yaml");
    tn_inverse *one = four_bar(model, NULL, NULL), *all = NULL;
    tn_motion motions[4];
    tn_motor motor = motor_at(model, "A");
    tn_inverse_options options = tn_default_inverse();
    for (int n = 0; n <= N; n++) {
        t[n] = 0.005 * n;
        CHECK_OK(tn_inverse_move(one, t[n]));
        for (int j = 0; j < 4; j++)
            tn_inverse_joint_coordinates(one, (tn_joint){j}, &u[j][n], NULL, NULL);
    }
    for (int j = 0; j < 4; j++)
        motions[j] = (tn_motion){{j}, 0, {.n = N + 1, .t = t, .u = u[j]}};
    options.nmotion = 4;
    options.motions = motions;
    options.nmotor = 1;
    options.motors = &motor;
    CHECK_OK(tn_inverse_create(model, &options, &all));
    for (int n = 40; n <= N - 40; n += 7) { // the ends of natural splines have no curvature
        CHECK_OK(tn_inverse_move(all, t[n] + 0.002));
        CHECK_OK(tn_inverse_move(one, t[n] + 0.002));
        // Curvatures are off by d^2 u''''/12, d = 5 ms: 2e-4 rad/s^2 for u'''' = 100 rad/s^4,
        // and the inertia at the crank is below 0.3 kg m^2.
        CHECK_NEAR(tn_inverse_missed(all), 0.0, 1e-8);
        CHECK_NEAR(tn_inverse_motor(all, 0).effort, tn_inverse_motor(one, 0).effort, 1e-3);
    }
    tn_inverse_destroy(all);
    tn_inverse_destroy(one);
    tn_model_destroy(model);
}

// A sled on a blade goes round a circle of radius R, at the angle t^2/2: the blade takes all forces
// across it, and the motors along x and y share what is along it. Rows of velocities hold no
// position: motions state all of it, and must keep to the rows.
static void rows_of_velocities_push_and_hold_no_position(void)
{
    static const double R = 1.5, m = 2.0, J = 0.3;
    static const char *const yaw[] = {"t^2/2", "0.3*t^2"};
    for (int k = 0; k < 2; k++) {
        char text[500];
        tn_model *model = NULL;
        tn_inverse *s = NULL;
        tn_inverse_options options = tn_default_inverse();
        snprintf(text, sizeof text,
                 "{tenon: 1, bodies: {s: {kind: planar, mass: 2, inertia: 0.3}},\n"
                 " joints: {edge: {kind: knife-edge, body: s}, d: {kind: pose-drive, body: s,\n"
                 "  x: 1.5*sin(t^2/2), y: 1.5*(1 - cos(t^2/2)), yaw: %s}}}",
                 yaw[k]);
        CHECK_OK(tn_model_parse(text, "sled", &model, NULL));
        CHECK_OK(tn_inverse_create(model, &options, &s));
        CHECK(tn_inverse_freedoms(s) == 2);
        for (double t = 0.5; t < 1.6 && k == 0; t += 0.5) {
            CHECK_OK(tn_inverse_move(s, t));
            const double wanted[] = {m * R * cos(0.5 * t * t), m * R * sin(0.5 * t * t), J};
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(tn_inverse_motor(s, i).effort, wanted[i], 1e-10);
        }
        if (k == 1) {
            CHECK(tn_inverse_move(s, 1.0) == TN_ERR_NUMERIC);
            CHECK(strstr(tn_last_error(), "the motions miss joint 'edge'"));
        }
        tn_inverse_destroy(s);
        tn_model_destroy(model);
    }
}

// An eccentric body that turns at w about a pin with friction of the radius r: the motor holds its
// weight and the friction under the reaction N, whose direction turns with the body.
static void friction_is_that_of_the_reaction_at_any_time(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {a: {kind: planar, mass: 2, inertia: 0.3, com: [0.4, 0]}}\n"
        "joints:\n"
        "  A: {kind: revolute, body: a, at: [0, 0]}\n"
        "  D: {kind: drive, joint: A, motion: \"5*t\"}\n"
        "forces: {rub: {kind: friction, joint: A, coulomb: 0.5, radius: 0.2, speed: 1e-6}}\n";
    const double m = 2.0, e = 0.4, w = 5.0, g = 9.81;
    const tn_inverse_options options = tn_default_inverse();
    tn_model *model = NULL;
    tn_inverse *inverse = NULL;
    CHECK_OK(tn_model_parse(text, "rub", &model, NULL));
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    for (double t = 0.0; t < 3.0; t += 0.5) {
        CHECK_OK(tn_inverse_move(inverse, t));
        const double N = hypot(m * e * w * w * cos(w * t), m * g - m * e * w * w * sin(w * t));
        const double expected = m * g * e * cos(w * t) + 0.5 * 0.2 * N;
        // 1e-12 of the force for the rounding of friction at rest, (speed / (r w))^2 / 2.
        CHECK_NEAR(tn_inverse_motor(inverse, 0).effort, expected, 1e-10);
    }
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

// What is refused ------------------------------------------------------------------------------

static void refuses(tn_model *model, const tn_inverse_options *options, tn_status code, double t,
                    const char *message)
{
    tn_inverse *inverse = NULL;
    tn_status status = tn_inverse_create(model, options, &inverse);
    if (status == TN_OK)
        status = tn_inverse_move(inverse, t);
    CHECK(status == code);
    CHECK_TEXT(tn_last_error(), message);
    tn_inverse_destroy(inverse);
}

static void freedoms_that_nothing_drives_are_named(void)
{
    tn_model *model = arm();
    const tn_motion motion = motion_of(model, "shoulder", "t");
    tn_inverse_options options = tn_default_inverse();
    options.nmotion = 1;
    options.motions = &motion;
    refuses(model, &options, TN_ERR_MODEL, 1.0,
            "the mechanism has 2 freedoms, of which 1 is driven: joint 'elbow', angle, moves while "
            "all that is driven stands still; give it a drive, a pose-drive or a motion");
    const tn_motion twice[] = {motion, motion};
    options.nmotion = 2;
    options.motions = twice;
    refuses(model, &options, TN_ERR_USAGE, 1.0,
            "joint 'shoulder', angle is driven twice; leave out one of its motions or its drive in "
            "the model");
    tn_model_destroy(model);
}

static void memories_are_refused(void)
{
    static const char text[] = "tenon: 1\n"
                               "bodies: {a: {kind: planar, mass: 2, inertia: 0.3}}\n"
                               "joints:\n"
                               "  A: {kind: revolute, body: a, at: [0, 0]}\n"
                               "  D: {kind: drive, joint: A, motion: \"5*t\"}\n"
                               "signals: {h: \"hysteresis(sin(A.angle), -0.5, 0.5, 0)\"}\n"
                               "forces: {f: {kind: motor, joint: A, effort: h}}\n";
    const tn_inverse_options options = tn_default_inverse();
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "relay", &model, NULL));
    refuses(model, &options, TN_ERR_MODEL, 1.0,
            "relay:6:14: signal 'h': inverse dynamics does not follow hysteresis along the motion; "
            "leave out what uses it, or run the model with drives");
    tn_model_destroy(model);
}

static void forces_that_no_motor_can_give_are_named(void)
{
    tn_model *model = arm();
    const tn_motion motions[] = {motion_of(model, "shoulder", "0*t"),
                                 motion_of(model, "elbow", "0*t")};
    const tn_motor motors[] = {motor_at(model, "shoulder"), motor_at(model, "shoulder")};
    tn_inverse_options options = tn_default_inverse();
    options.nmotion = 2;
    options.motions = motions;
    options.nmotor = 1;
    options.motors = motors;
    refuses(model, &options, TN_ERR_NUMERIC, 1.0,
            "at t = 0 s no motor can give the force that the motion needs: joint 'elbow', angle, "
            "moves while all motors stand still, and 6.867 N or N m are missing along it; put a "
            "motor there");
    options.nmotor = 2;
    refuses(model, &options, TN_ERR_USAGE, 1.0,
            "motors 'shoulder.angle' and 'shoulder.angle' act on the same coordinate; name one");
    tn_model_destroy(model);
}

static void motions_that_cannot_be_followed_are_refused(void)
{
    tn_model *model = load("models/fourbar.yaml");
    tn_motion motions[] = {motion_of(model, "D", "t"), motion_of(model, "A", "-2*t")};
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    double before, angle = 0.0;
    // The rocker turns back before half a turn; where it does crank and coupler are in line.
    options.nmotion = 1;
    options.motions = motions;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    CHECK_STATUS(tn_inverse_move(inverse, 3.0), TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "the motion cannot be followed beyond t = ") != NULL);
    CHECK(strstr(tn_last_error(), "at this dead centre joint '") != NULL);
    const tn_vec3 A = tn_inverse_body_frame(inverse, (tn_body){1}).p;
    const tn_vec3 coupler = tn_inverse_body_frame(inverse, (tn_body){2}).p;
    CHECK_NEAR(tn_v3_norm(tn_v3_cross(A, coupler)), 0.0, 1e-4); // in line with the pin at 0
    tn_inverse_destroy(inverse);
    // Two motions that do not fit together.
    options.nmotion = 2;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    CHECK_STATUS(tn_inverse_move(inverse, 0.1), TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "the motions contradict each other: there are 2 for 1 freedom, "
                                  "and the one of joint 'D', angle is missed by ") != NULL);
    tn_inverse_destroy(inverse);
    // A motion that jumps.
    motions[0] = motion_of(model, "A", "(t < 0.5 ? 0 : 2.5)");
    options.nmotion = 1;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    CHECK_STATUS(tn_inverse_move(inverse, 1.0), TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "a motion must not jump") != NULL);
    CHECK_NEAR(tn_inverse_time(inverse), 0.5, 1e-9);
    // It stays where it was and goes on from there.
    tn_inverse_joint_coordinates(inverse, motions[0].joint, &before, NULL, NULL);
    CHECK_OK(tn_inverse_move(inverse, 0.4));
    tn_inverse_joint_coordinates(inverse, motions[0].joint, &angle, NULL, NULL);
    CHECK_NEAR(angle, before, ROUNDOFF);
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

// Two coupled four-bars lie flat after a quarter turn, where they may move on in several ways.
static void singular_positions_are_refused_where_they_are_met(void)
{
    tn_model *model = load("models/fourbars_flat.yaml");
    const tn_motion motion = motion_of(model, "A0", "-pi/2*t");
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    options.nmotion = 1;
    options.motions = &motion;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    CHECK_STATUS(tn_inverse_move(inverse, 1.0), TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "the motion comes to a singular position at t = ") != NULL);
    CHECK(strstr(tn_last_error(), "depend on each other: joint 'B") != NULL);
    CHECK_NEAR(tn_inverse_time(inverse), 1.0, 1e-4);
    tn_inverse_destroy(inverse);

    // Passed at a distance the links stay parallel: all rods turn alike.
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    for (int k = 1; k <= 40; k++) {
        double angle[2];
        CHECK_OK(tn_inverse_move(inverse, 0.0487 * k));
        tn_inverse_joint_coordinates(inverse, motion.joint, &angle[0], NULL, NULL);
        tn_inverse_joint_coordinates(inverse, tn_model_find_joint(model, "A2"), &angle[1], NULL,
                                     NULL);
        CHECK_NEAR(angle[0], angle[1], 1e-9);
    }
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

// Memory ---------------------------------------------------------------------------------------

static void moving_allocates_nothing(void)
{
    tn_model *model = load("models/fourbar.yaml");
    tn_inverse *inverse = four_bar(model, "A", "D");
    const long before = tn_test_alloc_count();
    for (int n = 0; n <= 100; n++)
        CHECK_OK(tn_inverse_move(inverse, 0.01 * n));
    CHECK(tn_test_alloc_count() == before);
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

static void failed_allocations_leave_nothing(void)
{
    tn_model *model = arm();
    const tn_motion motions[] = {motion_of(model, "shoulder", shoulder_motion),
                                 motion_of(model, "elbow", elbow_motion)};
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    options.nmotion = 2;
    options.motions = motions;
    const long live = tn_test_alloc_live();
    for (long n = 1;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status status = tn_inverse_create(model, &options, &inverse);
        if (!tn_test_alloc_failed())
            break;
        CHECK(status == TN_ERR_MEMORY && !inverse);
        CHECK(tn_test_alloc_live() == live);
    }
    tn_test_alloc_fail_at(0);
    tn_inverse_destroy(inverse);
    CHECK(tn_test_alloc_live() == live);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a two-link arm takes the torques of its closed form",
     two_link_arm_takes_the_torques_of_its_closed_form},
    {"drives of the model are motors", drives_of_the_model_are_motors},
    {"a motor of the model is found and others act", a_motor_of_the_model_is_found_and_others_act},
    {"motions may begin elsewhere and count turns", motions_may_begin_elsewhere_and_count_turns},
    {"trees take the forces of the recursions", trees_take_the_forces_of_the_recursions},
    {"a four-bar with other motors agrees with the hand calculation",
     four_bar_with_other_motors_agrees_with_the_hand_calculation},
    {"repeated rows do not change the motor", repeated_rows_do_not_change_the_motor},
    {"power is the rate of energy", power_is_the_rate_of_energy},
    {"motions that agree may be more than the freedoms",
     motions_that_agree_may_be_more_than_the_freedoms},
    {"friction is that of the reaction at any time", friction_is_that_of_the_reaction_at_any_time},
    {"memories are refused", memories_are_refused},
    {"freedoms that nothing drives are named", freedoms_that_nothing_drives_are_named},
    {"forces that no motor can give are named", forces_that_no_motor_can_give_are_named},
    {"rows of velocities push and hold no position", rows_of_velocities_push_and_hold_no_position},
    {"motions that cannot be followed are refused", motions_that_cannot_be_followed_are_refused},
    {"singular positions are refused where they are met",
     singular_positions_are_refused_where_they_are_met},
    {"moving allocates nothing", moving_allocates_nothing},
    {"failed allocations leave nothing", failed_allocations_leave_nothing},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
