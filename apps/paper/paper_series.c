// SPDX-License-Identifier: MIT
//
// Series of numbers over time: channels of runs, columns of tables, and expressions in these.

#include "base/alloc.h"
#include "paper/paper_parts.h"
#include "signal/formula.h"
#include "tenon/result.h"
#include "text/number.h"
#include "text/table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void tn_series_free(tn_series *s)
{
    TN_FREE(s->t, s->x);
    *s = (tn_series){0};
}

static tn_status series_room(tn_series *s, long n)
{
    if (n < 1 || n > 100000000)
        return tn_fail(TN_ERR_FILE, "there are %ld rows", n);
    s->n = (int)n;
    s->t = tn_alloc((size_t)n * sizeof *s->t);
    s->x = tn_alloc((size_t)n * sizeof *s->x);
    return tn_got(s->t && s->x);
}

double tn_series_at(const tn_series *s, double t)
{
    const int after = tn_count_up_to(s->n, s->t, t); // rows up to t
    const double close = 1e-9 * (s->t[s->n - 1] - s->t[0]) / s->n;
    if (after > 0 && fabs(t - s->t[after - 1]) <= close)
        return s->x[after - 1];
    if (after < s->n && fabs(t - s->t[after]) <= close)
        return s->x[after];
    if (after == 0 || after == s->n)
        return NAN;
    // Rows may have the same time where something jumps: no cubic goes through these.
    bool smooth = after >= 2 && after + 1 < s->n;
    for (int i = after - 2; smooth && i < after + 1; i++)
        smooth = s->t[i + 1] > s->t[i];
    const int first = smooth ? after - 2 : after - 1;
    return tn_value_through(smooth ? 4 : 2, s->t + first, s->x + first, t);
}

// Sources -----------------------------------------------------------------------------------------

static tn_status read_column(const char *path, const char *name, tn_series *out)
{
    tn_paper_table table;
    TN_TRY(tn_paper_table_read(path, &table));
    const int column = tn_paper_table_column(&table, name);
    tn_status s = TN_OK;
    if (column < 0)
        s = tn_fail(TN_ERR_FILE, "%s has no column '%s'; %s", path, name,
                    tn_name_hint(name, table.columns, (const char *const *)table.cells.at).text);
    TN_THEN(s, series_room(out, table.rows));
    out->rows = true;
    for (int i = 0; s == TN_OK && i < table.rows; i++) {
        if (!tn_number_from_text(tn_paper_cell(&table, i, 0), &out->t[i]))
            out->t[i] = i;
        if (!tn_number_from_text(tn_paper_cell(&table, i, column), &out->x[i]))
            out->x[i] = NAN;
    }
    tn_paper_table_free(&table);
    return s;
}

static tn_status read_channel(const char *path, const char *name, tn_series *out)
{
    tn_result *result = NULL;
    int channel = -1;
    tn_status s = tn_result_open(path, false, &result);
    TN_THEN(s, tn_result_find(result, name, &channel));
    TN_THEN(s, series_room(out, tn_result_rows(result)));
    TN_THEN(s, tn_result_time(result, 0, out->n, out->t));
    TN_THEN(s, tn_result_read(result, channel, 0, out->n, out->x));
    tn_result_close(result);
    return s;
}

tn_status tn_series_read(const char *folder, const char *name, tn_series *out)
{
    char path[4096];
    const char *colon = strchr(name, ':');
    *out = (tn_series){0};
    if (!colon || colon == name || !colon[1])
        return tn_fail(TN_ERR_USAGE, "'%s' is not RUN:CHANNEL or TABLE.csv:COLUMN", name);
    const int n = (int)(colon - name);
    snprintf(path, sizeof path, "%s/%.*s", folder, n, name);
    const bool table = n > 4 && strncmp(colon - 4, ".csv", 4) == 0;
    const tn_status s =
        table ? read_column(path, colon + 1, out) : read_channel(path, colon + 1, out);
    if (s != TN_OK)
        tn_series_free(out);
    return s;
}

// Tables ------------------------------------------------------------------------------------------

tn_status tn_paper_table_read(const char *path, tn_paper_table *out)
{
    *out = (tn_paper_table){.rows = -1};
    tn_status s = tn_lines_open(path, &out->lines);
    while (s == TN_OK && tn_lines_row(&out->lines)) {
        int n = 0;
        bool more = true;
        for (char *field; (field = tn_lines_field(&out->lines, ',', &more)); n++)
            TN_THEN(s, tn_array_push(&out->cells, field));
        out->columns = out->rows < 0 ? n : out->columns;
        out->rows++;
        if (s == TN_OK && n != out->columns)
            s = tn_lines_fail(&out->lines, "%d fields, and the line of names has %d", n,
                              out->columns);
    }
    if (s == TN_OK && out->rows < 0)
        s = tn_fail(TN_ERR_FILE, "%s is empty", path);
    if (s != TN_OK)
        tn_paper_table_free(out);
    return s;
}

void tn_paper_table_free(tn_paper_table *t)
{
    tn_lines_close(&t->lines);
    tn_array_free(&t->cells);
    t->columns = 0;
}

const char *tn_paper_cell(const tn_paper_table *t, int row, int column)
{
    return t->cells.at[(row + 1) * t->columns + column];
}

// "error [m]" has the name "error", too.
int tn_paper_table_column(const tn_paper_table *t, const char *name)
{
    const size_t n = strlen(name);
    for (int c = 0; c < t->columns; c++) {
        const char *head = t->cells.at[c];
        if (strcmp(head, name) == 0 ||
            (strncmp(head, name, n) == 0 && strncmp(head + n, " [", 2) == 0))
            return c;
    }
    return -1;
}

// Expressions -----------------------------------------------------------------------------------

enum { MOST_NAMES = 32 };

typedef struct names {
    const char *folder;
    int n;
    char *name[MOST_NAMES];
    tn_series series[MOST_NAMES];
} names;

static void free_names(names *v)
{
    for (int i = 0; i < v->n; i++) {
        tn_free(v->name[i]);
        tn_series_free(&v->series[i]);
    }
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
    return tn_series_read(v->folder, name, &v->series[v->n - 1]);
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

static tn_status eval_rows(const names *v, const tn_formula *f, tn_series *out)
{
    const tn_series *base = &v->series[0];
    double x[MOST_NAMES];
    TN_TRY(series_room(out, base->n));
    out->rows = base->rows;
    for (int i = 0; i < base->n; i++) {
        out->t[i] = base->t[i];
        x[0] = base->x[i];
        for (int k = 1; k < v->n; k++) {
            const tn_series *s = &v->series[k];
            x[k] = s->n == base->n && s->t[i] == base->t[i] ? s->x[i] : tn_series_at(s, base->t[i]);
        }
        out->x[i] = tn_formula_eval(f, base->t[i], x, NULL);
    }
    return TN_OK;
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
