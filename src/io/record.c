// SPDX-License-Identifier: MIT
//
// Results of a run in a folder: the front that keeps the folder, gathers rows and hands them in
// blocks to the files, result.h5 and result.csv.

#include "io/record.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double FLUSH_EVERY = 2.0; // wall time that a killed run may lose [s]

// What a folder of results holds; the summary and the report are written by the command line.
static const char *const result_files[] = {"result.h5", "result.csv", "summary.json",
                                           "report.html"};

tn_record_options tn_default_record(void)
{
    return (tn_record_options){.hdf5 = tn_sink_hdf5.available, .csv = !tn_sink_hdf5.available};
}

tn_status tn_sink_fail(tn_sink *sink, const char *reason)
{
    sink->failed = true;
    return tn_fail(TN_ERR_FILE, "cannot write %s: %s; rows saved: %ld", sink->path, reason,
                   sink->saved);
}

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

static tn_status refuse_old_results(const char *directory)
{
    struct stat info;
    for (int i = 0; i < TN_COUNT(result_files); i++) {
        char *path = tn_format("%s/%s", directory, result_files[i]);
        if (!path)
            return tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
        const bool there = lstat(path, &info) == 0;
        tn_free(path);
        if (there)
            return tn_fail(TN_ERR_USAGE,
                           "%s holds results already (%s); choose another folder or overwrite them",
                           directory, result_files[i]);
    }
    return TN_OK;
}

static bool is_written(const tn_record *record, const char *file)
{
    for (int i = 0; i < record->nsink; i++)
        if (strcmp(record->sink[i]->ops->file, file) == 0)
            return true;
    return false;
}

// Results of an earlier run beside those of this one would be read as if they belonged together.
static tn_status remove_old_results(const tn_record *record)
{
    for (int i = 0; i < TN_COUNT(result_files); i++) {
        if (is_written(record, result_files[i]))
            continue;
        char *path = tn_format("%s/%s", record->directory, result_files[i]);
        if (!path)
            return tn_fail(TN_ERR_MEMORY, "%s: out of memory", record->directory);
        const bool failed = unlink(path) != 0 && errno != ENOENT;
        if (failed)
            tn_fail(TN_ERR_FILE, "cannot remove the old results %s: %s", path, strerror(errno));
        tn_free(path);
        if (failed)
            return TN_ERR_FILE;
    }
    return TN_OK;
}

static tn_status open_file(tn_record *record, const tn_sink_ops *ops)
{
    if (!ops->available)
        return tn_fail(TN_ERR_USAGE,
                       "cannot write %s/%s: this Tenon was built without HDF5; record CSV, or "
                       "build with -DTENON_HDF5=ON",
                       record->directory, ops->file);
    char *path = tn_format("%s/%s", record->directory, ops->file);
    if (!path)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", record->directory);
    tn_sink *sink = NULL;
    const tn_status s = ops->create(record, path, &sink);
    tn_free(path);
    if (s == TN_OK)
        record->sink[record->nsink++] = sink;
    return s;
}

static void destroy(tn_record *record)
{
    tn_free(record->block);
    tn_free(record->directory);
    tn_free(record);
}

// Leaves no half of a result behind: files that were opened go, and the folder if it was made here.
static void abandon(tn_record *record, bool made)
{
    for (int i = 0; i < record->nsink; i++) {
        tn_sink *sink = record->sink[i];
        unlink(sink->path);
        sink->failed = true; // close without complaint
        sink->ops->close(sink, "failed");
    }
    if (made)
        rmdir(record->directory);
    destroy(record);
}

static tn_status open_record(tn_record *record, const tn_record_options *options, bool *made)
{
    TN_TRY(tn_record_layout(record));
    TN_TRY(make_folder(record->directory, made));
    if (!options->overwrite)
        TN_TRY(refuse_old_results(record->directory));
    if (options->hdf5)
        TN_TRY(open_file(record, &tn_sink_hdf5));
    if (options->csv)
        TN_TRY(open_file(record, &tn_sink_csv));
    return remove_old_results(record);
}

tn_status tn_record_create(const char *directory, const tn_model *model, const tn_sim *sim,
                           const tn_record_options *options, tn_record **out)
{
    const tn_record_options chosen = options ? *options : tn_default_record();
    bool made = false;

    *out = NULL;
    if (!directory || !directory[0])
        return tn_fail(TN_ERR_USAGE, "results: the folder has no name");
    if (!chosen.hdf5 && !chosen.csv)
        return tn_fail(TN_ERR_USAGE, "%s: neither HDF5 nor CSV results are asked for", directory);
    tn_record *record = tn_alloc(sizeof(*record));
    if (!record)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
    record->model = model;
    record->sim = sim;
    record->model_path = chosen.model_path ? chosen.model_path : "";
    record->directory = tn_strdup(directory);
    record->flushed = tn_wall_time();
    const tn_status s = record->directory ? open_record(record, &chosen, &made)
                                          : tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
    if (s != TN_OK) {
        abandon(record, made);
        return s;
    }
    *out = record;
    return TN_OK;
}

// Hands the gathered rows to every file that still takes them.
static tn_status write_rows(tn_record *record, bool durable)
{
    tn_status status = TN_OK;
    for (int i = 0; i < record->nsink; i++) {
        tn_sink *sink = record->sink[i];
        const tn_status s = sink->failed ? TN_OK : sink->ops->append(sink, record, durable);
        if (s != TN_OK)
            status = s;
    }
    record->count = 0;
    if (durable)
        record->flushed = tn_wall_time();
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

tn_status tn_record_row(tn_record *record, const tn_sim *sim)
{
    tn_record_gather(record, sim);
    const bool late = tn_wall_time() - record->flushed >= FLUSH_EVERY;
    if (record->count == record->capacity || late)
        TN_TRY(write_rows(record, late));
    return refuse_after_failure(record);
}

tn_status tn_record_flush(tn_record *record)
{
    TN_TRY(write_rows(record, true));
    return refuse_after_failure(record);
}

tn_status tn_record_close(tn_record *record, const char *outcome)
{
    if (!record)
        return TN_OK;
    tn_status status = write_rows(record, true);
    for (int i = 0; i < record->nsink; i++) {
        const tn_status s =
            record->sink[i]->ops->close(record->sink[i], outcome ? outcome : "done");
        if (s != TN_OK)
            status = s;
    }
    destroy(record);
    return status;
}
