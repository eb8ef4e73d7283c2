// SPDX-License-Identifier: MIT
//
// Null space by Householder's QR factorisation of C^T with pivoting, which reveals the rank
// [LB08, 4.1; Kim and Vanderploeg 1986]:
//
//   A P = Q ( R1  R2 )     rank rows of R kept      Gamma = the last nv - rank columns of Q
//           ( 0   ~0 )
//
//   A^T x = c:  x = Q (R1^-T c_1; 0)                A y = r:  y_1 = R1^-1 (Q^T r)_1,  y_2 = 0
//
// with c_1, y_1 of the rows that pivoting has put first. x is the shortest solution.

#include "linalg/dense.h"
#include "motion/basis_parts.h"

#include <lapacke.h>

typedef tn_basis_by_qr qr;

void tn_basis_qr_layout(tn_basis *b, tn_carve *mem)
{
    qr *s = (qr *)b;
    TN_CARVE_DOUBLES(mem, b->nv * b->rows, &s->QR);
    TN_CARVE_DOUBLES(mem, b->rows, &s->tau);
    TN_CARVE_CHOICES(mem, 0, b->rows - 1, b->rows, &s->order);
}

static void apply_q(qr *s, char transposed, int columns, double *X) // X = Q X or Q^T X
{
    tn_basis *b = &s->base;
    if (b->rank > 0 && columns > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transposed, b->nv, columns, b->rank, s->QR,
                            b->nv, s->tau, X, b->nv, b->work, b->lwork);
}

tn_status tn_basis_qr_form(tn_basis *b, const tn_point *at)
{
    qr *s = (qr *)b;
    const int nv = b->nv, m = b->m, most = nv < m ? nv : m;
    tn_copy(nv * m, b->A, s->QR);
    tn_qr_rank(nv, m, s->QR, 0.0, s->order, s->tau, b->work, b->lwork);
    b->rank = tn_basis_count(b, 1.0, most, s->QR, nv + 1);
    b->nf = nv - b->rank;
    for (int k = 0; k < m; k++)
        b->independent[s->order[k]] = k < b->rank;
    tn_zero(nv * b->nf, b->raw);
    for (int k = 0; k < b->nf; k++)
        tn_column_of(b->raw, nv, k)[b->rank + k] = 1.0;
    apply_q(s, 'N', b->nf, b->raw);
    return TN_OK;
}

void tn_basis_qr_particular(tn_basis *b, const double *c, double *x)
{
    qr *s = (qr *)b;
    for (int k = 0; k < b->nv; k++)
        x[k] = k < b->rank ? c[s->order[k]] : 0.0;
    tn_upper_solve(b->rank, b->nv, true, s->QR, x);
    apply_q(s, 'N', 1, x);
}

void tn_basis_qr_multipliers(tn_basis *b, const double *r, double *y)
{
    qr *s = (qr *)b;
    tn_copy(b->nv, r, b->e);
    apply_q(s, 'T', 1, b->e);
    tn_upper_solve(b->rank, b->nv, false, s->QR, b->e);
    for (int k = 0; k < b->m; k++)
        y[s->order[k]] = k < b->rank ? b->e[k] : 0.0;
}

const tn_basis_ops tn_basis_qr = {
    .name = "qr",
    .size = sizeof(qr),
    .layout = tn_basis_qr_layout,
    .form = tn_basis_qr_form,
    .particular = tn_basis_qr_particular,
    .multipliers = tn_basis_qr_multipliers,
};
