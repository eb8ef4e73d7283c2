// SPDX-License-Identifier: MIT
//
// tenon run: simulates a model, writes the results folder and tells how far the
// answer can be trusted. A run that fails or is interrupted keeps everything up
// to that moment.

#include "base/alloc.h"
#include "io/model_yaml.h"
#include "io/page.h"
#include "report.h"
#include "run.h"

#include <signal.h>

typedef struct {
    cli_job_options job;
    bool report, resume;
} run_options;

// Wall time between checkpoints [s]: what a killed run has to do again.
static const run_options defaults = {.job.checkpoint = 10.0};

#define OPTION(...) CLI_OPTION(run_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("out", job.out, TEXT, "DIR", "folder for the results; MODEL.results when left out"),
    OPTION("force", job.force, BOOL, "", "replace results that the folder holds"),
    OPTION("csv", job.csv, BOOL, "", "write result.csv beside result.h5"),
    OPTION("report", report, BOOL, "", "write report.html, as 'tenon report' does"),
    OPTION("require", job.require, TEXT, "BOUNDS",
           "bounds to keep, for example 'g<1e-9,gdot<1e-9,energy<1e-6'"),
    OPTION("resume", resume, BOOL, "",
           "go on with the stopped or killed run whose folder is named"),
    CLI_OPTION_WITH(run_options, "checkpoint", job.checkpoint, NUMBER, "s",
                    "computing time between the states from which --resume goes on",
                    .range = TN_NONNEGATIVE),
    OPTION("yes", job.yes, BOOL, "", "store more than 1e8 rows or 10 GB"),
    OPTION("quiet", job.quiet, BOOL, "", "print nothing unless something is wrong"),
};

static int run(int argc, char **argv);

const cli_command cmd_run = {
    .name = "run",
    .summary = "simulate a model",
    .usage = "run MODEL [--method NAME] [--step X] [--t-end X] [--out DIR] "
             "[--require BOUNDS] ... | run --resume DIR",
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
            "parts of the size of the mechanism: g, Bv, energy, rows, "
            "start, joints. With\n"
            "--method the step of the file is left aside where the method "
            "controls its error by itself;\n"
            "--step states a fixed one.\n"
            "With --resume DIR a run that was stopped or killed goes on, with the options "
            "that it\n"
            "began with and to the last bit as if nothing had happened; bdf and adams under "
            "error\n"
            "control begin a new history there. Where only result.h5 or summary.json are missing "
            "it makes\n"
            "them.",
    .word = "MODEL",
    .least = 1,
    .most = 1,
    .simulate = true,
    .noption = CLI_COUNT(options),
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
    for (int i = 0; i < CLI_COUNT(numbers); i++)
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

// What a run that goes on may be told: the rest is as it was.
static tn_status refuse_options(const cli_args *args, const run_options *wanted)
{
    const cli_job_options *j = &wanted->job;
    bool stated = j->out || j->require || j->force || j->csv;
    for (int i = 0; tn_help_option(i); i++)
        stated = stated || args->given[i];
    return stated ? tn_fail(TN_ERR_USAGE, "--resume takes the options that the run began with: "
                                          "state no others but --report, --quiet, --json, --yes "
                                          "and --checkpoint")
                  : TN_OK;
}

// Puts the command line of the run in the folder in the place of this one.
static tn_status take_up(cli_args *args, run_options *wanted, cli_resume *resume)
{
    const char *directory = args->word[0];
    const run_options now = *wanted;
    CLI_TRY(refuse_options(args, wanted));
    CLI_TRY(cli_resume_open(directory, resume));
    *wanted = defaults;
    const bool json = cli_json();
    CLI_TRY(cli_parse(&cmd_run, resume->nword, resume->word, args, wanted));
    cli_set_json(json);
    args->word[0] = resume->model_path;
    wanted->job.out = directory;
    wanted->job.quiet = now.job.quiet;
    wanted->job.yes |= now.job.yes;
    wanted->report |= now.report;
    return TN_OK;
}

static int run(int argc, char **argv)
{
    cli_args args;
    cli_job job = {0};
    run_options wanted = defaults;
    cli_resume resume = {0};

    tn_status s = cli_parse(&cmd_run, argc, argv, &args, &wanted);
    if (s == TN_OK && wanted.resume) {
        s = take_up(&args, &wanted, &resume);
        job.resume = &resume;
    }
    job.wanted = wanted.job;
    if (s == TN_OK && wanted.report)
        s = tn_report_check();
    if (s == TN_OK)
        s = cli_job_prepare(&job, &args);
    if (s == TN_OK)
        catch_signals(&job);
    if (s == TN_OK)
        s = cli_job_open(&job);
    int code = s == TN_OK ? cli_job_conclude(&job, cli_job_simulate(&job)) : cli_finish(s);
    if (s != TN_OK && args.count > 0 && !job.resume)
        cli_job_tell_kept(&job, args.word[0]);
    if (s == TN_OK && wanted.report)
        code = report(&job, code);

    running = NULL;
    cli_job_free(&job);
    cli_resume_free(&resume);
    cli_args_free(&args);
    return code;
}
