// SPDX-License-Identifier: MIT
//
// Assemblies are placed at frames: what their elements state in the inertial frame is meant in the
// frame of the assembly, and becomes here what it is in the inertial frame. The rows of the tables
// say which values those are (tn_role); joints and forces are posed with their attachments.

#include "model/builder.h"
#include "read/model_yaml.h"
#include "read/part_own.h"
#include "text/buffer.h"
#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_turned(tn_mat3 R)
{
    return memcmp(&R, &tn_m3_identity, sizeof R) != 0;
}

// `at` and `orientation` of an assembly as the keys of a map.
static tn_status read_placing(tn_reader *r, const tn_placing *placing, tn_frame *out)
{
    static const tn_node at = {.kind = TN_NODE_SCALAR, .text = "at"},
                         orientation = {.kind = TN_NODE_SCALAR, .text = "orientation"};
    const tn_node *keys[2], *values[2];
    tn_node map = {.kind = TN_NODE_MAP, .keys = keys, .children = values};
    if (placing->at) {
        keys[map.count] = &at;
        values[map.count++] = placing->at;
    }
    if (placing->orientation) {
        keys[map.count] = &orientation;
        values[map.count++] = placing->orientation;
    }
    tn_element e = {.reader = r, .key = placing->assembly, .map = &map};
    snprintf(e.owner, sizeof e.owner, "assembly '%.400s'", placing->assembly->text);
    *out = tn_frame_identity;
    TN_TRY(tn_element_vector(&e, "at", "m", true, &out->p));
    return placing->orientation ? tn_read_rotation(&e, "orientation", &out->R) : TN_OK;
}

static tn_status read_placings(tn_reader *r)
{
    const int n = r->doc->parts->placings.count;
    r->frames = tn_alloc(sizeof *r->frames * (size_t)n);
    TN_TRY(tn_got(r->frames));
    for (int i = 0; i < n; i++) {
        const tn_placing *placing = &r->doc->parts->placings.at[i];
        tn_status s = read_placing(r, placing, &r->frames[i]);
        if (s != TN_OK) {
            tn_free(r->frames);
            r->frames = NULL;
            return s;
        }
        if (placing->outer >= 0)
            r->frames[i] = tn_frame_mul(r->frames[placing->outer], r->frames[i]);
    }
    return TN_OK;
}

tn_status tn_element_frame(const tn_element *e, const tn_frame **out)
{
    tn_reader *r = e->reader;
    const int source = e->key->source;
    const int placing = source < r->doc->nsource ? r->doc->sources[source].placing : -1;
    *out = NULL;
    if (placing < 0)
        return TN_OK;
    if (!r->frames)
        TN_TRY(read_placings(r));
    *out = &r->frames[placing];
    return TN_OK;
}

tn_status tn_check_placed_plane(const tn_element *e, const tn_frame *frame)
{
    if (!frame || tn_rotation_is_level(frame->R))
        return TN_OK;
    return tn_element_fail(e,
                           "it moves in the plane of x and y; its assembly may be turned about z "
                           "alone");
}

// Functions of time -------------------------------------------------------------------------------

static void put_term(tn_buffer *out, double factor, const tn_function *f)
{
    char number[TN_NUMBER_SIZE];
    tn_number_text(factor, number);
    if (f->expression) {
        tn_buffer_format(out, "%s(%s)*(%s)", out->length ? " + " : "", number, f->expression);
        return;
    }
    tn_number_text(factor * f->constant, number);
    tn_buffer_format(out, "%s(%s)", out->length ? " + " : "", number);
}

// offset + sum of factor[i] f[i]; a table or an own function can only be taken as it is.
static tn_status combine(const tn_element *e, const char *key, double offset,
                         const double factor[3], const tn_function f[3], tn_function *out)
{
    tn_buffer text = {0};
    tn_function sum = {.constant = offset};
    bool constant = true;
    int terms = 0, last = 0;
    for (int i = 0; i < 3; i++) {
        if (factor[i] == 0.0 || (f[i].constant == 0.0 && !f[i].expression && !f[i].n && !f[i].kind))
            continue;
        terms++;
        last = i;
        sum.constant += factor[i] * f[i].constant;
        constant = constant && !f[i].expression && !f[i].n && !f[i].kind;
    }
    if (constant || (terms == 1 && factor[last] == 1.0 && offset == 0.0)) {
        *out = constant ? sum : f[last];
        return TN_OK;
    }
    const tn_function start = {.constant = offset};
    put_term(&text, 1.0, &start);
    for (int i = 0; i < 3; i++) {
        if (factor[i] != 0.0 && (f[i].n || f[i].kind)) {
            tn_free(text.text);
            return tn_element_fail(e,
                                   "%s: a function that is no expression cannot be moved or turned "
                                   "with the assembly; write it as a table of the model, "
                                   "'tables', and call that",
                                   key);
        }
        if (factor[i] != 0.0)
            put_term(&text, factor[i], &f[i]);
    }
    char *copy = text.failed ? NULL : tn_document_take(e->reader->doc, text.length + 1);
    if (copy)
        memcpy(copy, text.text, text.length);
    tn_free(text.text);
    *out = (tn_function){.expression = copy};
    return tn_got(copy);
}

static tn_status turn_functions(const tn_element *e, const char *key, const tn_frame *frame,
                                tn_function f[3])
{
    const tn_function old[3] = {f[0], f[1], f[2]};
    for (int i = 0; is_turned(frame->R) && i < 3; i++)
        TN_TRY(combine(e, key, 0.0, frame->R.m[i], old, &f[i]));
    return tn_over_functions(e, key, old, f);
}

tn_status tn_place_pose(const tn_element *e, tn_joint_def *def)
{
    const tn_frame *frame = NULL;
    const tn_function old[3] = {def->pose.x, def->pose.y, def->pose.z};
    tn_function *const f[3] = {&def->pose.x, &def->pose.y, &def->pose.z};
    const double as_it_is[3] = {1.0, 0.0, 0.0};
    TN_TRY(tn_element_frame(e, &frame));
    if (!frame)
        return TN_OK;
    if (!tn_rotation_is_level(frame->R))
        return tn_element_fail(e, "roll, pitch and yaw of a driven pose begin with z; its assembly "
                                  "may be turned about z alone");
    const double offset[3] = {frame->p.x, frame->p.y, frame->p.z};
    static const char *const keys[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        TN_TRY(combine(e, keys[i], offset[i], frame->R.m[i], old, f[i]));
        TN_TRY(tn_over_function(e, keys[i], &old[i], f[i]));
    }
    const tn_function yaw[3] = {def->pose.yaw};
    TN_TRY(combine(e, "yaw", atan2(frame->R.m[1][0], frame->R.m[0][0]), as_it_is, yaw,
                   &def->pose.yaw));
    return tn_over_function(e, "yaw", &yaw[0], &def->pose.yaw);
}

tn_status tn_place_curve(const tn_element *e, const char **x, const char **y, const char **z)
{
    const tn_frame *frame = NULL;
    const char **const text[3] = {x, y, z};
    static const char *const keys[] = {"x", "y", "z"};
    TN_TRY(tn_element_frame(e, &frame));
    if (!frame || !*x || !*y || !*z)
        return TN_OK;
    const tn_function old[3] = {{.expression = *x}, {.expression = *y}, {.expression = *z}};
    const double offset[3] = {frame->p.x, frame->p.y, frame->p.z};
    for (int i = 0; i < 3; i++) {
        tn_function sum = {0};
        TN_TRY(combine(e, "curve", offset[i], frame->R.m[i], old, &sum));
        *text[i] = sum.expression;
        if (tn_is_over(e))
            TN_TRY(tn_over_text(e, "", keys[i], sum.expression));
    }
    return TN_OK;
}

// Parameters --------------------------------------------------------------------------------------

static tn_status place_param(const tn_element *e, const tn_param *p, const tn_frame *frame,
                             void *at)
{
    switch (p->role) {
    case TN_ROLE_POINT:
        *(tn_vec3 *)at = tn_frame_point(*frame, *(tn_vec3 *)at);
        return TN_OK;
    case TN_ROLE_ROTATION:
        *(tn_mat3 *)at = tn_m3_mul(frame->R, *(tn_mat3 *)at);
        return TN_OK;
    case TN_ROLE_DIRECTION:
        if (p->type == TN_PARAM_FUNCTION3)
            return turn_functions(e, p->name, frame, at);
        *(tn_vec3 *)at = tn_m3_apply(frame->R, *(tn_vec3 *)at);
        return TN_OK;
    default:
        return TN_OK;
    }
}

static bool is_angle_stated(const tn_node *initial)
{
    return initial && (tn_node_get(initial, "angle") || tn_node_get(initial, "angle_deg"));
}

// A point or a rotation that is left out is that of the assembly: a guess, by the bits of `guess`.
static tn_status over_param(const tn_element *e, const tn_param *p, const void *at, int *guess)
{
    const tn_node *initial = tn_node_get(e->map, "initial");
    const char *map = tn_element_get(e, p->name) ? "" : "initial";
    const bool rotation = p->role == TN_ROLE_ROTATION, point = p->role == TN_ROLE_POINT;
    const bool angle = rotation && is_angle_stated(initial);
    const bool stated =
        angle || tn_element_get(e, p->name) || (initial && tn_node_get(initial, p->name));
    const tn_vec3 origin = {0};
    if (!point && !rotation &&
        (p->role != TN_ROLE_DIRECTION || !stated || p->type == TN_PARAM_FUNCTION3))
        return TN_OK;
    if (!stated &&
        (rotation ? !is_turned(*(const tn_mat3 *)at) : memcmp(at, &origin, sizeof origin) == 0))
        return TN_OK; // as it would be
    if (angle) {
        TN_TRY(tn_over_remove(e, map, "angle"));
        TN_TRY(tn_over_remove(e, map, "angle_deg"));
    }
    if (!stated)
        *guess |= rotation ? TN_GUESS_ORIENTATION : TN_GUESS_POSITION;
    return rotation ? tn_over_rotation(e, map, p->name, *(const tn_mat3 *)at)
                    : tn_over_vector(e, map, p->name, *(const tn_vec3 *)at);
}

// Puts the guesses of the part itself, and those that it leaves out.
static tn_status over_guess(const tn_element *e, int guess)
{
    const tn_node *initial = tn_node_get(e->map, "initial");
    const tn_node *own = initial ? tn_node_get(initial, "guess") : NULL;
    for (int i = 0; own && tn_guess_names[i]; i++)
        if (strcmp(own->text, tn_guess_names[i]) == 0)
            guess |= i;
    return guess ? tn_over_text(e, "initial", "guess", tn_guess_names[guess]) : TN_OK;
}

tn_status tn_place_params(const tn_element *e, int n, const tn_param *params, void *def)
{
    const tn_frame *frame = NULL;
    int guess = 0;
    TN_TRY(tn_element_frame(e, &frame));
    for (int i = 0; frame && i < n; i++) {
        TN_TRY(place_param(e, &params[i], frame, (char *)def + params[i].offset));
        if (tn_is_over(e))
            TN_TRY(over_param(e, &params[i], (const char *)def + params[i].offset, &guess));
    }
    return guess ? over_guess(e, guess) : TN_OK;
}
