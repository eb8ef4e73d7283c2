// SPDX-License-Identifier: MIT

#include "text/printable.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

int tn_control_bytes(const char *text)
{
    const unsigned char a = (unsigned char)text[0];
    if (a == '\0')
        return 0;
    if (a < 0x20 || a == 0x7f)
        return 1;
    const unsigned char b = (unsigned char)text[1];
    if (a == 0xc2 && b >= 0x80 && b < 0xa0) // C1 in UTF-8
        return 2;
    if (a == 0xd8 && b == 0x9c) // U+061C
        return 2;
    const unsigned char c = b ? (unsigned char)text[2] : 0;
    const bool format = a == 0xe2 && b == 0x80 &&
                        ((c >= 0x8b && c <= 0x8f) ||                           // U+200B to U+200F
                         (c >= 0xa8 && c <= 0xae));                            // U+2028 to U+202E
    const bool isolate = a == 0xe2 && b == 0x81 && c >= 0xa0 && c <= 0xaf;     // U+2060 to U+206F
    return format || isolate || (a == 0xef && b == 0xbb && c == 0xbf) ? 3 : 0; // U+FEFF
}

static unsigned code_of(const char *text, int bytes)
{
    TN_ASSERT(bytes >= 1 && bytes <= 3);
    unsigned code = (unsigned char)text[0];
    if (bytes > 1)
        code &= bytes == 2 ? 0x1fu : 0x0fu;
    for (int i = 1; i < bytes; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3fu);
    return code;
}

bool tn_has_control(const char *text)
{
    while (*text && tn_control_bytes(text) == 0)
        text++;
    return *text != '\0';
}

void tn_printable(const char *text, char *out, size_t size)
{
    TN_NEED_ALL(, text, out);
    size_t used = 0;
    while (*text) {
        char piece[8];
        const int control = tn_control_bytes(text);
        if (control > 0)
            snprintf(piece, sizeof(piece),
                     control < 3 && code_of(text, control) < 0x100 ? "\\x%02x" : "\\u%04x",
                     code_of(text, control));
        else
            snprintf(piece, sizeof(piece), "%c", *text);
        const size_t n = strlen(piece);
        if (used + n + 1 > size)
            break;
        memcpy(out + used, piece, n);
        used += n;
        text += control > 0 ? control : 1;
    }
    out[used] = '\0';
}
