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
// lambda_n comes with q_n+1, so the integrator is one interval ahead of the state that it shows.
// That state is q_n, lambda_n, the central difference v' = (u_n - u_n-1) / h, for which
// M v' = (f_n-1 + f_n) / 2 - B^T lambda_n holds as it stands, and the velocity of the projected
// momentum [LMO08, eq. 40], M v + B^T mu = p+, B v + g_t = 0. A start from this v goes on along the
// same q_n, as what the projection takes away lies in the range of B^T and is lambda's to restore.

#include "integrator/integrator_list.h"
#include "integrator/interpolate.h"
#include "linalg/dense.h"

#include <float.h>

// Corrections that no longer shrink are round-off, enlarged by the constraints, from this size on.
static const double NOISE_MAX = 1e-9;

typedef struct variational {
    tn_integrator base;
    bool ahead;     // u and p are those of the interval that begins at the state shown
    double h;       // of that interval
    double *u, *u1; // of the intervals before and after the node that comes next     nv
    double *p;      // momentum at the end of the interval, p+                        nv
    double *J;      // impulse of the constraints                                     ng
    double *y, *r;  // unknowns and residual                                          n
    double *b;      // balance of momenta                                             nv
    double *q_mid, *q1;
    double *rest_v, *rest_lambda; // zeros
    double *gt;                   // ng
    tn_state from, to;            // ends of the last step, for dense output
} variational;

static void layout_end(const tn_system *sys, tn_state *x, tn_carve *mem)
{
    x->q = tn_carve_doubles(mem, sys->nq);
    x->v = tn_carve_doubles(mem, sys->nv);
    x->a = tn_carve_doubles(mem, sys->nv);
    x->lambda = tn_carve_doubles(mem, sys->ng);
    x->eta = tn_carve_doubles(mem, sys->nn);
    x->e = tn_carve_doubles(mem, sys->ne);
    x->r = tn_carve_doubles(mem, sys->nr);
}

static void variational_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem)
{
    variational *s = (variational *)self;
    const tn_system *sys = stepper->discrete->sys;
    const int nv = sys->nv, n = stepper->discrete->n;
    s->u = tn_carve_doubles(mem, nv);
    s->u1 = tn_carve_doubles(mem, nv);
    s->p = tn_carve_doubles(mem, nv);
    s->J = tn_carve_doubles(mem, sys->ng);
    s->y = tn_carve_doubles(mem, n);
    s->r = tn_carve_doubles(mem, n);
    s->b = tn_carve_doubles(mem, nv);
    s->q_mid = tn_carve_doubles(mem, nv);
    s->q1 = tn_carve_doubles(mem, nv);
    s->rest_v = tn_carve_doubles(mem, nv);
    s->rest_lambda = tn_carve_doubles(mem, sys->ng);
    s->gt = tn_carve_doubles(mem, sys->ng);
    layout_end(sys, &s->from, mem);
    layout_end(sys, &s->to, mem);
}

static tn_status variational_begin(tn_integrator *self, const tn_sim_options *options)
{
    (void)options; // nothing to choose
    ((variational *)self)->ahead = false;
    return TN_OK;
}

// An interval from a node, with the momentum p that it starts from.
typedef struct interval {
    double t, h;
    const double *q, *p, *r;
} interval;

static void along(int n, const double *q, double h, const double *u, double *out) // q + h u
{
    for (int i = 0; i < n; i++)
        out[i] = q[i] + h * u[i];
}

// f and, where wanted, its derivatives at the midpoint: without constraint forces, which act at
// nodes, and without v', as M is constant.
static tn_status eval_middle(variational *s, tn_system *sys, const interval *at, const double *u,
                             unsigned want)
{
    along(sys->nv, at->q, 0.5 * at->h, u, s->q_mid);
    const tn_point middle = {.t = at->t + 0.5 * at->h,
                             .q = s->q_mid,
                             .v = u,
                             .a = s->rest_v,
                             .lambda = s->rest_lambda,
                             .r = at->r};
    return tn_system_eval(sys, &middle, TN_EVAL_MASS | TN_EVAL_FORCE | want);
}

static tn_status eval_end(variational *s, tn_system *sys, const interval *at, const double *u,
                          unsigned want)
{
    along(sys->nv, at->q, at->h, u, s->q1);
    const tn_point end = {.t = at->t + at->h, .q = s->q1, .v = u, .r = at->r};
    return tn_system_eval(sys, &end, want);
}

// b = p- - p
static tn_status balance(variational *s, tn_system *sys, const interval *at, const double *u,
                         unsigned want)
{
    TN_TRY(eval_middle(s, sys, at, u, want));
    for (int i = 0; i < sys->nv; i++)
        s->b[i] = -0.5 * at->h * sys->f[i] - at->p[i];
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, u, s->b);
    return TN_OK;
}

// The residual at the unknowns y, with all blocks of its derivative.
static tn_status residual(variational *s, tn_discrete *d, const interval *at, double *u)
{
    tn_system *sys = d->sys;
    d->ops->move(d, s->y, u);
    TN_TRY(balance(s, sys, at, u, TN_EVAL_TANGENT));
    TN_TRY(eval_end(s, sys, at, u, TN_EVAL_G | TN_EVAL_B));
    d->ops->residual(d, s->y, s->b, s->r);
    return TN_OK;
}

static void blame(const variational *s, tn_stepper *stepper)
{
    const tn_discrete *d = stepper->discrete;
    int worst = 0;
    for (int i = 1; i < d->n; i++)
        if (!(fabs(s->r[i]) <= fabs(s->r[worst])))
            worst = i;
    if (d->n == 0)
        return;
    stepper->worst = s->r[worst];
    d->ops->name(d, worst, stepper->culprit, sizeof stepper->culprit);
}

// A Newton step from the residual; returns the largest change of u.
static double correct(variational *s, tn_discrete *d, double *u)
{
    const int nv = d->sys->nv;
    d->ops->solve(d, s->r);
    tn_axpy(d->n, -1.0, s->r, s->y);
    tn_copy(nv, u, s->b);
    d->ops->move(d, s->y, u);
    tn_axpy(nv, -1.0, u, s->b);
    return tn_norm_inf(nv, s->b);
}

// Every tangent is new: convergence is quadratic, and what is left after a correction is below
// `size` times its ratio to the one before.
static bool is_done(double size, double last, double tol)
{
    const double rate = last > 0.0 ? fmin(1.0, size / last) : 1.0;
    return size * rate <= tol || (size <= NOISE_MAX && rate > 0.5 && last > 0.0);
}

// J, and p becomes p+ of the interval.
static tn_status finish(variational *s, tn_discrete *d, const interval *at, const double *u)
{
    const tn_system *sys = d->sys;
    TN_TRY(balance(s, d->sys, at, u, 0));
    d->ops->impulse(d, s->y, s->b, s->J);
    tn_zero(sys->nv, s->p);
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, u, s->p);
    tn_axpy(sys->nv, 0.5 * at->h, sys->f, s->p);
    return TN_OK;
}

// Solves for u and J, which hold a prediction, from the momentum p at the node to that at the end.
// B at the node carries the impulse.
static tn_status solve_interval(variational *s, tn_stepper *stepper, const interval *at, double *u)
{
    tn_discrete *d = stepper->discrete;
    tn_system *sys = d->sys;
    const tn_point node = {.t = at->t, .q = at->q, .v = u, .r = at->r};
    const tn_balance derivative = {0.5 * at->h, 0.25 * at->h * at->h};
    const double rounding = 4.0 * DBL_EPSILON * (1.0 + tn_norm_inf(sys->nq, at->q)) / at->h;
    double last = 0.0;
    d->h = at->h;
    TN_TRY(tn_system_eval(sys, &node, TN_EVAL_B));
    TN_TRY(tn_discrete_carry(d, &node));
    d->ops->predict(d, u, s->J, s->y);
    for (int k = 0; k < stepper->options->newton_max; k++) {
        TN_TRY(residual(s, d, at, u));
        blame(s, stepper);
        TN_TRY(d->ops->factor(d, s->y, &derivative));
        stepper->factorizations++;
        stepper->newton++;
        const double scale = fmax(tn_norm_inf(sys->nv, u), rounding);
        const double size = correct(s, d, u) / scale;
        if (!isfinite(size))
            break;
        if (is_done(size, last, stepper->options->newton_tol + rounding / scale))
            return finish(s, d, at, u);
        last = size;
    }
    return TN_RETRY_NEWTON;
}

// The first interval, from the momentum M v [LMO08, eq. 34]. Its lambda belongs to the state.
static tn_status start(variational *s, tn_stepper *stepper, const tn_state *x, double h)
{
    tn_system *sys = stepper->discrete->sys;
    const tn_point node = tn_state_point(x);
    const interval at = {x->t, h, x->q, s->p, x->r};
    TN_TRY(tn_system_eval(sys, &node, TN_EVAL_MASS));
    tn_zero(sys->nv, s->p);
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, x->v, s->p);
    along(sys->nv, x->v, 0.5 * h, x->a, s->u);
    for (int i = 0; i < sys->ng; i++)
        s->J[i] = 0.5 * h * x->lambda[i];
    TN_TRY(solve_interval(s, stepper, &at, s->u));
    tn_state_copy(sys, x, &s->to);
    for (int i = 0; i < sys->ng; i++)
        s->to.lambda[i] = s->J[i] / (0.5 * h);
    s->h = h;
    return TN_OK;
}

// v of the projected momentum at the node (t, q).
static tn_status project(variational *s, tn_stepper *stepper, const interval *at, double *v)
{
    tn_system *sys = stepper->discrete->sys;
    const tn_point node = {.t = at->t, .q = at->q, .v = s->rest_v, .r = at->r};
    TN_TRY(tn_system_eval(sys, &node, TN_EVAL_GDOT));
    for (int i = 0; i < sys->ng; i++)
        s->gt[i] = -sys->gdot[i];
    tn_copy(sys->nv, at->p, v);
    TN_TRY(tn_accel_factor(stepper->accel, &node));
    return tn_accel_resolve(stepper->accel, v, s->gt);
}

// The node at the end of the interval that is known, and the interval after it.
static tn_status advance(variational *s, tn_stepper *stepper, const tn_state *x, double h)
{
    tn_system *sys = stepper->discrete->sys;
    tn_state *from = &s->from, *to = &s->to; // `to` becomes the new node
    tn_state_copy(sys, to, from);
    from->t = x->t;
    along(sys->nv, x->q, h, s->u, to->q);
    to->t = x->t + h;
    const interval next = {to->t, h, to->q, s->p, x->r};
    TN_TRY(project(s, stepper, &next, to->v));
    along(sys->nv, s->u, h, from->a, s->u1);
    for (int i = 0; i < sys->ng; i++)
        s->J[i] = h * from->lambda[i];
    TN_TRY(solve_interval(s, stepper, &next, s->u1));
    for (int i = 0; i < sys->nv; i++)
        to->a[i] = (s->u1[i] - s->u[i]) / h;
    for (int i = 0; i < sys->ng; i++)
        to->lambda[i] = s->J[i] / h;
    tn_copy(sys->nv, s->u1, s->u);
    return TN_OK;
}

static tn_status variational_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    variational *s = (variational *)self;
    const tn_system *sys = stepper->discrete->sys;
    const bool goes_on = s->ahead && !stepper->moved && h == s->h;
    s->ahead = false; // until the step is done
    stepper->error = 0.0;
    if (!goes_on)
        TN_TRY(start(s, stepper, x, h));
    TN_TRY(advance(s, stepper, x, h));
    tn_copy(sys->nq, s->to.q, x->q);
    tn_copy(sys->nv, s->to.v, x->v);
    tn_copy(sys->nv, s->to.a, x->a);
    tn_copy(sys->ng, s->to.lambda, x->lambda);
    x->t += h;
    s->ahead = true;
    stepper->moved = false;
    return TN_OK;
}

static tn_status variational_interpolate(tn_integrator *self, tn_stepper *stepper, double t,
                                         tn_state *out)
{
    const variational *s = (const variational *)self;
    tn_interpolate(stepper->discrete->sys, &s->from, &s->to, t, out);
    return TN_OK;
}

const tn_integrator_ops tn_integrator_variational = {
    .name = "variational",
    .text = "midpoint variational integrator, symplectic, conserves momenta; fixed steps",
    .source = "[LMO08, eq. 22, 34]",
    .order = 2,
    .needs = TN_VIEW_DISCRETE,
    .on_group = true, // both: rotations in no form, as coordinates are linear
    .multistep = true,
    .size = sizeof(variational),
    .layout = variational_layout,
    .begin = variational_begin,
    .step = variational_step,
    .interpolate = variational_interpolate,
};
