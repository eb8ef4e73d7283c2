// SPDX-License-Identifier: MIT
//
// Rank of the constraints C = (B; N), which rows repeat which, and which multipliers are unique
// [Arn16, Lemma 2, Thm 2]. For a redundant row k, C_k = sum_j c_kj C_j over independent rows j, so
// z = e_k - sum_j c_kj e_j satisfies C^T z = 0: multipliers are determined up to such z, and
// lambda_i is unique when z_i = 0 for all of them.

#pragma once

#include "system/system.h"

typedef struct tn_redundancy {
    int rows, rank, count; // count of redundant rows
    int *active;           // rows: 1 for independent ones
    int *redundant;        // count: row numbers
    double *combination;   // count x rows: c_kj, row major
    bool *unique;          // rows
} tn_redundancy;

// Analyses C at a consistent configuration. A rank that is lost at this configuration only (a
// singular position) is not redundancy: `direction` (nv), a motion that the constraints allow,
// tells.
tn_status tn_redundancy_find(tn_system *sys, const tn_point *at, const double *direction,
                             double tol, tn_redundancy *out);
// For rows that are known to be independent.
tn_status tn_redundancy_none(const tn_system *sys, tn_redundancy *out);
void tn_redundancy_clear(tn_redundancy *r);
