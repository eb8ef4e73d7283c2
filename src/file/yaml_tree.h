// SPDX-License-Identifier: MIT
//
// The tree of a document as it grows: its reader tells of texts, of lists and maps that begin, and
// of their ends, in the order of the file. What no reader of YAML complains about is checked here:
// keys that are no text or stand there twice, levels without end, and more values than memory has.

#pragma once

#include "base/array.h"
#include "file/document.h"
#include "file/yaml_text.h"

enum { TN_TREE_MAX_DEPTH = 64, TN_TREE_MAX_NODES = 100000000 };

typedef struct tn_tree_level {
    tn_node *node; // a list or a map whose end has not been read
    int first;     // where its children, or keys and values in turn, begin in `pending`
} tn_tree_level;

typedef struct tn_yaml_tree {
    tn_document *doc;
    tn_tree_level open[TN_TREE_MAX_DEPTH];
    int depth;
    TN_ARRAY(const tn_node *) pending; // children of all open levels
    int nodes;
} tn_yaml_tree;

void tn_tree_free(tn_yaml_tree *tree); // what it needs to grow, not the document

bool tn_tree_at_key(const tn_yaml_tree *tree); // what comes next is a key

// A text without zeros; `at` tells where it stands and whether it is quoted.
tn_status tn_tree_text(tn_yaml_tree *tree, const tn_node *at, const char *text, size_t length,
                       const tn_node **out);
// A list or map begins, of the kind and at the place of `at`, and ends.
tn_status tn_tree_open(tn_yaml_tree *tree, const tn_node *at, const tn_node **out);
tn_status tn_tree_close(tn_yaml_tree *tree);
// A node that is part of the tree already.
tn_status tn_tree_attach(tn_yaml_tree *tree, const tn_node *node);

// That memory suffices, looked at now and then; `read` is the part of the file that was read.
tn_status tn_tree_fits(const tn_yaml_tree *tree, double read);
