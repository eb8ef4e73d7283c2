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
    double *H;      // nv x ng: reduced rows
    double *pivots; // nv
    double *S;      // ng x ng, its Cholesky factor
    double *work;   // nv
    double *size;   // ng, the diagonal of S
    double *most;   // ng, its largest values so far
    void *block;
};

// Rows that depend on the others to this part of their own size make S singular: it has the squares
// of their condition.
static const double SINGULAR = 1e-13;

static void layout_schur(void *self, tn_carve *mem)
{
    tn_schur *s = self;
    s->H = tn_carve_doubles(mem, s->sys->nv * s->sys->ng);
    TN_CARVE_DOUBLES(mem, s->sys->nv, &s->pivots, &s->work);
    TN_CARVE_DOUBLES(mem, s->sys->ng, &s->size, &s->most);
    s->S = tn_carve_doubles(mem, s->sys->ng * s->sys->ng);
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

static void transpose_rows(tn_schur *s)
{
    const tn_sparse *B = s->sys->block[TN_BLOCK_B];
    const int nv = s->sys->nv;
    tn_zero(nv * s->sys->ng, s->H);
    for (int j = 0; j < nv; j++)
        for (int k = B->colptr[j]; k < B->colptr[j + 1]; k++)
            if (s->active[B->rowind[k]])
                tn_column_of(s->H, nv, B->rowind[k])[j] = B->val[k];
}

// The lower triangle of S, with unit rows for constraints that are left out.
static void form_schur(tn_schur *s)
{
    const tn_recursive_ops *ops = s->sys->ops->recursive;
    const int nv = s->sys->nv, ng = s->sys->ng;
    transpose_rows(s);
    ops->pivots(s->sys, s->pivots);
    for (int i = 0; i < ng; i++)
        if (s->active[i])
            ops->reduce(s->sys, tn_column_of(s->H, nv, i));
    for (int j = 0; j < ng; j++) {
        const double *h = tn_column_of(s->H, nv, j);
        for (int k = 0; k < nv; k++)
            s->work[k] = s->pivots[k] * h[k];
        for (int i = j; i < ng; i++) {
            const double *other = tn_column_of(s->H, nv, i);
            double sum = 0.0;
            for (int k = 0; k < nv; k++)
                sum += s->work[k] * other[k];
            s->S[i + ng * j] = sum;
        }
        if (!s->active[j])
            s->S[j + ng * j] = 1.0;
    }
}

tn_status tn_schur_factor(tn_schur *s)
{
    const int ng = s->sys->ng;
    if (ng == 0)
        return TN_OK;
    form_schur(s);
    for (int j = 0; j < ng; j++)
        s->size[j] = s->S[j + ng * j];
    TN_TRY(tn_cholesky(ng, s->S, SINGULAR));
    // The part of a row that those before it do not have, of its largest size so far; squares.
    double least = 1.0;
    for (int j = 0; j < ng; j++) {
        const double pivot = s->S[j + ng * j];
        s->most[j] = fmax(s->most[j], s->size[j]);
        least = fmin(least, pivot * pivot / s->most[j]);
    }
    tn_system_note_rows(s->sys, least);
    return TN_OK;
}

void tn_schur_finish(const tn_schur *s, double *b, double *c)
{
    TN_ASSERT(b != c || s->sys->ng == 0);
    const int nv = s->sys->nv, ng = s->sys->ng;
    if (ng == 0)
        return;
    tn_scale(ng, -1.0, c);
    tn_sparse_mul(s->sys->block[TN_BLOCK_B], 1.0, b, c);
    for (int i = 0; i < ng; i++)
        if (!s->active[i])
            c[i] = 0.0;
    tn_lower_solve(ng, s->S, c);
    tn_lower_solve_t(ng, s->S, c);
    tn_zero(nv, s->work);
    tn_sparse_mul_t(s->sys->block[TN_BLOCK_B], 1.0, c, s->work);
    s->sys->ops->recursive->solve(s->sys, s->work);
    tn_axpy(nv, -1.0, s->work, b);
}

void tn_schur_solve(const tn_schur *s, double *b, double *c)
{
    s->sys->ops->recursive->solve(s->sys, b);
    tn_schur_finish(s, b, c);
}
