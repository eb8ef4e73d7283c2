// SPDX-License-Identifier: MIT
//
// LuGre's friction in a ball, against its equations, which are integrated here by the rule of Runge
// and Kutta without anything of the library.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double INERTIA = 0.02, LOAD = 30.0, RADIUS = 0.05;
static const double COULOMB = 0.2, STICTION = 0.3, STRIBECK = 0.05, VISCOUS = 0.4;
static const double STIFFNESS = 2000.0, DAMPING = 3.0;

// A ball of equal moments about its middle, under a torque whose direction wanders and which the
// friction can hold half of the time.
static void torque_at(double t, double out[3])
{
    const double size = 0.45 * (1.0 + sin(5.0 * t));
    out[0] = size * cos(2.0 * t);
    out[1] = size * sin(2.0 * t);
    out[2] = 0.3 * sin(7.0 * t);
}

// y = (w, z), both in inertial axes: J w' = T - r F, z' = u - sigma_0 s z / mu(s), u = r w.
static void ball_rate(double t, const double *y, double *rate)
{
    double T[3], u[3];
    for (int k = 0; k < 3; k++)
        u[k] = RADIUS * y[k];
    const double ss = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    const double s = sqrt(ss + 1e-18) - 1e-9;
    const double mu = COULOMB + (STICTION - COULOMB) * exp(-ss / (STRIBECK * STRIBECK));
    torque_at(t, T);
    for (int k = 0; k < 3; k++) {
        const double z = y[3 + k], bends = u[k] - STIFFNESS * s * z / mu;
        const double F = LOAD * (STIFFNESS * z + DAMPING * bends) + VISCOUS * u[k];
        rate[k] = (T[k] - RADIUS * F) / INERTIA;
        rate[3 + k] = bends;
    }
}

static void runge_kutta(double end, int steps, double y[6])
{
    const double h = end / steps, c[4] = {0.0, 0.5, 0.5, 1.0}, w[4] = {1, 2, 2, 1};
    for (int s = 0; s < steps; s++) {
        double k[4][6] = {{0}}, at[6];
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 6; j++)
                at[j] = y[j] + (i > 0 ? c[i] * h * k[i - 1][j] : 0.0);
            ball_rate(s * h + c[i] * h, at, k[i]);
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 6; j++)
                y[j] += h / 6.0 * w[i] * k[i][j];
    }
}

static tn_vec3 spin_of(tn_sim *sim)
{
    const tn_frame X = tn_sim_body_frame(sim, (tn_body){1});
    return tn_m3_apply(X.R, tn_sim_body_rate(sim, (tn_body){1}));
}

// The axes of frame A are turned, and the deflections with them.
static void a_ball_slips_as_by_hand(void)
{
    static const struct {
        const char *method;
        double step, tol;
    } ways[] = {
        {"radau5/ggl@absolute", 0.0, 1e-6}, {"bdf/ggl@absolute", 0.0, 1e-5},
        {"radau5@joint", 0.0, 1e-6},        {"dop853@joint", 0.0, 1e-6},
        {"herk5@absolute", 0.0, 1e-6},      {"galpha/ggl@absolute", 5e-4, 1e-3},
        {"variational", 5e-4, 1e-3},
    };
    const char *const axes[] = {"", ", axis: [0.6, 0, 0.8], axis_2: [0.8, 0, -0.6]"};
    double y[6] = {1.0, -2.0, 0.5};
    runge_kutta(2.0, 40000, y);
    const double size = tn_v3_norm((tn_vec3){y[0], y[1], y[2]});
    CHECK(size > 0.1);
    for (int k = 0; k < TN_COUNT(ways); k++)
        for (int turned = 0; turned < 2; turned++) {
            char text[2048];
            snprintf(text, sizeof text,
                     "tenon: 1\n"
                     "bodies: {ball: {mass: 1, inertia: [0.02, 0.02, 0.02],\n"
                     "                initial: {rate: [1, -2, 0.5]}}}\n"
                     "joints: {socket: {kind: spherical, bodies: [ground, ball]%s}}\n"
                     "signals: {size: 0.45*(1 + sin(5*t))}\n"
                     "forces:\n"
                     "  push: {kind: point-force, body: ball,\n"
                     "         torque: [size*cos(2*t), size*sin(2*t), 0.3*sin(7*t)]}\n"
                     "  rub: {kind: lugre, joint: socket, coulomb: 0.2, static: 0.3, stribeck: "
                     "0.05,\n"
                     "        viscous: 0.4, stiffness: 2000, damping: 3, bristle: 0, radius: "
                     "0.05,\n"
                     "        load: 30}\n",
                     axes[turned]);
            tn_sim *sim = tn_test_open_text(text, ways[k].method, ways[k].step, 1e-9);
            tn_ledger ledger;
            CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
            const tn_vec3 w = spin_of(sim);
            const double z[3] = {tn_test_value(sim, "rub.bristle.x"),
                                 tn_test_value(sim, "rub.bristle.y"),
                                 tn_test_value(sim, "rub.bristle.z")};
            CHECK_NEAR(w.x, y[0], ways[k].tol);
            CHECK_NEAR(w.y, y[1], ways[k].tol);
            CHECK_NEAR(w.z, y[2], ways[k].tol);
            const tn_vec3 b = {y[3], y[4], y[5]};
            const double expected[3] = {turned ? 0.8 * b.x - 0.6 * b.z : b.x, b.y,
                                        turned ? 0.6 * b.x + 0.8 * b.z : b.z};
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(z[i], expected[i], 1e-3 * ways[k].tol);
            tn_sim_ledger(sim, &ledger);
            CHECK(tn_ledger_relative_balance(&ledger) < 1e-3);
            tn_sim_destroy(sim);
        }
}

// A rod on a ball under its own weight, at 0.9 of what friction at rest holds, under the reaction.
static void a_ball_holds(void)
{
    const char *const text =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {rod: {mass: 2, inertia: [0.05, 0.05, 0.05], com: [0.0108, 0.0144, 0]}}\n"
        "joints: {socket: {kind: spherical, bodies: [ground, rod], at: [0, 0, 0]}}\n"
        "forces: {rub: {kind: lugre, joint: socket, coulomb: 0.3, static: 0.4, radius: 0.05,\n"
        "               stiffness: 1e4, damping: 30}}\n";
    static const char *const methods[] = {"radau5/ggl@absolute", "bdf/ggl@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = tn_test_open_text(text, methods[k], 0.0, 1e-9);
        CHECK_OK(tn_sim_run(sim, 100.0, NULL, NULL));
        const tn_frame X = tn_sim_body_frame(sim, (tn_body){1});
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                CHECK_NEAR(X.R.m[i][j], i == j, 1e-6);
        tn_sim_destroy(sim);
    }
}

// Slipping at the start: bristles are bent to the end, along the slip.
static void bristles_start_bent(void)
{
    const char *const text =
        "tenon: 1\n"
        "bodies: {ball: {mass: 1, inertia: [0.02, 0.02, 0.02], initial: {rate: [10, -20, 20]}}}\n"
        "joints: {socket: {kind: spherical, bodies: [ground, ball]}}\n"
        "forces: {rub: {kind: lugre, joint: socket, coulomb: 0.3, radius: 0.05, stiffness: 1e4,\n"
        "               load: 10}}\n";
    tn_sim *sim = tn_test_open_text(text, "radau5/ggl@absolute", 0.0, 1e-9);
    CHECK_NEAR(tn_test_value(sim, "rub.bristle.x"), 1e-5, 1e-15);
    CHECK_NEAR(tn_test_value(sim, "rub.bristle.y"), -2e-5, 1e-15);
    CHECK_NEAR(tn_test_value(sim, "rub.bristle.z"), 2e-5, 1e-15);
    tn_sim_destroy(sim);
}

// Two bodies that nothing holds: friction between them changes neither momentum.
static void nothing_comes_from_outside(void)
{
    const char *const text =
        "tenon: 1\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], initial: {rate: [3, -1, 2]}}\n"
        "  b: {mass: 2, inertia: [0.2, 0.1, 0.15], com: [0.2, 0.1, 0.3],\n"
        "      initial: {rate: [0, 2, -1]}}\n"
        "joints: {ball: {kind: spherical, bodies: [a, b], at: [0, 0, 0]}}\n"
        "forces: {rub: {kind: lugre, joint: ball, coulomb: 0.3, static: 0.4, radius: 0.2,\n"
        "               stiffness: 300, damping: 1}}\n";
    tn_sim *sim = tn_test_open_text(text, "radau5/ggl@absolute", 0.0, 1e-9);
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    for (int i = 0; i < 3; i++) {
        CHECK(ledger.momentum_change[i] < 1e-6);
        CHECK(ledger.spin_change[i] < 1e-6);
    }
    CHECK(ledger.dissipated > 0.1 && tn_ledger_relative_balance(&ledger) < 1e-5);
    tn_sim_destroy(sim);
}

static const tn_test tests[] = {
    {"a ball slips as by hand", a_ball_slips_as_by_hand},
    {"a ball holds", a_ball_holds},
    {"bristles start bent", bristles_start_bent},
    {"nothing comes from outside", nothing_comes_from_outside},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
