// SPDX-License-Identifier: MIT
//
// Shared parts of all formulations of the DISCRETE view: which systems they take; see discrete.h.

#include "formulation/discrete.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <string.h>

static tn_status refuse_mass(const tn_system *s)
{
    return tn_fail(TN_ERR_PAIRING,
                   "discrete principles need a constant mass matrix, which this model "
                   "does not have in %s coordinates; take %s",
                   s->ops->coordinates, s->ops->mechanism ? "@director" : "galpha/ggl");
}

// A mass matrix that is the same where all coordinates and the time are others is taken for
// constant. Entries are sums of a few products: they agree to round-off.
static tn_status compare_mass(tn_system *s, const tn_point *at, double *M0, double *q)
{
    const tn_sparse *M = s->block[TN_BLOCK_M];
    TN_TRY(tn_system_eval(s, at, TN_EVAL_MASS));
    tn_copy(M->nnz, M->val, M0);
    for (int i = 0; i < s->nq; i++)
        q[i] = at->q[i] + 0.37 + 0.11 * (i % 5);
    tn_point away = *at;
    away.q = q;
    away.t += 0.61;
    if (tn_system_eval(s, &away, TN_EVAL_MASS) != TN_OK)
        return refuse_mass(s);
    const double size = tn_norm_inf(M->nnz, M0);
    tn_axpy(M->nnz, -1.0, M->val, M0);
    const bool same = tn_norm_inf(M->nnz, M0) <= TN_ROUND_MATRIX * size;
    TN_TRY(tn_system_eval(s, at, TN_EVAL_MASS));
    return same ? TN_OK : refuse_mass(s);
}

static tn_status check_mass(tn_system *s, const tn_point *at)
{
    if (!s->block[TN_BLOCK_M])
        return refuse_mass(s);
    const int nnz = s->block[TN_BLOCK_M]->nnz;
    double *work = tn_alloc(sizeof(double) * (size_t)(nnz + s->nq));
    TN_TRY(tn_got(work));
    const tn_status status = compare_mass(s, at, work, work + nnz);
    tn_free(work);
    return status;
}

static void layout_discrete(void *self, tn_carve *mem)
{
    tn_discrete *d = self;
    const tn_sparse *const *block = (const tn_sparse *const *)d->sys->block;
    const tn_sparse *B = block[TN_BLOCK_B], *N = block[TN_BLOCK_N], *NZ = block[TN_BLOCK_NZ];
    d->rows = d->sys->ng + d->sys->nn;
    d->active = tn_carve_ints(mem, d->rows);
    TN_CARVE_DOUBLES(mem, B ? B->nnz : 0, &d->carry);
    TN_CARVE_DOUBLES(mem, N ? N->nnz : 0, &d->carry_N, &d->N);
    TN_CARVE_DOUBLES(mem, NZ ? NZ->nnz : 0, &d->NZ);
    TN_CARVE_DOUBLES(mem, d->sys->nn, &d->slip);
    TN_CARVE_DOUBLES(mem, d->sys->nn > 0 ? d->sys->nv + d->rows : 0, &d->rest);
    TN_CARVE_DOUBLES(mem, d->sys->nq, &d->q1);
}

tn_status tn_discrete_create(tn_system *sys, const tn_formulation *formulation, const tn_point *at,
                             const int *active, tn_discrete **out)
{
    *out = NULL;
    TN_TRY(check_mass(sys, at));
    tn_discrete *d = tn_alloc(sizeof *d);
    TN_TRY(tn_got(d));
    d->sys = sys;
    d->ops = formulation->discrete;
    tn_status status = tn_carve_block(d, layout_discrete, &d->block);
    for (int i = 0; status == TN_OK && i < d->rows; i++)
        d->active[i] = active[i];
    TN_THEN(status, d->ops->open(d));
    TN_HAND_OUT(status, d, tn_discrete_destroy, out);
}

void tn_discrete_destroy(tn_discrete *d)
{
    if (!d)
        return;
    d->ops->close(d);
    TN_FREE(d->block, d);
}

void tn_discrete_values(tn_discrete *d, tn_values *v)
{
    tn_carve_values(d, layout_discrete, d->block, v);
    tn_values_enter(v, "discrete");
    TN_VALUES(v, "s", 1, &d->t, &d->h);
    d->ops->values(d, v);
    tn_values_leave(v);
}

static tn_status factor_once(tn_discrete *d, const tn_point *at, double h, double *u, double *y)
{
    tn_system *sys = d->sys;
    const tn_balance balance = {.d = 0.5 * h, .k = 0.25 * h * h};
    double *r = y + d->n;
    TN_TRY(tn_discrete_begin(d, at, h));
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_TANGENT));
    TN_TRY(tn_discrete_carry(d, at));
    TN_TRY(tn_discrete_roll(d, at->v, true));
    d->ops->predict(d, at->v, at->lambda, y);
    TN_TRY(d->ops->move(d, y, u));
    TN_TRY(d->ops->residual(d, y, u, sys->f, true, r));
    return d->ops->factor(d, y, &balance);
}

tn_status tn_discrete_warm_up(tn_discrete *d, const tn_point *at, double h)
{
    TN_ASSERT(h > 0.0);
    double *work = tn_alloc(sizeof(double) * (size_t)(d->sys->nv + 2 * d->n));
    TN_TRY(tn_got(work));
    const tn_status status = factor_once(d, at, h, work, work + d->sys->nv);
    tn_free(work);
    return status;
}

void tn_discrete_choose(tn_discrete *d, const int *active)
{
    const size_t size = sizeof(int) * (size_t)d->rows;
    if (!memcmp(d->active, active, size))
        return;
    memcpy(d->active, active, size);
    if (d->ops->choose)
        d->ops->choose(d);
}

tn_status tn_discrete_begin(tn_discrete *d, const tn_point *node, double h)
{
    TN_ASSERT(h > 0.0);
    d->t = node->t;
    d->h = h;
    d->q = node->q;
    d->r = node->r;
    return d->ops->begin ? d->ops->begin(d) : TN_OK;
}

tn_status tn_discrete_eval_end(tn_discrete *d, const double *u, unsigned want)
{
    TN_ASSERT(d->h > 0.0 && u != d->q1);
    for (int i = 0; i < d->sys->nq; i++)
        d->q1[i] = d->q[i] + d->h * u[i];
    const tn_point end = {.t = d->t + d->h, .q = d->q1, .v = u, .r = d->r};
    return tn_system_eval(d->sys, &end, want);
}

tn_status tn_discrete_carry(tn_discrete *d, const tn_point *at)
{
    const tn_sparse *B = d->sys->block[TN_BLOCK_B];
    const tn_sparse *N = d->sys->block[TN_BLOCK_N];
    if (B)
        tn_copy(B->nnz, B->val, d->carry);
    if (N)
        tn_copy(N->nnz, N->val, d->carry_N);
    return d->ops->carry ? d->ops->carry(d, at) : TN_OK;
}

tn_status tn_discrete_roll(tn_discrete *d, const double *u, bool tangent)
{
    tn_system *sys = d->sys;
    if (sys->nn == 0)
        return TN_OK;
    for (int i = 0; i < sys->nq; i++)
        d->q1[i] = d->q[i] + 0.5 * d->h * u[i];
    const double *zeros = d->rest + sys->nv;
    const tn_point middle = {d->t + 0.5 * d->h, d->q1, u, d->rest, zeros, zeros, NULL, d->r};
    TN_TRY(
        tn_system_eval(sys, &middle, TN_EVAL_GDOT | (tangent ? TN_EVAL_B | TN_EVAL_TANGENT : 0u)));
    tn_copy(sys->nn, sys->ndot, d->slip);
    if (tangent) {
        tn_copy(sys->block[TN_BLOCK_N]->nnz, sys->block[TN_BLOCK_N]->val, d->N);
        tn_copy(sys->block[TN_BLOCK_NZ]->nnz, sys->block[TN_BLOCK_NZ]->val, d->NZ);
    }
    return TN_OK;
}

static void apply_block(const tn_sparse *block, double *values, double s, const double *J,
                        double *y)
{
    if (!block)
        return;
    tn_sparse A = *block;
    A.val = values;
    tn_sparse_mul_t(&A, s, J, y);
}

void tn_discrete_apply(const tn_discrete *d, double s, const double *J, double *y)
{
    TN_ASSERT(J != y || d->rows == 0);
    apply_block(d->sys->block[TN_BLOCK_B], d->carry, s, J, y);
    apply_block(d->sys->block[TN_BLOCK_N], d->carry_N, s, J + d->sys->ng, y);
}
