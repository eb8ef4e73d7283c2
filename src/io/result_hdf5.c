// SPDX-License-Identifier: MIT
//
// Reads HDF5 files of results, in the child of io/result_remote.c.

#include "io/result_file.h"

#include "base/alloc.h"

#ifdef TN_WITH_HDF5

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_TEXT = 1 << 26 }; // bytes of a text; more is damage

typedef struct hdf5_file {
    tn_result_file base;
    hid_t file;
    char *path;
    long long size; // bytes
} hdf5_file;

// The innermost entry of the error stack says most.
static herr_t take_reason(unsigned n, const H5E_error2_t *entry, void *user)
{
    if (n == 0)
        snprintf(user, 256, "%s", entry->desc ? entry->desc : "HDF5 failed");
    return 0;
}

static tn_status fail_hdf5(const hdf5_file *f, const char *what)
{
    char reason[256] = "unknown reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    return tn_fail(TN_ERR_FILE, "%s is damaged: %s cannot be read (%s)", f->path, what, reason);
}

static tn_status fail_damaged(const hdf5_file *f, const char *what, const char *why)
{
    return tn_fail(TN_ERR_FILE, "%s is damaged: %s %s", f->path, what, why);
}

// Opening ----------------------------------------------------------------------------------------

static tn_status fail_open(const hdf5_file *f)
{
    char reason[256] = "unknown reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    if (strstr(reason, "truncated"))
        return tn_fail(TN_ERR_FILE,
                       "%s is cut short at %lld bytes; copy it again or repeat the run", f->path,
                       f->size);
    if (strstr(reason, "signature"))
        return tn_fail(TN_ERR_FILE, "%s is no HDF5 file, or its beginning is damaged", f->path);
    return tn_fail(TN_ERR_FILE, "%s is damaged: HDF5 cannot open it (%s)", f->path, reason);
}

static tn_status result_hdf5_open_file(hdf5_file *f)
{
    struct stat info;
    if (stat(f->path, &info) != 0)
        return tn_fail(TN_ERR_FILE, "cannot read %s: %s", f->path, strerror(errno));
    f->size = (long long)info.st_size;
    if (f->size == 0)
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

static void hdf5_close(tn_result_file *file)
{
    hdf5_file *f = (hdf5_file *)file;
    H5E_BEGIN_TRY
    {
        if (f->file >= 0)
            H5Fclose(f->file);
        H5Eclear2(H5E_DEFAULT);
    }
    H5E_END_TRY
    TN_FREE(f->path, f);
}

// Texts ------------------------------------------------------------------------------------------

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

// Copies n texts behind their n pointers in one block.
static char **pack_texts(int n, char *const *texts)
{
    size_t bytes = (size_t)(n + 1) * sizeof(char *);
    for (int i = 0; i < n; i++)
        bytes += (texts[i] ? strlen(texts[i]) : 0) + 1;
    char **out = tn_alloc(bytes);
    char *to = out ? (char *)(out + n + 1) : NULL;
    for (int i = 0; out && i < n; i++) {
        const size_t length = texts[i] ? strlen(texts[i]) : 0;
        memcpy(to, texts[i] ? texts[i] : "", length + 1);
        out[i] = to;
        to += length + 1;
    }
    return out;
}

static tn_status read_variable(const hdf5_file *f, holder h, const char *what, int n, char ***out)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hid_t space = h.attribute ? H5Aget_space(h.id) : H5Dget_space(h.id);
    const hid_t stored = h.attribute ? H5Aget_type(h.id) : H5Dget_type(h.id);
    char **texts = tn_alloc((size_t)(n + 1) * sizeof(*texts));
    tn_status s = texts ? TN_OK : tn_fail(TN_ERR_MEMORY, "%s: out of memory", f->path);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5Tget_cset(stored));
    if (s == TN_OK && n > 0 && read_holder(h, type, texts) < 0)
        s = fail_hdf5(f, what);
    if (s == TN_OK) {
        *out = pack_texts(n, texts);
        if (!*out)
            s = tn_fail(TN_ERR_MEMORY, "%s: out of memory", f->path);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    }
    tn_free(texts);
    H5Tclose(stored);
    H5Sclose(space);
    H5Tclose(type);
    return s;
}

// Texts of equal length, as other programs may write them.
static tn_status read_fixed(const hdf5_file *f, holder h, const char *what, hid_t stored, int n,
                            char ***out)
{
    const size_t size = H5Tget_size(stored);
    if (size == 0 || size > MOST_TEXT || (size_t)n > MOST_TEXT / size)
        return fail_damaged(f, what, "holds a text of impossible length");
    char *bytes = tn_alloc((size_t)n * (size + 1) + 1);
    char **texts = tn_alloc((size_t)(n + 1) * sizeof(*texts));
    tn_status s = bytes && texts ? TN_OK : tn_fail(TN_ERR_MEMORY, "%s: out of memory", f->path);
    if (s == TN_OK && n > 0 && read_holder(h, stored, bytes) < 0)
        s = fail_hdf5(f, what);
    for (int i = n - 1; s == TN_OK && i >= 0; i--) { // makes room for the zero behind each
        texts[i] = bytes + (size_t)i * (size + 1);
        memmove(texts[i], bytes + (size_t)i * size, size);
        texts[i][size] = '\0';
    }
    if (s == TN_OK && !(*out = pack_texts(n, texts)))
        s = tn_fail(TN_ERR_MEMORY, "%s: out of memory", f->path);
    TN_FREE(texts, bytes);
    return s;
}

static tn_status read_texts(const hdf5_file *f, holder h, const char *what, int *count, char ***out)
{
    const hid_t stored = h.attribute ? H5Aget_type(h.id) : H5Dget_type(h.id);
    const hid_t space = h.attribute ? H5Aget_space(h.id) : H5Dget_space(h.id);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    tn_status s = TN_OK;
    if (n < 0 || n > f->size || n > INT_MAX / 2)
        s = fail_damaged(f, what, "has an impossible length");
    else if (H5Tget_class(stored) != H5T_STRING)
        s = fail_damaged(f, what, "holds no text");
    else if (H5Tis_variable_str(stored) > 0)
        s = read_variable(f, h, what, (int)n, out);
    else
        s = read_fixed(f, h, what, stored, (int)n, out);
    *count = s == TN_OK ? (int)n : 0;
    H5Sclose(space);
    H5Tclose(stored);
    return s;
}

static tn_status one_text(tn_status s, int count, char **texts, char **out)
{
    if (s == TN_OK && count > 0) {
        *out = tn_strdup(texts[0]);
        if (!*out)
            s = tn_fail(TN_ERR_MEMORY, "out of memory");
    }
    tn_free(texts);
    return s;
}

// Positive when it is there, 0 when not, negative when HDF5 cannot tell.
static htri_t has_link(const hdf5_file *f, const char *path)
{
    const char *slash = strchr(path, '/');
    if (slash) { // the group must be there before the link in it is asked for
        char group[64];
        snprintf(group, sizeof(group), "%.*s", (int)(slash - path), path);
        const htri_t there = H5Lexists(f->file, group, H5P_DEFAULT);
        if (there <= 0)
            return there;
    }
    return H5Lexists(f->file, path, H5P_DEFAULT);
}

static tn_status hdf5_attribute(tn_result_file *base, const char *name, char **out)
{
    hdf5_file *file = (hdf5_file *)base;
    tn_status s = TN_OK;
    char **texts = NULL;
    int count = 0;
    *out = NULL;
    H5E_BEGIN_TRY
    {
        const htri_t there = H5Aexists(file->file, name);
        if (there < 0)
            s = fail_hdf5(file, name);
        if (there > 0) {
            const holder h = {H5Aopen(file->file, name, H5P_DEFAULT), true};
            s = h.id < 0 ? fail_hdf5(file, name) : read_texts(file, h, name, &count, &texts);
            close_holder(h);
        }
        H5Eclear2(H5E_DEFAULT);
    }
    H5E_END_TRY
    return one_text(s, count, texts, out);
}

static tn_status hdf5_texts(tn_result_file *base, const char *path, int *count, char ***out)
{
    hdf5_file *file = (hdf5_file *)base;
    tn_status s = TN_OK;
    *count = 0;
    *out = NULL;
    H5E_BEGIN_TRY
    {
        const htri_t there = has_link(file, path);
        if (there < 0)
            s = fail_hdf5(file, path);
        if (there > 0) {
            const holder h = {H5Dopen2(file->file, path, H5P_DEFAULT), false};
            s = h.id < 0 ? fail_hdf5(file, path) : read_texts(file, h, path, count, out);
            close_holder(h);
        }
        H5Eclear2(H5E_DEFAULT);
    }
    H5E_END_TRY
    return s;
}

// Numbers ----------------------------------------------------------------------------------------

static tn_status read_ints(const hdf5_file *f, const char *path, int *count, int **out)
{
    const hid_t set = H5Dopen2(f->file, path, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    tn_status s = TN_OK;
    if (set < 0 || n < 0 || n > f->size) {
        s = fail_hdf5(f, path);
    } else {
        *out = tn_alloc((size_t)(n + 1) * sizeof(int));
        if (!*out)
            s = tn_fail(TN_ERR_MEMORY, "%s: out of memory", f->path);
        else if (n > 0 && H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0)
            s = fail_hdf5(f, path);
    }
    *count = s == TN_OK ? (int)n : 0;
    H5Sclose(space);
    H5Dclose(set);
    return s;
}

static tn_status hdf5_ints(tn_result_file *base, const char *path, int *count, int **out)
{
    hdf5_file *file = (hdf5_file *)base;
    tn_status s = TN_OK;
    *count = 0;
    *out = NULL;
    H5E_BEGIN_TRY
    {
        const htri_t there = has_link(file, path);
        if (there != 0)
            s = there < 0 ? fail_hdf5(file, path) : read_ints(file, path, count, out);
        H5Eclear2(H5E_DEFAULT);
    }
    H5E_END_TRY
    if (s != TN_OK) {
        tn_free(*out);
        *out = NULL;
    }
    return s;
}

static tn_status measure_table(const hdf5_file *f, const char *path, tn_result_table *t)
{
    const hid_t set = (hid_t)t->handle, space = H5Dget_space(set), type = H5Dget_type(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    const bool numbers = H5Tget_class(type) == H5T_FLOAT;
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
    if (wide || shape[0] > most || (shape[0] > 0 && shape[1] * shape[2] > most / shape[0]))
        return fail_damaged(f, path, "claims more rows than the file can hold");
    t->rank = rank;
    t->rows = (long)shape[0];
    t->width = (int)(shape[1] * shape[2]);
    for (int i = 0; i < 3; i++)
        t->shape[i] = shape[i];
    return TN_OK;
}

static void hdf5_table_close(tn_result_file *base, tn_result_table *table)
{
    if (table->handle >= 0)
        H5Dclose((hid_t)table->handle);
    table->handle = H5I_INVALID_HID;
}

static tn_status hdf5_table(tn_result_file *base, const char *path, tn_result_table *out)
{
    hdf5_file *file = (hdf5_file *)base;
    tn_status s = TN_OK;
    *out = (tn_result_table){.handle = H5I_INVALID_HID};
    H5E_BEGIN_TRY
    {
        const htri_t there = has_link(file, path);
        if (there < 0)
            s = fail_hdf5(file, path);
        if (there > 0) {
            out->handle = H5Dopen2(file->file, path, H5P_DEFAULT);
            s = out->handle < 0 ? fail_hdf5(file, path) : measure_table(file, path, out);
        }
        H5Eclear2(H5E_DEFAULT);
    }
    H5E_END_TRY
    if (s != TN_OK)
        hdf5_table_close(base, out);
    return s;
}

static tn_status hdf5_read(tn_result_file *base, const tn_result_table *table, long first, long n,
                           int column, double *out)
{
    hdf5_file *file = (hdf5_file *)base;
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
    H5E_BEGIN_TRY
    {
        const hid_t in_file = H5Dget_space(set);
        const hid_t in_memory = H5Screate_simple(table->rank, block, NULL);
        if (H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, block, NULL) < 0 ||
            H5Dread(set, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, out) < 0) {
            char what[64];
            snprintf(what, sizeof(what), "row %ld and those that follow", first);
            s = fail_hdf5(file, what);
        }
        H5Sclose(in_memory);
        H5Sclose(in_file);
        H5Eclear2(H5E_DEFAULT);
    }
    H5E_END_TRY
    return s;
}

// The whole -------------------------------------------------------------------------------------

static const tn_result_file_ops ops = {
    .close = hdf5_close,
    .attribute = hdf5_attribute,
    .texts = hdf5_texts,
    .ints = hdf5_ints,
    .table = hdf5_table,
    .table_close = hdf5_table_close,
    .read = hdf5_read,
};

tn_status tn_result_hdf5_open(const char *path, tn_result_file **out)
{
    tn_status s = TN_OK;
    *out = NULL;
    hdf5_file *f = tn_alloc(sizeof(*f));
    if (!f)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", path);
    f->base.ops = &ops;
    f->file = H5I_INVALID_HID;
    f->path = tn_strdup(path);
    if (!f->path)
        s = tn_fail(TN_ERR_MEMORY, "%s: out of memory", path);
    H5E_BEGIN_TRY
    {
        TN_THEN(s, result_hdf5_open_file(f));
        H5Eclear2(H5E_DEFAULT);
    }
    H5E_END_TRY
    TN_HAND_OUT(s, &f->base, hdf5_close, out);
}

#else

tn_status tn_result_hdf5_open(const char *path, tn_result_file **out)
{
    *out = NULL;
    return tn_fail(TN_ERR_USAGE,
                   "cannot read %s: this Tenon was built without HDF5; build with -DTENON_HDF5=ON",
                   path);
}

#endif
