// SPDX-License-Identifier: MIT
//
// All memory of the library, through one hook of the shape of realloc.
//
// A request for 0 bytes is served with 1, so that NULL always means that memory is short.

#include "base/alloc.h"

#include "tenon/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *standard_resize(void *user, void *block, size_t size)
{
    (void)user;
    if (size > 0)
        return realloc(block, size);
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

void *tn_alloc(size_t size)
{
    void *block = tn_resize(NULL, size);
    if (block)
        memset(block, 0, size > 0 ? size : 1);
    return block;
}

void tn_free(void *block)
{
    if (block)
        current.resize(current.user, block, 0);
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
    va_list args;

    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return NULL;

    char *text = tn_resize(NULL, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}
