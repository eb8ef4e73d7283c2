// SPDX-License-Identifier: MIT
//
// What absolute coordinates tell a user: bodies in their own frames, reactions against hand
// calculation, joint coordinates over several turns, momentum and spin, names.

#include "probe.h"
#include "test.h"
#include "workshop.h"

#include "motion/accel.h"

static const double ROUNDOFF = 1e-12; // sums of some dozen terms of size ten
static const double RATE_TOL = 1e-8;  // first differences of fourth order, see probe.h
// Second differences with the step 1e-3: truncation 1e-6 / 12 times fourth derivatives of size ten,
// round-off 1e-15 / 1e-6.
static const double SECOND_TOL = 1e-5;
static const double SECOND_STEP = 1e-3;

static const tn_rotation rotations[] = {TN_ROTATION_SO3, TN_ROTATION_SE3};

static void check_vec3(tn_vec3 actual, tn_vec3 expected, double tol)
{
    CHECK_NEAR(actual.x, expected.x, tol);
    CHECK_NEAR(actual.y, expected.y, tol);
    CHECK_NEAR(actual.z, expected.z, tol);
}

static void check_mat3(tn_mat3 actual, tn_mat3 expected, double tol)
{
    for (int j = 0; j < 3; j++)
        check_vec3(tn_m3_column(actual, j), tn_m3_column(expected, j), tol);
}

static tn_model *four_bodies(void)
{
    tn_model *model = tn_model_create();
    random_body(model, TN_BODY_RIGID);
    random_body(model, TN_BODY_PLANAR);
    random_body(model, TN_BODY_POINT);
    random_body(model, TN_BODY_POINT_2D);
    CHECK_OK(tn_model_status(model));
    return model;
}

static probe open_model(const tn_model *model, tn_rotation rotation)
{
    tn_system *sys = NULL;
    CHECK_OK(tn_absolute_create(model, rotation, false, &sys));
    probe p = probe_open(sys);
    tn_absolute_start(sys, p.q, p.v, p.r);
    return p;
}

// Bodies ------------------------------------------------------------------------------------------

static void start_values_read_back_as_stated(void)
{
    for (int i = 0; i < TN_COUNT(rotations); i++) {
        tn_model *model = four_bodies();
        probe p = open_model(model, rotations[i]);
        const tn_point at = probe_point(&p);
        for (int k = 1; k < model->bodies.count; k++) {
            const tn_body_kept *def = &model->bodies.at[k].def;
            tn_body_state x;
            tn_absolute_body(p.sys, &at, k, &x);
            check_vec3(x.frame.p, def->frame.p, ROUNDOFF);
            check_mat3(x.frame.R, def->frame.R, ROUNDOFF);
            check_mat3(tn_quat_matrix(x.rotation), def->frame.R, ROUNDOFF);
            check_vec3(x.velocity, def->velocity, ROUNDOFF);
            check_vec3(x.rate, def->rate, ROUNDOFF);
        }
        tn_body_state ground;
        tn_absolute_body(p.sys, &at, 0, &ground);
        check_mat3(ground.frame.R, tn_m3_identity, 0.0);
        check_vec3(ground.velocity, tn_v3(0, 0, 0), 0.0);
        probe_close(&p);
        tn_model_destroy(model);
    }
}

// Velocities are rates of the frames and accelerations their second rates, along a motion.
static void check_motion_of(probe *p, int body)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    tn_body_state x;
    const tn_point here = probe_point(p);
    tn_absolute_body(p->sys, &here, body, &x);
    tn_vec3 velocity = {0}, acceleration = tn_v3_scale(-2.0, x.frame.p), rate_dot = {0};
    tn_mat3 R_dot = tn_m3_zero();
    for (int k = 0; k < 4; k++) {
        tn_body_state y;
        const double scale = weight[k] / (12.0 * PROBE_STEP);
        const tn_point at = probe_moved(p, ALONG_MOTION, 0, at_step[k] * PROBE_STEP);
        tn_absolute_body(p->sys, &at, body, &y);
        velocity = tn_v3_axpy(scale, y.frame.p, velocity);
        R_dot = tn_m3_axpy(scale, y.frame.R, R_dot);
        rate_dot = tn_v3_axpy(scale, y.rate, rate_dot);
    }
    for (int k = 0; k < 2; k++) {
        tn_body_state y;
        const tn_point at = probe_moved(p, ALONG_MOTION, 0, at_step[k] * SECOND_STEP);
        tn_absolute_body(p->sys, &at, body, &y);
        acceleration = tn_v3_add(acceleration, y.frame.p);
    }
    check_vec3(x.velocity, velocity, RATE_TOL);
    check_mat3(tn_m3_mul(x.frame.R, tn_m3_skew(x.rate)), R_dot, RATE_TOL);
    check_vec3(x.rate_dot, rate_dot, RATE_TOL);
    const double second = 1.0 / (SECOND_STEP * SECOND_STEP);
    check_vec3(x.acceleration, tn_v3_scale(second, acceleration), SECOND_TOL);
}

static void velocities_and_accelerations_are_rates(void)
{
    for (int i = 0; i < TN_COUNT(rotations); i++) {
        tn_model *model = four_bodies();
        probe p = open_model(model, rotations[i]);
        probe_randomize(&p, 1.0);
        for (int k = 1; k < model->bodies.count; k++)
            check_motion_of(&p, k);
        probe_close(&p);
        tn_model_destroy(model);
    }
}

// By hand from the frames that the user sees: m (v + w x R c) and so on, about the origin.
static void momentum_and_spin_are_those_of_the_bodies(void)
{
    for (int i = 0; i < TN_COUNT(rotations); i++) {
        tn_model *model = four_bodies();
        probe p = open_model(model, rotations[i]);
        probe_randomize(&p, 1.0);
        const tn_point at = probe_point(&p);
        tn_vec3 momentum = {0}, spin = {0};
        double kinetic = 0.0;
        for (int k = 1; k < model->bodies.count; k++) {
            const tn_body_data *body = &model->bodies.at[k];
            tn_body_state x;
            tn_absolute_body(p.sys, &at, k, &x);
            const tn_vec3 c = tn_m3_apply(x.frame.R, body->def.com);
            const tn_vec3 w = tn_m3_apply(x.frame.R, x.rate);
            const tn_vec3 u = tn_v3_add(x.velocity, tn_v3_cross(w, c));
            const tn_vec3 P = tn_v3_scale(body->def.mass, u);
            const tn_vec3 L = body->ops->turns == 3
                                  ? tn_m3_apply(x.frame.R, tn_m3_apply(body->inertia, x.rate))
                                  : tn_v3_scale(body->inertia.m[2][2], w);
            momentum = tn_v3_add(momentum, P);
            spin = tn_v3_add(spin, tn_v3_add(tn_v3_cross(tn_v3_add(x.frame.p, c), P), L));
            kinetic += 0.5 * tn_v3_dot(P, u) + 0.5 * tn_v3_dot(w, L);
        }
        tn_energy e;
        p.sys->ops->energy(p.sys, &at, &e);
        CHECK(e.has_momentum);
        check_vec3(tn_v3_from(e.momentum), momentum, ROUNDOFF);
        check_vec3(tn_v3_from(e.spin), spin, 10.0 * ROUNDOFF);
        CHECK_NEAR(e.kinetic, kinetic, 10.0 * ROUNDOFF);
        probe_close(&p);
        tn_model_destroy(model);
    }
}

// Reactions ---------------------------------------------------------------------------------------

static void solve_accelerations(probe *p)
{
    tn_accel *accel = NULL;
    CHECK_OK(tn_accel_create(p->sys, &accel));
    const tn_point at = probe_point(p);
    CHECK_OK(tn_accel_project(accel, &at, p->v));
    CHECK_OK(tn_accel_solve(accel, &at, NULL, p->a, p->lambda, p->eta));
    tn_accel_destroy(accel);
}

static tn_body resting_body(tn_model *model, double mass, tn_frame frame, tn_vec3 com)
{
    tn_body_def def = tn_default_body();
    def.mass = mass;
    def.frame = frame;
    def.com = com;
    def.inertia = tn_v3(0.2, 0.3, 0.4);
    return tn_model_add_body(model, &def);
}

// Two bodies welded to one another and to the ground, all frames turned and off the centres: each
// weld carries the weight below it, and its moment about the origin of its own frame B.
static void welds_carry_the_weight_below_them(void)
{
    const tn_vec3 gravity = {1.0, -2.0, -9.81};
    for (int i = 0; i < TN_COUNT(rotations); i++) {
        tn_model *model = tn_model_create();
        tn_model_set_gravity(model, gravity);
        const tn_frame at_a = {random_rotation(), random_vec3(1.0)};
        const tn_frame at_b = {random_rotation(), random_vec3(1.0)};
        const tn_vec3 com_a = random_vec3(0.4), com_b = random_vec3(0.4);
        const tn_body a = resting_body(model, 2.0, at_a, com_a);
        const tn_body b = resting_body(model, 3.0, at_b, com_b);
        tn_joint_def weld = tn_default_joint(TN_JOINT_FIXED);
        const tn_frame where_a = {random_rotation(), random_vec3(1.0)};
        const tn_frame where_b = {random_rotation(), random_vec3(1.0)};
        weld.body_b = a;
        weld.frame_a = where_a;
        weld.frame_b = tn_frame_mul(tn_frame_inverse(at_a), where_a);
        tn_model_add_joint(model, &weld);
        weld.body_a = a;
        weld.body_b = b;
        weld.frame_a = tn_frame_mul(tn_frame_inverse(at_a), where_b);
        weld.frame_b = tn_frame_mul(tn_frame_inverse(at_b), where_b);
        tn_model_add_joint(model, &weld);

        probe p = open_model(model, rotations[i]);
        solve_accelerations(&p);
        const tn_point at = probe_point(&p);
        const tn_vec3 weight_a = tn_v3_scale(2.0, gravity), weight_b = tn_v3_scale(3.0, gravity);
        const tn_vec3 center_a = tn_frame_point(at_a, com_a),
                      center_b = tn_frame_point(at_b, com_b);
        tn_wrench w = tn_absolute_reaction(p.sys, &at, 1);
        check_vec3(w.f, tn_v3_neg(weight_b), 10.0 * ROUNDOFF);
        const tn_vec3 moment_b = tn_v3_cross(tn_v3_sub(center_b, where_b.p), weight_b);
        check_vec3(w.m, tn_v3_neg(moment_b), 10.0 * ROUNDOFF);
        w = tn_absolute_reaction(p.sys, &at, 0);
        check_vec3(w.f, tn_v3_neg(tn_v3_add(weight_a, weight_b)), 10.0 * ROUNDOFF);
        const tn_vec3 moment = tn_v3_add(tn_v3_cross(tn_v3_sub(center_a, where_a.p), weight_a),
                                         tn_v3_cross(tn_v3_sub(center_b, where_a.p), weight_b));
        check_vec3(w.m, tn_v3_neg(moment), 10.0 * ROUNDOFF);
        probe_close(&p);
        tn_model_destroy(model);
    }
}

// A body of mass m that turns about z at the rate w, its centre at the distance r along x from the
// pin, with the product of inertia D = Ixz: the pin pulls with m r w^2, carries the weight and its
// moment, and the dynamic unbalance asks for the moment J w' + w x J w = (0, D w^2, 0) about the
// centre of mass.
static void a_turning_body_pulls_at_its_pin(void)
{
    const double m = 2.0, r = 0.5, rate = 3.0, D = 0.05, gravity = 9.81;
    for (int i = 0; i < TN_COUNT(rotations); i++) {
        tn_model *model = tn_model_create();
        tn_model_set_gravity(model, tn_v3(0.0, 0.0, -gravity));
        tn_body_def def = tn_default_body();
        def.mass = m;
        def.com = tn_v3(r, 0.0, 0.0);
        def.inertia = tn_v3(0.3, 0.3, 0.4);
        def.products = tn_v3(0.0, D, 0.0);
        def.rate = tn_v3(0.0, 0.0, rate);
        const tn_body body = tn_model_add_body(model, &def);
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_b = body;
        tn_model_add_joint(model, &pin);
        probe p = open_model(model, rotations[i]);
        solve_accelerations(&p);
        const tn_point at = probe_point(&p);
        const tn_wrench w = tn_absolute_reaction(p.sys, &at, 0);
        check_vec3(w.f, tn_v3(-m * r * rate * rate, 0.0, m * gravity), 10.0 * ROUNDOFF);
        check_vec3(w.m, tn_v3(0.0, D * rate * rate - m * gravity * r, 0.0), 10.0 * ROUNDOFF);
        probe_close(&p);
        tn_model_destroy(model);
    }
}

// The multiplier of a drive is the torque that it exerts, with the sign of its coordinate.
static void a_drive_tells_its_torque(void)
{
    const double m = 2.0, r = 0.5, gravity = 9.81;
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -gravity, 0.0));
    const tn_body body = resting_body(model, m, tn_frame_identity, tn_v3(r, 0.0, 0.0));
    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
    pin.body_b = body;
    tn_joint_def motor = tn_default_joint(TN_JOINT_DRIVE);
    motor.drive.joint = tn_model_add_joint(model, &pin);
    motor.drive.motion.constant = 0.0;
    const tn_joint drive = tn_model_add_joint(model, &motor);
    probe p = open_model(model, TN_ROTATION_SO3);
    solve_accelerations(&p);
    const tn_point at = probe_point(&p);
    const tn_wrench w = tn_absolute_reaction(p.sys, &at, drive.index);
    check_vec3(w.f, tn_v3(0, 0, 0), ROUNDOFF);
    check_vec3(w.m, tn_v3(0.0, 0.0, m * gravity * r), 10.0 * ROUNDOFF);
    CHECK(tn_absolute_joint_row(p.sys, drive.index, 0) == 5);
    CHECK_NEAR(p.lambda[5], -m * gravity * r, 10.0 * ROUNDOFF);
    probe_close(&p);
    tn_model_destroy(model);
}

// Turns -------------------------------------------------------------------------------------------

typedef struct train {
    tn_model *model;
    tn_joint pin[2], gear;
} train;

static train gear_train(double position)
{
    train x = {.model = tn_model_create()};
    for (int k = 0; k < 2; k++) {
        tn_frame frame = tn_frame_identity;
        frame.p.x = (double)k;
        const tn_body wheel = resting_body(x.model, 1.0, frame, tn_v3(0, 0, 0));
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_b = wheel;
        pin.frame_a.p = frame.p;
        pin.nposition = k == 0;
        pin.position[0] = position;
        x.pin[k] = tn_model_add_joint(x.model, &pin);
    }
    tn_joint_def gear = tn_default_joint(TN_JOINT_GEAR);
    gear.gear.joint_1 = x.pin[0];
    gear.gear.joint_2 = x.pin[1];
    gear.gear.ratio_1 = 3.0;
    gear.gear.ratio_2 = 1.0;
    x.gear = tn_model_add_joint(x.model, &gear);
    CHECK_OK(tn_model_status(x.model));
    return x;
}

// 3 a + b = const holds while one wheel makes five turns in steps of 0.3 rad and the other fifteen
// back, in steps of 0.9 rad.
static void gears_hold_over_many_turns(void)
{
    for (int i = 0; i < TN_COUNT(rotations); i++) {
        train x = gear_train(0.0);
        probe p = open_model(x.model, rotations[i]);
        const int row = tn_absolute_joint_row(p.sys, x.gear.index, 0);
        const double end = 10.0 * acos(-1.0), step = 0.3;
        double q[3], rate[3];
        for (double angle = 0.0; angle < end; angle += step) {
            double turn[12] = {0};
            turn[5] = step;
            turn[11] = -3.0 * step;
            tn_group_retract(p.sys->ngroup, p.sys->groups, p.q, turn, p.q);
            const tn_point at = probe_point(&p);
            CHECK_OK(tn_system_eval(p.sys, &at, TN_EVAL_G));
            CHECK_NEAR(p.sys->g[row], 0.0, ROUNDOFF * (1.0 + angle) * 10.0);
            p.sys->ops->accept(p.sys, &at, p.r);
            CHECK(tn_absolute_coordinates(p.sys, &at, x.pin[0].index, q, rate) == 1);
            CHECK_NEAR(q[0], angle + step, 1e-11);
            CHECK(tn_absolute_coordinates(p.sys, &at, x.pin[1].index, q, rate) == 1);
            CHECK_NEAR(q[0], -3.0 * (angle + step), 1e-11);
        }
        CHECK(tn_absolute_coordinates(p.sys, &(tn_point){.q = p.q}, x.gear.index, q, rate) == 0);
        probe_close(&p);
        tn_model_destroy(x.model);
    }
}

// A stated angle beyond pi says on which turn a joint starts, and the gear takes it from there.
static void a_stated_angle_chooses_the_turn(void)
{
    const double two_pi = 2.0 * acos(-1.0);
    train x = gear_train(2.0 * two_pi);
    probe p = open_model(x.model, TN_ROTATION_SO3);
    tn_absolute_fix_constants(p.sys, p.q, p.r);
    const tn_point at = probe_point(&p);
    double q[3], rate[3];
    tn_absolute_coordinates(p.sys, &at, x.pin[0].index, q, rate);
    CHECK_NEAR(q[0], 2.0 * two_pi, ROUNDOFF);
    CHECK_OK(tn_system_eval(p.sys, &at, TN_EVAL_G));
    CHECK_NEAR(p.sys->g[tn_absolute_joint_row(p.sys, x.gear.index, 0)], 0.0, ROUNDOFF);
    probe_close(&p);
    tn_model_destroy(x.model);
}

static void the_advance_of_a_screw_tells_its_turn(void)
{
    static const double PITCH = -0.01, ANGLE = 33.0; // five turns and a quarter out
    tn_model *model = tn_model_create();
    tn_body_def nut = tn_default_body();
    nut.frame = (tn_frame){tn_m3_rot_z(ANGLE), {0, 0, PITCH * ANGLE}};
    tn_joint_def thread = tn_default_joint(TN_JOINT_SCREW);
    thread.body_b = tn_model_add_body(model, &nut);
    thread.screw.pitch = PITCH;
    const tn_joint joint = tn_model_add_joint(model, &thread);
    CHECK_OK(tn_model_status(model));
    probe p = open_model(model, TN_ROTATION_SO3);
    const tn_point at = probe_point(&p);
    double q[3], rate[3];
    CHECK(tn_absolute_coordinates(p.sys, &at, joint.index, q, rate) == 2);
    CHECK_NEAR(q[0], ANGLE, ROUNDOFF);
    CHECK_OK(tn_system_eval(p.sys, &at, TN_EVAL_G));
    for (int i = 0; i < p.sys->ng; i++)
        CHECK_NEAR(p.sys->g[i], 0.0, ROUNDOFF);
    probe_close(&p);
    tn_model_destroy(model);
}

// Names -------------------------------------------------------------------------------------------

static void rows_and_velocities_have_names(void)
{
    tn_model *model = tn_model_create();
    tn_body_def def = tn_default_body();
    def.name = "arm";
    const tn_body arm = tn_model_add_body(model, &def);
    def.name = "disc";
    def.kind = TN_BODY_PLANAR;
    const tn_body disc = tn_model_add_body(model, &def);
    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
    pin.name = "pin";
    pin.body_b = arm;
    tn_model_add_joint(model, &pin);
    pin.name = "flat pin";
    pin.body_b = disc;
    tn_model_add_joint(model, &pin);
    probe p = open_model(model, TN_ROTATION_SO3);
    char text[96];
    static const char *const velocity[] = {"body 'arm', x", "body 'arm', turn about y",
                                           "body 'disc', y", "body 'disc', turn about z"};
    static const int at[] = {0, 4, 7, 8};
    for (int k = 0; k < TN_COUNT(at); k++) {
        p.sys->ops->velocity_name(p.sys, at[k], text, sizeof text);
        CHECK_TEXT(text, velocity[k]);
    }
    p.sys->ops->row_name(p.sys, 3, text, sizeof text);
    CHECK_TEXT(text, "joint 'pin', row tilt about y");
    p.sys->ops->row_name(p.sys, 6, text, sizeof text);
    CHECK_TEXT(text, "joint 'flat pin', row y");
    CHECK(tn_absolute_row_joint(p.sys, 4, NULL) == 0 && tn_absolute_row_joint(p.sys, 5, NULL) == 1);
    int v0;
    CHECK(tn_absolute_body_velocity(p.sys, disc.index, &v0) == 3 && v0 == 6);
    CHECK(tn_absolute_body_velocity(p.sys, 0, &v0) == 0);
    probe_close(&p);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"start values read back as stated", start_values_read_back_as_stated},
    {"velocities and accelerations are rates", velocities_and_accelerations_are_rates},
    {"momentum and spin are those of the bodies", momentum_and_spin_are_those_of_the_bodies},
    {"welds carry the weight below them", welds_carry_the_weight_below_them},
    {"a turning body pulls at its pin", a_turning_body_pulls_at_its_pin},
    {"a drive tells its torque", a_drive_tells_its_torque},
    {"gears hold over many turns", gears_hold_over_many_turns},
    {"a stated angle chooses the turn", a_stated_angle_chooses_the_turn},
    {"the advance of a screw tells its turn", the_advance_of_a_screw_tells_its_turn},
    {"rows and velocities have names", rows_and_velocities_have_names},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
