// SPDX-License-Identifier: MIT
//
// Workspace carving: one layout function serves both to measure and to assign.
// With base == NULL the cursor only counts bytes; run again with memory, it hands them out.

#pragma once

#include <stddef.h>

typedef struct tn_carve {
    char *base;
    size_t used;
} tn_carve;

void *tn_carve_bytes(tn_carve *mem, size_t size);
double *tn_carve_doubles(tn_carve *mem, int count);
int *tn_carve_ints(tn_carve *mem, int count);
