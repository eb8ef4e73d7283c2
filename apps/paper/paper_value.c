// SPDX-License-Identifier: MIT
//
// Numbers of an item: expressions with functions of texts, max("fine:rod.angle", 0, 1). A call is
// replaced by its value; what is left is an expression of Tenon's language.

#include "base/alloc.h"
#include "draw/plot_parts.h"
#include "file/document.h"
#include "monitor/follow.h"
#include "paper/paper_parts.h"
#include "signal/expression.h"
#include "tenon/result.h"
#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 2, NAME_SIZE = 1024 };

typedef struct call {
    const char *folder;
    const char *text; // the first argument
    int n;            // further ones
    double a[MOST_ARGUMENTS];
} call;

// Functions of a series -------------------------------------------------------------------------

// The rows between two times, if there are such.
static tn_status rows_of(const call *c, tn_series *out)
{
    TN_TRY(tn_series_eval(c->folder, c->text, out));
    const double from = c->n > 0 ? c->a[0] : -INFINITY, to = c->n > 1 ? c->a[1] : INFINITY;
    const double close = 1e-9 * fabs(out->t[out->n - 1] - out->t[0]);
    int n = 0;
    for (int i = 0; i < out->n; i++)
        if (out->t[i] >= from - close && out->t[i] <= to + close && !isnan(out->x[i])) {
            out->t[n] = out->t[i];
            out->x[n++] = out->x[i];
        }
    out->n = n;
    if (n > 0)
        return TN_OK;
    tn_series_free(out);
    return tn_fail(TN_ERR_FILE, "'%s' has no numbers there", c->text);
}

// Between the rows of a run on lines.
static tn_status reduce_series(const call *c, const tn_reduction *what, double *out)
{
    tn_series s;
    tn_taken taken = {0};
    TN_TRY(rows_of(c, &s));
    for (int i = 0; i < s.n; i++) {
        const double x = s.x[i], before = i > 0 && !s.rows ? s.x[i - 1] : x;
        const double span = s.rows ? 1.0 : i > 0 ? s.t[i] - s.t[i - 1] : 0.0;
        tn_taken_see(&taken, s.t[i], x);
        tn_taken_add(&taken, span, 0.5 * span * (x + before),
                     0.5 * span * (x * x + before * before));
    }
    *out = what->value(&taken);
    tn_series_free(&s);
    return TN_OK;
}

static tn_status take_at(const call *c, double *out)
{
    tn_series s;
    TN_TRY(tn_series_eval(c->folder, c->text, &s));
    *out = tn_value_between(s.n, s.t, s.x, c->a[0]);
    tn_series_free(&s);
    return TN_OK;
}

// The time of the k-th crossing of a level, on a line between two rows; k < 0 counts from the end.
static tn_status take_crossing(const call *c, double *out)
{
    tn_series s;
    const double level = c->a[0];
    const int wanted = c->n > 1 ? (int)lround(c->a[1]) : 1;
    TN_TRY(tn_series_eval(c->folder, c->text, &s));
    int found = 0;
    *out = NAN;
    for (int k = 1; k < s.n && found < abs(wanted); k++) {
        const int i = wanted > 0 ? k : s.n - k;
        const double a = s.x[i - 1] - level, b = s.x[i] - level;
        if ((a * b < 0.0 || (b == 0.0 && a != 0.0)) && ++found == abs(wanted))
            *out = s.t[i - 1] + (s.t[i] - s.t[i - 1]) * a / (a - b);
    }
    tn_series_free(&s);
    return TN_OK;
}

static tn_status take_rows(const call *c, double *out)
{
    char path[4096];
    tn_result *result = NULL;
    snprintf(path, sizeof path, "%s/%s", c->folder, c->text);
    TN_TRY(tn_result_open(path, false, &result));
    *out = (double)tn_result_rows(result);
    tn_result_close(result);
    return TN_OK;
}

// Functions of a table ----------------------------------------------------------------------------

static tn_status take_cell(const call *c, double *out)
{
    tn_series s;
    int row = (int)lround(c->a[0]);
    if (row != c->a[0])
        return tn_fail(TN_ERR_USAGE, "cell(\"%s\", %g): a row is a whole number", c->text, c->a[0]);
    TN_TRY(tn_series_read(c->folder, c->text, "", &s));
    const int n = s.n;
    row += row < 0 ? n : 0;
    const bool there = row >= 0 && row < n;
    if (there)
        *out = s.x[row];
    tn_series_free(&s);
    return there ? TN_OK
                 : tn_fail(TN_ERR_FILE, "'%s' has %d rows, none is number %g", c->text, n, c->a[0]);
}

// "TABLE.csv:COLUMN:rest": the rest with its colon, and the name before it.
static tn_status split_name(const call *c, const char *what, char name[NAME_SIZE],
                            const char **rest)
{
    const char *column = strchr(c->text, ':');
    *rest = column ? strchr(column + 1, ':') : NULL;
    if (!*rest || *rest - c->text >= NAME_SIZE)
        return tn_fail(TN_ERR_USAGE, "'%s' is not TABLE.csv:%s", c->text, what);
    snprintf(name, NAME_SIZE, "%.*s", (int)(*rest - c->text), c->text);
    return TN_OK;
}

static tn_status take_picked(const call *c, double *out)
{
    char name[NAME_SIZE];
    const char *rows;
    tn_series s;
    TN_TRY(split_name(c, "COLUMN:KEY=TEXT", name, &rows));
    TN_TRY(tn_series_read(c->folder, name, rows, &s));
    const int n = s.n;
    *out = s.x[0];
    tn_series_free(&s);
    return n == 1 ? TN_OK : tn_fail(TN_ERR_FILE, "%s: %d rows have '%s'", name, n, rows + 1);
}

// The order of an error. "table.csv:x:y"
static tn_status take_slope(const call *c, double *out)
{
    char x[NAME_SIZE], y[2 * NAME_SIZE];
    const char *rest;
    tn_series a, b;
    TN_TRY(split_name(c, "X:Y", x, &rest));
    snprintf(y, sizeof y, "%.*s%.*s", (int)strcspn(x, ":"), x, NAME_SIZE, rest);
    TN_TRY(tn_series_read(c->folder, x, "", &a));
    tn_status s = tn_series_read(c->folder, y, "", &b);
    if (s == TN_OK)
        *out = tn_plot_trend_of(&(tn_plot_series){.n = a.n, .x = a.x, .y = b.x}).slope;
    tn_series_free(&a);
    tn_series_free(&b);
    return s;
}

// Functions of JSON ---------------------------------------------------------------------------

// a.b[2].c from a node on, up to the text that is asked for; NULL where there is none.
static const tn_node *walk(const tn_node *node, const char *path)
{
    while (node && *path && *path != '=') {
        char name[256];
        if (*path == '[') {
            char *end;
            const long i = strtol(path + 1, &end, 10);
            if (node->kind != TN_NODE_SEQUENCE || i < 0 || i >= node->count || *end != ']')
                return NULL;
            node = node->children[i];
            path = end + 1;
        } else {
            const size_t n = strcspn(path, ".[=");
            snprintf(name, sizeof name, "%.*s", (int)n, path);
            node = tn_node_get(node, name);
            path += n;
        }
        path += *path == '.';
    }
    return node;
}

static tn_status take_from_json(const char *file, const char *path, double *out)
{
    tn_document *doc = NULL;
    TN_TRY(tn_document_read(file, &doc));
    const tn_node *node = walk(doc->root, path);
    const char *wanted = strchr(path, '=');
    tn_status s = TN_OK;
    if (!node || node->kind != TN_NODE_SCALAR)
        s = tn_fail(TN_ERR_FILE, "%s has no number '%s'", file, path);
    else if (wanted)
        *out = strcmp(node->text, wanted + 1) == 0;
    else if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)
        *out = node->text[0] == 't';
    else
        s = tn_node_number(doc, node, path, out);
    tn_document_destroy(doc);
    return s;
}

// "run:steps.accepted" of run/summary.json, or "file.json:a.b"; "run:solver=lu": whether it is lu.
static tn_status take_number(const call *c, double *out)
{
    char path[4096];
    const char *colon = strchr(c->text, ':');
    if (!colon)
        return tn_fail(TN_ERR_USAGE, "'%s' is not FILE:PATH", c->text);
    const int n = (int)(colon - c->text);
    const bool json = n > 5 && strncmp(colon - 5, ".json", 5) == 0;
    snprintf(path, sizeof path, "%s/%.*s%s", c->folder, n, c->text, json ? "" : "/summary.json");
    return take_from_json(path, colon + 1, out);
}

// Calls -------------------------------------------------------------------------------------------

// Those of tables and files; and all that is taken of series (monitor/follow.h), with the times
// between which that is.
static const struct function {
    const char *name;
    int least, most; // arguments beside the text
    tn_status (*take)(const call *c, double *out);
} functions[] = {
    {"at", 1, 1, take_at},          {"crossing", 1, 2, take_crossing}, {"rows", 0, 0, take_rows},
    {"cell", 1, 1, take_cell},      {"pick", 0, 0, take_picked},       {"slope", 0, 0, take_slope},
    {"summary", 0, 0, take_number}, {"number", 0, 0, take_number},
};

static tn_status check_count(const char *name, const call *c, int least, int most)
{
    return c->n >= least && c->n <= most
               ? TN_OK
               : tn_fail(TN_ERR_USAGE, "%s(\"%s\") takes %d to %d numbers more, found %d", name,
                         c->text, least, most, c->n);
}

static tn_status find_call(const char *name, const call *c, double *out)
{
    const char *known[TN_REDUCTIONS + TN_COUNT(functions)];
    const tn_reduction *what = tn_reduction_find(name);
    int n = 0;
    if (what) {
        TN_TRY(check_count(name, c, 0, 2));
        return reduce_series(c, what, out);
    }
    for (int i = 0; i < TN_COUNT(functions); i++) {
        const struct function *f = &functions[i];
        if (strcmp(f->name, name) == 0) {
            TN_TRY(check_count(name, c, f->least, f->most));
            return f->take(c, out);
        }
    }
    for (; n < TN_REDUCTIONS; n++)
        known[n] = tn_reductions[n].name;
    for (int i = 0; i < TN_COUNT(functions); i++)
        known[n++] = functions[i].name;
    return tn_fail_unknown("function of a text", name, n, known);
}

static tn_status run_call(const char *name, const call *c, double *out)
{
    TN_TRY(find_call(name, c, out));
    return isfinite(*out) ? TN_OK : tn_fail(TN_ERR_FILE, "%s(\"%s\") has no value", name, c->text);
}

// Returns the end of the argument at the text: a comma or bracket of its own level.
static const char *argument_end(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        if (*text == '"')
            text += 1 + strcspn(text + 1, "\"");
        if (depth == 0 && (*text == ',' || *text == ')'))
            break;
        depth += (*text == '(') - (*text == ')');
        if (!*text)
            break;
    }
    return text;
}

// The call at the text, name("…", …), whose bracket is at `open`; *end is behind it.
static tn_status read_call(const char *folder, const char *name, const char *open, const char **end,
                           double *out)
{
    char text[2048];
    call c = {.folder = folder, .text = text};
    const char *quote = open + 1 + strspn(open + 1, " ");
    const size_t n = strcspn(quote + 1, "\"");
    snprintf(text, sizeof text, "%.*s", (int)n, quote + 1);
    if (!quote[n + 1] || n >= sizeof text)
        return tn_fail(TN_ERR_USAGE, "%s(\"…: the text has no end", name);
    const char *at = quote + n + 2 + strspn(quote + n + 2, " ");
    while (*at == ',') {
        const char *stop = argument_end(at + 1);
        char argument[512];
        if (c.n == MOST_ARGUMENTS)
            return tn_fail(TN_ERR_USAGE, "%s(\"%s\") has too many arguments", name, text);
        snprintf(argument, sizeof argument, "%.*s", (int)(stop - at - 1), at + 1);
        TN_TRY(tn_paper_value(folder, argument, &c.a[c.n++]));
        at = stop;
    }
    if (*at != ')')
        return tn_fail(TN_ERR_USAGE, "%s(\"%s\" has no closing bracket", name, text);
    *end = at + 1;
    return run_call(name, &c, out);
}

// The text with values in the place of calls.
static tn_status replace_calls(const char *folder, const char *text, tn_buffer *out)
{
    while (*text) {
        const int n = tn_name_length(text);
        if (n == 0) {
            tn_buffer_put(out, text++, 1);
            continue;
        }
        const char *open = text + n + strspn(text + n, " ");
        if (*open == '(' && open[1 + strspn(open + 1, " ")] == '"') {
            char name[64], number[TN_NUMBER_SIZE];
            double value = NAN;
            snprintf(name, sizeof name, "%.*s", n, text);
            TN_TRY(read_call(folder, name, open, &text, &value));
            tn_number_text(value, number);
            tn_buffer_format(out, "(%s)", number);
        } else {
            tn_buffer_put(out, text, (size_t)n);
            text += n;
        }
    }
    return TN_OK;
}

tn_status tn_paper_value(const char *folder, const char *text, double *out)
{
    tn_buffer plain = {0};
    char *numbers = NULL;
    tn_expression *expression = NULL;
    *out = NAN;
    tn_status s = replace_calls(folder, text, &plain);
    if (s == TN_OK)
        s = tn_buffer_finish(&plain, "an expression", &numbers);
    else
        tn_free(plain.text);
    TN_THEN(s, tn_expression_create(numbers, 0, NULL, &expression));
    if (s == TN_OK)
        *out = tn_expression_eval(expression, 0.0).v;
    tn_free(expression);
    tn_free(numbers);
    return s;
}
