// SPDX-License-Identifier: MIT
//
// Modified phase space of Borri, Bottasso and Mantegazza [LB08, 4.7]: unknowns are q and the
// modified momenta
//
//   p* = M v - C^T mu,      mu' = -lambda,      C = (B; N)
//
// which no constraint restricts. At a point v and mu follow from p* and the velocity level,
//
//   ( M  C^T ) ( v   )   ( p*         )
//   ( C  0   ) ( -mu ) = ( -(g_t, n0) )
//
// and from M v' = f - C^T lambda the multipliers cancel in the rate,
//
//   p*' = f + M' v - C'^T mu,      M', C' along the motion.
//
// Differentiating the two lines at the point gives M v' + C^T lambda = f, C v' = -gamma with the
// same matrix: that is where v' and lambda for the output come from. Both are solved by the null
// space. B v + g_t and N v + n0 vanish to round-off at all times; g drifts linearly.
//
// M' v - C'^T mu is a difference of fourth order along q o exp(tau v), t + tau, which has 11 digits
// or more. As mu is zero where a step begins and grows with it, errors of the difference are
// further reduced by h. M' is exactly zero in absolute coordinates.
//
// Momenta are divided by the diagonal of M where the step began, so that tolerances have the units
// of velocities for light and heavy bodies alike.

#include "formulation/basis_ode.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

// Coordinates move by this in a difference. Truncation is step^4 / 30, rounding 1.5 eps / step for
// functions that change over lengths of one; shorter than the best step by far, for short lengths.
static const double STEP = 0x1p-13;
// mu is set to zero again where C^T mu is larger than the momenta by this.
static const double LARGE = 1e3;

typedef struct phase_space {
    tn_basis_ode base;
    double *mass;  // nv: units of momenta
    double *p;     // nv: p*, then scratch
    double *mu;    // ng + nn
    double *q, *e; // moved, or kept while the view is moved
    double *x;     // nv
    double *rate;  // nv
    double excess; // |C^T mu| / mass, and |v|
    double speed;
} phase_space;

static void layout_phase_space(tn_ode *self, tn_carve *mem)
{
    phase_space *s = (phase_space *)self;
    const tn_system *sys = self->sys;
    tn_basis_ode_layout(self, mem);
    TN_CARVE_DOUBLES(mem, sys->nv, &s->mass, &s->p, &s->x, &s->rate);
    TN_CARVE_DOUBLES(mem, sys->ng + sys->nn, &s->mu);
    TN_CARVE_DOUBLES(mem, sys->nq, &s->q);
    TN_CARVE_DOUBLES(mem, sys->ne, &s->e);
}

static void phase_space_values(tn_ode *self, tn_values *v)
{
    phase_space *s = (phase_space *)self;
    TN_VALUES(v, "1", 1, &s->excess, &s->speed);
    tn_basis_ode_values(self, v);
}

// The diagonal of M; the largest where it is zero.
static void take_masses(phase_space *s)
{
    const tn_sparse *M = s->base.base.sys->block[TN_BLOCK_M];
    TN_ASSERT(M->nrow == M->ncol);
    double largest = 0.0;
    for (int i = 0; i < M->ncol; i++) {
        s->mass[i] = fabs(tn_sparse_at(M, i, i));
        largest = fmax(largest, s->mass[i]);
    }
    for (int i = 0; i < M->ncol; i++)
        if (!(s->mass[i] > 0.0))
            s->mass[i] = largest > 0.0 ? largest : 1.0;
}

// mu = 0: p* are the momenta.
static tn_status phase_space_base(tn_ode *self, double *x, double *u, bool *changed)
{
    phase_space *s = (phase_space *)self;
    tn_chart_base(&self->chart, self->q);
    tn_chart_to_z(&self->chart, self->q, x);
    const tn_point at = tn_ode_point(self);
    TN_TRY(tn_system_eval(self->sys, &at, TN_EVAL_MASS));
    take_masses(s);
    tn_zero(self->sys->nv, u);
    tn_sparse_mul(self->sys->block[TN_BLOCK_M], 1.0, self->v, u);
    for (int i = 0; i < self->sys->nv; i++)
        u[i] /= s->mass[i];
    *changed = true;
    return TN_OK;
}

static tn_status phase_space_motion(tn_ode *self, const double *x, const double *u)
{
    phase_space *s = (phase_space *)self;
    const int nv = self->sys->nv, rows = self->sys->ng + self->sys->nn;
    tn_chart_to_q(&self->chart, x, self->q);
    TN_TRY(tn_basis_ode_rows(&s->base, TN_EVAL_MASS));
    const tn_point at = tn_ode_point(self);
    TN_TRY(tn_basis_form(s->base.basis, &at));
    TN_TRY(tn_basis_factor(s->base.basis));
    for (int i = 0; i < nv; i++)
        s->p[i] = s->mass[i] * u[i];
    tn_basis_solve(s->base.basis, s->p, s->base.c, self->v, s->mu);
    tn_scale(rows, -1.0, s->mu);
    tn_sparse_mul(self->sys->block[TN_BLOCK_M], -1.0, self->v, s->p); // -C^T mu
    s->excess = 0.0;
    for (int i = 0; i < nv; i++)
        s->excess = fmax(s->excess, fabs(s->p[i]) / s->mass[i]);
    s->speed = tn_norm_inf(nv, self->v);
    return TN_OK;
}

// M, B and the basis are those that the velocities came from.
static tn_status phase_space_accelerations(tn_ode *self)
{
    const tn_point at = tn_ode_point(self);
    TN_TRY(tn_system_eval(self->sys, &at, TN_EVAL_FORCE | TN_EVAL_GAMMA));
    tn_basis_ode_accelerate((tn_basis_ode *)self);
    return TN_OK;
}

// Adds weight (M v - C^T mu) at t + tau, q o exp(tau v). s follows q there.
static tn_status add_moved(phase_space *s, double tau, double weight)
{
    TN_ASSERT(tau != 0.0);
    tn_ode *ode = &s->base.base;
    tn_system *sys = ode->sys;
    tn_copy(sys->nv, ode->v, s->x);
    tn_scale(sys->nv, tau, s->x);
    const double t = ode->t;
    tn_status status = TN_OK;
    tn_group_retract(sys->ngroup, sys->groups, s->q, s->x, ode->q);
    ode->t = t + tau;
    if (sys->ns > 0)
        status = tn_ode_extra(ode);
    const tn_point at = tn_ode_point(ode);
    TN_THEN(status, tn_system_eval(sys, &at, TN_EVAL_MASS | TN_EVAL_B));
    ode->t = t;
    tn_copy(sys->nq, s->q, ode->q);
    tn_copy(sys->ne, s->e, ode->e);
    TN_TRY(status);
    tn_sparse_mul(sys->block[TN_BLOCK_M], weight, ode->v, s->rate);
    tn_sparse_mul_t(sys->block[TN_BLOCK_B], -weight, s->mu, s->rate);
    tn_sparse_mul_t(sys->block[TN_BLOCK_N], -weight, s->mu + sys->ng, s->rate);
    return TN_OK;
}

// M' v - C'^T mu
static tn_status transport_phase_space(phase_space *s)
{
    static const double at[4] = {1.0, -1.0, 2.0, -2.0};
    static const double weight[4] = {2.0 / 3.0, -2.0 / 3.0, -1.0 / 12.0, 1.0 / 12.0};
    tn_ode *ode = &s->base.base;
    const double typical = tn_system_typical(ode->sys, TN_KIND_SPEED);
    const double tau = ldexp(STEP, -ilogb(fmin(fmax(typical, s->speed), DBL_MAX)));
    tn_copy(ode->sys->nq, ode->q, s->q);
    tn_copy(ode->sys->ne, ode->e, s->e);
    tn_zero(ode->sys->nv, s->rate);
    for (int k = 0; k < 4; k++)
        TN_TRY(add_moved(s, at[k] * tau, weight[k] / tau));
    return TN_OK;
}

static tn_status phase_space_rates(tn_ode *self, const double *x, const double *u, double *xdot,
                                   double *udot)
{
    phase_space *s = (phase_space *)self;
    tn_chart_rates(&self->chart, x, self->v, xdot);
    tn_copy(self->sys->nv, self->sys->f, udot);
    TN_TRY(transport_phase_space(s));
    for (int i = 0; i < self->sys->nv; i++)
        udot[i] = (udot[i] + s->rate[i]) / s->mass[i];
    return TN_OK;
}

static bool is_good(const tn_ode *self, const double *x)
{
    const phase_space *s = (const phase_space *)self;
    const double typical = tn_system_typical(self->sys, TN_KIND_SPEED);
    return tn_chart_is_good(&self->chart, x) && s->excess <= LARGE * (typical + s->speed);
}

static const tn_ode_ops ops = {
    .size = sizeof(phase_space),
    .layout = layout_phase_space,
    .open = tn_basis_ode_open,
    .close = tn_basis_ode_close,
    .activate = tn_basis_ode_activate,
    .base = phase_space_base,
    .motion = phase_space_motion,
    .accel = phase_space_accelerations,
    .rates = phase_space_rates,
    .is_good = is_good,
    .solver = tn_basis_ode_solver,
    .values = phase_space_values,
};

const tn_formulation tn_formulation_phase_space = {
    .name = "phase-space",
    .reads = "nullspace",
    .text = "modified momenta M v - B^T mu, unconstrained; B v = 0 holds, g drifts linearly",
    .source = "[LB08, 4.7]",
    .offers = TN_VIEW_ACCEL,
    .index = 1,
    .velocity = true,
    .projects = true,
    .ode = &ops,
};
