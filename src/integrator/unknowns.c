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
// Slopes are taken from so far ahead, as a part of the way. Their mean is the change of w but for
// the second number, which a quarter of a vibration keeps. Where it is not in so many halves, one
// after the other, w has a discontinuity, and the last one is taken as it is.
static const double AHEAD = 0.01, BENDS = 0.05;
enum { KINK = 6 };
// Solutions nearer to each other than this part of their change, or than round-off, are one.
static const double SAME = 1e-3, ROUNDED = 1e-10;
// Error that an iteration of a step may leave in an unknown, as a part of it.
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
    TN_CARVE_DOUBLES(mem, u->roots.n, &u->found, &u->slope[0], &u->slope[1], &u->next);
}

void tn_unknowns_values(tn_unknowns *u, tn_values *v)
{
    tn_roots_values(&u->roots, v);
    TN_VALUES_INT(v, -1, 1, 1, &u->side);
    TN_VALUES_ANY(v, "s", 1, &u->side_at);
    TN_VALUES_BOOL(v, &u->looked);
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
// like them, by the rate.
static tn_status check_side(tn_unknowns *u, const tn_point *at, bool *firm)
{
    const bool like = u->roots.rate <= ALIKE;
    const tn_status status = like ? TN_OK : tn_roots_renew(&u->roots, u->sys, at);
    *firm = status == TN_OK && u->roots.side == u->side;
    return status < 0 ? status : TN_OK;
}

// u->way goes to a place, where w are given, and improves them once.
static tn_status improve_at(tn_unknowns *u, const tn_state *from, const tn_state *to, double place,
                            const double *w)
{
    go_to(u, from, to, place);
    tn_copy(u->roots.n, w, unknowns_of(u, &u->way));
    const tn_point at = tn_state_point(&u->way);
    return tn_roots_improve(&u->roots, u->sys, &at, u->way.e);
}

// Slopes of w at a place, times the part of the way that begins there, or ends there (negative).
// No numbers where there are none.
static tn_status find_slope(tn_unknowns *u, const tn_state *from, const tn_state *to, double place,
                            double part, const double *w, double *slope)
{
    const double *ahead = unknowns_of(u, &u->way), by = copysign(AHEAD, part);
    const tn_status status = improve_at(u, from, to, place + AHEAD * part, w);
    for (int i = 0; i < u->roots.n; i++)
        slope[i] = status == TN_OK ? (ahead[i] - w[i]) / by : NAN;
    return status < 0 ? status : TN_OK;
}

// Returns true if the mean slope is the change from w0, known to `left` of itself, to w1.
static bool slopes_agree(const tn_unknowns *u, const double *w0, const double *w1, double left)
{
    for (int i = 0; i < u->roots.n; i++) {
        const double begin = u->slope[0][i], end = u->slope[1][i];
        const double miss = fabs(w1[i] - w0[i] - 0.5 * (begin + end));
        const double noise = left / AHEAD * (1.0 + fabs(w0[i]));
        if (!(miss <= BENDS * fmax(fabs(begin), fabs(end)) + noise))
            return false;
    }
    return true;
}

// u->found and their slopes, at the begin of a way.
static tn_status begin_way(tn_unknowns *u, const tn_state *from, const tn_state *to)
{
    const tn_point at = tn_state_point(from);
    TN_TRY(know_side(u, from));
    tn_copy(u->roots.n, unknowns_of(u, from), u->found);
    if (!(to->t > from->t))
        return TN_OK;
    if (!u->roots.factored)
        TN_TRY(tn_roots_renew(&u->roots, u->sys, &at));
    TN_TRY(improve_at(u, from, to, 0.0, u->found));
    tn_copy(u->roots.n, unknowns_of(u, &u->way), u->found);
    return find_slope(u, from, to, 0.0, 1.0, u->found, u->slope[0]);
}

// One part of a way, from u->found to u->next; `firm`: these continue those. `bent` counts parts,
// one after the other, in which nothing but the slopes is wrong.
static tn_status try_part(tn_unknowns *u, const tn_state *from, const tn_state *to, double done,
                          double part, int *bent, bool *firm)
{
    double *w = unknowns_of(u, &u->way);
    go_to(u, from, to, done + part);
    tn_copy(u->roots.n, u->found, w);
    const tn_point at = tn_state_point(&u->way);
    const tn_status status = tn_roots_find(&u->roots, u->sys, &at, u->way.e);
    *firm = status == TN_OK && u->roots.rate <= CONTRACTS;
    if (*firm)
        TN_TRY(check_side(u, &at, firm));
    *bent = *firm ? *bent : 0;
    if (!*firm)
        return status == TN_OK && part < SHORTEST ? fail_slow(u, &at) : status;
    tn_copy(u->roots.n, w, u->next);
    if (!(to->t > from->t))
        return TN_OK;
    TN_TRY(find_slope(u, from, to, done + part, -part, u->next, u->slope[1]));
    *firm = *bent == KINK || part < SHORTEST || slopes_agree(u, u->found, u->next, ROUNDED);
    *bent = *firm ? 0 : *bent + 1;
    return TN_OK;
}

// u->way becomes `to` with the unknowns that continue `from`.
static tn_status go_along(tn_unknowns *u, const tn_state *from, const tn_state *to)
{
    const int n = u->roots.n;
    double done = 0.0, part = 1.0;
    int bent = 0;
    TN_TRY(begin_way(u, from, to));
    while (done < 1.0) {
        bool firm;
        const tn_status status = try_part(u, from, to, done, part, &bent, &firm);
        if (status < 0 || (!firm && part < SHORTEST))
            return status;
        const double by = firm ? fmin(2.0, (1.0 - done - part) / part) : 0.5;
        if (firm) {
            done += part;
            tn_copy(n, u->next, u->found);
            tn_copy(n, u->slope[1], u->slope[0]);
        } else {
            u->roots.factored = false;
        }
        part *= by;
        tn_scale(n, by, u->slope[0]);
    }
    go_to(u, from, to, 1.0);
    tn_copy(n, u->found, unknowns_of(u, &u->way));
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

// Finds if one iteration from the old values, with the factors at hand, gives the new ones, and as
// far as their slopes say.
static tn_status look_once(tn_unknowns *u, const tn_state *from, const tn_state *to, bool *comes)
{
    const double *w0 = unknowns_of(u, from), *w1 = unknowns_of(u, to);
    double *w = unknowns_of(u, &u->way);
    *comes = u->roots.factored && u->roots.side == u->side && side_is_known(u, from);
    if (!*comes)
        return TN_OK;
    const tn_status status = improve_at(u, from, to, 1.0, w0);
    for (int i = 0; i < u->roots.n; i++) {
        const double near = fmax(NEAR * fabs(w1[i] - w0[i]), SOLVED * (1.0 + fabs(w1[i])));
        *comes = *comes && fabs(w[i] - w1[i]) <= near;
    }
    *comes = *comes && status == TN_OK;
    if (!*comes || !(to->t > from->t))
        return status < 0 ? status : TN_OK;
    tn_copy(u->roots.n, w, u->next); // old factors leave the same of it as of the slopes
    TN_TRY(find_slope(u, from, to, 0.0, 1.0, w0, u->slope[0]));
    TN_TRY(find_slope(u, from, to, 1.0, -1.0, w1, u->slope[1]));
    *comes = slopes_agree(u, w0, u->next, SOLVED);
    return TN_OK;
}

// Returns true if w of a state, whose equations may be solved less exactly, belong to those that
// were found there.
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
