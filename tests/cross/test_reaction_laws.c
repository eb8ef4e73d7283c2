// SPDX-License-Identifier: MIT
//
// Laws that use reactions [Arn16, eq. 44]: forces f(lambda), rates and equations of lambda. Their
// derivatives match differences in all coordinates; those of joints keep the rows of joints whose
// reactions are used. There is one motion by all roads.

#include "probe_start.h"

#include "system/system.h"
#include "tenon/tenon.h"

#include <string.h>

static const double TOL = 1e-9; // of differences, as in test_absolute.c

static const char text[] =
    "tenon: 1\n"
    "gravity: [0, 1, -9.81]\n"
    "bodies:\n"
    "  cart: {mass: 1, inertia: [1, 1, 1], com: [0.1, 0.05, 0.2]}\n"
    "  pole: {mass: 0.2, inertia: [0.01, 0.02, 0.013], com: [0.1, 0, 0.5]}\n"
    "  nut: {mass: 0.3, inertia: [0.01, 0.02, 0.013], com: [0.1, 0.2, 0.1]}\n"
    "joints:\n"
    "  rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0, 0]}\n"
    "  pin: {kind: revolute, bodies: [cart, pole], axis: [0, 1, 0.3], at: [0.2, 0, 0.1],\n"
    "        initial: {position: 0.3}}\n"
    "  thread: {kind: screw, bodies: [cart, nut], axis: [0.2, 0, 1], pitch: 0.2, at: [0, 0.3, 0]}\n"
    "signals:\n"
    "  push: hypot(pin.force.x, 0.3 + pin.force.z)\n"
    "  twist: 0.2*pin.torque.x - 0.1*thread.torque.z\n"
    "states:\n"
    "  heat: {rate: '0.1*push*sin(pin.angle.rate) - heat + 0.05*\"rail.lambda.offset along y\"'}\n"
    "unknowns:\n"
    "  soft: {equation: soft + 0.1*soft^3 - 0.1*twist*rail.displacement.rate - 0.1*heat}\n"
    "forces:\n"
    "  drag: {kind: motor, joint: rail,\n"
    "         effort: -0.05*push*tanh(rail.displacement.rate) + soft - 0.02*thread.force.y}\n"
    "  rub: {kind: motor, joint: pin, effort: -0.02*push*tanh(3*pin.angle.rate) + 0.1*heat}\n"
    "  thread rub: {kind: motor, joint: thread,\n"
    "               effort: -0.05*twist*thread.angle - 0.3*thread.angle.rate}\n";

static tn_model *reaction_model(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "reactions.yaml", &model, NULL));
    return model;
}

// (f, extra) along one multiplier or extra variable.
static void differences(probe *p, double *x, double *out)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    tn_system *s = p->sys;
    const double now = *x;
    tn_zero(s->nv + s->ne, out);
    for (int k = 0; k < 4; k++) {
        const tn_point at = probe_point(p);
        *x = now + at_step[k] * PROBE_STEP;
        CHECK_OK(tn_system_eval(s, &at, TN_EVAL_FORCE | TN_EVAL_EXTRA));
        tn_axpy(s->nv, weight[k] / (12.0 * PROBE_STEP), s->f, out);
        tn_axpy(s->ne, weight[k] / (12.0 * PROBE_STEP), s->extra, out + s->nv);
    }
    *x = now;
}

static void extra_differences(probe *p, probe_kind kind, int j, double *out)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    tn_system *s = p->sys;
    tn_zero(s->ne, out);
    for (int k = 0; k < 4; k++) {
        const tn_point at = probe_moved(p, kind, j, at_step[k] * PROBE_STEP);
        CHECK_OK(tn_system_eval(s, &at, TN_EVAL_EXTRA));
        tn_axpy(s->ne, weight[k] / (12.0 * PROBE_STEP), s->extra, out);
    }
}

static void evaluate_tangent(const probe *p)
{
    const tn_point at = probe_point(p);
    CHECK_OK(tn_system_eval(p->sys, &at, TN_EVAL_B | TN_EVAL_TANGENT));
}

// FL and EL, or FE and EE: blocks are derivatives of -f and of the extra equations.
static void check_by_numbers(probe *p, int n, double *x, tn_block force, tn_block extra)
{
    tn_system *s = p->sys;
    const int nv = s->nv, rows = nv + s->ne;
    double expected[100], exact[100];
    CHECK(rows <= 100);
    for (int j = 0; j < n; j++) {
        evaluate_tangent(p);
        probe_column(s->block[force], j, exact);
        probe_column(s->block[extra], j, exact + nv);
        differences(p, &x[j], expected);
        for (int i = 0; i < rows; i++)
            CHECK_NEAR(i < nv ? -exact[i] : exact[i], expected[i], TOL);
    }
}

static void check_by_motion(probe *p, probe_kind kind, tn_block block)
{
    double expected[20], exact[20];
    for (int j = 0; j < p->sys->nv; j++) {
        CHECK_NEAR(probe_misfit(p, kind, j), 0.0, TOL);
        evaluate_tangent(p);
        probe_column(p->sys->block[block], j, exact);
        extra_differences(p, kind, j, expected);
        for (int i = 0; i < p->sys->ne; i++)
            CHECK_NEAR(exact[i], expected[i], TOL);
    }
}

static void check_all_blocks(const char *coordinates, const char *rotation)
{
    tn_model *model = reaction_model();
    tn_sim_options options = tn_default_sim();
    tn_start start = {0};
    options.rotation = rotation;
    CHECK_OK(tn_start_model(model, &options, &start));
    CHECK_OK(tn_start_to(&start, tn_find_coordinates(coordinates), NULL));
    CHECK(start.sys->force_uses_lambda);
    probe p = probe_of(&start);
    random_fill(p.sys->ne, p.e);
    check_by_motion(&p, ALONG_Q, TN_BLOCK_EQ);
    check_by_motion(&p, ALONG_V, TN_BLOCK_EV);
    check_by_numbers(&p, p.sys->ng, p.lambda, TN_BLOCK_FL, TN_BLOCK_EL);
    check_by_numbers(&p, p.sys->ne, p.e, TN_BLOCK_FE, TN_BLOCK_EE);
    close_probe_of(&p);
    tn_start_clear(&start);
    tn_model_destroy(model);
}

static void derivatives_match_differences(void)
{
    check_all_blocks("absolute", "so3");
    check_all_blocks("absolute", "se3");
    check_all_blocks("joint", "so3");
    check_all_blocks("director", "so3");
}

static void run_by(const tn_model *model, const char *method, double q[3])
{
    tn_sim *sim = tn_test_open(model, method, 0.0, 1e-9);
    double rate[3], x[3];
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    for (int k = 0; k < 3; k++) {
        tn_sim_joint_coordinates(sim, (tn_joint){k}, x, rate);
        q[k] = x[0];
    }
    tn_sim_destroy(sim);
}

static void one_motion_by_all_roads(void)
{
    static const char *const roads[] = {"bdf/ggl@absolute",    "bdf/index1@joint",
                                        "radau5/index2@joint", "radau5/ggl@joint",
                                        "galpha/ggl@absolute", "galpha/index3@joint",
                                        "radau5/ggl@director", "bdf/ggl@director",
                                        "galpha/ggl@director", "dop853/index1+project@director"};
    tn_model *model = reaction_model();
    double first[3], other[3];
    run_by(model, "radau5/ggl@absolute", first);
    for (int k = 0; k < TN_COUNT(roads); k++) {
        const double tol = strncmp(roads[k], "galpha", 6) == 0 ? 5e-6 : 1e-7;
        run_by(model, roads[k], other);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(other[i], first[i], tol);
    }
    tn_model_destroy(model);
}

// What forces are said to do, where they depend on reactions; both starts are the same state.
static void forces_are_told_in_all_coordinates(void)
{
    tn_model *model = reaction_model();
    tn_sim_options options = tn_default_sim();
    tn_sim *absolute = NULL, *joint = NULL;
    options.method = "radau5/ggl@absolute";
    CHECK_OK(tn_sim_create(model, &options, &absolute));
    options.method = "radau5/ggl@joint";
    CHECK_OK(tn_sim_create(model, &options, &joint));
    for (int k = 0; k < tn_model_force_count(model); k++) {
        tn_force_state a, b;
        tn_sim_force(absolute, (tn_force){k}, &a);
        tn_sim_force(joint, (tn_force){k}, &b);
        CHECK_NEAR(b.effort, a.effort, 1e-9);
        CHECK_NEAR(b.power, a.power, 1e-9);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(a.on_b.f, b.on_b.f)), 0.0, 1e-9);
    }
    tn_sim_destroy(absolute);
    tn_sim_destroy(joint);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"forces are told in all coordinates", forces_are_told_in_all_coordinates},
    {"derivatives match differences", derivatives_match_differences},
    {"one motion by all roads", one_motion_by_all_roads},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
