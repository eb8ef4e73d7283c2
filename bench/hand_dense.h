// SPDX-License-Identifier: MIT
//
// For equations by hand: blocks of two, and the matrix of accelerations and multipliers
//
//   ( M  G^T ) ( q''    )   (  f     )
//   ( G  0   ) ( lambda ) = ( -gamma )
//
// as a whole, solved by elimination with pivots.

#pragma once

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct pair { // two coordinates, or two rows
    double x, y;
} pair;

typedef struct block { // symmetric
    double xx, xy, yy;
} block;

static inline block block_inverse(block a)
{
    const double d = 1.0 / (a.xx * a.yy - a.xy * a.xy);
    return (block){d * a.yy, -d * a.xy, d * a.xx};
}

static inline pair block_times(block a, pair b)
{
    return (pair){a.xx * b.x + a.xy * b.y, a.xy * b.x + a.yy * b.y};
}

static inline double pair_dot(pair a, pair b)
{
    return a.x * b.x + a.y * b.y;
}

enum { DENSE_MOST = 41 };

typedef struct dense_system {
    int n;
    double a[DENSE_MOST][DENSE_MOST + 1]; // the last column is the right-hand side
} dense_system;

static inline void dense_open(dense_system *A, int n)
{
    A->n = n;
    for (int i = 0; i < n; i++)
        memset(A->a[i], 0, (size_t)(n + 1) * sizeof A->a[i][0]);
}

// One coordinate, or two, from `at` on.
static inline void dense_add_block(dense_system *A, int at, bool two, block M, pair f)
{
    A->a[at][at] = M.xx;
    A->a[at][A->n] = f.x;
    if (!two)
        return;
    A->a[at][at + 1] = A->a[at + 1][at] = M.xy;
    A->a[at + 1][at + 1] = M.yy;
    A->a[at + 1][A->n] = f.y;
}

// Rows g and h of G from `row` on, for the same.
static inline void dense_add_rows(dense_system *A, int row, int at, bool two, pair g, pair h)
{
    A->a[row][at] = A->a[at][row] = g.x;
    A->a[row + 1][at] = A->a[at][row + 1] = h.x;
    if (!two)
        return;
    A->a[row][at + 1] = A->a[at + 1][row] = g.y;
    A->a[row + 1][at + 1] = A->a[at + 1][row + 1] = h.y;
}

// The first `count` unknowns.
static void dense_solve(dense_system *A, int count, double *x)
{
    const int n = A->n;
    double all[DENSE_MOST];
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(A->a[i][k]) > fabs(A->a[best][k]) ? i : best;
        double row[DENSE_MOST + 1], *pivot = A->a[k];
        const size_t size = (size_t)(n + 1) * sizeof *row;
        memcpy(row, A->a[best], size);
        memcpy(A->a[best], pivot, size);
        memcpy(pivot, row, size);
        const double inverse = 1.0 / pivot[k];
        for (int i = k + 1; i < n; i++) {
            const double factor = A->a[i][k] * inverse;
            if (factor != 0.0)
                for (int j = k + 1; j <= n; j++)
                    A->a[i][j] -= factor * pivot[j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        double sum = A->a[k][n];
        for (int j = k + 1; j < n; j++)
            sum -= A->a[k][j] * all[j];
        all[k] = sum / A->a[k][k];
    }
    memcpy(x, all, (size_t)count * sizeof *x);
}
