// SPDX-License-Identifier: MIT
//
// Adding inputs and tables, which expressions know by their names, to a model.

#include "model/builder.h"

#include "signal/grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tn_input_def tn_default_input(void)
{
    return (tn_input_def){.kind = TN_INPUT_HELD, .damping = 1.0};
}

static tn_status check_filter(const tn_input_def *def)
{
    if (!(def->frequency > 0.0) || !isfinite(def->frequency))
        return tn_fail(TN_ERR_MODEL,
                       "input '%s': the frequency of the filter is %g rad/s; it must be positive",
                       def->name, def->frequency);
    if (!(def->damping >= 0.0) || !isfinite(def->damping))
        return tn_fail(TN_ERR_MODEL,
                       "input '%s': the damping of the filter is %g; it must not be negative",
                       def->name, def->damping);
    return TN_OK;
}

static tn_status check_input(const tn_model *model, const tn_input_def *def)
{
    const bool filter = def->kind == TN_INPUT_FILTER, held = def->kind == TN_INPUT_HELD;
    if ((int)def->kind < 0 || def->kind >= TN_INPUT_KIND_COUNT)
        return tn_fail(TN_ERR_MODEL, "input '%s': there is no kind %d", def->name, (int)def->kind);
    if (tn_table_find(model->parameter_names, def->name) >= 0)
        return tn_fail(TN_ERR_MODEL,
                       "input '%s': there is a parameter, table or input of that name", def->name);
    if (!isfinite(def->value) || !isfinite(def->rate) || !isfinite(def->acceleration))
        return tn_fail(TN_ERR_MODEL, "input '%s': value, rate and acceleration must be finite",
                       def->name);
    if (held && def->rate != 0.0)
        return tn_fail(TN_ERR_MODEL, "input '%s': a held input has no rate; write kind: motion",
                       def->name);
    if (def->kind != TN_INPUT_MOTION && def->acceleration != 0.0)
        return tn_fail(TN_ERR_MODEL,
                       "input '%s': a %s input has no acceleration; write kind: motion", def->name,
                       tn_input_kinds[def->kind]);
    if (!filter && def->frequency != 0.0)
        return tn_fail(TN_ERR_MODEL, "input '%s': a %s input has no frequency; write kind: filter",
                       def->name, tn_input_kinds[def->kind]);
    return filter ? check_filter(def) : TN_OK;
}

static tn_status add_input(tn_model *model, const tn_input_def *def, tn_input *out)
{
    if (!def)
        return tn_fail(TN_ERR_USAGE, "tn_model_add_input: the definition is NULL");
    TN_TRY(tn_model_check_name("input", def->name));
    TN_TRY(check_input(model, def));
    tn_input_data *data = tn_alloc(sizeof *data);
    TN_TRY(tn_model_own(model, data));
    *data = (tn_input_data){.index = model->inputs.count, .def = *def};
    TN_TRY(tn_array_push(&model->inputs, data));
    tn_status s = tn_model_add_name(model, (tn_named_value){def->name, def->value, data, NULL});
    if (s != TN_OK) {
        model->inputs.count--;
        return s;
    }
    data->name = data->def.name = model->parameters.at[model->parameters.count - 1].name;
    *out = (tn_input){data->index};
    return TN_OK;
}

tn_input tn_model_add_input(tn_model *model, const tn_input_def *def)
{
    tn_input input = {-1};
    TN_NEED(model, input);
    tn_status s = tn_model_open_to_change(model);
    TN_THEN(s, add_input(model, def, &input));
    tn_model_keep_error(model, s);
    return input;
}

TN_GETTER(int, tn_model_input_count, (const tn_model *model), model, 0, model->inputs.count);
TN_GETTER(const char *, tn_model_input_name, (const tn_model *model, tn_input input), model, "",
          input.index >= 0 && input.index < model->inputs.count
              ? model->inputs.at[input.index]->name
              : "");

tn_input tn_model_find_input(const tn_model *model, const char *name)
{
    const tn_input none = {-1};
    TN_NEED_ALL(none, model, name);
    for (int i = 0; i < model->inputs.count; i++)
        if (strcmp(model->inputs.at[i]->name, name) == 0)
            return (tn_input){i};
    return none;
}

// Tables ------------------------------------------------------------------------------------------

static tn_status add_table(tn_model *model, const tn_table_def *def)
{
    tn_grid *grid = NULL;
    char what[128];
    if (!def)
        return tn_fail(TN_ERR_USAGE, "tn_model_add_table: the definition is NULL");
    TN_TRY(tn_model_check_name("table", def->name));
    if (tn_table_find(model->parameter_names, def->name) >= 0)
        return tn_fail(TN_ERR_MODEL,
                       "table '%s': there is a parameter, table or input of that name", def->name);
    TN_TRY(tn_grid_create(def, &grid));
    const tn_status status = tn_array_push(&model->tables, grid);
    if (status != TN_OK) {
        tn_grid_destroy(grid);
        return status;
    }
    snprintf(what, sizeof what, "table '%.100s'", def->name);
    tn_tell_overshoot(model, what, "x", "", grid->curve);
    return tn_model_add_name(model, (tn_named_value){grid->name, 0.0, NULL, grid});
}

tn_status tn_model_add_table(tn_model *model, const tn_table_def *def)
{
    TN_NEED(model, TN_ERR_USAGE);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, add_table(model, def));
}
