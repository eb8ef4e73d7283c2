// SPDX-License-Identifier: MIT
//
// A study from the command line: which methods, over which tolerances or steps, against what.

#include "compare.h"

#include "base/alloc.h"
#include "integrator/integrator.h"
#include "io/document.h"
#include "io/model_yaml.h"
#include "tenon/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_LEVELS = 4, MOST_SHARED = 100 };

static bool is_compare(const cli_study *s)
{
    return strcmp(s->kind, "compare") == 0;
}

// Lists -------------------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// "1e-4,1e-6", sorted from the largest; nothing for NULL.
static tn_status read_numbers(const char *option, const char *text, cli_settings *out)
{
    char word[64];

    out->count = 0;
    for (const char *at = text; at; at = *at == ',' ? at + 1 : NULL) {
        const size_t n = strcspn(at, ",");
        double value = 0.0;
        snprintf(word, sizeof(word), "%.*s", n < sizeof(word) ? (int)n : (int)sizeof(word), at);
        if (!tn_number_from_text(word, &value) || !(value > 0.0) || !isfinite(value))
            return tn_fail(TN_ERR_USAGE, "%s: expected positive numbers, found '%s'", option, word);
        if (out->count == CLI_MOST_SETTINGS)
            return tn_fail(TN_ERR_USAGE, "%s: at most %d numbers", option, CLI_MOST_SETTINGS);
        out->value[out->count++] = value;
        at += n;
    }
    qsort(out->value, (size_t)out->count, sizeof(double), compare_numbers);
    return TN_OK;
}

// One number alone is the first of `levels`, each smaller than the one before by a factor.
static void extend(cli_settings *list, int levels, double factor)
{
    if (list->count != 1)
        return;
    for (; list->count < levels && list->count < CLI_MOST_SETTINGS; list->count++)
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
static tn_status read_methods(cli_study *s, const char *text)
{
    s->names = tn_strdup(text);
    if (!s->names)
        return tn_fail(TN_ERR_MEMORY, "--methods: out of memory");
    for (char *at = s->names; at;) {
        char *end = strchr(at, ',');
        if (end)
            *end = '\0';
        if (!*at)
            return tn_fail(TN_ERR_USAGE, "--methods: an empty name in '%s'", text);
        if (s->nmethod == TN_MOST_METHODS)
            return tn_fail(TN_ERR_USAGE, "--methods: at most %d methods", TN_MOST_METHODS);
        CLI_TRY(read_own(at, &s->own[s->nmethod]));
        s->method[s->nmethod++] = at;
        at = end ? end + 1 : NULL;
    }
    return TN_OK;
}

// Settings ----------------------------------------------------------------------------------------

bool cli_study_is_fixed(const cli_study *s, const char *method)
{
    char name[TN_METHOD_SIZE];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(method, "/@"), method);
    const tn_integrator_ops *integrator = tn_find_integrator(name);
    if (integrator && tn_integrator_is_fixed(integrator))
        return true;
    if (s->always_fixed || s->always_controlled)
        return s->always_fixed;
    return integrator && !integrator->controlled;
}

// A step near h that divides the whole time.
static double dividing(double span, double h)
{
    return span > 0.0 ? span / ceil(span / h - 1e-9) : h;
}

// Both lists: those of the command line, else usual ones. Steps begin at four times that of the
// model, or at a 250th of the whole time.
static tn_status choose_settings(cli_study *s, const cli_study_options *wanted)
{
    const double span = s->simulate.t_end - s->simulate.options.t_start;
    const double step = s->simulate.options.step;
    const int levels = wanted->levels > 0 ? wanted->levels : USUAL_LEVELS;

    CLI_TRY(read_numbers("--tols", wanted->tols, &s->tols));
    CLI_TRY(read_numbers("--steps", wanted->steps, &s->steps));
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
        s->tols = (cli_settings){1, {1e-4}};
    if (s->steps.count == 0)
        s->steps = (cli_settings){1, {dividing(span, step > 0.0 ? 4.0 * step : span / 250.0)}};
    if (is_compare(s) && !wanted->tols && wanted->levels == 0)
        s->tols = (cli_settings){3, {1e-4, 1e-6, 1e-8}};
    // A comparison takes one number alone for what it is, unless --levels says otherwise.
    if (!is_compare(s) || wanted->levels > 0 || !wanted->tols)
        extend(&s->tols, levels, is_compare(s) ? 0.01 : 0.1);
    if (!is_compare(s) || wanted->levels > 0)
        extend(&s->steps, levels, 0.5);
    else if (!wanted->steps)
        extend(&s->steps, s->tols.count, 0.25);
    return TN_OK;
}

// Whether all steps end where the largest ones do.
static bool is_nested(const cli_settings *steps, double span)
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

// Where runs are compared: at equally spaced times when asked for; at steps that all runs share,
// where there are such; else at the end.
static int choose_times(cli_study *s, double time[MOST_SHARED], int points)
{
    const double start = s->simulate.options.t_start, end = s->simulate.t_end, span = end - start;
    bool fixed = true;

    for (int i = 0; i < s->nmethod; i++)
        fixed = fixed && cli_study_is_fixed(s, s->method[i]);
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

const char *const cli_study_instead[][2] = {
    {"method", "--methods"}, {"step", "--steps"},    {"adaptive", "--tols"}, {"rtol", "--tols"},
    {"atol", "--tols"},      {"output", "--points"}, {NULL, NULL},
};

// Keys of the `simulate` block that a study sets itself.
static tn_status refuse_options(const cli_study *s, const cli_args *args)
{
    const cli_command *command = cli_find_command(s->kind);

    for (int i = 0; tn_help_option(i); i++) {
        const char *key = tn_help_option(i)->name, *instead = cli_instead(command, key);
        if (args->given[i] && instead)
            return tn_fail(TN_ERR_USAGE, "%s: --%s is for one run; this command takes %s", s->kind,
                           key, instead);
    }
    return TN_OK;
}

// Settings and options that no method of the study makes use of.
static void tell_unused(const cli_study *s, const cli_args *args, const cli_study_options *wanted)
{
    int fixed = 0;
    for (int i = 0; i < s->nmethod; i++)
        fixed += cli_study_is_fixed(s, s->method[i]);
    if (wanted->steps && fixed == 0)
        cli_message("note: --steps has no effect: all methods control their error");
    if (wanted->tols && fixed == s->nmethod)
        cli_message("note: --tols has no effect: all methods have fixed steps");
    for (int i = 0; tn_help_option(i); i++) {
        bool used = !args->given[i];
        for (int k = 0; k < s->nmethod; k++)
            used = used || tn_method_may_read(s->method[k], tn_help_option(i));
        if (!used)
            cli_message("note: %s has no effect: none of the methods reads it",
                        tn_help_option(i)->name);
    }
}

// On a terminal, what is being run; the reference comes before all others.
static void tell(void *user, const char *method, tn_setting setting)
{
    cli_study *s = user;

    if (!s->progress)
        return;
    fputs("\r\033[K", stderr);
    if (s->total == 0)
        fputs("reference: ", stderr);
    else
        fprintf(stderr, "[%d/%d] ", ++s->done, s->total);
    fprintf(stderr, "%s, %s %g", method, setting.fixed ? "step" : "rtol", setting.value);
    fflush(stderr);
}

static tn_status choose_methods(cli_study *s, const cli_study_options *wanted)
{
    if (wanted->methods)
        return read_methods(s, wanted->methods);
    if (is_compare(s))
        s->nmethod = tn_study_methods(s->method);
    else
        s->method[s->nmethod++] = s->simulate.options.method ? s->simulate.options.method : "auto";
    return TN_OK;
}

static tn_status open_study(cli_study *s, const cli_study_options *wanted)
{
    double time[MOST_SHARED];
    const int n = choose_times(s, time, wanted->points);

    CLI_TRY(tn_study_create(s->model, &s->simulate.options, n, time, &s->study));
    s->study->patience = wanted->patience;
    s->study->timed = is_compare(s);
    s->study->tell = tell;
    s->study->user = s;
    for (int i = 0; i < s->nmethod; i++)
        CLI_TRY(tn_study_check_method(s->study, s->method[i]));
    if (!wanted->reference || strcmp(wanted->reference, "auto") == 0)
        return tn_study_reference(s->study);
    const tn_status status = tn_study_reference_file(s->study, wanted->reference, wanted->trust);
    return status == TN_ERR_FILE ? tn_fail_within(TN_ERR_USAGE, "--reference") : status;
}

tn_status cli_study_prepare(cli_study *s, const cli_args *args, const cli_study_options *wanted)
{
    s->model_path = args->word[0];
    s->progress = isatty(STDERR_FILENO);
    s->points = wanted->points;
    CLI_TRY(refuse_options(s, args));
    if (wanted->levels > CLI_MOST_SETTINGS)
        return tn_fail(TN_ERR_USAGE, "--levels is %d; it must be from 1 to %d", wanted->levels,
                       CLI_MOST_SETTINGS);
    if (wanted->points > MOST_SHARED)
        return tn_fail(TN_ERR_USAGE, "--points is %d; it must be from 1 to %d", wanted->points,
                       MOST_SHARED);
    CLI_TRY(tn_model_load(s->model_path, &s->model, &s->simulate));
    cli_apply(args, &s->simulate);
    CLI_TRY(tn_simulate_check(&s->simulate));
    if (!(s->simulate.t_end > s->simulate.options.t_start))
        return tn_fail(TN_ERR_USAGE, "t_end is %g s; a comparison needs a motion of some length",
                       s->simulate.t_end);
    CLI_TRY(choose_methods(s, wanted));
    CLI_TRY(choose_settings(s, wanted));
    tell_unused(s, args, wanted);
    s->command = cli_command_line();
    if (!s->command)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    return open_study(s, wanted);
}

// Runs --------------------------------------------------------------------------------------------

static int settings_of(const cli_study *s, int i, tn_setting out[CLI_MOST_SETTINGS])
{
    const bool fixed = cli_study_is_fixed(s, s->method[i]);
    const cli_settings *list = fixed ? &s->steps : &s->tols;
    if (s->own[i] > 0.0) {
        out[0] = (tn_setting){fixed, s->own[i]};
        return 1;
    }
    for (int k = 0; k < list->count; k++)
        out[k] = (tn_setting){fixed, list->value[k]};
    return list->count;
}

tn_status cli_study_run(cli_study *s)
{
    tn_setting settings[CLI_MOST_SETTINGS];
    tn_status status = TN_OK;

    s->total = 0;
    for (int i = 0; i < s->nmethod; i++)
        s->total += settings_of(s, i, settings);
    for (int i = 0; i < s->nmethod && status == TN_OK; i++) {
        const int n = settings_of(s, i, settings);
        status = tn_study_run(s->study, s->method[i], n, settings);
    }
    if (s->progress)
        fputs("\r\033[K", stderr);
    return status;
}

void cli_study_free(cli_study *s)
{
    tn_study_destroy(s->study);
    tn_model_destroy(s->model);
    tn_free(s->names);
    tn_free(s->command);
}

tn_status cli_study_json(const cli_study *s)
{
    const tn_study_about about = {s->kind, s->model_path, s->command};
    tn_json *json = NULL;

    CLI_TRY(tn_study_json(s->study, &about, &json));
    return cli_print_json(json);
}
