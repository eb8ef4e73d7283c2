// SPDX-License-Identifier: MIT
//
// Number of motions without inertia, and the coordinates in which they differ: the rank of the rows
// of (M, C^T). See massless.h.

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/solver.h"
#include "motion/massless.h"

#include <math.h>

// A row of (M, C^T), of unit length, that is nearer than this to a combination of others: less than
// TN_RANK_TOL, as small masses between large ones are none the less masses.
static const double MOTION_TOL = 1e-11;

// Coordinates that M and the rows of C connect: `part` names one of them for each. Bodies that no
// joint connects have nothing to do with each other. Ways to that name are halved as they are gone:
// in a chain of n bodies they would be of length n.
static int massless_find_part_of(int *part, int i)
{
    while (part[i] != i)
        i = part[i] = part[part[i]];
    return i;
}

static void join_massless_find(int *part, int a, int b)
{
    const int first = massless_find_part_of(part, a), second = massless_find_part_of(part, b);
    part[first > second ? first : second] = first > second ? second : first;
}

// Rows of the block are coordinates where they are those of M, else numbers behind them.
static void join_block(int *part, const tn_sparse *A, int row0)
{
    for (int j = 0; A && j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            join_massless_find(part, j, row0 + A->rowind[k]);
}

tn_status tn_massless_least(const tn_system *sys, double tol, double *least)
{
    TN_ASSERT(tol >= 0.0 && tol < 1.0);
    const int nv = sys->nv, n = nv + sys->ng + sys->nn;
    const tn_sparse *M = sys->block[TN_BLOCK_M];
    int *part = tn_alloc(sizeof(int) * (size_t)(n + 1));
    TN_TRY(tn_got(part));
    for (int i = 0; i < n; i++)
        part[i] = i;
    join_block(part, M, 0);
    join_block(part, sys->block[TN_BLOCK_B], nv);
    join_block(part, sys->block[TN_BLOCK_N], nv + sys->ng);
    tn_zero(nv, least);
    for (int j = 0; M && j < nv; j++) {
        const double most = tn_norm_inf(M->colptr[j + 1] - M->colptr[j], M->val + M->colptr[j]);
        const int at = massless_find_part_of(part, j); // the first of its part: less than nv
        least[at] = fmax(least[at], tol * most);
    }
    for (int j = nv - 1; j >= 0; j--)
        least[j] = least[massless_find_part_of(part, j)];
    tn_free(part);
    return TN_OK;
}

// Entries of a column of C^T in its largest one; what is left of round-off is dropped, as rows that
// consist of nothing else would count as much as others.
static void normalise(tn_sparse *A, int j)
{
    TN_ASSERT(j >= 0 && j < A->ncol);
    const int first = A->colptr[j], n = A->colptr[j + 1] - first;
    const double largest = tn_norm_inf(n, A->val + first);
    for (int k = first; k < first + n && largest > 0.0; k++) {
        A->val[k] /= largest;
        if (fabs(A->val[k]) < MOTION_TOL)
            A->val[k] = 0.0;
    }
}

// Coordinates are scaled so that the diagonal of M is one: large and small bodies count alike.
// Inertias that count as none are left out, and rows of C that repeat others.
static void scale_values(const tn_system *sys, const int *active, const double *least,
                         tn_composition *stacked, double *scale)
{
    const tn_sparse *part[3] = {sys->block[TN_BLOCK_M], sys->block[TN_BLOCK_B],
                                sys->block[TN_BLOCK_N]};
    const double largest = tn_norm_inf(part[0]->nnz, part[0]->val);
    tn_sparse *A = stacked->matrix;
    for (int k = 0; k < 3; k++)
        tn_composition_add(stacked, k, 1.0, part[k]);
    for (int i = 0; i < A->nrow; i++) {
        const double mass = i < sys->nv ? tn_sparse_at(part[0], i, i) : 0.0;
        scale[i] = i < sys->nv && mass > least[i] ? 1.0 / sqrt(mass) : 0.0;
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
static tn_status stack_columns(const tn_system *sys, const int *active, const double *least,
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
    TN_THEN(status, tn_sparse_compose(n, n, 3, place, out));
    if (status == TN_OK)
        scale_values(sys, active, least, out, scale);
    tn_free(scale);
    return status;
}

static bool has_light_coordinate(const tn_system *sys, const double *least)
{
    for (int i = 0; i < sys->nv; i++)
        if (!(tn_sparse_at(sys->block[TN_BLOCK_M], i, i) > least[i]))
            return true;
    return false;
}

// A coordinate whose row repeats those of others, or is zero, has a motion of its own in the
// kernel: with row_i = sum_j c_j row_j, M s = 0 and C s = 0 for s = e_i - sum_j c_j e_j.
static tn_status search_massless_find(const tn_system *sys, const int *active, double tol,
                                      const double *least, int *coordinate, int *count)
{
    tn_composition stacked = {0};
    int rank = 0;
    tn_status status = stack_columns(sys, active, least, &stacked);
    int *independent =
        status == TN_OK ? tn_alloc(sizeof(int) * (size_t)stacked.matrix->nrow) : NULL;
    if (status == TN_OK && !independent)
        status = tn_fail(TN_ERR_MEMORY, "out of memory");
    TN_THEN(status, tn_row_rank(stacked.matrix, fmax(MOTION_TOL, tol), independent, &rank));
    for (int i = 0; status == TN_OK && i < sys->nv; i++)
        if (!independent[i])
            coordinate[(*count)++] = i;
    tn_free(independent);
    tn_composition_clear(&stacked);
    return status;
}

tn_status tn_massless_find(tn_system *sys, const tn_point *at, const int *active, double tol,
                           bool suspected, int *coordinate, int *count)
{
    TN_ASSERT(tol >= 0.0 && tol < 1.0);
    *count = 0;
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_MASS | TN_EVAL_B));
    if (!sys->block[TN_BLOCK_M] || sys->nv == 0)
        return TN_OK;
    double *least = tn_alloc(sizeof(double) * (size_t)sys->nv);
    tn_status status =
        least ? tn_massless_least(sys, tol, least) : tn_fail(TN_ERR_MEMORY, "out of memory");
    if (status == TN_OK && (suspected || has_light_coordinate(sys, least)))
        status = search_massless_find(sys, active, tol, least, coordinate, count);
    tn_free(least);
    return status;
}
