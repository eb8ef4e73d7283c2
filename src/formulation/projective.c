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
// of M, and M need be definite on the null space only.
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
    double *D;             // nv nf
    double *Et;            // nv nf
    double *force, *along; // nv
} projective;

static void layout_projective(tn_ode *self, tn_carve *mem)
{
    projective *s = (projective *)self;
    const int nv = self->sys->nv;
    tn_basis_ode_layout(self, mem);
    TN_CARVE_DOUBLES(mem, nv * nv, &s->D, &s->Et);
    TN_CARVE_DOUBLES(mem, nv, &s->force, &s->along);
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

// a = x_p + D D^T (f - M x_p), the force across the constraints in `force`
static void project_projective(projective *s)
{
    tn_ode *ode = &s->base.base;
    const tn_system *sys = ode->sys;
    const tn_sparse *M = sys->block[TN_BLOCK_M];
    const int nv = sys->nv, nf = s->base.basis->nf;
    tn_basis_particular(s->base.basis, s->base.c, ode->a);
    tn_copy(nv, sys->f, s->force);
    tn_sparse_mul(M, -1.0, ode->a, s->force);
    tn_zero(nv, s->along);
    for (int k = 0; k < nf; k++) {
        const double *d = tn_column_of(s->D, nv, k);
        tn_axpy(nv, tn_dot(nv, d, s->force), d, s->along);
    }
    tn_axpy(nv, 1.0, s->along, ode->a);
    tn_sparse_mul(M, -1.0, s->along, s->force);
}

static tn_status projective_accelerations(tn_ode *self)
{
    projective *s = (projective *)self;
    tn_basis_ode *base_part = &s->base;
    tn_system *sys = self->sys;
    const tn_point at = tn_ode_point(self);
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_GAMMA));
    TN_TRY(tn_basis_factor(base_part->basis));
    tn_basis_orthonormal(base_part->basis, s->D);
    tn_basis_ode_curvature(base_part);
    project_projective(s);
    tn_basis_multipliers(base_part->basis, s->force, base_part->y);
    tn_basis_ode_reactions(base_part);
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
    .accel = projective_accelerations,
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
