// SPDX-License-Identifier: MIT
//
// Reads HDF5 files, in the child of hdf5_remote.c.

#include "file/data_file.h"

#include "base/alloc.h"

#ifdef TN_WITH_HDF5

#include "file/hdf5_write.h"
#include "text/buffer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_TEXT = 1 << 26,  // bytes of a text; more is damage
    MOST_NAMES = 1 << 16, // of a group; likewise
    NAME_SIZE = 256
};

typedef struct hdf5_file {
    tn_data_file base;
    hid_t file;
    char *path;
    long long size; // bytes
    bool of_run;
} hdf5_file;

static tn_status fail_damaged(const hdf5_file *f, const char *what, const char *why)
{
    return f->of_run ? tn_fail(TN_ERR_FILE, "%s is damaged: %s %s", f->path, what, why)
                     : tn_fail(TN_ERR_FILE, "'%s' %s", what, why);
}

static tn_status fail_hdf5(const hdf5_file *f, const char *what)
{
    char reason[256], why[300];
    tn_hdf5_reason(reason);
    snprintf(why, sizeof why, "cannot be read (%s)", reason);
    return fail_damaged(f, what, why);
}

// Opening ----------------------------------------------------------------------------------------

static tn_status fail_open(const hdf5_file *f)
{
    char reason[256];
    tn_hdf5_reason(reason);
    if (!f->of_run)
        return tn_fail(TN_ERR_FILE, "this is no HDF5 file, or a damaged one");
    if (strstr(reason, "truncated"))
        return tn_fail(TN_ERR_FILE,
                       "%s is cut short at %lld bytes; copy it again or repeat the run", f->path,
                       f->size);
    if (strstr(reason, "signature"))
        return tn_fail(TN_ERR_FILE, "%s is no HDF5 file, or its beginning is damaged", f->path);
    return tn_fail(TN_ERR_FILE, "%s is damaged: HDF5 cannot open it (%s)", f->path, reason);
}

static tn_status open_file(hdf5_file *f)
{
    struct stat info;
    if (stat(f->path, &info) != 0)
        return tn_fail(TN_ERR_FILE, "cannot read %s: %s", f->path, strerror(errno));
    f->size = (long long)info.st_size;
    if (f->size == 0 && f->of_run)
        return tn_fail(TN_ERR_FILE, "%s is empty", f->path);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1);
#endif
    f->file = H5Fopen(f->path, H5F_ACC_RDONLY, access);
    const tn_status s = f->file >= 0 ? TN_OK : fail_open(f); // before the next call of HDF5
    H5Pclose(access);
    return s;
}

static void hdf5_close(tn_data_file *file)
{
    hdf5_file *f = (hdf5_file *)file;
    if (f->file >= 0)
        H5Fclose(f->file);
    TN_FREE(f->path, f);
}

// Lists ------------------------------------------------------------------------------------------

// An attribute or a dataset: only opening and reading differ.
typedef struct {
    hid_t id;
    bool attribute;
} holder;

static herr_t read_holder(holder h, hid_t type, void *to)
{
    return h.attribute ? H5Aread(h.id, type, to)
                       : H5Dread(h.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
}

static void close_holder(holder h)
{
    if (h.attribute)
        H5Aclose(h.id);
    else
        H5Dclose(h.id);
}

static tn_status make_room(const hdf5_file *f, size_t size, tn_data_bytes *out)
{
    out->size = size;
    out->at = tn_alloc(size + 1);
    return tn_got(out->at);
}

static tn_status join_texts(const hdf5_file *f, char *const *texts, tn_data_bytes *out)
{
    size_t size = 0;
    for (int i = 0; i < out->count; i++)
        size += (texts[i] ? strlen(texts[i]) : 0) + 1;
    TN_TRY(make_room(f, size, out));
    char *to = out->at;
    for (int i = 0; i < out->count; i++)
        to = stpcpy(to, texts[i] ? texts[i] : "") + 1;
    return TN_OK;
}

static tn_status read_variable(const hdf5_file *f, holder h, const char *what, hid_t stored,
                               hid_t space, tn_data_bytes *out)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    char **texts = tn_alloc((size_t)(out->count + 1) * sizeof(*texts));
    tn_status s = tn_got(texts);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5Tget_cset(stored));
    if (s == TN_OK && out->count > 0 && read_holder(h, type, texts) < 0)
        s = fail_hdf5(f, what);
    if (s == TN_OK) {
        s = join_texts(f, texts, out);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    }
    tn_free(texts);
    H5Tclose(type);
    return s;
}

// Texts of equal length, as other programs may write them.
static tn_status read_fixed(const hdf5_file *f, holder h, const char *what, hid_t stored,
                            tn_data_bytes *out)
{
    const size_t size = H5Tget_size(stored), n = (size_t)out->count;
    tn_data_bytes all;
    if (size == 0 || size > MOST_TEXT || n > MOST_TEXT / size)
        return fail_damaged(f, what, "holds a text of impossible length");
    TN_TRY(make_room(f, n * size, &all));
    tn_status s = make_room(f, n * (size + 1), out);
    if (s == TN_OK && n > 0 && read_holder(h, stored, all.at) < 0)
        s = fail_hdf5(f, what);
    char *to = out->at;
    for (size_t i = 0; s == TN_OK && i < n; i++, to += strlen(to) + 1)
        memcpy(to, all.at + i * size, size);
    out->size = (size_t)(to - out->at);
    tn_free(all.at);
    return s;
}

static tn_status read_ints(const hdf5_file *f, holder h, const char *what, tn_data_bytes *out)
{
    TN_TRY(make_room(f, (size_t)out->count * sizeof(int), out));
    return out->count > 0 && read_holder(h, H5T_NATIVE_INT, out->at) < 0 ? fail_hdf5(f, what)
                                                                         : TN_OK;
}

static tn_status read_list(const hdf5_file *f, holder h, tn_data_list kind, const char *what,
                           tn_data_bytes *out)
{
    const hid_t stored = h.attribute ? H5Aget_type(h.id) : H5Dget_type(h.id);
    const hid_t space = h.attribute ? H5Aget_space(h.id) : H5Dget_space(h.id);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    tn_status s = TN_OK;
    out->count = (int)n;
    if (n < 0 || n > f->size || n > INT_MAX / 2)
        s = fail_damaged(f, what, "has an impossible length");
    else if (kind == TN_DATA_INTS || kind == TN_DATA_NUMBER)
        s = read_ints(f, h, what, out);
    else if (H5Tget_class(stored) != H5T_STRING)
        s = fail_damaged(f, what, "holds no text");
    else if (H5Tis_variable_str(stored) > 0)
        s = read_variable(f, h, what, stored, space, out);
    else
        s = read_fixed(f, h, what, stored, out);
    H5Sclose(space);
    H5Tclose(stored);
    return s;
}

// Positive when it is there, 0 when not, negative when HDF5 cannot find out. The groups on the way
// must be there before the link in them is asked for.
static htri_t has_link(const hdf5_file *f, const char *path)
{
    char group[2 * NAME_SIZE];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(group, sizeof(group), "%.*s", (int)(slash - path), path);
        const htri_t there = H5Lexists(f->file, group, H5P_DEFAULT);
        if (there <= 0)
            return there;
    }
    return H5Lexists(f->file, path, H5P_DEFAULT);
}

static tn_status read_names(const hdf5_file *f, const char *group, tn_data_bytes *out)
{
    H5G_info_t info;
    tn_buffer text = {0};
    tn_status s = TN_OK;
    if (H5Gget_info_by_name(f->file, group, &info, H5P_DEFAULT) < 0)
        return fail_hdf5(f, group);
    if (info.nlinks > MOST_NAMES)
        return fail_damaged(f, group, "has an impossible length");
    for (hsize_t i = 0; i < info.nlinks && s == TN_OK; i++) {
        char name[NAME_SIZE];
        const ssize_t n = H5Lget_name_by_idx(f->file, group, H5_INDEX_NAME, H5_ITER_INC, i, name,
                                             sizeof(name), H5P_DEFAULT);
        if (n <= 0 || n >= NAME_SIZE)
            s = fail_damaged(f, group, "has a name of impossible length");
        else
            tn_buffer_put(&text, name, (size_t)n + 1);
    }
    *out = (tn_data_bytes){(int)info.nlinks, text.length, text.text};
    return s == TN_OK && text.failed ? tn_got(false) : s;
}

static tn_status read_holder_of(const hdf5_file *f, tn_data_list kind, const char *name,
                                tn_data_bytes *out)
{
    holder h = {.attribute = kind == TN_DATA_ATTRIBUTE || kind == TN_DATA_NUMBER};
    const htri_t there = h.attribute ? H5Aexists(f->file, name) : has_link(f, name);
    if (there <= 0)
        return there < 0 ? fail_hdf5(f, name) : TN_OK;
    if (kind == TN_DATA_NAMES)
        return read_names(f, name, out);
    h.id = h.attribute ? H5Aopen(f->file, name, H5P_DEFAULT) : H5Dopen2(f->file, name, H5P_DEFAULT);
    if (h.id < 0)
        return fail_hdf5(f, name);
    const tn_status s = read_list(f, h, kind, name, out);
    close_holder(h);
    return s;
}

static tn_status hdf5_list(tn_data_file *base, tn_data_list kind, const char *name,
                           tn_data_bytes *out)
{
    *out = (tn_data_bytes){0};
    const tn_status s = read_holder_of((hdf5_file *)base, kind, name, out);
    if (s != TN_OK) {
        tn_free(out->at);
        *out = (tn_data_bytes){0};
    }
    return s;
}

// Rows -------------------------------------------------------------------------------------------

static tn_status measure_table(const hdf5_file *f, const char *path, tn_data_table *t)
{
    const hid_t set = (hid_t)t->handle, space = H5Dget_space(set), type = H5Dget_type(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    const H5T_class_t kind = H5Tget_class(type);
    const bool numbers = kind == H5T_FLOAT || (kind == H5T_INTEGER && !f->of_run);
    hsize_t shape[3] = {0, 1, 1};
    if (rank >= 1 && rank <= 3)
        H5Sget_simple_extent_dims(space, shape, NULL);
    H5Tclose(type);
    H5Sclose(space);
    if (rank < 1 || rank > 3 || !numbers)
        return fail_damaged(f, path, "is no table of numbers");
    // Every row was written: a file has more bytes than its numbers.
    const hsize_t most = (hsize_t)f->size / sizeof(double);
    const bool wide = shape[1] > INT_MAX / 8 || shape[2] > 8;
    const bool more = shape[0] > most || (shape[0] > 0 && shape[1] * shape[2] > most / shape[0]);
    if (f->of_run ? wide || more : shape[1] > INT_MAX || shape[2] > INT_MAX / (shape[1] + 1))
        return fail_damaged(f, path, "claims more rows than the file can hold");
    t->rank = rank;
    t->rows = (long)shape[0];
    t->width = (int)(shape[1] * shape[2]);
    for (int i = 0; i < 3; i++)
        t->shape[i] = shape[i];
    return TN_OK;
}

static tn_status hdf5_table(tn_data_file *base, const char *path, tn_data_table *out)
{
    const hdf5_file *f = (hdf5_file *)base;
    const htri_t there = has_link(f, path);
    *out = (tn_data_table){.handle = H5I_INVALID_HID};
    if (there <= 0)
        return there < 0 ? fail_hdf5(f, path) : TN_OK;
    out->handle = H5Dopen2(f->file, path, H5P_DEFAULT);
    return out->handle < 0 ? fail_hdf5(f, path) : measure_table(f, path, out);
}

static tn_status hdf5_read(tn_data_file *base, const tn_data_table *table, long first, long n,
                           int column, double *out)
{
    const hid_t set = (hid_t)table->handle;
    const int last = (int)table->shape[2];
    hsize_t start[3] = {(hsize_t)first, 0, 0};
    hsize_t block[3] = {(hsize_t)n, table->shape[1], table->shape[2]};
    tn_status s = TN_OK;
    if (n == 0 || table->width == 0)
        return TN_OK;
    if (column >= 0) {
        start[1] = (hsize_t)(column / last);
        start[2] = (hsize_t)(column % last);
        block[1] = block[2] = 1;
    }
    const hid_t in_file = H5Dget_space(set);
    const hid_t in_memory = H5Screate_simple(table->rank, block, NULL);
    if (H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, block, NULL) < 0 ||
        H5Dread(set, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, out) < 0) {
        char what[64];
        snprintf(what, sizeof(what), "row %ld and those that follow", first);
        s = fail_hdf5((hdf5_file *)base, what);
    }
    H5Sclose(in_memory);
    H5Sclose(in_file);
    return s;
}

// The whole -------------------------------------------------------------------------------------

static const tn_data_file_ops ops = {
    .close = hdf5_close,
    .list = hdf5_list,
    .table = hdf5_table,
    .read = hdf5_read,
};

tn_status tn_data_hdf5_open(const char *path, bool of_run, tn_data_file **out)
{
    *out = NULL;
    TN_TRY(tn_library_need(&tn_hdf5_library));
    hdf5_file *f = tn_alloc(sizeof(*f));
    TN_TRY(tn_got(f));
    f->base.ops = &ops;
    f->of_run = of_run;
    f->file = H5I_INVALID_HID;
    f->path = tn_strdup(path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // failures are returned, not printed
    const tn_status s = f->path ? open_file(f) : tn_got(false);
    TN_HAND_OUT(s, &f->base, hdf5_close, out);
}

#else

tn_status tn_data_hdf5_open(const char *path, bool of_run, tn_data_file **out)
{
    *out = NULL;
    return tn_fail(TN_ERR_USAGE,
                   "cannot read %s: this Tenon was built without HDF5; build with -DTENON_HDF5=ON",
                   path);
}

#endif
