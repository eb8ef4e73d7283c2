// SPDX-License-Identifier: MIT
//
// The reference that a study makes by itself: a tight run of a method of high order, judged by
// another one.

#include "base/alloc.h"
#include "base/clock.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *method;
    double tol;  // as tight as round-off lets it be
    double *row; // scratch
    double *values;
    double patience, began; // wall times [s]
} tight_run;

static const double PROJECT_TOL = 1e-12;

// Ends of steps at all times, so that no dense output comes in.
static tn_status run_tight(tn_study *study, tight_run *tight)
{
    const tn_setting setting = {false, tight->tol};
    tn_sim_options options = tn_study_options(study, tight->method, setting);
    tn_study_watch w = {.study = study,
                        .values = tight->values,
                        .row = tight->row,
                        .began = tn_wall_time(),
                        .patience = tight->patience};
    tn_sim *sim = NULL;
    tight->began = w.began;
    // The rest of the drift must not limit the accuracy.
    options.project_tol = fmin(options.project_tol, PROJECT_TOL);
    if (study->tell)
        study->tell(study->user, tight->method, setting);
    TN_TRY(tn_sim_create(study->model, &options, &sim));
    if (tight->row)
        tn_study_measure(study, NULL);
    tn_status s = tn_study_follow(&w, sim);
    for (int k = 0; k < study->ntime && s == TN_OK; k++)
        s = tn_study_advance(&w, sim, study->time[k]);
    tn_sim_destroy(sim);
    return s;
}

// Explicit and implicit ones of high order in turn: lambda of radau5 is of full order in index 1
// only. The last, of order two, is for models that all others refuse.
static const char *const tight_methods[] = {
    "dop853/index1+project",
    "radau5/index1+project",
    "radau5/ggl",
    "bdf/ggl",
    "dopri5/index1+project",
    "galpha/ggl",
};
static const double TIGHTEST[] = {1e-12, 1e-10}; // the second where round-off stops the first
static const double TIGHTEST_LOW_ORDER = 1e-9;
enum { HIGH_ORDER = 4 };

// Returns true if two methods share the integrator.
static bool is_kin(const char *a, const char *b)
{
    const size_t n = strcspn(a, "/");
    return strncmp(a, b, n + 1) == 0;
}

// The first of the methods that reaches the end within the patience, not by the integrator of
// `other`.
static tn_status first_tight(tn_study *study, const char *other, tight_run *run)
{
    for (int k = 0; k < TN_COUNT(tight_methods); k++) {
        int order[3];
        run->method = tight_methods[k];
        tn_study_stated_orders(study, run->method, order);
        const bool high = order[0] >= HIGH_ORDER;
        if (!tn_study_has_method(run->method) || (other && (!high || is_kin(run->method, other))))
            continue;
        for (int i = 0; i < (high ? TN_COUNT(TIGHTEST) : 1); i++) {
            run->tol = high ? TIGHTEST[i] : TIGHTEST_LOW_ORDER;
            const tn_status s = run_tight(study, run);
            if (s == TN_OK || s == TN_ERR_MEMORY)
                return s;
            if (s == TN_ERR_STOPPED)
                break;
        }
    }
    return TN_ERR_NUMERIC;
}

// Little patience first: where an explicit method crawls, an implicit one may run.
static tn_status find_reference(tn_study *study, tight_run *run)
{
    const double LITTLE = 5.0;
    run->patience = study->patience > 0.0 ? fmin(LITTLE, study->patience) : LITTLE;
    tn_status s = first_tight(study, NULL, run);
    if (s != TN_ERR_NUMERIC || run->patience == study->patience)
        return s;
    run->patience = study->patience;
    return first_tight(study, NULL, run);
}

// A second method, if it does not take much longer than the reference did, else the same one with a
// tolerance ten times as large.
static tn_status judge_reference(tn_study *study, const tight_run *reference, double took,
                                 tight_run *judge)
{
    judge->patience = fmax(2.0, 4.0 * took);
    tn_status s = first_tight(study, reference->method, judge);
    if (s != TN_OK && s != TN_ERR_MEMORY) {
        judge->method = reference->method;
        judge->tol = 10.0 * reference->tol;
        judge->patience = 0.0;
        s = run_tight(study, judge);
    }
    if (s != TN_OK)
        return s == TN_ERR_MEMORY ? s : TN_OK; // not known
    study->facts.judge = judge->method;
    study->facts.judge_tol = judge->tol;
    study->facts.doubt = tn_study_distance(study, judge->values, study->values);
    return TN_OK;
}

tn_status tn_study_reference(tn_study *study)
{
    const size_t width = (size_t)tn_study_width(study), size = (size_t)study->ntime * width;
    double *block = tn_alloc((size + width + 1) * sizeof(double));
    tight_run reference = {.values = study->values, .row = block};
    tight_run judge = {.values = block ? block + width : NULL};
    TN_TRY(tn_got(block));
    tn_status s = find_reference(study, &reference);
    if (s == TN_OK) {
        tn_study_settle(study);
        study->facts.source = reference.method;
        study->facts.source_tol = reference.tol;
        const double took = tn_wall_time() - reference.began;
        s = judge_reference(study, &reference, took, &judge);
    } else if (s != TN_ERR_MEMORY) {
        s = tn_fail_within(s,
                           "no method reaches t = %g s with tight tolerances, so there is no "
                           "reference; give one with --reference or a smaller --t-end; the "
                           "last said",
                           study->t_end);
    }
    tn_free(block);
    return s;
}
