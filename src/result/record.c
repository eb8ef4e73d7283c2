// SPDX-License-Identifier: MIT
//
// Results of a run in a folder: the front that keeps the folder, gathers rows and hands them in
// blocks to the files, the journal and result.csv. Closing makes result.h5 out of the journal.
//
// Old results stay until the first rows of the new ones are written; these have other names until
// then. A journal counts more than a result.h5 beside it, so that the moment in which it gets its
// name is the moment in which the new run takes over.

#include "result/record.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "model/model.h"
#include "result/checkpoint.h"
#include "result/export.h"
#include "result/journal.h"
#include "text/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Wall time that rows wait for more to come before they are written [s]. Longer saves calls of the
// system, of which there are twenty per second; a killed run loses this much.
static const double WRITE_EVERY = 0.05;

const char *const tn_result_files[TN_RESULT_FILES] = {
    TN_JOURNAL_FILE, TN_CHECKPOINT_FILE, "result.h5", "result.csv", "summary.json", "report.html"};

tn_record_options tn_default_record(void)
{
    return (tn_record_options){.hdf5 = tn_export_available(), .csv = !tn_export_available()};
}

tn_status tn_sink_fail(tn_sink *sink, const char *reason)
{
    sink->failed = true;
    return tn_fail(TN_ERR_FILE, "cannot write %s: %s; rows saved: %ld", sink->path, reason,
                   sink->saved);
}

// The folder -------------------------------------------------------------------------------------

static tn_status make_folder(const char *directory, bool *made)
{
    struct stat info;
    *made = mkdir(directory, 0777) == 0;
    if (*made)
        return TN_OK;
    const int error = errno;
    if (stat(directory, &info) != 0)
        return tn_fail(TN_ERR_FILE, "cannot create the folder %s: %s", directory, strerror(error));
    if (!S_ISDIR(info.st_mode))
        return tn_fail(TN_ERR_FILE, "cannot write results to %s: it is a file, not a folder",
                       directory);
    return TN_OK;
}

// Old results are refused, or may be replaced when they are plain files.
static tn_status look_at_old_results(tn_record *record)
{
    for (int i = 0; i < TN_RESULT_FILES; i++) {
        if (!tn_folder_has(record->directory, tn_result_files[i]))
            continue;
        record->waiting = true;
        if (!record->options.overwrite)
            return tn_fail(TN_ERR_USAGE,
                           "%s holds results already (%s); choose another folder or overwrite them",
                           record->directory, tn_result_files[i]);
        char *path = tn_format("%s/%s", record->directory, tn_result_files[i]);
        tn_status s = tn_got(path);
        TN_THEN(s, tn_target_check(path));
        tn_free(path);
        TN_TRY(s);
    }
    return TN_OK;
}

// Returns true if the file belongs to this run, as the one from which it goes on does.
static bool is_written(const tn_record *record, const char *file)
{
    if (record->from && strcmp(file, TN_CHECKPOINT_FILE) == 0)
        return true;
    for (int i = 0; i < record->nsink; i++)
        if (strcmp(record->sink[i]->ops->file, file) == 0)
            return true;
    return false;
}

// Results of an earlier run beside those of this one would be read as if they belonged together.
static tn_status remove_old_results(const tn_record *record)
{
    for (int i = 0; i < TN_RESULT_FILES; i++) {
        if (is_written(record, tn_result_files[i]))
            continue;
        char *path = tn_format("%s/%s", record->directory, tn_result_files[i]);
        TN_TRY(tn_got(path));
        const bool failed = unlink(path) != 0 && errno != ENOENT;
        if (failed)
            tn_fail(TN_ERR_FILE, "cannot remove the old results %s: %s", path, strerror(errno));
        tn_free(path);
        if (failed)
            return TN_ERR_FILE;
    }
    return TN_OK;
}

// Opening ----------------------------------------------------------------------------------------

// Goes on behind a mark, or begins where it is NULL.
static tn_status open_sink(tn_record *record, const tn_sink_ops *ops, const tn_record_mark *from)
{
    const char *d = record->directory;
    tn_sink *sink = tn_alloc(ops->size);
    TN_TRY(tn_got(sink));
    *sink = (tn_sink){.ops = ops,
                      .path = tn_format("%s/%s", d, ops->file),
                      .part = tn_format("%s/%s.part", d, ops->file),
                      .old = tn_format("%s/%s.old", d, ops->file)};
    if (!sink->path || !sink->part || !sink->old) {
        tn_sink_free(sink);
        return tn_got(false);
    }
    unlink(sink->part); // of a run that was killed; the folder is ours now
    const tn_status s = from ? ops->resume(sink, from) : ops->create(sink, record);
    if (s != TN_OK) {
        unlink(sink->part);
        sink->failed = true;
        ops->close(sink, record, NULL);
        return s;
    }
    record->sink[record->nsink++] = sink;
    return TN_OK;
}

// Gives the complete files their names; a second name of the old ones brings these back when that
// fails half-way.
static tn_status take_over(const tn_record *record)
{
    int done = 0, error = 0;
    for (int i = 0; i < record->nsink; i++) {
        unlink(record->sink[i]->old);
        (void)!link(record->sink[i]->path, record->sink[i]->old);
    }
    while (done < record->nsink && !error) {
        error = rename(record->sink[done]->part, record->sink[done]->path) != 0 ? errno : 0;
        done += !error;
    }
    for (int i = 0; i < done && error; i++)
        if (rename(record->sink[i]->old, record->sink[i]->path) != 0)
            unlink(record->sink[i]->path); // there was none
    for (int i = 0; i < record->nsink; i++)
        unlink(record->sink[i]->old);
    return error ? tn_fail(TN_ERR_FILE, "cannot write %s: %s", record->sink[done]->path,
                           strerror(error))
                 : TN_OK;
}

void tn_sink_free(tn_sink *sink)
{
    TN_FREE(sink->path, sink->part, sink->old, sink);
}

static void close_sinks_without_complaint(tn_record *record)
{
    for (int i = 0; i < record->nsink; i++) {
        record->sink[i]->failed = true;
        unlink(record->sink[i]->part); // when it has not got its name
        record->sink[i]->ops->close(record->sink[i], record, NULL);
    }
    record->nsink = 0;
}

static void destroy_record(tn_record *record)
{
    tn_folder_unlock(record->lock);
    tn_free(record->block);
    tn_checksums_free(&record->checksums);
    TN_FREE(record->model_path, record->method, record->directory);
    tn_model_release(record->model);
    tn_free(record);
}

// If old ones cannot be removed, new rows stay: a journal counts more than they do.
static tn_status replace_old_results(tn_record *record)
{
    const bool has_rows = record->waiting;
    TN_TRY(take_over(record));
    record->waiting = false;
    const tn_status s = remove_old_results(record);
    for (int i = 0; i < record->nsink && s != TN_OK && !has_rows; i++)
        unlink(record->sink[i]->path);
    return s;
}

static tn_status open_files(tn_record *record)
{
    TN_TRY(open_sink(record, &tn_sink_journal, NULL));
    if (record->options.csv)
        TN_TRY(open_sink(record, &tn_sink_csv, NULL));
    return record->waiting ? TN_OK : replace_old_results(record);
}

// Going on ---------------------------------------------------------------------------------------

// While it is opened; at the end it is asked by those who make result.h5.
static tn_status check_request_to_stop(const tn_record *record)
{
    const tn_record_options *o = &record->options;
    const bool stops = record->from && o->give_up && o->give_up(o->user);
    return stops ? tn_fail(TN_ERR_STOPPED, "stopped on request") : TN_OK;
}

// Reads some rows of a journal into the places of gathered ones, all channels or only the first,
// which verifies their checksums too.
static tn_status read_rows(tn_record *record, tn_journal *journal, long first, long n, int channels)
{
    for (int k = 0; k < channels; k++)
        TN_TRY(tn_journal_read(journal, k, first, n, -1, record->gathered[k]));
    return check_request_to_stop(record);
}

static long rows_at_once(const tn_record *record, long left)
{
    return left < record->capacity ? left : record->capacity;
}

static tn_status check_rows(tn_record *record, tn_journal *journal, const char *path, long rows,
                            bool by_sums)
{
    bool fits = journal->channels.count == record->list.nchannel;
    for (int k = 0; k < record->list.nchannel && fits; k++)
        fits = tn_journal_channel_width(journal, k) == record->list.channel[k].size;
    if (!fits)
        return tn_fail(TN_ERR_FILE, "%s is of another model", path);
    if (journal->rows < rows)
        return tn_fail(TN_ERR_FILE, "%s has %ld rows of %ld that were written", path, journal->rows,
                       rows);
    const tn_record_mark *from = record->from;
    if (from && (journal->rows != rows || journal->good != from->journal ||
                 journal->sequence != from->sequence))
        return tn_fail(TN_ERR_FILE, "%s has no block that ends where its checkpoint says", path);
    for (long first = 0; first < rows && by_sums; first += record->capacity)
        TN_TRY(read_rows(record, journal, first, rows_at_once(record, rows - first), 1));
    return TN_OK;
}

// A journal in which all these rows are, by their checksums or only by their number; of a run that
// goes on up to there.
static tn_status open_verified(tn_record *record, const char *path, long rows, bool by_sums,
                               tn_journal **out)
{
    TN_TRY(tn_journal_open_part(path, record->from ? record->from->journal : INT64_MAX, out));
    const tn_status s = check_rows(record, *out, path, rows, by_sums);
    if (s != TN_OK) {
        tn_journal_free(*out);
        *out = NULL;
    }
    return s;
}

// Writes a file anew that has the same rows as another one, which has the checksums.
static tn_status remake(tn_record *record, const tn_sink_ops *ops, tn_journal *journal)
{
    const long rows = record->from->rows;
    TN_TRY(open_sink(record, ops, NULL));
    tn_sink *sink = record->sink[record->nsink - 1];
    tn_status s = tn_target_check(sink->path);
    for (long first = 0; first < rows && s == TN_OK; first += record->capacity) {
        record->count = (int)rows_at_once(record, rows - first);
        s = read_rows(record, journal, first, record->count, record->list.nchannel);
        TN_THEN(s, ops->append(sink, record));
    }
    record->count = 0;
    if (s == TN_OK && rename(sink->part, sink->path) != 0)
        s = tn_fail(TN_ERR_FILE, "cannot write %s: %s", sink->path, strerror(errno));
    return s;
}

// The journal is cut last: until then nothing of the run is touched.
static tn_status resume_sinks(tn_record *record, tn_journal *journal)
{
    if (record->options.csv)
        TN_TRY(remake(record, &tn_sink_csv, journal));
    TN_TRY(open_sink(record, &tn_sink_journal, record->from));
    tn_sink *last = record->sink[record->nsink - 1]; // the journal is the first
    record->sink[record->nsink - 1] = record->sink[0];
    record->sink[0] = last;
    return TN_OK;
}

static tn_status resume_rows(tn_record *record)
{
    tn_journal *journal = NULL;
    char *path = tn_format("%s/" TN_JOURNAL_FILE, record->directory);
    tn_status s = path ? tn_target_check(path) : tn_got(false);
    TN_THEN(s, open_verified(record, path, record->from->rows, true, &journal));
    if (s == TN_ERR_FILE)
        s = tn_fail_within(s, "the run in %s cannot go on; repeat it", record->directory);
    TN_THEN(s, resume_sinks(record, journal));
    tn_journal_free(journal);
    tn_free(path);
    return s;
}

static tn_status resume_files(tn_record *record)
{
    record->rows = record->from->rows;
    record->last_steps = record->from->last_steps;
    record->last_time = record->from->last_time;
    record->last_end = record->from->last_end;
    TN_TRY(tn_folder_lock(record->directory, &record->lock));
    TN_TRY(resume_rows(record));
    return remove_old_results(record);
}

static tn_status open_record(tn_record *record, bool *made)
{
    TN_TRY(tn_record_layout(record));
    if (record->from)
        return resume_files(record);
    TN_TRY(make_folder(record->directory, made));
    TN_TRY(tn_folder_lock(record->directory, &record->lock));
    TN_TRY(look_at_old_results(record));
    return open_files(record);
}

static tn_status check_options(const char *directory, const tn_record_options *options)
{
    if (!directory || !directory[0])
        return tn_fail(TN_ERR_USAGE, "results: the folder has no name");
    if (!options->hdf5 && !options->csv)
        return tn_fail(TN_ERR_USAGE, "%s: neither HDF5 nor CSV results are asked for", directory);
    if (options->hdf5 && !tn_export_available())
        return tn_fail(TN_ERR_USAGE,
                       "cannot write %s/result.h5: this Tenon was built without HDF5; record CSV, "
                       "or build with -DTENON_HDF5=ON",
                       directory);
    return TN_OK;
}

tn_status tn_record_create(const char *directory, tn_sim *sim, const tn_record_options *options,
                           tn_record **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, directory, sim, out);
    return tn_record_resume(directory, sim, options, NULL, out);
}

tn_status tn_record_resume(const char *directory, tn_sim *sim, const tn_record_options *options,
                           const tn_record_mark *from, tn_record **out)
{
    const tn_record_options chosen = options ? *options : tn_default_record();
    bool made = false;
    *out = NULL;
    TN_TRY(check_options(directory, &chosen));
    tn_record *record = tn_alloc(sizeof(*record));
    TN_TRY(tn_got(record));
    record->lock = -1;
    record->from = from;
    record->options = chosen;
    record->model = tn_model_hold(tn_sim_model(sim));
    record->sim = sim;
    record->model_path = tn_strdup(chosen.model_path ? chosen.model_path : "");
    record->method = tn_strdup(tn_sim_method(sim));
    record->directory = tn_strdup(directory);
    record->written = tn_wall_time();
    const bool named = record->model_path && record->method && record->directory;
    const tn_status s = named ? open_record(record, &made) : tn_got(false);
    if (s != TN_OK) {
        close_sinks_without_complaint(record);
        if (made)
            rmdir(directory);
        destroy_record(record);
        return s;
    }
    record->from = NULL;
    *out = record;
    return TN_OK;
}

// Rows -------------------------------------------------------------------------------------------

// Hands the gathered rows to every file that still takes them.
static tn_status write_rows(tn_record *record)
{
    tn_status status = TN_OK;
    for (int i = 0; i < record->nsink; i++) {
        tn_sink *sink = record->sink[i];
        const tn_status s = sink->failed ? TN_OK : sink->ops->append(sink, record);
        if (s != TN_OK)
            status = s;
    }
    if (status == TN_OK && record->waiting && record->count > 0) {
        status = replace_old_results(record);
        record->sink[0]->failed |= status != TN_OK; // no more rows
    }
    record->failed |= status != TN_OK;
    record->count = 0;
    record->written = tn_wall_time();
    return status;
}

// A failure was explained when it happened; rows that come later are refused all the same.
static tn_status refuse_after_failure(const tn_record *record)
{
    for (int i = 0; i < record->nsink; i++)
        if (record->sink[i]->failed)
            return tn_fail(TN_ERR_FILE,
                           "%s takes no more rows after a failed write; rows saved: %ld",
                           record->sink[i]->path, record->sink[i]->saved);
    return TN_OK;
}

static bool is_late(const tn_record *record)
{
    return tn_wall_time() - record->written >= WRITE_EVERY;
}

tn_status tn_record_row(tn_record *record, tn_sim *sim)
{
    TN_NEED_ALL(TN_ERR_USAGE, record, sim);
    tn_record_gather(record, sim);
    if (record->count == record->capacity || record->waiting || is_late(record))
        TN_TRY(write_rows(record));
    return refuse_after_failure(record);
}

tn_status tn_record_tick(tn_record *record)
{
    return record->count > 0 && is_late(record) ? write_rows(record) : TN_OK;
}

tn_status tn_record_flush(tn_record *record)
{
    TN_NEED(record, TN_ERR_USAGE);
    TN_TRY(write_rows(record));
    return refuse_after_failure(record);
}

tn_status tn_record_mark_now(tn_record *record, tn_record_mark *out)
{
    TN_TRY(tn_record_flush(record));
    *out = (tn_record_mark){.rows = record->rows,
                            .last_steps = record->last_steps,
                            .last_time = record->last_time,
                            .last_end = record->last_end};
    for (int i = 0; i < record->nsink; i++)
        if (record->sink[i]->ops->mark)
            record->sink[i]->ops->mark(record->sink[i], out);
    return TN_OK;
}

// Closing ----------------------------------------------------------------------------------------

// Writes what a record knows of a run, with the checksums of result.h5, for callers without a
// summary of their own.
static tn_status put_summary(const tn_record *record, const char *outcome, const char *path)
{
    const char *colon = strstr(outcome, ": ");
    char status[32];
    tn_json *json = NULL;
    snprintf(status, sizeof(status), "%.*s", colon ? (int)(colon - outcome) : 31, outcome);
    TN_TRY(tn_json_create(&json));
    tn_json_put(json, "{ tenon %s status %s", tn_version(), status);
    if (colon)
        tn_json_string(json, "reason", colon + 2);
    tn_json_put(json, "model %s results %s method %s time %g", record->model_path,
                record->directory, record->method, record->last_time);
    tn_checksums_json(&record->checksums, json);
    tn_summary_sign(json);
    tn_json_end_object(json);
    tn_status s = tn_json_finish(json);
    TN_THEN(s, tn_target_write(path, tn_json_text(json), strlen(tn_json_text(json))));
    tn_json_destroy(json);
    return s;
}

typedef struct h5_names {
    char *journal, *path, *part, *summary;
} h5_names;

static bool name_h5(const tn_record *record, h5_names *n)
{
    const char *d = record->directory;
    *n = (h5_names){tn_format("%s/" TN_JOURNAL_FILE, d), tn_format("%s/result.h5", d),
                    tn_format("%s/result.h5.part", d), tn_format("%s/summary.json", d)};
    return n->journal && n->path && n->part && n->summary;
}

// Verifies the rows before it reports on them, as far as one who wants to stop waits for it.
static tn_status explain_missing_h5(tn_record *record, const h5_names *n, tn_status s)
{
    tn_journal *journal = NULL;
    char *reason = tn_strdup(tn_last_error());
    const char *why = reason ? reason : tn_status_text(s);
    const tn_status found =
        open_verified(record, n->journal, record->rows, s != TN_ERR_STOPPED, &journal);
    record->lost = found == TN_ERR_FILE; // a failure of another kind says nothing about the rows
    if (found == TN_OK)
        s = tn_fail(s, "cannot write %s: %s; all rows are in %s, which report, plot and view read",
                    n->path, why, n->journal);
    else if (record->lost)
        s = tn_fail_within(s, "cannot write %s: %s; and rows are lost", n->path, why);
    else
        s = tn_fail_within(s, "cannot write %s: %s; and the rows in %s were not verified", n->path,
                           why, n->journal);
    tn_journal_free(journal);
    tn_free(reason);
    return s;
}

// A run that was stopped may go on: it keeps its journal.
static tn_status make_h5(tn_record *record, const char *outcome, const h5_names *n)
{
    const tn_export job = {n->journal, n->part, record->options.give_up, record->options.user};
    tn_status s = tn_export_hdf5(&job, &record->checksums);
    if (s == TN_OK && rename(n->part, n->path) != 0) {
        s = tn_fail(TN_ERR_FILE, "%s", strerror(errno));
        unlink(n->part);
    }
    if (s != TN_OK) {
        tn_checksums_free(&record->checksums);
        return explain_missing_h5(record, n, s);
    }
    s = put_summary(record, outcome, n->summary);
    if (s == TN_OK && strcmp(outcome, "stopped") != 0)
        unlink(n->journal);
    return s;
}

static tn_status finish_h5(tn_record *record, const char *outcome)
{
    h5_names n;
    const tn_status s = name_h5(record, &n) ? make_h5(record, outcome, &n) : tn_got(false);
    TN_FREE(n.journal, n.path, n.part, n.summary);
    return s;
}

tn_status tn_record_finish(tn_record *record, const char *outcome)
{
    if (!record || record->nsink == 0)
        return TN_OK;
    const bool failed = record->failed;
    tn_status status = write_rows(record);
    if (record->waiting && status == TN_OK && !failed)
        status = replace_old_results(record); // by a run without rows
    if (record->waiting) { // nothing of this run could be written: the old results stay
        close_sinks_without_complaint(record);
        return status;
    }
    for (int i = 0; i < record->nsink; i++) {
        const tn_status s =
            record->sink[i]->ops->close(record->sink[i], record, outcome ? outcome : "done");
        if (s != TN_OK)
            status = s;
    }
    record->nsink = 0;
    if (record->options.hdf5) {
        const tn_status s = finish_h5(record, outcome ? outcome : "done");
        if (s != TN_OK && !failed)
            status = s;
    }
    return status;
}

tn_status tn_record_close(tn_record *record, const char *outcome)
{
    if (!record)
        return TN_OK;
    const tn_status status = tn_record_finish(record, outcome);
    destroy_record(record);
    return status;
}

void tn_record_drop(tn_record *record)
{
    if (!record)
        return;
    close_sinks_without_complaint(record);
    destroy_record(record);
}
