// SPDX-License-Identifier: MIT
//
// Pieces keep a distance of one cache line from each other, enough for any vector unit; they stand
// on multiples of it when the base does.

#include "base/carve.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

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

void tn_carve_each_doubles(tn_carve *mem, int count, tn_carved names, double **const *arrays)
{
    for (double **const *a = arrays; *a; a++)
        **a = tn_carve_doubles(mem, count);
    if (!mem->values)
        return;
    tn_values_enter_layout(mem->values, names.in);
    for (const char *rest = names.names; *rest; arrays++)
        tn_values_next_doubles(mem->values, "1", (size_t)count, false, &rest, **arrays);
    tn_values_leave(mem->values);
}

void tn_carve_each_ints(tn_carve *mem, int count, int **const *arrays)
{
    for (; *arrays; arrays++)
        **arrays = tn_carve_ints(mem, count);
}

void tn_carve_each_choice(tn_carve *mem, int least, int most, int count, tn_carved names,
                          int **const *arrays)
{
    for (int **const *a = arrays; *a; a++) {
        **a = tn_carve_ints(mem, count);
        for (int i = 0; mem->base && !mem->values && i < count; i++)
            (**a)[i] = least > 0 ? least : 0;
    }
    if (!mem->values)
        return;
    tn_values_enter_layout(mem->values, names.in);
    for (const char *rest = names.names; *rest; arrays++)
        tn_values_next_ints(mem->values, least, most, count, &rest, **arrays);
    tn_values_leave(mem->values);
}

void *tn_carve_numbers(tn_carve *mem, size_t size, tn_carved name)
{
    TN_ASSERT(size % sizeof(double) == 0);
    double *at = tn_carve_bytes(mem, size);
    if (!mem->values)
        return at;
    tn_values_enter_layout(mem->values, name.in);
    tn_values_next_doubles(mem->values, "1", size / sizeof(double), false, &name.names, at);
    tn_values_leave(mem->values);
    return at;
}

// The block begins with its size, of which the layout of an object must never become another one.
tn_status tn_carve_block(void *self, tn_layout_function layout, void **block)
{
    tn_carve mem = {.used = CARVE_ALIGN};
    layout(self, &mem);
    const size_t size = mem.used;
    *block = tn_alloc(size + 1);
    if (!*block)
        return tn_fail(TN_ERR_MEMORY, "out of memory: no block of %zu bytes", size);
    memcpy(*block, &size, sizeof size);
    mem = (tn_carve){.base = *block, .used = CARVE_ALIGN};
    layout(self, &mem);
    TN_ASSERT(mem.used == size); // it hands out what it has measured
    return TN_OK;
}

void tn_carve_values(void *self, tn_layout_function layout, void *block, tn_values *v)
{
    tn_carve mem = {.base = block, .used = CARVE_ALIGN, .values = v};
    layout(self, &mem);
    TN_ASSERT(memcmp(block, &mem.used, sizeof mem.used) == 0);
}
