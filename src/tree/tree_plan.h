// SPDX-License-Identifier: MIT
//
// The spanning tree of a model and the order of its nodes; see tree.h. For the tree*.c files, and
// for callers that ask which bodies joints can carry.

#pragma once

#include "tree/tree.h"

typedef struct tree_plan {
    int n;       // bodies, with the ground
    int *parent; // of each body of the model, a body
    int *joint;  // that carries it, -1 for a free one
    int *order;  // the body at each node
    int *place;  // of each body
    int *end;    // of each node: behind its subtree
    void *block; // the memory of all of them
} tree_plan;

tn_status tn_tree_plan(const tn_model *model, const tn_tree_request *request, tree_plan *out);
void tn_tree_plan_clear(tree_plan *plan);

// Freedoms that the joint leaves to the body `child` on the body `parent`; -1 when it cannot carry
// it.
int tn_tree_freedoms(const tn_model *model, int joint, int parent, int child);
