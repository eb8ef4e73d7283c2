// SPDX-License-Identifier: MIT
//
// The tree of a document: its memory, its error positions, and the values of its nodes.

#include "file/document.h"

#include "base/alloc.h"
#include "text/table.h"
#include "text/utf8.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

tn_status tn_document_create(const char *name, tn_document **out)
{
    *out = NULL;
    tn_document *doc = tn_alloc(sizeof(*doc));
    if (doc)
        doc->name = tn_strdup(name);
    if (!doc || !doc->name) {
        tn_document_destroy(doc);
        return tn_got(false);
    }
    *out = doc;
    return TN_OK;
}

void tn_document_destroy(tn_document *doc)
{
    if (!doc)
        return;
    tn_pool_clear(&doc->memory);
    if (doc->close_parts)
        doc->close_parts(doc->parts);
    TN_FREE(doc->name, doc);
}

void *tn_document_take(tn_document *doc, size_t size)
{
    return tn_pool_take(&doc->memory, size);
}

tn_node *tn_node_new(tn_document *doc, tn_node_kind kind, const char *text, int n)
{
    tn_node *node = tn_document_take(doc, sizeof *node);
    const tn_node **at = n > 0 ? tn_document_take(doc, sizeof *at * (size_t)(2 * n)) : NULL;
    char *copy = text ? tn_pool_text(&doc->memory, text, strlen(text)) : NULL;
    if (!node || (n > 0 && !at) || (text && !copy))
        return NULL;
    *node = (tn_node){.kind = kind,
                      .line = 1,
                      .column = 1,
                      .text = copy,
                      .count = n,
                      .keys = kind == TN_NODE_MAP ? at : NULL,
                      .children = n > 0 ? at + n : NULL,
                      .size = 1};
    return node;
}

const char *tn_node_file(const tn_document *doc, const tn_node *node)
{
    return node->source < doc->nsource ? doc->sources[node->source].file : doc->name;
}

const char *tn_node_used(const tn_document *doc, const tn_node *node)
{
    return node->source < doc->nsource ? doc->sources[node->source].used : "";
}

tn_status tn_node_fail(const tn_document *doc, const tn_node *node, tn_status code,
                       const char *format, ...)
{
    char sentence[2048];
    TN_SENTENCE(sentence, format);
    return tn_fail_used(
        tn_fail(code, "%s:%d:%d: %s", tn_node_file(doc, node), node->line, node->column, sentence),
        tn_node_used(doc, node));
}

tn_status tn_node_keys(const tn_document *doc, const tn_node *map, const char *what,
                       const char *const *names)
{
    int n = 0;
    while (names[n])
        n++;
    if (map->kind != TN_NODE_MAP)
        return tn_node_expected(doc, map, what, "a map");
    for (int i = 0; i < map->count; i++) {
        const char *key = map->keys[i]->text;
        bool known = false;
        for (int k = 0; k < n; k++)
            known = known || strcmp(key, names[k]) == 0;
        if (!known)
            return tn_node_fail(doc, map->keys[i], TN_ERR_MODEL, "%s: unknown key '%.80s'; %s",
                                what, key, tn_name_hint(key, n, names).text);
    }
    return TN_OK;
}

const tn_node *tn_node_get(const tn_node *map, const char *key)
{
    if (map && map->kind == TN_NODE_MAP)
        for (int i = 0; i < map->count; i++)
            if (map->keys[i]->text[0] == key[0] && strcmp(map->keys[i]->text, key) == 0)
                return map->children[i];
    return NULL;
}

const char *tn_node_text(const tn_node *map, const char *key)
{
    const tn_node *node = tn_node_get(map, key);
    return node && node->kind == TN_NODE_SCALAR ? node->text : "";
}

double tn_node_value(const tn_node *map, const char *key, double otherwise)
{
    double value;
    return tn_number_from_text(tn_node_text(map, key), &value) ? value : otherwise;
}

// Copies text that may be long or have many lines so that it fits into one line of a message.
static tn_found quote(const char *text)
{
    static const char dots[] = "...";
    tn_found found = {"'"};
    const size_t length = strlen(text);
    const size_t room = sizeof(found.text) - sizeof(dots) - 2; // two quotes
    size_t used = 1;
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        const int n = tn_utf8_decode(text + at, length - at, &code);
        if (n == 0 || used + (size_t)n > room) {
            memcpy(found.text + used, dots, sizeof(dots) - 1);
            used += sizeof(dots) - 1;
            break;
        }
        if (code < ' ')
            found.text[used] = ' ';
        else
            memcpy(found.text + used, text + at, (size_t)n);
        used += (size_t)n;
        at += (size_t)n;
    }
    found.text[used] = '\'';
    return found;
}

tn_found tn_node_found(const tn_node *node)
{
    static const tn_found words[] = {
        [TN_NODE_NULL] = {"nothing"}, [TN_NODE_SEQUENCE] = {"a list"}, [TN_NODE_MAP] = {"a map"}};
    return node->kind == TN_NODE_SCALAR ? quote(node->text) : words[node->kind];
}

tn_status tn_node_within(const tn_document *doc, const tn_node *node, tn_status status,
                         const char *what)
{
    return tn_fail_used(tn_fail_within(status, "%s:%d:%d%s%s", tn_node_file(doc, node), node->line,
                                       node->column, what ? ": " : "", what ? what : ""),
                        tn_node_used(doc, node));
}

tn_status tn_node_expected(const tn_document *doc, const tn_node *node, const char *what,
                           const char *thing)
{
    const bool in_quotes = node->kind == TN_NODE_SCALAR && node->quoted;
    return tn_node_fail(doc, node, TN_ERR_MODEL, "%s: expected %s, found %s%s", what, thing,
                        tn_node_found(node).text, in_quotes ? " in quotes" : "");
}

bool tn_node_is_number(const tn_node *node)
{
    static const char *const words[] = {"inf", "nan", "infinity"};
    if (node->kind != TN_NODE_SCALAR || node->quoted)
        return false;
    if (tn_number_is_one(node->text))
        return true;
    const char *word = node->text + (*node->text == '+' || *node->text == '-');
    word += *word == '.';
    for (int i = 0; i < TN_COUNT(words); i++)
        if (strcasecmp(word, words[i]) == 0)
            return true;
    return false;
}

static tn_status read_number(const tn_document *doc, const tn_node *node, const char *what,
                             const char *thing, double *out)
{
    double value = INFINITY;
    const bool plain = node->kind == TN_NODE_SCALAR && !node->quoted;
    if (plain && tn_number_from_text(node->text, &value) && isfinite(value)) {
        *out = value;
        return TN_OK;
    }
    if (!tn_node_is_number(node))
        return tn_node_expected(doc, node, what, thing);
    return tn_node_fail(doc, node, TN_ERR_MODEL, "%s: must be finite, found %s", what,
                        tn_node_found(node).text);
}

tn_status tn_node_number(const tn_document *doc, const tn_node *node, const char *what, double *out)
{
    return read_number(doc, node, what, "a number", out);
}

tn_status tn_node_integer(const tn_document *doc, const tn_node *node, const char *what, int *out)
{
    static const char thing[] = "a whole number";
    double value = 0.0;
    TN_TRY(read_number(doc, node, what, thing, &value));
    if (value != floor(value))
        return tn_node_expected(doc, node, what, thing);
    if (value < INT_MIN || value > INT_MAX)
        return tn_node_fail(doc, node, TN_ERR_MODEL,
                            "%s: must be a whole number from %d to %d, found %s", what, INT_MIN,
                            INT_MAX, tn_node_found(node).text);
    *out = (int)value;
    return TN_OK;
}

tn_status tn_node_bool(const tn_document *doc, const tn_node *node, const char *what, bool *out)
{
    const bool plain = node->kind == TN_NODE_SCALAR && !node->quoted;
    if (plain && strcmp(node->text, "true") == 0)
        *out = true;
    else if (plain && strcmp(node->text, "false") == 0)
        *out = false;
    else
        return tn_node_expected(doc, node, what, "true or false");
    return TN_OK;
}

tn_status tn_node_string(const tn_document *doc, const tn_node *node, const char *what,
                         const char **out)
{
    if (node->kind != TN_NODE_SCALAR)
        return tn_node_expected(doc, node, what, "text");
    *out = node->text;
    return TN_OK;
}

tn_status tn_node_numbers(const tn_document *doc, const tn_node *node, const char *what, int n,
                          double *out)
{
    if (node->kind != TN_NODE_SEQUENCE) {
        char thing[64];
        snprintf(thing, sizeof(thing), "a list of %d numbers", n);
        return tn_node_expected(doc, node, what, thing);
    }
    if (node->count != n)
        return tn_node_fail(doc, node, TN_ERR_MODEL, "%s: expected %d numbers, found %d", what, n,
                            node->count);
    for (int i = 0; i < n; i++) {
        if (tn_node_number(doc, node->children[i], what, &out[i]) != TN_OK) {
            char item[512]; // worded only now: lists are read by the million
            snprintf(item, sizeof(item), "%s: item %d", what, i + 1);
            return tn_node_number(doc, node->children[i], item, &out[i]);
        }
    }
    return TN_OK;
}
