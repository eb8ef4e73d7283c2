// SPDX-License-Identifier: MIT
//
// LAPACK by its C interface, and the BLAS below it, which also serves ARPACK and SuiteSparse.

#pragma once

#include "base/library.h"

extern tn_library tn_blas_library;
