// SPDX-License-Identifier: MIT
//
// tenon run: simulates a model, writes the results folder and tells how far the
// answer can be trusted. A run that fails or is interrupted keeps everything up
// to that moment.

#include "base/alloc.h"
#include "io/page.h"
#include "report.h"
#include "run.h"

#include <signal.h>

typedef struct {
    cli_job_options job;
    bool report;
} run_options;

#define OPTION(...) CLI_OPTION(run_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("out", job.out, TEXT, "DIR", "folder for the results; MODEL.results when left out"),
    OPTION("force", job.force, BOOL, "", "replace results that the folder holds"),
    OPTION("csv", job.csv, BOOL, "", "write result.csv beside result.h5"),
    OPTION("report", report, BOOL, "", "write report.html, as 'tenon report' does"),
    OPTION("require", job.require, TEXT, "BOUNDS",
           "bounds to keep, for example 'g<1e-9,gdot<1e-9,energy<1e-6'"),
    OPTION("yes", job.yes, BOOL, "", "store more than 1e8 rows or 10 GB"),
    OPTION("quiet", job.quiet, BOOL, "", "print nothing unless something is wrong"),
};

static int run(int argc, char **argv);

const cli_command cmd_run = {
    .name = "run",
    .summary = "simulate a model",
    .usage = "run MODEL [--method NAME] [--step X] [--t-end X] [--out DIR] "
             "[--require BOUNDS] ...",
    .text = "Writes result.h5 and summary.json. A run that fails or is "
            "interrupted by Ctrl-C keeps\n"
            "its results up to that moment and ends with code 3. Quantities of "
            "--require are g and\n"
            "gdot or Bv (largest residual of the constraints and of their "
            "rates), energy (largest\n"
            "energy balance by the energy exchanged), drift (of the energy "
            "balance), rejected, newton\n"
            "and steps; a bound that is exceeded ends with code 4. Every run "
            "is also judged by bounds\n"
            "of its own: a run that passes one is doubtful and ends with "
            "code 5; --bounds sets them, as\n"
            "parts of the size of the mechanism: g, Bv, energy, rows, rank, "
            "start, joints. With\n"
            "--method the step of the file is left aside where the method "
            "controls its error by itself;\n"
            "--step states a fixed one.",
    .word = "MODEL",
    .least = 1,
    .most = 1,
    .simulate = true,
    .noption = TN_COUNT(options),
    .options = options,
    .run = run,
};

// Interruption

static cli_job *volatile running;
static volatile sig_atomic_t interrupts;

// The first signals end the run after its step; one more ends the process at
// once.
static void interrupt(int number)
{
    if (++interrupts > 2) {
        signal(number, SIG_DFL);
        raise(number);
    }
    if (running)
        atomic_fetch_add(&running->stops, 1);
}

// Signals that the caller chose to ignore, as nohup does, stay ignored. A file that grows beyond
// the limit of the user shall be an error of the write, as a full disk is.
static void catch_signals(cli_job *job)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt}, before;

    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&action.sa_mask);
    running = job;
    for (int i = 0; i < TN_COUNT(numbers); i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

// The page of what was stored, also of a run that failed; its own failure counts only then when
// the run has none.
static int report(const cli_job *job, int code)
{
    char *path = NULL;
    const tn_status s = cli_report_write(job->directory, false, NULL, &path);

    if (s != TN_OK)
        cli_message("%s", tn_last_error());
    else if (!job->wanted.quiet && !cli_json())
        printf("report             %s\n", path);
    tn_free(path);
    if (code == CLI_DONE)
        code = s == TN_OK ? cli_end(CLI_DONE) : cli_exit_code(s);
    return code;
}

static int run(int argc, char **argv)
{
    cli_args args;
    cli_job job = {0};
    run_options wanted = {0};

    tn_status s = cli_parse(&cmd_run, argc, argv, &args, &wanted);
    job.wanted = wanted.job;
    if (s == TN_OK && wanted.report)
        s = tn_page_check();
    if (s == TN_OK)
        s = cli_job_prepare(&job, &args);
    if (s == TN_OK)
        catch_signals(&job);
    if (s == TN_OK)
        s = cli_job_open(&job);
    int code = s == TN_OK ? cli_job_conclude(&job, cli_job_simulate(&job)) : cli_finish(s);
    if (s != TN_OK && args.count > 0)
        cli_job_tell_kept(&job, args.word[0]);
    if (s == TN_OK && wanted.report)
        code = report(&job, code);

    running = NULL;
    cli_job_free(&job);
    cli_args_free(&args);
    return code;
}
