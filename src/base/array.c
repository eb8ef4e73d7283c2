// SPDX-License-Identifier: MIT
//
// Growth of arrays by half their size: the cost of n pushes is proportional to n.

#include "base/array.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

tn_status tn_array_grow(void **at, int *capacity, int count, size_t size)
{
    void *block = NULL;
    TN_ASSERT(size > 0 && count >= 0 && count <= *capacity);
    if (count < *capacity)
        return TN_OK;
    if (count > INT_MAX / 2 || (size_t)count > SIZE_MAX / (2 * size))
        return tn_fail(TN_ERR_MEMORY, "an array of %d elements cannot grow further", count);
    const int n = count < 8 ? 8 : count + count / 2;
    // `at` is the address of a pointer to some other type: its bytes are read and written, so that
    // the compiler's view of that type stays true.
    memcpy(&block, (const void *)at, sizeof(block));
    block = tn_resize(block, (size_t)n * size);
    if (!block)
        return tn_fail(TN_ERR_MEMORY, "out of memory: an array needs %d elements of %zu bytes", n,
                       size);
    memcpy((void *)at, &block, sizeof(block));
    *capacity = n;
    return TN_OK;
}
