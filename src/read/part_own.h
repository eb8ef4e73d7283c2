// SPDX-License-Identifier: MIT
//
// Shared parts of the files that write out the parts of a model; see parts.h.

#pragma once

#include "base/array.h"
#include "read/model_yaml.h"
#include "read/parts.h"
#include "text/buffer.h"
#include "text/table.h"

// An assembly some of whose names stand for others.
typedef struct tn_part_renamed {
    const struct tn_part_scope *scope;
    const tn_node *names;
} tn_part_renamed;

// Files -------------------------------------------------------------------------------------------

typedef struct tn_part_file {
    char *path;       // by which it is known
    char *folder;     // as seen from the folder of the model: "" or "parts/"
    tn_document *doc; // the first is that of the model itself
} tn_part_file;

struct tn_parts {
    TN_ARRAY(tn_part_file) files;
    tn_document *written; // kept where it does not depend on parameters
    TN_ARRAY(tn_placing) placings;
    TN_ARRAY(tn_source) sources; // of the document
    TN_ARRAY(tn_table *) tables; // of scopes
    TN_ARRAY(tn_part_renamed) renamed;
    bool none; // a block is repeated not at all: its names are not seen
};

// Reads all files that a model is made of, each once.
tn_status tn_part_files_open(tn_document *doc);
// The number of the file that a text of a file names; -1 for none.
tn_status tn_part_file_find(const struct tn_parts *parts, int from, const char *text, int *out);

// Texts -------------------------------------------------------------------------------------------

// An index and its value, within the copies of a `repeat`.
typedef struct tn_part_index {
    const char *name;
    int64_t value;
    const struct tn_part_index *outer;
} tn_part_index;

// The names of an assembly. The outermost one is the model.
typedef struct tn_part_scope {
    const struct tn_part_scope *outer; // NULL for the model
    const char *prefix;                // "front.left."
    tn_table *known;                   // names of its elements; NULL for the model
    tn_table *values;                  // those that mean something in expressions by themselves
    tn_table *asked;                   // names in it that it does not have itself
    bool *met;                         // of the names that stand for others: whether it has them
    int nname;                         // names that stand for others outside
    const char **inside, **outside;
    const tn_node *given;       // its parameters, as the place of use states them; NULL for none
    const tn_node *of;          // what it is made of
    struct tn_part_where *used; // where `given` stands
} tn_part_scope;

// Context of the text of a node.
typedef struct tn_part_where {
    const tn_part_scope *scope;
    const tn_part_index *index; // NULL for none
    int file;                   // of the parts
    int source;                 // of the document that is written
    const char *folder;         // of the file, as the model sees it
    bool of_force;              // whose expressions see its frames
} tn_part_where;

// Sections whose elements have names.
typedef struct tn_part_section {
    const char *key, *word; // "bodies", "body"
} tn_part_section;
enum { TN_PART_SECTIONS = 15, TN_PART_PARAMETERS = 0, TN_PART_ASSEMBLIES = 14 };
extern const tn_part_section tn_part_sections[TN_PART_SECTIONS];

// Keys that a model states once.
enum { TN_PART_HEADS = 4 };
extern const char *const tn_part_heads[TN_PART_HEADS];

// An element, a key that a model states once, a template, an assembly, a shape of the ground or a
// plugin.
typedef struct tn_part_item {
    const tn_node *key, *value;
    tn_part_where at;        // of the value
    int depth;               // of files that include each other, of keys
    int section, key_source; // of elements
    const char *name;        // in full
} tn_part_item;

typedef TN_ARRAY(tn_part_item) tn_part_items;

typedef struct tn_part_writer {
    tn_document *doc; // that is written
    struct tn_parts *parts;
    int nvalue;
    const tn_parameter_value *values;
    tn_model *numbers; // the parameters, for numbers that are needed while parts are written
    bool by_parameters;
    tn_buffer text;
    // The elements of the model.
    tn_part_items items;
    tn_table *names[TN_PART_SECTIONS]; // full name to place in `items`
    tn_part_item heads[TN_PART_HEADS];
    tn_part_items templates;
    tn_table *template_names; // with the prefix of the part that has them
    tn_part_items shapes, plugins;
    TN_ARRAY(const char *) included; // prefix and number of a file
    TN_ARRAY(const char *) open;     // the same of those that are being listed
    int64_t nodes;                   // that will be read
    int evaluated;                   // items whose parameters are in the numbers
    int depth, levels;               // of files that include each other, of assemblies
} tn_part_writer;

// Fails at a node of a part.
tn_status tn_part_fail(const tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
// "file:line:column: what: expected a map, found 'heavy'"
tn_status tn_part_expected(const tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                           const char *what, const char *thing);
// Returns true if the last error names a location already.
bool tn_part_has_place(const tn_part_writer *w);
// Puts the parameters that were met so far into w->numbers (parts.c).
tn_status tn_part_numbers(tn_part_writer *w);
// The text of a node with its indices and prefixes; that of the node itself where nothing changes.
tn_status tn_part_text(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       tn_part_role role, const char **out);
// Returns true if an element of the parts around it has this name.
bool tn_part_is_element(const tn_part_scope *scope, const char *text);
// Finds if names of the model will replace others in an expression, which moves its columns.
tn_status tn_part_changes(tn_part_writer *w, const tn_part_where *at, const char *text, bool *out);
// The value of a whole number; what: "to".
tn_status tn_part_integer(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                          const char *what, int64_t *out);
// The node as the readers shall see it, with its indices and where its names stand.
tn_status tn_part_copy(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       const tn_node **out);
// The body that the ground of a part is; NULL where it is the ground.
const char *tn_part_ground_of(const tn_part_scope *scope);
bool tn_part_is_name(const char *text); // a letter followed by letters, digits or '_'

// A part while its elements are listed.
typedef struct tn_part {
    tn_part_where at;
    tn_part_scope *scope;
    tn_part_items assemblies; // that follow when all names are known
} tn_part;

// part_list.c: the elements of a file, and those of a map: a template, or a block that is repeated.
tn_status tn_part_add_file(tn_part_writer *w, tn_part *p, int file);
tn_status tn_part_add(tn_part_writer *w, tn_part *p, const tn_node *map);
tn_status tn_part_check_keys(const tn_part_writer *w, const tn_part_where *at, const char *owner,
                             const tn_node *map, tn_key_list list, tn_key_list more);
tn_status tn_part_need_map(const tn_part_writer *w, const tn_part_where *at, const char *owner,
                           const tn_node *node);
tn_status tn_part_add_source(tn_part_writer *w, tn_source source, int *out);
// "file:line:column" of a node of a part, and how that part is used; tn_free it.
char *tn_part_place_of(const tn_part_writer *w, const tn_part_where *at, const tn_node *node);
// A text that lives as long as the document; takes it.
tn_status tn_part_keep_text(tn_part_writer *w, char *text, const char **out);
tn_status tn_part_full_name(tn_part_writer *w, const tn_part_scope *scope, const char *name,
                            const char **out);
// Values that will be read: so many that memory would end are refused.
tn_status tn_part_count(tn_part_writer *w, const tn_part_where *at, const tn_node *node, int64_t n);
// A name of a scope, for the texts in it.
// `value`: also in expressions without a dot behind it.
tn_status tn_part_add_known(const tn_part_scope *scope, const char *name, bool value);
// Fails for names that expressions have taken: t, pi, sin, ...
tn_status tn_part_check_free(const tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                             const char *word, const char *name);

// part_assembly.c: the assemblies of a part whose elements are listed; frees their list.
tn_status tn_part_add_assemblies(tn_part_writer *w, tn_part *p);

// part_write.c
tn_status tn_part_write_model(tn_part_writer *w);
