// SPDX-License-Identifier: MIT
//
// A study as JSON, for programs and for its page.

#include "io/study_io.h"

#include "tenon/base.h"

#include <math.h>

static void put_distance(tn_json *json, const char *key, tn_distance d)
{
    tn_json_begin_object(json, key);
    tn_json_number(json, "q", d.q);
    tn_json_number(json, "v", d.v);
    tn_json_number(json, "lambda", d.lambda);
    tn_json_end_object(json);
}

static void put_reference(tn_json *json, const tn_study *study)
{
    tn_json_begin_object(json, "reference");
    tn_json_string(json, "file", study->file);
    tn_json_string(json, "method", *study->source ? study->source : NULL);
    tn_json_number(json, "rtol", *study->source ? study->source_tol : NAN);
    tn_json_string(json, "judge", *study->judge ? study->judge : NULL);
    tn_json_number(json, "judge_rtol", *study->judge ? study->judge_tol : NAN);
    put_distance(json, "doubt", study->doubt);
    tn_json_end_object(json);
}

static void put_sizes(tn_json *json, const tn_study *study)
{
    tn_json_begin_object(json, "sizes");
    tn_json_number(json, "position", study->size.position);
    tn_json_number(json, "velocity", study->size.velocity);
    tn_json_number(json, "angular_velocity", study->size.rate);
    tn_json_number(json, "lambda", study->size.lambda);
    tn_json_end_object(json);
}

static void put_work(tn_json *json, const tn_ledger *ledger)
{
    tn_json_integer(json, "steps", ledger->steps);
    tn_json_integer(json, "rejected", ledger->rejected);
    tn_json_integer(json, "newton", ledger->newton);
    tn_json_integer(json, "evaluations", ledger->evaluations);
    tn_json_integer(json, "tangents", ledger->tangents);
    tn_json_integer(json, "factorizations", ledger->factorizations);
    tn_json_integer(json, "projections", ledger->projections);
}

static void put_trial(tn_json *json, const tn_trial *trial, tn_distance order)
{
    const tn_setting *setting = &trial->setting;

    tn_json_begin_object(json, NULL);
    tn_json_number(json, setting->fixed ? "step" : "rtol", setting->value);
    tn_json_string(json, "status", trial->done ? "done" : "failed");
    tn_json_string(json, "reason", trial->done ? NULL : trial->reason);
    tn_json_string(json, "doubt", *trial->doubt ? trial->doubt : NULL);
    tn_json_number(json, "time", trial->reached);
    put_work(json, &trial->ledger);
    tn_json_number(json, "cpu_time", trial->cpu);
    put_distance(json, "error", trial->error);
    put_distance(json, "order", order);
    tn_json_begin_object(json, "residuals");
    tn_json_number(json, "g", trial->ledger.max_g);
    tn_json_number(json, "Bv", trial->ledger.max_gdot);
    tn_json_end_object(json);
    tn_json_number(json, "energy", trial->energy);
    if (trial->ledger.has_energy)
        tn_json_numbers(json, "band", 2, trial->ledger.band);
    if (trial->ledger.has_energy)
        tn_json_number(json, "drift", trial->ledger.drift);
    tn_json_end_object(json);
}

static void put_series(tn_json *json, const tn_study *study, const tn_series *series)
{
    const tn_distance none = {NAN, NAN, NAN};

    tn_json_begin_object(json, NULL);
    tn_json_string(json, "method", series->method);
    tn_json_begin_object(json, "stated_order");
    tn_json_integer(json, "q", series->order[0]);
    tn_json_integer(json, "v", series->order[1]);
    tn_json_integer(json, "lambda", series->order[2]);
    tn_json_end_object(json);
    put_distance(json, "order", tn_series_order(study, series));
    tn_json_begin_array(json, "runs");
    for (int k = 0; k < series->trials.count; k++) {
        const tn_trial *trial = &series->trials.at[k];
        put_trial(json, trial, k > 0 ? tn_study_order(study, trial - 1, trial) : none);
    }
    tn_json_end_array(json);
    tn_json_end_object(json);
}

tn_status tn_study_json(const tn_study *study, const tn_study_about *about, tn_json **out)
{
    TN_TRY(tn_json_create(out));
    tn_json *json = *out;

    tn_json_begin_object(json, NULL);
    tn_json_string(json, "status", "done");
    tn_json_string(json, "kind", about->kind);
    tn_json_string(json, "tenon", tn_version());
    tn_json_string(json, "command", about->command);
    tn_json_string(json, "model", about->model);
    tn_json_number(json, "t_start", study->options.t_start);
    tn_json_number(json, "t_end", study->t_end);
    tn_json_integer(json, "times", study->ntime);
    tn_json_integer(json, "freedoms", study->freedoms);
    tn_json_string(json, "ranked_by", tn_study_ranks_lambda(study) ? "lambda" : "q");
    put_reference(json, study);
    put_sizes(json, study);
    tn_json_begin_array(json, "methods");
    for (int i = 0; i < study->series.count; i++)
        put_series(json, study, &study->series.at[i]);
    tn_json_end_array(json);
    tn_json_end_object(json);
    const tn_status s = tn_json_finish(json);
    if (s != TN_OK) {
        tn_json_destroy(json);
        *out = NULL;
    }
    return s;
}
