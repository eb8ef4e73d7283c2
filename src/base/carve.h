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

// Several arrays of the same length: TN_CARVE_DOUBLES(mem, nv, &s->a, &s->b);
#define TN_CARVE_DOUBLES(mem, count, ...) \
    tn_carve_each_doubles(mem, count, (double **[]){__VA_ARGS__, NULL})
#define TN_CARVE_INTS(mem, count, ...) tn_carve_each_ints(mem, count, (int **[]){__VA_ARGS__, NULL})
void tn_carve_each_doubles(tn_carve *mem, int count, double **const *arrays); // up to a NULL
void tn_carve_each_ints(tn_carve *mem, int count, int **const *arrays);

// Runs the layout function of an object twice: to measure, and with a new zeroed block to assign.
// The block is the caller's to free.
typedef void (*tn_layout_function)(void *self, tn_carve *mem);
tn_status tn_carve_block(void *self, tn_layout_function layout, void **block);
