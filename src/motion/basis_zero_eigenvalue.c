// SPDX-License-Identifier: MIT
//
// Null space by the zero eigenvalue theorem [WS69; LB08, 4.1, 4.4; Kamman and Huston 1984]: the
// eigenvectors of C^T C that belong to its zero eigenvalues are those motions that no row sees,
//
//   A A^T = U W U^T       Gamma = the columns of U with W = 0
//   A^T x = c:  x = U W^+ U^T A c         A y = r:  y = A^T U W^+ U^T r
//
// The eigenvalues are squares of singular values, so this way sees half of the digits: rows that
// are independent by less than 1e-7 count as repeated, and vectors, x and y are off by as much as
// round-off by the smallest square. One sweep on what they leave brings the digits back,
//
//   Gamma -= (A A^T)^+ A A^T Gamma,    x += (A A^T)^+ A (c - A^T x),    y += ... (r - A y).

#include "linalg/denormal.h"
#include "motion/basis_parts.h"

#include <lapacke.h>
#include <math.h>

// Round-off in an eigenvalue of a sum of unit rows, per row and velocity.
static const double NOISE = 4.0 * 2.3e-16;

typedef struct zero {
    tn_basis base;
    double *U;     // nv nv: eigenvectors, those of the largest eigenvalues last
    double *W;     // nv: eigenvalues, increasing
    double *S;     // nv: their roots, decreasing
    double *rest;  // nv or m, whichever is more: what a solution leaves
    double *sweep; // the same, of the correction
    double *part;  // nv
    double *small; // m m: A^T A, where rows repeat each other
    double *w;     // m
} zero;

static void layout_basis_zero(tn_basis *b, tn_carve *mem)
{
    zero *s = (zero *)b;
    const int most = tn_larger(b->nv, b->rows);
    TN_CARVE_DOUBLES(mem, b->nv * b->nv, &s->U);
    TN_CARVE_DOUBLES(mem, b->nv, &s->W, &s->S, &s->part);
    TN_CARVE_DOUBLES(mem, most, &s->rest, &s->sweep);
    TN_CARVE_DOUBLES(mem, b->rows * b->rows, &s->small);
    TN_CARVE_DOUBLES(mem, b->rows, &s->w);
}

// The lower triangle of X (n x n) becomes its eigenvectors.
static tn_status find_eigenvectors(tn_basis *b, int n, double *X, double *w)
{
    const uint64_t control = tn_flush_denormals();
    const int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, X, n, w, b->work, b->lwork);
    tn_keep_denormals(control);
    if (info == 0)
        return TN_OK;
    return tn_fail(TN_RETRY_SINGULAR, "the eigenvalues of the constraints were not found");
}

// x = (A A^T)^+ x, with the eigenvalues that count.
static void divide(zero *s, double *x)
{
    tn_basis *b = &s->base;
    TN_ASSERT(x != s->part);
    tn_copy(b->nv, x, s->part);
    tn_zero(b->nv, x);
    for (int k = b->nv - b->rank; k < b->nv; k++) {
        const double *u = tn_column_of(s->U, b->nv, k);
        tn_axpy(b->nv, tn_dot(b->nv, u, s->part) / s->W[k], u, x);
    }
}

static void combine(tn_basis *b, const double *c, double *x) // x = A c
{
    tn_zero(b->nv, x);
    tn_add_columns(b->nv, b->m, 1.0, b->A, c, x);
}

static void apply(tn_basis *b, const double *x, double *c) // c = A^T x
{
    tn_inner(b->nv, b->m, b->A, 1, x, c);
}

// Takes out of x what rows still see of it.
static void clean(zero *s, double *x)
{
    tn_basis *b = &s->base;
    apply(b, x, s->rest);
    combine(b, s->rest, s->sweep);
    divide(s, s->sweep);
    tn_axpy(b->nv, -1.0, s->sweep, x);
}

static tn_status form_basis_zero(tn_basis *b, const tn_point *at)
{
    zero *s = (zero *)b;
    const int nv = b->nv, most = tn_smaller(nv, b->m);
    tn_zero(nv * nv, s->U);
    for (int i = 0; i < b->m; i++) {
        const double *row = tn_column_of(b->A, nv, i);
        for (int j = 0; j < nv; j++)
            if (row[j] != 0.0)
                tn_axpy(nv, row[j], row, tn_column_of(s->U, nv, j));
    }
    TN_TRY(find_eigenvectors(b, nv, s->U, s->W));
    for (int k = 0; k < nv; k++) {
        const double w = s->W[nv - 1 - k];
        s->S[k] = w > NOISE * (nv + b->m) ? sqrt(w) : 0.0;
    }
    b->rank = tn_basis_count(b, 1.0, most, s->S, 1);
    b->nf = nv - b->rank;
    tn_copy(nv * b->nf, s->U, b->raw);
    for (int k = 0; k < b->nf; k++)
        clean(s, tn_column_of(b->raw, nv, k));
    return TN_OK;
}

static void basis_zero_particular(tn_basis *b, const double *c, double *x)
{
    zero *s = (zero *)b;
    combine(b, c, x);
    divide(s, x);
    apply(b, x, s->rest);
    for (int i = 0; i < b->m; i++)
        s->rest[i] = c[i] - s->rest[i];
    combine(b, s->rest, s->sweep);
    divide(s, s->sweep);
    tn_axpy(b->nv, 1.0, s->sweep, x);
}

static void basis_zero_multipliers(tn_basis *b, const double *r, double *y)
{
    zero *s = (zero *)b;
    tn_copy(b->nv, r, s->rest);
    divide(s, s->rest);
    apply(b, s->rest, y);
    combine(b, y, s->sweep);
    for (int i = 0; i < b->nv; i++)
        s->sweep[i] = r[i] - s->sweep[i];
    divide(s, s->sweep);
    apply(b, s->sweep, s->rest);
    tn_axpy(b->m, 1.0, s->rest, y);
}

// The same theorem on the other side: A^T A y = 0.
static void kernel(tn_basis *b, double *Z)
{
    zero *s = (zero *)b;
    const int m = b->m;
    for (int j = 0; j < m; j++)
        apply(b, tn_column_of(b->A, b->nv, j), tn_column_of(s->small, m, j));
    if (find_eigenvectors(b, m, s->small, s->w) == TN_OK)
        tn_copy(m * (m - b->rank), s->small, Z);
    else
        tn_zero(m * (m - b->rank), Z);
}

const tn_basis_ops tn_basis_zero_eigenvalue = {
    .name = "zero-eigenvalue",
    .size = sizeof(zero),
    .layout = layout_basis_zero,
    .form = form_basis_zero,
    .particular = basis_zero_particular,
    .multipliers = basis_zero_multipliers,
    .kernel = kernel,
};
