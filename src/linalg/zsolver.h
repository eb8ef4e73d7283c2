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

typedef struct tn_zsolver tn_zsolver;

tn_status tn_zsolver_create(const tn_sparse *pattern, tn_zsolver **out); // keeps the pattern only
tn_status tn_zsolver_create_by(const tn_sparse *pattern, tn_order order, tn_zsolver **out);
void tn_zsolver_destroy(tn_zsolver *solver);
void tn_zsolver_set_inertia(tn_zsolver *solver, int row, int col, int count); // as solver.h
// val: nnz values in the order of the pattern. TN_RETRY_SINGULAR when numerically singular.
tn_status tn_zsolver_factor(tn_zsolver *solver, const double complex *val);
void tn_zsolver_solve(tn_zsolver *solver, double complex *b);
// Minimum-norm least squares, as tn_solver_solve_rank; allocates.
tn_status tn_zsolver_solve_rank(tn_zsolver *solver, const double complex *val, double complex *b);
