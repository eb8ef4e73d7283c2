// SPDX-License-Identifier: MIT
//
// Shared parts of the files about items of papers: the item as it was read, series of numbers from
// results and tables, and the value of an expression in these.

#pragma once

#include "base/array.h"
#include "file/document.h"
#include "tenon/paper.h"
#include "text/buffer.h"
#include "text/lines.h"

typedef struct tn_paper_command {
    const char *text; // as written
    const char *to;   // file for its standard output; NULL: the log
    char *shown;      // as one would write it in a shell
    bool is_long;
    int exit;  // the code that it must end with; ANY_EXIT
    int ended; // the code that it ended with; -1: not run
    double seconds;
    const tn_node *node;
} tn_paper_command;

enum { TN_PAPER_ANY_EXIT = -1 };

typedef struct tn_paper_quantity {
    tn_paper_number facts;
    const char *text; // the expression
    bool is_long;
    const tn_node *node;
} tn_paper_quantity;

// A file that commands write, and what it shows.
typedef struct tn_paper_file {
    const char *file, *caption;
    bool is_long;
} tn_paper_file;

struct tn_paper {
    tn_document *doc;
    char *path, *folder, *key, *name;
    tn_paper_facts facts;
    TN_ARRAY(tn_paper_parameter) parameters;
    TN_ARRAY(tn_paper_command) commands;
    TN_ARRAY(tn_paper_quantity) numbers;
    TN_ARRAY(tn_paper_file) pictures;
    TN_ARRAY(tn_paper_file) tables;
    char *reason, *changed;
};

// Words in braces, {here} or {x0}, by the values of a list.
typedef struct tn_paper_word {
    const char *name, *value;
} tn_paper_word;

enum { TN_PAPER_PARAMETERS = 32 };

// The commands as people write them, from the folder that has papers/.
tn_status tn_paper_show(tn_paper *p, int n, const tn_paper_word *words);
// Puts a text into the buffer with its words replaced; fails for a word that is not in the list.
tn_status tn_paper_fill(const char *text, int n, const tn_paper_word *words, tn_buffer *out);

// Numbers over time -------------------------------------------------------------------------------

typedef struct tn_series {
    int n;
    double *t, *x; // tn_series_free
    bool rows;     // of a table: its rows count alike, however far apart they are
} tn_series;

void tn_series_free(tn_series *s);
// The value at a time, by a cubic through the four rows around it; NAN beyond the ends.
double tn_series_at(const tn_series *s, double t);
// A channel of a run, or a column of a table whose first one is t: "coarse:rod.position.x",
// "errors.csv:q", in a folder. A table may have a column that is no number in some rows: NAN.
tn_status tn_series_read(const char *folder, const char *name, tn_series *out);
// An expression in such names and t, at the times of the first of them.
tn_status tn_series_eval(const char *folder, const char *text, tn_series *out);

// The value of an expression with functions of texts, as docs/formats/paper.md lists them.
tn_status tn_paper_value(const char *folder, const char *text, double *out);

// Tables of commas and lines: a line of names, then rows.
typedef struct tn_paper_table {
    tn_lines lines;
    int rows, columns;
    TN_ARRAY(char *) cells; // (rows + 1) * columns, names first
} tn_paper_table;

tn_status tn_paper_table_read(const char *path, tn_paper_table *out);
void tn_paper_table_free(tn_paper_table *t);
const char *tn_paper_cell(const tn_paper_table *t, int row, int column); // names: row -1
int tn_paper_table_column(const tn_paper_table *t, const char *name);    // -1: none
