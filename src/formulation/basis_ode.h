// SPDX-License-Identifier: MIT
//
// Shared parts of the explicit views on a null space: nullspace, maggi, projective and phase-space.

#pragma once

#include "formulation/ode_ops.h"
#include "motion/basis.h"
#include "motion/characteristics.h"

typedef struct tn_basis_ode {
    tn_ode base;
    tn_basis *basis;
    double *c, *y; // ng + nn: right sides of constraint rows, multipliers
    double *rest;  // nv zeros
    // Characteristics that are chosen by name, or NULL: E^T (nv n), e0 and e - e0 (n each).
    tn_characteristics *chosen;
    double *Et, *e0, *moving;
} tn_basis_ode;

// In the places of tn_ode_ops.
void tn_basis_ode_layout(tn_ode *self, tn_carve *mem);
void tn_basis_ode_values(tn_ode *self, tn_values *v);
tn_status tn_basis_ode_open(tn_ode *self, const tn_sim_options *options);
void tn_basis_ode_close(tn_ode *self);
tn_status tn_basis_ode_choose(tn_ode *self, const tn_model *model, const char *names);
void tn_basis_ode_activate(tn_ode *self);
const char *tn_basis_ode_solver(const tn_ode *self);

// B and N (and what else is wanted) at t, q of the view, and -(g_t, n0) in c. Finds s before, on
// which they may depend.
tn_status tn_basis_ode_rows(tn_basis_ode *s, unsigned more);
// a, lambda and eta with M, f, gamma of the system and the basis as last formed and factored.
void tn_basis_ode_accelerate(tn_basis_ode *s);

// These functions serve views on kinematic characteristics u = E v, which stand first in u; the
// rest of u is zero, as their number is known only where a point is.
//
// The chart and E at t, q of the view, with B and what else is wanted evaluated there.
tn_status tn_basis_ode_begin(tn_basis_ode *s, unsigned more, double *x, bool *changed,
                             bool *turned);
void tn_basis_ode_characteristics(tn_basis_ode *s, const double *v, double *u); // E v
tn_status tn_basis_ode_motion(tn_ode *self, const double *x, const double *u);  // v = Gamma u + x_p
tn_status tn_basis_ode_accelerations(tn_ode *self); // B and the basis are those of the motion
tn_status tn_basis_ode_rates(tn_ode *self, const double *x, const double *u, double *xdot,
                             double *udot); // u' = E a
bool tn_basis_ode_is_good(const tn_ode *self, const double *x);
