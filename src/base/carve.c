// SPDX-License-Identifier: MIT
//
// Pieces keep a distance of one cache line from each other, enough for any vector unit; they stand
// on multiples of it when the base does.

#include "base/carve.h"

#include "base/alloc.h"
#include "base/status.h"

#define CARVE_ALIGN 64u

void *tn_carve_bytes(tn_carve *mem, size_t size)
{
    TN_ASSERT(mem->used % CARVE_ALIGN == 0);
    char *p = mem->base ? mem->base + mem->used : NULL;
    mem->used += (size + CARVE_ALIGN - 1u) / CARVE_ALIGN * CARVE_ALIGN;
    return p;
}

double *tn_carve_doubles(tn_carve *mem, int count)
{
    TN_ASSERT(count >= 0);
    return tn_carve_bytes(mem, (size_t)count * sizeof(double));
}

int *tn_carve_ints(tn_carve *mem, int count)
{
    TN_ASSERT(count >= 0);
    return tn_carve_bytes(mem, (size_t)count * sizeof(int));
}

void tn_carve_each_doubles(tn_carve *mem, int count, double **const *arrays)
{
    for (; *arrays; arrays++)
        **arrays = tn_carve_doubles(mem, count);
}

void tn_carve_each_ints(tn_carve *mem, int count, int **const *arrays)
{
    for (; *arrays; arrays++)
        **arrays = tn_carve_ints(mem, count);
}

tn_status tn_carve_block(void *self, tn_layout_function layout, void **block)
{
    tn_carve mem = {0};
    layout(self, &mem);
    const size_t size = mem.used;
    *block = tn_alloc(size + 1);
    if (!*block)
        return tn_fail(TN_ERR_MEMORY, "out of memory: no block of %zu bytes", size);
    mem = (tn_carve){*block, 0};
    layout(self, &mem);
    TN_ASSERT(mem.used == size); // it hands out what it has measured
    return TN_OK;
}
