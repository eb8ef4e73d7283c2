// SPDX-License-Identifier: MIT
//
// Penalties and augmented Lagrangians; see ode_penalty.h.

#include "formulation/ode_penalty.h"

#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

// Masses below this part of the largest count as that much in the effective mass of a row.
static const double LIGHT = 1e-3;

typedef struct penalty {
    tn_ode base;
    tn_kkt kkt;
    double alpha, damping, stiffness; // 2 mu omega, omega^2
    int rounds;                       // at most
    double *mass;                     // nv: diagonal of M
    double *soft;                     // ng + nn: 1 / alpha of each row
    double *right;                    // ng + nn: -gamma - ...
    double *y;                        // ng + nn: multipliers
    double *x;                        // nv + ng + nn
} penalty;

static void layout_penalty(tn_ode *self, tn_carve *mem)
{
    penalty *s = (penalty *)self;
    const int nv = self->sys->nv, rows = self->sys->ng + self->sys->nn;
    TN_CARVE_DOUBLES(mem, nv, &s->mass);
    TN_CARVE_DOUBLES(mem, rows, &s->soft, &s->right, &s->y);
    TN_CARVE_DOUBLES(mem, nv + rows, &s->x);
}

static tn_status open_penalty(tn_ode *self, const tn_sim_options *options, bool iterates)
{
    penalty *s = (penalty *)self;
    const tn_sim_options o = options ? *options : tn_default_sim();
    s->alpha = o.penalty_alpha;
    s->damping = 2.0 * o.penalty_mu * o.penalty_omega;
    s->stiffness = o.penalty_omega * o.penalty_omega;
    s->rounds = iterates ? o.penalty_iterations : 1;
    return tn_kkt_open(&s->kkt, self->sys);
}

static void penalty_values(tn_ode *self, tn_values *v)
{
    tn_kkt_values(&((penalty *)self)->kkt, v);
}

static tn_status open_once(tn_ode *self, const tn_sim_options *options)
{
    return open_penalty(self, options, false);
}

static tn_status open_rounds(tn_ode *self, const tn_sim_options *options)
{
    return open_penalty(self, options, true);
}

static void close_penalty(tn_ode *self)
{
    tn_kkt_close(&((penalty *)self)->kkt);
}

// Weights -----------------------------------------------------------------------------------------

static void find_masses(penalty *s)
{
    const tn_sparse *M = s->base.sys->block[TN_BLOCK_M];
    const int nv = s->base.sys->nv;
    double most = 0.0;
    tn_zero(nv, s->mass);
    for (int j = 0; j < nv; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            if (M->rowind[k] == j)
                s->mass[j] = M->val[k];
    for (int j = 0; j < nv; j++)
        most = fmax(most, s->mass[j]);
    most = most > 0.0 ? most : 1.0;
    for (int j = 0; j < nv; j++)
        s->mass[j] = fmax(s->mass[j], LIGHT * most);
}

static void add_rows(const penalty *s, const tn_sparse *C, double *soft)
{
    for (int j = 0; C && j < s->base.sys->nv; j++)
        for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
            soft[C->rowind[k]] += C->val[k] * C->val[k] / s->mass[j];
}

static void find_weights(penalty *s)
{
    const tn_system *sys = s->base.sys;
    const int rows = sys->ng + sys->nn;
    tn_zero(rows, s->soft);
    add_rows(s, sys->block[TN_BLOCK_B], s->soft);
    add_rows(s, sys->block[TN_BLOCK_N], s->soft + sys->ng);
    for (int i = 0; i < rows; i++) // a row that has vanished holds nothing
        s->soft[i] = s->soft[i] > 0.0 ? s->soft[i] / s->alpha : 1.0;
}

// Solution ----------------------------------------------------------------------------------------

static tn_status factor_penalty(penalty *s)
{
    const tn_system *sys = s->base.sys;
    tn_composition *A = &s->kkt.matrix;
    tn_kkt_fill(&s->kkt);
    for (int i = 0; i < sys->ng + sys->nn; i++)
        A->matrix->val[A->maps[TN_KKT_DIAGONAL][i]] -= s->soft[i];
    TN_TRY(tn_kkt_factor(&s->kkt, s->base.active));
    if (!s->kkt.singular)
        return TN_OK;
    return tn_fail(TN_RETRY_SINGULAR,
                   "%s: the mass matrix is not definite on the motions that the constraints allow "
                   "at t = %g s, or penalty_alpha, %g, is too large for redundant rows",
                   s->base.formulation->name, s->base.t, s->alpha);
}

static void take_right_side(penalty *s)
{
    const tn_system *sys = s->base.sys;
    tn_system_stack(sys, -1.0, sys->gamma, sys->ngamma, s->right);
    tn_axpy(sys->ng, -s->damping, sys->gdot, s->right);
    tn_axpy(sys->nn, -s->damping, sys->ndot, s->right + sys->ng);
    tn_axpy(sys->ng, -s->stiffness, sys->g, s->right);
}

// Residual of a and y in the equations without alpha: the next round solves for it.
static void take_rest(penalty *s)
{
    const tn_system *sys = s->base.sys;
    const tn_sparse *B = sys->block[TN_BLOCK_B], *N = sys->block[TN_BLOCK_N];
    double *a = s->base.a, *top = s->x, *below = s->x + sys->nv;
    tn_copy(sys->nv, sys->f, top);
    tn_copy(sys->ng + sys->nn, s->right, below);
    tn_sparse_mul(sys->block[TN_BLOCK_M], -1.0, a, top);
    tn_sparse_mul_t(B, -1.0, s->y, top);
    tn_sparse_mul(B, -1.0, a, below);
    tn_sparse_mul_t(N, -1.0, s->y + sys->ng, top);
    tn_sparse_mul(N, -1.0, a, below + sys->ng);
    for (int i = 0; i < sys->ng + sys->nn; i++)
        if (!s->base.active[i])
            below[i] = 0.0; // it is left out
}

static tn_status penalty_accelerations(tn_ode *self)
{
    penalty *s = (penalty *)self;
    tn_system *sys = self->sys;
    const int nv = sys->nv, rows = sys->ng + sys->nn;
    const tn_point at = tn_ode_point(self);
    TN_TRY(tn_system_eval(sys, &at,
                          TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_G | TN_EVAL_GDOT |
                              TN_EVAL_GAMMA));
    find_masses(s);
    find_weights(s);
    TN_TRY(factor_penalty(s));
    take_right_side(s);
    tn_zero(nv, self->a);
    tn_zero(rows, s->y);
    double last = INFINITY;
    for (int round = 0; round < s->rounds; round++) {
        take_rest(s);
        tn_solver_solve(s->kkt.solver, s->x);
        tn_axpy(nv, 1.0, s->x, self->a);
        tn_axpy(rows, 1.0, s->x + nv, s->y);
        const double change = tn_norm_inf(nv, s->x);
        if (change <= TN_ROUND_SUM * tn_norm_inf(nv, self->a) || (round > 1 && change > 0.5 * last))
            break;
        last = change;
    }
    tn_copy(sys->ng, s->y, self->lambda);
    tn_copy(sys->nn, s->y + sys->ng, self->eta);
    return TN_OK;
}

static const char *penalty_solver(const tn_ode *self)
{
    return tn_solver_name(((const penalty *)self)->kkt.solver);
}

#define OPS(opened)                                                                       \
    {                                                                                     \
        .size = sizeof(penalty), .layout = layout_penalty, .open = (opened),              \
        .close = close_penalty, .accel = penalty_accelerations, .solver = penalty_solver, \
        .values = penalty_values,                                                         \
    }

const tn_ode_ops tn_ode_penalty = OPS(open_once);
const tn_ode_ops tn_ode_augmented_lagrangian = OPS(open_rounds);
