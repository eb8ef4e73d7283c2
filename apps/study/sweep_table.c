// SPDX-License-Identifier: MIT
//
// The files of a sweep: table.csv with a row for each case, summary.json with counts and
// statistics, table.h5, report.html.

#include "base/alloc.h"
#include "file/hdf5_write.h"
#include "file/json_stream.h"
#include "page/page_parts.h"
#include "study/sweep_parts.h"
#include "tenon/json.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/notes.h"
#include "text/target.h"

#include <math.h>

static const char *const states[] = {"missing", "done", "doubtful", "failed"}; // by tn_case_state
// Members of columns.
static const char *const statistics[] = {"min", "max", "mean", "deviation", "q05",
                                         "q25", "q50", "q75",  "q95"};
enum { STATISTICS = TN_COUNT(statistics), QUANTILES = STATISTICS - TN_SWEEP_QUANTILES };

static void put_heads(tn_buffer *b, const tn_sweep *s, int ncolumn)
{
    tn_buffer_say(b, "case");
    for (int i = 0; i < ncolumn; i++) {
        const tn_sweep_column *c = &s->columns[i];
        tn_buffer_say(b, ",");
        tn_csv_name(b, c->name, c->unit);
    }
    tn_buffer_say(b, ",status,reason\n");
}

static tn_status put_case(tn_sweep *s, int ncolumn, int64_t index, tn_buffer *b)
{
    tn_case_state state;
    const char *reason = "";
    TN_TRY(tn_sweep_case(s, index, &state, s->values, &reason));
    if (state == TN_CASE_MISSING)
        return TN_OK;
    tn_buffer_format(b, "%lld", (long long)index);
    for (int i = 0; i < ncolumn; i++) {
        tn_buffer_say(b, ",");
        tn_csv_finite(b, s->values[i]);
    }
    tn_buffer_format(b, ",%s,", states[state]);
    tn_buffer_field(b, reason);
    tn_buffer_say(b, "\n");
    return TN_OK;
}

static tn_status write_table(tn_sweep *s, int ncolumn)
{
    char *path = tn_sweep_file(s->directory, "table.csv");
    tn_target target;
    TN_TRY(tn_got(path));
    tn_status status = tn_target_open(path, &target);
    tn_free(path);
    TN_TRY(status);
    tn_buffer b = {0};
    put_heads(&b, s, ncolumn);
    for (int64_t i = 0; status == TN_OK && i < s->sample.cases; i++) {
        status = put_case(s, ncolumn, i, &b);
        if (status == TN_OK && (b.length > (1u << 16) || i == s->sample.cases - 1)) {
            status = b.failed ? TN_ERR_MEMORY : tn_target_put(&target, b.text, b.length);
            b.length = 0;
        }
    }
    tn_free(b.text);
    return tn_target_close(&target, status);
}

static void put_facts(tn_json *json, const tn_sweep *s, const tn_sweep_facts *f)
{
    tn_json_put(json, "model %s command %s sample %s seed %lld status %s", s->model_path,
                s->wanted.command, s->wanted.sample, (long long)s->wanted.seed,
                tn_outcome_word(f->failed > 0     ? TN_OUTCOME_FAILED
                                : f->doubtful > 0 ? TN_OUTCOME_DOUBTFUL
                                                  : TN_OUTCOME_DONE));
    tn_json_put(json, "cases %lld done %lld doubtful %lld failed %lld missing %lld",
                (long long)f->cases, (long long)f->done, (long long)f->doubtful,
                (long long)f->failed, (long long)f->missing);
}

static void put_column(tn_json *json, const tn_sweep_column *c)
{
    tn_json_put(json, "name %s unit %s varied %i min %g min_case %lld max %g max_case %lld",
                c->name, c->unit, c->varied, c->least, (long long)c->least_at, c->most,
                (long long)c->most_at);
    tn_json_put(json, "mean %g deviation %g", c->mean, c->deviation);
    for (int k = 0; k < TN_SWEEP_QUANTILES; k++)
        tn_json_number(json, statistics[QUANTILES + k], c->quantile[k]);
}

static tn_status write_summary(tn_sweep *s, const tn_sweep_facts *f)
{
    tn_json *json = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    put_facts(json, s, f);
    tn_json_begin_array(json, "columns");
    for (int i = 0; i < f->ncolumn; i++) {
        tn_json_begin_object(json, NULL);
        put_column(json, &f->columns[i]);
        tn_json_end_object(json);
    }
    tn_json_put(json, "] plots [");
    for (int i = 0; tn_sweep_plot(s, i); i++)
        tn_json_string(json, NULL, tn_sweep_plot(s, i));
    tn_json_put(json, "] }");
    tn_status status = tn_json_finish(json);
    TN_THEN(status, tn_folder_write(s->directory, "summary.json", tn_json_text(json)));
    tn_json_destroy(json);
    return status;
}

// All of it in memory: table.h5 and report.html, where they are built in -------------------------

typedef struct table {
    tn_sweep *sweep;
    const tn_sweep_facts *facts;
    sweep_rows rows;
    int64_t every; // case is shown
} table;

#ifdef TN_WITH_HDF5

// table.h5 is laid out in memory by a child process, as linear models are, and written at once. It
// has neither times nor names of workers: the same cases make the same bytes. docs/guide/sweep.md
// describes it.

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

static void describe(tn_hdf5_out *f, const table *t)
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
static tn_status describe_columns(tn_hdf5_out *f, const table *t, hid_t set)
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
    const hsize_t shape[2] = {(hsize_t)t->rows.count, (hsize_t)t->facts->ncolumn};
    const hid_t set =
        tn_hdf5_put_open(f, "values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, shape, t->rows.values);
    const tn_status s = describe_columns(f, t, set);
    H5Dclose(set);
    put_list(f, "case", H5T_STD_I64LE, H5T_NATIVE_LLONG, t->rows.count, t->rows.index);
    const hsize_t rows = (hsize_t)t->rows.count;
    const hid_t status =
        tn_hdf5_put_open(f, "status", H5T_STD_I8LE, H5T_NATIVE_SCHAR, 1, &rows, t->rows.state);
    tn_hdf5_about(f, status, "words", f->text, f->text, TN_CASE_FAILED + 1, states);
    H5Dclose(status);
    return s;
}

static tn_status store_reasons(tn_hdf5_out *f, const table *t)
{
    const sweep_rows *rows = &t->rows;
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
    const hsize_t shape[2] = {(hsize_t)t->facts->ncolumn, STATISTICS};
    double *values = tn_alloc(sizeof *values * STATISTICS * (size_t)t->facts->ncolumn);
    TN_TRY(tn_got(values));
    for (int i = 0; i < t->facts->ncolumn; i++) {
        const tn_sweep_column *c = &t->facts->columns[i];
        double *row = values + STATISTICS * i;
        row[0] = c->least, row[1] = c->most, row[2] = c->mean, row[3] = c->deviation;
        for (int k = 0; k < TN_SWEEP_QUANTILES; k++)
            row[QUANTILES + k] = c->quantile[k];
    }
    const hid_t set =
        tn_hdf5_put_open(f, "statistics", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, shape, values);
    tn_hdf5_about(f, set, "names", f->text, f->text, STATISTICS, statistics);
    H5Dclose(set);
    tn_free(values);
    return TN_OK;
}

static tn_status put_all(tn_hdf5_out *f, const void *user)
{
    const table *t = user;
    describe(f, t);
    TN_TRY(put_table(f, t));
    TN_TRY(store_reasons(f, t));
    return put_statistics(f, t);
}

#endif

#ifdef TN_WITH_WEB

// report.html has plots, statistics and cases, and the data in it (docs/formats/page.md). Long
// tables are thinned: every n-th case is in the page.
static const double MOST_NUMBERS = 1e6; // of a page, 11 bytes each
enum { MOST_REASONS = 2000 };

static void put_columns(const table *p, long shown, tn_json *json)
{
    const long stride = (long)p->every * p->facts->ncolumn;
    tn_json_begin_array(json, "columns");
    for (int k = 0; k < p->facts->ncolumn; k++) {
        const tn_sweep_column *c = &p->facts->columns[k];
        tn_json_begin_object(json, NULL);
        put_column(json, c);
        TN_PAGE_ARRAY(json, "values", false, shown, i, p->rows.values[k + i * stride]);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

static void put_reasons(const table *p, tn_json *json)
{
    int told = 0;
    tn_json_begin_array(json, "reasons");
    for (int64_t i = 0; i < p->rows.count && told < MOST_REASONS; i += p->every)
        if (p->rows.reason[i]) {
            tn_json_object(json, NULL, "case %lld text %s", (long long)p->rows.index[i],
                           p->rows.reason[i]);
            told++;
        }
    tn_json_end_array(json);
}

static tn_status write_data(void *user, tn_page_sink sink)
{
    const table *p = user;
    const long shown = (long)((p->rows.count + p->every - 1) / p->every);
    tn_json *json = NULL;
    TN_TRY(tn_json_stream(sink, &json));
    tn_json_put(json, "{ kind %s tenon %s", "sweep", tn_version());
    put_facts(json, p->sweep, p->facts);
    tn_json_integer(json, "every", p->every);
    TN_PAGE_ARRAY(json, "index", false, shown, i, (double)p->rows.index[i * p->every]);
    TN_PAGE_ARRAY(json, "status", true, shown, i, p->rows.state[i * p->every]);
    put_columns(p, shown, json);
    put_reasons(p, json);
    tn_json_end_object(json);
    const tn_status s = tn_json_finish(json);
    tn_json_destroy(json);
    return s;
}

#endif

static tn_status write_table_files(table *t)
{
    tn_status s = TN_OK;
#ifdef TN_WITH_HDF5
    char *file = tn_sweep_file(t->sweep->directory, "table.h5");
    TN_TRY(tn_got(file));
    s = tn_hdf5_write(file, put_all, t);
    tn_free(file);
#endif
#ifdef TN_WITH_WEB
    char *page = tn_sweep_file(t->sweep->directory, "report.html");
    TN_THEN(s, tn_got(page));
    t->every = 1 + (int64_t)((double)t->rows.count * (t->facts->ncolumn + 2) / MOST_NUMBERS);
    TN_THEN(s, tn_page_write(page, TN_PAGE_SWEEP, write_data, t));
    tn_free(page);
#endif
    return s;
}

static tn_status write_whole(tn_sweep *s, const tn_sweep_facts *f)
{
    table t = {.sweep = s, .facts = f};
    if (!tn_sweep_fits(s)) {
        tn_tell(s->wanted.teller,
                "the table is too large for HDF5, quantiles, pictures and a page; "
                "table.csv has all of it");
        return TN_OK;
    }
    TN_TRY(tn_sweep_load(s, &t.rows));
    tn_status status = write_table_files(&t);
    TN_THEN(status, tn_sweep_write_plots(s, f, &t.rows));
    tn_sweep_free_rows(&t.rows);
    return status;
}

static tn_status write_all(tn_sweep *s)
{
    tn_sweep_facts f;
    TN_TRY(tn_sweep_found(s, &f));
    TN_TRY(write_table(s, f.ncolumn));
    TN_TRY(write_whole(s, &f));
    return write_summary(s, &f); // names the pictures
}

tn_status tn_sweep_write(tn_sweep *sweep)
{
    TN_NEED(sweep, TN_ERR_USAGE);
    const tn_status s = write_all(sweep);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}
