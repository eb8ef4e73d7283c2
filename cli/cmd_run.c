// SPDX-License-Identifier: MIT
//
// tenon run: simulates a model, writes the results folder and tells how far the
// answer can be trusted. A run that fails or is interrupted keeps everything up
// to that moment.

#include "base/alloc.h"
#include "io/model_yaml.h"
#include "run.h"

#include <math.h>
#include <signal.h>
#include <string.h>

typedef struct {
    const char *out, *require;
    bool force, csv, quiet;
} run_options;

#define OPTION(member, kind, word, explanation)                                          \
    {                                                                                    \
        .name = #member, .type = TN_PARAM_##kind, .unit = (word), .text = (explanation), \
        .offset = offsetof(run_options, member)                                          \
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

typedef struct {
    run_options wanted;
    const char *model_path;
    char *directory;
    cli_require require;
    tn_simulate simulate;
    tn_model *model;
    tn_sim *sim;
    tn_record *record;
    tn_record_options record_options;
    cli_progress progress;
    double stored; // time of the last stored row [s]
    bool lost;     // rows could not be written
} job;

// Interruption ------------------------------------------------------------------------------------

static tn_sim *volatile running;
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
        tn_sim_stop(running);
}

// Signals that the caller chose to ignore, as nohup does, stay ignored. A file that grows beyond
// the limit of the user shall be an error of the write, as a full disk is.
static void catch_signals(tn_sim *sim)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt}, before;

    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&action.sa_mask);
    running = sim;
    for (int i = 0; i < TN_COUNT(numbers); i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

// Preparation -------------------------------------------------------------------------------------

static tn_status choose_directory(job *j)
{
    j->directory = j->wanted.out ? tn_strdup(j->wanted.out) : cli_results_default(j->model_path);
    if (!j->directory)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    return cli_results_check(j->directory, j->wanted.force);
}

static tn_status prepare(job *j, const cli_args *args)
{
    TN_TRY(cli_require_parse(j->wanted.require, &j->require));
    TN_TRY(tn_model_load(j->model_path, &j->model, &j->simulate));
    cli_apply(args, &j->simulate);
    TN_TRY(tn_simulate_check(&j->simulate));
    TN_TRY(choose_directory(j));
    return tn_sim_create(j->model, &j->simulate.options, &j->sim);
}

// Fails with TN_ERR_USAGE when the folder cannot be written.
static tn_status open_results(job *j)
{
    j->record_options = tn_default_record();
    j->record_options.csv |= j->wanted.csv;
    j->record_options.overwrite = j->wanted.force;
    j->record_options.model_path = j->model_path;
    tn_status s = cli_results_parents(j->directory);
    if (s == TN_OK)
        s = tn_record_create(j->directory, j->model, j->sim, &j->record_options, &j->record);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

// The run -----------------------------------------------------------------------------------------

static tn_status store(job *j)
{
    const tn_status s = tn_record_row(j->record, j->sim);

    j->stored = tn_sim_time(j->sim);
    j->lost |= s != TN_OK;
    return s;
}

// Stores the first step at or behind each multiple of the output interval, so
// that the interval does not change the motion; round-off must not move a row
// by one step.
static bool is_due(const job *j, double t)
{
    const double t_start = j->simulate.options.t_start, interval = j->simulate.output;
    const double ROUNDOFF = 1e-9;

    if (interval <= 0.0)
        return true;
    return floor((t - t_start) / interval + ROUNDOFF) >
           floor((j->stored - t_start) / interval + ROUNDOFF);
}

static tn_status each_step(void *user, tn_sim *sim)
{
    job *j = user;
    const double t = tn_sim_time(sim);

    cli_progress_update(&j->progress, t);
    if (is_due(j, t))
        TN_TRY(store(j));
    return interrupts ? TN_ERR_STOPPED : TN_OK;
}

static tn_status simulate(job *j)
{
    const double t_end = j->simulate.t_end;

    TN_TRY(store(j));
    j->progress = cli_progress_begin(!j->wanted.quiet, j->simulate.options.t_start, t_end);
    const tn_status s = tn_sim_run(j->sim, t_end, each_step, j);
    cli_progress_end(&j->progress);
    return s;
}

// The end -----------------------------------------------------------------------------------------

static void set_failed(cli_outcome *outcome)
{
    outcome->status = "failed";
    snprintf(outcome->reason, sizeof(outcome->reason), "%s", tn_last_error());
}

static void set_outcome(const job *j, tn_status s, cli_outcome *outcome)
{
    outcome->status = "done";
    if (s == TN_ERR_STOPPED) {
        outcome->status = "stopped";
        snprintf(outcome->reason, sizeof(outcome->reason), "stopped at t = %g s on request",
                 tn_sim_time(j->sim));
    } else if (s != TN_OK) {
        if (!*tn_last_error())
            tn_fail(s, "%s", tn_status_text(s));
        set_failed(outcome);
    }
}

// Stores the last state and closes the record; a failure here is one of the run
// unless it has failed before.
static void close_results(job *j, cli_outcome *outcome)
{
    char text[sizeof(outcome->reason) + 16];
    tn_status s = TN_OK;

    if (j->stored < tn_sim_time(j->sim))
        s = store(j);
    if (s != TN_OK && strcmp(outcome->status, "failed") != 0)
        set_failed(outcome);
    if (strcmp(outcome->status, "failed") == 0)
        snprintf(text, sizeof(text), "failed: %s", outcome->reason);
    else
        snprintf(text, sizeof(text), "%s", outcome->status);
    s = tn_record_close(j->record, text);
    j->record = NULL;
    j->lost |= s != TN_OK;
    if (s != TN_OK && strcmp(outcome->status, "failed") != 0)
        set_failed(outcome);
}

// Writes summary.json and prints what was asked for.
static tn_status summarize(const job *j, cli_outcome *outcome)
{
    tn_json *json = NULL;

    TN_TRY(cli_summary_json(outcome, &json));
    if (cli_results_write(j->directory, "summary.json", tn_json_text(json)) != TN_OK) {
        if (strcmp(outcome->status, "failed") != 0)
            set_failed(outcome);
        tn_json_destroy(json);
        TN_TRY(cli_summary_json(outcome, &json));
    }
    if (cli_json())
        return cli_print_json(json);
    tn_json_destroy(json);
    if (!j->wanted.quiet)
        cli_summary_print(outcome);
    return TN_OK;
}

static int conclude(job *j, tn_status s)
{
    cli_outcome outcome = {
        .model_path = j->model_path,
        .directory = j->directory,
        .model = j->model,
        .sim = j->sim,
        .simulate = &j->simulate,
        .require = &j->require,
        .hdf5 = j->record_options.hdf5,
        .csv = j->record_options.csv,
    };

    set_outcome(j, s, &outcome);
    close_results(j, &outcome);
    tn_sim_ledger(j->sim, &outcome.ledger);
    const int unmet = cli_require_check(&j->require, &outcome.ledger);
    s = summarize(j, &outcome);
    if (s != TN_OK)
        return cli_finish(s);

    if (*outcome.reason)
        cli_message("%s", outcome.reason);
    if (j->lost)
        cli_message("what could be saved is in %s", j->directory);
    else if (strcmp(outcome.status, "done") != 0)
        cli_message("the results up to t = %g s are in %s", tn_sim_time(j->sim), j->directory);
    cli_require_tell(&j->require);
    const int code = cli_end(CLI_DONE);
    return strcmp(outcome.status, "done") != 0 ? CLI_NUMERICS : unmet ? CLI_REQUIRE : code;
}

static int run(int argc, char **argv)
{
    cli_args args;
    job j = {0};
    int code = CLI_DONE;

    tn_status s = cli_parse(&cmd_run, argc, argv, &args, &j.wanted);
    j.model_path = args.word[0];
    if (s == TN_OK)
        s = prepare(&j, &args);
    if (s == TN_OK)
        catch_signals(j.sim);
    if (s == TN_OK)
        s = open_results(&j);
    code = s == TN_OK ? conclude(&j, simulate(&j)) : cli_finish(s);

    running = NULL;
    tn_sim_destroy(j.sim);
    tn_model_destroy(j.model);
    tn_free(j.directory);
    cli_args_free(&args);
    return code;
}
