// SPDX-License-Identifier: MIT
//
// Null space by Gram-Schmidt orthonormalisation with directional continuity [LB08, 4.2; Liang and
// Lance 1987]: of (C^T  D) with D the directions of the last time,
//
//   (A P  D) = (V_D  V_I) ( R  * )        Gamma = V_I
//                         ( 0  * )
//
// V_I is D less its part along V_D, made orthonormal in order: as the diagonal of the lower right
// block is positive, no vector changes its sign, and the basis turns no more than the null space
// and the vectors before it do. Directions that are missing at first, or that a fast turn has lost,
// are unit vectors, each time the one farthest from the span of all others.
//
// V_D and R are those of basis_qr.c, and so are solutions. With N any orthonormal basis of the null
// space, what V_D leaves of x is N N^T x; that and the directions before are taken twice, which
// leaves nothing but round-off.

#include "linalg/dense.h"
#include "motion/basis_parts.h"

static const double LOST = 0.1; // what must be left of a direction of the last time

typedef struct gram_schmidt {
    tn_basis_by_qr rows;
    double *N;    // nv nf
    double *last; // nv last_count: D
    int last_count;
} gram_schmidt;

static void layout_basis_gram_schmidt(tn_basis *b, tn_carve *mem)
{
    gram_schmidt *s = (gram_schmidt *)b;
    tn_basis_qr_layout(b, mem);
    TN_CARVE_DOUBLES(mem, b->nv * b->nv, &s->N, &s->last);
}

static void basis_gram_schmidt_values(tn_basis *b, tn_values *v)
{
    TN_VALUES_INT(v, 0, b->nv, 1, &((gram_schmidt *)b)->last_count);
}

// Puts N N^T v, less its parts along the directions before, at place k. Returns how much of its
// length was left.
static double add_direction(gram_schmidt *s, int k, const double *v)
{
    tn_basis *b = &s->rows.base;
    TN_ASSERT(k >= 0 && k < b->nf);
    const int nv = b->nv;
    double *w = tn_column_of(b->raw, nv, k), left = 1.0;
    tn_copy(nv, v, w);
    for (int pass = 0; pass < 2; pass++) {
        tn_copy(nv, w, b->e);
        tn_zero(nv, w);
        for (int j = 0; j < b->nf; j++) {
            const double *n = tn_column_of(s->N, nv, j);
            tn_axpy(nv, tn_dot(nv, n, b->e), n, w);
        }
        for (int j = 0; j < k; j++) {
            const double *before = tn_column_of(b->raw, nv, j);
            tn_axpy(nv, -tn_dot(nv, before, w), before, w);
        }
        const double size = tn_norm2(nv, w);
        if (!(size > 0.0))
            return 0.0;
        tn_scale(nv, 1.0 / size, w);
        left *= size;
    }
    return left;
}

// The unit vector farthest from the span of V_D and k directions.
static void unit_direction(gram_schmidt *s, int k, double *v)
{
    const tn_basis *b = &s->rows.base;
    int best = 0;
    double most = -1.0;
    for (int i = 0; i < b->nv; i++) {
        double outside = 0.0;
        for (int j = 0; j < b->nf; j++)
            outside += tn_column_of(s->N, b->nv, j)[i] * tn_column_of(s->N, b->nv, j)[i];
        for (int j = 0; j < k; j++)
            outside -= tn_column_of(b->raw, b->nv, j)[i] * tn_column_of(b->raw, b->nv, j)[i];
        best = outside > most ? i : best;
        most = outside > most ? outside : most;
    }
    tn_zero(b->nv, v);
    v[best] = 1.0;
}

static tn_status form_basis_gram_schmidt(tn_basis *b, const tn_point *at)
{
    gram_schmidt *s = (gram_schmidt *)b;
    int k = 0;
    TN_TRY(tn_basis_qr_form(b, at));
    tn_copy(b->nv * b->nf, b->raw, s->N);
    for (int j = 0; j < s->last_count && k < b->nf; j++)
        k += add_direction(s, k, tn_column_of(s->last, b->nv, j)) > LOST;
    for (; k < b->nf; k++) {
        unit_direction(s, k, b->x);
        add_direction(s, k, b->x);
    }
    s->last_count = b->nf;
    tn_copy(b->nv * b->nf, b->raw, s->last);
    return TN_OK;
}

const tn_basis_ops tn_basis_gram_schmidt = {
    .name = "gram-schmidt",
    .size = sizeof(gram_schmidt),
    .layout = layout_basis_gram_schmidt,
    .values = basis_gram_schmidt_values,
    .form = form_basis_gram_schmidt,
    .particular = tn_basis_qr_particular,
    .multipliers = tn_basis_qr_multipliers,
};
