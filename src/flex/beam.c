// SPDX-License-Identifier: MIT
//
// Beams: each becomes nodes, which are rigid bodies, and elements, which are forces between
// neighbours (force_beam_element.c). Inertia is lumped: a node has that of the half elements beside
// it, as a disc of no thickness, so that of its Euler tensor the part along the beam is zero
// [LMO08, eq. 114]; elements may spread it between nodes (absolute_spread.c). Both the mass and the
// strain are of second order in the length of elements.
//
// A tapered beam has a section of its own in each element, from integrals over it: the mean of its
// inertia, and as stiffness the inverse of the mean of compliances, which is exact where force and
// moment do not change along the element.

#include "flex/beam.h"

#include "base/alloc.h"
#include "lie/se3.h"
#include "model/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ELEMENTS = 100000 };

static const char *const lines[] = {"straight", "arc", "curve", "spline", NULL};

static const char *const inertias[] = {"lumped", "consistent", NULL};

#define BEAM_PARAM(member, type, key, of_unit, ...) \
    TN_PARAM(tn_beam_def, member, type, key, of_unit, __VA_ARGS__)

const tn_param tn_beam_params[] = {
    BEAM_PARAM(elements, INTEGER, "elements", "", .range = TN_AT_LEAST_ONE, .fallback = 10.0,
               .text = "how many, at equal distances along the line"),
    BEAM_PARAM(line, CHOICE, "line", "", .choices = lines,
               .text = "straight between two `points`, an arc of a circle through three, a "
                       "curve by expressions `x`, `y`, `z`, or a smooth spline through three "
                       "`points` or more, which closes where the last is the first"),
    BEAM_PARAM(curve.x, TEXT, "x", "m", .role = TN_ROLE_CURVE,
               .text = "of a curve: x as an expression of s"),
    BEAM_PARAM(curve.y, TEXT, "y", "m", .role = TN_ROLE_CURVE,
               .text = "of a curve: y as an expression of s"),
    BEAM_PARAM(curve.z, TEXT, "z", "m", .role = TN_ROLE_CURVE,
               .text = "of a curve: z as an expression of s"),
    BEAM_PARAM(curve.from[0], NUMBER, "from", "", .fallback = 0.0,
               .text = "of a curve: s at its start"),
    BEAM_PARAM(curve.to[0], NUMBER, "to", "", .fallback = 1.0, .text = "of a curve: s at its end"),
    BEAM_PARAM(start_direction, VEC3, "start_direction", "", .role = TN_ROLE_DIRECTION,
               .text = "of a spline: direction of its start; when left out, the start is free"),
    BEAM_PARAM(end_direction, VEC3, "end_direction", "", .role = TN_ROLE_DIRECTION,
               .text = "of a spline: direction of its end; when left out, the end is free"),
    BEAM_PARAM(x_axis, VEC3, "x_axis", "", .role = TN_ROLE_DIRECTION,
               .text = "direction of x of the section at the start; when left out, any"),
    BEAM_PARAM(inertia, CHOICE, "inertia", "", .choices = inertias,
               .text = "of elements: lumped at the nodes, or consistent with velocities that are "
                       "linear along an element, which is for absolute coordinates"),
    BEAM_PARAM(damping, NUMBER, "damping", "s", .range = TN_NONNEGATIVE,
               .text = "forces and moments by rates of strain: stiffness times this time"),
    BEAM_PARAM(tension, NUMBER, "tension", "N", .text = "axial force that it starts with"),
    BEAM_PARAM(bend, VEC3, "bend", "1/m", .given = offsetof(tn_beam_def, given_bend),
               .text = "curvature about x, y and z of the section that it has without strain; when "
                       "left out, that of the line: it starts without strain"),
    BEAM_PARAM(nnode, NUMBERS, "nodes", "m",
               .text = "distances along the line at which there are nodes, too"),
};
const int tn_beam_param_count = TN_COUNT(tn_beam_params);

const tn_param tn_beam_start_params[] = {
    BEAM_PARAM(velocity, VEC3, "velocity", "m/s", .role = TN_ROLE_DIRECTION,
               .text = "of the start of the beam"),
    BEAM_PARAM(rate, VEC3, "rate", "rad/s", .role = TN_ROLE_DIRECTION,
               .text = "angular velocity of the whole, inertial axes: it moves as a rigid body at "
                       "first"),
};
const int tn_beam_start_param_count = TN_COUNT(tn_beam_start_params);

tn_beam_def tn_default_beam(void)
{
    tn_beam_def def = {0};
    tn_params_default(tn_beam_param_count, tn_beam_params, &def);
    tn_params_default(tn_section_param_count, tn_section_params, &def.section);
    return def;
}

// Sections ----------------------------------------------------------------------------------------

// The section at a part of the way from start to end: all of its numbers go linearly.
static tn_section_def section_between(const tn_beam_def *def, double part)
{
    tn_section_def out = def->section;
    for (int i = 0; i < tn_section_param_count; i++) {
        const tn_param *param = &tn_section_params[i];
        const int n = param->type == TN_PARAM_NUMBER ? 1 : param->type == TN_PARAM_VEC3 ? 3 : 0;
        double *to = (double *)((char *)&out + param->offset);
        const double *end = (const double *)((const char *)&def->end_section + param->offset);
        for (int k = 0; k < n; k++)
            to[k] += part * (end[k] - to[k]);
    }
    return out;
}

// Adds the section at one place of an element with its weight: inertia and compliances.
static void add_section(double weight, const tn_section *at, tn_section *sum)
{
    const double *in[2] = {&at->stiffness.x, &at->rotational_stiffness.x};
    double *out[2] = {&sum->stiffness.x, &sum->rotational_stiffness.x};
    for (int part = 0; part < 2; part++)
        for (int k = 0; k < 3; k++)
            out[part][k] += weight / in[part][k]; // infinite where there is no stiffness
    sum->mass += weight * at->mass;
    sum->inertia_x += weight * at->inertia_x;
    sum->inertia_y += weight * at->inertia_y;
}

static tn_vec3 inverse_of(tn_vec3 compliance)
{
    return tn_v3(1.0 / compliance.x, 1.0 / compliance.y, 1.0 / compliance.z);
}

// Computes the section between two distances, by Gauss's rule with four places.
static tn_status section_over(const tn_beam_def *def, const tn_section *start, double length,
                              double from, double to, const char *what, tn_section *out)
{
    static const double place[2] = {0.3399810435848563, 0.8611363115940526};
    static const double weight[2] = {0.6521451548625461, 0.3478548451374538};
    *out = *start;
    if (!def->tapers)
        return TN_OK;
    out->stiffness = out->rotational_stiffness = (tn_vec3){0};
    out->mass = out->inertia_x = out->inertia_y = 0.0;
    for (int k = 0; k < 4; k++) {
        const double u = k % 2 ? place[k / 2] : -place[k / 2];
        const double s = 0.5 * (from + to) + 0.5 * (to - from) * u;
        const tn_section_def here = section_between(def, s / length);
        tn_section at;
        TN_TRY(tn_section_of(&here, what, &at));
        add_section(0.5 * weight[k / 2], &at, out);
    }
    out->stiffness = inverse_of(out->stiffness);
    out->rotational_stiffness = inverse_of(out->rotational_stiffness);
    return TN_OK;
}

// Nodes -------------------------------------------------------------------------------------------

// Length of the half elements before and after node k.
static void halves(const tn_beam_line *line, int k, double *before, double *after)
{
    *before = k > 0 ? 0.5 * (line->s[k] - line->s[k - 1]) : 0.0;
    *after = k + 1 < line->n ? 0.5 * (line->s[k + 1] - line->s[k]) : 0.0;
}

// Returns true if node k is the nearest to a place, of two that are as near the first.
static bool is_nearest(const tn_beam_line *line, int k, double place)
{
    const double here = fabs(line->s[k] - place);
    return (k == 0 || here < fabs(line->s[k - 1] - place)) &&
           (k + 1 == line->n || here <= fabs(line->s[k + 1] - place));
}

static int nearest_node(const tn_beam_line *line, double place)
{
    int k = 0;
    while (!is_nearest(line, k, place))
        k++;
    return k;
}

static double mass_at(const tn_beam_def *def, const tn_beam_line *line, int k)
{
    double sum = 0.0;
    for (int i = 0; i < def->nmass; i++)
        sum += is_nearest(line, k, def->mass_at[i]) ? def->mass[i] : 0.0;
    return sum;
}

// Moments of inertia of an interval, as a disc of no thickness.
static tn_vec3 disc_of(const tn_section *section, double length)
{
    return tn_v3_scale(length, tn_v3(section->inertia_x, section->inertia_y,
                                     section->inertia_x + section->inertia_y));
}

// Adds half of the inertia of an element to node k, which has one before and one after it.
static void add_half(const tn_section *section, double half, tn_body_def *node)
{
    node->mass += section->mass * half;
    node->inertia = tn_v3_add(node->inertia, disc_of(section, half));
}

// `element` lists the sections of all elements.
static tn_status add_node(tn_model *model, const tn_beam_def *def, const tn_beam_line *line,
                          const tn_section *element, int k)
{
    double before, after;
    char name[512];
    halves(line, k, &before, &after);
    const tn_vec3 arm = tn_v3_sub(line->frame[k].p, line->frame[0].p);
    tn_body_def node = tn_default_body();
    snprintf(name, sizeof name, "%s.%d", def->name, k);
    node.name = name;
    node.mass = mass_at(def, line, k);
    node.inertia = (tn_vec3){0};
    if (k > 0)
        add_half(&element[k - 1], before, &node);
    if (k + 1 < line->n)
        add_half(&element[k], after, &node);
    node.frame = line->frame[k];
    node.velocity = tn_v3_add(def->velocity, tn_v3_cross(def->rate, arm));
    node.rate = tn_m3_apply_t(line->frame[k].R, def->rate);
    node.given_position = node.given_rotation = true;
    node.given_velocity = node.given_rate =
        tn_v3_norm(def->velocity) > 0.0 || tn_v3_norm(def->rate) > 0.0;
    tn_model_add_body(model, &node);
    return tn_model_status(model);
}

// Elements ----------------------------------------------------------------------------------------

static tn_status add_element(tn_model *model, const tn_beam_def *def, const tn_beam_line *line,
                             const tn_section *section, int first, int k)
{
    const double length = line->s[k + 1] - line->s[k];
    char name[512];
    double h[6];
    tn_se3_log(tn_frame_mul(tn_frame_inverse(line->frame[k]), line->frame[k + 1]), h);
    tn_force_def element = tn_force_def_of(model->kinds, TN_FORCE_BEAM_ELEMENT);
    snprintf(name, sizeof name, "%s.e%d", def->name, k + 1);
    element.name = name;
    element.body_a = (tn_body){first + k};
    element.body_b = (tn_body){first + k + 1};
    element.beam.length = length;
    element.beam.stiffness = section->stiffness;
    element.beam.rotational_stiffness = section->rotational_stiffness;
    element.beam.damping = def->damping;
    element.beam.stretch = def->given_bend ? tn_v3(0.0, 0.0, length) : tn_v3_from(h);
    element.beam.turn = def->given_bend ? tn_v3_scale(length, def->bend) : tn_v3_from(h + 3);
    if (def->inertia == TN_INERTIA_CONSISTENT) {
        element.beam.mass = length * section->mass;
        element.beam.inertia = disc_of(section, length);
    }
    if (def->tension != 0.0)
        element.beam.stretch.z -= length * def->tension / section->stiffness.z;
    tn_model_add_force(model, &element);
    return tn_model_status(model);
}

// -------------------------------------------------------------------------------------------------

static tn_status check_taper(const tn_beam_def *def, const char *what)
{
    char at_end[320];
    tn_section unused;
    if (!def->tapers)
        return TN_OK;
    if (def->end_section.kind != def->section.kind)
        return tn_fail(TN_ERR_MODEL,
                       "%s: end_section: it is of another kind than the section of its start; the "
                       "two ends of a taper are of one kind",
                       what);
    snprintf(at_end, sizeof at_end, "%.280s: end_section", what);
    return tn_section_named(&def->end_section, at_end, &unused);
}

static tn_status check_beam(tn_model *model, const tn_beam_def *def, const char *what,
                            tn_section *section)
{
    if (!def->name || !*def->name)
        return tn_fail(TN_ERR_MODEL, "a beam has no name; its nodes and elements are named by it");
    if (tn_table_find(model->body_names, def->name) >= 0)
        return tn_fail(TN_ERR_MODEL, "%s: the name is used twice", what);
    for (int k = 0; k < model->beams.count; k++)
        if (!strcmp(model->beams.at[k].name, def->name))
            return tn_fail(TN_ERR_MODEL, "%s: the name is used twice", what);
    TN_TRY(tn_params_check(tn_beam_param_count, tn_beam_params, def, what));
    TN_TRY(tn_params_check(tn_beam_start_param_count, tn_beam_start_params, def, what));
    if (def->elements > MOST_ELEMENTS)
        return tn_fail(TN_ERR_MODEL, "%s: elements: %d; take at most %d", what, def->elements,
                       MOST_ELEMENTS);
    for (int k = 0; k < def->nmass; k++)
        if (!(def->mass[k] >= 0.0 && isfinite(def->mass[k])))
            return tn_fail(TN_ERR_MODEL, "%s: masses: %g kg is not a mass; it must not be negative",
                           what, def->mass[k]);
    TN_TRY(tn_section_of(&def->section, what, section));
    TN_TRY(check_taper(def, what));
    if (def->tension != 0.0 && section->stiffness.z == 0.0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: tension: it is %g N, but the section has no stiffness against stretch "
                       "(EA) that could carry it; state one, or leave out the tension",
                       what, def->tension);
    return TN_OK;
}

static tn_status add_place(tn_model *model, const tn_beam_def *def, const char *place, int body)
{
    char name[512];
    snprintf(name, sizeof name, "%s.%s", def->name, place);
    if (!*place || tn_table_find(model->body_names, name) >= 0)
        return tn_fail(TN_ERR_MODEL,
                       "body '%s': places: '%s' is no name for a place, or one that it has already",
                       def->name, place);
    const char *kept = tn_pool_text(&model->names, name, strlen(name));
    TN_TRY(tn_got(kept));
    return tn_table_add(model->body_names, kept, body);
}

static bool is_element_name(const char *name) // e1, e2, ...
{
    return name[0] == 'e' && name[1] && strspn(name + 1, "0123456789") == strlen(name + 1);
}

static tn_status add_places(tn_model *model, const tn_beam_def *def, const tn_beam_line *line,
                            int first)
{
    TN_TRY(add_place(model, def, "start", first));
    TN_TRY(add_place(model, def, "end", first + line->n - 1));
    for (int i = 0; i < def->nplace; i++)
        if (strchr(def->place_name[i], '.') || is_element_name(def->place_name[i]))
            return tn_fail(TN_ERR_MODEL,
                           "body '%s': places: '%s' has a dot, or is that of an element; take "
                           "another name",
                           def->name, def->place_name[i]);
    for (int i = 0; i < def->nplace; i++)
        TN_TRY(add_place(model, def, def->place_name[i],
                         first + nearest_node(line, def->place_at[i])));
    return TN_OK;
}

static tn_status add_parts(tn_model *model, const tn_beam_def *def, const char *what,
                           const tn_beam_line *line, const tn_beam_data *data)
{
    const int n = line->n;
    tn_section *element = tn_alloc((size_t)n * sizeof *element); // of all elements
    tn_status status = tn_got(element);
    for (int k = 0; k + 1 < n && status == TN_OK; k++)
        status = section_over(def, &data->section, line->s[n - 1], line->s[k], line->s[k + 1], what,
                              &element[k]);
    for (int k = 0; k < n && status == TN_OK; k++)
        status = add_node(model, def, line, element, k);
    for (int k = 0; k + 1 < n && status == TN_OK; k++)
        status = add_element(model, def, line, &element[k], data->body, k);
    tn_free(element);
    return status;
}

static tn_status build(tn_model *model, const tn_beam_def *def, const char *what,
                       tn_beam_line *line)
{
    tn_beam_data data = {
        .body = model->bodies.count, .force = model->forces.count, .stated = def->section};
    TN_TRY(check_beam(model, def, what, &data.section));
    TN_TRY(tn_beam_line_make(model, def, what, line));
    TN_TRY(add_parts(model, def, what, line, &data));
    TN_TRY(add_places(model, def, line, data.body));
    data.nnode = line->n;
    data.name = tn_strdup(def->name);
    data.s = line->s;
    tn_status status = tn_got(data.name);
    TN_THEN(status, tn_array_push(&model->beams, data));
    if (status == TN_OK)
        line->s = NULL; // the model has it now
    else
        tn_free(data.name);
    return status;
}

tn_beam tn_model_add_beam(tn_model *model, const tn_beam_def *def)
{
    TN_NEED_ALL(((tn_beam){-1}), model, def);
    tn_beam_line line = {0};
    char what[300];
    if (tn_model_open_to_change(model) != TN_OK)
        return (tn_beam){-1};
    snprintf(what, sizeof what, "body '%.250s'", def->name ? def->name : "");
    const tn_status status = build(model, def, what, &line);
    tn_beam_line_clear(&line);
    tn_model_keep_error(model, status);
    return (tn_beam){status == TN_OK ? model->beams.count - 1 : -1};
}

// Reading -----------------------------------------------------------------------------------------

#define BEAM_GETTER(type, name, neutral, value)                                        \
    TN_GETTER_AT(type, name, (const tn_model *model, tn_beam beam), model, beam.index, \
                 model->beams.count, neutral, value)

TN_GETTER(int, tn_model_beam_count, (const tn_model *model), model, 0, model->beams.count);
BEAM_GETTER(const char *, tn_model_beam_name, "", model->beams.at[beam.index].name);
BEAM_GETTER(int, tn_model_beam_node_count, 0, model->beams.at[beam.index].nnode);
BEAM_GETTER(double, tn_beam_length, 0.0,
            model->beams.at[beam.index].s[model->beams.at[beam.index].nnode - 1]);

static const tn_beam_data *beam_of(const tn_model *model, tn_beam beam)
{
    return model && beam.index >= 0 && beam.index < model->beams.count
               ? &model->beams.at[beam.index]
               : NULL;
}

tn_body tn_model_beam_node(const tn_model *model, tn_beam beam, int k)
{
    const tn_beam_data *data = beam_of(model, beam);
    return (tn_body){data && k >= 0 && k < data->nnode ? data->body + k : -1};
}

tn_force tn_model_beam_element(const tn_model *model, tn_beam beam, int k)
{
    const tn_beam_data *data = beam_of(model, beam);
    return (tn_force){data && k >= 0 && k + 1 < data->nnode ? data->force + k : -1};
}

double tn_model_beam_place(const tn_model *model, tn_beam beam, int k)
{
    const tn_beam_data *data = beam_of(model, beam);
    return data && k >= 0 && k < data->nnode ? data->s[k] : 0.0;
}

// Names ------------------------------------------------------------------------------------------

tn_beam tn_beam_named(const tn_model *model, const char *name)
{
    for (int k = 0; k < model->beams.count; k++)
        if (!strcmp(model->beams.at[k].name, name))
            return (tn_beam){k};
    return (tn_beam){-1};
}

tn_body tn_beam_node_at(const tn_model *model, tn_beam beam, double s)
{
    const tn_beam_data *data = beam_of(model, beam);
    for (int k = 0; data && k < data->nnode; k++)
        if (fabs(data->s[k] - s) <= TN_SAME_PLACE * data->s[data->nnode - 1])
            return (tn_body){data->body + k};
    return (tn_body){-1};
}

bool tn_body_is_node(const tn_model *model, tn_body body)
{
    for (int k = 0; k < model->beams.count; k++)
        if (body.index >= model->beams.at[k].body &&
            body.index < model->beams.at[k].body + model->beams.at[k].nnode)
            return true;
    for (int k = 0; k < model->modals.count; k++)
        if (body.index >= model->modals.at[k].attachment &&
            body.index < model->modals.at[k].attachment + model->modals.at[k].nattachment)
            return true;
    return false;
}
