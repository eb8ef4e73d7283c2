// SPDX-License-Identifier: MIT
//
// Inputs; see input.h. With e = y - x and the time T = t - s the filter is, by its damping z,
//
//   z < 1   e = exp(-z w T) (p cos(k T) + q sin(k T)),   k = w sqrt(1 - z^2)
//   z = 1   e = exp(-w T) (p + q T)
//   z > 1   e = p exp(-k1 T) + q exp(-k2 T),             k1,2 = w (z -+ sqrt(z^2 - 1))

#include "model/input.h"

#include "model/builder.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"held", "motion", "filter", NULL};

const tn_param tn_input_params[] = {
    TN_PARAM(
        tn_input_def, kind, CHOICE, "kind", "", .choices = kinds,
        .text =
            "held until it is set again; a motion, set with its derivatives; or a filter, which "
            "follows what is set"),
    TN_PARAM(tn_input_def, value, NUMBER, "value", "", .text = "until it is set"),
    TN_PARAM(tn_input_def, rate, NUMBER, "rate", "1/s",
             .text = "motion and filter: its first derivative at the start"),
    TN_PARAM(tn_input_def, acceleration, NUMBER, "acceleration", "1/s^2",
             .text = "motion: its second derivative at the start"),
    TN_PARAM(tn_input_def, frequency, NUMBER, "frequency", "rad/s",
             .text = "filter: frequency without damping, required"),
    TN_PARAM(tn_input_def, damping, NUMBER, "damping", "",
             .text = "filter: as a part of the critical damping"),
};
const int tn_input_param_count = TN_COUNT(tn_input_params);

// Formulas ----------------------------------------------------------------------------------------

static bool is_critical(const tn_input_def *def)
{
    return fabs(def->damping - 1.0) < 1e-6; // the two others lose their digits there
}

const char *tn_input_formula(const tn_input_data *input)
{
    const tn_input_def *def = &input->def;
    if (def->kind == TN_INPUT_HELD)
        return "p0";
    if (def->kind == TN_INPUT_MOTION)
        return "p0 + (t - p3)*(p1 + 0.5*p2*(t - p3))";
    if (is_critical(def))
        return "p0 + exp(-p4*(t - p3))*(p1 + p2*(t - p3))";
    return def->damping < 1.0 ? "p0 + exp(-p4*(t - p3))*(p1*cos(p5*(t - p3)) + p2*sin(p5*(t - p3)))"
                              : "p0 + p1*exp(-p4*(t - p3)) + p2*exp(-p5*(t - p3))";
}

void tn_input_fixed_numbers(const tn_input_data *input, double out[2])
{
    const double w = input->def.frequency, z = input->def.damping;
    const double k = w * sqrt(fabs(z * z - 1.0));
    out[0] = z < 1.0 ? z * w : w * w / (z * w + k); // k1 without cancellation
    out[1] = z < 1.0 ? k : z * w + k;
    if (is_critical(&input->def))
        out[0] = w;
}

void tn_input_numbers(const tn_input_data *input, double s, const double u[3], const double now[3],
                      double number[TN_INPUT_NUMBERS])
{
    const tn_input_def *def = &input->def;
    double k[2];
    memcpy(number, u, 3 * sizeof(double));
    number[3] = s;
    if (def->kind != TN_INPUT_FILTER)
        return;
    tn_input_fixed_numbers(input, k);
    const double e = now[0] - u[0], rate = now[1];
    number[1] = e;
    if (is_critical(def))
        number[2] = rate + k[0] * e;
    else if (def->damping < 1.0)
        number[2] = (rate + k[0] * e) / k[1];
    else {
        number[1] = (rate + k[1] * e) / (k[1] - k[0]);
        number[2] = e - number[1];
    }
}

void tn_input_start(const tn_input_data *input, double s, double number[TN_INPUT_NUMBERS])
{
    const tn_input_def *def = &input->def;
    const double u[3] = {def->value, def->rate, def->acceleration};
    tn_input_numbers(input, s, u, u, number);
}

// Builders ----------------------------------------------------------------------------------------

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
                       kinds[def->kind]);
    if (!filter && def->frequency != 0.0)
        return tn_fail(TN_ERR_MODEL, "input '%s': a %s input has no frequency; write kind: filter",
                       def->name, kinds[def->kind]);
    return filter ? check_filter(def) : TN_OK;
}

static tn_status add_input(tn_model *model, const tn_input_def *def, tn_input *out)
{
    if (!def)
        return tn_fail(TN_ERR_USAGE, "tn_add_input: the definition is NULL");
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

tn_input tn_add_input(tn_model *model, const tn_input_def *def)
{
    tn_input input = {-1};
    TN_NEED(model, input);
    tn_status s = tn_model_open_to_change(model);
    TN_THEN(s, add_input(model, def, &input));
    tn_model_keep_error(model, s);
    return input;
}

TN_GETTER(int, tn_model_input_count, (const tn_model *model), model, 0, model->inputs.count);
TN_GETTER(const char *, tn_input_name, (const tn_model *model, tn_input input), model, "",
          input.index >= 0 && input.index < model->inputs.count
              ? model->inputs.at[input.index]->name
              : "");

tn_input tn_find_input(const tn_model *model, const char *name)
{
    const tn_input none = {-1};
    TN_NEED_ALL(none, model, name);
    for (int i = 0; i < model->inputs.count; i++)
        if (strcmp(model->inputs.at[i]->name, name) == 0)
            return (tn_input){i};
    return none;
}
