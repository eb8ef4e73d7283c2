// SPDX-License-Identifier: MIT
//
// Null space by partitioning the velocities into dependent and independent ones [LB08, 4.1; Wehage
// and Haug 1982]. Gaussian elimination with pivots from the whole of C chooses which, and which
// rows are independent; with these,
//
//   C_D v_D + C_I v_I = 0        Gamma = ( -C_D^-1 C_I )   E = ( 0  I )
//                                        (      I      )
//
//   C x = c:  x_D = C_D^-1 c,  x_I = 0                C^T y = r:  C_D^T y = r_D
//
// The partition is kept while it is good, and chosen anew where an entry of Gamma has become large
// or a pivot of C_D small: a choice made once goes singular somewhere along a motion. That makes it
// the fastest way by far, and the one that "auto" takes.

#include "linalg/dense.h"
#include "motion/basis_parts.h"

#include <math.h>

static const double LARGE = 5.0;  // an entry of Gamma; pivots from all of C leave about one
static const double SMALL = 1e-4; // a pivot of C_D: the rank has to be seen again

typedef struct lu {
    tn_basis base;
    double *G;     // nv m, under elimination
    double *first; // rows: pivots
    int *row;      // rows: rows of the active ones, independent ones first
    int *column;   // nv: velocities, dependent ones first
    double *CD;    // rank rank, factored
    int *pivot;    // rows
    double *right; // rank nf
    int kept;      // rank of the partition that is kept, -1: none
} lu;

static void layout_basis_lu(tn_basis *b, tn_carve *mem)
{
    lu *s = (lu *)b;
    const int nv = b->nv, rows = b->rows, most = nv < rows ? nv : rows;
    TN_CARVE_DOUBLES(mem, nv * rows, &s->G);
    TN_CARVE_DOUBLES(mem, rows, &s->first);
    TN_CARVE_CHOICES(mem, 0, rows - 1, rows, &s->row);
    TN_CARVE_CHOICES(mem, 0, nv - 1, nv, &s->column);
    TN_CARVE_DOUBLES(mem, most * most, &s->CD);
    TN_CARVE_CHOICES(mem, 1, most, most, &s->pivot);
    TN_CARVE_DOUBLES(mem, most * nv, &s->right);
}

static void basis_lu_plan(tn_basis *b, const int *active)
{
    ((lu *)b)->kept = -1;
}

static void basis_lu_values(tn_basis *b, tn_values *v)
{
    TN_VALUES_INT(v, -1, tn_smaller(b->m, b->nv), 1, &((lu *)b)->kept);
}

static void basis_lu_swap(int *order, int i, int k)
{
    const int kept = order[i];
    order[i] = order[k];
    order[k] = kept;
}

// Largest entry left, at places (i, j) of the orders of rows and columns.
static double find_pivot(const lu *s, int step, int *i_max, int *j_max)
{
    TN_ASSERT(step < s->base.m && step < s->base.nv);
    const tn_basis *b = &s->base;
    double largest = -1.0;
    for (int i = step; i < b->m; i++) {
        const double *row = tn_column_of(s->G, b->nv, s->row[i]);
        for (int j = step; j < b->nv; j++)
            if (fabs(row[s->column[j]]) > largest) {
                largest = fabs(row[s->column[j]]);
                *i_max = i;
                *j_max = j;
            }
    }
    return largest;
}

static void eliminate_basis_lu(lu *s, int step)
{
    TN_ASSERT(step < s->base.m);
    const tn_basis *b = &s->base;
    const double *from = tn_column_of(s->G, b->nv, s->row[step]);
    for (int i = step + 1; i < b->m; i++) {
        double *row = tn_column_of(s->G, b->nv, s->row[i]);
        const double factor = row[s->column[step]] / from[s->column[step]];
        if (factor != 0.0)
            for (int j = step; j < b->nv; j++)
                row[s->column[j]] -= factor * from[s->column[j]];
    }
}

static void choose_partition(lu *s)
{
    tn_basis *b = &s->base;
    const int most = b->nv < b->m ? b->nv : b->m;
    int pivots = 0;
    tn_copy(b->nv * b->m, b->A, s->G);
    for (int i = 0; i < b->m; i++)
        s->row[i] = i;
    for (int j = 0; j < b->nv; j++)
        s->column[j] = j;
    for (; pivots < most; pivots++) {
        int i = pivots, j = pivots;
        s->first[pivots] = find_pivot(s, pivots, &i, &j);
        if (!(s->first[pivots] > 0.0))
            break;
        basis_lu_swap(s->row, pivots, i);
        basis_lu_swap(s->column, pivots, j);
        eliminate_basis_lu(s, pivots);
    }
    s->kept = tn_basis_count(b, 1.0, pivots, s->first, 1);
    if (pivots < most)
        tn_system_note_rcond(b->sys, 0.0);
}

static double smallest_pivot(const lu *s)
{
    double least = 1.0;
    for (int k = 0; k < s->kept; k++)
        least = fmin(least, fabs(tn_column_of(s->CD, s->kept, k)[k]));
    return least;
}

// Gamma for the partition; false where it is poor.
static bool use_partition(lu *s)
{
    TN_ASSERT(s->kept >= 0 && s->kept <= s->base.m && s->kept <= s->base.nv);
    tn_basis *b = &s->base;
    const int nv = b->nv, r = s->kept, nf = nv - r;
    b->rank = r;
    b->nf = nf;
    for (int i = 0; i < b->m; i++)
        b->independent[s->row[i]] = i < r;
    for (int i = 0; i < r; i++) {
        const double *row = tn_column_of(b->A, nv, s->row[i]);
        for (int j = 0; j < r; j++)
            tn_column_of(s->CD, r, j)[i] = row[s->column[j]];
        for (int j = 0; j < nf; j++)
            tn_column_of(s->right, r, j)[i] = -row[s->column[r + j]];
    }
    if (tn_lu_factor(r, s->CD, s->pivot) != TN_OK)
        return false;
    tn_system_note_rcond(b->sys, smallest_pivot(s) * smallest_pivot(s));
    for (int j = 0; j < nf; j++)
        tn_lu_solve(r, s->CD, s->pivot, tn_column_of(s->right, r, j));
    tn_zero(nv * nf, b->raw);
    for (int j = 0; j < nf; j++) {
        double *gamma = tn_column_of(b->raw, nv, j);
        for (int i = 0; i < r; i++)
            gamma[s->column[i]] = tn_column_of(s->right, r, j)[i];
        gamma[s->column[r + j]] = 1.0;
    }
    return tn_norm_inf(nv * nf, b->raw) <= LARGE && smallest_pivot(s) >= SMALL;
}

// If rows are left out, their dependence is found again each time.
static tn_status form_basis_lu(tn_basis *b, const tn_point *at)
{
    lu *s = (lu *)b;
    if (s->kept == b->m && use_partition(s))
        return TN_OK;
    choose_partition(s);
    use_partition(s);
    if (tn_all_finite(b->nv * b->nf, b->raw))
        return TN_OK;
    return tn_fail(TN_RETRY_SINGULAR, "the constraints leave no choice of velocities at t = %g s",
                   at->t);
}

static void basis_lu_particular(tn_basis *b, const double *c, double *x)
{
    lu *s = (lu *)b;
    TN_ASSERT(s->kept == b->rank);
    for (int i = 0; i < b->rank; i++)
        b->e[i] = c[s->row[i]];
    tn_lu_solve(b->rank, s->CD, s->pivot, b->e);
    for (int j = 0; j < b->nv; j++)
        x[s->column[j]] = j < b->rank ? b->e[j] : 0.0;
}

static void basis_lu_multipliers(tn_basis *b, const double *r, double *y)
{
    lu *s = (lu *)b;
    for (int j = 0; j < b->rank; j++)
        b->e[j] = r[s->column[j]];
    tn_lu_solve_t(b->rank, s->CD, s->pivot, b->e);
    for (int i = 0; i < b->m; i++)
        y[s->row[i]] = i < b->rank ? b->e[i] : 0.0;
}

static void complement(const tn_basis *b, double *Et)
{
    const lu *s = (const lu *)b;
    tn_zero(b->nv * b->nf, Et);
    for (int k = 0; k < b->nf; k++)
        tn_column_of(Et, b->nv, k)[s->column[b->rank + k]] = 1.0;
}

const tn_basis_ops tn_basis_lu = {
    .name = "lu",
    .size = sizeof(lu),
    .layout = layout_basis_lu,
    .plan = basis_lu_plan,
    .values = basis_lu_values,
    .form = form_basis_lu,
    .particular = basis_lu_particular,
    .multipliers = basis_lu_multipliers,
    .complement = complement,
};
