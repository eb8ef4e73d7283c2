// SPDX-License-Identifier: MIT
//
// States c and unknowns w of a model over an interval of a discrete principle, by the implicit
// midpoint rule. In terms of the mean c = (c0 + c1) / 2, at which forces act, and of w there,
//
//   c = c0 + h/2 d(t0 + h/2, q0 + h u / 2, u, c, w),   0 = b(the same),   c1 = 2 c - c0
//
// For each u this is solved by itself, so that the forms of the principle have no more unknowns
// than without. What the balance M u - h/2 f - p then has by way of e = (c, w),
//
//   S = (I - h/2 d_c, -h/2 d_w; b_c, b_w),   de/du = S^-1 (h/2 (d_v + h/2 d_q); -(b_v + h/2 b_q))
//
// adds h/2 FE de/du, FE = -f_e, to its derivative. It goes to block D, whose factor there is h/2.
// At nodes, where c is known, unknowns are those of 0 = b: the same equations with h = 0.

#include "integrator/march.h"
#include "linalg/dense.h"

#include <float.h>

enum { ITERATIONS = 25 };
// Factors of S are kept as long as corrections shrink by this factor; where they no longer shrink
// they are round-off from this size on.
static const double RENEW = 0.1;

void tn_march_states_layout(tn_march *s, const tn_system *sys, tn_carve *mem)
{
    TN_CARVE_DOUBLES(mem, sys->ne, &s->e, &s->e1, &s->e_step);
    TN_CARVE_DOUBLES(mem, sys->ne * sys->ne, &s->S);
    TN_CARVE_DOUBLES(mem, sys->ne * sys->nv, &s->f_e, &s->e_u);
    TN_CARVE_CHOICES(mem, 1, sys->ne, sys->ne, &s->S_pivot);
}

// S from block EE, by columns; half of h.
static tn_status factor_states(tn_march *s, const tn_system *sys, double half)
{
    const int n = sys->ne;
    TN_ASSERT(n > 0 && half >= 0.0);
    tn_sparse_to_dense(sys->block[TN_BLOCK_EE], s->S);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < sys->nc; i++)
            s->S[i + j * n] = (i == j) - half * s->S[i + j * n];
    s->S_half = half;
    s->S_known = tn_lu_factor(n, s->S, s->S_pivot) == TN_OK;
    return s->S_known ? TN_OK : TN_RETRY_SINGULAR;
}

// A Newton step for e; its size beside e and what that changes by within the interval.
static double correct_states(tn_march *s, const tn_system *sys, const double *c0, double half)
{
    const int n = sys->ne;
    double size = 0.0;
    for (int i = 0; i < n; i++)
        s->e_step[i] = i < sys->nc ? s->e[i] - c0[i] - half * sys->extra[i] : sys->extra[i];
    tn_lu_solve(n, s->S, s->S_pivot, s->e_step);
    for (int i = 0; i < n; i++) {
        const double change = i < sys->nc ? fabs(c0[i]) + half * fabs(sys->extra[i]) : 0.0;
        const double before = fabs(s->e[i]);
        s->e[i] -= s->e_step[i];
        const double scale = fmax(before, fabs(s->e[i])) + change; // zero only where nothing moves
        size = s->e_step[i] == 0.0 ? size : fmax(size, fabs(s->e_step[i]) / scale);
        if (!isfinite(s->e[i]))
            return INFINITY;
    }
    return size;
}

// s->e at a point, which shows it.
static tn_status solve_states(tn_march *s, tn_system *sys, const tn_point *at, const double *c0,
                              double half)
{
    TN_ASSERT(at->e == s->e && c0 != s->e);
    double last = 0.0;
    bool renew = !s->S_known || s->S_half != half;
    for (int k = 0; k < ITERATIONS; k++) {
        TN_TRY(tn_system_eval(sys, at, TN_EVAL_EXTRA | (renew ? TN_EVAL_LOADS : 0)));
        if (renew)
            TN_TRY(factor_states(s, sys, half));
        const double size = correct_states(s, sys, c0, half);
        if (!isfinite(size))
            break;
        if (tn_march_is_done(size, last, 4.0 * DBL_EPSILON, 0.0))
            return TN_OK;
        renew = last > 0.0 && size > RENEW * last;
        last = size;
    }
    s->S_known = false;
    return tn_fail(TN_RETRY_NEWTON, "states and unknowns of the model were not found");
}

static tn_point point_of(const tn_march *s, double t, const double *q, const double *v,
                         const double *r)
{
    tn_point at = tn_march_point(s, t, q, v, r);
    at.e = s->e;
    return at;
}

// Without accelerations and multipliers; the interpolation between two such states is the way.
static tn_state state_at(const tn_march *s, double t, const double *q, const double *v, double *e,
                         const double *r)
{
    double *z = s->rest_lambda;
    return (tn_state){t, (double *)q, (double *)v, s->rest_v, z, z, e, (double *)r};
}

// The middle, with s->e.
static tn_state middle_state(tn_march *s, const tn_system *sys, const tn_march_interval *at,
                             const double *u)
{
    tn_march_along(sys->nv, at->q, 0.5 * at->h, u, s->q_mid);
    return state_at(s, at->t + 0.5 * at->h, s->q_mid, u, s->e, at->r);
}

// Unknowns of `to` begin where they are followed to. Where they cannot be followed they begin where
// they are.
static tn_status begin_followed(tn_stepper *stepper, const tn_state *from, tn_state *to)
{
    const tn_status status = tn_unknowns_follow(stepper->unknowns, from, to);
    return status < 0 ? status : TN_OK;
}

tn_status tn_march_begin_states(tn_march *s, tn_stepper *stepper, const tn_march_interval *at,
                                const double *u)
{
    const tn_system *sys = stepper->discrete->sys;
    tn_copy(sys->ne, at->e, s->e);
    if (!stepper->unknowns)
        return TN_OK;
    const tn_state node = state_at(s, at->t, at->q, u, (double *)at->e, at->r);
    tn_state middle = middle_state(s, sys, at, u);
    return begin_followed(stepper, &node, &middle);
}

tn_status tn_march_check_states(tn_march *s, tn_stepper *stepper, const tn_march_interval *at,
                                const double *u)
{
    if (!stepper->unknowns)
        return TN_OK;
    const tn_state node = state_at(s, at->t, at->q, u, (double *)at->e, at->r);
    const tn_state middle = middle_state(s, stepper->discrete->sys, at, u);
    return tn_stepper_check(stepper, &node, &middle);
}

tn_status tn_march_find_states(tn_march *s, tn_system *sys, const tn_march_interval *at,
                               const double *u)
{
    if (sys->ne == 0)
        return TN_OK;
    tn_march_along(sys->nv, at->q, 0.5 * at->h, u, s->q_mid);
    const tn_point middle = point_of(s, at->t + 0.5 * at->h, s->q_mid, u, at->r);
    return solve_states(s, sys, &middle, at->e, 0.5 * at->h);
}

tn_status tn_march_node_states(tn_march *s, tn_stepper *stepper, const tn_state *x,
                               const tn_march_interval *next, const double *v, double *e)
{
    tn_system *sys = stepper->discrete->sys;
    tn_copy(sys->ne, s->e1, e);
    if (sys->nw == 0)
        return TN_OK;
    const tn_point node = point_of(s, next->t, next->q, v, next->r);
    const tn_state from = state_at(s, x->t, x->q, x->v, x->e, x->r);
    tn_state to = state_at(s, next->t, next->q, v, s->e, next->r);
    tn_copy(sys->ne, e, s->e);
    TN_TRY(begin_followed(stepper, &from, &to));
    TN_TRY(solve_states(s, sys, &node, e, 0.0));
    TN_TRY(tn_stepper_check(stepper, &from, &to));
    tn_copy(sys->nw, s->e + sys->nc, e + sys->nc);
    return TN_OK;
}

// de/du, by columns.
static void states_by_motion(tn_march *s, const tn_system *sys, double half)
{
    static const tn_block blocks[] = {TN_BLOCK_EV, TN_BLOCK_EQ};
    const double weight[] = {1.0, half};
    const int n = sys->ne;
    tn_zero(n * sys->nv, s->e_u);
    for (int k = 0; k < TN_COUNT(blocks); k++) {
        const tn_sparse *A = sys->block[blocks[k]];
        for (int j = 0; A && j < sys->nv; j++)
            for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
                s->e_u[A->rowind[p] + j * n] +=
                    weight[k] * (A->rowind[p] < sys->nc ? half : -1.0) * A->val[p];
    }
    for (int j = 0; j < sys->nv; j++)
        tn_lu_solve(n, s->S, s->S_pivot, s->e_u + j * n);
}

tn_status tn_march_add_states(tn_march *s, tn_system *sys, double h)
{
    const int n = sys->ne, nv = sys->nv;
    tn_sparse *D = sys->block[TN_BLOCK_D];
    if (n == 0)
        return TN_OK;
    TN_TRY(factor_states(s, sys, 0.5 * h));
    if (!D || !sys->block[TN_BLOCK_FE])
        return TN_OK;
    states_by_motion(s, sys, 0.5 * h);
    tn_sparse_to_dense(sys->block[TN_BLOCK_FE], s->f_e);
    for (int j = 0; j < nv; j++)
        for (int p = D->colptr[j]; p < D->colptr[j + 1]; p++)
            for (int k = 0; k < n; k++)
                D->val[p] += s->f_e[D->rowind[p] + k * nv] * s->e_u[k + j * n];
    return TN_OK;
}

void tn_march_end_states(tn_march *s, const tn_system *sys, const tn_march_interval *at)
{
    for (int i = 0; i < sys->ne; i++)
        s->e1[i] = i < sys->nc ? 2.0 * s->e[i] - at->e[i] : s->e[i];
}
