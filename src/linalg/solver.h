// SPDX-License-Identifier: MIT
//
// One linear solver for the iteration matrices of a simulation: square, unsymmetric, with a pattern
// that never changes. Dense LU for tiny and for full matrices, KLU otherwise: analysed once, then
// refactored with new values in the old pivot order, and factored anew only where the old pivots
// have become poor. Large symmetric matrices of nets that fill are condensed to their multipliers
// and factored by CHOLMOD (solver_complement.h). If the matrix is singular (redundant constraints,
// singular positions), a rank-revealing solve takes over: the minimum-norm least-squares solution
// by two orthogonal factorisations, dense or SPQR (which allocates). Condition and rank are checked
// with rows and columns equilibrated; the least squares weigh each row by its largest entry, or by
// the inertias where that would hide some (equilibrate.c); the norm then is that of the kinetic
// energy.

#pragma once

#include "base/values.h"
#include "linalg/sparse.h"

typedef struct tn_solver_stats {
    long factorizations; // all
    long pivotings;      // those that chose new pivots (KLU only; these allocate)
    long rank_solves;    // solves by the rank-revealing fall-back
    int rank;            // rank found by the last of those, n otherwise
    double rcond;        // cheap estimate from the last factorisation; NAN: entries not finite
} tn_solver_stats;

// Entries of the last factors, diagonals included.
typedef struct tn_solver_fill {
    double matrix;   // of the matrix itself
    double estimate; // of L and U, as the order of elimination promised
    double fact;     // of L and U
} tn_solver_fill;

// Equations of motion within a matrix: row + i belongs to the velocity in column col + i, with the
// inertia in that entry.
typedef struct tn_inertia_rows {
    int row, col, count; // count 0: none are known
    bool used;           // scales follow the inertias, not the largest entries
} tn_inertia_rows;

typedef struct tn_solver {
    int parts;                       // doubles per value: 1, or 2 for complex ones
    const struct tn_factor_ops *ops; // dense or sparse, solver_parts.h
    void *factor;
    tn_composition pattern; // a copy of A's; its values are the sizes of entries
    tn_sparse scaled;       // S, in the same pattern
    double *row, *col;      // D_r, D_c
    double *room;           // n
    tn_inertia_rows inertia;
    tn_solver_stats stats;
} tn_solver;

tn_status tn_solver_create(const tn_sparse *A, tn_solver **out); // keeps the pattern, not A
// The same for complex values and vectors: real and imaginary parts by turns.
tn_status tn_solver_create_complex(const tn_sparse *A, tn_solver **out);
void tn_solver_destroy(tn_solver *solver);
// Lists the numbers of the factors and the pivots; makes the factors that are read.
void tn_solver_values(tn_solver *solver, tn_values *v);

// Tells that rows `row` … `row + count - 1` are equations of motion for the velocities in columns
// `col` …, with inertias on that diagonal: A is singular only where it is in the scales of these,
// too. Without, small inertias beside large ones may count as none.
void tn_solver_set_inertia(tn_solver *solver, int row, int col, int count);

// Factors the values of A (same pattern). TN_RETRY_SINGULAR when A is numerically singular or not
// finite; the values stay then, so that tn_solver_solve_rank may follow.
tn_status tn_solver_factor(tn_solver *solver, const tn_sparse *A);
void tn_solver_solve(tn_solver *solver, double *b); // b becomes A^-1 b
tn_status tn_solver_solve_rank(tn_solver *solver, const tn_sparse *A, double *b); // least squares
tn_solver_fill tn_solver_fill_of(const tn_solver *solver);
// Number of entries in the column of L of each unknown; false without such columns: before the
// first factorisation, where the last one failed, and for full matrices.
bool tn_solver_widths(const tn_solver *solver, int *width);
const char *tn_solver_name(const tn_solver *solver); // "dense LU", "KLU" or "CHOLMOD"

// Rank of a rectangular sparse matrix by pivoted QR of its transpose: which of its rows are
// independent. independent[i] is 1 for the chosen rows; returns the rank through `rank`. Rows are
// scaled to unit length first; tol is relative. Dense below a size, SPQR above it. Allocates.
// Rows earlier in the matrix are preferred as far as the method allows.
tn_status tn_row_rank(const tn_sparse *A, double tol, int *independent, int *rank);

// The same for rows of which those with independent[i] == 1 are known to be so, and come first; at
// most `most` in all. Rows are divided by scale[i], or by their lengths where that is NULL.
// distance[i] (or NULL) receives how far each row is from those taken before it. Dense. Allocates.
tn_status tn_row_extend(const tn_sparse *A, const double *scale, double tol, int most,
                        int *independent, double *distance, int *rank);

// Rows of A as combinations of those with independent[i] == 1 (least squares): coefficient[i], zero
// elsewhere. `misfit` receives the norm of the residual, relative. All allocate. The basis is
// factored once; many rows at a time (nrow coefficients each) cost less than one by one.
typedef struct tn_row_basis tn_row_basis;
tn_status tn_row_basis_create(const tn_sparse *A, const int *independent, tn_row_basis **out);
tn_status tn_row_basis_combine(tn_row_basis *b, int count, const int *row, double *coefficient,
                               double *misfit);
void tn_row_basis_destroy(tn_row_basis *b);
