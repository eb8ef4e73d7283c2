// SPDX-License-Identifier: MIT
//
// A file of data as texts, lists and tables of rows. There are four ways to read one: a journal
// and a table of comma separated values (result/), HDF5 in a child process, and in that child HDF5
// itself. Nothing here knows what the contents mean.

#pragma once

#include "base/status.h"

typedef struct tn_data_file tn_data_file;

// A dataset of numbers that grows along its first side.
typedef struct tn_data_table {
    long long handle; // negative when it is not there
    long rows;
    int width; // numbers per row
    int rank;
    unsigned long long shape[3];
} tn_data_table;

typedef enum tn_data_list {
    TN_DATA_ATTRIBUTE, // the text of an attribute of the file
    TN_DATA_NUMBER,    // an attribute that is a whole number
    TN_DATA_TEXTS,     // a dataset with texts
    TN_DATA_INTS,      // or with whole numbers
    TN_DATA_NAMES      // of what is in a group, increasing
} tn_data_list;

// Texts, one after the other with their zeros, or whole numbers of type int.
typedef struct tn_data_bytes {
    int count; // of texts or numbers
    size_t size;
    char *at; // NULL when there is nothing of that name, else tn_free it
} tn_data_bytes;

typedef struct tn_data_file_ops {
    void (*close)(tn_data_file *file);
    tn_status (*list)(tn_data_file *file, tn_data_list kind, const char *name, tn_data_bytes *out);
    tn_status (*table)(tn_data_file *file, const char *path, tn_data_table *out);
    // n rows, or one column of them when column >= 0.
    tn_status (*read)(tn_data_file *file, const tn_data_table *table, long first, long n,
                      int column, double *out);
} tn_data_file_ops;

struct tn_data_file {
    const tn_data_file_ops *ops;
    const char *warning; // NULL for none
};

// Both fail with a sentence on files that are not there, of another kind or cut short. `of_run`: a
// run of Tenon wrote it, whose tables are as large as the file at most, and sentences name it;
// those of other files begin behind their names.
tn_status tn_data_remote_open(const char *path, bool of_run, tn_data_file **out); // in a child
tn_status tn_data_hdf5_open(const char *path, bool of_run, tn_data_file **out);   // in that child
