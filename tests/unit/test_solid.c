// SPDX-License-Identifier: MIT
//
// Gaps of planes, spheres and capsules: values, first and second derivatives along random motions
// of both bodies against closed forms of each pair of features and differences of these; features
// that change; and what is refused.

#include "lie/so3.h"
#include "model/model.h"
#include "model/units.h"
#include "tenon/io.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const tn_row gap = {.form = TN_ROW_TOUCH};

static const char two_bodies[] =
    "tenon: 1\n"
    "bodies:\n"
    "  p: {mass: 1, inertia: [1, 1, 1]}\n"
    "  q: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  c:\n"
    "    {kind: contact, bodies: [p, q], %s,\n"
    "     frame_a: {at: [0.1, -0.2, 0.05], orientation: {angles: [0.3, -0.2, 0.4]}},\n"
    "     frame_b: {at: [0.05, 0.1, 0.3], orientation: {angles: [-0.5, 0.1, 0.2]}}}\n";

// Motions -----------------------------------------------------------------------------------------

// x = x0 + u t + a t^2 / 2, R = exp(w t + dw t^2 / 2) R0.
typedef struct motion {
    tn_frame at;
    tn_vec3 u, a, w, dw;
} motion;

typedef struct both {
    motion body[2];
    const tn_joint_def *def;
} both;

static tn_vec3 random_vec3(double size)
{
    const double x = tn_random(), y = tn_random(), z = tn_random(); // in this order
    return tn_v3(size * x, size * y, size * z);
}

static motion random_motion(double apart)
{
    motion m = {.at = {tn_so3_exp(random_vec3(3.0)), random_vec3(apart)}};
    m.u = random_vec3(1.5);
    m.a = random_vec3(1.5);
    m.w = random_vec3(1.5);
    m.dw = random_vec3(1.5);
    return m;
}

static tn_frame body_at(const motion *m, double t)
{
    const tn_vec3 turn = tn_v3_axpy(0.5 * t * t, m->dw, tn_v3_scale(t, m->w));
    const tn_vec3 shift = tn_v3_axpy(0.5 * t * t, m->a, tn_v3_scale(t, m->u));
    return (tn_frame){tn_m3_mul(tn_so3_exp(turn), m->at.R), tn_v3_add(m->at.p, shift)};
}

static tn_end end_at(const both *trial, int i, double t)
{
    const tn_frame body = body_at(&trial->body[i], t);
    const tn_frame local = i == 0 ? trial->def->frame_a : trial->def->frame_b;
    return (tn_end){.x = tn_frame_mul(body, local),
                    .r = tn_m3_apply(body.R, local.p),
                    .V = {trial->body[i].u, trial->body[i].w}}; // at t = 0
}

static tn_pair pair_at(const both *trial, double t)
{
    return (tn_pair){.a = end_at(trial, 0, t), .b = end_at(trial, 1, t), .own = trial->def};
}

// Features ----------------------------------------------------------------------------------------

// On one body: a place on x of its frame, a line along it, or the plane normal to z.
typedef enum form { POINT, LINE, PLANE } form;

typedef struct feature {
    form form;
    double x;
} feature;

static double distance(const feature *a, const feature *b, const tn_pair *at)
{
    const tn_vec3 ta = tn_m3_column(at->a.x.R, 0), tb = tn_m3_column(at->b.x.R, 0);
    const tn_vec3 pa = tn_v3_axpy(a->x, ta, at->a.x.p), pb = tn_v3_axpy(b->x, tb, at->b.x.p);
    const tn_vec3 d = tn_v3_sub(pb, pa);
    if (a->form == PLANE)
        return tn_v3_dot(d, tn_m3_column(at->a.x.R, 2));
    if (b->form == PLANE)
        return -tn_v3_dot(d, tn_m3_column(at->b.x.R, 2));
    if (a->form == LINE && b->form == LINE) {
        const tn_vec3 n = tn_v3_cross(ta, tb);
        return fabs(tn_v3_dot(d, n)) / tn_v3_norm(n);
    }
    const tn_vec3 off = a->form == LINE   ? tn_v3_axpy(-tn_v3_dot(d, ta), ta, d)
                        : b->form == LINE ? tn_v3_axpy(-tn_v3_dot(d, tb), tb, d)
                                          : d;
    return tn_v3_norm(off);
}

typedef struct pairing {
    const char *keys;
    double apart; // of the bodies
    double radii; // subtracted from the distance
    bool hollow;
    int na, nb; // features
    feature a[3], b[3];
    double tolerance;
} pairing;

// Planes are linear but for the turn.
static const double CURVED = 1e-7, FLAT = 1e-9;

#define ENDS(half)                 \
    {LINE, 0.0}, {POINT, -(half)}, \
    {                              \
        POINT, half                \
    }

static const pairing pairs[] = {
    {"a: plane, b: sphere, radius_b: 0.2",
     1.0,
     0.2,
     false,
     1,
     1,
     {{PLANE, 0.0}},
     {{POINT, 0.0}},
     FLAT},
    {"a: sphere, b: plane, radius_a: 0.2",
     1.0,
     0.2,
     false,
     1,
     1,
     {{POINT, 0.0}},
     {{PLANE, 0.0}},
     FLAT},
    {"a: plane, b: capsule, length_b: 1.4, radius_b: 0.1",
     1.0,
     0.1,
     false,
     1,
     2,
     {{PLANE, 0.0}},
     {{POINT, -0.7}, {POINT, 0.7}},
     FLAT},
    {"a: capsule, b: plane, length_a: 1.4",
     1.0,
     0.0,
     false,
     2,
     1,
     {{POINT, -0.7}, {POINT, 0.7}},
     {{PLANE, 0.0}},
     FLAT},
    {"a: sphere, b: sphere, radius_a: 0.2, radius_b: 0.3",
     1.5,
     0.5,
     false,
     1,
     1,
     {{POINT, 0.0}},
     {{POINT, 0.0}},
     CURVED},
    {"a: capsule, b: sphere, length_a: 2, radius_a: 0.2",
     1.5,
     0.2,
     false,
     3,
     1,
     {ENDS(1.0)},
     {{POINT, 0.0}},
     CURVED},
    {"a: sphere, b: capsule, length_b: 2, radius_a: 0.2, radius_b: 0.1",
     1.5,
     0.3,
     false,
     1,
     3,
     {{POINT, 0.0}},
     {ENDS(1.0)},
     CURVED},
    {"a: capsule, b: capsule, length_a: 3, length_b: 2, radius_a: 0.1, radius_b: 0.2",
     2.0,
     0.3,
     false,
     3,
     3,
     {ENDS(1.5)},
     {ENDS(1.0)},
     CURVED},
    {"a: sphere, b: sphere, radius_a: 3, radius_b: 0.3, hollow: true",
     1.0,
     2.7,
     true,
     1,
     1,
     {{POINT, 0.0}},
     {{POINT, 0.0}},
     CURVED},
    {"a: sphere, b: capsule, radius_a: 3, radius_b: 0.3, length_b: 1, hollow: true",
     1.0,
     2.7,
     true,
     1,
     2,
     {{POINT, 0.0}},
     {{POINT, -0.5}, {POINT, 0.5}},
     CURVED},
    {"a: capsule, b: capsule, radius_a: 3, length_a: 2, radius_b: 0.3, length_b: 1, hollow: true",
     1.5,
     2.7,
     true,
     3,
     2,
     {ENDS(1.0)},
     {{POINT, -0.5}, {POINT, 0.5}},
     CURVED},
};

static double gap_of(const pairing *p, int i, int j, const tn_pair *at)
{
    const double rho = distance(&p->a[i], &p->b[j], at);
    return p->hollow ? p->radii - rho : rho - p->radii;
}

enum { POINTS = 5 };
static const double STEP = 2e-3; // where truncation and round-off of differences are alike

// The gap of two features at five times; false where it is not that of the shapes.
static bool is_between(const pairing *p, int i, int j, const both *trial, double at[POINTS])
{
    for (int k = 0; k < POINTS; k++) {
        const tn_pair here = pair_at(trial, (k - 2) * STEP);
        at[k] = gap_of(p, i, j, &here);
        if (!(fabs(at[k] - tn_row_value(&gap, &here, 0.0)) < 1e-12))
            return false;
    }
    return true;
}

// Differences say little where features are near each other, or lines nearly parallel.
static bool is_clear(const pairing *p, int i, int j, const both *trial)
{
    const double NEAR = 0.5, PARALLEL = 0.5;
    const tn_pair at = pair_at(trial, 0.0);
    const tn_vec3 n = tn_v3_cross(tn_m3_column(at.a.x.R, 0), tn_m3_column(at.b.x.R, 0));
    const bool lines = p->a[i].form == LINE && p->b[j].form == LINE;
    return fabs(distance(&p->a[i], &p->b[j], &at)) > NEAR && (!lines || tn_v3_norm(n) > PARALLEL);
}

// Both derivatives in time of the row, with the accelerations of the motion.
static void row_rates(const both *trial, double *first, double *second)
{
    const tn_pair at = pair_at(trial, 0.0);
    double G[12], V_dot[12];
    tn_row_gradient(&gap, &at, G);
    for (int i = 0; i < 2; i++) {
        tn_v3_to(trial->body[i].a, V_dot + 6 * i);
        tn_v3_to(trial->body[i].dw, V_dot + 6 * i + 3);
    }
    *first = tn_row_rate(G, &at);
    *second = tn_row_curvature(&gap, &at);
    for (int k = 0; k < 12; k++)
        *second += G[k] * V_dot[k];
}

static void check_trial(const pairing *p, const both *trial, int seen[3][3])
{
    for (int i = 0; i < p->na; i++)
        for (int j = 0; j < p->nb; j++) {
            double f[POINTS], first, second;
            if (!is_between(p, i, j, trial, f) || !is_clear(p, i, j, trial))
                continue;
            seen[i][j]++;
            row_rates(trial, &first, &second);
            const double d1 = (8.0 * (f[3] - f[1]) - (f[4] - f[0])) / (12.0 * STEP);
            const double d2 =
                (16.0 * (f[3] + f[1]) - (f[4] + f[0]) - 30.0 * f[2]) / (12.0 * STEP * STEP);
            CHECK_NEAR(first, d1, p->tolerance * (1.0 + fabs(d1)));
            CHECK_NEAR(second, d2, fmax(p->tolerance, 1e-7) * (1.0 + fabs(d2)));
        }
}

static tn_model *model_of(const char *keys)
{
    char text[1000];
    tn_model *model = NULL;
    snprintf(text, sizeof text, two_bodies, keys);
    CHECK_OK(tn_model_parse(text, "solid.yaml", &model, NULL));
    return model;
}

static void derivatives_are_those_of_differences(void)
{
    enum { TRIALS = 2000, LEAST = 10 };
    for (int k = 0; k < TN_COUNT(pairs); k++) {
        const pairing *p = &pairs[k];
        tn_model *model = model_of(p->keys);
        int seen[3][3] = {{0}}, all = 0;
        for (int n = 0; n < TRIALS; n++) {
            const both trial = {{random_motion(p->apart), random_motion(p->apart)},
                                model->joints.at[0].def};
            check_trial(p, &trial, seen);
        }
        for (int i = 0; i < p->na; i++)
            for (int j = 0; j < p->nb; j++) {
                all += seen[i][j];
                CHECK(seen[i][j] > LEAST);
            }
        printf("%-90.90s %d motions\n", p->keys, all);
        CHECK(all > 200);
        tn_model_destroy(model);
    }
}

// Places ------------------------------------------------------------------------------------------

static tn_touch *touch_of(tn_model *model)
{
    return model->joints.at[0].def->contact.touch;
}

static tn_touch_seen see_at(tn_model *model, tn_frame b)
{
    double s[TN_TOUCH_COORDS];
    tn_touch_seen seen = {0};
    CHECK(tn_touch_find(touch_of(model), tn_frame_identity, b, s, &seen));
    return seen;
}

static tn_frame at_xyz(double x, double y, double z)
{
    return (tn_frame){tn_m3_identity, tn_v3(x, y, z)};
}

static void check_vec3(tn_vec3 a, double x, double y, double z)
{
    CHECK_NEAR(a.x, x, 1e-14);
    CHECK_NEAR(a.y, y, 1e-14);
    CHECK_NEAR(a.z, z, 1e-14);
}

// Where a capsule ends the gap and its slope go on; nothing else could be seen by a method.
static void gaps_go_on_smoothly_round_the_end_of_a_capsule(void)
{
    tn_model *model = model_of("a: capsule, length_a: 2, radius_a: 0.3, b: sphere, radius_b: 0.1");
    const double STEP_OVER = 1e-6;
    const tn_touch_seen before = see_at(model, at_xyz(1.0 - STEP_OVER, 0.0, 1.0));
    const tn_touch_seen behind = see_at(model, at_xyz(1.0 + STEP_OVER, 0.0, 1.0));
    CHECK_NEAR(before.gap, 0.6, 1e-15);
    CHECK_NEAR(behind.gap, 0.6, STEP_OVER * STEP_OVER);
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(behind.n, before.n)), STEP_OVER, 1e-3 * STEP_OVER);
    check_vec3(see_at(model, at_xyz(4.0, 0.0, 4.0)).n, 0.6, 0.0, 0.8);
    tn_model_destroy(model);
}

static void parallel_solids_touch_in_the_middle_of_what_lies_beside_each_other(void)
{
    tn_model *model = model_of("a: capsule, length_a: 2, radius_a: 0.3, b: capsule, length_b: 4, "
                               "radius_b: 0.1");
    tn_touch_seen seen = see_at(model, at_xyz(1.5, 1.0, 0.0)); // from -0.5 to 3.5 beside -1 to 1
    check_vec3(seen.c, 0.25, 0.9, 0.0);
    seen = see_at(model, (tn_frame){tn_m3_rot_z(3.14159265358979323846), tn_v3(1.5, 1.0, 0.0)});
    CHECK_NEAR(seen.c.x, 0.25, 1e-14);
    check_vec3(see_at(model, at_xyz(6.0, 3.0, 0.0)).n, 3.0 / sqrt(18.0), 3.0 / sqrt(18.0), 0.0);
    tn_model_destroy(model);
    model = model_of("a: plane, b: capsule, length_b: 4, radius_b: 0.1");
    check_vec3(see_at(model, at_xyz(1.5, 1.0, 0.1)).c, 1.5, 1.0, 0.0);
    tn_model_destroy(model);
}

// A capsule that stands on one end comes down on the other one: another contact.
static void the_other_end_of_a_capsule_is_another_contact(void)
{
    tn_model *model = model_of("a: plane, b: capsule, length_b: 2, radius_b: 0.1");
    tn_touch *touch = touch_of(model);
    const tn_frame a = tn_frame_identity;
    const tn_frame right = {tn_m3_rot_y(0.1), tn_v3(0.0, 0.0, 0.2)};
    const tn_frame left = {tn_m3_rot_y(-0.1), tn_v3(0.0, 0.0, 0.2)};
    double other[TN_TOUCH_COORDS];
    tn_touch_seen seen;
    CHECK_NEAR(see_at(model, right).gap, 0.1 - sin(0.1), 1e-15);
    CHECK_NEAR(see_at(model, left).gap, 0.1 - sin(0.1), 1e-15);
    tn_touch_hold(touch, a, right);
    CHECK_NEAR(see_at(model, left).gap, 0.1 + sin(0.1), 1e-15);
    CHECK(!tn_touch_elsewhere(touch, a, right, other, &seen));
    CHECK(tn_touch_elsewhere(touch, a, left, other, &seen));
    CHECK_NEAR(seen.gap, 0.1 - sin(0.1), 1e-15);
    tn_model_destroy(model);
}

static void cores_that_meet_have_no_contact(void)
{
    tn_model *model = model_of("a: sphere, radius_a: 0.3, b: sphere, radius_b: 0.1");
    tn_touch *touch = touch_of(model);
    double s[TN_TOUCH_COORDS];
    tn_touch_seen seen;
    CHECK(!tn_touch_find(touch, tn_frame_identity, at_xyz(0.0, 0.0, 0.0), s, &seen));
    CHECK(strstr(tn_touch_wrong(touch, tn_frame_identity, at_xyz(0.0, 0.0, 0.0)), "meet"));
    CHECK(!tn_touch_wrong(touch, tn_frame_identity, at_xyz(0.0, 0.0, 1e-6)));
    tn_model_destroy(model);
}

// Refusals ----------------------------------------------------------------------------------------

static void check_refused(const char *text, const char *words)
{
    tn_model *model = NULL;
    CHECK(tn_model_parse(text, "solid.yaml", &model, NULL) != TN_OK);
    CHECK(strstr(tn_last_error(), words) != NULL);
    if (!strstr(tn_last_error(), words))
        printf("%s\n", tn_last_error());
    tn_model_destroy(model);
}

static void shapes_that_cannot_touch_are_refused(void)
{
    static const char *const cases[][2] = {
        {"a: plane, b: plane", "both shapes are planes"},
        {"a: plane, b: plane, hollow: true", "hollow is for a sphere or capsule of body A"},
        {"a: sphere, b: plane, radius_a: 1, hollow: true", "body B has a plane"},
        {"radius_a: 1, radius_b: 1", "radius_a is 1 m, and the shape of body A is a plane"},
        {"radius_b: -1", "must not be negative"},
        {"length_b: 1", "length_b is that of a capsule, and the shape of body B is a sphere"},
        {"b: capsule", "the capsule of body B needs length_b"},
        {"a: sphere, b: sphere", "both radii are 0"},
        {"a: sphere, b: sphere, radius_a: 1, radius_b: 1, hollow: true", "radius_b is 1 m"},
        {"a: sphere, b: capsule, radius_a: 1, radius_b: 0.2, length_b: 1.6, hollow: true",
         "the capsule of body B is 2 m long"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char text[1000];
        snprintf(text, sizeof text, two_bodies, cases[i][0]);
        check_refused(text, cases[i][1]);
    }
}

static void planar_bodies_need_directions_in_their_plane(void)
{
    static const char planar[] = "tenon: 1\n"
                                 "bodies: {p: {kind: planar, mass: 1, inertia: 1, initial: "
                                 "{position: [0, 1]}}}\n"
                                 "joints: {c: {kind: contact, body: p, %s}}\n";
    static const char *const cases[][2] = {
        {"radius_b: 0.1", "the normal of the plane of body A, z of its frame, leaves the plane"},
        {"b: capsule, length_b: 1, axis: [1, 1]", "the axis of the capsule of body B, x of its"},
    };
    char text[1000];
    for (int i = 0; i < TN_COUNT(cases); i++) {
        snprintf(text, sizeof text, planar, cases[i][0]);
        check_refused(text, cases[i][1]);
    }
    check_refused("tenon: 1\nbodies: {p: {kind: point, mass: 1}}\n"
                  "joints: {c: {kind: contact, body: p, b: capsule, length_b: 1}}\n",
                  "a capsule needs a body with orientation");
    tn_model *model = NULL;
    snprintf(text, sizeof text, planar, "b: capsule, length_b: 1, axis: [0, 1]");
    CHECK_OK(tn_model_parse(text, "solid.yaml", &model, NULL));
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"derivatives are those of differences", derivatives_are_those_of_differences},
    {"gaps go on smoothly round the end of a capsule",
     gaps_go_on_smoothly_round_the_end_of_a_capsule},
    {"parallel solids touch in the middle of what lies beside each other",
     parallel_solids_touch_in_the_middle_of_what_lies_beside_each_other},
    {"the other end of a capsule is another contact",
     the_other_end_of_a_capsule_is_another_contact},
    {"cores that meet have no contact", cores_that_meet_have_no_contact},
    {"shapes that cannot touch are refused", shapes_that_cannot_touch_are_refused},
    {"planar bodies need directions in their plane", planar_bodies_need_directions_in_their_plane},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
