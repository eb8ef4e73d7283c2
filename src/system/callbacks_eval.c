// SPDX-License-Identifier: MIT
//
// A system made of a user's own functions, with difference quotients (callbacks_difference.c) for
// the derivatives that the user does not give. All blocks are dense.
//
// Contact point coordinates. s follows q by h(t,q,s) = 0, so the constraint matrix is the total
// derivative [Arn16, section 3.2]
//
//   B = g_q - g_s h_s^-1 h_q,     gdot = B v + g_t - g_s h_s^-1 h_t,
//
// whereas a Newton iteration has s among its unknowns and would need g_q and g_s in the rows of g.
// To let one matrix B serve the dynamics and the rows of g, the system gives, instead of g,
//
//   g~ = g - g_s h_s^-1 h.
//
// Together with h = 0 it has the same solutions, and its derivatives where h = 0 are exactly B with
// respect to q and zero with respect to s (block GE is NULL): it is the block elimination of ds
// from the Newton equations of (g, h), so Newton's method stays quadratic. With g itself in the
// rows and B and GE = 0 as tangents, the linear part of the error would vanish only after every
// second step. If h is not zero, g~ is g(t, q, s(t,q)) up to terms of second order in h.

#include "system/callbacks_parts.h"

#include "linalg/dense.h"

#include <math.h>

typedef tn_callbacks_system callbacks;
typedef tn_callbacks_quotient quotient;

#define NONE TN_BLOCK_COUNT // in the place of a block that a sweep does not give

// The stack y = (r, gdot, ndot, extra): its derivatives are the tangent blocks.
enum {
    PART_MOTION = 1, // M a + B^T lambda + N^T eta in r
    PART_FORCE = 2,  // -f in r
    PART_RATES = 4,  // gdot, ndot
    PART_EXTRA = 8
};

// Calls of the user's functions -------------------------------------------------------------------

typedef tn_callbacks_function function;

typedef enum view { SEES_POSITION, SEES_MOTION, SEES_ALL } view; // as tenon/system.h says

static tn_arguments arguments(const callbacks *s, const tn_point *at, view sees)
{
    const tn_system *sys = &s->base;
    const bool multipliers = sees == SEES_ALL || (sees == SEES_MOTION && s->cb.lambda_in_force);
    tn_arguments args = {.t = tn_piece_time(&sys->piece, at->t), .q = at->q};
    if (sees != SEES_POSITION)
        args.v = at->v;
    if (multipliers) {
        args.lambda = sys->ng ? at->lambda : NULL;
        args.eta = sys->nn ? at->eta : NULL;
    }
    if (at->e) {
        args.c = sys->nc ? at->e : NULL;
        args.w = sys->nw ? at->e + sys->nc : NULL;
        args.s = sys->ns ? at->e + sys->nc + sys->nw : NULL;
    }
    args.r = sys->nr ? at->r : NULL;
    return args;
}

static tn_status judge_callbacks_eval(const char *name, double t, int code, int n,
                                      const double *out)
{
    if (code > 0)
        return tn_fail(TN_RETRY_FUNCTION,
                       "the user's function '%s' asked for a smaller step at t = %g s", name, t);
    if (code < 0)
        return tn_fail(TN_ERR_NUMERIC, "the user's function '%s' returned %d at t = %g s", name,
                       code, t);
    for (int i = 0; i < n; i++)
        if (!isfinite(out[i]))
            return tn_fail(TN_RETRY_FUNCTION,
                           "the user's function '%s' gave %g in entry [%d] at t = %g s", name,
                           out[i], i, t);
    return TN_OK;
}

static tn_status call_callbacks_eval(const callbacks *s, function F, const char *name,
                                     const tn_point *at, view sees, int n, double *out)
{
    if (n == 0)
        return TN_OK;
    const tn_arguments args = arguments(s, at, sees);
    const int code = F(s->cb.user, &args, out);
    return judge_callbacks_eval(name, at->t, code, n, out);
}

static tn_status user_g(callbacks *s, const tn_point *at, double *y)
{
    return call_callbacks_eval(s, s->cb.constraint, "constraint", at, SEES_POSITION, s->base.ng, y);
}

static tn_status user_h(callbacks *s, const tn_point *at, double *y)
{
    return call_callbacks_eval(s, s->cb.contact, "contact", at, SEES_POSITION, s->base.ns, y);
}

tn_status tn_callbacks_rows(callbacks *s, const tn_point *at, double *y)
{
    TN_TRY(user_g(s, at, y));
    return user_h(s, at, y + s->base.ng);
}

static tn_status user_force(callbacks *s, const tn_point *at, double *y)
{
    return call_callbacks_eval(s, s->cb.force, "force", at, SEES_MOTION, s->base.nv, y);
}

static tn_status user_mass(callbacks *s, const tn_point *at, double *M)
{
    return call_callbacks_eval(s, s->cb.mass, "mass", at, SEES_POSITION, s->base.nv * s->base.nv,
                               M);
}

static tn_status user_pfaffian(callbacks *s, const tn_point *at)
{
    const int nn = s->base.nn;
    if (nn == 0)
        return TN_OK;
    const tn_arguments args = arguments(s, at, SEES_POSITION);
    const int code = s->cb.pfaffian(s->cb.user, &args, s->N, s->n0);
    TN_TRY(judge_callbacks_eval("pfaffian", at->t, code, nn * s->base.nv, s->N));
    return judge_callbacks_eval("pfaffian", at->t, code, nn, s->n0);
}

static tn_status user_extra(callbacks *s, const tn_point *at, double *y)
{
    const int nc = s->base.nc, nw = s->base.nw;
    TN_TRY(call_callbacks_eval(s, s->cb.states, "states", at, SEES_MOTION, nc, y));
    TN_TRY(call_callbacks_eval(s, s->cb.algebraic, "algebraic", at, SEES_MOTION, nw, y + nc));
    return user_h(s, at, y + nc + nw);
}

// Constraints -------------------------------------------------------------------------------------

static quotient inner(const callbacks *s, tn_callbacks_part F, int m)
{
    return (quotient){F, m, 4, TN_STEP_MIDDLE, &s->in};
}

// y -= g_s x for x = h_s^-1 h, h_s^-1 h_q v, …
static void follow_s(const callbacks *s, const double *x, double *y)
{
    for (int j = 0; j < s->base.ns; j++)
        tn_axpy(s->base.ng, -x[j], s->gs + (size_t)j * (size_t)s->base.ng, y);
}

tn_partial tn_callbacks_partial_of(const callbacks *s, tn_callbacks_partial which)
{
    const int ng = s->base.ng, nv = s->base.nv, ns = s->base.ns;
    const tn_partial all[TN_PARTIAL_COUNT] = {
        [TN_PARTIAL_GQ] = {s->cb.jacobian, "jacobian", true, true, ng, nv},
        [TN_PARTIAL_GS] = {s->cb.constraint_ds, "constraint_ds", true, false, ng, ns},
        [TN_PARTIAL_HQ] = {s->cb.contact_dq, "contact_dq", false, true, ns, nv},
        [TN_PARTIAL_HS] = {s->cb.contact_ds, "contact_ds", false, false, ns, ns}};
    return all[which];
}

tn_status tn_callbacks_partials(callbacks *s, tn_callbacks_partial which, bool differences,
                                const tn_point *at, double *J)
{
    const tn_partial p = tn_callbacks_partial_of(s, which);
    if (p.given && !differences)
        return call_callbacks_eval(s, p.given, p.name, at, SEES_POSITION, p.m * p.n, J);
    const quotient d = inner(s, p.of_g ? user_g : user_h, p.m);
    return tn_callbacks_columns(s, &d, at, p.by_q ? TN_BY_Q : TN_BY_E,
                                p.by_q ? 0 : s->base.ne - s->base.ns, p.n, J);
}

// Fills B and, where there are contact point coordinates, gs, hs and sq at the point.
static tn_status linearise_callbacks_eval(callbacks *s, const tn_point *at)
{
    const int ng = s->base.ng, nv = s->base.nv, ns = s->base.ns;
    TN_TRY(tn_callbacks_partials(s, TN_PARTIAL_GQ, false, at, s->B));
    if (ns == 0)
        return TN_OK;
    TN_TRY(tn_callbacks_partials(s, TN_PARTIAL_GS, false, at, s->gs));
    TN_TRY(tn_callbacks_partials(s, TN_PARTIAL_HS, false, at, s->hs));
    TN_TRY(tn_callbacks_partials(s, TN_PARTIAL_HQ, false, at, s->sq));
    if (tn_lu_factor(ns, s->hs, s->pivot) != TN_OK)
        return tn_fail(TN_RETRY_SINGULAR,
                       "the derivative dh/ds of the user's function 'contact' is singular at "
                       "t = %g s: h = 0 must determine s",
                       at->t);
    for (int j = 0; j < nv; j++) {
        double *column = s->sq + (size_t)j * (size_t)ns;
        tn_lu_solve(ns, s->hs, s->pivot, column);
        follow_s(s, column, s->B + (size_t)j * (size_t)ng);
    }
    return TN_OK;
}

// g~ of the head comment, after linearise at the same point.
static tn_status constraint(callbacks *s, const tn_point *at, double *g)
{
    TN_TRY(user_g(s, at, g));
    if (s->base.ns == 0)
        return TN_OK;
    TN_TRY(user_h(s, at, s->h));
    tn_lu_solve(s->base.ns, s->hs, s->pivot, s->h);
    follow_s(s, s->h, g);
    return TN_OK;
}

static void multiply_callbacks_eval(int m, int n, const double *A, const double *x,
                                    double *y) // y += A x
{
    for (int j = 0; j < n; j++)
        tn_axpy(m, x[j], A + (size_t)j * (size_t)m, y);
}

static void multiply_t(int m, int n, const double *A, const double *x, double *y) // y += A^T x
{
    for (int j = 0; j < n && m > 0; j++)
        y[j] += tn_dot(m, A + (size_t)j * (size_t)m, x);
}

// h_s^-1 h_t into st, zero when nothing depends on time.
static tn_status contact_t(callbacks *s, const tn_point *at)
{
    const quotient h = inner(s, user_h, s->base.ns);
    tn_zero(s->base.ns, s->st);
    if (!s->rheonomic || s->base.ns == 0)
        return TN_OK;
    TN_TRY(tn_callbacks_along(s, &h, at, NULL, NULL, s->st));
    tn_lu_solve(s->base.ns, s->hs, s->pivot, s->st);
    return TN_OK;
}

tn_status tn_callbacks_try_constraint_t(callbacks *s, const tn_point *at, double *gt)
{
    const quotient g = inner(s, user_g, s->base.ng);
    return tn_callbacks_along(s, &g, at, NULL, NULL, gt);
}

tn_status tn_callbacks_constraint_t(callbacks *s, const tn_point *at, double *gt)
{
    if (!s->cb.constraint_t)
        return tn_callbacks_try_constraint_t(s, at, gt);
    return call_callbacks_eval(s, s->cb.constraint_t, "constraint_t", at, SEES_POSITION, s->base.ng,
                               gt);
}

// gdot and ndot, after linearise and user_pfaffian at the same point.
static tn_status callbacks_eval_rates(callbacks *s, const tn_point *at, double *gdot, double *ndot)
{
    const int ng = s->base.ng, nn = s->base.nn, nv = s->base.nv;
    tn_zero(ng, gdot);
    if (s->rheonomic && ng > 0) {
        TN_TRY(tn_callbacks_constraint_t(s, at, gdot));
        TN_TRY(contact_t(s, at));
        follow_s(s, s->st, gdot);
    }
    multiply_callbacks_eval(ng, nv, s->B, at->v, gdot);
    tn_copy(nn, s->n0, ndot);
    multiply_callbacks_eval(nn, nv, s->N, at->v, ndot);
    return TN_OK;
}

// The parts of the stack that the running sweep wants; zero elsewhere.
static tn_status stack(callbacks *s, const tn_point *at, double *y)
{
    const int nv = s->base.nv, ng = s->base.ng, nn = s->base.nn;
    tn_zero(nv + ng + nn + s->base.ne, y);
    if (s->parts & (PART_MOTION | PART_RATES)) {
        TN_TRY(linearise_callbacks_eval(s, at));
        TN_TRY(user_pfaffian(s, at));
    }
    if (s->parts & PART_MOTION) {
        TN_TRY(user_mass(s, at, s->M));
        multiply_callbacks_eval(nv, nv, s->M, at->a, y);
        multiply_t(ng, nv, s->B, at->lambda, y);
        multiply_t(nn, nv, s->N, at->eta, y);
    }
    if (s->parts & PART_FORCE) {
        TN_TRY(user_force(s, at, s->f));
        tn_axpy(nv, -1.0, s->f, y);
    }
    if (s->parts & PART_RATES)
        TN_TRY(callbacks_eval_rates(s, at, y + nv, y + nv + ng));
    if (s->parts & PART_EXTRA)
        TN_TRY(user_extra(s, at, y + nv + ng + nn));
    return TN_OK;
}

// d/dt gdot and d/dt ndot at constant v, behind nv zeros in J: along q o exp(tau v) and, from
// h = 0, s' = -h_s^-1 (h_q v + h_t). Needs linearise at the same point.
static tn_status callbacks_eval_bends(callbacks *s, const tn_point *at)
{
    const int nv = s->base.nv, ng = s->base.ng, nn = s->base.nn, ns = s->base.ns;
    TN_TRY(contact_t(s, at));
    multiply_callbacks_eval(ns, nv, s->sq, at->v, s->st);
    tn_scale(ns, -1.0, s->st);
    tn_copy(ns, s->st, s->h); // linearise and contact_t of the moved points keep out of h
    s->parts = PART_RATES;
    const quotient d = {stack, nv + ng + nn, 4, s->nested ? TN_STEP_NESTED : TN_STEP_MIDDLE,
                        &s->out};
    return tn_callbacks_along(s, &d, at, at->v, ns ? s->h : NULL, s->J);
}

static tn_status callbacks_eval_accelerations(callbacks *s, const tn_point *at)
{
    const int nv = s->base.nv, ng = s->base.ng, nn = s->base.nn;
    if (s->cb.gamma)
        TN_TRY(call_callbacks_eval(s, s->cb.gamma, "gamma", at, SEES_MOTION, ng, s->base.gamma));
    if (nn == 0 && (ng == 0 || s->cb.gamma))
        return TN_OK;
    TN_TRY(callbacks_eval_bends(s, at));
    if (!s->cb.gamma)
        tn_copy(ng, s->J + nv, s->base.gamma);
    tn_copy(nn, s->J + nv + ng, s->base.ngamma);
    return TN_OK;
}

tn_status tn_callbacks_try_gamma(callbacks *s, const tn_point *at, double *gamma)
{
    TN_TRY(linearise_callbacks_eval(s, at));
    TN_TRY(callbacks_eval_bends(s, at));
    tn_copy(s->base.ng, s->J + s->base.nv, gamma);
    return TN_OK;
}

// Tangents ----------------------------------------------------------------------------------------

static void take_callbacks_eval(const callbacks *s, tn_block id, int row0, int col0, int ncol)
{
    tn_sparse *A = s->base.block[id];
    const size_t m = (size_t)(s->base.nv + s->base.ng + s->base.nn + s->base.ne);
    for (int j = 0; A && j < ncol; j++)
        tn_copy(A->nrow, s->J + (size_t)j * m + row0,
                A->val + (size_t)(col0 + j) * (size_t)A->nrow);
}

// Differences of the wanted parts of the stack, and from there into the blocks of r, gdot, ndot and
// extra.
static tn_status sweep_callbacks_eval(callbacks *s, const tn_point *at, tn_callbacks_argument x,
                                      int first, int count, unsigned parts, const tn_block into[4])
{
    const int nv = s->base.nv, ng = s->base.ng, nn = s->base.nn;
    const int row0[4] = {0, nv, nv + ng, nv + ng + nn};
    if (parts == 0 || count == 0)
        return TN_OK;
    s->parts = parts;
    const bool nested = s->nested && (parts & (PART_MOTION | PART_RATES));
    const quotient d = {stack, row0[3] + s->base.ne, 2, nested ? TN_STEP_MIDDLE : TN_STEP_EXACT,
                        &s->out};
    TN_TRY(tn_callbacks_columns(s, &d, at, x, first, count, s->J));
    for (int i = 0; i < 4; i++)
        if (into[i] != NONE)
            take_callbacks_eval(s, into[i], row0[i], first, count);
    return TN_OK;
}

static tn_status given_tangents(callbacks *s, const tn_point *at)
{
    const int n = s->base.nv * s->base.nv;
    double *K = s->base.block[TN_BLOCK_K]->val, *D = s->base.block[TN_BLOCK_D]->val;
    if (s->cb.residual_dq) {
        const tn_arguments args = arguments(s, at, SEES_ALL);
        const int code = s->cb.residual_dq(s->cb.user, &args, at->a, K);
        TN_TRY(judge_callbacks_eval("residual_dq", at->t, code, n, K));
    }
    if (s->cb.force_dv) {
        TN_TRY(call_callbacks_eval(s, s->cb.force_dv, "force_dv", at, SEES_MOTION, n, D));
        tn_scale(n, -1.0, D);
    }
    return TN_OK;
}

static tn_status callbacks_eval_tangents(callbacks *s, const tn_point *at)
{
    static const tn_block by_q[] = {TN_BLOCK_K, TN_BLOCK_Z, TN_BLOCK_NZ, TN_BLOCK_EQ};
    static const tn_block by_v[] = {TN_BLOCK_D, NONE, NONE, TN_BLOCK_EV};
    static const tn_block by_e[] = {TN_BLOCK_FE, TN_BLOCK_ZE, TN_BLOCK_NE, TN_BLOCK_EE};
    static const tn_block by_lambda[] = {TN_BLOCK_FL, NONE, NONE, TN_BLOCK_EL};
    static const tn_block by_eta[] = {TN_BLOCK_FN, NONE, NONE, TN_BLOCK_EN};
    const tn_system *sys = &s->base;
    const unsigned extra = sys->ne > 0 ? PART_EXTRA : 0;
    const unsigned motion_extra = sys->nc + sys->nw > 0 ? PART_EXTRA : 0; // h has no v, lambda
    const unsigned rows = sys->ng + sys->nn > 0 ? PART_RATES : 0;
    const unsigned whole = PART_MOTION | PART_FORCE;
    const int ncw = sys->nc + sys->nw;
    TN_TRY(sweep_callbacks_eval(s, at, TN_BY_Q, 0, sys->nv,
                                (s->cb.residual_dq ? 0 : whole) | rows | extra, by_q));
    TN_TRY(sweep_callbacks_eval(s, at, TN_BY_V, 0, sys->nv,
                                (s->cb.force_dv ? 0 : PART_FORCE) | motion_extra, by_v));
    TN_TRY(sweep_callbacks_eval(s, at, TN_BY_E, 0, ncw, PART_FORCE | motion_extra, by_e));
    TN_TRY(sweep_callbacks_eval(s, at, TN_BY_E, ncw, sys->ns, whole | rows | extra, by_e));
    if (s->cb.lambda_in_force) {
        TN_TRY(sweep_callbacks_eval(s, at, TN_BY_LAMBDA, 0, sys->ng, PART_FORCE | motion_extra,
                                    by_lambda));
        TN_TRY(
            sweep_callbacks_eval(s, at, TN_BY_ETA, 0, sys->nn, PART_FORCE | motion_extra, by_eta));
    }
    return given_tangents(s, at);
}

// Operations --------------------------------------------------------------------------------------

static tn_status constraint_parts(callbacks *s, const tn_point *at, unsigned want)
{
    tn_system *sys = &s->base;
    const bool contact = sys->ns > 0 && (want & (TN_EVAL_G | TN_EVAL_GAMMA));
    if (contact || want & (TN_EVAL_B | TN_EVAL_GDOT))
        TN_TRY(linearise_callbacks_eval(s, at));
    if (want & (TN_EVAL_B | TN_EVAL_GDOT))
        TN_TRY(user_pfaffian(s, at));
    if (want & TN_EVAL_G)
        TN_TRY(constraint(s, at, sys->g));
    if (want & TN_EVAL_B) {
        if (sys->ng > 0)
            tn_copy(sys->ng * sys->nv, s->B, sys->block[TN_BLOCK_B]->val);
        if (sys->nn > 0)
            tn_copy(sys->nn * sys->nv, s->N, sys->block[TN_BLOCK_N]->val);
    }
    if (want & TN_EVAL_GDOT)
        TN_TRY(callbacks_eval_rates(s, at, sys->gdot, sys->ndot));
    if (want & TN_EVAL_GAMMA)
        TN_TRY(callbacks_eval_accelerations(s, at));
    return TN_OK;
}

tn_status tn_callbacks_eval(tn_system *self, const tn_point *at, unsigned want)
{
    callbacks *s = (callbacks *)self;
    if (want & TN_EVAL_MASS)
        TN_TRY(user_mass(s, at, self->block[TN_BLOCK_M]->val));
    if (want & TN_EVAL_FORCE)
        TN_TRY(user_force(s, at, self->f));
    TN_TRY(constraint_parts(s, at, want));
    if (want & TN_EVAL_EXTRA)
        TN_TRY(user_extra(s, at, self->extra));
    if (want & TN_EVAL_TANGENT)
        TN_TRY(callbacks_eval_tangents(s, at));
    return TN_OK;
}

void tn_callbacks_energy(tn_system *self, const tn_point *at, tn_energy *out)
{
    callbacks *s = (callbacks *)self;
    double energy[4] = {0};
    *out = (tn_energy){.kinetic = NAN, .potential = NAN, .dissipated = NAN, .supplied = NAN};
    if (call_callbacks_eval(s, s->cb.energy, "energy", at, SEES_ALL, 4, energy) != TN_OK)
        return; // not a number in the ledger, not a wrong number
    out->kinetic = energy[0];
    out->potential = energy[1];
    out->dissipated = energy[2];
    out->supplied = energy[3];
}

double tn_callbacks_next_sample(tn_system *self, double t)
{
    const callbacks *s = (const callbacks *)self;
    return s->cb.next_sample(s->cb.user, t);
}

bool tn_callbacks_next_kink(const tn_system *sys, double t, tn_kink *out)
{
    const callbacks *s = (const callbacks *)sys;
    const double next = s->cb.next_kink ? s->cb.next_kink(s->cb.user, t) : INFINITY;
    *out = (tn_kink){.t = next, .before = nextafter(next, -INFINITY), .after = next};
    return next < INFINITY;
}

tn_status tn_callbacks_sample(tn_system *self, const tn_point *at, double *r)
{
    tn_point p = *at;
    p.r = r;
    callbacks *s = (callbacks *)self;
    return call_callbacks_eval(s, s->cb.sample, "sample", &p, SEES_ALL, self->nr, r);
}

int tn_callbacks_event_count(const tn_system *sys)
{
    const callbacks *s = (const callbacks *)sys;
    return s->cb.events ? s->cb.nevent : 0;
}

tn_status tn_callbacks_events(tn_system *sys, const tn_point *at, double *out)
{
    const callbacks *s = (const callbacks *)sys;
    return call_callbacks_eval(s, s->cb.events, "events", at, SEES_ALL, s->cb.nevent, out);
}

bool tn_callbacks_event_stops(const tn_system *sys, int event)
{
    const callbacks *s = (const callbacks *)sys;
    TN_ASSERT(event >= 0 && event < s->cb.nevent);
    return s->cb.event_stops && s->cb.event_stops[event];
}
