// SPDX-License-Identifier: MIT
//
// Lemke's method on a tableau:
//
//   w - M z - d z0 = q,   d = (1, ..., 1)
//
// z0 comes in first, and the complement of what has left the basis next, until z0 leaves. Rows that
// tie are compared by the columns of w, one after the other: this lexicographic rule excludes that
// the same basis returns, which contacts that touch without load would lead to.

#include "linalg/lemke.h"

#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

// Pivots per unknown. Paths of contact problems have two or three.
enum { MOST_PIVOTS = 20 };

void tn_lemke_layout(tn_lemke *s, int most, tn_carve *mem)
{
    s->most = most;
    const size_t size = (size_t)most * (size_t)(2 * most + 2) * sizeof(double);
    s->T = tn_carve_bytes(mem, size);
    TN_CARVE_INTS(mem, most, &s->basis, &s->tied);
}

static double *tableau_row(const tn_lemke *s, int n, int i)
{
    return s->T + (size_t)i * (size_t)(2 * n + 2);
}

static void fill_tableau(tn_lemke *s, int n, const double *M, const double *q)
{
    for (int i = 0; i < n; i++) {
        double *row = tableau_row(s, n, i);
        tn_zero(n, row);
        row[i] = 1.0;
        for (int j = 0; j < n; j++)
            row[n + j] = -M[(size_t)i + (size_t)j * (size_t)n];
        row[2 * n] = -1.0;
        row[2 * n + 1] = q[i];
        s->basis[i] = i;
    }
}

static void pivot_tableau(tn_lemke *s, int n, int at, int enter)
{
    double *pivot = tableau_row(s, n, at);
    const int width = 2 * n + 2;
    tn_scale(width, 1.0 / pivot[enter], pivot);
    pivot[enter] = 1.0;
    for (int i = 0; i < n; i++) {
        double *row = tableau_row(s, n, i);
        if (i == at || row[enter] == 0.0)
            continue;
        tn_axpy(width, -row[enter], pivot, row);
        row[enter] = 0.0;
    }
    s->basis[at] = enter;
}

// Keeps those of the tied rows whose ratio in this column is the smallest.
static int keep_smallest(const tn_lemke *s, int n, int enter, int column, int count)
{
    double least = INFINITY;
    for (int k = 0; k < count; k++) {
        const double *row = tableau_row(s, n, s->tied[k]);
        least = fmin(least, row[column] / row[enter]);
    }
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const double *row = tableau_row(s, n, s->tied[k]);
        if (row[column] / row[enter] <= least + TN_ROUND_ITERATE * fmax(1.0, fabs(least)))
            s->tied[kept++] = s->tied[k];
    }
    return kept;
}

// The row that leaves; -1: none bounds the way, a ray.
static int leaving_row(const tn_lemke *s, int n, int enter)
{
    int count = 0;
    double largest = 1.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(tableau_row(s, n, i)[enter]));
    for (int i = 0; i < n; i++)
        if (tableau_row(s, n, i)[enter] > TN_ROUND_ITERATE * largest)
            s->tied[count++] = i;
    if (count == 0)
        return -1;
    count = keep_smallest(s, n, enter, 2 * n + 1, count);
    for (int k = 0; k < count; k++)
        if (s->basis[s->tied[k]] == 2 * n)
            return s->tied[k];
    for (int column = 0; count > 1 && column < n; column++)
        count = keep_smallest(s, n, enter, column, count);
    return s->tied[0];
}

static bool walk_tableau(tn_lemke *s, int n, int enter)
{
    for (int k = 0; k < MOST_PIVOTS * n; k++) {
        const int at = leaving_row(s, n, enter);
        if (at < 0)
            return false;
        const int leave = s->basis[at];
        pivot_tableau(s, n, at, enter);
        if (leave == 2 * n)
            return true;
        enter = leave < n ? leave + n : leave - n;
    }
    return false;
}

bool tn_lemke_solve(tn_lemke *s, int n, const double *M, const double *q, double *z)
{
    TN_ASSERT(n <= s->most);
    int lowest = 0;
    for (int i = 1; i < n; i++)
        if (q[i] <= q[lowest]) // the last of those that tie stays lexicographically positive
            lowest = i;
    tn_zero(n, z);
    if (n == 0 || q[lowest] >= 0.0)
        return true;
    fill_tableau(s, n, M, q);
    pivot_tableau(s, n, lowest, 2 * n);
    const bool found = walk_tableau(s, n, n + lowest);
    for (int i = 0; i < n; i++)
        if (s->basis[i] >= n && s->basis[i] < 2 * n)
            z[s->basis[i] - n] = fmax(0.0, tableau_row(s, n, i)[2 * n + 1]);
    return found;
}
