// SPDX-License-Identifier: MIT
//
// States that a program sets: the simulation begins anew there.

#include "model/units.h"
#include "sim/sim.h"

#include <math.h>

// How far a state may be from the constraints [sizes of the model, rad, these by the pace]: the
// digits that a file or a formulation with drift leaves. What is farther off was not meant.
static const double CONSISTENT = 1e-6;

static double row_misfit(const tn_system *sys, int i)
{
    if (i >= sys->ng)
        return sys->pace * fabs(sys->ndot[i - sys->ng]);
    return fmax(fabs(sys->g[i]), sys->pace * fabs(sys->gdot[i]));
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
    TN_TRY(tn_start_set(&sim->start, t, q, v));
    const tn_point at = tn_state_point(&sim->start.x);
    if (sim->start.rows)
        TN_TRY(tn_row_choice_at(sim->start.rows, &at));
    TN_TRY(project ? tn_sim_project(sim) : check_constraints(sim));
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
    tn_sim_forget_told(sim);
}

tn_status tn_sim_set_state(tn_sim *sim, double t, const double *q, const double *v, bool project)
{
    TN_NEED(sim, TN_ERR_USAGE);
    tn_clear_error();
    tn_sim_present(sim);
    tn_state_copy(sim->start.sys, &sim->start.x, &sim->shown);
    const tn_status status = take_state(sim, t, q, v, project);
    if (status != TN_OK) {
        keep_old_state(sim, &sim->shown);
        return tn_leave(status, "the state cannot be set");
    }
    sim->stepper.moved = sim->stepper.known = true;
    sim->rows_wait = sim->nprojected = 0;
    while (sim->nprojected < sim->options.nproject && sim->project_times[sim->nprojected] <= t)
        sim->nprojected++;
    return tn_leave(tn_sim_begin(sim), "the simulation cannot begin at this state");
}
