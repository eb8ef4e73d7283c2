// SPDX-License-Identifier: MIT
//
// Outputs of a model; see output.h. The parameters are in one table for the reader and the
// reference page.

#include "model/output.h"

#include "base/alloc.h"
#include "model/builder.h"

static const char *const quantities[] = {"position", "velocity", "acceleration", "distance", NULL};
static const char *const axes[] = {"x", "y", "z", NULL};

const tn_param tn_output_params[] = {
    TN_PARAM(tn_output_def, of, BODY, "of", "", .text = "the body that the point belongs to"),
    TN_PARAM(tn_output_def, point, VEC3, "point", "m",
             .text = "the point, in the frame of its body; the origin when left out"),
    TN_PARAM(tn_output_def, quantity, CHOICE, "quantity", "", .choices = quantities,
             .text = "what is told of the point"),
    TN_PARAM(tn_output_def, axis, CHOICE, "axis", "", .choices = axes,
             .text = "which component; none of a distance"),
    TN_PARAM(tn_output_def, in, BODY, "in", "",
             .text = "the body whose frame it is seen from, by one who moves and turns with it, "
                     "in its axes; the ground when left out"),
    TN_PARAM(tn_output_def, from, VEC3, "from", "m",
             .text = "where positions and distances are counted from, in the frame of `in`"),
    TN_PARAM(tn_output_def, value, TEXT, "value", "", .role = TN_ROLE_EXPRESSION,
             .text = "instead of a point: an expression of t, parameters, inputs and the names of "
                     "results"),
    TN_PARAM(tn_output_def, unit, TEXT, "unit", "", .text = "the unit of that expression"),
};
const int tn_output_param_count = TN_COUNT(tn_output_params);

tn_output_def tn_default_output(void)
{
    return (tn_output_def){.of = {-1}, .in = TN_GROUND};
}

void tn_output_destroy(tn_output_data *output)
{
    if (!output)
        return;
    tn_formula_destroy(output->formula);
    TN_FREE(output->text, output->unit, output);
}

const char *tn_output_unit(const tn_output_data *output)
{
    static const char *const units[] = {"m", "m/s", "m/s^2", "m"};
    if (output->text)
        return output->unit ? output->unit : "";
    TN_ASSERT(output->def.quantity >= 0 && output->def.quantity < TN_COUNT(units));
    return units[output->def.quantity];
}

// Expressions -------------------------------------------------------------------------------------

// A model that an expression of an output is compiled in.
typedef struct output_scope {
    const tn_model *model;
    tn_output_data *output;
} output_scope;

static bool is_same(const tn_output_variable *a, const tn_output_variable *b)
{
    return a->input == b->input &&
           (a->input >= 0 ||
            (a->quantity.what == b->quantity.what && a->quantity.element == b->quantity.element &&
             a->quantity.component == b->quantity.component));
}

static tn_status number_variable(tn_output_data *output, const tn_output_variable *v, int *number)
{
    for (*number = 0; *number < output->nvariable; ++*number)
        if (is_same(&output->variable[*number], v))
            return TN_OK;
    if (*number == TN_OUTPUT_VARIABLES)
        return tn_fail(TN_ERR_MODEL, "more than %d different names", TN_OUTPUT_VARIABLES);
    output->variable[output->nvariable++] = *v;
    return TN_OK;
}

static tn_status find_variable(void *self, const char *name, int *number)
{
    const output_scope *scope = self;
    const int known = tn_table_find(scope->model->parameter_names, name);
    tn_output_variable v = {.input = -1};
    if (known >= 0 && scope->model->parameters.at[known].input) {
        v.input = scope->model->parameters.at[known].input->index;
        return number_variable(scope->output, &v, number);
    }
    TN_TRY(tn_vocabulary_find(scope->model, name, &v.quantity));
    if (v.quantity.what == TN_Q_OUTPUT)
        return tn_fail(TN_ERR_MODEL, "'%s' is an output, which others cannot use", name);
    return number_variable(scope->output, &v, number);
}

static tn_status compile_output(const tn_model *model, tn_output_data *output, const char *what)
{
    output_scope scope = {model, output};
    const tn_lookup names = {&scope, find_variable};
    const tn_status s = tn_formula_create(output->text, model->parameters.count,
                                          model->parameters.at, &names, &output->formula);
    return s == TN_OK ? s : tn_fail_within(s, "%s: value", what);
}

// Adding ------------------------------------------------------------------------------------------

static tn_status check_point(const tn_model *model, const tn_output_def *def, const char *what)
{
    if (def->unit)
        return tn_fail(TN_ERR_MODEL,
                       "%s: 'unit' is for an expression, 'value'; that of a point is "
                       "known",
                       what);
    TN_TRY(tn_check_body(model, def->of, what, "of"));
    TN_TRY(tn_check_body(model, def->in, what, "in"));
    if (def->axis < 0 || def->axis > 2)
        return tn_fail(TN_ERR_MODEL, "%s: axis is %d; 0, 1 and 2 are x, y and z", what, def->axis);
    return tn_params_check(tn_output_param_count, tn_output_params, def, what);
}

static tn_status check_output(const tn_model *model, const tn_output_def *def, const char *what)
{
    if (!def->value == (def->of.index < 0))
        return tn_fail(TN_ERR_MODEL, "%s: %s; state one of the two", what,
                       def->value ? "both 'of', the body of a point, and 'value' are stated"
                                  : "neither 'of', the body of a point, nor 'value' is stated");
    return def->value ? TN_OK : check_point(model, def, what);
}

static tn_status fill_output(const tn_model *model, const tn_output_def *def, const tn_label *label,
                             tn_output_data *output)
{
    TN_TRY(check_output(model, def, label->what));
    output->def = *def;
    output->text = tn_strdup(def->value);
    output->unit = tn_strdup(def->unit);
    TN_TRY(tn_got((output->text || !def->value) && (output->unit || !def->unit)));
    if (output->text)
        TN_TRY(compile_output(model, output, label->what));
    output->name = label->name;
    output->def.name = output->name;
    output->def.value = output->text;
    output->def.unit = output->unit;
    return TN_OK;
}

static tn_status add_output(tn_model *model, const tn_output_def *def)
{
    tn_label label;
    if (!def)
        return tn_fail(TN_ERR_USAGE, "tn_model_add_output: the definition is NULL");
    const int number = model->outputs.count;
    TN_TRY(tn_label_make(model, "output", def->name, model->output_names, number + 1, &label));
    tn_output_data *output = tn_alloc(sizeof *output);
    tn_status s = tn_got(output);
    TN_THEN(s, fill_output(model, def, &label, output));
    TN_THEN(s, tn_array_push(&model->outputs, output));
    if (s != TN_OK)
        tn_output_destroy(output);
    return s == TN_OK ? tn_table_add(model->output_names, output->name, number) : s;
}

tn_status tn_model_add_output(tn_model *model, const tn_output_def *def)
{
    TN_NEED(model, TN_ERR_USAGE);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, add_output(model, def));
}

TN_GETTER(int, tn_model_output_count, (const tn_model *model), model, 0, model->outputs.count);
TN_GETTER(const char *, tn_model_output_name, (const tn_model *model, int output), model, "",
          output >= 0 && output < model->outputs.count ? model->outputs.at[output]->name : "");
