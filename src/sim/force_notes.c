// SPDX-License-Identifier: MIT
//
// What a step did to force elements that have something to say of it: bushings that were turned
// beyond half a turn.

#include "sim/sim.h"

void tn_sim_tell_forces(tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    const tn_point from = tn_state_point(&sim->before), to = tn_state_point(&sim->start.x);
    for (int k = 0; sim->model && k < sim->model->forces.count; k++) {
        const tn_force_data *force = &sim->model->forces.at[k];
        tn_force_view before = {.units = sys->units}, now = before;
        if (!force->ops->tell_step)
            continue;
        tn_system_see_force(sys, &from, force, &before);
        tn_system_see_force(sys, &to, force, &now);
        force->ops->tell_step(force, &before, &now, &sim->start.notes);
    }
}
