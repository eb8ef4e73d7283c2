// SPDX-License-Identifier: MIT
//
// Adding joints and couplings to a model: bodies, frames, the planar counterpart, parameters and
// functions are checked here once for every kind; checks of one kind are in its own hooks.

#include "model/builder.h"

#include "text/join.h"

#include <math.h>
#include <stdio.h>

tn_joint_def tn_joint_def_of(const tn_kinds *kinds, tn_joint_kind kind)
{
    tn_joint_def def = {
        .kind = kind,
        .body_a = TN_GROUND,
        .body_b = {-1}, // must be stated
        .frame_a = tn_frame_identity,
        .frame_b = tn_frame_identity,
    };
    const tn_joint_ops *ops = tn_kind_at(kinds, TN_FAMILY_JOINT, (int)kind);
    if (ops)
        tn_params_default(ops->nparam, ops->params, &def);
    return def;
}

// Planar bodies take the planar counterpart of a joint; a joint of the plane takes no others.
static tn_status choose_kind(const tn_model *model, tn_joint_data *data, const char *what)
{
    tn_joint_def *def = data->def;
    const tn_joint_ops *ops = data->ops;
    const bool planar = tn_pair_is_planar(model, def->body_a, def->body_b);
    if (ops->dim == 2 && !planar) {
        const tn_body spatial = tn_body_is_planar(model, def->body_a) ? def->body_b : def->body_a;
        return tn_fail(TN_ERR_MODEL,
                       "%s: a %s joint holds planar bodies only, but '%s' moves in space", what,
                       ops->name, tn_model_body_name(model, spatial));
    }
    if (!planar || ops->dim != 3)
        return TN_OK;
    if (!ops->planar && ops->coupling)
        return TN_OK;
    if (!ops->planar)
        return tn_fail(TN_ERR_MODEL,
                       "%s: a %s joint cannot hold planar bodies; use revolute, prismatic or "
                       "pin-in-slot",
                       what, ops->name);
    data->ops = ops->planar;
    return TN_OK;
}

static tn_status check_bodies(const tn_model *model, tn_joint_data *data, const char *what)
{
    tn_joint_def *def = data->def;
    char subject[64];
    TN_TRY(tn_check_two_bodies(model, def->body_a, def->body_b, what));
    TN_TRY(choose_kind(model, data, what));
    TN_TRY(tn_check_frame(&def->frame_a, what, "frame_a"));
    TN_TRY(tn_check_frame(&def->frame_b, what, "frame_b"));
    TN_TRY(tn_check_offset(model, def->body_a, def->frame_a, what, "frame_a"));
    TN_TRY(tn_check_offset(model, def->body_b, def->frame_b, what, "frame_b"));
    if (data->ops->dim == 2) {
        TN_TRY(tn_check_level(def->frame_a, what, "frame_a"));
        TN_TRY(tn_check_level(def->frame_b, what, "frame_b"));
    }
    if (data->ops->active) // it leaves out the rows that its bodies cannot have
        return TN_OK;
    TN_JOIN(subject, "a ", data->ops->name, " joint");
    for (int i = 0; i < data->ops->nrow; i++)
        TN_TRY(tn_check_row_bodies(model, &data->ops->rows[i], def->body_a, def->body_b, what,
                                   subject));
    return TN_OK;
}

static tn_status check_start(const tn_joint_ops *ops, int n, const double *values, const char *what,
                             const char *quantity)
{
    if (n < 0 || n > ops->ncoord || n > TN_JOINT_MAX_COORDS)
        return tn_fail(TN_ERR_MODEL, "%s: %s has %d values, but a %s joint has %d coordinate%s",
                       what, quantity, n, ops->name, ops->ncoord, ops->ncoord == 1 ? "" : "s");
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return tn_fail(TN_ERR_MODEL, "%s: %s must be finite", what, quantity);
    return TN_OK;
}

static tn_status check_one_sided(const tn_joint_ops *ops, const tn_joint_def *def, const char *what)
{
    if (!(def->restitution >= 0.0 && def->restitution <= 1.0))
        return tn_fail(TN_ERR_MODEL, "%s: restitution is %g; it lies from 0 to 1", what,
                       def->restitution);
    if (def->restitution > 0.0 && !def->one_sided)
        return tn_fail(TN_ERR_MODEL,
                       "%s: restitution belongs to impacts, and bodies that never part have none; "
                       "add one_sided: true",
                       what);
    if (!(def->friction >= 0.0 && def->friction < INFINITY))
        return tn_fail(TN_ERR_MODEL, "%s: friction is %g; a coefficient of friction is 0 or more",
                       what, def->friction);
    if (def->friction > 0.0 && !def->one_sided)
        return tn_fail(TN_ERR_MODEL,
                       "%s: friction belongs to bodies that press each other and may part; add "
                       "one_sided: true, or take a force of kind friction",
                       what);
    if (def->impact_without_collision && !(def->friction > 0.0))
        return tn_fail(TN_ERR_MODEL,
                       "%s: impact_without_collision is for contacts that slip; state friction "
                       "too, or leave it out",
                       what);
    if (def->friction > 0.0 && !ops->rubs)
        return tn_fail(TN_ERR_MODEL,
                       "%s: friction acts in contact, curve-on-curve, point-on-surface, "
                       "wheel-rail, point-in-plane and position-row, and the joint is of kind %s",
                       what, ops->name);
    if (def->one_sided && ops->free_side == 0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: one_sided is for couplings whose one row is a gap, and %s is none",
                       what, ops->name);
    if (def->one_sided && ops->shapes && def->contact.lift_off != TN_LIFT_OFF_END)
        return tn_fail(TN_ERR_MODEL,
                       "%s: lift_off tells what a contact that cannot part does; leave it out "
                       "beside one_sided",
                       what);
    return TN_OK;
}

static tn_status check_joint(tn_model *model, tn_joint_data *data, const char *what)
{
    tn_joint_def *def = data->def;
    if (data->ops->relative)
        TN_TRY(check_bodies(model, data, what));
    const tn_joint_ops *ops = data->ops; // after planar replacement
    if (ops->note)
        tn_notes_add(&model->notes, "%s: %s", what, ops->note);
    TN_TRY(tn_params_check(ops->nparam, ops->params, def, what));
    TN_TRY(check_start(ops, def->nposition, def->position, what, "position"));
    TN_TRY(check_start(ops, def->nrate, def->rate, what, "rate"));
    if (!isfinite(def->share) || def->share < 0.0)
        return tn_fail(TN_ERR_MODEL, "%s: share must be positive and finite", what);
    if (def->share > 0.0 && (!ops->relative || ops->coupling))
        return tn_fail(
            TN_ERR_MODEL,
            "%s: share is for joints that stand between two bodies, and %s is a coupling", what,
            ops->name);
    TN_TRY(check_one_sided(ops, def, what));
    if (ops->check)
        TN_TRY(ops->check(def, what));
    if (ops->link)
        TN_TRY(ops->link(model, def, what));
    return tn_compile_functions(model, ops->nparam, ops->params, def, TN_USE_DRIVE, what, data->u);
}

// Expressions of rows name elements that the model need not have yet: their texts are saved.
static tn_status keep_text(tn_joint_data *data)
{
    if (!data->ops->by_formula)
        return TN_OK;
    tn_formula_def *def = &data->def->formula;
    const size_t n = strlen(def->row) + 1, m = def->slip ? strlen(def->slip) + 1 : 0;
    data->text = tn_alloc(n + m);
    TN_TRY(tn_got(data->text));
    memcpy(data->text, def->row, n);
    if (m > 0)
        memcpy(data->text + n, def->slip, m);
    def->row = data->text;
    def->slip = m > 0 ? data->text + n : NULL;
    return TN_OK;
}

// The texts and points of profiles belong to the caller.
static tn_status make_shapes(const tn_model *model, tn_joint_data *data, const char *what)
{
    tn_contact_def *contact = &data->def->contact;
    tn_touch *touch = NULL;
    if (!data->ops->shapes)
        return TN_OK;
    TN_TRY(tn_touch_create(data->ops->shapes, model, data->def, what, &touch));
    *contact = (tn_contact_def){.follower = contact->follower,
                                .radius = contact->radius,
                                .lift_off = contact->lift_off,
                                .touch = touch};
    return TN_OK;
}

tn_status tn_joint_push(tn_model *model, tn_joint_data data)
{
    void *room = tn_pool_take(&model->definitions, tn_joint_kept_bytes(&data));
    TN_TRY(tn_got(room));
    tn_joint_keep(&data, room);
    return tn_array_push(&model->joints, data);
}

// Events that a contact brings with it: those of one that parts come in this order.
static tn_status add_contact_events(tn_model *model, const tn_joint_data *data)
{
    static const struct {
        const char *what;
        int event;
    } own[] = {{"hits", TN_EVENT_OF_HIT},
               {"parts", TN_EVENT_OF_PARTING},
               {"slips", TN_EVENT_OF_SLIP},
               {"sticks", TN_EVENT_OF_STICK}};
    char name[300];
    const int joint = model->joints.count - 1;
    for (int i = 0; data->def->one_sided && i < (tn_joint_rubs(data) ? 4 : 2); i++) {
        snprintf(name, sizeof name, "%.250s %s", data->name, own[i].what);
        TN_TRY(tn_event_contact(model, joint, name, own[i].event));
    }
    if (data->def->one_sided)
        return TN_OK;
    if (!data->ops->shapes || data->def->contact.lift_off == TN_LIFT_OFF_IGNORE)
        return TN_OK;
    snprintf(name, sizeof name, "%.250s lifts off", data->name);
    return tn_event_lift_off(model, joint, name, data->def->contact.lift_off == TN_LIFT_OFF_END);
}

static tn_status add_joint(tn_model *model, const void *from, const tn_label *label)
{
    const tn_joint_def *def = from;
    tn_joint_def whole = *def;
    tn_timefn *u[TN_JOINT_FUNCTIONS] = {NULL};
    tn_joint_data data = {.name = label->name,
                          .def = &whole,
                          .u = u,
                          .ops = tn_kind_at(model->kinds, TN_FAMILY_JOINT, (int)def->kind)};
    if (!data.ops)
        return tn_fail(TN_ERR_MODEL, "%s: %d is not a kind of joint", label->what, (int)def->kind);
    whole.name = data.name;
    if (data.ops->own)
        whole.own.table = data.ops->own;
    if (data.ops->shapes)
        whole.contact.touch = NULL;
    tn_status s = check_joint(model, &data, label->what);
    TN_THEN(s, keep_text(&data));
    TN_THEN(s, make_shapes(model, &data, label->what));
    TN_THEN(s, tn_joint_push(model, data));
    model->timed |= u[0] != NULL;
    if (s == TN_OK)
        return add_contact_events(model, &model->joints.at[model->joints.count - 1]);
    for (int i = 0; i < TN_COUNT(u); i++)
        tn_timefn_destroy(u[i]);
    tn_free(data.text);
    if (data.ops->shapes)
        tn_touch_destroy(whole.contact.touch);
    return s;
}

tn_joint tn_model_add_joint(tn_model *model, const tn_joint_def *def)
{
    TN_NEED(model, ((tn_joint){-1}));
    return (tn_joint){tn_builder_add(model, TN_FAMILY_JOINT, def, add_joint)};
}
