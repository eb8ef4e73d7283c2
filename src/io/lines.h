// SPDX-License-Identifier: MIT
//
// Text files line by line and word by word, for the tables that other programs write. Errors begin
// with file:line.

#pragma once

#include "base/status.h"

typedef struct tn_lines {
    char *path, *text;
    char *next; // the line behind the present one; NULL at the end
    char *at;   // what is left of the present line
    int line;   // its number
} tn_lines;

tn_status tn_lines_open(const char *path, tn_lines *out); // at most 16 GiB
void tn_lines_close(tn_lines *lines);                     // zeroed is fine
// Goes to the next line; false at the end of the file.
bool tn_lines_next(tn_lines *lines);
// The next word, between blanks (and commas where `commas`), which stays there until the file is
// closed; NULL at the end of the line. Between two commas a word may be empty.
char *tn_lines_word(tn_lines *lines, bool commas);
// "file:line: …"
tn_status tn_lines_fail(const tn_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Words as numbers; `what` is what they are. An integer is within first … last.
tn_status tn_lines_number(const tn_lines *lines, const char *word, const char *what, double *out);
tn_status tn_lines_integer(const tn_lines *lines, const char *word, const char *what, int first,
                           int last, int *out);

// The path of a file that is named in another one: as it is where it is absolute, else beside that.
// tn_free it; NULL when memory is short.
char *tn_path_beside(const char *file, const char *name);
