// SPDX-License-Identifier: MIT
//
// Text files line by line and word by word, for the tables that other programs write. Errors begin
// with file:line.

#pragma once

#include "text/buffer.h"

typedef struct tn_lines {
    char *path, *text;
    char *next; // the line behind the present one; NULL at the end
    char *at;   // the rest of the current line
    int line;   // its number
} tn_lines;

// At most 16 GiB; the mark that some programs put before UTF-8 is skipped.
tn_status tn_lines_open(const char *path, tn_lines *out);
void tn_lines_close(tn_lines *lines); // zeroed is fine
// Goes to the next line; false at the end of the file.
bool tn_lines_next(tn_lines *lines);
// The next word, between blanks (and commas where `commas`), which stays there until the file is
// closed; NULL at the end of the line. Between two commas a word may be empty.
char *tn_lines_word(tn_lines *lines, bool commas);
// Goes to the next line that is neither empty nor begins with #; false at the end of the file.
bool tn_lines_row(tn_lines *lines);
// The next field of the current line, up to a comma or another sign, as RFC 4180 has them: blanks
// around it cut off, quotes resolved in place; NULL behind the last one. *more, true at first, is
// set while the sign says that another one follows.
char *tn_lines_field(tn_lines *lines, char between, bool *more);
// "file:line: …"
tn_status tn_lines_fail(const tn_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Words as numbers; `what` names them. An integer is within first … last.
tn_status tn_lines_number(const tn_lines *lines, const char *word, const char *what, double *out);
tn_status tn_lines_integer(const tn_lines *lines, const char *word, const char *what, int first,
                           int last, int *out);

// Writers of the parts of tables: "name [unit]" as a field, the name alone for no unit; a number
// with all its digits, nan or inf; the same, but nothing where it is not finite; rows of numbers.
void tn_csv_name(tn_buffer *out, const char *name, const char *unit);
void tn_csv_number(tn_buffer *out, double value);
void tn_csv_finite(tn_buffer *out, double value);
void tn_csv_rows(tn_buffer *out, int columns, int rows, const double *values);

// The path of a file that is named in another one: as it is where it is absolute, else beside that.
// tn_free it; NULL when memory is short.
char *tn_path_beside(const char *file, const char *name);
