// SPDX-License-Identifier: MIT
//
// The text of a YAML or JSON file, checked and made ready for libyaml.

#pragma once

#include "base/status.h"

typedef struct tn_yaml_text {
    const char *text;
    char
        *own; // tn_free it; NULL where the text is as it was given, and as long there as it is used
    size_t length;
    size_t characters;
    int line, column; // of the end, from 1
} tn_yaml_text;

// Reads a whole file, at most 1 GiB, and ends it by a zero. Free the text, also after a failure.
tn_status tn_yaml_text_read(const char *path, char **text, size_t *length);

// Refuses empty text and bytes that are no text; rewrites what JSON allows and libyaml does not
// without moving any value from its line and column. Free out->own, also after a failure.
tn_status tn_yaml_text_prepare(const char *text, size_t length, const char *name,
                               tn_yaml_text *out);
