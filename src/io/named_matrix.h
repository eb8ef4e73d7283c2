// SPDX-License-Identifier: MIT
//
// Matrices whose rows and columns have names, as text: linear models and projectors are files of
// these.

#pragma once

#include "base/buffer.h"
#include "tenon/json.h"

typedef struct tn_named_matrix {
    const char *name;
    int rows, columns;
    const double *at; // by columns
    const void *owner;
    int which; // of the owner's matrices
    const char *(*row_name)(const struct tn_named_matrix *m, int i);
    const char *(*column_name)(const struct tn_named_matrix *m, int j);
} tn_named_matrix;

// A block of CSV: its name and the names of its columns, then its rows with their names, and an
// empty line.
void tn_named_matrix_csv(tn_buffer *out, const tn_named_matrix *m);
// A list of rows under its name.
void tn_named_matrix_json(tn_json *json, const tn_named_matrix *m);
