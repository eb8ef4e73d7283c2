// SPDX-License-Identifier: MIT
//
// Sparse matrices in compressed columns: patterns from blocks, composition of patterns, products.
//
// Both constructions sort their entries by column and, within a column, by row with two stable
// counting sorts, first by row and then by column. The cost is linear in the number of entries.

#include "linalg/sparse.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"

#include <limits.h>
#include <math.h>

// The matrix and its arrays live in one block, so that one tn_free ends it.
static void layout_sparse(tn_sparse *A, bool blocks, tn_carve *mem)
{
    A->colptr = tn_carve_ints(mem, A->ncol + 1);
    A->rowind = tn_carve_ints(mem, A->nnz);
    A->val = tn_carve_doubles(mem, A->nnz);
    A->rowstart = blocks ? tn_carve_ints(mem, A->nrowblk + 1) : NULL;
    A->colstart = blocks ? tn_carve_ints(mem, A->ncolblk + 1) : NULL;
}

static tn_sparse *allocate_sparse(tn_sparse shape, bool blocks)
{
    tn_carve mem = {0};
    tn_carve_bytes(&mem, sizeof(tn_sparse));
    layout_sparse(&shape, blocks, &mem);
    mem = (tn_carve){.base = tn_alloc(mem.used)};
    if (!mem.base)
        return NULL;
    tn_sparse *A = tn_carve_bytes(&mem, sizeof(tn_sparse));
    layout_sparse(&shape, blocks, &mem);
    *A = shape;
    return A;
}

void tn_sparse_destroy(tn_sparse *A)
{
    tn_free(A);
}

// Writes into `to` the entries of `from` ordered by key[entry] in 0 ... nkey - 1, keeping the order
// of equals. `from` NULL stands for 0, 1, 2, ...; start holds nkey + 1 ints of workspace.
static void counting_sort(int n, const int *from, const int *key, int nkey, int *start, int *to)
{
    for (int k = 0; k <= nkey; k++)
        start[k] = 0;
    for (int i = 0; i < n; i++) {
        TN_ASSERT(key[i] >= 0 && key[i] < nkey);
        start[key[i] + 1]++;
    }
    for (int k = 0; k < nkey; k++)
        start[k + 1] += start[k];
    for (int i = 0; i < n; i++) {
        const int e = from ? from[i] : i;
        to[start[key[e]]++] = e;
    }
}

// The entries (row[e], col[e]) by column and row; the order stands in `order`.
static tn_status sort_entries(int n, const int *row, int nrow, const int *col, int ncol, int *order)
{
    const int nkey = nrow > ncol ? nrow : ncol;
    int *by_row = tn_alloc(((size_t)n + (size_t)nkey + 1) * sizeof(int));
    if (!by_row)
        return tn_fail(TN_ERR_MEMORY, "sparse matrix: no memory to sort %d entries", n);
    counting_sort(n, NULL, row, nrow, by_row + n, by_row);
    counting_sort(n, by_row, col, ncol, by_row + n, order);
    tn_free(by_row);
    return TN_OK;
}

static tn_status check_size(long long nrow, long long ncol, long long nnz)
{
    if (nrow >= INT_MAX || ncol >= INT_MAX || nnz >= INT_MAX)
        return tn_fail(
            TN_ERR_USAGE,
            "sparse matrix: %lld x %lld with %lld entries is too large, at most %d rows, "
            "columns and entries are possible",
            nrow, ncol, nnz, INT_MAX - 1);
    return TN_OK;
}

static long long sum_sparse(int n, const int *size)
{
    long long total = 0;
    for (int i = 0; i < n; i++) {
        TN_ASSERT(size[i] >= 0);
        total += size[i];
    }
    return total;
}

// Keeps one of each pair in the sorted order; returns how many are left.
static int drop_repeats(int npair, const tn_pair_index *pairs, int *order)
{
    int kept = 0;
    for (int k = 0; k < npair; k++) {
        const tn_pair_index p = pairs[order[k]];
        const tn_pair_index *last = kept > 0 ? &pairs[order[kept - 1]] : NULL;
        if (!last || last->row != p.row || last->col != p.col)
            order[kept++] = order[k];
    }
    return kept;
}

static void fill_block_pattern(tn_sparse *A, int npair, const tn_pair_index *pairs,
                               const int *order)
{
    int at = 0, k = 0;
    for (int J = 0; J < A->ncolblk; J++) {
        const int first = k;
        while (k < npair && pairs[order[k]].col == J)
            k++;
        for (int j = A->colstart[J]; j < A->colstart[J + 1]; j++) {
            A->colptr[j] = at;
            for (int b = first; b < k; b++) {
                const int I = pairs[order[b]].row;
                for (int i = A->rowstart[I]; i < A->rowstart[I + 1]; i++)
                    A->rowind[at++] = i;
            }
        }
    }
    TN_ASSERT(at == A->nnz);
    A->colptr[A->ncol] = at;
}

static tn_status create_sorted(tn_sparse shape, const int *rowsize, const int *colsize, int npair,
                               const tn_pair_index *pairs, const int *order, tn_sparse **out)
{
    long long nnz = 0;
    for (int k = 0; k < npair; k++)
        nnz += (long long)rowsize[pairs[order[k]].row] * colsize[pairs[order[k]].col];
    TN_TRY(check_size(shape.nrow, shape.ncol, nnz));
    shape.nnz = (int)nnz;
    tn_sparse *A = allocate_sparse(shape, true);
    if (!A)
        return tn_fail(TN_ERR_MEMORY, "sparse matrix: no memory for %lld entries", nnz);
    for (int i = 0; i < A->nrowblk; i++)
        A->rowstart[i + 1] = A->rowstart[i] + rowsize[i];
    for (int j = 0; j < A->ncolblk; j++)
        A->colstart[j + 1] = A->colstart[j] + colsize[j];
    fill_block_pattern(A, npair, pairs, order);
    *out = A;
    return TN_OK;
}

tn_status tn_sparse_create(int nrowblk, const int *rowsize, int ncolblk, const int *colsize,
                           int npair, const tn_pair_index *pairs, tn_sparse **out)
{
    *out = NULL;
    const long long nrow = sum_sparse(nrowblk, rowsize), ncol = sum_sparse(ncolblk, colsize);
    TN_TRY(check_size(nrow, ncol, 0));
    int *row = tn_alloc(3 * (size_t)npair * sizeof(int));
    if (!row)
        return tn_fail(TN_ERR_MEMORY, "sparse matrix: no memory for %d blocks", npair);
    int *col = row + npair, *order = col + npair;
    for (int k = 0; k < npair; k++) {
        TN_ASSERT(pairs[k].row >= 0 && pairs[k].row < nrowblk);
        TN_ASSERT(pairs[k].col >= 0 && pairs[k].col < ncolblk);
        row[k] = pairs[k].row;
        col[k] = pairs[k].col;
    }
    tn_status s = sort_entries(npair, row, nrowblk, col, ncolblk, order);
    if (s == TN_OK) {
        const tn_sparse shape = {
            .nrow = (int)nrow, .ncol = (int)ncol, .nrowblk = nrowblk, .ncolblk = ncolblk};
        s = create_sorted(shape, rowsize, colsize, drop_repeats(npair, pairs, order), pairs, order,
                          out);
    }
    tn_free(row);
    return s;
}

// Column counts in colptr become where columns begin.
static void sum_columns(tn_sparse *A)
{
    for (int j = 0; j < A->ncol; j++)
        A->colptr[j + 1] += A->colptr[j];
}

static int count_places(int n, const int *row, const int *col, const int *order)
{
    int count = n > 0;
    for (int k = 1; k < n; k++)
        count += row[order[k]] != row[order[k - 1]] || col[order[k]] != col[order[k - 1]];
    return count;
}

tn_status tn_sparse_from_entries(int nrow, int ncol, int n, const int *row, const int *col,
                                 const double *val, tn_sparse **out)
{
    *out = NULL;
    TN_TRY(check_size(nrow, ncol, n));
    int *order = tn_alloc(((size_t)n + 1) * sizeof(int));
    TN_TRY(tn_got(order));
    tn_status s = sort_entries(n, row, nrow, col, ncol, order);
    const int nnz = s == TN_OK ? count_places(n, row, col, order) : 0;
    tn_sparse *A = s == TN_OK
                       ? allocate_sparse((tn_sparse){.nrow = nrow, .ncol = ncol, .nnz = nnz}, false)
                       : NULL;
    if (s == TN_OK && !A)
        s = tn_fail(TN_ERR_MEMORY, "sparse matrix: no memory for %d entries", nnz);
    for (int k = 0, at = -1; A && k < n; k++) {
        const int e = order[k], last = k > 0 ? order[k - 1] : -1;
        if (last < 0 || row[e] != row[last] || col[e] != col[last]) {
            A->rowind[++at] = row[e];
            A->colptr[col[e] + 1]++;
        }
        A->val[at] += val[e];
    }
    if (A)
        sum_columns(A);
    tn_free(order);
    *out = A;
    return s;
}

tn_status tn_sparse_part(const tn_sparse *A, int row0, int nrow, int col0, int ncol,
                         tn_sparse **out)
{
    int nnz = 0;
    for (int k = A->colptr[col0]; k < A->colptr[col0 + ncol]; k++)
        nnz += A->rowind[k] >= row0 && A->rowind[k] < row0 + nrow;
    tn_sparse *B = allocate_sparse((tn_sparse){.nrow = nrow, .ncol = ncol, .nnz = nnz}, false);
    *out = B;
    if (!B)
        return tn_fail(TN_ERR_MEMORY, "sparse matrix: no memory for %d entries", nnz);
    int at = 0;
    for (int j = 0; j < ncol; j++) {
        for (int k = A->colptr[col0 + j]; k < A->colptr[col0 + j + 1]; k++)
            if (A->rowind[k] >= row0 && A->rowind[k] < row0 + nrow) {
                B->rowind[at] = A->rowind[k] - row0;
                B->val[at++] = A->val[k];
            }
        B->colptr[j + 1] = at;
    }
    return TN_OK;
}

// Position of entry (row, col) in the values, -1 outside the pattern.
int tn_sparse_place(const tn_sparse *A, int row, int col)
{
    TN_ASSERT(row >= 0 && row < A->nrow && col >= 0 && col < A->ncol);
    int low = A->colptr[col], high = A->colptr[col + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (A->rowind[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < A->colptr[col + 1] && A->rowind[low] == row ? low : -1;
}

tn_slot tn_sparse_slot(const tn_sparse *A, int rowblk, int colblk)
{
    TN_ASSERT(A->rowstart && rowblk >= 0 && rowblk < A->nrowblk);
    TN_ASSERT(colblk >= 0 && colblk < A->ncolblk);
    const int row = A->rowstart[rowblk], col = A->colstart[colblk];
    tn_slot at = {col, A->colstart[colblk + 1] - col, A->rowstart[rowblk + 1] - row, 0};
    if (at.ncol == 0 || at.nrow == 0)
        return (tn_slot){.col = 0}; // an empty block: adding to it does nothing
    const int k = tn_sparse_place(A, row, col);
    if (k < 0)
        return (tn_slot){.col = col, .offset = -1}; // no columns, so that adding cannot do harm
    at.offset = k - A->colptr[col];
    return at;
}

void tn_sparse_clear(tn_sparse *A)
{
    tn_zero(A->nnz, A->val);
}

void tn_sparse_mul(const tn_sparse *A, double s, const double *x, double *y)
{
    TN_ASSERT(x != y || !A || A->nnz == 0);
    for (int j = 0; A && j < A->ncol; j++) {
        const double xj = s * x[j];
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            y[A->rowind[k]] += A->val[k] * xj;
    }
}

void tn_sparse_mul_t(const tn_sparse *A, double s, const double *x, double *y)
{
    TN_ASSERT(x != y || !A || A->nnz == 0);
    for (int j = 0; A && j < A->ncol; j++) {
        double sum = 0.0;
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            sum += A->val[k] * x[A->rowind[k]];
        y[j] += s * sum;
    }
}

void tn_sparse_rows(const tn_sparse *A, const int *place, int ld, double *out)
{
    TN_ASSERT(!A || ld >= A->ncol);
    for (int j = 0; A && j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            const int i = place ? place[A->rowind[k]] : A->rowind[k];
            if (i >= 0)
                out[(size_t)i * (size_t)ld + (size_t)j] = A->val[k];
        }
}

double tn_sparse_norm1(const tn_sparse *A)
{
    double norm = 0.0;
    for (int j = 0; j < A->ncol; j++) {
        double column = 0.0;
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            column += fabs(A->val[k]);
        if (column > norm || isnan(column))
            norm = column;
    }
    return norm;
}

void tn_sparse_to_dense(const tn_sparse *A, double *dense)
{
    for (int j = 0; j < A->ncol; j++) {
        double *column = dense + (size_t)j * (size_t)A->nrow;
        tn_zero(A->nrow, column);
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            column[A->rowind[k]] = A->val[k];
    }
}

double tn_sparse_at(const tn_sparse *A, int row, int col)
{
    const int k = tn_sparse_place(A, row, col);
    return k < 0 ? 0.0 : A->val[k];
}

static int placed_count(const tn_placement *p)
{
    return p->source ? p->source->nnz : p->size;
}

// Writes the place (row, col) of each entry of the placement in the large matrix.
static void place_entries(const tn_placement *p, int *row, int *col)
{
    TN_ASSERT(p->row0 >= 0 && p->col0 >= 0);
    if (!p->source) {
        for (int i = 0; i < p->size; i++) {
            row[i] = p->row0 + i;
            col[i] = p->col0 + i;
        }
        return;
    }
    for (int j = 0; j < p->source->ncol; j++)
        for (int k = p->source->colptr[j]; k < p->source->colptr[j + 1]; k++) {
            const int i = p->source->rowind[k];
            row[k] = p->row0 + (p->transposed ? j : i);
            col[k] = p->col0 + (p->transposed ? i : j);
        }
}

// Numbers the distinct places along the sorted order: slot[e] is where entry e goes.
static int number_slots(int n, const int *row, const int *col, const int *order, int *slot)
{
    TN_ASSERT(n == 0 || slot);
    int count = 0;
    for (int k = 0; k < n; k++) {
        const int e = order[k];
        if (k > 0 && (row[e] != row[order[k - 1]] || col[e] != col[order[k - 1]]))
            count++;
        slot[e] = count;
    }
    return n > 0 ? count + 1 : 0;
}

static tn_status compose_pattern(int nrow, int ncol, int total, const int *row, const int *col,
                                 int *order, tn_composition *c)
{
    int *slot = c->nplace > 0 ? c->maps[0] : NULL;
    TN_TRY(sort_entries(total, row, nrow, col, ncol, order));
    const int nnz = number_slots(total, row, col, order, slot);
    c->matrix = allocate_sparse((tn_sparse){.nrow = nrow, .ncol = ncol, .nnz = nnz}, false);
    if (!c->matrix)
        return tn_fail(TN_ERR_MEMORY, "sparse matrix: no memory for %d entries", nnz);
    for (int e = 0; e < total; e++)
        c->matrix->rowind[slot[e]] = row[e];
    for (int k = 0; k < total; k++)
        if (k == 0 || slot[order[k]] != slot[order[k - 1]])
            c->matrix->colptr[col[order[k]] + 1]++;
    sum_columns(c->matrix);
    return TN_OK;
}

// The maps are slices of one array that follows the pointers to them.
static tn_status make_maps(int nplace, const tn_placement *places, int total, tn_composition *c)
{
    const size_t pointers = (size_t)nplace * sizeof(int *);
    c->maps = tn_alloc(pointers + (size_t)total * sizeof(int));
    if (!c->maps)
        return tn_fail(TN_ERR_MEMORY, "sparse matrix: no memory for the maps of %d entries", total);
    c->nplace = nplace;
    int *map = (int *)(void *)((char *)c->maps + pointers);
    for (int k = 0; k < nplace; k++) {
        c->maps[k] = map;
        map += placed_count(&places[k]);
    }
    return TN_OK;
}

tn_status tn_sparse_compose(int nrow, int ncol, int nplace, const tn_placement *places,
                            tn_composition *out)
{
    TN_ASSERT(nrow >= 0 && ncol >= 0 && nplace >= 0);
    *out = (tn_composition){0};
    long long total = 0;
    for (int k = 0; k < nplace; k++)
        total += placed_count(&places[k]);
    TN_TRY(check_size(nrow, ncol, total));
    TN_TRY(make_maps(nplace, places, (int)total, out));
    int *row = tn_alloc(3 * (size_t)total * sizeof(int));
    if (!row) {
        tn_composition_clear(out);
        return tn_fail(TN_ERR_MEMORY, "sparse matrix: no memory to compose %lld entries", total);
    }
    int *col = row + total, *order = col + total;
    for (int k = 0; k < nplace; k++) {
        const ptrdiff_t first = out->maps[k] - out->maps[0];
        place_entries(&places[k], row + first, col + first);
    }
    const tn_status s = compose_pattern(nrow, ncol, (int)total, row, col, order, out);
    tn_free(row);
    if (s != TN_OK)
        tn_composition_clear(out);
    return s;
}

void tn_composition_clear(tn_composition *c)
{
    tn_sparse_destroy(c->matrix);
    tn_free(c->maps);
    *c = (tn_composition){0};
}
