// SPDX-License-Identifier: MIT
//
// All memory of the library comes from here, so that tests can count it and make it fail, and so
// that an object can know all blocks that it stands on (base/image.h).

#pragma once

#include <stddef.h>
#include <stdint.h>

// A flag that fills a word. Beside a lone bool a word has padding, and where the struct is stored
// as a whole that may be what is left of an address on the stack: an image would take it for one.
typedef int64_t tn_flag;

void *tn_alloc(size_t size);               // zeroed; NULL when there is none
void *tn_resize(void *block, size_t size); // as realloc, new bytes not zeroed
void tn_free(void *block);                 // NULL is fine
void tn_free_all(void *const *blocks, int n);
#define TN_FREE(...)                          \
    tn_free_all((void *const[]){__VA_ARGS__}, \
                (int)(sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *)))
char *tn_strdup(const char *text); // NULL for NULL or when memory is short
char *tn_format(const char *format, ...) __attribute__((format(printf, 1, 2))); // tn_free it

// The blocks of one object, in the order in which they were taken. Which list new blocks of a
// thread join is set around the work for that object; a block leaves its list when it is freed.
typedef struct tn_memory_head tn_memory_head;
typedef struct tn_memory_list {
    tn_memory_head *first, *last;
    int count;
} tn_memory_list;

struct tn_memory_head {
    tn_memory_head *before, *after;
    tn_memory_list *list;        // NULL: of none
    size_t size;                 // of what follows the head
    void (*revive)(void *block); // after its bytes were replaced, see tn_memory_on_load; or NULL
    void *unused;                // keeps blocks aligned for any type
};

// For blocks that hold handles of other libraries, whose memory no image has: called when the bytes
// of the block have become those of an image and its handles are what they were before.
void tn_memory_on_load(void *block, void (*revive)(void *block));
// Returns the list that new blocks joined until now; give it back when the work is done.
tn_memory_list *tn_memory_join(tn_memory_list *list);
void tn_memory_release(tn_memory_list *list); // before the list itself goes: its blocks are of none
