// SPDX-License-Identifier: MIT
//
// Linear systems with complex values on a fixed real pattern, for the complex pair of radau5: the
// companion of linalg/solver.h, with the same choice between dense LU and KLU, the same
// equilibration and the same fall-back where the matrix is singular.

#pragma once

#include "linalg/solver.h"

#include <complex.h>
#undef I      // a name of mechanics; write CMPLX(a, b)
#ifndef CMPLX // of C11, but glibc gives it to gcc only
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

typedef struct tn_solver tn_zsolver; // of linalg/solver.h; it keeps the pattern only

static inline tn_status tn_zsolver_create(const tn_sparse *pattern, tn_zsolver **out)
{
    return tn_solver_create_by(2, pattern, TN_ORDER_AMD, out);
}

// Gauss-Jordan elimination of n rows (M, 1), `ld` numbers apart, which become (1, M^-1). Pivots are
// the largest of their column; where rows are (M, 1, sizes) the largest against the size in their
// place, which is what counts as nothing there. False where there is none.
bool tn_gauss_jordan(int n, int ld, bool sized, double complex *X);

// val: nnz values in the order of the pattern. TN_RETRY_SINGULAR when numerically singular.
static inline tn_status tn_zsolver_factor(tn_zsolver *solver, const double complex *val)
{
    return tn_solver_factor_values(solver, (const double *)val);
}

static inline void tn_zsolver_solve(tn_zsolver *solver, double complex *b)
{
    tn_solver_solve(solver, (double *)b);
}

// Minimum-norm least squares, as tn_solver_solve_rank; allocates.
static inline tn_status tn_zsolver_solve_rank(tn_zsolver *solver, const double complex *val,
                                              double complex *b)
{
    return tn_solver_solve_rank_values(solver, (const double *)val, (double *)b);
}
