// SPDX-License-Identifier: MIT
//
// Workspace carving: one layout function serves both to measure and to assign.
// With base == NULL the cursor only counts bytes; run again with memory, it hands them out.

#pragma once

#include "tenon/base.h"

typedef struct tn_carve {
    char *base;
    size_t used;
} tn_carve;

void *tn_carve_bytes(tn_carve *mem, size_t size);
double *tn_carve_doubles(tn_carve *mem, int count);
int *tn_carve_ints(tn_carve *mem, int count);

// Runs the layout function of an object twice: to measure, and with a new zeroed block to assign.
// The block is the caller's to free.
typedef void (*tn_layout_function)(void *self, tn_carve *mem);
tn_status tn_carve_block(void *self, tn_layout_function layout, void **block);
