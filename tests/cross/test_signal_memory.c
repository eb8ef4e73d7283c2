// SPDX-License-Identifier: MIT
//
// No step takes memory, by any method in any coordinates, for a model with everything that
// expressions of the state can be: signals, states with limits, unknowns, sampled systems with a
// delay, conditions, blocks, and friction, under the load of reactions where coordinates have them.

#include "integrator/integrator.h"
#include "tenon/tenon.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const char text[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  cart: {mass: 1, inertia: [1, 1, 1]}\n"
    "  pole: {mass: 0.2, inertia: [0.01, 0.01, 0.001], com: [0, 0, -0.5]}\n"
    "joints:\n"
    "  rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0, 0],\n"
    "         initial: {rate: 0.4}}\n"
    "  pin: {kind: revolute, bodies: [cart, pole], axis: [0, 1, 0], initial: {position: 0.6}}\n"
    "signals:\n"
    "  error: rail.displacement - 0.01\n"
    "  want: 'if(error > 0, -3, 3)'\n"
    "states:\n"
    "  integral: {rate: error, limits: [-0.00004, 0.00001]}\n"
    "unknowns:\n"
    "  soft: {equation: soft + 0.1*soft^3 - error - 0.05*pole.velocity.x}\n"
    "sampled:\n"
    "  servo: {every: 0.0137, delay: 0.02, next: {u: 0.9*u + 0.1*error}}\n"
    "blocks:\n"
    "  slow: {kind: lowpass, input: want, tau: 0.05}\n"
    "forces:\n"
    "  drive: {kind: motor, joint: rail,\n"
    "          effort: 'slow + soft + servo.u + 5*integral - abs(pin.angle)'}\n"
    "  rub: {kind: friction, joint: rail, coulomb: 0.1, static: 0.12, stribeck: 0.3, speed: "
    "0.1%s}\n"
    "  bristles: {kind: lugre, joint: pin, coulomb: 0.2, static: 0.3, stribeck: 0.5, radius: "
    "0.05,\n"
    "             stiffness: 20, damping: 1%s}\n";

// Discrete principles do not know reactions within a step; nor do directors.
static tn_model *everything(bool by_reactions)
{
    char all[sizeof text + 64];
    tn_model *model = NULL;
    const char *load = by_reactions ? "" : ", load: 3";
    snprintf(all, sizeof all, text, load, load);
    CHECK_OK(tn_model_parse(all, "everything.yaml", &model, NULL));
    return model;
}

// Pairings that no model can have.
static bool is_refused(const tn_integrator_ops *integrator, const tn_formulation *form,
                       bool adaptive)
{
    if (!tn_pairing_is_legal(integrator, form))
        return true;
    return adaptive ? tn_integrator_is_fixed(integrator) || strcmp(form->name, "baumgarte2") == 0
                    : strcmp(integrator->name, "adams") == 0;
}

// A run takes no memory, and has met samples, both limits and a condition at its end.
static void check_run(const tn_model *model, const char *method, bool adaptive)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = adaptive ? 0.0 : 5e-3;
    options.adaptive = adaptive;
    options.rtol = options.atol = 1e-4;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const long before = tn_test_alloc_count();
    const tn_status status = tn_sim_run(sim, 0.045, NULL, NULL);
    const long taken = tn_test_alloc_count() - before;
    if (status != TN_OK || taken != 0)
        printf("%s, %s steps: %ld blocks\n", method, adaptive ? "chosen" : "fixed", taken);
    CHECK_OK(status);
    CHECK(taken == 0);
    CHECK_NEAR(tn_test_value(sim, "integral"), 1e-5, 1e-9);
    CHECK(tn_test_value(sim, "servo.u") < 0.0);
    tn_sim_destroy(sim);
}

// Every pairing of the integrator in these coordinates; how many there are.
static int check_integrator(const tn_integrator_ops *integrator, const char *coordinates)
{
    const bool discrete = integrator->needs & TN_VIEW_DISCRETE;
    tn_model *model = everything(!discrete && strcmp(coordinates, "director") != 0);
    int count = 0;
    for (int k = 0; k < 2 * tn_formulation_count; k++) {
        const tn_formulation *form = tn_formulations[k / 2];
        const bool adaptive = k % 2;
        char method[96];
        if (is_refused(integrator, form, adaptive))
            continue;
        snprintf(method, sizeof method, "%s/%s@%s", integrator->name, form->name, coordinates);
        check_run(model, method, adaptive);
        count++;
    }
    tn_model_destroy(model);
    return count;
}

static void no_step_takes_memory(void)
{
    static const char *const coordinates[] = {"director", "absolute", "joint"};
    for (int i = 0; i < tn_integrator_count; i++) {
        const bool discrete = tn_integrators[i]->needs & TN_VIEW_DISCRETE; // in linear spaces alone
        for (int k = 0; k < (discrete ? 1 : TN_COUNT(coordinates)); k++)
            CHECK(check_integrator(tn_integrators[i], coordinates[k]) > 0);
    }
}

static const tn_test tests[] = {
    {"no step takes memory", no_step_takes_memory},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
