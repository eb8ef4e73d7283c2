// SPDX-License-Identifier: MIT
//
// Results of a run as channels with names. The kinds of channels are those that a record writes
// (sim/channels.c), their columns are named by the lists of the file.

#include "result/result.h"

#include "base/alloc.h"
#include "base/array.h"
#include "result/checksums.h"
#include "result/journal.h"
#include "result/record.h"
#include "result/result_file.h"
#include "text/printable.h"
#include "text/table.h"
#include "text/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    int count;
    char **at;
} texts;

typedef struct {
    int count;
    int *at;
} ints;

// The lists of texts of a file.
enum {
    BODIES,
    JOINTS,
    COORDINATE_NAMES,
    COORDINATE_UNITS,
    RATE_UNITS,
    ROW_NAMES,
    ROW_UNITS,
    SCENE,
    SOURCE,
    PARAMETERS,
    FILES,
    LISTS
};
static const char *const list_paths[LISTS] = {"bodies/names",
                                              "joints/names",
                                              "joints/coordinate_names",
                                              "joints/coordinate_units",
                                              "joints/rate_units",
                                              "joints/row_names",
                                              "joints/row_units",
                                              "scene",
                                              "model/source",
                                              "model/parameters",
                                              "model/files"};

// The lists beside a dataset: owners, and units and components, which may be missing.
enum { OWN_LISTS = 3 };
static const char *const own_lists[OWN_LISTS] = {"names", "units", "components"};

struct tn_result {
    tn_data_file *file;
    tn_result_info info;
    char *named, *path, *directory, *model, *method, *outcome, *version;
    long rows;
    bool sealed; // its checksums are right
    texts list[LISTS];
    ints coordinate_offset, row_offset;
    int time;            // dataset
    TN_ARRAY(texts) own; // lists of owners and units of single datasets
    TN_ARRAY(tn_result_dataset) datasets;
    TN_ARRAY(tn_data_table) tables; // by dataset
    TN_ARRAY(tn_result_channel) channels;
    TN_ARRAY(char *) names; // of channels
    TN_ARRAY(char *) warnings;
    tn_table *by_name, *twice; // the second channel of a name that two have
};

tn_status tn_result_warn(tn_result *r, const char *format, ...)
{
    char text[1024];
    TN_SENTENCE(text, format);
    for (int i = 0; i < r->warnings.count; i++)
        if (strcmp(r->warnings.at[i], text) == 0)
            return TN_OK;
    char *copy = tn_strdup(text);
    if (!copy || tn_array_push(&r->warnings, copy) != TN_OK) {
        tn_free(copy);
        return tn_got(false);
    }
    return TN_OK;
}

// A file whose checksums are right is whole: where HDF5 fails all the same, memory is short.
static tn_status report_memory(const tn_result *r, tn_status s)
{
    if (s != TN_ERR_FILE || !r->sealed)
        return s;
    return tn_fail_within(TN_ERR_MEMORY,
                          "cannot read %s, although its checksums are right: memory or file "
                          "handles are short",
                          r->path);
}

// Something of a file that can be done without: damage becomes a warning.
static tn_status forgive(tn_result *r, tn_status s)
{
    s = report_memory(r, s);
    if (s != TN_ERR_FILE)
        return s;
    return tn_result_warn(r, "%s", tn_last_error());
}

// Locations --------------------------------------------------------------------------------------

// A journal beside result.h5 counts more: it is that of a run that goes on, or of one that was
// stopped and may go on.
static tn_status find_in_folder(tn_result *r, const char *folder)
{
    const bool journal = tn_folder_has(folder, TN_JOURNAL_FILE);
    if (!journal && !tn_folder_has(folder, "result.h5"))
        return tn_fail(TN_ERR_FILE, "%s holds no result.h5; 'tenon run MODEL --out %s' writes one",
                       folder, folder);
    r->path = tn_format("%s/%s", folder, journal ? TN_JOURNAL_FILE : "result.h5");
    r->directory = tn_strdup(folder);
    return TN_OK;
}

static tn_status find_path(tn_result *r, const char *path)
{
    struct stat info;
    const bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    const char *slash = strrchr(path, '/');
    if (folder) {
        TN_TRY(find_in_folder(r, path));
    } else {
        r->path = tn_strdup(path);
        r->directory = slash ? tn_format("%.*s", slash > path ? (int)(slash - path) : 1, path)
                             : tn_strdup(".");
    }
    return tn_got(r->path && r->directory);
}

static tn_status check_checksums(const tn_result *r)
{
    tn_checksums checksums;
    TN_TRY(tn_checksums_find(r->directory, &checksums));
    const tn_status s =
        checksums.sums
            ? tn_checksums_verify(r->path, &checksums)
            : tn_fail(TN_ERR_FILE,
                      "%s: there are no checksums of it in %s/summary.json, so that damage "
                      "would not be noticed; --trust reads it all the same",
                      r->path, r->directory);
    tn_checksums_free(&checksums);
    return s;
}

static tn_status refuse_other_files(const tn_result *r)
{
    struct stat info;
    if (stat(r->path, &info) != 0)
        return tn_fail(TN_ERR_FILE, "cannot read %s: %s", r->path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return tn_fail(TN_ERR_FILE, "cannot read %s: it is no file", r->path);
    if (info.st_size == 0)
        return tn_fail(TN_ERR_FILE, "%s is empty", r->path);
    return TN_OK;
}

static tn_status check_signature(const tn_result *r)
{
    static const char signature[] = "\211HDF\r\n\032\n";
    char bytes[sizeof(signature)] = "";
    FILE *file = fopen(r->path, "rb");
    const bool read = file && fread(bytes, 1, sizeof(signature) - 1, file) > 0;
    if (file)
        fclose(file);
    if (!read)
        return tn_fail(TN_ERR_FILE, "cannot read %s: %s", r->path, strerror(errno));
    if (strcmp(bytes, signature) == 0)
        return TN_OK;
    return tn_fail(TN_ERR_FILE, "%s is no HDF5 file, or its beginning is damaged", r->path);
}

static tn_status result_open_file(tn_result *r, bool trust)
{
    TN_TRY(refuse_other_files(r));
    if (tn_journal_is_one(r->path)) {
        if (!trust)
            TN_TRY(tn_summary_check(r->directory));
        return tn_result_journal_open(r->path, &r->file);
    }
    TN_TRY(check_signature(r));
    if (!trust)
        TN_TRY(check_checksums(r));
    r->sealed = !trust;
    return report_memory(r, tn_data_remote_open(r->path, true, &r->file));
}

// Contents ---------------------------------------------------------------------------------------

// Names of a file that others have made may hold anything, and reach terminals.
static void make_printable(char *text)
{
    for (; text && *text; text++)
        for (int n = tn_control_bytes(text); n > 0; n--)
            text[n - 1] = '?';
}

static tn_status read_attributes(tn_result *r)
{
    const struct {
        const char *name;
        char **to;
    } known[] = {
        {"model", &r->model},
        {"method", &r->method},
        {"outcome", &r->outcome},
        {"tenon_version", &r->version},
    };
    tn_data_bytes text;
    TN_TRY(report_memory(r, r->file->ops->list(r->file, TN_DATA_ATTRIBUTE, "format", &text)));
    const bool ours = text.count > 0 && strcmp(text.at, "tenon-result") == 0;
    tn_free(text.at);
    if (!ours)
        return tn_fail(TN_ERR_FILE,
                       "%s holds no results of Tenon: its attribute 'format' is not "
                       "'tenon-result'",
                       r->path);
    for (int i = 0; i < TN_COUNT(known); i++) {
        TN_TRY(forgive(r, r->file->ops->list(r->file, TN_DATA_ATTRIBUTE, known[i].name, &text)));
        *known[i].to = text.at ? text.at : tn_strdup("");
        TN_TRY(tn_got(*known[i].to));
        make_printable(*known[i].to);
    }
    return TN_OK;
}

// Pointers to texts that stand one after the other, in one block with them.
static tn_status read_texts(tn_result *r, const char *path, texts *out)
{
    tn_data_bytes list;
    TN_TRY(r->file->ops->list(r->file, TN_DATA_TEXTS, path, &list));
    if (list.count == 0) {
        tn_free(list.at);
        return TN_OK;
    }
    const size_t pointers = (size_t)list.count * sizeof(char *);
    out->at = tn_alloc(pointers + list.size);
    char *to = out->at ? memcpy((char *)out->at + pointers, list.at, list.size) : NULL;
    tn_free(list.at);
    TN_TRY(tn_got(out->at));
    for (out->count = 0; out->count < list.count; to += strlen(to) + 1)
        out->at[out->count++] = to;
    return TN_OK;
}

static tn_status read_ints(tn_result *r, const char *path, ints *out)
{
    tn_data_bytes list;
    TN_TRY(forgive(r, r->file->ops->list(r->file, TN_DATA_INTS, path, &list)));
    *out = (ints){list.count, (int *)(void *)list.at}; // memory of tn_alloc fits any type
    return TN_OK;
}

static tn_status read_lists(tn_result *r)
{
    for (int i = 0; i < LISTS; i++) {
        TN_TRY(forgive(r, read_texts(r, list_paths[i], &r->list[i])));
        for (int k = 0; i < SCENE && k < r->list[i].count; k++)
            make_printable(r->list[i].at[k]);
    }
    TN_TRY(read_ints(r, "joints/coordinate_offset", &r->coordinate_offset));
    return read_ints(r, "joints/row_offset", &r->row_offset);
}

// Channels ---------------------------------------------------------------------------------------

static const char *text_at(const tn_result *r, int list, int i, const char *otherwise)
{
    return i >= 0 && i < r->list[list].count ? r->list[list].at[i] : otherwise;
}

static const char *word_of(const texts *list, int i)
{
    return i >= 0 && i < list->count ? list->at[i] : NULL;
}

// The words of a column, as far as the file has them, and the index of its owner. A dataset may
// have lists of its own beside it.
static tn_column describe_column(const tn_result *r, const tn_quantity_kind *kind, int column,
                                 int *index)
{
    const ints *offset = kind->owner == TN_OWNER_ROW ? &r->row_offset : &r->coordinate_offset;
    const bool rate = kind == &tn_quantity_kinds[TN_Q_JOINT_RATE],
               row = kind->owner == TN_OWNER_ROW;
    const bool listed = tn_owner_is_listed(kind->owner);
    const int place = column / kind->ncomponent;
    tn_column c = {.number = -1, .unit = strcmp(kind->unit, "mixed") == 0 ? "" : kind->unit};
    *index = -1;
    if (kind->ncomponent > 1)
        c.component = kind->components[column % kind->ncomponent];
    if (kind->owner == TN_OWNER_RUN)
        return c;
    if (listed || kind->owner == TN_OWNER_BODY || kind->owner == TN_OWNER_JOINT)
        *index = place;
    else if (kind->owner != TN_OWNER_STATE)
        *index = tn_place_owner(offset->count - 1, offset->at, column);
    if (listed) {
        const texts *own = &r->own.at[r->own.count - OWN_LISTS]; // names, units, components
        c.owner = word_of(own, place);
        c.unit = place < own[1].count ? own[1].at[place] : c.unit;
        c.component = kind->ncomponent > 1 ? c.component : word_of(own + 2, place);
    } else {
        c.owner = word_of(&r->list[kind->owner == TN_OWNER_BODY ? BODIES : JOINTS], *index);
    }
    if (row || kind->owner == TN_OWNER_COORDINATE) {
        c.component = word_of(&r->list[row ? ROW_NAMES : COORDINATE_NAMES], column);
        c.unit = text_at(r, row ? ROW_UNITS : rate ? RATE_UNITS : COORDINATE_UNITS, column, "");
        if (kind == &tn_quantity_kinds[TN_Q_JOINT_ACCELERATION] && *c.unit)
            c.unit = tn_mixed_unit(TN_Q_JOINT_ACCELERATION, strcmp(c.unit, "m") == 0);
    }
    if (!c.owner || (!c.component && !listed)) { // names that the file lost become numbers
        c.component = NULL;
        c.number = column;
    }
    return c;
}

const char *tn_channel_group(const tn_quantity_kind *kind)
{
    static const char *const groups[] = {"bodies",   "joints",    "forces",  "signals", "states",
                                         "unknowns", "sampled",   "outputs", "state",   "energy",
                                         "momentum", "residuals", "discrete"};
    for (int i = 0; i < TN_COUNT(groups); i++)
        if (strncmp(kind->path, groups[i], strlen(groups[i])) == 0)
            return groups[i];
    return "run";
}

// Takes the name over.
static tn_status add_channel(tn_result *r, char *name, tn_result_channel channel)
{
    if (!name || tn_array_push(&r->names, name) != TN_OK) {
        tn_free(name);
        return tn_got(false);
    }
    channel.name = name;
    TN_TRY(tn_array_push(&r->channels, channel));
    if (tn_table_find(r->by_name, name) < 0)
        return tn_table_add(r->by_name, name, r->channels.count - 1);
    if (tn_table_find(r->twice, name) < 0)
        return tn_table_add(r->twice, name, r->channels.count - 1);
    return TN_OK;
}

static tn_status result_add_column(tn_result *r, const tn_quantity_kind *kind, int dataset,
                                   int column)
{
    int index;
    const tn_column c = describe_column(r, kind, column, &index);
    const tn_result_channel channel = {
        .group = tn_channel_group(kind),
        .unit = c.unit,
        .dataset = dataset,
        .column = column,
        .owner = index,
    };
    return add_channel(r, tn_quantity_name(kind, &c), channel);
}

static tn_status read_own_lists(tn_result *r, const char *dataset)
{
    for (int i = 0; i < OWN_LISTS; i++) {
        char path[64];
        texts list = {0};
        snprintf(path, sizeof path, "%s_%s", dataset, own_lists[i]);
        TN_TRY(forgive(r, read_texts(r, path, &list)));
        for (int k = 0; k < list.count; k++)
            make_printable(list.at[k]);
        if (tn_array_push(&r->own, list) != TN_OK) {
            tn_free(list.at);
            return tn_got(false);
        }
    }
    return TN_OK;
}

static tn_status add_dataset(tn_result *r, const tn_quantity_kind *kind)
{
    tn_data_table table;
    const bool is_time = strcmp(kind->path, "time") == 0;
    const tn_status s = report_memory(r, r->file->ops->table(r->file, kind->path, &table));
    if (s != TN_OK || table.handle < 0) {
        if (is_time)
            return s != TN_OK ? s : tn_fail(TN_ERR_FILE, "%s is damaged: it has no time", r->path);
        return forgive(r, s);
    }
    const int dataset = r->datasets.count;
    const tn_result_dataset d = {kind->path, table.width};
    TN_TRY(tn_array_push(&r->tables, table));
    TN_TRY(tn_array_push(&r->datasets, d));
    if (is_time)
        r->time = dataset;
    if (tn_owner_is_listed(kind->owner))
        TN_TRY(read_own_lists(r, kind->path));
    for (int i = 0; i < table.width && !is_time; i++)
        TN_TRY(result_add_column(r, kind, dataset, i));
    return TN_OK;
}

// A process that was killed while HDF5 wrote may leave datasets of different length.
static tn_status count_rows(tn_result *r)
{
    long most = 0;
    r->rows = r->tables.at[r->time].rows;
    for (int i = 0; i < r->tables.count; i++) {
        const long rows = r->tables.at[i].rows;
        r->rows = rows < r->rows ? rows : r->rows;
        most = rows > most ? rows : most;
    }
    if (most > r->rows)
        return tn_result_warn(r, "%s: the last %ld of %ld rows are not complete and are left out",
                              r->path, most - r->rows, most);
    return TN_OK;
}

static tn_status set_info(tn_result *r, const char *named)
{
    r->named = tn_strdup(named);
    TN_TRY(tn_got(r->named));
    r->info = (tn_result_info){
        .named = r->named,
        .path = r->path,
        .directory = r->directory,
        .model = r->model ? r->model : "",
        .method = r->method ? r->method : "",
        .outcome = r->outcome ? r->outcome : "",
        .version = r->version ? r->version : "",
        .nbody = r->list[BODIES].count,
        .njoint = r->list[JOINTS].count,
        .along = "time",
        .along_unit = "s",
    };
    return TN_OK;
}

static tn_status load_result(tn_result *r, const char *path, bool trust)
{
    TN_TRY(find_path(r, path));
    TN_TRY(result_open_file(r, trust));
    if (r->file->warning)
        TN_TRY(tn_result_warn(r, "%s", r->file->warning));
    TN_TRY(tn_table_create(&r->by_name));
    TN_TRY(tn_table_create(&r->twice));
    TN_TRY(read_attributes(r));
    TN_TRY(read_lists(r));
    for (tn_quantity k = 0; k < TN_QUANTITIES; k++)
        TN_TRY(add_dataset(r, &tn_quantity_kinds[k]));
    TN_TRY(set_info(r, path));
    return count_rows(r);
}

tn_status tn_result_open(const char *path, bool trust, tn_result **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, path, out);
    *out = NULL;
    tn_result *r = tn_alloc(sizeof(*r));
    TN_TRY(tn_got(r));
    const tn_status s = load_result(r, path, trust);
    TN_HAND_OUT(s, r, tn_result_close, out);
}

// Tables ------------------------------------------------------------------------------------------

// The columns of a table: the first one goes along, the others are channels.
static tn_status add_columns(tn_result *r)
{
    static const char *const paths[] = {"time", "columns"};
    for (int i = 0; i < 2; i++) { // names and units, datasets
        texts list = {0};
        tn_data_table table;
        TN_TRY(read_texts(r, i == 0 ? "names" : "units", &list));
        if (tn_array_push(&r->own, list) != TN_OK) {
            tn_free(list.at);
            return tn_got(false);
        }
        for (int k = 0; k < list.count; k++)
            make_printable(list.at[k]);
        TN_TRY(r->file->ops->table(r->file, paths[i], &table));
        TN_TRY(tn_array_push(&r->tables, table));
        TN_TRY(tn_array_push(&r->datasets, ((tn_result_dataset){paths[i], table.width})));
    }
    const texts *names = &r->own.at[0], *units = &r->own.at[1];
    r->info.along = names->at[0];
    r->info.along_unit = units->at[0];
    r->info.is_table = true;
    for (int i = 1; i < names->count; i++) {
        const tn_result_channel channel = {
            .group = "table", .unit = units->at[i], .dataset = 1, .column = i, .owner = -1};
        TN_TRY(add_channel(r, tn_strdup(names->at[i]), channel));
    }
    return count_rows(r);
}

static tn_status load_table(tn_result *r, const char *path)
{
    char *file = tn_result_csv_path(path);
    tn_status s = tn_got(file);
    TN_THEN(s, find_path(r, file));
    TN_THEN(s, refuse_other_files(r));
    TN_THEN(s, tn_result_csv_open(path, &r->file));
    TN_THEN(s, tn_table_create(&r->by_name));
    TN_THEN(s, tn_table_create(&r->twice));
    TN_THEN(s, set_info(r, path));
    TN_THEN(s, add_columns(r));
    tn_free(file);
    return s;
}

tn_status tn_result_open_table(const char *path, tn_result **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, path, out);
    *out = NULL;
    tn_result *r = tn_alloc(sizeof(*r));
    TN_TRY(tn_got(r));
    const tn_status s = load_table(r, path);
    TN_HAND_OUT(s, r, tn_result_close, out);
}

static bool is_regular(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool tn_result_is_there(const char *path)
{
    TN_NEED(path, false);
    const size_t n = strlen(path);
    if (tn_result_csv_is_name(path)) {
        char *file = tn_result_csv_path(path);
        const bool there = is_regular(file);
        tn_free(file);
        return there;
    }
    if (is_regular(path))
        return (n > 3 && strcmp(path + n - 3, ".h5") == 0) || tn_journal_is_one(path);
    char *journal = tn_format("%s/" TN_JOURNAL_FILE, path);
    char *h5 = tn_format("%s/result.h5", path);
    const bool there = is_regular(journal) || is_regular(h5);
    TN_FREE(journal, h5);
    return there;
}

void tn_result_close(tn_result *r)
{
    if (!r)
        return;
    if (r->file)
        r->file->ops->close(r->file);
    for (int i = 0; i < r->names.count; i++)
        tn_free(r->names.at[i]);
    for (int i = 0; i < r->warnings.count; i++)
        tn_free(r->warnings.at[i]);
    for (int i = 0; i < LISTS; i++)
        tn_free(r->list[i].at);
    TN_FREE(r->named, r->path, r->directory, r->model, r->method, r->outcome, r->version);
    TN_FREE(r->coordinate_offset.at, r->row_offset.at);
    tn_array_free(&r->datasets);
    tn_array_free(&r->tables);
    tn_array_free(&r->channels);
    tn_array_free(&r->names);
    tn_array_free(&r->warnings);
    for (int i = 0; i < r->own.count; i++)
        tn_free(r->own.at[i].at);
    tn_array_free(&r->own);
    tn_table_destroy(r->by_name);
    tn_table_destroy(r->twice);
    tn_free(r);
}

// Queries ----------------------------------------------------------------------------------------

TN_GETTER(const tn_result_info *, tn_result_about, (const tn_result *result), result, NULL,
          &result->info);
TN_GETTER(long, tn_result_rows, (const tn_result *result), result, 0, result->rows);

const char *tn_result_body(const tn_result *result, int body)
{
    return text_at(result, BODIES, body, "");
}

const char *tn_result_joint(const tn_result *result, int joint)
{
    return text_at(result, JOINTS, joint, "");
}

const char *tn_result_scene(const tn_result *result)
{
    return text_at(result, SCENE, 0, NULL);
}

const char *tn_result_parameters(const tn_result *result)
{
    return text_at(result, PARAMETERS, 0, NULL);
}

const char *tn_result_parts(const tn_result *result)
{
    return text_at(result, FILES, 0, NULL);
}

TN_GETTER(const char *, tn_result_source, (const tn_result *result), result, NULL,
          text_at(result, SOURCE, 0, NULL));
TN_GETTER(int, tn_result_warning_count, (const tn_result *result), result, 0,
          result->warnings.count);

TN_GETTER_AT(const char *, tn_result_warning, (const tn_result *result, int i), result, i,
             result->warnings.count, "", result->warnings.at[i]);

TN_GETTER(int, tn_result_channel_count, (const tn_result *result), result, 0,
          result->channels.count);

TN_GETTER_AT(const tn_result_channel *, tn_result_channel_at,
             (const tn_result *result, int channel), result, channel, result->channels.count, NULL,
             &result->channels.at[channel]);

tn_status tn_result_find(const tn_result *result, const char *name, int *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, result, name, out);
    *out = tn_table_find(result->by_name, name);
    const int second = tn_table_find(result->twice, name);
    if (*out < 0)
        return tn_fail(TN_ERR_USAGE, "%s has no channel '%s'; %s", result->path, name,
                       tn_vocabulary_hint(result->by_name, name).text);
    if (second < 0)
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "%s has two channels '%s', one of its %s and one of its %s; give one of the two "
                   "elements another name in the model",
                   result->path, name, result->channels.at[*out].group,
                   result->channels.at[second].group);
}

const tn_result_dataset *tn_result_dataset_at(const tn_result *result, int dataset)
{
    return dataset >= 0 && dataset < result->datasets.count ? &result->datasets.at[dataset] : NULL;
}

int tn_result_dataset_find(const tn_result *result, const char *path)
{
    for (int i = 0; i < result->datasets.count; i++)
        if (strcmp(result->datasets.at[i].path, path) == 0)
            return i;
    return -1;
}

// Rows -------------------------------------------------------------------------------------------

static tn_status result_read_block(tn_result *r, int dataset, int column, long first, long n,
                                   double *out)
{
    if (first < 0 || n < 0 || first > r->rows || n > r->rows - first)
        return tn_fail(TN_ERR_USAGE, "%s: rows %ld to %ld were asked for; it has %ld", r->path,
                       first, first + n - 1, r->rows);
    return report_memory(
        r, r->file->ops->read(r->file, &r->tables.at[dataset], first, n, column, out));
}

tn_status tn_result_time(tn_result *result, long first, long n, double *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, result, out);
    return result_read_block(result, result->time, -1, first, n, out);
}

tn_status tn_result_read(tn_result *result, int channel, long first, long n, double *out)
{
    TN_NEED(result, TN_ERR_USAGE);
    TN_NEED_INDEX(channel, result->channels.count, TN_ERR_USAGE);
    TN_NEED(out, TN_ERR_USAGE);
    const tn_result_channel *c = &result->channels.at[channel];
    return result_read_block(result, c->dataset, c->column, first, n, out);
}

tn_status tn_result_read_rows(tn_result *result, int dataset, long first, long n, double *out)
{
    return result_read_block(result, dataset, -1, first, n, out);
}
