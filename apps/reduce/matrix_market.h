// SPDX-License-Identifier: MIT
//
// Matrices in the text format Matrix Market [BPR96]: `coordinate`, `real` or `integer`, `general`
// or `symmetric`.

#pragma once

#include "linalg/sparse.h"

// A symmetric matrix is stored in full. Entries that stand twice are added up. Errors begin with
// file:line. On failure *out is NULL.
tn_status tn_matrix_market_read(const char *path, tn_sparse **out);
