// SPDX-License-Identifier: MIT
//
// Base64 with padding [RFC 4648, section 4], piece by piece.

#pragma once

#include "base/status.h"

// Function that takes the text; the same shape as the sink of a page.
typedef tn_status (*tn_base64_write)(void *user, const char *text, size_t length);

typedef struct tn_base64 {
    tn_base64_write write;
    void *user;
    unsigned char rest[3]; // bytes that wait for a group of three
    int nrest;
} tn_base64;

tn_status tn_base64_put(tn_base64 *b, const void *bytes, size_t n);
tn_status tn_base64_end(tn_base64 *b); // writes the last group with its padding
