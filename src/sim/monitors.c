// SPDX-License-Identifier: MIT
//
// The monitors of a simulation: those of the list that apply to it.

#include "sim/monitor.h"

#include "base/alloc.h"
#include "sim/sim.h"

tn_status tn_sim_create_monitors(tn_sim *sim)
{
    const tn_monitor_ops *const *monitors = sim->monitor_kinds;
    int n = 0, count = 0;
    while (monitors[n])
        n++;
    sim->monitor = tn_alloc(sizeof *sim->monitor * (size_t)(n + 1)); // ends with NULL
    TN_TRY(tn_got(sim->monitor));
    for (int k = 0; k < n; k++) {
        if (monitors[k]->applies && !monitors[k]->applies(sim))
            continue;
        tn_monitor *m = tn_alloc(monitors[k]->size > 0 ? monitors[k]->size : sizeof *m);
        TN_TRY(tn_got(m));
        m->ops = monitors[k];
        sim->monitor[count++] = m;
    }
    return TN_OK;
}

void tn_sim_destroy_monitors(tn_sim *sim)
{
    for (int k = 0; sim->monitor && sim->monitor[k]; k++)
        tn_free(sim->monitor[k]);
    tn_free(sim->monitor);
}

tn_monitor *tn_sim_monitor(const tn_sim *sim, const tn_monitor_ops *ops)
{
    for (int k = 0; sim->monitor[k]; k++)
        if (sim->monitor[k]->ops == ops)
            return sim->monitor[k];
    return NULL;
}

bool tn_sim_steps_over(tn_sim *sim, double end)
{
    for (int k = 0; sim->monitor[k]; k++) {
        const tn_monitor_ops *ops = sim->monitor[k]->ops;
        if (ops->steps_over && ops->steps_over(sim->monitor[k], sim, end))
            return true;
    }
    return false;
}

tn_status tn_sim_explain(tn_sim *sim, tn_status status, double h)
{
    for (int later = 0; later <= 1; later++)
        for (int k = 0; sim->monitor[k]; k++) {
            const tn_monitor_ops *ops = sim->monitor[k]->ops;
            if (ops->explain && ops->explains_first == !later)
                TN_TRY(ops->explain(sim->monitor[k], sim, status, h));
        }
    return TN_OK;
}
