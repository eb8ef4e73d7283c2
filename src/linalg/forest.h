// SPDX-License-Identifier: MIT
//
// A forest along which the unknowns of a linear system may be eliminated, in blocks: entries of the
// matrix stand within a node, or between a node and its parent. Whoever builds a matrix knows such
// a forest or not; whether the pattern follows it is for the solver to check.

#pragma once

typedef struct tn_forest {
    int nnode;   // 0: no forest is known
    int *parent; // nnode, -1 for a root; parents have smaller numbers
    int *row;    // the node of each row,
    int *col;    //   and of each column; may be the same array
} tn_forest;
