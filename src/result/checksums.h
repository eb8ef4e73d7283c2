// SPDX-License-Identifier: MIT
//
// The checksums of result.h5, kept in summary.json beside it. They are verified before HDF5 sees
// the file, because it crashes on some damaged ones. The summary has a checksum of its own as its
// last member.

#pragma once

#include "base/status.h"
#include "tenon/json.h"

typedef struct tn_checksums {
    long long bytes; // of the file
    long long block; // bytes that one checksum stands for
    char *sums;      // eight hexadecimal digits for each block
} tn_checksums;

tn_status tn_checksums_take(const char *path, tn_checksums *out);
void tn_checksums_free(tn_checksums *checksums);

// The member "checksums" of an object, as tn_checksums_find reads it.
void tn_checksums_json(const tn_checksums *checksums, tn_json *json);

// The last member of a summary, the checksum of all text before it.
void tn_summary_sign(tn_json *json);
// Fault of the summary in the folder, "has no checksum …"; NULL if it is what was signed, or there
// is none.
tn_status tn_summary_look(const char *directory, const char **fault);
// Fails with a sentence if something is wrong.
tn_status tn_summary_check(const char *directory);

// The checksums in the summary beside a file; out->sums is NULL when there is none or it makes no
// sense. Fails where tn_summary_check does.
tn_status tn_checksums_find(const char *directory, tn_checksums *out);

// Fails with a sentence if the file differs from its checksums.
tn_status tn_checksums_verify(const char *path, const tn_checksums *checksums);
