// SPDX-License-Identifier: MIT
//
// The reference page of the model format and the help on one kind, written from the parameter
// tables and the key lists of the reader.

#include "tenon/help.h"

#include "base/buffer.h"
#include "io/model_yaml.h"
#include "model/event.h"
#include "model/own.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    tn_buffer out;
    bool markdown; // tables for the page, aligned columns for the terminal otherwise
} text;

static const char REQUIRED[] = "required";

#define put(t, ...) tn_buffer_format(&(t)->out, __VA_ARGS__)

static void table_head(text *t, bool with_defaults)
{
    if (t->markdown && with_defaults)
        put(t, "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    else if (t->markdown)
        put(t, "| key | value | unit | meaning |\n|---|---|---|---|\n");
}

// `fallback` is NULL in tables without defaults.
static void table_row(text *t, const char *name, const char *type, const char *unit,
                      const char *fallback, const char *meaning)
{
    if (t->markdown) {
        put(t, "| `%s` | %s | %s | %s%s%s |\n", name, type, unit, fallback ? fallback : "",
            fallback ? " | " : "", meaning);
        return;
    }
    const bool required = fallback && strcmp(fallback, REQUIRED) == 0;
    const bool stated = fallback && *fallback;
    put(t, "  %-20s  %s%s%s%s\n", name, meaning, *unit ? " [" : "", unit, *unit ? "]" : "");
    put(t, "  %-20s    %s%s%s\n", "", type,
        required ? ", "
        : stated ? ", default "
                 : "",
        stated ? fallback : "");
}

static void key_rows(text *t, tn_key_list keys)
{
    for (int i = 0; i < keys.count; i++)
        table_row(t, keys.at[i].name, keys.at[i].type, keys.at[i].unit, NULL, keys.at[i].text);
}

static const char *list_number(char *buffer, size_t size, double value)
{
    if (!isfinite(value))
        return "none";
    snprintf(buffer, size, "%g", value);
    return buffer;
}

// What a definition struct with defaults holds in the place of a parameter.
static const char *default_text(const tn_param *p, const void *def, char *buffer, size_t size)
{
    const void *at = (const char *)def + p->offset;
    if (p->required)
        return REQUIRED;
    if (p->given)
        return "";
    switch (p->type) {
    case TN_PARAM_NUMBER:
        if (p->range == TN_POSITIVE && *(const double *)at <= 0.0)
            return ""; // the text says what happens when it is left out
        return list_number(buffer, size, *(const double *)at);
    case TN_PARAM_INTEGER:
        snprintf(buffer, size, "%d", *(const int *)at);
        return buffer;
    case TN_PARAM_BOOL:
        return *(const bool *)at ? "true" : "false";
    case TN_PARAM_VEC3: {
        const tn_vec3 *v = at;
        snprintf(buffer, size, "[%g, %g, %g]", v->x, v->y, v->z);
        return buffer;
    }
    case TN_PARAM_FUNCTION:
    case TN_PARAM_FUNCTION3:
        return "0";
    case TN_PARAM_TEXT:
        snprintf(buffer, size, "%s", *(const char *const *)at);
        return buffer;
    default:
        return "";
    }
}

static void write_params(text *t, int n, const tn_param *params, const void *def)
{
    table_head(t, true);
    for (int i = 0; i < n; i++) {
        const tn_param *p = &params[i];
        const bool bounded = p->range != TN_ANY && p->range != TN_UNBOUNDED;
        char fallback[128], meaning[512];
        snprintf(meaning, sizeof(meaning), "%s%s%s", p->text, bounded ? "; " : "",
                 bounded ? tn_range_text(p->range) : "");
        table_row(t, p->name,
                  tn_param_is_coordinate(p) ? "whole number or name" : tn_param_type_text(p->type),
                  p->unit, default_text(p, def, fallback, sizeof(fallback)), meaning);
    }
}

static void heading(text *t, const char *list, const char *name, const char *words)
{
    if (t->markdown)
        put(t, "### %s\n\n%c%s.\n\n", name, words[0] - 'a' + 'A', words + 1);
    else
        put(t, "%s%s %s: %s\n\n", t->out.length ? "\n" : "", list, name, words);
}

static void write_body(text *t, int kind)
{
    const tn_body_def def = tn_default_body();
    const tn_body_ops *ops = tn_body_ops_of(kind);
    const int split = tn_body_property_count(ops);
    heading(t, "body", ops->name, ops->text);
    write_params(t, split, ops->params, &def);
    if (!t->markdown)
        key_rows(t, tn_keys_body);
    put(t, "\nIn `initial`:\n\n");
    write_params(t, ops->nparam - split, ops->params + split, &def);
    if (ops->turns == 1)
        for (int i = 0; i < tn_keys_planar_start.count; i++)
            table_row(t, tn_keys_planar_start.at[i].name, tn_keys_planar_start.at[i].type,
                      tn_keys_planar_start.at[i].unit, "", tn_keys_planar_start.at[i].text);
    put(t, t->markdown ? "\n" : "");
    if (t->markdown)
        return;
    put(t, "\nIn the list `shapes`, of kinds that have help of their own:");
    for (int i = 0; tn_shape_ops_of(i); i++)
        put(t, "%s %s", i ? "," : "", tn_shape_ops_of(i)->name);
    put(t, ".\n");
}

// "Coordinates: angle [rad], displacement [m]."
static void write_coordinates(text *t, const tn_joint_ops *ops)
{
    if (ops->ncoord == 0)
        return;
    put(t, "Coordinates: ");
    for (int i = 0; i < ops->ncoord; i++)
        put(t, "%s%s [%s]", i ? ", " : "", ops->coords[i].name, ops->coords[i].unit);
    put(t, ".\n\n");
}

static void write_joint(text *t, int kind)
{
    const tn_joint_ops *ops = tn_joint_ops_of(kind);
    const tn_joint_def def = tn_default_joint((tn_joint_kind)kind);
    heading(t, ops->coupling ? "coupling" : "joint", ops->name, ops->text);
    write_coordinates(t, ops);
    if (t->markdown && ops->prescribe)
        put(t, "Placed by `body` and `at`, or by `frame_b`, as forces on one body are.\n\n");
    if (ops->planar)
        put(t, "Between planar bodies it becomes `%s`.\n\n", ops->planar->name);
    if (ops->nparam > 0) {
        write_params(t, ops->nparam, ops->params, &def);
        put(t, t->markdown ? "\n" : "");
    }
    if (t->markdown)
        return;
    if (ops->relative)
        key_rows(t, ops->prescribe ? tn_keys_single : tn_keys_pair);
    key_rows(t, tn_keys_joint);
    if (ops->ncoord > 0) {
        put(t, "\nIn `initial`; a list has one number for each coordinate of the joint:\n\n");
        key_rows(t, tn_keys_joint_start);
    }
}

static void write_force(text *t, int kind)
{
    const tn_force_ops *ops = tn_force_ops_of(kind);
    const tn_force_def def = tn_default_force((tn_force_kind)kind);
    heading(t, "force", ops->name, ops->text);
    if (t->markdown)
        put(t, "Placed by %s.\n\n",
            ops->on_joint ? "`joint` and `coordinate`"
            : ops->single ? "`body` and `at`, or by `frame_b`"
                          : "`bodies`, `at_a` and `at_b` (or `at` and `axis`), or by frames");
    write_params(t, ops->nparam, ops->params, &def);
    put(t, t->markdown ? "\n" : "");
    if (t->markdown)
        return;
    key_rows(t, tn_force_place_keys(ops));
    key_rows(t, tn_keys_force);
}

static void write_shape(text *t, int kind)
{
    const tn_shape_ops *ops = tn_shape_ops_of(kind);
    const tn_shape_def def = tn_default_shape((tn_shape_kind)kind);
    heading(t, "shape", ops->name, ops->text);
    write_params(t, ops->nparam, ops->params, &def);
    put(t, t->markdown ? "\n" : "");
    if (!t->markdown)
        key_rows(t, tn_keys_shape);
}

static void write_function(text *t, int kind)
{
    const tn_own_kind *own = &tn_own_function_table(kind + 1)->kind;
    tn_own_values defaults = {0};

    heading(t, "function", own->name, own->text);
    tn_params_default(own->nparam, own->params, &defaults);
    write_params(t, own->nparam, own->params, &defaults);
}

static void (*const writers[TN_FAMILY_COUNT])(text *, int) = {write_body, write_joint, write_force,
                                                              write_shape, write_function};

static void write_kinds(text *t, tn_family family)
{
    for (int i = 0; tn_kind_name(family, i); i++)
        writers[family](t, i);
}

static void write_simulate(text *t)
{
    const tn_simulate simulate = tn_default_simulate();
    if (!t->markdown)
        put(t, "simulate: how to simulate, unless the caller says otherwise\n\n");
    write_params(t, tn_simulate_param_count, tn_simulate_params, &simulate);
}

static void write_keys(text *t, tn_key_list keys)
{
    table_head(t, false);
    key_rows(t, keys);
    put(t, "\n");
}

static const char opening[] =
    "# The model format\n"
    "\n"
    "This page is generated from the tables that the reader uses.\n"
    "\n"
    "A model file is YAML, or JSON, which is read in the same way. Units are SI and angles are\n"
    "radians, except where a key ends in `_deg`. A mistake is reported with file, line and\n"
    "column; a key that is not known is a mistake.\n"
    "\n"
    "```yaml\n"
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {L: 0.5, m: 2}\n"
    "bodies:\n"
    "  rod:\n"
    "    kind: planar\n"
    "    mass: m\n"
    "    inertia: m*(2*L)^2/12\n"
    "    initial: {position: [L, 0]}\n"
    "joints:\n"
    "  pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}\n"
    "forces:\n"
    "  friction: {kind: joint-spring, joint: pin, damping: 0.01}\n"
    "simulate: {method: galpha/ggl, t_end: 5, step: 1e-3}\n"
    "```\n"
    "\n";

static const char values[] =
    "## Values\n"
    "\n"
    "- **Numbers** may be expressions of the parameters: `mass: 2*m0`, `angle: pi/6`.\n"
    "- **Vectors** are lists of three numbers. For planar bodies, and for joints and forces "
    "between\n"
    "  them, two will do; so they will for `gravity`.\n"
    "- **Names** of bodies, joints and forces are the keys of their maps. Joints may refer to\n"
    "  joints that stand later in the file.\n"
    "- **Functions of time** are a number, an expression in `t` and the parameters, such as\n"
    "  `0.1*sin(w*t)`, or a table, `{table: [[0, 0], [1, 0.5], [2, 0]]}`: points at increasing\n"
    "  times. `interpolation` joins them: `linear`, `monotone` (a continuous slope, and never\n"
    "  beyond its points; what forces have when it is left out) or `spline` (a continuous second\n"
    "  derivative; drives). `beyond` says what comes before the first and after the last point:\n"
    "  `hold` (forces; smooth curves arrive with slope zero), `linear` (straight on; drives),\n"
    "  `periodic` or `error`, which refuses a run that goes there.\n"
    "- **Kinks and jumps in time** (conditions such as `t > 5`, `abs`, `min`, `max`, `sign`, the\n"
    "  ends of `step`, points of linear tables) are met by every method: a step ends there. A\n"
    "  drive must not jump, and its velocity only with `impulse: true`.\n"
    "- Expressions know `+ - * / ^`, comparisons, `&& ||`, `c ? a : b`, `pi`, `e`, and the\n"
    "  functions sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, ln, log10,\n"
    "  sqrt, abs, sign, min, max, if(c, a, b), and step(x, x0, u0, x1, u1), a smooth step.\n"
    "- **Rotations** are maps with one of `quaternion`, `axis` and `angle`, `angles`, or `x_axis`\n"
    "  and `z_axis`:\n"
    "\n";

static const char places[] =
    "### Where joints and forces sit\n"
    "\n"
    "A joint or force acts between a frame on body A and a frame on body B. Points and axes are\n"
    "stated in the inertial frame, for the start configuration that the bodies state; the frames\n"
    "on the bodies follow from that. Or the frames are stated in the frames of the bodies, as\n"
    "`frame_a` and `frame_b`.\n"
    "\n"
    "A point that is left out is the origin of its body. Axes that are left out are those of the\n"
    "inertial frame; in `frame_a` and `frame_b`, and where only one body is acted on, those of "
    "the\n"
    "body. The axes that `axis` leaves open are chosen, always in the same way; for\n"
    "`axis: [0, 0, 1]` they are those of the inertial frame. Between planar bodies things turn\n"
    "about z and need no `axis`; things that slide need it, in the plane.\n"
    "\n"
    "In results joints stand in the order of the file, except that a joint which another one\n"
    "refers to comes before it.\n"
    "\n"
    "All kinds have these keys, except those that couple the coordinates of other joints, and\n"
    "`pose-drive`:\n"
    "\n";

static void write_bodies(text *t)
{
    put(t, "## Bodies\n\n");
    write_keys(t, tn_keys_body);
    write_kinds(t, TN_FAMILY_BODY);
}

static void write_joints(text *t)
{
    put(t, "## Joints\n\n");
    write_keys(t, tn_keys_joint);
    put(t, "In `initial`; a list has one number for each coordinate of the joint:\n\n");
    write_keys(t, tn_keys_joint_start);
    put(t, "%s", places);
    write_keys(t, tn_keys_pair);
    put(t, "In `frame_a` and `frame_b`:\n\n");
    write_keys(t, tn_keys_frame);
    write_kinds(t, TN_FAMILY_JOINT);
}

static void write_forces(text *t)
{
    put(t, "## Forces\n\n");
    write_keys(t, tn_keys_force);
    put(t, "Forces between two bodies are placed as joints are. Forces on one body:\n\n");
    write_keys(t, tn_keys_single);
    put(t, "Forces on a joint coordinate:\n\n");
    write_keys(t, tn_keys_on_joint);
    write_kinds(t, TN_FAMILY_FORCE);
}

static const char events[] =
    "## Events\n"
    "\n"
    "`events` lists values that a joint coordinate, or a coordinate of the origin of a body, "
    "passes.\n"
    "The time is found on the dense output of the step, so that steps do not change, and told in "
    "the\n"
    "summary; with `stop: true` the run ends there:\n"
    "\n"
    "```yaml\n"
    "events:\n"
    "  top dead centre: {joint: crank pin, value: 1.5708, direction: rising}\n"
    "  ball is down: {body: ball, axis: z, value: 0, direction: falling, stop: true}\n"
    "```\n"
    "\n";

static void write_events(text *t)
{
    const tn_event_def def = tn_default_event();
    put(t, "%s", events);
    write_params(t, tn_event_param_count, tn_event_params, &def);
    put(t, "\n");
}

static const char inputs[] =
    "## Inputs\n"
    "\n"
    "`inputs` names numbers that a program sets while the model moves (`tn_sim_set_input`, see "
    "the\n"
    "[guide](../guide/library.md)). Functions of time use them beside `t` and the parameters. A "
    "plain\n"
    "number is the value of a held input. `tenon run` sets none: they keep their values.\n"
    "\n"
    "```yaml\n"
    "inputs:\n"
    "  torque: 0                                              # held until it is set again\n"
    "  target: {kind: motion, value: 0.1}                     # set with its derivatives\n"
    "  lever: {kind: filter, frequency: 60, damping: 0.7}     # follows what is set\n"
    "forces:\n"
    "  motor: {kind: motor, joint: hinge, effort: torque - 0.1*sin(t)}\n"
    "joints:\n"
    "  drive: {kind: drive, joint: slide, motion: 0.2 + lever}\n"
    "```\n"
    "\n"
    "A drive takes inputs of kind `motion` and `filter` only: a position that jumps needs an "
    "infinite\n"
    "velocity. A motion goes on from when it was set by its value and its first and second "
    "derivative.\n"
    "A filter is y'' = w^2 (x - y) - 2 d w y' with its `frequency` w and `damping` d; x is what "
    "was "
    "set.\n"
    "\n";

static void write_inputs(text *t)
{
    const tn_input_def def = tn_default_input();
    put(t, "%s", inputs);
    write_params(t, tn_input_param_count, tn_input_params, &def);
    put(t, "\n");
}

static const char shapes[] =
    "## Shapes\n"
    "\n"
    "`shapes` of a body lists what it looks like in reports and in the viewer; the motion knows\n"
    "nothing of it. A body without shapes is drawn as links between its joints. Shapes move with\n"
    "their body, and those of the `ground` at the top of the file stay where they are:\n"
    "\n"
    "```yaml\n"
    "ground:\n"
    "  shapes:\n"
    "    - {kind: box, size: [0.1, 0.02, 0.1], at: [0, -0.01, 0], color: grey}\n"
    "bodies:\n"
    "  rod:\n"
    "    mass: 2\n"
    "    inertia: [0.001, 0.17, 0.17]\n"
    "    shapes:\n"
    "      - {kind: capsule, radius: 0.02, length: 1, axis: [1, 0, 0]}\n"
    "      - {kind: sphere, radius: 0.05, at: [0.5, 0, 0], color: \"#ee6677\"}\n"
    "```\n"
    "\n";

static void write_shapes(text *t)
{
    put(t, "%s", shapes);
    write_keys(t, tn_keys_shape);
    write_kinds(t, TN_FAMILY_SHAPE);
}

tn_status tn_help_reference(char **out)
{
    text t = {.markdown = true};
    TN_NEED(out, TN_ERR_USAGE);
    put(&t, "%s## The file\n\n", opening);
    write_keys(&t, tn_keys_file);
    put(&t, "%s", values);
    write_keys(&t, tn_keys_rotation);
    write_bodies(&t);
    write_joints(&t);
    write_forces(&t);
    write_shapes(&t);
    write_events(&t);
    write_inputs(&t);
    put(&t, "## simulate\n\n");
    write_simulate(&t);
    return tn_buffer_finish(&t.out, "help", out);
}

const char *tn_help_kind(int i)
{
    for (int family = 0; i >= 0 && family < TN_FAMILY_COUNT; family++)
        for (int kind = 0; tn_kind_name((tn_family)family, kind); kind++)
            if (i-- == 0)
                return tn_kind_name((tn_family)family, kind);
    return NULL;
}

enum { NAMES_MAX = 256 }; // that a name which is not known is compared with

tn_status tn_help_text(const char *kind, char **out)
{
    const char *names[NAMES_MAX];
    text t = {0};
    int n = 0;
    TN_NEED_ALL(TN_ERR_USAGE, kind, out);
    *out = NULL;
    for (int family = 0; family < TN_FAMILY_COUNT; family++)
        for (int i = 0; tn_kind_name((tn_family)family, i) && n < NAMES_MAX - 1; i++)
            if (strcmp(names[n++] = tn_kind_name((tn_family)family, i), kind) == 0)
                writers[family](&t, i);
    if (strcmp(names[n++] = "simulate", kind) == 0)
        write_simulate(&t);
    if (t.out.length > 0 || t.out.failed)
        return tn_buffer_finish(&t.out, "help", out);
    const char *nearest = tn_nearest_name(kind, n, names);
    if (nearest)
        return tn_fail(TN_ERR_USAGE,
                       "no kind of body, joint, force or shape is called '%s'; did you mean '%s'?",
                       kind, nearest);
    return tn_fail(TN_ERR_USAGE, "no kind of body, joint, force or shape is called '%s'", kind);
}
