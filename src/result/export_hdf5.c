// SPDX-License-Identifier: MIT
//
// From a journal to HDF5, laid out as docs/formats/result.md says: every channel one dataset that
// grows along time. All of it happens in a child process, which reports how it went before it ends;
// it never closes HDF5 after a failure, because HDF5 then crashes.

#include "result/export.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef TN_WITH_HDF5

#include "base/alloc.h"
#include "base/child.h"
#include "file/hdf5_write.h"
#include "result/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 1 << 22 }; // of a channel that are copied at once, or one row

typedef struct exporter {
    tn_journal *journal;
    const char *path;
    tn_hdf5_out out;
    hid_t *dataset;   // by channel
    double *block;    // rows from the journal
    double *readback; // the same rows from the file
} exporter;

// Texts and lists --------------------------------------------------------------------------------

static void put_text(exporter *x, hid_t object, const char *name, const char *text)
{
    tn_hdf5_about(&x->out, object, name, x->out.text, x->out.text, -1, &text);
}

// A list of n values, or one value for n < 0.
static void put_list(exporter *x, const char *path, hid_t type, hid_t stored, int n,
                     const void *values)
{
    const hsize_t size = (hsize_t)n;
    tn_hdf5_put(&x->out, path, stored, type, n < 0 ? 0 : 1, &size, values);
}

// Pointers to `count` texts that stand one after the other; tn_free them.
static tn_status point_to_texts(const char *data, uint32_t count, const char ***out)
{
    *out = tn_alloc(((size_t)count + 1) * sizeof(**out));
    TN_TRY(tn_got(*out));
    for (uint32_t i = 0; i < count; i++, data += strlen(data) + 1)
        (*out)[i] = data;
    return TN_OK;
}

static tn_status put_texts(exporter *x, const tn_entry *e)
{
    const char **texts = NULL;
    TN_TRY(point_to_texts(e->data, e->count, &texts));
    put_list(x, e->name, x->out.text, x->out.text, (int)e->count, texts);
    tn_free(texts);
    return TN_OK;
}

// Channels ---------------------------------------------------------------------------------------

// Shape of `rows` rows of a channel: (n), (n, owners), (n, components) of the run or
// (n, owners, components).
static int channel_shape(const tn_entry *e, hsize_t rows, hsize_t shape[3])
{
    tn_entry_channel c;
    memcpy(&c, e->data, sizeof(c));
    shape[0] = rows;
    shape[1] = c.rank == 2 ? e->count * c.ncomponent : e->count;
    shape[2] = c.ncomponent;
    return (int)c.rank;
}

static tn_status describe_channel(exporter *x, hid_t set, const tn_entry *e)
{
    const char **texts = NULL; // unit, frame, components
    tn_entry_channel c;
    memcpy(&c, e->data, sizeof(c));
    const uint32_t count = 2 + (c.ncomponent > 1 ? c.ncomponent : 0);
    TN_TRY(point_to_texts(e->data + sizeof(c), count, &texts));
    put_text(x, set, "unit", texts[0]);
    if (*texts[1])
        put_text(x, set, "frame", texts[1]);
    if (c.ncomponent > 1)
        tn_hdf5_about(&x->out, set, "columns", x->out.text, x->out.text, (int)c.ncomponent,
                      texts + 2);
    tn_free(texts);
    return TN_OK;
}

// All rows are known: they stand one after the other in the file, without chunks and their index.
static tn_status create_channel(exporter *x, int k)
{
    const tn_entry *e = tn_journal_channel(x->journal, k);
    hsize_t shape[3];
    const int rank = channel_shape(e, (hsize_t)x->journal->rows, shape);
    x->dataset[k] =
        tn_hdf5_put_open(&x->out, e->name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, rank, shape, NULL);
    return describe_channel(x, x->dataset[k], e);
}

// Reads or writes rows of a channel.
static void move_rows(exporter *x, int k, long first, long n, double *rows, bool write)
{
    const hsize_t start[3] = {(hsize_t)first, 0, 0};
    hsize_t block[3];
    const int rank = channel_shape(tn_journal_channel(x->journal, k), (hsize_t)n, block);
    const hid_t in_file = tn_hdf5_note(&x->out, H5Dget_space(x->dataset[k]));
    const hid_t in_memory = tn_hdf5_note(&x->out, H5Screate_simple(rank, block, NULL));
    tn_hdf5_note(&x->out, H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, block, NULL));
    tn_hdf5_note(
        &x->out,
        write ? H5Dwrite(x->dataset[k], H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, rows)
              : H5Dread(x->dataset[k], H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, rows));
    H5Sclose(in_memory);
    H5Sclose(in_file);
}

// Rows of a channel that are copied at once.
static long rows_at_once(const exporter *x, int k)
{
    const long width = tn_journal_channel_width(x->journal, k);
    const long fit = width > 0 ? BLOCK_BYTES / (width * (long)sizeof(double)) : 1;
    return fit < 1 ? 1 : fit > x->journal->rows ? x->journal->rows : fit;
}

static tn_status move_channel(exporter *x, int k, bool write)
{
    const long rows = x->journal->rows, step = rows_at_once(x, k);
    const int width = tn_journal_channel_width(x->journal, k);
    for (long first = 0; first < rows && width > 0 && tn_hdf5_is_well(&x->out); first += step) {
        const long n = rows - first < step ? rows - first : step;
        TN_TRY(tn_journal_read(x->journal, k, first, n, -1, x->block));
        move_rows(x, k, first, n, write ? x->block : x->readback, write);
        if (!write && tn_hdf5_is_well(&x->out) &&
            memcmp(x->block, x->readback, (size_t)(n * width) * sizeof(double)) != 0)
            snprintf(x->out.reason, sizeof x->out.reason,
                     "rows read back differ from those written");
    }
    return TN_OK;
}

// The file ---------------------------------------------------------------------------------------

static tn_status put_entry(exporter *x, const tn_entry *e)
{
    switch (e->kind) {
    case TN_ENTRY_ATTRIBUTE:
        put_text(x, x->out.file, e->name, e->data);
        return TN_OK;
    case TN_ENTRY_TEXT:
        put_list(x, e->name, x->out.text, x->out.text, -1, &e->data);
        return TN_OK;
    case TN_ENTRY_TEXTS:
        return put_texts(x, e);
    case TN_ENTRY_FLAGS:
        put_list(x, e->name, H5T_NATIVE_SCHAR, H5T_STD_I8LE, (int)e->count, e->data);
        return TN_OK;
    case TN_ENTRY_INTS:
        if (strchr(e->name, '/'))
            put_list(x, e->name, H5T_NATIVE_INT32, H5T_STD_I32LE, (int)e->count, e->data);
        else
            tn_hdf5_about(&x->out, x->out.file, e->name, H5T_STD_I32LE, H5T_NATIVE_INT32, -1,
                          e->data);
        return TN_OK;
    case TN_ENTRY_CHANNEL:
        break; // by create_channel
    }
    return TN_OK;
}

static tn_status write_file(exporter *x)
{
    TN_TRY(tn_hdf5_begin(&x->out, x->path));
    for (int i = 0; i < x->journal->entries.count && tn_hdf5_is_well(&x->out); i++)
        TN_TRY(put_entry(x, &x->journal->entries.at[i]));
    put_text(x, x->out.file, "outcome", x->journal->outcome);
    for (int k = 0; k < x->journal->channels.count && tn_hdf5_is_well(&x->out); k++) {
        TN_TRY(create_channel(x, k));
        TN_TRY(move_channel(x, k, true));
        if (tn_hdf5_is_well(&x->out))
            tn_hdf5_note(&x->out, H5Dclose(x->dataset[k]));
    }
    if (tn_hdf5_is_well(&x->out))
        tn_hdf5_note(&x->out, H5Fclose(x->out.file));
    return TN_OK;
}

static tn_status read_back(exporter *x)
{
    x->out.file = tn_hdf5_note(&x->out, H5Fopen(x->path, H5F_ACC_RDONLY, H5P_DEFAULT));
    for (int k = 0; k < x->journal->channels.count && tn_hdf5_is_well(&x->out); k++) {
        x->dataset[k] = tn_hdf5_note(
            &x->out, H5Dopen2(x->out.file, tn_journal_channel(x->journal, k)->name, H5P_DEFAULT));
        TN_TRY(move_channel(x, k, false));
        H5Dclose(x->dataset[k]);
    }
    if (tn_hdf5_is_well(&x->out))
        tn_hdf5_note(&x->out, H5Fclose(x->out.file));
    return TN_OK;
}

static tn_status sync_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool failed = fd < 0 || (fsync(fd) != 0 && errno != EINVAL);
    const int error = errno;
    if (fd >= 0)
        close(fd);
    return failed ? tn_fail(TN_ERR_FILE, "%s", strerror(error)) : TN_OK;
}

// Room for the widest block of rows, twice.
static tn_status make_room(exporter *x)
{
    size_t most = 1;
    const int channels = x->journal->channels.count;
    for (int k = 0; k < channels; k++) {
        const size_t numbers =
            (size_t)rows_at_once(x, k) * (size_t)tn_journal_channel_width(x->journal, k);
        most = numbers > most ? numbers : most;
    }
    x->dataset = tn_alloc((size_t)channels * sizeof(*x->dataset));
    x->block = tn_alloc(most * sizeof(double));
    x->readback = tn_alloc(most * sizeof(double));
    return tn_got(x->dataset && x->block && x->readback);
}

static tn_status export(const tn_export *job, tn_checksums *checksums)
{
    exporter x = {.path = job->path};
    TN_TRY(tn_journal_open(job->journal, &x.journal));
    TN_TRY(make_room(&x));
    TN_TRY(write_file(&x));
    TN_TRY(tn_hdf5_end(&x.out));
    TN_TRY(sync_file(job->path));
    TN_TRY(read_back(&x));
    TN_TRY(tn_hdf5_end(&x.out));
    return tn_checksums_take(job->path, checksums);
}

// The child --------------------------------------------------------------------------------------

// The checksums travel as text: bytes, block and checksums.
static tn_status make(void *user, char **text, size_t *size)
{
    tn_checksums checksums = {0};
    TN_TRY(export(user, &checksums));
    *text = tn_format("%lld %lld %s", checksums.bytes, checksums.block, checksums.sums);
    *size = *text ? strlen(*text) + 1 : 0;
    return tn_got(*text);
}

bool tn_export_available(void)
{
    return true;
}

static tn_status run_child(const tn_export *job, tn_checksums *checksums)
{
    char *text = NULL, *rest = NULL;
    size_t size = 0;
    const tn_child_terms terms = {.who = "HDF5", .give_up = job->give_up, .asked = job->user};
    TN_TRY(tn_child_take(make, (void *)job, &terms, &text, &size));
    checksums->bytes = strtoll(text, &rest, 10);
    checksums->block = strtoll(rest, &rest, 10);
    checksums->sums = tn_strdup(rest + 1);
    tn_free(text);
    return tn_got(checksums->sums);
}

tn_status tn_export_hdf5(const tn_export *job, tn_checksums *checksums)
{
    *checksums = (tn_checksums){0};
    unlink(job->path);
    const tn_status s = run_child(job, checksums);
    if (s != TN_OK)
        unlink(job->path);
    return s;
}

#else

bool tn_export_available(void)
{
    return false;
}

tn_status tn_export_hdf5(const tn_export *job, tn_checksums *checksums)
{
    *checksums = (tn_checksums){0};
    return tn_fail(TN_ERR_USAGE,
                   "cannot write %s: this Tenon was built without HDF5; record CSV, or build with "
                   "-DTENON_HDF5=ON",
                   job->path);
}

#endif
