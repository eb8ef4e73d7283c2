// SPDX-License-Identifier: MIT
//
// tenon run --error: what it tells is the error against a reference, falls with the order of the
// method, and makes runs doubtful whose motion is another one.

#include "cli_driver.h"

static tn_document *run_error_told(int code, const char *options)
{
    CHECK(tenon("run pendulum.yaml --no-results --error --json %s", options) == code);
    return json_of(cli.out);
}

static double run_error_of(const char *options, const char *key)
{
    tn_document *doc = run_error_told(0, options);
    const double found = json_number(doc, key);
    CHECK_TEXT(json_text(doc, "error.reason"), "null");
    tn_document_destroy(doc);
    return found;
}

// The error of the first run of `tenon converge`, against its own reference.
static double error_by_reference(const char *options, const char *key)
{
    CHECK(tenon("converge pendulum.yaml --json %s", options) == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *runs = tn_node_get(json_at(doc, "methods")->children[0], "runs");
    const tn_node *error = tn_node_get(runs->children[0], "error");
    double found = NAN;
    CHECK_OK(tn_node_number(doc, tn_node_get(error, key), key, &found));
    tn_document_destroy(doc);
    return found;
}

// Terms of higher order, and other times of comparison, are within a quarter at these steps.
static const double CLOSE = 0.25;

static void check_close(double found, double expected)
{
    CHECK_NEAR(found / expected, 1.0, CLOSE);
}

static void fixed_steps_tell_their_error(void)
{
#define STEPPED "--t-end 2 --method galpha/ggl "
    const char *const run = STEPPED "--step 0.01";
    const char *const converge = "--t-end 2 --methods galpha/ggl --steps 0.01 --levels 2";
    check_close(run_error_of(run, "error.positions"), error_by_reference(converge, "q"));
    check_close(run_error_of(run, "error.velocities"), error_by_reference(converge, "v"));
    check_close(run_error_of(run, "error.multipliers"), error_by_reference(converge, "lambda"));
    // of order two
    check_close(run_error_of(run, "error.positions") /
                    run_error_of(STEPPED "--step 0.005", "error.positions"),
                4.0);
    CHECK_NEAR(run_error_of(run, "error.check_step"), 0.005, 1e-15);
#undef STEPPED
}

// The mean step changes with the tolerance in its own way: a factor of three.
static void controlled_steps_tell_theirs(void)
{
    const double told =
        run_error_of("--t-end 2 --method dopri5/index1 --rtol 1e-6 --atol 1e-8", "error.positions");
    const double found =
        error_by_reference("--t-end 2 --methods dopri5/index1 --tols 1e-6 --levels 2", "q");
    CHECK(told < 3.0 * found && found < 3.0 * told);
}

// Steps of a third of a second keep all constraints and lose the motion.
static void another_motion_is_doubtful(void)
{
    const char *const coarse = "--t-end 20 --method galpha/ggl --step 0.1";
    tn_document *doc = run_error_told(5, coarse);
    CHECK_TEXT(json_text(doc, "status"), "doubtful");
    CHECK(json_number(doc, "error.positions") > 0.1);
    tn_document_destroy(doc);
    CHECK(strstr(cli.err, "doubtful: the motion is off by about ") != NULL);
    CHECK(strstr(cli.err, "as a run with steps of 0.05 tells, bound 0.1; try a smaller step") !=
          NULL);
    CHECK(tenon("run pendulum.yaml --no-results %s", coarse) == 0);
    CHECK(strstr(cli.out, "\nerror ") == NULL);
    CHECK(tenon("run pendulum.yaml --no-results --error --bounds 'error<10' %s", coarse) == 0);
    CHECK(strstr(cli.out, "\nerror              about ") != NULL);
}

static void bounds_can_be_required(void)
{
    const char *const run = "run pendulum.yaml --no-results --t-end 1 --step 0.01 --method "
                            "galpha/ggl --require";
    CHECK(tenon("%s 'error<1'", run) == 0);
    CHECK(strstr(cli.out, "\nerror              about ") != NULL); // without --error
    CHECK(tenon("%s 'error<1e-9'", run) == 4);
    CHECK(strstr(cli.err, "required error < 1e-09, found ") != NULL);
}

static void need_event(const char *level)
{
    static char text[CLI_TEXT_SIZE];
    read_text("pendulum.yaml", text);
    sprintf(text + strlen(text), "\nevents:\n  low: {body: rod, axis: y, value: %s, stop: true}\n",
            level);
    write_text("event.yaml", text);
}

static void runs_that_events_end_have_an_error(void)
{
    need_event("-0.4");
    CHECK(tenon("run event.yaml --no-results --error --json --t-end 5") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(json_number(doc, "time") < 1.0);
    CHECK(json_number(doc, "error.positions") < 1e-4);
    tn_document_destroy(doc);
}

// x'' + w^2 x + 2 d x' = 0 from x = 1, whose exact motion is known.
static const char oscillator[] =
    "tenon: 1\n"
    "parameters: {w: 10, d: 0}\n"
    "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints: {s: {kind: prismatic, body: b, axis: [1, 0, 0], initial: {position: 1}}}\n"
    "forces: {k: {kind: joint-spring, joint: s, stiffness: w^2, damping: 2*d, free: 0}}\n"
    "simulate: {t_end: 2, step: 0.01}\n";

static double oscillator_error(const char *options)
{
    CHECK(tenon("run oscillator.yaml --no-results --error --json %s", options) != 3);
    tn_document *doc = json_of(cli.out);
    const double found = json_number(doc, "error.positions");
    tn_document_destroy(doc);
    return found;
}

// Rows that lie within the last step, and its end, which is the last of them.
static void the_last_row_is_the_end(void)
{
    write_text("oscillator.yaml", oscillator);
    const char *const methods[] = {"dopri5", "radau5", "dop853", "adams"};
    const char *const ends[] = {"2", "2.7", "3", "3.3"};
    for (int i = 0; i < TN_COUNT(methods); i++)
        for (int k = 0; k < TN_COUNT(ends); k++) {
            char options[64];
            snprintf(options, sizeof options, "--method %s --t-end %s", methods[i], ends[k]);
            CHECK(oscillator_error(options) < 1e-4); // at rtol 1e-6
        }
}

// Half a step of bdf of first order has half the error: 0.172 of it by the closed form.
static void orders_that_are_lower_count(void)
{
    write_text("oscillator.yaml", oscillator);
    check_close(oscillator_error("--method bdf/ggl --step 0.002 --max-order 1"), 0.172);
    check_close(oscillator_error("--method bdf/ggl --step 0.002 --max-order 2"), 0.0024);
}

// Of a motion that is over after a hundredth of the time: 0.074 by the closed form.
static void short_transients_are_seen(void)
{
    write_text("oscillator.yaml", oscillator);
    const char *const options = "--set w=10 --set d=1 --step 0.06 --t-end";
    char brief[64], late[64];
    snprintf(brief, sizeof brief, "%s 8", options);
    snprintf(late, sizeof late, "%s 800", options);
    check_close(oscillator_error(late), oscillator_error(brief));
}

// Both runs would have these steps, whatever their tolerances.
static void steps_that_step_max_bounds_are_halved(void)
{
    write_text("oscillator.yaml", oscillator);
    const double coarse =
                     oscillator_error("--method dopri5 --rtol 0.01 --atol 0.01 --step-max 0.05"),
                 fine =
                     oscillator_error("--method dopri5 --rtol 0.01 --atol 0.01 --step-max 0.025");
    CHECK(coarse > 10.0 * fine && fine > 1e-9); // of order five
}

static void bounds_ask_for_the_error(void)
{
    write_text("oscillator.yaml", oscillator);
    CHECK(tenon("run oscillator.yaml --no-results --bounds 'error<0.01'") == 5);
    CHECK(strstr(cli.err, "the motion is off by about 0.016 ") != NULL);
    need_event("-0.02");
    CHECK(tenon("run event.yaml --no-results --step 0.1 --method galpha/ggl --bounds 'error<1'") ==
          5);
    CHECK(strstr(cli.err, "the error of the motion is not known") != NULL);
    CHECK(tenon("run event.yaml --no-results --step 0.1 --method galpha/ggl --require 'error<1'") ==
          4);
    CHECK(strstr(cli.err, "required error < 1, and it is not known: the run has no whole") != NULL);
}

// An event within the first step leaves nothing to compare.
static void what_cannot_be_told_says_why(void)
{
    need_event("-0.02");
    tenon("run event.yaml --no-results --error --json --step 0.1 --method galpha/ggl");
    tn_document *doc = json_of(cli.out);
    CHECK(strstr(json_text(doc, "error.reason"), "no whole step") != NULL);
    tn_document_destroy(doc);
    CHECK(tenon("run pendulum.yaml --no-results --json --t-end 0.1") == 0);
    doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "error"), "null");
    tn_document_destroy(doc);
}

static const tn_test tests[] = {
    {"fixed steps tell their error", fixed_steps_tell_their_error},
    {"controlled steps tell theirs", controlled_steps_tell_theirs},
    {"another motion is doubtful", another_motion_is_doubtful},
    {"bounds can be required", bounds_can_be_required},
    {"runs that events end have an error", runs_that_events_end_have_an_error},
    {"the last row is the end", the_last_row_is_the_end},
    {"orders that are lower count", orders_that_are_lower_count},
    {"short transients are seen", short_transients_are_seen},
    {"steps that step_max bounds are halved", steps_that_step_max_bounds_are_halved},
    {"bounds ask for the error", bounds_ask_for_the_error},
    {"what cannot be told says why", what_cannot_be_told_says_why},
};

int main(int argc, char **argv)
{
    enter_scratch("run-error-scratch");
    CHECK(tenon("new pendulum --force") == 0);
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
