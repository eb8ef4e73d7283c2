// SPDX-License-Identifier: MIT
//
// Text that grows, ended by a zero. The first failure is stored and nothing is added behind it:
// write everything, then check once. tn_free the text.

#pragma once

#include "base/status.h"

typedef struct tn_buffer {
    char *text; // NULL while nothing was put
    size_t length, capacity;
    bool failed; // memory was short
} tn_buffer;

void tn_buffer_put(tn_buffer *buffer, const char *bytes, size_t n);
void tn_buffer_say(tn_buffer *buffer, const char *text);
void tn_buffer_format(tn_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A field of comma separated values: in quotes, its own quotes doubled, where it holds a comma, a
// quote or a line end (RFC 4180).
void tn_buffer_field(tn_buffer *buffer, const char *field);

// tn_buffer_put for writers of many parts; TN_ERR_MEMORY with a sentence.
tn_status tn_buffer_write(void *buffer, const char *bytes, size_t n);
// Hands over the text, or frees it and fails; `what` is being written.
tn_status tn_buffer_finish(tn_buffer *buffer, const char *what, char **out);
