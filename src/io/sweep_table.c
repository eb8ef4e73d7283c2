// SPDX-License-Identifier: MIT
//
// The files of a sweep: table.csv with a row for each case, summary.json with counts and
// statistics.

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/number.h"
#include "io/sweep_parts.h"
#include "io/target.h"
#include "tenon/json.h"

#include <math.h>

const char *const tn_sweep_quantile_names[] = {"q05", "q25", "q50", "q75", "q95"};
const char *const tn_sweep_states[] = {"missing", "done", "doubtful", "failed"};

static void put_number(tn_buffer *b, double x)
{
    char text[TN_NUMBER_SIZE];
    if (isfinite(x)) {
        tn_number_text(x, text);
        tn_buffer_say(b, text);
    }
}

static void put_heads(tn_buffer *b, const tn_sweep *s, int ncolumn)
{
    tn_buffer_say(b, "case");
    for (int i = 0; i < ncolumn; i++) {
        const tn_sweep_column *c = &s->columns[i];
        char *name = *c->unit ? tn_format("%s [%s]", c->name, c->unit) : tn_strdup(c->name);
        tn_buffer_say(b, ",");
        tn_buffer_field(b, name ? name : "");
        b->failed |= !name;
        tn_free(name);
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
        put_number(b, s->values[i]);
    }
    tn_buffer_format(b, ",%s,", tn_sweep_states[state]);
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

void tn_sweep_put_facts(tn_json *json, const tn_sweep *s, const tn_sweep_facts *f)
{
    tn_json_string(json, "model", s->model_path);
    tn_json_string(json, "command", s->wanted.command);
    tn_json_string(json, "sample", s->wanted.sample);
    tn_json_integer(json, "seed", (long long)s->wanted.seed);
    tn_json_integer(json, "cases", f->cases);
    tn_json_integer(json, "done", f->done);
    tn_json_integer(json, "doubtful", f->doubtful);
    tn_json_integer(json, "failed", f->failed);
    tn_json_integer(json, "missing", f->missing);
}

void tn_sweep_put_column(tn_json *json, const tn_sweep_column *c)
{
    tn_json_string(json, "name", c->name);
    tn_json_string(json, "unit", c->unit);
    tn_json_boolean(json, "varied", c->varied);
    tn_json_number(json, "min", c->least);
    tn_json_integer(json, "min_case", c->least_at);
    tn_json_number(json, "max", c->most);
    tn_json_integer(json, "max_case", c->most_at);
    tn_json_number(json, "mean", c->mean);
    tn_json_number(json, "deviation", c->deviation);
    for (int k = 0; k < TN_SWEEP_QUANTILES; k++)
        tn_json_number(json, tn_sweep_quantile_names[k], c->quantile[k]);
}

static tn_status write_summary(tn_sweep *s, const tn_sweep_facts *f)
{
    tn_json *json = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_sweep_put_facts(json, s, f);
    tn_json_begin_array(json, "columns");
    for (int i = 0; i < f->ncolumn; i++) {
        tn_json_begin_object(json, NULL);
        tn_sweep_put_column(json, &f->columns[i]);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
    tn_json_begin_array(json, "plots");
    for (int i = 0; tn_sweep_plot(s, i); i++)
        tn_json_string(json, NULL, tn_sweep_plot(s, i));
    tn_json_end_array(json);
    tn_json_end_object(json);
    tn_status status = tn_json_finish(json);
    TN_THEN(status, tn_folder_write(s->directory, "summary.json", tn_json_text(json)));
    tn_json_destroy(json);
    return status;
}

// What needs all of it in memory.
static tn_status write_whole(tn_sweep *s, const tn_sweep_facts *f)
{
    sweep_rows rows;
    if (!tn_sweep_fits(s)) {
        if (s->wanted.teller.tell)
            s->wanted.teller.tell(
                s->wanted.teller.user,
                "the table is too large for HDF5, quantiles, pictures and a page; "
                "table.csv has all of it");
        return TN_OK;
    }
    TN_TRY(tn_sweep_load(s, &rows));
    tn_status status = tn_sweep_write_hdf5(s, f, &rows);
    TN_THEN(status, tn_sweep_write_page(s, f, &rows));
    TN_THEN(status, tn_sweep_write_plots(s, f, &rows));
    tn_sweep_free_rows(&rows);
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
