// SPDX-License-Identifier: MIT
//
// A front: the dense rows and columns that take part when one node of a forest is eliminated,
//
//   ( A   E )   n     rows and columns of the node itself
//   ( F   0 )   nr    those of its parent that share an entry with them; nc columns there
//
// Elimination leaves A = P^T L U, F U^-1, L^-1 P E and, in the place of the zero, -F A^-1 E, which
// the parent adds to its own front. Pivots are rows of the node alone; the diagonal is preferred
// where it is not much smaller than the largest, as rows then keep their zeros.
//
// Columns are contiguous and cut into strips of fixed length, so that all inner loops are unrolled
// and run in vector registers. A complex column is its real parts followed by its imaginary parts.

#pragma once

#include <stdbool.h>

enum {
    TN_FRONT_STRIP = 4, // doubles
    TN_FRONT_MOST = 48, // rows, a multiple of the strip; also the length of y and of border, each
                        // followed by as many imaginary parts where values are complex
};

typedef struct tn_front {
    int n, nr, nc;
    int ld;     // n + nr, rounded up to whole strips
    double *a;  // n + nc columns; reciprocals of the pivots in the diagonal once eliminated
    int *order; // n, row of the node that is pivot row i
} tn_front;

// What pivots tell of the condition, over all fronts so far.
typedef struct tn_pivots {
    double smallest, largest;
    double growth; // largest factor by which a row of the node enters one of the parent
} tn_pivots;

typedef struct tn_front_ops {
    int parts; // doubles per value
    // False for a pivot that is zero or not finite.
    bool (*eliminate)(const tn_front *f, tn_pivots *seen);
    // y: right sides of the node's rows in pivot order, then zeros, where -F A^-1 y is left for the
    // parent's rows; z: L^-1 P y, n values.
    void (*forward)(const tn_front *f, double *y, double *z);
    // y: z as it was left; border: nc values of the parent's unknowns; x: n values of the node's.
    void (*backward)(const tn_front *f, double *y, const double *border, double *x);
} tn_front_ops;

extern const tn_front_ops tn_front_real, tn_front_complex;
