// SPDX-License-Identifier: MIT
//
// A run from the model file to the summary, as `tenon run` and `tenon view` need it. A run that
// fails or is stopped keeps everything up to that moment.

#include "base/alloc.h"
#include "io/journal.h"
#include "io/model_yaml.h"
#include "io/record.h"
#include "io/shell.h"
#include "io/target.h"
#include "run.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Preparation

static tn_status choose_directory(cli_job *j)
{
    j->directory = j->wanted.out ? tn_strdup(j->wanted.out) : cli_results_default(j->model_path);
    if (!j->directory)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    return j->resume ? TN_OK : cli_results_check(j->directory, j->wanted.force);
}

static bool has_state(const cli_job *j)
{
    return j->resume && j->resume->data.size > 0;
}

tn_status cli_job_prepare(cli_job *j, const cli_args *args)
{
    j->model_path = args->word[0];
    CLI_TRY(cli_require_parse(j->wanted.require, &j->require));
    CLI_TRY(tn_model_load(j->model_path, &j->model, &j->simulate));
    cli_apply(args, &j->simulate);
    CLI_TRY(tn_simulate_check(&j->simulate));
    CLI_TRY(choose_directory(j));
    CLI_TRY(tn_sim_create(j->model, &j->simulate.options, &j->sim));
    return has_state(j) ? cli_resume_load(j) : TN_OK;
}

// A second wish to stop, while result.h5 is made.
static bool give_up(void *user)
{
    const cli_job *j = user;
    return atomic_load(&j->stops) > j->heard;
}

static const double MOST_ROWS = 1e8, MOST_BYTES = 1e10; // more is a slip more often than a wish

static double bytes_per_row(const cli_job *j)
{
    const double DIGITS = 20.0; // of a number in result.csv, with its comma
    return j->width * (sizeof(double) + (j->record_options.csv ? DIGITS : 0.0));
}

// Rows that are asked for; 0 when only the steps will tell.
static double rows_ahead(const cli_job *j)
{
    const double span = j->simulate.t_end - j->simulate.options.t_start;
    const double apart = j->simulate.output > 0.0 ? j->simulate.output : j->simulate.options.step;
    return apart > 0.0 ? span / apart : 0.0;
}

static tn_status check_amount(const cli_job *j, double rows, const char *verb)
{
    const double bytes = rows * bytes_per_row(j);
    if (j->wanted.yes || (rows <= MOST_ROWS && bytes <= MOST_BYTES))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "the results %s %.3g rows, %.3g GB; a larger --output stores fewer, --yes "
                   "allows more than 1e8 rows or 10 GB",
                   verb, rows, 1e-9 * bytes);
}

tn_status cli_job_open(cli_job *j)
{
    j->record_options = tn_default_record();
    j->record_options.csv |= j->wanted.csv;
    j->record_options.overwrite = j->wanted.force || j->resume;
    j->record_options.model_path = j->model_path;
    j->record_options.give_up = give_up;
    j->record_options.user = j;
    CLI_TRY(tn_record_measure(j->model, j->sim, &j->width));
    CLI_TRY(check_amount(j, rows_ahead(j), "would have"));
    tn_status s = cli_results_parents(j->directory);
    if (s == TN_OK)
        s = tn_record_resume(j->directory, j->model, j->sim, &j->record_options,
                             has_state(j) ? &j->resume->mark : NULL, &j->record);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

// The run

static tn_status store(cli_job *j)
{
    tn_status s = tn_record_row(j->record, j->sim);

    if (s == TN_OK)
        s = check_amount(j, (double)++j->rows, "have reached");
    j->stored = tn_sim_time(j->sim);
    j->lost |= s != TN_OK;
    return s;
}

// Times nearer than this are one output time: a little of the interval, or what times so late have
// as round-off, which tn_simulate_check keeps below it.
static double row_slack(const cli_job *j)
{
    return fmax(1e-9 * j->simulate.output, 8.0 * DBL_EPSILON * fabs(j->stored));
}

// The first output time behind the last stored row: multiples of the interval from the start.
static double next_output(const cli_job *j)
{
    const double t_start = j->simulate.options.t_start, interval = j->simulate.output;

    return t_start + interval * (floor((j->stored - t_start + row_slack(j)) / interval) + 1.0);
}

static void tell(const cli_job *j, bool stored)
{
    if (j->stepped)
        j->stepped(j->user, stored);
}

static tn_status store_and_tell(cli_job *j)
{
    CLI_TRY(store(j));
    tell(j, true);
    return TN_OK;
}

// Stores what the last step has passed of the output times. Rows between two steps come from dense
// output, so that the interval does not change the motion; the end of a step is a row itself, also
// where round-off puts it a little beside its output time.
static tn_status store_passed(cli_job *j, tn_sim *sim)
{
    const double end = tn_sim_time(sim), slack = row_slack(j);
    int rows = 0;

    for (double t = next_output(j); t <= end + slack; t = next_output(j), rows++) {
        if (t < end - slack)
            CLI_TRY(tn_sim_show(sim, t));
        const tn_status s = store_and_tell(j);
        tn_sim_present(sim);
        CLI_TRY(s);
        if (atomic_load(&j->stops))
            return TN_ERR_STOPPED;
    }
    if (rows == 0)
        tell(j, false);
    return TN_OK;
}

static tn_status each_step(void *user, tn_sim *sim)
{
    cli_job *j = user;

    cli_progress_update(&j->progress, tn_sim_time(sim));
    CLI_TRY(j->simulate.output > 0.0 ? store_passed(j, sim) : store_and_tell(j));
    CLI_TRY(tn_record_tick(j->record));
    const bool stops = atomic_load(&j->stops) > 0;
    (stops ? cli_checkpoint_now : cli_checkpoint_when_due)(j);
    return stops ? TN_ERR_STOPPED : TN_OK;
}

tn_status cli_job_simulate(cli_job *j)
{
    const double t_end = j->simulate.t_end;

    if (has_state(j) && j->resume->ended)
        return TN_OK;
    if (!has_state(j))
        CLI_TRY(store_and_tell(j));
    cli_checkpoint_first(j);
    j->progress = cli_progress_begin(!j->wanted.quiet, j->simulate.options.t_start, t_end);
    const tn_status s = tn_sim_run(j->sim, t_end, each_step, j);
    cli_progress_end(&j->progress);
    return s;
}

// The end

static void set_failed(cli_outcome *outcome)
{
    outcome->status = "failed";
    snprintf(outcome->reason, sizeof(outcome->reason), "%s", tn_last_error());
}

int cli_job_event(const cli_job *j)
{
    return has_state(j) && j->resume->ended ? j->resume->event : tn_sim_ended_by(j->sim);
}

static void set_reached(const cli_job *j, cli_outcome *outcome)
{
    const int event = cli_job_event(j);

    outcome->status = outcome->verdict.outcome == TN_OUTCOME_DONE ? "done" : "doubtful";
    if (event >= 0)
        snprintf(outcome->reason, sizeof(outcome->reason), "ended by event '%s' at t = %.10g s",
                 tn_event_name(j->model, event), tn_sim_time(j->sim));
}

static void set_outcome(const cli_job *j, tn_status s, cli_outcome *outcome)
{
    if (s == TN_OK) {
        set_reached(j, outcome);
    } else if (s == TN_ERR_STOPPED) {
        outcome->status = "stopped";
        snprintf(outcome->reason, sizeof(outcome->reason), "stopped at t = %g s on request",
                 tn_sim_time(j->sim));
    } else {
        if (!*tn_last_error())
            tn_fail(s, "%s", tn_status_text(s));
        set_failed(outcome);
    }
}

static bool reached_end(const cli_outcome *outcome)
{
    return strcmp(outcome->status, "done") == 0 || strcmp(outcome->status, "doubtful") == 0;
}

// Stores the last state and finishes the files; a failure here is one of the run
// unless it has failed before.
static void close_results(cli_job *j, cli_outcome *outcome)
{
    char text[sizeof(outcome->reason) + 16];
    tn_status s = TN_OK;

    if (j->stored < tn_sim_time(j->sim))
        s = store(j);
    if (s == TN_OK && reached_end(outcome)) {
        s = tn_record_flush(j->record);
        j->lost |= s != TN_OK;
    }
    if (s != TN_OK && strcmp(outcome->status, "failed") != 0)
        set_failed(outcome);
    if (strcmp(outcome->status, "failed") == 0)
        snprintf(text, sizeof(text), "failed: %s", outcome->reason);
    else
        snprintf(text, sizeof(text), "%s", outcome->status);
    j->heard = atomic_load(&j->stops);
    if (reached_end(outcome))
        cli_checkpoint_end(j);
    s = tn_record_finish(j->record, text);
    if (s != TN_OK && strcmp(outcome->status, "failed") != 0)
        set_failed(outcome);
    if (s == TN_ERR_STOPPED)
        outcome->status = "stopped";
    outcome->seal = &j->record->seal;
    outcome->kept = j->record->waiting;
    j->damaged = j->record->lost;
    j->lost |= j->damaged;
    j->whole = !j->record_options.hdf5 || j->record->seal.sums;
}

// Writes summary.json and prints what was asked for.
static tn_status summarize(cli_job *j, cli_outcome *outcome)
{
    tn_json *json = NULL;

    CLI_TRY(cli_summary_json(outcome, &json));
    if (!j->record->waiting &&
        cli_results_write(j->directory, "summary.json", tn_json_text(json)) != TN_OK) {
        j->whole = false;
        if (strcmp(outcome->status, "failed") != 0)
            set_failed(outcome);
        tn_json_destroy(json);
        CLI_TRY(cli_summary_json(outcome, &json));
    }
    if (j->concluded)
        j->concluded(j->user, tn_json_text(json));
    if (cli_json())
        return cli_print_json(json);
    tn_json_destroy(json);
    if (!j->wanted.quiet)
        cli_summary_print(outcome);
    return TN_OK;
}

static cli_outcome outcome_so_far(const cli_job *j)
{
    cli_outcome outcome = {
        .status = "running",
        .model_path = j->model_path,
        .directory = j->directory,
        .model = j->model,
        .sim = j->sim,
        .simulate = &j->simulate,
        .require = &j->require,
    };

    tn_sim_ledger(j->sim, &outcome.ledger);
    tn_sim_verdict(j->sim, &outcome.verdict);
    return outcome;
}

tn_status cli_job_so_far(const cli_job *j, tn_json **out)
{
    const cli_outcome outcome = outcome_so_far(j);
    return cli_summary_json(&outcome, out);
}

// Where several apply: no end before a bound that was asked for before one of the verdict.
static int exit_code(const cli_outcome *outcome, int unmet)
{
    const int code = cli_end(CLI_DONE);

    if (!reached_end(outcome))
        return CLI_NUMERICS;
    if (unmet)
        return CLI_REQUIRE;
    return strcmp(outcome->status, "doubtful") == 0 ? CLI_DOUBTFUL : code;
}

// What --resume would do, when it can.
static const char *next_move(const cli_job *j)
{
    if (j->damaged || !isfinite(j->wanted.checkpoint) ||
        !cli_results_have(j->directory, TN_CHECKPOINT_FILE) ||
        !cli_results_have(j->directory, TN_JOURNAL_FILE))
        return NULL;
    return j->ended ? "to make the files that are missing" : "to go on from there";
}

static void tell_next_move(const cli_job *j)
{
    const char *next = next_move(j);
    char *folder = next ? tn_shell_quote(j->directory) : NULL;

    if (folder)
        cli_message("%s: tenon run --resume %s", next, folder);
    tn_free(folder);
}

static bool has_rows(const cli_job *j)
{
    return cli_results_have(j->directory, TN_JOURNAL_FILE) ||
           cli_results_have(j->directory, "result.h5") ||
           cli_results_have(j->directory, "result.csv");
}

// Where the rows of a run are that has not ended as it should.
static void tell_where(const cli_job *j, const cli_outcome *outcome, bool kept)
{
    if (reached_end(outcome))
        return;
    if (kept) {
        cli_results_tell_kept(j->directory);
        return;
    }
    if (!has_rows(j))
        cli_message("no rows could be saved in %s", j->directory);
    else if (j->lost)
        cli_message("what could be saved is in %s", j->directory);
    else
        cli_message("the results up to t = %g s are in %s", tn_sim_time(j->sim), j->directory);
    tell_next_move(j);
}

int cli_job_conclude(cli_job *j, tn_status s)
{
    cli_outcome outcome = outcome_so_far(j);

    set_outcome(j, s, &outcome);
    close_results(j, &outcome);
    const int unmet = cli_require_check(&j->require, &outcome.ledger);
    const bool kept = j->record->waiting; // old results, because none of these could be written
    s = summarize(j, &outcome);
    if (!j->lost && j->whole && strcmp(outcome.status, "stopped") != 0)
        cli_checkpoint_remove(j);
    tn_record_close(j->record, NULL); // the folder is free for others
    j->record = NULL;
    if (s != TN_OK)
        return cli_finish(s);

    cli_notes_tell(j->model, j->sim);
    if (reached_end(&outcome))
        cli_doubts_tell(&outcome.verdict);
    if (*outcome.reason)
        cli_message("%s", outcome.reason);
    tell_where(j, &outcome, kept);
    cli_require_tell(&j->require);
    return exit_code(&outcome, unmet);
}

void cli_job_tell_kept(const cli_job *j, const char *model_path)
{
    char *directory = j->wanted.out ? tn_strdup(j->wanted.out) : cli_results_default(model_path);

    if (directory && j->wanted.force && !j->record && !tn_folder_is_locked(directory))
        cli_results_tell_kept(directory);
    tn_free(directory);
}

void cli_job_free(cli_job *j)
{
    tn_record_close(j->record, "failed: the run did not begin");
    tn_sim_destroy(j->sim);
    tn_model_destroy(j->model);
    tn_free(j->directory);
}
