// SPDX-License-Identifier: MIT
//
// A model in units of its own size; see units.h. With the unit c of a coordinate (a length, or 1
// for an angle) and the unit E of energy, forces on it are E / c, stiffnesses E / c^2, and so on.

#include "model/units.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

const tn_units tn_units_si = {1.0, 1.0, 1.0};

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

static double joint_size(const tn_model *model, const tn_joint_data *joint)
{
    const tn_joint_def *def = &joint->def;
    double size = 0.0;
    if (joint->ops->relative)
        size = fmax(lever(model, def->body_a, def->frame_a.p),
                    lever(model, def->body_b, def->frame_b.p));
    if (def->kind == TN_JOINT_DISTANCE)
        size = fmax(size, def->distance.length);
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
    if (def->kind == TN_FORCE_SPRING && def->spring.free_given)
        size = fmax(size, def->spring.free);
    return size;
}

// Bodies that are points without levers: how far they are from each other tells, or where all are
// in one place, how far they are from the origin.
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

static void scale_body(tn_units u, tn_body_data *body)
{
    tn_body_def *def = &body->def;
    const double inertia = u.mass * u.length * u.length;
    def->mass /= u.mass;
    def->com = over(def->com, u.length);
    def->inertia = over(def->inertia, inertia);
    def->products = over(def->products, inertia);
    def->frame = frame_over(def->frame, u.length);
    def->velocity = over(def->velocity, u.length / u.time);
    def->rate = tn_v3_scale(u.time, def->rate);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            body->inertia.m[i][j] /= inertia;
}

double tn_unit_joint_coordinate(const tn_model *model, tn_units u, tn_joint joint, int coordinate)
{
    return tn_unit_coordinate(u, model->joints.at[joint.index].ops->coords[coordinate].unit);
}

// The unit of what function i of a joint gives.
static double motion_unit(const tn_model *model, tn_units u, const tn_joint_def *def, int i)
{
    if (def->kind == TN_JOINT_DRIVE)
        return tn_unit_joint_coordinate(model, u, def->drive.joint, def->drive.coordinate);
    return def->kind == TN_JOINT_POSE_DRIVE && i < 3 ? u.length : 1.0;
}

// A function with inputs has numbers of its own in each copy.
static tn_status take_function(tn_model *copy, tn_timefn **f)
{
    tn_timefn *own = NULL;
    if (!tn_timefn_input(*f))
        return TN_OK;
    TN_TRY(tn_timefn_copy(*f, &own));
    TN_TRY(tn_model_own(copy, own));
    *f = own;
    return tn_array_push(&copy->with_inputs, own);
}

// value(argument) of a function in the units of the copy.
static tn_status scale_function(tn_model *copy, double argument, double value, tn_timefn **f)
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

// What a kind has beyond frames and start values. A gear counts in the unit of its first
// coordinate.
static void scale_kind(const tn_model *model, tn_units u, tn_joint_def *def)
{
    if (def->kind == TN_JOINT_SCREW)
        def->screw.pitch /= u.length;
    if (def->kind == TN_JOINT_DISTANCE)
        def->distance.length /= u.length;
    if (def->kind == TN_JOINT_RACK_PINION)
        def->rack_pinion.radius /= u.length;
    if (def->kind == TN_JOINT_GEAR)
        def->gear.ratio_2 *=
            tn_unit_joint_coordinate(model, u, def->gear.joint_2, def->gear.coordinate_2) /
            tn_unit_joint_coordinate(model, u, def->gear.joint_1, def->gear.coordinate_1);
}

static tn_status scale_joint(tn_model *copy, tn_units u, tn_joint_data *joint)
{
    tn_joint_def *def = &joint->def;
    def->frame_a = frame_over(def->frame_a, u.length);
    def->frame_b = frame_over(def->frame_b, u.length);
    for (int i = 0; i < joint->ops->ncoord; i++) {
        const double unit = tn_unit_coordinate(u, joint->ops->coords[i].unit);
        def->position[i] /= unit;
        def->rate[i] /= unit / u.time;
    }
    scale_kind(copy, u, def);
    for (int i = 0; i < TN_COUNT(joint->u); i++)
        TN_TRY(scale_function(copy, u.time, motion_unit(copy, u, def, i), &joint->u[i]));
    return TN_OK;
}

bool tn_force_acts_on_length(const tn_model *model, const tn_force_data *force)
{
    const tn_joint_data *joint = model->joints.at + force->def.joint.index;
    return force->ops->on_joint ? is_length(joint->ops->coords[force->def.coordinate].unit)
                                : force->def.kind != TN_FORCE_TORSION_SPRING;
}

// Deflections, forces, and the energies at the knots.
static tn_status scale_table(tn_model *copy, tn_force_data *force, double c, double energy)
{
    const int n = force->def.spring.ntable;
    double *table = tn_alloc(3 * (size_t)n * sizeof(double));
    TN_TRY(tn_model_own(copy, table));
    for (int i = 0; i < n; i++) {
        table[i] = force->table[i] / c;
        table[n + i] = force->table[n + i] / (energy / c);
        table[2 * n + i] = force->table[2 * n + i] / energy;
    }
    force->table = table;
    force->def.spring.table_x = table;
    force->def.spring.table_f = table + n;
    return TN_OK;
}

static tn_status scale_spring(tn_model *copy, tn_units u, double c, tn_force_data *force)
{
    const double energy = tn_unit_energy(u);
    tn_force_def *def = &force->def;
    def->spring.stiffness /= energy / (c * c);
    def->spring.damping /= energy * u.time / (c * c);
    def->spring.cubic /= energy / (c * c * c * c);
    def->spring.free /= c;
    def->spring.preload /= energy / c;
    force->free /= c;
    if (!force->table)
        return TN_OK;
    TN_TRY(scale_function(copy, c, energy / c, &force->u[0]));
    return scale_table(copy, force, c, energy);
}

static void scale_stop(tn_units u, double c, tn_force_def *def)
{
    def->stop.lower /= c;
    def->stop.upper /= c;
    def->stop.stiffness /= tn_unit_energy(u) / pow(c, def->stop.exponent + 1.0);
    def->stop.damping /= u.time / c;
}

static void scale_bushing(tn_units u, tn_force_def *def)
{
    const double energy = tn_unit_energy(u), stiffness = energy / (u.length * u.length);
    def->bushing.stiffness = over(def->bushing.stiffness, stiffness);
    def->bushing.rotational_stiffness = over(def->bushing.rotational_stiffness, energy);
    def->bushing.damping = over(def->bushing.damping, stiffness * u.time);
    def->bushing.rotational_damping = over(def->bushing.rotational_damping, energy * u.time);
}

static tn_status scale_force(tn_model *copy, tn_units u, tn_force_data *force)
{
    const double c = tn_force_acts_on_length(copy, force) ? u.length : 1.0,
                 energy = tn_unit_energy(u);
    tn_force_def *def = &force->def;
    def->frame_a = frame_over(def->frame_a, u.length);
    def->frame_b = frame_over(def->frame_b, u.length);
    switch (def->kind) {
    case TN_FORCE_SPRING:
    case TN_FORCE_TORSION_SPRING:
    case TN_FORCE_JOINT_SPRING:
        return scale_spring(copy, u, c, force);
    case TN_FORCE_JOINT_STOP:
        scale_stop(u, c, def);
        return TN_OK;
    case TN_FORCE_BUSHING:
        scale_bushing(u, def);
        return TN_OK;
    case TN_FORCE_MOTOR:
        return scale_function(copy, u.time, energy / c, &force->u[0]);
    default:
        for (int i = 0; i < TN_COUNT(force->u); i++)
            TN_TRY(scale_function(copy, u.time, i < 3 ? tn_unit_force(u) : energy, &force->u[i]));
        return TN_OK;
    }
}

static void *copy_of(const void *from, int count, size_t size)
{
    void *to = tn_alloc(size * (size_t)(count + 1));
    if (to && count > 0)
        memcpy(to, from, size * (size_t)count);
    return to;
}

static tn_status copy_arrays(const tn_model *model, tn_model *copy)
{
    copy->bodies.at = copy_of(model->bodies.at, model->bodies.count, sizeof *model->bodies.at);
    copy->joints.at = copy_of(model->joints.at, model->joints.count, sizeof *model->joints.at);
    copy->forces.at = copy_of(model->forces.at, model->forces.count, sizeof *model->forces.at);
    const bool ok = copy->bodies.at && copy->joints.at && copy->forces.at;
    return ok ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
}

// The input alone, in SI units.
static tn_status take_input(tn_model *copy, const tn_input_data *input)
{
    const tn_named_value name = {input->name, 0.0, input};
    tn_timefn *alone = NULL;
    TN_TRY(tn_timefn_expression(input->name, 1, &name, &alone));
    tn_timefn *own = alone;
    const tn_status status = take_function(copy, &own);
    tn_timefn_destroy(alone);
    return status;
}

static tn_status scale(tn_units u, tn_model *copy)
{
    copy->units = u;
    copy->gravity = over(copy->gravity, u.length / (u.time * u.time));
    for (int k = 0; k < copy->inputs.count; k++) // the first of with_inputs
        TN_TRY(take_input(copy, copy->inputs.at[k]));
    for (int k = 1; k < copy->bodies.count; k++)
        scale_body(u, &copy->bodies.at[k]);
    for (int k = 0; k < copy->joints.count; k++)
        TN_TRY(scale_joint(copy, u, &copy->joints.at[k]));
    for (int k = 0; k < copy->forces.count; k++)
        TN_TRY(scale_force(copy, u, &copy->forces.at[k]));
    return TN_OK;
}

tn_status tn_model_in_units(const tn_model *model, tn_units units, tn_model **out)
{
    *out = NULL;
    tn_model *copy = tn_alloc(sizeof *copy);
    if (!copy)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    *copy = *model;
    copy->bodies.at = NULL;
    copy->joints.at = NULL;
    copy->forces.at = NULL;
    memset(&copy->owned, 0, sizeof copy->owned);
    memset(&copy->with_inputs, 0, sizeof copy->with_inputs);
    copy->source = tn_model_hold(model);
    copy->holders = 0;
    tn_status status = copy_arrays(model, copy);
    if (status == TN_OK)
        status = scale(units, copy);
    if (status == TN_OK)
        *out = copy;
    else
        tn_model_in_units_destroy(copy);
    return status;
}

void tn_model_eval_input(const tn_model *copy, int input, double t, double u[3])
{
    tn_timefn_eval(copy->with_inputs.at[input], t, u);
}

void tn_model_input_numbers(const tn_model *copy, int input, double s, const double u[3],
                            double number[TN_INPUT_NUMBERS])
{
    double now[3];
    tn_model_eval_input(copy, input, s, now);
    tn_input_numbers(copy->inputs.at[input], s, u, now, number);
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
    for (int i = 0; i < copy->owned.count; i++)
        tn_free(copy->owned.at[i]);
    tn_array_free(&copy->owned);
    tn_array_free(&copy->with_inputs);
    tn_model_release(copy->source);
    tn_free(copy->bodies.at);
    tn_free(copy->joints.at);
    tn_free(copy->forces.at);
    tn_free(copy);
}
