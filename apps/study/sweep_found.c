// SPDX-License-Identifier: MIT
//
// Results of a sweep: cases one by one, counts and statistics, and cases of other folders.

#include "base/alloc.h"
#include "study/sweep_parts.h"
#include "text/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_NUMBERS = 1e8; // of a table in memory

static tn_status need_cases(const tn_sweep *s)
{
    return s->directory ? TN_OK
                        : tn_fail(TN_ERR_USAGE, "rank %d of a sweep has no cases: rank 0 has them",
                                  tn_sweep_rank(s));
}

tn_status tn_sweep_case(tn_sweep *sweep, int64_t index, tn_case_state *state, double *values,
                        const char **reason)
{
    TN_NEED_ALL(TN_ERR_USAGE, sweep, state, values);
    TN_TRY(need_cases(sweep));
    tn_sweep *s = sweep;
    const int varied = tn_sweep_varied(s);
    sweep_ended ended = {.values = values + varied};
    if (index < 0 || index >= s->sample.cases)
        return tn_fail(TN_ERR_USAGE, "tn_sweep_case: there is no case %lld of %lld",
                       (long long)index, (long long)s->sample.cases);
    TN_TRY(tn_sweep_store_get(&s->store, index, &ended));
    for (int i = 0, k = 0; i < s->axes.count; i++)
        if (s->axes.at[i].kind != SWEEP_FIXED)
            values[k++] = tn_sweep_value(&s->sample, &s->axes, i, index);
    for (int i = 0; i < s->outputs.count && ended.state == TN_CASE_MISSING; i++)
        values[varied + i] = NAN;
    *state = ended.state;
    memcpy(s->reason, ended.reason, sizeof s->reason);
    if (reason)
        *reason = s->reason;
    return TN_OK;
}

// All in memory ----------------------------------------------------------------------------------

static int column_count(const tn_sweep *s)
{
    return tn_sweep_varied(s) + s->outputs.count;
}

bool tn_sweep_fits(const tn_sweep *s)
{
    return (double)s->sample.cases * column_count(s) <= MOST_NUMBERS;
}

static tn_status load_row(tn_sweep *s, int64_t index, int width, sweep_rows *rows)
{
    tn_case_state state;
    const char *reason = NULL;
    const int64_t k = rows->count;
    TN_TRY(tn_sweep_case(s, index, &state, rows->values + k * width, &reason));
    if (state == TN_CASE_MISSING)
        return TN_OK;
    rows->index[k] = index;
    rows->state[k] = (signed char)state;
    rows->reason[k] = *reason ? tn_strdup(reason) : NULL;
    rows->count++;
    return tn_got(!*reason || rows->reason[k]);
}

tn_status tn_sweep_load(tn_sweep *s, sweep_rows *out)
{
    const size_t n = (size_t)s->sample.cases;
    const int width = column_count(s);
    *out = (sweep_rows){.index = tn_alloc(sizeof *out->index * n),
                        .state = tn_alloc(n),
                        .reason = tn_alloc(sizeof *out->reason * n),
                        .values = tn_alloc(sizeof *out->values * n * (size_t)width)};
    tn_status status = tn_got(out->index && out->state && out->reason && out->values);
    for (int64_t i = 0; status == TN_OK && i < s->sample.cases; i++)
        status = load_row(s, i, width, out);
    if (status != TN_OK)
        tn_sweep_free_rows(out);
    return status;
}

void tn_sweep_free_rows(sweep_rows *rows)
{
    for (int64_t i = 0; rows->reason && i < rows->count; i++)
        tn_free(rows->reason[i]);
    TN_FREE(rows->index, rows->state, rows->reason, rows->values);
    *rows = (sweep_rows){0};
}

// Statistics -------------------------------------------------------------------------------------

int tn_sweep_by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Type 7 of Hyndman and Fan: Sample quantiles in statistical packages, The American Statistician 50
// (1996), which NumPy takes as well.
static void take_quantiles(tn_sweep_column *c, int64_t n, double *values)
{
    static const double levels[TN_SWEEP_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    if (n == 0)
        return;
    qsort(values, (size_t)n, sizeof *values, tn_sweep_by_size);
    for (int k = 0; k < TN_SWEEP_QUANTILES; k++) {
        const double at = levels[k] * (double)(n - 1), low = floor(at);
        const int64_t i = (int64_t)low, next = i + 1 < n ? i + 1 : i;
        c->quantile[k] = values[i] + (at - low) * (values[next] - values[i]);
    }
}

static tn_status find_quantiles(tn_sweep *s)
{
    sweep_rows rows;
    if (!tn_sweep_fits(s))
        return TN_OK;
    TN_TRY(tn_sweep_load(s, &rows));
    const int width = column_count(s);
    double *values = tn_alloc(sizeof *values * (size_t)(rows.count + 1));
    for (int i = 0; i < width && values; i++) {
        int64_t n = 0;
        for (int64_t k = 0; k < rows.count; k++)
            if (!isnan(rows.values[k * width + i]))
                values[n++] = rows.values[k * width + i];
        take_quantiles(&s->columns[i], n, values);
    }
    tn_sweep_free_rows(&rows);
    const tn_status status = tn_got(values);
    tn_free(values);
    return status;
}

// Mean and deviation as they come [Welford: Note on a method for calculating corrected sums of
// squares and products, Technometrics 4 (1962)].
static void add_to_column(tn_sweep_column *c, int64_t *n, double *squares, double x, int64_t index)
{
    if (isnan(x))
        return;
    const double away = x - (*n ? c->mean : 0.0);
    ++*n;
    c->mean = *n > 1 ? c->mean + away / (double)*n : x;
    *squares += *n > 1 ? away * (x - c->mean) : 0.0;
    if (*n == 1 || x < c->least)
        c->least = x, c->least_at = index;
    if (*n == 1 || x > c->most)
        c->most = x, c->most_at = index;
}

tn_status tn_sweep_found(tn_sweep *sweep, tn_sweep_facts *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, sweep, out);
    tn_sweep *s = sweep;
    const int ncolumn = column_count(s);
    int64_t count[TN_CASE_FAILED + 1] = {0};
    int64_t *n = tn_alloc(sizeof *n * (size_t)(ncolumn + 1));
    double *squares = tn_alloc(sizeof *squares * (size_t)(ncolumn + 1));
    tn_status status = n && squares ? TN_OK : TN_ERR_MEMORY;
    for (int i = 0; i < ncolumn; i++) {
        tn_sweep_column *c = &s->columns[i];
        c->least = c->most = c->mean = c->deviation = NAN;
        c->least_at = c->most_at = -1;
        for (int k = 0; k < TN_SWEEP_QUANTILES; k++)
            c->quantile[k] = NAN;
    }
    for (int64_t index = 0; status == TN_OK && index < s->sample.cases; index++) {
        tn_case_state state;
        status = tn_sweep_case(s, index, &state, s->values, NULL);
        count[status == TN_OK ? state : TN_CASE_MISSING]++;
        for (int i = 0; i < ncolumn && status == TN_OK && state != TN_CASE_MISSING; i++)
            add_to_column(&s->columns[i], &n[i], &squares[i], s->values[i], index);
    }
    for (int i = 0; i < ncolumn && status == TN_OK; i++)
        if (n[i] > 1)
            s->columns[i].deviation = sqrt(squares[i] / (double)(n[i] - 1));
    TN_FREE(n, squares);
    TN_THEN(status, find_quantiles(s));
    *out = (tn_sweep_facts){s->directory,
                            s->sample.cases,
                            count[TN_CASE_DONE],
                            count[TN_CASE_DOUBTFUL],
                            count[TN_CASE_FAILED],
                            count[TN_CASE_MISSING],
                            ncolumn,
                            s->columns};
    return status;
}

tn_status tn_sweep_merge(tn_sweep *sweep, const char *folder)
{
    TN_NEED_ALL(TN_ERR_USAGE, sweep, folder);
    TN_TRY(need_cases(sweep));
    sweep_store other = {.file = -1};
    sweep_ended ended = {.values = sweep->values};
    if (!tn_folder_has(folder, "cases.bin"))
        return tn_fail(TN_ERR_USAGE, "%s holds no cases of a sweep", folder);
    tn_status s = tn_sweep_open_store(folder, sweep, false, &other);
    if (s == TN_ERR_USAGE && strstr(tn_last_error(), "another sweep")) // --force is for our folder
        s = tn_fail(TN_ERR_USAGE,
                    "%s holds cases of another sweep, which cannot be merged: the model, its "
                    "parameters, outputs or samples differ",
                    folder);
    for (int64_t i = 0; s == TN_OK && i < sweep->sample.cases; i++) {
        s = tn_sweep_store_get(&other, i, &ended);
        if (s == TN_OK && ended.state != TN_CASE_MISSING)
            s = tn_sweep_store_put(&sweep->store, i, &ended);
    }
    tn_sweep_store_close(&other);
    return s;
}
