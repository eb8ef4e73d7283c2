// SPDX-License-Identifier: MIT
//
// tenon run: simulates a model, writes the results folder and tells how far the
// answer can be trusted. A run that fails or is interrupted keeps everything up
// to that moment.

#include "run.h"

#include <signal.h>

#define OPTION(member, kind, word, explanation)                                          \
    {                                                                                    \
        .name = #member, .type = TN_PARAM_##kind, .unit = (word), .text = (explanation), \
        .offset = offsetof(cli_job_options, member)                                      \
    }

static const tn_param options[] = {
    OPTION(out, TEXT, "DIR", "folder for the results; MODEL.results when left out"),
    OPTION(force, BOOL, "", "replace results that the folder holds"),
    OPTION(csv, BOOL, "", "write result.csv beside result.h5"),
    OPTION(require, TEXT, "BOUNDS", "bounds to keep, for example 'g<1e-9,gdot<1e-9,energy<1e-6'"),
    OPTION(quiet, BOOL, "", "print nothing unless something is wrong"),
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
            "energy balance by the energy exchanged), rejected, newton and "
            "steps; a bound that is\n"
            "exceeded ends with code 4.",
    .word = "MODEL",
    .least = 1,
    .most = 1,
    .simulate = true,
    .noption = TN_COUNT(options),
    .options = options,
    .run = run,
};

// Interruption
// -----------------------------------------------------------------------------------

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
        atomic_store(&running->stop, true);
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

static int run(int argc, char **argv)
{
    cli_args args;
    cli_job job = {0};

    tn_status s = cli_parse(&cmd_run, argc, argv, &args, &job.wanted);
    if (s == TN_OK)
        s = cli_job_prepare(&job, &args);
    if (s == TN_OK)
        catch_signals(&job);
    if (s == TN_OK)
        s = cli_job_open(&job);
    const int code = s == TN_OK ? cli_job_conclude(&job, cli_job_simulate(&job)) : cli_finish(s);

    running = NULL;
    cli_job_free(&job);
    cli_args_free(&args);
    return code;
}
