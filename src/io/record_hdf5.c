// SPDX-License-Identifier: MIT
//
// Results in HDF5, laid out as docs/formats/result.md says: every channel one dataset that grows
// along time. Only this file knows HDF5.
//
// A killed run leaves a file that opens: the oldest file format keeps no "open for writing" mark,
// and what H5Fflush wrote stays whole until the next one. A full disk is noticed before HDF5 is
// asked to write, because after a failed write HDF5 can neither go back nor close the file well.

#include "base/alloc.h"
#include "io/record.h"

#ifdef TN_WITH_HDF5

#include "io/scene.h"
#include "io/yaml_text.h"
#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FORMAT_VERSION = 1,
    CHUNK_BYTES = 1 << 14,      // aimed at: 10^6 rows are some thousand chunks per dataset
    CHUNK_ROWS = 64,            // at least, for wide datasets
    CHUNK_MOST_BYTES = 1 << 19, // but half of the cache of a dataset, or one row
    METADATA_BYTES = 1 << 13,   // per dataset and block of rows: some nodes of its index
    NAME_BYTES = 1 << 7,        // of a body, joint, coordinate or row, with its place in the file
    OUTCOME_BYTES = 1024
};

typedef struct hdf5_sink {
    tn_sink base;
    int fd; // a second descriptor, to ask for room
    hid_t file, text;
    int ndataset;
    hid_t dataset[TN_MOST_CHANNELS];
    hsize_t chunk_rows[TN_MOST_CHANNELS];
    hsize_t pending;      // bytes that HDF5 may hold back until the next flush, at most
    char *scene, *source; // of the model, while the file is created; NULL for none
    char reason[256];     // of the first failed call, "" while all is well
} hdf5_sink;

// The innermost entry of the error stack says most. That of a failed system call is a long line of
// key = value, of which the message of the system is wanted.
static herr_t take_reason(unsigned n, const H5E_error2_t *entry, void *user)
{
    static const char key[] = "error message = '";
    char *reason = user;
    const char *text = entry->desc ? entry->desc : "HDF5 failed";
    const char *found = strstr(text, key);
    if (n > 0)
        return 0;
    if (found)
        text = found + strlen(key);
    snprintf(reason, sizeof(((hdf5_sink *)0)->reason), "%.*s",
             (int)(found ? strcspn(text, "'") : strlen(text)), text);
    return 0;
}

// Passes on the result of a call and keeps the reason of the first one that failed. Calls with an
// identifier that could not be made fail too, so a sequence needs one look at its end.
static hid_t note(hdf5_sink *s, hid_t result)
{
    if (result < 0 && !s->reason[0]) {
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, s->reason);
        if (!s->reason[0])
            snprintf(s->reason, sizeof(s->reason), "HDF5 failed");
    }
    return result;
}

static bool is_well(const hdf5_sink *s)
{
    return !s->reason[0];
}

static hid_t open_space(hdf5_sink *s, int n) // n < 0: one value, not a list
{
    const hsize_t size = (hsize_t)n;
    return note(s, n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL));
}

static void put_attribute(hdf5_sink *s, hid_t object, const char *name, int n,
                          const char *const *texts)
{
    const hid_t space = open_space(s, n);
    const hid_t attribute =
        note(s, H5Acreate2(object, name, s->text, space, H5P_DEFAULT, H5P_DEFAULT));
    note(s, H5Awrite(attribute, s->text, texts));
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_text(hdf5_sink *s, hid_t object, const char *name, const char *text)
{
    put_attribute(s, object, name, -1, &text);
}

// A list of n values, or one value for n < 0.
static void put_list(hdf5_sink *s, const char *path, hid_t type, hid_t stored, int n,
                     const void *values)
{
    const hid_t space = open_space(s, n);
    const hid_t links = note(s, H5Pcreate(H5P_LINK_CREATE));
    note(s, H5Pset_create_intermediate_group(links, 1));
    const hid_t list =
        note(s, H5Dcreate2(s->file, path, stored, space, links, H5P_DEFAULT, H5P_DEFAULT));
    if (n != 0)
        note(s, H5Dwrite(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(list);
    H5Pclose(links);
    H5Sclose(space);
}

// Which name a list of texts takes from a column of a channel.
typedef enum column_part { OWNER, COMPONENT, UNIT } column_part;

static tn_status put_columns(hdf5_sink *s, const tn_record *record, const char *channel,
                             const char *path, column_part part)
{
    const tn_channel *c = record->channel;
    while (strcmp(c->kind->path, channel) != 0)
        c++;
    const char **texts = tn_alloc((size_t)(c->owners + 1) * sizeof(*texts));
    if (!texts)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", s->base.path);
    for (int i = 0; i < c->owners; i++) {
        const tn_column column = tn_record_column(record, c, i * c->kind->ncomponent);
        texts[i] = part == OWNER ? column.owner : part == UNIT ? column.unit : column.component;
    }
    put_list(s, path, s->text, s->text, c->owners, texts);
    tn_free(texts);
    return TN_OK;
}

static tn_status put_kinds(hdf5_sink *s, const tn_record *record)
{
    const char **texts = tn_alloc((size_t)(record->njoint + 1) * sizeof(*texts));
    if (!texts)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", s->base.path);
    for (int j = 0; j < record->njoint; j++)
        texts[j] = tn_joint_kind_name(record->model, (tn_joint){j});
    put_list(s, "joints/kinds", s->text, s->text, record->njoint, texts);
    tn_free(texts);
    return TN_OK;
}

static tn_status put_unique(hdf5_sink *s, const tn_record *record)
{
    signed char *unique = tn_alloc((size_t)record->nrow + 1);
    if (!unique)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", s->base.path);
    for (int j = 0; j < record->njoint; j++) {
        double lambda[TN_JOINT_MAX_ROWS];
        bool flags[TN_JOINT_MAX_ROWS];
        const int n = tn_sim_joint_multipliers(record->sim, (tn_joint){j}, lambda, flags);
        for (int i = 0; i < n; i++)
            unique[record->row_offset[j] + i] = flags[i];
    }
    put_list(s, "joints/row_unique", H5T_NATIVE_SCHAR, H5T_STD_I8LE, record->nrow, unique);
    tn_free(unique);
    return TN_OK;
}

static tn_status put_names(hdf5_sink *s, const tn_record *record)
{
    const int n = record->njoint + 1;
    TN_TRY(put_columns(s, record, "bodies/position", "bodies/names", OWNER));
    TN_TRY(put_columns(s, record, "joints/force", "joints/names", OWNER));
    TN_TRY(put_kinds(s, record));
    TN_TRY(put_columns(s, record, "joints/coordinates", "joints/coordinate_names", COMPONENT));
    TN_TRY(put_columns(s, record, "joints/coordinates", "joints/coordinate_units", UNIT));
    TN_TRY(put_columns(s, record, "joints/rates", "joints/rate_units", UNIT));
    TN_TRY(put_columns(s, record, "joints/lambda", "joints/row_names", COMPONENT));
    TN_TRY(put_columns(s, record, "joints/lambda", "joints/row_units", UNIT));
    TN_TRY(put_unique(s, record));
    put_list(s, "joints/coordinate_offset", H5T_NATIVE_INT, H5T_STD_I32LE, n,
             record->coordinate_offset);
    put_list(s, "joints/row_offset", H5T_NATIVE_INT, H5T_STD_I32LE, n, record->row_offset);
    return TN_OK;
}

// What the model looks like and what its file says, for reports that are made later.
static void put_model(hdf5_sink *s)
{
    if (s->scene)
        put_list(s, "scene", s->text, s->text, -1, &s->scene);
    if (s->source)
        put_list(s, "model/source", s->text, s->text, -1, &s->source);
}

// The text of the model file. A model that was made by calls has none; a file that is gone by now,
// or a pipe that was read already, is no reason to fail.
static tn_status find_source(hdf5_sink *s, const char *path)
{
    struct stat info;
    size_t length = 0;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return TN_OK;
    tn_status status = tn_yaml_text_read(path, &s->source, &length);
    char *ended = status == TN_OK ? tn_resize(s->source, length + 1) : NULL;
    if (ended) {
        ended[length] = '\0';
        s->source = ended;
        return TN_OK;
    }
    if (status == TN_OK)
        status = tn_fail(TN_ERR_MEMORY, "%s: out of memory", path);
    tn_free(s->source);
    s->source = NULL;
    if (status == TN_ERR_MEMORY)
        return status;
    tn_clear_error();
    return TN_OK;
}

static tn_status find_model(hdf5_sink *s, const tn_record *record)
{
    if (record->model)
        TN_TRY(tn_scene_json(record->model, record->model_path, &s->scene));
    return find_source(s, record->model_path);
}

static void forget_model(hdf5_sink *s)
{
    tn_free(s->scene);
    tn_free(s->source);
    s->scene = s->source = NULL;
}

// The outcome changes at the end, when the disk may be full: room for a long one is made now.
static void put_outcome(hdf5_sink *s)
{
    char room[OUTCOME_BYTES];
    memset(room, ' ', sizeof(room));
    room[sizeof(room) - 1] = '\0';
    put_text(s, s->file, "outcome", room);
    const hid_t attribute = note(s, H5Aopen(s->file, "outcome", H5P_DEFAULT));
    note(s, H5Awrite(attribute, s->text, &(const char *){"running"}));
    H5Aclose(attribute);
}

static void put_file_attributes(hdf5_sink *s, const tn_record *record)
{
    const int version = FORMAT_VERSION;
    const hid_t space = open_space(s, -1);
    const hid_t attribute =
        note(s, H5Acreate2(s->file, "version", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));
    note(s, H5Awrite(attribute, H5T_NATIVE_INT, &version));
    H5Aclose(attribute);
    H5Sclose(space);
    put_text(s, s->file, "format", "tenon-result");
    put_text(s, s->file, "tenon_version", tn_version());
    put_text(s, s->file, "model", record->model_path);
    put_text(s, s->file, "method", tn_sim_method(record->sim));
}

// Shape of `rows` rows of a channel: (n), (n, owners) or (n, owners, components).
static int channel_shape(const tn_channel *c, hsize_t rows, hsize_t shape[3])
{
    shape[0] = rows;
    shape[1] = (hsize_t)c->owners;
    shape[2] = (hsize_t)c->kind->ncomponent;
    return c->kind->owner == TN_OWNER_RUN ? 1 : c->kind->ncomponent == 1 ? 2 : 3;
}

static hsize_t rows_per_chunk(const tn_channel *c)
{
    const hsize_t bytes = (hsize_t)(c->size > 0 ? c->size : 1) * sizeof(double);
    hsize_t rows = CHUNK_BYTES / bytes;
    if (rows < CHUNK_ROWS)
        rows = CHUNK_ROWS;
    if (rows > CHUNK_MOST_BYTES / bytes)
        rows = CHUNK_MOST_BYTES / bytes;
    return rows > 0 ? rows : 1;
}

static void put_channel(hdf5_sink *s, const tn_channel *c)
{
    hsize_t shape[3], most[3], chunk[3];
    const int rank = channel_shape(c, 0, shape), k = s->ndataset;
    s->chunk_rows[k] = rows_per_chunk(c);
    for (int i = 0; i < 3; i++) {
        // A chunk has no side of length zero and does not exceed a side that is fixed.
        most[i] = shape[i] > 0 ? shape[i] : H5S_UNLIMITED;
        chunk[i] = i == 0 ? s->chunk_rows[k] : shape[i] > 0 ? shape[i] : 1;
    }
    const hid_t space = note(s, H5Screate_simple(rank, shape, most));
    const hid_t links = note(s, H5Pcreate(H5P_LINK_CREATE));
    const hid_t create = note(s, H5Pcreate(H5P_DATASET_CREATE));
    note(s, H5Pset_create_intermediate_group(links, 1));
    note(s, H5Pset_chunk(create, rank, chunk));
    const hid_t set = note(
        s, H5Dcreate2(s->file, c->kind->path, H5T_IEEE_F64LE, space, links, create, H5P_DEFAULT));
    s->dataset[s->ndataset++] = set;
    put_text(s, set, "unit", c->kind->unit);
    if (c->kind->frame)
        put_text(s, set, "frame", c->kind->frame);
    if (c->kind->ncomponent > 1)
        put_attribute(s, set, "columns", c->kind->ncomponent, c->kind->components);
    H5Pclose(create);
    H5Pclose(links);
    H5Sclose(space);
}

static void append_channel(hdf5_sink *s, int k, const tn_channel *c, int rows)
{
    hsize_t shape[3], block[3];
    const hsize_t start[3] = {(hsize_t)s->base.rows, 0, 0};
    const int rank = channel_shape(c, (hsize_t)(s->base.rows + rows), shape);
    channel_shape(c, (hsize_t)rows, block);
    note(s, H5Dset_extent(s->dataset[k], shape));
    if (c->size == 0)
        return;
    const hid_t in_file = note(s, H5Dget_space(s->dataset[k]));
    const hid_t in_memory = note(s, H5Screate_simple(rank, block, NULL));
    note(s, H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, block, NULL));
    note(s, H5Dwrite(s->dataset[k], H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, c->rows));
    H5Sclose(in_memory);
    H5Sclose(in_file);
}

// Bytes that the file may grow by when the gathered rows are appended.
static hsize_t growth(const hdf5_sink *s, const tn_record *record)
{
    const hsize_t before = (hsize_t)s->base.rows, after = before + (hsize_t)record->count;
    hsize_t bytes = 0;
    for (int k = 0; k < record->nchannel; k++) {
        const hsize_t rows = s->chunk_rows[k];
        const hsize_t chunks = (after + rows - 1) / rows - (before + rows - 1) / rows;
        const hsize_t size = rows * (hsize_t)record->channel[k].size * sizeof(double);
        bytes += chunks * (size + METADATA_BYTES / 16) + METADATA_BYTES;
    }
    return bytes;
}

// Asks the file system for room and gives it back at once. Returns 0 or an error number; a file
// system that cannot tell is taken at its word when HDF5 writes.
static int find_room(hdf5_sink *s, hsize_t bytes)
{
    struct stat info;
    hsize_t end = 0;
    if (H5Fget_filesize(s->file, &end) < 0 || fstat(s->fd, &info) != 0)
        return 0;
    const off_t size = info.st_size, wanted = (off_t)(end + bytes);
    int error = 0;
    do
        error = wanted > size ? posix_fallocate(s->fd, size, wanted - size) : 0;
    while (error == EINTR);
    if (ftruncate(s->fd, size) != 0)
        return errno;
    return error == ENOSPC || error == EFBIG || error == EDQUOT ? error : 0;
}

static void flush(hdf5_sink *s)
{
    if (is_well(s) && note(s, H5Fflush(s->file, H5F_SCOPE_LOCAL)) >= 0) {
        s->base.saved = s->base.rows;
        s->pending = 0;
    }
}

// After a failed write HDF5 cannot close the file and may crash at exit: from here on it writes
// into the void, and the disk keeps what the last flush made of the file.
static void cut_off(hdf5_sink *s)
{
    void *handle = NULL;
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0 && H5Fget_vfd_handle(s->file, H5P_DEFAULT, &handle) >= 0 && handle)
        dup2(nowhere, *(int *)handle);
    if (nowhere >= 0)
        close(nowhere);
}

static tn_status append_rows(hdf5_sink *s, const tn_record *record, bool durable)
{
    const hsize_t more = record->count > 0 ? growth(s, record) : 0;
    int full = more > 0 ? find_room(s, s->pending + more) : 0;
    if (full) { // room was found for what came before; without it there may be enough
        flush(s);
        full = find_room(s, more);
    }
    if (!full && more > 0) {
        for (int k = 0; k < record->nchannel; k++)
            append_channel(s, k, &record->channel[k], record->count);
        s->base.rows += record->count;
        s->pending += more;
    }
    if (durable)
        flush(s);
    if (!is_well(s))
        return tn_sink_fail(&s->base, s->reason);
    return full ? tn_sink_fail(&s->base, strerror(full)) : TN_OK;
}

static tn_status hdf5_append(tn_sink *sink, const tn_record *record, bool durable)
{
    hdf5_sink *s = (hdf5_sink *)sink;
    tn_status status;
    H5E_BEGIN_TRY
    {
        status = append_rows(s, record, durable);
        if (!is_well(s))
            cut_off(s);
        H5Eclear2(H5E_DEFAULT);
    }
    H5E_END_TRY
    return status;
}

static void close_file(hdf5_sink *s, const char *outcome)
{
    char text[OUTCOME_BYTES];
    snprintf(text, sizeof(text), "%s", outcome);
    if (strlen(outcome) >= sizeof(text)) // no half character at the cut
        for (size_t n = sizeof(text) - 1; n > 0 && (text[n - 1] & 0x80); n--)
            text[n - 1] = '\0';
    if (s->file >= 0) {
        if (!is_well(s))
            cut_off(s);
        const hid_t attribute = note(s, H5Aopen(s->file, "outcome", H5P_DEFAULT));
        note(s, H5Awrite(attribute, s->text, &(const char *){text}));
        H5Aclose(attribute);
        flush(s);
        if (!is_well(s))
            cut_off(s);
    }
    for (int k = 0; k < s->ndataset; k++)
        note(s, H5Dclose(s->dataset[k]));
    if (s->file >= 0)
        note(s, H5Fclose(s->file));
    if (s->text >= 0)
        H5Tclose(s->text);
    H5Eclear2(H5E_DEFAULT);
}

static tn_status hdf5_close(tn_sink *sink, const char *outcome)
{
    hdf5_sink *s = (hdf5_sink *)sink;
    tn_status status = TN_OK;

    H5E_BEGIN_TRY
    {
        close_file(s, outcome);
    }
    H5E_END_TRY
    if (!is_well(s) && !sink->failed)
        status = tn_sink_fail(sink, s->reason);
    if (s->fd >= 0 && close(s->fd) != 0 && status == TN_OK && !sink->failed)
        status = tn_sink_fail(sink, strerror(errno));
    tn_free(sink->path);
    tn_free(s);
    return status;
}

static void create_file(hdf5_sink *s)
{
    const hid_t access = note(s, H5Pcreate(H5P_FILE_ACCESS));
    note(s, H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
#if H5_VERSION_GE(1, 10, 7)
    note(s, H5Pset_file_locking(access, 1, 1)); // fine without, where the file system has no locks
#endif
    s->text = note(s, H5Tcopy(H5T_C_S1));
    note(s, H5Tset_size(s->text, H5T_VARIABLE));
    note(s, H5Tset_cset(s->text, H5T_CSET_UTF8));
    s->file = note(s, H5Fcreate(s->base.path, H5F_ACC_TRUNC, H5P_DEFAULT, access));
    H5Pclose(access);
}

static hsize_t first_growth(const hdf5_sink *s, const tn_record *record)
{
    const size_t texts = (s->scene ? strlen(s->scene) : 0) + (s->source ? strlen(s->source) : 0);
    const int names =
        record->nbody + 2 * record->njoint + 3 * record->ncoordinate + 3 * record->nrow;
    return (hsize_t)(record->nchannel + 16) * METADATA_BYTES + (hsize_t)names * NAME_BYTES + texts;
}

static tn_status fill_file(hdf5_sink *s, const tn_record *record)
{
    create_file(s);
    const int full = is_well(s) ? find_room(s, first_growth(s, record)) : 0;
    if (full)
        snprintf(s->reason, sizeof(s->reason), "%s", strerror(full));
    if (is_well(s)) {
        put_file_attributes(s, record);
        for (int k = 0; k < record->nchannel; k++)
            put_channel(s, &record->channel[k]);
        if (record->model)
            TN_TRY(put_names(s, record));
        put_model(s);
        put_outcome(s);
        flush(s);
    }
    if (is_well(s))
        return TN_OK;
    return tn_fail(TN_ERR_FILE, "cannot write %s: %s", s->base.path, s->reason);
}

static tn_status open_file(hdf5_sink *s, const tn_record *record)
{
    tn_status status;
    if (!s->base.path)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", record->directory);
    TN_TRY(find_model(s, record));
    s->fd = open(s->base.path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->fd < 0)
        return tn_fail(TN_ERR_FILE, "cannot write %s: %s", s->base.path, strerror(errno));
    H5E_BEGIN_TRY
    {
        status = fill_file(s, record);
        H5Eclear2(H5E_DEFAULT);
    }
    H5E_END_TRY
    return status;
}

static tn_status hdf5_create(const tn_record *record, const char *path, tn_sink **out)
{
    hdf5_sink *s = tn_alloc(sizeof(*s));
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", path);
    s->base = (tn_sink){.ops = &tn_sink_hdf5, .path = tn_strdup(path)};
    s->fd = -1;
    s->file = s->text = H5I_INVALID_HID;
    const tn_status status = open_file(s, record);
    forget_model(s);
    if (status != TN_OK) {
        if (s->file >= 0)
            unlink(path);
        s->base.failed = true;
        hdf5_close(&s->base, "failed");
        return status;
    }
    *out = &s->base;
    return TN_OK;
}

const tn_sink_ops tn_sink_hdf5 = {
    .file = "result.h5",
    .available = true,
    .create = hdf5_create,
    .append = hdf5_append,
    .close = hdf5_close,
};

#else

const tn_sink_ops tn_sink_hdf5 = {.file = "result.h5", .available = false};

#endif
