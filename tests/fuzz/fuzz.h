// SPDX-License-Identifier: MIT
//
// What the targets of `make fuzz` share: libFuzzer hands bytes over, some readers want a file, and
// an error must have a text. Leaks are found by the sanitizer.

#pragma once

#include "base/status.h"
#include "tenon/tenon.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The bytes with a zero behind them.
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

// A file of this process with the bytes in it.
static inline const char *fuzz_file(const void *data, size_t size)
{
    static char path[64]; // in the folder of the caller
    snprintf(path, sizeof path, "fuzz-input-%d", (int)getpid());
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
    return path;
}

// An error must have a sentence.
static inline void fuzz_check_status(tn_status status)
{
    if (status != TN_OK && !*tn_last_error())
        abort();
    tn_clear_error();
}
