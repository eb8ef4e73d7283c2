// SPDX-License-Identifier: MIT
//
// The list of the elements of a model while its parts are written out; see parts.h.

#pragma once

#include "io/part_own.h"

// Sections whose elements have names.
typedef struct tn_part_section {
    const char *key, *word; // "bodies", "body"
} tn_part_section;
enum { TN_PART_SECTIONS = 14, TN_PART_PARAMETERS = 0, TN_PART_ASSEMBLIES = 13 };
extern const tn_part_section tn_part_sections[TN_PART_SECTIONS];

// What a model states once.
enum { TN_PART_HEADS = 4 };
extern const char *const tn_part_heads[TN_PART_HEADS];

typedef struct tn_part_item {
    int section, key_source;
    const char *name; // in full
    const tn_node *key, *value;
    tn_part_where at; // of the value
} tn_part_item;

typedef struct tn_part_head {
    const tn_node *key, *value;
    tn_part_where at;
    int depth; // of files that include each other
} tn_part_head;

typedef struct tn_part_template {
    const tn_node *map;
    int file, source;
} tn_part_template;

// An assembly, a shape of the ground or a plugin.
typedef struct tn_part_mention {
    const tn_node *key, *node;
    tn_part_where at;
} tn_part_mention;

typedef TN_ARRAY(tn_part_mention) tn_part_mentions;

struct tn_part_list {
    TN_ARRAY(tn_part_item) items;
    tn_table *names[TN_PART_SECTIONS]; // full name to place in `items`
    tn_part_head heads[TN_PART_HEADS];
    TN_ARRAY(tn_part_template) templates;
    tn_table *template_names; // with the prefix of the part that has them
    tn_part_mentions shapes, plugins;
    TN_ARRAY(tn_source) sources;
    TN_ARRAY(const char *) included; // prefix and number of a file
    TN_ARRAY(const char *) open;     // the same of those that are being listed
    int64_t values;                  // nodes that will be read
    int evaluated;                   // items whose parameters are in the numbers
    int depth, levels;               // of files that include each other, of assemblies
};

// A part while its elements are listed.
typedef struct tn_part {
    tn_part_where at;
    tn_part_scope *scope;
    tn_part_mentions assemblies; // that follow when all names are known
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
