// SPDX-License-Identifier: MIT
//
// The model as a whole: its life, gravity, named constants, the first error, and queries by name.

#include "model/model.h"

#include "linalg/blas_threads.h"
#include "model/builder.h"
#include "model/output.h"
#include "model/units.h"
#include "signal/expression.h"
#include "signal/grid.h"

#include <math.h>

static tn_status add_ground(tn_model *model)
{
    const tn_body_def none = tn_default_body();
    tn_body_data ground = {.name = "ground",
                           .ops = tn_kind_at(model->kinds, TN_FAMILY_BODY, TN_BODY_RIGID),
                           .def = tn_body_keep(&none)};
    ground.def.mass = 0.0;
    TN_TRY(tn_array_push(&model->bodies, ground));
    return tn_table_add(model->body_names, ground.name, TN_GROUND.index);
}

static tn_status set_up(tn_model *model)
{
    TN_TRY(tn_table_create(&model->body_names));
    TN_TRY(tn_table_create(&model->joint_names));
    TN_TRY(tn_table_create(&model->force_names));
    tn_table_borrow(model->body_names); // of the elements
    tn_table_borrow(model->joint_names);
    tn_table_borrow(model->force_names);
    TN_TRY(tn_table_create(&model->event_names));
    TN_TRY(tn_table_create(&model->parameter_names));
    TN_TRY(tn_table_create(&model->signal_names));
    TN_TRY(tn_table_create(&model->output_names));
    return add_ground(model);
}

tn_model *tn_model_create_with(const tn_kinds *kinds)
{
    tn_blas_one_thread();
    tn_model *model = tn_alloc(sizeof(*model));
    if (model) {
        model->kinds = kinds;
        model->units = tn_units_si;
    }
    if (model && set_up(model) == TN_OK)
        return model;
    tn_model_destroy(model);
    (void)tn_fail(TN_ERR_MEMORY, "out of memory while creating a model");
    return NULL;
}

static void destroy_joint(tn_joint_data *joint)
{
    for (int i = 0; i < TN_JOINT_FUNCTIONS; i++)
        tn_timefn_destroy(joint->u[i]);
    tn_free(joint->text);
    if (joint->ops->shapes)
        tn_touch_destroy(joint->def->contact.touch);
}

const tn_model *tn_model_hold(const tn_model *model)
{
    if (model)
        atomic_fetch_add(&((tn_model *)model)->holders, 1); // counting changes nothing that is read
    return model;
}

void tn_model_release(const tn_model *model)
{
    tn_model_destroy((tn_model *)model);
}

tn_status tn_model_open_to_change(tn_model *model)
{
    TN_TRY(tn_model_status(model));
    if (atomic_load(&model->holders) == 0)
        return TN_OK;
    const tn_status s =
        tn_fail(TN_ERR_USAGE, "a model cannot change while a simulation, a check or a record of it "
                              "is there; destroy these first, or build another model");
    tn_model_keep_error(model, s);
    return s;
}

void tn_model_destroy(tn_model *model)
{
    if (!model || atomic_fetch_sub(&model->holders, 1) > 0)
        return;
    for (int i = 0; i < model->joints.count; i++)
        destroy_joint(&model->joints.at[i]);
    for (int i = 0; i < model->forces.count; i++)
        tn_force_data_clear(&model->forces.at[i]);
    for (int i = 0; i < model->parameters.count; i++)
        tn_free((char *)model->parameters.at[i].name);
    tn_array_free(&model->bodies);
    tn_array_free(&model->joints);
    tn_array_free(&model->forces);
    tn_array_free(&model->events);
    tn_array_free(&model->signals);
    tn_array_free(&model->states);
    tn_array_free(&model->block_inputs);
    tn_array_free(&model->state_own);
    tn_array_free(&model->unknowns);
    tn_array_free(&model->samplers);
    tn_array_free(&model->lives);
    for (int i = 0; i < model->outputs.count; i++)
        tn_output_destroy(model->outputs.at[i]);
    tn_array_free(&model->outputs);
    for (int i = 0; i < model->beams.count; i++)
        TN_FREE(model->beams.at[i].name, model->beams.at[i].s);
    tn_array_free(&model->beams);
    for (int i = 0; i < model->modals.count; i++)
        model->modals.at[i].clear(&model->modals.at[i]);
    tn_array_free(&model->modals);
    for (int i = 0; i < model->shapes.count; i++)
        tn_free(model->shapes.at[i].path);
    tn_array_free(&model->shapes);
    tn_array_free(&model->parameters);
    tn_array_free(&model->inputs);
    for (int i = 0; i < model->tables.count; i++)
        tn_grid_destroy(model->tables.at[i]);
    tn_array_free(&model->tables);
    for (int i = 0; i < model->owned.count; i++)
        tn_free(model->owned.at[i]);
    tn_array_free(&model->owned);
    tn_pool_clear(&model->names);
    tn_pool_clear(&model->definitions);
    tn_table_destroy(model->body_names);
    tn_table_destroy(model->joint_names);
    tn_table_destroy(model->force_names);
    tn_table_destroy(model->event_names);
    tn_table_destroy(model->parameter_names);
    tn_table_destroy(model->signal_names);
    tn_table_destroy(model->output_names);
    tn_place_close(model->places);
    TN_FREE(model->message, model);
}

tn_status tn_model_status(const tn_model *model)
{
    TN_NEED(model, TN_ERR_USAGE);
    if (model->status == TN_OK)
        return TN_OK;
    return tn_fail(model->status, "%s",
                   model->message ? model->message : tn_status_text(model->status));
}

void tn_model_set_gravity(tn_model *model, tn_vec3 gravity)
{
    TN_NEED(model, );
    tn_status s = tn_model_open_to_change(model);
    if (s != TN_OK)
        return;
    s = tn_check_finite(gravity, "model", "gravity");
    tn_model_keep_error(model, s);
    if (s == TN_OK)
        model->gravity = gravity;
}

tn_status tn_model_check_name(const char *list, const char *name)
{
    const char *part = name; // assemblies put theirs before it: left.k
    while (part && tn_name_length(part) > 0 && part[tn_name_length(part)] == '.')
        part += tn_name_length(part) + 1;
    if (!part || !*part || part[tn_name_length(part)])
        return tn_fail(TN_ERR_MODEL,
                       "%s '%s': a name is a letter followed by letters, digits or '_'", list,
                       name ? name : "");
    return tn_expression_check_name(list, name);
}

tn_status tn_model_add_name(tn_model *model, tn_named_value named)
{
    named.name = tn_strdup(named.name);
    TN_TRY(tn_got(named.name));
    const tn_status s = tn_array_push(&model->parameters, named);
    if (s != TN_OK)
        tn_free((char *)named.name);
    return s == TN_OK
               ? tn_table_add(model->parameter_names, named.name, model->parameters.count - 1)
               : s;
}

tn_status tn_model_own(tn_model *model, void *block)
{
    const tn_status status = block ? tn_array_push(&model->owned, block) : TN_ERR_MEMORY;
    if (status == TN_OK)
        return TN_OK;
    tn_free(block);
    return tn_fail(TN_ERR_MEMORY, "out of memory");
}

static tn_status set_parameter(tn_model *model, const char *name, double value)
{
    TN_TRY(tn_model_check_name("parameter", name));
    if (!isfinite(value))
        return tn_fail(TN_ERR_MODEL, "parameter '%s': the value must be finite", name);
    const int known = tn_table_find(model->parameter_names, name);
    if (known < 0)
        return tn_model_add_name(model, (tn_named_value){name, value, NULL, NULL});
    if (model->parameters.at[known].input || model->parameters.at[known].table)
        return tn_fail(TN_ERR_MODEL, "parameter '%s': there is %s of that name", name,
                       model->parameters.at[known].input ? "an input" : "a table");
    model->parameters.at[known].value = value;
    return TN_OK;
}

tn_status tn_model_set_parameter(tn_model *model, const char *name, double value)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, name);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, set_parameter(model, name, value));
}

TN_GETTER(int, tn_model_note_count, (const tn_model *model), model, 0, model->notes.count);
TN_GETTER(const char *, tn_model_note, (const tn_model *model, int i), model, "",
          i >= 0 && i < model->notes.count ? model->notes.text[i] : "");
TN_GETTER(int, tn_model_body_count, (const tn_model *model), model, 0, model->bodies.count);
TN_GETTER(int, tn_model_joint_count, (const tn_model *model), model, 0, model->joints.count);
TN_GETTER(int, tn_model_force_count, (const tn_model *model), model, 0, model->forces.count);

static bool joint_exists(const tn_model *model, tn_joint joint)
{
    return joint.index >= 0 && joint.index < model->joints.count;
}

TN_GETTER(const char *, tn_model_body_name, (const tn_model *model, tn_body body), model, "",
          tn_body_exists(model, body) ? model->bodies.at[body.index].name : "");
TN_GETTER(const char *, tn_model_joint_name, (const tn_model *model, tn_joint joint), model, "",
          joint_exists(model, joint) ? model->joints.at[joint.index].name : "");
TN_GETTER(const char *, tn_model_force_name, (const tn_model *model, tn_force force), model, "",
          force.index >= 0 && force.index < model->forces.count ? model->forces.at[force.index].name
                                                                : "");
TN_GETTER(const char *, tn_model_joint_kind_name, (const tn_model *model, tn_joint joint), model,
          "", joint_exists(model, joint) ? model->joints.at[joint.index].ops->name : "");
TN_GETTER(int, tn_model_joint_row_count, (const tn_model *model, tn_joint joint), model, 0,
          joint_exists(model, joint) ? tn_constraint_count(model, joint.index) : 0);

const char *tn_model_joint_row_name(const tn_model *model, tn_joint joint, int row)
{
    TN_NEED(model, "");
    if (!joint_exists(model, joint))
        return "";
    TN_NEED_INDEX(row, tn_constraint_count(model, joint.index), "");
    return tn_constraint_row_name(model, joint.index, row);
}

TN_GETTER(int, tn_model_joint_coordinate_count, (const tn_model *model, tn_joint joint), model, 0,
          joint_exists(model, joint) ? model->joints.at[joint.index].ops->ncoord : 0);

tn_body tn_model_find_body(const tn_model *model, const char *name)
{
    TN_NEED_ALL(((tn_body){-1}), model, name);
    return (tn_body){tn_table_find(model->body_names, name)};
}

tn_joint tn_model_find_joint(const tn_model *model, const char *name)
{
    TN_NEED_ALL(((tn_joint){-1}), model, name);
    return (tn_joint){tn_table_find(model->joint_names, name)};
}

tn_force tn_model_find_force(const tn_model *model, const char *name)
{
    TN_NEED_ALL(((tn_force){-1}), model, name);
    return (tn_force){tn_table_find(model->force_names, name)};
}
