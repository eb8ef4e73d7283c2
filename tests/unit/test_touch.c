// SPDX-License-Identifier: MIT
//
// Rows of contact: gradient and second derivative against differences at random placements, for all
// shapes that touch, in other units too; where the contact is; and contacts that are held.

#include "lie/so3.h"
#include "model/model.h"
#include "model/units.h"
#include "tenon/io.h"
#include "test.h"

#include <string.h>

static const tn_row gap = {.form = TN_ROW_TOUCH};

static const char two_bodies[] =
    "tenon: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], initial: {position: [0, 0.5, 0]}}\n"
    "joints:\n"
    "  c: {bodies: [a, b], at_a: [0.1, -0.2, 0.05], at_b: [0.05, 0.1, 0.3], %s}\n";

// An oval with bumps, a face, rollers, a convex and a hollow other profile, the inside of a ring.
#define OVAL "kind: cam, x: 0.4*cos(s) + 0.05*cos(2*s), y: 0.3*sin(s)"
static const char *const shapes[] = {
    OVAL ", follower: flat",
    OVAL ", follower: roller, radius: 0.1",
    OVAL ", follower: roller",
    OVAL ", follower: profile, x_b: 0.2*cos(s), y_b: 0.1*sin(s)",
    OVAL ", follower: profile, x_b: s, y_b: -0.2*s^2, from_b: -1, to_b: 1, other_side_b: true",
    "kind: cam, x: 2*cos(s), y: 1.8*sin(s), other_side: true, follower: roller, radius: 0.3",
    "kind: cam, points: [[-2, 0.1], [-1, 0.2], [0, 0], [1, -0.1], [2, 0], [3, 0.2]], open: true, "
    "follower: roller, radius: 0.2",
    "kind: point-on-surface, x: u, z: -v, y: 0.2*u^2 - 0.1*v^2 + 0.1*u*v, u_from: -2, u_to: 2, "
    "v_from: -2, v_to: 2, radius: 0.2",
    "kind: point-on-surface, x: 0.3*cos(u)*cos(v), y: 0.4*sin(v), z: 0.2*sin(u)*cos(v), u_to: 3, "
    "v_to: 1.5, other_side: true",
    "kind: curve-on-curve, x: s, y: 0.3*cos(s), z: 0.1*s^2, x_b: 0.1*s^2, y_b: 0.2*s^2, z_b: s, "
    "other_side: true",
};

static tn_model *model_of(const char *shape)
{
    char text[1000];
    tn_model *model = NULL;
    snprintf(text, sizeof text, two_bodies, shape);
    CHECK_OK(tn_model_parse(text, "touch.yaml", &model, NULL));
    return model;
}

// Two bodies with an attachment frame each.
typedef struct state {
    tn_frame body[2], local[2];
    tn_twist V[2];
    const tn_joint_def *def;
} state;

static tn_vec3 random_vec3(double size)
{
    const double x = tn_random(), y = tn_random(), z = tn_random(); // in this order
    return tn_v3(size * x, size * y, size * z);
}

// Follower above the cam, nearly in its plane, the whole turned anyhow.
static state random_state(const tn_joint_def *def, double length)
{
    const tn_frame world = {tn_so3_exp(random_vec3(2.0)), random_vec3(1.0)};
    const tn_vec3 shift = tn_v3_add(tn_v3(0, 0.75, 0), random_vec3(0.1));
    const tn_frame b = {tn_so3_exp(random_vec3(0.15)), tn_v3_scale(1.0 / length, shift)};
    state s = {.body = {world, tn_frame_mul(world, b)},
               .local = {def->frame_a, def->frame_b},
               .V = {{random_vec3(1.0), random_vec3(1.0)}, {random_vec3(1.0), random_vec3(1.0)}},
               .def = def};
    return s;
}

static tn_end end_of(const state *s, int i)
{
    return (tn_end){.x = tn_frame_mul(s->body[i], s->local[i]),
                    .r = tn_m3_apply(s->body[i].R, s->local[i].p),
                    .V = s->V[i]};
}

static tn_pair pair_of(const state *s)
{
    return (tn_pair){.a = end_of(s, 0), .b = end_of(s, 1), .own = s->def};
}

static state vary(state s, int variable, double step)
{
    tn_frame *body = &s.body[variable / 6];
    double x[6] = {0};
    x[variable % 6] = step;
    body->p = tn_v3_add(body->p, tn_v3_from(x));
    body->R = tn_m3_mul(tn_so3_exp(tn_v3_from(x + 3)), body->R);
    return s;
}

// Differences of fourth order: with such steps truncation and round-off stay
// below 1e-9 where nothing is curved more than 1/0.05 m.
static const double STEP = 3e-4, NEAR = 2e-8;

// Contacts that are about to become two, or deep within a shape, have large derivatives, which
// differences do not see.
static const double PARTED = 0.3, DEEP = -0.05;

static double difference(const double at[4], double h) // at -2, -1, 1, 2 steps
{
    return (at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / (12.0 * h);
}

static void check_derivatives(const state *s)
{
    static const int place[4] = {-2, -1, 1, 2};
    const tn_pair at = pair_of(s);
    double G[12], H[12][12] = {{0}};
    tn_row_gradient(&gap, &at, G);
    tn_row_hessian(&gap, &at, 1.0, H);
    for (int k = 0; k < 12; k++) {
        double value[4], moved[4][12];
        for (int i = 0; i < 4; i++) {
            const state there = vary(*s, k, place[i] * STEP);
            const tn_pair pair = pair_of(&there);
            value[i] = tn_row_value(&gap, &pair, 0.0);
            tn_row_gradient(&gap, &pair, moved[i]);
        }
        CHECK_NEAR(G[k], difference(value, STEP), NEAR * (1.0 + fabs(G[k])));
        for (int j = 0; j < 12; j++) {
            const double g[4] = {moved[0][j], moved[1][j], moved[2][j], moved[3][j]};
            CHECK_NEAR(H[j][k], difference(g, STEP), 50.0 * NEAR * (1.0 + fabs(H[j][k])));
        }
    }
}

static void check_shape(const char *shape, double length)
{
    tn_model *model = model_of(shape), *copy = NULL;
    CHECK_OK(tn_model_in_units(model, (tn_units){length, 3.0, 0.5}, &copy));
    const tn_joint_def *def = copy->joints.at[0].def;
    int seen = 0;
    for (int i = 0; i < 40; i++) {
        const state s = random_state(def, length);
        const tn_pair at = pair_of(&s);
        double where[TN_TOUCH_COORDS];
        tn_touch_seen contact;
        if (!tn_touch_find(def->contact.touch, at.a.x, at.b.x, where, &contact) ||
            contact.single < PARTED || contact.gap < DEEP)
            continue;
        tn_touch_hold(def->contact.touch, at.a.x, at.b.x); // another may be near
        check_derivatives(&s);
        def->contact.touch->held = false;
        seen++;
    }
    printf("%-100.100s %d placements\n", shape, seen);
    CHECK(seen > 20);
    tn_model_in_units_destroy(copy);
    tn_model_destroy(model);
}

static void derivatives_are_those_of_differences(void)
{
    for (int k = 0; k < TN_COUNT(shapes); k++)
        check_shape(shapes[k], 1.0);
}

static void derivatives_are_the_same_in_other_units(void)
{
    check_shape(shapes[0], 0.25);
    check_shape(shapes[3], 4.0);
}

// The same with B in the plane of A.
static state flat_state(const tn_joint_def *def)
{
    state s = random_state(def, 1.0);
    s.body[1].R = tn_m3_mul(s.body[0].R, tn_m3_rot_z(tn_random()));
    return s;
}

// An eccentric circle: the gap to a roller is the distance of two centres less both radii, that to
// a face the height of the face above the centre less the radius.
static void gaps_of_a_circle_are_those_of_its_centre(void)
{
    static const char *const follower[] = {"flat", "roller, radius: 0.1"};
    for (int k = 0; k < 2; k++) {
        char shape[200];
        snprintf(shape, sizeof shape, "kind: cam, x: 0.2 + 0.3*cos(s), y: 0.3*sin(s), follower: %s",
                 follower[k]);
        tn_model *model = model_of(shape);
        const tn_joint_def *def = model->joints.at[0].def;
        for (int i = 0; i < 20; i++) {
            const state s = flat_state(def);
            const tn_pair at = pair_of(&s);
            const tn_mat3 to_a = tn_m3_transpose(at.a.x.R);
            const tn_vec3 d =
                tn_v3_sub(tn_m3_apply(to_a, tn_v3_sub(at.b.x.p, at.a.x.p)), tn_v3(0.2, 0.0, 0.0));
            const tn_vec3 up = tn_m3_column(tn_m3_mul(to_a, at.b.x.R), TN_Y);
            const double expected = k == 0 ? tn_v3_dot(up, d) - 0.3 : hypot(d.x, d.y) - 0.4;
            CHECK_NEAR(tn_row_value(&gap, &at, 0.0), expected, 1e-12);
        }
        tn_model_destroy(model);
    }
}

// Held contacts follow a motion; a search from far away would find another one.
static void held_contacts_follow(void)
{
    // two bumps, as high as each other: the roller is held on the right one
    tn_model *model = model_of("kind: cam, x: s, y: 0.2*cos(3*s), from: -3, to: 3, "
                               "follower: roller, radius: 0.1");
    tn_touch *touch = model->joints.at[0].def->contact.touch;
    double s[TN_TOUCH_COORDS];
    tn_touch_seen seen;
    const tn_frame a = tn_frame_identity;
    tn_frame b = {tn_m3_identity, {2.3, 0.3, 0}};
    tn_touch_hold(touch, a, b);
    CHECK(touch->held && fabs(touch->from[0] - 2.3) < 0.3);
    for (int i = 0; i < 20; i++) {
        b.p.x -= 0.01;
        b.p.y += 0.001;
        CHECK(tn_touch_find(touch, a, b, s, &seen));
        CHECK(fabs(s[0] - b.p.x) < 0.4 && seen.single > 0.0);
        tn_touch_hold(touch, a, b);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"derivatives are those of differences", derivatives_are_those_of_differences},
    {"derivatives are the same in other units", derivatives_are_the_same_in_other_units},
    {"gaps of a circle are those of its centre", gaps_of_a_circle_are_those_of_its_centre},
    {"held contacts follow", held_contacts_follow},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
