// SPDX-License-Identifier: MIT
//
// What the files that write out the parts of a model share; see parts.h.

#pragma once

#include "base/array.h"
#include "base/buffer.h"
#include "base/table.h"
#include "io/model_yaml.h"
#include "io/parts.h"

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

// How the text of a node is meant.
typedef struct tn_part_where {
    const tn_part_scope *scope;
    const tn_part_index *index; // NULL for none
    int file;                   // of the parts
    int source;                 // of the document that is written
    const char *folder;         // of the file, as the model sees it
    bool of_force;              // whose expressions see its frames
} tn_part_where;

typedef struct tn_part_writer {
    tn_document *doc; // that is written
    struct tn_parts *parts;
    int nvalue;
    const tn_parameter_value *values;
    tn_model *numbers; // the parameters, for numbers that are needed while parts are written
    bool by_parameters;
    tn_buffer text;
    struct tn_part_list *list;
} tn_part_writer;

// Fails at a node of a part.
tn_status tn_part_fail(const tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
// Whether the last error tells a place already.
bool tn_part_has_place(const tn_part_writer *w);
// Puts the parameters that were met so far into w->numbers (parts.c).
tn_status tn_part_numbers(tn_part_writer *w);
// The text of a node with its indices and prefixes; that of the node itself where nothing changes.
tn_status tn_part_text(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       tn_part_role role, const char **out);
// Whether names of the model will replace others in an expression, which moves its columns.
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
