// SPDX-License-Identifier: MIT
//
// A study as JSON, for programs and for its page: an asset with the JSON in place of its marker.

#include "study/study_io.h"

#include "page/page.h"

#include <math.h>

static void put_distance(tn_json *json, const char *key, tn_distance d)
{
    tn_json_object(json, key, "q %g v %g lambda %g", d.q, d.v, d.lambda);
}

static void put_reference(tn_json *json, const tn_study *study)
{
    tn_json_put(json, "reference { file %s method %s rtol %g judge %s judge_rtol %g", study->file,
                *study->source ? study->source : NULL, *study->source ? study->source_tol : NAN,
                *study->judge ? study->judge : NULL, *study->judge ? study->judge_tol : NAN);
    put_distance(json, "doubt", study->doubt);
    tn_json_end_object(json);
}

static void put_sizes(tn_json *json, const tn_study *study)
{
    tn_json_object(json, "sizes", "position %g velocity %g angular_velocity %g lambda %g",
                   study->size.position, study->size.velocity, study->size.rate,
                   study->size.lambda);
}

static void put_work(tn_json *json, const tn_ledger *ledger)
{
    tn_json_put(json, "steps %ld rejected %ld newton %ld evaluations %ld", ledger->steps,
                ledger->rejected, ledger->newton, ledger->evaluations);
    tn_json_put(json, "tangents %ld factorizations %ld projections %ld", ledger->tangents,
                ledger->factorizations, ledger->projections);
}

static void put_conditions(tn_json *json, const tn_conditions *c)
{
    tn_json_put(json, "condition { unknowns %d nodes %d", c->unknowns, c->nodes);
    tn_json_numbers(json, "written", 2, c->written);
    tn_json_numbers(json, "solved", 2, c->solved);
    tn_json_end_object(json);
}

static void put_trial(tn_json *json, const tn_trial *trial, tn_distance order)
{
    const tn_setting *setting = &trial->setting;
    tn_json_begin_object(json, NULL);
    tn_json_number(json, setting->fixed ? "step" : "rtol", setting->value);
    const tn_outcome outcome = !trial->done    ? TN_OUTCOME_FAILED
                               : *trial->doubt ? TN_OUTCOME_DOUBTFUL
                                               : TN_OUTCOME_DONE;
    tn_json_put(json, "status %s reason %s doubt %s time %g", tn_outcome_word(outcome),
                trial->done ? NULL : trial->reason, *trial->doubt ? trial->doubt : NULL,
                trial->reached);
    put_work(json, &trial->ledger);
    tn_json_number(json, "cpu_time", trial->cpu);
    put_distance(json, "error", trial->error);
    put_distance(json, "order", order);
    tn_json_put(json, "residuals { g %g Bv %g } energy %g", trial->ledger.max_g,
                trial->ledger.max_gdot, trial->energy);
    if (trial->conditions.nodes > 0)
        put_conditions(json, &trial->conditions);
    if (trial->ledger.has_energy)
        tn_json_numbers(json, "band", 2, trial->ledger.band);
    if (trial->ledger.has_energy)
        tn_json_number(json, "drift", trial->ledger.drift);
    tn_json_end_object(json);
}

static void put_series(tn_json *json, const tn_study *study, const tn_series *series)
{
    const tn_distance none = {NAN, NAN, NAN};
    tn_json_put(json, "{ method %s stated_order { q %d v %d lambda %d }", series->method,
                series->order[0], series->order[1], series->order[2]);
    put_distance(json, "order", tn_series_order(study, series));
    tn_json_begin_array(json, "runs");
    for (int k = 0; k < series->trials.count; k++) {
        const tn_trial *trial = &series->trials.at[k];
        put_trial(json, trial, k > 0 ? tn_study_order(study, trial - 1, trial) : none);
    }
    tn_json_put(json, "] }");
}

tn_status tn_study_json(const tn_study *study, const tn_study_about *about, tn_json **out)
{
    TN_TRY(tn_json_create(out));
    tn_json *json = *out;
    tn_json_put(json, "{ status %s kind %s tenon %s command %s model %s",
                tn_outcome_word(tn_study_outcome(study)), about->kind, tn_version(), about->command,
                about->model);
    tn_json_put(json, "t_start %g t_end %g times %d freedoms %d ranked_by %s",
                study->options.t_start, study->t_end, study->ntime, study->freedoms,
                tn_study_ranks_lambda(study) ? "lambda" : "q");
    put_reference(json, study);
    put_sizes(json, study);
    tn_json_begin_array(json, "methods");
    for (int i = 0; i < study->series.count; i++)
        put_series(json, study, &study->series.at[i]);
    tn_json_put(json, "] }");
    const tn_status s = tn_json_finish(json);
    if (s != TN_OK) {
        tn_json_destroy(json);
        *out = NULL;
    }
    return s;
}

typedef struct {
    const tn_study *study;
    const tn_study_about *about;
} source;

static tn_status write_data(void *user, tn_page_sink sink)
{
    const source *from = user;
    tn_json *json = NULL, *out = NULL;
    tn_status s = tn_study_json(from->study, from->about, &json);
    TN_THEN(s, tn_json_stream(sink, &out));
    if (s == TN_OK) {
        tn_json_raw(out, NULL, tn_json_text(json));
        s = tn_json_finish(out);
    }
    tn_json_destroy(json);
    tn_json_destroy(out);
    return s;
}

tn_status tn_study_page(const tn_study *study, const tn_study_about *about, const char *path)
{
    source from = {study, about};
    return tn_page_write(path, TN_PAGE_COMPARE, write_data, &from);
}
