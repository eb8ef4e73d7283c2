// SPDX-License-Identifier: MIT
//
// Series of numbers over time: channels of runs and columns of tables, which are read as those of
// plots are, and expressions in them.

#include "base/alloc.h"
#include "draw/plot_runs.h"
#include "paper/paper_parts.h"
#include "signal/formula.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void tn_series_free(tn_series *s)
{
    TN_FREE(s->t, s->x);
    *s = (tn_series){0};
}

// RUN:CHANNEL or TABLE.csv:COLUMN; "error [m]" is a name of the column "error", too.
static tn_status find_place(tn_plot_runs *runs, const char *folder, const char *name,
                            const char *rows, tn_plot_place *out)
{
    const char *colon = strchr(name, ':');
    if (!colon || colon == name || !colon[1])
        return tn_fail(TN_ERR_USAGE, "'%s' is not RUN:CHANNEL or TABLE.csv:COLUMN", name);
    const char *unit = strstr(colon, " [");
    char *path = tn_format("%s/%.*s%s", folder, (int)(colon - name), name, rows);
    char *column = tn_format("%.*s", unit ? (int)(unit - colon - 1) : INT_MAX, colon + 1);
    tn_status s = tn_got(path && column);
    TN_THEN(s, tn_plot_runs_add(runs, path, false, &out->run));
    TN_THEN(s, tn_plot_times(runs, out->run));
    out->channel = TN_PLOT_TIME;
    if (s == TN_OK && strcmp(column, out->run->about->along) != 0)
        s = tn_result_find(out->run->result, column, &out->channel);
    TN_FREE(path, column);
    return s;
}

// Room for the rows of a run, with their times.
static tn_status series_room(const tn_plot_run *run, tn_series *out)
{
    *out = (tn_series){.n = (int)run->rows,
                       .t = tn_alloc((size_t)run->rows * sizeof *out->t),
                       .x = tn_alloc((size_t)run->rows * sizeof *out->x),
                       .rows = run->about->is_table};
    for (int i = 0; out->t && i < out->n; i++)
        out->t[i] = isnan(run->time[i]) ? i : run->time[i];
    return tn_got(out->t && out->x);
}

tn_status tn_series_read(const char *folder, const char *name, const char *rows, tn_series *out)
{
    tn_plot_runs runs = {0};
    tn_plot_place at;
    *out = (tn_series){0};
    tn_status s = find_place(&runs, folder, name, rows, &at);
    TN_THEN(s, series_room(at.run, out));
    TN_THEN(s, tn_plot_values(&runs, at, 0, out->n, out->x));
    if (s != TN_OK)
        tn_series_free(out);
    tn_plot_runs_free(&runs);
    return s;
}

// Expressions -----------------------------------------------------------------------------------

enum { MOST_NAMES = 32 };

typedef struct names {
    const char *folder;
    tn_plot_runs runs;
    int n;
    char *name[MOST_NAMES];
    tn_plot_place place[MOST_NAMES];
} names;

static void free_names(names *v)
{
    for (int i = 0; i < v->n; i++)
        tn_free(v->name[i]);
    tn_plot_runs_free(&v->runs);
}

// Number of characters at the text that are RUN:CHANNEL; 0: none. Backquotes may hold any.
static size_t name_length(const char *text)
{
    if (*text == '`')
        return 1 + strcspn(text + 1, "`");
    size_t n = 0;
    if (!isalpha((unsigned char)*text) && *text != '_')
        return 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.')
        n++;
    if (text[n] != ':')
        return 0;
    for (n++; isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.';)
        n++;
    return n;
}

static tn_status add_name(names *v, const char *text, size_t length, tn_buffer *out)
{
    const bool quoted = *text == '`';
    char *name = tn_alloc(length + 1);
    TN_TRY(tn_got(name));
    memcpy(name, text + quoted, length - quoted);
    for (int i = 0; i < v->n; i++)
        if (strcmp(v->name[i], name) == 0) {
            tn_buffer_format(out, "v%d", i);
            tn_free(name);
            return TN_OK;
        }
    if (v->n == MOST_NAMES) {
        tn_free(name);
        return tn_fail(TN_ERR_USAGE, "more than %d channels in one expression", MOST_NAMES);
    }
    tn_buffer_format(out, "v%d", v->n);
    v->name[v->n++] = name;
    return find_place(&v->runs, v->folder, name, "", &v->place[v->n - 1]);
}

// The text with v0, v1, … in the place of channels, which are read.
static tn_status collect_names(names *v, const char *text, tn_buffer *out)
{
    while (*text) {
        size_t n = name_length(text);
        if (n > 0) {
            TN_TRY(add_name(v, text, n, out));
            text += n + (*text == '`' && text[n] == '`');
            continue;
        }
        // A whole word or number at once, so that its end is not taken for a name.
        do
            tn_buffer_put(out, text++, 1);
        while (isalnum((unsigned char)text[-1]) && (isalnum((unsigned char)*text) || *text == '_'));
    }
    return TN_OK;
}

static tn_status find_name(void *self, const char *name, int *variable)
{
    const names *v = self;
    int end = 0;
    if (sscanf(name, "v%d%n", variable, &end) == 1 && !name[end] && *variable < v->n)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "unknown name '%s'; channels are written RUN:CHANNEL", name);
}

// A channel at the times of the first. Rows with the same times go together, also where one time
// has two of them.
static tn_status read_name(names *v, int k, long n, const double *times, double *out)
{
    const tn_plot_run *run = v->place[k].run;
    const bool same = run->rows == n && memcmp(run->time, times, (size_t)n * sizeof *times) == 0;
    return same ? tn_plot_values(&v->runs, v->place[k], 0, n, out)
                : tn_plot_values_at(&v->runs, v->place[k], n, times, out);
}

static tn_status eval_rows(names *v, const tn_formula *f, tn_series *out)
{
    const tn_plot_run *base = v->place[0].run;
    const long n = base->rows;
    double x[MOST_NAMES], *read = tn_alloc((size_t)(n * v->n) * sizeof *read);
    tn_status s = tn_got(read);
    TN_THEN(s, series_room(base, out));
    for (int k = 0; s == TN_OK && k < v->n; k++)
        s = read_name(v, k, n, base->time, read + k * n);
    for (long i = 0; s == TN_OK && i < n; i++) {
        for (int k = 0; k < v->n; k++)
            x[k] = read[k * n + i];
        out->x[i] = tn_formula_eval(f, out->t[i], x, NULL);
    }
    tn_free(read);
    return s;
}

tn_status tn_series_eval(const char *folder, const char *text, tn_series *out)
{
    names v = {.folder = folder};
    tn_buffer plain = {0};
    char *formula_text = NULL;
    tn_formula *f = NULL;
    *out = (tn_series){0};
    tn_status s = collect_names(&v, text, &plain);
    if (s == TN_OK && v.n == 0)
        s = tn_fail(TN_ERR_USAGE, "'%s' names no channel; write RUN:CHANNEL", text);
    if (s == TN_OK)
        s = tn_buffer_finish(&plain, "an expression", &formula_text);
    else
        tn_free(plain.text);
    TN_THEN(s, tn_formula_create(formula_text, 0, NULL, &(tn_lookup){&v, find_name}, &f));
    TN_THEN(s, eval_rows(&v, f, out));
    if (s != TN_OK)
        tn_series_free(out);
    tn_formula_destroy(f);
    tn_free(formula_text);
    free_names(&v);
    return s;
}
