// SPDX-License-Identifier: MIT
//
// Numbers of force elements with which a run cannot go on: loads and dampings that an expression
// made negative, and bristles that relax faster than fixed steps bear.

#include "sim/monitor.h"
#include "sim/sim.h"

#include <math.h>

enum { BISECTIONS = 50 };

// Numbers that an element gives itself are what it makes them.
static bool has_bounded_numbers(const tn_model *model)
{
    for (int i = 0; i < model->lives.count; i++)
        if (!model->lives.at[i].own && model->lives.at[i].function < 0 &&
            model->lives.at[i].param->range == TN_NONNEGATIVE)
            return true;
    return false;
}

static int out_of_range(const tn_sim *sim, const tn_state *x, double *value)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(x);
    return sys->ops->mechanism->out_of_range(sys, &at, value);
}

// Finds when within the last step a number left its range, by halves; *i is the first that did.
static tn_status find_leaving(tn_sim *sim, int *i, double *t)
{
    double inside = sim->before.t, ignored;
    *t = sim->start.x.t;
    if (!(inside < *t) || out_of_range(sim, &sim->before, &ignored) >= 0)
        return TN_OK;
    for (int k = 0; k < BISECTIONS && inside < *t; k++) {
        const double middle = 0.5 * (inside + *t);
        double there;
        TN_TRY(tn_sim_interpolate(sim, middle));
        const int which = out_of_range(sim, &sim->shown, &there);
        *(which < 0 ? &inside : t) = middle;
        *i = which < 0 ? *i : which;
    }
    return TN_OK;
}

static tn_status check_numbers(tn_sim *sim)
{
    double value = 0.0, t;
    if (!has_bounded_numbers(sim->model))
        return TN_OK;
    int i = out_of_range(sim, &sim->start.x, &value);
    if (i < 0)
        return TN_OK;
    TN_TRY(find_leaving(sim, &i, &t));
    const tn_live_data *live = &sim->model->lives.at[i];
    return tn_fail(TN_ERR_NUMERIC,
                   "%s is %.6g %s by its expression at t = %.6g s, out of its range since t = %.6g "
                   "s; it %s, so that the run ends there; max(0, ...) keeps it from that",
                   live->what, value, live->param->unit, sim->start.x.t, t,
                   tn_range_text(live->param->range));
}

// With those of its start the method has been checked before.
static tn_status check_forces(tn_monitor *m, tn_sim *sim)
{
    TN_TRY(check_numbers(sim));
    return sim->start.x.t > sim->before.t ? tn_sim_check_bristles(sim) : TN_OK;
}

static bool has_model(const tn_sim *sim)
{
    return sim->model;
}

const tn_monitor_ops tn_monitor_force_numbers = {
    .name = "force_numbers", .applies = has_model, .check = check_forces};
