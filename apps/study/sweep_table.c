// SPDX-License-Identifier: MIT
//
// The files of a sweep: table.csv with a row for each case, summary.json with counts and
// statistics.

#include "base/alloc.h"
#include "study/sweep_parts.h"
#include "tenon/json.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/target.h"

#include <math.h>

const char *const tn_sweep_quantile_names[] = {"q05", "q25", "q50", "q75", "q95"};
const char *const tn_sweep_states[] = {"missing", "done", "doubtful", "failed"};

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
    tn_json_put(json, "model %s command %s sample %s seed %lld status %s", s->model_path,
                s->wanted.command, s->wanted.sample, (long long)s->wanted.seed,
                tn_outcome_word(f->failed > 0     ? TN_OUTCOME_FAILED
                                : f->doubtful > 0 ? TN_OUTCOME_DOUBTFUL
                                                  : TN_OUTCOME_DONE));
    tn_json_put(json, "cases %lld done %lld doubtful %lld failed %lld missing %lld",
                (long long)f->cases, (long long)f->done, (long long)f->doubtful,
                (long long)f->failed, (long long)f->missing);
}

void tn_sweep_put_column(tn_json *json, const tn_sweep_column *c)
{
    tn_json_put(json, "name %s unit %s varied %i min %g min_case %lld max %g max_case %lld",
                c->name, c->unit, c->varied, c->least, (long long)c->least_at, c->most,
                (long long)c->most_at);
    tn_json_put(json, "mean %g deviation %g", c->mean, c->deviation);
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
    tn_json_put(json, "] plots [");
    for (int i = 0; tn_sweep_plot(s, i); i++)
        tn_json_string(json, NULL, tn_sweep_plot(s, i));
    tn_json_put(json, "] }");
    tn_status status = tn_json_finish(json);
    TN_THEN(status, tn_folder_write(s->directory, "summary.json", tn_json_text(json)));
    tn_json_destroy(json);
    return status;
}

// Writes the files that need all of the table in memory.
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
