// SPDX-License-Identifier: MIT
//
// Parts of a scene: shapes that touch (contact/outline.h), of which each joint draws those of its
// bodies A and B; beams with the outline of the section that pictures sweep along them; modal
// bodies with the surface that pictures deform, which is in the scene itself, so that a result
// needs no other file.

#include "result/scene_parts.h"
#include "contact/outline.h"
#include "file/json_stream.h"
#include "flex/beam.h"
#include "flex/modal.h"

#include <math.h>

enum { MOST_BYTES = 12 << 20 }; // of all surfaces; base64 makes them a third longer

// Shapes that touch -------------------------------------------------------------------------------

typedef struct side_pen {
    tn_pen pen;
    const tn_model *model;
    int joint; // and the side of it that is drawn
    bool of_b;
    tn_json *json;
    tn_extent *box;
} side_pen;

// Draws what joints have on one body, or on all of them for -1.
static void draw_sides(side_pen *pen, int body)
{
    for (int j = 0; j < pen->model->joints.count; j++) {
        const tn_joint_data *joint = &pen->model->joints.at[j];
        for (int b = 0; b < 2 && joint->ops->shapes; b++) {
            const tn_joint_def *def = joint->def;
            const tn_touch *touch = def->contact.touch;
            pen->joint = j;
            pen->of_b = b == 1;
            if (body < 0 || (b ? def->body_b : def->body_a).index == body)
                touch->ops->draw(touch, b == 1, &pen->pen);
        }
    }
}

static tn_frame frame_of(const side_pen *p)
{
    const tn_joint_def *def = p->model->joints.at[p->joint].def;
    return p->of_b ? def->frame_b : def->frame_a;
}

static void put_outline(tn_pen *pen, const tn_outline *outline)
{
    const side_pen *p = (const side_pen *)pen;
    tn_json *json = p->json;
    tn_json_put(json, "{ kind %s joint %d", outline->form->name, p->joint);
    tn_json_numbers(json, "points", outline->n, outline->at);
    if (outline->hole > 0)
        tn_json_integer(json, "hole", outline->hole);
    if (outline->columns > 0)
        tn_json_integer(json, "columns", outline->columns);
    if (outline->closed)
        tn_json_boolean(json, "closed", true);
    if (outline->to > outline->from)
        tn_json_put(json, "from %g to %g", outline->from, outline->to);
    if (outline->beyond > 0.0)
        tn_json_number(json, "beyond", outline->beyond);
    tn_scene_put_place(json, tn_frame_mul(frame_of(p), outline->frame));
    tn_scene_put_color(json, outline->color);
    tn_json_end_object(json);
}

void tn_scene_put_outlines(tn_json *json, const tn_model *model, int body)
{
    draw_sides(&(side_pen){.pen = {put_outline}, .model = model, .json = json}, body);
}

static void include_outline(tn_pen *pen, const tn_outline *outline)
{
    const side_pen *p = (const side_pen *)pen;
    const tn_joint_def *def = p->model->joints.at[p->joint].def;
    const int body = (p->of_b ? def->body_b : def->body_a).index;
    const tn_frame on = tn_frame_mul(p->model->bodies.at[body].def.frame, frame_of(p));
    const tn_frame at = tn_frame_mul(on, outline->frame);
    for (int i = 0; i < tn_outline_count(outline); i++) {
        double reach;
        const tn_vec3 q = tn_outline_point(outline, i, &reach);
        tn_extent_include(p->box, tn_v3_add(at.p, tn_m3_apply(at.R, q)), reach);
    }
}

void tn_extent_outlines(tn_extent *box, const tn_model *model)
{
    draw_sides(&(side_pen){.pen = {include_outline}, .model = model, .box = box}, -1);
}

// Beams -------------------------------------------------------------------------------------------

// A solid ellipse with the same bending stiffnesses by EA: I = A r^2 / 4. A beam without any is
// drawn as a thread.
static void put_round(tn_json *json, const tn_beam_data *beam)
{
    const tn_section *s = &beam->section;
    const double EA = s->stiffness.z, thread = beam->s[beam->nnode - 1] / 400.0;
    const double x = EA > 0.0 ? 2.0 * sqrt(s->rotational_stiffness.y / EA) : 0.0;
    const double y = EA > 0.0 ? 2.0 * sqrt(s->rotational_stiffness.x / EA) : 0.0;
    tn_json_put(json, "section { kind %s radius_x %g radius_y %g wall %g }", "ellipse",
                fmax(x, thread), fmax(y, thread), 0.0);
}

static void put_section(tn_json *json, const tn_beam_data *beam)
{
    const tn_section_def *def = &beam->stated;
    switch ((tn_section_kind)def->kind) {
    case TN_SECTION_RECTANGLE:
        tn_json_put(json, "section { kind %s width %g height %g }", "rectangle", def->width,
                    def->height);
        break;
    case TN_SECTION_CIRCLE:
    case TN_SECTION_TUBE:
        tn_json_put(json, "section { kind %s radius_x %g radius_y %g wall %g }", "ellipse",
                    def->radius, def->radius, def->kind == TN_SECTION_TUBE ? def->wall : 0.0);
        break;
    case TN_SECTION_I:
        tn_json_put(json, "section { kind %s width %g height %g flange %g web %g }", "I",
                    def->width, def->height, def->flange, def->web);
        break;
    default:
        put_round(json, beam);
    }
}

// Elements of all beams before a force, as results count them.
static int count_before(const tn_model *model, int force)
{
    int n = 0;
    for (int f = 0; f < force; f++)
        n += model->forces.at[f].ops->section != NULL;
    return n;
}

void tn_scene_put_beams(tn_json *json, const tn_model *model)
{
    static const int STEEL = 0x5b86b4;
    tn_json_begin_array(json, "beams");
    for (int k = 0; k < model->beams.count; k++) {
        const tn_beam_data *beam = &model->beams.at[k];
        tn_json_put(json, "{ name %s body %d nodes %d element %d", beam->name, beam->body,
                    beam->nnode, count_before(model, beam->force));
        put_section(json, beam);
        tn_scene_put_color(json, STEEL);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

// Modal bodies ------------------------------------------------------------------------------------

// Bytes of the surface of a body, 0 where it has none.
static double surface_bytes(const tn_modal *from)
{
    return (double)sizeof(float) * 3.0 *
           ((1.0 + from->m) * (double)from->npoint + (double)from->ntriangle);
}

static void put_surface(tn_json *json, const tn_modal *from)
{
    TN_PAGE_ARRAY(json, "points", true, 3L * from->npoint, i, from->points[i]);
    TN_PAGE_ARRAY(json, "triangles", true, 3L * from->ntriangle, i, from->triangles[i]);
    TN_PAGE_ARRAY(json, "shapes", true, 3L * from->npoint * from->m, i, from->shapes[i]);
}

void tn_scene_put_modals(tn_json *json, const tn_model *model)
{
    double left = MOST_BYTES;
    tn_json_begin_array(json, "modals");
    for (int k = 0; k < model->modals.count; k++) {
        const tn_modal_data *data = &model->modals.at[k];
        tn_json_put(json, "{ name %s body %d amplitude %d modes %d attachment %d attachments %d",
                    data->name, data->frame, data->amplitude, data->m, data->attachment,
                    data->nattachment);
        left -= surface_bytes(data->from);
        if (data->from->npoint > 0 && left >= 0.0)
            put_surface(json, data->from);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

void tn_extent_modals(tn_extent *box, const tn_model *model)
{
    for (int k = 0; k < model->modals.count; k++) {
        const tn_modal *from = model->modals.at[k].from;
        const tn_frame frame = model->bodies.at[model->modals.at[k].frame].def.frame;
        for (int i = 0; i < from->npoint; i++)
            tn_extent_include(box, tn_frame_point(frame, tn_v3_from(from->points + 3 * i)), 0.0);
    }
}
