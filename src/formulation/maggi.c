// SPDX-License-Identifier: MIT
//
// Maggi's formulation: unknowns are q and the kinematic characteristics e [LB08, eq. 7, 10, 11],
//
//   v = Gamma e - d
//   (Gamma^T M Gamma) e' = Gamma^T (f - M (Gamma' e - d'))
//   lambda = Gammacheck^T (f - M v')                         C Gammacheck = 1
//
// Gamma is the smooth basis of basis.h with e = E v, E constant from one `begin` to the next. So
// -d is the solution of C x = -(g_t, n0), E x = 0, and Gamma' e - d' that of C x = -gamma, E x = 0.
// If characteristics are chosen by name, e = E(t, q) v + e0 at every point [LB08, eq. 4], and e'
// is read off the mechanism (characteristics.h).
// B v + g_t and N v + n0 vanish to round-off at all times; g drifts linearly.

#include "formulation/basis_ode.h"
#include "formulation/formulation_list.h"

static tn_status maggi_base(tn_ode *self, double *x, double *u, bool *changed)
{
    tn_basis_ode *s = (tn_basis_ode *)self;
    bool turned;
    TN_TRY(tn_basis_ode_begin(s, 0, x, changed, &turned));
    tn_basis_ode_characteristics(s, self->v, u);
    return TN_OK;
}

static const tn_ode_ops ops = {
    .size = sizeof(tn_basis_ode),
    .mixed = true,
    .layout = tn_basis_ode_layout,
    .open = tn_basis_ode_open,
    .choose = tn_basis_ode_choose,
    .close = tn_basis_ode_close,
    .activate = tn_basis_ode_activate,
    .base = maggi_base,
    .motion = tn_basis_ode_motion,
    .accel = tn_basis_ode_accelerations,
    .rates = tn_basis_ode_rates,
    .rates_from_known = true,
    .is_good = tn_basis_ode_is_good,
    .solver = tn_basis_ode_solver,
    .values = tn_basis_ode_values,
};

const tn_formulation tn_formulation_maggi = {
    .name = "maggi",
    .reads = "nullspace characteristics",
    .text = "velocities Gamma e in ker B with characteristics e; B v = 0 holds, g drifts linearly",
    .source = "[LB08, eq. 7, 10, 11]",
    .offers = TN_VIEW_ACCEL,
    .index = 0,
    .velocity = true,
    .projects = true,
    .ode = &ops,
};
