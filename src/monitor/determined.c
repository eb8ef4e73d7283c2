// SPDX-License-Identifier: MIT
//
// Checks that the multipliers on which forces depend stay determined on the way: the condition
// after [Arn16, eq. 44]. Explicit methods meet it in each evaluation. Implicit ones may pass a
// place where it fails, or end there without a word on why: so it is checked after steps, as seldom
// as its changes allow, and where a step fails. Beyond such a place no motion goes on, or more than
// one (Painleve).

#include "sim/monitor.h"
#include "sim/sim.h"

#include <limits.h>
#include <math.h>

// At a step that fails the failure is attributed to the multipliers if this is left of a margin of
// about 1.
static const double NOTHING_LEFT = 1e-3;
// Steps between two checks: a part of those in which the margin would be lost as since the last.
static const double PART_LOST = 0.1;
enum { WAIT_MAX = 15 };

// Margin of the multipliers from being undetermined at the last check, and steps until the next.
typedef struct determined {
    tn_monitor monitor;
    double value;
    int wait, waited;
} determined;

typedef struct reserve {
    double value;
    int row;
} reserve;

static tn_status reserve_at(tn_sim *sim, const tn_state *x, reserve *out)
{
    const tn_point at = tn_state_point(x);
    return tn_accel_reserve(sim->start.accel, &at, &out->value, &out->row);
}

static tn_status fail_undetermined(const tn_sim *sim, double t, int row)
{
    const tn_system *sys = sim->start.sys;
    char name[160];
    sys->ops->row_name(sys, row, name, sizeof name);
    return tn_fail(
        TN_ERR_NUMERIC,
        "at t = %.6g s the multiplier of %s is no longer determined: forces depend on it "
        "so strongly that the matrix of M, B^T - df/dlambda and B is singular there, "
        "which the condition after [Arn16, eq. 44] rules out; no motion goes on from "
        "there, or more than one (Painleve): less friction or other places help",
        t, name);
}

// Finds where within the last step the margin changes its sign, by halves of the dense output.
static tn_status locate_loss(tn_sim *sim, double sign, reserve *at, double *t)
{
    double a = sim->before.t, b = sim->start.x.t;
    for (int k = 0; k < 40; k++) {
        const double middle = 0.5 * (a + b);
        reserve there;
        TN_TRY(tn_sim_interpolate(sim, middle));
        if (reserve_at(sim, &sim->shown, &there) != TN_OK)
            break;
        if (there.value * sign > 0.0) {
            a = middle;
        } else {
            b = middle;
            *at = there;
        }
    }
    *t = b;
    return TN_OK;
}

// The sign has changed since the last check: within the last step, or at a jump of the forces
// before it, as where a sample is taken.
static tn_status lose_sign(tn_sim *sim, reserve now)
{
    reserve then;
    double t;
    TN_TRY(reserve_at(sim, &sim->before, &then));
    if (then.value * now.value > 0.0)
        return TN_OK;
    TN_TRY(locate_loss(sim, then.value, &now, &t));
    return fail_undetermined(sim, t, now.row);
}

static tn_status watch_reactions(tn_monitor *m, tn_sim *sim)
{
    determined *w = (determined *)m;
    reserve now;
    if (w->wait-- > 0)
        return TN_OK;
    const double last = w->value;
    const tn_status status = reserve_at(sim, &sim->start.x, &now);
    if (status != TN_OK) // nothing is known here
        return status < 0 ? status : TN_OK;
    if (now.value * last <= 0.0)
        TN_TRY(lose_sign(sim, now));
    const double lost = fabs(last - now.value) / (w->waited + 1);
    w->value = now.value;
    w->wait = w->waited = (int)fmin(WAIT_MAX, PART_LOST * fabs(now.value) / fmax(lost, 1e-12));
    return TN_OK;
}

static tn_status open_reactions(tn_monitor *m, tn_sim *sim)
{
    determined *w = (determined *)m;
    reserve now;
    *w = (determined){.monitor = *m, .value = 1.0};
    const tn_status status = reserve_at(sim, &sim->start.x, &now);
    if (status != TN_OK)
        return status < 0 ? status : TN_OK;
    w->value = now.value;
    if (now.value < 0.0) {
        char name[160];
        sim->start.sys->ops->row_name(sim->start.sys, now.row, name, sizeof name);
        tn_notes_add(&sim->start.notes,
                     "forces depend on the multiplier of %s so strongly that another motion may "
                     "begin at the same state (Painleve)",
                     name);
    }
    return TN_OK;
}

// Here, or within the step that fails, as the motion goes on now.
static tn_status explain_reactions(tn_monitor *m, tn_sim *sim, tn_status status, double h)
{
    reserve now, ahead;
    if (reserve_at(sim, &sim->start.x, &now) != TN_OK)
        return TN_OK;
    tn_sim_look_ahead(sim, h);
    const bool known = reserve_at(sim, &sim->shown, &ahead) == TN_OK;
    const bool within = known && now.value * ahead.value <= 0.0;
    if (fabs(now.value) > NOTHING_LEFT && !within)
        return TN_OK;
    const double t = sim->start.x.t;
    const double part = within && now.value != 0.0 ? now.value / (now.value - ahead.value) : 0.0;
    return fail_undetermined(sim, t + part * h, now.row);
}

static bool uses_reactions(const tn_sim *sim)
{
    return sim->start.sys->force_uses_lambda;
}

static void determined_values(tn_monitor *m, const tn_sim *sim, tn_values *v)
{
    determined *w = (determined *)m;
    TN_VALUES_ANY(v, "1", 1, &w->value);
    TN_VALUES_INT(v, INT_MIN / 2, INT_MAX / 2, 1, &w->wait, &w->waited);
}

const tn_monitor_ops tn_monitor_determined = {.name = "determined",
                                              .size = sizeof(determined),
                                              .applies = uses_reactions,
                                              .values = determined_values,
                                              .open = open_reactions,
                                              .after = watch_reactions,
                                              .explain = explain_reactions,
                                              .explains_first = true};
