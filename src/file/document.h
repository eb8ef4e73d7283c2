// SPDX-License-Identifier: MIT
//
// Documents: a YAML or JSON file as a tree of nodes that know where they stand, so that every
// complaint about a model can say file, line and column. The tree is read-only and dies with its
// document. Anchored nodes are shared by their aliases. What was written out of the parts of a
// model (read/parts.h) stands in other files, and its nodes know the place of use, too.
//
// The reading functions below turn a node into a value or into an error that starts with the
// position and with `what`, the caller's words for the thing that is read:
//
//     model.yaml:12:11: body 'rod': mass: expected a number, found 'heavy'

#pragma once

#include "base/pool.h"
#include "base/status.h"
#include "text/number.h"

#include <stdint.h>

typedef enum {
    TN_NODE_NULL, // nothing, ~ or null
    TN_NODE_SCALAR,
    TN_NODE_SEQUENCE,
    TN_NODE_MAP
} tn_node_kind;

typedef struct tn_node tn_node;

struct tn_node {
    tn_node_kind kind;
    int line, column;     // from 1, in characters
    int text_column;      // of the first character of a text that stands as it is on one line, or 0
    const char *text;     // as written; NULL for sequences and maps
    bool quoted;          // text in quotes, a block of text or tagged !!str
    bool mounted;         // the name of a body that stands for the ground of a part
    int count;            // items of a sequence, pairs of a map
    const tn_node **keys; // maps: count scalars, all different
    const tn_node **children;         // items of a sequence, values of a map
    int size;                         // nodes in this subtree, aliases counted in full
    int source;                       // in the sources of the document; 0 for its own file
    const struct tn_part_where *part; // whose names its text may have (read/parts.h); NULL for none
};

// Source of nodes that do not stand in the file of the document itself.
typedef struct tn_source {
    const char *file;
    const char *used; // "used as 'left' at car.yaml:20:3"; "" for nothing to report
    int placing;      // by which of the placings of the document (read/parts.h); -1 for none
    const struct tn_part_scope *scope; // whose names stand there; NULL for those of the model
} tn_source;

typedef struct tn_document {
    char *name;
    const tn_node *root;
    tn_pool memory;         // of its nodes
    uint32_t sum;           // of the text
    struct tn_parts *parts; // of a model that has some, else NULL; read/parts.h
    void (*close_parts)(struct tn_parts *parts);
    const char *note; // worth telling of the model that it is, or NULL
    int nsource;      // of what was written out, else none
    const tn_source *sources;
} tn_document;

// Reads a file of at most 1 GiB. On failure *out is NULL.
tn_status tn_document_read(const char *path, tn_document **out);

// Reads text that is in memory already; the name stands for the file in messages.
tn_status tn_document_parse(const char *text, size_t length, const char *name, tn_document **out);

// Reads text that begins with '<', as files of robots do; NULL while nobody does. Set when the
// library is loaded, by the application that knows such files.
extern tn_status (*tn_document_read_xml)(const char *text, size_t length, const char *name,
                                         tn_document **out);

void tn_document_destroy(tn_document *doc);

// The file that a node stands in, and how that came to be used, "" where it is the document's own.
const char *tn_node_file(const tn_document *doc, const tn_node *node);
const char *tn_node_used(const tn_document *doc, const tn_node *node);

// Stores "file:line:column: sentence", and the place of use behind it, and returns the code.
tn_status tn_node_fail(const tn_document *doc, const tn_node *node, tn_status code,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

// Puts the position, and `what` where it is not NULL, before the last error.
tn_status tn_node_within(const tn_document *doc, const tn_node *node, tn_status status,
                         const char *what);
// "file:line:column: what: expected a number, found 'heavy'"
tn_status tn_node_expected(const tn_document *doc, const tn_node *node, const char *what,
                           const char *thing);

// Refuses what is no map and keys that are not among the names, which end with NULL.
tn_status tn_node_keys(const tn_document *doc, const tn_node *map, const char *what,
                       const char *const *names);
// The value of a key; NULL when the map does not have it or the node is no map. Linear in count.
const tn_node *tn_node_get(const tn_node *map, const char *key);
// The text of a scalar there, "" for none, and its number.
const char *tn_node_text(const tn_node *map, const char *key);
double tn_node_value(const tn_node *map, const char *key, double otherwise);

// "'heavy'", "a list", "a map" or "nothing": how messages name what they found. Long text is cut.
typedef struct tn_found {
    char text[64];
} tn_found;
tn_found tn_node_found(const tn_node *node);

// A number, or one of the ways in which YAML, JSON-like formats and C write what is no finite one.
bool tn_node_is_number(const tn_node *node);
tn_status tn_node_number(const tn_document *doc, const tn_node *node, const char *what,
                         double *out); // finite, not quoted
tn_status tn_node_integer(const tn_document *doc, const tn_node *node, const char *what, int *out);
tn_status tn_node_bool(const tn_document *doc, const tn_node *node, const char *what,
                       bool *out); // true or false, not quoted
tn_status tn_node_string(const tn_document *doc, const tn_node *node, const char *what,
                         const char **out); // any scalar; lives as long as the document
tn_status tn_node_numbers(const tn_document *doc, const tn_node *node, const char *what, int n,
                          double *out); // a list of exactly n numbers

// Functions with which the parser builds the tree.
tn_status tn_document_create(const char *name, tn_document **out);
void *tn_document_take(tn_document *doc, size_t size); // zeroed; freed with the document
// A node that stands nowhere, with a copy of the text, NULL for none, and n members that are to be
// filled in; NULL where memory is short.
tn_node *tn_node_new(tn_document *doc, tn_node_kind kind, const char *text, int n);
