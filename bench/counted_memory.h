// SPDX-License-Identifier: MIT
//
// Memory of the library in a benchmark: `counted` is an allocator that knows what is in use, also
// by several threads, and the most that one thread had in use.

#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_size_t in_use;      // [bytes]
static atomic_size_t most_in_use; // [bytes]

static void *counted(void *user, void *block, size_t size)
{
    (void)user;
    size_t *head = block ? (size_t *)block - 2 : NULL;
    in_use -= head ? head[0] : 0;
    if (size == 0) {
        free(head);
        return NULL;
    }
    head = realloc(head, size + 2 * sizeof(size_t));
    if (!head)
        return NULL;
    head[0] = size;
    in_use += size;
    if (in_use > most_in_use)
        most_in_use = in_use;
    return head + 2;
}
