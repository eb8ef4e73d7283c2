// SPDX-License-Identifier: MIT
//
// Texts one behind the other, cut where there is no room: as snprintf does with %s, in a tenth of
// the time. Elements of large models are worded by the million.

#pragma once

#include <string.h>

static inline void tn_join(size_t size, char *out, int n, const char *const *parts)
{
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(parts[i]), room = size - 1 - used;
        const size_t taken = length < room ? length : room;
        memcpy(out + used, parts[i], taken);
        used += taken;
    }
    out[used] = '\0';
}

// TN_JOIN(text, "body '", name, "'") into an array of characters.
#define TN_JOIN(out, ...)                                                             \
    tn_join(sizeof(out), out,                                                         \
            (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)), \
            (const char *const[]){__VA_ARGS__})
