// SPDX-License-Identifier: MIT
//
// A model in units of its own size; see units.h. With the unit c of a coordinate (a length, or 1
// for an angle) and the unit E of energy, forces on it are E / c, stiffnesses E / c^2, and so on.

#include "model/units.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const tn_units tn_units_si = {1.0, 1.0, 1.0};

// Units by their text -----------------------------------------------------------------------------

// Powers of a length, a mass and a time.
typedef struct unit_symbol {
    const char *text;
    int length, mass, time;
} unit_symbol;

static const unit_symbol unit_symbols[] = {
    {"m", 1, 0, 0},  {"kg", 0, 1, 0},  {"s", 0, 0, 1},   {"N", 1, 1, -2}, {"J", 2, 1, -2},
    {"W", 2, 1, -3}, {"Hz", 0, 0, -1}, {"rad", 0, 0, 0}, {"1", 0, 0, 0},
};

// A power of a unit; units are powers of two, so that nothing is rounded.
static double unit_power(double unit, int n)
{
    double x = 1.0;
    for (int k = 0; k < abs(n); k++)
        x *= unit;
    return n < 0 ? 1.0 / x : x;
}

// One symbol with its exponent, "m^2", times the product so far; 0 where it is not known.
static double unit_of_symbol(tn_units u, const char *text, size_t n, int sign)
{
    const size_t letters = strcspn(text, "^");
    const size_t name = letters < n ? letters : n;
    const int stated = name < n ? atoi(text + name + 1) : 1, power = sign * (stated ? stated : 1);
    for (int k = 0; k < TN_COUNT(unit_symbols); k++) {
        const unit_symbol *s = &unit_symbols[k];
        if (strlen(s->text) == name && strncmp(text, s->text, name) == 0)
            return unit_power(u.length, power * s->length) * unit_power(u.mass, power * s->mass) *
                   unit_power(u.time, power * s->time);
    }
    return 0.0;
}

double tn_unit_of(tn_units u, const char *text, bool length)
{
    const char *other = strstr(text, " or ");
    const char *end = other && length ? other : text + strlen(text);
    double unit = 1.0;
    int sign = 1;
    for (const char *at = other && !length ? other + 4 : text; at < end;) {
        const size_t n = strcspn(at, " /");
        unit *= unit_of_symbol(u, at, at + n < end ? n : (size_t)(end - at), sign);
        at += n;
        sign = at < end && *at == '/' ? -1 : 1;
        at += at < end;
    }
    return unit;
}

static bool is_length(const char *unit)
{
    return strcmp(unit, "m") == 0;
}

double tn_unit_coordinate(tn_units u, const char *unit)
{
    return is_length(unit) ? u.length : 1.0;
}

// The size of a mechanism -------------------------------------------------------------------------

// In the middle between 1/sqrt(2) and sqrt(2) of it.
double tn_power_of_two(double size)
{
    int k;
    const double part = frexp(size, &k); // in [1/2, 1)
    return size > 0.0 && isfinite(size) ? ldexp(1.0, part * part < 0.5 ? k - 1 : k) : 1.0;
}

static double lever(const tn_model *model, tn_body body, tn_vec3 p)
{
    if (body.index <= 0 || body.index >= model->bodies.count)
        return 0.0; // places on the ground are places in the inertial frame
    return tn_v3_norm(tn_v3_sub(p, model->bodies.at[body.index].def.com));
}

static double units_gyration(const tn_body_data *body)
{
    const double trace = body->inertia.m[0][0] + body->inertia.m[1][1] + body->inertia.m[2][2];
    return body->def.mass > 0.0 ? sqrt(trace / body->def.mass) : 0.0;
}

// The largest number in metres: the length of a rod or the free length of a spring.
static double longest_number(int n, const tn_param *params, const void *def)
{
    double size = 0.0;
    for (int i = 0; i < n; i++)
        if (params[i].type == TN_PARAM_NUMBER && is_length(params[i].unit))
            size = fmax(size, *(const double *)((const char *)def + params[i].offset));
    return size;
}

static double joint_size(const tn_model *model, const tn_joint_data *joint)
{
    const tn_joint_def *def = joint->def;
    double size = 0.0;
    if (joint->ops->relative)
        size = fmax(lever(model, def->body_a, def->frame_a.p),
                    lever(model, def->body_b, def->frame_b.p));
    size = fmax(size, longest_number(joint->ops->nparam, joint->ops->params, def));
    for (int i = 0; i < def->nposition && i < joint->ops->ncoord; i++)
        if (strcmp(joint->ops->coords[i].unit, "m") == 0)
            size = fmax(size, fabs(def->position[i]));
    return size;
}

static double force_size(const tn_model *model, const tn_force_data *force)
{
    const tn_force_def *def = &force->def;
    double size = 0.0;
    if (!force->ops->on_joint)
        size = fmax(force->ops->single ? 0.0 : lever(model, def->body_a, def->frame_a.p),
                    lever(model, def->body_b, def->frame_b.p));
    return fmax(size, longest_number(force->ops->nparam, force->ops->params, def));
}

// Bodies that are points without levers: the size is their distance from each other, or where all
// are in one place, from the origin.
static double units_spread(const tn_model *model)
{
    double size = 0.0, far = 0.0;
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_vec3 p = model->bodies.at[k].def.frame.p;
        size = fmax(size, tn_v3_norm(tn_v3_sub(p, model->bodies.at[1].def.frame.p)));
        far = fmax(far, tn_v3_norm(p));
    }
    return size > 0.0 ? size : far;
}

static double units_length_of(const tn_model *model)
{
    double size = 0.0;
    for (int k = 1; k < model->bodies.count; k++)
        size = fmax(size, units_gyration(&model->bodies.at[k]));
    for (int k = 0; k < model->joints.count; k++)
        size = fmax(size, joint_size(model, &model->joints.at[k]));
    for (int k = 0; k < model->forces.count; k++)
        size = fmax(size, force_size(model, &model->forces.at[k]));
    return size > 0.0 ? size : units_spread(model);
}

static double mass_of(const tn_model *model, double length)
{
    double mass = 0.0, inertia = 0.0;
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_body_data *body = &model->bodies.at[k];
        mass = fmax(mass, body->def.mass);
        for (int i = 0; i < 3; i++)
            inertia = fmax(inertia, body->inertia.m[i][i]);
    }
    return mass > 0.0 ? mass : inertia / length / length;
}

tn_units tn_model_units(const tn_model *model)
{
    const double length = tn_power_of_two(units_length_of(model));
    return (tn_units){length, tn_power_of_two(mass_of(model, length)), 1.0};
}

// The copy ----------------------------------------------------------------------------------------

static tn_vec3 over(tn_vec3 v, double unit)
{
    return (tn_vec3){v.x / unit, v.y / unit, v.z / unit};
}

static tn_frame frame_over(tn_frame f, double length)
{
    f.p = over(f.p, length);
    return f;
}

double tn_unit_joint_coordinate(const tn_model *model, tn_joint joint, int coordinate)
{
    return tn_unit_coordinate(model->units,
                              model->joints.at[joint.index].ops->coords[coordinate].unit);
}

// Units of texts that were met before: the tables of kinds have few, and elements are many.
typedef struct known_units {
    struct {
        const char *text;
        bool length;
        double unit;
    } at[32];
    int count;
} known_units;

static double known_unit(known_units *known, tn_units u, const char *text, bool length)
{
    for (int i = 0; i < known->count; i++)
        if (known->at[i].text == text && known->at[i].length == length)
            return known->at[i].unit;
    const double unit = tn_unit_of(u, text, length);
    if (known->count < TN_COUNT(known->at)) {
        const int i = known->count++;
        known->at[i].text = text;
        known->at[i].length = length;
        known->at[i].unit = unit;
    }
    return unit;
}

// A function with inputs has numbers of its own in each copy.
static tn_status take_function(tn_model *copy, tn_timefn **f)
{
    tn_timefn *own = NULL;
    if (!tn_timefn_input(*f, false))
        return TN_OK;
    TN_TRY(tn_timefn_copy(*f, &own));
    TN_TRY(tn_model_own(copy, own));
    *f = own;
    return tn_array_push(&copy->with_inputs, own);
}

tn_status tn_scale_function(tn_model *copy, double argument, double value, tn_timefn **f)
{
    tn_timefn *scaled = NULL;
    if (!*f)
        return TN_OK;
    TN_TRY(take_function(copy, f));
    TN_TRY(tn_timefn_scaled(*f, argument, 1.0 / value, &scaled));
    TN_TRY(tn_model_own(copy, scaled));
    *f = scaled;
    return TN_OK;
}

// The numbers, vectors and functions of a table, each by its unit; `length` chooses where that is
// one of two.
static tn_status scale_params(tn_model *copy, known_units *known, int n, const tn_param *params,
                              bool length, void *def, tn_timefn **u)
{
    int used = 0;
    for (int i = 0; i < n; i++) {
        const int functions = tn_param_functions(&params[i]);
        void *at = (char *)def + params[i].offset;
        if (params[i].type != TN_PARAM_NUMBER && params[i].type != TN_PARAM_VEC3 && functions == 0)
            continue;
        const double unit = known_unit(known, copy->units, params[i].unit, length);
        if (params[i].type == TN_PARAM_NUMBER)
            *(double *)at /= unit;
        if (params[i].type == TN_PARAM_VEC3)
            *(tn_vec3 *)at = over(*(tn_vec3 *)at, unit);
        for (int k = 0; k < functions; k++)
            TN_TRY(tn_scale_function(copy, copy->units.time, unit, &u[used++]));
    }
    return TN_OK;
}

// The functions of user-defined kinds see SI units, and so do their parameters.
static tn_status scale_own(tn_model *copy, tn_own_values *own, tn_timefn **u)
{
    own->unit[0] = copy->units.length;
    own->unit[1] = copy->units.mass;
    own->unit[2] = copy->units.time;
    for (int i = 0; i < 6; i++)
        TN_TRY(tn_scale_function(copy, copy->units.time, 1.0, &u[i]));
    return TN_OK;
}

static void scale_body(tn_units u, tn_body_data *body)
{
    const double inertia = u.mass * u.length * u.length;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            body->inertia.m[i][j] /= inertia;
    body->def.mass /= u.mass;
    body->def.com = over(body->def.com, u.length);
    body->def.frame = frame_over(body->def.frame, u.length);
    body->def.velocity = over(body->def.velocity, u.length / u.time);
    body->def.rate = over(body->def.rate, 1.0 / u.time);
}

static tn_status scale_joint(tn_model *copy, known_units *known, tn_joint_data *joint)
{
    const tn_joint_ops *ops = joint->ops;
    const tn_units u = copy->units;
    tn_joint_def *def = joint->def;
    tn_driven driven;
    def->frame_a = frame_over(def->frame_a, u.length);
    def->frame_b = frame_over(def->frame_b, u.length);
    for (int i = 0; i < ops->ncoord; i++) {
        const double unit = tn_unit_coordinate(u, ops->coords[i].unit);
        def->position[i] /= unit;
        def->rate[i] /= unit / u.time;
    }
    if (ops->own)
        return scale_own(copy, &def->own, joint->u);
    const bool length =
        !tn_joint_drives(joint, &driven) ||
        is_length(copy->joints.at[driven.joint.index].ops->coords[driven.coordinate].unit);
    if (ops->scale)
        ops->scale(copy, def);
    if (ops->shapes)
        TN_TRY(tn_touch_copy(def->contact.touch, u.length, &def->contact.touch));
    return scale_params(copy, known, ops->nparam, ops->params, length, def, joint->u);
}

// Shapes of the copy are its own; those of forces that are not scaled yet belong to the model.
static tn_status scale_shapes(const tn_model *copy, tn_force_data *force)
{
    tn_joint_def *shapes = NULL;
    tn_touch *touch = NULL;
    if (!force->shapes)
        return TN_OK;
    TN_TRY(tn_touch_copy(force->shapes->contact.touch, copy->units.length, &touch));
    shapes = tn_alloc(sizeof *shapes);
    if (!shapes)
        tn_touch_destroy(touch);
    TN_TRY(tn_got(shapes));
    *shapes = *force->shapes;
    shapes->contact.touch = touch;
    force->shapes = shapes;
    return TN_OK;
}

static tn_status scale_force(tn_model *copy, known_units *known, tn_force_data *force)
{
    const tn_force_ops *ops = force->ops;
    const bool length = tn_force_acts_on_length(force);
    force->def.frame_a = frame_over(force->def.frame_a, copy->units.length);
    force->def.frame_b = frame_over(force->def.frame_b, copy->units.length);
    if (ops->own)
        return scale_own(copy, &force->def.own, force->u);
    TN_TRY(scale_shapes(copy, force));
    TN_TRY(scale_params(copy, known, ops->nparam, ops->params, length, &force->def, force->u));
    return ops->scale ? ops->scale(copy, force, length ? copy->units.length : 1.0) : TN_OK;
}

static void *copy_of(const void *from, int count, size_t size)
{
    void *to = tn_alloc(size * (size_t)(count + 1));
    if (to && count > 0)
        memcpy(to, from, size * (size_t)count);
    return to;
}

// Definitions of joints stand one behind the other.
static tn_status copy_definitions(tn_model *copy)
{
    size_t size = 0;
    for (int k = 0; k < copy->joints.count; k++)
        size += tn_joint_kept_bytes(&copy->joints.at[k]);
    char *at = copy->joint_definitions = tn_alloc(size);
    TN_TRY(tn_got(at));
    for (int k = 0; k < copy->joints.count; k++) {
        tn_joint_data *joint = &copy->joints.at[k];
        const size_t bytes = tn_joint_kept_bytes(joint);
        tn_joint_keep(joint, at);
        at += bytes;
    }
    return TN_OK;
}

static tn_status copy_arrays(const tn_model *model, tn_model *copy)
{
    copy->bodies.at = copy_of(model->bodies.at, model->bodies.count, sizeof *model->bodies.at);
    copy->joints.at = copy_of(model->joints.at, model->joints.count, sizeof *model->joints.at);
    copy->forces.at = copy_of(model->forces.at, model->forces.count, sizeof *model->forces.at);
    const bool ok = copy->bodies.at && copy->joints.at && copy->forces.at;
    TN_TRY(tn_got(ok));
    return copy_definitions(copy);
}

// The input alone, in SI units.
static tn_status take_input(tn_model *copy, const tn_input_data *input)
{
    const tn_named_value name = {input->name, 0.0, input, NULL};
    tn_timefn *alone = NULL;
    TN_TRY(tn_timefn_expression(input->name, 1, &name, &alone));
    tn_timefn *own = alone;
    const tn_status status = take_function(copy, &own);
    tn_timefn_destroy(alone);
    return status;
}

static tn_status scale(tn_units u, tn_model *copy)
{
    known_units known = {.count = 0};
    copy->units = u;
    copy->gravity = over(copy->gravity, u.length / (u.time * u.time));
    for (int k = 0; k < copy->inputs.count; k++) // the first of with_inputs
        TN_TRY(take_input(copy, copy->inputs.at[k]));
    for (int k = 1; k < copy->bodies.count; k++)
        scale_body(u, &copy->bodies.at[k]);
    for (int k = 0; k < copy->joints.count; k++)
        TN_TRY(scale_joint(copy, &known, &copy->joints.at[k]));
    for (int k = 0; k < copy->forces.count; k++)
        TN_TRY(scale_force(copy, &known, &copy->forces.at[k]));
    return TN_OK;
}

tn_status tn_model_in_units(const tn_model *model, tn_units units, tn_model **out)
{
    *out = NULL;
    tn_model *copy = tn_alloc(sizeof *copy);
    TN_TRY(tn_got(copy));
    *copy = *model;
    copy->bodies.at = NULL;
    copy->joints.at = NULL;
    copy->forces.at = NULL;
    copy->joint_definitions = NULL;
    memset(&copy->owned, 0, sizeof copy->owned);
    memset(&copy->with_inputs, 0, sizeof copy->with_inputs);
    copy->source = tn_model_hold(model);
    copy->holders = 0;
    tn_status status = copy_arrays(model, copy);
    TN_THEN(status, scale(units, copy));
    TN_HAND_OUT(status, copy, tn_model_in_units_destroy, out);
}

void tn_model_eval_input(const tn_model *copy, int input, double t, double u[3])
{
    tn_timefn_eval(copy->with_inputs.at[input], t, u);
}

void tn_model_put_numbers(const tn_model *copy, int input, const double number[TN_INPUT_NUMBERS])
{
    for (int i = 0; i < copy->with_inputs.count; i++)
        tn_timefn_set_input(copy->with_inputs.at[i], copy->inputs.at[input], number);
}

void tn_model_start_inputs(const tn_model *copy, double t_start)
{
    double number[TN_INPUT_NUMBERS];
    for (int i = 0; i < copy->inputs.count; i++) {
        tn_input_start(copy->inputs.at[i], t_start, number);
        tn_model_put_numbers(copy, i, number);
    }
}

void tn_model_in_units_destroy(tn_model *copy)
{
    if (!copy)
        return;
    for (int k = 0; copy->joints.at && k < copy->joints.count; k++) {
        const tn_joint_data *joint = &copy->joints.at[k];
        if (joint->ops->shapes && joint->def->contact.touch->source)
            tn_touch_destroy(joint->def->contact.touch);
    }
    for (int k = 0; copy->forces.at && k < copy->forces.count; k++) {
        tn_joint_def *shapes = copy->forces.at[k].shapes;
        if (shapes && shapes->contact.touch->source)
            tn_force_shapes_destroy(shapes);
    }
    for (int i = 0; i < copy->owned.count; i++)
        tn_free(copy->owned.at[i]);
    tn_array_free(&copy->owned);
    tn_array_free(&copy->with_inputs);
    tn_model_release(copy->source);
    TN_FREE(copy->bodies.at, copy->joints.at, copy->forces.at, copy->joint_definitions, copy);
}
