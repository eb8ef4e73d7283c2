// SPDX-License-Identifier: MIT
//
// From a model to consistent start values and to what can be said of its constraints: all four
// levels, values that must not move, stated joint coordinates, weights, what moved, contradictions
// told from mechanisms that do not reach, directions without inertia, redundant rows by name.

#include "linalg/dense.h"
#include "mechanism.h"
#include "start/start.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

static const double ROUND_OFF = 1e-12; // in numbers of size one to ten

static tn_start begin(const tn_model *model, const char *rotation)
{
    tn_sim_options options = tn_default_sim();
    options.rotation = rotation;
    tn_start start;
    CHECK_OK(tn_start_model(model, &options, &start));
    return start;
}

static tn_check *examine(const tn_model *model)
{
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_OK(tn_check_create(model, &options, &check));
    return check;
}

static void check_refused(tn_model *model, const char *message)
{
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_STATUS(tn_check_create(model, &options, &check), TN_ERR_MODEL);
    CHECK(check == NULL);
    CHECK_TEXT(tn_last_error(), message);
    tn_model_destroy(model);
}

static part point_2d(tn_model *model, const char *name, double mass, double x, double y)
{
    tn_body_def def = body_def(name, mass, tn_v3(1.0, 1.0, 1.0), frame_at(x, y, 0.0));
    def.kind = TN_BODY_POINT_2D;
    return add_part(model, &def);
}

static void rod_between(tn_model *model, const char *name, part a, part b, double length)
{
    tn_joint_def rod = tn_default_joint(TN_JOINT_DISTANCE);
    rod.name = name;
    rod.body_a = a.id;
    rod.body_b = b.id;
    rod.distance.length = length;
    tn_model_add_joint(model, &rod);
}

// Four levels -------------------------------------------------------------------------------------

static tn_vec3 random_vector(void)
{
    const double x = tn_random(), y = tn_random(), z = tn_random(); // in this order
    return tn_v3(x, y, z);
}

// A chain of a universal, a cylindrical and a spherical joint, put together carelessly.
static tn_model *careless_chain(void)
{
    static const tn_joint_kind kinds[] = {TN_JOINT_UNIVERSAL, TN_JOINT_CYLINDRICAL,
                                          TN_JOINT_SPHERICAL};
    static const char *const names[] = {"first", "second", "third"};
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    part last = ground;
    for (int k = 0; k < TN_COUNT(kinds); k++) {
        tn_body_def def =
            body_def(names[k], 1.0 + k, tn_v3(0.1, 0.2, 0.25), frame_at(k + 0.5, 0, 0));
        def.com = tn_v3(0.05, -0.02, 0.1);
        part next = {.frame = def.frame};
        def.frame.p = tn_v3_add(def.frame.p, tn_v3(0.02 * tn_random(), 0.02, -0.03));
        def.frame.R = tn_m3_rot_y(0.05 * tn_random());
        def.velocity = random_vector();
        def.rate = random_vector();
        next.id = tn_model_add_body(model, &def);
        join(model, kinds[k], names[k], last, next, frame_at(k, 0.1, 0.0));
        last = next;
    }
    return model;
}

static void start_is_consistent_on_all_four_levels(void)
{
    static const char *const rotations[] = {"so3", "se3"};
    for (int k = 0; k < TN_COUNT(rotations); k++) {
        tn_model *model = careless_chain();
        tn_start s = begin(model, rotations[k]);
        tn_system *sys = s.sys;
        const tn_point at = tn_state_point(&s.x);
        CHECK_OK(tn_system_eval(sys, &at,
                                TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_G | TN_EVAL_B |
                                    TN_EVAL_GDOT | TN_EVAL_GAMMA));
        CHECK_NEAR(tn_norm_inf(sys->ng, sys->g), 0.0, ROUND_OFF);
        CHECK_NEAR(s.residual, 0.0, ROUND_OFF);
        CHECK_NEAR(tn_norm_inf(sys->ng, sys->gdot), 0.0, ROUND_OFF);
        double hidden[32] = {0}, balance[32] = {0};
        CHECK(sys->ng <= 32 && sys->nv <= 32);
        tn_copy(sys->ng, sys->gamma, hidden);
        tn_sparse_mul(sys->block[TN_BLOCK_B], 1.0, s.x.a, hidden);
        CHECK_NEAR(tn_norm_inf(sys->ng, hidden), 0.0, 100.0 * ROUND_OFF);
        tn_axpy(sys->nv, -1.0, sys->f, balance);
        tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, s.x.a, balance);
        tn_sparse_mul_t(sys->block[TN_BLOCK_B], 1.0, s.x.lambda, balance);
        CHECK_NEAR(tn_norm_inf(sys->nv, balance), 0.0, 100.0 * ROUND_OFF);
        CHECK(tn_norm_inf(sys->ng, s.x.lambda) > 1.0); // it hangs on something
        tn_start_clear(&s);
        tn_model_destroy(model);
    }
}

// The velocity level of a drive carries its rate: B v + g_t = 0.
static void driven_coordinate_starts_with_the_rate_of_the_drive(void)
{
    tn_model *model = tn_model_create();
    const tn_body_def def = body_def("slider", 1.0, tn_v3(1.0, 1.0, 1.0), frame_at(0.0, 0.0, 0.0));
    const part slider = add_part(model, &def);
    const tn_joint rail =
        join(model, TN_JOINT_PRISMATIC, "rail", ground, slider, tn_frame_identity);
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    drive.name = "drive";
    drive.drive.joint = rail;
    drive.drive.motion.expression = "0.1*sin(10*t)";
    tn_model_add_joint(model, &drive);
    tn_sim_options options = tn_default_sim();
    options.t_start = 0.3;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    double q, rate;
    CHECK(tn_sim_joint_coordinates(sim, rail, &q, &rate) == 1);
    CHECK_NEAR(q, 0.1 * sin(3.0), ROUND_OFF);
    CHECK_NEAR(rate, cos(3.0), ROUND_OFF);
    CHECK_NEAR(tn_sim_body_acceleration(sim, slider.id).z, -10.0 * sin(3.0), 100.0 * ROUND_OFF);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// A blade on ice may not move sideways: 0 = v . n.
static int unit_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int no_force(void *user, const tn_arguments *at, double *f)
{
    (void)user, (void)at;
    f[0] = 0.0;
    f[1] = -1.0;
    return 0;
}

static int blade(void *user, const tn_arguments *at, double *N, double *n0)
{
    (void)user, (void)at;
    N[0] = -0.6;
    N[1] = 0.8;
    n0[0] = 0.0;
    return 0;
}

static void nonholonomic_rows_hold_at_the_start(void)
{
    const tn_callbacks callbacks = {
        .nq = 2, .nn = 1, .mass = unit_mass, .force = no_force, .pfaffian = blade};
    const double q[2] = {0.0, 0.0}, v[2] = {1.0, 0.0};
    const tn_sim_options options = tn_default_sim();
    tn_start s;
    CHECK_OK(tn_start_callbacks(&callbacks, q, v, &options, &s));
    CHECK_NEAR(s.x.v[0], 0.64, ROUND_OFF); // (1, 0) projected on (0.8, 0.6)
    CHECK_NEAR(s.x.v[1], 0.48, ROUND_OFF);
    CHECK_NEAR(s.x.a[0], -0.48, ROUND_OFF); // (0, -1) projected
    CHECK_NEAR(s.x.a[1], -0.36, ROUND_OFF);
    CHECK_NEAR(s.x.eta[0], -0.8, ROUND_OFF); // M a = f - N^T eta
    CHECK(s.redundancy.rank == 1 && s.redundancy.count == 0);
    tn_start_clear(&s);
}

// Values that stay and values that move -----------------------------------------------------------

// The four-bar 0.3, 0.5, 0.4, base 0.5 at a right angle of crank and base is known in closed form:
// B = (0, 0.3), and C closes the triangle over B and D = (0.5, 0).
typedef struct four_bar {
    tn_model *model;
    part crank, coupler, rocker;
} four_bar;

static const double COUPLER_OFF = 0.04, ROCKER_OFF = 0.03, ROCKER_TURN = 0.05;

static four_bar careless_four_bar(bool fixed_crank)
{
    const tn_vec3 A = {0, 0, 0}, B = {0, 0.3, 0}, D = {0.5, 0, 0};
    const double base = hypot(0.5, 0.3), along = (0.25 - 0.16 + base * base) / (2.0 * base);
    const double height = sqrt(0.25 - along * along);
    const tn_vec3 C = {B.x + (along * 0.5 + height * 0.3) / base,
                       B.y + (-along * 0.3 + height * 0.5) / base, 0};
    const struct {
        const char *name;
        tn_vec3 from, to, off;
        double turn;
    } links[3] = {
        {"crank", A, B, {0, 0, 0}, 0.0},
        {"coupler", B, C, {0, COUPLER_OFF, 0}, 0.0},
        {"rocker", C, D, {ROCKER_OFF, 0, 0}, ROCKER_TURN},
    };
    four_bar f = {.model = tn_model_create()};
    part *parts[3] = {&f.crank, &f.coupler, &f.rocker};
    for (int k = 0; k < 3; k++) {
        tn_body_def def = body_def(links[k].name, 1.0, tn_v3(1.0, 1.0, 0.1), tn_frame_identity);
        def.kind = TN_BODY_PLANAR;
        def.frame.p = tn_v3_scale(0.5, tn_v3_add(links[k].from, links[k].to));
        parts[k]->frame = def.frame;
        def.frame.p = tn_v3_add(def.frame.p, links[k].off);
        def.frame.R = tn_m3_rot_z(links[k].turn);
        def.rate.z = k == 0 ? 2.0 : 0.0;
        def.velocity = k == 0 ? tn_v3(-0.3, 0.0, 0.0) : tn_v3(0.0, 0.0, 0.0);
        def.fixed_start = k == 0 && fixed_crank;
        parts[k]->id = tn_model_add_body(f.model, &def);
    }
    join(f.model, TN_JOINT_PLANAR_REVOLUTE, "A", ground, f.crank, frame_at(A.x, A.y, 0));
    join(f.model, TN_JOINT_PLANAR_REVOLUTE, "B", f.crank, f.coupler, frame_at(B.x, B.y, 0));
    join(f.model, TN_JOINT_PLANAR_REVOLUTE, "C", f.coupler, f.rocker, frame_at(C.x, C.y, 0));
    join(f.model, TN_JOINT_PLANAR_REVOLUTE, "D", f.rocker, ground, frame_at(D.x, D.y, 0));
    return f;
}

static void fixed_start_does_not_move_and_the_report_says_what_did(void)
{
    four_bar f = careless_four_bar(true);
    tn_check *check = examine(f.model);
    CHECK(tn_check_coordinates(check) == 9 && tn_check_rows(check) == 8);
    CHECK(tn_check_rank(check) == 8 && tn_check_freedoms(check) == 1);
    CHECK_NEAR(tn_check_residual(check), 0.0, ROUND_OFF);
    // With the crank held the others have one place to go: where they were displaced from.
    CHECK(tn_check_moved_count(check) == 2);
    const tn_moved coupler = tn_check_moved(check, 0), rocker = tn_check_moved(check, 1);
    CHECK(coupler.body.index == f.coupler.id.index && rocker.body.index == f.rocker.id.index);
    CHECK_NEAR(coupler.position, COUPLER_OFF, ROUND_OFF);
    CHECK_NEAR(coupler.rotation, 0.0, ROUND_OFF);
    CHECK_NEAR(rocker.position, ROCKER_OFF, ROUND_OFF);
    CHECK_NEAR(rocker.rotation, ROCKER_TURN, ROUND_OFF);
    CHECK(coupler.velocity > 0.1 && rocker.rate > 0.1);
    tn_check_destroy(check);
    tn_model_destroy(f.model);

    f = careless_four_bar(false);
    check = examine(f.model);
    CHECK(tn_check_moved_count(check) == 3); // free to, all three share the change
    tn_check_destroy(check);
    tn_model_destroy(f.model);
}

static void held_body_starts_exactly_as_given(void)
{
    four_bar f = careless_four_bar(true);
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(f.model, &options, &sim));
    const tn_frame frame = tn_sim_body_frame(sim, f.crank.id);
    CHECK(frame.p.x == 0.0 && frame.p.y == 0.15);
    CHECK(tn_sim_body_rate(sim, f.crank.id).z == 2.0);
    CHECK(tn_sim_body_velocity(sim, f.crank.id).x == -0.3);
    tn_sim_destroy(sim);
    tn_model_destroy(f.model);
}

static void gap_is_shared_evenly_whatever_the_masses(void)
{
    tn_model *model = tn_model_create();
    const part light = point_2d(model, "light", 1e-3, 0.0, 0.0);
    const part heavy = point_2d(model, "heavy", 3e3, 1.4, 0.0);
    rod_between(model, "rod", light, heavy, 1.0);
    tn_check *check = examine(model);
    CHECK(tn_check_moved_count(check) == 2);
    CHECK_NEAR(tn_check_moved(check, 0).position, 0.2, ROUND_OFF);
    CHECK_NEAR(tn_check_moved(check, 1).position, 0.2, ROUND_OFF);
    tn_check_destroy(check);
    tn_model_destroy(model);
}

// A stated position is kept where the open ones can follow, also against a larger mass, and so is
// a stated velocity.
static void stated_values_do_not_move_where_open_ones_can(void)
{
    tn_model *model = tn_model_create();
    tn_body_def def = body_def("stated", 1.0, tn_v3(1.0, 1.0, 1.0), frame_at(0.0, 0.0, 0.0));
    def.kind = TN_BODY_POINT_2D;
    def.given_position = true;
    def.given_velocity = true;
    def.velocity = tn_v3(1.0, 0.0, 0.0);
    const part stated = add_part(model, &def);
    const part open = point_2d(model, "open", 3e3, 1.4, 0.0);
    rod_between(model, "rod", stated, open, 1.0);
    tn_check *check = examine(model);
    CHECK(tn_check_moved_count(check) == 1);
    CHECK(tn_check_moved(check, 0).body.index == open.id.index);
    CHECK_NEAR(tn_check_moved(check, 0).position, 0.4, ROUND_OFF);
    CHECK_NEAR(tn_check_moved(check, 0).velocity, 1.0, ROUND_OFF);
    tn_check_destroy(check);
    tn_model_destroy(model);
}

// A rod of 1 m on a pin at its lower end, upright and turned by 0.3 about its own axis; `origin` of
// its frame and its centre of mass at 0.4 m are heights above the pin.
static tn_model *rod_on_pin(tn_body_kind kind, double origin, tn_body_def stated)
{
    const double COM = 0.4;
    const tn_mat3 R = kind == TN_BODY_PLANAR ? tn_m3_rot_z(0.3) : tn_m3_rot_y(0.3);
    tn_model *model = tn_model_create();
    tn_body_def def = body_def("rod", 2.0, tn_v3(0.1, 0.02, 0.1), (tn_frame){R, {0, origin, 0}});
    def.kind = kind;
    def.com = tn_m3_apply_t(R, tn_v3(0.0, COM - origin, 0.0));
    def.velocity = stated.velocity;
    def.rate = stated.rate;
    def.given_velocity = stated.given_velocity;
    def.given_rate = stated.given_rate;
    const part rod = add_part(model, &def);
    join(model, kind == TN_BODY_PLANAR ? TN_JOINT_PLANAR_REVOLUTE : TN_JOINT_REVOLUTE, "pin",
         ground, rod, tn_frame_identity);
    return model;
}

// The motion that is stated of the body frame is kept and the rest follows, wherever the frame and
// the centre of mass are: v = w x r about the pin.
static void check_rod(tn_body_kind kind, const char *rotation, double origin, tn_body_def stated,
                      double rate)
{
    tn_model *model = rod_on_pin(kind, origin, stated);
    tn_sim_options options = tn_default_sim();
    options.rotation = rotation;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const tn_vec3 v = tn_sim_body_velocity(sim, (tn_body){1}),
                  w = tn_sim_body_rate(sim, (tn_body){1});
    CHECK_NEAR(distance(v, tn_v3(-rate * origin, 0.0, 0.0)), 0.0, ROUND_OFF);
    CHECK_NEAR(
        distance(tn_m3_apply(tn_sim_body_frame(sim, (tn_body){1}).R, w), tn_v3(0.0, 0.0, rate)),
        0.0, ROUND_OFF);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void what_is_stated_of_a_body_frame_is_kept(void)
{
    static const struct {
        tn_body_kind kind;
        const char *rotation;
    } cases[] = {
        {TN_BODY_RIGID, "so3"},
        {TN_BODY_RIGID, "se3"},
        {TN_BODY_PLANAR, "so3"},
    };
    const double RATE = 2.0;
    for (int k = 0; k < TN_COUNT(cases); k++) {
        const tn_mat3 R = tn_m3_rot_y(cases[k].kind == TN_BODY_PLANAR ? 0.0 : 0.3);
        tn_body_def stated = {.given_rate = true, .rate = tn_m3_apply_t(R, tn_v3(0.0, 0.0, RATE))};
        check_rod(cases[k].kind, cases[k].rotation, 0.0, stated, RATE); // frame at the pin
        check_rod(cases[k].kind, cases[k].rotation, 1.0, stated, RATE); // frame at the tip
        stated = (tn_body_def){.given_velocity = true, .velocity = {-RATE, 0.0, 0.0}};
        check_rod(cases[k].kind, cases[k].rotation, 1.0, stated, RATE);
        stated.velocity = tn_v3(0.0, 0.0, 0.0);
        check_rod(cases[k].kind, cases[k].rotation, 0.0, stated, 0.0);
    }
}

static void stated_joint_coordinates_and_rates_are_met(void)
{
    // An angle beyond a full turn keeps its turns.
    static const struct {
        tn_joint_kind kind;
        int n;
        double position[2], rate[2];
    } cases[] = {
        {TN_JOINT_REVOLUTE, 1, {0.7}, {2.0}},
        {TN_JOINT_REVOLUTE, 1, {7.0}, {-3.0}},
        {TN_JOINT_PRISMATIC, 1, {-0.4}, {1.5}},
        {TN_JOINT_CYLINDRICAL, 2, {1.2, 0.3}, {-1.0, 0.25}},
        {TN_JOINT_UNIVERSAL, 2, {0.4, -0.3}, {0.5, 0.7}},
    };
    for (int k = 0; k < TN_COUNT(cases); k++) {
        tn_model *model = tn_model_create();
        const tn_body_def def =
            body_def("arm", 2.0, tn_v3(0.1, 0.2, 0.25), frame_at(0.3, 0.2, 0.1));
        const part arm = add_part(model, &def);
        tn_joint_def joint = joint_at(cases[k].kind, "joint", ground, arm, frame_at(0.1, 0.0, 0.0));
        joint.nposition = joint.nrate = cases[k].n;
        for (int i = 0; i < cases[k].n; i++) {
            joint.position[i] = cases[k].position[i];
            joint.rate[i] = cases[k].rate[i];
        }
        const tn_joint id = tn_model_add_joint(model, &joint);
        const tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        double q[3], rate[3];
        CHECK(tn_sim_joint_coordinates(sim, id, q, rate) == cases[k].n);
        for (int i = 0; i < cases[k].n; i++) {
            CHECK_NEAR(q[i], cases[k].position[i], 10.0 * ROUND_OFF);
            CHECK_NEAR(rate[i], cases[k].rate[i], 10.0 * ROUND_OFF);
        }
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// What cannot be --------------------------------------------------------------------------------

// Rods of 1 m and 1.5 m to points 3 m apart. The residual of a rod of length l is
// (d^2 - l^2) / 2 l, and the bob ends on the line between the points, where the squares of the two
// residuals are least: there the derivative of their sum changes its sign.
static void mechanism_that_does_not_reach_is_named(void)
{
    tn_model *model = tn_model_create();
    const part bob = point_2d(model, "bob", 1.0, 1.0, 0.1);
    rod_between(model, "left", ground, bob, 1.0);
    tn_joint_def right = tn_default_joint(TN_JOINT_DISTANCE);
    right.name = "right";
    right.body_b = bob.id;
    right.frame_a.p = tn_v3(3.0, 0.0, 0.0);
    right.distance.length = 1.5;
    tn_model_add_joint(model, &right);
    double low = 1.0, high = 1.5, missed = 0.0;
    while (high - low > 1e-12) {
        const double x = 0.5 * (low + high), d = 3.0 - x;
        missed = (d * d - 2.25) / 3.0;
        *(0.5 * (x * x - 1.0) * x > missed * d / 1.5 ? &high : &low) = x;
    }
    char message[256];
    snprintf(
        message, sizeof message,
        "the mechanism cannot be assembled: joint 'right', row length stays %.4g m apart; check "
        "the lengths, positions and stated start values of the bodies that it connects",
        missed);
    check_refused(model, message);
}

static void contradicting_constraints_are_named(void)
{
    tn_model *model = tn_model_create();
    tn_body_def def = body_def("plate", 1.0, tn_v3(1.0, 1.0, 1.0), tn_frame_identity);
    def.kind = TN_BODY_PLANAR;
    const part plate = add_part(model, &def);
    join(model, TN_JOINT_PLANAR_FIXED, "one", ground, plate, tn_frame_identity);
    tn_joint_def two = joint_at(TN_JOINT_PLANAR_FIXED, "two", ground, plate, tn_frame_identity);
    two.frame_a.p.x += 0.2;
    tn_model_add_joint(model, &two);
    check_refused(model,
                  "the constraints contradict each other: joint 'one', row x and joint 'two', "
                  "row x cannot hold together, they miss each other by 0.2 m; remove one of "
                  "them or make them agree");
}

static void contradicting_start_rates_are_named(void)
{
    tn_model *model = tn_model_create();
    const tn_body_def def = body_def("wheel", 1.0, tn_v3(1.0, 1.0, 1.0), tn_frame_identity);
    const part wheel = add_part(model, &def);
    tn_joint_def axle = joint_at(TN_JOINT_REVOLUTE, "axle", ground, wheel, tn_frame_identity);
    axle.nrate = 1;
    axle.rate[0] = 1.0;
    const tn_joint id = tn_model_add_joint(model, &axle);
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    drive.name = "drive";
    drive.drive.joint = id;
    drive.drive.motion.expression = "3*t";
    tn_model_add_joint(model, &drive);
    check_refused(model,
                  "the velocities cannot be made consistent: joint 'drive', row motion is "
                  "violated at a rate of 1 rad/s; stated start velocities, drives and joints "
                  "contradict each other: it cannot hold together with joint 'axle', "
                  "stated start value");
}

// A massless body on a joint, beside `others` free ones with mass.
static tn_model *massless(tn_joint_kind kind, int others)
{
    tn_model *model = tn_model_create();
    for (int k = 0; k < others; k++) {
        const tn_body_def def = tn_default_body();
        tn_model_add_body(model, &def);
    }
    const tn_body_def def = body_def("ghost", 0.0, tn_v3(0.0, 0.0, 0.0), tn_frame_identity);
    const part ghost = add_part(model, &def);
    join(model, kind, "joint", ground, ghost, tn_frame_identity);
    return model;
}

static void direction_without_inertia_is_named(void)
{
    check_refused(massless(TN_JOINT_REVOLUTE, 0),
                  "body 'ghost', turn about z is free to move without inertia, and no damper acts "
                  "on it; add one, give the body mass or inertia, or hold it by a joint");
    check_refused(massless(TN_JOINT_PRISMATIC, 0),
                  "body 'ghost', z is free to move without inertia, and no damper acts on it; add "
                  "one, give the body mass or inertia, or hold it by a joint");
    check_refused(massless(TN_JOINT_PRISMATIC, 1000), // too large for a dense analysis
                  "body 'ghost', z is free to move without inertia, and no damper acts on it; add "
                  "one, give the body mass or inertia, or hold it by a joint");
}

// A massless link between two bodies with mass has nowhere to go on its own.
static void massless_body_is_legal_where_it_is_held(void)
{
    tn_model *model = tn_model_create();
    static const char *const names[] = {"left", "link", "right"};
    part last = ground;
    for (int k = 0; k < 3; k++) {
        const double mass = k == 1 ? 0.0 : 1.0;
        tn_body_def def =
            body_def(names[k], mass, tn_v3(mass, mass, mass), frame_at(k + 0.5, 0.0, 0.0));
        def.kind = TN_BODY_PLANAR;
        const part next = add_part(model, &def);
        join(model, TN_JOINT_PLANAR_REVOLUTE, names[k], last, next, frame_at(k, 0.0, 0.0));
        last = next;
    }
    tn_check *check = examine(model);
    CHECK(tn_check_freedoms(check) == 3);
    tn_check_destroy(check);
    tn_model_destroy(model);
}

// Redundancy ------------------------------------------------------------------------------------

static void repeated_rows_are_named_with_what_they_repeat(void)
{
    tn_model *model = tn_model_create();
    const tn_body_def def = body_def("box", 1.0, tn_v3(1.0, 1.0, 1.0), tn_frame_identity);
    const part box = add_part(model, &def);
    const tn_joint one = join(model, TN_JOINT_FIXED, "one", ground, box, tn_frame_identity);
    const tn_joint two = join(model, TN_JOINT_SPHERICAL, "two", ground, box, tn_frame_identity);
    tn_check *check = examine(model);
    CHECK(tn_check_rows(check) == 9 && tn_check_rank(check) == 6);
    CHECK(tn_check_freedoms(check) == 0 && tn_check_redundant_count(check) == 3);
    static const char *const rows[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        const tn_redundant r = tn_check_redundant(check, k);
        CHECK(r.joint.index == two.index && r.row == k);
        CHECK_TEXT(r.row_name, rows[k]);
        CHECK(r.nrepeats == 1 && r.repeats[0].index == one.index);
        CHECK(!tn_check_unique(check, two, k) && !tn_check_unique(check, one, k));
    }
    for (int k = 3; k < 6; k++)
        CHECK(tn_check_unique(check, one, k)); // the torques are carried by one joint alone
    tn_check_destroy(check);
    tn_model_destroy(model);
}

// A point on the line x = y = 0 that a plane x = 0 holds once more.
static void rows_beside_a_redundant_one_keep_unique_multipliers(void)
{
    tn_model *model = tn_model_create();
    tn_body_def def = body_def("bead", 1.0, tn_v3(1.0, 1.0, 1.0), tn_frame_identity);
    def.kind = TN_BODY_POINT;
    const part bead = add_part(model, &def);
    const tn_joint wire =
        join(model, TN_JOINT_POINT_ON_LINE, "wire", ground, bead, tn_frame_identity);
    const tn_frame normal_x = {tn_m3_rot_y(1.57079632679489661923), {0.0, 0.0, 0.0}};
    const tn_joint wall = join(model, TN_JOINT_POINT_IN_PLANE, "wall", ground, bead, normal_x);
    tn_check *check = examine(model);
    CHECK(tn_check_rows(check) == 3 && tn_check_rank(check) == 2 && tn_check_freedoms(check) == 1);
    CHECK(tn_check_redundant_count(check) == 1);
    CHECK(tn_check_redundant(check, 0).joint.index == wall.index);
    CHECK(tn_check_redundant(check, 0).repeats[0].index == wire.index);
    CHECK(!tn_check_unique(check, wall, 0) && !tn_check_unique(check, wire, 0));
    CHECK(tn_check_unique(check, wire, 1));
    tn_check_destroy(check);
    tn_model_destroy(model);
}

// A parallelogram folded flat loses a rank there and only there.
static tn_model *flat_parallelogram(void)
{
    tn_model *model = tn_model_create();
    const tn_vec3 from[3] = {{0.0, 0.0, 0.0}, {0.5, 0.0, 0.0}, {1.5, 0.0, 0.0}};
    const double length[3] = {0.5, 1.0, -0.5};
    static const char *const names[] = {"crank", "coupler", "rocker"};
    part last = ground;
    for (int k = 0; k < 3; k++) {
        tn_body_def def = body_def(names[k], 1.0, tn_v3(1.0, 1.0, 0.1),
                                   frame_at(from[k].x + 0.5 * length[k], 0.0, 0.0));
        def.kind = TN_BODY_PLANAR;
        const part next = add_part(model, &def);
        join(model, TN_JOINT_PLANAR_REVOLUTE, names[k], last, next, frame_at(from[k].x, 0.0, 0.0));
        last = next;
    }
    join(model, TN_JOINT_PLANAR_REVOLUTE, "last", last, ground, frame_at(1.0, 0.0, 0.0));
    return model;
}

static void singular_position_is_not_called_redundant(void)
{
    tn_model *model = flat_parallelogram();
    tn_check *check = examine(model);
    CHECK(tn_check_rows(check) == 8 && tn_check_redundant_count(check) == 0);
    CHECK(tn_check_rank(check) == 8 && tn_check_freedoms(check) == 1);
    tn_check_destroy(check);
    tn_model_destroy(model);

    model = tn_model_create(); // two rods in one line: rank 1 here, 2 anywhere else
    const part bob = point_2d(model, "bob", 1.0, 1.0, 0.0);
    rod_between(model, "left", ground, bob, 1.0);
    tn_joint_def right = tn_default_joint(TN_JOINT_DISTANCE);
    right.name = "right";
    right.body_b = bob.id;
    right.frame_a.p = tn_v3(2.0, 0.0, 0.0);
    right.distance.length = 1.0;
    tn_model_add_joint(model, &right);
    check = examine(model);
    CHECK(tn_check_redundant_count(check) == 0 && tn_check_freedoms(check) == 0);
    tn_check_destroy(check);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"start is consistent on all four levels", start_is_consistent_on_all_four_levels},
    {"driven coordinate starts with the rate of the drive",
     driven_coordinate_starts_with_the_rate_of_the_drive},
    {"nonholonomic rows hold at the start", nonholonomic_rows_hold_at_the_start},
    {"fixed start does not move and the report says what did",
     fixed_start_does_not_move_and_the_report_says_what_did},
    {"held body starts exactly as given", held_body_starts_exactly_as_given},
    {"gap is shared evenly whatever the masses", gap_is_shared_evenly_whatever_the_masses},
    {"stated values do not move where open ones can",
     stated_values_do_not_move_where_open_ones_can},
    {"what is stated of a body frame is kept", what_is_stated_of_a_body_frame_is_kept},
    {"stated joint coordinates and rates are met", stated_joint_coordinates_and_rates_are_met},
    {"mechanism that does not reach is named", mechanism_that_does_not_reach_is_named},
    {"contradicting constraints are named", contradicting_constraints_are_named},
    {"contradicting start rates are named", contradicting_start_rates_are_named},
    {"direction without inertia is named", direction_without_inertia_is_named},
    {"massless body is legal where it is held", massless_body_is_legal_where_it_is_held},
    {"repeated rows are named with what they repeat",
     repeated_rows_are_named_with_what_they_repeat},
    {"rows beside a redundant one keep unique multipliers",
     rows_beside_a_redundant_one_keep_unique_multipliers},
    {"singular position is not called redundant", singular_position_is_not_called_redundant},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
