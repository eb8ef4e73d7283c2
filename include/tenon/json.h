// SPDX-License-Identifier: MIT
//
// Writes JSON piece by piece into memory, pretty-printed: the output of the command under --json,
// and the contents of summary.json. Inside objects every piece has a key, inside arrays and at the
// top the key is NULL. Failures are stored: write everything, then call tn_json_finish once. A
// writer belongs to one thread at a time.

#pragma once

#include "tenon/base.h"

#include <stdbool.h>

// A JSON text that grows; tn_json_destroy it.
typedef struct tn_json tn_json;

// Creates a writer, and gives its memory back with the text.
TN_API tn_status tn_json_create(tn_json **out);
TN_API void tn_json_destroy(tn_json *json); // NULL is fine

// Objects and arrays: they contain all that is written between begin and end.
TN_API void tn_json_begin_object(tn_json *json, const char *key);
TN_API void tn_json_end_object(tn_json *json);
TN_API void tn_json_begin_array(tn_json *json, const char *key);
TN_API void tn_json_end_array(tn_json *json);

// One value each.
TN_API void tn_json_number(tn_json *json, const char *key,
                           double value); // NaN and infinity as null
TN_API void tn_json_integer(tn_json *json, const char *key, long long value);
TN_API void tn_json_string(tn_json *json, const char *key, const char *value); // NULL as null
TN_API void tn_json_boolean(tn_json *json, const char *key, bool value);
TN_API void tn_json_null(tn_json *json, const char *key);
TN_API void tn_json_numbers(tn_json *json, const char *key, int n, const double *values); // a list

// Several pieces by one format of keys, conversions and brackets, "name %s place { x %g y %g }": %s
// for text, %g for numbers, %d, %ld or %lld for whole numbers and %i for true or false; brackets
// may be opened in one format and closed in another. The second one writes an object around them,
// too.
TN_API void tn_json_put(tn_json *json, const char *format, ...) TN_PRINTF(2, 3);
TN_API void tn_json_object(tn_json *json, const char *key, const char *format, ...) TN_PRINTF(3, 4);

// TN_OK when everything was written and every object and array was ended; else memory was short, or
// pieces, keys and ends did not match.
TN_API tn_status tn_json_finish(tn_json *json);

// The text so far, ended by a newline once the outermost piece is complete; owned by the writer.
TN_API const char *tn_json_text(const tn_json *json);
