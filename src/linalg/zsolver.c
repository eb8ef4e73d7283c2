// SPDX-License-Identifier: MIT
//
// The front of the complex solver: as solver.c, with S = D_r A D_c complex and D_r, D_c real powers
// of two from the moduli of the entries.

#include "linalg/zsolver.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/solver_parts.h"

#include <math.h>

struct tn_zsolver {
    const tn_factor_ops *ops;
    void *factor;
    tn_composition pattern; // its values are moduli, in tn_equilibrate
    tn_sparse scaled;       // S: the same pattern, with complex values
    double *row, *col;      // D_r, D_c
    double *room;           // n
    tn_inertia_rows inertia;
    tn_solver_stats stats;
};

static tn_status create_parts(const tn_sparse *pattern, tn_order order, tn_zsolver *solver)
{
    const size_t n = (size_t)pattern->nrow, nnz = (size_t)pattern->nnz;
    solver->row = tn_alloc((3 * n + 2 * nnz) * sizeof(double));
    if (!solver->row)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d complex unknowns",
                       pattern->nrow);
    solver->col = solver->row + n;
    solver->room = solver->col + n;
    TN_TRY(
        tn_sparse_compose(pattern->nrow, 1, &(tn_placement){.source = pattern}, &solver->pattern));
    solver->scaled = *solver->pattern.matrix;
    solver->scaled.val = solver->room + n;
    solver->ops =
        tn_solver_wants_dense(pattern) ? &tn_factor_dense_complex : &tn_factor_klu_complex;
    return solver->ops->create(&solver->scaled, order, &solver->factor);
}

tn_status tn_zsolver_create(const tn_sparse *pattern, tn_zsolver **out)
{
    return tn_zsolver_create_by(pattern, TN_ORDER_AMD, out);
}

tn_status tn_zsolver_create_by(const tn_sparse *pattern, tn_order order, tn_zsolver **out)
{
    TN_ASSERT(pattern->nrow == pattern->ncol);
    *out = NULL;
    tn_zsolver *solver = tn_alloc(sizeof(*solver));
    if (!solver)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d complex unknowns",
                       pattern->nrow);
    const tn_status s = create_parts(pattern, order, solver);
    TN_HAND_OUT(s, solver, tn_zsolver_destroy, out);
}

void tn_zsolver_destroy(tn_zsolver *solver)
{
    if (!solver)
        return;
    if (solver->factor)
        solver->ops->destroy(solver->factor);
    tn_composition_clear(&solver->pattern);
    TN_FREE(solver->row, solver);
}

// Fills D_r, D_c and S. False when an entry is not finite.
static bool equilibrate_zsolver(tn_zsolver *solver, const double complex *val)
{
    tn_sparse *S = &solver->scaled;
    double *modulus = solver->pattern.matrix->val;
    for (int k = 0; k < S->nnz; k++)
        modulus[k] = fabs(creal(val[k])) + fabs(cimag(val[k])); // the true one is up to 0.7 of it
    if (!tn_all_finite(S->nnz, modulus))
        return false;
    tn_equilibrate(solver->pattern.matrix, &solver->inertia, solver->row, solver->col,
                   solver->room);
    for (int j = 0; j < S->ncol; j++)
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++) {
            S->val[2 * k] = solver->row[S->rowind[k]] * creal(val[k]) * solver->col[j];
            S->val[2 * k + 1] = solver->row[S->rowind[k]] * cimag(val[k]) * solver->col[j];
        }
    return true;
}

void tn_zsolver_set_inertia(tn_zsolver *solver, int row, int col, int count)
{
    solver->inertia = (tn_inertia_rows){.row = row, .col = col, .count = count};
}

static tn_status factor_scaled(tn_zsolver *solver, const double complex *val)
{
    solver->stats.rcond = NAN;
    if (!equilibrate_zsolver(solver, val))
        return TN_RETRY_SINGULAR;
    solver->stats.rcond = 0.0;
    TN_TRY(solver->ops->factor(solver->factor, &solver->scaled, &solver->stats));
    const bool regular = solver->stats.rcond >= tn_least_rcond(solver->scaled.nrow);
    return regular ? TN_OK : TN_RETRY_SINGULAR;
}

tn_status tn_zsolver_factor(tn_zsolver *solver, const double complex *val) // as in solver.c
{
    tn_status status;
    do
        status = factor_scaled(solver, val);
    while (tn_inertia_other(&solver->inertia, status, solver->stats.rcond));
    return status;
}

static void multiply_zsolver(int n, const double *scale, double complex *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= scale[i];
}

void tn_zsolver_solve(tn_zsolver *solver, double complex *b)
{
    multiply_zsolver(solver->scaled.nrow, solver->row, b);
    solver->ops->solve(solver->factor, (double *)b);
    multiply_zsolver(solver->scaled.nrow, solver->col, b);
}

tn_status tn_zsolver_solve_rank(tn_zsolver *solver, const double complex *val, double complex *b)
{
    const int n = solver->scaled.nrow;
    solver->inertia.used = false;
    if (!equilibrate_zsolver(solver, val) || !tn_all_finite(2 * n, (const double *)b))
        return TN_RETRY_SINGULAR;
    solver->inertia.used =
        tn_hides_inertia(solver->pattern.matrix, &solver->inertia, solver->row, solver->col);
    if (solver->inertia.used)
        equilibrate_zsolver(solver, val);
    multiply_zsolver(n, solver->row, b);
    for (int i = 0; i < n; i++) // as in solver.c
        solver->room[i] = solver->inertia.used ? 1.0 : solver->col[i];
    TN_TRY(solver->ops->min_norm(solver->factor, &solver->scaled, solver->room, (double *)b,
                                 &solver->stats.rank));
    if (solver->inertia.used)
        multiply_zsolver(n, solver->col, b);
    return TN_OK;
}
