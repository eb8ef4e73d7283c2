// SPDX-License-Identifier: MIT
//
// Steps so large that their equations have roots beside the one that continues the motion: discrete
// principles find that one in all their forms, or say that there is none.

#include "fixed_step.h"
#include "tenon/io.h"

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "steps.yaml", &model, NULL));
    return model;
}

static const char CIRCLE[] =
    "tenon: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {mass: {kind: point-2d, mass: 1, initial: {position: [1, 0], velocity: [0, 1]}}}\n"
    "joints: {rod: {kind: distance, bodies: [ground, mass], length: 1}}\n";

// sin(turn) = h of variational steps and tan(turn / 2) = h / 2 of those of energy and momentum, in
// which the other root has cos(turn) with the other sign. Figure 3 of [LMO08] has h = 0.8.
static void go_round(const char *method, const tn_integrator_ops *integrator, void *user)
{
    static const double steps[] = {0.5, 0.7, 0.8, 0.9, 0.95};
    (void)user;
    const bool variational = !strcmp(integrator->name, "variational");
    tn_model *model = parse(CIRCLE);
    for (int k = 0; k < TN_COUNT(steps); k++) {
        const double h = steps[k], turn = variational ? asin(h) : 2.0 * atan(0.5 * h);
        tn_sim *sim = open_fixed(model, method, h);
        for (int n = 1; n <= 50; n++) {
            CHECK_OK(tn_sim_step(sim, h));
            CHECK_NEAR(tn_sim_q(sim)[0], cos(n * turn), 1e-11);
            CHECK_NEAR(tn_sim_q(sim)[1], sin(n * turn), 1e-11);
        }
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static void the_root_is_the_one_that_goes_on(void)
{
    CHECK(for_discrete_methods(go_round, NULL) == 6);
}

// A rod that turns over: by steps of up to 50 degrees the band of the energy is a tenth of it.
static void swing(const char *method, const tn_integrator_ops *integrator, void *user)
{
    (void)integrator, (void)user;
    tn_model *model = parse(
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  rod: {kind: planar, mass: 1, inertia: 0.0833333333333, initial: {position: [0.5, 0]}}\n"
        "joints: {pin: {kind: revolute, body: rod, at: [0, 0], initial: {rate: 5}}}\n");
    tn_sim *sim = open_fixed(model, method, 0.1);
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, 10.0, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    printf("%s: energy to %.2g J of %.2g J\n", method, ledger.max_balance, ledger.energy_scale);
    CHECK(ledger.max_balance < 0.1 * ledger.energy_scale);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_rod_turns_over_in_large_steps(void)
{
    CHECK(for_discrete_methods(swing, NULL) == 6);
}

// No root continues a motion that leaves the circle in one step.
static void a_step_beyond_the_circle_is_refused(void)
{
    static const char *const methods[] = {"variational/multiplier", "variational/dalembert",
                                          "variational/reparam"};
    tn_model *model = parse(CIRCLE);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        options.step = 1.1;
        tn_sim *sim = NULL;
        tn_status status = tn_sim_create(model, &options, &sim);
        if (status == TN_OK)
            status = tn_sim_run(sim, 11.0, NULL, NULL);
        CHECK(status == TN_ERR_NUMERIC && strstr(tn_last_error(), "try a smaller step"));
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"the root of a large step is the one that goes on", the_root_is_the_one_that_goes_on},
    {"a rod turns over in large steps", a_rod_turns_over_in_large_steps},
    {"a step beyond the circle is refused", a_step_beyond_the_circle_is_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
