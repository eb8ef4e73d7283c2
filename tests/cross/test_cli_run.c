// SPDX-License-Identifier: MIT
//
// tenon run: its ledger, its JSON, the files it leaves, its messages and exit
// codes, and what remains of a run that fails or is interrupted.

#include "cli_driver.h"
#include "tenon/result.h"
#include "tenon/run.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <time.h>

// What a run writes unless told otherwise, and what with --csv.
#ifdef TN_WITH_HDF5
#include <hdf5.h>
#define RESULT "result.h5"
#define RESULT_AND_CSV "result.h5, result.csv"
#else
#define RESULT "result.csv"
#define RESULT_AND_CSV "result.csv"
#endif

extern char **environ;

static void need_pendulum(void)
{
    CHECK(tenon("new pendulum --force") == 0);
}

// Whether the results are a file that other programs can open.
static bool result_is_readable(const char *path)
{
#ifdef TN_WITH_HDF5
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return file >= 0 && H5Fclose(file) >= 0;
#else
    return file_exists(path);
#endif
}

static int line_count(const char *path)
{
    static char text[CLI_TEXT_SIZE];
    int n = 0;

    read_text(path, text);
    for (const char *c = text; *c; c++)
        n += *c == '\n';
    return n;
}

static tn_document *summary_of(const char *directory)
{
    static char text[CLI_TEXT_SIZE];
    char path[256];

    snprintf(path, sizeof(path), "%s/summary.json", directory);
    read_text(path, text);
    return json_of(text);
}

// Runs to the end ---------------------------------------------------------------------------------

static void every_starter_runs_as_it_is(void)
{
    static const char *const names[] = {"pendulum", "fourbar", "slider-crank", "top"};

    for (int i = 0; i < TN_COUNT(names); i++) {
        CHECK(tenon("new %s --force", names[i]) == 0);
        CHECK(tenon("run %s.yaml --force --require "
                    "'g<1e-9,gdot<1e-7,energy<1e-4,rejected<1'",
                    names[i]) == 0);
        CHECK_TEXT(cli.err, "");
        char path[64];
        snprintf(path, sizeof(path), "%s.results/" RESULT, names[i]);
        CHECK(result_is_readable(path));
    }
}

static void the_ledger_has_labels(void)
{
    static const char *const labels[] = {
        "pendulum.yaml: done\n",
        "\nmethod             galpha/ggl@joint: ",
        "\ntime               0 to 0.5 s, step 0.001 s\n",
        "\nsteps              500, 0 rejected\n",
        "\nNewton iterations  ",
        "\nfactorisations     ",
        "\nconstraints        max |g| ",
        ", max |Bv| ",
        "\nenergy             0 J at the start, ",
        "dissipated 0 J, supplied 0 J\n",
        "\nenergy balance     ",
        "\nwall time          ",
        " s per simulated second\n",
        "\nresults            ledger: " RESULT ", summary.json\n",
    };

    need_pendulum();
    CHECK(tenon("run pendulum.yaml --t-end 0.5 --out ledger --force") == 0);
    for (int i = 0; i < TN_COUNT(labels); i++)
        if (!strstr(cli.out, labels[i]))
            CHECK_TEXT(cli.out, labels[i]);
    CHECK(tenon("run pendulum.yaml --t-end 0.5 --out ledger --force --quiet") == 0);
    CHECK_TEXT(cli.out, "");
    CHECK_TEXT(cli.err, "");
}

// A rod of length l that starts level and at rest has the angular velocity
// sqrt(3 g s / l) when it has turned by the angle of sine s (thin rod; the
// radius of the starter changes the inertia by 3 r^2 / (4 l^2) of a third).
static void json_holds_the_final_state(void)
{
    const double TOL = 1e-5; // second order in the step of 1e-3 s

    need_pendulum();
    CHECK(tenon("run pendulum.yaml --t-end 0.3 --out json --force --json") == 0);
    CHECK_TEXT(cli.err, "");
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    CHECK_TEXT(json_text(doc, "method"), "galpha/ggl@joint");
    CHECK_TEXT(json_text(doc, "model"), "pendulum.yaml");
    CHECK(json_number(doc, "steps") == 300 && json_number(doc, "rejected") == 0);
    CHECK(json_number(doc, "newton") >= 300 && json_number(doc, "factorizations") >= 1);
    CHECK_NEAR(json_number(doc, "time"), 0.3, 1e-12);
    CHECK_NEAR(json_number(doc, "final.time"), 0.3, 1e-12);
    CHECK(json_number(doc, "residuals.g") < 1e-9 && json_number(doc, "residuals.Bv") < 1e-7);
    CHECK(json_number(doc, "energy.relative") < 1e-4 && json_number(doc, "wall_time") > 0.0);

    const double x = atof(json_at(doc, "final.bodies.rod.position")->children[0]->text);
    const double y = atof(json_at(doc, "final.bodies.rod.position")->children[1]->text);
    const double rate = atof(json_at(doc, "final.joints.pin.rates")->children[0]->text);
    const double inertia = 2.0 * (3.0 * 0.02 * 0.02 + 1.0) / 12.0 + 2.0 * 0.25;
    CHECK_NEAR(hypot(x, y), 0.5, 1e-9);
    CHECK_NEAR(rate, -sqrt(2.0 * 2.0 * 9.81 * -y / inertia), TOL);
    CHECK_NEAR(atof(json_at(doc, "final.bodies.rod.angular_velocity")->children[2]->text), rate,
               1e-9);
    CHECK_TEXT(json_text(doc, "final.joints.pin.kind"), "revolute");
    CHECK(json_at(doc, "final.joints.pin.lambda")->count == 5);
    CHECK_TEXT(json_at(doc, "final.joints.pin.unique")->children[0]->text, "true");
    tn_document_destroy(doc);

    static char summary[CLI_TEXT_SIZE];
    read_text("json/summary.json", summary);
    CHECK_TEXT(summary, cli.out);
}

static void options_replace_the_simulate_block(void)
{
    need_pendulum();
    CHECK(tenon("run pendulum.yaml --method=hht/index3 --t-start 1 --t-end 1.1 "
                "--step 0.01 "
                "--hht-alpha -0.1 --rotation se3 --project-times 1.02,1.05 --out "
                "options --force "
                "--json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "method"), "hht/index3@absolute");
    CHECK_TEXT(json_text(doc, "rotation"), "se3");
    CHECK_NEAR(json_number(doc, "t_start"), 1.0, 0.0);
    CHECK_NEAR(json_number(doc, "time"), 1.1, 1e-12);
    CHECK(json_number(doc, "steps") == 10);
    tn_document_destroy(doc);

    write_text("late.yaml", "tenon: 1\n"
                            "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                            "simulate: {t_start: 5}\n");
    CHECK(tenon("run late.yaml --no-results --t-end 10") == 0);
    refuses(1, "run late.yaml --no-results", "tenon: t_end is 1 s, before t_start at 5 s\n");

    CHECK(tenon("run pendulum.yaml --adaptive --rtol 1e-5 --atol 1e-7 --out "
                "options --force "
                "--json") == 0);
    doc = json_of(cli.out);
    CHECK(json_number(doc, "step_min") < json_number(doc, "step"));
    tn_document_destroy(doc);
    CHECK(tenon("run pendulum.yaml --adaptive --no-adaptive --t-end 0.1 --out "
                "options --force "
                "--json") == 0);
    doc = json_of(cli.out);
    CHECK(json_number(doc, "steps") == 100);
    tn_document_destroy(doc);
}

// One line of names, the start, then every step or every tenth one, or 600 even intervals.
static void rows_are_stored_at_the_output_interval(void)
{
    need_pendulum();
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --csv --out rows --force") == 0);
    CHECK(line_count("rows/result.csv") == 602);
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --method variational --step 0.01 --csv --out rows "
                "--force --quiet") == 0);
    CHECK(line_count("rows/result.csv") == 12); // momenta are told at the ends of steps alone
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --output often --out rows --force") == 1);
    CHECK_TEXT(cli.err, "tenon: --output: expected a number or 'steps', found 'often'\n");
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --output steps --csv --out rows --force") == 0);
    CHECK(strstr(cli.out, "rows: " RESULT_AND_CSV ", summary.json\n") != NULL);
    const int every = line_count("rows/result.csv");
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --output 0.01 --csv --out rows "
                "--force") == 0);
    CHECK(every - line_count("rows/result.csv") == 90);
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --out rows --force") == 0);
    CHECK(file_exists("rows/" RESULT));
    if (strcmp(RESULT, "result.csv") != 0)
        CHECK(!file_exists("rows/result.csv")); // the table of the former run is gone
}

// Times so late have fewer digits than the interval has.
static void rows_are_stored_at_late_times(void)
{
    static const char *const spans[] = {"t_start: 1e6, t_end: 1000001, output: 0.01",
                                        "t_start: 1e4, t_end: 10000.01, output: 1e-4"};
    for (int k = 0; k < TN_COUNT(spans); k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies: {c: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\nsimulate: {%s}\n",
                 spans[k]);
        write_text("late.yaml", text);
        CHECK(tenon("run late.yaml --csv --out late --force") == 0);
        CHECK(line_count("late/result.csv") == 102);
    }
    write_text("fine.yaml", "tenon: 1\nbodies: {c: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
                            "simulate: {t_start: 1e9, t_end: 1000000001, output: 1e-6}\n");
    CHECK(tenon("run fine.yaml --out late --force") == 2);
    CHECK(strstr(cli.err, "finer than the digits of times") != NULL);
}

static void results_go_beside_the_caller(void)
{
    CHECK(system("mkdir -p below") == 0);
    CHECK(tenon("new pendulum below/swing.v2.yaml --force") == 0);
    CHECK(tenon("run below/swing.v2.yaml --t-end 0.01 --out below/a/b --force") == 0);
    CHECK(file_exists("below/a/b/summary.json"));
    CHECK(tenon("run below/swing.v2.yaml --t-end 0.01 --force") == 0);
    CHECK(file_exists("swing.v2.results/" RESULT) && file_exists("swing.v2.results/summary.json"));
}

static void results_are_not_replaced_without_force(void)
{
    static char before[CLI_TEXT_SIZE], after[CLI_TEXT_SIZE];

    need_pendulum();
    CHECK(tenon("run pendulum.yaml --t-end 0.01 --out kept --force") == 0);
    read_text("kept/summary.json", before);
    refuses(1, "run pendulum.yaml --t-end 0.02 --out kept",
            "tenon: kept holds results already; use --force to replace them or "
            "--out for another "
            "place\n");
    read_text("kept/summary.json", after);
    CHECK_TEXT(after, before);
    CHECK(system("rm -rf empty && mkdir empty") == 0);
    CHECK(tenon("run pendulum.yaml --t-end 0.01 --out empty") == 0); // an empty folder is free
}

// The same motion and the same bounds, but no folder and no file.
static void a_run_without_results_writes_nothing(void)
{
    need_pendulum();
    CHECK(system("rm -rf bare && mkdir bare && cp pendulum.yaml bare") == 0);
    CHECK(tenon("run pendulum.yaml --t-end 0.3 --out written --force --json") == 0);
    tn_document *written = json_of(cli.out);
    CHECK(tenon("run bare/pendulum.yaml --t-end 0.3 --no-results --json") == 0);
    tn_document *bare = json_of(cli.out);
    CHECK_TEXT(cli.err, "");
    CHECK_TEXT(json_text(bare, "results"), "null");
    CHECK_TEXT(json_text(bare, "status"), json_text(written, "status"));
    static const char *const same[] = {"steps", "energy.final", "residuals.g", "final.time"};
    for (int i = 0; i < TN_COUNT(same); i++)
        CHECK(json_number(bare, same[i]) == json_number(written, same[i]));
    tn_document_destroy(bare);
    tn_document_destroy(written);
    CHECK(chdir("bare") == 0);
    CHECK(tenon("run pendulum.yaml --t-end 0.3 --no-results") == 0);
    CHECK(strstr(cli.out, "results            none were asked for\n") != NULL);
    CHECK(tenon("run pendulum.yaml --t-end 0.3 --no-results --require 'steps<1'") == 4);
    CHECK(system("rm -f stdout.txt stderr.txt && test \"$(ls)\" = pendulum.yaml") == 0);
    CHECK(chdir("..") == 0);
}

// Of large models the text of the summary takes as long as many steps.
static void a_brief_run_makes_no_text_of_its_summary(void)
{
    need_pendulum();
    for (int brief = 0; brief < 2; brief++) {
        tn_run_options options = tn_default_run();
        tn_run *run = NULL;
        options.no_results = true;
        options.brief = brief;
        CHECK_OK(tn_run_create("pendulum.yaml", NULL, NULL, &options, &run));
        CHECK_OK(tn_run_open(run));
        CHECK_OK(tn_run_conclude(run, tn_run_simulate(run)));
        CHECK_TEXT(tn_run_about(run)->status, "done");
        CHECK((tn_run_about(run)->summary == NULL) == (brief == 1));
        tn_run_destroy(run);
    }
}

static void a_run_without_results_takes_no_options_of_files(void)
{
    need_pendulum();
    refuses(1, "run pendulum.yaml --no-results --csv",
            "tenon: --no-results writes no files, and --csv is about files: leave one of them "
            "out\n");
    refuses(1, "run pendulum.yaml --no-results --out a",
            "tenon: --no-results writes no files, and --out is about files: leave one of them "
            "out\n");
    refuses(1, "run pendulum.yaml --no-results --report",
            "tenon: --report shows results, and --no-results writes none: leave one of them "
            "out\n");
    CHECK(system("rm -rf pendulum.results") == 0);
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --no-results --quiet") == 0);
    CHECK(tenon("run --resume pendulum.results") == 1);
    CHECK(strstr(cli.err, "pendulum.results holds no run that could go on") != NULL);
}

// Bounds ------------------------------------------------------------------------------------------

static void bounds_that_are_exceeded_end_with_four(void)
{
    need_pendulum();
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --out bounds --force --quiet "
                "--require 'g < 1e-9, steps<100, rejected<1'") == 4);
    CHECK_TEXT(cli.err, "tenon: required steps < 100, found 100\n");
    CHECK(tenon("run pendulum.yaml --t-end 0.1 --out bounds --force --json "
                "--require 'steps<101,newton<1'") == 4);
    CHECK(strncmp(cli.err, "tenon: required newton < 1, found ", 34) == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    const tn_node *required = json_at(doc, "required");
    CHECK(required->count == 2);
    CHECK_TEXT(tn_node_get(required->children[0], "met")->text, "true");
    CHECK_TEXT(tn_node_get(required->children[1], "met")->text, "false");
    tn_document_destroy(doc);
}

static void bounds_are_checked_before_the_run(void)
{
    refuses(1, "run pendulum.yaml --require 'gdto<1e-9'",
            "tenon: --require: unknown quantity 'gdto'; did you mean 'gdot'?\n");
    refuses(1, "run pendulum.yaml --require 'momentum<1'",
            "tenon: --require: unknown quantity 'momentum'; known are g, gdot, "
            "Bv, energy, drift, rejected, newton, steps, error\n");
    refuses(1, "run pendulum.yaml --require 'g<small'",
            "tenon: --require: g: expected a number behind '<', found 'small'\n");
    refuses(1, "run pendulum.yaml --require g",
            "tenon: --require: expected NAME<VALUE, for example g<1e-6, found 'g'\n");
}

// Bad input ---------------------------------------------------------------------------------------

static void bad_options_are_refused(void)
{
    need_pendulum();
    refuses(1, "run pendulum.yaml --step -0.1", "tenon: --step is -0.1; it must not be negative\n");
    refuses(1, "run pendulum.yaml --require 'g<1' --require 'energy<1'",
            "tenon: --require is stated twice; state it once, lists with commas\n");
    refuses(1, "run pendulum.yaml --step soon", "tenon: --step: expected a number, found 'soon'\n");
    refuses(1, "run pendulum.yaml --step 1e999", "tenon: --step must be finite\n");
    refuses(1, "run pendulum.yaml --newton-max 2.5",
            "tenon: --newton-max: expected a whole number, found '2.5'\n");
    refuses(1, "run pendulum.yaml --rho-inf 1.5",
            "tenon: --rho-inf is 1.5; it must lie between 0 and 1\n");
    refuses(1, "run pendulum.yaml --out",
            "tenon: --out needs a value: folder for the results; MODEL.results "
            "when left out\n");
    refuses(1, "run pendulum.yaml --out --force",
            "tenon: --out needs a value: folder for the results; MODEL.results "
            "when left out\n");
    refuses(1, "run pendulum.yaml --force=yes", "tenon: --force takes no value, found 'yes'\n");
    refuses(1, "run pendulum.yaml --stpe 1",
            "tenon: unknown option '--stpe'; did you mean "
            "'--step'?\n");
    refuses(1, "run pendulum.yaml --colour",
            "tenon: unknown option '--colour'; 'tenon help run' lists the options\n");
    refuses(1, "run pendulum.yaml --rotation so4",
            "tenon: --rotation: unknown value 'so4'; did you mean 'so3'?\n");
    refuses(1, "run pendulum.yaml --project-times 1,two",
            "tenon: --project-times: expected a number, found 'two'\n");
}

static void bad_combinations_are_refused(void)
{
    need_pendulum();
    refuses(1, "run pendulum.yaml --t-start 2 --t-end 1",
            "tenon: t_end is 1 s, before t_start at 2 s\n");
    refuses(1, "run pendulum.yaml --hht-alpha 0.1",
            "tenon: hht_alpha is 0.1; it must lie between -1/3 and 0\n");
    refuses(1, "run pendulum.yaml --project-times 1,0.5",
            "tenon: project_times must increase, but 0.5 follows 1\n");
    refuses(1, "run pendulum.yaml --step-min 1 --step-max 0.5",
            "tenon: step_min is 1 s; it must not exceed step_max, 0.5 s\n");
    CHECK(tenon("run pendulum.yaml --method galfa/ggl --out bad") == 1);
    CHECK(strstr(cli.err, "'galfa'") != NULL && strstr(cli.err, "galpha") != NULL);
    CHECK(!file_exists("bad"));
}

static void bad_models_end_with_two(void)
{
    refuses(2, "run nowhere.yaml",
            "tenon: nowhere.yaml: cannot read the file: No such file or directory\n");
    write_text("key.yaml", "tenon: 1\nbodies:\n  rod: {mass: 1, inertai: [1, 1, 1]}\n");
    refuses(2, "run key.yaml",
            "tenon: key.yaml:3:18: body 'rod': unknown key 'inertai'; did you "
            "mean 'inertia'?\n");
    CHECK(tenon("run key.yaml --json") == 2);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "error");
    CHECK_TEXT(json_text(doc, "message"),
               "key.yaml:3:18: body 'rod': unknown key 'inertai'; did you mean "
               "'inertia'?");
    tn_document_destroy(doc);
}

static void a_folder_that_cannot_be_written_is_refused(void)
{
    need_pendulum();
    CHECK(tenon("run pendulum.yaml --out pendulum.yaml/below") == 1);
    CHECK(strstr(cli.err, "pendulum.yaml/below") != NULL);
    CHECK(strstr(cli.err, "Not a directory") != NULL);
    CHECK_TEXT(cli.out, "");
}

// Runs that do not reach their end ----------------------------------------------------------------

// Iterations that may not iterate: the first step that needs two fails.
static void a_failed_run_keeps_its_results(void)
{
    need_pendulum();
    CHECK(tenon("run pendulum.yaml --newton-max 1 --newton-tol 1e-15 --out "
                "failed --force "
                "--json") == 3);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "failed");
    char expected[2048];
    snprintf(expected, sizeof(expected),
             "tenon: %s\ntenon: the results up to t = %g s are in "
             "failed\n",
             json_text(doc, "reason"), json_number(doc, "time"));
    CHECK_TEXT(cli.err, expected);
    CHECK(strstr(cli.err, "did not converge") != NULL);
    tn_document_destroy(doc);
    doc = summary_of("failed");
    CHECK_TEXT(json_text(doc, "status"), "failed");
    tn_document_destroy(doc);
    CHECK(result_is_readable("failed/" RESULT));
}

// Expressions that are fine until t = 0.3 s. The rows up to there stay, and the message tells the
// element, the value and the time.
static void write_spoiled(const char *force, const char *motion)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "tenon: 1\n"
             "gravity: [0, -9.81]\n"
             "bodies:\n"
             "  bob: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1, 0]}}\n"
             "  arm: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [3, 0]}}\n"
             "joints:\n"
             "  pin: {kind: revolute, body: bob, at: [0, 0]}\n"
             "  axle: {kind: revolute, body: arm, at: [2, 0]}\n"
             "  motion: {kind: drive, joint: axle, motion: '%s'}\n"
             "forces:\n"
             "  push: {kind: point-force, body: bob, at: [1, 0], force: ['%s', 0]}\n"
             "simulate: {t_end: 1, output: 0.01}\n",
             motion, force);
    write_text("spoiled.yaml", text);
}

static void a_function_that_stops_being_a_number_keeps_the_results(void)
{
    static const struct {
        const char *force, *motion, *told;
    } cases[] = {
        {"sqrt(0.3 - t)", "0", "force 'push' is nan"},
        {"log(0.3 - t)", "0", "force 'push' is "},
        {"0", "(0.3 - t)^2.5", "(joint 'motion', row motion)"},
    };
    static const char *const methods[] = {
        "galpha/ggl",   "galpha/ggl --adaptive", "bdf/ggl",        "radau5/ggl",
        "herk5/index2", "dop853/index1+project", "dopri5/minimal", "adams/index1+project"};
    for (int k = 0; k < TN_COUNT(cases); k++) {
        write_spoiled(cases[k].force, cases[k].motion);
        for (int i = 0; i < TN_COUNT(methods); i++) {
            char line[256], expected[64];
            snprintf(line, sizeof(line),
                     "run spoiled.yaml --csv --out spoiled --force --json --method %s", methods[i]);
            CHECK(tenon("%s", line) == 3);
            tn_document *doc = json_of(cli.out);
            const double t = json_number(doc, "time");
            if (!strstr(json_text(doc, "reason"), cases[k].told))
                printf("%s, %s: %s\n", cases[k].force, methods[i], json_text(doc, "reason"));
            CHECK(strstr(json_text(doc, "reason"), cases[k].told) != NULL);
            CHECK(strstr(json_text(doc, "reason"), "t = 0.3") != NULL);
            CHECK_NEAR(t, 0.3, 2e-3); // at most two steps of 1 ms before
            tn_document_destroy(doc);
            CHECK(result_is_readable("spoiled/" RESULT));
            CHECK_NEAR(line_count("spoiled/result.csv"), 31, 2); // head, rows to 0.3 s, the last
            snprintf(expected, sizeof(expected), "tenon: the results up to t = %g s are in", t);
            CHECK(strstr(cli.err, expected) != NULL);
            doc = summary_of("spoiled");
            CHECK_TEXT(json_text(doc, "status"), "failed");
            tn_document_destroy(doc);
        }
    }
    CHECK(tenon("plot spoiled bob.position.x -o spoiled.svg") == 0); // other commands read them
}

// A limit on the size of files stands for a full disk: it ends the table long before the run.
static void a_full_disk_ends_the_run_cleanly(void)
{
    need_pendulum();
    const int status =
        tn_test_shell("ulimit -f 1000; exec " TN_BINARY
                      " run pendulum.yaml --csv --output steps --out full --force >stdout.txt "
                      "2>stderr.txt");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    tn_document *doc = summary_of("full");
    char expected[2048];
    CHECK_TEXT(json_text(doc, "status"), "failed");
    CHECK(strstr(json_text(doc, "reason"), "cannot write full/result.") != NULL);
    snprintf(expected, sizeof(expected), "tenon: %s\ntenon: what could be saved is in full\n",
             json_text(doc, "reason"));
    read_text("stderr.txt", cli.err);
    CHECK(strncmp(cli.err, expected, strlen(expected)) == 0);
    // Where the journal still fits, which is smaller than the table, the run can go on.
    const char *rest = cli.err + strlen(expected);
    if (*rest)
        CHECK_TEXT(rest, "tenon: to go on from there: tenon run --resume full\n");
    if (*rest)
        CHECK(tenon("run --resume full --quiet") == 0);
    tn_document_destroy(doc);
}

static void pause_for(double seconds)
{
    const struct timespec t = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1.0))};
    nanosleep(&t, NULL);
}

enum { SOME_ROWS = 20000 }; // bytes of a table

// Starts a run of the pendulum that lasts long; stderr goes to
// `path`.
static pid_t start_long_run(const char *directory, const char *path)
{
    char *argv[] = {(char *)TN_BINARY, (char *)"run",     (char *)"pendulum.yaml",
                    (char *)"--t-end", (char *)"1e4",     (char *)"--output",
                    (char *)"0.1",     (char *)"--csv",   (char *)"--force",
                    (char *)"--out",   (char *)directory, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t signals;
    pid_t pid = -1;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&files, 2, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY,
                                     0644);
    posix_spawnattr_init(&attributes);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT); // a shell may have set it to be ignored
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    CHECK(posix_spawn(&pid, TN_BINARY, &files, &attributes, argv, environ) == 0);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

// Waits until a run has created its table, at most for a minute.
// A minute at most until the file has so many bytes.
static void wait_for(const char *path, long bytes)
{
    struct stat info = {0};
    for (int i = 0; i < 6000 && (stat(path, &info) != 0 || info.st_size < bytes); i++)
        pause_for(0.01);
    CHECK(info.st_size >= bytes);
}

static int exit_code_of(pid_t pid)
{
    int status = 0;

    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_stopped_by(int signal_number)
{
    need_pendulum();
    CHECK(system("rm -rf stopped") == 0);
    const pid_t pid = start_long_run("stopped", "stderr.txt");
    wait_for("stopped/result.csv", SOME_ROWS);
    CHECK(kill(pid, signal_number) == 0);
    CHECK(exit_code_of(pid) == 3);

    tn_document *doc = summary_of("stopped");
    const double t = json_number(doc, "time");
    char expected[256];
    CHECK_TEXT(json_text(doc, "status"), "stopped");
    CHECK(t > 0.0 && t < 1e4);
    CHECK_NEAR(json_number(doc, "final.time"), t, 0.0);
    snprintf(expected, sizeof(expected),
             "tenon: stopped at t = %g s on request\n"
             "tenon: the results up to t = %g s are in stopped\n"
             "tenon: to go on from there: tenon run --resume stopped\n",
             t, t);
    read_text("stderr.txt", cli.err);
    CHECK_TEXT(cli.err, expected); // and no progress bar, as stderr is a file
    tn_document_destroy(doc);
    CHECK(result_is_readable("stopped/" RESULT));
    CHECK(line_count("stopped/result.csv") > 2);
}

static void ctrl_c_saves_everything(void)
{
    check_stopped_by(SIGINT);
}

static void termination_saves_everything(void)
{
    check_stopped_by(SIGTERM);
}

// Functions that keep a run in one place for long: searches for pulses, for kinks, for switches and
// for fields, and steps that get nowhere. Half a minute is for a machine that is busy.
static void signals_are_heard_in_every_search(void)
{
    static const char *const efforts[] = {"1e300*exp(1000*t)",
                                          "exp(-((t - sin(1e6*t))/1e-9)^2)",
                                          "if(sin(1e7*t) > 0, 1, -1)",
                                          "1/(sin(1e5*t) + 1e-12)",
                                          "1e3*exp(-((sin(1e6*j.angle))/1e-9)^2)",
                                          "if(sin(1e8*j.angle) > 0, 1, -1)"};
    static const char *const methods[] = {"auto", "galpha", "radau5"};
    for (int k = 0; k < TN_COUNT(efforts) * TN_COUNT(methods); k++) {
        char text[600], line[300];
        const char *effort = efforts[k / TN_COUNT(methods)];
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "bodies: {b: {kind: planar, mass: 1, inertia: 1, initial: {rate: 1}}}\n"
                 "joints: {j: {kind: revolute, bodies: [ground, b], at: [0, 0]}}\n"
                 "forces: {f: {kind: motor, joint: j, effort: '%s'}}\n"
                 "simulate: {t_end: 1000}\n",
                 effort);
        write_text("long.yaml", text);
        snprintf(line, sizeof line,
                 "timeout --signal=TERM --kill-after=30 --preserve-status 0.2 " TN_BINARY
                 " run long.yaml --no-results --quiet --method %s >stdout.txt 2>stderr.txt",
                 methods[k % TN_COUNT(methods)]);
        const int status = tn_test_shell(line), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        read_text("stderr.txt", cli.err);
        printf("%s by %s: %d\n", effort, methods[k % TN_COUNT(methods)], code);
        CHECK(code == 0 || code == 5 || code == 128 + SIGTERM ||
              (code == 3 && strlen(cli.err) > 20));
    }
}

// All that has been written, behind what is in the text.
static void read_more(int file, char *text, size_t size)
{
    size_t used = strlen(text);
    for (ssize_t n = 1; n > 0 && used + 1 < size; used += n > 0 ? (size_t)n : 0)
        n = read(file, text + used, size - 1 - used);
    text[used] = '\0';
}

// On a terminal the bar appears and is wiped in the end.
static void a_terminal_shows_progress(void)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    char text[65536] = "";

    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        return; // no terminals in this place
    need_pendulum();
    CHECK(system("rm -rf progress") == 0);
    // Held open here, so that what the run has written stays until it is read.
    const int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    const pid_t pid = start_long_run("progress", ptsname(terminal));
    CHECK(fcntl(terminal, F_SETFL, O_NONBLOCK) == 0);
    for (int i = 0; i < 6000 && !strstr(text, " of 1e+04 s"); i++, pause_for(0.01))
        read_more(terminal, text, sizeof text);
    CHECK(kill(pid, SIGINT) == 0);
    CHECK(exit_code_of(pid) == 3);
    read_more(terminal, text, sizeof text);
    close(other_end);
    close(terminal);
    CHECK(strncmp(text, "\r[", 2) == 0);
    CHECK(strstr(text, " of 1e+04 s") != NULL);
    CHECK(strstr(text, "\r\033[Ktenon: stopped at t = ") != NULL);
}

static double last_height(const char *directory)
{
    tn_result *result = NULL;
    int channel = -1;
    double y = NAN;
    CHECK_OK(tn_result_open(directory, false, &result));
    CHECK_OK(tn_result_find(result, "mass.position.y", &channel));
    CHECK_OK(tn_result_read(result, channel, tn_result_rows(result) - 1, 1, &y));
    tn_result_close(result);
    return y;
}

// The mass hangs at rest below its pin.
static void parameters_have_other_values(void)
{
    write_text("hanging.yaml", "tenon: 1\n"
                               "parameters: {L: 0.5}\n"
                               "bodies:\n"
                               "  mass: {kind: point-2d, mass: 1, initial: {position: [0, -L]}}\n"
                               "joints:\n"
                               "  rod: {kind: distance, bodies: [ground, mass], length: L}\n"
                               "simulate: {t_end: 0.1}\n");
    CHECK(tenon("run hanging.yaml --out short --force --quiet") == 0);
    CHECK(tenon("run hanging.yaml --set L=2 --out long --force --quiet") == 0);
    CHECK_NEAR(last_height("short"), -0.5, 1e-9);
    CHECK_NEAR(last_height("long"), -2.0, 1e-9);
    CHECK(tenon("run hanging.yaml --set M=2 --out long --force") == 1);
    CHECK(strstr(cli.err, "unknown parameter 'M'; known are L"));
    CHECK(tenon("run hanging.yaml --set L --out long --force") == 1);
    CHECK(tenon("check hanging.yaml --set L=3") == 0);
    CHECK(tenon("check hanging.yaml --set 'L=max(1,2)' --set L=3") == 1);
    CHECK_TEXT(cli.err, "tenon: --set: 'L' has two values\n");
    CHECK(tenon("run hanging.yaml --set 'L = max(1, sqrt(4))' --out long --force --quiet") == 0);
    CHECK(tenon("inverse hanging.yaml --set M=3") == 1);
    CHECK(strstr(cli.err, "unknown parameter 'M'"));
    CHECK(tenon("converge hanging.yaml --set L=3,M=1") != 0);
    CHECK(tenon("equilibrium hanging.yaml --set L=3") == 0);
}

// Its damper comes in with the time, so that nothing is stiff at the start.
static const char damper[] =
    "tenon: 1\n"
    "parameters: {when: 1}\n"
    "bodies: {b: {kind: planar, mass: 1, inertia: 1, initial: {position: [1, 0]}}}\n"
    "outputs:\n"
    "  x: {point: [0, 0], of: b, axis: x}\n"
    "  vx: {quantity: velocity, point: [0, 0], of: b, axis: x}\n"
    "forces:\n"
    "  f: {kind: point-force, body: b,\n"
    "      force: [\"-40*x - 2e4*(1 + tanh(20*(t - when)))*vx\", \"0\"]}\n"
    "simulate: {t_end: 5}\n";

// The feet of a rimless wheel are stiff while they touch.
static const char wheel[] =
    "tenon: 1\n"
    "gravity: [9.81*sin(0.08), -9.81*cos(0.08), 0]\n"
    "parameters: {n: 8, k: 2e5, c: 2000}\n"
    "bodies:\n"
    "  wheel: {kind: planar, mass: 10, inertia: 0.5,\n"
    "          initial: {position: [0, 0.95], rate: -1.2, velocity: [1.1, 0]}}\n"
    "repeat:\n"
    "  from: 0\n"
    "  to: 7\n"
    "  outputs:\n"
    "    y$i: {point: [cos(2*pi*i/n), sin(2*pi*i/n), 0], of: wheel, axis: y}\n"
    "    vx$i: {quantity: velocity, point: [cos(2*pi*i/n), sin(2*pi*i/n), 0], of: wheel, axis: x}\n"
    "    vy$i: {quantity: velocity, point: [cos(2*pi*i/n), sin(2*pi*i/n), 0], of: wheel, axis: y}\n"
    "  signals:\n"
    "    N$i: max(0, if(y$i < 0, -k*y$i - c*vy$i, 0))\n"
    "  forces:\n"
    "    foot$i: {kind: point-force, body: wheel,\n"
    "             frame_b: {at: [cos(2*pi*i/n), sin(2*pi*i/n), 0]},\n"
    "             force: [\"-0.9*N$i*tanh(vx$i/0.01)\", N$i]}\n"
    "simulate: {t_end: 2}\n";

// A damper on a link without mass becomes ever stiffer as the link comes to lie along it: dop853
// creeps from 0.48 s on.
static const char lengthens[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  b1: {kind: planar, mass: 1, inertia: 0.01}\n"
    "  b2: {kind: planar, mass: 1.5, inertia: 0.03, initial: {position: [0.7615, 0.2086]}}\n"
    "  link: {kind: planar, massless: true, initial: {position: [0.7615, 0.2086]}}\n"
    "joints:\n"
    "  j1: {kind: revolute, bodies: [ground, b1], at: [0, 0]}\n"
    "  j2: {kind: prismatic, bodies: [b1, b2], at: [0.6208, -0.07493], axis: [0.6, 0.8]}\n"
    "  k3: {kind: prismatic, bodies: [b2, link], at: [0.7615, 0.2086], axis: [1, 0]}\n"
    "  k4: {kind: gear, joint_1: j2, joint_2: j1, ratio_1: 0.5, ratio_2: 40}\n"
    "forces:\n"
    "  f5: {kind: joint-spring, joint: j1, stiffness: 20}\n"
    "  flink: {kind: joint-spring, joint: k3, stiffness: 300}\n"
    "  fdash: {kind: spring, bodies: [ground, link], at_a: [0.3, 0.7], at_b: [0.7615, 0.2086],\n"
    "          damping: 8}\n";

static char rows[2][CLI_TEXT_SIZE]; // of result.csv

static bool same_rows(const char *a, const char *b)
{
    read_text(a, rows[0]);
    read_text(b, rows[1]);
    return strlen(rows[0]) > 50 && strcmp(rows[0], rows[1]) == 0;
}

// As if its start had been stiff: rows are those of radau5, and none of the first ones are left.
static void begins_anew(const char *model, const char *named)
{
    const char *const why = "chosen: not stiff at the start, but steps of dop853 were held by "
                            "stability, not by accuracy, from t = ";
    write_text("anew.yaml", model);
    CHECK(tenon("run anew.yaml --output 0.02 --csv --force --out anew --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "method"), named);
    CHECK(strncmp(json_text(doc, "why"), why, strlen(why)) == 0);
    CHECK(json_at(doc, "notes")->count == 0);
    tn_document_destroy(doc);
    CHECK_TEXT(cli.err, "");
    CHECK(tenon("run anew.yaml --output 0.02 --csv --force --out named --method %s", named) == 0);
    CHECK(same_rows("anew/result.csv", "named/result.csv"));
}

static void what_becomes_stiff_on_the_way_begins_anew(void)
{
    begins_anew(damper, "radau5/ggl@joint");
    begins_anew(wheel, "radau5/ggl@joint");
    begins_anew(lengthens, "radau5/ggl@absolute");
}

// Cases of sweeps and runs that are compared do as runs do.
static void sweeps_and_comparisons_begin_anew(void)
{
    write_text("anew.yaml", damper);
    CHECK(
        tenon("sweep anew.yaml --set 'when=[1, 1.5]' --outputs 'final(x)' --force --out s_auto") ==
        0);
    CHECK(
        tenon(
            "sweep anew.yaml --set 'when=[1, 1.5]' --outputs 'final(x)' --method radau5/ggl@joint "
            "--force --out s_radau5") == 0);
    CHECK(same_rows("s_auto/table.csv", "s_radau5/table.csv"));
    CHECK(tenon("compare anew.yaml --methods auto --tols 1e-5 --json") == 0);
    CHECK(strstr(cli.out, "\"method\": \"radau5/ggl@joint\"") != NULL);
}

// A method that was named stays, as does one whose run has come to its last quarter: a note tells.
// What is not stiff keeps its method without a word.
static void runs_keep_their_method_where_that_is_named_or_late(void)
{
    static const char *const keeps[] = {"--method dop853@joint --t-end 2", "--set when=4.5"};
    const char *const note =
        "tenon: note: steps of dop853 are held by stability, not by accuracy, since t = ";
    write_text("anew.yaml", damper);
    for (int k = 0; k < TN_COUNT(keeps); k++) {
        CHECK(tenon("run anew.yaml %s --no-results", keeps[k]) == 0);
        CHECK(strstr(cli.out, "dop853/index1@joint: ") != NULL);
        CHECK(strncmp(cli.err, note, strlen(note)) == 0);
        CHECK(strchr(cli.err, '\n')[1] == '\0'); // once
    }
    CHECK(tenon("run anew.yaml --set when=100 --output 0.02 --csv --force --out anew") == 0);
    CHECK_TEXT(cli.err, "");
    CHECK(tenon("run anew.yaml --set when=100 --output 0.02 --csv --force --out named --method "
                "dop853/index1@joint") == 0);
    CHECK(same_rows("anew/result.csv", "named/result.csv"));
}

static const tn_test tests[] = {
    {"what becomes stiff on the way begins anew", what_becomes_stiff_on_the_way_begins_anew},
    {"sweeps and comparisons begin anew", sweeps_and_comparisons_begin_anew},
    {"runs keep their method where that is named or late",
     runs_keep_their_method_where_that_is_named_or_late},
    {"parameters have other values", parameters_have_other_values},
    {"every starter runs as it is", every_starter_runs_as_it_is},
    {"the ledger has labels", the_ledger_has_labels},
    {"JSON holds the final state", json_holds_the_final_state},
    {"options replace the simulate block", options_replace_the_simulate_block},
    {"rows are stored at the output interval", rows_are_stored_at_the_output_interval},
    {"rows are stored at late times", rows_are_stored_at_late_times},
    {"results go beside the caller", results_go_beside_the_caller},
    {"results are not replaced without force", results_are_not_replaced_without_force},
    {"a run without results writes nothing", a_run_without_results_writes_nothing},
    {"a brief run makes no text of its summary", a_brief_run_makes_no_text_of_its_summary},
    {"a run without results takes no options of files",
     a_run_without_results_takes_no_options_of_files},
    {"bounds that are exceeded end with four", bounds_that_are_exceeded_end_with_four},
    {"bounds are checked before the run", bounds_are_checked_before_the_run},
    {"bad options are refused", bad_options_are_refused},
    {"bad combinations are refused", bad_combinations_are_refused},
    {"bad models end with two", bad_models_end_with_two},
    {"a folder that cannot be written is refused", a_folder_that_cannot_be_written_is_refused},
    {"a failed run keeps its results", a_failed_run_keeps_its_results},
    {"a function that stops being a number keeps the results",
     a_function_that_stops_being_a_number_keeps_the_results},
    {"a full disk ends the run cleanly", a_full_disk_ends_the_run_cleanly},
    {"Ctrl-C saves everything", ctrl_c_saves_everything},
    {"termination saves everything", termination_saves_everything},
    {"signals are heard in every search", signals_are_heard_in_every_search},
    {"a terminal shows progress", a_terminal_shows_progress},
};

int main(int argc, char **argv)
{
    enter_scratch("cli-run-scratch");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
