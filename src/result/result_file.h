// SPDX-License-Identifier: MIT
//
// A file of results as texts, lists and tables of rows. There are four ways to read one: a
// journal, HDF5 in a child process, in that child HDF5 itself, and a table of comma separated
// values. Nothing here knows what the contents mean; result/result.c does.

#pragma once

#include "base/status.h"

typedef struct tn_result_file tn_result_file;

// A dataset of numbers that grows along its first side.
typedef struct tn_result_table {
    long long handle; // negative when it is not there
    long rows;
    int width; // numbers per row
    int rank;
    unsigned long long shape[3];
} tn_result_table;

typedef enum tn_result_list { TN_LIST_ATTRIBUTE, TN_LIST_TEXTS, TN_LIST_INTS } tn_result_list;

// Texts, one after the other with their zeros, or whole numbers of type int.
typedef struct tn_result_bytes {
    int count; // of texts or numbers
    size_t size;
    char *at; // NULL when there is nothing of that name, else tn_free it
} tn_result_bytes;

typedef struct tn_result_file_ops {
    void (*close)(tn_result_file *file);
    // The text of an attribute of the file, or a dataset with texts or whole numbers.
    tn_status (*list)(tn_result_file *file, tn_result_list kind, const char *name,
                      tn_result_bytes *out);
    tn_status (*table)(tn_result_file *file, const char *path, tn_result_table *out);
    // n rows, or one column of them when column >= 0.
    tn_status (*read)(tn_result_file *file, const tn_result_table *table, long first, long n,
                      int column, double *out);
    const char *(*warning)(const tn_result_file *file); // NULL for none; may be NULL
} tn_result_file_ops;

struct tn_result_file {
    const tn_result_file_ops *ops;
};

// All fail with a sentence on files that are not there, of another kind or cut short.
tn_status tn_result_journal_open(const char *path, tn_result_file **out);
tn_status tn_result_remote_open(const char *path, tn_result_file **out); // HDF5 in a child
tn_status tn_result_hdf5_open(const char *path, tn_result_file **out);   // in that child
// A table: its lists of texts are "names" and "units", its tables "time", which is the first
// column, and "columns", which are all of them.
tn_status tn_result_csv_open(const char *path, tn_result_file **out);
// Returns true if a path names one: FILE.csv or FILE.csv:COLUMN=TEXT, the rows with this text
// there.
bool tn_result_csv_is_name(const char *path);
char *tn_result_csv_path(const char *path); // FILE.csv; tn_free it, NULL when memory is short
