// SPDX-License-Identifier: MIT
//
// The JSON of pages (tenon/json.h writes it), which goes out as it is written: data for a <script>
// element, without line ends. A browser ends such an element at "</script" and changes its mind at
// "<!--", wherever they stand; '<' occurs only inside strings of JSON, where it is written \u003c.

#pragma once

#include "base/status.h"
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
