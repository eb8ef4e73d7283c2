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
//   A^T x = c:  x = V_D R1^-T c_1                 A y = r:  y_1 = R1^-1 V_D^T r,  y_2 = 0
//
// Rows are taken in the order of what the others leave of them, which reveals the rank; every
// vector is orthogonalised twice, which leaves nothing but round-off.

#include "linalg/dense.h"
#include "motion/basis_parts.h"

#include <lapacke.h>
#include <math.h>

static const double LOST = 0.1; // what must be left of a direction of the last time

typedef struct gram_schmidt {
    tn_basis base;
    double *W;    // nv m: what is left of the rows; the first rank columns are V_D
    double *R;    // nv m
    double *left; // rows: pivots
    int *order;   // rows
    double *last; // nv last_count: D
    int last_count;
} gram_schmidt;

static void layout_basis_gram_schmidt(tn_basis *b, tn_carve *mem)
{
    gram_schmidt *s = (gram_schmidt *)b;
    TN_CARVE_DOUBLES(mem, b->nv * b->rows, &s->W, &s->R);
    TN_CARVE_DOUBLES(mem, b->rows, &s->left);
    TN_CARVE_CHOICES(mem, 0, b->rows - 1, b->rows, &s->order);
    TN_CARVE_DOUBLES(mem, b->nv * b->nv, &s->last);
}

static void basis_gram_schmidt_values(tn_basis *b, tn_values *v)
{
    TN_VALUES_INT(v, 0, b->nv, 1, &((gram_schmidt *)b)->last_count);
}

// w less its parts along n orthonormal columns, which are added to `part` where it is given.
static void orthogonalise(int nv, int n, double *V, double *w, double *part)
{
    for (int k = 0; k < n; k++) {
        const double along = tn_dot(nv, tn_column_of(V, nv, k), w);
        tn_axpy(nv, -along, tn_column_of(V, nv, k), w);
        if (part)
            part[k] += along;
    }
}

static int largest_left(const tn_basis *b, double *W, int step)
{
    int best = step;
    double most = -1.0;
    for (int j = step; j < b->m; j++) {
        const double size = tn_norm2(b->nv, tn_column_of(W, b->nv, j));
        if (size > most) {
            most = size;
            best = j;
        }
    }
    return best;
}

static void swap_columns(gram_schmidt *s, int i, int j)
{
    TN_ASSERT(i < s->base.m && j < s->base.m);
    const int nv = s->base.nv, kept = s->order[i];
    double *const pairs[2] = {s->W, s->R};
    s->order[i] = s->order[j];
    s->order[j] = kept;
    for (int p = 0; p < 2 && i != j; p++)
        for (int k = 0; k < nv; k++) {
            double *x = tn_column_of(pairs[p], nv, i) + k, *y = tn_column_of(pairs[p], nv, j) + k;
            const double value = *x;
            *x = *y;
            *y = value;
        }
}

// A P = V_D R; returns how many columns were made.
static int orthonormal_rows(gram_schmidt *s)
{
    tn_basis *b = &s->base;
    const int nv = b->nv, most = nv < b->m ? nv : b->m;
    tn_copy(nv * b->m, b->A, s->W);
    tn_zero(nv * b->m, s->R);
    for (int j = 0; j < b->m; j++)
        s->order[j] = j;
    for (int step = 0; step < most; step++) {
        swap_columns(s, step, largest_left(b, s->W, step));
        double *w = tn_column_of(s->W, nv, step), *r = tn_column_of(s->R, nv, step);
        orthogonalise(nv, step, s->W, w, r);
        s->left[step] = r[step] = tn_norm2(nv, w);
        if (!(r[step] > 0.0))
            return step;
        tn_scale(nv, 1.0 / r[step], w);
        for (int j = step + 1; j < b->m; j++)
            orthogonalise(nv, 1, w, tn_column_of(s->W, nv, j), tn_column_of(s->R, nv, j) + step);
    }
    return most;
}

// Puts v, less its parts along V_D and the directions before, at place k. Returns how much of its
// length was left.
static double add_direction(gram_schmidt *s, int k, const double *v)
{
    TN_ASSERT(k >= 0 && k < s->base.nf);
    tn_basis *b = &s->base;
    double *w = tn_column_of(b->raw, b->nv, k), left = 1.0;
    tn_copy(b->nv, v, w);
    for (int pass = 0; pass < 2; pass++) {
        orthogonalise(b->nv, b->rank, s->W, w, NULL);
        orthogonalise(b->nv, k, b->raw, w, NULL);
        const double size = tn_norm2(b->nv, w);
        if (!(size > 0.0))
            return 0.0;
        tn_scale(b->nv, 1.0 / size, w);
        left *= size;
    }
    return left;
}

// The unit vector farthest from the span of V_D and k directions.
static void unit_direction(gram_schmidt *s, int k, double *v)
{
    const tn_basis *b = &s->base;
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < b->nv; i++) {
        double inside = 0.0;
        for (int j = 0; j < b->rank; j++)
            inside += pow(tn_column_of(s->W, b->nv, j)[i], 2);
        for (int j = 0; j < k; j++)
            inside += pow(tn_column_of(b->raw, b->nv, j)[i], 2);
        if (inside < least) {
            least = inside;
            best = i;
        }
    }
    tn_zero(b->nv, v);
    v[best] = 1.0;
}

static void orthonormal_directions(gram_schmidt *s)
{
    tn_basis *b = &s->base;
    int k = 0;
    for (int j = 0; j < s->last_count && k < b->nf; j++)
        if (add_direction(s, k, tn_column_of(s->last, b->nv, j)) > LOST)
            k++;
    for (; k < b->nf; k++) {
        unit_direction(s, k, b->x);
        add_direction(s, k, b->x);
    }
}

static tn_status form_basis_gram_schmidt(tn_basis *b, const tn_point *at)
{
    gram_schmidt *s = (gram_schmidt *)b;
    const int made = orthonormal_rows(s);
    b->rank = tn_basis_count(b, 1.0, made, s->left, 1);
    b->nf = b->nv - b->rank;
    for (int j = 0; j < b->m; j++)
        b->independent[s->order[j]] = j < b->rank;
    orthonormal_directions(s);
    s->last_count = b->nf;
    tn_copy(b->nv * b->nf, b->raw, s->last);
    return TN_OK;
}

static void basis_gram_schmidt_particular(tn_basis *b, const double *c, double *x)
{
    gram_schmidt *s = (gram_schmidt *)b;
    for (int k = 0; k < b->rank; k++)
        b->e[k] = c[s->order[k]];
    tn_upper_solve(b->rank, b->nv, true, s->R, b->e);
    tn_zero(b->nv, x);
    for (int k = 0; k < b->rank; k++)
        tn_axpy(b->nv, b->e[k], tn_column_of(s->W, b->nv, k), x);
}

static void basis_gram_schmidt_multipliers(tn_basis *b, const double *r, double *y)
{
    gram_schmidt *s = (gram_schmidt *)b;
    for (int k = 0; k < b->rank; k++)
        b->e[k] = tn_dot(b->nv, tn_column_of(s->W, b->nv, k), r);
    tn_upper_solve(b->rank, b->nv, false, s->R, b->e);
    for (int k = 0; k < b->m; k++)
        y[s->order[k]] = k < b->rank ? b->e[k] : 0.0;
}

const tn_basis_ops tn_basis_gram_schmidt = {
    .name = "gram-schmidt",
    .size = sizeof(gram_schmidt),
    .layout = layout_basis_gram_schmidt,
    .values = basis_gram_schmidt_values,
    .form = form_basis_gram_schmidt,
    .particular = basis_gram_schmidt_particular,
    .multipliers = basis_gram_schmidt_multipliers,
};
