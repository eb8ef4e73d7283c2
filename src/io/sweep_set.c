// SPDX-License-Identifier: MIT
//
// What is varied, as text: "k=1e3:1e5:20:log", "m=[1, 2, 5]", "m=@values.csv", "k=normal(10, 2)",
// "c=2*k".

#include "base/number.h"
#include "base/table.h"
#include "io/sweep_parts.h"
#include "io/target.h"

#include <math.h>
#include <string.h>

enum { MOST_VALUES = 1000000, MOST_FILE = 1 << 28 };

static tn_status bad(const char *text, const char *rule)
{
    return tn_fail(TN_ERR_USAGE, "--set '%s': %s", text, rule);
}

// Numbers --------------------------------------------------------------------------------------

// A number or a constant expression, "pi/6".
static tn_status read_value(const char *text, const char *all, double *out)
{
    while (*text == ' ')
        text++;
    if (tn_number_from_text(*text == '-' ? text + 1 : text, out)) {
        *out = *text == '-' ? -*out : *out;
    } else {
        tn_model *none = tn_model_create();
        const tn_status s = none ? tn_model_value(none, text, out) : TN_ERR_MEMORY;
        tn_model_destroy(none);
        if (s != TN_OK)
            return tn_fail(TN_ERR_USAGE, "--set '%s': %s", all, tn_last_error());
    }
    return isfinite(*out) ? TN_OK : bad(all, "values are finite numbers");
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
    double count = 0.0;
    out->log = strcmp(part[n - 1], "log") == 0;
    if (out->log || strcmp(part[n - 1], "lin") == 0)
        n--;
    if (n < 2 || n > 3)
        return bad(all, "write FROM:TO:COUNT, with :log behind it for even ratios");
    TN_TRY(read_value(part[0], all, &out->a));
    TN_TRY(read_value(part[1], all, &out->b));
    if (out->log && !(out->a * out->b > 0.0))
        return bad(all, "with log both ends have the same sign and are not zero");
    if (n == 2) {
        out->kind = SWEEP_RANGE;
        return sampled ? TN_OK
                       : bad(all, "a grid needs a count, FROM:TO:COUNT; without one --sample draws "
                                  "values from the range");
    }
    TN_TRY(read_value(part[2], all, &count));
    if (count != floor(count) || count < 2.0 || count > MOST_VALUES)
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
    out->kind = SWEEP_LIST;
    for (char *next; text; text = next) {
        char *part[2];
        double value;
        next = cut(text, ',', 1, part) > 1 ? text + strlen(text) + 1 : NULL;
        TN_TRY(read_value(part[0], all, &value));
        TN_TRY(add_value(out, value, all));
    }
    return TN_OK;
}

// The column of a table that has the name of the parameter, or the first one.
static int column_of(char *head, const char *name)
{
    char *end = NULL;
    int i = 0, found = 0;
    for (char *at = head; at; at = end ? end + 1 : NULL, i++) {
        end = strchr(at, ',');
        const size_t n = end ? (size_t)(end - at) : strlen(at);
        if (n == strlen(name) && strncmp(at, name, n) == 0)
            found = i;
    }
    return found;
}

static char *field(char *line, int column)
{
    for (; column > 0 && line; column--) {
        line = strchr(line, ',');
        line = line ? line + 1 : NULL;
    }
    if (line)
        line[strcspn(line, ",")] = '\0';
    return line;
}

// A file of values, one in a line, or a table with a line of names.
static tn_status read_file(const char *path, const char *all, sweep_axis *out)
{
    char *text = NULL;
    size_t length = 0;
    tn_status s = tn_file_read(path, MOST_FILE, &text, &length);
    int number = 0, column = 0;
    out->kind = SWEEP_LIST;
    for (char *line = text, *next; s == TN_OK && line && *line; line = next) {
        double value = 0.0;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        number++;
        if (*line == '\0' || *line == '#')
            continue;
        if (number == 1 && !tn_number_is_one(*line == '-' ? line + 1 : line) &&
            !tn_number_length(*line == '-' ? line + 1 : line)) {
            column = column_of(line, out->name);
            continue;
        }
        char *at = field(line, column), *digits = at;
        while (digits && *digits == ' ')
            digits++;
        const bool minus = digits && *digits == '-';
        if (!digits || !tn_number_from_text(digits + minus, &value) || !isfinite(value))
            s = tn_fail(TN_ERR_USAGE, "%s:%d: expected a finite number for '%s', found '%s'", path,
                        number, out->name, digits ? digits : "nothing");
        TN_THEN(s, add_value(out, minus ? -value : value, all));
    }
    tn_free(text);
    if (s == TN_OK && out->list.count == 0)
        s = tn_fail(TN_ERR_USAGE, "%s has no values for '%s'", path, out->name);
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
    double *const to[] = {&out->a, &out->b, &out->c};
    text += strlen(d->name) + 1;
    text[strlen(text) - 1] = '\0';
    if (cut(text, ',', 3, part) != d->numbers)
        return bad(all, d->rule);
    for (int i = 0; i < d->numbers; i++)
        TN_TRY(read_value(part[i], all, to[i]));
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
