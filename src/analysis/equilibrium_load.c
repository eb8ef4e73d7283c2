// SPDX-License-Identifier: MIT
//
// Loads of an equilibrium: the factor on gravity, point forces and motors, or on one input, and the
// inputs that trim finds. The copy of the model that the search works with takes them.

#include "analysis/equilibrium.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "model/units.h"
#include "system/absolute.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Setting -----------------------------------------------------------------------------------------

void tn_eq_put_input(tn_equilibrium *s, int input, double value)
{
    const double number[TN_INPUT_NUMBERS] = {value, 0.0, 0.0, s->options.start.t_start};
    tn_model_put_numbers(s->model, input, number);
    if (s->nscaled > 0 && s->load_input < 0)
        tn_eq_set_load(s, s->load); // functions of the inputs
}

void tn_eq_set_load(tn_equilibrium *s, double load)
{
    s->load = load;
    if (s->load_input >= 0) {
        tn_eq_put_input(s, s->load_input, load * s->load_nominal);
        return;
    }
    s->model->gravity = tn_v3_scale(load, s->gravity);
    for (int k = 0; k < s->nscaled; k++) {
        double u[3];
        tn_timefn_eval(s->scaled[k].own, s->options.start.t_start, u);
        *tn_timefn_number(s->scaled[k].live) = load * u[0];
    }
}

void tn_eq_set_unknowns(tn_equilibrium *s, const double *p)
{
    if (s->by_load)
        tn_eq_set_load(s, p[0]);
    for (int k = 0; !s->by_load && k < s->np; k++)
        tn_eq_put_input(s, s->trim_input[k], p[k]);
}

// Position of the origin of a body along an axis, and its gradient by velocities (row: nv).
static double body_output(tn_equilibrium *s, const tn_point *at, const eq_output *o, double *row)
{
    tn_body_state state;
    double place[3], velocity[3];
    int v0;
    const int n = tn_absolute_body_velocity(s->sys, o->body, &v0);
    tn_point moving = *at;
    moving.v = s->y;
    tn_zero(s->sys->nv, s->y);
    tn_zero(s->sys->nv, row);
    for (int i = v0; i < v0 + n; i++) {
        s->y[i] = 1.0;
        tn_absolute_body(s->sys, &moving, o->body, &state);
        s->y[i] = 0.0;
        tn_v3_to(state.velocity, velocity);
        row[i] = velocity[o->coordinate];
    }
    tn_absolute_body(s->sys, at, o->body, &state);
    tn_v3_to(state.frame.p, place);
    return place[o->coordinate];
}

// Q: np x nv, column major.
void tn_eq_trim_rows(tn_equilibrium *s, const tn_point *at, double *rows, double *Q)
{
    TN_ASSERT(s->np == s->ntrim);
    for (int k = 0; k < s->ntrim; k++) {
        const eq_output *o = &s->output[k];
        double c, gamma;
        if (o->joint >= 0)
            tn_absolute_coordinate(s->sys, at, o->joint, o->coordinate, &c, s->y1, &gamma);
        else
            c = body_output(s, at, o, s->y1);
        if (rows)
            rows[k] = c - o->value;
        for (int i = 0; Q && i < s->sys->nv; i++)
            Q[(size_t)i * (size_t)s->np + (size_t)k] = s->y1[i];
    }
}

// Functions that the factor scales ----------------------------------------------------------------

static bool is_expression_of_state(const tn_model *model, int force, int function)
{
    for (int i = 0; i < model->lives.count; i++)
        if (model->lives.at[i].force == force && model->lives.at[i].function == function)
            return true;
    return false;
}

// Forces that expressions of the state make are laws of the mechanism, and no loads.
static bool is_load(const tn_model *model, int force, int function)
{
    const tn_force_data *data = &model->forces.at[force];
    const bool applied = data->ops == &tn_force_point || data->ops->is_motor;
    return applied && !data->applied && data->u[function] &&
           !is_expression_of_state(model, force, function);
}

static tn_status scale_function(tn_equilibrium *s, int force, int function)
{
    tn_force_data *data = &s->model->forces.at[force];
    eq_scaled *at = &s->scaled[s->nscaled];
    *at = (eq_scaled){.force = force, .function = function, .own = data->u[function]};
    TN_TRY(tn_timefn_live(&at->live));
    data->u[function] = at->live;
    s->nscaled++;
    return TN_OK;
}

static tn_status scale_forces(tn_equilibrium *s)
{
    const int n = s->model->forces.count, each = TN_COUNT(s->model->forces.at->u);
    s->scaled = tn_alloc(sizeof *s->scaled * (size_t)(each * n + 1));
    TN_TRY(tn_got(s->scaled));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < each; i++)
            if (is_load(s->model, k, i))
                TN_TRY(scale_function(s, k, i));
    return TN_OK;
}

void tn_eq_close_loads(tn_equilibrium *s)
{
    for (int k = 0; k < s->nscaled; k++) {
        s->model->forces.at[s->scaled[k].force].u[s->scaled[k].function] = s->scaled[k].own;
        tn_timefn_destroy(s->scaled[k].live);
    }
    tn_free(s->scaled);
}

// Names -------------------------------------------------------------------------------------------

static tn_status find_named_input(const tn_equilibrium *s, const char *what, const char *name,
                                  int *out)
{
    *out = tn_model_find_input(s->given, name).index;
    if (*out >= 0)
        return TN_OK;
    char known[240] = "";
    for (int i = 0; i < s->model->inputs.count; i++) {
        const size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s'%s'", n ? ", " : "",
                 s->model->inputs.at[i]->name);
    }
    return tn_fail(TN_ERR_USAGE, "%s: the model has no input '%s'; %s%s", what, name,
                   known[0] ? "it has " : "it has none: state one in its 'inputs'", known);
}

static bool take_joint(const tn_equilibrium *s, const char *name, const char *coordinate,
                       eq_output *out)
{
    const int joint = tn_model_find_joint(s->given, name).index;
    const tn_joint_ops *ops = joint >= 0 ? s->model->joints.at[joint].ops : NULL;
    for (int i = 0; ops && i < ops->ncoord; i++)
        if (!coordinate || strcmp(ops->coords[i].name, coordinate) == 0) {
            *out = (eq_output){.joint = joint,
                               .coordinate = i,
                               .unit = tn_unit_joint_coordinate(s->model, (tn_joint){joint}, i),
                               .unit_name = ops->coords[i].unit};
            snprintf(out->name, sizeof out->name, "joint '%s', %s,", name, ops->coords[i].name);
            return true;
        }
    return false;
}

static bool take_body(const tn_equilibrium *s, const char *name, const char *axis, eq_output *out)
{
    const int body = tn_model_find_body(s->given, name).index;
    if (body <= 0 || axis[0] < 'x' || axis[0] > 'z' || axis[1] != '\0')
        return false;
    *out = (eq_output){.joint = -1,
                       .body = body,
                       .coordinate = axis[0] - 'x',
                       .unit = s->model->units.length,
                       .unit_name = "m"};
    snprintf(out->name, sizeof out->name, "body '%s', %s,", name, axis);
    return true;
}

// "hinge.angle = 0.1" or "plate.z = 0.2"
static tn_status read_output(const tn_equilibrium *s, const char *word, eq_output *out)
{
    const char *equals = strchr(word, '=');
    char name[160], *dot;
    double value = NAN;
    int used = 0;
    if (!equals || sscanf(equals + 1, "%lf %n", &value, &used) != 1 || equals[1 + used] != '\0' ||
        !isfinite(value))
        return tn_fail(TN_ERR_USAGE,
                       "outputs: '%s' is no coordinate with a value; write JOINT.COORDINATE=VALUE, "
                       "or BODY.x=VALUE",
                       word);
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--)
        name[n - 1] = '\0';
    bool found = take_joint(s, name, NULL, out);
    dot = strrchr(name, '.');
    if (!found && dot) {
        *dot = '\0';
        found = take_joint(s, name, dot + 1, out) || take_body(s, name, dot + 1, out);
        *dot = '.';
    }
    if (!found)
        return tn_fail(TN_ERR_USAGE,
                       "outputs: the model has no joint with a coordinate and no body as in '%s'; "
                       "write JOINT.COORDINATE=VALUE, or BODY.x=VALUE",
                       name);
    out->value = value / out->unit;
    return TN_OK;
}

static tn_status open_trim(tn_equilibrium *s)
{
    const char *inputs = s->options.trim, *outputs = s->options.outputs;
    char word[200];
    int noutput = 0;
    if (!inputs && !outputs)
        return TN_OK;
    for (int n; inputs && (n = tn_list_next(&inputs, sizeof word, word)) >= 0;) {
        TN_TRY(tn_list_fits(n, sizeof word, word));
        if (s->ntrim == EQ_MOST_TRIM)
            return tn_fail(TN_ERR_USAGE, "trim: more than %d inputs", EQ_MOST_TRIM);
        TN_TRY(find_named_input(s, "trim", word, &s->trim_input[s->ntrim]));
        s->ntrim++;
    }
    for (int n; outputs && (n = tn_list_next(&outputs, sizeof word, word)) >= 0;) {
        TN_TRY(tn_list_fits(n, sizeof word, word));
        if (noutput == EQ_MOST_TRIM)
            return tn_fail(TN_ERR_USAGE, "outputs: more than %d coordinates", EQ_MOST_TRIM);
        TN_TRY(read_output(s, word, &s->output[noutput++]));
    }
    if (noutput != s->ntrim)
        return tn_fail(TN_ERR_USAGE,
                       "trim: %d input%s to be found and %d output%s stated; there must be as many "
                       "of one as of the other",
                       s->ntrim, s->ntrim == 1 ? " is" : "s are", noutput,
                       noutput == 1 ? " is" : "s are");
    return TN_OK;
}

tn_status tn_eq_open_loads(tn_equilibrium *s)
{
    s->gravity = s->model->gravity;
    s->load_input = -1;
    TN_TRY(open_trim(s));
    if (s->options.load) {
        double u[3];
        TN_TRY(find_named_input(s, "load", s->options.load, &s->load_input));
        tn_model_eval_input(s->model, s->load_input, s->options.start.t_start, u);
        s->load_nominal = u[0];
        if (u[0] == 0.0)
            return tn_fail(TN_ERR_USAGE,
                           "load: input '%s' is 0, so that no factor changes it; state its value "
                           "under the whole load in the model",
                           s->options.load);
        return TN_OK;
    }
    if (!s->purpose.as_stated) // what is stated goes on with its time
        TN_TRY(scale_forces(s));
    tn_eq_set_load(s, 1.0);
    return TN_OK;
}

tn_status tn_eq_hold_input(tn_equilibrium *s)
{
    int input = -1;
    if (!s->purpose.input)
        return TN_OK;
    TN_TRY(find_named_input(s, "over", s->purpose.input, &input));
    tn_eq_put_input(s, input, s->purpose.value);
    return TN_OK;
}
