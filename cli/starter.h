// SPDX-License-Identifier: MIT
//
// The starter models that `tenon new` writes.

#pragma once

enum { CLI_MOST_STARTERS = 8 };

typedef struct cli_starter {
    const char *name;
    const char *summary;      // "a rod that swings on a pin"
    const char *const *lines; // ends with NULL
} cli_starter;

extern const cli_starter cli_starters[];
extern const int cli_starter_count;
