// SPDX-License-Identifier: MIT
//
// Springs that left a table with `beyond: error`, which ends the run. Within a step such a table
// goes on straight, so that a trial step may reach there; steps end where it is left (watch.c), and
// the next one ends the run.

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
