// SPDX-License-Identifier: MIT
//
// Locations of the elements of a model in the file from which it was read, so that errors that come
// later than reading can say file:line:column, too. A place goes by the words that messages use:
// "joint 'pin'" for an element, "force 'drive': effort" for the value of one of its keys. Models
// that are built in C have no places, and their messages begin with the sentence.

#pragma once

#include "base/status.h"
#include "tenon/model.h"

typedef struct tn_place {
    int line, column; // from 1, in characters
    int text;   // column of the first character of a text that stands in the file as it is, on
                // one line; 0 where it does not, or is no text
    int source; // the file that it stands in; 0 for that of the model
} tn_place;

typedef struct tn_place_list tn_place_list;

// Begins the places of a model that is read from a file.
tn_status tn_place_open(tn_model *model, const char *file);
// One more file that places may stand in, and the way it came to be used ("" for none): the first
// is source 1.
tn_status tn_place_add_source(tn_model *model, const char *file, const char *used);
void tn_place_close(tn_place_list *list); // NULL is fine
// An element, "joint 'pin'", or the value of a key of one that was added; of the same words the
// first place stays. Without a file nothing is saved. The place of an element is that of its name,
// without a text, or of its value where this is a text.
tn_status tn_place_add(tn_model *model, const char *element, tn_place place);
tn_status tn_place_add_key(tn_model *model, const char *element, const char *key, tn_place place);
// The same for elements by the million: the number of the element, -1 without a file, is returned
// and stands for its words.
tn_status tn_place_enter(tn_model *model, const char *element, tn_place place, int *number);
tn_status tn_place_add_key_of(tn_model *model, int element, const char *key, tn_place place);
bool tn_place_find(const tn_model *model, const char *words, tn_place *out); // false: not there
// The key that a text names behind the words of an element, which are its first n characters: the
// longest that has a place; else *out stays as it is.
void tn_place_find_key(const tn_model *model, const char *text, size_t n, tn_place *out);

// Location of character number `column` of a text, from 1 as messages of expressions count them;
// the value itself where its characters do not stand in one line, and for column 0.
tn_place tn_place_within(tn_place place, int column);
// The column that the last error reports for an expression; 0 for none.
int tn_place_told_column(void);

// Puts file:line:column before the last error: of the element that it names first, or of the value
// of its key when that is named behind it, "joint 'pin': motion …". Nothing happens to an error
// that has a place already or names nothing that has one. The model may be NULL.
tn_status tn_place_error(const tn_model *model, tn_status status);
// The same of the value that `words` name.
tn_status tn_place_error_at(const tn_model *model, tn_status status, const char *words);
