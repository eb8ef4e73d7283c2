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
    double *W; // nv x ng
    double *S; // ng x ng, its Cholesky factor
    void *block;
};

// Rows that depend on the others to this part of their own size make S singular: it has the squares
// of their condition.
static const double SINGULAR = 1e-13;

static void layout(void *self, tn_carve *mem)
{
    tn_schur *s = self;
    s->W = tn_carve_doubles(mem, s->sys->nv * s->sys->ng);
    s->S = tn_carve_doubles(mem, s->sys->ng * s->sys->ng);
}

tn_status tn_schur_create(tn_system *sys, const int *active, tn_schur **out)
{
    *out = NULL;
    tn_schur *s = tn_alloc(sizeof *s);
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    s->sys = sys;
    s->active = active;
    const tn_status status = tn_carve_block(s, layout, &s->block);
    if (status == TN_OK)
        *out = s;
    else
        tn_free(s);
    return status;
}

void tn_schur_destroy(tn_schur *s)
{
    if (!s)
        return;
    tn_free(s->block);
    tn_free(s);
}

static double *column(double *A, int rows, int j)
{
    return A + (size_t)rows * (size_t)j;
}

static void transpose_rows(tn_schur *s)
{
    const tn_sparse *B = s->sys->block[TN_BLOCK_B];
    const int nv = s->sys->nv;
    tn_zero(nv * s->sys->ng, s->W);
    for (int j = 0; j < nv; j++)
        for (int k = B->colptr[j]; k < B->colptr[j + 1]; k++)
            column(s->W, nv, B->rowind[k])[j] = B->val[k];
}

// S with unit rows and columns for constraints that are left out.
static void form(tn_schur *s)
{
    const int nv = s->sys->nv, ng = s->sys->ng;
    transpose_rows(s);
    tn_zero(ng * ng, s->S);
    for (int i = 0; i < ng; i++) {
        double *w = column(s->W, nv, i);
        if (!s->active[i]) {
            tn_zero(nv, w);
            continue;
        }
        s->sys->ops->recursive->solve(s->sys, w);
        tn_sparse_mul(s->sys->block[TN_BLOCK_B], 1.0, w, column(s->S, ng, i));
    }
    for (int i = 0; i < ng; i++)
        for (int j = 0; j < ng; j++)
            if (!s->active[i] || !s->active[j])
                s->S[i + ng * j] = i == j ? 1.0 : 0.0;
}

tn_status tn_schur_factor(tn_schur *s)
{
    const int ng = s->sys->ng;
    if (ng == 0)
        return TN_OK;
    form(s);
    TN_TRY(tn_cholesky(ng, s->S, SINGULAR));
    double least = 1.0; // part of a row that the others do not have
    for (int j = 0; j < ng; j++) {
        const double *L = s->S + j;
        const double pivot = s->S[j + ng * j];
        double whole = 0.0;
        for (int k = 0; k <= j; k++)
            whole += L[(size_t)ng * (size_t)k] * L[(size_t)ng * (size_t)k];
        least = fmin(least, pivot / sqrt(whole));
    }
    tn_system_note_rcond(s->sys, least);
    return TN_OK;
}

void tn_schur_finish(const tn_schur *s, double *b, double *c)
{
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
    for (int i = 0; i < ng; i++)
        tn_axpy(nv, -c[i], column(s->W, nv, i), b);
}

void tn_schur_solve(const tn_schur *s, double *b, double *c)
{
    s->sys->ops->recursive->solve(s->sys, b);
    tn_schur_finish(s, b, c);
}
