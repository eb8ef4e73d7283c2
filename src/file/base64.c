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
    while (n > 0 && b->nrest > 0) {
        b->rest[b->nrest++] = *at++;
        n--;
        if (b->nrest == 3) {
            encode(b->rest, text);
            TN_TRY(b->write(b->user, text, 4));
            b->nrest = 0;
        }
    }
    while (n >= 3) {
        const size_t groups = n / 3 < GROUPS ? n / 3 : GROUPS;
        for (size_t i = 0; i < groups; i++)
            encode(at + 3 * i, text + 4 * i);
        TN_TRY(b->write(b->user, text, 4 * groups));
        at += 3 * groups;
        n -= 3 * groups;
    }
    if (n > 0) {
        memcpy(b->rest, at, n);
        b->nrest = (int)n;
    }
    return TN_OK;
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
