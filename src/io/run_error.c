// SPDX-License-Identifier: MIT
//
// How far the motion of a run is off, where that is asked for: by two more runs, see
// sim/study_error.c.

#include "io/run_parts.h"

#include "base/alloc.h"
#include "sim/sim.h"
#include "sim/study.h"

#include <math.h>
#include <stdio.h>

enum { TIMES = 200 }; // at most, at which runs are compared
// A run that an event has ended is compared up to this part of its time: others meet the event a
// little earlier or later.
static const double BEFORE_EVENT = 0.99;

static tn_setting setting_of(const tn_run *r)
{
    const bool fixed = !r->sim->options.adaptive;
    return (tn_setting){fixed, fixed ? r->facts.ledger.step_max : r->sim->options.rtol};
}

// Ends of fixed steps, which both runs have; else evenly spaced.
static int choose_times(const tn_run *r, tn_setting setting, double time[TIMES])
{
    const double start = r->simulate.options.t_start;
    const double end = tn_sim_time(r->sim), slack = 1e-9;
    const double span = (end - start) * (tn_run_event(r) >= 0 ? BEFORE_EVENT : 1.0);
    const double steps = setting.fixed ? floor(span / setting.value + slack) : TIMES;
    const double apart = setting.fixed ? setting.value : span / TIMES;
    const int n = steps < 1.0 ? 0 : steps < TIMES ? (int)steps : TIMES;
    for (int k = 0; k < n; k++)
        time[k] = fmin(end, start + apart * floor((k + 1) * steps / n + slack));
    return n;
}

static bool give_up_error(void *user)
{
    const tn_run *r = user;
    return atomic_load(&r->stops) > 0;
}

static tn_status estimate(tn_run *r, tn_run_error *e)
{
    const tn_setting setting = setting_of(r);
    tn_sim_options options = r->simulate.options;
    double time[TIMES];
    tn_study *study = NULL;
    const int n = choose_times(r, setting, time);
    if (n == 0)
        return tn_fail(TN_ERR_NUMERIC, "the run has no whole step to compare");
    options.method = tn_sim_method(r->sim);
    TN_TRY(tn_study_create(r->model, &options, n, time, &study));
    study->give_up = give_up_error;
    study->user = r;
    e->check = tn_study_finer(setting);
    const tn_status s = tn_study_estimate(study, options.method, setting, &e->distance, e->reason);
    e->position = study->size.position;
    e->velocity = study->size.velocity;
    e->rate = study->size.rate;
    e->lambda = study->size.lambda;
    tn_study_destroy(study);
    return s;
}

double tn_run_error_size(const tn_run_error *e)
{
    const tn_distance *d = &e->distance;
    return isnan(d->q) || isnan(d->v) ? NAN : fmax(d->q, d->v);
}

void tn_run_find_error(tn_run *r)
{
    tn_run_error *e = &r->facts.error;
    e->asked = true;
    if (estimate(r, e) != TN_OK)
        snprintf(e->reason, sizeof e->reason, "%s", tn_last_error());
    tn_clear_error();
    e->known = *e->reason == '\0';
    if (e->known)
        tn_sim_judge_error(r->sim, tn_run_error_size(e), e->check);
}
