// SPDX-License-Identifier: MIT
//
// The JSON of pages (tenon/json.h writes it), which goes out as it is written: data for a <script>
// element, without line ends. A browser ends such an element at "</script" and changes its mind at
// "<!--", wherever they stand; '<' occurs only inside strings of JSON, where it is written \u003c.

#pragma once

#include "base/status.h"
#include "file/base64.h"
#include "file/document.h"
#include "tenon/json.h"

// Takes the text piece by piece, for example into a buffer by tn_buffer_write; a status other than
// TN_OK ends the writing and is passed on.
typedef struct tn_page_sink {
    tn_status (*write)(void *user, const char *text, size_t length);
    void *user;
} tn_page_sink;

// A writer whose text goes to the sink; tn_json_finish hands over the rest.
tn_status tn_json_stream(tn_page_sink sink, tn_json **out);
// A value that is JSON already, as Tenon wrote it.
void tn_json_raw(tn_json *json, const char *key, const char *text);
// A string in pieces that need no escapes.
void tn_json_begin_text(tn_json *json, const char *key);
tn_status tn_json_add_text(void *json, const char *text, size_t length);
void tn_json_end_text(tn_json *json);

// A node of a document as JSON; the key `without` of a map is left out (NULL for none).
void tn_page_node(tn_json *json, const char *key, const tn_node *node, const char *without);

// {"f64": "..."} or {"f32": "..."}, piece by piece.
typedef struct tn_page_array {
    tn_json *json;
    tn_base64 base64;
    bool narrow; // float32
} tn_page_array;

void tn_page_array_begin(tn_page_array *array, tn_json *json, const char *key, bool narrow);
void tn_page_array_put(tn_page_array *array, long n, const double *values);
void tn_page_array_end(tn_page_array *array);
// All of it: a value for each i from 0 to n - 1.
#define TN_PAGE_ARRAY(json, key, narrow, n, i, value)        \
    do {                                                     \
        tn_page_array array_;                                \
        tn_page_array_begin(&array_, json, key, narrow);     \
        for (long i = 0; i < (long)(n); i++)                 \
            tn_page_array_put(&array_, 1, &(double){value}); \
        tn_page_array_end(&array_);                          \
    } while (0)
