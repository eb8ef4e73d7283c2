// SPDX-License-Identifier: MIT
//
// Error of the motion of a run, if it is requested: found by two more runs, see
// apps/study/study_error.c.

#include "run/run_parts.h"

#include "base/alloc.h"
#include "sim/sim.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>

// Times at which runs are compared: ends of fixed steps, or some within each controlled one, so
// that short transients are seen; fewer where rows are long.
enum { LEAST_TIMES = 50, MOST_TIMES = 20000, EACH_STEP = 20 };
static const double MOST_NUMBERS = 4e6;
// A run that an event has ended is compared up to this part of its time: others meet the event a
// little earlier or later.
static const double BEFORE_EVENT = 0.99;

static tn_setting setting_of(const tn_run *r)
{
    const bool fixed = !r->sim->options.adaptive;
    return (tn_setting){fixed, fixed ? r->facts.ledger.step_max : r->sim->options.rtol};
}

static double times_wanted(const tn_run *r)
{
    enum { BODY = TN_STUDY_BODY, JOINT = 5 }; // numbers of a row, about
    const double bodies = tn_model_body_count(r->model), joints = tn_model_joint_count(r->model);
    const double room = MOST_NUMBERS / (BODY * bodies + JOINT * joints);
    return fmin(MOST_TIMES, fmax(LEAST_TIMES, room));
}

// Returns how many there are; NULL where there are none, or no memory for them.
static double *choose_times(const tn_run *r, tn_setting setting, int *count)
{
    const double start = r->simulate.options.t_start;
    const double end = tn_sim_time(r->sim), slack = 1e-9;
    const double span = (end - start) * (tn_run_event(r) >= 0 ? BEFORE_EVENT : 1.0);
    const double within = fmax(LEAST_TIMES, EACH_STEP * (double)r->facts.ledger.steps);
    const double steps =
        setting.fixed ? floor(span / setting.value + slack) : fmin(MOST_TIMES, within);
    const double apart = setting.fixed ? setting.value : span / steps;
    const int n = span > 0.0 ? (int)fmin(steps, times_wanted(r)) : 0;
    double *time = n > 0 ? tn_alloc((size_t)n * sizeof(double)) : NULL;
    for (int k = 0; k < n && time; k++)
        time[k] = fmin(end, start + apart * floor((k + 1) * steps / n + slack));
    *count = n;
    return time;
}

static bool give_up_error(void *user)
{
    const tn_run *r = user;
    return atomic_load(&r->stops) > 0;
}

static tn_status estimate(tn_run *r, tn_study_guess *guess)
{
    tn_run_error *e = &r->facts.error;
    tn_sim_options options = r->simulate.options;
    tn_study *study = NULL;
    int n;
    double *time = choose_times(r, guess->setting, &n);
    if (n == 0)
        return tn_fail(TN_ERR_NUMERIC, "the run has no whole step to compare");
    options.method = guess->method;
    tn_status s = time ? tn_study_create(r->model, &options, n, time, &study) : tn_got(false);
    if (s == TN_OK) {
        study->give_up = give_up_error;
        study->user = r;
        s = tn_study_estimate(study, guess);
        e->position = study->size.position;
        e->velocity = study->size.velocity;
        e->rate = study->size.rate;
        e->lambda = study->size.lambda;
    }
    tn_study_destroy(study);
    tn_free(time);
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
    tn_study_guess guess = {.method = tn_sim_method(r->sim),
                            .setting = setting_of(r),
                            .longest = r->facts.ledger.step_max,
                            .order = r->facts.ledger.order,
                            .error = {NAN, NAN, NAN}};
    e->asked = true;
    if (estimate(r, &guess) != TN_OK)
        snprintf(guess.reason, sizeof guess.reason, "%s", tn_last_error());
    tn_clear_error();
    e->distance = guess.error;
    e->check = tn_study_finer(guess.setting);
    snprintf(e->reason, sizeof e->reason, "%s", guess.reason);
    e->known = *e->reason == '\0';
    tn_sim_judge_error(r->sim, tn_run_error_size(e), guess.t, e->check);
}
