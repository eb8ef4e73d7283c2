// SPDX-License-Identifier: MIT
//
// Reactions of structures at rest against equilibrium. A reaction is the force and the moment on
// body B at the origin of its joint frame, in inertial axes; body A gets the opposite at the same
// point.
//
// Every case is checked twice: the values that a hand calculation gives, and the balance of forces
// and moments of each single body, which for a determinate structure fixes every reaction.

#include "mechanism.h"

#define MAX_JOINTS 8
#define MAX_PARTS 5

static const double GRAVITY = 9.80665;
static const double TOLERANCE = 1e-10; // forces up to 80 N
// Steps of index3 divide the round-off of positions by h^2 = 4e-4 s^2, and its double root rho_inf
// lets what results swing for a while.
static const double INDEX3_TOLERANCE = 1e-8;
static const tn_vec3 zero = {0.0, 0.0, 0.0};

typedef struct structure {
    tn_model *model;
    tn_vec3 up; // against gravity
    int nparts, njoints;
    part part[MAX_PARTS];
    double mass[MAX_PARTS];
    tn_vec3 com[MAX_PARTS]; // in the body frame
    tn_joint_def def[MAX_JOINTS];
    tn_joint joint[MAX_JOINTS];
} structure;

static structure create(tn_vec3 up)
{
    structure s = {.model = tn_model_create(), .up = up};
    tn_model_set_gravity(s.model, tn_v3_scale(-GRAVITY, up));
    return s;
}

static part put_body(structure *s, const tn_body_def *def)
{
    const part p = add_part(s->model, def);
    s->part[s->nparts] = p;
    s->mass[s->nparts] = def->mass;
    s->com[s->nparts++] = def->com;
    return p;
}

static int put_joint(structure *s, const tn_joint_def *def)
{
    s->def[s->njoints] = *def;
    s->joint[s->njoints] = tn_model_add_joint(s->model, def);
    return s->njoints++;
}

static int put(structure *s, tn_joint_kind kind, const char *name, part a, part b, tn_frame at)
{
    const tn_joint_def def = joint_at(kind, name, a, b, at);
    return put_joint(s, &def);
}

// A rod from `from` to the point `to` of body b.
static int put_rod(structure *s, const char *name, tn_vec3 from, part b, tn_vec3 to)
{
    tn_joint_def def = joint_at(TN_JOINT_DISTANCE, name, ground, b, (tn_frame){tn_m3_identity, to});
    def.frame_a.p = from;
    return put_joint(s, &def);
}

// Adds a wrench at `point` to the sums about `centre`.
static void add_load(tn_vec3 centre, tn_vec3 point, double sign, tn_wrench w, tn_wrench *sum)
{
    const tn_vec3 arm = tn_v3_sub(point, centre);
    sum->f = tn_v3_axpy(sign, w.f, sum->f);
    sum->m = tn_v3_axpy(sign, tn_v3_add(w.m, tn_v3_cross(arm, w.f)), sum->m);
}

static tn_vec3 joint_point(tn_sim *sim, const tn_joint_def *def) // origin of frame B
{
    return tn_frame_point(tn_sim_body_frame(sim, def->body_b), def->frame_b.p);
}

// Weight and reactions of each body cancel; moments about its centre of mass.
static void check_balance(const structure *s, tn_sim *sim, double tol)
{
    for (int i = 0; i < s->nparts; i++) {
        const tn_body body = s->part[i].id;
        const tn_vec3 com = tn_frame_point(tn_sim_body_frame(sim, body), s->com[i]);
        tn_wrench sum = {tn_v3_scale(-GRAVITY * s->mass[i], s->up), zero};
        for (int k = 0; k < s->njoints; k++) {
            const tn_joint_def *def = &s->def[k];
            const tn_wrench w = tn_sim_joint_reaction(sim, s->joint[k]);
            const tn_vec3 at = joint_point(sim, def);
            if (def->body_b.index == body.index)
                add_load(com, at, 1.0, w, &sum);
            if (def->body_a.index == body.index)
                add_load(com, at, -1.0, w, &sum);
        }
        CHECK_NEAR(largest(sum.f), 0.0, tol);
        CHECK_NEAR(largest(sum.m), 0.0, tol);
    }
}

typedef struct expected {
    int joint;
    tn_vec3 f, m;
} expected;

static void check_reactions(const structure *s, tn_sim *sim, int n, const expected *values,
                            double tol)
{
    check_balance(s, sim, tol);
    for (int i = 0; i < n; i++) {
        const tn_wrench w = tn_sim_joint_reaction(sim, s->joint[values[i].joint]);
        CHECK_NEAR(distance(w.f, values[i].f), 0.0, tol);
        CHECK_NEAR(distance(w.m, values[i].m), 0.0, tol);
    }
}

// Checks the start and every later step of a while, by several methods, and ends the structure.
static void settle(structure *s, int n, const expected *values)
{
    const char *const methods[] = {"galpha/ggl", "galpha/index2", "galpha/index3", "hht/ggl"};
    for (int j = 0; j < TN_COUNT(methods); j++)
        for (int se3 = 0; se3 < 2; se3++) {
            const double tol = strstr(methods[j], "index3") ? INDEX3_TOLERANCE : TOLERANCE;
            tn_sim_options options = tn_default_sim();
            options.method = methods[j];
            options.rotation = se3 ? "se3" : "so3";
            tn_sim *sim = NULL;
            CHECK_OK(tn_sim_create(s->model, &options, &sim));
            check_reactions(s, sim, n, values, TOLERANCE);
            for (int k = 0; k < 50; k++) {
                CHECK_OK(tn_sim_step(sim, 0.02));
                check_reactions(s, sim, n, values, tol);
            }
            tn_sim_destroy(sim);
        }
    tn_model_destroy(s->model);
}

static const tn_vec3 up_z = {0.0, 0.0, 1.0}, up_y = {0.0, 1.0, 0.0};

// Case 03 of the prismatic joints of the ADAMS set: the axis, z of Rx(-90 deg), is level; the
// centre of mass is 2 m beside the joint.
static void level_slider_carries_weight_and_moment(void)
{
    const double W = GRAVITY;
    const tn_frame joint = {tn_m3_rot_x(-0.5 * PI), {1, 2, 3}};
    structure s = create(up_z);
    const tn_body_def def =
        body_def("body", 1.0, (tn_vec3){0.04, 0.1, 0.1}, (tn_frame){joint.R, {3, 2, 3}});
    const part body = put_body(&s, &def);
    put(&s, TN_JOINT_PRISMATIC, "slider", ground, body, joint);
    settle(&s, 1, &(expected){0, {0, 0, W}, {0, -2.0 * W, 0}});
}

// The centre of mass is off the body frame and off the weld: M = (c - p) x (0, 0, m g).
static void cantilever_holds_an_eccentric_mass(void)
{
    const double W = 2.5 * GRAVITY;
    const tn_frame weld = {tn_m3_mul(tn_m3_rot_z(0.4), tn_m3_rot_y(1.1)), {0.2, -0.1, 0.5}};
    structure s = create(up_z);
    tn_body_def def = body_def("beam", 2.5, (tn_vec3){0.2, 0.3, 0.4},
                               (tn_frame){tn_m3_rot_z(0.5 * PI), {1.0, 0.0, 0.5}});
    def.com = (tn_vec3){0.3, -0.4, 0.2}; // at (1.4, 0.3, 0.7) in the inertial frame
    const part beam = put_body(&s, &def);
    put(&s, TN_JOINT_FIXED, "wall", ground, beam, weld);
    settle(&s, 1, &(expected){0, {0, 0, W}, {0.4 * W, -1.2 * W, 0}});
}

// A weld between two bodies, the ground on the side of body B: signs turn with the sides.
static void ground_may_be_body_b(void)
{
    const double W = 2.0 * GRAVITY;
    structure s = create(up_z);
    const tn_body_def def = body_def("beam", 2.0, (tn_vec3){0.2, 0.3, 0.4}, frame_at(1, 0, 0));
    const part beam = put_body(&s, &def);
    put(&s, TN_JOINT_FIXED, "wall", beam, ground, tn_frame_identity);
    settle(&s, 1, &(expected){0, {0, 0, -W}, {0, W, 0}});
}

static part put_planar(structure *s, const char *name, double mass, tn_frame at)
{
    tn_body_def def = body_def(name, mass, (tn_vec3){0.1, 0.1, 0.1}, at);
    def.kind = TN_BODY_PLANAR;
    return put_body(s, &def);
}

// Three-hinged arch of span 4 and rise 2 with straight halves of weights 2 g and 6 g, whose
// centres are at x = 1 and x = 3. Moments about the feet: V_A = (2 3 + 6 1) g / 4 = 3 g, V_B = 5
// g; about the crown on the left half: H 2 + 2 g 1 = 3 g 2, so H = 2 g.
static void three_hinged_arch_thrusts_outwards(void)
{
    const double g = GRAVITY;
    structure s = create(up_y);
    const part left = put_planar(&s, "left", 2.0, frame_at(1, 1, 0));
    const part right = put_planar(&s, "right", 6.0, frame_at(3, 1, 0));
    const expected values[] = {
        {put(&s, TN_JOINT_REVOLUTE, "foot A", ground, left, frame_at(0, 0, 0)),
         {2 * g, 3 * g, 0},
         zero},
        {put(&s, TN_JOINT_REVOLUTE, "foot B", ground, right, frame_at(4, 0, 0)),
         {-2 * g, 5 * g, 0},
         zero},
        {put(&s, TN_JOINT_REVOLUTE, "crown", left, right, frame_at(2, 2, 0)), {2 * g, g, 0}, zero},
    };
    settle(&s, TN_COUNT(values), values);
}

// Beam of length 4 from a pin to a roller on a ramp, weight W at a quarter of it: with the normal n
// of the ramp the roller gives N n, 4 N n_y = W.
static void beam_rests_on_a_pin_and_a_roller(void)
{
    const double W = 3.0 * GRAVITY, ramp = PI / 6.0, N = 0.25 * W / cos(ramp);
    structure s = create(up_y);
    tn_body_def def = body_def("beam", 3.0, (tn_vec3){0.1, 0.1, 0.7}, frame_at(0, 0, 0));
    def.kind = TN_BODY_PLANAR;
    def.com.x = 1.0;
    const part beam = put_body(&s, &def);
    const expected values[] = {
        {put(&s, TN_JOINT_REVOLUTE, "pin", ground, beam, frame_at(0, 0, 0)),
         {N * sin(ramp), 0.75 * W, 0},
         zero},
        {put(&s, TN_JOINT_POINT_ON_LINE, "roller", ground, beam,
             (tn_frame){tn_m3_rot_z(ramp), {4, 0, 0}}),
         {-N * sin(ramp), 0.25 * W, 0},
         zero},
    };
    settle(&s, TN_COUNT(values), values);
}

// The same in space: a ball joint and a bearing that is free along the beam. The beam may turn
// about its own axis, on which its centre of mass lies.
static void beam_in_space_rests_on_a_ball_and_a_bearing(void)
{
    const double W = 3.0 * GRAVITY;
    const tn_mat3 z_to_x = tn_m3_rot_y(0.5 * PI);
    structure s = create(up_z);
    tn_body_def def = body_def("beam", 3.0, (tn_vec3){0.1, 0.7, 0.7}, frame_at(0, 0, 0));
    def.com.x = 1.0;
    const part beam = put_body(&s, &def);
    const expected values[] = {
        {put(&s, TN_JOINT_SPHERICAL, "ball", ground, beam, frame_at(0, 0, 0)),
         {0, 0, 0.75 * W},
         zero},
        {put(&s, TN_JOINT_POINT_ON_LINE, "bearing", ground, beam, (tn_frame){z_to_x, {4, 0, 0}}),
         {0, 0, 0.25 * W},
         zero},
    };
    settle(&s, TN_COUNT(values), values);
}

static void hanging_chain_carries_what_is_below(void)
{
    const double g = GRAVITY;
    const char *const names[] = {"top", "middle", "bottom"};
    structure s = create(up_z);
    part above = ground;
    for (int i = 0; i < 3; i++) {
        const tn_body_def def =
            body_def(names[i], i + 1.0, (tn_vec3){0.1, 0.1, 0.05}, frame_at(0, 0, -0.5 - i));
        const part link = put_body(&s, &def);
        put(&s, TN_JOINT_SPHERICAL, names[i], above, link, frame_at(0, 0, -i));
        above = link;
    }
    const expected values[] = {
        {0, {0, 0, 6 * g}, zero}, {1, {0, 0, 5 * g}, zero}, {2, {0, 0, 3 * g}, zero}};
    settle(&s, TN_COUNT(values), values);
}

// A tripod: feet f_i in the plane z = 0 around the origin, apex a = (0, 0, 3). Legs push along
// a - f_i with c_i (a - f_i): sum c_i f_i = 0 and 3 sum c_i = load give c = (7, 8, 6) load / 63.
static const tn_vec3 apex = {0.0, 0.0, 3.0};
static const tn_vec3 feet[] = {{2.0, 0.0, 0.0}, {-1.0, 1.5, 0.0}, {-1.0, -2.0, 0.0}};
static const double share[] = {7.0 / 63.0, 8.0 / 63.0, 6.0 / 63.0};
static const char *const leg_names[] = {"leg 1", "leg 2", "leg 3"};

static void tripod_of_rods_holds_a_point(void)
{
    const double W = 2.0 * GRAVITY;
    structure s = create(up_z);
    tn_body_def def = body_def("apex", 2.0, zero, (tn_frame){tn_m3_identity, apex});
    def.kind = TN_BODY_POINT;
    const part top = put_body(&s, &def);
    expected values[3];
    for (int i = 0; i < 3; i++)
        values[i] = (expected){put_rod(&s, leg_names[i], feet[i], top, apex),
                               tn_v3_scale(share[i] * W, tn_v3_sub(apex, feet[i])), zero};
    settle(&s, 3, values);
}

// Legs with a weight w of their own on ball joints: half of it goes to either end, so the legs
// carry the head and 3 w / 2 along themselves. Head and legs may spin, which nothing turns.
static void tripod_of_legs_on_ball_joints(void)
{
    const double W = 2.0 * GRAVITY, w = 1.5 * GRAVITY;
    const char *const foot_names[] = {"foot 1", "foot 2", "foot 3"};
    structure s = create(up_z);
    const tn_body_def def =
        body_def("head", 2.0, (tn_vec3){0.2, 0.2, 0.2}, (tn_frame){tn_m3_identity, apex});
    const part head = put_body(&s, &def);
    expected values[6];
    for (int i = 0; i < 3; i++) {
        const tn_vec3 middle = tn_v3_scale(0.5, tn_v3_add(apex, feet[i]));
        const tn_vec3 push = tn_v3_scale(share[i] * (W + 1.5 * w), tn_v3_sub(apex, feet[i]));
        const tn_body_def leg_def = body_def(leg_names[i], 1.5, (tn_vec3){0.4, 0.3, 0.2},
                                             (tn_frame){tn_m3_identity, middle});
        const part leg = put_body(&s, &leg_def);
        const int foot = put(&s, TN_JOINT_SPHERICAL, foot_names[i], ground, leg,
                             (tn_frame){tn_m3_identity, feet[i]});
        const int top =
            put(&s, TN_JOINT_SPHERICAL, leg_names[i], leg, head, (tn_frame){tn_m3_identity, apex});
        values[2 * i] = (expected){foot, tn_v3_axpy(0.5 * w, up_z, push), zero};
        values[2 * i + 1] = (expected){top, tn_v3_axpy(-0.5 * w, up_z, push), zero};
    }
    settle(&s, 6, values);
}

// Six rods of a hexapod hold all freedoms of a platform: the balance determines their forces, which
// act along the rods.
static void hexapod_of_rods_holds_a_platform(void)
{
    structure s = create(up_z);
    tn_body_def def = body_def("platform", 4.0, (tn_vec3){0.4, 0.4, 0.7},
                               (tn_frame){tn_m3_rot_z(0.1), {0.1, -0.05, 1.0}});
    def.com = (tn_vec3){0.2, 0.1, 0.15};
    const part platform = put_body(&s, &def);
    const char *const names[] = {"rod 1", "rod 2", "rod 3", "rod 4", "rod 5", "rod 6"};
    tn_vec3 along[6];
    for (int i = 0; i < 6; i++) {
        const double low = (i / 2) * 2.0 * PI / 3.0 + (i % 2 ? 0.2 : -0.2);
        const double high = (i / 2) * 2.0 * PI / 3.0 + (i % 2 ? 0.9 : -0.9);
        const tn_vec3 from = {1.2 * cos(low), 1.2 * sin(low), 0.0};
        const tn_vec3 to =
            tn_frame_point(def.frame, (tn_vec3){0.6 * cos(high), 0.6 * sin(high), 0});
        put_rod(&s, names[i], from, platform, to);
        along[i] = tn_v3_sub(to, from);
    }
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(s.model, &options, &sim));
    for (int i = 0; i < 6; i++) {
        const tn_wrench w = tn_sim_joint_reaction(sim, s.joint[i]);
        CHECK_NEAR(largest(tn_v3_cross(w.f, along[i])), 0.0, TOLERANCE);
        CHECK_NEAR(largest(w.m), 0.0, TOLERANCE);
    }
    tn_sim_destroy(sim);
    settle(&s, 0, NULL);
}

static const tn_test tests[] = {
    {"level slider carries weight and moment", level_slider_carries_weight_and_moment},
    {"cantilever holds an eccentric mass", cantilever_holds_an_eccentric_mass},
    {"ground may be body B", ground_may_be_body_b},
    {"three-hinged arch thrusts outwards", three_hinged_arch_thrusts_outwards},
    {"beam rests on a pin and a roller", beam_rests_on_a_pin_and_a_roller},
    {"beam in space rests on a ball and a bearing", beam_in_space_rests_on_a_ball_and_a_bearing},
    {"hanging chain carries what is below", hanging_chain_carries_what_is_below},
    {"tripod of rods holds a point", tripod_of_rods_holds_a_point},
    {"tripod of legs on ball joints", tripod_of_legs_on_ball_joints},
    {"hexapod of rods holds a platform", hexapod_of_rods_holds_a_platform},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
