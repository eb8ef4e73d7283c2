// SPDX-License-Identifier: MIT
//
// tenon run: simulates a model, writes the results folder and reports how far the
// answer can be trusted. A run that fails or is interrupted keeps everything up
// to that moment.

#include "run.h"

#include <signal.h>

typedef struct {
    tn_run_options run;
    const char *threads;
    bool report, resume, quiet;
} run_options;

#define OPTION(...) CLI_OPTION(run_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("out", run.out, TEXT, "DIR", "folder for the results; MODEL.results when left out"),
    OPTION("force", run.replace, BOOL, "", "replace results that the folder holds"),
    OPTION("csv", run.csv, BOOL, "", "write result.csv beside result.h5"),
    OPTION("no_results", run.no_results, BOOL, "",
           "write no files: print the summary, and nothing is kept"),
    OPTION("report", report, BOOL, "", "write report.html, as 'tenon report' does"),
    OPTION("require", run.require, TEXT, "BOUNDS",
           "bounds to keep, for example 'g<1e-9,gdot<1e-9,energy<1e-6'"),
    OPTION("error", run.error, BOOL, "",
           "tell how far the motion is off, by two more runs: one as it is, one with half the step "
           "or a tenth of the tolerances"),
    OPTION("resume", resume, BOOL, "",
           "go on with the stopped or killed run whose folder is named"),
    CLI_OPTION(run_options, "checkpoint", run.checkpoint, NUMBER, "s",
               "computing time between the states from which --resume goes on",
               .range = TN_NONNEGATIVE),
    OPTION("threads", threads, TEXT, "N",
           "threads that share a step; auto, which is usual, for all processors where the model is "
           "large. Results are the same, bit for bit"),
    OPTION("yes", run.large, BOOL, "", "store more than 1e8 rows or 10 GB"),
    OPTION("quiet", quiet, BOOL, "", "print nothing unless something is wrong"),
};

// Interruption

static tn_run *volatile running;
static volatile sig_atomic_t interrupts;

// The first signals end the run after its step; one more ends the process at
// once.
static void interrupt(int number)
{
    if (++interrupts > 2) {
        signal(number, SIG_DFL);
        raise(number);
    }
    tn_run_stop(running);
}

// Signals that the caller chose to ignore, as nohup does, stay ignored. A file that grows beyond
// the limit of the user shall be an error of the write, as a full disk is.
static void catch_signals(tn_run *run)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt}, before;
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&action.sa_mask);
    running = run;
    for (int i = 0; i < CLI_COUNT(numbers); i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

// The page of what was stored, also of a run that failed; its own failure counts only then when
// the run has none.
static int report(const tn_run *run, bool quiet, int code)
{
    char *path = NULL;
    const tn_status s = cli_report_write(tn_run_about(run)->directory, false, NULL, &path);
    if (s != TN_OK)
        cli_message("%s", tn_last_error());
    else if (!quiet && !cli_json())
        printf("report             %s\n", path);
    tn_text_free(path);
    if (code == CLI_DONE)
        code = s == TN_OK ? cli_end(CLI_DONE) : cli_exit_code(s);
    return code;
}

// Refuses options that a resumed run may not change.
static tn_status refuse_options(const cli_args *args, const run_options *wanted)
{
    const tn_run_options *r = &wanted->run;
    bool stated =
        r->out || r->require || r->error || r->replace || r->csv || r->no_results || args->sets;
    for (int i = 0; tn_help_option(i); i++)
        stated = stated || args->given[i];
    return stated ? tn_fail(TN_ERR_USAGE, "--resume takes the options that the run began with: "
                                          "state no others but --report, --quiet, --json, --yes, "
                                          "--threads and --checkpoint")
                  : TN_OK;
}

// Puts the command line of the run in the folder in the place of this one.
static tn_status take_up(cli_args *args, run_options *wanted, tn_resume **resume)
{
    const char *directory = args->word[0];
    const run_options now = *wanted;
    const bool other_checkpoint = cli_is_stated(args, "checkpoint");
    int count = 0;
    CLI_TRY(refuse_options(args, wanted));
    CLI_TRY(tn_resume_open(directory, resume));
    *wanted = (run_options){.run = tn_default_run()};
    const bool json = cli_json();
    char *const *words = tn_resume_words(*resume, &count);
    args->argc = count;
    args->argv = (char **)words;
    CLI_TRY(cli_parse(args, wanted));
    cli_set_json(json);
    args->word[0] = tn_resume_model(*resume);
    wanted->run.out = directory;
    wanted->run.resume = *resume;
    wanted->run.large |= now.run.large;
    if (other_checkpoint)
        wanted->run.checkpoint = now.run.checkpoint;
    if (now.threads)
        wanted->threads = now.threads;
    wanted->quiet = now.quiet;
    wanted->report |= now.report;
    return TN_OK;
}

// Tells the library about this process.
static void introduce(run_options *wanted, const char *command, cli_running *r)
{
    wanted->run.words = cli_words(&wanted->run.nword);
    wanted->run.command = command;
    wanted->run.brief = wanted->run.no_results && !cli_json();
    wanted->run.teller.tell = cli_tell;
    wanted->run.stepped = cli_run_step;
    wanted->run.user = r;
    r->quiet = wanted->quiet;
}

static tn_status prepare(cli_args *args, run_options *wanted, cli_set *set, cli_running *r)
{
    CLI_TRY(cli_read_set(args, set));
    CLI_TRY(cli_read_threads("threads", wanted->threads, &wanted->run.threads));
    wanted->run.nset = set->count;
    wanted->run.set = set->value;
    if (wanted->report && wanted->run.no_results)
        return tn_fail(TN_ERR_USAGE, "--report shows results, and --no-results writes none: leave "
                                     "one of them out");
    if (wanted->report)
        CLI_TRY(tn_report_check());
    CLI_TRY(tn_run_create(args->word[0], &args->simulate, args->given, &wanted->run, &r->run));
    catch_signals(r->run);
    return tn_run_open(r->run);
}

static tn_status run_main(cli_args *args)
{
    run_options own = {.run = tn_default_run()}, *wanted = &own;
    cli_running r = {0};
    cli_set set;
    tn_resume *resume = NULL;
    char *command = cli_command_line();
    tn_status s = cli_parse(args, wanted);
    const bool goes_on = wanted->resume;
    CLI_THEN(s, goes_on ? take_up(args, wanted, &resume) : TN_OK);
    introduce(wanted, command, &r);
    CLI_THEN(s, prepare(args, wanted, &set, &r));
    args->code = s == TN_OK ? cli_run_go(&r) : cli_finish(s);
    if (s != TN_OK && args->count > 0 && !goes_on)
        cli_tell_kept(args->word[0], &wanted->run);
    if (s == TN_OK && wanted->report)
        args->code = report(r.run, wanted->quiet, args->code);
    running = NULL;
    tn_run_destroy(r.run);
    tn_resume_close(resume);
    tn_text_free(command);
    return TN_OK;
}

const cli_command cmd_run = {
    .name = "run",
    .summary = "simulate a model",
    .usage = "run MODEL [--method NAME] [--step X] [--t-end X] [--out DIR] "
             "[--require BOUNDS] ... | run --resume DIR",
    .text =
        "Writes result.h5 and summary.json, or nothing with --no-results. A run that fails or is "
        "interrupted by Ctrl-C keeps\n"
        "its results up to that moment and ends with code 3. Quantities of "
        "--require are g and\n"
        "gdot or Bv (largest residual of the constraints and of their "
        "rates), energy (largest\n"
        "energy balance by the energy exchanged), drift (of the energy "
        "balance), rejected, newton,\n"
        "steps and error (of positions and velocities, as --error tells it); a bound that is "
        "exceeded ends with code 4. Every run "
        "is also judged by bounds\n"
        "of its own: a run that passes one is doubtful and ends with "
        "code 5; --bounds sets them, as\n"
        "parts of the size of the mechanism: g, Bv, energy, rows, "
        "start, turn, error, joints. With\n"
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
    CLI_ONE_MODEL,
    .simulate = true,
    CLI_OPTIONS(options),
    .run = run_main,
};
