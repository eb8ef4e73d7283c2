// SPDX-License-Identifier: MIT
//
// How many motions without inertia there are, and in which coordinates they differ: the rank of the
// rows of (M, C^T). See massless.h.

#include "base/alloc.h"
#include "formulation/massless.h"
#include "linalg/dense.h"
#include "linalg/solver.h"

#include <math.h>

// A row of (M, C^T), of unit length, that is nearer than this to a combination of others.
static const double RANK_TOL = 1e-11;

// Entries of a column of C^T in its largest one; what is left of round-off is dropped, as rows that
// consist of nothing else would count as much as others.
static void normalise(tn_sparse *A, int j)
{
    const int first = A->colptr[j], n = A->colptr[j + 1] - first;
    const double largest = tn_norm_inf(n, A->val + first);
    for (int k = first; k < first + n && largest > 0.0; k++) {
        A->val[k] /= largest;
        if (fabs(A->val[k]) < RANK_TOL)
            A->val[k] = 0.0;
    }
}

// Coordinates are scaled so that the diagonal of M is one: large and small bodies count alike.
// Inertias that count as none are left out, and rows of C that repeat others.
static void scale_values(const tn_system *sys, const int *active, double tol,
                         tn_composition *stacked, double *scale)
{
    const tn_sparse *part[3] = {sys->block[TN_BLOCK_M], sys->block[TN_BLOCK_B],
                                sys->block[TN_BLOCK_N]};
    const double largest = tn_norm_inf(part[0]->nnz, part[0]->val), least = tol * largest;
    tn_sparse *A = stacked->matrix;
    for (int k = 0; k < 3; k++)
        if (part[k])
            tn_sparse_scatter(A->val, stacked->maps[k], part[k]->nnz, 1.0, part[k]->val);
    for (int i = 0; i < A->nrow; i++) {
        const double mass = i < sys->nv ? tn_sparse_at(part[0], i, i) : 0.0;
        scale[i] = mass > least ? 1.0 / sqrt(mass) : 0.0;
    }
    const double light = 1.0 / sqrt(largest > 0.0 ? largest : 1.0);
    for (int j = 0; j < A->ncol; j++) {
        const bool is_mass = j < sys->nv;
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            const double row = scale[A->rowind[k]];
            const double by = is_mass ? row * scale[j] : row > 0.0 ? row : light;
            A->val[k] *= is_mass || active[j - sys->nv] ? by : 0.0;
        }
        if (!is_mass)
            normalise(A, j);
    }
}

// (M, C^T), scaled, with the values just evaluated: its rows are the velocity coordinates.
static tn_status stack_columns(const tn_system *sys, const int *active, double tol,
                               tn_composition *out)
{
    const int nv = sys->nv, n = nv + sys->ng + sys->nn;
    const tn_placement place[3] = {
        {.source = sys->block[TN_BLOCK_M], .transposed = true},
        {.source = sys->block[TN_BLOCK_B], .col0 = nv, .transposed = true},
        {.source = sys->block[TN_BLOCK_N], .col0 = nv + sys->ng, .transposed = true},
    };
    double *scale = tn_alloc(sizeof(double) * (size_t)(n + 1));
    tn_status status = scale ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
    if (status == TN_OK)
        status = tn_sparse_compose(n, 3, place, out);
    if (status == TN_OK)
        scale_values(sys, active, tol, out, scale);
    tn_free(scale);
    return status;
}

static bool has_light_coordinate(const tn_system *sys, double tol)
{
    const tn_sparse *M = sys->block[TN_BLOCK_M];
    const double least = tol * tn_norm_inf(M->nnz, M->val);
    for (int i = 0; i < sys->nv; i++)
        if (!(tn_sparse_at(M, i, i) > least))
            return true;
    return false;
}

// A coordinate whose row repeats those of others, or is zero, has a motion of its own in the
// kernel: with row_i = sum_j c_j row_j, M s = 0 and C s = 0 for s = e_i - sum_j c_j e_j.
tn_status tn_massless_find(tn_system *sys, const tn_point *at, const int *active, double tol,
                           bool suspected, int *coordinate, int *count)
{
    tn_composition stacked = {0};
    int rank = 0;
    *count = 0;
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_MASS | TN_EVAL_B));
    if (!sys->block[TN_BLOCK_M] || sys->nv == 0 || (!suspected && !has_light_coordinate(sys, tol)))
        return TN_OK;
    tn_status status = stack_columns(sys, active, tol, &stacked);
    int *independent =
        status == TN_OK ? tn_alloc(sizeof(int) * (size_t)stacked.matrix->nrow) : NULL;
    if (status == TN_OK && !independent)
        status = tn_fail(TN_ERR_MEMORY, "out of memory");
    if (status == TN_OK)
        status = tn_row_rank(stacked.matrix, fmax(RANK_TOL, tol), independent, &rank);
    for (int i = 0; status == TN_OK && i < sys->nv; i++)
        if (!independent[i])
            coordinate[(*count)++] = i;
    tn_free(independent);
    tn_composition_clear(&stacked);
    return status;
}
