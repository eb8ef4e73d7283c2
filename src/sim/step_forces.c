// SPDX-License-Identifier: MIT
//
// Springs that left a table with `beyond: error`, which ends the run. Within a step such a table
// goes on straight, so that a trial step may reach there; steps end where it is left or entered
// again (watch.c), and the one that goes beyond ends the run.

#include "sim/sim.h"

#include <math.h>

// Parts of the length of the table: by which the end of a step that was located may be beyond, and
// how near to an end of the table a step ends that may have been beyond on the way.
static const double SLACK = 1e-9, NEAR = 1e-3;

// Distance of the deflection that is seen beyond the table, by its length; negative within.
static double beyond(tn_sim *sim, int k)
{
    const tn_force_range r = tn_force_range_of(&sim->model->forces.at[k]);
    TN_ASSERT(r.low < r.high);
    double y, rate;
    tn_sim_deflection(sim, k, &y, &rate);
    return fmax(r.low - y, y - r.high) / (r.high - r.low);
}

static tn_status watch_table(tn_sim *sim, int k)
{
    const tn_force_data *force = &sim->model->source->forces.at[k];
    const tn_force_range r = tn_force_range_of(force);
    const double begin = sim->before.t, middle = 0.5 * (begin + sim->start.x.t);
    double far = beyond(sim, k);
    if (far >= -NEAR && far <= SLACK && middle > begin) {
        TN_TRY(tn_sim_sample_silently(sim, middle));
        far = beyond(sim, k);
        tn_sim_current(sim);
    }
    if (far <= SLACK)
        return TN_OK;
    return tn_fail(TN_ERR_NUMERIC,
                   "force '%s' is beyond its table from t = %.6g s on, which goes from %.6g to "
                   "%.6g; add points there or state another rule for beyond",
                   force->name, begin, r.low, r.high);
}

tn_status tn_sim_watch_tables(tn_sim *sim)
{
    for (int k = 0; sim->model && k < sim->model->forces.count; k++)
        if (tn_force_range_of(&sim->model->forces.at[k]).closed)
            TN_TRY(watch_table(sim, k));
    return TN_OK;
}
