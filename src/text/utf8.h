// SPDX-License-Identifier: MIT
//
// One character of UTF-8 text.

#pragma once

#include <stddef.h>
#include <stdint.h>

// The number of bytes of the character at the start of the text and its code point; 0 when the
// bytes are no UTF-8: stray, cut, longer than needed, a surrogate or above U+10FFFF.
static inline int tn_utf8_decode(const char *text, size_t length, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; // by number of bytes
    const unsigned char *b = (const unsigned char *)text;
    if (length == 0)
        return 0;
    if (b[0] < 0x80) {
        *code = b[0];
        return 1;
    }
    const int n = b[0] >= 0xf8 ? 0 : b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : b[0] >= 0xc0 ? 2 : 0;
    if (n == 0 || (size_t)n > length)
        return 0;
    *code = b[0] & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (b[i] & 0x3fu);
    }
    if (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
        return 0;
    return n;
}
