// SPDX-License-Identifier: MIT

#include "text/buffer.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

// Room for n more bytes and the zero.
static bool has_room(tn_buffer *b, size_t n)
{
    TN_ASSERT(b->length < b->capacity || b->capacity == 0);
    if (b->failed || b->length + n < b->capacity)
        return !b->failed;
    const size_t capacity = 2 * (b->length + n + 1);
    char *grown = tn_resize(b->text, capacity);
    b->failed = grown == NULL;
    if (grown) {
        b->text = grown;
        b->capacity = capacity;
    }
    return !b->failed;
}

void tn_buffer_put(tn_buffer *b, const char *bytes, size_t n)
{
    TN_ASSERT(bytes || n == 0);
    if (!has_room(b, n))
        return;
    memcpy(b->text + b->length, bytes, n);
    b->length += n;
    b->text[b->length] = '\0';
}

void tn_buffer_say(tn_buffer *b, const char *text)
{
    tn_buffer_put(b, text, strlen(text));
}

void tn_buffer_format(tn_buffer *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0 || !has_room(b, (size_t)n))
        return;
    va_start(args, format);
    vsnprintf(b->text + b->length, (size_t)n + 1, format, args);
    va_end(args);
    b->length += (size_t)n;
}

void tn_buffer_field(tn_buffer *b, const char *field)
{
    const char *quote = strpbrk(field, ",\"\r\n") ? "\"" : "";
    tn_buffer_say(b, quote);
    for (const char *c = field; *c; c++)
        tn_buffer_put(b, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    tn_buffer_say(b, quote);
}

tn_status tn_buffer_write(void *buffer, const char *bytes, size_t n)
{
    tn_buffer *b = buffer;
    tn_buffer_put(b, bytes, n);
    return b->failed
               ? tn_fail(TN_ERR_MEMORY, "out of memory: a text of more than %zu bytes", b->length)
               : TN_OK;
}

tn_status tn_buffer_finish(tn_buffer *b, const char *what, char **out)
{
    *out = NULL;
    if (b->failed) {
        tn_free(b->text);
        return tn_fail(TN_ERR_MEMORY, "out of memory while writing %s", what);
    }
    *out = b->text;
    return TN_OK;
}
