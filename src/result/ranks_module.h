// SPDX-License-Identifier: MIT
//
// Functions of a module for ranks of MPI, modules/tenon_mpi.c. It is a file of its own that is
// loaded when mpirun has started several ranks, so that nothing else links MPI.

#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TN_RANKS_VERSION = 1 };

typedef struct tn_ranks_module {
    int version; // TN_RANKS_VERSION, else it belongs to another Tenon
    // All functions but leave are false where MPI fails.
    bool (*join)(int *rank, int *count);
    bool (*gather)(const void *mine, size_t size, void *all); // all at rank 0, by rank
    bool (*broadcast)(void *bytes, size_t size);              // from rank 0
    bool (*send)(int to, const void *bytes, size_t size);
    // Without waiting: *from is -1 where nothing has come. Messages are of this size.
    bool (*receive)(int *from, void *bytes, size_t size);
    void (*leave)(bool in_order); // otherwise all ranks are ended
} tn_ranks_module;

#define TN_RANKS_MODULE "tenon_ranks_module" // the name of a const tn_ranks_module
#define TN_RANKS_FILE "tenon_mpi.so"         // beside libtenon, or in a folder tenon there
