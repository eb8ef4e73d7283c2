// SPDX-License-Identifier: MIT
//
// Elimination in one dense front; see front.h. Right-looking, by columns: pivot column j is divided
// by the pivot, and a multiple of it goes to each later column that has an entry in pivot row j.
// Strips begin before row j + 1 where that is not the first of one; the multipliers there are zeros
// of a copy, `l`.

#include "linalg/front.h"

#include <math.h>

static const double PREFER_DIAGONAL = 0.1; // as in solver_klu.c

enum { STRIP = TN_FRONT_STRIP, MOST = TN_FRONT_MOST };

static int strip_before(int i)
{
    return i / STRIP * STRIP;
}

// y -= s x from row `first` to `end`, both multiples of a strip.
static inline void subtract(int first, int end, double s, const double *restrict x,
                            double *restrict y)
{
    for (int i = first; i < end; i += STRIP)
        for (int k = 0; k < STRIP; k++)
            y[i + k] -= s * x[i + k];
}

// The same for complex numbers; imaginary parts are `dx` and `dy` doubles behind the real ones.
static inline void subtract_complex(int first, int end, double re, double im,
                                    const double *restrict x, int dx, double *restrict y, int dy)
{
    for (int i = first; i < end; i += STRIP)
        for (int k = 0; k < STRIP; k++) {
            const double a = x[i + k], b = x[i + k + dx];
            y[i + k] -= re * a - im * b;
            y[i + k + dy] -= re * b + im * a;
        }
}

static double *column_of(const tn_front *f, int parts, int j)
{
    return f->a + (long)parts * j * f->ld;
}

static void swap_rows(const tn_front *f, int parts, int i, int k)
{
    const int count = parts * (f->n + f->nc);
    for (int j = 0; j < count; j++) {
        double *column = f->a + (long)j * f->ld;
        const double kept = column[i];
        column[i] = column[k];
        column[k] = kept;
    }
    const int kept = f->order[i];
    f->order[i] = f->order[k];
    f->order[k] = kept;
}

static double size(const double *column, int parts, int ld, int i)
{
    return parts == 1 ? fabs(column[i]) : fabs(column[i]) + fabs(column[i + ld]);
}

static int choose_pivot(const tn_front *f, int parts, int j)
{
    const double *column = column_of(f, parts, j);
    const double diagonal = size(column, parts, f->ld, j);
    double largest = diagonal;
    int at = j;
    for (int i = j + 1; i < f->n; i++) {
        const double here = size(column, parts, f->ld, i);
        if (here > largest) {
            largest = here;
            at = i;
        }
    }
    return diagonal >= PREFER_DIAGONAL * largest ? j : at;
}

// Brings the pivot of column j to the diagonal. False where there is none.
static bool bring_pivot(const tn_front *f, int parts, int j, tn_pivots *seen)
{
    const int at = choose_pivot(f, parts, j);
    const double pivot = size(column_of(f, parts, j), parts, f->ld, at);
    if (!(pivot > 0.0 && pivot < INFINITY))
        return false;
    if (at != j)
        swap_rows(f, parts, j, at);
    seen->smallest = pivot < seen->smallest ? pivot : seen->smallest;
    seen->largest = pivot > seen->largest ? pivot : seen->largest;
    return true;
}

static void note_growth(const tn_front *f, const double *l, tn_pivots *seen)
{
    for (int i = f->n; i < f->n + f->nr; i++)
        seen->growth = fabs(l[i]) > seen->growth ? fabs(l[i]) : seen->growth;
}

// Strips at the end in which all multipliers are zero: the parent's rows have no entry in the
// columns of velocities, for one.
static int trim(const double *l, int first, int end)
{
    while (end > first && l[end - 1] == 0.0 && l[end - 2] == 0.0 && l[end - 3] == 0.0 &&
           l[end - 4] == 0.0)
        end -= STRIP;
    return end;
}

static bool eliminate(const tn_front *f, tn_pivots *seen)
{
    double l[MOST];
    const int ld = f->ld;
    for (int j = 0; j < f->n; j++) {
        if (!bring_pivot(f, 1, j, seen))
            return false;
        double *column = f->a + (long)j * ld;
        column[j] = 1.0 / column[j];
        const int first = strip_before(j + 1);
        for (int i = first; i <= j; i++)
            l[i] = 0.0;
        for (int i = j + 1; i < ld; i++)
            l[i] = column[i] *= column[j];
        note_growth(f, l, seen);
        const int end = trim(l, first, ld);
        for (int k = j + 1; k < f->n + f->nc; k++) {
            double *to = f->a + (long)k * ld;
            if (to[j] != 0.0)
                subtract(first, end, to[j], l, to);
        }
    }
    return true;
}

static void forward(const tn_front *f, double *restrict y, double *restrict z)
{
    for (int j = 0; j < f->n; j++) {
        z[j] = y[j]; // what the strip changes above row j + 1 is not used any more
        subtract(strip_before(j + 1), f->ld, z[j], f->a + (long)j * f->ld, y);
    }
}

static void backward(const tn_front *f, double *restrict y, const double *restrict border,
                     double *restrict x)
{
    const int end = strip_before(f->n + STRIP - 1);
    for (int j = 0; j < f->nc; j++)
        subtract(0, end, border[j], f->a + (long)(f->n + j) * f->ld, y);
    for (int j = f->n - 1; j >= 0; j--) {
        const double *column = f->a + (long)j * f->ld;
        x[j] = y[j] * column[j];
        subtract(0, strip_before(j + STRIP - 1), x[j], column, y);
    }
}

const tn_front_ops tn_front_real = {
    .parts = 1, .eliminate = eliminate, .forward = forward, .backward = backward};

// Complex values ----------------------------------------------------------------------------------

static void invert_complex(double *re, double *im)
{
    const double s = 1.0 / (*re * *re + *im * *im); // the matrix is scaled: no overflow
    *re *= s;
    *im *= -s;
}

static bool eliminate_complex(const tn_front *f, tn_pivots *seen)
{
    double l[2 * MOST];
    const int ld = f->ld;
    for (int j = 0; j < f->n; j++) {
        if (!bring_pivot(f, 2, j, seen))
            return false;
        double *column = column_of(f, 2, j), *imaginary = column + ld;
        invert_complex(&column[j], &imaginary[j]);
        const double re = column[j], im = imaginary[j];
        const int first = strip_before(j + 1);
        for (int i = first; i <= j; i++)
            l[i] = l[MOST + i] = 0.0;
        for (int i = j + 1; i < ld; i++) {
            const double a = column[i], b = imaginary[i];
            l[i] = column[i] = a * re - b * im;
            l[MOST + i] = imaginary[i] = a * im + b * re;
        }
        note_growth(f, l, seen);
        note_growth(f, l + MOST, seen);
        const int end_re = trim(l, first, ld), end_im = trim(l + MOST, first, ld);
        const int end = end_re > end_im ? end_re : end_im;
        for (int k = j + 1; k < f->n + f->nc; k++) {
            double *to = column_of(f, 2, k);
            if (to[j] != 0.0 || to[j + ld] != 0.0)
                subtract_complex(first, end, to[j], to[j + ld], l, MOST, to, ld);
        }
    }
    return true;
}

static void forward_complex(const tn_front *f, double *restrict y, double *restrict z)
{
    for (int j = 0; j < f->n; j++) {
        z[j] = y[j];
        z[f->n + j] = y[MOST + j];
        subtract_complex(strip_before(j + 1), f->ld, z[j], z[f->n + j], column_of(f, 2, j), f->ld,
                         y, MOST);
    }
}

static void backward_complex(const tn_front *f, double *restrict y, const double *restrict border,
                             double *restrict x)
{
    const int end = strip_before(f->n + STRIP - 1), ld = f->ld;
    for (int j = 0; j < f->nc; j++)
        subtract_complex(0, end, border[j], border[MOST + j], column_of(f, 2, f->n + j), ld, y,
                         MOST);
    for (int j = f->n - 1; j >= 0; j--) {
        const double *column = column_of(f, 2, j);
        x[j] = y[j] * column[j] - y[MOST + j] * column[ld + j];
        x[f->n + j] = y[j] * column[ld + j] + y[MOST + j] * column[j];
        subtract_complex(0, strip_before(j + STRIP - 1), x[j], x[f->n + j], column, ld, y, MOST);
    }
}

const tn_front_ops tn_front_complex = {.parts = 2,
                                       .eliminate = eliminate_complex,
                                       .forward = forward_complex,
                                       .backward = backward_complex};
