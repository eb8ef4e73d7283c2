// SPDX-License-Identifier: MIT
//
// Motions without inertia by the matrix of the acceleration level: the columns S themselves, and
// what the blocks of the system make of them. See massless.h.

#include "linalg/dense.h"
#include "motion/accel.h"
#include "motion/massless.h"

#include <math.h>

// Inertia of S, relative to that of its parts: above it M S = 0 no longer holds. Off the
// constraints by drift it does not hold exactly.
static const double INERTIA_TOL = 1e-6;
// Largest entry of S with E^T S = 1 before other coordinates are taken.
static const double POOR = 30.0;

void tn_massless_fill(tn_massless *ml, const int *diagonal, double *val)
{
    const tn_sparse *M = ml->sys->block[TN_BLOCK_M];
    const double largest = tn_norm_inf(M->nnz, M->val);
    ml->weight = largest > 0.0 ? largest : 1.0;
    for (int k = 0; k < ml->m; k++)
        val[diagonal[ml->coordinate[k]]] += ml->weight;
}

// The coordinates that elimination with row pivoting chooses: entries of S are small in them.
static void choose_coordinates(tn_massless *ml)
{
    const int nv = ml->sys->nv;
    tn_copy(nv * ml->m, ml->S, ml->W);
    for (int k = 0; k < ml->m; k++) {
        double *w = tn_column_of(ml->W, ml->sys->nv, k);
        const int best = tn_largest_at(nv, w);
        ml->coordinate[k] = best;
        for (int j = k + 1; j < ml->m && w[best] != 0.0; j++) {
            double *next = tn_column_of(ml->W, ml->sys->nv, j);
            tn_axpy(nv, -next[best] / w[best], w, next);
            next[best] = 0.0;
        }
    }
}

// Largest s^T M s of a motion s, relative to the inertia of its parts; *most is that motion.
static double inertia_left(tn_massless *ml, int *most)
{
    const tn_sparse *M = ml->sys->block[TN_BLOCK_M];
    double largest = 0.0;
    *most = 0;
    for (int k = 0; k < ml->m; k++) {
        const double *s = tn_column_of(ml->S, ml->sys->nv, k);
        double parts = ml->weight;
        tn_zero(ml->sys->nv, ml->y);
        tn_sparse_mul(M, 1.0, s, ml->y);
        for (int i = 0; i < ml->sys->nv; i++)
            parts = fmax(parts, s[i] * s[i] * tn_sparse_at(M, i, i));
        const double left = tn_dot(ml->sys->nv, s, ml->y) / parts;
        *most = left > largest ? k : *most;
        largest = fmax(largest, left);
    }
    return largest;
}

// Fails if a motion that had no inertia at the start has some now.
static tn_status check_inertia(tn_massless *ml)
{
    int most;
    char text[480];
    const double left = inertia_left(ml, &most);
    if (!ml->spanned)
        ml->inertia = left;
    ml->spanned = true;
    if (left <= INERTIA_TOL + 10.0 * ml->inertia)
        return TN_OK;
    tn_motion_text(ml->sys, tn_column_of(ml->S, ml->sys->nv, most), text, sizeof text);
    return tn_fail(TN_RETRY_FUNCTION,
                   "%s had no inertia at the start and has some at t = %.6g s: the number of "
                   "motions without inertia changes there, which is not solved; give the bodies of "
                   "zero mass a little",
                   text, ml->sys->t);
}

tn_status tn_massless_span(tn_massless *ml, struct tn_accel *acc, bool *poor)
{
    const int nv = ml->sys->nv, rows = ml->sys->ng + ml->sys->nn;
    double *none = ml->zeros;
    *poor = false;
    for (int k = 0; k < ml->m; k++) {
        double *s = tn_column_of(ml->S, ml->sys->nv, k);
        tn_zero(nv, s);
        s[ml->coordinate[k]] = ml->weight;
        TN_TRY(tn_accel_resolve(acc, s, none));
        tn_zero(rows, none);
    }
    if (!(tn_norm_inf(nv * ml->m, ml->S) <= POOR)) {
        choose_coordinates(ml);
        *poor = true;
        return TN_OK;
    }
    return check_inertia(ml);
}

// The table ---------------------------------------------------------------------------------------

static void reduce_massless_matrix(void *self, const double *x, double *out)
{
    const tn_massless *ml = self;
    tn_inner(ml->sys->nv, ml->m, ml->S, 1, x, out);
}

static void expand_massless_matrix(void *self, double scale, const double *z, double *x)
{
    const tn_massless *ml = self;
    for (int k = 0; k < ml->m; k++)
        if (z[k] != 0.0)
            tn_axpy(ml->sys->nv, scale * z[k], tn_column_of(ml->S, ml->sys->nv, k), x);
}

static void remove_massless_matrix(void *self, double *x)
{
    const tn_massless *ml = self;
    for (int k = 0; k < ml->m; k++)
        ml->z[k] = x[ml->coordinate[k]];
    tn_add_columns(ml->sys->nv, ml->m, -1.0, ml->S, ml->z, x);
}

static tn_status force_massless_matrix(void *self, const tn_point *at, unsigned want, double *out)
{
    tn_massless *ml = self;
    TN_TRY(tn_system_eval(ml->sys, at, want));
    reduce_massless_matrix(ml, ml->sys->f, out);
    return TN_OK;
}

static tn_status residual_massless_matrix(void *self, const tn_point *at, double *out)
{
    tn_massless *ml = self;
    tn_system *sys = ml->sys;
    TN_TRY(tn_system_eval(sys, at, tn_system_residual_parts(sys)));
    tn_system_residual(sys, at, ml->y);
    reduce_massless_matrix(ml, ml->y, out);
    return TN_OK;
}

static tn_status band_massless_matrix(void *self, const tn_point *at, int *band)
{
    *band = ((const tn_massless *)self)->m - 1; // any motion may be coupled with any other
    return TN_OK;
}

// With blocks as last evaluated.
static void tangent_massless_matrix(void *self, const tn_point *at, int which, int band,
                                    double *out, double *size)
{
    tn_massless *ml = self;
    const tn_sparse *X = ml->sys->block[which == 0 ? TN_BLOCK_K : TN_BLOCK_D];
    *size = X ? tn_norm_inf(X->nnz, X->val) : 0.0;
    tn_zero(tn_band_size(ml->m, band), out);
    for (int k = 0; X && k < ml->m; k++) {
        tn_zero(ml->sys->nv, ml->y);
        tn_sparse_mul(X, 1.0, tn_column_of(ml->S, ml->sys->nv, k), ml->y);
        reduce_massless_matrix(ml, ml->y, out + tn_band_at(band, 0, k));
    }
}

// All that the blocks K and D depend on.
enum {
    TANGENTS =
        TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_EXTRA | TN_EVAL_TANGENT
};

static tn_status rate_massless_matrix(void *self, const tn_point *at, double *out)
{
    tn_massless *ml = self;
    tn_system *sys = ml->sys;
    const tn_sparse *K = sys->block[TN_BLOCK_K], *D = sys->block[TN_BLOCK_D];
    const tn_sparse *FE = sys->block[TN_BLOCK_FE];
    TN_TRY(tn_system_eval(sys, at, TANGENTS | TN_EVAL_GAMMA));
    tn_zero(sys->nv, ml->y);
    tn_sparse_mul(K, 1.0, at->v, ml->y);
    tn_sparse_mul(D, 1.0, at->a, ml->y);
    if (FE && sys->nc > 0) // c' = d; there are no w and s (start.c)
        tn_sparse_mul(FE, 1.0, sys->extra, ml->y);
    reduce_massless_matrix(ml, ml->y, out);
    return TN_OK;
}

const tn_motion_ops tn_motions_by_matrix = {
    .tangents = TANGENTS,
    .reduce = reduce_massless_matrix,
    .expand = expand_massless_matrix,
    .remove = remove_massless_matrix,
    .force = force_massless_matrix,
    .residual = residual_massless_matrix,
    .band = band_massless_matrix,
    .tangent = tangent_massless_matrix,
    .rate = rate_massless_matrix,
};
