// SPDX-License-Identifier: MIT
//
// A run from the model file to the summary. A run that fails or is stopped keeps everything up to
// that moment.

#include "base/alloc.h"
#include "file/shell.h"
#include "result/journal.h"
#include "run/run_parts.h"
#include "sim/sim.h"
#include "text/table.h"
#include "text/target.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The folder: result.h5, result.csv, summary.json and report.html

static bool holds_results(const char *directory)
{
    for (int i = 0; i < TN_RESULT_FILES; i++)
        if (tn_folder_has(directory, tn_result_files[i]))
            return true;
    return false;
}

// Fails when the folder holds results and they may not be replaced.
static tn_status check_run_folder(const char *directory, bool replace)
{
    if (replace || !holds_results(directory))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "%s holds results already; use --force to replace them or --out for another "
                   "place",
                   directory);
}

char *tn_run_saved(const char *model_path, const char *out)
{
    TN_NEED(model_path, NULL);
    char *directory = out ? tn_strdup(out) : tn_folder_named(model_path, "results");
    if (directory && !tn_folder_is_locked(directory) && holds_results(directory))
        return directory;
    tn_free(directory);
    return NULL;
}

// Preparation

// Runs without results cannot go on, replace anything or write tables.
static tn_status check_no_results(const tn_run_options *o)
{
    const char *other = o->out       ? "out"
                        : o->replace ? "force"
                        : o->csv     ? "csv"
                        : o->resume  ? "resume"
                                     : NULL;
    return other ? tn_fail(TN_ERR_USAGE,
                           "--no-results writes no files, and --%s is about files: leave one of "
                           "them out",
                           other)
                 : TN_OK;
}

static tn_status choose_directory(tn_run *r)
{
    if (r->wanted.no_results) {
        r->wanted.checkpoint = INFINITY;
        return check_no_results(&r->wanted);
    }
    r->directory =
        r->wanted.out ? tn_strdup(r->wanted.out) : tn_folder_named(r->model_path, "results");
    TN_TRY(tn_got(r->directory));
    return r->wanted.resume ? TN_OK : check_run_folder(r->directory, r->wanted.replace);
}

bool tn_run_has_state(const tn_run *r)
{
    return r->wanted.resume && r->wanted.resume->data.size > 0 && !r->held;
}

// Rows where nobody has stated an interval: enough for smooth curves however long the steps are,
// and few however short. Discrete principles give momenta at the ends of steps only: theirs are
// such.
static void choose_output(tn_run *r)
{
    enum { INTERVALS = 600 };
    const double span = r->simulate.t_end - r->simulate.options.t_start;
    const double step = r->simulate.options.step;
    if (!isnan(r->simulate.output))
        return;
    if (tn_integrator_is_fixed(r->sim->method.integrator))
        r->simulate.output = step > 0.0 ? step * fmax(floor(span / step / INTERVALS), 1.0) : 0.0;
    else
        r->simulate.output = span / INTERVALS;
}

static tn_status prepare_run_job(tn_run *r, const tn_simulate *values, const bool *given)
{
    TN_TRY(tn_got(r->model_path));
    TN_TRY(tn_require_parse(r));
    TN_TRY(
        tn_model_load_with(r->model_path, r->wanted.nset, r->wanted.set, &r->model, &r->simulate));
    if (values && given)
        TN_TRY(tn_simulate_override(&r->simulate, values, given));
    TN_TRY(tn_simulate_check(&r->simulate));
    r->simulate.options.threads = r->wanted.threads;
    TN_TRY(choose_directory(r));
    r->simulate.options.stiff = r->wanted.resume ? r->wanted.resume->stiff : NULL;
    tn_sim *sim = NULL;
    TN_TRY(tn_sim_create(r->model, &r->simulate.options, &sim));
    r->sim = sim;
    r->wanted.error |= tn_sim_bounds_error(r->sim);
    choose_output(r);
    return tn_run_has_state(r) ? tn_resume_load(r) : TN_OK;
}

// Updates the progress of the run.
static void run_job_refresh(tn_run *r)
{
    tn_sim_ledger(r->sim, &r->facts.ledger);
    tn_sim_verdict(r->sim, &r->facts.verdict);
}

static void describe_run_job(tn_run *r)
{
    tn_run_facts *f = &r->facts;
    f->status = "running";
    f->reason = r->reason;
    f->model_path = r->model_path;
    f->directory = r->directory;
    f->error.distance = (tn_distance){NAN, NAN, NAN};
    f->files = r->files;
    f->model = r->model;
    f->simulate = &r->simulate;
    f->sim = r->sim;
    run_job_refresh(r);
}

tn_run_options tn_default_run(void)
{
    // A killed run must repeat at most this much [s].
    return (tn_run_options){.checkpoint = 10.0};
}

tn_status tn_run_create(const char *model_path, const tn_simulate *values, const bool *given,
                        const tn_run_options *options, tn_run **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model_path, options, out);
    *out = NULL;
    tn_run *r = tn_alloc(sizeof *r);
    TN_TRY(tn_got(r));
    r->wanted = *options;
    r->model_path = tn_strdup(model_path);
    const tn_status s = prepare_run_job(r, values, given);
    if (s != TN_OK) {
        tn_run_destroy(r);
        return s;
    }
    describe_run_job(r);
    *out = r;
    return TN_OK;
}

void tn_run_stop(tn_run *run)
{
    if (!run)
        return;
    atomic_fetch_add(&run->stops, 1);
    if (run->sim)
        tn_sim_stop(run->sim);
}

TN_GETTER(const tn_run_facts *, tn_run_about, (const tn_run *run), run, NULL, &run->facts);

// A second request to stop, while result.h5 is made.
static bool give_up(void *user)
{
    const tn_run *r = user;
    return atomic_load(&r->stops) > r->heard;
}

static const double MOST_ROWS = 1e8, MOST_BYTES = 1e10; // more is a slip more often than a request

static double bytes_per_row(const tn_run *r)
{
    const double DIGITS = 20.0; // of a number in result.csv, with its comma
    return r->width * (sizeof(double) + (r->record_options.csv ? DIGITS : 0.0));
}

// Rows that are asked for; 0 if only the steps decide.
static double rows_ahead(const tn_run *r)
{
    const double span = r->simulate.t_end - r->simulate.options.t_start;
    const double apart = r->simulate.output > 0.0 ? r->simulate.output : r->simulate.options.step;
    return apart > 0.0 ? span / apart : 0.0;
}

static tn_status check_amount(const tn_run *r, double rows, const char *verb)
{
    const double bytes = rows * bytes_per_row(r);
    if (r->wanted.large || (rows <= MOST_ROWS && bytes <= MOST_BYTES))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "the results %s %.3g rows, %.3g GB; a larger --output stores fewer, --yes "
                   "allows more than 1e8 rows or 10 GB",
                   verb, rows, 1e-9 * bytes);
}

static tn_status open_rows(tn_run *r)
{
    r->width = tn_sim_channel_count(r->sim);
    TN_TRY(check_amount(r, rows_ahead(r), "would have"));
    TN_TRY(tn_folder_parents(r->directory));
    return tn_record_resume(r->directory, r->sim, &r->record_options,
                            tn_run_has_state(r) ? &r->wanted.resume->mark : NULL, &r->record);
}

tn_status tn_run_open(tn_run *run)
{
    tn_run *r = run;
    TN_NEED(run, TN_ERR_USAGE);
    r->opened = true;
    if (r->wanted.no_results)
        return TN_OK;
    r->record_options = tn_default_record();
    r->record_options.csv |= r->wanted.csv;
    r->record_options.overwrite = r->wanted.replace || r->wanted.resume;
    r->record_options.model_path = r->model_path;
    r->record_options.give_up = give_up;
    r->record_options.user = r;
    tn_status s = open_rows(r);
    r->opened = s == TN_OK;
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

// The run

static tn_status store_run_job(tn_run *r)
{
    tn_status s = tn_record_row(r->record, r->sim);
    TN_THEN(s, check_amount(r, (double)++r->rows, "have reached"));
    r->stored = tn_sim_time(r->sim);
    r->facts.lost |= s != TN_OK;
    return s;
}

// Times nearer than this are one output time: a little of the interval, or what times so late have
// as round-off, which tn_simulate_check keeps below it.
static double row_slack(const tn_run *r)
{
    return fmax(1e-9 * r->simulate.output, 8.0 * DBL_EPSILON * fabs(r->stored));
}

// The first output time behind the last stored row: multiples of the interval from the start.
static double next_output(const tn_run *r)
{
    const double t_start = r->simulate.options.t_start, interval = r->simulate.output;
    return t_start + interval * (floor((r->stored - t_start + row_slack(r)) / interval) + 1.0);
}

static void tell_run_job(const tn_run *r, bool stored)
{
    if (r->watch_step)
        r->watch_step(r->watcher, stored);
    if (r->wanted.stepped)
        r->wanted.stepped(r->wanted.user);
}

static tn_status store_and_tell(tn_run *r)
{
    TN_TRY(store_run_job(r));
    tell_run_job(r, true);
    return TN_OK;
}

// A run that is to stop still stores so many rows of its last step, as it goes on behind them; what
// it does with more is lost up to the checkpoint before.
static const double ROWS_AT_STOP = 1e4;

// Stores what the last step has passed of the output times. Rows between two steps come from dense
// output, so that the interval does not change the motion; the end of a step is a row itself, also
// where round-off puts it a little beside its output time.
static tn_status store_passed(tn_run *r, tn_sim *sim)
{
    const double end = tn_sim_time(sim), slack = row_slack(r);
    int rows = 0;
    for (double t = next_output(r); t <= end + slack; t = next_output(r), rows++) {
        if (t < end - slack)
            TN_TRY(tn_sim_show(sim, t));
        const tn_status s = store_and_tell(r);
        tn_sim_current(sim);
        TN_TRY(s);
        if (atomic_load(&r->stops) && end - t > ROWS_AT_STOP * r->simulate.output)
            return TN_ERR_STOPPED;
    }
    if (rows == 0)
        tell_run_job(r, false);
    return TN_OK;
}

static tn_status store_step(tn_run *r, tn_sim *sim)
{
    TN_TRY(r->simulate.output > 0.0 ? store_passed(r, sim) : store_and_tell(r));
    return tn_record_tick(r->record);
}

static tn_status each_step(void *user, tn_sim *sim)
{
    tn_run *r = user;
    if (r->record)
        TN_TRY(store_step(r, sim));
    else
        tell_run_job(r, false);
    const bool stops = atomic_load(&r->stops) > 0;
    (stops ? tn_checkpoint_now : tn_checkpoint_when_due)(r);
    return stops ? TN_ERR_STOPPED : TN_OK;
}

// From the current state of the run, or from its start.
static tn_status begin_rows(tn_run *r)
{
    if (r->record && !tn_run_has_state(r))
        TN_TRY(store_and_tell(r));
    if (r->record)
        tn_checkpoint_first(r);
    return TN_OK;
}

// The simulation before stays until the end, as others may be about to stop it.
static tn_status begin_anew(void *user, tn_sim *next)
{
    tn_run *r = user;
    r->simulate.options.stiff = r->way.why;
    r->held = r->sim;
    r->sim = next;
    r->rows = 0;
    r->facts.sim = next;
    run_job_refresh(r);
    if (atomic_load(&r->stops))
        return TN_ERR_STOPPED;
    if (r->record) {
        tn_record_drop(r->record);
        r->record = NULL;
        r->record_options.overwrite = true;
        TN_TRY(open_rows(r));
    }
    if (r->watch_again)
        TN_TRY(r->watch_again(r->watcher));
    return begin_rows(r);
}

tn_status tn_run_simulate(tn_run *run)
{
    TN_NEED(run, TN_ERR_USAGE);
    if (!run->opened)
        return tn_fail(TN_ERR_USAGE, "tn_run_simulate: the run was not opened, or has ended");
    if (tn_run_has_state(run) && run->wanted.resume->ended)
        return TN_OK;
    run->way = (tn_auto_run){.options = &run->simulate.options,
                             .t_end = run->simulate.t_end,
                             .each = each_step,
                             .again = begin_anew,
                             .user = run};
    TN_TRY(begin_rows(run));
    return tn_sim_run_auto(&run->way, run->sim);
}

// The end

static void set_failed(tn_run *r)
{
    r->facts.status = "failed";
    r->facts.reached = false;
    snprintf(r->reason, sizeof(r->reason), "%s", tn_last_error());
}

static bool has_failed(const tn_run *r)
{
    return strcmp(r->facts.status, "failed") == 0;
}

int tn_run_event(const tn_run *r)
{
    return tn_run_has_state(r) && r->wanted.resume->ended ? r->wanted.resume->event
                                                          : tn_sim_ended_by(r->sim);
}

static void set_reached(tn_run *r)
{
    const int event = tn_run_event(r);
    r->facts.status = tn_outcome_word(r->facts.verdict.outcome);
    r->facts.reached = true;
    if (event < 0)
        return;
    if (r->facts.verdict.outcome == TN_OUTCOME_DONE)
        r->facts.status = "ended"; // before the time that was asked for
    snprintf(r->reason, sizeof(r->reason), "ended by event '%s' at t = %.10g s",
             tn_model_event_name(r->model, event), tn_sim_time(r->sim));
}

static void set_outcome(tn_run *r, tn_status s)
{
    if (s == TN_OK) {
        set_reached(r);
    } else if (s == TN_ERR_STOPPED) {
        r->facts.status = "stopped";
        snprintf(r->reason, sizeof(r->reason), "stopped at t = %g s on request",
                 tn_sim_time(r->sim));
    } else {
        if (!*tn_last_error())
            tn_fail(s, "%s", tn_status_text(s));
        set_failed(r);
    }
}

// Stores the last state and finishes the files; a failure here is one of the run
// unless it has failed before.
static void close_results(tn_run *r)
{
    char text[sizeof(r->reason) + 16];
    tn_status s = TN_OK;
    if (r->stored < tn_sim_time(r->sim))
        s = store_run_job(r);
    if (s == TN_OK && r->facts.reached) {
        s = tn_record_flush(r->record);
        r->facts.lost |= s != TN_OK;
    }
    if (s != TN_OK && !has_failed(r))
        set_failed(r);
    if (has_failed(r))
        snprintf(text, sizeof(text), "failed: %s", r->reason);
    else
        snprintf(text, sizeof(text), "%s", r->facts.status);
    r->heard = atomic_load(&r->stops);
    if (r->facts.reached)
        tn_checkpoint_end(r);
    s = tn_record_finish(r->record, text);
    if (s != TN_OK && !has_failed(r))
        set_failed(r);
    if (s == TN_ERR_STOPPED)
        r->facts.status = "stopped";
    r->facts.kept = r->record->waiting; // old results, because none of these could be written
    r->damaged = r->record->lost;
    r->facts.lost |= r->damaged;
    r->whole = !r->record_options.hdf5 || r->record->checksums.sums;
}

// Writes summary.json.
static tn_status summarize(tn_run *r)
{
    tn_json *json = NULL;
    if (r->wanted.no_results && r->wanted.brief && !r->watch_end)
        return TN_OK;
    TN_TRY(tn_run_json(r, &json));
    if (r->record && !r->facts.kept &&
        tn_folder_write(r->directory, "summary.json", tn_json_text(json)) != TN_OK) {
        r->whole = false;
        if (!has_failed(r))
            set_failed(r);
        tn_json_destroy(json);
        TN_TRY(tn_run_json(r, &json));
    }
    r->facts.summary = r->summary = tn_strdup(tn_json_text(json));
    tn_json_destroy(json);
    if (!r->summary)
        return tn_fail(TN_ERR_MEMORY, "out of memory for the summary");
    if (r->watch_end)
        r->watch_end(r->watcher, r->summary);
    return TN_OK;
}

// Near-singular positions: from this margin on it is worth a line, and time to find the rows.
static const double MARGIN_TOLD = 0.05;

static void find_singular(tn_run *r)
{
    r->facts.singular = r->facts.ledger.rank_margin < MARGIN_TOLD &&
                        tn_sim_rank_least(r->sim, &r->facts.near) == TN_OK;
}

tn_status tn_run_summary(tn_run *run, tn_json **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, run, out);
    run_job_refresh(run);
    find_singular(run);
    return tn_run_json(run, out);
}

// Text on what --resume would do, if it can.
static const char *next_move(const tn_run *r)
{
    if (r->wanted.no_results || r->damaged || !isfinite(r->wanted.checkpoint) ||
        !tn_folder_has(r->directory, TN_CHECKPOINT_FILE) ||
        !tn_folder_has(r->directory, TN_JOURNAL_FILE))
        return NULL;
    return r->ended ? "to make the files that are missing" : "to go on from there";
}

// Lists the files of the folder: rows and the summary. Older ones do not belong to this run.
static void find_files(tn_run *r)
{
    static const char *const names[] = {"result.h5", TN_JOURNAL_FILE, "result.csv", "summary.json"};
    const char *there[TN_COUNT(names)];
    int n = 0;
    for (int i = 0; i < TN_COUNT(names); i++)
        if (tn_folder_has(r->directory, names[i]))
            there[n++] = names[i];
    r->facts.rows = n > 0 && strcmp(there[0], "summary.json") != 0;
    if (!r->facts.kept && n > 0)
        tn_list_names(n, there, sizeof r->files, r->files);
}

static void leave_folder(tn_run *r)
{
    if (!r->facts.lost && r->whole && strcmp(r->facts.status, "stopped") != 0)
        tn_checkpoint_remove(r);
    tn_record_close(r->record, NULL); // the folder is free for others
    r->record = NULL;
    find_files(r);
    r->facts.next = next_move(r);
    char *folder = r->facts.next ? tn_shell_quote(r->directory) : NULL;
    r->next_command = folder ? tn_format("tenon run --resume %s", folder) : NULL;
    r->facts.next_command = r->next_command;
    tn_free(folder);
}

tn_status tn_run_conclude(tn_run *run, tn_status status)
{
    tn_run *r = run;
    TN_NEED(run, TN_ERR_USAGE);
    if (!r->opened)
        return tn_fail(TN_ERR_USAGE, "tn_run_conclude: the run was not opened, or has ended");
    r->opened = false;
    run_job_refresh(r);
    if (status == TN_OK && r->wanted.error) {
        tn_run_find_error(r);
        run_job_refresh(r);
        status = atomic_load(&r->stops) && !r->facts.error.known ? TN_ERR_STOPPED : TN_OK;
    }
    set_outcome(r, status);
    if (r->record)
        close_results(r);
    tn_require_check(r);
    find_singular(r);
    const tn_status s = summarize(r);
    if (r->record)
        leave_folder(r);
    return s;
}

void tn_run_destroy(tn_run *r)
{
    if (!r)
        return;
    tn_record_close(r->record, "failed: the run did not begin");
    tn_sim_destroy(r->sim);
    tn_sim_destroy(r->held);
    tn_model_destroy(r->model);
    TN_FREE(r->model_path, r->directory, r->summary, r->next_command, r);
}
