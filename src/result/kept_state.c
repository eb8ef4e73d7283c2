// SPDX-License-Identifier: MIT
//
// A state of a model from a row of results; see tenon/result.h.

#include "base/alloc.h"
#include "base/status.h"
#include "model/model.h"
#include "model/signal.h"
#include "result/stored_model.h"
#include "tenon/result.h"

#include <math.h>
#include <stdio.h>

void tn_saved_state_free(tn_saved_state *s)
{
    if (!s)
        return;
    TN_FREE(s->frames, s->velocities, s->rates, s->states, s->unknowns, s->sampled, s->signals, s);
}

static tn_status nearest_row(tn_result *result, double t, long *out)
{
    enum { BLOCK = 512 };
    const long rows = tn_result_rows(result);
    double time[BLOCK], least = INFINITY;
    *out = rows - 1;
    if (rows == 0)
        return tn_fail(TN_ERR_USAGE, "%s has no rows", tn_result_about(result)->named);
    for (long first = 0; !isnan(t) && first < rows; first += BLOCK) {
        const long n = rows - first < BLOCK ? rows - first : BLOCK;
        TN_TRY(tn_result_time(result, first, n, time));
        for (long k = 0; k < n; k++)
            if (fabs(time[k] - t) < least) {
                least = fabs(time[k] - t);
                *out = first + k;
            }
    }
    return TN_OK;
}

// The numbers "NAME.quantity.x" … of a row.
static tn_status read_numbers(tn_result *result, const char *name, const char *quantity,
                              const char *parts, long row, double *out)
{
    for (int i = 0; parts[i]; i++) {
        int channel;
        char *path = tn_format("%s.%s.%c", name, quantity, parts[i]);
        TN_TRY(tn_got(path));
        tn_status status = tn_result_find(result, path, &channel);
        tn_free(path);
        TN_THEN(status, tn_result_read(result, channel, row, 1, &out[i]));
        TN_TRY(status);
    }
    return TN_OK;
}

static tn_status read_body_row(tn_result *result, const char *name, long row, tn_frame *frame,
                               tn_vec3 *velocity, tn_vec3 *rate)
{
    double p[3], e[4], v[3], w[3];
    TN_TRY(read_numbers(result, name, "position", "xyz", row, p));
    TN_TRY(read_numbers(result, name, "quaternion", "wxyz", row, e));
    TN_TRY(read_numbers(result, name, "velocity", "xyz", row, v));
    TN_TRY(read_numbers(result, name, "angular_velocity", "xyz", row, w));
    *frame = (tn_frame){tn_quat_matrix(tn_quat_normalize(tn_quat_from(e))), tn_v3_from(p)};
    *velocity = tn_v3_from(v);
    *rate = tn_v3_from(w);
    return TN_OK;
}

// The value of a channel in a row; NAN where there is none of that name.
static tn_status read_if_there(tn_result *result, const char *name, long row, double *out)
{
    int channel;
    *out = NAN;
    if (tn_result_find(result, name, &channel) == TN_OK)
        return tn_result_read(result, channel, row, 1, out);
    tn_clear_error();
    return TN_OK;
}

static tn_status read_sampled(tn_result *result, const tn_model *model, long row, double *out)
{
    for (int k = 0; k < model->samplers.count; k++) {
        const tn_sampled_def *def = &model->samplers.at[k];
        for (int i = 0; i < def->n; i++) {
            char *path = tn_format("%s.%s", def->name, def->value[i].name);
            TN_TRY(tn_got(path));
            const tn_status status = read_if_there(result, path, row, out++);
            tn_free(path);
            TN_TRY(status);
        }
    }
    return TN_OK;
}

static tn_status read_kept(tn_result *result, const tn_model *model, long row, tn_saved_state *s)
{
    TN_TRY(tn_result_time(result, row, 1, &s->t));
    s->frames[0] = tn_frame_identity;
    for (int k = 1; k < s->nbody; k++)
        TN_TRY(read_body_row(result, model->bodies.at[k].name, row, &s->frames[k],
                             &s->velocities[k], &s->rates[k]));
    for (int i = 0; i < s->nstate; i++) {
        int channel;
        TN_TRY(tn_result_find(result, model->states.at[i].name, &channel));
        TN_TRY(tn_result_read(result, channel, row, 1, &s->states[i]));
    }
    for (int i = 0; i < s->nunknown; i++)
        TN_TRY(read_if_there(result, model->unknowns.at[i].name, row, &s->unknowns[i]));
    for (int i = 0; i < s->nsignal; i++)
        TN_TRY(read_if_there(result, model->signals.at[i].name, row, &s->signals[i]));
    return read_sampled(result, model, row, s->sampled);
}

// A state is often taken for a model whose parameters were changed since, and as often by mistake.
static tn_status note_parameters(tn_result *result, const tn_model *model)
{
    const tn_stored_model kept = {.parameters = (char *)tn_result_parameters(result)};
    tn_stored_model now = {0};
    tn_notes notes = {0};
    tn_status s = tn_model_parameters_json(model, &now.parameters);
    TN_THEN(s, tn_stored_models_compare(&kept, tn_result_about(result)->named, &now, "the model",
                                        &notes));
    for (int i = 0; i < notes.count && s == TN_OK; i++)
        s = tn_result_warn(result, "%s", notes.text[i]);
    tn_stored_model_free(&now);
    return s;
}

static tn_status open_values(const tn_model *model, tn_saved_state *s)
{
    s->nstate = model->states.count;
    s->nunknown = model->unknowns.count;
    s->nsampled = tn_model_sampled_count(model);
    s->nsignal = model->signals.count;
    s->states = tn_alloc(sizeof(double) * (size_t)(s->nstate + 1));
    s->unknowns = tn_alloc(sizeof(double) * (size_t)(s->nunknown + 1));
    s->sampled = tn_alloc(sizeof(double) * (size_t)(s->nsampled + 1));
    s->signals = tn_alloc(sizeof(double) * (size_t)(s->nsignal + 1));
    return tn_got(s->states && s->unknowns && s->sampled && s->signals);
}

tn_status tn_result_state(tn_result *result, const tn_model *model, double t, tn_saved_state **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, result, model, out);
    long row = 0;
    *out = NULL;
    tn_clear_error();
    TN_TRY(nearest_row(result, t, &row));
    tn_saved_state *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    const size_t n = (size_t)model->bodies.count;
    s->nbody = model->bodies.count;
    s->frames = tn_alloc(sizeof *s->frames * n);
    s->velocities = tn_alloc(sizeof *s->velocities * n);
    s->rates = tn_alloc(sizeof *s->rates * n);
    tn_status status = tn_got(s->frames && s->velocities && s->rates);
    TN_THEN(status, open_values(model, s));
    TN_THEN(status, read_kept(result, model, row, s));
    TN_THEN(status, note_parameters(result, model));
    if (status != TN_OK && status != TN_ERR_MEMORY)
        status = tn_fail_within(status, "a state of %s", tn_result_about(result)->named);
    TN_HAND_OUT(status, s, tn_saved_state_free, out);
}
