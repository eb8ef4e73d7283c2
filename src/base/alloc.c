// SPDX-License-Identifier: MIT
//
// All memory of the library, through one hook of the shape of realloc.
//
// A request for 0 bytes is served with 1, so that NULL always means that memory is short.

#define _DEFAULT_SOURCE // madvise

#include "base/alloc.h"

#include "base/status.h"
#include "tenon/base.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Large blocks in pages of 2 MB where the system has them: it gives each with one interruption
// instead of 512. For smaller blocks pages that were used before are given again, which is faster.
// All pages of a block are asked for, so that it stays one piece to the system, which moves it as
// one.
static void *in_large_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    enum { LARGE = 1 << 26 };
    if (block && size >= LARGE) {
        const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)block;
        const uintptr_t first = at / page * page;
        (void)madvise((char *)block - (at - first), size + (at - first), MADV_HUGEPAGE);
    }
#endif
    return block;
}

static void *standard_resize(void *user, void *block, size_t size)
{
    if (size > 0)
        return in_large_pages(realloc(block, size), size);
    free(block);
    return NULL;
}

static tn_allocator current = {standard_resize, NULL};

void tn_set_allocator(const tn_allocator *allocator)
{
    current = allocator ? *allocator : (tn_allocator){standard_resize, NULL};
}

void *tn_resize(void *block, size_t size)
{
    return current.resize(current.user, block, size > 0 ? size : 1);
}

// Large blocks come from the system as zeros, page by page when they are touched: calloc knows.
void *tn_alloc(size_t size)
{
    size = size > 0 ? size : 1;
    if (current.resize == standard_resize)
        return in_large_pages(calloc(1, size), size);
    void *block = tn_resize(NULL, size);
    if (block)
        memset(block, 0, size);
    return block;
}

void tn_free(void *block)
{
    if (block)
        current.resize(current.user, block, 0);
}

void tn_free_all(void *const *blocks, int n)
{
    for (int i = 0; i < n; i++)
        tn_free(blocks[i]);
}

char *tn_strdup(const char *text)
{
    if (!text)
        return NULL;
    const size_t size = strlen(text) + 1;
    char *copy = tn_resize(NULL, size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

char *tn_format(const char *format, ...)
{
    char most[128]; // of texts, which so are formed once
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(most, sizeof most, format, args);
    va_end(args);
    if (length < 0)
        return NULL;
    char *text = tn_resize(NULL, (size_t)length + 1);
    if (!text)
        return NULL;
    if ((size_t)length < sizeof most) {
        memcpy(text, most, (size_t)length + 1);
        return text;
    }
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void tn_text_free(char *text)
{
    tn_free(text);
}
