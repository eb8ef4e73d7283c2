// SPDX-License-Identifier: MIT
//
// The doctor lists the parts of this build of Tenon and checks the machine: parts that were built
// in, libraries that are loaded when they are needed, programs and Python packages.

#pragma once

#include "tenon/base.h"

#include <stdbool.h>

// The state of a part.
typedef enum tn_equipment_state {
    TN_EQUIPMENT_THERE,
    TN_EQUIPMENT_MISSING,  // not found, or it cannot be loaded
    TN_EQUIPMENT_LEFT_OUT, // Tenon was built without it
    TN_EQUIPMENT_STATE_COUNT
} tn_equipment_state;

// One of them, as it was found.
typedef struct tn_equipment {
    const char *kind; // "machine", "built in", "library", "program" or "Python"
    const char *name; // "HDF5"
    tn_equipment_state state;
    bool needed;         // commands of this build fail without it
    char found[200];     // version and place, or why it cannot be loaded
    const char *purpose; // "results as result.h5"
    const char *package; // of Debian, which brings it; "" where there is none
} tn_equipment;

// Looks for part i: libraries are loaded, and Python is started for its packages. False behind the
// last one. A process should ask once for each.
TN_API bool tn_doctor_check(int i, tn_equipment *out);
