// SPDX-License-Identifier: MIT
//
// Sparse QR: the common parts, and the minimum-norm solution of a large singular system.
//
//   S E = Q [R; 0],    R of `rank` rows, trapezoidal
//   T = D_c^-1 E R^T,  x = Q2 [R2^-T c; 0],   T = Q2 [R2; 0],  c = first rank entries of Q^T b
//
// as in solver_dense.c, with two sparse factorisations. SPQR decides the rank by dropping columns
// whose remaining norm is below a tolerance.

#include "linalg/spqr.h"

#include "linalg/dense.h"
#include "linalg/solver_parts.h"

#include <math.h>

void tn_spqr_start(cholmod_common *cc)
{
    cholmod_l_start(cc);
    cc->print = 0;
}

static int numbers(int parts)
{
    TN_ASSERT(parts == 1 || parts == 2);
    return parts == 1 ? CHOLMOD_REAL : CHOLMOD_COMPLEX;
}

cholmod_sparse *tn_spqr_copy(int parts, const tn_sparse *A, cholmod_common *cc)
{
    cholmod_sparse *C = cholmod_l_allocate_sparse((size_t)A->nrow, (size_t)A->ncol, (size_t)A->nnz,
                                                  0, 1, 0, numbers(parts), cc);
    if (!C)
        return NULL;
    SuiteSparse_long *p = C->p, *i = C->i;
    for (int j = 0; j <= A->ncol; j++)
        p[j] = A->colptr[j];
    for (int k = 0; k < A->nnz; k++)
        i[k] = A->rowind[k];
    tn_copy(parts * A->nnz, A->val, C->x);
    return C;
}

cholmod_dense *tn_spqr_vector(int parts, int n, const double *x, cholmod_common *cc)
{
    cholmod_dense *v = cholmod_l_allocate_dense((size_t)n, 1, (size_t)n, numbers(parts), cc);
    if (v)
        tn_copy(parts * n, x, v->x);
    return v;
}

tn_status tn_spqr_failure(const cholmod_common *cc)
{
    if (cc->status == CHOLMOD_OUT_OF_MEMORY)
        return tn_fail(TN_ERR_MEMORY, "sparse QR: out of memory");
    return tn_fail(TN_ERR_NUMERIC, "sparse QR: failed with CHOLMOD status %d", cc->status);
}

static double largest_column(int parts, const tn_sparse *S)
{
    double largest = 0.0;
    for (int j = 0; j < S->ncol; j++)
        largest = fmax(largest, tn_norm2(parts * (S->colptr[j + 1] - S->colptr[j]),
                                         S->val + parts * S->colptr[j]));
    return largest;
}

// T = D_c^-1 E R^H: first the transpose of R, conjugate where it is complex, then its rows go to
// their places.
static cholmod_sparse *second_matrix(int parts, cholmod_sparse *R, const SuiteSparse_long *E,
                                     const double *col, cholmod_common *cc)
{
    TN_ASSERT(R->nrow <= R->ncol);
    cholmod_sparse *T = cholmod_l_transpose(R, 2, cc);
    if (!T)
        return NULL;
    const SuiteSparse_long *p = T->p;
    SuiteSparse_long *i = T->i;
    double *x = T->x;
    for (SuiteSparse_long k = 0; k < p[T->ncol]; k++) {
        i[k] = E ? E[i[k]] : i[k];
        for (int part = 0; part < parts; part++)
            x[parts * k + part] /= col[i[k]];
    }
    T->sorted = 0;
    return T;
}

// x = Q2 [R2^-T c; 0]
static tn_status second_solve(int parts, cholmod_sparse *T, cholmod_dense *c, double *x,
                              cholmod_common *cc)
{
    cholmod_dense *z = NULL, *Qz = NULL;
    SuiteSparseQR_C_factorization *QR =
        SuiteSparseQR_C_factorize(SPQR_ORDERING_DEFAULT, SPQR_NO_TOL, T, cc);
    if (QR)
        z = SuiteSparseQR_C_solve(SPQR_RTX_EQUALS_ETB, QR, c, cc);
    if (z)
        Qz = SuiteSparseQR_C_qmult(SPQR_QX, QR, z, cc);
    if (Qz)
        tn_copy(parts * (int)T->nrow, Qz->x, x);
    const tn_status s = Qz ? TN_OK : tn_spqr_failure(cc);
    cholmod_l_free_dense(&Qz, cc);
    cholmod_l_free_dense(&z, cc);
    SuiteSparseQR_C_free(&QR, cc);
    return s;
}

tn_status tn_spqr_min_norm(int parts, const tn_sparse *S, const double *col, double *b, int *rank)
{
    TN_ASSERT(S->nrow == S->ncol);
    cholmod_common cc;
    cholmod_sparse *R = NULL, *T = NULL;
    cholmod_dense *c = NULL;
    SuiteSparse_long *E = NULL, found = -1;
    tn_spqr_start(&cc);
    cholmod_sparse *A = tn_spqr_copy(parts, S, &cc);
    cholmod_dense *B =
        A ? tn_spqr_vector(parts, S->nrow, b, &cc) : NULL; // a success clears the status
    if (B)
        found = SuiteSparseQR_C(SPQR_ORDERING_DEFAULT, TN_RANK_TOL * largest_column(parts, S), 0, 0,
                                A, NULL, B, NULL, &c, &R, &E, NULL, NULL, NULL, &cc);
    if (found > 0)
        T = second_matrix(parts, R, E, col, &cc);
    tn_status s = found < 0 || (found > 0 && !T) ? tn_spqr_failure(&cc) : TN_OK;
    if (s == TN_OK) {
        *rank = (int)found;
        tn_zero(parts * S->nrow, b);
        s = found > 0 ? second_solve(parts, T, c, b, &cc) : TN_OK;
    }
    if (E)
        cholmod_l_free((size_t)S->ncol, sizeof(SuiteSparse_long), E, &cc);
    cholmod_l_free_dense(&c, &cc);
    cholmod_l_free_dense(&B, &cc);
    cholmod_l_free_sparse(&T, &cc);
    cholmod_l_free_sparse(&R, &cc);
    cholmod_l_free_sparse(&A, &cc);
    cholmod_l_finish(&cc);
    return s;
}
