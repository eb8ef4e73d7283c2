// SPDX-License-Identifier: MIT
//
// Pieces one behind the other in blocks, each twice as large as the last up to 1 MB.

#include "base/pool.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <string.h>

enum { SMALL_BLOCK = 1 << 10, LARGE_BLOCK = 1 << 20 };

struct tn_pool_block {
    struct tn_pool_block *next;
    size_t size, used; // bytes after the header
    alignas(max_align_t) char bytes[];
};

typedef struct tn_pool_block block;

static char *open_block(tn_pool *pool, size_t size)
{
    size_t room = pool->blocks ? 2 * pool->blocks->size : SMALL_BLOCK;
    room = room > LARGE_BLOCK ? LARGE_BLOCK : room;
    room = room < size ? size : room;
    block *b = tn_alloc(sizeof(*b) + room);
    if (!b)
        return NULL;
    *b = (block){.next = pool->blocks, .size = room, .used = size};
    pool->blocks = b;
    pool->taken += room;
    return b->bytes;
}

static char *take(tn_pool *pool, size_t size, size_t align)
{
    block *b = pool->blocks;
    const size_t at = b ? (b->used + align - 1) / align * align : 0;
    if (!b || at > b->size || size > b->size - at)
        return open_block(pool, size);
    b->used = at + size;
    return b->bytes + at;
}

void *tn_pool_take(tn_pool *pool, size_t size)
{
    return take(pool, size, alignof(void *));
}

char *tn_pool_text(tn_pool *pool, const char *text, size_t length)
{
    char *copy = take(pool, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void tn_pool_clear(tn_pool *pool)
{
    while (pool->blocks) {
        block *next = pool->blocks->next;
        tn_free(pool->blocks);
        pool->blocks = next;
    }
    pool->taken = 0;
}
