// SPDX-License-Identifier: MIT
//
// A study as files: a table of comma separated values, pictures of work against digits and of
// energies against time, and JSON, for programs and for its page.

#include "study/study_io.h"

#include "base/alloc.h"
#include "page/page.h"
#include "tenon/plot.h"
#include "tenon/result.h"
#include "text/lines.h"
#include "text/target.h"

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

static void put_condition_fields(tn_buffer *out, const tn_conditions *c)
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
        put_condition_fields(out, &t->conditions);
    tn_buffer_say(out, ",");
    tn_buffer_field(out, t->done ? "" : t->reason);
    tn_buffer_say(out, "\n");
}

static tn_status write_table(const tn_study *study, const char *directory)
{
    tn_buffer out = {0};
    char *text = NULL;
    tn_buffer_say(&out, head);
    tn_buffer_say(&out, study->condition ? condition_head : "");
    tn_buffer_say(&out, "reason\n");
    for (int i = 0; i < study->series.count; i++) {
        const tn_series *series = &study->series.at[i];
        for (int k = 0; k < series->trials.count; k++)
            study_plot_put_line(&out, series->method, &series->trials.at[k], study->condition);
    }
    TN_TRY(tn_buffer_finish(&out, "a table", &text));
    const tn_status s = tn_folder_write(directory, tn_study_file_names[2], text);
    tn_free(text);
    return s;
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

static tn_status plot_work(const tn_study *study, const char *title, const char *path)
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

static tn_status plot_energy(const tn_study *study, const char *title, const char *path)
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

static void put_distance(tn_json *json, const char *key, tn_distance d)
{
    tn_json_object(json, key, "q %g v %g lambda %g", d.q, d.v, d.lambda);
}

static void put_trial(tn_json *json, const tn_trial *trial, tn_distance order)
{
    const tn_setting *setting = &trial->setting;
    const tn_conditions *c = &trial->conditions;
    const tn_ledger *l = &trial->ledger;
    tn_json_begin_object(json, NULL);
    tn_json_number(json, setting->fixed ? "step" : "rtol", setting->value);
    const tn_outcome outcome = !trial->done    ? TN_OUTCOME_FAILED
                               : *trial->doubt ? TN_OUTCOME_DOUBTFUL
                                               : TN_OUTCOME_DONE;
    tn_json_put(json, "status %s reason %s doubt %s time %g", tn_outcome_word(outcome),
                trial->done ? NULL : trial->reason, *trial->doubt ? trial->doubt : NULL,
                trial->reached);
    tn_json_put(json, "steps %ld rejected %ld newton %ld evaluations %ld tangents %ld", l->steps,
                l->rejected, l->newton, l->evaluations, l->tangents);
    tn_json_put(json, "factorizations %ld projections %ld", l->factorizations, l->projections);
    tn_json_number(json, "cpu_time", trial->cpu);
    put_distance(json, "error", trial->error);
    put_distance(json, "order", order);
    tn_json_put(json, "residuals { g %g Bv %g } energy %g", l->max_g, l->max_gdot, trial->energy);
    if (c->nodes > 0) {
        tn_json_put(json, "condition { unknowns %d nodes %d", c->unknowns, c->nodes);
        tn_json_numbers(json, "written", 2, c->written);
        tn_json_numbers(json, "solved", 2, c->solved);
        tn_json_end_object(json);
    }
    if (l->has_energy) {
        tn_json_numbers(json, "band", 2, l->band);
        tn_json_number(json, "drift", l->drift);
    }
    tn_json_end_object(json);
}

static void put_series(tn_json *json, const tn_study *study, const tn_series *series)
{
    tn_json_put(json, "{ method %s stated_order { q %d v %d lambda %d }", series->method,
                series->order[0], series->order[1], series->order[2]);
    put_distance(json, "order", tn_series_order(study, series));
    tn_json_begin_array(json, "runs");
    for (int k = 0; k < series->trials.count; k++) {
        const tn_trial *trial = &series->trials.at[k];
        put_trial(json, trial, k > 0 ? tn_study_order(study, trial - 1, trial) : tn_no_distance);
    }
    tn_json_put(json, "] }");
}

tn_status tn_study_json(const tn_study *study, const tn_compare_options *wanted, tn_json **out)
{
    const tn_compare_facts *f = &study->facts;
    tn_json *json = NULL;
    *out = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_put(json, "{ status %s kind %s tenon %s command %s model %s",
                tn_outcome_word(tn_study_outcome(study)), wanted->converge ? "converge" : "compare",
                tn_version(), wanted->command, wanted->model_path);
    tn_json_put(json, "t_start %g t_end %g times %d freedoms %d ranked_by %s",
                study->options.t_start, study->t_end, study->ntime, study->freedoms,
                tn_study_ranks_lambda(study) ? "lambda" : "q");
    tn_json_put(json, "reference { file %s method %s rtol %g judge %s judge_rtol %g", f->file,
                *f->source ? f->source : NULL, *f->source ? f->source_tol : NAN,
                *f->judge ? f->judge : NULL, *f->judge ? f->judge_tol : NAN);
    put_distance(json, "doubt", f->doubt);
    tn_json_put(json, "} sizes { position %g velocity %g angular_velocity %g lambda %g } methods [",
                f->position, f->velocity, f->rate, f->lambda);
    for (int i = 0; i < study->series.count; i++)
        put_series(json, study, &study->series.at[i]);
    tn_json_put(json, "] }");
    const tn_status s = tn_json_finish(json);
    TN_HAND_OUT(s, json, tn_json_destroy, out);
}

typedef struct {
    const tn_study *study;
    const tn_compare_options *wanted;
} source;

static tn_status write_data(void *user, tn_page_sink sink)
{
    const source *from = user;
    tn_json *json = NULL, *out = NULL;
    tn_status s = tn_study_json(from->study, from->wanted, &json);
    TN_THEN(s, tn_json_stream(sink, &out));
    if (s == TN_OK) {
        tn_json_raw(out, NULL, tn_json_text(json));
        s = tn_json_finish(out);
    }
    tn_json_destroy(json);
    tn_json_destroy(out);
    return s;
}

static tn_status write_page(const tn_study *study, const tn_compare_options *wanted,
                            const char *directory)
{
    source from = {study, wanted};
    char *path = tn_format("%s/%s", directory, tn_study_file_names[3]);
    tn_status s = tn_got(path);
    TN_THEN(s, tn_page_write(path, TN_PAGE_COMPARE, write_data, &from));
    tn_free(path);
    return s;
}

// All of them -------------------------------------------------------------------------------------

const char *const tn_study_file_names[TN_STUDY_FILES] = {"compare.svg", "energy.svg", "compare.csv",
                                                         "compare.html"};

tn_status tn_study_write(const tn_study *study, const tn_compare_options *wanted,
                         const char *directory)
{
    static tn_status (*const draw[])(const tn_study *, const char *, const char *) = {plot_work,
                                                                                      plot_energy};
    static const char *const words[] = {"work against digits", "energy against time"};
    tn_status s = TN_OK;
    for (int i = 0; i < TN_COUNT(draw) && s == TN_OK; i++) {
        char *path = tn_format("%s/%s", directory, tn_study_file_names[i]);
        char *title = wanted->model_path ? tn_format("%s: %s", wanted->model_path, words[i])
                                         : tn_strdup(words[i]);
        s = path && title ? draw[i](study, title, path) : tn_got(false);
        TN_FREE(path, title);
    }
    TN_THEN(s, write_table(study, directory));
    return s == TN_OK && tn_report_check() == TN_OK ? write_page(study, wanted, directory) : s;
}
