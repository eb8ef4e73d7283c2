// SPDX-License-Identifier: MIT
//
// Schur complement of the constraints over a recursive mass matrix; see schur.h.

#include "formulation/schur.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"

#include <math.h>

struct tn_schur {
    tn_system *sys;
    const int *active;
    int rows;       // ng + nn
    double *H;      // nv x rows: reduced rows
    double *pivots; // nv
    double *S;      // rows x rows, its Cholesky factor
    double *work;   // nv
    double *size;   // rows, the diagonal of S
    double *most;   // rows, its largest values so far
    void *block;
};

// Rows that depend on the others to this part of their own size make S singular: it has the squares
// of their condition.
static const double SINGULAR = 1e-13;

static void layout_schur(void *self, tn_carve *mem)
{
    tn_schur *s = self;
    s->rows = s->sys->ng + s->sys->nn;
    s->H = tn_carve_doubles(mem, s->sys->nv * s->rows);
    TN_CARVE_DOUBLES(mem, s->sys->nv, &s->pivots, &s->work);
    TN_CARVE_DOUBLES(mem, s->rows, &s->size, &s->most);
    s->S = tn_carve_doubles(mem, s->rows * s->rows);
}

tn_status tn_schur_create(tn_system *sys, const int *active, tn_schur **out)
{
    *out = NULL;
    tn_schur *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->sys = sys;
    s->active = active;
    const tn_status status = tn_carve_block(s, layout_schur, &s->block);
    TN_HAND_OUT(status, s, tn_free, out);
}

void tn_schur_destroy(tn_schur *s)
{
    if (s)
        TN_FREE(s->block, s);
}

static void transpose_rows(tn_schur *s, tn_block block, int row0)
{
    const tn_sparse *C = s->sys->block[block];
    const int nv = s->sys->nv;
    for (int j = 0; j < nv; j++)
        for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
            if (s->active[row0 + C->rowind[k]])
                tn_column_of(s->H, nv, row0 + C->rowind[k])[j] = C->val[k];
}

// The lower triangle of S, with unit rows for constraints that are left out.
static void form_schur(tn_schur *s)
{
    const tn_recursive_ops *ops = s->sys->ops->recursive;
    const int nv = s->sys->nv, rows = s->rows;
    tn_zero(nv * rows, s->H);
    transpose_rows(s, TN_BLOCK_B, 0);
    if (s->sys->nn > 0)
        transpose_rows(s, TN_BLOCK_N, s->sys->ng);
    ops->pivots(s->sys, s->pivots);
    for (int i = 0; i < rows; i++)
        if (s->active[i])
            ops->reduce(s->sys, tn_column_of(s->H, nv, i));
    for (int j = 0; j < rows; j++) {
        const double *h = tn_column_of(s->H, nv, j);
        for (int k = 0; k < nv; k++)
            s->work[k] = s->pivots[k] * h[k];
        for (int i = j; i < rows; i++) {
            const double *other = tn_column_of(s->H, nv, i);
            double sum = 0.0;
            for (int k = 0; k < nv; k++)
                sum += s->work[k] * other[k];
            s->S[i + rows * j] = sum;
        }
        if (!s->active[j])
            s->S[j + rows * j] = 1.0;
    }
}

tn_status tn_schur_factor(tn_schur *s)
{
    const int rows = s->rows;
    if (rows == 0)
        return TN_OK;
    form_schur(s);
    for (int j = 0; j < rows; j++)
        s->size[j] = s->S[j + rows * j];
    TN_TRY(tn_cholesky(rows, s->S, SINGULAR));
    // The part of a row that those before it do not have, of its largest size so far; squares.
    double least = 1.0;
    for (int j = 0; j < rows; j++) {
        const double pivot = s->S[j + rows * j];
        s->most[j] = fmax(s->most[j], s->size[j]);
        least = fmin(least, pivot * pivot / s->most[j]);
    }
    tn_system_note_rows(s->sys, least);
    return TN_OK;
}

void tn_schur_finish(const tn_schur *s, double *b, double *c)
{
    TN_ASSERT(b != c || s->rows == 0);
    const int nv = s->sys->nv, rows = s->rows;
    double *n = c + s->sys->ng; // of rows of velocities
    if (rows == 0)
        return;
    tn_scale(rows, -1.0, c);
    tn_sparse_mul(s->sys->block[TN_BLOCK_B], 1.0, b, c);
    if (s->sys->nn > 0)
        tn_sparse_mul(s->sys->block[TN_BLOCK_N], 1.0, b, n);
    for (int i = 0; i < rows; i++)
        if (!s->active[i])
            c[i] = 0.0;
    tn_lower_solve(rows, s->S, c);
    tn_lower_solve_t(rows, s->S, c);
    tn_zero(nv, s->work);
    tn_sparse_mul_t(s->sys->block[TN_BLOCK_B], 1.0, c, s->work);
    if (s->sys->nn > 0)
        tn_sparse_mul_t(s->sys->block[TN_BLOCK_N], 1.0, n, s->work);
    s->sys->ops->recursive->solve(s->sys, s->work);
    tn_axpy(nv, -1.0, s->work, b);
}

void tn_schur_solve(const tn_schur *s, double *b, double *c)
{
    s->sys->ops->recursive->solve(s->sys, b);
    tn_schur_finish(s, b, c);
}
