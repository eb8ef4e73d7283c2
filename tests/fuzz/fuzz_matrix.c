// SPDX-License-Identifier: MIT
//
// Matrices in the format of Matrix Market.

#include "fuzz.h"

#include "reduce/matrix_market.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tn_sparse *A = NULL;
    fuzz_check_status(tn_matrix_market_read(fuzz_file(".mtx", data, size), &A));
    tn_sparse_destroy(A);
    return 0;
}
