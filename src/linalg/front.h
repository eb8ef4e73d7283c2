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
// All fronts are eliminated in one room, by columns. Rows and columns of the node are filled up
// with those of a unit matrix, those of the parent with zeros, so that all is made of 4 x 4 blocks
// and inner loops are unrolled and run in vector registers. What solutions need is packed then, in
// the order of its use and without blocks that are zero; blocks of the diagonal as the inverses of
// their triangles, so that a solution is nothing but products of blocks and vectors.
//
// Complex numbers are planes: the real parts of a column, of a block, of a vector, then as many
// imaginary ones.

#pragma once

#include <stdbool.h>

enum {
    TN_FRONT_SIDE = 4,  // of a block
    TN_FRONT_MOST = 48, // rows and columns of a front, and the length of vectors y
    TN_FRONT_ROOM = TN_FRONT_MOST * TN_FRONT_MOST
};

typedef struct tn_front {
    int n, nr, nc;
    int nb, rb, cb; // the same in blocks
    int *order;     // n, row of the node that is pivot row i
    double *lower;  // packed L^-1 and F U^-1, by columns of blocks
    double *upper;  // packed L^-1 P E and U^-1, by columns of blocks from the last to the first
    double *schur;  // -F A^-1 E: nc columns of 4 rb
    unsigned short *mask; // which blocks are packed, bit i for block row i: nb, then cb and nb
} tn_front;

// Values that fronts of this size pack at most, in doubles per part.
static inline int tn_front_lower_size(const tn_front *f)
{
    return 16 * (f->nb * (f->nb + 1) / 2 + f->nb * f->rb);
}

static inline int tn_front_upper_size(const tn_front *f)
{
    return 16 * (f->nb * (f->nb + 1) / 2 + f->nb * f->cb);
}

static inline int tn_front_ld(const tn_front *f) // rows of the room
{
    return TN_FRONT_SIDE * (f->nb + f->rb);
}

// What pivots tell of the condition, over all fronts so far.
typedef struct tn_pivots {
    double smallest, largest;
    double growth; // largest Frobenius norm of F U^-1, by which rows of a node enter the parent's
} tn_pivots;

typedef struct tn_front_ops {
    int parts; // doubles per value
    // a: the room, with entry (i, j) at i + parts j ld; rows and columns of the parent begin at
    // 4 nb. False for a pivot that is zero or not finite.
    bool (*eliminate)(const tn_front *f, double *a, tn_pivots *seen);
    // y: right sides of the node's rows in pivot order, then zeros, where -F A^-1 y is left for the
    // parent's rows from 4 nb on; z: L^-1 P y, 4 nb values. Imaginary parts stand TN_FRONT_MOST
    // behind y and border, `plane` behind z and x.
    void (*forward)(const tn_front *f, double *y, double *z, int plane);
    // x: z, becomes the solution of the node; border: nc values of the parent's unknowns, then
    // zeros to 4 cb.
    void (*backward)(const tn_front *f, const double *border, double *x, int plane);
} tn_front_ops;

extern const tn_front_ops tn_front_real, tn_front_complex;
