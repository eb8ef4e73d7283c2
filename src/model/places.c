// SPDX-License-Identifier: MIT
//
// Places of elements; see places.h. One table from words to places, so that whatever a file may
// hold has its place without a field of its own, and an error only has to name its element. Keys
// are many and alike: each is stored once, as a number.

#include "model/places.h"

#include "base/array.h"
#include "model/model.h"
#include "text/table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct key_place {
    int key;  // number in `keys`
    int next; // of the same element in `values`, -1 for none
    tn_place place;
} key_place;

typedef struct element_place {
    tn_place place;
    int first; // in `values`, -1 for none
} element_place;

typedef struct place_source {
    char *file, *used;
} place_source;

struct tn_place_list {
    TN_ARRAY(place_source) sources; // the first is the file of the model
    tn_table *names;                // of elements
    tn_table *keys;
    TN_ARRAY(element_place) elements;
    TN_ARRAY(key_place) values;
    int nkey;
};

enum { WORDS = 700 }; // the longest that a message names an element and a key by

static tn_status add_source(tn_place_list *list, const char *file, const char *used)
{
    const place_source source = {tn_strdup(file), tn_strdup(used)};
    tn_status status = tn_got(source.file && source.used);
    TN_THEN(status, tn_array_push(&list->sources, source));
    if (status != TN_OK)
        TN_FREE(source.file, source.used);
    return status;
}

tn_status tn_place_open(tn_model *model, const char *file)
{
    TN_ASSERT(!model->places);
    tn_place_list *list = tn_alloc(sizeof *list);
    TN_TRY(tn_got(list));
    tn_status status = add_source(list, file, "");
    TN_THEN(status, tn_table_create(&list->names));
    TN_THEN(status, tn_table_create(&list->keys));
    TN_HAND_OUT(status, list, tn_place_close, &model->places);
}

tn_status tn_place_add_source(tn_model *model, const char *file, const char *used)
{
    return add_source(model->places, file, used);
}

void tn_place_close(tn_place_list *list)
{
    if (!list)
        return;
    tn_table_destroy(list->names);
    tn_table_destroy(list->keys);
    tn_array_free(&list->elements);
    tn_array_free(&list->values);
    for (int i = 0; i < list->sources.count; i++)
        TN_FREE(list->sources.at[i].file, list->sources.at[i].used);
    tn_array_free(&list->sources);
    tn_free(list);
}

tn_status tn_place_enter(tn_model *model, const char *element, tn_place place, int *number)
{
    tn_place_list *list = model->places;
    TN_ASSERT(place.line > 0 && place.column > 0);
    *number = list ? list->elements.count : -1;
    if (!list)
        return TN_OK;
    const element_place added = {place, -1};
    TN_TRY(tn_table_enter(list->names, element, number));
    return *number < list->elements.count ? TN_OK : tn_array_push(&list->elements, added);
}

tn_status tn_place_add(tn_model *model, const char *element, tn_place place)
{
    int number;
    return tn_place_enter(model, element, place, &number);
}

static const key_place *find_value(const tn_place_list *list, int element, int key)
{
    for (int k = list->elements.at[element].first; key >= 0 && k >= 0; k = list->values.at[k].next)
        if (list->values.at[k].key == key)
            return &list->values.at[k];
    return NULL;
}

tn_status tn_place_add_key(tn_model *model, const char *element, const char *key, tn_place place)
{
    const int e = model->places ? tn_table_find(model->places->names, element) : -1;
    return tn_place_add_key_of(model, e, key, place);
}

tn_status tn_place_add_key_of(tn_model *model, int e, const char *key, tn_place place)
{
    tn_place_list *list = model->places;
    TN_ASSERT(place.line > 0 && place.column > 0);
    if (e < 0)
        return TN_OK;
    key_place added = {list->nkey, list->elements.at[e].first, place};
    TN_TRY(tn_table_enter(list->keys, key, &added.key));
    list->nkey += added.key == list->nkey;
    if (find_value(list, e, added.key))
        return TN_OK;
    TN_TRY(tn_array_push(&list->values, added));
    list->elements.at[e].first = list->values.count - 1;
    return TN_OK;
}

// The element at the beginning of some words, "joint 'pin': motion", the longest of those that fit
// ("body 'rod': shape 2"); *key is the rest behind it, "" for nothing.
static int split_words(const tn_place_list *list, const char *words, const char **key)
{
    char name[WORDS];
    *key = "";
    int found = tn_table_find(list->names, words);
    if (found >= 0)
        return found;
    for (const char *at = words; (at = strstr(at, ": ")) && at - words < WORDS; at++) {
        snprintf(name, sizeof(name), "%.*s", (int)(at - words), words);
        const int longer = tn_table_find(list->names, name);
        *key = longer >= 0 ? at + 2 : *key;
        found = longer >= 0 ? longer : found;
    }
    return found;
}

bool tn_place_find(const tn_model *model, const char *words, tn_place *out)
{
    const tn_place_list *list = model ? model->places : NULL;
    const char *key = "";
    const int e = list ? split_words(list, words, &key) : -1;
    const key_place *value =
        e >= 0 && *key ? find_value(list, e, tn_table_find(list->keys, key)) : NULL;
    if (e < 0 || (*key && !value))
        return false;
    *out = value ? value->place : list->elements.at[e].place;
    return true;
}

tn_place tn_place_within(tn_place place, int column)
{
    TN_ASSERT(column >= 0);
    if (place.text > 0 && column > 0)
        place.column = place.text + column - 1;
    return place;
}

int tn_place_told_column(void)
{
    static const char begin[] = "expression '", column[] = "', column ";
    const char *at = strstr(tn_last_error(), begin);
    at = at ? strstr(at, column) : NULL;
    return at ? atoi(at + strlen(column)) : 0;
}

// What an error names -----------------------------------------------------------------------------

// Returns true if the first n characters of a text are the words of a place.
static bool find_words(const tn_model *model, const char *text, size_t n, tn_place *out)
{
    char words[WORDS];
    if (n >= sizeof(words))
        return false;
    memcpy(words, text, n);
    words[n] = '\0';
    return tn_place_find(model, words, out);
}

void tn_place_find_key(const tn_model *model, const char *text, size_t n, tn_place *out)
{
    if (strncmp(text + n, ": ", 2) != 0)
        return;
    for (size_t end = n + 2; text[end] && end < WORDS && text[end - 1] != ';'; end++)
        if (!isalnum((unsigned char)text[end]) && !strchr("_-", text[end]))
            find_words(model, text, end, out);
    find_words(model, text, strlen(text), out);
}

// An element that is named at a quotation mark of a text, "joint 'pin'"; also as the first of
// several, "joints 'pin', 'rail'". Names may have quotation marks in them.
static bool find_element(const tn_model *model, const char *text, const char *quote, tn_place *out)
{
    char words[WORDS];
    const char *word = quote - (quote > text);
    while (word > text && isalpha((unsigned char)word[-1]))
        word--;
    size_t n = (size_t)(quote - word);
    if (n < 2 || quote[-1] != ' ')
        return false;
    const bool several = quote[-2] == 's';
    for (const char *end = strchr(quote + 1, '\''); end; end = strchr(end + 1, '\'')) {
        const size_t length = (size_t)(end - word) + 1;
        if (length >= sizeof(words))
            return false;
        if (find_words(model, word, length, out)) {
            tn_place_find_key(model, word, length, out);
            return true;
        }
        snprintf(words, sizeof(words), "%.*s %.*s", (int)n - 2, word, (int)(length - n), quote);
        if (several && tn_place_find(model, words, out))
            return true;
    }
    return false;
}

static bool has_place(const tn_model *model, const char *text)
{
    for (int i = 0; i < model->places->sources.count; i++) {
        const char *file = model->places->sources.at[i].file;
        const size_t n = strlen(file);
        if (strncmp(text, file, n) == 0 && text[n] == ':')
            return true;
    }
    return false;
}

static tn_status put_place(const tn_model *model, tn_status status, tn_place at)
{
    at = tn_place_within(at, tn_place_told_column());
    const place_source *from = &model->places->sources.at[at.source];
    return tn_fail_used(tn_fail_within(status, "%s:%d:%d", from->file, at.line, at.column),
                        from->used);
}

tn_status tn_place_error(const tn_model *model, tn_status status)
{
    const char *text = tn_last_error();
    tn_place at;
    if (status == TN_OK || !model || !model->places || has_place(model, text))
        return status;
    for (const char *quote = strchr(text, '\''); quote; quote = strchr(quote + 1, '\''))
        if (find_element(model, text, quote, &at))
            return put_place(model, status, at);
    return status;
}

tn_status tn_place_error_at(const tn_model *model, tn_status status, const char *words)
{
    tn_place at;
    if (status == TN_OK || !tn_place_find(model, words, &at) || has_place(model, tn_last_error()))
        return status;
    return put_place(model, status, at);
}
