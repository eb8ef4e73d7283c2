// SPDX-License-Identifier: MIT
//
// Planes, spheres and capsules that stay in touch: motions in closed form by methods of all kinds,
// round the end of a capsule, and what ends a run.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double GRAVITY = 9.81;

typedef struct road {
    const char *method;
    double rtol, far; // from the motion in closed form, or by another method
} road;

// galpha is of second order: its steps are some thousand.
static const road roads[] = {
    {"dopri5/index1+project@joint", 1e-11, 1e-8},
    {"dopri5/index1+project@absolute", 1e-11, 1e-8},
    {"radau5/ggl@absolute", 1e-11, 1e-8},
    {"radau5/ggl@joint", 1e-11, 1e-8},
    {"galpha/ggl@absolute", 1e-9, 1e-4},
    {"galpha/ggl@joint", 1e-9, 1e-4},
    {"dop853/nullspace+project@absolute", 1e-11, 1e-8},
    {"bdf/index2@director", 1e-10, 1e-5},
};

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "solids.yaml", &model, NULL));
    return model;
}

static tn_sim *open_sim(const tn_model *model, const road *by)
{
    tn_sim_options options = tn_default_sim();
    options.method = by->method;
    options.adaptive = true;
    options.rtol = options.atol = by->rtol;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static tn_vec3 place_after(const tn_model *model, const road *by, double t)
{
    tn_sim *sim = open_sim(model, by);
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    const tn_vec3 p = tn_sim_body_frame(sim, tn_model_find_body(model, "bead")).p;
    tn_sim_destroy(sim);
    return p;
}

static void check_roads(const tn_model *model, const tn_model *other, double t)
{
    const tn_vec3 expected = place_after(other, &roads[0], t);
    for (int k = 0; k < TN_COUNT(roads); k++) {
        const tn_vec3 p = place_after(model, &roads[k], t);
        const double off = tn_v3_norm(tn_v3_sub(p, expected));
        printf("%-36s %.1e m\n", roads[k].method, off);
        CHECK_NEAR(off, 0.0, roads[k].far);
    }
}

// A bead of 0.1 m in a hollow sphere of 0.8 m, and the pendulum of 0.7 m that it is.
static void a_bead_in_a_hollow_sphere_is_a_pendulum(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  bead: {mass: 2, inertia: [0.01, 0.02, 0.03],\n"
        "         initial: {position: [0.7, 0, 0], velocity: [0, 1.5, 0.4],\n"
        "                   rate: [1, 0.5, 2]}}\n"
        "joints:\n"
        "  hold: {bodies: [ground, bead], %s}\n";
    char all[2][800];
    snprintf(all[0], sizeof all[0], text,
             "kind: contact, a: sphere, radius_a: 0.8, b: sphere, radius_b: 0.1, hollow: true, "
             "lift_off: ignore");
    snprintf(all[1], sizeof all[1], text, "kind: distance, length: 0.7");
    tn_model *in = parse(all[0]), *rod = parse(all[1]);
    check_roads(in, rod, 1.0);
    tn_model_destroy(in);
    tn_model_destroy(rod);
}

// A capsule on a plane that a sphere slides along, and about the end of: on the straight part at
// 0.5 m/s, then on an arc of 0.4 m about the end, v^2 = v0^2 + 2 g r (1 - cos(a)). The time to an
// angle is an integral, by Simpson's rule.
static double time_to(double v0, double r, double angle)
{
    enum { PARTS = 2000 };
    double sum = 0.0;
    for (int i = 0; i <= PARTS; i++) {
        const double a = angle * i / PARTS;
        const double v = sqrt(v0 * v0 + 2.0 * GRAVITY * r * (1.0 - cos(a)));
        sum += (i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0) * r / v;
    }
    return sum * angle / PARTS / 3.0;
}

static void spheres_slide_round_the_ends_of_capsules(void)
{
    const double angle = 1.2, t = 0.3 / 0.5 + time_to(0.5, 0.4, angle);
    tn_model *model =
        parse("tenon: 1\n"
              "gravity: [0, 0, -9.81]\n"
              "bodies:\n"
              "  bead: {kind: point, mass: 2, initial: {position: [0.7, 0, 0.4],\n"
              "         velocity: [0.5, 0, 0]}}\n"
              "joints:\n"
              "  rail: {kind: contact, bodies: [ground, bead], a: capsule, radius_a: 0.3,\n"
              "         length_a: 2, radius_b: 0.1, lift_off: ignore}\n");
    static const road by[] = {
        {"dopri5/index1+project@absolute", 1e-11, 1e-8},
        {"radau5/ggl@absolute", 1e-11, 1e-8},
        {"galpha/ggl@absolute", 1e-9, 1e-4},
        {"dop853/nullspace+project", 1e-11, 1e-8},
    };
    for (int k = 0; k < TN_COUNT(by); k++) {
        const tn_vec3 p = place_after(model, &by[k], t);
        const double off = hypot(p.x - 1.0 - 0.4 * sin(angle), p.z - 0.4 * cos(angle));
        printf("%-36s %.1e m\n", by[k].method, off);
        CHECK_NEAR(off, 0.0, by[k].far);
    }
    tn_model_destroy(model);
}

// A point on a plane is a point in a plane; both bodies move, and the other way round, too.
static void points_on_planes_are_points_in_planes(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  tray: {mass: 3, inertia: [0.2, 0.3, 0.4], initial: {rate: [0.5, 0.2, -0.3]}}\n"
        "  bead: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [0.3, 0.1, 0.2]}}\n"
        "joints:\n"
        "  hinge: {kind: spherical, bodies: [ground, tray], at: [0, 0, 0]}\n"
        "  hold: {%s, at_a: [0, 0, 0.2], at_b: [0, 0, 0.2]}\n";
    static const char *const hold[] = {
        "kind: contact, bodies: [tray, bead], lift_off: ignore",
        "kind: contact, bodies: [bead, tray], a: sphere, b: plane, lift_off: ignore",
        "kind: point-in-plane, bodies: [tray, bead]",
    };
    tn_model *models[3];
    for (int k = 0; k < 3; k++) {
        char all[1000];
        snprintf(all, sizeof all, text, hold[k]);
        if (k != 1)
            snprintf(strstr(all, "at_b"), 30, "at_b: [0.3, 0.1, 0.2]}\n");
        else
            snprintf(strstr(all, "at_a"), 60, "at_a: [0.3, 0.1, 0.2], at_b: [0, 0, 0.2]}\n");
        models[k] = parse(all);
    }
    check_roads(models[0], models[2], 0.4);
    check_roads(models[1], models[2], 0.4);
    for (int k = 0; k < 3; k++)
        tn_model_destroy(models[k]);
}

// A capsule stands on one end and falls over: where it lies flat the other end touches, too.
static void runs_end_where_the_other_end_touches(void)
{
    static const road by[] = {{"radau5/ggl@absolute", 1e-8, 0.0},
                              {"galpha/ggl", 1e-6, 0.0},
                              {"dopri5/index1+project", 1e-8, 0.0}};
    tn_model *model = parse("tenon: 1\n"
                            "gravity: [0, -9.81]\n"
                            "bodies:\n"
                            "  rod: {kind: planar, mass: 1, inertia: 0.0833,\n"
                            "        initial: {position: [0, 0.35], angle: 0.26}}\n"
                            "joints:\n"
                            "  floor: {kind: contact, bodies: [ground, rod], b: capsule,\n"
                            "          frame_a: {axis: [0, 1]}, length_b: 1, radius_b: 0.1,\n"
                            "          lift_off: ignore}\n");
    for (int k = 0; k < TN_COUNT(by); k++) {
        tn_sim *sim = open_sim(model, &by[k]);
        CHECK(tn_sim_run(sim, 2.0, NULL, NULL) == TN_ERR_NUMERIC);
        printf("%s\n", tn_last_error());
        CHECK(strstr(tn_last_error(), "touch at two places: they are held at the end with x < 0") !=
              NULL);
        const tn_mat3 R = tn_sim_body_frame(sim, tn_model_find_body(model, "rod")).R;
        CHECK_NEAR(R.m[1][0], 0.0, 1e-4);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a bead in a hollow sphere is a pendulum", a_bead_in_a_hollow_sphere_is_a_pendulum},
    {"spheres slide round the ends of capsules", spheres_slide_round_the_ends_of_capsules},
    {"points on planes are points in planes", points_on_planes_are_points_in_planes},
    {"runs end where the other end touches", runs_end_where_the_other_end_touches},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
