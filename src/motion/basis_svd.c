// SPDX-License-Identifier: MIT
//
// Null space by the singular value decomposition [LB08, 4.1; Singh and Likins 1985; Mani, Haug and
// Atkinson 1985], the most robust way and the dearest:
//
//   A = U S V^T       Gamma = the columns of U without a singular value
//   A^T x = c:  x = U S^-1 V^T c          A y = r:  y = V S^-1 U^T r

#include "linalg/denormal.h"
#include "linalg/dense.h"
#include "motion/basis_parts.h"

#include <lapacke.h>

typedef struct svd {
    tn_basis base;
    double *copy; // nv rows
    double *U;    // nv nv
    double *Vt;   // m m
    double *S;    // smaller of both
    int *iwork;   // eight times that
} svd;

static void layout_basis_svd(tn_basis *b, tn_carve *mem)
{
    svd *s = (svd *)b;
    TN_CARVE_DOUBLES(mem, b->nv * b->rows, &s->copy);
    TN_CARVE_DOUBLES(mem, b->nv * b->nv, &s->U);
    TN_CARVE_DOUBLES(mem, b->rows * b->rows, &s->Vt);
    TN_CARVE_DOUBLES(mem, tn_smaller(b->nv, b->rows), &s->S);
    s->iwork = tn_carve_ints(mem, 8 * tn_smaller(b->nv, b->rows));
}

static tn_status decompose(svd *s)
{
    TN_ASSERT(s->base.m > 0);
    tn_basis *b = &s->base;
    const int nv = b->nv, m = b->m;
    tn_copy(nv * m, b->A, s->copy);
    const uint64_t control = tn_flush_denormals();
    const int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', nv, m, s->copy, nv, s->S, s->U, nv,
                                         s->Vt, m, b->work, b->lwork, s->iwork);
    tn_keep_denormals(control);
    if (info == 0)
        return TN_OK;
    return tn_fail(TN_RETRY_SINGULAR, "the singular values of the constraints were not found");
}

static void take_identity(int n, double *X)
{
    tn_zero(n * n, X);
    for (int k = 0; k < n; k++)
        tn_column_of(X, n, k)[k] = 1.0;
}

static tn_status form_basis_svd(tn_basis *b, const tn_point *at)
{
    svd *s = (svd *)b;
    if (b->m > 0)
        TN_TRY(decompose(s));
    else
        take_identity(b->nv, s->U);
    b->rank = tn_basis_count(b, 1.0, tn_smaller(b->nv, b->m), s->S, 1);
    b->nf = b->nv - b->rank;
    tn_copy(b->nv * b->nf, tn_column_of(s->U, b->nv, b->rank), b->raw);
    return TN_OK;
}

static void basis_svd_particular(tn_basis *b, const double *c, double *x)
{
    svd *s = (svd *)b;
    tn_zero(b->nv, x);
    for (int k = 0; k < b->rank; k++) {
        double part = 0.0;
        for (int i = 0; i < b->m; i++)
            part += tn_column_of(s->Vt, b->m, i)[k] * c[i];
        tn_axpy(b->nv, part / s->S[k], tn_column_of(s->U, b->nv, k), x);
    }
}

static void basis_svd_multipliers(tn_basis *b, const double *r, double *y)
{
    svd *s = (svd *)b;
    TN_ASSERT(b->rank == 0 || s->S[b->rank - 1] > 0.0);
    for (int k = 0; k < b->rank; k++)
        b->e[k] = tn_dot(b->nv, tn_column_of(s->U, b->nv, k), r) / s->S[k];
    for (int i = 0; i < b->m; i++)
        y[i] = tn_dot(b->rank, tn_column_of(s->Vt, b->m, i), b->e);
}

static void kernel(tn_basis *b, double *Z)
{
    svd *s = (svd *)b;
    for (int k = b->rank; k < b->m; k++)
        for (int i = 0; i < b->m; i++)
            tn_column_of(Z, b->m, k - b->rank)[i] = tn_column_of(s->Vt, b->m, i)[k];
}

const tn_basis_ops tn_basis_svd = {
    .name = "svd",
    .size = sizeof(svd),
    .layout = layout_basis_svd,
    .form = form_basis_svd,
    .particular = basis_svd_particular,
    .multipliers = basis_svd_multipliers,
    .kernel = kernel,
};
