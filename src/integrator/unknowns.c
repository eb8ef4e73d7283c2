// SPDX-License-Identifier: MIT
//
// Unknowns that go on; see unknowns.h.

#include "integrator/unknowns.h"

#include "integrator/interpolate.h"
#include "linalg/dense.h"

#include <math.h>

// The shortest part of a way.
static const double SHORTEST = 1e-4;
// Solutions nearer to each other than this part of their change, or than round-off, are one.
static const double SAME = 1e-3, ROUNDED = 1e-10;
// What an iteration of a step may leave of an unknown, as a part of it.
static const double LEFT = 0.1;
// Rates of contraction up to the first number are far better than they have to be; changes up to so
// many times that of the last look are taken to have one of them, as often as this.
static const double CALM = 0.02, FARTHER = 4.0;
enum { UNSEEN_MAX = 16 };

void tn_unknowns_layout(tn_unknowns *u, tn_system *sys, tn_carve *mem)
{
    u->sys = sys;
    tn_roots_layout(&u->roots, sys->nc, sys->nw + sys->ns, mem);
    if (!tn_unknowns_exist(u))
        return;
    tn_state_layout(sys, &u->way, mem);
    tn_state_layout(sys, &u->node[0], mem);
    tn_state_layout(sys, &u->node[1], mem);
    TN_CARVE_DOUBLES(mem, u->roots.n, &u->found, &u->trusted);
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
    if (part < 1.0) {
        tn_interpolate(sys, from, to, from->t + part * (to->t - from->t), &u->way);
    } else {
        const tn_state end = {to->t, to->q, to->v, to->a, to->lambda, to->eta, to->e, from->r};
        tn_state_copy(sys, &end, &u->way);
    }
    tn_copy(sys->nr, from->r, u->way.r);
}

// u->way becomes `to` with the unknowns that continue `from`; *parts of the way that it took.
static tn_status go_along(tn_unknowns *u, const tn_state *from, const tn_state *to, int *parts)
{
    double done = 0.0, part = 1.0, *w = unknowns_of(u, &u->way);
    tn_copy(u->roots.n, unknowns_of(u, from), u->found);
    for (*parts = 1; done < 1.0; ++*parts) {
        const double next = fmin(done + part, 1.0);
        go_to(u, from, to, next);
        tn_copy(u->roots.n, u->found, w);
        const tn_point at = tn_state_point(&u->way);
        const tn_status status = tn_roots_find(&u->roots, u->sys, &at, u->way.e);
        if (status < 0 || (status > 0 && part < SHORTEST))
            return status;
        if (status == TN_OK)
            tn_copy(u->roots.n, w, u->found);
        done = status == TN_OK ? next : done;
        part *= status == TN_OK ? 2.0 : 0.5;
    }
    --*parts;
    tn_clear_error();
    return TN_OK;
}

tn_status tn_unknowns_follow(tn_unknowns *u, const tn_state *from, tn_state *to)
{
    int parts;
    TN_TRY(go_along(u, from, to, &parts));
    tn_copy(u->roots.n, u->found, unknowns_of(u, to));
    return TN_OK;
}

// Of a look at a change that has gone in one part. Factors that were old may be to blame for a poor
// rate: the next look takes new ones.
static void trust(tn_unknowns *u, const double *from, const double *to, int parts)
{
    const double rate = u->roots.rate, times = fmin(FARTHER, CALM / fmax(rate, 1e-300));
    u->calm = parts == 1 && rate <= CALM;
    u->unseen = 0;
    for (int i = 0; i < u->roots.n; i++)
        u->trusted[i] = times * fmax(fabs(to[i] - from[i]), ROUNDED * (1.0 + fabs(to[i])));
    if (!u->calm)
        u->roots.factored = false;
}

static bool is_trusted(const tn_unknowns *u, const double *from, const double *to)
{
    for (int i = 0; u->calm && i < u->roots.n; i++)
        if (!(fabs(to[i] - from[i]) <= u->trusted[i]))
            return false;
    return u->calm && u->unseen < UNSEEN_MAX;
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
    int parts;
    const double *w0 = unknowns_of(u, from), *w1 = unknowns_of(u, to);
    if (is_trusted(u, w0, w1)) {
        u->unseen++;
        return TN_OK;
    }
    u->calm = false;
    TN_TRY(go_along(u, from, to, &parts));
    trust(u, w0, w1, parts);
    if (belongs(u, w1, distance(u, w0, w1)))
        return TN_OK;
    u->calm = false;
    return fail_unknowns(u, to);
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
