// SPDX-License-Identifier: MIT
//
// Signals, states, unknowns, sampled systems and variable parameters as a model stores them: their
// texts, and the names that they take.

#include "model/builder.h"
#include "model/units.h"
#include "model/vocabulary.h"
#include "signal/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A copy of a text that lives as long as the model.
static tn_status keep_text(tn_model *model, const char **text)
{
    char *copy = tn_strdup(*text);
    TN_TRY(tn_model_own(model, copy));
    *text = copy;
    return TN_OK;
}

// Takes a name for expressions, for number `index` of its list.
static tn_status take_name(tn_model *model, const char *list, int index, const char **name)
{
    TN_TRY(tn_model_check_name(list, *name));
    const bool parameter = tn_table_find(model->parameter_names, *name) >= 0;
    if (parameter || tn_table_find(model->signal_names, *name) >= 0)
        return tn_fail(
            TN_ERR_MODEL, "%s '%s': there is a %s of that name; choose another one", list, *name,
            parameter ? "parameter, a table or an input" : "signal, state, unknown or sampled");
    TN_TRY(keep_text(model, name));
    return tn_table_add(model->signal_names, *name, index);
}

static tn_status need_text(const char *list, const char *name, const char *key, const char *text)
{
    if (text && *text)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s '%s': %s is missing; it is an expression", list, name, key);
}

static tn_status need_number(const char *list, const char *name, const char *key, double x)
{
    return isfinite(x)
               ? TN_OK
               : tn_fail(TN_ERR_MODEL, "%s '%s': %s is %g; it must be finite", list, name, key, x);
}

static tn_status add_signal(tn_model *model, tn_signal_data data)
{
    TN_TRY(take_name(model, "signal", model->signals.count, &data.name));
    TN_TRY(need_text("signal", data.name, "its expression", data.text));
    TN_TRY(keep_text(model, &data.text));
    return tn_array_push(&model->signals, data);
}

tn_status tn_model_add_signal(tn_model *model, const char *name, const char *expression)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, name, expression);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, add_signal(model, (tn_signal_data){name, expression}));
}

tn_state_def tn_default_state(void)
{
    return (tn_state_def){.lower = -INFINITY, .upper = INFINITY};
}

static tn_status push_state(tn_model *model, tn_state_def def, bool own)
{
    TN_TRY(tn_array_push(&model->state_own, own));
    return tn_array_push(&model->states, def);
}

static tn_status add_state(tn_model *model, tn_state_def def)
{
    TN_TRY(take_name(model, "state", model->states.count, &def.name));
    TN_TRY(need_text("state", def.name, "rate", def.rate));
    TN_TRY(need_number("state", def.name, "initial", def.initial));
    if (!(def.lower < def.upper) || def.initial < def.lower || def.initial > def.upper)
        return tn_fail(TN_ERR_MODEL,
                       "state '%s': its limits are [%g, %g] and it starts at %g; the first limit "
                       "must be below the second, and the start between them",
                       def.name, def.lower, def.upper, def.initial);
    TN_TRY(keep_text(model, &def.rate));
    return push_state(model, def, false);
}

tn_status tn_model_add_state(tn_model *model, const tn_state_def *def)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, def);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, add_state(model, *def));
}

static tn_status add_unknown(tn_model *model, tn_unknown_def def)
{
    TN_TRY(take_name(model, "unknown", model->unknowns.count, &def.name));
    TN_TRY(need_text("unknown", def.name, "equation", def.equation));
    TN_TRY(need_number("unknown", def.name, "start", def.start));
    TN_TRY(keep_text(model, &def.equation));
    return tn_array_push(&model->unknowns, def);
}

tn_status tn_model_add_unknown(tn_model *model, const tn_unknown_def *def)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, def);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, add_unknown(model, *def));
}

static tn_status check_times(const tn_sampled_def *def)
{
    if (!(def->every > 0.0) || !isfinite(def->every))
        return tn_fail(TN_ERR_MODEL, "sampled '%s': every is %g s; it must be above zero",
                       def->name, def->every);
    if (!(def->delay >= 0.0) || !isfinite(def->delay))
        return tn_fail(TN_ERR_MODEL, "sampled '%s': delay is %g s; it must not be negative",
                       def->name, def->delay);
    if (def->delay > TN_SAMPLED_QUEUE * def->every)
        return tn_fail(TN_ERR_MODEL,
                       "sampled '%s': its delay of %g s is more than %d samples; make it shorter",
                       def->name, def->delay, TN_SAMPLED_QUEUE);
    return TN_OK;
}

static tn_status take_value(tn_model *model, const tn_sampled_def *def, int k,
                            tn_sampled_value *value)
{
    char list[200];
    snprintf(list, sizeof list, "sampled '%s': value", def->name);
    TN_TRY(tn_model_check_name(list, value->name));
    for (int i = 0; i < k; i++)
        if (strcmp(def->value[i].name, value->name) == 0)
            return tn_fail(TN_ERR_MODEL, "%s '%s' is there twice", list, value->name);
    TN_TRY(need_text(list, value->name, "next", value->next));
    TN_TRY(need_number(list, value->name, "initial", value->initial));
    TN_TRY(keep_text(model, &value->name));
    return keep_text(model, &value->next);
}

static tn_status add_sampled(tn_model *model, tn_sampled_def def)
{
    TN_TRY(take_name(model, "sampled", model->samplers.count, &def.name));
    TN_TRY(check_times(&def));
    if (def.n <= 0 || !def.value)
        return tn_fail(TN_ERR_MODEL, "sampled '%s': it has no values; state initial and next",
                       def.name);
    tn_sampled_value *value = tn_alloc(sizeof *value * (size_t)def.n);
    TN_TRY(tn_model_own(model, value));
    memcpy(value, def.value, sizeof *value * (size_t)def.n);
    def.value = value;
    for (int k = 0; k < def.n; k++)
        TN_TRY(take_value(model, &def, k, &value[k]));
    return tn_array_push(&model->samplers, def);
}

tn_status tn_model_add_sampled(tn_model *model, const tn_sampled_def *def)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, def);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, add_sampled(model, *def));
}

int tn_model_sampled_count(const tn_model *model)
{
    int n = 0;
    for (int k = 0; k < model->samplers.count; k++)
        n += model->samplers.at[k].n;
    return n;
}

bool tn_model_has_signals(const tn_model *model)
{
    return model->signals.count + model->states.count + model->unknowns.count +
               model->samplers.count + model->lives.count >
           0;
}

// Live numbers ------------------------------------------------------------------------------------

static tn_status any_name(void *self, const char *name, int *variable)
{
    *variable = 0;
    *(bool *)self = true;
    return TN_OK;
}

static tn_status read_expression(const tn_model *model, const char *text, bool *names, bool *time)
{
    tn_formula *formula = NULL;
    *names = *time = false;
    const tn_lookup any = {names, any_name};
    const tn_status status =
        tn_formula_create(text, model->parameters.count, model->parameters.at, &any, &formula);
    if (status == TN_OK)
        *time = tn_formula_has_time(formula);
    tn_formula_destroy(formula);
    return status;
}

tn_status tn_read_state_expression(const tn_model *model, const char *text, bool *names)
{
    bool time;
    return read_expression(model, text, names, &time);
}

tn_status tn_is_changing_expression(const tn_model *model, const char *text, bool *out)
{
    bool names, time;
    const tn_status parsed = read_expression(model, text, &names, &time);
    *out = parsed == TN_OK && (names || time);
    return parsed == TN_ERR_MEMORY ? parsed : TN_OK;
}

tn_status tn_is_state_expression(const tn_model *model, const char *text, bool *out)
{
    bool names;
    const tn_status parsed = tn_read_state_expression(model, text, &names);
    *out = parsed == TN_OK && names;
    return parsed == TN_ERR_MEMORY ? parsed : TN_OK; // other errors are for whoever reads it
}

static tn_status add_live(tn_model *model, tn_live_data data)
{
    TN_TRY(keep_text(model, &data.what));
    TN_TRY(keep_text(model, &data.text));
    return tn_array_push(&model->lives, data);
}

tn_status tn_live_function(tn_model *model, const tn_param *param, int function, const char *what,
                           const char *text, tn_timefn **out)
{
    *out = NULL;
    bool of_state;
    TN_TRY(tn_is_state_expression(model, text, &of_state));
    if (!of_state)
        return TN_OK;
    TN_TRY(add_live(model, (tn_live_data){.force = model->forces.count,
                                          .param = param,
                                          .function = function,
                                          .what = what,
                                          .text = text}));
    return tn_timefn_live(out);
}

tn_status tn_live_own(tn_model *model, const tn_param *param, const char *what, const char *text)
{
    TN_ASSERT(param->affine);
    return add_live(model, (tn_live_data){.force = model->forces.count,
                                          .param = param,
                                          .function = -1,
                                          .what = what,
                                          .text = text,
                                          .own = true});
}

tn_status tn_state_own(tn_model *model, const tn_state_def *def)
{
    tn_state_def own = *def;
    TN_TRY(keep_text(model, &own.name));
    TN_TRY(keep_text(model, &own.rate));
    return push_state(model, own, true);
}

static const tn_param *find_number(const tn_force_ops *ops, const char *key)
{
    for (int i = 0; i < ops->nparam; i++)
        if (strcmp(ops->params[i].name, key) == 0)
            return &ops->params[i];
    return NULL;
}

static tn_status set_expression(tn_model *model, int force, const char *key, const char *text)
{
    const tn_force_data *data = &model->forces.at[force];
    const tn_param *param = find_number(data->ops, key);
    char what[400];
    snprintf(what, sizeof what, "force '%s': %s", data->name, key);
    TN_TRY(need_text("force", data->name, key, text));
    if (!param || !param->affine)
        return tn_fail(TN_ERR_MODEL,
                       "%s takes no expression of the state; forces are to depend on it in "
                       "proportion. Write the whole law as an expression (kind law)",
                       what);
    for (int i = 0; i < model->lives.count; i++) {
        tn_live_data *live = &model->lives.at[i];
        if (live->force != force || live->param != param)
            continue;
        if (!live->own)
            return tn_fail(TN_ERR_MODEL, "%s is an expression already", what);
        live->own = false;
        live->text = text;
        return keep_text(model, &live->text);
    }
    return add_live(
        model,
        (tn_live_data){.force = force, .param = param, .function = -1, .what = what, .text = text});
}

tn_status tn_model_set_force_expression(tn_model *model, tn_force force, const char *key,
                                        const char *expression)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, key, expression);
    TN_TRY(tn_model_open_to_change(model));
    TN_NEED_INDEX(force.index, model->forces.count, TN_ERR_USAGE);
    return tn_model_keep_error(model, set_expression(model, force.index, key, expression));
}

tn_status tn_model_check(const tn_model *model)
{
    tn_signals *signals = NULL;
    TN_NEED(model, TN_ERR_USAGE);
    TN_TRY(tn_model_status(model));
    tn_status status = tn_vocabulary_check(model);
    TN_THEN(status, tn_signals_create(model, &signals));
    tn_signals_destroy(signals);
    return tn_place_error(model, status);
}
