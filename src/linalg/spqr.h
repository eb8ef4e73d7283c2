// SPDX-License-Identifier: MIT
//
// The users of SPQR share this: starting it without output, matrices in its format, its errors.

#pragma once

#include "linalg/sparse.h"

#include <SuiteSparseQR_C.h>

// As cholmod_l_start, and silent: the library never prints. End with cholmod_l_finish.
void tn_spqr_start(cholmod_common *cc);

// Copies with real (1) or complex (2) parts of each value; NULL without memory.
cholmod_sparse *tn_spqr_copy(int parts, const tn_sparse *A, cholmod_common *cc);
cholmod_dense *tn_spqr_vector(int parts, int n, const double *x, cholmod_common *cc);

tn_status tn_spqr_failure(const cholmod_common *cc); // raises the error that SPQR reported
