// SPDX-License-Identifier: MIT
//
// Finds independent rows of a matrix, and the dependence of the others on them.
//
// Rows of length one, as columns of A^T, are reduced by Householder reflections in their order:
//
//   w = H_r ... H_1 a_i,    independent when |w_(r+1 ... ncol)| > tol
//
// The norm is the distance of row i from the span of the independent rows before it. A row is
// therefore called dependent only when earlier ones contain it. Reflections end where their vector
// does, and one that has no entry in common with w is left out: rows of mechanisms are short, and
// neighbours stand near each other: at 1000 x 1000 half a second where nothing can be left out,
// 10 ms on a ladder. Larger matrices go to SPQR, which does the same in an order that keeps the
// fill low.

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "linalg/solver.h"
#include "linalg/spqr.h"

#include <math.h>

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

// Distance of row i from those taken so far; takes it where that is more than tol.
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
        const bool dense = (double)A->nrow * A->ncol <= TN_DENSE_ENTRIES;
        s = (dense ? rank_dense : rank_sparse)(A, norm, tol, independent, rank);
    }
    tn_free(norm);
    return s;
}

struct tn_row_basis {
    cholmod_common cc;
    int nrow, ncol, count;
    SuiteSparse_long *index; // numbers of the independent rows
    double *norm;            // of all rows
    cholmod_sparse *rows;    // all, of unit length, as columns
    cholmod_sparse *basis;   // the independent ones
    SuiteSparseQR_C_factorization *QR;
};

void tn_row_basis_destroy(tn_row_basis *b)
{
    if (!b)
        return;
    SuiteSparseQR_C_free(&b->QR, &b->cc);
    cholmod_l_free_sparse(&b->basis, &b->cc);
    cholmod_l_free_sparse(&b->rows, &b->cc);
    cholmod_l_finish(&b->cc);
    TN_FREE(b->norm, b->index, b);
}

static tn_status fill_basis(tn_row_basis *b, const tn_sparse *A, const int *independent)
{
    TN_TRY(row_norms(A, b->norm));
    for (int i = 0; i < A->nrow; i++)
        if (independent[i] && b->norm[i] > 0.0)
            b->index[b->count++] = i;
    b->rows = unit_rows(A, b->norm, &b->cc);
    if (b->rows && b->count > 0) {
        b->basis = cholmod_l_submatrix(b->rows, NULL, -1, b->index, b->count, 1, 1, &b->cc);
        if (b->basis)
            b->QR = SuiteSparseQR_C_factorize(SPQR_ORDERING_DEFAULT, SPQR_DEFAULT_TOL, b->basis,
                                              &b->cc);
    }
    return b->rows && (b->count == 0 || b->QR) ? TN_OK : tn_spqr_failure(&b->cc);
}

tn_status tn_row_basis_create(const tn_sparse *A, const int *independent, tn_row_basis **out)
{
    const size_t nrow = (size_t)A->nrow;
    *out = NULL;
    tn_row_basis *b = tn_alloc(sizeof *b);
    TN_TRY(tn_got(b));
    tn_spqr_start(&b->cc);
    b->nrow = A->nrow;
    b->ncol = A->ncol;
    b->norm = tn_alloc(nrow * sizeof(double));
    b->index = tn_alloc(nrow * sizeof(SuiteSparse_long));
    tn_status s = tn_got(b->norm && b->index);
    TN_THEN(s, fill_basis(b, A, independent));
    TN_HAND_OUT(s, b, tn_row_basis_destroy, out);
}

// Rows of unit length, by columns; NULL without memory.
static cholmod_dense *take_rows(tn_row_basis *b, int count, const int *row)
{
    const SuiteSparse_long *p = b->rows->p, *i = b->rows->i;
    const double *x = b->rows->x;
    const size_t n = (size_t)b->ncol;
    cholmod_dense *out = cholmod_l_allocate_dense(n, (size_t)count, n, CHOLMOD_REAL, &b->cc);
    if (!out)
        return NULL;
    for (int c = 0; c < count; c++) {
        double *column = (double *)out->x + (size_t)c * n;
        tn_zero(b->ncol, column);
        for (SuiteSparse_long k = p[row[c]]; k < p[row[c] + 1]; k++)
            column[i[k]] = x[k];
    }
    return out;
}

// Coefficients for the unit rows, then for the rows as they are.
static void give_coefficients(const tn_row_basis *b, int row, const double *value,
                              double *coefficient)
{
    for (int k = 0; k < b->count; k++)
        coefficient[b->index[k]] = value[k] * b->norm[row] / b->norm[b->index[k]];
}

tn_status tn_row_basis_combine(tn_row_basis *b, int count, const int *row, double *coefficient,
                               double *misfit)
{
    const size_t nrow = (size_t)b->nrow, ncol = (size_t)b->ncol;
    for (int c = 0; c < count; c++) {
        TN_ASSERT(row[c] >= 0 && row[c] < b->nrow);
        tn_zero(b->nrow, coefficient + (size_t)c * nrow);
        misfit[c] = b->norm[row[c]] > 0.0 ? 1.0 : 0.0;
    }
    if (b->count == 0 || count == 0)
        return TN_OK;
    cholmod_dense *target = take_rows(b, count, row), *turned = NULL, *x = NULL;
    if (target)
        turned = SuiteSparseQR_C_qmult(SPQR_QTX, b->QR, target, &b->cc);
    if (turned)
        x = SuiteSparseQR_C_solve(SPQR_RETX_EQUALS_B, b->QR, turned, &b->cc);
    if (x) {
        double minus[2] = {-1.0, 0.0}, one[2] = {1.0, 0.0};
        cholmod_l_sdmult(b->basis, 0, minus, one, x, target, &b->cc); // target - basis x
        for (int c = 0; c < count; c++) {
            give_coefficients(b, row[c], (double *)x->x + (size_t)c * x->d,
                              coefficient + (size_t)c * nrow);
            misfit[c] = tn_norm2(b->ncol, (double *)target->x + (size_t)c * ncol);
        }
    }
    const tn_status s = x ? TN_OK : tn_spqr_failure(&b->cc);
    cholmod_l_free_dense(&x, &b->cc);
    cholmod_l_free_dense(&turned, &b->cc);
    cholmod_l_free_dense(&target, &b->cc);
    return s;
}
