// SPDX-License-Identifier: MIT
//
// Files of results other than HDF5 (file/data_file.h). All fail with a sentence on files that are
// not there, of another kind or cut short.

#pragma once

#include "file/data_file.h"

tn_status tn_result_journal_open(const char *path, tn_data_file **out);
// A table: its lists of texts are "names" and "units", its tables "time", which is the first
// column, and "columns", which are all of them.
tn_status tn_result_csv_open(const char *path, tn_data_file **out);
// Returns true if a path names one: FILE.csv or FILE.csv:COLUMN=TEXT, the rows with this text
// there.
bool tn_result_csv_is_name(const char *path);
char *tn_result_csv_path(const char *path); // FILE.csv; tn_free it, NULL when memory is short
