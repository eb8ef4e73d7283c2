// SPDX-License-Identifier: MIT
//
// What a step did to force elements that have something to say of it: bushings that were turned
// beyond half a turn, loads and dampings that an expression made negative, and springs that left a
// table with `beyond: error`. Within a step such a
// table goes on straight, so that a trial step may reach there; steps end where it is left
// (watch.c), and the next one ends the run.

#include "sim/sim.h"

#include <math.h>

// The end of a step that was located there may be beyond by its errors.
static const double SLACK = 1e-9; // of the length of the table
// Steps end where a table is left and where it is entered again. A step that ends this near to an
// end of the table may have been beyond it on the way.
static const double NEAR = 1e-3;
enum { BISECTIONS = 50 };

// How far the deflection that is seen lies beyond the table, by its length; negative within.
static double beyond(tn_sim *sim, int k)
{
    const tn_force_range r = tn_force_range_of(&sim->model->forces.at[k]);
    TN_ASSERT(r.low < r.high);
    double y, rate;
    tn_sim_deflection(sim, k, &y, &rate);
    return fmax(r.low - y, y - r.high) / (r.high - r.low);
}

static tn_status beyond_at(tn_sim *sim, int k, double t, double *out)
{
    TN_TRY(tn_sim_peek(sim, t));
    *out = beyond(sim, k);
    tn_sim_present(sim);
    return TN_OK;
}

// Finds the time in the last step at which the table was left: between the beginning of the step
// and *outside, a time at which it has been left.
static tn_status find_exit(tn_sim *sim, int k, double *outside)
{
    TN_ASSERT(sim->before.t <= *outside);
    double inside = sim->before.t, far;
    TN_TRY(beyond_at(sim, k, inside, &far));
    if (far > -SLACK) // the step began there
        *outside = inside;
    for (int i = 0; i < BISECTIONS && inside < *outside; i++) {
        const double t = 0.5 * (inside + *outside);
        TN_TRY(beyond_at(sim, k, t, &far));
        *(far > 0.0 ? outside : &inside) = t;
    }
    return TN_OK;
}

static tn_status tell_tables(tn_sim *sim, int k, double when)
{
    const tn_force_data *force = &sim->model->source->forces.at[k];
    const tn_force_range r = tn_force_range_of(force);
    TN_TRY(find_exit(sim, k, &when));
    return tn_fail(TN_ERR_NUMERIC,
                   "force '%s' is beyond its table from t = %.6g s on, which goes from %.6g to "
                   "%.6g; add points there or state another rule for beyond",
                   force->name, when, r.low, r.high);
}

static tn_status watch_table(tn_sim *sim, int k)
{
    const double begin = sim->before.t, end = sim->start.x.t, middle = 0.5 * (begin + end);
    double far = beyond(sim, k);
    if (far > SLACK)
        return tell_tables(sim, k, end);
    if (far < -NEAR || !(middle > begin))
        return TN_OK;
    TN_TRY(beyond_at(sim, k, middle, &far));
    return far > SLACK ? tell_tables(sim, k, middle) : TN_OK;
}

tn_status tn_sim_watch_tables(tn_sim *sim)
{
    for (int k = 0; sim->model && k < sim->model->forces.count; k++)
        if (tn_force_range_of(&sim->model->forces.at[k]).closed)
            TN_TRY(watch_table(sim, k));
    return TN_OK;
}

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

// When within the last step a number has left its range, by halves; *i is the one that did first.
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

tn_status tn_sim_watch_numbers(tn_sim *sim)
{
    double value = 0.0, t;
    if (!sim->model || !has_bounded_numbers(sim->model))
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

// Whether both frames are turned by more than `wide` against each other: the trace of a rotation is
// 1 + 2 cos(turn).
static bool turned_wide(const tn_force_view *at, double wide)
{
    double trace = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            trace += at->a.R.m[i][j] * at->b.R.m[i][j];
    return trace < 1.0 + 2.0 * cos(wide);
}

// All forces are looked at where the step ends, which places the bodies once; where it began is
// another place of all of them, to which few go back.
void tn_sim_tell_forces(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    const tn_point from = tn_state_point(&sim->before), to = tn_state_point(&sim->start.x);
    bool there = false;
    for (int k = 0; sim->model && k < sim->model->forces.count; k++) {
        const tn_force_data *force = &sim->model->forces.at[k];
        tn_force_view before = {.units = sys->units}, now = before;
        if (!force->ops->tell_step)
            continue;
        if (!there && sys->ops->mechanism->look)
            sys->ops->mechanism->look(sys, &to);
        there = true;
        tn_system_see_force(sys, &to, force, &now);
        if (!turned_wide(&now, force->ops->wide))
            continue;
        sys->looked = there = false;
        tn_system_see_force(sys, &from, force, &before);
        force->ops->tell_step(force, &before, &now, &sim->start.notes);
    }
    sys->looked = false;
}
