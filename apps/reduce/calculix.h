// SPDX-License-Identifier: MIT
//
// Output of CalculiX: matrices that *FREQUENCY, SOLVER=MATRIXSTORAGE stores (JOB.sti, JOB.mas,
// JOB.dof), and from the deck JOB.inp the nodes, the sets of nodes and the solid elements.

#pragma once

#include "base/array.h"
#include "reduce/reduce.h"

// A set of nodes of the deck; names are in capitals, as CalculiX compares them.
typedef struct tn_node_set {
    char *name;
    TN_ARRAY(int) nodes; // their numbers
} tn_node_set;

// A face of a solid element, outward: corners, and the nodes in the middle of the sides behind each
// (0 where there are none), by their numbers.
typedef struct tn_deck_face {
    int n; // 3 or 4
    int corner[4], middle[4];
} tn_deck_face;

typedef struct tn_deck {
    TN_ARRAY(int) ids; // numbers of nodes
    TN_ARRAY(tn_vec3) at;
    TN_ARRAY(tn_node_set) sets;
    TN_ARRAY(tn_deck_face) faces;
    long members; // of all sets
} tn_deck;

// Reads a deck and the files that it includes. Errors begin with file:line.
tn_status tn_deck_read(const char *path, tn_deck *out);
void tn_deck_clear(tn_deck *deck);                                      // zeroed is fine
const tn_node_set *tn_deck_find(const tn_deck *deck, const char *name); // NULL: none

// Triangles of the surface: faces that one element has alone, as places in fe->node.
tn_status tn_deck_surface(const tn_deck *deck, tn_fe *fe);

// Matrices and nodes of a job, which is a path without its ending, with the nodes of the deck.
tn_status tn_calculix_read(const char *job, const tn_deck *deck, tn_fe *fe);
// Another stiffness matrix with the same freedoms, of a preloaded job.
tn_status tn_calculix_stiffness(const char *job, const tn_fe *fe, tn_sparse **out);
