// SPDX-License-Identifier: MIT
//
// Closed loops on an open chain by QR; see chain_loops.h. With Y = Q^T C^T, its first rows are
// (C Q1)^T and the others (C Q2)^T, and C Q1 = K U by a second QR.

#include "motion/chain_loops.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"

#include <math.h>

static void layout_chain_loops(void *self, tn_carve *mem)
{
    tn_loops *l = self;
    const size_t all = sizeof(double) * (size_t)l->nw * (size_t)l->n;
    TN_CARVE_NUMBERS(mem, all, l->rows);
    TN_CARVE_NUMBERS(mem, all, l->QR);
    TN_CARVE_DOUBLES(mem, l->n, &l->tau);
    TN_CARVE_CHOICES(mem, 0, l->n - 1, l->n, &l->order);
    for (int k = 0; k < 2; k++) {
        TN_CARVE_NUMBERS(mem, all, l->side[k].Y);
        TN_CARVE_NUMBERS(mem, sizeof(double) * (size_t)l->n * (size_t)l->rank, l->side[k].KU);
        TN_CARVE_DOUBLES(mem, l->rank, &l->side[k].tau);
    }
    TN_CARVE_DOUBLES(mem, l->nw, &l->t);
    TN_CARVE_DOUBLES(mem, l->n, &l->s);
    l->work = tn_carve_doubles(mem, l->lwork);
}

tn_status tn_loops_create(int n, int rank, int nw, tn_loops **out)
{
    TN_ASSERT(rank >= 0 && rank <= n && rank <= nw);
    *out = NULL;
    tn_loops *l = tn_alloc(sizeof *l);
    TN_TRY(tn_got(l));
    *l = (tn_loops){.n = n, .rank = rank, .nw = nw};
    const int split = tn_qr_work(nw, n), form = tn_qr_work(n, rank);
    l->lwork = split > form ? split : form;
    const tn_status status = tn_carve_block(l, layout_chain_loops, &l->block);
    TN_HAND_OUT(status, l, tn_loops_destroy, out);
}

void tn_loops_destroy(tn_loops *l)
{
    if (l)
        TN_FREE(l->block, l);
}

void tn_loops_values(tn_loops *l, tn_values *v)
{
    tn_carve_values(l, layout_chain_loops, l->block, v);
}

tn_status tn_loops_split(tn_loops *l)
{
    tn_copy(l->nw * l->n, l->rows, l->QR);
    const int rank =
        tn_qr_rank(l->nw, l->n, l->QR, TN_RANK_TOL, l->order, l->tau, l->work, l->lwork);
    return rank >= l->rank ? TN_OK : TN_RETRY_SINGULAR;
}

static tn_status check_rank(const tn_loops *l, const double *KU)
{
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < l->rank; i++) {
        const double x = fabs(KU[i + (size_t)i * (size_t)l->n]);
        least = fmin(least, x);
        most = isfinite(x) ? fmax(most, x) : INFINITY;
    }
    return l->rank == 0 || least > TN_RANK_TOL * most ? TN_OK : TN_RETRY_SINGULAR;
}

tn_status tn_loops_form(tn_loops *l, tn_loops_side side)
{
    TN_ASSERT(side == TN_LOOPS_LEFT || side == TN_LOOPS_RIGHT);
    tn_loops_rows *c = &l->side[side];
    const size_t nw = (size_t)l->nw, n = (size_t)l->n;
    tn_copy(l->nw * l->n, l->rows, c->Y);
    for (size_t r = 0; r < n; r++) {
        tn_qr_apply(l->nw, l->rank, true, l->QR, l->tau, c->Y + r * nw, l->work);
        for (int i = 0; i < l->rank; i++)
            c->KU[r + (size_t)i * n] = c->Y[(size_t)i + r * nw];
    }
    tn_qr_factor(l->n, l->rank, c->KU, c->tau, l->work, l->lwork);
    return check_rank(l, c->KU);
}

// The first entries of g become (C Q1)^+ g.
static void least_squares(tn_loops *l, const tn_loops_rows *c, double *g)
{
    tn_qr_apply(l->n, l->rank, true, c->KU, c->tau, g, l->work);
    tn_upper_solve(l->rank, l->n, false, c->KU, g);
}

void tn_loops_free(tn_loops *l, const double *x, double *w)
{
    tn_zero(l->rank, w);
    tn_copy(l->nw - l->rank, x, w + l->rank);
    tn_qr_apply(l->nw, l->rank, false, l->QR, l->tau, w, l->work);
}

void tn_loops_close(tn_loops *l, tn_loops_side side, double *g, double *w)
{
    least_squares(l, &l->side[side], g);
    tn_copy(l->rank, g, w);
    tn_zero(l->nw - l->rank, w + l->rank);
    tn_qr_apply(l->nw, l->rank, false, l->QR, l->tau, w, l->work);
}

void tn_loops_tangent(tn_loops *l, tn_loops_side side, const double *x, double *w)
{
    TN_ASSERT(x != w && x != l->s);
    const tn_loops_rows *c = &l->side[side];
    const int free = l->nw - l->rank;
    for (int r = 0; r < l->n; r++)
        l->s[r] = -tn_dot(free, c->Y + l->rank + (size_t)r * (size_t)l->nw, x);
    least_squares(l, c, l->s);
    tn_copy(l->rank, l->s, w);
    tn_copy(free, x, w + l->rank);
    tn_qr_apply(l->nw, l->rank, false, l->QR, l->tau, w, l->work);
}

// As C Z = 0, the columns of C are those of C Q1 = K U: what is orthogonal to them is in K.
void tn_loops_idle(tn_loops *l, tn_loops_side side, int j, double *s)
{
    TN_ASSERT(j >= 0 && j < l->n - l->rank);
    const tn_loops_rows *c = &l->side[side];
    tn_zero(l->n, s);
    s[l->rank + j] = 1.0;
    tn_qr_apply(l->n, l->rank, false, c->KU, c->tau, s, l->work);
}

void tn_loops_reduce(tn_loops *l, tn_loops_side side, const double *z, double *out, double *s)
{
    const tn_loops_rows *c = &l->side[side];
    tn_copy(l->nw, z, l->t);
    tn_qr_apply(l->nw, l->rank, true, l->QR, l->tau, l->t, l->work);
    tn_copy(l->rank, l->t, s);
    tn_upper_solve(l->rank, l->n, true, c->KU, s);
    tn_zero(l->n - l->rank, s + l->rank);
    tn_qr_apply(l->n, l->rank, false, c->KU, c->tau, s, l->work);
    tn_copy(l->nw - l->rank, l->t + l->rank, out);
    for (int r = 0; r < l->n; r++)
        tn_axpy(l->nw - l->rank, -s[r], c->Y + l->rank + (size_t)r * (size_t)l->nw, out);
}
