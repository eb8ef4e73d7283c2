// SPDX-License-Identifier: MIT
//
// Springs that leave a table with `beyond: error`. Within a step the table goes on straight, so
// that a trial step may reach there; steps end where it is left (watch.c), and the next one ends
// the run.

#include "model/model.h"
#include "sim/sim.h"

// The end of a step that was located there may be beyond by its errors.
static const double SLACK = 1e-9; // of the length of the table

static tn_status left(const tn_sim *sim, int k, double beyond, double rate)
{
    const tn_force_data *force = &sim->model->source->forces.at[k];
    const double begin = sim->before.t, end = sim->start.x.t;
    const double when = end - (rate != 0.0 ? fabs(beyond / rate) : 0.0);
    return tn_fail(TN_ERR_NUMERIC,
                   "force '%s' is beyond its table from t = %.6g s on, which goes from %.6g to "
                   "%.6g; add points there or state another rule for beyond",
                   force->name, fmin(fmax(when, begin), end), force->table[0],
                   force->table[force->def.spring.ntable - 1]);
}

tn_status tn_sim_watch_tables(tn_sim *sim)
{
    for (int k = 0; sim->model && k < sim->model->forces.count; k++) {
        const tn_force_data *force = &sim->model->forces.at[k];
        if (!force->table || force->def.spring.beyond != TN_BEYOND_ERROR)
            continue;
        const double low = force->table[0], high = force->table[force->def.spring.ntable - 1];
        double y, rate;
        tn_sim_deflection(sim, k, &y, &rate);
        const double beyond = fmax(low - y, y - high);
        if (beyond > SLACK * (high - low))
            return left(sim, k, beyond, rate);
    }
    return TN_OK;
}
