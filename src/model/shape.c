// SPDX-License-Identifier: MIT
//
// Shapes: their parameter tables, their checks and their colours. The named colours are those of
// Paul Tol's "bright" scheme, which stay apart for colour-blind eyes, with a few beside them.

#include "model/shape.h"

#include "model/builder.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXTENT(member, explanation)                                                             \
    TN_PARAM(tn_shape_def, member, NUMBER, #member, "m", .range = TN_POSITIVE, .fallback = 1.0, \
             .required = true, .text = (explanation))
#define RADIUS(explanation) EXTENT(radius, explanation)
#define LENGTH(explanation) EXTENT(length, explanation)

static const tn_param box_params[] = {
    TN_PARAM(tn_shape_def, size, VEC3, "size", "m", .range = TN_POSITIVE, .fallback = 1.0,
             .required = true, .text = "lengths of the edges along x, y and z"),
};

static const tn_param cylinder_params[] = {RADIUS("radius"), LENGTH("length along the axis")};

static const tn_param sphere_params[] = {RADIUS("radius")};

static const tn_param capsule_params[] = {
    RADIUS("radius of the cylinder and of its round ends"),
    LENGTH("length of the cylinder between the round ends"),
};

static const tn_param cone_params[] = {RADIUS("radius of the base"),
                                       LENGTH("height from the base to the tip")};

static const tn_param mesh_params[] = {
    TN_PARAM(tn_shape_def, path, TEXT, "file", "", .required = true, .role = TN_ROLE_FILE,
             .text = "STL or OBJ file; a relative path starts in the folder of the model file"),
    TN_PARAM(tn_shape_def, scale, NUMBER, "scale", "m", .range = TN_POSITIVE, .fallback = 1.0,
             .text = "length of one unit of the file, 0.001 for a file in millimetres"),
};

static tn_shape_part round_part(const char *geometry, double radius, double length)
{
    return (tn_shape_part){geometry, {radius, radius, length}, 0.0, hypot(radius, 0.5 * length)};
}

static tn_shape_part ball_part(double radius, double z)
{
    return (tn_shape_part){"sphere", {radius, radius, radius}, z, radius + fabs(z)};
}

static int box_parts(const tn_shape_def *def, tn_shape_part *part)
{
    part[0] = (tn_shape_part){"box", def->size, 0.0, 0.5 * tn_v3_norm(def->size)};
    return 1;
}

static int cylinder_parts(const tn_shape_def *def, tn_shape_part *part)
{
    part[0] = round_part("cylinder", def->radius, def->length);
    return 1;
}

static int cone_parts(const tn_shape_def *def, tn_shape_part *part)
{
    part[0] = round_part("cone", def->radius, def->length);
    return 1;
}

static int sphere_parts(const tn_shape_def *def, tn_shape_part *part)
{
    part[0] = ball_part(def->radius, 0.0);
    return 1;
}

static int capsule_parts(const tn_shape_def *def, tn_shape_part *part)
{
    part[0] = round_part("cylinder", def->radius, def->length);
    part[1] = ball_part(def->radius, 0.5 * def->length);
    part[2] = ball_part(def->radius, -0.5 * def->length);
    return 3;
}

static int mesh_parts(const tn_shape_def *def, tn_shape_part *part)
{
    part[0] = (tn_shape_part){"mesh", {def->scale, def->scale, def->scale}, 0.0, 0.0};
    return 1;
}

#define SHAPE(shape, explanation)                                              \
    const tn_shape_ops tn_shape_##shape = {.name = #shape,                     \
                                           .text = (explanation),              \
                                           .params = shape##_params,           \
                                           .nparam = TN_COUNT(shape##_params), \
                                           .parts = shape##_parts}

SHAPE(box, "block with edges along the axes of its frame");
SHAPE(cylinder, "round bar or disc");
SHAPE(sphere, "ball");
SHAPE(capsule, "round bar with round ends");
SHAPE(cone, "cone with the middle of its height at `at` and its tip along `axis`");
SHAPE(mesh, "triangles from a file, read when a report is made");

tn_shape_def tn_shape_on(const tn_joint_def *joint, tn_shape_kind kind, tn_vec3 at)
{
    return (tn_shape_def){
        .body = joint->body_b,
        .kind = kind,
        .frame = tn_frame_mul(joint->frame_b, (tn_frame){tn_m3_identity, at}),
        .scale = 1.0,
        .color = TN_COLOR_AUTOMATIC,
    };
}

typedef struct {
    const char *name;
    int color;
} named_color;

static const named_color colors[] = {
    {"blue", 0x4477aa},  {"cyan", 0x66ccee},   {"green", 0x228833},  {"yellow", 0xccbb44},
    {"red", 0xee6677},   {"purple", 0xaa3377}, {"orange", 0xee7733}, {"brown", 0x8c6d46},
    {"white", 0xf5f5f5}, {"grey", 0xbbbbbb},   {"gray", 0xbbbbbb},   {"black", 0x222222},
};

static bool is_hex_color(const char *text)
{
    if (text[0] != '#' || strlen(text) != 7)
        return false;
    for (int i = 1; i < 7; i++)
        if (!isxdigit((unsigned char)text[i]))
            return false;
    return true;
}

tn_status tn_color_parse(const char *text, const char *what, int *out)
{
    const char *names[TN_COUNT(colors)];
    if (is_hex_color(text)) {
        *out = (int)strtol(text + 1, NULL, 16);
        return TN_OK;
    }
    for (int i = 0; i < TN_COUNT(colors); i++) {
        names[i] = colors[i].name;
        if (strcmp(text, names[i]) == 0) {
            *out = colors[i].color;
            return TN_OK;
        }
    }
    const char *nearest = *text == '#' ? NULL : tn_nearest_name(text, TN_COUNT(names), names);
    if (nearest)
        return tn_fail(TN_ERR_MODEL, "%s: '%s' is not a colour; did you mean '%s'?", what, text,
                       nearest);
    return tn_fail(TN_ERR_MODEL,
                   "%s: '%s' is not a colour; write \"#rrggbb\" or one of " TN_COLOR_NAMES, what,
                   text);
}

static bool ends_with(const char *text, const char *ending) // letters of either case
{
    const size_t n = strlen(text), m = strlen(ending);
    for (size_t i = 0; i < m; i++)
        if (n < m || tolower((unsigned char)text[n - m + i]) != ending[i])
            return false;
    return true;
}

static tn_status check_file(const char *path, const char *what)
{
    if (!path || !*path)
        return tn_fail(TN_ERR_MODEL, "%s: file is not stated; name an STL or OBJ file", what);
    if (ends_with(path, ".stl") || ends_with(path, ".obj"))
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: file '%s' is of a kind that is not read; its name must end in .stl or .obj",
                   what, path);
}

static tn_status check_shape(const tn_kinds *kinds, tn_shape_def *def, const char *what)
{
    const tn_shape_ops *ops = tn_kind_at(kinds, TN_FAMILY_SHAPE, (int)def->kind);
    if (!ops)
        return tn_fail(TN_ERR_MODEL, "%s: %d is not a kind of shape", what, (int)def->kind);
    TN_TRY(tn_params_check(ops->nparam, ops->params, def, what));
    TN_TRY(tn_check_frame(&def->frame, what, "frame"));
    if (def->color < TN_COLOR_AUTOMATIC || def->color > 0xffffff)
        return tn_fail(TN_ERR_MODEL, "%s: color is %d; it must be 0xRRGGBB, or -1 for automatic",
                       what, def->color);
    return def->kind == TN_SHAPE_MESH ? check_file(def->path, what) : TN_OK;
}

static tn_status keep_shape(tn_model *model, tn_shape_data *data)
{
    if (data->def.kind == TN_SHAPE_MESH) {
        data->path = tn_strdup(data->def.path);
        TN_TRY(tn_got(data->path));
    }
    data->def.path = data->path;
    const tn_status s = tn_array_push(&model->shapes, *data);
    if (s == TN_OK) {
        model->bodies.at[data->def.body.index].nshape++;
        return TN_OK;
    }
    tn_free(data->path);
    return tn_fail(s, "out of memory while adding a shape");
}

static tn_status add_shape(tn_model *model, const tn_shape_def *def)
{
    if (!def)
        return tn_fail(TN_ERR_USAGE, "tn_model_add_shape: the definition is NULL");
    TN_TRY(tn_check_body(model, def->body, "shape", "body"));
    tn_shape_data data = {.def = *def};
    // Shapes have no names; they are counted on their body.
    char *what = tn_format("body '%s': shape %d", tn_model_body_name(model, def->body),
                           model->bodies.at[def->body.index].nshape + 1);
    TN_TRY(tn_got(what));
    const tn_status s = check_shape(model->kinds, &data.def, what);
    tn_free(what);
    return s == TN_OK ? keep_shape(model, &data) : s;
}

tn_status tn_model_add_shape(tn_model *model, const tn_shape_def *def)
{
    TN_NEED(model, TN_ERR_USAGE);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, add_shape(model, def));
}

TN_GETTER(int, tn_model_shape_count, (const tn_model *model), model, 0, model->shapes.count);
