// SPDX-License-Identifier: MIT
//
// What the targets of `make fuzz` share: libFuzzer hands bytes over, some readers want a file, and
// an error must have a text. Leaks are found by the sanitizer.

#pragma once

#include "base/status.h"
#ifndef FUZZ_WITHOUT_INTERFACE // apps/paper/paper_parts.h has names of its own
#include "tenon/tenon.h"
#endif

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

// The name of a file of this process, in memory where the system has such a folder, until the next
// call.
static inline const char *fuzz_name(const char *ending)
{
    static char path[80];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "";
    snprintf(path, sizeof path, "%sfuzz-input-%d%s", folder, (int)getpid(), ending);
    return path;
}

// That file with the bytes in it.
static inline const char *fuzz_file(const char *ending, const void *data, size_t size)
{
    const char *path = fuzz_name(ending);
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
