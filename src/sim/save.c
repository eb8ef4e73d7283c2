// SPDX-License-Identifier: MIT
//
// Saving and loading of simulations, as images of all their memory (base/image.h).

#include "base/image.h"
#include "sim/sim.h"

// A twin has the blocks of the creation. Others come and go with a solver that stands in for
// another one.
tn_status tn_sim_save(const tn_sim *sim, void **saved, size_t *size)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, saved, size);
    *saved = NULL;
    if (sim->memory->count != sim->nblock)
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s the state cannot be saved: a linear solver has taken more "
                       "memory; try again after some steps",
                       sim->start.x.t);
    return tn_image_save(sim->memory, saved, size);
}

void tn_saved_free(void *saved)
{
    tn_free(saved);
}

TN_GETTER(bool, tn_sim_loads_exactly, (const tn_sim *sim), sim, false,
          !(sim->method.integrator->own_steps && sim->options.adaptive));

tn_status tn_sim_load(tn_sim *sim, const void *saved, size_t size)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, saved);
    tn_sim_close_channels(sim); // names are not saved, and are found again
    TN_TRY(tn_image_load(sim->memory, saved, size));
    sim->channels.names = NULL;
    sim->channels.by_name = NULL;
    sim->channels.nchannel = sim->channels.width = 0; // kinds stand elsewhere in another process
    if (tn_sim_loads_exactly(sim))
        return TN_OK;
    sim->stepper.moved = sim->stepper.known = true;
    return sim->integrator->ops->begin(sim->integrator, &sim->options);
}
