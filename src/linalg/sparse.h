// SPDX-License-Identifier: MIT
//
// Sparse matrices in compressed columns whose pattern is fixed once.
//
// The pattern is made of dense blocks: rows and columns are partitioned, and every pair (I, J) that
// is declared is full. As the rows of block I are contiguous in each column of block J and stand at
// the same offset in all of them, an element needs one small `tn_slot` to add a dense block: no
// triplets, no searching, no allocation in a step.
//
// A large matrix is composed of smaller ones by `tn_sparse_compose`: each placed source gets a map
// from its values to those of the large matrix, and a step scatters values through the map.

#pragma once

#include "base/status.h"

typedef struct tn_sparse {
    int nrow, ncol, nnz;
    int *colptr; // ncol + 1
    int *rowind; // nnz, increasing in each column
    double *val; // nnz
    int nrowblk, ncolblk;
    int *rowstart; // nrowblk + 1, first row of each row block; NULL for a composed matrix
    int *colstart; // ncolblk + 1
} tn_sparse;

typedef struct tn_pair_index {
    int row, col; // block numbers
} tn_pair_index;

// Location of a declared block: column j of the block starts at val[colptr[col + j] + offset].
typedef struct tn_slot {
    int col, ncol, nrow;
    int offset; // -1 for a block that was not declared
} tn_slot;

// Creates the pattern of the declared pairs (in any order, repeats allowed) with zero values.
tn_status tn_sparse_create(int nrowblk, const int *rowsize, int ncolblk, const int *colsize,
                           int npair, const tn_pair_index *pairs, tn_sparse **out);
void tn_sparse_destroy(tn_sparse *A);
// A matrix without blocks of n entries in any order; those at the same place are added up.
tn_status tn_sparse_from_entries(int nrow, int ncol, int n, const int *row, const int *col,
                                 const double *val, tn_sparse **out);
// Rows row0 … row0 + nrow - 1 and columns col0 … of a matrix, without blocks.
tn_status tn_sparse_part(const tn_sparse *A, int row0, int nrow, int col0, int ncol,
                         tn_sparse **out);

tn_slot tn_sparse_slot(const tn_sparse *A, int rowblk, int colblk);
void tn_sparse_clear(tn_sparse *A); // all values zero

// Adds scale times the dense block (row major, leading dimension ld) at the slot.
static inline void tn_sparse_add(tn_sparse *A, tn_slot at, double scale, const double *block,
                                 int ld)
{
    for (int j = 0; j < at.ncol; j++) {
        double *column = A->val + A->colptr[at.col + j] + at.offset;
        for (int i = 0; i < at.nrow; i++)
            column[i] += scale * block[i * ld + j];
    }
}

// Puts it in the place of the old one.
static inline void tn_sparse_put(tn_sparse *A, tn_slot at, const double *block, int ld)
{
    for (int j = 0; j < at.ncol; j++) {
        double *column = A->val + A->colptr[at.col + j] + at.offset;
        for (int i = 0; i < at.nrow; i++)
            column[i] = block[i * ld + j];
    }
}

// Products and rows of a matrix; nothing where A is NULL.
void tn_sparse_mul(const tn_sparse *A, double s, const double *x, double *y);   // y += s A x
void tn_sparse_mul_t(const tn_sparse *A, double s, const double *x, double *y); // y += s A^T x
// Rows as columns of ld numbers: column place[i] of `out` (NULL: i) gets row i, none where it is
// negative. Entries outside the pattern stay.
void tn_sparse_rows(const tn_sparse *A, const int *place, int ld, double *out);
double tn_sparse_norm1(const tn_sparse *A);
void tn_sparse_to_dense(const tn_sparse *A, double *dense); // column major, nrow x ncol
double tn_sparse_at(const tn_sparse *A, int row, int col);  // 0 outside the pattern; for tests
// Index of entry (row, col) among the values; -1 for none.
int tn_sparse_place(const tn_sparse *A, int row, int col);

// One source in a composition: its entry (i, j) goes to (row0 + i, col0 + j), or transposed to
// (row0 + j, col0 + i).
typedef struct tn_placement {
    const tn_sparse *source; // NULL: a diagonal of `size` entries from (row0, col0)
    int size;
    int row0, col0;
    bool transposed;
} tn_placement;

// Builds the nrow x ncol union pattern of the placements; maps[k][i] is the slot of value i of
// placement k (of diagonal entry i for a diagonal). The maps live as long as the matrix.
typedef struct tn_composition {
    tn_sparse *matrix;
    int nplace;
    int **maps;
} tn_composition;

tn_status tn_sparse_compose(int nrow, int ncol, int nplace, const tn_placement *places,
                            tn_composition *out);
void tn_composition_clear(tn_composition *c); // frees what compose made; zeroed is fine

// val[map[i]] += s source[i]
static inline void tn_sparse_scatter(double *val, const int *map, int n, double s,
                                     const double *source)
{
    for (int i = 0; i < n; i++)
        val[map[i]] += s * source[i];
}

// Adds s times the block, if there is one, where it was placed.
static inline void tn_composition_add(tn_composition *c, int place, double s,
                                      const tn_sparse *block)
{
    if (block)
        tn_sparse_scatter(c->matrix->val, c->maps[place], block->nnz, s, block->val);
}
