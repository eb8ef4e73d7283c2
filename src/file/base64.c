// SPDX-License-Identifier: MIT
//
// Base64: three bytes are four letters of six bits each; the last group is padded with '='.

#include "file/base64.h"

#include <string.h>

enum { GROUPS = 1024 }; // encoded between two writes

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const unsigned char in[3], char out[4])
{
    out[0] = letters[in[0] >> 2];
    out[1] = letters[(in[0] & 3) << 4 | in[1] >> 4];
    out[2] = letters[(in[1] & 15) << 2 | in[2] >> 6];
    out[3] = letters[in[2] & 63];
}

tn_status tn_base64_put(tn_base64 *b, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    char text[4 * GROUPS];
    size_t used = 0;
    for (const unsigned char *end = at + n; at < end; at++) {
        b->rest[b->nrest++] = *at;
        if (b->nrest < 3)
            continue;
        encode(b->rest, text + used);
        used += 4;
        b->nrest = 0;
        if (used == sizeof text) {
            TN_TRY(b->write(b->user, text, used));
            used = 0;
        }
    }
    return used > 0 ? b->write(b->user, text, used) : TN_OK;
}

tn_status tn_base64_end(tn_base64 *b)
{
    char text[4];
    if (b->nrest == 0)
        return TN_OK;
    memset(b->rest + b->nrest, 0, 3 - (size_t)b->nrest);
    encode(b->rest, text);
    memset(text + 1 + b->nrest, '=', 3 - (size_t)b->nrest);
    b->nrest = 0;
    return b->write(b->user, text, 4);
}
