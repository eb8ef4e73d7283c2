// SPDX-License-Identifier: MIT
//
// What real and complex fronts share: pivots, and strips of rows. Private to front*.c.

#pragma once

#include "linalg/front.h"

#include <math.h>

enum { SIDE = TN_FRONT_SIDE };

// Two doubles in a vector register, the same with gcc and clang on all machines; left to
// themselves, they make loops over four doubles of single ones often enough.
typedef double front_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline front_pair *front_at(double *x)
{
    return (front_pair *)x;
}

static inline front_pair front_load(const double *x)
{
    return *(const front_pair *)x;
}

static const double FRONT_PREFER_DIAGONAL = 0.1; // as the threshold in solver_klu.c

static inline int front_strip(int i) // the row at which the strip of row i begins
{
    return i / SIDE * SIDE;
}

// Rows from `top`, `count` of them, both multiples of a strip.
typedef struct front_span {
    int top, count;
} front_span;

static inline bool front_is_zero(const double *l)
{
    return l[0] == 0.0 && l[1] == 0.0 && l[2] == 0.0 && l[3] == 0.0;
}

// Without strips of zeros at both ends: rows of velocities and of the parent have no entry in the
// columns of other velocities.
static inline front_span front_trim(const double *l, int first, int end)
{
    while (end > first && front_is_zero(l + end - SIDE))
        end -= SIDE;
    while (end > first && front_is_zero(l + first))
        first += SIDE;
    return (front_span){first, end - first};
}

static inline void front_swap_rows(const tn_front *f, int parts, double *a, int i, int k)
{
    const int ld = tn_front_ld(f), count = parts * (SIDE * f->nb + f->nc);
    for (int j = 0; j < count; j++) {
        double *column = a + (long)j * ld;
        const double kept = column[i];
        column[i] = column[k];
        column[k] = kept;
    }
    const int kept = f->order[i];
    f->order[i] = f->order[k];
    f->order[k] = kept;
}

static inline double front_size(const double *column, int parts, int ld, int i)
{
    return parts == 1 ? fabs(column[i]) : fabs(column[i]) + fabs(column[i + ld]);
}

// Brings the pivot of column j to the diagonal. False where there is none.
static inline bool front_pivot(const tn_front *f, int parts, double *a, int j, tn_pivots *seen)
{
    const int ld = tn_front_ld(f);
    const double *column = a + (long)parts * j * ld;
    const double diagonal = front_size(column, parts, ld, j);
    double pivot = diagonal;
    for (int i = j + 1; i < f->n; i++)
        pivot = fmax(pivot, front_size(column, parts, ld, i));
    if (diagonal >= FRONT_PREFER_DIAGONAL * pivot)
        pivot = diagonal;
    else {
        int at = j;
        while (at < f->n - 1 && front_size(column, parts, ld, at) != pivot)
            at++;
        front_swap_rows(f, parts, a, j, at);
    }
    seen->smallest = pivot < seen->smallest ? pivot : seen->smallest;
    seen->largest = pivot > seen->largest ? pivot : seen->largest;
    return pivot > 0.0 && pivot < INFINITY;
}
