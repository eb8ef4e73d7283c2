// SPDX-License-Identifier: MIT
//
// Rank of the constraints C = (B; N), which rows repeat which, and which multipliers are unique
// [Arn16, Lemma 2, Thm 2]. For a redundant row k, C_k = sum_j c_kj C_j over independent rows j, so
// z = e_k - sum_j c_kj e_j satisfies C^T z = 0: multipliers are determined up to such z, and
// lambda_i is unique when z_i = 0 for all of them.
//
// Rows that are this near to others by the digits with which they were typed, at the start and
// further along the motion, count as redundant too.

#pragma once

#include "start/row_size.h"
#include "system/system.h"

typedef struct tn_redundancy {
    int rows, rank, count; // rank at the start; count of redundant rows
    int *active;           // rows: 1 for independent ones
    int *redundant;        // count: row numbers
    double *combination;   // count x rows: c_kj, row major; NULL where the world has them
    bool *unique;          // rows
    double *size;          // rows: see row_size.h
    double off;            // how far the farthest redundant row is from the others, relative
    double least;          // the smallest distance of a row that is kept from those before it,
    int least_row;         //   relative, and which that is
    double *work;          // 2 rows + nv
    double *moved;         // nq: further along, where rows were independent that are not at the
                           //   start; NULL where there were none
} tn_redundancy;

// Analyses C at a configuration in which independent rows hold. Rows nearer to others than tol, in
// rows of unit length, depend on them. A rank that is lost at this configuration only (a singular
// position) is no redundancy: it is also checked further along a motion that the rows allow. Rows
// with first[i] == 1 (NULL for none) are known to be independent; of the others those come first
// then that are farthest from them.
tn_status tn_redundancy_find(tn_system *sys, const tn_point *at, const tn_row_sizes *sizes,
                             double tol, const int *first, tn_redundancy *out);
// The same in other coordinates: as many rows are redundant as in the world.
tn_status tn_redundancy_over(tn_system *sys, const tn_point *at, const tn_point *world_at,
                             const tn_redundancy *world, tn_redundancy *out);
// For rows that are known to be independent; without sizes they count as 1.
tn_status tn_redundancy_none(const tn_system *sys, const tn_row_sizes *sizes, tn_redundancy *out);
void tn_redundancy_clear(tn_redundancy *r);

// Row `row` as a combination of the rows with active[i] == 1 at a point: coefficients (rows), and
// what is left, relative. Allocates.
tn_status tn_redundancy_combine(tn_system *sys, const tn_point *at, const int *active, int row,
                                double *coefficient, double *misfit);
// Beyond round-off: rows that repeat others but for digits that were typed.
extern const double tn_redundancy_typed;
// Returns true if row i has a part in what redundant row k repeats.
bool tn_redundancy_repeats(const tn_redundancy *r, int k, int i);
