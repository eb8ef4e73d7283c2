// SPDX-License-Identifier: MIT
//
// Parts of a model that nothing connects do not influence each other: a pendulum and a four-bar of
// a tenth of a millimetre move beside a flywheel of a ton as they do alone, in all coordinates.
// And bodies of next to no mass within a loop: they take no digits from its reactions.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static tn_body add_bar(tn_model *model, const char *name, double mass, double inertia, double x,
                       double y, double angle)
{
    tn_body_def def = tn_default_body();
    def.name = name;
    def.kind = TN_BODY_PLANAR;
    def.mass = mass;
    def.inertia.z = inertia;
    def.frame.p = tn_v3(x, y, 0.0);
    def.frame.R = tn_m3_rot_z(angle);
    def.given_position = def.given_rotation = true;
    return tn_model_add_body(model, &def);
}

// A pin between points of two bodies, at `a` and `b` along their own x axes.
static tn_joint add_pin(tn_model *model, const char *name, tn_body body_a, double a, tn_body body_b,
                        double b, double rate)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_REVOLUTE);
    def.name = name;
    def.body_a = body_a;
    def.body_b = body_b;
    def.frame_a.p.x = a;
    def.frame_b.p.x = b;
    def.nrate = rate != 0.0;
    def.rate[0] = rate;
    return tn_model_add_joint(model, &def);
}

static void add_flywheel(tn_model *model)
{
    const tn_body wheel = add_bar(model, "wheel", 1000.0, 1000.0, 0.0, 0.0, 0.0);
    add_pin(model, "axle", TN_GROUND, 0.0, wheel, 0.0, 10.0);
}

// Angle of the joint at the end of the run.
static double end_of(const tn_model *model, const char *method, tn_joint joint, double t_end)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    double q, rate;
    options.method = method;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    tn_sim_joint_coordinates(sim, joint, &q, &rate);
    tn_sim_destroy(sim);
    return q;
}

// A rod of length l that falls from the horizontal, by the classical method of Runge and Kutta.
static double falling_rod(double l, double t_end)
{
    enum { STEPS = 20000 };
    const double h = t_end / STEPS, c = -1.5 * 9.81 / l;
    double q = 0.0, v = 0.0;
    for (int k = 0; k < STEPS; k++) {
        const double a1 = c * cos(q), v2 = v + 0.5 * h * a1;
        const double a2 = c * cos(q + 0.5 * h * v), v3 = v + 0.5 * h * a2;
        const double a3 = c * cos(q + 0.5 * h * v2), v4 = v + h * a3;
        const double a4 = c * cos(q + h * v3);
        q += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return q;
}

static void a_small_pendulum_falls_beside_a_flywheel(void)
{
    static const char *const methods[] = {
        "auto",
        "bdf/ggl@absolute",
        "dop853/index1@absolute",
        "bdf/ggl@joint",
        "dop853/index1@joint",
        "radau5/ggl@director",
        "radau5/index2@director",
        "bdf/ggl@director",
        "bdf/stabilized-index1@director",
        "herk5/index2@director",
        "dop853/index1@director",
        "dopri5/baumgarte@director",
        "adams/index1@director",
        "dopri5/nullspace@director",
    };
    const double l = 1e-4, m = 1e-3, t_end = 0.015, exact = falling_rod(l, t_end);
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    const tn_body rod = add_bar(model, "rod", m, m * l * l / 12.0, 0.5 * l, 0.0, 0.0);
    const tn_joint pin = add_pin(model, "pin", TN_GROUND, 0.0, rod, -0.5 * l, 0.0);
    add_flywheel(model);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const double found = end_of(model, methods[k], pin, t_end);
        printf("%-32s %.6f, exact %.6f\n", methods[k], found, exact);
        CHECK_NEAR(found, exact, 0.01);
    }
    tn_model_destroy(model);
}

// Links of 30, 120 and 80 micrometres on a ground of 100; its crank is told a rate.
static void a_small_four_bar_turns_beside_a_flywheel(void)
{
    static const char *const methods[] = {"auto", "bdf/ggl@absolute", "bdf/ggl@joint",
                                          "radau5/ggl@director", "dopri5/index1@director"};
    const double t_end = 0.002, u = 1e-4;
    double alone = 0.0;
    for (int beside = 0; beside < 2; beside++) {
        tn_model *model = tn_model_create();
        tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
        const double b[2] = {0.3 * u * cos(0.5), 0.3 * u * sin(0.5)};
        const double c[2] = {0.8876048520468482 * u, 0.7920652313519318 * u};
        const double w = atan2(c[1] - b[1], c[0] - b[0]),
                     long_bar = hypot(c[0] - b[0], c[1] - b[1]);
        const double r = atan2(c[1], c[0] - u), rocker_bar = hypot(c[1], c[0] - u);
        const tn_body crank = add_bar(model, "crank", 1e-6, 7.5e-17, b[0] / 2, b[1] / 2, 0.5);
        const tn_body coupler =
            add_bar(model, "coupler", 2e-6, 1.35e-15, (b[0] + c[0]) / 2, (b[1] + c[1]) / 2, w);
        const tn_body rocker = add_bar(model, "rocker", 3e-6, 1.6e-15, (u + c[0]) / 2, c[1] / 2, r);
        const tn_joint A = add_pin(model, "A", TN_GROUND, 0.0, crank, -0.15 * u, 400.0);
        add_pin(model, "B", crank, 0.15 * u, coupler, -long_bar / 2, 0.0);
        add_pin(model, "C", coupler, long_bar / 2, rocker, rocker_bar / 2, 0.0);
        add_pin(model, "D", TN_GROUND, u, rocker, -rocker_bar / 2, 0.0);
        if (beside)
            add_flywheel(model);
        else
            alone = end_of(model, "radau5/ggl@absolute", A, t_end);
        for (int k = 0; beside && k < TN_COUNT(methods); k++)
            CHECK_NEAR(end_of(model, methods[k], A, t_end), alone, 0.01);
        tn_model_destroy(model);
    }
}

// The reaction of the crank's bearing after 0.1 s, and the steps that it took.
static tn_vec3 bearing_of(double coupler_mass, const char *method, long *steps)
{
    const double q[3] = {0.7, 0.6477428391420664, 1.6622984230550284}; // closed: 0.3, 1, 0.8 on 1.1
    const double bx = 0.3 * cos(q[0]), by = 0.3 * sin(q[0]);
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    const tn_body crank = add_bar(model, "crank", 1.0, 0.0075, 0.5 * bx, 0.5 * by, q[0]);
    const tn_body coupler = add_bar(model, "coupler", coupler_mass, coupler_mass / 12.0,
                                    bx + 0.5 * cos(q[1]), by + 0.5 * sin(q[1]), q[1]);
    const tn_body rocker =
        add_bar(model, "rocker", 1.0, 0.64 / 12.0, 1.1 + 0.4 * cos(q[2]), 0.4 * sin(q[2]), q[2]);
    const tn_joint A = add_pin(model, "A", TN_GROUND, 0.0, crank, -0.15, 2.0);
    add_pin(model, "B", crank, 0.15, coupler, -0.5, 0.0);
    add_pin(model, "C", coupler, 0.5, rocker, 0.4, 0.0);
    add_pin(model, "D", TN_GROUND, 1.1, rocker, -0.4, 0.0);
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rtol = 1e-10;
    options.atol = 1e-12;
    tn_sim *sim = NULL;
    tn_ledger ledger;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    *steps = ledger.steps + ledger.rejected;
    const tn_vec3 force = tn_sim_joint_reaction(sim, A).f;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return force;
}

// Terms by the inverse mass of the coupler had left three digits of 1e-13 kg, and noise that took
// 600 000 steps.
static void a_light_coupler_takes_no_digits(void)
{
    static const char *const methods[] = {"dop853/index1+project@joint", "dop853/index1@joint",
                                          "dopri5/index1@joint", "adams/index1@joint"};
    for (double mass = 1e-6; mass > 1e-14; mass *= 0.1) {
        long least, steps;
        const tn_vec3 F = bearing_of(mass, "dop853/index1+project@absolute", &least);
        for (int k = 0; k < TN_COUNT(methods); k++) {
            const tn_vec3 G = bearing_of(mass, methods[k], &steps);
            CHECK_NEAR(G.x, F.x, 1e-7); // of some 10 N; tolerances of 1e-10, and 100 steps
            CHECK_NEAR(G.y, F.y, 1e-7);
            CHECK(steps < 50 * least);
        }
    }
}

static const tn_test tests[] = {
    {"a small pendulum falls beside a flywheel", a_small_pendulum_falls_beside_a_flywheel},
    {"a small four-bar turns beside a flywheel", a_small_four_bar_turns_beside_a_flywheel},
    {"a light coupler takes no digits", a_light_coupler_takes_no_digits},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
