// SPDX-License-Identifier: MIT
//
// table.h5: the table of a sweep as HDF5, laid out in memory by a child process, as for linear
// models, and written at once. It has neither times nor names of workers: the same cases make the
// same bytes. docs/guide/sweep.md describes it.

#include "base/alloc.h"
#include "file/hdf5_write.h"
#include "study/sweep_parts.h"

#ifdef TN_WITH_HDF5

typedef struct table {
    const tn_sweep *sweep;
    const tn_sweep_facts *facts;
    const sweep_rows *rows;
} table;

static void put_list(tn_hdf5_out *f, const char *name, hid_t stored, hid_t type, int64_t n,
                     const void *values)
{
    const hsize_t shape = (hsize_t)n;
    tn_hdf5_put(f, name, stored, type, 1, &shape, values);
}

static void put_word(tn_hdf5_out *f, const char *name, const char *word)
{
    tn_hdf5_about(f, f->file, name, f->text, f->text, -1, &word);
}

static void put_count(tn_hdf5_out *f, const char *name, int64_t count)
{
    const long long value = count;
    tn_hdf5_about(f, f->file, name, H5T_STD_I64LE, H5T_NATIVE_LLONG, -1, &value);
}

// The parts ---------------------------------------------------------------------------------------

static void put_facts(tn_hdf5_out *f, const table *t)
{
    put_word(f, "format", "tenon-sweep");
    put_count(f, "version", 1);
    put_word(f, "model", t->sweep->model_path);
    put_word(f, "sample", t->sweep->wanted.sample);
    put_count(f, "seed", (int64_t)t->sweep->wanted.seed);
    put_count(f, "cases", t->facts->cases);
    put_count(f, "done", t->facts->done);
    put_count(f, "doubtful", t->facts->doubtful);
    put_count(f, "failed", t->facts->failed);
    put_count(f, "missing", t->facts->missing);
}

// Names, units and kinds of columns, as attributes of what has these columns or rows.
static tn_status put_columns(tn_hdf5_out *f, const table *t, hid_t set)
{
    const int n = t->facts->ncolumn;
    const char **names = tn_alloc(sizeof *names * (size_t)n);
    const char **units = tn_alloc(sizeof *units * (size_t)n);
    signed char *varied = tn_alloc((size_t)n);
    const bool got = names && units && varied;
    for (int i = 0; i < n && got; i++) {
        names[i] = t->facts->columns[i].name;
        units[i] = t->facts->columns[i].unit;
        varied[i] = t->facts->columns[i].varied;
    }
    if (got) {
        tn_hdf5_about(f, set, "columns", f->text, f->text, n, names);
        tn_hdf5_about(f, set, "units", f->text, f->text, n, units);
        tn_hdf5_about(f, set, "varied", H5T_STD_I8LE, H5T_NATIVE_SCHAR, n, varied);
    }
    TN_FREE(names, units, varied);
    return tn_got(got);
}

static tn_status put_table(tn_hdf5_out *f, const table *t)
{
    const hsize_t shape[2] = {(hsize_t)t->rows->count, (hsize_t)t->facts->ncolumn};
    const hid_t set =
        tn_hdf5_put_open(f, "values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, shape, t->rows->values);
    const tn_status s = put_columns(f, t, set);
    H5Dclose(set);
    put_list(f, "case", H5T_STD_I64LE, H5T_NATIVE_LLONG, t->rows->count, t->rows->index);
    const hsize_t rows = (hsize_t)t->rows->count;
    const hid_t status =
        tn_hdf5_put_open(f, "status", H5T_STD_I8LE, H5T_NATIVE_SCHAR, 1, &rows, t->rows->state);
    tn_hdf5_about(f, status, "words", f->text, f->text, TN_CASE_FAILED + 1, tn_sweep_states);
    H5Dclose(status);
    return s;
}

static tn_status put_reasons(tn_hdf5_out *f, const table *t)
{
    const sweep_rows *rows = t->rows;
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

static tn_status put_statistics(tn_hdf5_out *f, const table *t)
{
    static const char *const names[] = {"min", "max", "mean", "deviation", "q05",
                                        "q25", "q50", "q75",  "q95"};
    enum { WIDTH = TN_COUNT(names) };
    const hsize_t shape[2] = {(hsize_t)t->facts->ncolumn, WIDTH};
    double *values = tn_alloc(sizeof *values * WIDTH * (size_t)t->facts->ncolumn);
    TN_TRY(tn_got(values));
    for (int i = 0; i < t->facts->ncolumn; i++) {
        const tn_sweep_column *c = &t->facts->columns[i];
        double *row = values + WIDTH * i;
        row[0] = c->least, row[1] = c->most, row[2] = c->mean, row[3] = c->deviation;
        for (int k = 0; k < TN_SWEEP_QUANTILES; k++)
            row[4 + k] = c->quantile[k];
    }
    const hid_t set =
        tn_hdf5_put_open(f, "statistics", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, shape, values);
    tn_hdf5_about(f, set, "names", f->text, f->text, WIDTH, names);
    H5Dclose(set);
    tn_free(values);
    return TN_OK;
}

// The file ----------------------------------------------------------------------------------------

static tn_status put_all(tn_hdf5_out *f, const void *user)
{
    const table *t = user;
    put_facts(f, t);
    TN_TRY(put_table(f, t));
    TN_TRY(put_reasons(f, t));
    return put_statistics(f, t);
}

tn_status tn_sweep_write_hdf5(const tn_sweep *sweep, const tn_sweep_facts *facts,
                              const sweep_rows *rows)
{
    char *path = tn_sweep_file(sweep->directory, "table.h5");
    TN_TRY(tn_got(path));
    const tn_status s = tn_hdf5_write(path, put_all, &(table){sweep, facts, rows});
    tn_free(path);
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
