// SPDX-License-Identifier: MIT
//
// The forces of a given motion. With accelerations known,
//
//   M a - f + B_p^T lambda_p = A^T tau,
//
// A being the gradients of the motor coordinates. Passive constraints do no work on the motions
// Gamma that they allow, so that the efforts tau alone balance what these motions ask for
// (principle of virtual power), one equation for each freedom:
//
//   (A Gamma)^T tau = Gamma^T (M a - f)
//
// It is solved by least norm where there are more motors than freedoms. The reactions of the
// passive constraints follow from what is left.

#include "analysis/inverse_parts.h"

#include "linalg/dense.h"
#include "model/units.h"

#include <math.h>

static double *gradient_of(tn_inverse *s, int motor)
{
    return tn_column_of(s->A, s->sys->nv, motor);
}

// Gradients of the motors and their rates; the system holds B at the point.
static void gather_motors(tn_inverse *s, const tn_point *at)
{
    const int nv = s->sys->nv;
    for (int k = 0; k < s->nmotor; k++) {
        inv_motor *m = &s->motor[k];
        double *row = gradient_of(s, k), c, gamma;
        if (m->row >= 0) {
            tn_copy(nv, tn_column_of(s->D, nv, s->driven_of[m->row]), row);
            tn_scale(nv, m->sign, row);
        } else {
            tn_absolute_coordinate(s->sys, at, m->joint, m->coordinate, &c, row, &gamma);
        }
        m->now.rate = tn_dot(nv, row, at->v);
    }
}

// Efforts that the model states, which those to be found replace.
static void read_given(tn_inverse *s, const tn_point *at)
{
    for (int k = 0; k < s->nmotor; k++) {
        tn_force_state now = {0};
        if (s->motor[k].force >= 0)
            s->sys->ops->mechanism->force(s->sys, at, s->motor[k].force, &now);
        s->motor[k].given = now.effort;
    }
}

// M a - f, the efforts of motors that are to be found left out of f. Returns its size.
static tn_status inverse_force_balance(tn_inverse *s, const tn_point *at, double *size)
{
    tn_system *sys = s->sys;
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_MASS | TN_EVAL_FORCE));
    tn_zero(sys->nv, s->force);
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, at->a, s->force);
    tn_inner(sys->nv, s->nl, s->loads->vectors, 1, s->force, s->e);
    *size = tn_norm2(sys->nv, s->force) + tn_norm2(sys->nv, sys->f);
    tn_axpy(sys->nv, -1.0, sys->f, s->force);
    read_given(s, at);
    for (int k = 0; k < s->nmotor; k++)
        tn_axpy(sys->nv, s->motor[k].given, gradient_of(s, k), s->force);
    return TN_OK;
}

// The motion that no motor sees, S e = 0 with e = 1 at `where`, asks for the work `left`.
static tn_status fail_unbalanced(tn_inverse *s, double t, int where, double left)
{
    TN_ASSERT(where >= 0 && where < s->nl);
    char name[160];
    tn_reduced_kernel(&s->motors, where, s->e);
    tn_inverse_motion_of(s, s->loads, s->e, s->v1);
    const double rate = tn_inverse_name_motion(s, s->v1, name, sizeof name);
    return tn_fail(
        TN_ERR_NUMERIC,
        "at t = %.9g s no motor can give the force that the motion needs: %s moves while "
        "all motors stand still, and %.4g N or N m are missing along it; put a motor "
        "there",
        t, name, left * tn_unit_energy(s->model->units) / rate);
}

// Efforts from the balance in `force`.
static tn_status find_efforts(tn_inverse *s, double t, double size)
{
    const int nv = s->sys->nv;
    const double *Gamma = s->loads->vectors;
    double longest = 0.0;
    int where;
    for (int k = 0; k < s->nl; k++) {
        const double *motion = Gamma + (size_t)k * (size_t)nv;
        s->rho[k] = tn_dot(nv, motion, s->force);
        longest = fmax(longest, tn_norm2(nv, motion));
    }
    tn_reduced_factor(&s->motors, nv, s->A, Gamma);
    (void)tn_reduced_solve_t(&s->motors, s->e, s->effort, &where); // of the masses alone
    for (int k = 0; k < s->nmotor; k++)
        s->motor[k].now.inertia = s->effort[k];
    const double left = tn_reduced_solve_t(&s->motors, s->rho, s->effort, &where);
    // Forces of runs are known between rows as well as motions are.
    if (!(left <= s->tolerance * longest * size))
        return fail_unbalanced(s, t, where, left);
    for (int k = 0; k < s->nmotor; k++) {
        inv_motor *m = &s->motor[k];
        m->now.effort = s->effort[k];
        m->now.power = s->effort[k] * m->now.rate;
    }
    return TN_OK;
}

// B_p^T lambda = A^T tau - (M a - f)
static void find_reactions(tn_inverse *s)
{
    const int nv = s->sys->nv;
    tn_scale(nv, -1.0, s->force);
    for (int k = 0; k < s->nmotor; k++)
        tn_axpy(nv, s->effort[k], gradient_of(s, k), s->force);
    tn_basis_multipliers(s->loads, s->force, s->multipliers);
    tn_copy(s->sys->ng, s->multipliers, s->start.x.lambda);
    tn_copy(s->sys->nn, s->multipliers + s->sys->ng, s->start.x.eta);
}

static void find_energy(tn_inverse *s, const tn_point *at)
{
    s->sys->ops->energy(s->sys, at, &s->energy);
    for (int k = 0; k < s->nmotor; k++)
        s->energy.supplied -= s->motor[k].given * s->motor[k].now.rate;
}

// Efforts and reactions by forces that are those of the reactions so far.
static tn_status find_forces(tn_inverse *s, const tn_point *at)
{
    double size;
    TN_TRY(inverse_force_balance(s, at, &size));
    TN_TRY(find_efforts(s, at->t, size));
    find_reactions(s);
    return TN_OK;
}

// Forces that depend on reactions, as friction does, change reactions in their turn: both are found
// by turns until nothing but round-off changes.
tn_status tn_inverse_forces(tn_inverse *s)
{
    enum { MOST_TURNS = 200 };
    static const double SETTLED = 1e-13, ROUND_OFF = 1e-10;
    const tn_point at = tn_state_point(&s->start.x);
    const int ng = s->sys->ng;
    const double *lambda = s->start.x.lambda;
    const bool depend = s->sys->block[TN_BLOCK_FL] != NULL;
    double change = INFINITY, size = 0.0;
    gather_motors(s, &at);
    for (int k = 0; k < (depend ? MOST_TURNS : 1) && change > SETTLED * size; k++) {
        tn_copy(ng, lambda, s->cp);
        TN_TRY(find_forces(s, &at));
        tn_axpy(ng, -1.0, lambda, s->cp);
        change = tn_norm_inf(ng, s->cp);
        size = tn_norm_inf(ng, lambda);
    }
    if (depend && !(change <= ROUND_OFF * size))
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.9g s forces and the reactions that they depend on do not settle: "
                       "the forces may jam the mechanism; run the model with drives",
                       at.t);
    find_energy(s, &at);
    return TN_OK;
}
