// SPDX-License-Identifier: MIT
//
// Explicit forms of index1 and baumgarte: accelerations and multipliers from one linear system in
// each evaluation [Arn16, eq. 17, 84c; LB08, section 3],
//
//   ( M  C^T ) ( a           )   ( f                               )
//   ( C  0   ) ( lambda, eta ) = ( -gamma - 2 alpha C v - beta^2 g )      C = (B; N)
//
// with alpha = beta = 0 for index1. C v stands for gdot and ndot; Pfaffian rows have no g.
//
// For motions without inertia z holds a guess only: in each evaluation v is moved along them until
// the forces balance (massless.h).

#include "formulation/ode_ops.h"

#include "linalg/dense.h"

typedef struct kkt {
    tn_ode base;
    tn_accel *accel;
} kkt;

static tn_status open_kkt(tn_ode *self, const tn_sim_options *options)
{
    tn_accel **accel = &((kkt *)self)->accel;
    const tn_sim_options taken = options ? *options : tn_default_sim();
    TN_TRY(tn_accel_create(self->sys, accel));
    if (self->formulation->baumgarte)
        tn_accel_set_baumgarte(*accel, taken.baumgarte_alpha, taken.baumgarte_beta);
    return TN_OK;
}

static void close_kkt(tn_ode *self)
{
    tn_accel_destroy(((kkt *)self)->accel);
}

static void ode_kkt_activate(tn_ode *self)
{
    tn_accel_set_active(((kkt *)self)->accel, self->active);
}

static void ode_kkt_values(tn_ode *self, tn_values *v)
{
    tn_accel_values(((kkt *)self)->accel, v);
}

static tn_status ode_kkt_motion(tn_ode *self, const double *x, const double *u)
{
    tn_chart_to_q(&self->chart, x, self->q);
    tn_copy(self->sys->nv, u, self->v);
    const tn_point at = tn_ode_point(self);
    return tn_accel_complete(((kkt *)self)->accel, &at, self->v);
}

static tn_status ode_kkt_accelerations(tn_ode *self)
{
    const tn_point at = tn_ode_point(self);
    tn_accel *accel = ((kkt *)self)->accel;
    TN_TRY(tn_accel_solve(accel, &at, self->e, self->a, self->lambda, self->eta));
    self->has_extra = accel->has_extra;
    return TN_OK;
}

static const char *solver(const tn_ode *self)
{
    return tn_accel_solver(((const kkt *)self)->accel);
}

const tn_ode_ops tn_ode_kkt = {
    .size = sizeof(kkt),
    .open = open_kkt,
    .close = close_kkt,
    .activate = ode_kkt_activate,
    .massless = true,
    .reactions = true,
    .recursive = true,
    .motion = ode_kkt_motion,
    .accel = ode_kkt_accelerations,
    .solver = solver,
    .values = ode_kkt_values,
};
