// SPDX-License-Identifier: MIT
//
// Memory in pieces that live and die together, such as the nodes of a document or the names of a
// table: each costs its bytes and no block of its own.

#pragma once

#include <stddef.h>

typedef struct tn_pool {
    struct tn_pool_block *blocks; // the one in use first; NULL: nothing was taken yet
    size_t taken;                 // bytes of all blocks
} tn_pool;

void *tn_pool_take(tn_pool *pool, size_t size); // zeroed, for doubles and pointers; NULL for none
// A copy of `length` characters with a zero behind them; NULL where memory is short.
char *tn_pool_text(tn_pool *pool, const char *text, size_t length);
void tn_pool_clear(tn_pool *pool);
