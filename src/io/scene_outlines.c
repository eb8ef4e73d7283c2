// SPDX-License-Identifier: MIT
//
// Shapes that touch (model/outline.h) in scenes: each joint draws those of its bodies A and B.

#include "io/scene_parts.h"
#include "model/outline.h"

// Draws what joint j has on one side.
static void draw_side(const tn_model *model, int j, bool of_b, tn_pen *pen)
{
    const tn_touch *touch = model->joints.at[j].def->contact.touch;
    touch->ops->draw(touch, of_b, pen);
}

static bool is_on(const tn_joint_def *def, bool of_b, int body)
{
    return (of_b ? def->body_b : def->body_a).index == body;
}

static tn_frame frame_on_body(const tn_joint_def *def, bool of_b, const tn_outline *outline)
{
    return tn_frame_mul(of_b ? def->frame_b : def->frame_a, outline->frame);
}

// As JSON -----------------------------------------------------------------------------------------

typedef struct json_pen {
    tn_pen pen;
    tn_json *json;
    const tn_model *model;
    int joint;
    bool of_b;
} json_pen;

static void put_outline(tn_pen *pen, const tn_outline *outline)
{
    const json_pen *p = (const json_pen *)pen;
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
    tn_scene_put_place(json, frame_on_body(p->model->joints.at[p->joint].def, p->of_b, outline));
    tn_scene_put_color(json, outline->color);
    tn_json_end_object(json);
}

void tn_scene_put_outlines(tn_json *json, const tn_model *model, int body)
{
    for (int j = 0; j < model->joints.count; j++)
        for (int b = 0; b < 2 && model->joints.at[j].ops->shapes; b++) {
            json_pen pen = {{put_outline}, json, model, j, b == 1};
            if (is_on(model->joints.at[j].def, b == 1, body))
                draw_side(model, j, b == 1, &pen.pen);
        }
}

// Their size --------------------------------------------------------------------------------------

typedef struct extent_pen {
    tn_pen pen;
    tn_extent *box;
    tn_frame at; // of the frame of the joint
} extent_pen;

static void include_outline(tn_pen *pen, const tn_outline *outline)
{
    const extent_pen *p = (const extent_pen *)pen;
    const tn_frame at = tn_frame_mul(p->at, outline->frame);
    for (int i = 0; i < tn_outline_count(outline); i++) {
        double reach;
        const tn_vec3 q = tn_outline_point(outline, i, &reach);
        tn_extent_include(p->box, tn_v3_add(at.p, tn_m3_apply(at.R, q)), reach);
    }
}

void tn_extent_outlines(tn_extent *box, const tn_model *model)
{
    for (int j = 0; j < model->joints.count; j++)
        for (int b = 0; b < 2 && model->joints.at[j].ops->shapes; b++) {
            const tn_joint_def *def = model->joints.at[j].def;
            const tn_body_data *body = &model->bodies.at[(b ? def->body_b : def->body_a).index];
            extent_pen pen = {{include_outline},
                              box,
                              tn_frame_mul(body->def.frame, b ? def->frame_b : def->frame_a)};
            draw_side(model, j, b == 1, &pen.pen);
        }
}
