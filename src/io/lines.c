// SPDX-License-Identifier: MIT
//
// Text files line by line; see lines.h.

#include "io/lines.h"

#include "base/alloc.h"
#include "base/number.h"
#include "io/target.h"

#include <math.h>
#include <stdarg.h>
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
    out->next = s == TN_OK ? out->text : NULL;
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

tn_status tn_lines_fail(const tn_lines *l, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
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

char *tn_path_beside(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    if (*name == '/' || !slash)
        return tn_strdup(name);
    return tn_format("%.*s%s", (int)(slash + 1 - file), file, name);
}
