// SPDX-License-Identifier: MIT
//
// See camd.h.

#include "linalg/camd.h"

#include "base/alloc.h"
#include "base/library.h"

#include <camd.h>

double tn_camd_order(const tn_sparse *S, int border, int *order)
{
    TN_ASSERT(S->nrow == S->ncol && border <= S->ncol);
    const int n = S->ncol;
    double info[CAMD_INFO];
    int *group = tn_alloc(sizeof(int) * ((size_t)n + 1));
    if (!group || tn_library_need(&tn_camd_library) != TN_OK) {
        tn_free(group);
        return -1.0;
    }
    for (int i = n - border; i < n; i++)
        group[i] = 1;
    const int status = camd_order(n, S->colptr, S->rowind, order, NULL, info, group);
    tn_free(group);
    const bool found = status == CAMD_OK || status == CAMD_OK_BUT_JUMBLED;
    return found ? 2.0 * info[CAMD_LNZ] + n : -1.0; // CAMD counts L without its diagonal
}
