// SPDX-License-Identifier: MIT

#include "base/printable.h"

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
    return a == 0xc2 && b >= 0x80 && b < 0xa0 ? 2 : 0; // C1 in UTF-8
}

bool tn_has_control(const char *text)
{
    while (*text && tn_control_bytes(text) == 0)
        text++;
    return *text != '\0';
}

void tn_printable(const char *text, char *out, size_t size)
{
    size_t used = 0;
    while (*text) {
        char piece[8];
        const int control = tn_control_bytes(text);
        if (control > 0)
            snprintf(piece, sizeof(piece), "\\x%02x", (unsigned char)text[control - 1]);
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
