// SPDX-License-Identifier: MIT
//
// Error of the motion of a run, if it is requested, by two more runs: one as it is, and one with
// half its step, x_h - x_{h/2}, which is 1 - 2^-p of the error of the first with a method of order
// p (Richardson), or with a tenth of its tolerances, which leaves a tenth of the error or less.

#include "base/alloc.h"
#include "base/workers.h"
#include "run/run_parts.h"
#include "sim/sim.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>

static const double FINER_STEP = 0.5, FINER_TOL = 0.1;

static tn_setting setting_of(const tn_run *r)
{
    const bool fixed = !r->sim->options.adaptive;
    return (tn_setting){fixed, fixed ? r->facts.ledger.step_max : r->sim->options.rtol};
}

// Half the step, or a tenth of the tolerance.
static tn_setting finer(tn_setting setting)
{
    return (tn_setting){setting.fixed, setting.value * (setting.fixed ? FINER_STEP : FINER_TOL)};
}

// Times -------------------------------------------------------------------------------------------

// Times at which runs are compared: ends of fixed steps, or some within each controlled one, so
// that short transients are seen; fewer where rows are long.
enum { LEAST_TIMES = 50, MOST_TIMES = 20000, EACH_STEP = 20 };
static const double MOST_NUMBERS = 4e6;
// A run that an event has ended is compared up to this part of its time: others meet the event a
// little earlier or later.
static const double BEFORE_EVENT = 0.99;

static double times_wanted(const tn_run *r)
{
    enum { BODY = TN_STUDY_BODY, JOINT = 5 }; // numbers of a row, about
    const double bodies = tn_model_body_count(r->model), joints = tn_model_joint_count(r->model);
    const double room = MOST_NUMBERS / (BODY * bodies + JOINT * joints);
    return fmin(MOST_TIMES, fmax(LEAST_TIMES, room));
}

// Returns how many there are; NULL where there are none, or no memory for them.
static double *choose_times(const tn_run *r, int *count)
{
    const tn_setting setting = setting_of(r);
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

// Two runs ----------------------------------------------------------------------------------------

typedef struct {
    tn_study *study;
    const tn_run *of;
    bool finer; // sizes of the motion are taken from this one
    double *values, *row;
    tn_status status;
    char reason[TN_REASON_SIZE];
} error_run;

// If samples, discontinuities or step_max and not errors bound the steps, tolerances change
// nothing: the finer run has shorter steps as well.
static tn_sim_options options_of(const error_run *r)
{
    const tn_setting setting = r->finer ? finer(setting_of(r->of)) : setting_of(r->of);
    tn_sim_options options = tn_study_options(r->study, tn_sim_method(r->of->sim), setting);
    if (r->finer && !setting.fixed) {
        options.step_max = FINER_STEP * r->of->facts.ledger.step_max;
        options.step_min = fmin(options.step_min, options.step_max);
    }
    return options;
}

static tn_status follow_run(error_run *r)
{
    const tn_sim_options options = options_of(r);
    tn_study_watch watch = {.study = r->study, .values = r->values, .row = r->row};
    tn_sim *sim = NULL;
    TN_TRY(tn_sim_create(r->study->model, &options, &sim));
    tn_status s = tn_study_follow(&watch, sim);
    TN_THEN(s, tn_study_advance(&watch, sim, r->study->t_end));
    tn_sim_destroy(sim);
    return s;
}

static void error_task(void *user, int k)
{
    error_run *r = (error_run *)user + k;
    tn_clear_error();
    r->status = follow_run(r);
    if (r->status != TN_OK)
        snprintf(r->reason, sizeof r->reason, "%s",
                 *tn_last_error() ? tn_last_error() : tn_status_text(r->status));
}

// Factor for the error of the finer run, which the distance leaves out. Methods may have chosen a
// lower order.
static double whole_of(const tn_run *r, int stated)
{
    const int chosen = r->facts.ledger.order;
    const int order = chosen > 0 && chosen < stated ? chosen : stated;
    return setting_of(r).fixed ? 1.0 / (1.0 - pow(FINER_STEP, order > 0 ? order : 1))
                               : 1.0 / (1.0 - FINER_TOL);
}

// When positions or velocities are farthest off.
static double farthest(const tn_study *study, const double *values, const double *reference)
{
    const int width = tn_study_width(study);
    double most = 0.0, t = study->time[0];
    for (int k = 0; k < study->ntime; k++, values += width, reference += width) {
        const tn_distance d = tn_study_distance_at(study, values, reference);
        const double here = fmax(d.q, d.v);
        if (here > most) {
            most = here;
            t = study->time[k];
        }
    }
    return t;
}

static void compare_runs(tn_run *r, tn_study *study, const error_run *run, double *when)
{
    tn_run_error *e = &r->facts.error;
    int order[3];
    tn_study_settle(study);
    tn_study_stated_orders(study, tn_sim_method(r->sim), order);
    e->distance = tn_study_distance(study, run[1].values, run[0].values);
    e->distance.q *= whole_of(r, order[0]);
    e->distance.v *= whole_of(r, order[1]);
    e->distance.lambda *= whole_of(r, order[2]);
    *when = farthest(study, run[1].values, run[0].values);
}

static bool give_up_error(void *user)
{
    const tn_run *r = user;
    return atomic_load(&r->stops) > 0;
}

// Both runs are made, side by side. Sizes of the study are those of the motion from then on. A
// failure is the reason why the error is not known.
static tn_status make_runs(tn_run *r, tn_study *study, double *when)
{
    const size_t width = (size_t)tn_study_width(study), size = (size_t)study->ntime * width;
    double *block = tn_alloc((2 * size + width + 1) * sizeof(double));
    error_run run[] = {
        {.study = study, .of = r, .finer = true, .values = block, .row = block + 2 * size},
        {.study = study, .of = r, .values = block + size}};
    TN_TRY(tn_got(block));
    study->give_up = give_up_error;
    study->user = r;
    tn_workers_run(0, TN_COUNT(run), error_task, run);
    const error_run *failed = run[0].status != TN_OK ? &run[0] : &run[1];
    if (failed->status == TN_OK)
        compare_runs(r, study, run, when);
    tn_free(block);
    return failed->status == TN_OK ? TN_OK : tn_fail(failed->status, "%s", failed->reason);
}

static tn_status estimate(tn_run *r, double *when)
{
    tn_run_error *e = &r->facts.error;
    tn_sim_options options = r->simulate.options;
    tn_study *study = NULL;
    int n;
    double *time = choose_times(r, &n);
    if (n == 0)
        return tn_fail(TN_ERR_NUMERIC, "the run has no whole step to compare");
    options.method = tn_sim_method(r->sim);
    tn_status s = time ? tn_study_create(r->model, &options, n, time, &study) : tn_got(false);
    if (s == TN_OK) {
        s = make_runs(r, study, when);
        e->position = study->facts.position;
        e->velocity = study->facts.velocity;
        e->rate = study->facts.rate;
        e->lambda = study->facts.lambda;
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
    double when = NAN;
    e->asked = true;
    e->distance = tn_no_distance;
    e->check = finer(setting_of(r));
    e->known = estimate(r, &when) == TN_OK;
    snprintf(e->reason, sizeof e->reason, "%s", e->known ? "" : tn_last_error());
    tn_clear_error();
    tn_sim_judge_error(r->sim, tn_run_error_size(e), when, e->check);
}
