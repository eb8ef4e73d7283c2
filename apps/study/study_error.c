// SPDX-License-Identifier: MIT
//
// The error of a run, by the same method once more: with half its step, x_h - x_{h/2}, which is
// 1 - 2^-p of the error of the first with a method of order p (Richardson), or with a tenth of its
// tolerances, which leaves a tenth of the error or less.

#include "base/alloc.h"
#include "base/workers.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>

static const double FINER_STEP = 0.5, FINER_TOL = 0.1;

typedef struct {
    tn_study *study;
    const tn_study_guess *guess;
    bool finer; // sizes of the motion are taken from this one
    double *values, *row;
    tn_status status;
    char reason[TN_REASON_SIZE];
} error_run;

// If samples, discontinuities or step_max and not errors bound the steps, tolerances change
// nothing: the finer run has shorter steps as well.
static tn_sim_options options_of(const error_run *r)
{
    const tn_study_guess *g = r->guess;
    const tn_setting setting = r->finer ? tn_study_finer(g->setting) : g->setting;
    tn_sim_options options = tn_study_options(r->study, g->method, setting);
    if (r->finer && !setting.fixed) {
        options.step_max = FINER_STEP * g->longest;
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

// Factor for the error of the finer run, which the distance leaves out.
static double whole_of(const tn_study_guess *g, int stated)
{
    const int order = g->order > 0 && g->order < stated ? g->order : stated;
    return g->setting.fixed ? 1.0 / (1.0 - pow(FINER_STEP, order > 0 ? order : 1))
                            : 1.0 / (1.0 - FINER_TOL);
}

tn_setting tn_study_finer(tn_setting setting)
{
    return (tn_setting){setting.fixed, setting.value * (setting.fixed ? FINER_STEP : FINER_TOL)};
}

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

static void compare_runs(tn_study *study, const error_run *run, tn_study_guess *g)
{
    int order[3];
    tn_study_settle(study);
    tn_study_stated_orders(study, g->method, order);
    g->error = tn_study_distance(study, run[1].values, run[0].values);
    g->error.q *= whole_of(g, order[0]);
    g->error.v *= whole_of(g, order[1]);
    g->error.lambda *= whole_of(g, order[2]);
    g->t = farthest(study, run[1].values, run[0].values);
}

tn_status tn_study_estimate(tn_study *study, tn_study_guess *g)
{
    const size_t width = (size_t)tn_study_width(study), size = (size_t)study->ntime * width;
    double *block = tn_alloc((2 * size + width + 1) * sizeof(double));
    error_run run[] = {
        {.study = study, .guess = g, .finer = true, .values = block, .row = block + 2 * size},
        {.study = study, .guess = g, .values = block + size}};
    g->error = (tn_distance){NAN, NAN, NAN};
    g->t = NAN;
    TN_TRY(tn_got(block));
    tn_workers_run(0, TN_COUNT(run), error_task, run);
    const error_run *failed = run[0].status != TN_OK ? &run[0] : &run[1];
    snprintf(g->reason, sizeof g->reason, "%s", failed->reason);
    if (failed->status == TN_OK)
        compare_runs(study, run, g);
    tn_free(block);
    return failed->status == TN_ERR_MEMORY ? tn_got(false) : TN_OK;
}
