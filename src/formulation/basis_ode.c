// SPDX-License-Identifier: MIT
//
// Shared parts of explicit views on a null space; see basis_ode.h.

#include "formulation/basis_ode.h"

#include "linalg/dense.h"
#include "motion/basis_parts.h"

static const double GROWTH_DUE = 4.0; // vectors that have become longer than that: E is poor

void tn_basis_ode_layout(tn_ode *self, tn_carve *mem)
{
    tn_basis_ode *s = (tn_basis_ode *)self;
    const int rows = self->sys->ng + self->sys->nn;
    TN_CARVE_DOUBLES(mem, rows, &s->c, &s->y);
    TN_CARVE_DOUBLES(mem, self->sys->nv, &s->rest, &s->e0, &s->moving);
    TN_CARVE_DOUBLES(mem, self->sys->nv * self->sys->nv, &s->Et);
}

tn_status tn_basis_ode_open(tn_ode *self, const tn_sim_options *options)
{
    const char *name = options ? options->nullspace : NULL;
    return tn_basis_create(self->sys, name, &((tn_basis_ode *)self)->basis);
}

void tn_basis_ode_close(tn_ode *self)
{
    tn_basis_destroy(((tn_basis_ode *)self)->basis);
    tn_characteristics_destroy(((tn_basis_ode *)self)->chosen);
}

void tn_basis_ode_values(tn_ode *self, tn_values *v)
{
    tn_basis_values(((tn_basis_ode *)self)->basis, v);
}

tn_status tn_basis_ode_choose(tn_ode *self, const tn_model *model, const char *names)
{
    tn_basis_ode *s = (tn_basis_ode *)self;
    TN_TRY(tn_characteristics_create(self->sys, model, names, &s->chosen));
    if (s->chosen->n <= self->sys->nv)
        return TN_OK;
    return tn_fail(TN_ERR_USAGE, "characteristics are %d velocities, more than the %d of the model",
                   s->chosen->n, self->sys->nv);
}

// The chosen rows at t, q of the view, and the basis that belongs to them.
static tn_status choose_basis(tn_basis_ode *s, bool begin)
{
    const tn_point at = tn_ode_point(&s->base);
    tn_characteristics_rows(s->chosen, &at, s->Et, s->e0);
    return tn_basis_choose(s->basis, &at, begin, s->chosen->n, s->Et, s->chosen->names);
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

void tn_basis_ode_accelerate(tn_basis_ode *s)
{
    tn_ode *ode = &s->base;
    const tn_system *sys = ode->sys;
    tn_system_stack(sys, -1.0, sys->gamma, sys->ngamma, s->c);
    tn_basis_solve(s->basis, sys->f, s->c, ode->a, s->y);
    tn_copy(sys->ng, s->y, ode->lambda);
    tn_copy(sys->nn, s->y + sys->ng, ode->eta);
}

tn_status tn_basis_ode_accelerations(tn_ode *self)
{
    tn_basis_ode *s = (tn_basis_ode *)self;
    const tn_point at = tn_ode_point(self);
    TN_TRY(tn_system_eval(self->sys, &at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_GAMMA));
    TN_TRY(tn_basis_factor(s->basis));
    tn_basis_ode_accelerate(s);
    return TN_OK;
}

tn_status tn_basis_ode_begin(tn_basis_ode *s, unsigned more, double *x, bool *changed, bool *turned)
{
    tn_ode *ode = &s->base;
    *changed = tn_chart_base(&ode->chart, ode->q);
    tn_chart_to_z(&ode->chart, ode->q, x);
    const tn_point at = tn_ode_point(ode);
    TN_TRY(tn_system_eval(ode->sys, &at, TN_EVAL_B | more));
    *turned = false;
    if (s->chosen)
        return choose_basis(s, true);
    TN_TRY(tn_basis_begin(s->basis, &at, turned));
    *changed = *changed || *turned;
    return TN_OK;
}

void tn_basis_ode_characteristics(tn_basis_ode *s, const double *v, double *u)
{
    tn_point at = tn_ode_point(&s->base);
    at.v = v;
    tn_zero(s->base.nu, u);
    if (s->chosen)
        tn_characteristics_read(s->chosen, &at, u);
    else
        tn_basis_characteristics(s->basis, v, u);
}

tn_status tn_basis_ode_motion(tn_ode *self, const double *x, const double *u)
{
    tn_basis_ode *s = (tn_basis_ode *)self;
    tn_chart_to_q(&self->chart, x, self->q);
    TN_TRY(tn_basis_ode_rows(s, 0));
    const tn_point at = tn_ode_point(self);
    if (s->chosen)
        TN_TRY(choose_basis(s, false));
    else
        TN_TRY(tn_basis_follow(s->basis, &at));
    tn_basis_particular(s->basis, s->c, self->v);
    if (!s->chosen) {
        tn_basis_add(s->basis, u, self->v);
        return TN_OK;
    }
    tn_copy(s->chosen->n, u, s->moving);
    tn_axpy(s->chosen->n, -1.0, s->e0, s->moving);
    tn_basis_add(s->basis, s->moving, self->v);
    return TN_OK;
}

tn_status tn_basis_ode_rates(tn_ode *self, const double *x, const double *u, double *xdot,
                             double *udot)
{
    tn_chart_rates(&self->chart, x, self->v, xdot);
    tn_basis_ode *s = (tn_basis_ode *)self;
    const tn_point at = tn_ode_point(self);
    if (!s->chosen) {
        tn_basis_ode_characteristics(s, self->a, udot);
        return TN_OK;
    }
    tn_zero(self->nu, udot);
    tn_characteristics_rates(s->chosen, &at, udot);
    return TN_OK;
}

bool tn_basis_ode_is_good(const tn_ode *self, const double *x)
{
    const tn_basis_ode *s = (const tn_basis_ode *)self;
    return tn_chart_is_good(&self->chart, x) &&
           (s->chosen || tn_basis_growth(s->basis) <= GROWTH_DUE);
}
