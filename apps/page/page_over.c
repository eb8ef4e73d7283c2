// SPDX-License-Identifier: MIT
//
// Other runs in the page of a first one: their scenes, motions and channels, and the differences of
// the channels that the first has, too, first minus other, at the times of the run that has more
// rows where both have some. Values that only one of two has are reported by name.

#include "base/alloc.h"
#include "page/page_parts.h"
#include "result/stored_model.h"
#include "text/number.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Names -----------------------------------------------------------------------------------------

static const char *short_name(const tn_result *result)
{
    return tn_page_title(tn_result_about(result)->named);
}

static tn_result *run_of(const tn_page_job *job, int i)
{
    return i == 0 ? job->first : job->options.over[i - 1];
}

// Results are named by their folders, with the way to these where another one is named the same.
static const char *label_of(const tn_page_job *job, const tn_result *result)
{
    for (int i = 0; i <= job->options.nover; i++) {
        const tn_result *other = run_of(job, i);
        if (other != result && strcmp(short_name(result), short_name(other)) == 0)
            return tn_result_about(result)->named;
    }
    return short_name(result);
}

// Channels --------------------------------------------------------------------------------------

static int find_channel(const tn_result *result, const tn_result_channel *like)
{
    int at = -1;
    if (tn_result_find(result, like->name, &at) != TN_OK) {
        tn_clear_error();
        return -1;
    }
    return strcmp(tn_result_channel_at(result, at)->unit, like->unit) == 0 ? at : -1;
}

static tn_status note_missing(tn_page_job *job, const tn_result *has, const tn_result * not, int n,
                              const char *names)
{
    enum { FEW = 6 };
    if (n == 0)
        return TN_OK;
    return tn_page_note(job->notes, "%d channel%s of %s %s no counterpart in %s: %s%s", n,
                        n == 1 ? "" : "s", label_of(job, has), n == 1 ? "has" : "have",
                        label_of(job, not ), names, n > FEW ? ", …" : "");
}

// Finds for each channel of `from` one of the same name and unit; reports the first without.
static tn_status find_partners(tn_page_job *job, const tn_result *from, const tn_result *to,
                               int *partner)
{
    enum { FEW = 6 };
    tn_buffer names = {0};
    int missing = 0;
    for (int i = 0; i < tn_result_channel_count(from); i++) {
        const tn_result_channel *c = tn_result_channel_at(from, i);
        const int at = find_channel(to, c);
        if (partner)
            partner[i] = at;
        if (at < 0 && missing++ < FEW)
            tn_buffer_format(&names, "%s%s", missing > 1 ? ", " : "", c->name);
    }
    char *text = NULL;
    tn_status s = tn_buffer_finish(&names, "names of channels", &text);
    TN_THEN(s, note_missing(job, from, to, missing, text));
    tn_free(text);
    return s;
}

// Differences -----------------------------------------------------------------------------------

typedef struct {
    int dataset; // -1 before one is read
    double *at;
} other_rows;

// Rows of the other run that the times from first to last need, with two more on each side for the
// cubics.
static void rows_around(const tn_page_minus *m, double first, double last, long *from, long *to)
{
    const int n = (int)m->rows;
    *from = tn_count_up_to(n, m->time, first) - 3;
    *to = tn_count_up_to(n, m->time, last) + 2;
    *from = *from < 0 ? 0 : *from;
    *to = *to > m->rows ? m->rows : *to;
}

static void subtract_column(const tn_page_minus *m, long from, long n, const double *y, int column,
                            int width, long rows, const double *times, double *values)
{
    for (long i = 0; i < rows; i++) {
        double *v = &values[i * width + column];
        *v = m->sign * (*v - tn_value_between(n, m->time + from, y, times[i]));
    }
}

// A column of rows of the other run. Its dataset is read once for all columns that stand in it.
static tn_status partner_values(const tn_page_minus *m, int channel, long from, long n,
                                other_rows *rows, double *y)
{
    const tn_result_channel *c = tn_result_channel_at(m->result, channel);
    const int width = tn_result_dataset_at(m->result, c->dataset)->width;
    if (rows->dataset != c->dataset) {
        tn_free(rows->at);
        rows->at = tn_alloc((size_t)(n * width + 1) * sizeof(double));
        TN_TRY(tn_got(rows->at));
        TN_TRY(tn_result_read_rows(m->result, c->dataset, from, n, rows->at));
        rows->dataset = c->dataset;
    }
    for (long i = 0; i < n; i++)
        y[i] = rows->at[i * width + c->column];
    return TN_OK;
}

tn_status tn_page_subtract(const tn_page_job *job, int n, const tn_page_plot *plots, int width,
                           long rows, const double *times, double *values)
{
    const tn_page_minus *m = job->minus;
    other_rows other = {.dataset = -1};
    long from = 0, to = 0;
    rows_around(m, times[0], times[rows - 1], &from, &to);
    double *y = tn_alloc((size_t)(to - from + 1) * sizeof(double));
    tn_status s = tn_got(y);
    for (int k = 0; k < n && s == TN_OK; k++) {
        const int channel = plots[k].channel;
        const int column = tn_result_channel_at(job->result, channel)->column;
        s = partner_values(m, m->partner[channel], from, to - from, &other, y);
        if (s == TN_OK)
            subtract_column(m, from, to - from, y, column, width, rows, times, values);
    }
    TN_FREE(y, other.at);
    return s;
}

static tn_status read_all_times(tn_result *result, long *rows, double **out)
{
    *rows = tn_result_rows(result);
    *out = tn_alloc((size_t)(*rows + 1) * sizeof(double));
    TN_TRY(tn_got(*out));
    return *rows > 0 ? tn_result_time(result, 0, *rows, *out) : TN_OK;
}

static bool is_in_order(long n, const double *t)
{
    for (long i = 0; i < n; i++)
        if (!isfinite(t[i]) || (i > 0 && t[i] < t[i - 1]))
            return false;
    return n > 1;
}

// Rows with times that both runs have.
static long rows_shared(long n, const double *t, double from, double to)
{
    return (long)tn_count_up_to((int)n, t, to) - tn_count_up_to((int)n, t, from) + 1;
}

static tn_status note_times(tn_page_job *job, const tn_result *a, const tn_result *b, double end_a,
                            double end_b)
{
    if (fabs(end_a - end_b) <= 1e-9 * fmax(fabs(end_a), fabs(end_b)))
        return TN_OK;
    return tn_page_note(job->notes, "%s ends at %g s and %s at %g s: there is no difference beyond",
                        label_of(job, a), end_a, label_of(job, b), end_b);
}

// The run with the finer rows gives the times.
static tn_status put_difference(tn_page_job *job, tn_result *over, long nrow[2], double *time[2])
{
    tn_result *run[2] = {job->result, over};
    const bool ordered = is_in_order(nrow[0], time[0]) && is_in_order(nrow[1], time[1]);
    const double from = ordered ? fmax(time[0][0], time[1][0]) : 0.0;
    const double to = ordered ? fmin(time[0][nrow[0] - 1], time[1][nrow[1] - 1]) : 0.0;
    if (!ordered || !(to > from) || nrow[0] > INT_MAX / 2 || nrow[1] > INT_MAX / 2) {
        tn_json_numbers(job->json, "difference", 0, NULL);
        return tn_page_note(job->notes, "%s and %s have no times in common: no differences",
                            label_of(job, run[0]), label_of(job, run[1]));
    }
    TN_TRY(note_times(job, run[0], run[1], time[0][nrow[0] - 1], time[1][nrow[1] - 1]));
    const int fine =
        rows_shared(nrow[1], time[1], from, to) > rows_shared(nrow[0], time[0], from, to);
    tn_page_minus minus = {run[!fine], fine ? -1.0 : 1.0, nrow[!fine], time[!fine], NULL};
    minus.partner = tn_alloc((size_t)(tn_result_channel_count(run[fine]) + 1) * sizeof(int));
    TN_TRY(tn_got(minus.partner));
    tn_status s = find_partners(job, run[fine], run[!fine], minus.partner);
    TN_THEN(s, find_partners(job, run[!fine], run[fine], NULL));
    tn_page_job part = *job;
    part.result = run[fine];
    part.minus = &minus;
    TN_THEN(s, tn_page_channels(&part, "difference"));
    tn_free(minus.partner);
    return s;
}

static tn_status difference(tn_page_job *job, tn_result *over)
{
    long rows[2];
    double *time[2] = {NULL, NULL};
    tn_status s = read_all_times(job->result, &rows[0], &time[0]);
    TN_THEN(s, read_all_times(over, &rows[1], &time[1]));
    TN_THEN(s, put_difference(job, over, rows, time));
    TN_FREE(time[0], time[1]);
    return s;
}

// The document ----------------------------------------------------------------------------------

// Writes the differences of the models for the page: in most cases they are the reason.
static tn_status put_models(tn_page_job *job, const tn_result *over)
{
    tn_stored_model a = {0}, b = {0};
    tn_notes found = {0};
    tn_status s = tn_stored_model_of_result(job->result, &a);
    TN_THEN(s, tn_stored_model_of_result(over, &b));
    TN_THEN(s, tn_stored_models_compare(&a, label_of(job, job->result), &b, label_of(job, over),
                                        &found));
    tn_stored_model_free(&a);
    tn_stored_model_free(&b);
    tn_json_begin_array(job->json, "models");
    for (int i = 0; i < found.count; i++)
        tn_json_string(job->json, NULL, found.text[i]);
    tn_json_end_array(job->json);
    return s;
}

static tn_status put_over(tn_page_job *job, tn_result *over)
{
    tn_page_job other = *job;
    other.result = over;
    other.damaged = 0;
    for (int i = 0; i < tn_result_warning_count(over); i++)
        TN_TRY(tn_page_note(job->notes, "%s", tn_result_warning(over, i)));
    tn_json_begin_object(job->json, NULL);
    tn_json_string(job->json, "label", label_of(job, over));
    TN_TRY(put_models(job, over));
    TN_TRY(tn_page_run(&other));
    TN_TRY(tn_page_scene(&other));
    TN_TRY(tn_page_frames(&other));
    TN_TRY(tn_page_channels(&other, "channels"));
    TN_TRY(difference(job, over));
    tn_json_end_object(job->json);
    return TN_OK;
}

tn_status tn_page_over(tn_page_job *job)
{
    job->first = job->result;
    tn_json_string(job->json, "label", label_of(job, job->result));
    tn_json_begin_array(job->json, "over");
    for (int i = 0; i < job->options.nover; i++)
        TN_TRY(put_over(job, job->options.over[i]));
    tn_json_end_array(job->json);
    return TN_OK;
}
