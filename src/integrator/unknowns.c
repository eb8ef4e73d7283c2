// SPDX-License-Identifier: MIT
//
// Unknowns that go on; see unknowns.h.

#include "integrator/unknowns.h"

#include "integrator/interpolate.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

// The shortest part of a way, and how fast the iteration for each must contract: far from two
// solutions it does so by a half, and comes to the one that is nearer [Deu04, sect. 5.1.1].
static const double SHORTEST = 1e-4, CONTRACTS = 0.25;
// Solutions nearer to each other than this part of their change, or than round-off, are one.
static const double SAME = 1e-3, ROUNDED = 1e-10;
// What an iteration of a step may leave of an unknown, as a part of it.
static const double LEFT = 0.1;
// Factors for which the iteration contracts by the first number are like those of its end. One
// iteration comes near enough where it leaves the second one of the change, or what iterations of
// steps leave anyway.
static const double ALIKE = 0.02, NEAR = 0.05, SOLVED = 1e-8;

void tn_unknowns_layout(tn_unknowns *u, tn_system *sys, tn_carve *mem)
{
    u->sys = sys;
    tn_roots_layout(&u->roots, sys->nc, sys->nw + sys->ns, mem);
    if (!tn_unknowns_exist(u))
        return;
    tn_state_layout(sys, &u->way, mem);
    tn_state_layout(sys, &u->node[0], mem);
    tn_state_layout(sys, &u->node[1], mem);
    u->found = tn_carve_doubles(mem, u->roots.n);
}

static double distance(const tn_unknowns *u, const double *a, const double *b)
{
    double most = 0.0;
    for (int i = 0; i < u->roots.n; i++)
        most = fabs(a[i] - b[i]) <= most ? most : fabs(a[i] - b[i]); // not a number stays
    return most;
}

static double *unknowns_of(const tn_unknowns *u, const tn_state *x)
{
    return x->e + u->roots.first;
}

// All but the unknowns.
static void go_to(tn_unknowns *u, const tn_state *from, const tn_state *to, double part)
{
    const tn_system *sys = u->sys;
    if (part < 1.0 && to->t > from->t) {
        tn_interpolate(sys, from, to, from->t + part * (to->t - from->t), &u->way);
    } else {
        const tn_state end = {to->t, to->q, to->v, to->a, to->lambda, to->eta, to->e, from->r};
        tn_state_copy(sys, &end, &u->way);
    }
    tn_copy(sys->nr, from->r, u->way.r);
}

static tn_status fail_slow(const tn_unknowns *u, const tn_point *at)
{
    char name[160];
    tn_system_extra_name(u->sys, u->roots.first, name, sizeof name);
    return tn_fail(TN_RETRY_NEWTON, "%s%s: at t = %g s no solution continues the last value", name,
                   u->roots.n > 1 ? " or another unknown" : "", at->t);
}

// The caller of a step may round its end.
static bool side_is_known(const tn_unknowns *u, const tn_state *from)
{
    const double rounding = 16.0 * DBL_EPSILON * fabs(from->t);
    return u->side != 0 && fabs(u->side_at - from->t) <= rounding;
}

static tn_status know_side(tn_unknowns *u, const tn_state *from)
{
    if (side_is_known(u, from))
        return TN_OK;
    const tn_point at = tn_state_point(from);
    u->side = 0;
    TN_TRY(tn_roots_renew(&u->roots, u->sys, &at));
    u->side = u->roots.side;
    u->side_at = from->t;
    return TN_OK;
}

// With factors of the solution, with which the next iteration begins, unless those at hand are
// like them, as the rate tells.
static tn_status check_side(tn_unknowns *u, const tn_point *at, bool *firm)
{
    const bool like = u->roots.rate <= ALIKE;
    const tn_status status = like ? TN_OK : tn_roots_renew(&u->roots, u->sys, at);
    *firm = status == TN_OK && u->roots.side == u->side;
    return status < 0 ? status : TN_OK;
}

// u->way becomes `to` with the unknowns that continue `from`.
static tn_status go_along(tn_unknowns *u, const tn_state *from, const tn_state *to)
{
    double done = 0.0, part = 1.0, *w = unknowns_of(u, &u->way);
    TN_TRY(know_side(u, from));
    tn_copy(u->roots.n, unknowns_of(u, from), u->found);
    while (done < 1.0) {
        const double next = fmin(done + part, 1.0);
        go_to(u, from, to, next);
        tn_copy(u->roots.n, u->found, w);
        const tn_point at = tn_state_point(&u->way);
        const tn_status status = tn_roots_find(&u->roots, u->sys, &at, u->way.e);
        bool firm = status == TN_OK && u->roots.rate <= CONTRACTS;
        if (firm)
            TN_TRY(check_side(u, &at, &firm));
        if (status < 0 || (!firm && part < SHORTEST))
            return status == TN_OK ? fail_slow(u, &at) : status;
        if (firm)
            tn_copy(u->roots.n, w, u->found);
        else
            u->roots.factored = false;
        done = firm ? next : done;
        part *= firm ? 2.0 : 0.5;
    }
    tn_clear_error();
    return TN_OK;
}

tn_status tn_unknowns_follow(tn_unknowns *u, const tn_state *from, tn_state *to)
{
    TN_TRY(go_along(u, from, to));
    tn_copy(u->roots.n, u->found, unknowns_of(u, to));
    return TN_OK;
}

tn_status tn_unknowns_at(tn_unknowns *u, const tn_state *from, const tn_point *at, double *e)
{
    tn_state to = {at->t,
                   (double *)at->q,
                   (double *)at->v,
                   (double *)at->a,
                   (double *)at->lambda,
                   (double *)at->eta,
                   e,
                   (double *)at->r};
    return tn_unknowns_follow(u, from, &to);
}

// Whether one iteration from the old values, with the factors at hand, comes to the new ones.
static tn_status look_once(tn_unknowns *u, const tn_state *from, const tn_state *to, bool *comes)
{
    const double *w0 = unknowns_of(u, from), *w1 = unknowns_of(u, to);
    double *w = unknowns_of(u, &u->way);
    *comes = u->roots.factored && u->roots.side == u->side && side_is_known(u, from);
    if (!*comes)
        return TN_OK;
    go_to(u, from, to, 1.0);
    tn_copy(u->roots.n, w0, w);
    const tn_point at = tn_state_point(&u->way);
    const tn_status status = tn_roots_improve(&u->roots, u->sys, &at, u->way.e);
    for (int i = 0; i < u->roots.n; i++) {
        const double near = fmax(NEAR * fabs(w1[i] - w0[i]), SOLVED * (1.0 + fabs(w1[i])));
        *comes = *comes && fabs(w[i] - w1[i]) <= near;
    }
    *comes = *comes && status == TN_OK;
    return status < 0 ? status : TN_OK;
}

// Whether w of a state, whose equations may be solved less well than to round-off, belong to those
// that were found there.
static bool belongs(tn_unknowns *u, const double *w, double change)
{
    double *way = unknowns_of(u, &u->way);
    const double size = 1.0 + tn_norm_inf(u->roots.n, u->found), miss = distance(u, w, u->found);
    if (miss <= SAME * change || miss <= ROUNDED * size)
        return true;
    if (!(miss <= LEFT * size))
        return false;
    tn_copy(u->roots.n, w, way);
    const tn_point at = tn_state_point(&u->way);
    const tn_status status = tn_roots_find(&u->roots, u->sys, &at, u->way.e);
    const double off = distance(u, way, u->found);
    return status == TN_OK && (off <= SAME * miss || off <= ROUNDED * size);
}

static tn_status fail_unknowns(const tn_unknowns *u, const tn_state *to)
{
    const double *w = unknowns_of(u, to);
    char name[160];
    int most = 0;
    for (int i = 1; i < u->roots.n; i++)
        if (!(fabs(w[i] - u->found[i]) <= fabs(w[most] - u->found[most])))
            most = i;
    tn_system_extra_name(u->sys, u->roots.first + most, name, sizeof name);
    return tn_fail(TN_RETRY_NEWTON,
                   "%s: at t = %g s its equation was solved by %g, and the solution that continues "
                   "its last value is %g",
                   name, to->t, w[most], u->found[most]);
}

tn_status tn_unknowns_check(tn_unknowns *u, const tn_state *from, const tn_state *to)
{
    TN_ASSERT(tn_unknowns_exist(u));
    bool good;
    TN_TRY(look_once(u, from, to, &good));
    if (!good) {
        TN_TRY(go_along(u, from, to));
        good =
            belongs(u, unknowns_of(u, to), distance(u, unknowns_of(u, from), unknowns_of(u, to)));
    }
    if (!good)
        return fail_unknowns(u, to);
    u->side_at = to->t;
    return TN_OK;
}

tn_status tn_unknowns_settle(tn_unknowns *u, const tn_state *from, tn_state *to)
{
    go_to(u, from, to, 1.0);
    const tn_point at = tn_state_point(&u->way);
    const tn_status status = tn_roots_find(&u->roots, u->sys, &at, u->way.e);
    double *way = unknowns_of(u, &u->way), *w = unknowns_of(u, to);
    if (status > 0)
        tn_clear_error();
    else if (distance(u, way, w) <= LEFT * (1.0 + tn_norm_inf(u->roots.n, way)))
        tn_copy(u->roots.n, way, w);
    return status < 0 ? status : TN_OK;
}
