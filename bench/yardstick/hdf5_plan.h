// SPDX-License-Identifier: MIT
//
// What an HDF5 file of results holds, as a list that a program without Tenon can follow:
// bench_files makes it of a result, write_hdf5 writes a file by it.

#pragma once

#include <stdint.h>

enum { PLAN_DOUBLES, PLAN_INTS, PLAN_FLAGS, PLAN_TEXTS };

typedef struct plan_entry {
    char owner[96]; // of an attribute, "" for a dataset
    char name[96];
    int32_t type, rank; // rank 0: one value
    int32_t chunked;
    uint64_t shape[3], chunk[3];
    uint64_t bytes; // that follow; texts end with zeros
} plan_entry;
