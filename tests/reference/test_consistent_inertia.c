// SPDX-License-Identifier: MIT
//
// Beams whose elements spread their inertia between nodes: frequencies of one element against
// closed forms, one motion by every road, and the same limit as with lumped inertia.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

// A clamped bar along x, 0.5 m long with EA = 500 N and 0.2 kg/m; its end is pulled from 0 on.
static tn_model *bar(const char *inertia, const char *pull)
{
    char text[1200];
    tn_model *model = NULL;
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0, 0, 0]\nbodies:\n"
             "  bar:\n"
             "    kind: beam\n"
             "    points: [[0, 0, 0], [0.5, 0, 0]]\n"
             "    elements: 1\n"
             "    x_axis: [0, 1, 0]\n"
             "    inertia: %s\n"
             "    section: {kind: stiffness, stiffness: [400, 400, 500], rotational_stiffness: [1, "
             "1, 0.6], mass: 0.2, inertia_x: 0.01, inertia_y: 0.02}\n"
             "joints:\n"
             "  clamp: {kind: fixed, bodies: [ground, bar.start]}\n"
             "forces:\n"
             "  pull: {kind: point-force, body: bar.end, %s}\n",
             inertia, pull);
    CHECK_OK(tn_model_parse(text, "bar", &model, NULL));
    return model;
}

// Where its end is at time t.
static tn_frame end_at(const char *inertia, const char *pull, double t)
{
    tn_model *model = bar(inertia, pull);
    tn_sim *sim = tn_test_open(model, "radau5/ggl@absolute", 0.0, 1e-10);
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    const tn_frame end = tn_sim_body_frame(sim, tn_model_find_body(model, "bar.end"));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return end;
}

// Under a force F from time 0 on: x = F / k (1 - cos(w t)) with w^2 = k / M, k = EA / L, and M one
// half of the mass where it is lumped, a third of it where it is consistent. Twist is the same.
static void one_element_swings_as_its_inertia_says(void)
{
    static const struct {
        const char *inertia;
        double share;
    } kinds[] = {{"lumped", 0.5}, {"consistent", 1.0 / 3.0}};
    const double t = 0.013, F = 2.0, EA = 500.0, GJ = 0.6, L = 0.5, m = 0.1, J = 0.015;
    for (int i = 0; i < TN_COUNT(kinds); i++) {
        const double w = sqrt(EA / L / (kinds[i].share * m));
        const double w1 = sqrt(GJ / L / (kinds[i].share * J));
        CHECK_NEAR(end_at(kinds[i].inertia, "force: [2, 0, 0]", t).p.x - L,
                   F * L / EA * (1.0 - cos(w * t)), 1e-11);
        // x of the section is along y at first
        const tn_mat3 R = end_at(kinds[i].inertia, "torque: [0.05, 0, 0]", t).R;
        CHECK_NEAR(atan2(R.m[2][0], R.m[1][0]), 0.05 * L / GJ * (1.0 - cos(w1 * t)), 1e-9);
    }
}

// A soft rod on a ball joint that is swung by its end, in three dimensions; smoothly, as shocks run
// along it as waves with fronts that no mesh resolves.
static tn_model *rod(const char *inertia, int elements)
{
    char text[1200];
    tn_model *model = NULL;
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0, 0, 0]\nbodies:\n"
             "  rod:\n"
             "    kind: beam\n"
             "    points: [[0, 0, 0], [1, 0, 0]]\n"
             "    elements: %d\n"
             "    x_axis: [0, 1, 0]\n"
             "    inertia: %s\n"
             "    section: {kind: rectangle, width: 0.04, height: 0.06, E: 2e6, rho: 1000}\n"
             "joints:\n"
             "  ball: {kind: spherical, bodies: [ground, rod.start]}\n"
             "forces:\n"
             "  swing: {kind: point-force, body: rod.end, force: [0, 4*sin(5*pi*t)^4, "
             "2*sin(10*pi*t)^4]}\n",
             elements, inertia);
    CHECK_OK(tn_model_parse(text, "rod", &model, NULL));
    return model;
}

static tn_vec3 tip_at(const tn_model *model, const char *method, const char *rotation, double t,
                      double tol)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rotation = rotation;
    options.adaptive = true;
    options.rtol = options.atol = tol;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    const tn_vec3 tip = tn_sim_body_frame(sim, tn_model_find_body(model, "rod.end")).p;
    tn_sim_destroy(sim);
    return tip;
}

static void check_near(tn_vec3 x, tn_vec3 y, double tol)
{
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(x, y)), 0.0, tol);
}

// All formulations that absolute coordinates take, with rotations in R^3 x SO(3) and in SE(3). The
// bound: errors of 1e-9 per step, of steps that are some hundred.
static void every_road_leads_to_one_motion(void)
{
    static const char *const roads[][2] = {
        {"radau5/ggl@absolute", "se3"},
        {"radau5/index2@absolute", "so3"},
        {"radau5/stabilized-index1@absolute", "so3"},
        {"bdf/ggl@absolute", "auto"},
        {"dop853/index1+project@absolute", "so3"},
        {"dop853/index1+project@absolute", "se3"},
        {"dop853/maggi+project@absolute", "so3"},
        {"dop853/nullspace+project@absolute", "se3"},
        {"dop853/udwadia-kalaba+project@absolute", "so3"},
        {"dop853/minimal@absolute", "se3"},
        {"herk5/index2@absolute", "so3"},
    };
    tn_model *model = rod("consistent", 2);
    const tn_vec3 tip = tip_at(model, "radau5/ggl@absolute", "so3", 0.2, 1e-11);
    for (int i = 0; i < TN_COUNT(roads); i++)
        check_near(tip_at(model, roads[i][0], roads[i][1], 0.2, 1e-9), tip, 1e-6);
    tn_model_destroy(model);
}

// Errors of both fall with the square of the length of elements, to the same motion.
static void lumped_and_consistent_have_one_limit(void)
{
    static const char *const kinds[] = {"lumped", "consistent"};
    tn_vec3 limit[2], last[2];
    for (int i = 0; i < 2; i++) {
        tn_vec3 tip[2];
        for (int k = 0; k < 2; k++) {
            tn_model *model = rod(kinds[i], 24 << k);
            tip[k] = tip_at(model, "radau5/ggl@absolute", "auto", 0.2, 1e-8);
            tn_model_destroy(model);
        }
        last[i] = tip[1];
        limit[i] = tn_v3_axpy(1.0 / 3.0, tn_v3_sub(tip[1], tip[0]), tip[1]);
    }
    const double apart = tn_v3_norm(tn_v3_sub(last[0], last[1]));
    const double left = tn_v3_norm(tn_v3_sub(limit[0], limit[1]));
    CHECK(apart > 1e-5 && left < 0.05 * apart); // 4e-6 and 1.1e-4
}

static void other_coordinates_are_refused(void)
{
    static const char *const methods[] = {"radau5/ggl@joint", "energy-momentum@director"};
    tn_model *model = rod("consistent", 2);
    for (int i = 0; i < TN_COUNT(methods); i++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[i];
        options.step = 0.01;
        CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_PAIRING);
        CHECK(tn_test_says("element 'rod.e1' has consistent inertia"));
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"one element swings as its inertia says", one_element_swings_as_its_inertia_says},
    {"every road leads to one motion", every_road_leads_to_one_motion},
    {"lumped and consistent have one limit", lumped_and_consistent_have_one_limit},
    {"other coordinates are refused", other_coordinates_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
