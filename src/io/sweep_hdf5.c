// SPDX-License-Identifier: MIT
//
// table.h5: the table of a sweep as HDF5, laid out in memory by a child process, as for linear
// models, and written at once. It has neither times nor names of workers: the same cases make the
// same bytes. docs/guide/sweep.md tells what is in it.

#include "base/alloc.h"
#include "io/sweep_parts.h"
#include "io/target.h"

#ifdef TN_WITH_HDF5

#include "io/hdf5_library.h"

#include <math.h>

typedef struct image {
    const tn_sweep *sweep;
    const tn_sweep_facts *facts;
    const sweep_rows *rows;
    hid_t file, text;
    bool failed;
} image;

static hid_t note(image *f, hid_t result)
{
    f->failed = f->failed || result < 0;
    return result;
}

// Numbers and texts -------------------------------------------------------------------------------

static hid_t space_of(image *f, int rank, const hsize_t *shape)
{
    return note(f, rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape, NULL));
}

// Returns the open set.
static hid_t put_set(image *f, const char *name, hid_t stored, hid_t type, int rank,
                     const hsize_t *shape, const void *values)
{
    const hid_t space = space_of(f, rank, shape);
    const hid_t links = note(f, H5Pcreate(H5P_LINK_CREATE));
    const hid_t create = note(f, H5Pcreate(H5P_DATASET_CREATE));
    note(f, H5Pset_create_intermediate_group(links, 1));
    note(f, H5Pset_obj_track_times(create, false));
    const hid_t set = note(f, H5Dcreate2(f->file, name, stored, space, links, create, H5P_DEFAULT));
    if (shape[0] > 0)
        note(f, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    note(f, H5Pclose(create));
    note(f, H5Pclose(links));
    note(f, H5Sclose(space));
    return set;
}

static void put_list(image *f, const char *name, hid_t stored, hid_t type, int64_t n,
                     const void *values)
{
    const hsize_t shape = (hsize_t)n;
    note(f, H5Dclose(put_set(f, name, stored, type, 1, &shape, values)));
}

static void put_about(image *f, hid_t object, const char *name, hid_t stored, hid_t type, int n,
                      const void *values) // n < 0: one value, no list
{
    const hsize_t shape = (hsize_t)n;
    const hid_t space = space_of(f, n < 0 ? 0 : 1, &shape);
    const hid_t at = note(f, H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT));
    note(f, H5Awrite(at, type, values));
    note(f, H5Aclose(at));
    note(f, H5Sclose(space));
}

static void put_word(image *f, const char *name, const char *word)
{
    put_about(f, f->file, name, f->text, f->text, -1, &word);
}

static void put_count(image *f, const char *name, int64_t count)
{
    const long long value = count;
    put_about(f, f->file, name, H5T_STD_I64LE, H5T_NATIVE_LLONG, -1, &value);
}

// The parts ---------------------------------------------------------------------------------------

static void put_facts(image *f)
{
    put_word(f, "format", "tenon-sweep");
    put_count(f, "version", 1);
    put_word(f, "model", f->sweep->model_path);
    put_word(f, "sample", f->sweep->wanted.sample);
    put_count(f, "seed", (int64_t)f->sweep->wanted.seed);
    put_count(f, "cases", f->facts->cases);
    put_count(f, "done", f->facts->done);
    put_count(f, "doubtful", f->facts->doubtful);
    put_count(f, "failed", f->facts->failed);
    put_count(f, "missing", f->facts->missing);
}

// Names, units and kinds of columns, as attributes of what has these columns or rows.
static tn_status put_columns(image *f, hid_t set)
{
    const int n = f->facts->ncolumn;
    const char **names = tn_alloc(sizeof *names * (size_t)n);
    const char **units = tn_alloc(sizeof *units * (size_t)n);
    signed char *varied = tn_alloc((size_t)n);
    const bool got = names && units && varied;
    for (int i = 0; i < n && got; i++) {
        names[i] = f->facts->columns[i].name;
        units[i] = f->facts->columns[i].unit;
        varied[i] = f->facts->columns[i].varied;
    }
    if (got) {
        put_about(f, set, "columns", f->text, f->text, n, names);
        put_about(f, set, "units", f->text, f->text, n, units);
        put_about(f, set, "varied", H5T_STD_I8LE, H5T_NATIVE_SCHAR, n, varied);
    }
    TN_FREE(names, units, varied);
    return tn_got(got);
}

static tn_status put_table(image *f)
{
    const hsize_t shape[2] = {(hsize_t)f->rows->count, (hsize_t)f->facts->ncolumn};
    const hid_t set =
        put_set(f, "values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, shape, f->rows->values);
    const tn_status s = put_columns(f, set);
    note(f, H5Dclose(set));
    put_list(f, "case", H5T_STD_I64LE, H5T_NATIVE_LLONG, f->rows->count, f->rows->index);
    const hsize_t rows = (hsize_t)f->rows->count;
    const hid_t status =
        put_set(f, "status", H5T_STD_I8LE, H5T_NATIVE_SCHAR, 1, &rows, f->rows->state);
    put_about(f, status, "words", f->text, f->text, TN_CASE_FAILED + 1, tn_sweep_states);
    note(f, H5Dclose(status));
    return s;
}

static tn_status put_reasons(image *f)
{
    const sweep_rows *rows = f->rows;
    int64_t n = 0;
    long long *at = tn_alloc(sizeof *at * (size_t)(rows->count + 1));
    const char **texts = tn_alloc(sizeof *texts * (size_t)(rows->count + 1));
    const bool got = at && texts;
    for (int64_t i = 0; i < rows->count && got; i++)
        if (rows->reason[i])
            at[n] = rows->index[i], texts[n++] = rows->reason[i];
    if (got) {
        put_list(f, "reasons/case", H5T_STD_I64LE, H5T_NATIVE_LLONG, n, at);
        put_list(f, "reasons/text", f->text, f->text, n, texts);
    }
    TN_FREE(at, texts);
    return tn_got(got);
}

static tn_status put_statistics(image *f)
{
    static const char *const names[] = {"min", "max", "mean", "deviation", "q05",
                                        "q25", "q50", "q75",  "q95"};
    enum { WIDTH = TN_COUNT(names) };
    const hsize_t shape[2] = {(hsize_t)f->facts->ncolumn, WIDTH};
    double *values = tn_alloc(sizeof *values * WIDTH * (size_t)f->facts->ncolumn);
    TN_TRY(tn_got(values));
    for (int i = 0; i < f->facts->ncolumn; i++) {
        const tn_sweep_column *c = &f->facts->columns[i];
        double *row = values + WIDTH * i;
        row[0] = c->least, row[1] = c->most, row[2] = c->mean, row[3] = c->deviation;
        for (int k = 0; k < TN_SWEEP_QUANTILES; k++)
            row[4 + k] = c->quantile[k];
    }
    const hid_t set = put_set(f, "statistics", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, shape, values);
    put_about(f, set, "names", f->text, f->text, WIDTH, names);
    note(f, H5Dclose(set));
    tn_free(values);
    return TN_OK;
}

// The file ----------------------------------------------------------------------------------------

static tn_status put_all(image *f)
{
    f->text = note(f, H5Tcopy(H5T_C_S1));
    note(f, H5Tset_size(f->text, H5T_VARIABLE));
    note(f, H5Tset_cset(f->text, H5T_CSET_UTF8));
    const hid_t access = note(f, H5Pcreate(H5P_FILE_ACCESS));
    note(f, H5Pset_fapl_core(access, (size_t)1 << 20, false));
    f->file = note(f, H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access));
    if (f->failed)
        return TN_OK;
    put_facts(f);
    TN_TRY(put_table(f));
    TN_TRY(put_reasons(f));
    TN_TRY(put_statistics(f));
    note(f, H5Fflush(f->file, H5F_SCOPE_GLOBAL));
    return TN_OK;
}

static tn_status make_image(void *user, char **bytes, size_t *size)
{
    image f = *(const image *)user;
    TN_TRY(tn_library_need(&tn_hdf5_library));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    TN_TRY(put_all(&f));
    const ssize_t n = f.failed ? -1 : H5Fget_file_image(f.file, NULL, 0);
    *bytes = n > 0 ? tn_alloc((size_t)n) : NULL;
    if (!*bytes || H5Fget_file_image(f.file, *bytes, (size_t)n) != n)
        return tn_fail(TN_ERR_FILE, "HDF5 cannot lay out the table");
    *size = (size_t)n;
    return TN_OK;
}

tn_status tn_sweep_write_hdf5(const tn_sweep *sweep, const tn_sweep_facts *facts,
                              const sweep_rows *rows)
{
    static const tn_child_terms terms = {.who = "HDF5"};
    image f = {.sweep = sweep, .facts = facts, .rows = rows};
    char *bytes = NULL, *path = tn_sweep_file(sweep->directory, "table.h5");
    size_t size = 0;
    tn_status s = tn_got(path);
    TN_THEN(s, tn_target_check(path));
    if (s == TN_OK) {
        s = tn_child_take(make_image, &f, &terms, &bytes, &size);
        if (s != TN_OK)
            s = tn_fail_within(s, "%s", path);
    }
    TN_THEN(s, tn_target_write(path, bytes, size));
    TN_FREE(bytes, path);
    return s;
}

#else

tn_status tn_sweep_write_hdf5(const tn_sweep *sweep, const tn_sweep_facts *facts,
                              const sweep_rows *rows)
{
    (void)sweep, (void)facts, (void)rows;
    return TN_OK; // table.csv has it all
}

#endif
