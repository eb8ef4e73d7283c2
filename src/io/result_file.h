// SPDX-License-Identifier: MIT
//
// The HDF5 side of reading results: text, lists and blocks of rows of a file. Nothing here knows
// what they mean; io/result.c does.

#pragma once

#include "base/status.h"

typedef struct tn_result_file tn_result_file;

// Fails with a sentence on files that are not there, are no HDF5 files or are cut short.
tn_status tn_result_file_open(const char *path, tn_result_file **out);
void tn_result_file_close(tn_result_file *file);

// Text of an attribute of the file, and of a dataset that holds one text; *out is NULL when it is
// not there, else tn_free it.
tn_status tn_result_file_attribute(tn_result_file *file, const char *name, char **out);
tn_status tn_result_file_text(tn_result_file *file, const char *path, char **out);

// A list of texts, and of whole numbers; *count is 0 and *out NULL when it is not there. The texts
// are one block: tn_free(*out).
tn_status tn_result_file_texts(tn_result_file *file, const char *path, int *count, char ***out);
tn_status tn_result_file_ints(tn_result_file *file, const char *path, int *count, int **out);

// A dataset of numbers that grows along its first side.
typedef struct tn_result_table {
    long long handle; // negative when it is not there
    long rows;
    int width; // numbers per row
    int rank;
    unsigned long long shape[3];
} tn_result_table;

tn_status tn_result_file_table(tn_result_file *file, const char *path, tn_result_table *out);
void tn_result_file_table_close(tn_result_table *table);
// n rows, or one column of them when column >= 0.
tn_status tn_result_file_read(tn_result_file *file, const tn_result_table *table, long first,
                              long n, int column, double *out);
