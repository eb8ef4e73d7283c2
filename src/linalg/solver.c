// SPDX-License-Identifier: MIT
//
// The front of the linear solver: chooses the factorisation, equilibrates, checks.
//
//   A x = b   <=>   S y = D_r b,  x = D_c y,    S = D_r A D_c
//
// D_r and D_c are powers of two: scaling commits no rounding error; see equilibrate.c.

#include "linalg/solver.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/solver_parts.h"

#include <math.h>

// Measured on KKT matrices [M B^T; B 0] of chains (6 x 6 bodies, 5 x 6 joints) and on random ones,
// factorisation and one solve in microseconds, one core (Neoverse V1), one BLAS thread:
//
//            chain                     40 % full              full
//   n        11     22     55    132   24     64    200       24     64    200
//   dense     1.3    3.8   19    117    4.6   28    355        4.8   29    365
//   KLU       0.7    1.9    5.6   14    3.1   52   1830        4.9   66   2020
//
// Sparse wins at every size, full matrices apart. Up to DENSE_ALWAYS the loss is below one
// microsecond and buys free choice of pivots in every factorisation.
enum { DENSE_ALWAYS = 12, DENSE_FROM = 24, DENSE_MAX = 2000 };
static const double DENSE_SHARE = 1.0 / 3.0; // of entries in the pattern

static bool wants_dense(const tn_sparse *pattern)
{
    const double n = pattern->nrow;
    if (n <= DENSE_ALWAYS)
        return true;
    return n >= DENSE_FROM && n <= DENSE_MAX && pattern->nnz >= DENSE_SHARE * n * n;
}

static tn_status create_parts(const tn_sparse *A, tn_solver *solver)
{
    const size_t n = (size_t)A->nrow, nnz = (size_t)A->nnz;
    const bool real = solver->parts == 1, dense = wants_dense(A);
    solver->row = tn_alloc((3 * n + (real ? 0 : 2 * nnz)) * sizeof(double));
    if (!solver->row)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d unknowns", A->nrow);
    solver->col = solver->row + n;
    solver->room = solver->col + n;
    TN_TRY(tn_sparse_compose(A->nrow, A->nrow, 1, &(tn_placement){.source = A}, &solver->pattern));
    solver->scaled = *solver->pattern.matrix;
    if (!real)
        solver->scaled.val = solver->room + n;
    const bool condense = real && A->nrow >= TN_CONDENSE_FROM;
    solver->ops = dense ? &tn_factor_dense : condense ? &tn_factor_condensed : &tn_factor_klu;
    TN_TRY(solver->ops->create(solver->parts, &solver->scaled, &solver->factor));
    if (solver->ops->scales)
        solver->ops->scales(solver->factor, solver->row, solver->col);
    return TN_OK;
}

static tn_status create_solver(int parts, const tn_sparse *A, tn_solver **out)
{
    TN_ASSERT(A->nrow == A->ncol && (parts == 1 || parts == 2));
    *out = NULL;
    tn_solver *solver = tn_alloc(sizeof(*solver));
    if (!solver)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d unknowns", A->nrow);
    solver->parts = parts;
    solver->stats.rank = A->nrow;
    const tn_status s = create_parts(A, solver);
    TN_HAND_OUT(s, solver, tn_solver_destroy, out);
}

tn_status tn_solver_create(const tn_sparse *A, tn_solver **out)
{
    return create_solver(1, A, out);
}

tn_status tn_solver_create_complex(const tn_sparse *A, tn_solver **out)
{
    return create_solver(2, A, out);
}

void tn_solver_destroy(tn_solver *solver)
{
    if (!solver)
        return;
    if (solver->factor)
        solver->ops->destroy(solver->factor);
    tn_composition_clear(&solver->pattern);
    TN_FREE(solver->row, solver);
}

void tn_solver_values(tn_solver *solver, tn_values *v)
{
    tn_solver_stats *stats = &solver->stats;
    const int n = solver->scaled.nrow;
    tn_values_enter(v, "solver");
    TN_VALUES_LONG(v, &stats->factorizations, &stats->pivotings, &stats->rank_solves);
    TN_VALUES_INT(v, 0, n, 1, &stats->rank);
    TN_VALUES_ANY(v, "1", 1, &stats->rcond);
    TN_VALUES_BOOL(v, &solver->inertia.used);
    TN_VALUES(v, "1", n, solver->row, solver->col);
    TN_VALUES(v, "1", solver->parts * solver->scaled.nnz, solver->scaled.val);
    solver->ops->values(solver->factor, &solver->scaled, v);
    tn_values_leave(v);
}

static double entry_size(int parts, const double *value)
{
    return parts == 1 ? fabs(*value)
                      : fabs(value[0]) + fabs(value[1]); // the modulus or up to 1.4 of it
}

static void scale_columns(const tn_solver *solver, const double *val)
{
    const tn_sparse *S = &solver->scaled;
    const int parts = solver->parts;
    for (int j = 0; j < S->ncol; j++)
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++) {
            const double row = solver->row[S->rowind[k]], col = solver->col[j];
            S->val[parts * k] = row * val[parts * k] * col;
            if (parts == 2)
                S->val[2 * k + 1] = row * val[2 * k + 1] * col;
        }
}

// Fills D_r, D_c and S. False when an entry of A is not finite.
static bool equilibrate_solver(tn_solver *solver, const double *val)
{
    const int parts = solver->parts;
    tn_sparse *S = &solver->scaled, *sizes = solver->pattern.matrix;
    TN_ASSERT(S->nnz == sizes->nnz && (parts == 1 || parts == 2));
    if (!tn_all_finite(parts * S->nnz, val))
        return false;
    for (int k = 0; k < S->nnz; k++)
        sizes->val[k] = entry_size(parts, val + parts * k);
    tn_equilibrate(sizes, &solver->inertia, solver->row, solver->col, solver->room);
    scale_columns(solver, val);
    return true;
}

void tn_solver_set_inertia(tn_solver *solver, int row, int col, int count)
{
    TN_ASSERT(row >= 0 && count >= 0 && row + count <= solver->scaled.nrow);
    TN_ASSERT(col >= 0 && col + count <= solver->scaled.ncol);
    solver->inertia = (tn_inertia_rows){.row = row, .col = col, .count = count};
}

static tn_status factor_scaled(tn_solver *solver, const double *val)
{
    solver->stats.factorizations++;
    solver->stats.rcond = NAN;
    if (!equilibrate_solver(solver, val))
        return TN_RETRY_SINGULAR;
    solver->stats.rcond = 0.0;
    TN_TRY(solver->ops->factor(solver->factor, &solver->scaled, &solver->stats));
    const bool regular = solver->stats.rcond >= tn_least_rcond(solver->scaled.nrow);
    return regular ? TN_OK : TN_RETRY_SINGULAR;
}

// A matrix that is singular in one scaling is checked in the other. The last one that succeeded is
// tried first.
tn_status tn_solver_factor(tn_solver *solver, const tn_sparse *A)
{
    TN_ASSERT(A->nrow == solver->scaled.nrow && A->nnz == solver->scaled.nnz);
    bool *used = &solver->inertia.used;
    solver->stats.rank = solver->scaled.nrow;
    tn_status status = factor_scaled(solver, A->val);
    const bool finite = !isnan(solver->stats.rcond);
    if (status != TN_RETRY_SINGULAR || solver->inertia.count == 0 || !finite)
        return status;
    *used = !*used;
    status = factor_scaled(solver, A->val);
    if (status == TN_RETRY_SINGULAR)
        *used = !*used;
    return status;
}

static void multiply_solver(const tn_solver *solver, const double *scale, double *x)
{
    const int n = solver->scaled.nrow;
    for (int i = 0; i < n && solver->parts == 1; i++)
        x[i] *= scale[i];
    for (int i = 0; i < 2 * n && solver->parts == 2; i++)
        x[i] *= scale[i / 2];
}

tn_solver_fill tn_solver_fill_of(const tn_solver *solver)
{
    tn_solver_fill out = {.matrix = solver->scaled.nnz};
    solver->ops->fill(solver->factor, &out);
    return out;
}

bool tn_solver_widths(const tn_solver *solver, int *width)
{
    if (!solver->ops->widths || !(tn_solver_fill_of(solver).fact > 0.0))
        return false;
    solver->ops->widths(solver->factor, width);
    return true;
}

void tn_solver_solve(tn_solver *solver, double *b)
{
    if (solver->stats.factorizations <= 0) { // of a state that was read, with contradicting numbers
        for (int i = 0; i < solver->parts * solver->scaled.nrow; i++)
            b[i] = NAN;
        return;
    }
    multiply_solver(solver, solver->row, b);
    solver->ops->solve(solver->factor, b);
    multiply_solver(solver, solver->col, b);
}

// Returns true if scales by entries hide some inertia of the matrix that was equilibrated last.
static bool hides_inertia(const tn_solver *solver, const double *val)
{
    tn_sparse sizes = *solver->pattern.matrix;
    if (solver->parts == 1)
        sizes.val = (double *)val; // the sizes have become those of S
    return tn_hides_inertia(&sizes, &solver->inertia, solver->row, solver->col);
}

tn_status tn_solver_solve_rank(tn_solver *solver, const tn_sparse *A, double *b)
{
    TN_ASSERT(A->nrow == solver->scaled.nrow && A->nnz == solver->scaled.nnz);
    const int n = solver->scaled.nrow;
    const double *val = A->val;
    solver->stats.rank_solves++;
    solver->inertia.used = false;
    if (!equilibrate_solver(solver, val) || !tn_all_finite(solver->parts * n, b))
        return TN_RETRY_SINGULAR;
    solver->inertia.used = hides_inertia(solver, val);
    if (solver->inertia.used)
        equilibrate_solver(solver, val);
    multiply_solver(solver, solver->row, b);
    // Scales of masses that differ by 10^20 would drown the small ones: the least D_c^-1 x instead
    // of the least x, which is the least kinetic energy.
    for (int i = 0; i < n; i++)
        solver->room[i] = solver->inertia.used ? 1.0 : solver->col[i];
    int *rank = &solver->stats.rank;
    if (solver->ops->min_norm && solver->parts == 1)
        TN_TRY(solver->ops->min_norm(solver->factor, &solver->scaled, solver->room, b, rank));
    else if (n > 0)
        TN_TRY(tn_spqr_min_norm(solver->parts, &solver->scaled, solver->room, b, rank));
    if (solver->inertia.used)
        multiply_solver(solver, solver->col, b);
    return TN_OK;
}

const char *tn_solver_name(const tn_solver *solver)
{
    const bool condensed = solver->ops == &tn_factor_condensed && tn_is_condensed(solver->factor);
    return condensed ? "CHOLMOD" : solver->ops->name;
}
