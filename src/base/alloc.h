// SPDX-License-Identifier: MIT
//
// All memory of the library comes from here, so that tests can count it and make it fail.

#pragma once

#include <stddef.h>
#include <stdint.h>

void *tn_alloc(size_t size);               // zeroed; NULL when there is none
void *tn_resize(void *block, size_t size); // as realloc, new bytes not zeroed
void tn_free(void *block);                 // NULL is fine
void tn_free_all(void *const *blocks, int n);
#define TN_FREE(...)                          \
    tn_free_all((void *const[]){__VA_ARGS__}, \
                (int)(sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *)))
char *tn_strdup(const char *text); // NULL for NULL or when memory is short
char *tn_format(const char *format, ...) __attribute__((format(printf, 1, 2))); // tn_free it
