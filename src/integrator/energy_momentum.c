// SPDX-License-Identifier: MIT
//
// Energy-momentum scheme by discrete derivatives [Gon96; LMO08, remark 3.4]. With
// u = (q1 - q0) / h = (v0 + v1) / 2, the discrete force f and rows A of the interval (system.h,
// tn_gradient_ops)
//
//   M (v1 - v0) = h f - h A^T lambda,     g(t1, q1) = 0
//
// Multiplied by u, the left side is the change of kinetic energy, the right side that of potentials
// with the work of all else: A u h = g(q1) - g(q0) = 0. In terms of u and J = h/2 lambda
//
//   b = M u - h/2 f - M v0,   b + A^T J = 0,   M v1 = M v0 + h f - 2 A^T J
//
// Rows of velocities hold and act in the middle, N u + n0 = 0 along N(q_n+1/2): they do no work but
// that of n0.
//
// The output state is q_n, v_n, and between the intervals before and after the node the means of
// their lambda and v' = (u_n - u_n-1) / h, for which M v' is the mean of f - A^T lambda.

#include "integrator/integrator_list.h"
#include "integrator/march.h"
#include "linalg/dense.h"

static tn_status energy_momentum_balance(tn_march *s, tn_system *sys, const tn_march_interval *at,
                                         const double *u, tn_march_want want)
{
    TN_ASSERT(at->h > 0.0 && u != s->q1);
    static const unsigned parts[] = {
        [TN_MARCH_B] = TN_EVAL_MASS | TN_EVAL_FORCE,
        [TN_MARCH_CARRIER] = TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B,
        [TN_MARCH_TANGENT] = TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_TANGENT,
    };
    tn_march_along(sys->nv, at->q, at->h, u, s->q1);
    const tn_span over = {.t = at->t,
                          .h = at->h,
                          .q0 = at->q,
                          .q1 = s->q1,
                          .u = u,
                          .lambda = s->mean,
                          .eta = s->mean + sys->ng,
                          .r = at->r,
                          .e = s->e};
    TN_TRY(tn_system_gradient(sys, &over, parts[want]));
    for (int i = 0; i < sys->nv; i++)
        s->b[i] = -0.5 * at->h * sys->f[i] - at->p[i];
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, u, s->b);
    return TN_OK;
}

static tn_balance energy_momentum_derivative(double h)
{
    return (tn_balance){.d = 0.5 * h, .k = 0.5 * h * h};
}

// v1 = 2 u - v0, with v0 of the node that the interval begins at. Where u has the round-off of q
// over h, it would pile up; the momentum has none of it.
static void find_velocity(tn_march *s, tn_discrete *d, const double *u)
{
    const int nv = d->sys->nv;
    for (int i = 0; i < nv; i++)
        s->v[i] = 2.0 * u[i] - s->to.v[i];
    if (!d->ops->respond)
        return;
    tn_copy(nv, s->p, s->b);
    tn_sparse_mul(d->sys->block[TN_BLOCK_M], -1.0, s->v, s->b);
    d->ops->respond(d, s->b, s->change);
    tn_axpy(nv, 1.0, s->change, s->v);
}

static void energy_momentum_momentum(tn_march *s, tn_discrete *d, double h, const double *u)
{
    tn_axpy(d->sys->nv, h, d->sys->f, s->p);
    tn_discrete_apply(d, -2.0, s->J, s->p);
    find_velocity(s, d, u);
}

static tn_status energy_momentum_velocity(tn_march *s, tn_stepper *stepper,
                                          const tn_march_interval *next, double *v)
{
    tn_copy(stepper->discrete->sys->nv, s->v, v);
    return TN_OK;
}

static void energy_momentum_multipliers(const tn_march *s, int rows, double h, double *lambda)
{
    TN_ASSERT(h > 0.0);
    for (int i = 0; i < rows; i++)
        lambda[i] = (s->J0[i] + s->J[i]) / h;
}

static const tn_principle principle = {
    .exact = true,
    .share = 0.5,
    .derivative = energy_momentum_derivative,
    .balance = energy_momentum_balance,
    .momentum = energy_momentum_momentum,
    .velocity = energy_momentum_velocity,
    .multipliers = energy_momentum_multipliers,
};

static tn_status begin_energy_momentum(tn_integrator *self, const tn_sim_options *options)
{
    tn_march_begin(self, &principle);
    return TN_OK;
}

const tn_integrator_ops tn_integrator_energy_momentum = {
    .name = "energy-momentum",
    .reads = {.any = "newton_max jacobian_every"},
    .text = "discrete derivatives, conserves energy and momenta exactly; no laws by "
            "reactions",
    .source = "[Gon96; LMO08, remark 3.4]",
    TN_MARCH_OPS,
    .begin = begin_energy_momentum,
};
