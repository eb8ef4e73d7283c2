// SPDX-License-Identifier: MIT
//
// Shared parts of explicit views on a null space; see basis_ode.h.

#include "formulation/basis_ode.h"

#include "formulation/basis_parts.h"
#include "linalg/dense.h"

static const double GROWTH_DUE = 4.0; // vectors that have become longer than that: E is poor

void tn_basis_ode_layout(tn_ode *self, tn_carve *mem)
{
    tn_basis_ode *s = (tn_basis_ode *)self;
    const int rows = self->sys->ng + self->sys->nn;
    TN_CARVE_DOUBLES(mem, rows, &s->c, &s->y);
    s->rest = tn_carve_doubles(mem, self->sys->nv);
}

tn_status tn_basis_ode_open(tn_ode *self, const tn_sim_options *options)
{
    const char *name = options ? options->nullspace : NULL;
    return tn_basis_create(self->sys, name, &((tn_basis_ode *)self)->basis);
}

void tn_basis_ode_close(tn_ode *self)
{
    tn_basis_destroy(((tn_basis_ode *)self)->basis);
}

void tn_basis_ode_activate(tn_ode *self)
{
    tn_basis_set_active(((tn_basis_ode *)self)->basis, self->active);
}

const char *tn_basis_ode_solver(const tn_ode *self)
{
    return (((const tn_basis_ode *)self)->basis)->ops->name;
}

tn_status tn_basis_ode_rows(tn_basis_ode *s, unsigned more)
{
    tn_ode *ode = &s->base;
    tn_system *sys = ode->sys;
    if (sys->ns > 0)
        TN_TRY(tn_ode_extra(ode));
    tn_point at = tn_ode_point(ode);
    at.v = s->rest;
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_B | TN_EVAL_GDOT | more));
    tn_system_stack(sys, -1.0, sys->gdot, sys->ndot, s->c);
    return TN_OK;
}

void tn_basis_ode_curvature(tn_basis_ode *s)
{
    const tn_system *sys = s->base.sys;
    tn_system_stack(sys, -1.0, sys->gamma, sys->ngamma, s->c);
}

void tn_basis_ode_reactions(tn_basis_ode *s)
{
    tn_ode *ode = &s->base;
    tn_copy(ode->sys->ng, s->y, ode->lambda);
    tn_copy(ode->sys->nn, s->y + ode->sys->ng, ode->eta);
}

void tn_basis_ode_accelerate(tn_basis_ode *s)
{
    tn_basis_ode_curvature(s);
    tn_basis_solve(s->basis, s->base.sys->f, s->c, s->base.a, s->y);
    tn_basis_ode_reactions(s);
}

tn_status tn_basis_ode_begin(tn_basis_ode *s, unsigned more, double *x, bool *changed, bool *turned)
{
    tn_ode *ode = &s->base;
    *changed = tn_chart_base(&ode->chart, ode->q);
    tn_chart_to_z(&ode->chart, ode->q, x);
    const tn_point at = tn_ode_point(ode);
    TN_TRY(tn_system_eval(ode->sys, &at, TN_EVAL_B | more));
    TN_TRY(tn_basis_begin(s->basis, &at, turned));
    *changed = *changed || *turned;
    return TN_OK;
}

void tn_basis_ode_characteristics(const tn_basis_ode *s, const double *v, double *u)
{
    tn_zero(s->base.nu, u);
    tn_basis_characteristics(s->basis, v, u);
}

tn_status tn_basis_ode_motion(tn_ode *self, const double *x, const double *u)
{
    tn_basis_ode *s = (tn_basis_ode *)self;
    tn_chart_to_q(&self->chart, x, self->q);
    TN_TRY(tn_basis_ode_rows(s, 0));
    const tn_point at = tn_ode_point(self);
    TN_TRY(tn_basis_follow(s->basis, &at));
    tn_basis_particular(s->basis, s->c, self->v);
    tn_basis_add(s->basis, u, self->v);
    return TN_OK;
}

tn_status tn_basis_ode_rates(tn_ode *self, const double *x, const double *u, double *xdot,
                             double *udot)
{
    tn_chart_rates(&self->chart, x, self->v, xdot);
    tn_basis_ode_characteristics((const tn_basis_ode *)self, self->a, udot);
    return TN_OK;
}

bool tn_basis_ode_is_good(const tn_ode *self, const double *x)
{
    const tn_basis_ode *s = (const tn_basis_ode *)self;
    return tn_chart_is_good(&self->chart, x) && tn_basis_growth(s->basis) <= GROWTH_DUE;
}
