// SPDX-License-Identifier: MIT
//
// Models that are made of parts. `include`, `repeat`, `templates` and `assemblies` are written out
// before the readers see the model: they read a plain one, whose nodes know the files that they
// stand in and the places of use.
//
//   parts.c        the whole: elements are listed first, and then written out
//   part_list.c    what is included, stated and repeated, in which order
//   part_assembly.c  assemblies
//   part_write.c   the model that the readers see
//   part_copy.c    values of elements
//   part_file.c    the files of a model
//   part_text.c    texts: indices become numbers, names get their prefixes
//   part_place.c   the frames that assemblies are placed at
//   part_over.c    what a model that is written out as a file states in their place (expand.c)
//
// Placements stay what they are until a model is read: a placement may depend on parameters, which
// a sweep changes. Names stay what they are until a reader takes the text that has them, and knows
// what it is.

#pragma once

#include "file/document.h"
#include "tenon/io.h"

bool tn_has_parts(const tn_node *root);
// The number of a section whose elements have names, -1 for other keys of a model.
int tn_part_section_of(const char *key);

// The model of a document, written out. *out is the document itself where it has no parts. Free it
// with tn_parts_done. Parts that do not depend on the values of parameters are written once.
tn_status tn_parts_write(tn_document *doc, int nvalue, const tn_parameter_value *values,
                         tn_document **out);
void tn_parts_done(tn_document *doc, tn_document *written);

// The same of any document and for texts that will stand in another folder: paths in it are seen
// from `folder`, "" or with a slash at its end. tn_document_destroy it before the document.
tn_status tn_parts_expand(tn_document *doc, int nvalue, const tn_parameter_value *values,
                          const char *folder, tn_document **out);

// The checksum of a model and of all files that it is made of.
tn_status tn_parts_sum(tn_document *doc, uint32_t *out);

// The files that a model is made of beside its own, in the order in which they are met. Their paths
// are those from the folder of the model, to be freed by tn_free.
tn_status tn_parts_file_count(tn_document *doc, int *out);
tn_status tn_parts_file(const tn_document *doc, int i, char **path, const tn_document **file);

// Role of a text.
typedef enum tn_part_role {
    TN_PART_TEXT,
    TN_PART_NUMBER, // a number or an expression
    TN_PART_CURVE,  // the same of s along a curve, or of u and v on a surface
    TN_PART_NAME,   // of an element
    TN_PART_FILE
} tn_part_role;

// Puts the names of the model in the place of those that a text, or each of a list, has within its
// part; done once. `locals`: a map whose keys are names of their own, or NULL.
tn_status tn_part_resolve(tn_document *doc, const tn_node *node, tn_part_role role,
                          const tn_node *locals);
static inline tn_status tn_node_resolve(tn_document *doc, const tn_node *node, tn_part_role role)
{
    return node->part || node->kind == TN_NODE_SEQUENCE ? tn_part_resolve(doc, node, role, NULL)
                                                        : TN_OK;
}
// Returns true if a text may name an element, or a node of a beam with that name.
bool tn_part_may_name(const tn_node *node, const char *element);
// The bodies of a joint or a force that states them under `bodies` or `body`; where its part stands
// on a body of the outside, that is put in as body A. *mounted is true then.
tn_status tn_part_bodies(tn_document *doc, const tn_node *key, const tn_node *map,
                         const tn_node **out, bool *mounted);
// The body that the ground of the part of an element is; NULL where it is the ground.
const char *tn_part_ground(const tn_document *doc, const tn_node *key);
// Names that stand for others, but that a part never uses, are mistakes; after others were met only
// those that resemble a name which it uses.
tn_status tn_parts_check_names(const tn_document *written, bool others);

// Placing of an assembly.
typedef struct tn_placing {
    const tn_node *assembly;         // its name, where messages point
    const tn_node *at, *orientation; // NULL where it is left out
    int outer;                       // the placing that it is seen from; -1: the inertial frame
} tn_placing;

void tn_parts_close(struct tn_parts *parts); // NULL is fine
