// SPDX-License-Identifier: MIT
//
// Rows that were left out, verified after each step: the motion must satisfy them as well
// (analysis/dependence.h). Where it does not, the constraints contradict each other from here on,
// and the run ends.

#include "sim/sim.h"

#include <math.h>

static tn_status part_company(tn_sim *sim, const tn_violated *v)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    char name[160], others[640];
    TN_TRY(tn_dependence_text(sys, &at, &sim->start.redundancy, tn_start_active(&sim->start),
                              v->row, others, sizeof others));
    sys->ops->row_name(sys, v->row, name, sizeof name);
    const bool rate = v->level == TN_LEVEL_VELOCITY;
    const double unit = tn_system_row_unit(sys, v->row);
    return tn_fail(TN_ERR_NUMERIC,
                   "between t = %.6g and %.6g s the constraints come to contradict each other: %s "
                   "depends on %s and was left out, but %s %.3g there, and %.2g is allowed; "
                   "no motion satisfies them all, so make them agree, remove one or end before",
                   sim->before.t, sim->start.x.t, name, others,
                   rate ? "moves apart at a rate of" : "is off by", unit * v->residual,
                   unit * v->bound);
}

// Rates of rows are related to the speeds of bodies, not only to what gradients make of velocities:
// in joint coordinates all gradients of a loop that closes by one joint are round-off or the digits
// that its axis was typed with. A rate within the bound by this one takes longer than the shortest
// time of the mechanism to bring a row to its bound, which is then found by the row itself.
static void see_speed(tn_sim *sim)
{
    if (sim->model)
        sim->rows_speed = fmax(sim->rows_speed, sim->judge.sizes.rate);
}

tn_status tn_sim_watch_rows(tn_sim *sim)
{
    tn_start *s = &sim->start;
    if (s->redundancy.count == 0)
        return TN_OK;
    const tn_point at = tn_state_point(&s->x);
    const double since = s->x.t - sim->options.t_start;
    tn_violated v;
    see_speed(sim);
    TN_TRY(tn_dependence_judge_rows(s->sys, &at, &s->redundancy, tn_start_active(s),
                                    s->dependence_tol, TN_LEVEL_POSITION | TN_LEVEL_VELOCITY, since,
                                    &sim->rows_speed, &v));
    return v.row < 0 ? TN_OK : part_company(sim, &v);
}
