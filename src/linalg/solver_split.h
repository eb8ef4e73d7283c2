// SPDX-License-Identifier: MIT
//
// How a large matrix is split into parts that are factored side by side (solver_split.c), found
// from its pattern and its first values alone: by METIS, which CHOLMOD of SuiteSparse calls.

#pragma once

#include "linalg/sparse.h"

enum { TN_SPLIT_LEVELS = 4 }; // of bisections: up to 16 parts

// A set of unknowns that a level takes out falls the graph of the matrix into pieces that share no
// entry. An unknown with cut[i] < level is a separator of a split into 2^level parts, of all others
// path[i] >> (TN_SPLIT_LEVELS - level) is the part.
typedef struct tn_split {
    signed char *cut;    // n, of TN_SPLIT_LEVELS: never
    unsigned char *path; // n
} tn_split;

// Bisects the graph of S again and again. Unknowns without a diagonal entry of their own (kind, see
// solver_order.h) are taken out with any unknown of theirs that has one: what is left of a row of
// constraints then is all of it, and parts are regular where the whole is. False where there is no
// memory or no METIS.
bool tn_split_find(const tn_sparse *S, const char *kind, tn_split *out);
