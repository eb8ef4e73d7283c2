// SPDX-License-Identifier: MIT
//
// Runs of a plot: opening them, names for legends, values, and values between rows, of order 4, so
// that the difference to a run with other times is that of the runs where steps are small.

#include "draw/plot_runs.h"

#include "text/measure.h"
#include "text/notes.h"
#include "text/number.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void tn_plot_runs_free(tn_plot_runs *runs)
{
    for (int i = 0; i < runs->run.count; i++) {
        tn_plot_run *run = runs->run.at[i];
        if (run->ours)
            tn_result_close(run->result);
        TN_FREE(run->path, run->name, run->time, run);
    }
    tn_array_free(&runs->run);
}

// Opening -----------------------------------------------------------------------------------------

static bool increases(long n, const double *t)
{
    for (long i = 0; i < n; i++)
        if (!isfinite(t[i]) || (i > 0 && t[i] < t[i - 1]))
            return false;
    return true;
}

static tn_status read_times(tn_plot_run *run)
{
    const char *path = run->about->path;
    run->rows = tn_result_rows(run->result);
    if (run->rows == 0)
        return tn_fail(TN_ERR_FILE, "%s has no rows yet: there is nothing to plot", path);
    if (run->rows > INT_MAX / 2)
        return tn_fail(TN_ERR_FILE, "%s has %ld rows, more than a plot can take", path, run->rows);
    run->time = tn_alloc((size_t)run->rows * sizeof(double));
    if (!run->time)
        return tn_fail(TN_ERR_MEMORY, "no memory for %ld rows", run->rows);
    TN_TRY(tn_result_time(run->result, 0, run->rows, run->time));
    run->sorted = increases(run->rows, run->time);
    run->end = run->rows;
    return TN_OK;
}

static char *without_slash(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return tn_format("%.*s", (int)n, path);
}

// Takes over the results where they are ours, also when it fails.
static tn_status add_run(tn_plot_runs *runs, tn_plot_run given, tn_plot_run **out)
{
    tn_plot_run *run = tn_alloc(sizeof *run);
    const tn_result_info *about = tn_result_about(given.result);
    if (run) {
        *run = given;
        run->about = about;
        run->unit = about->along_unit;
        run->path = without_slash(about->named);
    }
    *out = run;
    if (run && run->path && tn_array_push(&runs->run, run) == TN_OK)
        return TN_OK;
    if (given.ours)
        tn_result_close(given.result);
    if (run)
        TN_FREE(run->path, run);
    return tn_got(false);
}

tn_status tn_plot_runs_take(tn_plot_runs *runs, tn_result *result)
{
    tn_plot_run *run;
    return add_run(runs, (tn_plot_run){.result = result, .listed = true}, &run);
}

static tn_plot_run *find_run(const tn_plot_runs *runs, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    for (int i = 0; i < runs->run.count; i++)
        if (strlen(runs->run.at[i]->path) == n && strncmp(runs->run.at[i]->path, path, n) == 0)
            return runs->run.at[i];
    return NULL;
}

static tn_status open_run(const tn_plot_runs *runs, const char *path, tn_result **out)
{
    const size_t n = strlen(path);
    const bool table = (n > 4 && strcmp(path + n - 4, ".csv") == 0) || strstr(path, ".csv:");
    TN_TRY(table ? tn_result_open_table(path, out) : tn_result_open(path, runs->trust, out));
    for (int i = 0; i < tn_result_warning_count(*out); i++)
        tn_tell(runs->teller, "%s", tn_result_warning(*out, i));
    return TN_OK;
}

tn_status tn_plot_runs_add(tn_plot_runs *runs, const char *path, bool listed, tn_plot_run **out)
{
    tn_plot_run run = {.ours = true, .listed = listed};
    *out = find_run(runs, path);
    if (*out) {
        (*out)->listed |= listed;
        return TN_OK;
    }
    TN_TRY(open_run(runs, path, &run.result));
    return add_run(runs, run, out);
}

// Names for legends -------------------------------------------------------------------------------

// The last part of a path, of chosen rows the text that they have: "galpha/ggl" for
// "compare.csv:method=galpha/ggl".
static const char *short_name(const char *path)
{
    const char *rows = strstr(path, ".csv:"), *slash = strrchr(path, '/');
    if (rows && strchr(rows, '='))
        return strchr(rows, '=') + 1;
    return slash && slash[1] ? slash + 1 : path;
}

static bool are_apart(const tn_plot_runs *runs)
{
    for (int i = 0; i < runs->run.count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(short_name(runs->run.at[i]->path), short_name(runs->run.at[k]->path)) == 0)
                return false;
    return true;
}

tn_status tn_plot_runs_name(tn_plot_runs *runs)
{
    const bool apart = are_apart(runs);
    for (int i = 0; i < runs->run.count; i++) {
        tn_plot_run *run = runs->run.at[i];
        const char *from = apart ? short_name(run->path) : run->path;
        const size_t n = strlen(from);
        const bool csv = n > 4 && strcmp(from + n - 4, ".csv") == 0;
        run->name = tn_format("%.*s", (int)(csv ? n - 4 : n), from);
        TN_TRY(tn_got(run->name));
    }
    return TN_OK;
}

// Values ------------------------------------------------------------------------------------------

tn_status tn_plot_factor(const char *option, tn_plot_place from, tn_plot_place to, double *out)
{
    char one[200];
    const char *a = tn_plot_place_unit(from), *b = tn_plot_place_unit(to);
    const char *name = tn_plot_place_name(from), *other = tn_plot_place_name(to);
    const bool same = strcmp(name, other) == 0;
    *out = 1.0;
    if (!*a || !*b || strcmp(a, b) == 0)
        return TN_OK;
    snprintf(one, sizeof one, "1 %s", a);
    if (tn_measure_is_one(one) && tn_measure_read(one, b, out) == TN_OK)
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "%s'%s' is in %s in %s and %s%s%sin %s in %s, which is no multiple", option,
                   other, b, to.run->path, same ? "" : "'", same ? "" : name, same ? "" : "' ", a,
                   from.run->path);
}

// The unit is converted here and nowhere else: all that is drawn along, cut out or interpolated at
// times takes them from here.
tn_status tn_plot_times(const tn_plot_runs *runs, tn_plot_run *run)
{
    const tn_plot_run *of = runs->time_of;
    double factor = 1.0;
    if (run->time)
        return TN_OK;
    if (of)
        TN_TRY(tn_plot_factor("", (tn_plot_place){run, TN_PLOT_TIME},
                              (tn_plot_place){(tn_plot_run *)of, TN_PLOT_TIME}, &factor));
    TN_TRY(read_times(run));
    for (long k = 0; k < run->rows; k++)
        run->time[k] *= factor;
    run->unit = of ? of->about->along_unit : run->unit;
    return TN_OK;
}

tn_status tn_plot_values(const tn_plot_runs *runs, tn_plot_place at, long first, long n,
                         double *out)
{
    const tn_plot_run *run = at.run;
    TN_TRY(tn_plot_times(runs, at.run));
    if (at.channel != TN_PLOT_TIME)
        return tn_result_read(run->result, at.channel, first, n, out);
    memcpy(out, run->time + first, (size_t)n * sizeof(double));
    return TN_OK;
}

tn_status tn_plot_values_at(const tn_plot_runs *runs, tn_plot_place at, long n, const double *times,
                            double *out)
{
    const tn_plot_run *run = at.run;
    TN_TRY(tn_plot_times(runs, at.run));
    if (!run->sorted)
        return tn_fail(TN_ERR_USAGE,
                       "%s: there are no values between its rows, for its first column, '%s', does "
                       "not increase",
                       run->path, run->about->along);
    double *y = tn_alloc((size_t)run->rows * sizeof(double));
    if (!y)
        return tn_fail(TN_ERR_MEMORY, "no memory for %ld rows", run->rows);
    const tn_status s = tn_plot_values(runs, at, 0, run->rows, y);
    for (long i = 0; s == TN_OK && i < n; i++)
        out[i] = tn_value_between(run->rows, run->time, y, times[i]);
    tn_free(y);
    return s;
}
