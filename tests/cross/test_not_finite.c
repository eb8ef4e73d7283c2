// SPDX-License-Identifier: MIT
//
// Functions of time that are not finite: those that cannot start are refused, runs end before a
// pole and where a function ends, with a sentence that names element, quantity and time. Functions
// that only look like that run.

#include "read/model_yaml.h"
#include "tenon/tenon.h"
#include "test.h"

static const char *const methods[] = {"dop853@joint", "bdf/ggl@absolute", "galpha/ggl@director"};

// To 3 s in equal stretches, as a controller would ask for them.
static tn_status run(bool drive, const char *u, const char *method, int stretches, double *t)
{
    char text[1000];
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    snprintf(text, sizeof text,
             "tenon: 1\nbodies:\n  arm: {mass: 2, inertia: [0.2, 0.2, 0.3], com: [0.5, 0, 0]}\n"
             "joints:\n  A: {kind: revolute, body: arm, at: [0, 0, 0], axis: [0, 0, 1]}\n%s%s'}\n",
             drive ? "  d: {kind: drive, joint: A, motion: '"
                   : "forces:\n  d: {kind: motor, joint: A, effort: '",
             u);
    tn_sim_options o = tn_default_sim();
    o.method = method;
    o.step = strstr(method, "galpha") ? 0.02 : 0.0;
    o.rtol = o.atol = 1e-5;
    *t = 0.0;
    CHECK_OK(tn_model_parse(text, "text", &model, NULL));
    tn_status status = tn_sim_create(model, &o, &sim);
    for (int k = 1; k <= stretches && status == TN_OK; k++) {
        status = tn_sim_run(sim, 3.0 * k / stretches, NULL, NULL);
        *t = tn_sim_time(sim);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return status;
}

static void functions_that_cannot_start_are_refused(void)
{
    static const struct {
        bool drive;
        const char *u, *told;
    } cases[] = {
        {true, "sqrt(t)", "joint 'd': the velocity of motion is infinite at t = 0 s"},
        {true, "t^0.5", "joint 'd': the velocity of motion is infinite at t = 0 s"},
        {true, "t^1.5", "joint 'd': the acceleration of motion is infinite at t = 0 s"},
        {true, "log(t)", "joint 'd': motion is infinite at t = 0 s"},
        {true, "sin(t)/t", "joint 'd': motion is not defined at t = 0 s"},
        {false, "1/t", "force 'd': effort is infinite at t = 0 s"},
        {false, "sqrt(t - 1)", "force 'd': effort is not defined at t = 0 s"},
    };
    for (int k = 0; k < TN_COUNT(cases); k++)
        for (int m = 0; m < TN_COUNT(methods); m++) {
            double t;
            CHECK_STATUS(run(cases[k].drive, cases[k].u, methods[m], 1, &t), TN_ERR_MODEL);
            if (!strstr(tn_last_error(), cases[k].told))
                printf("%s, %s: %s\n", cases[k].u, methods[m], tn_last_error());
            CHECK(strstr(tn_last_error(), cases[k].told) != NULL);
        }
}

// Fixed steps of 0.02 s lie on both sides of 1.01 s. Weak poles are seen as strong ones are.
static void runs_end_before_a_pole(void)
{
    static const struct {
        bool drive;
        const char *u, *told;
        double t;
    } cases[] = {
        {false, "tan(t)", "force 'd': effort is not finite at t = 1.57079633 s", 1.5707963267949},
        {false, "1/(t - 1.01)", "force 'd': effort is not finite at t = 1.01 s", 1.01},
        {false, "1e-3/(t - 1.01)^2", "force 'd': effort is not finite at t = 1.01 s", 1.01},
        {false, "1/sqrt(abs(t - 1.01))", "force 'd': effort is not finite at t = 1.01 s", 1.01},
        {false, "sin(9*t) + 0.01/(t - 1.01)", "force 'd': effort is not finite at t = 1.01 s",
         1.01},
        {true, "1e-9/(t - 1.01)", "joint 'd': motion is not finite at t = 1.01 s", 1.01},
        {true, "sqrt(abs(t - 1.01))", "joint 'd': the velocity of motion is not finite at t = 1.01",
         1.01},
    };
    for (int k = 0; k < TN_COUNT(cases); k++)
        for (int m = 0; m < TN_COUNT(methods); m++) {
            double t;
            const int stretches = k % 2 == 0 ? 1 : 100;
            CHECK_STATUS(run(cases[k].drive, cases[k].u, methods[m], stretches, &t),
                         TN_ERR_NUMERIC);
            if (!strstr(tn_last_error(), cases[k].told))
                printf("%s, %s: %s\n", cases[k].u, methods[m], tn_last_error());
            CHECK(strstr(tn_last_error(), cases[k].told) != NULL);
            CHECK(t > 0.97 * cases[k].t && t < cases[k].t);
        }
}

// By the integrators, which tell it themselves or are told.
static void runs_end_where_a_function_does(void)
{
    static const char *const u[] = {"log(2 - t)", "sqrt(2 - t)", "acos(t/2)",
                                    "t > 2 ? log(1-t) : 0"};
    for (int k = 0; k < TN_COUNT(u); k++)
        for (int m = 0; m < TN_COUNT(methods); m++)
            for (int drive = 0; drive < 2; drive++) {
                double t;
                CHECK_STATUS(run(drive, u[k], methods[m], 1, &t), TN_ERR_NUMERIC);
                const char *told = tn_last_error();
                const bool good = strstr(told, drive ? "joint 'd'" : "force 'd'") &&
                                  (strstr(told, "t = 2") || strstr(told, "t = 1.99"));
                if (!good)
                    printf("%s, %s: %s\n", u[k], methods[m], told);
                CHECK(good && t > 1.95 && t <= 2.01);
            }
}

static void functions_that_are_finite_run(void)
{
    static const char *const u[] = {
        "sin(30*t)*exp(-t)",     "1/(1e-4 + (t - 1)^2)",  "tanh(50*(t - 1))",  "t > 1 ? 5 : -5",
        "sqrt(abs(t - 1))",      "log(abs(t - 1.01))",    "1/(2 + sin(40*t))", "max(0, t - 1)^1.5",
        "atan2(sin(t), cos(t))", "sign(sin(20*t))*exp(t)"};
    for (int k = 0; k < TN_COUNT(u); k++) {
        double t;
        CHECK_OK(run(false, u[k], "dop853@joint", 1, &t));
        CHECK(t == 3.0);
    }
}

// A jump beside the flank of a pulse, which is nothing there but grows; conditions that are zero
// for as long as 0.01*t is.
static void jumps_are_no_poles(void)
{
    static const char *const u[] = {"if(sin(500*t) > 0, 1, 0) + 1e-3*exp(-((t - 0.5)/0.02)^2)",
                                    "if(0.01*t > 0, 1, 0)", "abs(sin(0.01*t))"};
    for (int k = 0; k < TN_COUNT(u) * TN_COUNT(methods); k++) {
        double t;
        CHECK_OK(run(false, u[k / TN_COUNT(methods)], methods[k % TN_COUNT(methods)], 1, &t));
        CHECK(t == 3.0);
    }
}

static int unit_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    (void)at;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int weight(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    (void)at;
    f[0] = 0.0;
    f[1] = -1.0;
    return 0;
}

static int circle_that_ends(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = at->t > 0.5 ? NAN : 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return 0;
}

// Reading multipliers asks the functions again.
static void readings_leave_the_sentence_of_a_failure(void)
{
    static const char *const names[] = {"radau5/ggl", "bdf/ggl", "galpha/ggl",
                                        "dop853/index1+project", "herk5/index2"};
    const tn_callbacks p = {
        .nq = 2, .ng = 1, .mass = unit_mass, .force = weight, .constraint = circle_that_ends};
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_sim_options o = tn_default_sim();
        tn_sim *sim = NULL;
        o.method = names[k];
        CHECK_OK(tn_sim_create_callbacks(&p, (double[]){1, 0}, (double[]){0, 1}, &o, &sim));
        CHECK_STATUS(tn_sim_run(sim, 1.0, NULL, NULL), TN_ERR_NUMERIC);
        (void)tn_sim_lambda(sim);
        CHECK(strstr(tn_last_error(), "'constraint' gave nan") != NULL);
        tn_sim_destroy(sim);
    }
}

static const tn_test tests[] = {
    {"jumps are no poles", jumps_are_no_poles},
    {"functions that cannot start are refused", functions_that_cannot_start_are_refused},
    {"runs end before a pole", runs_end_before_a_pole},
    {"runs end where a function does", runs_end_where_a_function_does},
    {"functions that are finite run", functions_that_are_finite_run},
    {"readings leave the sentence of a failure", readings_leave_the_sentence_of_a_failure},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
