// SPDX-License-Identifier: MIT
//
// A study: what is compared, distances from the reference, and results of the runs; see study.h.

#include "study/study.h"
#include "base/alloc.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const double RESOLVED = 5.0; // times its uncertainty: an error that is resolved

int tn_study_width(const tn_study *study)
{
    return TN_STUDY_BODY * study->nbody + study->nrow;
}

// Compared quantities -----------------------------------------------------------------------------

static void read_body(tn_sim *sim, tn_body body, double *out)
{
    const tn_frame frame = tn_sim_body_frame(sim, body);
    const tn_quat e = tn_sim_body_rotation(sim, body);
    const tn_vec3 v = tn_sim_body_velocity(sim, body), rate = tn_sim_body_rate(sim, body);
    const double all[TN_STUDY_BODY] = {frame.p.x, frame.p.y, frame.p.z, e.w,    e.x,    e.y,   e.z,
                                       v.x,       v.y,       v.z,       rate.x, rate.y, rate.z};
    memcpy(out, all, sizeof(all));
}

void tn_study_read(const tn_study *study, tn_sim *sim, double *out)
{
    for (int b = 0; b < study->nbody; b++, out += TN_STUDY_BODY)
        read_body(sim, (tn_body){b + 1}, out);
    for (int j = 0; j < tn_model_joint_count(study->model); j++)
        out += tn_sim_joint_multipliers(sim, (tn_joint){j}, out, NULL);
}

static double length(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double study_apart(const double *a, const double *b)
{
    return length((double[3]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

// Angle of R^T R^: twice that between the unit quaternions on the half sphere, by its sine, which
// is exact for small angles.
static double study_angle(const double *a, const double *b)
{
    double sum = 0.0, difference = 0.0;
    for (int i = 0; i < 4; i++) {
        sum += (a[i] + b[i]) * (a[i] + b[i]);
        difference += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return 4.0 * asin(fmin(1.0, 0.5 * sqrt(fmin(sum, difference))));
}

// The larger one; not a number where one of them is none.
static double worst(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static void add_body(const tn_study *study, const double *x, const double *ref, tn_distance *d)
{
    d->q = worst(d->q, study_apart(x, ref) / study->facts.position);
    d->q = worst(d->q, study_angle(x + 3, ref + 3));
    d->v = worst(d->v, study_apart(x + 7, ref + 7) / study->facts.velocity);
    d->v = worst(d->v, study_apart(x + 10, ref + 10) / study->facts.rate);
}

// -1: no multiplier is determined.
static int first_unique(const tn_study *study)
{
    for (int i = 0; i < study->nrow; i++)
        if (study->unique[i])
            return i;
    return -1;
}

tn_distance tn_study_distance_at(const tn_study *study, const double *row, const double *reference)
{
    tn_distance d = {0.0, 0.0, first_unique(study) < 0 ? NAN : 0.0};
    const int multipliers = TN_STUDY_BODY * study->nbody;
    for (int b = 0; b < multipliers; b += TN_STUDY_BODY)
        add_body(study, row + b, reference + b, &d);
    for (int i = 0; i < study->nrow; i++) {
        const double *x = row + multipliers, *ref = reference + multipliers;
        if (study->unique[i])
            d.lambda = worst(d.lambda, fabs(x[i] - ref[i]) / study->facts.lambda);
    }
    return d;
}

tn_distance tn_study_distance(const tn_study *study, const double *values, const double *reference)
{
    tn_distance d = {0.0, 0.0, first_unique(study) < 0 ? NAN : 0.0};
    const int width = tn_study_width(study);
    for (int k = 0; k < study->ntime; k++, values += width, reference += width) {
        const tn_distance here = tn_study_distance_at(study, values, reference);
        d.q = worst(d.q, here.q);
        d.v = worst(d.v, here.v);
        d.lambda = worst(d.lambda, here.lambda);
    }
    return d;
}

// Sizes -------------------------------------------------------------------------------------------

void tn_study_measure(tn_study *study, const double *row)
{
    tn_compare_facts *f = &study->facts;
    if (!row)
        f->position = f->velocity = f->rate = f->lambda = 0.0;
    for (int b = 0; row && b < study->nbody; b++, row += TN_STUDY_BODY) {
        f->position = fmax(f->position, length(row));
        f->velocity = fmax(f->velocity, length(row + 7));
        f->rate = fmax(f->rate, length(row + 10));
    }
    for (int i = 0; row && i < study->nrow; i++)
        if (study->unique[i])
            f->lambda = fmax(f->lambda, fabs(row[i]));
}

// If frames of bodies sit on their axes of rotation positions are round-off and the ends of the
// bodies give lengths and speeds; if nothing turns, or nothing moves at all, rates are measured by
// what would carry a body over its length.
void tn_study_settle(tn_study *study)
{
    const double ALMOST_AT_REST = 1e-9;
    const double span = study->t_end - study->options.t_start;
    double P = fmax(study->facts.position, study->lever), V = study->facts.velocity,
           W = study->facts.rate;
    if (!(P > 0.0))
        P = 1.0;
    V = fmax(V, W * study->lever);
    if (span > 0.0 && V * span < ALMOST_AT_REST * P)
        V = P / span;
    study->facts.position = P;
    study->facts.velocity = V > 0.0 ? V : 1.0;
    study->facts.rate = fmax(W, study->facts.velocity / P);
    if (!(study->facts.lambda > 0.0))
        study->facts.lambda = 1.0;
}

static double longest_lever(const tn_model *model)
{
    double most = 0.0;
    for (int b = 1; b < model->bodies.count; b++)
        most = fmax(most, tn_v3_norm(model->bodies.at[b].def.com));
    for (int j = 0; j < model->joints.count; j++) {
        const tn_joint_def *def = model->joints.at[j].def;
        if (def->body_a.index > 0)
            most = fmax(most, tn_v3_norm(def->frame_a.p));
        if (def->body_b.index > 0)
            most = fmax(most, tn_v3_norm(def->frame_b.p));
    }
    return most;
}

// The study ---------------------------------------------------------------------------------------

static tn_status know_model(tn_study *study)
{
    tn_sim *sim = NULL;
    double lambda[6];
    tn_sim_options options = study->options;
    options.method = "auto";
    options.rotation = "auto";
    options.adaptive = false;
    options.step = 0.0;
    TN_TRY(tn_sim_create(study->model, &options, &sim));
    for (int j = 0, row = 0; j < tn_model_joint_count(study->model); j++)
        row += tn_sim_joint_multipliers(sim, (tn_joint){j}, lambda, study->unique + row);
    study->freedoms = tn_sim_freedoms(sim);
    tn_sim_destroy(sim);
    return TN_OK;
}

static tn_status fill_study(tn_study *study, int ntime, const double *time)
{
    TN_ASSERT(ntime > 0);
    const tn_model *model = study->model;
    study->ntime = ntime;
    study->t_end = time[ntime - 1];
    study->nbody = tn_model_body_count(model) - 1;
    for (int j = 0; j < tn_model_joint_count(model); j++)
        study->nrow += tn_model_joint_row_count(model, (tn_joint){j});
    study->time = tn_alloc((size_t)ntime * sizeof(double));
    study->unique = tn_alloc((size_t)study->nrow + 1);
    study->values = tn_alloc(((size_t)ntime * (size_t)tn_study_width(study) + 1) * sizeof(double));
    TN_TRY(tn_got(study->time && study->unique && study->values));
    memcpy(study->time, time, (size_t)ntime * sizeof(double));
    study->lever = longest_lever(model);
    return know_model(study);
}

tn_status tn_study_create(const tn_model *model, const tn_sim_options *options, int ntime,
                          const double *time, tn_study **out)
{
    *out = NULL;
    TN_TRY(tn_model_status(model));
    tn_study *study = tn_alloc(sizeof(*study));
    TN_TRY(tn_got(study));
    study->model = model;
    study->options = *options;
    study->facts = (tn_compare_facts){.source = "", .judge = "", .doubt = tn_no_distance};
    const tn_status s = fill_study(study, ntime, time);
    TN_HAND_OUT(s, study, tn_study_destroy, out);
}

void tn_study_destroy(tn_study *study)
{
    if (!study)
        return;
    for (int i = 0; i < study->series.count; i++)
        tn_array_free(&study->series.at[i].trials);
    tn_array_free(&study->series);
    TN_FREE(study->time, study->unique, study->values, study->file, study);
}

// Results of the runs -----------------------------------------------------------------------------

static double mean_step(const tn_study *study, const tn_trial *trial)
{
    TN_ASSERT(trial->setting.fixed || trial->ledger.steps > 0);
    if (trial->setting.fixed)
        return trial->setting.value;
    return (study->t_end - study->options.t_start) / (double)trial->ledger.steps;
}

static double order(double coarse, double fine, double doubt, double ratio)
{
    const double least = isnan(doubt) ? 0.0 : RESOLVED * doubt;
    if (!(coarse > least && fine > least) || !(ratio > 1.0))
        return NAN;
    return log(coarse / fine) / log(ratio);
}

tn_distance tn_study_order(const tn_study *study, const tn_trial *coarse, const tn_trial *fine)
{
    const double ratio = mean_step(study, coarse) / mean_step(study, fine);
    const tn_distance *a = &coarse->error, *b = &fine->error, *doubt = &study->facts.doubt;
    if (!coarse->done || !fine->done)
        return tn_no_distance;
    return (tn_distance){order(a->q, b->q, doubt->q, ratio), order(a->v, b->v, doubt->v, ratio),
                         order(a->lambda, b->lambda, doubt->lambda, ratio)};
}

tn_distance tn_series_order(const tn_study *study, const tn_series *series)
{
    tn_distance last = tn_no_distance;
    for (int k = 1; k < series->trials.count; k++) {
        const tn_distance p =
            tn_study_order(study, &series->trials.at[k - 1], &series->trials.at[k]);
        last.q = isnan(p.q) ? last.q : p.q;
        last.v = isnan(p.v) ? last.v : p.v;
        last.lambda = isnan(p.lambda) ? last.lambda : p.lambda;
    }
    return last;
}

bool tn_study_ranks_lambda(const tn_study *study)
{
    bool any = false;
    for (int i = 0; i < study->nrow; i++)
        any = any || study->unique[i];
    return study->freedoms == 0 && any;
}

double tn_study_error(const tn_study *study, const tn_trial *trial)
{
    return tn_study_ranks_lambda(study) ? trial->error.lambda : trial->error.q;
}

double tn_trial_work(const tn_trial *trial, int work)
{
    return work == TN_WORK_CPU ? trial->cpu : (double)trial->ledger.evaluations;
}

tn_best tn_study_best(const tn_study *study, double error, int work)
{
    tn_best best = {-1, -1, INFINITY};
    for (int i = 0; i < study->series.count; i++)
        for (int k = 0; k < study->series.at[i].trials.count; k++) {
            const tn_trial *trial = &study->series.at[i].trials.at[k];
            const double w = tn_trial_work(trial, work);
            if (trial->done && tn_study_error(study, trial) <= error && w < best.work)
                best = (tn_best){i, k, w};
        }
    return best;
}

// Beyond this distance of the two runs for the reference errors mean little: the motion may be too
// sensitive, or the model may have a jump.
static const double FAR_APART = 1e-4;

tn_outcome tn_study_outcome(const tn_study *study)
{
    int runs = 0, done = 0;
    for (int i = 0; i < study->series.count; i++) {
        const tn_series *s = &study->series.at[i];
        runs += s->trials.count;
        for (int k = 0; k < s->trials.count; k++)
            done += s->trials.at[k].done;
    }
    return runs > 0 && done == 0              ? TN_OUTCOME_FAILED
           : study->facts.doubt.q > FAR_APART ? TN_OUTCOME_DOUBTFUL
                                              : TN_OUTCOME_DONE;
}
