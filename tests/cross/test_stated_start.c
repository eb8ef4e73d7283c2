// SPDX-License-Identifier: MIT
//
// What a model states of its start holds, in all coordinates: random trees given by joint
// coordinates and rates alone against a forward kinematics of their own, loops with one stated
// crank under masses of any size, guesses that choose a branch, and contradictions by name.

#include "tenon/tenon.h"
#include "test.h"
#include "workshop.h"

#include <math.h>
#include <string.h>

static const char *const roads[] = {"galpha/ggl@absolute", "galpha/ggl@joint",
                                    "energy-momentum/multiplier@director"};

static tn_sim *begin(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = 1e-3;
    options.massless_tol = 1e-30; // masses of any size
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

// The motion of frame B seen from frame A, in axes of A -------------------------------------------

typedef struct relative {
    tn_mat3 R;
    tn_vec3 p, v, w;
} relative;

static relative motion_of(const tn_joint_def *def, tn_mat3 given)
{
    const double *q = def->position, *u = def->rate;
    const tn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    relative m = {.R = tn_m3_identity};
    switch (def->kind) {
    case TN_JOINT_REVOLUTE:
        m.R = tn_m3_rot_z(q[0]);
        m.w = tn_v3_scale(u[0], z);
        break;
    case TN_JOINT_PRISMATIC:
        m.p = tn_v3_scale(q[0], z);
        m.v = tn_v3_scale(u[0], z);
        break;
    case TN_JOINT_CYLINDRICAL:
        m.R = tn_m3_rot_z(q[0]);
        m.w = tn_v3_scale(u[0], z);
        m.p = tn_v3_scale(q[1], z);
        m.v = tn_v3_scale(u[1], z);
        break;
    case TN_JOINT_UNIVERSAL:
        m.R = tn_m3_mul(tn_m3_rot_x(q[0]), tn_m3_rot_y(q[1]));
        m.w = tn_v3_add(tn_v3_scale(u[0], x), tn_m3_apply(tn_m3_rot_x(q[0]), tn_v3_scale(u[1], y)));
        break;
    case TN_JOINT_SPHERICAL: // has no coordinates: stays as the bodies are left
        m.R = given;
        break;
    case TN_JOINT_PLANAR:
        m.R = tn_m3_rot_z(q[2]);
        m.w = tn_v3_scale(u[2], z);
        m.p = tn_v3(q[0], q[1], 0.0);
        m.v = tn_v3(u[0], u[1], 0.0);
        break;
    case TN_JOINT_SCREW:
        m.R = tn_m3_rot_z(q[0]);
        m.w = tn_v3_scale(u[0], z);
        m.p = tn_v3_scale(def->screw.pitch * q[0], z);
        m.v = tn_v3_scale(def->screw.pitch * u[0], z);
        break;
    default: // fixed
        break;
    }
    return m;
}

// Of a body frame.
typedef struct moving {
    tn_frame x;
    tn_vec3 v, w; // world axes
} moving;

static moving carried(moving A, const tn_joint_def *def)
{
    const tn_mat3 given = tn_m3_mul(tn_m3_transpose(def->frame_a.R), def->frame_b.R);
    const relative m = motion_of(def, given);
    const tn_mat3 Ra = tn_m3_mul(A.x.R, def->frame_a.R);
    const tn_vec3 arm = tn_v3_add(tn_m3_apply(A.x.R, def->frame_a.p), tn_m3_apply(Ra, m.p));
    moving B;
    B.w = tn_v3_add(A.w, tn_m3_apply(Ra, m.w));
    B.x.R = tn_m3_mul(tn_m3_mul(Ra, m.R), tn_m3_transpose(def->frame_b.R));
    const tn_vec3 back = tn_v3_neg(tn_m3_apply(B.x.R, def->frame_b.p));
    B.x.p = tn_v3_add(tn_v3_add(A.x.p, arm), back);
    B.v = tn_v3_add(tn_v3_add(A.v, tn_v3_cross(A.w, arm)),
                    tn_v3_add(tn_m3_apply(Ra, m.v), tn_v3_cross(B.w, back)));
    return B;
}

// Trees -------------------------------------------------------------------------------------------

enum { TREE_BODIES = 7 };

typedef struct planted {
    tn_model *model;
    moving body[TREE_BODIES + 1];
    tn_joint_def joint[TREE_BODIES + 1]; // that carries it
} planted;

static tn_joint_def stated_joint(tn_body a, tn_body b, double length)
{
    static const tn_joint_kind kinds[] = {
        TN_JOINT_FIXED,     TN_JOINT_REVOLUTE,  TN_JOINT_PRISMATIC, TN_JOINT_CYLINDRICAL,
        TN_JOINT_UNIVERSAL, TN_JOINT_SPHERICAL, TN_JOINT_PLANAR,    TN_JOINT_SCREW};
    static const int coordinates[] = {0, 1, 1, 2, 2, 0, 3, 1};
    const int k = (int)(random_unit() * (TN_COUNT(kinds) - 1e-9));
    tn_joint_def def = tn_default_joint(kinds[k]);
    def.body_a = a;
    def.body_b = b;
    def.frame_a = (tn_frame){random_rotation(), random_vec3(0.5 * length)};
    def.frame_b = (tn_frame){random_rotation(), random_vec3(0.5 * length)};
    def.nposition = def.nrate = coordinates[k];
    for (int i = 0; i < def.nposition; i++) {
        const bool slides = kinds[k] == TN_JOINT_PRISMATIC ||
                            (kinds[k] == TN_JOINT_CYLINDRICAL && i == 1) ||
                            (kinds[k] == TN_JOINT_PLANAR && i < 2);
        def.position[i] = 3.0 * tn_random() * (slides ? length : 1.0);
        def.rate[i] = 2.0 * tn_random() * (slides ? length : 1.0);
    }
    if (kinds[k] == TN_JOINT_SCREW)
        def.screw.pitch = 0.1 * length;
    return def;
}

static planted plant(double length)
{
    planted p = {.model = tn_model_create()};
    p.body[0].x = tn_frame_identity;
    for (int k = 1; k <= TREE_BODIES; k++) {
        tn_body_def def = tn_default_body();
        const double mass = pow(10.0, 4.0 * tn_random());
        def.mass = mass;
        def.com = random_vec3(0.3 * length);
        def.inertia = tn_v3_scale(mass * length * length, tn_v3(0.3, 0.4, 0.35));
        const tn_body id = tn_model_add_body(p.model, &def);
        const int below = (int)(random_unit() * (k - 1e-9));
        p.joint[k] = stated_joint((tn_body){below}, id, length);
        tn_model_add_joint(p.model, &p.joint[k]);
        p.body[k] = carried(p.body[below], &p.joint[k]);
    }
    CHECK_OK(tn_model_status(p.model));
    return p;
}

static void check_planted(const planted *p, const char *method, double length)
{
    const double tol = 1e-11;
    tn_sim *sim = begin(p->model, method);
    for (int k = 1; k <= TREE_BODIES; k++) {
        const moving *x = &p->body[k];
        const tn_frame now = tn_sim_body_frame(sim, (tn_body){k});
        const tn_vec3 w = tn_m3_apply(now.R, tn_sim_body_rate(sim, (tn_body){k}));
        const tn_vec3 v = tn_sim_body_velocity(sim, (tn_body){k});
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(now.p, x->x.p)) / length, 0.0, tol);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(now.R.m[i / 3][i % 3], x->x.R.m[i / 3][i % 3], tol);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(v, x->v)) / length, 0.0, 10.0 * tol);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(w, x->w)), 0.0, 10.0 * tol);
    }
    for (int k = 1; k <= TREE_BODIES; k++) {
        double q[3] = {0}, u[3] = {0};
        tn_sim_joint_coordinates(sim, (tn_joint){k - 1}, q, u);
        for (int i = 0; i < p->joint[k].nposition; i++) {
            CHECK_NEAR(q[i], p->joint[k].position[i], tol * fmax(1.0, length));
            CHECK_NEAR(u[i], p->joint[k].rate[i], 10.0 * tol * fmax(1.0, length));
        }
    }
    tn_sim_destroy(sim);
}

static void trees_start_as_their_joint_coordinates_and_rates_state(void)
{
    static const double lengths[] = {1.0, 1.0, 1.0, 1e-4, 1e4};
    for (int trial = 0; trial < 40; trial++) {
        const double length = lengths[trial % TN_COUNT(lengths)];
        planted p = plant(length);
        for (int road = 0; road < TN_COUNT(roads); road++)
            check_planted(&p, roads[road], length);
        tn_model_destroy(p.model);
    }
}

// Every link turned by the same angle against the one before: a circle of links.
static void long_chain_starts_at_its_joint_angles(void)
{
    enum { LINKS = 1000 };
    tn_model *model = tn_model_create();
    tn_body below = TN_GROUND;
    for (int k = 0; k < LINKS; k++) {
        tn_body_def def = tn_default_body();
        def.com = tn_v3(0.05, 0.0, 0.0);
        const tn_body link = tn_model_add_body(model, &def);
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a = below;
        pin.body_b = link;
        pin.frame_a.p.x = k > 0 ? 0.1 : 0.0;
        pin.nposition = pin.nrate = 1;
        pin.position[0] = 0.3;
        pin.rate[0] = 1e-3;
        tn_model_add_joint(model, &pin);
        below = link;
    }
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const tn_frame last = tn_sim_body_frame(sim, below);
    CHECK_NEAR(last.R.m[0][0], cos(0.3 * LINKS), 1e-9);
    CHECK_NEAR(last.R.m[1][0], sin(0.3 * LINKS), 1e-9);
    CHECK_NEAR(tn_sim_body_rate(sim, below).z, 1e-3 * LINKS, 1e-9);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Loops -------------------------------------------------------------------------------------------

typedef struct linkage {
    tn_model *model;
    tn_body crank, coupler, rocker;
    tn_joint at_crank;
} linkage;

typedef struct request {
    bool body, joint; // states the angle and rate of the crank on the body or on its joint
    bool guess;       // of the rocker
    double angle, rate, rocker;
} request;

static tn_body bar(tn_model *model, const char *name, double mass, const request *w)
{
    tn_body_def def = tn_default_body();
    def.name = name;
    def.kind = TN_BODY_PLANAR;
    def.mass = mass;
    def.inertia.z = 0.02 * mass;
    if (w) {
        def.frame.R = tn_m3_rot_z(w->angle);
        def.rate.z = w->rate;
        def.given_rotation = def.given_rate = true;
    }
    return tn_model_add_body(model, &def);
}

static tn_joint pin(tn_model *model, const char *name, tn_body a, double xa, tn_body b, double xb,
                    const double *position, const double *rate, bool guess)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_PLANAR_REVOLUTE);
    def.name = name;
    def.body_a = a;
    def.body_b = b;
    def.frame_a.p.x = xa;
    def.frame_b.p.x = xb;
    def.nposition = position != NULL;
    def.nrate = rate != NULL;
    def.position[0] = position ? *position : 0.0;
    def.rate[0] = rate ? *rate : 0.0;
    def.guess = guess;
    return tn_model_add_joint(model, &def);
}

// Crank 0.5, coupler 1.2, rocker 0.8, ground 1.
static linkage four_bar(const double mass[3], const request *w)
{
    linkage f = {.model = tn_model_create()};
    f.crank = bar(f.model, "crank", mass[0], w->body ? w : NULL);
    f.coupler = bar(f.model, "coupler", mass[1], NULL);
    f.rocker = bar(f.model, "rocker", mass[2], NULL);
    f.at_crank = pin(f.model, "A", TN_GROUND, 0.0, f.crank, 0.0, w->joint ? &w->angle : NULL,
                     w->joint ? &w->rate : NULL, false);
    pin(f.model, "B", f.crank, 0.5, f.coupler, -0.6, NULL, NULL, false);
    pin(f.model, "C", f.coupler, 0.6, f.rocker, 0.8, NULL, NULL, false);
    pin(f.model, "D", TN_GROUND, 1.0, f.rocker, 0.0, w->guess ? &w->rocker : NULL, NULL, w->guess);
    return f;
}

typedef struct seen {
    double angle[3], rate[3];
} seen;

static seen look(const linkage *f, const char *method)
{
    const tn_body body[3] = {f->crank, f->coupler, f->rocker};
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = 1e-3;
    options.massless_tol = 1e-30;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(f->model, &options, &sim));
    seen s;
    for (int k = 0; k < 3; k++) {
        const tn_frame x = tn_sim_body_frame(sim, body[k]);
        s.angle[k] = atan2(x.R.m[1][0], x.R.m[0][0]);
        s.rate[k] = tn_sim_body_rate(sim, body[k]).z;
    }
    tn_sim_destroy(sim);
    return s;
}

static void masses_have_no_part_in_the_start_of_a_loop(void)
{
    for (int trial = 0; trial < 24; trial++) {
        const request w = {.body = trial % 2,
                           .joint = !(trial % 2),
                           .angle = 2.5 * tn_random(),
                           .rate = 2.0 * tn_random()};
        const double even[3] = {1.0, 1.0, 1.0};
        linkage f = four_bar(even, &w);
        const seen expected = look(&f, roads[0]);
        tn_model_destroy(f.model);
        CHECK_NEAR(expected.angle[0], w.angle, 1e-13);
        CHECK_NEAR(expected.rate[0], w.rate, 1e-13);
        double mass[3];
        for (int k = 0; k < 3; k++)
            mass[k] = pow(10.0, 6.0 * tn_random());
        f = four_bar(mass, &w);
        for (int road = 0; road < TN_COUNT(roads); road++) {
            const seen s = look(&f, roads[road]);
            CHECK_NEAR(s.angle[0], w.angle, 1e-13);
            CHECK_NEAR(s.rate[0], w.rate, 1e-12);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(s.angle[k], expected.angle[k], 1e-11);
                CHECK_NEAR(s.rate[k], expected.rate[k], 1e-10);
            }
        }
        tn_model_destroy(f.model);
    }
}

// With the crank at one angle the rocker can stand on either side of the line from B to D.
static void guess_chooses_the_branch(void)
{
    const double even[3] = {1.0, 1.0, 1.0}, angle = 0.8;
    const double bx = 0.5 * cos(angle) - 1.0, by = 0.5 * sin(angle); // B from D
    const double d = hypot(bx, by), to_b = atan2(by, bx);
    const double apart = acos((0.64 + d * d - 1.44) / (1.6 * d));
    for (int side = -1; side <= 1; side += 2) {
        const double truth = to_b + side * apart;
        const request w = {.joint = true, .angle = angle, .guess = true, .rocker = truth + 0.5};
        linkage f = four_bar(even, &w);
        const seen s = look(&f, roads[0]);
        CHECK_NEAR(s.angle[0], angle, 1e-13);
        CHECK_NEAR(sin(s.angle[2] - truth), 0.0, 1e-12);
        CHECK(cos(s.angle[2] - truth) > 0.0);
        tn_model_destroy(f.model);
    }
}

// A bar with its frame in the middle; states where it is, and with `angle` its angle.
static tn_body middle_bar(tn_model *model, bool space, tn_vec3 from, tn_vec3 to, bool angle)
{
    const tn_vec3 along = tn_v3_sub(to, from);
    tn_body_def def = tn_default_body();
    def.kind = space ? TN_BODY_RIGID : TN_BODY_PLANAR;
    def.mass = 1.0;
    def.inertia = (tn_vec3){0.1, 0.1, 0.1};
    def.frame.p = tn_v3_scale(0.5, tn_v3_add(from, to));
    def.given_position = true;
    if (angle)
        def.frame.R = tn_m3_rot_z(atan2(along.y, along.x));
    def.given_rotation = angle;
    return tn_model_add_body(model, &def);
}

static void turn_joint(tn_model *model, bool space, tn_body a, tn_vec3 at, tn_body b, double xb,
                       const double *position)
{
    tn_joint_def def = tn_default_joint(space ? TN_JOINT_REVOLUTE : TN_JOINT_PLANAR_REVOLUTE);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.p = at;
    def.frame_b.p.x = xb;
    def.nposition = position != NULL;
    def.position[0] = position ? *position : 0.0;
    CHECK(tn_model_add_joint(model, &def).index >= 0);
}

// Where bars of these lengths from B and D meet, left (1) or right (-1) of the line from B to D.
static tn_vec3 meeting(tn_vec3 B, tn_vec3 D, double coupler, double rocker, int side)
{
    const tn_vec3 line = tn_v3_sub(D, B);
    const double d = tn_v3_norm(line);
    const double x = (coupler * coupler - rocker * rocker + d * d) / (2.0 * d);
    const double y = side * sqrt(coupler * coupler - x * x);
    return (tn_vec3){B.x + (x * line.x - y * line.y) / d, B.y + (x * line.y + y * line.x) / d, 0.0};
}

// Bodies are stated with the crank at `near`, its joint at `angle`: the joint holds, and the rocker
// stands on the side on which the positions of bodies are.
static void check_side(double near, double angle, int side, bool angles, bool space)
{
    const double crank = 0.3, coupler = 0.894427191, rocker = 0.728010988;
    const tn_vec3 O = {0.0, 0.0, 0.0}, D = {1.0, 0.0, 0.0};
    const tn_vec3 stated_B = {crank * cos(near), crank * sin(near), 0.0};
    const tn_vec3 stated_C = meeting(stated_B, D, coupler, rocker, side);
    const tn_vec3 B = {crank * cos(angle), crank * sin(angle), 0.0};
    const tn_vec3 C = meeting(B, D, coupler, rocker, side);
    tn_model *model = tn_model_create();
    const tn_body bars[3] = {middle_bar(model, space, O, stated_B, true),
                             middle_bar(model, space, stated_B, stated_C, angles),
                             middle_bar(model, space, D, stated_C, angles)};
    turn_joint(model, space, TN_GROUND, O, bars[0], -0.5 * crank, &angle);
    turn_joint(model, space, bars[0], (tn_vec3){0.5 * crank, 0.0, 0.0}, bars[1], -0.5 * coupler,
               NULL);
    turn_joint(model, space, bars[1], (tn_vec3){0.5 * coupler, 0.0, 0.0}, bars[2], 0.5 * rocker,
               NULL);
    turn_joint(model, space, TN_GROUND, D, bars[2], -0.5 * rocker, NULL);
    tn_sim *sim = begin(model, roads[0]);
    const tn_vec3 at = tn_sim_body_frame(sim, bars[2]).p;
    CHECK_NEAR(at.x, 0.5 * (C.x + D.x), 1e-9);
    CHECK_NEAR(at.y, 0.5 * (C.y + D.y), 1e-9);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void stated_positions_choose_the_branch_whatever_else_is_stated(void)
{
    for (int trial = 0; trial < 96; trial++) {
        const int side = trial % 2 ? 1 : -1;
        const bool angles = trial / 2 % 2, space = trial / 4 % 2;
        const double near = 3.1 * tn_random();
        check_side(near, near + 0.4 * tn_random(), side, angles, space);
    }
    for (int k = 0; k < 13; k++) // a crank far from where its body is stated
        check_side(0.5 * acos(-1.0), 0.5 * k, 1, k % 2, false);
}

// A guess alone is met where the mechanism can.
static void guess_is_met_where_nothing_is_in_its_way(void)
{
    const double even[3] = {1.0, 1.0, 1.0};
    const request w = {.guess = true, .rocker = 1.5};
    linkage f = four_bar(even, &w);
    const seen s = look(&f, roads[0]);
    CHECK_NEAR(s.angle[2], 1.5, 1e-3);
    tn_model_destroy(f.model);
}

// Contradictions ----------------------------------------------------------------------------------

static void check_named(tn_model *model, const char *const *words, int n)
{
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_STATUS(tn_check_create(model, &options, &check), TN_ERR_MODEL);
    for (int k = 0; k < n; k++)
        if (!strstr(tn_last_error(), words[k]))
            CHECK_TEXT(tn_last_error(), words[k]);
    tn_model_destroy(model);
}

static void stated_values_that_contradict_each_other_are_named(void)
{
    static const char *const velocity[] = {"body 'crank'", "stated rate", "joint 'A'",
                                           "stated start value"};
    const double even[3] = {1.0, 1.0, 1.0};
    request w = {.body = true, .angle = 0.8, .rate = 1.0};
    linkage f = four_bar(even, &w);
    f.model->joints.at[f.at_crank.index].def->nrate = 1;
    f.model->joints.at[f.at_crank.index].def->rate[0] = 2.0;
    check_named(f.model, velocity, TN_COUNT(velocity));

    static const char *const position[] = {"joint 'A', stated start value",
                                           "joint 'D', stated start value", "cannot hold together"};
    w = (request){.joint = true, .angle = 0.8, .guess = true, .rocker = 0.3};
    f = four_bar(even, &w);
    f.model->joints.at[3].def->guess = false;
    check_named(f.model, position, TN_COUNT(position));
}

static void fixed_body_that_its_joint_cannot_reach_is_named(void)
{
    static const char *const words[] = {"joint 'pin'", "stays 0.1 m apart", "body 'rod' is fixed"};
    tn_model *model = tn_model_create();
    tn_body_def rod = tn_default_body();
    rod.name = "rod";
    rod.kind = TN_BODY_PLANAR;
    rod.frame.p = tn_v3(0.5, 0.1, 0.0);
    rod.given_position = rod.fixed_start = true;
    pin(model, "pin", TN_GROUND, 0.0, tn_model_add_body(model, &rod), -0.5, NULL, NULL, false);
    check_named(model, words, TN_COUNT(words));
}

// Drives may begin turns away, and so may stated angles.
static void angles_start_on_the_turn_that_is_asked_for(void)
{
    for (int road = 0; road < TN_COUNT(roads); road++) {
        tn_model *model = tn_model_create();
        tn_joint joint[2];
        for (int k = 0; k < 2; k++) {
            tn_body_def def = tn_default_body();
            tn_joint_def axle = tn_default_joint(TN_JOINT_REVOLUTE);
            axle.body_b = tn_model_add_body(model, &def);
            axle.frame_b.R = tn_m3_rot_x(2.8);
            axle.nposition = k == 1;
            axle.position[0] = -20.0;
            joint[k] = tn_model_add_joint(model, &axle);
        }
        tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
        drive.drive.joint = joint[0];
        drive.drive.motion.expression = "10 + 2*t";
        tn_model_add_joint(model, &drive);
        tn_sim *sim = begin(model, roads[road]);
        double q, rate;
        tn_sim_joint_coordinates(sim, joint[0], &q, &rate);
        CHECK_NEAR(q, 10.0, 1e-13);
        CHECK_NEAR(rate, 2.0, 1e-13);
        tn_sim_joint_coordinates(sim, joint[1], &q, &rate);
        CHECK_NEAR(q, -20.0, 1e-13);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// The z axes of the last joint of a spatial loop point against each other wherever it closes.
static void joint_that_closes_with_opposite_axes_alone_is_refused(void)
{
    tn_model *model = tn_model_create();
    tn_body_def def = tn_default_body();
    def.name = "bar";
    const tn_body body = tn_model_add_body(model, &def);
    tn_joint_def one = tn_default_joint(TN_JOINT_REVOLUTE);
    one.name = "one";
    one.body_b = body;
    tn_model_add_joint(model, &one);
    tn_joint_def two = tn_default_joint(TN_JOINT_CYLINDRICAL);
    two.name = "two";
    two.body_b = body;
    two.frame_b.R = tn_m3_rot_x(3.14159265358979);
    tn_model_add_joint(model, &two);
    static const char *const words[] = {"joint 'two'", "against each other"};
    check_named(model, words, TN_COUNT(words));
}

// Notes -------------------------------------------------------------------------------------------

static void check_told(tn_model *model, const char *note)
{
    tn_sim *sim = begin(model, roads[1]);
    CHECK(tn_sim_note_count(sim) == 1);
    CHECK_TEXT(tn_sim_note(sim, 0), note);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void what_assembly_moved_and_strained_is_told(void)
{
    tn_model *model = tn_model_create();
    tn_body_def rod = tn_default_body();
    rod.name = "rod";
    rod.kind = TN_BODY_PLANAR;
    rod.frame.p.x = 0.5;
    rod.given_position = true;
    const tn_body id = tn_model_add_body(model, &rod);
    pin(model, "pin", TN_GROUND, 0.0, id, 0.0, NULL, NULL, false);
    check_told(model, "assembly moved body 'rod' by 0.5 m from where the model states "
                      "it");

    model = tn_model_create();
    tn_body_def ball = tn_default_body();
    const tn_body of = tn_model_add_body(model, &ball);
    tn_joint_def guide = tn_default_joint(TN_JOINT_PRISMATIC);
    guide.body_b = of;
    tn_force_def stop = tn_default_force(TN_FORCE_JOINT_STOP);
    stop.name = "floor";
    stop.joint = tn_model_add_joint(model, &guide);
    stop.stop.lower = 0.1;
    stop.stop.stiffness = 1e5;
    tn_model_add_force(model, &stop);
    check_told(model, "stop 'floor' starts 0.1 m beyond its lower end and stores 500 J");
}

// On its deck, or not.
static tn_model *bob_of_a_ship(bool pinned)
{
    tn_model *model = tn_model_create();
    tn_body_def def = tn_default_body();
    def.kind = TN_BODY_PLANAR;
    def.mass = def.inertia.z = 1e10;
    const tn_body ship = tn_model_add_body(model, &def);
    def.name = "bob";
    def.mass = def.inertia.z = 1e-5;
    const tn_body bob = tn_model_add_body(model, &def);
    if (pinned)
        pin(model, "pin", ship, 0.0, bob, 0.0, NULL, NULL, false);
    return model;
}

static void small_mass_that_counts_as_none_names_the_option(void)
{
    static const char *const words[] = {"massless_tol = 1e-14", "body 'bob'", "it is 1e-15 of"};
    check_named(bob_of_a_ship(true), words, TN_COUNT(words));
    tn_model *model = bob_of_a_ship(false);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim)); // what no joint connects has no part
    tn_sim_destroy(sim);
    options.massless_tol = 10.0;
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "massless_tol is 10; it must be below 1"));
    tn_model_destroy(model);
}

// Links of 0.3, 1, 0.3 on a ground of 1 in one line: a crank that turns leaves two branches open.
static void rates_in_a_singular_start_are_told_of(void)
{
    for (int stated = 1; stated <= 2; stated++) {
        tn_model *model = tn_model_create();
        tn_body bar[3];
        const double middle[3] = {0.15, 0.8, 1.15};
        for (int k = 0; k < 3; k++) {
            tn_body_def def = tn_default_body();
            def.kind = TN_BODY_PLANAR;
            def.frame.p.x = middle[k];
            def.given_position = def.given_rotation = true;
            bar[k] = tn_model_add_body(model, &def);
        }
        pin(model, "A", TN_GROUND, 0.0, bar[0], -0.15, NULL, NULL, false);
        pin(model, "B", bar[0], 0.15, bar[1], -0.5, NULL, NULL, false);
        pin(model, "C", bar[1], 0.5, bar[2], 0.15, NULL, NULL, false);
        pin(model, "D", TN_GROUND, 1.0, bar[2], -0.15, NULL, NULL, false);
        for (int k = 0; k < stated; k++) { // both of the parallelogram
            model->joints.at[3 * k].def->nrate = 1;
            model->joints.at[3 * k].def->rate[0] = 4.0;
        }
        tn_sim *sim = begin(model, roads[0]);
        CHECK(tn_sim_note_count(sim) == (stated == 1));
        if (stated == 1)
            CHECK(strstr(tn_sim_note(sim, 0), "the start is a singular position"));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Of copies that share nothing but the ground, several may be wrong: what is named of each message
// belongs to one copy.
static void check_that_one_copy_is_named(const char *of_part)
{
    char text[1200];
    tn_model *model = NULL;
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "gravity: [0, -9.81]\n"
             "templates:\n"
             "  part:\n"
             "    parameters: {L: 1}\n"
             "%s"
             "repeat:\n"
             "  to: 3\n"
             "  assemblies: {q$i: {of: part, at: [5*i, i], parameters: {L: 1 + 0.1*i}}}\n",
             of_part);
    CHECK_OK(tn_model_parse(text, "copies.yaml", &model, NULL));
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_MODEL);
    int named = 0, copies = 0;
    for (int i = 1; i <= 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "'q%d.", i);
        int count = 0;
        for (const char *at = tn_last_error(); (at = strstr(at, name)); at++)
            count++;
        named += count;
        copies += count > 0;
    }
    if (!(named > 1 && copies == 1))
        printf("%s\n", tn_last_error());
    CHECK(named > 1 && copies == 1);
    tn_model_destroy(model);
}

static void conflicts_of_copies_name_one_of_them(void)
{
    check_that_one_copy_is_named(
        "    bodies:\n"
        "      r: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [L/2, 0],\n"
        "          angle_deg: 0, velocity: [0, 1], rate: 2}}\n"
        "    joints: {a: {kind: revolute, body: r, at: [0, 0]}}\n");
    check_that_one_copy_is_named(
        "    bodies: {r: {kind: planar, mass: 1, inertia: 0.1}}\n"
        "    joints:\n"
        "      a: {kind: revolute, body: r, at_a: [0, 0], at_b: [0.5*L, 0]}\n"
        "      b: {kind: revolute, body: r, at_a: [L, 0], at_b: [0.5*L, 0]}\n");
}

// A four-bar whose stated angles do not close it starts at the same angle wherever it stands. The
// distance to what is stated is flat where it is least, so that half the digits are left.
static void loops_start_alike_wherever_they_stand(void)
{
    static const char text[] =
        "tenon: 1\n"
        "parameters: {o: %s}\n"
        "bodies:\n"
        "  a: {kind: planar, mass: 1, inertia: 0.1, com: [0.2, 0],\n"
        "      initial: {position: [o, -o], angle: 1.2}}\n"
        "  b: {kind: planar, mass: 1, inertia: 0.3, com: [0.5, 0.1],\n"
        "      initial: {position: [\"o + 0.4*cos(1.2)\", \"-o + 0.4*sin(1.2)\"], angle: 0.3}}\n"
        "  c: {kind: planar, mass: 1, inertia: 0.2, com: [0.3, 0],\n"
        "      initial: {position: [o + 1.1, -o], angle: 1.5}}\n"
        "joints:\n"
        "  A: {kind: revolute, body: a, frame_a: {at: [o, -o]}, frame_b: {}}\n"
        "  B: {kind: revolute, bodies: [a, b], frame_a: {at: [0.4, 0]}, frame_b: {}}\n"
        "  C: {kind: revolute, bodies: [b, c], frame_a: {at: [1, 0]}, frame_b: {at: [0.8, 0]}}\n"
        "  D: {kind: revolute, body: c, frame_a: {at: [o + 1.1, -o]}, frame_b: {}}\n";
    static const char *const places[] = {"0", "1", "1e3", "1e4", "1e5"};
    double first = 0.0;
    for (int k = 0; k < TN_COUNT(places); k++) {
        char model_text[1200];
        double angle[3], rate[3];
        tn_model *model = NULL;
        snprintf(model_text, sizeof model_text, text, places[k]);
        CHECK_OK(tn_model_parse(model_text, "loop", &model, NULL));
        tn_sim *sim = begin(model, roads[0]);
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "A"), angle, rate);
        first = k == 0 ? angle[0] : first;
        CHECK_NEAR(angle[0], first, 1e-6); // 8e-4 before
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"trees start as their joint coordinates and rates state",
     trees_start_as_their_joint_coordinates_and_rates_state},
    {"long chain starts at its joint angles", long_chain_starts_at_its_joint_angles},
    {"masses have no part in the start of a loop", masses_have_no_part_in_the_start_of_a_loop},
    {"guess chooses the branch", guess_chooses_the_branch},
    {"stated positions choose the branch, whatever else is stated",
     stated_positions_choose_the_branch_whatever_else_is_stated},
    {"guess is met where nothing is in its way", guess_is_met_where_nothing_is_in_its_way},
    {"stated values that contradict each other are named",
     stated_values_that_contradict_each_other_are_named},
    {"conflicts of copies name one of them", conflicts_of_copies_name_one_of_them},
    {"fixed body that its joint cannot reach is named",
     fixed_body_that_its_joint_cannot_reach_is_named},
    {"angles start on the turn that is asked for", angles_start_on_the_turn_that_is_asked_for},
    {"joint that closes with opposite axes alone is refused",
     joint_that_closes_with_opposite_axes_alone_is_refused},
    {"what assembly moved and strained is told", what_assembly_moved_and_strained_is_told},
    {"small mass that counts as none names the option",
     small_mass_that_counts_as_none_names_the_option},
    {"rates in a singular start are told of", rates_in_a_singular_start_are_told_of},
    {"loops start alike wherever they stand", loops_start_alike_wherever_they_stand},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
