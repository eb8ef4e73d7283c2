// SPDX-License-Identifier: MIT
//
// The scene of a model as JSON: bodies with their shapes, joints and forces with the points and
// frames on their bodies. Everything is in body frames, so that the motion of the bodies moves it.

#include "result/scene.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "flex/modal_body.h"
#include "kinds/family.h"
#include "lie/so3.h"
#include "model/model.h"
#include "result/scene_parts.h"
#include "tenon/json.h"
#include "text/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const tn_model *model;
    const char *folder; // of the model file, with its last slash
    int folder_length;
    tn_json *json;
    int *first, *order; // shapes of body i: order[first[i]] to order[first[i + 1] - 1]
    tn_table *meshes;   // number of a mesh by its name
    const char **mesh;  // their names
    int nmesh;
    void *block;
} scene;

static void layout_scene(void *self, tn_carve *mem)
{
    scene *s = self;
    const int nshape = s->model->shapes.count;
    s->mesh = tn_carve_bytes(mem, (size_t)(nshape + 1) * sizeof(*s->mesh));
    s->first = tn_carve_ints(mem, s->model->bodies.count + 1);
    s->order = tn_carve_ints(mem, nshape + 1);
}

// Shapes may be added in any order; this sorts them by body and keeps the order on each.
static void sort_shapes(scene *s)
{
    const int nbody = s->model->bodies.count;
    for (int i = 0; i < nbody; i++)
        s->first[i + 1] = s->first[i] + s->model->bodies.at[i].nshape;
    for (int k = 0; k < s->model->shapes.count; k++) // first[i] runs to the next body's start
        s->order[s->first[s->model->shapes.at[k].def.body.index]++] = k;
    for (int i = nbody; i > 0; i--)
        s->first[i] = s->first[i - 1];
    s->first[0] = 0;
}

static tn_status number_meshes(scene *s)
{
    TN_TRY(tn_table_create(&s->meshes));
    for (int k = 0; k < s->model->shapes.count; k++) {
        const char *path = s->model->shapes.at[k].path;
        if (!path || tn_table_find(s->meshes, path) >= 0)
            continue;
        s->mesh[s->nmesh] = path;
        TN_TRY(tn_table_add(s->meshes, path, s->nmesh++));
    }
    return TN_OK;
}

// Pieces -----------------------------------------------------------------------------------------

static void scene_put_vector(tn_json *json, const char *key, tn_vec3 v)
{
    tn_json_numbers(json, key, 3, (const double[]){v.x, v.y, v.z});
}

static void put_rotation(tn_json *json, const char *key, tn_mat3 R)
{
    const tn_quat e = tn_quat_from_matrix(R);
    tn_json_numbers(json, key, 4, (const double[]){e.w, e.x, e.y, e.z});
}

void tn_scene_put_place(tn_json *json, tn_frame frame)
{
    scene_put_vector(json, "position", frame.p);
    put_rotation(json, "quaternion", frame.R);
}

static void put_frame(tn_json *json, const char *key, tn_frame frame)
{
    tn_json_begin_object(json, key);
    tn_scene_put_place(json, frame);
    tn_json_end_object(json);
}

void tn_scene_put_color(tn_json *json, int color)
{
    char text[16];
    if (color == TN_COLOR_AUTOMATIC)
        return;
    snprintf(text, sizeof(text), "#%06x", (unsigned)color & 0xffffffu);
    tn_json_string(json, "color", text);
}

static void put_parts(tn_json *json, const tn_shape_def *def)
{
    tn_shape_part part[TN_SHAPE_PARTS];
    const int n = tn_shape_ops_of((int)def->kind)->parts(def, part);
    tn_json_begin_array(json, "parts");
    for (int i = 0; i < n; i++) {
        tn_json_put(json, "{ geometry %s", part[i].geometry);
        scene_put_vector(json, "scale", part[i].scale);
        tn_json_put(json, "z %g }", part[i].z);
    }
    tn_json_end_array(json);
}

static void put_numbers(tn_json *json, const tn_shape_ops *ops, const tn_shape_def *def)
{
    for (int i = 0; i < ops->nparam; i++) {
        const tn_param *p = &ops->params[i];
        const void *at = (const char *)def + p->offset;
        if (p->type == TN_PARAM_NUMBER)
            tn_json_number(json, p->name, *(const double *)at);
        else if (p->type == TN_PARAM_VEC3)
            scene_put_vector(json, p->name, *(const tn_vec3 *)at);
    }
}

static void put_shape(const scene *s, const tn_shape_def *def)
{
    tn_json *json = s->json;
    const tn_shape_ops *ops = tn_shape_ops_of((int)def->kind);
    tn_json_put(json, "{ kind %s", ops->name);
    if (def->path) {
        tn_json_string(json, "name", def->path);
        tn_json_integer(json, "mesh", tn_table_find(s->meshes, def->path));
    }
    put_numbers(json, ops, def);
    put_parts(json, def);
    tn_scene_put_place(json, def->frame);
    tn_scene_put_color(json, def->color);
    tn_json_end_object(json);
}

// A planar body counts as a thin plate: Ixx = Iyy = Izz/2 is what makes it one.
static tn_mat3 shown_inertia(const tn_body_data *body)
{
    if (body->ops->turns != 1)
        return body->inertia;
    const double Izz = body->inertia.m[2][2];
    return tn_m3_diag(0.5 * Izz, 0.5 * Izz, Izz);
}

// Draws rolling joints of a body that states no shapes of its own.
static void put_looks(const scene *s, int body)
{
    for (int j = 0; j < s->model->joints.count; j++) {
        const tn_joint_data *joint = &s->model->joints.at[j];
        tn_shape_def look[TN_LOOK_SHAPES];
        if (!joint->ops->look || joint->def->body_b.index != body)
            continue;
        const int n = joint->ops->look(joint->def, look);
        TN_ASSERT(n <= TN_LOOK_SHAPES);
        for (int k = 0; k < n; k++)
            put_shape(s, &look[k]);
    }
}

static void scene_put_body(const scene *s, int i)
{
    const tn_body_data *body = &s->model->bodies.at[i];
    tn_json *json = s->json;
    double moment[3];
    tn_mat3 axes;
    tn_principal_axes(shown_inertia(body), moment, &axes);
    tn_json_put(json, "{ name %s kind %s", body->name,
                i == TN_GROUND.index ? "ground" : body->ops->name);
    tn_json_integer(json, "turns", body->ops->turns);
    tn_json_number(json, "mass", body->def.mass);
    tn_json_numbers(json, "inertia", 3, moment);
    put_rotation(json, "axes", axes);
    scene_put_vector(json, "com", body->def.com);
    tn_scene_put_place(json, body->def.frame);
    tn_json_begin_array(json, "shapes");
    for (int k = s->first[i]; k < s->first[i + 1]; k++)
        put_shape(s, &s->model->shapes.at[s->order[k]].def);
    const bool bare = s->first[i] == s->first[i + 1];
    if (bare)
        put_looks(s, i);
    if (bare || i == TN_GROUND.index)
        tn_scene_put_outlines(json, s->model, i);
    tn_json_put(json, "] }");
}

// Joints and forces ------------------------------------------------------------------------------

// Two bodies with a frame on each.
typedef struct {
    int a, b;
    tn_frame frame_a, frame_b;
} link;

static link joint_link(const tn_model *model, int joint)
{
    const tn_joint_def *def = model->joints.at[joint].def;
    return (link){def->body_a.index, def->body_b.index, def->frame_a, def->frame_b};
}

// Joints that couple joint coordinates are drawn where those joints are: at the one it drives, or
// between the bodies B of the two it couples. A row by an expression has no place: it stands on the
// ground.
static link shown_joint(const tn_model *model, int joint)
{
    if (model->joints.at[joint].ops->relative)
        return joint_link(model, joint);
    const tn_constraint_row row = tn_constraint_get(model, joint, 0);
    if (row.nterm == 0)
        return (link){0, 0, tn_frame_identity, tn_frame_identity};
    const link one = joint_link(model, row.term[0].joint);
    if (row.nterm < 2)
        return one;
    const link two = joint_link(model, row.term[1].joint);
    return (link){one.b, two.b, one.frame_b, two.frame_b};
}

// Forces on one body from outside have both their points there.
static link shown_force(const tn_model *model, int force)
{
    const tn_force_data *data = &model->forces.at[force];
    const tn_force_def *def = &data->def;
    if (data->ops->single)
        return (link){def->body_b.index, def->body_b.index, def->frame_b, def->frame_b};
    return (link){def->body_a.index, def->body_b.index, def->frame_a, def->frame_b};
}

static void begin_element(tn_json *json, const char *name, const char *kind, const char *glyph)
{
    tn_json_put(json, "{ name %s kind %s", name, kind);
    if (glyph)
        tn_json_string(json, "glyph", glyph);
}

static void end_element(tn_json *json, link at)
{
    tn_json_integer(json, "a", at.a);
    tn_json_integer(json, "b", at.b);
    put_frame(json, "frame_a", at.frame_a);
    put_frame(json, "frame_b", at.frame_b);
    tn_json_end_object(json);
}

static void put_touch(tn_json *json, const tn_joint_data *joint)
{
    double radius, tube;
    joint->ops->touch(joint->def, &radius, &tube);
    tn_json_put(json, "touch { radius %g tube %g }", radius, tube);
}

// The joints that a gear or a rack couples, and the factors of their coordinates.
static void put_couples(const scene *s, int j)
{
    const tn_constraint_row row = tn_constraint_get(s->model, j, 0);
    tn_json_begin_array(s->json, "couples");
    for (int i = 0; i < row.nterm; i++)
        tn_json_object(s->json, NULL, "joint %d factor %g", row.term[i].joint,
                       row.term[i].coefficient);
    tn_json_end_array(s->json);
}

static void scene_put_joint(const scene *s, int j)
{
    const tn_joint_data *joint = &s->model->joints.at[j];
    begin_element(s->json, joint->name, joint->ops->name, joint->ops->glyph);
    tn_json_boolean(s->json, "coupling", joint->ops->coupling);
    if (joint->ops->touch)
        put_touch(s->json, joint);
    if (joint->ops->shapes)
        tn_json_boolean(s->json, "contact", true);
    if (!joint->ops->relative)
        put_couples(s, j);
    end_element(s->json, shown_joint(s->model, j));
}

static void scene_put_force(const scene *s, int f)
{
    const tn_force_data *force = &s->model->forces.at[f];
    begin_element(s->json, force->name, force->ops->name, force->ops->glyph);
    end_element(s->json, shown_force(s->model, f));
}

static tn_status put_meshes(const scene *s)
{
    tn_json_begin_array(s->json, "meshes");
    for (int i = 0; i < s->nmesh; i++) {
        const bool absolute = s->mesh[i][0] == '/';
        char *path = tn_format("%.*s%s", absolute ? 0 : s->folder_length, s->folder, s->mesh[i]);
        if (!path)
            return TN_ERR_MEMORY;
        tn_json_put(s->json, "{ name %s path %s }", s->mesh[i], path);
        tn_free(path);
    }
    tn_json_end_array(s->json);
    return TN_OK;
}

// Size -------------------------------------------------------------------------------------------

void tn_extent_include(tn_extent *box, tn_vec3 p, double radius)
{
    const tn_vec3 r = {radius, radius, radius};
    const tn_vec3 low = tn_v3_sub(p, r), high = tn_v3_add(p, r);
    box->low = tn_v3(fmin(box->low.x, low.x), fmin(box->low.y, low.y), fmin(box->low.z, low.z));
    box->high =
        tn_v3(fmax(box->high.x, high.x), fmax(box->high.y, high.y), fmax(box->high.z, high.z));
}

static double shape_radius(const tn_shape_def *def) // of a sphere around it; 0 for a mesh
{
    tn_shape_part part[TN_SHAPE_PARTS];
    double most = 0.0;
    for (int i = tn_shape_ops_of((int)def->kind)->parts(def, part) - 1; i >= 0; i--)
        most = fmax(most, part[i].reach);
    return most;
}

static tn_vec3 place_at_start(const tn_model *model, int body, tn_vec3 p)
{
    const tn_frame *frame = &model->bodies.at[body].def.frame;
    return tn_v3_add(frame->p, tn_m3_apply(frame->R, p));
}

static void include_link(const tn_model *model, tn_extent *box, link at)
{
    tn_extent_include(box, place_at_start(model, at.a, at.frame_a.p), 0.0);
    tn_extent_include(box, place_at_start(model, at.b, at.frame_b.p), 0.0);
}

static double diagonal(const tn_extent *box)
{
    const double d = tn_v3_norm(tn_v3_sub(box->high, box->low));
    return isfinite(d) ? d : 0.0; // infinite while nothing is included
}

// A length to choose distances by: the diagonal of the box around bodies, joints, forces and shapes
// at the start; for one body in one point its radius of gyration, or 1 m when it has none.
static double scene_size(const tn_model *model)
{
    tn_extent box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double gyration = 0.0;
    for (int i = 1; i < model->bodies.count; i++) {
        const tn_body_data *body = &model->bodies.at[i];
        const tn_mat3 *I = &body->inertia;
        const double trace = I->m[0][0] + I->m[1][1] + I->m[2][2];
        if (body->ops == &tn_body_amplitude)
            continue; // no place
        tn_extent_include(&box, body->def.frame.p, 0.0);
        tn_extent_include(&box, place_at_start(model, i, body->def.com), 0.0);
        if (body->def.mass > 0.0)
            gyration = fmax(gyration, sqrt(trace / body->def.mass));
    }
    for (int j = 0; j < model->joints.count; j++)
        include_link(model, &box, shown_joint(model, j));
    for (int f = 0; f < model->forces.count; f++)
        include_link(model, &box, shown_force(model, f));
    for (int k = 0; k < model->shapes.count; k++) {
        const tn_shape_def *def = &model->shapes.at[k].def;
        tn_extent_include(&box, place_at_start(model, def->body.index, def->frame.p),
                          shape_radius(def));
    }
    tn_extent_outlines(&box, model);
    tn_extent_modals(&box, model);
    const double size = diagonal(&box);
    return size > 0.0 ? size : gyration > 0.0 && isfinite(gyration) ? gyration : 1.0;
}

static bool is_planar(const tn_model *model)
{
    for (int i = 1; i < model->bodies.count; i++)
        if (!tn_body_is_planar(model, (tn_body){i}))
            return false;
    return true;
}

// The whole --------------------------------------------------------------------------------------

static tn_status put_scene(const scene *s)
{
    const tn_model *model = s->model;
    tn_json *json = s->json;
    tn_json_put(json, "{ planar %i", is_planar(model));
    scene_put_vector(json, "gravity", model->gravity);
    tn_json_put(json, "size %g bodies [", scene_size(model));
    for (int i = 0; i < model->bodies.count; i++)
        scene_put_body(s, i);
    tn_json_put(json, "] joints [");
    for (int j = 0; j < model->joints.count; j++)
        scene_put_joint(s, j);
    tn_json_put(json, "] forces [");
    for (int f = 0; f < model->forces.count; f++)
        scene_put_force(s, f);
    tn_json_end_array(json);
    tn_scene_put_beams(json, model);
    tn_scene_put_modals(json, model);
    TN_TRY(put_meshes(s));
    tn_json_end_object(json);
    return tn_json_finish(json);
}

static tn_status make_scene(scene *s, char **out)
{
    TN_TRY(tn_carve_block(s, layout_scene, &s->block));
    sort_shapes(s);
    TN_TRY(number_meshes(s));
    TN_TRY(tn_json_create(&s->json));
    TN_TRY(put_scene(s));
    *out = tn_strdup(tn_json_text(s->json));
    return *out ? TN_OK : TN_ERR_MEMORY;
}

tn_status tn_scene_json(const tn_model *model, const char *model_path, char **out)
{
    scene s = {.model = model, .folder = model_path ? model_path : ""};
    const char *slash = strrchr(s.folder, '/');
    *out = NULL;
    TN_TRY(tn_model_status(model));
    s.folder_length = slash ? (int)(slash - s.folder) + 1 : 0;
    const tn_status status = make_scene(&s, out);
    tn_json_destroy(s.json);
    tn_table_destroy(s.meshes);
    tn_free(s.block);
    if (status == TN_ERR_MEMORY)
        return tn_fail(status, "out of memory while describing the scene");
    return status;
}
