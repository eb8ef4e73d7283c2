// SPDX-License-Identifier: MIT
//
// A study as a table of comma separated values, and as pictures: work against digits, and energies
// against time.

#include "study/study_io.h"

#include "base/alloc.h"
#include "page/page.h"
#include "tenon/plot.h"
#include "text/lines.h"

#include <math.h>
#include <stdio.h>

// The table ---------------------------------------------------------------------------------------

static const char head[] =
    "method,rtol,step [s],status,time [s],steps,rejected,newton,evaluations,tangents,"
    "factorizations,cpu time [s],error q,error v,error lambda,max |g|,max |Bv|,energy,"
    "drift [J/s],";
static const char condition_head[] =
    "unknowns,condition written,condition written largest,condition solved,"
    "condition solved largest,";

// Empty where there is no number.
static void study_plot_put_number(tn_buffer *out, double value)
{
    tn_buffer_say(out, ",");
    tn_csv_finite(out, value);
}

static void put_conditions(tn_buffer *out, const tn_conditions *c)
{
    const double numbers[] = {c->nodes > 0 ? c->unknowns : NAN, c->written[0], c->written[1],
                              c->solved[0], c->solved[1]};
    for (int i = 0; i < TN_COUNT(numbers); i++)
        study_plot_put_number(out, numbers[i]);
}

static void study_plot_put_line(tn_buffer *out, const char *method, const tn_trial *t,
                                bool condition)
{
    const tn_ledger *l = &t->ledger;
    const bool fixed = t->setting.fixed;
    const double numbers[] = {t->reached,
                              (double)l->steps,
                              (double)l->rejected,
                              (double)l->newton,
                              (double)l->evaluations,
                              (double)l->tangents,
                              (double)l->factorizations,
                              t->cpu,
                              t->error.q,
                              t->error.v,
                              t->error.lambda,
                              l->max_g,
                              l->max_gdot,
                              t->energy,
                              l->has_energy ? l->drift : NAN};
    tn_buffer_say(out, method);
    study_plot_put_number(out, fixed ? NAN : t->setting.value);
    study_plot_put_number(out, fixed ? t->setting.value : NAN);
    tn_buffer_say(out, t->done ? ",done" : ",failed");
    for (int i = 0; i < TN_COUNT(numbers); i++)
        study_plot_put_number(out, numbers[i]);
    if (condition)
        put_conditions(out, &t->conditions);
    tn_buffer_say(out, ",");
    tn_buffer_field(out, t->done ? "" : t->reason);
    tn_buffer_say(out, "\n");
}

static void put_lines(const tn_study *study, tn_buffer *out)
{
    tn_buffer_say(out, head);
    tn_buffer_say(out, study->condition ? condition_head : "");
    tn_buffer_say(out, "reason\n");
    for (int i = 0; i < study->series.count; i++) {
        const tn_series *series = &study->series.at[i];
        for (int k = 0; k < series->trials.count; k++)
            study_plot_put_line(out, series->method, &series->trials.at[k], study->condition);
    }
}

tn_status tn_study_csv(const tn_study *study, char **out)
{
    tn_buffer buffer = {0};
    put_lines(study, &buffer);
    return tn_buffer_finish(&buffer, "a table", out);
}

// The picture -------------------------------------------------------------------------------------

// Correct digits; runs that did not reach the end leave a gap.
static double digits(const tn_study *study, const tn_trial *trial)
{
    const double error = tn_study_error(study, trial);
    return trial->done && error > 0.0 ? -log10(error) : NAN;
}

static int run_count(const tn_study *study)
{
    int n = 0;
    for (int i = 0; i < study->series.count; i++)
        n += study->series.at[i].trials.count;
    return n;
}

// Points of all series, one after the other, into x and y.
static void place_study_plot(const tn_study *study, int work, tn_plot_series *series, double *x,
                             double *y)
{
    for (int i = 0; i < study->series.count; i++) {
        const tn_series *from = &study->series.at[i];
        const int n = from->trials.count;
        series[i] = (tn_plot_series){.label = work == TN_WORK_EVALUATIONS ? from->method : NULL,
                                     .n = n,
                                     .x = x,
                                     .y = y,
                                     .line = true,
                                     .mark = (tn_plot_mark)(TN_MARK_CIRCLE + i % 5)};
        for (int k = 0; k < n; k++, x++, y++) {
            const tn_trial *trial = &from->trials.at[k];
            *x = digits(study, trial);
            *y = tn_trial_work(trial, work);
        }
    }
}

tn_status tn_study_plot(const tn_study *study, const char *title, const char *path)
{
    const int count = study->series.count, runs = run_count(study);
    tn_plot_series *series = tn_alloc((size_t)(2 * count + 1) * sizeof(*series));
    double *x = tn_alloc((size_t)(4 * runs + 1) * sizeof(double));
    tn_status s = TN_OK;
    if (!series || !x) {
        s = tn_got(false);
    } else {
        place_study_plot(study, TN_WORK_EVALUATIONS, series, x, x + runs);
        place_study_plot(study, TN_WORK_CPU, series + count, x + 2 * runs, x + 3 * runs);
        const tn_plot_panel panels[] = {
            {.y = {.label = "evaluations of the equations", .log = true},
             .nseries = count,
             .series = series},
            {.y = {.label = "time of the processor", .unit = "s", .log = true},
             .nseries = count,
             .series = series + count},
        };
        const bool lambda = tn_study_ranks_lambda(study);
        const tn_plot plot = {
            .x = {.label = lambda ? "correct digits of lambda" : "correct digits of q"},
            .npanel = TN_COUNT(panels),
            .panels = panels,
            .title = title,
            .width = 800,
            .height = 760};
        s = tn_plot_write(&plot, path);
    }
    TN_FREE(series, x);
    return s;
}

// Energies ----------------------------------------------------------------------------------------

enum { LABEL_SIZE = TN_METHOD_SIZE + 64 };

static void place_lines(const tn_study *study, const double *time, tn_plot_series *series,
                        char (*label)[LABEL_SIZE])
{
    for (int i = 0; i < study->series.count; i++)
        for (int k = 0; k < study->series.at[i].trials.count; k++, series++, label++) {
            const tn_trial *trial = &study->series.at[i].trials.at[k];
            snprintf(*label, LABEL_SIZE, "%s, %s %g", study->series.at[i].method,
                     trial->setting.fixed ? "step" : "rtol", trial->setting.value);
            *series = (tn_plot_series){
                .label = *label, .n = TN_STUDY_PARTS, .x = time, .y = trial->balance, .line = true};
        }
}

tn_status tn_study_plot_energy(const tn_study *study, const char *title, const char *path)
{
    const double start = study->options.t_start, span = study->t_end - start;
    const int runs = run_count(study);
    double time[TN_STUDY_PARTS]; // middles of the parts
    tn_plot_series *series = tn_alloc((size_t)(runs + 1) * sizeof *series);
    char(*label)[LABEL_SIZE] = tn_alloc((size_t)(runs + 1) * sizeof *label);
    const tn_plot_panel panel = {.y = {.label = "|energy balance|", .unit = "J", .log = true},
                                 .nseries = runs,
                                 .series = series};
    const tn_plot plot = {.x = {.label = "time", .unit = "s"},
                          .npanel = 1,
                          .panels = &panel,
                          .title = title,
                          .width = 960,
                          .height = 480};
    for (int k = 0; k < TN_STUDY_PARTS; k++)
        time[k] = start + (k + 0.5) * span / TN_STUDY_PARTS;
    tn_status s = tn_got(series && label);
    if (s == TN_OK) {
        place_lines(study, time, series, label);
        s = tn_plot_write(&plot, path);
    }
    TN_FREE(series, label);
    return s;
}
