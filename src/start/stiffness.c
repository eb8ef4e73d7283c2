// SPDX-License-Identifier: MIT
//
// Largest eigenvalues of M^-1 K and M^-1 D on the motions that the constraints allow, by a few
// power iterations: x -> solution of M x + C^T y = K x_old, C x = 0. Of K and D the symmetric part
// is taken: gyroscopic and circulatory terms turn a motion and do not make it stiff.
//
// Motions without inertia (massless.h) have no part in M: they follow the others at once, as their
// dampers show, and come to rest at rates of their own, those of S^T K S against S^T D S.

#include "start/stiffness.h"

#include "base/alloc.h"
#include "base/random.h"
#include "linalg/dense.h"

#include <math.h>

static const int ITERATIONS = 12;

tn_status tn_stiffness_apply(tn_start *s, const tn_point *at, const tn_sparse *A, double *x,
                             double *y, double *rows)
{
    TN_ASSERT(A->ncol == s->sys->nv);
    tn_massless *ml = s->accel->massless;
    if (ml)
        TN_TRY(tn_massless_follow(ml, at, x));
    tn_zero(s->sys->nv, y);
    tn_zero(s->sys->ng + s->sys->nn, rows);
    tn_sparse_mul(A, 0.5, x, y);
    tn_sparse_mul_t(A, 0.5, x, y);
    TN_TRY(tn_accel_resolve(s->accel, y, rows));
    if (ml)
        tn_massless_remove(ml, y);
    return TN_OK;
}

static tn_status stiffness_largest(tn_start *s, const tn_point *at, const tn_sparse *A, double *x,
                                   double *y, double *rows, double *out)
{
    const int nv = s->sys->nv;
    *out = 0.0;
    if (!A)
        return TN_OK;
    tn_random_fill(88172645u, nv, x);
    for (int k = 0; k < ITERATIONS; k++) {
        TN_TRY(tn_stiffness_apply(s, at, A, x, y, rows));
        const double size = tn_norm2(nv, x), grown = tn_norm2(nv, y);
        if (!(size > 0.0) || !(grown > 0.0))
            return TN_OK;
        *out = grown / size;
        tn_copy(nv, y, x);
        tn_scale(nv, 1.0 / grown, x);
    }
    return TN_OK;
}

static double motion_rate(const tn_start *s, const double *v, const double *a)
{
    const double size = fmax(1e-3, tn_norm_inf(s->sys->nq, s->x.q));
    const double speed = tn_norm_inf(s->sys->nv, v), gain = tn_norm_inf(s->sys->nv, a);
    return fmax(1.0, fmax(speed / size, sqrt(gain / size)));
}

// The same of what has inertia: others may come to rest at once, however fast they are now.
static tn_status slower_motion(tn_start *s, const tn_point *at, double *v, double *a, double *out)
{
    tn_massless *ml = s->accel->massless;
    if (!ml)
        return TN_OK;
    tn_copy(s->sys->nv, s->x.v, v);
    tn_copy(s->sys->nv, s->x.a, a);
    TN_TRY(tn_massless_follow(ml, at, v));
    TN_TRY(tn_massless_follow(ml, at, a));
    *out = motion_rate(s, v, a);
    return TN_OK;
}

// work: two directions and constraint rows, then zeros for v' and the multipliers.
static tn_status find_rates(tn_start *s, double *work, tn_stiffness *out)
{
    static const unsigned parts = TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_G |
                                  TN_EVAL_GDOT | TN_EVAL_EXTRA | TN_EVAL_TANGENT;
    tn_system *sys = s->sys;
    const int nv = sys->nv;
    double *x = work, *y = x + nv, *rows = y + nv, *zeros = rows + sys->ng + sys->nn;
    tn_point at = tn_state_point(&s->x);
    double K = 0.0, springs = 0.0, rest = 0.0;
    TN_TRY(tn_accel_factor(s->accel, &at));
    TN_TRY(tn_system_eval(sys, &at, parts));
    TN_TRY(slower_motion(s, &at, x, y, &out->motion));
    TN_TRY(stiffness_largest(s, &at, sys->block[TN_BLOCK_D], x, y, rows, &out->decay));
    TN_TRY(stiffness_largest(s, &at, sys->block[TN_BLOCK_K], x, y, rows, &K));
    if (sys->nmassless > 0)
        TN_TRY(tn_massless_rate(s->accel->massless, &at, &rest));
    out->decay = fmax(out->decay, rest);
    at.a = zeros;
    at.lambda = zeros + nv;
    at.eta = at.lambda + sys->ng;
    TN_TRY(tn_system_eval(sys, &at, parts));
    TN_TRY(stiffness_largest(s, &at, sys->block[TN_BLOCK_K], x, y, rows, &springs));
    out->frequency = sqrt(K);
    out->springs = sqrt(springs);
    return TN_OK;
}

tn_status tn_stiffness_find(tn_start *s, tn_stiffness *out)
{
    const size_t nv = (size_t)s->sys->nv, rows = (size_t)(s->sys->ng + s->sys->nn);
    *out = (tn_stiffness){.motion = motion_rate(s, s->x.v, s->x.a)};
    double *work = tn_alloc(sizeof(double) * (3 * nv + 2 * rows + 1));
    TN_TRY(tn_got(work));
    const long evals = s->sys->evals, tangents = s->sys->tangents;
    const tn_status status = find_rates(s, work, out);
    s->sys->evals = evals; // of the run only those count that it needs
    s->sys->tangents = tangents;
    tn_free(work);
    return status > 0 ? TN_OK : status; // nothing seen is nothing stiff
}
