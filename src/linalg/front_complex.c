// SPDX-License-Identifier: MIT
//
// Complex fronts: as front.c, with planes of real and imaginary parts.

#include "linalg/front_parts.h"

enum { MOST = TN_FRONT_MOST, BLOCK = 2 * SIDE * SIDE, IM = SIDE * SIDE };

typedef struct {
    double re, im;
} number;

static inline number front_complex_times(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline number minus(number a, number b)
{
    return (number){a.re - b.re, a.im - b.im};
}

static number reciprocal(number a)
{
    const double s = 1.0 / (a.re * a.re + a.im * a.im); // the matrix is scaled: no overflow
    return (number){a.re * s, -a.im * s};
}

static inline __attribute__((always_inline)) void update(int n, double *a, int ld, int first,
                                                         int end, int j, int top,
                                                         const double *restrict l)
{
    for (int k = first; k < end; k++) {
        double *column = a + 2L * k * ld;
        const double re = column[j], im = column[j + ld];
        if (re == 0.0 && im == 0.0)
            continue;
        for (int i = top; i < top + n; i += 2) {
            const front_pair x = front_load(l + i), y = front_load(l + MOST + i);
            front_pair *to_re = front_at(column + i), *to_im = front_at(column + ld + i);
            *to_re = *to_re - re * x + im * y;
            *to_im = *to_im - re * y - im * x;
        }
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
    default:
        update(span.count, a, ld, j + 1, end, j, top, l);
    }
}

static void divide_front_complex(double *column, int ld, int j, number inverse, double *l)
{
    for (int i = front_strip(j + 1); i <= j; i++)
        l[i] = l[MOST + i] = 0.0;
    for (int i = j + 1; i < ld; i++) {
        const number x = front_complex_times((number){column[i], column[ld + i]}, inverse);
        l[i] = column[i] = x.re;
        l[MOST + i] = column[ld + i] = x.im;
    }
}

static front_span span_of(const double *l, int first, int end)
{
    const front_span re = front_trim(l, first, end), im = front_trim(l + MOST, first, end);
    if (re.count == 0 || im.count == 0)
        return re.count == 0 ? im : re;
    const int top = re.top < im.top ? re.top : im.top;
    const int last_re = re.top + re.count, last_im = im.top + im.count;
    return (front_span){top, (last_re > last_im ? last_re : last_im) - top};
}

static bool factor_front_complex(const tn_front *f, double *a, tn_pivots *seen)
{
    double l[2 * MOST], growth = 0.0;
    const int ld = tn_front_ld(f), end = SIDE * f->nb + f->nc;
    for (int j = 0; j < f->n; j++) {
        if (!front_pivot(f, 2, a, j, seen))
            return false;
        double *column = a + 2L * j * ld;
        const number inverse = reciprocal((number){column[j], column[ld + j]});
        column[j] = inverse.re;
        column[ld + j] = inverse.im;
        divide_front_complex(column, ld, j, inverse, l);
        for (int i = SIDE * f->nb; i < ld; i++)
            growth += l[i] * l[i] + l[MOST + i] * l[MOST + i];
        update_columns(a, ld, end, j, span_of(l, front_strip(j + 1), ld), l);
    }
    seen->growth = fmax(seen->growth, sqrt(growth));
    return true;
}

// Packing -----------------------------------------------------------------------------------------

static inline number at(const double *block, int ld, int r, int c)
{
    return (number){block[2 * c * ld + r], block[2 * c * ld + ld + r]};
}

static inline number get(const double *x, int r, int c)
{
    return (number){x[SIDE * c + r], x[IM + SIDE * c + r]};
}

static inline void set_front_complex(double *x, int r, int c, number value)
{
    x[SIDE * c + r] = value.re;
    x[IM + SIDE * c + r] = value.im;
}

static bool front_complex_pack(const double *a, int ld, int i, int g, double **to)
{
    const double *from = a + 2L * SIDE * g * ld + SIDE * i;
    double any = 0.0;
    for (int c = 0; c < SIDE; c++)
        for (int r = 0; r < SIDE; r++) {
            const number x = at(from, ld, r, c);
            set_front_complex(*to, r, c, x);
            any += fabs(x.re) + fabs(x.im);
        }
    *to += any != 0.0 ? BLOCK : 0;
    return any != 0.0;
}

static void pack_lower_inverse(const double *block, int ld, double *x)
{
    for (int c = 0; c < SIDE; c++) {
        for (int r = 0; r < SIDE; r++)
            set_front_complex(x, r, c, (number){r == c ? 1.0 : 0.0, 0.0});
        for (int r = c + 1; r < SIDE; r++)
            for (int k = c; k < r; k++)
                set_front_complex(
                    x, r, c,
                    minus(get(x, r, c), front_complex_times(at(block, ld, r, k), get(x, k, c))));
    }
}

static void pack_upper_inverse(const double *block, int ld, double *x)
{
    const number zero = {0.0, 0.0};
    for (int c = 0; c < SIDE; c++) {
        for (int r = 0; r < SIDE; r++)
            set_front_complex(x, r, c, r == c ? at(block, ld, c, c) : zero);
        for (int r = c - 1; r >= 0; r--) {
            number sum = zero;
            for (int k = r + 1; k <= c; k++)
                sum = minus(sum, front_complex_times(at(block, ld, r, k), get(x, k, c)));
            set_front_complex(x, r, c, front_complex_times(at(block, ld, r, r), sum));
        }
    }
}

static const double *diagonal_block(const double *a, int ld, int g)
{
    return a + 2L * SIDE * g * ld + SIDE * g;
}

static void pack_lower(const tn_front *f, const double *a)
{
    const int ld = tn_front_ld(f);
    double *to = f->lower;
    for (int g = 0; g < f->nb; g++) {
        pack_lower_inverse(diagonal_block(a, ld, g), ld, to);
        to += BLOCK;
        unsigned mask = 0;
        for (int i = g + 1; i < f->nb + f->rb; i++)
            mask |= (unsigned)front_complex_pack(a, ld, i, g, &to) << i;
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
            pack_upper_inverse(diagonal_block(a, ld, g), ld, to);
            to += BLOCK;
        }
        for (int i = 0; i < g && i < nb; i++)
            mask |= (unsigned)front_complex_pack(a, ld, i, g, &to) << i;
        f->mask[nb + g] = (unsigned short)mask;
    }
}

static void keep_schur(const tn_front *f, const double *a)
{
    const int ld = tn_front_ld(f), rows = SIDE * f->rb, first = SIDE * f->nb;
    for (int j = 0; j < 2 * f->nc; j++)
        for (int i = 0; i < rows; i++)
            f->schur[j * rows + i] = a[(long)(2 * first + j) * ld + first + i];
}

static bool eliminate_front_complex(const tn_front *f, double *a, tn_pivots *seen)
{
    if (!factor_front_complex(f, a, seen))
        return false;
    pack_lower(f, a);
    pack_upper(f, a);
    keep_schur(f, a);
    return true;
}

// Solution ----------------------------------------------------------------------------------------

typedef struct {
    front_pair re[2], im[2];
} strip;

// Imaginary parts stand `plane` behind the real ones.
static inline strip load_front_complex(const double *x, int plane)
{
    return (strip){{front_load(x), front_load(x + 2)},
                   {front_load(x + plane), front_load(x + plane + 2)}};
}

static inline void store_front_complex(double *to, int plane, strip x)
{
    for (int i = 0; i < 2; i++) {
        *front_at(to + 2 * i) = x.re[i];
        *front_at(to + plane + 2 * i) = x.im[i];
    }
}

static inline strip front_complex_product(const double *B, strip x)
{
    strip s = {{{0.0, 0.0}, {0.0, 0.0}}, {{0.0, 0.0}, {0.0, 0.0}}};
    for (int c = 0; c < SIDE; c++) {
        const double re = x.re[c / 2][c % 2], im = x.im[c / 2][c % 2];
        for (int i = 0; i < 2; i++) {
            const front_pair b = front_load(B + SIDE * c + 2 * i);
            const front_pair d = front_load(B + IM + SIDE * c + 2 * i);
            s.re[i] = s.re[i] + b * re - d * im;
            s.im[i] = s.im[i] + b * im + d * re;
        }
    }
    return s;
}

static inline const double *subtract_products(unsigned mask, const double *B, strip x, double *y,
                                              int plane)
{
    for (; mask; mask &= mask - 1, B += BLOCK) {
        double *to = y + SIDE * __builtin_ctz(mask);
        const strip t = front_complex_product(B, x);
        for (int i = 0; i < 2; i++) {
            *front_at(to + 2 * i) -= t.re[i];
            *front_at(to + plane + 2 * i) -= t.im[i];
        }
    }
    return B;
}

static void front_complex_forward(const tn_front *f, double *y, double *z, int plane)
{
    const double *B = f->lower;
    for (int g = 0; g < f->nb; g++) {
        const strip x = front_complex_product(B, load_front_complex(y + SIDE * g, MOST));
        store_front_complex(z + SIDE * g, plane, x);
        B = subtract_products(f->mask[g], B + BLOCK, x, y, MOST);
    }
}

static void front_complex_backward(const tn_front *f, const double *border, double *x, int plane)
{
    const double *B = f->upper;
    const unsigned short *mask = f->mask + f->nb;
    for (int g = f->cb - 1; g >= 0; g--)
        B = subtract_products(mask[f->nb + g], B, load_front_complex(border + SIDE * g, MOST), x,
                              plane);
    for (int g = f->nb - 1; g >= 0; g--) {
        const strip own = front_complex_product(B, load_front_complex(x + SIDE * g, plane));
        store_front_complex(x + SIDE * g, plane, own);
        B = subtract_products(mask[g], B + BLOCK, own, x, plane);
    }
}

const tn_front_ops tn_front_complex = {.parts = 2,
                                       .eliminate = eliminate_front_complex,
                                       .forward = front_complex_forward,
                                       .backward = front_complex_backward};
