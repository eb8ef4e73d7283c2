// SPDX-License-Identifier: MIT
//
// Makes result.h5 out of a journal, in a child process: HDF5 crashes inside itself when memory or
// the disk runs out.

#pragma once

#include "result/checksums.h"

typedef struct tn_export {
    const char *journal;         // to read
    const char *path;            // to write; whatever is there is replaced
    bool (*give_up)(void *user); // asked twenty times a second; may be NULL
    void *user;
} tn_export;

bool tn_export_available(void); // compiled in

// Writes the file, reads it back and compares every number with the journal, and takes the
// checksums of its blocks (tn_checksums_free them). When it fails no file is left.
tn_status tn_export_hdf5(const tn_export *job, tn_checksums *checksums);
