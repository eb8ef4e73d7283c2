// SPDX-License-Identifier: MIT
//
// What this build of Tenon has, and what it finds on the machine: parts that were built in,
// libraries that are loaded when they are needed, programs and Python packages.

#pragma once

#include "tenon/base.h"

#include <stdbool.h>

// How things are with a part.
typedef enum tn_part_state {
    TN_PART_THERE,
    TN_PART_MISSING,  // not found, or it cannot be loaded
    TN_PART_LEFT_OUT, // Tenon was built without it
    TN_PART_STATE_COUNT
} tn_part_state;

// One of them, as it was found.
typedef struct tn_part {
    const char *kind; // "machine", "built in", "library", "program" or "Python"
    const char *name; // "HDF5"
    tn_part_state state;
    bool needed;         // commands of this build fail without it
    char found[200];     // version and place, or why it cannot be loaded
    const char *purpose; // "results as result.h5"
    const char *package; // of Debian, which brings it; "" where there is none
} tn_part;

// Looks for part i: libraries are loaded, and Python is started for its packages. False behind the
// last one. A process should ask once for each.
TN_API bool tn_doctor_part(int i, tn_part *out);
