// SPDX-License-Identifier: MIT
//
// Tables of comma separated values as files of results (result/result_file.h): a head line with
// names and units, then rows, fields quoted as in RFC 4180. The first column stands in place of
// the time.
//
//   step [s],method,error q            names "step", "method", "error q"; unit "s" of the first
//   0.01,galpha/ggl,3.2e-5
//
// Lines that are empty or begin with # do not count. Fields that are no numbers are gaps.
// "table.csv:method=galpha/ggl" takes only the rows that have this text in that column, or the same
// number; more conditions stand behind &.

#include "base/alloc.h"
#include "base/array.h"
#include "result/result_file.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/number.h"
#include "text/table.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { FIRST_COLUMN, ALL_COLUMNS }; // handles of tables
enum { MOST_KEYS = 8 };

typedef struct {
    char *name, *unit; // in the text of the file; unit may be ""
} head_field;

typedef struct csv_file {
    tn_data_file base;
    tn_lines lines;
    TN_ARRAY(head_field) head;
    TN_ARRAY(double) values; // row by row
    int nkey;                // conditions of rows to take; 0 for all
    struct {
        const char *name, *value;
        int column;
    } key[MOST_KEYS];
    long rows;
    char *path; // with the rows to take cut off behind it
} csv_file;

static bool ends_with_csv(const char *text, size_t n)
{
    return n >= 4 && strncasecmp(text + n - 4, ".csv", 4) == 0;
}

// Begin of ":key=value" behind the name of a table; its end if there is none; NULL if it is no such
// name.
static const char *end_of_name(const char *path)
{
    const size_t n = strlen(path);
    if (ends_with_csv(path, n))
        return path + n;
    for (const char *c = strchr(path, ':'); c; c = strchr(c + 1, ':'))
        if (ends_with_csv(path, (size_t)(c - path)) && strchr(c, '='))
            return c;
    return NULL;
}

bool tn_result_csv_is_name(const char *path)
{
    return end_of_name(path) != NULL;
}

char *tn_result_csv_path(const char *path)
{
    const char *end = end_of_name(path);
    return tn_format("%.*s", end ? (int)(end - path) : (int)strlen(path), path);
}

// Fields ------------------------------------------------------------------------------------------

// "error q [m]" becomes name and unit.
static void split_unit(char *field, head_field *out)
{
    const size_t n = strlen(field);
    char *open = strrchr(field, '[');
    *out = (head_field){field, field + n};
    if (!open || open == field || field[n - 1] != ']')
        return;
    field[n - 1] = '\0';
    out->unit = open + 1;
    for (*open = '\0'; open > field && open[-1] == ' ';)
        *--open = '\0';
}

static bool is_taken(const csv_file *f, const char *name)
{
    for (int i = 0; i < f->head.count; i++)
        if (strcmp(f->head.at[i].name, name) == 0)
            return true;
    return false;
}

static tn_status read_head(csv_file *f)
{
    bool more = true;
    char *field;
    if (!tn_lines_row(&f->lines))
        return tn_fail(TN_ERR_FILE, "%s is empty: a table begins with the names of its columns",
                       f->path);
    while ((field = tn_lines_field(&f->lines, ',', &more))) {
        head_field head;
        double number;
        split_unit(field, &head);
        if (!*head.name)
            return tn_lines_fail(&f->lines, "column %d has no name", f->head.count + 1);
        if (tn_number_from_text(head.name, &number))
            return tn_lines_fail(&f->lines,
                                 "the first line must be the names of the columns, and it holds "
                                 "the number '%.40s'",
                                 head.name);
        if (is_taken(f, head.name))
            return tn_lines_fail(&f->lines, "two columns are named '%.100s'", head.name);
        TN_TRY(tn_array_push(&f->head, head));
    }
    return TN_OK;
}

static double number_of(const char *field)
{
    double value;
    const bool minus = *field == '-';
    if (tn_number_from_text(field, &value))
        return value;
    if (strcasecmp(field + minus, "inf") == 0)
        return minus ? -INFINITY : INFINITY;
    return NAN;
}

static bool is_same(const char *field, const char *value)
{
    double a, b;
    return strcmp(field, value) == 0 ||
           (tn_number_from_text(field, &a) && tn_number_from_text(value, &b) &&
            fabs(a - b) <= 1e-9 * fabs(b));
}

static tn_status read_row(csv_file *f)
{
    const int begin = f->values.count;
    bool more = true, wanted = true;
    char *field;
    int n = 0;
    for (; (field = tn_lines_field(&f->lines, ',', &more)); n++) {
        for (int k = 0; k < f->nkey; k++)
            wanted &= n != f->key[k].column || is_same(field, f->key[k].value);
        if (n < f->head.count)
            TN_TRY(tn_array_push(&f->values, number_of(field)));
    }
    if (n != f->head.count)
        return tn_lines_fail(&f->lines, "the row has %d fields, and the head line has %d", n,
                             f->head.count);
    if (!wanted)
        f->values.count = begin;
    f->rows += wanted;
    return TN_OK;
}

// "key=value" to the column and the text that it must have. An & that no other one follows is part
// of the text.
static tn_status find_keys(csv_file *f, char *text)
{
    const char *names[256];
    const int known = tn_smaller(f->head.count, TN_COUNT(names));
    for (int i = 0; i < known; i++)
        names[i] = f->head.at[i].name;
    for (char *next; text; text = next) {
        char *equals = strchr(text, '=');
        int column = 0;
        if (f->nkey == MOST_KEYS)
            return tn_fail(TN_ERR_USAGE, "%s: more than %d conditions", f->path, MOST_KEYS);
        *equals = '\0';
        next = strchr(equals + 1, '&');
        next = next && strchr(next, '=') ? next : NULL;
        if (next)
            *next++ = '\0';
        while (column < known && strcmp(names[column], text) != 0)
            column++;
        if (column == known)
            return tn_fail(TN_ERR_USAGE, "%s has no column '%s'; %s", f->path, text,
                           tn_name_hint(text, known, names).text);
        f->key[f->nkey].name = text;
        f->key[f->nkey].value = equals + 1;
        f->key[f->nkey++].column = column;
    }
    return TN_OK;
}

static tn_status read_table(csv_file *f, const char *path)
{
    char *chosen = (char *)end_of_name(f->path);
    if (chosen && *chosen) {
        *chosen++ = '\0';
    } else {
        chosen = NULL;
    }
    TN_TRY(tn_lines_open(f->path, &f->lines));
    TN_TRY(read_head(f));
    if (chosen)
        TN_TRY(find_keys(f, chosen));
    while (tn_lines_row(&f->lines)) {
        if (f->values.count > INT_MAX - f->head.count)
            return tn_fail(TN_ERR_FILE, "%s has more than %d numbers", f->path, INT_MAX);
        TN_TRY(read_row(f));
    }
    if (f->rows == 0)
        return f->nkey ? tn_fail(TN_ERR_USAGE, "%s has no row with %s = '%s'%s", f->path,
                                 f->key[0].name, f->key[0].value, f->nkey > 1 ? ", …" : "")
                       : tn_fail(TN_ERR_FILE, "%s has no rows behind its head line", path);
    return TN_OK;
}

// The file ----------------------------------------------------------------------------------------

static void close_csv(tn_data_file *file)
{
    csv_file *f = (csv_file *)file;
    tn_lines_close(&f->lines);
    tn_array_free(&f->head);
    tn_array_free(&f->values);
    TN_FREE(f->path, f);
}

static tn_status csv_list(tn_data_file *file, tn_data_list kind, const char *name,
                          tn_data_bytes *out)
{
    const csv_file *f = (const csv_file *)file;
    const bool units = strcmp(name, "units") == 0;
    tn_buffer text = {0};
    *out = (tn_data_bytes){0};
    if (kind != TN_DATA_TEXTS || (!units && strcmp(name, "names") != 0))
        return TN_OK;
    for (int i = 0; i < f->head.count; i++) {
        const char *part = units ? f->head.at[i].unit : f->head.at[i].name;
        tn_buffer_put(&text, part, strlen(part) + 1);
    }
    *out = (tn_data_bytes){f->head.count, text.length, NULL};
    return tn_buffer_finish(&text, "a table", &out->at);
}

static tn_status csv_table(tn_data_file *file, const char *path, tn_data_table *out)
{
    const csv_file *f = (const csv_file *)file;
    const bool first = strcmp(path, "time") == 0;
    *out = (tn_data_table){.handle = -1};
    if (!first && strcmp(path, "columns") != 0)
        return TN_OK;
    *out = (tn_data_table){.handle = first ? FIRST_COLUMN : ALL_COLUMNS,
                           .rows = f->rows,
                           .width = first ? 1 : f->head.count,
                           .rank = 2};
    return TN_OK;
}

static tn_status csv_read(tn_data_file *file, const tn_data_table *table, long first, long n,
                          int column, double *out)
{
    const csv_file *f = (const csv_file *)file;
    const int width = f->head.count;
    const bool one = column >= 0 || table->handle == FIRST_COLUMN;
    for (long i = 0; i < n; i++) {
        const double *row = f->values.at + (first + i) * width;
        if (one)
            out[i] = row[column >= 0 ? column : 0];
        else
            memcpy(out + i * width, row, (size_t)width * sizeof(double));
    }
    return TN_OK;
}

static const tn_data_file_ops ops = {
    .close = close_csv,
    .list = csv_list,
    .table = csv_table,
    .read = csv_read,
};

tn_status tn_result_csv_open(const char *path, tn_data_file **out)
{
    csv_file *f = tn_alloc(sizeof(*f));
    *out = NULL;
    TN_TRY(tn_got(f));
    f->base.ops = &ops;
    f->path = tn_strdup(path);
    const tn_status s = f->path ? read_table(f, path) : tn_got(false);
    TN_HAND_OUT(s, &f->base, close_csv, out);
}
