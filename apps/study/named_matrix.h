// SPDX-License-Identifier: MIT
//
// Matrices whose rows and columns have names, as text: linear models and projectors are files of
// these.

#pragma once

#include "tenon/json.h"
#include "text/buffer.h"

typedef struct tn_named_matrix {
    const char *name;
    int rows, columns;
    const double *at; // by columns
    const void *owner;
    int which; // of the owner's matrices
    const char *(*row_name)(const struct tn_named_matrix *m, int i);
    const char *(*column_name)(const struct tn_named_matrix *m, int j);
} tn_named_matrix;

// A list of rows under its name.
void tn_named_matrix_json(tn_json *json, const tn_named_matrix *m);

typedef struct tn_named_matrices {
    const void *owner;
    int n;
    // False for one that was not asked for.
    bool (*get)(const void *owner, int which, tn_named_matrix *out);
    void (*put)(tn_json *json, const void *owner); // the members of the document
    const char *formats;                           // "projectors are written as FILE.json"
} tn_named_matrices;

// FILE.json, FILE.csv, or - for CSV: of each matrix its name and those of its columns, its rows
// behind their names, and an empty line.
tn_status tn_named_matrices_write(const tn_named_matrices *all, const char *path);
bool tn_path_ends_with(const char *path, const char *end);
