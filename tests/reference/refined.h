// SPDX-License-Identifier: MIT
//
// Models of the repository with other numbers of elements.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline char *text_of_model(const char *path)
{
    FILE *file = fopen(tn_test_path(path), "rb");
    CHECK(file != NULL);
    const size_t most = 16384;
    char *text = calloc(most, 1);
    CHECK(fread(text, 1, most - 1, file) > 0);
    CHECK(fclose(file) == 0);
    return text;
}

// The model with n elements where it has some others, and without what stands from `from` up to
// `to` where these are given.
static inline tn_model *refined_model(const char *path, int n, const char *from, const char *to)
{
    char *text = text_of_model(path), whole[20000];
    char *at = strstr(text, "elements: ");
    CHECK(at != NULL);
    const char *rest = strchr(at, '\n');
    snprintf(whole, sizeof whole, "%.*selements: %d%s", (int)(at - text), text, n, rest);
    if (from) {
        char *begin = strstr(whole, from);
        CHECK(begin != NULL);
        char *end = strstr(begin, to);
        CHECK(end != NULL);
        memmove(begin, end, strlen(end) + 1);
    }
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(whole, path, &model, NULL));
    free(text);
    return model;
}
