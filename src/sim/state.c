// SPDX-License-Identifier: MIT
//
// States that a program sets: the simulation begins anew there.

#include "model/units.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <math.h>

// Largest residual of constraints at a state [sizes of the model, rad, these by the time scale]:
// the digits that a file or a formulation with drift leaves. A state with more was not meant.
static const double CONSISTENT = 1e-6;

static double row_misfit(const tn_system *sys, int i)
{
    if (i >= sys->ng)
        return sys->time_scale * fabs(sys->ndot[i - sys->ng]);
    return fmax(fabs(sys->g[i]), sys->time_scale * fabs(sys->gdot[i]));
}

static tn_status check_constraints(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    const int *active = tn_start_active(&sim->start);
    int worst = 0;
    char name[160];
    if (sys->ng + sys->nn == 0)
        return TN_OK;
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_G | TN_EVAL_GDOT));
    for (int i = 1; i < sys->ng + sys->nn; i++)
        if (active[i] && !(row_misfit(sys, i) <= row_misfit(sys, worst)))
            worst = i;
    if (row_misfit(sys, worst) <= CONSISTENT)
        return TN_OK;
    sys->ops->row_name(sys, worst, name, sizeof name);
    return tn_fail(TN_ERR_USAGE,
                   "the state violates the constraints: %s is off by %.2g in its position or rate, "
                   "in rad or sizes of the model, and %g is allowed; correct it, or set it with "
                   "project",
                   name, row_misfit(sys, worst), CONSISTENT);
}

// Which rows are left out where some repeat others depends on the position.
static tn_status take_state(tn_sim *sim, double t, const double *q, const double *v, bool project)
{
    if (sim->model)
        tn_model_start_inputs(sim->model, t);
    tn_sim_clear_wrenches(sim);
    const bool other_time = sim->start.x.t != t;
    tn_sim_part_contacts(sim);
    TN_TRY(tn_start_set(&sim->start, t, q, v));
    if (sim->model && other_time)
        tn_absolute_set_sample_time(tn_sim_world(sim), t, sim->start.x.r);
    const tn_point at = tn_state_point(&sim->start.x);
    if (sim->start.rows)
        TN_TRY(tn_row_choice_at(sim->start.rows, &at));
    if (project || q || v || other_time)
        TN_TRY(project ? tn_sim_project(sim) : check_constraints(sim));
    TN_TRY(tn_sim_settle_decisions(sim));
    return tn_start_refresh(&sim->start);
}

// Back to where it was.
static void keep_old_state(tn_sim *sim, const tn_state *old)
{
    tn_state_copy(sim->start.sys, old, &sim->start.x);
    for (int i = 0; i < sim->inputs.n; i++)
        tn_model_put_numbers(sim->model, i, sim->inputs.set[i].number);
    tn_sim_restore_wrenches(sim);
    tn_sim_use_piece(sim, &sim->pieces.now);
    tn_sim_forget_recovered(sim);
    (void)tn_sim_settle_decisions(sim);
    (void)tn_sim_open_contacts(sim);
}

static tn_status begin_at_state(tn_sim *sim)
{
    const double t = sim->start.x.t;
    sim->stepper.moved = sim->stepper.known = true;
    sim->rows_wait = sim->nprojected = 0;
    while (sim->nprojected < sim->options.nproject && sim->project_times[sim->nprojected] <= t)
        sim->nprojected++;
    return tn_sim_leave(sim, tn_sim_begin(sim), "the simulation cannot begin at this state");
}

tn_status tn_sim_set_state(tn_sim *sim, double t, const double *q, const double *v, bool project)
{
    TN_NEED(sim, TN_ERR_USAGE);
    tn_clear_error();
    tn_sim_current(sim);
    tn_state_copy(sim->start.sys, &sim->start.x, &sim->shown);
    const tn_status status = take_state(sim, t, q, v, project);
    if (status != TN_OK) {
        keep_old_state(sim, &sim->shown);
        return tn_sim_leave(sim, status, "the state cannot be set");
    }
    return begin_at_state(sim);
}

// Values by name ----------------------------------------------------------------------------------

static tn_status put_value(tn_sim *sim, const char *name, double value)
{
    bool known;
    int channel;
    TN_TRY(tn_start_put_value(&sim->start, name, value, &known));
    if (known)
        return TN_OK;
    TN_TRY(tn_sim_channel_find(sim, name, &channel));
    return tn_fail(TN_ERR_USAGE,
                   "'%s' is no state and no value of a sampled system: it follows from others; "
                   "tn_sim_set_state sets positions and velocities",
                   name);
}

static tn_status take_value(tn_sim *sim, const char *name, double value)
{
    if (!sim->model)
        return tn_fail(TN_ERR_USAGE, "'%s': the states of users' equations have no names", name);
    TN_TRY(put_value(sim, name, value));
    return take_state(sim, sim->start.x.t, NULL, NULL, false);
}

tn_status tn_sim_set_value(tn_sim *sim, const char *name, double value)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, name);
    tn_clear_error();
    tn_sim_current(sim);
    tn_state_copy(sim->start.sys, &sim->start.x, &sim->shown);
    const tn_status status = take_value(sim, name, value);
    if (status != TN_OK) {
        keep_old_state(sim, &sim->shown);
        return tn_sim_leave(sim, status, "the value cannot be set");
    }
    return begin_at_state(sim);
}
