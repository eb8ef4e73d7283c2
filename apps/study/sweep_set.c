// SPDX-License-Identifier: MIT
//
// Varied parameters, as text: "k=1e3:1e5:20:log", "m=[1, 2, 5]", "m=@values.csv", "k=normal(10,
// 2)", "c=2*k".

#include "study/sweep_parts.h"
#include "text/lines.h"
#include "text/measure.h"
#include "text/number.h"
#include "text/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 1000000 };

static tn_status bad(const char *text, const char *rule)
{
    return tn_fail(TN_ERR_USAGE, "--set '%s': %s", text, rule);
}

// Numbers --------------------------------------------------------------------------------------

// A number, with a unit behind it or not, or a constant expression, "pi/6".
static tn_status read_value(const char *text, const char *all, double *out)
{
    while (*text == ' ')
        text++;
    if (tn_number_from_text(*text == '-' ? text + 1 : text, out)) {
        *out = *text == '-' ? -*out : *out;
    } else if (tn_measure_is_one(text)) {
        if (tn_measure_read(text, NULL, out) != TN_OK)
            return tn_fail(TN_ERR_USAGE, "--set '%s': %s", all, tn_last_error());
    } else {
        tn_model *none = tn_model_create();
        const tn_status s = none ? tn_model_value(none, text, out) : TN_ERR_MEMORY;
        tn_model_destroy(none);
        if (s != TN_OK)
            return tn_fail(TN_ERR_USAGE, "--set '%s': %s", all, tn_last_error());
    }
    return isfinite(*out) ? TN_OK : bad(all, "values are finite numbers");
}

// Values of one parameter have one dimension. A number without a unit beside one that has one would
// be taken in SI, which is seldom meant; zero is the same in all units. *like is the first of them.
static tn_status read_alike(char *text, const char *all, const char **like, double *out)
{
    while (*text == ' ')
        text++;
    for (char *end = text + strlen(text); end > text && end[-1] == ' ';)
        *--end = '\0';
    TN_TRY(read_value(text, all, out));
    if (*out == 0.0 && !tn_measure_is_one(text))
        return TN_OK;
    if (!*like)
        *like = text;
    return tn_measure_is_alike(*like, text)
               ? TN_OK
               : tn_fail(TN_ERR_USAGE,
                         "--set '%s': '%s' and '%s' are of different dimensions; write all values "
                         "in units of one, or all without",
                         all, *like, text);
}

// Cuts a copy of the text at a sign outside parentheses; returns the number of parts, at most
// `most` + 1.
static int cut(char *text, char sign, int most, char **parts)
{
    int n = 0, depth = 0;
    parts[n++] = text;
    for (char *c = text; *c && n <= most; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c != sign || depth > 0)
            continue;
        *c = '\0';
        if (n < most)
            parts[n] = c + 1;
        n++;
    }
    return n;
}

static tn_status add_value(sweep_axis *axis, double value, const char *all)
{
    if (axis->list.count == MOST_VALUES)
        return bad(all, "a list has up to a million values");
    return tn_array_push(&axis->list, value);
}

// Kinds ----------------------------------------------------------------------------------------

// "1e3:1e5:20:log": values of a grid, or without a count a range that is drawn from.
static tn_status read_range(char **part, int n, const char *all, bool sampled, sweep_axis *out)
{
    const char *like = NULL;
    double count = 0.0;
    out->log = strcmp(part[n - 1], "log") == 0;
    if (out->log || strcmp(part[n - 1], "lin") == 0)
        n--;
    if (n < 2 || n > 3)
        return bad(all, "write FROM:TO:COUNT, with :log behind it for even ratios");
    TN_TRY(read_alike(part[0], all, &like, &out->a));
    TN_TRY(read_alike(part[1], all, &like, &out->b));
    if (out->log && !(out->a * out->b > 0.0))
        return bad(all, "with log both ends have the same sign and are not zero");
    if (n == 2) {
        out->kind = SWEEP_RANGE;
        return sampled ? TN_OK
                       : bad(all, "a grid needs a count, FROM:TO:COUNT; without one --sample draws "
                                  "values from the range");
    }
    TN_TRY(read_value(part[2], all, &count));
    if (tn_measure_is_one(part[2] + strspn(part[2], " ")) || count != floor(count) || count < 2.0 ||
        count > MOST_VALUES)
        return bad(all, "the count is a whole number from 2 to a million");
    if (sampled)
        return bad(all, "samples are drawn from the range: leave out the count");
    out->kind = SWEEP_LIST;
    const double a = out->a, b = out->b;
    for (int i = 0; i < (int)count; i++) {
        const double x = i / (count - 1.0);
        const double value = i == 0                ? a
                             : i == (int)count - 1 ? b
                             : out->log            ? a * pow(b / a, x)
                                                   : a + (b - a) * x;
        TN_TRY(add_value(out, value, all));
    }
    return TN_OK;
}

// "[1, 2, 5]", brackets taken off.
static tn_status read_list_of(char *text, const char *all, sweep_axis *out)
{
    const char *like = NULL;
    out->kind = SWEEP_LIST;
    if (!text[strspn(text, " ")])
        return bad(all, "the list is empty; write [A, B, C]");
    for (char *next; text; text = next) {
        char *part[2];
        double value;
        next = cut(text, ',', 1, part) > 1 ? text + strlen(text) + 1 : NULL;
        TN_TRY(read_alike(part[0], all, &like, &value));
        TN_TRY(add_value(out, value, all));
    }
    return TN_OK;
}

// Cuts the unit off a head, NAME [unit]; "" where there is none.
static const char *cut_unit(char *head)
{
    char *unit = strstr(head, " [");
    if (!unit)
        return "";
    *unit = '\0';
    unit += 2;
    unit[strcspn(unit, "]")] = '\0';
    return strcmp(unit, "1") == 0 || strcmp(unit, "-") == 0 ? "" : unit;
}

// A number in the unit of its column, in SI.
static tn_status in_column_unit(const char *field, const char *unit, double *out)
{
    char text[1200];
    if (!*unit)
        return TN_OK;
    snprintf(text, sizeof text, "%s %s", field, unit);
    return tn_measure_is_one(text) ? tn_measure_read(text, NULL, out)
                                   : tn_fail(TN_ERR_MODEL, "unknown unit '%s'", unit);
}

static bool read_field(const char *text, double *out)
{
    const bool minus = *text == '-';
    if (!tn_number_from_text(text + minus, out) || !isfinite(*out))
        return false;
    *out = minus ? -*out : *out;
    return true;
}

// Returns true if a head is NAME or NAME [unit].
static bool is_named(const char *head, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(head, name, n) == 0 && (!head[n] || strncmp(head + n, " [", 2) == 0);
}

// The column of a table that has the name of the parameter; one column needs no name.
static tn_status find_column(int n, char *const *heads, const char *path, const char *name,
                             int *out)
{
    for (*out = 0; *out < n; ++*out)
        if (is_named(heads[*out], name))
            return TN_OK;
    *out = 0;
    return n == 1
               ? TN_OK
               : tn_fail(TN_ERR_USAGE, "%s has %d columns and none is named '%s'", path, n, name);
}

enum { MOST_COLUMNS = 256 };

// A file of values, one in a line, or a table with a line of names.
static tn_status read_lines(tn_lines *l, const char *all, sweep_axis *out)
{
    char *fields[MOST_COLUMNS];
    const char *unit = "";
    int column = 0, columns = 0;
    while (tn_lines_row(l)) {
        double value = 0.0;
        bool more = true;
        int n = 0;
        for (char *field; (field = tn_lines_field(l, ',', &more)); n++)
            fields[n < MOST_COLUMNS ? n : 0] = field;
        if (n > MOST_COLUMNS || (columns > 0 && n != columns))
            return tn_lines_fail(l, "expected %d columns, found %d",
                                 columns ? columns : MOST_COLUMNS, n);
        if (columns == 0 && !read_field(fields[0], &value)) {
            columns = n;
            TN_TRY(find_column(n, fields, l->path, out->name, &column));
            unit = cut_unit(fields[column]);
            if (in_column_unit("1", unit, &value) != TN_OK)
                return tn_fail_within(TN_ERR_USAGE, "%s:%d: column '%s'", l->path, l->line,
                                      fields[column]);
            continue;
        }
        if (columns == 0 && n > 1)
            return tn_fail(TN_ERR_USAGE, "%s has %d columns; name them in its first line", l->path,
                           n);
        columns = n;
        if (!read_field(fields[column], &value))
            return tn_lines_fail(l, "expected a finite number for '%s', found '%s'", out->name,
                                 fields[column]);
        if (in_column_unit(fields[column], unit, &value) != TN_OK)
            return tn_fail_within(TN_ERR_USAGE, "%s:%d", l->path, l->line);
        TN_TRY(add_value(out, value, all));
    }
    return out->list.count > 0
               ? TN_OK
               : tn_fail(TN_ERR_USAGE, "%s has no values for '%s'", l->path, out->name);
}

static tn_status read_file(const char *path, const char *all, sweep_axis *out)
{
    tn_lines lines;
    out->kind = SWEEP_LIST;
    tn_status s = tn_lines_open(path, &lines);
    TN_THEN(s, read_lines(&lines, all, out));
    tn_lines_close(&lines);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

typedef struct distribution {
    const char *name;
    sweep_kind kind;
    int numbers;
    const char *rule;
} distribution;

static const distribution distributions[] = {
    {"uniform", SWEEP_RANGE, 2, "write uniform(FROM, TO)"},
    {"normal", SWEEP_NORMAL, 2, "write normal(MEAN, DEVIATION) with a deviation above zero"},
    {"lognormal", SWEEP_LOGNORMAL, 2,
     "write lognormal(MEAN, DEVIATION) of the logarithm, with a deviation above zero"},
    {"triangular", SWEEP_TRIANGLE, 3, "write triangular(FROM, MODE, TO) with FROM <= MODE <= TO"},
};

// "normal(10, 2)"; false where the text is none of them.
static bool is_distribution(const char *text, const distribution **out)
{
    for (int i = 0; i < TN_COUNT(distributions); i++) {
        const size_t n = strlen(distributions[i].name);
        *out = &distributions[i];
        if (strncmp(text, distributions[i].name, n) == 0 && text[n] == '(' &&
            text[strlen(text) - 1] == ')')
            return true;
    }
    return false;
}

static tn_status read_distribution(char *text, const distribution *d, const char *all, bool sampled,
                                   sweep_axis *out)
{
    char *part[4];
    const char *like = NULL;
    double *const to[] = {&out->a, &out->b, &out->c};
    text += strlen(d->name) + 1;
    text[strlen(text) - 1] = '\0';
    if (cut(text, ',', 3, part) != d->numbers)
        return bad(all, d->rule);
    for (int i = 0; i < d->numbers; i++)
        TN_TRY(read_alike(part[i], all, &like, to[i]));
    out->kind = d->kind;
    const bool right = d->kind == SWEEP_RANGE ? true
                       : d->kind == SWEEP_TRIANGLE
                           ? out->a <= out->b && out->b <= out->c && out->a < out->c
                           : out->b > 0.0;
    if (!right)
        return bad(all, d->rule);
    return sampled ? TN_OK
                   : bad(all, "values are drawn from a distribution by --sample random:N, lhs:N or "
                              "sobol:N");
}

static tn_status read_kind(char *text, const char *all, bool sampled, sweep_axis *out)
{
    const size_t length = strlen(text);
    const distribution *d = NULL;
    if (*text == '@')
        return read_file(text + 1, all, out);
    if (*text == '[' && text[length - 1] == ']') {
        text[length - 1] = '\0';
        return read_list_of(text + 1, all, out);
    }
    if (is_distribution(text, &d))
        return read_distribution(text, d, all, sampled, out);
    char *copy = tn_strdup(text), *part[5];
    TN_TRY(tn_got(copy));
    const int n = cut(copy, ':', 4, part);
    tn_status s = TN_OK;
    if (n > 1) {
        s = n > 4 ? bad(all, "write FROM:TO:COUNT, with :log behind it for even ratios")
                  : read_range(part, n, all, sampled, out);
    } else {
        out->kind = SWEEP_FIXED;
        out->expression = tn_strdup(text);
        s = tn_got(out->expression);
    }
    tn_free(copy);
    return s;
}

tn_status tn_sweep_read_axis(const char *text, bool sampled, sweep_axis *out)
{
    const char *sign = strchr(text, '=');
    *out = (sweep_axis){0};
    if (!sign || sign == text || !sign[1 + strspn(sign + 1, " ")])
        return bad(text, "write NAME=VALUES, for example k=1:2:5");
    const size_t n = (size_t)(sign - text);
    out->name = tn_format("%.*s", (int)n, text);
    char *values = tn_strdup(sign + 1 + strspn(sign + 1, " "));
    tn_status s = out->name && values ? TN_OK : TN_ERR_MEMORY;
    for (char *end = out->name ? out->name + n : NULL; end && end > out->name && end[-1] == ' ';)
        *--end = '\0';
    for (char *end = values ? values + strlen(values) : NULL; end && end[-1] == ' ';)
        *--end = '\0';
    TN_THEN(s, read_kind(values, text, sampled, out));
    tn_free(values);
    return s;
}

void tn_sweep_free_axes(sweep_axes *axes)
{
    for (int i = 0; i < axes->count; i++)
        TN_FREE(axes->at[i].name, axes->at[i].expression, axes->at[i].list.at);
    tn_array_free(axes);
}
