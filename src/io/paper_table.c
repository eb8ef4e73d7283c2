// SPDX-License-Identifier: MIT
//
// Tables that commands and programs of papers write: comma separated values, as RFC 4180 has them.

#include "base/alloc.h"
#include "io/paper_parts.h"
#include "io/target.h"

#include <string.h>

enum { MOST_BYTES = 256 << 20 };

// Ends the field at the text, returns where the next one begins; *last: none follows in the line.
static char *cut_field(char *at, char **field, bool *last)
{
    char *to = at;
    *field = at;
    if (*at == '"') {
        for (at++; *at && !(at[0] == '"' && at[1] != '"'); at++)
            *to++ = *at == '"' ? *at++ : *at;
        at += *at == '"';
    } else {
        while (*at && !strchr(",\r\n", *at))
            *to++ = *at++;
    }
    while (*at == '\r')
        at++;
    *last = *at != ',';
    at += *at != '\0';
    *to = '\0';
    return at;
}

static int count_columns(const char *text)
{
    int n = 1;
    bool quoted = false;
    for (; *text && (quoted || *text != '\n'); text++) {
        quoted ^= *text == '"';
        n += !quoted && *text == ',';
    }
    return n;
}

static int count_lines(const char *text)
{
    int n = 0;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        n += *text != '\n' && *text != '\r';
    return n;
}

static tn_status cut_lines(const char *path, tn_paper_table *t)
{
    char *at = t->text;
    for (int row = 0; row <= t->rows; row++) {
        while (*at == '\n' || *at == '\r')
            at++;
        bool last = false;
        int c = 0;
        for (; !last && *at; c++) {
            char *field;
            at = cut_field(at, &field, &last);
            if (c < t->columns)
                t->cells[row * t->columns + c] = field;
        }
        if (c != t->columns)
            return tn_fail(TN_ERR_FILE, "%s: row %d has %d fields, the line of names has %d", path,
                           row, c, t->columns);
    }
    return TN_OK;
}

tn_status tn_paper_table_read(const char *path, tn_paper_table *out)
{
    size_t length = 0;
    *out = (tn_paper_table){0};
    tn_status s = tn_file_read(path, MOST_BYTES, &out->text, &length);
    if (s == TN_OK && count_lines(out->text) == 0)
        s = tn_fail(TN_ERR_FILE, "%s is empty", path);
    if (s == TN_OK) {
        out->columns = count_columns(out->text);
        out->rows = count_lines(out->text) - 1;
        out->cells = tn_alloc((size_t)(out->rows + 1) * (size_t)out->columns * sizeof(char *));
        s = tn_got(out->cells);
    }
    TN_THEN(s, cut_lines(path, out));
    if (s != TN_OK)
        tn_paper_table_free(out);
    return s;
}

void tn_paper_table_free(tn_paper_table *t)
{
    TN_FREE(t->text, t->cells);
    *t = (tn_paper_table){0};
}

// "error [m]" has the name "error", too.
int tn_paper_table_column(const tn_paper_table *t, const char *name)
{
    const size_t n = strlen(name);
    for (int c = 0; c < t->columns; c++) {
        const char *head = t->cells[c];
        if (strcmp(head, name) == 0 ||
            (strncmp(head, name, n) == 0 && strncmp(head + n, " [", 2) == 0))
            return c;
    }
    return -1;
}
