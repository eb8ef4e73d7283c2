// SPDX-License-Identifier: MIT
//
// Quantities of a discrete principle at a node [LMO08, sect. 3]. With the interval that begins
// there, u = (q1 - q0) / h, and the momentum p1 that leaves it at its end,
//
//   p    = 2 M u - p1 + h/2 B^T lambda     (34): M u - h/2 f + h/2 B^T lambda, as p1 = M u + h/2 f
//   Q p  = M v,   M v + B^T mu = p,   B v + g_t = 0                                      (40)
//   P^T p                                                                                (42)
//   f_d  = B u + g_t at the middle,   h_d = B M^-1 p + g_t                               (45), (46)
//   E_d  = u^T M u / 2 + V at the middle,   H_d = p^T M^-1 p / 2 + V                     (52), (53)
//
// If the carrier of the impulse is no matrix of the node, as in energy-momentum schemes,
// p1 = 2 M u - p, and the multiplier has no part in it.

#include "base/tolerance.h"
#include "integrator/march.h"
#include "linalg/dense.h"
#include "linalg/solver.h"

static double *diagonal_entry(tn_sparse *M, int i) // NULL: outside the pattern
{
    for (int k = M->colptr[i]; k < M->colptr[i + 1]; k++)
        if (M->rowind[k] == i)
            return M->val + k;
    return NULL;
}

static double largest_inertia(const tn_sparse *M)
{
    TN_ASSERT(M->nrow == M->ncol);
    double most = 0.0;
    for (int i = 0; i < M->ncol; i++)
        most = fmax(most, tn_sparse_at(M, i, i));
    return most;
}

// Thin bodies and nodes of beams have axes without inertia in directors, but for round-off.
// Coordinates without inertia get some, `most`, for the factors: as their rows of M are zero, what
// is left is the reduced mass matrix [LMO08, eq. 114]. Their own entries go to `kept`, NAN for
// others. False where M has no place for them.
static bool fill_mass(tn_sparse *M, double most, double *kept, bool *thin)
{
    for (int i = 0; i < M->ncol; i++)
        kept[i] = NAN;
    for (int i = 0; i < M->ncol; i++) {
        double *m = diagonal_entry(M, i);
        if (!m)
            return false;
        if (*m > TN_ROUND_SOLVE * most)
            continue;
        kept[i] = *m;
        *m = most;
        *thin = true;
    }
    return true;
}

static void restore_mass(tn_sparse *M, const double *kept)
{
    for (int i = 0; i < M->ncol; i++)
        if (!isnan(kept[i]))
            *diagonal_entry(M, i) = kept[i];
}

static tn_status factor_mass(tn_march *s, const tn_sparse *M)
{
    TN_TRY(tn_solver_create(M, &s->mass));
    tn_solver_set_inertia(s->mass, 0, 0, M->nrow);
    TN_TRY(tn_solver_factor(s->mass, M));
    return s->mass->stats.rcond > TN_ROUND_SOLVE ? TN_OK : TN_RETRY_SINGULAR;
}

tn_status tn_march_open(tn_integrator *self, tn_stepper *stepper)
{
    tn_march *s = (tn_march *)self;
    tn_sparse *M = stepper->discrete->sys->block[TN_BLOCK_M]; // as the warm-up has left it
    const double most = largest_inertia(M);
    if (!(most > 0.0))
        return TN_OK;
    tn_status status = TN_RETRY_SINGULAR;
    if (fill_mass(M, most, s->node_v, &s->thin))
        status = factor_mass(s, M);
    restore_mass(M, s->node_v);
    for (int i = 0; i < M->ncol; i++)
        s->inert[i] = isnan(s->node_v[i]);
    if (status != TN_OK)
        tn_march_close(self);
    return status > 0 ? TN_OK : status;
}

void tn_march_close(tn_integrator *self)
{
    tn_march *s = (tn_march *)self;
    tn_solver_destroy(s->mass);
    s->mass = NULL;
}

static tn_status rows_at(tn_system *sys, const tn_point *at, double *rows)
{
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_GDOT));
    tn_copy(sys->ng, sys->gdot, rows);
    return TN_OK;
}

static double energy_at(tn_system *sys, const tn_point *at)
{
    tn_energy e = {0};
    if (!sys->ops->energy)
        return NAN;
    sys->ops->energy(sys, at, &e);
    return e.kinetic + e.potential;
}

// p, with B and M of the node in their blocks.
static void march_node_momentum(tn_march *s, const tn_system *sys, const tn_state *x)
{
    TN_ASSERT(s->ahead);
    for (int i = 0; i < sys->nv; i++)
        s->node_p[i] = -s->p[i];
    tn_sparse_mul(sys->block[TN_BLOCK_M], 2.0, s->u, s->node_p);
    if (s->principle->at_node && sys->block[TN_BLOCK_B])
        tn_sparse_mul_t(sys->block[TN_BLOCK_B], 0.5 * s->h, x->lambda, s->node_p);
    tn_sparse_mul_t(sys->block[TN_BLOCK_N], 0.5 * s->h, x->eta, s->node_p);
}

// The velocity of the projected momentum: principles with their carrier at nodes show it.
static tn_status projected(tn_march *s, tn_stepper *stepper, const tn_state *x, double *v)
{
    tn_system *sys = stepper->discrete->sys;
    const tn_point node = tn_march_point(s, x->t, x->q, s->rest_v, x->r);
    tn_copy(sys->nv, s->principle->at_node ? x->v : s->node_p, v);
    if (s->principle->at_node)
        return TN_OK;
    TN_TRY(tn_system_eval(sys, &node, TN_EVAL_GDOT));
    tn_system_stack(sys, -1.0, sys->gdot, sys->ndot, s->gt);
    TN_TRY(tn_accel_factor(stepper->accel, &node));
    return tn_accel_resolve(stepper->accel, v, s->gt);
}

// P^T p with P of the node.
static tn_status reduce_march_node(tn_march *s, tn_discrete *d, const tn_point *node, int *count)
{
    *count = 0;
    if (!d->ops->reduce)
        return TN_OK;
    if (!s->principle->at_node)
        TN_TRY(tn_discrete_carry(d, node));
    *count = d->ops->reduce(d, s->node_p, s->reduced);
    if (*count == s->nloose)
        tn_march_follow_frame(s, d);
    return TN_OK;
}

// M^-1 p with the reduced mass matrix [LMO08, eq. 114]: zero for coordinates without inertia, which
// have no momentum.
static void invert_momentum(tn_march *s, int nv, double *v)
{
    for (int i = 0; i < nv; i++)
        v[i] = s->inert[i] ? s->node_p[i] : 0.0;
    tn_solver_solve(s->mass, v);
}

// Qp and M^-1 p with their rows, and H_d: of M^-1 p, or of the output velocity if there is none.
// This velocity is that of Qp, or with energy-momentum the one of p itself, p = M v.
static tn_status momenta(tn_march *s, tn_stepper *stepper, const tn_state *x, double *H_d)
{
    TN_ASSERT(s->ahead);
    tn_system *sys = stepper->discrete->sys;
    const tn_point at = tn_march_point(s, x->t, x->q, s->node_v, x->r);
    TN_TRY(projected(s, stepper, x, s->node_v));
    TN_TRY(rows_at(sys, &at, s->h_Qp));
    tn_zero(sys->nv, s->node_Qp);
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, s->node_v, s->node_Qp);
    if (s->mass) {
        invert_momentum(s, sys->nv, s->node_v);
        TN_TRY(rows_at(sys, &at, s->h_d));
    }
    const tn_point shown = tn_march_point(s, x->t, x->q, x->v, x->r);
    *H_d = energy_at(sys, s->mass ? &at : &shown);
    return TN_OK;
}

static void sum_momenta(const tn_system *sys, const double *q, const double *p, double linear[3],
                        double angular[3])
{
    tn_energy e;
    sys->ops->momenta(sys, q, p, &e);
    tn_copy(3, e.momentum, linear);
    tn_copy(3, e.spin, angular);
}

// Those of M u are the same at the node and at the middle of the interval.
static void sum_all_momenta(tn_march *s, const tn_system *sys, const double *q,
                            tn_discrete_node *out)
{
    TN_ASSERT(sys->block[TN_BLOCK_M]);
    sum_momenta(sys, q, s->node_p, out->linear_p, out->angular_p);
    sum_momenta(sys, q, s->node_Qp, out->linear_Qp, out->angular_Qp);
    tn_zero(sys->nv, s->node_v);
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, s->u, s->node_v);
    sum_momenta(sys, q, s->node_v, out->linear_d, out->angular_d);
}

static tn_status tell_march_node(tn_march *s, tn_stepper *stepper, const tn_state *x,
                                 tn_discrete_node *out)
{
    tn_system *sys = stepper->discrete->sys;
    const tn_point node = tn_march_point(s, x->t, x->q, x->v, x->r);
    TN_TRY(tn_system_eval(sys, &node, TN_EVAL_MASS | TN_EVAL_B));
    march_node_momentum(s, sys, &s->to);
    TN_TRY(reduce_march_node(s, stepper->discrete, &node, &out->nreduced));
    TN_TRY(momenta(s, stepper, x, &out->H_d));
    out->has_momentum = sys->ops->momenta != NULL;
    if (out->has_momentum)
        sum_all_momenta(s, sys, x->q, out);
    tn_march_along(sys->nv, x->q, 0.5 * s->h, s->u, s->q_mid);
    const tn_point middle = tn_march_point(s, x->t + 0.5 * s->h, s->q_mid, s->u, x->r);
    TN_TRY(rows_at(sys, &middle, s->f_d));
    out->E_d = energy_at(sys, &middle);
    return TN_OK;
}

tn_status tn_march_node(tn_integrator *self, tn_stepper *stepper, const tn_state *x,
                        tn_discrete_node *out)
{
    tn_march *s = (tn_march *)self;
    tn_system *sys = stepper->discrete->sys;
    const bool known = s->ahead && !stepper->moved;
    TN_TRY(tn_march_look_ahead(s, stepper, x, known ? s->h : stepper->options->step));
    *out = (tn_discrete_node){.nv = sys->nv,
                              .ng = sys->ng,
                              .p = s->node_p,
                              .Qp = s->node_Qp,
                              .reduced = s->reduced,
                              .f = s->f_d,
                              .h = s->mass && !s->thin ? s->h_d : NULL,
                              .h_Qp = s->h_Qp};
    const long evals = sys->evals; // output is no work of the method
    const tn_status status = tell_march_node(s, stepper, x, out);
    sys->evals = evals;
    return status;
}
