// SPDX-License-Identifier: MIT
//
// The registry of force elements, and adding one to a model.

#include "lie/so3.h"
#include "model/builder.h"
#include "model/signal_names.h"
#include "model/units.h"

#include <stdio.h>

void tn_force_shapes_destroy(tn_joint_def *shapes)
{
    if (shapes)
        tn_touch_destroy(shapes->contact.touch);
    tn_free(shapes);
}

void tn_force_data_clear(tn_force_data *data)
{
    tn_force_shapes_destroy(data->shapes);
    for (int i = 0; i < TN_COUNT(data->u); i++)
        tn_timefn_destroy(data->u[i]);
    tn_free(data->table);
    *data = (tn_force_data){0};
}

tn_force_def tn_force_def_of(const tn_kinds *kinds, tn_force_kind kind)
{
    tn_force_def def = {
        .kind = kind,
        .body_a = TN_GROUND,
        .body_b = {-1}, // must be stated
        .frame_a = tn_frame_identity,
        .frame_b = tn_frame_identity,
        .joint = {-1},
    };
    const tn_force_ops *ops = tn_kind_at(kinds, TN_FAMILY_FORCE, (int)kind);
    if (ops)
        tn_params_default(ops->nparam, ops->params, &def);
    return def;
}

// The pair and the row of a joint coordinate.
static tn_status take_joint(const tn_model *model, tn_force_data *data, const char *what)
{
    tn_force_def *def = &data->def;
    TN_TRY(tn_joint_coord_check(model, def->joint, def->coordinate, NULL, what, "joint"));
    const tn_joint_data *joint = &model->joints.at[def->joint.index];
    def->body_a = joint->def->body_a;
    def->body_b = joint->def->body_b;
    def->frame_a = joint->def->frame_a;
    def->frame_b = joint->def->frame_b;
    data->row = joint->ops->coords[def->coordinate].row;
    data->has_row = true;
    return TN_OK;
}

static tn_status take_body(const tn_model *model, tn_force_data *data, const char *what)
{
    tn_force_def *def = &data->def;
    TN_TRY(tn_check_body(model, def->body_b, what, "body_b"));
    TN_TRY(tn_modal_check_use(model, def->body_b, what));
    if (def->body_b.index == TN_GROUND.index)
        return tn_fail(TN_ERR_MODEL, "%s: acts on the ground, which it cannot move", what);
    def->body_a = TN_GROUND;
    def->frame_a = tn_frame_identity;
    return TN_OK;
}

static tn_status take_pair(const tn_model *model, tn_force_data *data, const char *what)
{
    const tn_force_ops *ops = data->ops;
    tn_force_def *def = &data->def;
    TN_TRY(tn_check_two_bodies(model, def->body_a, def->body_b, what));
    if (ops->row) {
        data->row = *ops->row;
        data->has_row = true;
    }
    if (data->has_row && data->row.form == TN_ROW_ANGLE &&
        tn_pair_is_planar(model, def->body_a, def->body_b)) {
        TN_TRY(tn_check_level(def->frame_a, what, "frame_a"));
        TN_TRY(tn_check_level(def->frame_b, what, "frame_b"));
    }
    return TN_OK;
}

static tn_status check_orientation(const tn_model *model, const tn_force_data *data,
                                   const char *what)
{
    const tn_force_def *def = &data->def;
    char subject[64];
    snprintf(subject, sizeof(subject), "a %s", data->ops->name);
    if (data->ops->needs_rotation) {
        TN_TRY(tn_check_rotation(model, def->body_a, what, subject));
        TN_TRY(tn_check_rotation(model, def->body_b, what, subject));
    }
    if (!data->has_row)
        return TN_OK;
    return tn_check_row_bodies(model, &data->row, def->body_a, def->body_b, what, subject);
}

static void tell_table(tn_model *model, const tn_force_data *data, const char *what)
{
    char text[512];
    snprintf(text, sizeof(text), "%s: table", what);
    if (data->table)
        tn_tell_overshoot(model, text, "deflection", tn_force_acts_on_length(data) ? "m" : "rad",
                          tn_timefn_curve(data->u[0]));
}

static tn_status check_force(tn_model *model, tn_force_data *data, const char *what)
{
    const tn_force_ops *ops = data->ops;
    tn_force_def *def = &data->def;
    TN_TRY(tn_check_frame(&def->frame_a, what, "frame_a"));
    TN_TRY(tn_check_frame(&def->frame_b, what, "frame_b"));
    if (ops->slips)
        TN_TRY(ops->slips(model, data, what));
    else if (ops->on_joint)
        TN_TRY(take_joint(model, data, what));
    else if (ops->single)
        TN_TRY(take_body(model, data, what));
    else
        TN_TRY(take_pair(model, data, what));
    TN_TRY(check_orientation(model, data, what));
    TN_TRY(tn_check_offset(model, def->body_a, def->frame_a, what, "frame_a"));
    TN_TRY(tn_check_offset(model, def->body_b, def->frame_b, what, "frame_b"));
    TN_TRY(tn_params_check(ops->nparam, ops->params, def, what));
    TN_TRY(tn_compile_functions(model, ops->nparam, ops->params, def, TN_USE_FORCE, what, data->u));
    if (ops->prepare)
        TN_TRY(ops->prepare(data, model));
    if (ops->join)
        TN_TRY(ops->join(model, data, what));
    tell_table(model, data, what);
    if (ops->note)
        tn_notes_add(&model->notes, "%s: %s", what, ops->note);
    return TN_OK;
}

static tn_status add_force(tn_model *model, const void *from, const tn_label *label)
{
    const tn_force_def *def = from;
    tn_force_data data = {.def = *def,
                          .ops = tn_kind_at(model->kinds, TN_FAMILY_FORCE, (int)def->kind)};
    if (!data.ops)
        return tn_fail(TN_ERR_MODEL, "%s: %d is not a kind of force", label->what, (int)def->kind);
    data.name = label->name;
    data.def.name = data.name;
    tn_status s = check_force(model, &data, label->what);
    TN_THEN(s, tn_array_push(&model->forces, data));
    model->timed |= data.u[0] != NULL;
    if (s != TN_OK)
        tn_force_data_clear(&data);
    return s;
}

// Functions of time know nothing of the force; a name in them that it has, too, is reported.
static tn_status check_own_names(const tn_model *model, int force, const tn_force_def *def)
{
    const tn_force_ops *ops = model->forces.at[force].ops;
    char what[300], text[512];
    snprintf(what, sizeof what, "force '%s'", model->forces.at[force].name);
    for (int i = 0; i < ops->nparam; i++) {
        const tn_param *p = &ops->params[i];
        const tn_function *f = (const tn_function *)((const char *)def + p->offset);
        for (int k = 0; k < tn_param_functions(p); k++) {
            tn_function_words(p, k, what, sizeof text, text);
            if (f[k].expression)
                TN_TRY(tn_force_check_names(model, force, text, f[k].expression));
        }
    }
    return TN_OK;
}

tn_force tn_model_add_force(tn_model *model, const tn_force_def *def)
{
    TN_NEED(model, ((tn_force){-1}));
    const int force = tn_builder_add(model, TN_FAMILY_FORCE, def, add_force);
    const tn_status status = force >= 0 ? check_own_names(model, force, def) : TN_OK;
    tn_model_keep_error(model, status);
    return (tn_force){status == TN_OK ? force : -1};
}

tn_vec3 tn_turn_between(const tn_force_view *at)
{
    return tn_so3_log(tn_m3_mul(tn_m3_transpose(at->a.R), at->b.R));
}
