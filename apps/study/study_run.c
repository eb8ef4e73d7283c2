// SPDX-License-Identifier: MIT
//
// Runs of a study: options for each, the rows that are compared, work and time.

#include "base/alloc.h"
#include "base/clock.h"
#include "base/workers.h"
#include "sim/sim.h"
#include "start/method.h"
#include "study/study.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const double SHORT = 0.05; // runs are repeated until they took this long [s]
enum { REPEATS = 200 };           // but not more often
enum { CONDITIONS = 10 };         // nodes of a run at which its matrix is sampled

// Methods -----------------------------------------------------------------------------------------

// Returns true if the registries have the method: both parts stated, and fitting together.
bool tn_study_has_method(const char *method)
{
    const tn_integrator_ops *integrator;
    const tn_formulation *formulation;
    tn_method_named(method, &integrator, &formulation);
    return integrator && formulation && tn_method_check(method) == TN_OK;
}

void tn_study_stated_orders(const tn_study *study, const char *method, int order[3])
{
    const tn_integrator_ops *integrator;
    const tn_formulation *formulation;
    tn_method_named(method, &integrator, &formulation);
    order[0] = order[1] = order[2] = 0;
    if (integrator && formulation)
        tn_pairing_orders(integrator, formulation, &study->options, order);
}

// All tolerances go with rtol.
static void tighten(tn_sim_options *o, double rtol)
{
    const bool both = o->rtol > 0.0 && o->atol > 0.0;
    const double change = o->rtol > 0.0 ? rtol / o->rtol : 1.0;
    o->atol = rtol * (both ? o->atol / o->rtol : 1e-2);
    o->atol_length *= change;
    o->atol_angle *= change;
    o->atol_speed *= change;
    o->atol_rate *= change;
    o->rtol = rtol;
}

tn_sim_options tn_study_options(const tn_study *study, const char *method, tn_setting setting)
{
    tn_sim_options o = study->options;
    const tn_integrator_ops *integrator;
    const tn_formulation *ignored;
    tn_method_named(method, &integrator, &ignored);
    o.method = method;
    o.threads = 1; // processors have a run each, and the time of a run is that of its thread
    o.adaptive = !setting.fixed;
    o.step = setting.fixed ? setting.value : 0.0;
    if (!setting.fixed)
        tighten(&o, setting.value);
    // Rotations as the model wants them, where this method can.
    const bool linear =
        o.rotation && (!strcmp(o.rotation, "quaternion") || !strcmp(o.rotation, "euler"));
    if (integrator && o.rotation && !tn_integrator_takes_rotations(integrator, linear))
        o.rotation = "auto";
    return o;
}

tn_status tn_study_check_method(const tn_study *study, const char *method)
{
    tn_sim *sim = NULL;
    if (strcmp(method, "auto") == 0 || tn_study_has_method(method))
        return TN_OK;
    // A simulation says best what is wrong with a name; some methods have only one kind of steps.
    tn_sim_options options = tn_study_options(study, method, (tn_setting){false, 1e-4});
    tn_status s = tn_sim_create(study->model, &options, &sim);
    if (s != TN_OK) {
        options = tn_study_options(study, method, (tn_setting){true, 1e-3});
        s = tn_sim_create(study->model, &options, &sim);
    }
    tn_sim_destroy(sim);
    return s;
}

// Preferred first. Each of the families once or twice: implicit on the group, multi-step,
// collocation, half-explicit, explicit with projection, explicit in independent coordinates, in
// joint coordinates, and discrete principles.
static const char *const usual[] = {
    "galpha/ggl",
    "hht/index3",
    "bdf/ggl",
    "bdf/index2",
    "radau5/ggl",
    "herk5/index2",
    "dopri5/index1+project",
    "dop853/index1+project",
    "adams/index1+project",
    "dop853/nullspace+project",
    "dop853/minimal",
    "dop853/index1+project@joint",
    "radau5/ggl@joint",
    "variational/multiplier@director",
    "energy-momentum/multiplier@director",
};

int tn_study_methods(const char *names[TN_MOST_METHODS])
{
    int n = 0;
    for (int k = 0; k < TN_COUNT(usual); k++)
        if (tn_study_has_method(usual[k]))
            names[n++] = usual[k];
    return n;
}

// One run -----------------------------------------------------------------------------------------

// CPU time of this thread: others may run other methods at the same time.
static double cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Rows of the times that this step has reached: at its end as they are, within it by dense output.
static tn_status study_run_take_rows(tn_study_watch *w, tn_sim *sim)
{
    const tn_study *study = w->study;
    const double now = tn_sim_time(sim), roundoff = 1e-9 * (now - tn_sim_before(sim));
    tn_status s = TN_OK;
    while (s == TN_OK && w->next < study->ntime && study->time[w->next] <= now + roundoff) {
        const double t = study->time[w->next];
        if (t < now - roundoff)
            s = tn_sim_show(sim, t);
        else
            tn_sim_current(sim); // and not what the row before has shown
        if (s == TN_OK)
            tn_study_read(study, sim, w->values + (size_t)w->next * (size_t)tn_study_width(study));
        w->next++;
    }
    tn_sim_current(sim);
    return s;
}

static int part_at(const tn_study *study, double t)
{
    const double start = study->options.t_start;
    const int part = (int)(TN_STUDY_PARTS * (t - start) / (study->t_end - start));
    return part < 0 ? 0 : part < TN_STUDY_PARTS ? part : TN_STUDY_PARTS - 1;
}

// The balance after a step counts for all parts that the step has passed.
static void note_balance(tn_study_watch *w, const tn_sim *sim)
{
    tn_ledger ledger;
    const int last = part_at(w->study, tn_sim_time(sim));
    tn_sim_ledger(sim, &ledger);
    for (int k = part_at(w->study, tn_sim_before(sim)); ledger.has_energy && k <= last; k++)
        w->balance[k] = fmax(w->balance[k], fabs(ledger.balance)); // a NaN gives way
}

// At the first node of each of CONDITIONS parts of the time. Its cost is not the run's.
static tn_status note_condition(tn_study_watch *w, const tn_sim *sim)
{
    const tn_study *study = w->study;
    tn_conditions *c = w->conditions;
    const double start = study->options.t_start, before = tn_sim_before(sim);
    const double middle = 0.5 * (before + tn_sim_time(sim)), began = cpu_time();
    const int part = (int)(CONDITIONS * (middle - start) / (study->t_end - start));
    double found[2];
    int unknowns;
    if (!(tn_sim_time(sim) > start) || part == w->part)
        return TN_OK;
    w->part = part;
    TN_TRY(tn_sim_condition(sim, &unknowns, &found[0], &found[1]));
    w->aside += cpu_time() - began;
    if (unknowns == 0)
        return TN_OK;
    double *const range[] = {c->written, c->solved};
    for (int i = 0; i < 2; i++) { // a NaN gives way
        range[i][0] = fmin(range[i][0], found[i]);
        range[i][1] = fmax(range[i][1], found[i]);
    }
    c->unknowns = unknowns;
    c->nodes++;
    return TN_OK;
}

tn_status tn_study_follow(void *user, tn_sim *sim)
{
    tn_study_watch *w = user;
    if (w->balance)
        note_balance(w, sim);
    if (w->conditions)
        TN_TRY(note_condition(w, sim));
    if (w->values)
        TN_TRY(study_run_take_rows(w, sim));
    if (w->row) {
        tn_study_read(w->study, sim, w->row);
        tn_study_measure(w->study, w->row);
    }
    if (w->study->give_up && w->study->give_up(w->study->user))
        return tn_fail(TN_ERR_STOPPED, "stopped at t = %.4g s on request", tn_sim_time(sim));
    if (w->patience > 0.0 && tn_wall_time() - w->began > w->patience)
        return tn_fail(TN_ERR_STOPPED, "stopped at t = %.4g s: the run took longer than %g s",
                       tn_sim_time(sim), w->patience);
    return TN_OK;
}

static tn_status check_reached(const tn_sim *sim, double t)
{
    if (tn_sim_time(sim) < t)
        return tn_fail(TN_ERR_STOPPED,
                       "an event of the model ends the motion at t = %.6g s; compare up to there "
                       "with --t-end",
                       tn_sim_time(sim));
    return TN_OK;
}

tn_status tn_study_advance(tn_study_watch *w, tn_sim *sim, double t)
{
    TN_TRY(tn_sim_run(sim, t, tn_study_follow, w));
    return check_reached(sim, t);
}

static tn_status begin_watch(void *user, tn_sim *sim)
{
    tn_study_watch *w = user;
    if (w->sim != sim)
        tn_sim_destroy(w->sim);
    w->sim = sim;
    w->next = 0;
    w->part = -1;
    for (int k = 0; w->balance && k < TN_STUDY_PARTS; k++)
        w->balance[k] = NAN;
    if (w->conditions)
        *w->conditions = (tn_conditions){0, 0, {NAN, NAN}, {NAN, NAN}};
    return w->values && w->study->time[0] <= tn_sim_time(sim) ? study_run_take_rows(w, sim) : TN_OK;
}

// "galpha/ggl" of "galpha/ggl@absolute"; other coordinates are named.
static void copy_name(const char *method, char out[TN_METHOD_SIZE])
{
    const char *at = strstr(method, "@absolute");
    snprintf(out, TN_METHOD_SIZE, "%.*s", at ? (int)(at - method) : (int)strlen(method), method);
}

static void note_reason(tn_trial *trial, tn_status s)
{
    snprintf(trial->reason, sizeof(trial->reason), "%s",
             *tn_last_error() ? tn_last_error() : tn_status_text(s));
}

static void note_doubt(const tn_sim *sim, tn_trial *trial)
{
    tn_verdict verdict;
    tn_sim_verdict(sim, &verdict);
    const char *doubt = tn_verdict_warn(&verdict);
    snprintf(trial->doubt, sizeof(trial->doubt), "%s", doubt ? doubt : "");
}

// Runs the method once. With `name` not NULL the name that the simulation has goes there.
static tn_status run_once(tn_study_watch *w, const tn_sim_options *options, tn_trial *trial,
                          char *name)
{
    const tn_study *study = w->study;
    tn_auto_run run = {.options = options,
                       .t_end = study->t_end,
                       .each = tn_study_follow,
                       .again = begin_watch,
                       .user = w};
    tn_status s = tn_sim_create(study->model, options, &w->sim);
    if (s != TN_OK) {
        note_reason(trial, s);
        return s;
    }
    w->began = tn_wall_time();
    s = begin_watch(w, w->sim);
    const double began = cpu_time();
    TN_THEN(s, tn_sim_run_auto(&run, w->sim));
    TN_THEN(s, check_reached(w->sim, study->t_end));
    trial->cpu = cpu_time() - began - w->aside;
    if (name)
        copy_name(tn_sim_method(w->sim), name);
    trial->done = s == TN_OK;
    trial->reached = tn_sim_time(w->sim);
    tn_sim_ledger(w->sim, &trial->ledger);
    trial->energy = tn_ledger_relative_balance(&trial->ledger);
    if (s != TN_OK)
        note_reason(trial, s);
    else
        note_doubt(w->sim, trial);
    tn_sim_destroy(w->sim);
    return s;
}

// The time of a run, the smallest of as many as take SHORT together, but no more than REPEATS: to
// set one up may take far longer than to run it. Rows within steps are not asked for here.
static void time_runs(tn_study *study, const tn_sim_options *options, tn_trial *trial)
{
    double total = trial->cpu, least = study->ntime > 1 ? INFINITY : trial->cpu;
    tn_trial again = *trial;
    for (int k = 0; study->timed && k < REPEATS && (total < SHORT || isinf(least)); k++) {
        tn_study_watch w = {.study = study};
        if (run_once(&w, options, &again, NULL) != TN_OK)
            return;
        total += again.cpu;
        least = fmin(least, again.cpu);
    }
    if (isfinite(least))
        trial->cpu = least;
}

static void begin_trial(tn_study_job *job)
{
    const tn_distance unknown = {NAN, NAN, NAN};
    job->trial = (tn_trial){.setting = job->setting,
                            .cpu = NAN,
                            .energy = NAN,
                            .error = unknown,
                            .conditions = {0, 0, {NAN, NAN}, {NAN, NAN}}};
    job->trial.ledger.max_g = job->trial.ledger.max_gdot = NAN;
    for (int k = 0; k < TN_STUDY_PARTS; k++)
        job->trial.balance[k] = NAN;
}

// The trial keeps the error of its run; short memory is the only failure of the study.
static tn_status run_trial(tn_study *study, tn_study_job *job)
{
    const tn_sim_options options = tn_study_options(study, job->method, job->setting);
    const size_t size = (size_t)study->ntime * (size_t)tn_study_width(study);
    tn_trial *trial = &job->trial;
    tn_study_watch w = {.study = study,
                        .values = tn_alloc((size + 1) * sizeof(double)),
                        .patience = study->patience,
                        .balance = trial->balance,
                        .conditions = study->condition ? &trial->conditions : NULL};
    TN_TRY(tn_got(w.values));
    tn_clear_error();
    const tn_status s = run_once(&w, &options, trial, job->name);
    if (s == TN_OK && study->values)
        trial->error = tn_study_distance(study, w.values, study->values);
    if (s == TN_OK)
        time_runs(study, &options, trial);
    tn_free(w.values);
    return s == TN_ERR_MEMORY ? s : TN_OK;
}

// All runs ----------------------------------------------------------------------------------------

typedef struct {
    tn_study *study;
    tn_study_job *job;
    pthread_mutex_t lock; // of what follows, and of `tell`
    tn_status status;     // the first failure: memory is short, and what is left is not begun
} trials;

static bool announce(trials *all, const tn_study_job *job)
{
    const tn_study *study = all->study;
    pthread_mutex_lock(&all->lock);
    const bool go = all->status == TN_OK;
    if (go && study->tell)
        study->tell(study->user, job->method, job->setting);
    pthread_mutex_unlock(&all->lock);
    return go;
}

static void run_job(void *user, int k)
{
    trials *all = user;
    begin_trial(&all->job[k]);
    if (!announce(all, &all->job[k]))
        return;
    const tn_status s = run_trial(all->study, &all->job[k]);
    if (s == TN_OK)
        return;
    pthread_mutex_lock(&all->lock);
    all->status = s;
    pthread_mutex_unlock(&all->lock);
}

// Methods that change their order have a fixed, perhaps lower one with fixed steps.
static void lower_orders(tn_series *series)
{
    const int n = series->trials.count;
    const tn_trial *last = n > 0 ? &series->trials.at[n - 1] : NULL;
    if (!last || !last->done || !last->setting.fixed || last->ledger.order == 0)
        return;
    for (int i = 0; i < 3; i++)
        if (last->ledger.order < series->order[i])
            series->order[i] = last->ledger.order;
}

// The runs of one method; the last one that could begin gave it its name.
static tn_status collect_series(tn_study *study, int n, const tn_study_job *job)
{
    tn_series series = {0};
    tn_status s = TN_OK;
    copy_name(job->method, series.method);
    for (int k = 0; k < n && s == TN_OK; k++) {
        if (*job[k].name)
            copy_name(job[k].name, series.method);
        s = tn_array_push(&series.trials, job[k].trial);
    }
    tn_study_stated_orders(study, series.method, series.order);
    lower_orders(&series);
    TN_THEN(s, tn_array_push(&study->series, series));
    if (s != TN_OK)
        tn_array_free(&series.trials);
    return s;
}

tn_status tn_study_run(tn_study *study, int threads, int n, tn_study_job *job)
{
    trials all = {.study = study, .job = job, .lock = PTHREAD_MUTEX_INITIALIZER};
    tn_workers_run(threads, n, run_job, &all);
    pthread_mutex_destroy(&all.lock);
    if (all.status != TN_OK)
        return tn_got(false);
    for (int k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && job[end].series == job[k].series;)
            end++;
        TN_TRY(collect_series(study, end - k, job + k));
    }
    return TN_OK;
}
