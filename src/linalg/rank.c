// SPDX-License-Identifier: MIT
//
// Which rows of a matrix are independent, and how the others depend on them.
//
// Rows of length one, as columns of A^T, are reduced by Householder reflections in their order:
//
//   w = H_r ... H_1 a_i,    independent when |w_(r+1 ... ncol)| > tol
//
// The norm is the distance of row i from the span of the independent rows before it. A row is
// therefore called dependent only when earlier ones contain it. Reflections end where their vector
// does, and one that has no entry in common with w is left out: rows of mechanisms are short, and
// neighbours stand near each other. Large matrices go to SPQR, which does the same in an order that
// keeps the fill low.

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/solver.h"
#include "linalg/spqr.h"

#include <math.h>

// Entries nrow * ncol up to which the scan in order is used: half a second at 1000 x 1000 where
// nothing can be left out, 10 ms on a ladder.
static const double DENSE_ENTRIES = 1e6;

// The norms of the rows. An error when one is not finite.
static tn_status row_norms(const tn_sparse *A, double *norm)
{
    tn_zero(A->nrow, norm);
    for (int k = 0; k < A->nnz; k++)
        norm[A->rowind[k]] = hypot(norm[A->rowind[k]], A->val[k]);
    for (int i = 0; i < A->nrow; i++)
        if (!isfinite(norm[i]))
            return tn_fail(TN_ERR_NUMERIC, "rank of a %d x %d matrix: row %d is not finite",
                           A->nrow, A->ncol, i);
    return TN_OK;
}

// w = (I - tau v v^T) w on entries r ... end - 1, v[r] = 1 implied.
static void reflect_rank(int end, int r, double tau, const double *v, double *w)
{
    TN_ASSERT(r >= 0 && r < end);
    const double s = tau * (w[r] + tn_dot(end - r - 1, v + r + 1, w + r + 1));
    w[r] -= s;
    tn_axpy(end - r - 1, -s, v + r + 1, w + r + 1);
}

// Makes w[r + 1 ...] the vector of the reflection that annihilates it; returns tau.
static double make_reflection(int n, int r, double norm, double *w)
{
    TN_ASSERT(r >= 0 && r < n && norm > 0.0);
    const double alpha = w[r], beta = alpha > 0.0 ? -norm : norm; // no cancellation in alpha - beta
    tn_scale(n - r - 1, 1.0 / (alpha - beta), w + r + 1);
    w[r] = beta;
    return (beta - alpha) / beta;
}

typedef struct scan {
    int n;       // length of the columns of V
    double *V;   // the rows of A, scaled, as columns; used up from the front
    double *tau; // n
    double *w;   // n
    int *end;    // n: entries of a reflection from here on are zero
    int w_end;   // the same of w
    int rank;
} scan;

// How far row i is from those taken so far; takes it where that is more than tol.
static double rank_look_at(scan *s, int i, double tol, int *independent)
{
    TN_ASSERT(s->rank <= s->n && tol >= 0.0);
    double *w = s->w;
    tn_copy(s->n, s->V + (size_t)i * (size_t)s->n, w);
    int first = 0, end = s->n; // entries that are not zero
    while (first < s->n && w[first] == 0.0)
        first++;
    while (end > first && w[end - 1] == 0.0)
        end--;
    for (int r = 0; r < s->rank; r++) {
        if (s->end[r] <= first)
            continue;
        reflect_rank(s->end[r], r, s->tau[r], s->V + (size_t)r * (size_t)s->n, w);
        first = r < first ? r : first;
        end = s->end[r] > end ? s->end[r] : end;
    }
    s->w_end = end;
    const double across = s->rank < s->n ? tn_norm2(s->n - s->rank, w + s->rank) : 0.0;
    *independent = across > tol;
    return across;
}

static void take_rank(scan *s, double across)
{
    TN_ASSERT(s->rank < s->n);
    const int r = s->rank++;
    s->end[r] = s->w_end > r + 1 ? s->w_end : r + 1;
    s->tau[r] = make_reflection(s->end[r], r, across, s->w);
    tn_copy(s->n, s->w, s->V + (size_t)r * (size_t)s->n);
}

// Rows that are independent already come first, then the others in their order. V has room for
// reflections in front of the rows.
static void scan_rows(scan *s, int nrow, double tol, int most, int *independent, double *distance)
{
    TN_ASSERT(most <= s->n);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < nrow; i++) {
            int is = 0;
            if ((independent[i] == 1) != (pass == 0))
                continue;
            const double across = rank_look_at(s, s->n + i, pass == 0 ? 0.0 : tol, &is);
            if (distance)
                distance[i] = across;
            if (is && s->rank < most) {
                take_rank(s, across);
                independent[i] = pass == 0 ? 1 : 2;
            }
        }
    for (int i = 0; i < nrow; i++)
        independent[i] = independent[i] != 0;
}

static tn_status scan_dense(const tn_sparse *A, const double *norm, double tol, int most,
                            int *independent, double *distance, int *rank)
{
    const size_t n = (size_t)A->ncol;
    double *memory = tn_alloc(((size_t)A->nrow * n + n * n + 2 * n + 1) * sizeof(double));
    int *end = tn_alloc((n + 1) * sizeof(int));
    if (!memory || !end) {
        TN_FREE(memory, end);
        return tn_fail(TN_ERR_MEMORY, "rank of a %d x %d matrix: out of memory", A->nrow, A->ncol);
    }
    scan s = {.n = A->ncol, .tau = memory, .w = memory + n, .V = memory + 2 * n, .end = end};
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            const size_t i = (size_t)A->rowind[k];
            s.V[(n + i) * n + (size_t)j] = norm[i] > 0.0 ? A->val[k] / norm[i] : 0.0;
        }
    scan_rows(&s, A->nrow, tol, most, independent, distance);
    *rank = s.rank;
    TN_FREE(memory, end);
    return TN_OK;
}

static tn_status rank_dense(const tn_sparse *A, const double *norm, double tol, int *independent,
                            int *rank)
{
    for (int i = 0; i < A->nrow; i++)
        independent[i] = 0;
    return scan_dense(A, norm, tol, A->ncol, independent, NULL, rank);
}

tn_status tn_row_extend(const tn_sparse *A, const double *scale, double tol, int most,
                        int *independent, double *distance, int *rank)
{
    TN_ASSERT(tol >= 0.0 && most >= 0);
    double *norm = tn_alloc(((size_t)A->nrow + 1) * sizeof(double));
    if (!norm)
        return tn_fail(TN_ERR_MEMORY, "rank of a %d x %d matrix: out of memory", A->nrow, A->ncol);
    tn_status s = row_norms(A, norm);
    TN_THEN(s, scan_dense(A, scale ? scale : norm, tol, most < A->ncol ? most : A->ncol,
                          independent, distance, rank));
    tn_free(norm);
    return s;
}

// The rows of A, divided by their norms, as columns in SPQR's format; NULL without memory.
static cholmod_sparse *unit_rows(const tn_sparse *A, const double *norm, cholmod_common *cc)
{
    cholmod_sparse *copy = tn_spqr_copy(1, A, cc);
    if (!copy)
        return NULL;
    double *x = copy->x;
    for (int k = 0; k < A->nnz; k++)
        x[k] = norm[A->rowind[k]] > 0.0 ? x[k] / norm[A->rowind[k]] : 0.0;
    cholmod_sparse *rows = cholmod_l_transpose(copy, 1, cc);
    cholmod_l_free_sparse(&copy, cc);
    return rows;
}

static tn_status rank_sparse(const tn_sparse *A, const double *norm, double tol, int *independent,
                             int *rank)
{
    cholmod_common cc;
    cholmod_sparse *R = NULL;
    SuiteSparse_long *E = NULL, found = -1;
    tn_spqr_start(&cc);
    cholmod_sparse *rows = unit_rows(A, norm, &cc);
    if (rows) // E has the independent columns first only where R is asked for
        found = SuiteSparseQR_C(SPQR_ORDERING_DEFAULT, tol, 0, 0, rows, NULL, NULL, NULL, NULL, &R,
                                &E, NULL, NULL, NULL, &cc);
    for (int i = 0; i < A->nrow; i++)
        independent[i] = 0;
    for (int k = 0; k < found; k++)
        independent[E ? E[k] : k] = 1;
    *rank = found > 0 ? (int)found : 0;
    const tn_status s = found < 0 ? tn_spqr_failure(&cc) : TN_OK;
    if (E)
        cholmod_l_free((size_t)A->nrow, sizeof(SuiteSparse_long), E, &cc);
    cholmod_l_free_sparse(&R, &cc);
    cholmod_l_free_sparse(&rows, &cc);
    cholmod_l_finish(&cc);
    return s;
}

tn_status tn_row_rank(const tn_sparse *A, double tol, int *independent, int *rank)
{
    TN_ASSERT(tol >= 0.0);
    *rank = 0;
    double *norm = tn_alloc((size_t)A->nrow * sizeof(double));
    if (!norm)
        return tn_fail(TN_ERR_MEMORY, "rank of a %d x %d matrix: out of memory", A->nrow, A->ncol);
    tn_status s = row_norms(A, norm);
    if (s == TN_OK) {
        const bool dense = (double)A->nrow * A->ncol <= DENSE_ENTRIES;
        s = (dense ? rank_dense : rank_sparse)(A, norm, tol, independent, rank);
    }
    tn_free(norm);
    return s;
}

typedef struct {
    cholmod_common cc;
    SuiteSparse_long *index; // numbers of the independent rows
    double *norm;            // of all rows
    double *target;          // the row to combine, of unit length
    int count;
} combination;

// Coefficients for the unit rows, then for the rows as they are.
static tn_status combine_rank(combination *c, const tn_sparse *A, int row, double *coefficient,
                              double *misfit)
{
    TN_ASSERT(c->count > 0 && c->norm[row] > 0.0);
    cholmod_sparse *rows = unit_rows(A, c->norm, &c->cc), *basis = NULL;
    cholmod_dense *b = NULL, *x = NULL;
    if (rows)
        basis = cholmod_l_submatrix(rows, NULL, -1, c->index, c->count, 1, 1, &c->cc);
    if (basis)
        b = tn_spqr_vector(1, A->ncol, c->target, &c->cc);
    if (b)
        x = SuiteSparseQR_C_backslash(SPQR_ORDERING_DEFAULT, SPQR_DEFAULT_TOL, basis, b, &c->cc);
    if (x) {
        const double *value = x->x;
        double minus[2] = {-1.0, 0.0}, one[2] = {1.0, 0.0};
        cholmod_l_sdmult(basis, 0, minus, one, x, b, &c->cc); // b = target - basis x
        *misfit = tn_norm2(A->ncol, b->x);
        for (int k = 0; k < c->count; k++)
            coefficient[c->index[k]] = value[k] * c->norm[row] / c->norm[c->index[k]];
    }
    const tn_status s = x ? TN_OK : tn_spqr_failure(&c->cc);
    cholmod_l_free_dense(&x, &c->cc);
    cholmod_l_free_dense(&b, &c->cc);
    cholmod_l_free_sparse(&basis, &c->cc);
    cholmod_l_free_sparse(&rows, &c->cc);
    return s;
}

tn_status tn_row_combination(const tn_sparse *A, const int *independent, int row,
                             double *coefficient, double *misfit)
{
    TN_ASSERT(row >= 0 && row < A->nrow);
    const size_t nrow = (size_t)A->nrow, ncol = (size_t)A->ncol;
    combination c = {.norm = tn_alloc((nrow + ncol) * sizeof(double)),
                     .index = tn_alloc(nrow * sizeof(SuiteSparse_long))};
    tn_status s = TN_ERR_MEMORY;
    tn_zero(A->nrow, coefficient);
    *misfit = 0.0;
    if (c.norm && c.index)
        s = row_norms(A, c.norm);
    else
        tn_fail(s, "combination of %d rows: out of memory", A->nrow);
    if (s == TN_OK && c.norm[row] > 0.0) {
        c.target = c.norm + nrow;
        for (int j = 0; j < A->ncol; j++)
            c.target[j] = tn_sparse_at(A, row, j) / c.norm[row];
        for (int i = 0; i < A->nrow; i++)
            if (independent[i] && c.norm[i] > 0.0)
                c.index[c.count++] = i;
        *misfit = 1.0;
        tn_spqr_start(&c.cc);
        if (c.count > 0)
            s = combine_rank(&c, A, row, coefficient, misfit);
        cholmod_l_finish(&c.cc);
    }
    TN_FREE(c.norm, c.index);
    return s;
}
