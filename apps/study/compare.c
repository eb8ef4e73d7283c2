// SPDX-License-Identifier: MIT
//
// A comparison: which methods, over which tolerances or steps, against what; and its files.

#include "base/alloc.h"
#include "start/method.h"
#include "study/study_io.h"
#include "tenon/help.h"
#include "tenon/result.h"
#include "text/notes.h"
#include "text/number.h"
#include "text/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { USUAL_LEVELS = 4, MOST_SHARED = 100, MOST_SETTINGS = 64 };

typedef struct {
    int count;
    double value[MOST_SETTINGS]; // decreasing
} settings;

struct tn_compare {
    tn_compare_options wanted;
    const tn_model *model;
    tn_simulate simulate;
    tn_study *study;
    int nmethod;
    char *names; // memory of methods of the options
    const char *method[TN_MOST_METHODS];
    double own[TN_MOST_METHODS]; // tolerance or step of a method alone; 0: all of the lists
    settings tols, steps;
    bool always_fixed, always_controlled; // whatever the integrator would do by itself
    bool shared;                          // compared at steps that all runs share
    int done, total;                      // runs, for the progress
};

static bool is_compare(const tn_compare *s)
{
    return !s->wanted.converge;
}

// Lists -------------------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// "1e-4,1e-6", sorted from the largest; nothing for NULL.
static tn_status read_numbers(const char *option, const char *text, settings *out)
{
    char word[64];
    out->count = 0;
    for (const char *at = text; at; at = *at == ',' ? at + 1 : NULL) {
        const size_t n = strcspn(at, ",");
        double value = 0.0;
        snprintf(word, sizeof(word), "%.*s", n < sizeof(word) ? (int)n : (int)sizeof(word), at);
        if (!tn_number_from_text(word, &value) || !(value > 0.0) || !isfinite(value))
            return tn_fail(TN_ERR_USAGE, "%s: expected positive numbers, found '%s'", option, word);
        if (out->count == MOST_SETTINGS)
            return tn_fail(TN_ERR_USAGE, "%s: at most %d numbers", option, MOST_SETTINGS);
        out->value[out->count++] = value;
        at += n;
    }
    qsort(out->value, (size_t)out->count, sizeof(double), compare_numbers);
    return TN_OK;
}

// One number alone is the first of `levels`, each smaller than the one before by a factor.
static void compare_extend(settings *list, int levels, double factor)
{
    if (list->count != 1)
        return;
    for (; list->count < levels && list->count < MOST_SETTINGS; list->count++)
        list->value[list->count] = list->value[list->count - 1] * factor;
}

// "bdf/ggl:1e-5" is a method with a tolerance, or a step, of its own.
static tn_status read_own(char *name, double *own)
{
    char *colon = strchr(name, ':');
    *own = 0.0;
    if (!colon)
        return TN_OK;
    *colon = '\0';
    if (tn_number_from_text(colon + 1, own) && *own > 0.0 && isfinite(*own))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE, "--methods: expected a positive number behind %s:, found '%s'",
                   name, colon + 1);
}

// Splits the list in place.
static tn_status read_methods(tn_compare *s, const char *text)
{
    s->names = tn_strdup(text);
    TN_TRY(tn_got(s->names));
    for (char *at = s->names; at;) {
        char *end = strchr(at, ',');
        if (end)
            *end = '\0';
        if (!*at)
            return tn_fail(TN_ERR_USAGE, "--methods: an empty name in '%s'", text);
        if (s->nmethod == TN_MOST_METHODS)
            return tn_fail(TN_ERR_USAGE, "--methods: at most %d methods", TN_MOST_METHODS);
        TN_TRY(read_own(at, &s->own[s->nmethod]));
        s->method[s->nmethod++] = at;
        at = end ? end + 1 : NULL;
    }
    return TN_OK;
}

// Settings ----------------------------------------------------------------------------------------

static bool is_fixed(const tn_compare *s, const char *method)
{
    const size_t n = strcspn(method, "/@");
    tn_integrator_info info;
    bool known = false;
    for (int i = 0; !known && tn_help_integrator(i, &info); i++)
        known = strlen(info.name) == n && strncmp(info.name, method, n) == 0;
    if (known && info.fixed)
        return true;
    if (s->always_fixed || s->always_controlled)
        return s->always_fixed;
    return known && !info.controlled;
}

// A step near h that divides the whole time.
static double dividing(double span, double h)
{
    return span > 0.0 ? span / ceil(span / h - 1e-9) : h;
}

// Both lists: those of the command line, else usual ones. Steps begin at four times that of the
// model, or at a 250th of the whole time.
static tn_status choose_settings(tn_compare *s, const tn_compare_options *wanted)
{
    const double span = s->simulate.t_end - s->simulate.options.t_start;
    const double step = s->simulate.options.step;
    const int levels = wanted->levels > 0 ? wanted->levels : USUAL_LEVELS;
    TN_TRY(read_numbers("--tols", wanted->tols, &s->tols));
    TN_TRY(read_numbers("--steps", wanted->steps, &s->steps));
    if (wanted->levels > 0 && s->tols.count != 1 && s->steps.count != 1 &&
        s->tols.count + s->steps.count > 0)
        return tn_fail(TN_ERR_USAGE,
                       "--levels makes several tolerances or steps of one, and %d are "
                       "stated; leave it out or state one",
                       s->tols.count + s->steps.count);
    if (s->steps.count > 0 && !(s->steps.value[0] <= span))
        return tn_fail(TN_ERR_USAGE, "--steps: %g s is longer than the whole time, %g s",
                       s->steps.value[0], span);
    if (!is_compare(s)) {
        s->always_fixed = wanted->steps && !wanted->tols;
        s->always_controlled = wanted->tols && !wanted->steps;
    } else {
        s->always_controlled = !wanted->steps;
    }
    if (s->tols.count == 0)
        s->tols = (settings){1, {1e-4}};
    if (s->steps.count == 0)
        s->steps = (settings){1, {dividing(span, step > 0.0 ? 4.0 * step : span / 250.0)}};
    if (is_compare(s) && !wanted->tols && wanted->levels == 0)
        s->tols = (settings){3, {1e-4, 1e-6, 1e-8}};
    // A comparison takes one number alone for what it is, unless --levels says otherwise.
    if (!is_compare(s) || wanted->levels > 0 || !wanted->tols)
        compare_extend(&s->tols, levels, is_compare(s) ? 0.01 : 0.1);
    if (!is_compare(s) || wanted->levels > 0)
        compare_extend(&s->steps, levels, 0.5);
    else if (!wanted->steps)
        compare_extend(&s->steps, s->tols.count, 0.25);
    return TN_OK;
}

// Returns true if all steps end where the largest ones do.
static bool is_nested(const settings *steps, double span)
{
    const double most = steps->value[0], count = span / most;
    if (fabs(count - round(count)) > 1e-9 * count)
        return false;
    for (int k = 1; k < steps->count; k++) {
        const double part = most / steps->value[k];
        if (fabs(part - round(part)) > 1e-9 * part)
            return false;
    }
    return true;
}

// Chooses the times of comparison: equally spaced ones when asked for; at steps that all runs
// share, where there are such; else at the end.
static int choose_times(tn_compare *s, double time[MOST_SHARED], int points)
{
    const double start = s->simulate.options.t_start, end = s->simulate.t_end, span = end - start;
    bool fixed = true;
    for (int i = 0; i < s->nmethod; i++)
        fixed = fixed && is_fixed(s, s->method[i]);
    s->shared = points == 0 && !is_compare(s) && fixed && is_nested(&s->steps, span);
    const double steps = s->shared ? round(span / s->steps.value[0]) : (double)points;
    const int n = steps < 1.0 ? 1 : steps < MOST_SHARED ? (int)steps : MOST_SHARED;
    for (int k = 0; k < n; k++) {
        const double at = s->shared ? floor((k + 1) * steps / n) / steps : (k + 1.0) / n;
        time[k] = k < n - 1 ? start + at * span : end;
    }
    return n;
}

// Preparation -------------------------------------------------------------------------------------

static void note_compare(const tn_compare *s, const char *what, const char *why)
{
    tn_tell(s->wanted.teller, "note: %s has no effect: %s", what, why);
}

// Settings and options that no method makes use of.
static void tell_unused(const tn_compare *s)
{
    int fixed = 0;
    for (int i = 0; i < s->nmethod; i++)
        fixed += is_fixed(s, s->method[i]);
    if (s->wanted.steps && fixed == 0)
        note_compare(s, "--steps", "all methods control their error");
    if (s->wanted.tols && fixed == s->nmethod)
        note_compare(s, "--tols", "all methods have fixed steps");
    for (int i = 0; s->wanted.given && i < tn_simulate_param_count; i++) {
        bool used = !s->wanted.given[i];
        for (int k = 0; k < s->nmethod; k++)
            used = used || tn_method_may_read(s->method[k], &tn_simulate_params[i]);
        if (!used)
            note_compare(s, tn_simulate_params[i].name, "none of the methods reads it");
    }
}

static void before_run(void *user, const char *method, tn_setting setting)
{
    tn_compare *s = user;
    if (s->total > 0)
        s->done++;
    if (s->wanted.before)
        s->wanted.before(s->wanted.user, method, setting, s->done, s->total);
}

static tn_status choose_methods(tn_compare *s, const tn_compare_options *wanted)
{
    if (wanted->methods)
        return read_methods(s, wanted->methods);
    if (is_compare(s))
        s->nmethod = tn_study_methods(s->method);
    else
        s->method[s->nmethod++] = s->simulate.options.method ? s->simulate.options.method : "auto";
    return TN_OK;
}

static tn_status open_study(tn_compare *s, const tn_compare_options *wanted)
{
    double time[MOST_SHARED];
    const int n = choose_times(s, time, wanted->points);
    TN_TRY(tn_study_create(s->model, &s->simulate.options, n, time, &s->study));
    s->study->patience = wanted->patience;
    s->study->timed = is_compare(s) && !wanted->condition; // that one is not about time
    s->study->condition = wanted->condition;
    s->study->tell = before_run;
    s->study->user = s;
    for (int i = 0; i < s->nmethod; i++)
        TN_TRY(tn_study_check_method(s->study, s->method[i]));
    if (!wanted->reference || strcmp(wanted->reference, "auto") == 0)
        return tn_study_reference(s->study);
    const tn_status status =
        tn_study_reference_file(s->study, wanted->reference, wanted->trust, wanted->model_path);
    return status == TN_ERR_FILE ? tn_fail_within(TN_ERR_USAGE, "--reference") : status;
}

static tn_status check_folder(const char *directory)
{
    for (int i = 0; i < TN_STUDY_FILES; i++)
        if (tn_folder_has(directory, tn_study_file_names[i]))
            return tn_fail(TN_ERR_USAGE,
                           "%s holds a comparison already; use --force to replace it or --out for "
                           "another place",
                           directory);
    return TN_OK;
}

// Before anything is computed: a folder that cannot be made is reported at once.
static tn_status open_folder(const tn_compare_options *wanted)
{
    struct stat info;
    if (!wanted->out)
        return TN_OK;
    if (!wanted->replace)
        TN_TRY(check_folder(wanted->out));
    TN_TRY(tn_folder_parents(wanted->out));
    mkdir(wanted->out, 0777);
    if (stat(wanted->out, &info) != 0 || !S_ISDIR(info.st_mode))
        return tn_fail(TN_ERR_USAGE, "--out: the folder %s cannot be made", wanted->out);
    return TN_OK;
}

static tn_status prepare_compare(tn_compare *s)
{
    const tn_compare_options *wanted = &s->wanted;
    TN_TRY(open_folder(wanted));
    if (wanted->levels > MOST_SETTINGS)
        return tn_fail(TN_ERR_USAGE, "--levels is %d; it must be from 1 to %d", wanted->levels,
                       MOST_SETTINGS);
    if (wanted->jobs < 0)
        return tn_fail(TN_ERR_USAGE, "--jobs is %d; it must be at least 1, or auto", wanted->jobs);
    if (wanted->points > MOST_SHARED)
        return tn_fail(TN_ERR_USAGE, "--points is %d; it must be from 1 to %d", wanted->points,
                       MOST_SHARED);
    TN_TRY(tn_simulate_check(&s->simulate));
    if (!(s->simulate.t_end > s->simulate.options.t_start))
        return tn_fail(TN_ERR_USAGE, "t_end is %g s; a comparison needs a motion of some length",
                       s->simulate.t_end);
    TN_TRY(choose_methods(s, wanted));
    TN_TRY(choose_settings(s, wanted));
    tell_unused(s);
    return open_study(s, wanted);
}

tn_compare_options tn_default_compare(void)
{
    return (tn_compare_options){.patience = 60.0};
}

tn_status tn_compare_create(const tn_model *model, const tn_simulate *simulate,
                            const tn_compare_options *options, tn_compare **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, simulate, options, out);
    *out = NULL;
    tn_compare *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->model = model;
    s->simulate = *simulate;
    s->wanted = *options;
    const tn_status status = prepare_compare(s);
    TN_HAND_OUT(status, s, tn_compare_destroy, out);
}

// Runs --------------------------------------------------------------------------------------------

static int settings_of(const tn_compare *s, int i, tn_setting out[MOST_SETTINGS])
{
    const bool fixed = is_fixed(s, s->method[i]);
    const settings *list = fixed ? &s->steps : &s->tols;
    if (s->own[i] > 0.0) {
        out[0] = (tn_setting){fixed, s->own[i]};
        return 1;
    }
    for (int k = 0; k < list->count; k++)
        out[k] = (tn_setting){fixed, list->value[k]};
    return list->count;
}

static int list_runs(const tn_compare *s, tn_study_job *job)
{
    tn_setting setting[MOST_SETTINGS];
    int n = 0;
    for (int i = 0; i < s->nmethod; i++) {
        const int count = settings_of(s, i, setting);
        for (int k = 0; k < count; k++, n++)
            if (job)
                job[n] = (tn_study_job){.series = i, .method = s->method[i], .setting = setting[k]};
    }
    return n;
}

tn_status tn_compare_run(tn_compare *compare)
{
    tn_compare *s = compare;
    TN_NEED(compare, TN_ERR_USAGE);
    s->done = 0;
    s->total = list_runs(s, NULL);
    tn_study_job *job = tn_alloc((size_t)s->total * sizeof *job);
    TN_TRY(tn_got(job));
    list_runs(s, job);
    const tn_status status = tn_study_run(s->study, s->wanted.jobs, s->total, job);
    tn_free(job);
    return status;
}

void tn_compare_destroy(tn_compare *s)
{
    if (!s)
        return;
    tn_study_destroy(s->study);
    TN_FREE(s->names, s);
}

// Read-out ----------------------------------------------------------------------------------------

tn_compare_facts tn_compare_found(const tn_compare *compare)
{
    TN_NEED(compare, ((tn_compare_facts){0}));
    const tn_study *study = compare->study;
    tn_compare_facts f = study->facts;
    f.outcome = tn_study_outcome(study);
    f.t_start = study->options.t_start;
    f.t_end = study->t_end;
    f.ntime = study->ntime;
    f.shared = compare->shared;
    f.ranks_lambda = tn_study_ranks_lambda(study);
    f.nseries = study->series.count;
    f.series = study->series.at;
    return f;
}

tn_distance tn_compare_order(const tn_compare *compare, const tn_trial *coarse,
                             const tn_trial *fine)
{
    TN_NEED_ALL(tn_no_distance, compare, coarse, fine);
    return tn_study_order(compare->study, coarse, fine);
}

TN_GETTER(tn_best, tn_compare_best, (const tn_compare *compare, double error, int work), compare,
          ((tn_best){-1, -1, NAN}), tn_study_best(compare->study, error, work));

// Files -------------------------------------------------------------------------------------------

tn_status tn_compare_json(const tn_compare *compare, tn_json **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, compare, out);
    return tn_study_json(compare->study, &compare->wanted, out);
}

tn_status tn_compare_write(const tn_compare *compare, const char *directory)
{
    TN_NEED_ALL(TN_ERR_USAGE, compare, directory);
    return tn_study_write(compare->study, &compare->wanted, directory);
}
