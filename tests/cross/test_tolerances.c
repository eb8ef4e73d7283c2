// SPDX-License-Identifier: MIT
//
// Absolute tolerances of one kind: lengths, angles, speeds and rates have their own where they are
// stated, in SI units, and atol where they are not.

#include "cli_driver.h"

#include "model/units.h"
#include "tenon/tenon.h"

#include <math.h>

// A mass on a spring, and a wheel on a torsion spring: x = cos(3 t).
static const char SLIDER[] =
    "tenon: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  j: {kind: prismatic, body: a, axis: [1, 0, 0], initial: {position: 1}}\n"
    "forces:\n"
    "  s: {kind: joint-spring, joint: j, stiffness: 9, free: 0}\n";
static const char WHEEL[] =
    "tenon: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  j: {kind: revolute, body: a, axis: [1, 0, 0], initial: {position: 1}}\n"
    "forces:\n"
    "  s: {kind: joint-spring, joint: j, stiffness: 9, free: 0}\n";

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "text", &model, NULL));
    return model;
}

typedef struct outcome {
    long steps;
    double x, error;
    bool doubtful;
} outcome;

static outcome run(const tn_model *model, const tn_sim_options *options, double t_end)
{
    tn_sim *sim = NULL;
    tn_ledger ledger;
    tn_verdict verdict;
    outcome out = {0};
    double q[6] = {0.0};
    CHECK_OK(tn_sim_create(model, options, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    CHECK(tn_sim_joint_coordinates(sim, (tn_joint){0}, q, NULL) > 0);
    tn_sim_ledger(sim, &ledger);
    tn_sim_verdict(sim, &verdict);
    out.steps = ledger.steps;
    out.x = q[0];
    out.error = fabs(out.x - cos(3.0 * t_end));
    out.doubtful = tn_verdict_warn(&verdict) != NULL;
    tn_sim_destroy(sim);
    return out;
}

static tn_sim_options loose(const char *method)
{
    tn_sim_options o = tn_default_sim();
    o.method = method;
    o.adaptive = true;
    o.rtol = 1e-12;
    o.atol = 1e-3;
    return o;
}

// Tight tolerances of the kinds that a mechanism has make its steps short, those of others do not.
static void each_kind_has_its_tolerance(void)
{
    static const char *const methods[] = {
        "dopri5/index1@joint", "dop853/minimal@absolute",       "herk5/index2@absolute",
        "radau5/ggl@absolute", "radau5/index2@director",        "bdf/ggl@joint",
        "bdf/index2@absolute", "adams/index1+project@absolute", "galpha/ggl@absolute",
        "galpha/index3@joint", "dopri5/phase-space@director",
    };
    enum { COUNT = sizeof methods / sizeof *methods };
    for (int k = 0; k < 2 * COUNT; k++) {
        const bool slides = k % 2;
        const char *method = methods[k / 2];
        tn_model *model = parse(slides ? SLIDER : WHEEL);
        tn_sim_options o = loose(method);
        const outcome by_atol = run(model, &o, 2.0);
        o.atol_length = o.atol_speed = slides ? 1e-8 : 0.0;
        o.atol_angle = o.atol_rate = slides ? 0.0 : 1e-8;
        const outcome own = run(model, &o, 2.0);
        o.atol_length = o.atol_speed = slides ? 0.0 : 1e-8;
        o.atol_angle = o.atol_rate = slides ? 1e-8 : 0.0;
        const outcome others = run(model, &o, 2.0);
        printf("%-30s %5ld %5ld %5ld steps, errors %.1e %.1e %.1e\n", method, by_atol.steps,
               own.steps, others.steps, by_atol.error, own.error, others.error);
        CHECK(own.steps > 2 * by_atol.steps && own.error < 1e-5);
        CHECK(others.steps <= by_atol.steps + by_atol.steps / 4 + 4);
        tn_model_destroy(model);
    }
}

// In metres a thousandth as long, with tolerances in metres a thousandth as large, steps are the
// same.
static void tolerances_of_lengths_are_in_metres(void)
{
    static const char *const methods[] = {"dopri5/index1@absolute", "radau5/ggl@absolute",
                                          "herk5/index2@joint", "galpha/ggl@director"};
    const double factor = 0x1p-10;
    tn_model *model = parse(SLIDER), *small = NULL;
    CHECK_OK(tn_model_in_units(model, (tn_units){1.0 / factor, 1.0, 1.0}, &small));
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options o = loose(methods[k]);
        o.atol_length = 1e-5;
        o.atol_speed = 3e-5;
        const outcome first = run(model, &o, 2.0);
        o.atol_length *= factor;
        o.atol_speed *= factor;
        const outcome second = run(small, &o, 2.0);
        CHECK(second.steps == first.steps && second.x == factor * first.x);
    }
    tn_model_in_units_destroy(small);
    tn_model_destroy(model);
}

// What is asked for is what is judged: a drift within the tolerances stated is no doubt.
static void the_verdict_goes_by_the_same_tolerances(void)
{
    tn_model *model = NULL;
    tn_sim_options o = tn_default_sim();
    CHECK_OK(tn_model_load(tn_test_path("models/fourbar.yaml"), &model, NULL));
    o.method = "dopri5/index1@absolute";
    o.adaptive = true;
    o.rtol = 1e-9;
    o.atol = 1e-11;
    CHECK(!run(model, &o, 3.0).doubtful);
    o.atol_length = o.atol_speed = o.atol_angle = o.atol_rate = 3e-4;
    CHECK(!run(model, &o, 3.0).doubtful);
    tn_model_destroy(model);
}

static void refuse(tn_sim_options o, const char *text)
{
    tn_model *model = parse(SLIDER);
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create(model, &o, &sim), TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), text) != NULL);
    tn_model_destroy(model);
}

static int unit_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = 1.0;
    return 0;
}

static int no_force(void *user, const tn_arguments *at, double *f)
{
    (void)user, (void)at;
    f[0] = 0.0;
    return 0;
}

static void tolerances_that_cannot_be_meant_are_refused(void)
{
    tn_sim_options o = tn_default_sim();
    o.atol_speed = -1.0;
    refuse(o, "atol_speed is -1 m/s; it must not be negative");
    o = tn_default_sim();
    o.atol_rate = NAN;
    refuse(o, "atol_rate must be finite");
    o = tn_default_sim();
    o.atol_length = 50.0;
    refuse(o, "atol_length is 50 m, as large as the model itself (about 2 m)");
    o = tn_default_sim();
    o.atol_angle = 4.0;
    refuse(o, "atol_angle is 4 rad, as large as");
    const tn_callbacks own = {.nq = 1, .mass = unit_mass, .force = no_force};
    const double zero = 0.0;
    tn_sim *sim = NULL;
    o = tn_default_sim();
    o.atol_length = 1e-6;
    CHECK_STATUS(tn_sim_create_callbacks(&own, &zero, &zero, &o, &sim), TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "equations of one's own") != NULL);
}

static void files_and_the_command_line_state_them(void)
{
    static char text[1024];
    snprintf(text, sizeof text, "%ssimulate: {t_end: 1, atol_length: 1e-5, atol_speed: 1e-4}\n",
             SLIDER);
    write_text("slider.yaml", text);
    CHECK(tenon("run slider.yaml --out s --force --quiet --atol-angle 1e-5 --atol-rate 1e-4") == 0);
    CHECK(tenon("run slider.yaml --out s --force --quiet --atol-length 20") == 1);
    CHECK(strstr(cli.err, "atol_length is 20 m, as large as the model itself") != NULL);
    CHECK(
        tenon(
            "run slider.yaml --out s --force --step 0.01 --method radau5/ggl --atol-angle 1e-5") ==
        0);
    CHECK(strstr(cli.err, "atol_angle has no effect: steps are fixed at 0.01 s") != NULL);
    snprintf(text, sizeof text, "%ssimulate: {t_end: 1, atol_length: -1}\n", SLIDER);
    write_text("wrong.yaml", text);
    CHECK(tenon("check wrong.yaml") == 2);
    CHECK(strstr(cli.err, "wrong.yaml:8") && strstr(cli.err, "atol_length"));
}

static const tn_test tests[] = {
    {"each kind has its tolerance", each_kind_has_its_tolerance},
    {"tolerances of lengths are in metres", tolerances_of_lengths_are_in_metres},
    {"the verdict goes by the same tolerances", the_verdict_goes_by_the_same_tolerances},
    {"tolerances that cannot be meant are refused", tolerances_that_cannot_be_meant_are_refused},
    {"files and the command line state them", files_and_the_command_line_state_them},
};

int main(int argc, char **argv)
{
    enter_scratch("tolerances");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
