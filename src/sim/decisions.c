// SPDX-License-Identifier: MIT
//
// Conditions of expressions, such as that of if(rail.displacement > 0.1, ...): each is the sign of
// a number, and a switch (events.c) where that number changes it. Between switches expressions are
// evaluated in one mode of each, so that they are smooth within a step, whatever signs an iteration
// comes across. Where a step ends at a switch, or the state jumps, modes are found anew; here it is
// shown how.

#include "linalg/dense.h"
#include "signal/expression.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <math.h>
#include <string.h>

// A part of a step that is long against the errors of located switches, and short for the motion;
// and of the time that motions take, where steps are next to nothing.
static const double AHEAD = 1e-5, LEAST = 1e-11;

const tn_system *tn_sim_world(const tn_sim *sim)
{
    TN_ASSERT(sim->model);
    return sim->start.world ? sim->start.world->sys : sim->start.sys;
}

int tn_sim_count_decisions(const tn_sim *sim)
{
    const bool able = sim->model && sim->start.sys->ops->mechanism->decisions;
    return able ? tn_absolute_decision_count(tn_sim_world(sim)) : 0;
}

void tn_sim_use_sides(tn_sim *sim, bool now)
{
    const tn_watch *w = &sim->watch;
    if (w->ndecision > 0)
        memcpy(tn_absolute_sides(tn_sim_world(sim)), w->side[now], (size_t)w->ndecision);
}

void tn_sim_keep_sides(tn_sim *sim)
{
    const tn_watch *w = &sim->watch;
    if (w->ndecision > 0)
        memcpy(w->side[0], w->side[1], (size_t)w->ndecision);
}

// States that have reached a limit are there, and not beyond or before it by round-off.
static const double BEYOND = 1e-6, BEFORE = 1e-12;

static double hold_limit(double c, double limit, double other)
{
    const double range = isfinite(other) ? fabs(limit - other) : fmax(fabs(limit), 1.0);
    const bool beyond = (c > limit) == (limit > other);
    return fabs(c - limit) <= (beyond ? BEYOND : BEFORE) * range ? limit : c;
}

static void hold_limits(tn_sim *sim)
{
    const tn_model *m = sim->model;
    for (int i = 0; i < m->states.count; i++) {
        const tn_state_def *def = &m->states.at[i];
        double *c = &sim->start.x.e[i];
        *c = isfinite(def->lower) ? hold_limit(*c, def->lower, def->upper) : *c;
        *c = isfinite(def->upper) ? hold_limit(*c, def->upper, def->lower) : *c;
    }
}

double tn_sim_lookahead_time(const tn_sim *sim)
{
    const double whole = fmax(sim->options.step, 1e-3 * sim->start.sys->time_scale);
    const double h = sim->stepper.taken > 0.0 ? sim->stepper.taken : whole;
    return fmax(AHEAD * h, LEAST * sim->start.sys->time_scale);
}

// There conditions that are zero here have the sign that they will have, or none where they stay
// zero.
tn_status tn_sim_decide_later(tn_sim *sim, double dt)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    tn_sim_look_ahead(sim, dt);
    if (sys->nc > 0) {
        TN_TRY(tn_system_eval(sys, &at, TN_EVAL_EXTRA));
        tn_axpy(sys->nc, dt, sys->extra, sim->shown.e);
    }
    TN_TRY(tn_sim_find_unknowns(sim));
    const tn_point later = tn_state_point(&sim->shown);
    sys->ops->mechanism->decisions(sys, &later, sim->watch.decision);
    return TN_OK;
}

// Conditions that have been zero are so as long as only round-off moves them, others where their
// value is exactly that.
static bool is_zero(const tn_sim *sim, int i)
{
    const tn_watch *w = &sim->watch;
    return w->decision[i] == 0.0 ||
           (w->side[1][i] == TN_SIDE_ZERO && tn_sim_is_zero(sim, i, w->decision[i]));
}

// The modes of conditions that change here, or that are zero but for round-off, are those a little
// later: conditions may depend on each other, so that all are sampled as their numbers say.
// Memories have changed already, with their modes.
static tn_status decide_zeros(tn_sim *sim)
{
    tn_watch *w = &sim->watch;
    signed char *side = tn_absolute_sides(tn_sim_world(sim));
    const tn_point at = tn_state_point(&sim->start.x);
    bool open = false;
    sim->start.sys->ops->mechanism->decisions(sim->start.sys, &at, w->decision);
    for (int i = 0; i < w->ndecision; i++) {
        w->decided[i] = w->decided[i] || tn_sim_is_zero(sim, i, w->decision[i]);
        if (!w->decided[i] || tn_absolute_remembers(tn_sim_world(sim), i))
            continue;
        open = true;
        side[i] = 0;
    }
    if (!open)
        return TN_OK;
    TN_TRY(tn_sim_decide_later(sim, tn_sim_lookahead_time(sim)));
    for (int i = 0; i < w->ndecision; i++)
        if (w->decided[i] && side[i] == 0)
            side[i] = is_zero(sim, i) ? TN_SIDE_ZERO : w->decision[i] > 0.0 ? 1 : -1;
    return TN_OK;
}

// Modes and values of conditions, and the forces that belong to them.
tn_status tn_sim_settle_decisions(tn_sim *sim)
{
    tn_watch *w = &sim->watch;
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    if (w->ndecision == 0)
        return TN_OK;
    hold_limits(sim);
    sys->ops->mechanism->settle(sys, &at, w->decided);
    TN_TRY(decide_zeros(sim));
    sys->ops->mechanism->settle(sys, &at, w->decided);
    memset(w->decided, 0, (size_t)w->ndecision * sizeof *w->decided);
    w->settles = false;
    const signed char *side = tn_absolute_sides(tn_sim_world(sim));
    memcpy(w->side[1], side, (size_t)w->ndecision);
    tn_sim_current(sim);
    TN_TRY(tn_sim_watch_values(sim, w->end[1], w->rate[1]));
    for (int i = 0; i < w->ndecision; i++) {
        tn_switch *s = &w->switches[w->first_decision + i];
        const double value = w->end[1][w->nevent + w->first_decision + i];
        const bool signed_side = side[i] == 1 || side[i] == -1;
        s->mode = s->kept_mode = signed_side ? side[i] : value > 0.0 ? 1 : -1;
    }
    return TN_OK;
}
