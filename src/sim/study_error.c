// SPDX-License-Identifier: MIT
//
// The error of a run, by the same method once more: with half its step, x_h - x_{h/2}, which is
// 1 - 2^-p of the error of the first with a method of order p (Richardson), or with a tenth of its
// tolerances, which leaves a tenth of the error or less.

#include "base/alloc.h"
#include "base/workers.h"
#include "sim/study.h"

#include <math.h>
#include <stdio.h>

static const double FINER_STEP = 0.5, FINER_TOL = 0.1;

typedef struct {
    tn_study *study;
    const char *method;
    tn_setting setting;
    bool finer; // sizes of the motion are taken from this one
    double *values, *row;
    tn_status status;
    char *reason; // TN_REASON_SIZE
} error_run;

static tn_status follow_run(error_run *r)
{
    tn_sim_options options = tn_study_options(r->study, r->method, r->setting);
    tn_study_watch watch = {
        .study = r->study, .values = r->values, .row = r->finer ? r->row : NULL};
    tn_sim *sim = NULL;
    if (r->finer && !r->setting.fixed)
        options.step_max *= FINER_STEP; // it may be what keeps the error down
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
        snprintf(r->reason, TN_REASON_SIZE, "%s",
                 *tn_last_error() ? tn_last_error() : tn_status_text(r->status));
}

// What the distance leaves out: the error of the finer run.
static double whole_of(tn_setting setting, int order)
{
    return setting.fixed ? 1.0 / (1.0 - pow(FINER_STEP, order > 0 ? order : 1))
                         : 1.0 / (1.0 - FINER_TOL);
}

tn_setting tn_study_finer(tn_setting setting)
{
    return (tn_setting){setting.fixed, setting.value * (setting.fixed ? FINER_STEP : FINER_TOL)};
}

tn_status tn_study_estimate(tn_study *study, const char *method, tn_setting setting,
                            tn_distance *error, char reason[TN_REASON_SIZE])
{
    const size_t width = (size_t)tn_study_width(study), size = (size_t)study->ntime * width;
    double *block = tn_alloc((2 * size + width + 1) * sizeof(double));
    char other[TN_REASON_SIZE] = "";
    *error = (tn_distance){NAN, NAN, NAN};
    *reason = '\0';
    TN_TRY(tn_got(block));
    error_run run[] = {
        {study, method, tn_study_finer(setting), true, block, block + 2 * size, TN_OK, reason},
        {study, method, setting, false, block + size, NULL, TN_OK, other}};
    tn_workers_run(0, TN_COUNT(run), error_task, run);
    const tn_status s = run[0].status != TN_OK ? run[0].status : run[1].status;
    if (run[0].status == TN_OK && run[1].status != TN_OK)
        snprintf(reason, TN_REASON_SIZE, "%s", other);
    if (s == TN_OK) {
        int order[3];
        tn_study_settle(study);
        tn_study_stated_orders(study, method, order);
        *error = tn_study_distance(study, run[1].values, run[0].values);
        error->q *= whole_of(setting, order[0]);
        error->v *= whole_of(setting, order[1]);
        error->lambda *= whole_of(setting, order[2]);
    }
    tn_free(block);
    return s == TN_ERR_MEMORY ? tn_got(false) : TN_OK;
}
