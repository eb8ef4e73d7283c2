// SPDX-License-Identifier: MIT
//
// Entries of a sparse matrix while they are gathered, in any order.

#pragma once

#include "base/array.h"
#include "linalg/sparse.h"

typedef struct tn_entries {
    TN_ARRAY(int) row, col;
    TN_ARRAY(double) val;
} tn_entries;

static inline tn_status tn_entries_add(tn_entries *e, int row, int col, double val)
{
    TN_TRY(tn_array_push(&e->row, row));
    TN_TRY(tn_array_push(&e->col, col));
    return tn_array_push(&e->val, val);
}

static inline void tn_entries_clear(tn_entries *e)
{
    tn_array_free(&e->row);
    tn_array_free(&e->col);
    tn_array_free(&e->val);
}

static inline tn_status tn_entries_finish(tn_entries *e, int nrow, int ncol, tn_sparse **out)
{
    return tn_sparse_from_entries(nrow, ncol, e->val.count, e->row.at, e->col.at, e->val.at, out);
}
