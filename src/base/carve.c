// SPDX-License-Identifier: MIT
//
// Workspace carving: one layout function serves both to measure and to assign.
// With base == NULL the cursor only counts bytes; run again with memory, it hands them out.
//
// Pieces keep a distance of one cache line from each other, enough for any vector unit; they stand
// on multiples of it when the base does.

#include "base/carve.h"

#define CARVE_ALIGN 64u

void *tn_carve_bytes(tn_carve *mem, size_t size)
{
    char *p = mem->base ? mem->base + mem->used : NULL;
    mem->used += (size + CARVE_ALIGN - 1u) / CARVE_ALIGN * CARVE_ALIGN;
    return p;
}

double *tn_carve_doubles(tn_carve *mem, int count)
{
    return tn_carve_bytes(mem, (size_t)count * sizeof(double));
}

int *tn_carve_ints(tn_carve *mem, int count)
{
    return tn_carve_bytes(mem, (size_t)count * sizeof(int));
}
