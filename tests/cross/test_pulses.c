// SPDX-License-Identifier: MIT
//
// Smooth pulses after a long rest are seen by every error-controlled integrator, however long its
// steps have become: impulses by closed forms. Fixed steps that are too long for them are doubtful.

#include "integrator/integrator.h"
#include "read/model_yaml.h"
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

// A discontinuity somewhere else in the function, and a wide pulse that is low beside a narrow one:
// its turn is 1e-5 of the largest.
static void pulses_beside_kinks_and_others_are_seen(void)
{
    static const double root = 1.7724538509055160; // of pi
    static const struct {
        const char *effort;
        double impulse;
    } cases[] = {
        {"(t >= 0)*10*exp(-((t-6.283)/0.05)^2)", 0.5 * root},
        {"if(t > 1, 10*exp(-((t-6.283)/0.05)^2), 0)", 0.5 * root},
        {"step(t, 0, 0, 1, 0.01) + 10*exp(-((t-6.283)/0.05)^2)", 0.5 * root + 0.095},
        {"if(t > 5, exp(-((t-5.02)/0.0015)^2), 0)", 0.0015 * root},
        {"100*exp(-((t-2.3)/0.0037)^2) + 3*exp(-((t-7.1)/0.12)^2)", 0.37 * root + 0.36 * root},
        {"3*exp(-((t-2.3)/0.12)^2) + 100*exp(-((t-7.1)/0.0037)^2)", 0.37 * root + 0.36 * root},
    };
    static const char *const methods[] = {"dop853", "dopri5", "radau5", "bdf"};
    for (int k = 0; k < TN_COUNT(cases); k++)
        for (int m = 0; m < TN_COUNT(methods); m++) {
            tn_sim_options o = tn_default_sim();
            double speed;
            o.method = methods[m];
            CHECK(run(cases[k].effort, &o, &speed) == TN_OUTCOME_DONE);
            printf("%-8s %-60s %.6f\n", methods[m], cases[k].effort, speed);
            CHECK_NEAR(speed, 0.5 * cases[k].impulse, 1e-3 * cases[k].impulse);
        }
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

// Work of a field that is narrow in space, after metres without any: energies by closed forms.
static void fields_that_are_narrow_in_space_are_seen(void)
{
    static const struct {
        const char *effort;
        double work; // [J]
    } fields[] = {
        {"1000*exp(-((rail.displacement - 5)/1e-3)^2)", 1.7724538509055160},
        {"1000/(1 + ((rail.displacement - 5)/1e-3)^2)", 3.1411926535},
        {"500*(tanh((rail.displacement - 5)/1e-4) - tanh((rail.displacement - 5.002)/1e-4))", 2.0},
        {"-30*exp(-((rail.displacement - 4.3)/2e-3)^2)", -0.1063472310543310},
        {"if(exp(-((rail.displacement - 5)/1e-2)^2) > 0.5, 100, 0)", 1.6651092223153954},
        {"abs(rail.displacement - 5) < 0.002 ? 500 : 0", 2.0},
    };
    static const char *const methods[] = {"auto", "radau5", "herk5", "dopri5", "bdf", "adams"};
    for (int i = 0; i < TN_COUNT(fields) * TN_COUNT(methods); i++) {
        char text[1000];
        double speed;
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options o = tn_default_sim();
        o.method = methods[i % TN_COUNT(methods)];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies:\n  m: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"
                 "  rail: {kind: prismatic, body: m, at: [0, 0, 0], axis: [1, 0, 0], "
                 "initial: {rate: 1}}\nforces:\n  f: {kind: motor, joint: rail, effort: '%s'}\n",
                 fields[i / TN_COUNT(methods)].effort);
        CHECK_OK(tn_model_parse(text, "text", &model, NULL));
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 10.0, NULL, NULL));
        tn_sim_joint_coordinates(sim, (tn_joint){0}, NULL, &speed);
        const double hand = sqrt(1.0 + 2.0 * fields[i / TN_COUNT(methods)].work);
        printf("%-8s field %d: speed %.6f, by hand %.6f\n", o.method, i / TN_COUNT(methods), speed,
               hand);
        CHECK_NEAR(speed, hand, i / TN_COUNT(methods) < 4 ? 1e-3 : 4e-3); // steps of bdf are cut
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Ways that turn round or go around within a step, and a field in the very middle: as in steps that
// see all of it.
static void fields_on_curved_ways_are_seen(void)
{
    static const char *const models[] = {
        // thrown up: 6 mm below the top, which lies between the ends of a step
        "tenon: 1\ngravity: [0, 0, -1]\nbodies:\n  m: {mass: 1, inertia: [1, 1, 1], "
        "initial: {velocity: [1, 0, 5]}}\nforces:\n  f: {kind: point-force, body: m, "
        "force: ['100*exp(-((m.position.z - 12)/1e-2)^2)', 0, 0]}\n",
        // a rotor, which steps turn by more than half a turn
        "tenon: 1\nbodies:\n  m: {mass: 1, inertia: [1, 1, 1], initial: {rate: [0, 0, 1]}}\n"
        "outputs: {y: {of: m, point: [1, 0, 0], axis: y}}\nforces:\n  f: {kind: point-force, "
        "body: m, force: ['1000*exp(-((y - 0.7)/1e-3)^2)', 0, 0]}\n",
        "tenon: 1\nbodies:\n  m: {mass: 1, inertia: [1, 1, 1], initial: {velocity: [1, 0, 0]}}\n"
        "forces:\n  f: {kind: point-force, body: m, "
        "force: ['1000*exp(-((m.position.x - 5)/1e-3)^2)', 0, 0]}\n",
    };
    static const char *const methods[] = {"auto", "radau5", "dopri5@absolute", "bdf"};
    for (int i = 0; i < TN_COUNT(models); i++) {
        double speed, exact = 0.0;
        for (int k = -1; k < TN_COUNT(methods); k++) {
            tn_model *model = NULL;
            tn_sim *sim = NULL;
            tn_sim_options o = tn_default_sim();
            o.method = k < 0 ? "dop853" : methods[k];
            o.step_max = k < 0 ? 1e-3 : 0.0;
            CHECK_OK(tn_model_parse(models[i], "text", &model, NULL));
            CHECK_OK(tn_sim_create(model, &o, &sim));
            CHECK_OK(tn_sim_run(sim, 10.0, NULL, NULL));
            speed = tn_sim_body_velocity(sim, tn_model_find_body(model, "m")).x;
            exact = k < 0 ? speed : exact;
            printf("%-8s way %d: speed %.6f, in small steps %.6f\n", o.method, i, speed, exact);
            CHECK_NEAR(speed, exact, 3e-3 * fabs(exact));
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
        CHECK(fabs(exact - 1.0) > 0.5 && fabs(exact) > 0.5);
    }
}

// A pendulum passes a place of 1 mm in a part of a step: the ledger balances whatever stages see.
static void fixed_steps_over_narrow_fields_are_doubtful(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81]\nbodies:\n"
        "  m: {kind: planar, mass: 1, inertia: 0.1, com: [1, 0]}\njoints:\n"
        "  pin: {kind: revolute, bodies: [ground, m], at: [0, 0]}\n"
        "outputs: {y: {of: m, point: [1, 0, 0], axis: y}}\nforces:\n"
        "  f: {kind: motor, joint: pin, effort: '1000*exp(-((y + 0.9)/%s)^2)'}\n";
    static const char *const names[] = {"galpha/ggl", "galpha/ggl@director", "hht", "variational"};
    for (int k = 0; k < 2 * TN_COUNT(names); k++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options o = tn_default_sim();
        tn_verdict verdict;
        char model_text[1000];
        bool told = false;
        const bool narrow = k < TN_COUNT(names); // 0.3 m take seven steps
        snprintf(model_text, sizeof model_text, text, narrow ? "1e-3" : "0.3");
        o.method = names[k % TN_COUNT(names)];
        o.step = 0.01;
        CHECK_OK(tn_model_parse(model_text, "text", &model, NULL));
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 0.6, NULL, NULL));
        tn_sim_verdict(sim, &verdict);
        for (int i = 0; i < verdict.count; i++)
            if (!strcmp(verdict.judged[i].quantity, "narrow"))
                told = verdict.judged[i].doubtful && strstr(verdict.judged[i].text, "motor 'f'");
        printf("%-20s %d %d\n", o.method, narrow, told);
        CHECK(told == narrow);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Functions near the largest number: turns overflow, and a search for pulses that takes them for
// numbers does not end. Steps and sizes of the motion underflow and overflow with them.
static void functions_that_overflow_end_with_a_sentence(void)
{
    static const char *const efforts[] = {"1e300*exp(1000*t)", "-exp(800*t)*1e100", "1e300*exp(t)",
                                          "1.7e308*t"};
    static const char *const methods[] = {"auto", "radau5", "bdf", "galpha"};
    for (int i = 0; i < TN_COUNT(efforts) * TN_COUNT(methods); i++) {
        char text[500];
        tn_sim_options o = tn_default_sim();
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies: {b: {kind: planar, mass: 1, inertia: 1}}\n"
                 "joints: {j: {kind: revolute, bodies: [ground, b], at: [0, 0]}}\n"
                 "forces: {f: {kind: motor, joint: j, effort: '%s'}}\n"
                 "events: {e: {joint: j, value: 0.3}}\n",
                 efforts[i / TN_COUNT(methods)]);
        o.method = methods[i % TN_COUNT(methods)];
        CHECK_OK(tn_model_parse(text, "text", &model, NULL));
        tn_status status = tn_sim_create(model, &o, &sim);
        TN_THEN(status, tn_sim_run(sim, 1.0, NULL, NULL));
        CHECK(status < 0 && strlen(tn_last_error()) > 20);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void steps_below_the_round_off_of_time_are_refused(void)
{
    static const double steps[] = {1e-300, 1e-15};
    for (int i = 0; i < TN_COUNT(steps); i++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options o = tn_default_sim();
        o.t_start = 1.0;
        o.step = steps[i];
        CHECK_OK(tn_model_parse("tenon: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}", "text",
                                &model, NULL));
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK(tn_sim_run(sim, 2.0, NULL, NULL) < 0);
        CHECK(strstr(tn_last_error(), "round-off of times"));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Functions of time within rates of states, unknowns and rows; values by the areas and second
// moments of the pulses, of the row that is not linear by radau5 in steps of a millisecond.
static void pulses_within_expressions_are_seen(void)
{
#define HUMP "tables: {hump: {x: [0, 0.4, 0.45, 0.5, 1], values: [0, 0, 1, 0, 0]}}\n"
#define POINT "tenon: 1\nbodies: {q: {kind: point-2d, mass: 1}}\n"
    static const char *const models[] = {
        POINT HUMP "states: {s: {rate: hump(t)}}\n"
                   "forces: {f: {kind: point-force, body: q, force: [100*s, 0, 0]}}\n",
        POINT HUMP "joints: {row: {kind: velocity-row, row: q.velocity.x - hump(t)}}\n",
        POINT "states: {s: {rate: exp(-((t - 0.4137)/5e-3)^2)}}\n"
              "forces: {f: {kind: point-force, body: q, force: [100*s, 0, 0]}}\n",
        POINT "states: {s: {rate: exp(-((t - 0.50007)/2e-4)^2)}}\n" // two places of the grid
              "forces: {f: {kind: point-force, body: q, force: [1000*s, 0, 0]}}\n",
        POINT "unknowns: {u: {equation: u - exp(-((t - 0.4137)/5e-3)^2)}}\n"
              "forces: {f: {kind: point-force, body: q, force: [100*u, 0, 0]}}\n",
        "tenon: 1\nbodies:\n  q: {kind: point-2d, mass: 1}\n"
        "  p: {kind: point-2d, mass: 1, initial: {position: [0.1, 0], velocity: [0.1, 0]}}\n" HUMP
        "joints: {row: {kind: position-row, "
        "row: q.position.x - p.position.x^2 + 0.01 - 0.1*hump(t)}}\n",
    };
    static const double x[] = {0.7570833333, 0.05, 0.1523248, 0.0442989, 0.5195949, -0.0008736};
    static const char *const methods[] = {"auto", "radau5", "bdf", "dopri5", "herk5", "adams"};
    for (int i = 0; i < TN_COUNT(models); i++) {
        for (int k = 0; k < TN_COUNT(methods); k++) {
            tn_model *model = NULL;
            tn_sim *sim = NULL;
            tn_sim_options o = tn_default_sim();
            o.method = methods[k];
            CHECK_OK(tn_model_parse(models[i], "text", &model, NULL));
            CHECK_OK(tn_sim_create(model, &o, &sim));
            CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
            const tn_body body = tn_model_find_body(model, "q");
            const double at = tn_sim_body_frame(sim, body).p.x;
            printf("%-8s model %d: %.7f, exact %.7f\n", o.method, i, at, x[i]);
            CHECK_NEAR(at, x[i], 2e-4);
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
    }
}

static tn_status count_step(void *user, tn_sim *sim)
{
    (void)sim;
    ++*(int *)user;
    return TN_OK;
}

// Squares of errors of 1e-155 are zero: a step with such errors is right, and no step is too long.
static void motions_near_the_smallest_numbers_go_on(void)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options o = tn_default_sim();
    o.method = "dop853";
    o.step_max = 2e-3;
    CHECK_OK(tn_model_parse("tenon: 1\nbodies: {q: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
                            "  p: {kind: prismatic, body: q, axis: [0, 1, 0]}\n"
                            "  d: {kind: drive, joint: p, motion: 'exp(-((t - 0.4137)/0.02)^2)'}\n",
                            "text", &model, NULL));
    CHECK_OK(tn_sim_create(model, &o, &sim));
    int steps = 0;
    CHECK_OK(tn_sim_run(sim, 1.0, count_step, &steps));
    CHECK(steps < 2000);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"every integrator sees pulses", every_integrator_sees_pulses},
    {"pulses of other shapes are seen", pulses_of_other_shapes_are_seen},
    {"pulses beside kinks and others are seen", pulses_beside_kinks_and_others_are_seen},
    {"pulses are seen in short stretches", pulses_are_seen_in_short_stretches},
    {"trains of pulses leave room for others", trains_of_pulses_leave_room_for_others},
    {"fixed steps that are too long are doubtful", fixed_steps_that_are_too_long_are_doubtful},
    {"fields that are narrow in space are seen", fields_that_are_narrow_in_space_are_seen},
    {"fields on curved ways are seen", fields_on_curved_ways_are_seen},
    {"fixed steps over narrow fields are doubtful", fixed_steps_over_narrow_fields_are_doubtful},
    {"pulses within expressions are seen", pulses_within_expressions_are_seen},
    {"motions near the smallest numbers go on", motions_near_the_smallest_numbers_go_on},
    {"functions that overflow end with a sentence", functions_that_overflow_end_with_a_sentence},
    {"steps below the round-off of time are refused",
     steps_below_the_round_off_of_time_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
