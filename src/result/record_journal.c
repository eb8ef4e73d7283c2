// SPDX-License-Identifier: MIT
//
// The journal of a record: its head out of the model and the simulation, rows as they come.

#include "base/alloc.h"
#include "file/yaml_text.h"
#include "model/model.h"
#include "result/journal.h"
#include "result/record.h"
#include "result/scene.h"
#include "result/stored_model.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FORMAT_VERSION = 1 };

typedef struct journal_sink {
    tn_sink base;
    tn_journal_writer to;
} journal_sink;

// The head ---------------------------------------------------------------------------------------

// Which name a list of texts takes from a column of a channel.
typedef enum column_part { OWNER, COMPONENT, UNIT, JOINT_KIND } column_part;

static tn_status put_columns(tn_head *head, const tn_record *record, const char *channel,
                             const char *path, column_part part)
{
    const tn_channel *c = record->list.channel;
    while (strcmp(c->kind->path, channel) != 0)
        c++;
    const char **texts = tn_alloc((size_t)(c->owners + 1) * sizeof(*texts));
    TN_TRY(tn_got(texts));
    for (int i = 0; i < c->owners; i++) {
        const tn_column column = tn_channel_column(record->sim, c, i * c->kind->ncomponent);
        texts[i] = part == OWNER        ? column.owner
                   : part == COMPONENT  ? column.component
                   : part == JOINT_KIND ? tn_model_joint_kind_name(record->model, (tn_joint){i})
                                        : column.unit;
    }
    const tn_status s = tn_head_texts(head, path, c->owners, texts);
    tn_free(texts);
    return s;
}

static tn_status put_unique(tn_head *head, const tn_record *record)
{
    const int *offset = record->list.offset[TN_OWNER_ROW], rows = offset[record->list.njoint];
    char *unique = tn_alloc((size_t)rows + 1);
    TN_TRY(tn_got(unique));
    for (int j = 0; j < record->list.njoint; j++) {
        double lambda[TN_JOINT_MAX_ROWS];
        bool flags[TN_JOINT_MAX_ROWS];
        const int n = tn_sim_joint_multipliers(record->sim, (tn_joint){j}, lambda, flags);
        for (int i = 0; i < n; i++)
            unique[offset[j] + i] = flags[i];
    }
    const tn_status s = tn_head_put(head, TN_ENTRY_FLAGS, "joints/row_unique", (uint32_t)rows,
                                    unique, (size_t)rows);
    tn_free(unique);
    return s;
}

static tn_status put_ints(tn_head *head, const char *path, int n, const int *values)
{
    _Static_assert(sizeof(int) == sizeof(int32_t), "the layout of the file");
    return tn_head_put(head, TN_ENTRY_INTS, path, (uint32_t)n, values, (size_t)n * sizeof(*values));
}

// The owners of what only some elements have, and their units where these differ.
static tn_status put_owners(tn_head *head, const tn_record *record)
{
    for (int k = 0; k < record->list.nchannel; k++) {
        const tn_quantity_kind *kind = record->list.channel[k].kind;
        char names[64], units[64], components[64];
        if (!tn_owner_is_listed(kind->owner))
            continue;
        snprintf(names, sizeof names, "%s_names", kind->path);
        snprintf(units, sizeof units, "%s_units", kind->path);
        snprintf(components, sizeof components, "%s_components", kind->path);
        TN_TRY(put_columns(head, record, kind->path, names, OWNER));
        if (strcmp(kind->unit, "mixed") == 0)
            TN_TRY(put_columns(head, record, kind->path, units, UNIT));
        if (tn_owner_names_parts(kind->owner))
            TN_TRY(put_columns(head, record, kind->path, components, COMPONENT));
    }
    return TN_OK;
}

static tn_status put_names(tn_head *h, const tn_record *record)
{
    const tn_channels *list = &record->list;
    const int n = list->njoint + 1;
    TN_TRY(put_columns(h, record, "bodies/position", "bodies/names", OWNER));
    TN_TRY(put_columns(h, record, "joints/force", "joints/names", OWNER));
    TN_TRY(put_columns(h, record, "joints/force", "joints/kinds", JOINT_KIND));
    TN_TRY(put_columns(h, record, "joints/coordinates", "joints/coordinate_names", COMPONENT));
    TN_TRY(put_columns(h, record, "joints/coordinates", "joints/coordinate_units", UNIT));
    TN_TRY(put_columns(h, record, "joints/rates", "joints/rate_units", UNIT));
    TN_TRY(put_columns(h, record, "joints/lambda", "joints/row_names", COMPONENT));
    TN_TRY(put_columns(h, record, "joints/lambda", "joints/row_units", UNIT));
    TN_TRY(put_unique(h, record));
    TN_TRY(put_owners(h, record));
    TN_TRY(put_ints(h, "joints/coordinate_offset", n, list->offset[TN_OWNER_COORDINATE]));
    return put_ints(h, "joints/row_offset", n, list->offset[TN_OWNER_ROW]);
}

// The texts of the files that the model file includes.
static tn_status put_files(tn_head *head, const char *path)
{
    char *files = NULL;
    TN_TRY(tn_model_files_json(path, &files));
    const tn_status s = files ? tn_head_text(head, TN_ENTRY_TEXT, "model/files", files) : TN_OK;
    tn_free(files);
    return s;
}

// The text of the model file. A model that was made by calls has none; a file that is gone by now,
// or a pipe that was read already, is no reason to fail.
static tn_status put_source(tn_head *head, const char *path)
{
    struct stat info;
    char *source = NULL;
    size_t length = 0;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return TN_OK;
    tn_status s = tn_yaml_text_read(path, &source, &length);
    if (s == TN_OK) {
        s = tn_head_text(head, TN_ENTRY_TEXT, "model/source", source);
        TN_THEN(s, put_files(head, path));
    } else if (s != TN_ERR_MEMORY) {
        tn_clear_error();
        s = TN_OK;
    }
    tn_free(source);
    return s;
}

// Stores the look of the model and the text of its file, for reports that are made later.
static tn_status put_model(tn_head *head, const tn_record *record)
{
    char *scene = NULL, *parameters = NULL;
    TN_TRY(put_names(head, record));
    TN_TRY(tn_scene_json(record->model, record->model_path, &scene));
    tn_status s = tn_head_text(head, TN_ENTRY_TEXT, "scene", scene);
    tn_free(scene);
    TN_THEN(s, tn_model_parameters_json(record->model, &parameters));
    TN_THEN(s, tn_head_text(head, TN_ENTRY_TEXT, "model/parameters", parameters));
    tn_free(parameters);
    return s;
}

static tn_status put_channel(tn_head *head, const tn_channel *c)
{
    const tn_quantity_kind *kind = c->kind;
    const bool several = kind->ncomponent > 1;
    char data[256];
    const tn_entry_channel shape = {
        .rank = 1u + (kind->owner != TN_OWNER_RUN) + several,
        .ncomponent = (uint32_t)kind->ncomponent,
    };
    memcpy(data, &shape, sizeof(shape));
    char *to = stpcpy(data + sizeof(shape), kind->unit) + 1;
    to = stpcpy(to, kind->frame ? kind->frame : "") + 1;
    for (int i = 0; i < kind->ncomponent && several; i++)
        to = stpcpy(to, kind->components[i]) + 1;
    return tn_head_put(head, TN_ENTRY_CHANNEL, kind->path, (uint32_t)c->owners, data,
                       (size_t)(to - data));
}

static tn_status put_head(tn_head *head, const tn_record *record)
{
    TN_TRY(put_ints(head, "version", 1, &(const int){FORMAT_VERSION}));
    TN_TRY(tn_head_text(head, TN_ENTRY_ATTRIBUTE, "format", "tenon-result"));
    TN_TRY(tn_head_text(head, TN_ENTRY_ATTRIBUTE, "tenon_version", tn_version()));
    TN_TRY(tn_head_text(head, TN_ENTRY_ATTRIBUTE, "model", record->model_path));
    TN_TRY(tn_head_text(head, TN_ENTRY_ATTRIBUTE, "method", record->method));
    if (record->model)
        TN_TRY(put_model(head, record));
    TN_TRY(put_source(head, record->model_path));
    for (int k = 0; k < record->list.nchannel; k++)
        TN_TRY(put_channel(head, &record->list.channel[k]));
    return TN_OK;
}

// Rows -------------------------------------------------------------------------------------------

// Some of the gathered rows as one block; 0 or an errno.
static int append_rows(journal_sink *s, const tn_record *record, int first, int count)
{
    const tn_journal_rows_head front = {(uint64_t)s->base.saved, (uint32_t)count,
                                        (uint32_t)record->list.width};
    tn_bytes parts[TN_MOST_CHANNELS + 1] = {{&front, sizeof(front)}};
    for (int k = 0; k < record->list.nchannel; k++) {
        const tn_channel *c = &record->list.channel[k];
        const size_t row = (size_t)c->size * sizeof(double);
        parts[k + 1] =
            (tn_bytes){record->gathered[k] + (size_t)first * (size_t)c->size, (size_t)count * row};
    }
    const int error = tn_journal_append(&s->to, TN_JOURNAL_ROWS, record->list.nchannel + 1, parts);
    if (!error)
        s->base.saved += count;
    return error;
}

// Tries blocks of half the size if one is too large for the rest of a disk: a part may fit.
static tn_status journal_append(tn_sink *sink, const tn_record *record)
{
    journal_sink *s = (journal_sink *)sink;
    int first = 0, size = record->count, error = 0;
    sink->rows += record->count;
    while (size > 0 && first < record->count) {
        const int left = record->count - first, count = size < left ? size : left;
        const int failed = append_rows(s, record, first, count);
        if (failed) {
            error = failed;
            size = count / 2;
        } else {
            first += count;
        }
    }
    return error ? tn_sink_fail(sink, strerror(error)) : TN_OK;
}

static tn_status append_marked(journal_sink *s, const tn_record *record, tn_journal_type type,
                               const void *bytes, size_t size)
{
    const tn_journal_mark mark = {(uint64_t)s->base.saved, record->last_time};
    const tn_bytes parts[] = {{&mark, sizeof(mark)}, {bytes, size}};
    const int error = tn_journal_append(&s->to, type, TN_COUNT(parts), parts);
    return error ? tn_sink_fail(&s->base, strerror(error)) : TN_OK;
}

// After a failed write the end may still find room: a block that did not fit was cut off.
static tn_status journal_close(tn_sink *sink, const tn_record *record, const char *outcome)
{
    journal_sink *s = (journal_sink *)sink;
    const bool failed = sink->failed;
    tn_status status = TN_OK;
    int error = 0;
    if (s->to.fd >= 0 && outcome)
        status = append_marked(s, record, TN_JOURNAL_END, outcome, strlen(outcome));
    if (status == TN_OK && s->to.fd >= 0 && outcome)
        error = tn_journal_sync(&s->to);
    const int close_error = tn_journal_close(&s->to);
    if (!error)
        error = close_error;
    if (error && status == TN_OK && !failed)
        status = tn_sink_fail(sink, strerror(error));
    tn_sink_free(sink);
    return failed ? TN_OK : status;
}

// Opening ----------------------------------------------------------------------------------------

static tn_status journal_create(tn_sink *sink, const tn_record *record)
{
    journal_sink *s = (journal_sink *)sink;
    tn_head head = {0};
    s->to.fd = -1;
    tn_status status = put_head(&head, record);
    int error = 0;
    if (status == TN_OK)
        error = tn_journal_create(sink->part, &s->to);
    if (status == TN_OK && !error) {
        const tn_bytes bytes = {head.text, head.length};
        error = tn_journal_append(&s->to, TN_JOURNAL_HEAD, 1, &bytes);
    }
    if (status == TN_OK && !error)
        error = tn_journal_sync(&s->to);
    tn_free(head.text);
    if (error)
        return tn_fail(TN_ERR_FILE, "cannot write %s: %s", sink->path, strerror(error));
    return status;
}

static void journal_mark(const tn_sink *sink, tn_record_mark *out)
{
    const journal_sink *s = (const journal_sink *)sink;
    out->journal = s->to.good;
    out->sequence = s->to.sequence;
}

static tn_status journal_resume(tn_sink *sink, const tn_record_mark *from)
{
    journal_sink *s = (journal_sink *)sink;
    sink->rows = sink->saved = from->rows;
    const int error = tn_journal_continue(sink->path, from->journal, from->sequence, &s->to);
    return error ? tn_fail(TN_ERR_FILE, "cannot go on with %s: %s", sink->path, strerror(error))
                 : TN_OK;
}

const tn_sink_ops tn_sink_journal = {
    .file = TN_JOURNAL_FILE,
    .size = sizeof(journal_sink),
    .create = journal_create,
    .append = journal_append,
    .close = journal_close,
    .mark = journal_mark,
    .resume = journal_resume,
};
