// SPDX-License-Identifier: MIT
//
// Smooth pulses after a long rest are seen by every error-controlled integrator, however long its
// steps have become: impulses by closed forms. Fixed steps that are too long for them are doubtful.

#include "integrator/integrator.h"
#include "io/model_yaml.h"
#include "tenon/tenon.h"
#include "test.h"

#include <string.h>

// 2 kg on a rail, 10 s in equal stretches. The outcome, and its speed at the end.
static tn_outcome run_in(int stretches, const char *effort, const tn_sim_options *o, double *speed)
{
    char text[2000];
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_verdict verdict;
    snprintf(text, sizeof text,
             "tenon: 1\nbodies:\n  m: {mass: 2, inertia: [1, 1, 1]}\n"
             "joints:\n  rail: {kind: prismatic, body: m, at: [0, 0, 0], axis: [1, 0, 0]}\n"
             "forces:\n  f: {kind: motor, joint: rail, effort: '%s'}\n",
             effort);
    CHECK_OK(tn_model_parse(text, "text", &model, NULL));
    CHECK_OK(tn_sim_create(model, o, &sim));
    for (int k = 1; k <= stretches; k++)
        CHECK_OK(tn_sim_run(sim, 10.0 * k / stretches, NULL, NULL));
    tn_sim_joint_coordinates(sim, (tn_joint){0}, NULL, speed);
    tn_sim_verdict(sim, &verdict);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return verdict.outcome;
}

static tn_outcome run(const char *effort, const tn_sim_options *o, double *speed)
{
    return run_in(1, effort, o, speed);
}

static void every_integrator_sees_pulses(void)
{
    static const double widths[] = {3e-3, 2e-2, 0.1, 0.5};
    for (int k = 0; k < tn_integrator_count; k++)
        for (int i = 0; i < TN_COUNT(widths) && tn_integrators[k]->controlled; i++) {
            tn_sim_options o = tn_default_sim();
            char effort[200];
            double speed;
            o.method = tn_integrators[k]->name;
            snprintf(effort, sizeof effort, "%.17g*exp(-((t - 6.3)/%g)^2)",
                     2.0 / (widths[i] * 1.7724538509055160), widths[i]);
            CHECK(run(effort, &o, &speed) == TN_OUTCOME_DONE);
            printf("%-8s width %.3f: speed %.6f\n", o.method, widths[i], speed);
            CHECK_NEAR(speed, 1.0, 1e-3);
        }
}

// Two in one function, beside a wave; a gate of two smooth steps.
static void pulses_of_other_shapes_are_seen(void)
{
    tn_sim_options o = tn_default_sim();
    double speed;
    CHECK(run("100/(1 + (1000*(t - 7))^2)", &o, &speed) == TN_OUTCOME_DONE);
    CHECK_NEAR(speed, 0.05 * (atan(3000.0) + atan(7000.0)), 1e-5);
    CHECK(run("tanh(500*(t - 5)) - tanh(500*(t - 5.02))", &o, &speed) == TN_OUTCOME_DONE);
    CHECK_NEAR(speed, 0.02, 1e-5);
    CHECK(run("sin(t) + 500*exp(-((t-3)/0.01)^2) - 500*exp(-((t-8)/0.01)^2)", &o, &speed) ==
          TN_OUTCOME_DONE);
    CHECK_NEAR(speed, 0.5 * (1.0 - cos(10.0)), 1e-4);
}

// A controller asks for a short stretch at a time: only what comes is looked at. 2000 searches of
// all that was would take minutes.
static void pulses_are_seen_in_short_stretches(void)
{
    static const int stretches[] = {7, 50, 2000};
    for (int k = 0; k < TN_COUNT(stretches); k++) {
        tn_sim_options o = tn_default_sim();
        double speed;
        o.method = "dop853";
        CHECK(run_in(stretches[k], "100/(1 + (1000*(t - 7.003))^2)", &o, &speed) ==
              TN_OUTCOME_DONE);
        printf("%4d stretches: speed %.9f\n", stretches[k], speed);
        CHECK_NEAR(speed, 0.05 * (atan(2997.0) + atan(7003.0)), 1e-5);
    }
}

// Four motors with 80 weak pulses each within the first 4 s, and a fifth with one at 8 s.
static void trains_of_pulses_leave_room_for_others(void)
{
    tn_sim_options o = tn_default_sim();
    char effort[1600] = "";
    double speed;
    for (int k = 0, n = 0; k < 4; k++)
        n += snprintf(effort + n, sizeof effort - (size_t)n,
                      "1e-6*exp(25*(cos(125.66370614359172*t) - 1) - (t/4)^16)'}\n"
                      "  f%d: {kind: motor, joint: rail, effort: '",
                      k);
    const size_t n = strlen(effort);
    snprintf(effort + n, sizeof effort - n, "%.17g*exp(-((t - 8)/0.003)^2)",
             2.0 / (0.003 * 1.7724538509055160));
    CHECK(run(effort, &o, &speed) == TN_OUTCOME_DONE);
    printf("speed %.6f\n", speed);
    CHECK_NEAR(speed, 1.0, 1e-3);
}

static void fixed_steps_that_are_too_long_are_doubtful(void)
{
    static const char *const names[] = {"galpha/ggl", "variational@director", "bdf/ggl"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_sim_options o = tn_default_sim();
        double speed;
        o.method = names[k];
        o.step = 0.05;
        o.adaptive = false;
        const tn_outcome outcome = run("100*exp(-((t-5)/0.003)^2)", &o, &speed);
        CHECK(outcome == TN_OUTCOME_DOUBTFUL || fabs(speed - 0.2658681) < 3e-3);
    }
}

static const tn_test tests[] = {
    {"every integrator sees pulses", every_integrator_sees_pulses},
    {"pulses of other shapes are seen", pulses_of_other_shapes_are_seen},
    {"pulses are seen in short stretches", pulses_are_seen_in_short_stretches},
    {"trains of pulses leave room for others", trains_of_pulses_leave_room_for_others},
    {"fixed steps that are too long are doubtful", fixed_steps_that_are_too_long_are_doubtful},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
