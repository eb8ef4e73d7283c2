// SPDX-License-Identifier: MIT
//
// Variational integrator of the midpoint discrete Lagrangian [LMO08, sect. 3]: symplectic, and
// momentum maps are conserved. With u = (q1 - q0) / h and f = f(t0 + h/2, q0 + h u / 2, u)
//
//   L_d = h/2 u^T M u - h V((q0 + q1) / 2)
//   p-  = -D1 L_d = M u - h/2 f,   p+ = D2 L_d = M u + h/2 f
//
// where f also holds forces without potential: the discrete principle of Lagrange and d'Alembert,
// half of the impulse of the midpoint at each end. Momenta match at the nodes [LMO08, eq. 22, 34]:
//
//   p-(q_n, q_n+1) + h B(q_n)^T lambda_n = p+(q_n-1, q_n),     g(t_n+1, q_n+1) = 0
//   p-(q_0, q_1) + h/2 B(q_0)^T lambda_0 = M v_0               at the start
//
// Rows of velocities hold in the middle of intervals, N u + n0 = 0, and their impulses are along
// N(q_n) at the nodes, h N^T eta_n beside h B^T lambda_n: the discrete principle of Lagrange and
// d'Alembert with nonholonomic constraints [CM01].
//
// lambda_n comes with q_n+1, so the integrator is one interval ahead of the state that it shows.
// That state is q_n, lambda_n, the central difference v' = (u_n - u_n-1) / h, for which
// M v' = (f_n-1 + f_n) / 2 - B^T lambda_n holds as it stands, and the velocity of the projected
// momentum [LMO08, eq. 40], M v + B^T mu = p+, B v + g_t = 0. A start from this v goes on along the
// same q_n, as what the projection takes away lies in the range of B^T and is lambda's to restore.

#include "integrator/integrator_list.h"
#include "integrator/march.h"
#include "linalg/dense.h"

// f and, where wanted, its derivatives at the midpoint: without constraint forces, which act at
// nodes, and without v', as M is constant. b = p- - p
static tn_status variational_balance(tn_march *s, tn_system *sys, const tn_march_interval *at,
                                     const double *u, tn_march_want want)
{
    TN_ASSERT(at->h > 0.0);
    tn_march_along(sys->nv, at->q, 0.5 * at->h, u, s->q_mid);
    const tn_point middle = {.t = at->t + 0.5 * at->h,
                             .q = s->q_mid,
                             .v = u,
                             .a = s->rest_v,
                             .lambda = s->rest_lambda,
                             .eta = s->rest_lambda,
                             .e = s->e,
                             .r = at->r};
    const unsigned tangent = want == TN_MARCH_TANGENT ? TN_EVAL_LOADS : 0;
    TN_TRY(tn_system_eval(sys, &middle, TN_EVAL_MASS | TN_EVAL_FORCE | tangent));
    for (int i = 0; i < sys->nv; i++)
        s->b[i] = -0.5 * at->h * sys->f[i] - at->p[i];
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, u, s->b);
    return TN_OK;
}

static tn_balance variational_derivative(double h)
{
    return (tn_balance){.d = 0.5 * h, .k = 0.25 * h * h};
}

// p+ = p + h f - A^T J, as p- + A^T J = p.
static void variational_momentum(tn_march *s, tn_discrete *d, double h, const double *u)
{
    tn_axpy(d->sys->nv, h, d->sys->f, s->p);
    tn_discrete_apply(d, -1.0, s->J, s->p);
}

// Guesses of v and mu: v of the node before and accelerations there and here, as u1 is expected; mu
// of the node before and half of the change of the impulse. The form may get there by what it has.
static tn_status project_variational(tn_march *s, tn_discrete *d, const tn_march_interval *next,
                                     double *v)
{
    TN_ASSERT(next->h > 0.0 && v != s->from.v);
    const tn_system *sys = d->sys;
    if (!d->ops->project)
        return TN_RETRY_NEWTON;
    for (int i = 0; i < sys->nv; i++)
        v[i] = s->from.v[i] + 0.5 * (next->h * s->from.a[i] + s->u1[i] - s->u[i]);
    for (int i = 0; i < sys->ng; i++)
        s->mu[i] += 0.5 * (s->J[i] - s->J0[i]);
    return d->ops->project(d, next->p, s->gt, s->mu, v);
}

// The velocity that belongs to the projected momentum.
static tn_status variational_velocity(tn_march *s, tn_stepper *stepper,
                                      const tn_march_interval *next, double *v)
{
    tn_discrete *d = stepper->discrete;
    tn_system *sys = d->sys;
    const tn_point node = {.t = next->t, .q = next->q, .v = s->rest_v, .r = next->r};
    TN_TRY(tn_system_eval(sys, &node, TN_EVAL_GDOT | TN_EVAL_B));
    tn_system_stack(sys, -1.0, sys->gdot, sys->ndot, s->gt);
    const tn_status status = project_variational(s, d, next, v);
    if (status != TN_RETRY_NEWTON)
        return status;
    tn_copy(sys->nv, next->p, v);
    if (!stepper->rows) // else the choice of rows has left the factors of the node
        TN_TRY(tn_accel_factor(stepper->accel, &node));
    return tn_accel_resolve(stepper->accel, v, s->gt);
}

static void variational_first(const tn_march *s, int rows, double h, double *lambda)
{
    TN_ASSERT(h > 0.0);
    for (int i = 0; i < rows; i++)
        lambda[i] = s->J[i] / (0.5 * h);
}

static void variational_multipliers(const tn_march *s, int rows, double h, double *lambda)
{
    TN_ASSERT(h > 0.0);
    for (int i = 0; i < rows; i++)
        lambda[i] = s->J[i] / h;
}

static const tn_principle principle = {
    .at_node = true,
    .share = 1.0,
    .derivative = variational_derivative,
    .balance = variational_balance,
    .momentum = variational_momentum,
    .velocity = variational_velocity,
    .first = variational_first,
    .multipliers = variational_multipliers,
};

static tn_status begin_variational(tn_integrator *self, const tn_sim_options *options)
{
    tn_march_begin(self, &principle);
    return TN_OK;
}

const tn_integrator_ops tn_integrator_variational = {
    .name = "variational",
    .reads = {.any = "newton_tol newton_max jacobian_every"},
    .text = "midpoint variational integrator, symplectic, conserves momenta; no laws by "
            "reactions",
    .source = "[LMO08, eq. 22, 34]",
    TN_MARCH_OPS,
    .begin = begin_variational,
};
