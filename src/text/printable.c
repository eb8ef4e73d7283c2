// SPDX-License-Identifier: MIT

#include "text/printable.h"

#include "base/status.h"
#include "text/utf8.h"

#include <stdio.h>
#include <string.h>

// The control character at the start of a text; its bytes, 0 when it is none.
static int control_at(const char *text, uint32_t *code)
{
    static const uint32_t ranges[][2] = {{0x01, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                                         {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                                         {0xfeff, 0xfeff}};
    const int n = tn_utf8_decode(text, strnlen(text, 4), code);
    for (int i = 0; n > 0 && i < TN_COUNT(ranges); i++)
        if (*code >= ranges[i][0] && *code <= ranges[i][1])
            return n;
    return 0;
}

int tn_control_bytes(const char *text)
{
    uint32_t code;
    return control_at(text, &code);
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
        uint32_t code;
        const int control = control_at(text, &code);
        if (control > 0)
            snprintf(piece, sizeof(piece), code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code);
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
