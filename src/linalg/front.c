// SPDX-License-Identifier: MIT
//
// Real fronts; see front.h. Right-looking, by columns: pivot column j is divided by the pivot, and
// a multiple of it goes to each later column that has an entry in pivot row j. Strips of four rows
// begin before row j + 1 where that is not the first of one; the multipliers there are zeros of a
// copy, `l`.

#include "linalg/front_parts.h"

// Columns from `first` to `end` of a, each ld after the one before, minus the multiple of l that
// their entry in row j asks for: n rows from row `top`. Inlined for fixed n.
static inline __attribute__((always_inline)) void update(int n, double *a, int ld, int first,
                                                         int end, int j, int top, const double *l)
{
    for (int k = first; k < end; k++) {
        double *column = a + (long)k * ld;
        const double s = column[j];
        if (s != 0.0)
            for (int i = top; i < top + n; i += 2)
                *front_at(column + i) -= s * front_load(l + i);
    }
}

static void update_columns(double *a, int ld, int end, int j, front_span span, const double *l)
{
    const int top = span.top;
    switch (span.count) {
    case 0:
        return;
    case 4:
        update(4, a, ld, j + 1, end, j, top, l);
        return;
    case 8:
        update(8, a, ld, j + 1, end, j, top, l);
        return;
    case 12:
        update(12, a, ld, j + 1, end, j, top, l);
        return;
    case 16:
        update(16, a, ld, j + 1, end, j, top, l);
        return;
    case 20:
        update(20, a, ld, j + 1, end, j, top, l);
        return;
    default:
        update(span.count, a, ld, j + 1, end, j, top, l);
    }
}

// Divides column j below the pivot, into l as well; zeros there above.
static void divide_front(double *column, int ld, int j, double inverse, double *restrict l)
{
    const int first = front_strip(j + 1);
    if (first == ld)
        return;
    for (int i = j + 1; i < first + SIDE; i++)
        column[i] *= inverse;
    for (int i = first; i < first + SIDE; i++)
        l[i] = i <= j ? 0.0 : column[i];
    for (int i = first + SIDE; i < ld; i += 2)
        *front_at(l + i) = *front_at(column + i) *= inverse;
}

// The sum of squares of l from row `first` to `end`.
static double front_squares(const double *l, int first, int end)
{
    front_pair sum = {0.0, 0.0};
    for (int i = first; i < end; i += 2)
        sum += front_load(l + i) * front_load(l + i);
    return sum[0] + sum[1];
}

static bool factor_front(const tn_front *f, double *a, tn_pivots *seen)
{
    double l[TN_FRONT_MOST], growth = 0.0;
    const int ld = tn_front_ld(f), end = SIDE * f->nb + f->nc;
    for (int j = 0; j < f->n; j++) {
        if (!front_pivot(f, 1, a, j, seen))
            return false;
        double *column = a + (long)j * ld;
        column[j] = 1.0 / column[j];
        divide_front(column, ld, j, column[j], l);
        const front_span span = front_trim(l, front_strip(j + 1), ld);
        growth += front_squares(l, SIDE * f->nb, span.top + span.count);
        update_columns(a, ld, end, j, span, l);
    }
    seen->growth = fmax(seen->growth, sqrt(growth));
    return true;
}

// Packing -----------------------------------------------------------------------------------------

// Copies block (i, g) of the room, if there is anything in it.
static bool front_pack(const double *a, int ld, int i, int g, double **to)
{
    const double *from = a + (long)SIDE * g * ld + SIDE * i;
    front_pair lo = {0.0, 0.0}, hi = lo; // sums of squares
    for (int c = 0; c < SIDE; c++) {
        const front_pair a0 = front_load(from + c * ld), a1 = front_load(from + c * ld + 2);
        *front_at(*to + SIDE * c) = a0;
        *front_at(*to + SIDE * c + 2) = a1;
        lo += a0 * a0;
        hi += a1 * a1;
    }
    lo += hi;
    const bool any = lo[0] + lo[1] != 0.0;
    *to += any ? 16 : 0;
    return any;
}

static void pack_lower_inverse(const double *block, int ld, double *x)
{
    for (int c = 0; c < SIDE; c++) {
        for (int r = 0; r < SIDE; r++)
            x[SIDE * c + r] = r == c ? 1.0 : 0.0;
        for (int r = c + 1; r < SIDE; r++)
            for (int k = c; k < r; k++)
                x[SIDE * c + r] -= block[k * ld + r] * x[SIDE * c + k];
    }
}

// The diagonal holds reciprocals.
static void pack_upper_inverse(const double *block, int ld, double *x)
{
    for (int c = 0; c < SIDE; c++) {
        for (int r = 0; r < SIDE; r++)
            x[SIDE * c + r] = r == c ? block[c * ld + c] : 0.0;
        for (int r = c - 1; r >= 0; r--) {
            double sum = 0.0;
            for (int k = r + 1; k <= c; k++)
                sum += block[k * ld + r] * x[SIDE * c + k];
            x[SIDE * c + r] = -block[r * ld + r] * sum;
        }
    }
}

static void pack_lower(const tn_front *f, const double *a)
{
    const int ld = tn_front_ld(f);
    double *to = f->lower;
    for (int g = 0; g < f->nb; g++) {
        pack_lower_inverse(a + (long)SIDE * g * (ld + 1), ld, to);
        to += 16;
        unsigned mask = 0;
        for (int i = g + 1; i < f->nb + f->rb; i++)
            mask |= (unsigned)front_pack(a, ld, i, g, &to) << i;
        f->mask[g] = (unsigned short)mask;
    }
}

static void pack_upper(const tn_front *f, const double *a)
{
    const int ld = tn_front_ld(f), nb = f->nb;
    double *to = f->upper;
    for (int g = nb + f->cb - 1; g >= 0; g--) {
        unsigned mask = 0;
        if (g < nb) {
            pack_upper_inverse(a + (long)SIDE * g * (ld + 1), ld, to);
            to += 16;
        }
        for (int i = 0; i < g && i < nb; i++)
            mask |= (unsigned)front_pack(a, ld, i, g, &to) << i;
        f->mask[nb + g] = (unsigned short)mask;
    }
}

static void keep_schur(const tn_front *f, const double *a)
{
    const int ld = tn_front_ld(f), rows = SIDE * f->rb;
    for (int j = 0; j < f->nc; j++)
        for (int i = 0; i < rows; i++)
            f->schur[j * rows + i] = a[(long)(SIDE * f->nb + j) * ld + SIDE * f->nb + i];
}

static bool eliminate_front(const tn_front *f, double *a, tn_pivots *seen)
{
    if (!factor_front(f, a, seen))
        return false;
    pack_lower(f, a);
    pack_upper(f, a);
    keep_schur(f, a);
    return true;
}

// Solution ----------------------------------------------------------------------------------------

typedef struct {
    front_pair lo, hi;
} strip;

static inline strip load_front(const double *x)
{
    return (strip){front_load(x), front_load(x + 2)};
}

static inline void store_front(double *to, strip x)
{
    *front_at(to) = x.lo;
    *front_at(to + 2) = x.hi;
}

// B x for a block B, in sums that do not wait for each other.
static inline strip front_product(const double *B, strip x)
{
    strip s = {front_load(B) * x.lo[0], front_load(B + 2) * x.lo[0]};
    strip t = {front_load(B + 8) * x.hi[0], front_load(B + 10) * x.hi[0]};
    s.lo += front_load(B + 4) * x.lo[1];
    s.hi += front_load(B + 6) * x.lo[1];
    t.lo += front_load(B + 12) * x.hi[1];
    t.hi += front_load(B + 14) * x.hi[1];
    return (strip){s.lo + t.lo, s.hi + t.hi};
}

// Subtracts the products of the block rows in the mask, whose blocks begin at B; returns their end.
static inline const double *subtract_products(unsigned mask, const double *B, strip x, double *y)
{
    for (; mask; mask &= mask - 1, B += 16) {
        double *to = y + SIDE * __builtin_ctz(mask);
        const strip t = front_product(B, x);
        *front_at(to) -= t.lo;
        *front_at(to + 2) -= t.hi;
    }
    return B;
}

static void front_forward(const tn_front *f, double *y, double *z, int plane)
{
    (void)plane;
    const double *B = f->lower;
    for (int g = 0; g < f->nb; g++) {
        const strip x = front_product(B, load_front(y + SIDE * g));
        store_front(z + SIDE * g, x);
        B = subtract_products(f->mask[g], B + 16, x, y);
    }
}

static void front_backward(const tn_front *f, const double *border, double *x, int plane)
{
    (void)plane;
    const double *B = f->upper;
    const unsigned short *mask = f->mask + f->nb;
    for (int g = f->cb - 1; g >= 0; g--)
        B = subtract_products(mask[f->nb + g], B, load_front(border + SIDE * g), x);
    for (int g = f->nb - 1; g >= 0; g--) {
        const strip own = front_product(B, load_front(x + SIDE * g));
        store_front(x + SIDE * g, own);
        B = subtract_products(mask[g], B + 16, own, x);
    }
}

const tn_front_ops tn_front_real = {
    .parts = 1, .eliminate = eliminate_front, .forward = front_forward, .backward = front_backward};
