// SPDX-License-Identifier: MIT
//
// Events of a model: a joint coordinate or a coordinate of a body passes a value. The parameters
// are in one table for the reader and the reference page.

#include "model/builder.h"

#include <math.h>
#include <string.h>

static const char *const directions[] = {"both", "rising", "falling", NULL};
static const char *const axes[] = {"x", "y", "z", NULL};

const tn_param tn_event_params[] = {
    TN_PARAM(tn_event_def, joint, JOINT, "joint", "",
             .text = "the joint whose coordinate is watched"),
    TN_PARAM(tn_event_def, coordinate, INTEGER, "coordinate", "",
             .text = "which of its coordinates, by number or name"),
    TN_PARAM(tn_event_def, body, BODY, "body", "",
             .text = "instead of a joint: the body whose origin is watched"),
    TN_PARAM(tn_event_def, axis, CHOICE, "axis", "", .choices = axes,
             .text = "which coordinate of the origin, in inertial axes"),
    TN_PARAM(tn_event_def, value, NUMBER, "value", "m or rad", .text = "the value that it passes"),
    TN_PARAM(tn_event_def, direction, CHOICE, "direction", "", .choices = directions,
             .text = "whether it counts rising, falling or both"),
    TN_PARAM(tn_event_def, stop, BOOL, "stop", "", .text = "ends the run there"),
};
const int tn_event_param_count = TN_COUNT(tn_event_params);

tn_event_def tn_default_event(void)
{
    return (tn_event_def){.joint = {-1}, .body = {-1}};
}

static tn_status check_event(const tn_model *model, const tn_event_def *def, const char *what)
{
    const bool joint = def->joint.index >= 0, body = def->body.index >= 0;
    if (joint == body)
        return tn_fail(TN_ERR_MODEL, "%s: %s; state one of the two", what,
                       joint ? "both 'joint' and 'body' are stated"
                             : "neither 'joint' nor 'body' is stated");
    if (!isfinite(def->value))
        return tn_fail(TN_ERR_MODEL, "%s: value is %g; it must be finite", what, def->value);
    if (body)
        return tn_check_body(model, def->body, what, "body");
    return tn_joint_coord_check(model, def->joint, def->coordinate, NULL, what, "joint");
}

static tn_status add_event(tn_model *model, const tn_event_def *def)
{
    tn_label label;
    if (!def)
        return tn_fail(TN_ERR_USAGE, "tn_model_add_event: the definition is NULL");
    TN_TRY(tn_label_make(model, "event", def->name, model->event_names, model->events.count + 1,
                         &label));
    tn_event_def kept = *def;
    kept.name = label.name;
    TN_TRY(check_event(model, def, label.what));
    TN_TRY(tn_array_push(&model->events, kept));
    return tn_table_add(model->event_names, kept.name, model->events.count - 1);
}

// An event of the model itself.
static tn_status push_event(tn_model *model, const tn_event_def *from, const char *name)
{
    tn_event_def def = *from;
    def.name = tn_pool_text(&model->names, name, strlen(name));
    TN_TRY(tn_got(def.name));
    TN_TRY(tn_array_push(&model->events, def));
    return tn_table_add(model->event_names, def.name, model->events.count - 1);
}

tn_status tn_event_own(tn_model *model, int force, const char *name, double speed)
{
    tn_event_def def = tn_default_event();
    def.force = (tn_force){force};
    def.value = speed;
    def.direction = TN_EVENT_RISING;
    return push_event(model, &def, name);
}

tn_status tn_event_lift_off(tn_model *model, int joint, const char *name, bool stop)
{
    tn_event_def def = tn_default_event();
    def.joint = (tn_joint){joint};
    def.coordinate = TN_EVENT_OF_LOAD;
    def.direction = TN_EVENT_FALLING;
    def.stop = stop;
    return push_event(model, &def, name);
}

tn_status tn_event_contact(tn_model *model, int joint, const char *name, int kind)
{
    tn_event_def def = tn_default_event();
    def.joint = (tn_joint){joint};
    def.coordinate = kind;
    return push_event(model, &def, name);
}

tn_status tn_model_add_event(tn_model *model, const tn_event_def *def)
{
    TN_NEED(model, TN_ERR_USAGE);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, add_event(model, def));
}

TN_GETTER(int, tn_model_event_count, (const tn_model *model), model, 0, model->events.count);
TN_GETTER(const char *, tn_model_event_name, (const tn_model *model, int event), model, "",
          event >= 0 && event < model->events.count ? model->events.at[event].name : "");
