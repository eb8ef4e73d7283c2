// SPDX-License-Identifier: MIT
//
// Recursions over a tree along its runs, by several threads where the tree has subtrees for them;
// see tree_subtrees.c. Private to the tree*.c files.

#pragma once

#include "tree/tree_parts.h"

tn_status tn_tree_find_subtrees(tree *t); // once slots are known, before runs are
void tn_tree_subtree_runs(tree *t); // once runs are, of which none crosses the end of a subtree

// From the ground on. Functions are called for runs whose predecessors are done.
void tn_tree_forward(tree *t, void (*forward)(tree *t, tree_run run, void *user), void *user);
// Towards the ground; the first node at which `backward` fails, 0 for none. It is handed a tree
// with slots of its own.
int tn_tree_backward(tree *t, int (*backward)(tree *t, tree_run run, tree_carry *carry, void *user),
                     void *user);
