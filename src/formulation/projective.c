// SPDX-License-Identifier: MIT
//
// Blajer's projective formulation [LB08, 4.6]: the dynamics resolved into directions along the
// constraints and across them, orthogonal to each other in the metric of the mass matrix. With a
// basis D of the tangent space that is orthonormal in this metric,
//
//   C D = 0,  D^T M D = 1        a = D D^T f + (1 - D D^T M) x_p,      C x_p = -gamma
//   C^T lambda = (1 - M D D^T) (f - M x_p)
//
// the tangent part of the acceleration depends on the forces alone, and the other part, which is
// M^-1 C^T (C M^-1 C^T)^-1 (-gamma), on the constraints alone. Written with D it needs no inverse
// of M, and M need be definite on the null space only. In any basis of it D D^T is
// Gamma (Gamma^T M Gamma)^-1 Gamma^T: accelerations are those of maggi.
//
// Unknowns are q and quasi-velocities u = E v, with E = S D^T M taken where the step began and kept
// (S: diagonal, the lengths of the columns of D, so that vectors of unit length belong to u). There
// u are the components of v in the orthogonal basis; elsewhere v is the velocity in the tangent
// space that has these u, as in maggi: no rate of D is needed. B v + g_t = 0 holds at all times, g
// drifts linearly.

#include "formulation/basis_ode.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"

typedef struct projective {
    tn_basis_ode base;
    double *D;  // nv nf
    double *Et; // nv nf
} projective;

static void layout_projective(tn_ode *self, tn_carve *mem)
{
    projective *s = (projective *)self;
    const int nv = self->sys->nv;
    tn_basis_ode_layout(self, mem);
    TN_CARVE_DOUBLES(mem, nv * nv, &s->D, &s->Et);
}

// E = S D^T M, S the lengths of the columns of D: Gamma = D S^-1
static tn_status refer_to_metric(projective *s)
{
    const tn_system *sys = s->base.base.sys;
    const int nv = sys->nv, nf = s->base.basis->nf;
    TN_TRY(tn_basis_factor(s->base.basis));
    tn_basis_orthonormal(s->base.basis, s->D);
    tn_zero(nv * nf, s->Et);
    for (int k = 0; k < nf; k++) {
        double *d = tn_column_of(s->D, nv, k);
        tn_sparse_mul(sys->block[TN_BLOCK_M], tn_norm2(nv, d), d, tn_column_of(s->Et, nv, k));
    }
    return tn_basis_refer(s->base.basis, s->Et);
}

static tn_status projective_base(tn_ode *self, double *x, double *u, bool *changed)
{
    projective *s = (projective *)self;
    bool turned;
    TN_TRY(tn_basis_ode_begin(&s->base, TN_EVAL_MASS, x, changed, &turned));
    if (turned)
        TN_TRY(refer_to_metric(s));
    tn_basis_ode_characteristics(&s->base, self->v, u);
    return TN_OK;
}

static const tn_ode_ops ops = {
    .size = sizeof(projective),
    .layout = layout_projective,
    .open = tn_basis_ode_open,
    .close = tn_basis_ode_close,
    .activate = tn_basis_ode_activate,
    .base = projective_base,
    .motion = tn_basis_ode_motion,
    .accel = tn_basis_ode_accelerations,
    .rates = tn_basis_ode_rates,
    .rates_from_known = true,
    .is_good = tn_basis_ode_is_good,
    .solver = tn_basis_ode_solver,
    .values = tn_basis_ode_values,
};

const tn_formulation tn_formulation_projective = {
    .name = "projective",
    .reads = "nullspace",
    .text = "along and across the constraints, orthogonal in the metric of M; g drifts linearly",
    .source = "[LB08, 4.6]",
    .offers = TN_VIEW_ACCEL,
    .index = 0,
    .velocity = true,
    .projects = true,
    .ode = &ops,
};
