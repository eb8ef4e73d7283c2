// SPDX-License-Identifier: MIT
//
// Writes JSON piece by piece into memory, pretty-printed. Inside objects every piece has a key,
// inside arrays and at the top the key is NULL. Failures are remembered: write everything, then
// ask tn_json_finish once.

#pragma once

#include "base/status.h"

typedef struct tn_json tn_json;

tn_status tn_json_create(tn_json **out);
void tn_json_destroy(tn_json *json);

void tn_json_begin_object(tn_json *json, const char *key);
void tn_json_end_object(tn_json *json);
void tn_json_begin_array(tn_json *json, const char *key);
void tn_json_end_array(tn_json *json);

void tn_json_number(tn_json *json, const char *key, double value); // NaN and infinity as null
void tn_json_integer(tn_json *json, const char *key, long long value);
void tn_json_string(tn_json *json, const char *key, const char *value); // NULL as null
void tn_json_boolean(tn_json *json, const char *key, bool value);
void tn_json_null(tn_json *json, const char *key);
void tn_json_numbers(tn_json *json, const char *key, int n, const double *values);

// TN_OK when everything was written and every object and array was ended.
tn_status tn_json_finish(tn_json *json);

// The text so far, ended by a newline once the outermost piece is complete; owned by the writer.
const char *tn_json_text(const tn_json *json);
