// SPDX-License-Identifier: MIT
//
// Reads the data JSON of pages in tests: numbers of arrays, which are base64.

#pragma once

#include "file/document.h"
#include "test.h"

static inline int base64_digit(char c)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

// The bytes of a text; returns how many.
static inline size_t base64_bytes(const char *text, unsigned char *out)
{
    size_t n = 0;
    uint32_t bits = 0;
    int filled = 0;

    for (; base64_digit(*text) >= 0; text++) {
        bits = bits << 6 | (uint32_t)base64_digit(*text);
        filled += 6;
        if (filled >= 8) {
            filled -= 8;
            out[n++] = (unsigned char)(bits >> filled & 0xff);
        }
    }
    return n;
}

// The numbers of an array of float64 at a key of a map; free them.
static inline double *page_numbers(const tn_node *map, const char *key, long *count)
{
    const tn_node *array = tn_node_get(map, key);
    const tn_node *text = array ? tn_node_get(array, "f64") : NULL;

    CHECK(text != NULL);
    double *numbers = malloc(strlen(text->text) + 16);
    *count = (long)(base64_bytes(text->text, (unsigned char *)numbers) / sizeof(double));
    return numbers;
}

static inline const tn_node *page_channel(const tn_document *doc, const char *name)
{
    const tn_node *channels = tn_node_get(doc->root, "channels");

    CHECK(channels != NULL);
    for (int i = 0; i < channels->count; i++)
        if (strcmp(tn_node_get(channels->children[i], "name")->text, name) == 0)
            return channels->children[i];
    return NULL;
}
