// SPDX-License-Identifier: MIT
//
// Text files line by line; see lines.h.

#include "text/lines.h"

#include "base/alloc.h"
#include "text/number.h"
#include "text/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t MOST_BYTES = (size_t)1 << 34;

tn_status tn_lines_open(const char *path, tn_lines *out)
{
    size_t length = 0;
    *out = (tn_lines){.path = tn_strdup(path)};
    tn_status s = tn_got(out->path);
    TN_THEN(s, tn_file_read(path, MOST_BYTES, &out->text, &length));
    if (s == TN_OK && strlen(out->text) != length)
        s = tn_fail(TN_ERR_FILE, "%s: this is no text: it holds a byte 0", path);
    if (s == TN_OK)
        out->next = out->text + (strncmp(out->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    return s;
}

void tn_lines_close(tn_lines *l)
{
    TN_FREE(l->path, l->text);
    *l = (tn_lines){0};
}

bool tn_lines_next(tn_lines *l)
{
    if (!l->next || !*l->next)
        return false;
    l->at = l->next;
    l->line++;
    char *end = strchr(l->at, '\n');
    l->next = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

char *tn_lines_word(tn_lines *l, bool commas)
{
    char *at = l->at;
    while (is_blank(*at))
        at++;
    if (!*at)
        return NULL;
    char *end = at;
    while (*end && (commas ? *end != ',' : !is_blank(*end)))
        end++;
    l->at = *end ? end + 1 : end;
    while (end > at && is_blank(end[-1]))
        end--;
    *end = '\0';
    return at;
}

bool tn_lines_row(tn_lines *l)
{
    while (tn_lines_next(l)) {
        const size_t blanks = strspn(l->at, " \t\r");
        if (l->at[blanks] && l->at[blanks] != '#')
            return true;
    }
    return false;
}

char *tn_lines_field(tn_lines *l, char between, bool *more)
{
    const char stop[] = {between, '\0'};
    char *at = l->at, *to, *field;
    if (!*more)
        return NULL;
    while (is_blank(*at) && *at != between)
        at++;
    field = to = at;
    if (*at == '"') {
        for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
            at += *at == '"';
            *to++ = *at;
        }
        at += strcspn(at, stop);
    } else {
        at += strcspn(at, stop);
        for (to = at; to > field && is_blank(to[-1]);)
            to--;
    }
    *more = *at == between;
    l->at = *more ? at + 1 : at;
    *to = '\0';
    return field;
}

tn_status tn_lines_fail(const tn_lines *l, const char *format, ...)
{
    char text[1024];
    TN_SENTENCE(text, format);
    return tn_fail(TN_ERR_FILE, "%s:%d: %s", l->path, l->line, text);
}

tn_status tn_lines_number(const tn_lines *l, const char *word, const char *what, double *out)
{
    if (!word)
        return tn_lines_fail(l, "%s is missing", what);
    if (!tn_number_from_text(word, out) || !isfinite(*out))
        return tn_lines_fail(l, "%s: expected a number, found '%.40s'", what, word);
    return TN_OK;
}

tn_status tn_lines_integer(const tn_lines *l, const char *word, const char *what, int first,
                           int last, int *out)
{
    char *end;
    if (!word)
        return tn_lines_fail(l, "%s is missing", what);
    const long value = strtol(word, &end, 10);
    if (end == word || *end)
        return tn_lines_fail(l, "%s: expected an integer, found '%.40s'", what, word);
    if (value < first || value > last)
        return tn_lines_fail(l, "%s is %.20s; it must be from %d to %d", what, word, first, last);
    *out = (int)value;
    return TN_OK;
}

void tn_csv_name(tn_buffer *out, const char *name, const char *unit)
{
    char *text = *unit ? tn_format("%s [%s]", name, unit) : tn_strdup(name);
    out->failed |= !text;
    tn_buffer_field(out, text ? text : "");
    tn_free(text);
}

void tn_csv_number(tn_buffer *out, double value)
{
    char digits[TN_NUMBER_SIZE];
    if (isfinite(value))
        tn_buffer_put(out, digits, tn_number_text(value, digits));
    else
        tn_buffer_say(out, isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
}

void tn_csv_finite(tn_buffer *out, double value)
{
    if (isfinite(value))
        tn_csv_number(out, value);
}

void tn_csv_rows(tn_buffer *out, int columns, int rows, const double *values)
{
    for (int k = 0; k < rows * columns; k++) {
        tn_csv_number(out, values[k]);
        tn_buffer_say(out, (k + 1) % columns ? "," : "\n");
    }
}

char *tn_path_beside(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    if (*name == '/' || !slash)
        return tn_strdup(name);
    return tn_format("%.*s%s", (int)(slash + 1 - file), file, name);
}
