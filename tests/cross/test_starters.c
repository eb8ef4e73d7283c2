// SPDX-License-Identifier: MIT
//
// The starter models of `tenon new` move as mechanics says: precession, static deflections, the
// pose of a platform, energy, droop of motors, and the place that a controller was told.

#include "tenon/io.h"
#include "test.h"

#include <math.h>

static const double G = 9.81;

typedef struct scene {
    tn_model *model;
    tn_sim *sim;
    double t_end;
} scene;

static scene open_starter(const char *name)
{
    char path[100];
    scene s = {0};
    tn_simulate simulate;
    snprintf(path, sizeof path, "models/starters/%s.yaml", name);
    CHECK_OK(tn_model_load(tn_test_path(path), &s.model, &simulate));
    CHECK_OK(tn_sim_create(s.model, &simulate.options, &s.sim));
    s.t_end = simulate.t_end;
    return s;
}

static void run_to(scene *s, double t)
{
    CHECK_OK(tn_sim_run(s->sim, t, NULL, NULL));
}

static void close_starter(scene *s)
{
    tn_sim_destroy(s->sim);
    tn_model_destroy(s->model);
}

static tn_frame frame_of(const scene *s, const char *body)
{
    const tn_body b = tn_model_find_body(s->model, body);
    CHECK(b.index > 0);
    return tn_sim_body_frame(s->sim, b);
}

static double coordinate(const scene *s, const char *joint)
{
    double q[6], rate[6];
    const tn_joint j = tn_model_find_joint(s->model, joint);
    CHECK(j.index >= 0 && tn_sim_joint_coordinates(s->sim, j, q, rate) == 1);
    return q[0];
}

// A level axle walks at m g d/(I s) exactly, whatever the inertia across. The tolerance of the run
// is 1e-6, and errors of angles add up over 40 turns of the wheel.
static void the_gyroscope_walks(void)
{
    const double d = 0.15, r = 0.08, spin = 1500.0 * 2.0 * 3.14159265358979323846 / 60.0;
    const double walk = G * d / (0.5 * r * r * spin);
    scene s = open_starter("gyroscope");
    for (double t = 0.4; t < 1.7; t += 0.4) {
        run_to(&s, t);
        const tn_vec3 axle = tn_m3_column(frame_of(&s, "wheel").R, 2);
        CHECK_NEAR(axle.x, cos(walk * t), 1e-5);
        CHECK_NEAR(axle.y, sin(walk * t), 1e-5);
        CHECK_NEAR(axle.z, 0.0, 1e-5);
    }
    close_starter(&s);
}

// At the end the bump has died away by exp(-c/(2 m) 3.8 s) = 7e-5 of the 10 cm that it made.
static void the_suspension_settles(void)
{
    scene s = open_starter("suspension");
    run_to(&s, s.t_end);
    CHECK_NEAR(coordinate(&s, "strut"), -300.0 * G / 20e3, 1e-5);
    CHECK_NEAR(coordinate(&s, "tyre"), -340.0 * G / 200e3, 1e-5);
    close_starter(&s);
}

// Legs as long as the pose needs them put the plate there.
static void the_platform_is_where_its_legs_put_it(void)
{
    const double pi = 3.14159265358979323846;
    scene s = open_starter("stewart");
    for (double t = 0.5; t < 4.1; t += 0.5) {
        run_to(&s, t);
        const double way = 0.5 * (1.0 - cos(0.5 * pi * t)), angle = pi / 12.0 * way;
        const tn_frame plate = frame_of(&s, "plate");
        CHECK_NEAR(plate.p.x, 0.0, 1e-9);
        CHECK_NEAR(plate.p.y, 0.0, 1e-9);
        CHECK_NEAR(plate.p.z, 0.2 * way, 1e-9);
        CHECK_NEAR(plate.R.m[1][0], sin(angle), 1e-9);
        CHECK_NEAR(plate.R.m[0][0], cos(angle), 1e-9);
        CHECK_NEAR(plate.R.m[2][2], 1.0, 1e-9);
    }
    close_starter(&s);
}

static double energy(const scene *s)
{
    double E = 0.0;
    for (int i = 1; i < tn_model_body_count(s->model); i++) {
        const tn_body b = {i};
        const tn_mass m = tn_model_body_mass(s->model, b);
        const tn_frame f = tn_sim_body_frame(s->sim, b);
        const tn_vec3 w = tn_sim_body_rate(s->sim, b);
        const tn_vec3 v =
            tn_v3_add(tn_sim_body_velocity(s->sim, b), tn_m3_apply(f.R, tn_v3_cross(w, m.com)));
        E += 0.5 * m.mass * tn_v3_dot(v, v) + 0.5 * tn_v3_dot(w, tn_m3_apply(m.inertia, w)) +
             m.mass * G * tn_frame_point(f, m.com).z;
    }
    return E;
}

// 51 J go back and forth; a tolerance of 1e-6 leaves some 1e-5 of it.
static void the_chain_keeps_its_energy(void)
{
    scene s = open_starter("chain");
    CHECK_NEAR(energy(&s), 0.0, 1e-12);
    for (int k = 1; k <= 6; k++) {
        run_to(&s, 0.5 * k);
        CHECK_NEAR(energy(&s), 0.0, 5e-4);
    }
    const tn_vec3 p = frame_of(&s, "link8").p;
    CHECK(hypot(p.x, p.z) < 7 * 0.25 + 1e-9 && fabs(p.y) < 1e-9);
    close_starter(&s);
}

// A motor that is a spring droops until it carries the moment of what hangs on it.
static void the_arm_droops_by_its_load(void)
{
    const double deg = 3.14159265358979323846 / 180.0, kp = 400.0, l1 = 0.4, l2 = 0.3;
    const double upper = 2700.0 * l1 * 0.06 * 0.06, lower = 2700.0 * l2 * 0.05 * 0.05, load = 2.0;
    scene s = open_starter("arm");
    run_to(&s, s.t_end);
    const double a = coordinate(&s, "shoulder"), b = coordinate(&s, "elbow");
    const double at_elbow = G * cos(a + b) * l2 * (0.5 * lower + load);
    const double at_shoulder = at_elbow + G * cos(a) * l1 * (0.5 * upper + lower + load);
    CHECK_NEAR(coordinate(&s, "column"), 90.0 * deg, 1e-6);
    CHECK_NEAR(kp * (50.0 * deg - a), at_shoulder, 1e-3);
    CHECK_NEAR(kp * (-70.0 * deg - b), at_elbow, 1e-3);
    CHECK(at_shoulder > 10.0);
    close_starter(&s);
}

// 20 s are enough for the load to be there, to the centimetre, and to hang still.
static void the_crane_arrives(void)
{
    scene s = open_starter("crane");
    run_to(&s, s.t_end);
    const tn_frame load = frame_of(&s, "load");
    const tn_vec3 p = tn_frame_point(load, (tn_vec3){0.0, -4.0, 0.0});
    CHECK_NEAR(p.x, 5.0, 0.01);
    CHECK_NEAR(p.y, -4.0, 1e-3);
    CHECK_NEAR(tn_sim_body_rate(s.sim, tn_model_find_body(s.model, "load")).z, 0.0, 2e-3);
    close_starter(&s);
}

static const tn_test tests[] = {
    {"the gyroscope walks", the_gyroscope_walks},
    {"the suspension settles", the_suspension_settles},
    {"the platform is where its legs put it", the_platform_is_where_its_legs_put_it},
    {"the chain keeps its energy", the_chain_keeps_its_energy},
    {"the arm droops by its load", the_arm_droops_by_its_load},
    {"the crane arrives", the_crane_arrives},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
