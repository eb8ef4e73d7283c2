// SPDX-License-Identifier: MIT
//
// Shared parts of the files about items of papers: the item as it was read, series of numbers from
// results and tables, and the value of an expression in these.

#pragma once

#include "base/array.h"
#include "file/document.h"
#include "tenon/paper.h"
#include "text/buffer.h"

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

enum { TN_PAPER_ANY_EXIT = -1, TN_PAPER_PARAMETERS = 32 };

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
    double value[TN_PAPER_PARAMETERS]; // of the parameters, as they are now
    const char *models;                // the folder of the example models
    char *reason, *changed;
};

// What a text is filled for: to be read, from the folder that has papers/; to be run; or to be an
// expression, where a negative number has brackets: {x}^2.
typedef enum tn_paper_use { TN_PAPER_SHOWN, TN_PAPER_RUN, TN_PAPER_EXPRESSION } tn_paper_use;

// The text with the values of words in braces, {here}, {models} or {x0}; tn_free it. Fails for
// others. `what` the text is.
tn_status tn_paper_fill(const tn_paper *p, const char *text, tn_paper_use use, const char *what,
                        char **out);
// The commands as people write them.
tn_status tn_paper_show(tn_paper *p);

// Numbers over time -------------------------------------------------------------------------------

typedef struct tn_series {
    int n;
    double *t, *x; // tn_series_free
    bool rows;     // of a table: its rows count alike, however far apart they are
} tn_series;

void tn_series_free(tn_series *s);
// A channel or a column by its name alone; of a table the rows that a text after .csv chooses,
// ":KEY=TEXT".
tn_status tn_series_read(const char *folder, const char *name, const char *rows, tn_series *out);
// An expression in t and in channels of runs or columns of tables, "coarse:rod.position.x",
// "errors.csv:q", in a folder, at the times of the first of them. A table may have a column that is
// no number in some rows: NAN. Where its first one is none, t counts rows.
tn_status tn_series_eval(const char *folder, const char *text, tn_series *out);

// The value of an expression with functions of texts, as docs/formats/paper.md lists them.
tn_status tn_paper_value(const char *folder, const char *text, double *out);
