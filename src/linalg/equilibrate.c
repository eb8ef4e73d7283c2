// SPDX-License-Identifier: MIT
//
// Scales of rows and columns: S = D_r A D_c with powers of two, which commit no rounding error.
//
// By entries: rows first, by their largest entry, then columns, as in LAPACK's dgeequ.
//
// By inertia, for matrices that hold equations of motion, (M C^T; C 0) with or without other parts.
// There the scales that make the largest entries one are many, and those by entries may hide small
// inertias: the motions of a body that weighs 1e-15 among entries of C that are 1 seem to have
// none. With
//
//   d_i = M_ii^-1/2 for equations of motion and their velocities,
//   d_j = 1 / max |C_ji| d_i for constraints and their multipliers
//
// S has the diagonal one there and rows of C of size one, whatever the masses of the bodies: the
// condition then is that of the mechanism. One body has no part in the scales of another that no
// row connects with it.

#include "linalg/dense.h"
#include "linalg/solver_parts.h"

#include <math.h>
#include <string.h>

// Rows or columns that are smaller than the largest by this much are zero but for rounding: they
// stay small in S, which makes it singular. Rows may differ in their units by more than round-off;
// once they are scaled, a column below round-off has no influence on any equation.
static const double ROW_NOISE = 1e-20, COLUMN_NOISE = 1e-15;

static const double NOTHING = 0x1p-60; // takes a column of S below round-off

// Inertias below this in S are hidden where ranks are found to TN_RANK_TOL. Much more would take
// the scales by entries, which weigh rows alike in least squares, from ordinary mechanisms.
static const double HIDDEN = 1e-8;

// 2^k with 2^k size in [1/2, 1), but k at most 1000: no overflow near 1e-308; 1 for zero. The
// exponent of a double is in its bits 52 to 62, with 1023 added; frexp and ldexp are calls, which
// would be a tenth of a factorisation.
static double inverse_size(double size)
{
    TN_ASSERT(!(size < 0.0));
    unsigned long long bits;
    double scale = 1.0;
    memcpy(&bits, &size, sizeof bits);
    int k = 1022 - (int)(bits >> 52 & 0x7ff);
    k = k > 1000 ? 1000 : k < -1022 ? -1022 : k;
    bits = (unsigned long long)(1023 + k) << 52;
    if (size > 0.0)
        memcpy(&scale, &bits, sizeof scale);
    return scale;
}

// fmax without its call: b is left out where it is no number.
static inline double larger(double a, double b)
{
    return b > a ? b : a;
}

// Turns sizes into scale factors.
static void invert_sizes(int n, double noise, double *size)
{
    const double largest = tn_norm_inf(n, size), least = noise * largest;
    for (int i = 0; i < n; i++)
        size[i] = inverse_size(size[i] > least ? size[i] : largest);
}

static void scale_by_entries(const tn_sparse *sizes, double *row, double *col)
{
    const int *colptr = sizes->colptr, *rowind = sizes->rowind;
    const double *a = sizes->val;
    tn_zero(sizes->nrow, row);
    for (int k = 0; k < sizes->nnz; k++)
        row[rowind[k]] = larger(row[rowind[k]], a[k]);
    invert_sizes(sizes->nrow, ROW_NOISE, row);
    for (int j = 0; j < sizes->ncol; j++) {
        col[j] = 0.0;
        for (int k = colptr[j]; k < colptr[j + 1]; k++)
            col[j] = larger(col[j], row[rowind[k]] * a[k]);
    }
    invert_sizes(sizes->ncol, COLUMN_NOISE, col);
}

// By inertia --------------------------------------------------------------------------------------

// Scales of equations of motion and their velocities; zero for all others.
static void scale_motions(const tn_sparse *sizes, const tn_inertia_rows *at, double *row,
                          double *col)
{
    TN_ASSERT(at->row + at->count <= sizes->nrow && at->col + at->count <= sizes->ncol);
    tn_zero(sizes->nrow, row);
    tn_zero(sizes->ncol, col);
    for (int i = 0; i < at->count; i++) {
        const double inertia = tn_sparse_at(sizes, at->row + i, at->col + i);
        if (inertia > 0.0)
            row[at->row + i] = col[at->col + i] = inverse_size(sqrt(inertia));
    }
}

// Sizes, negative, of rows or columns that have no scale yet: their entries in those that have.
static void measure_others(const tn_sparse *sizes, bool rows, double *scale, const double *known)
{
    for (int j = 0; j < sizes->ncol; j++)
        for (int k = sizes->colptr[j]; k < sizes->colptr[j + 1]; k++) {
            const int i = sizes->rowind[k], self = rows ? i : j, other = rows ? j : i;
            if (scale[self] <= 0.0 && known[other] > 0.0)
                scale[self] = fmin(scale[self], -sizes->val[k] * known[other]);
        }
}

static void invert_others(int n, double *scale)
{
    for (int i = 0; i < n; i++)
        if (scale[i] < 0.0)
            scale[i] = inverse_size(-scale[i]);
}

// Constraints by the velocities they see, multipliers by the equations of motion; then the rest:
// motions without inertia, and rows that see nothing but a multiplier.
static void scale_constraints(const tn_sparse *sizes, double *row, double *col)
{
    TN_ASSERT(sizes->nrow == sizes->ncol);
    const int n = sizes->nrow;
    for (int pass = 0; pass < 2; pass++) {
        measure_others(sizes, true, row, col);
        measure_others(sizes, false, col, row);
        invert_others(n, row);
        invert_others(n, col);
    }
    for (int i = 0; i < n; i++) {
        row[i] = row[i] > 0.0 ? row[i] : 1.0;
        col[i] = col[i] > 0.0 ? col[i] : 1.0;
    }
}

// Largest entry of each column, relative to those of the rows: of what counts as zero by entries,
// multipliers that no equation sees, no scale must make one.
static void measure_reach(const tn_sparse *sizes, double *row, double *reach)
{
    tn_zero(sizes->nrow, row);
    tn_zero(sizes->ncol, reach);
    for (int k = 0; k < sizes->nnz; k++)
        row[sizes->rowind[k]] = larger(row[sizes->rowind[k]], sizes->val[k]);
    for (int j = 0; j < sizes->ncol; j++)
        for (int k = sizes->colptr[j]; k < sizes->colptr[j + 1]; k++)
            if (sizes->val[k] > 0.0)
                reach[j] = larger(reach[j], sizes->val[k] / row[sizes->rowind[k]]);
}

static void scale_by_inertia(const tn_sparse *sizes, const tn_inertia_rows *at, double *row,
                             double *col, double *reach)
{
    measure_reach(sizes, row, reach);
    scale_motions(sizes, at, row, col);
    scale_constraints(sizes, row, col);
    for (int j = 0; j < sizes->ncol; j++)
        if (!(reach[j] > COLUMN_NOISE))
            col[j] *= NOTHING;
}

void tn_equilibrate(const tn_sparse *sizes, const tn_inertia_rows *at, double *row, double *col,
                    double *reach)
{
    TN_ASSERT(sizes->nrow == sizes->ncol);
    if (at->used)
        scale_by_inertia(sizes, at, row, col, reach);
    else
        scale_by_entries(sizes, row, col);
}

bool tn_hides_inertia(const tn_sparse *sizes, const tn_inertia_rows *at, const double *row,
                      const double *col)
{
    TN_ASSERT(at->row + at->count <= sizes->nrow && at->col + at->count <= sizes->ncol);
    for (int i = 0; i < at->count; i++) {
        const double inertia = tn_sparse_at(sizes, at->row + i, at->col + i);
        if (inertia > 0.0 && row[at->row + i] * inertia * col[at->col + i] < HIDDEN)
            return true;
    }
    return false;
}
