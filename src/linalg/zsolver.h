// SPDX-License-Identifier: MIT
//
// Complex numbers, and small linear systems with them. Large ones on a fixed real pattern, for the
// complex pair of radau5, are those of linalg/solver.h with values of two parts.

#pragma once

#include "linalg/solver.h"

#include <complex.h>
#undef I      // a name of mechanics; write CMPLX(a, b)
#ifndef CMPLX // of C11, but glibc gives it to gcc only
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

// Gauss-Jordan elimination of n rows (M, 1), `ld` numbers apart, which become (1, M^-1). Pivots are
// the largest of their column; where rows are (M, 1, sizes) the largest against the size in their
// place, which is what counts as nothing there. False where there is none.
bool tn_gauss_jordan(int n, int ld, bool sized, double complex *X);
