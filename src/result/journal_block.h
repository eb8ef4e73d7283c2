// SPDX-License-Identifier: MIT
//
// Head of every block of a journal, for its writer and its reader.

#pragma once

#include "base/checksum.h"
#include "result/journal.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "journals are written as the memory of little-endian machines"
#endif

typedef struct tn_block_head {
    char name[4]; // "TNJ" and the type
    uint32_t head_sum;
    uint64_t length; // of what follows, without the padding to 8 bytes
    uint64_t sequence;
    uint32_t sum; // of what follows, without the padding
    uint32_t reserved;
} tn_block_head;

// In front of every entry of the head; its name and its data follow, each padded to 8 bytes.
typedef struct tn_entry_head {
    uint32_t kind, count;
    uint32_t name_size; // with its zero
    uint32_t reserved;
    uint64_t size; // of the data
} tn_entry_head;

_Static_assert(sizeof(tn_entry_head) == 24, "the layout of the file");
_Static_assert(sizeof(tn_block_head) == 32, "the layout of the file");
_Static_assert(sizeof(tn_journal_rows_head) == 16, "the layout of the file");
_Static_assert(sizeof(tn_journal_mark) == 16, "the layout of the file");

static inline uint32_t tn_block_head_sum(const tn_block_head *head)
{
    tn_block_head copy = *head;
    copy.head_sum = 0;
    return tn_checksum(0, &copy, sizeof(copy));
}

static inline uint64_t tn_block_padded(uint64_t length)
{
    return (length + 7) / 8 * 8;
}
