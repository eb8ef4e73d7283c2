// SPDX-License-Identifier: MIT
//
// Works of motors whose effort u does not change: W = u (x_1 - x_0) with the coordinate x at the
// ends, exactly, and without dense output of the step, for which explicit methods evaluate the
// equations anew. It serves where nothing else exchanges energy: all other forces are springs
// without damping, and no joint is driven.
//
// Angles have many values: the one is taken that is nearest to the powers at both ends. If a rate
// changes by so much within the step that this might be another turn, works are those of works.c.
//
// Gain: steps of Andrews' mechanism take 0.8 of the time with dop853.

#include "model/force.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <math.h>

static const double MOST_TURNED = 0.15; // turns by which a rate may change what a step goes

bool tn_sim_works_have_closed_form(const tn_sim *sim)
{
    int motors = 0;
    if (!sim->model || tn_sim_has_directors(sim) || sim->start.sys->force_uses_lambda ||
        sim->model->lives.count > 0)
        return false;
    for (int k = 0; k < sim->model->forces.count; k++) {
        const tn_force_data *f = &sim->model->forces.at[k];
        const bool motor = f->ops->is_motor && tn_timefn_is_constant(f->u[0]);
        if (!motor && !(f->ops->conserves && f->ops->conserves(f)))
            return false;
        motors += motor;
    }
    return motors > 0;
}

void tn_sim_see_gains(const tn_sim *sim, double *gain)
{
    double turn;
    for (int k = 0; sim->element_work.closed_form && k < sim->model->forces.count; k++)
        gain[k] = tn_absolute_gain(tn_sim_world(sim), k, &turn);
}

// The work of force k over a part h of the step that ends with this gain and this power.
static bool work_of(const tn_sim *sim, int k, double h, double gain, double power, double *out)
{
    const tn_element_powers *page = &sim->element_work.now;
    const double before = page->begin[k].supplied, expected = 0.5 * h * (before + power);
    double turn;
    tn_absolute_gain(tn_sim_world(sim), k, &turn);
    *out = gain - page->from[k];
    if (turn == 0.0)
        return true;
    *out += turn * round((expected - *out) / turn);
    return fabs(h * (power - before)) <= MOST_TURNED * fabs(turn);
}

bool tn_sim_closed_form_works(tn_sim *sim, double h)
{
    tn_works *w = &sim->step_works;
    const tn_element_powers *page = &sim->element_work.now;
    const int n = sim->model->forces.count;
    double sum = 0.0, work;
    for (int k = 0; k < n; k++) {
        if (!work_of(sim, k, h, page->to[k], page->end[k].supplied, &work))
            return false;
        sum += work;
    }
    for (int k = 0; k < n; k++) {
        work_of(sim, k, h, page->to[k], page->end[k].supplied, &work);
        page->work[k].supplied += work;
    }
    w->sum = (tn_exchange){0.0, sum};
    w->most = (tn_exchange){0.0, fabs(sum)};
    return true;
}

tn_exchange tn_sim_closed_form_part(const tn_sim *sim, double h, tn_exchange *each)
{
    const tn_exchange *power = tn_absolute_exchange(tn_sim_world(sim));
    tn_exchange sum = {0.0, 0.0};
    for (int k = 0; k < sim->model->forces.count; k++) {
        double turn, work;
        const double gain = tn_absolute_gain(tn_sim_world(sim), k, &turn);
        work_of(sim, k, h, gain, power[k].supplied, &work);
        sum.supplied += work;
        if (each)
            each[k].supplied = work;
    }
    return sum;
}
