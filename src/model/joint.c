// SPDX-License-Identifier: MIT
//
// The registry of joints and couplings, and constraint rows in their general form. A new kind is
// one file and one line of tenon/joint_kinds.inc.

#include "model/joint.h"

#include "model/builder.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

const tn_joint_coord tn_plane_coords[2] = {
    {"x", "m", {.form = TN_ROW_AXIS, .i = TN_X}},
    {"y", "m", {.form = TN_ROW_AXIS, .i = TN_Y}},
};

void tn_joint_locate(const tn_joint_ops *ops, const tn_joint_def *def, tn_frame X, double *q)
{
    const tn_pair at = {.a.x = tn_frame_identity, .b.x = X};
    TN_ASSERT(ops->motion && (ops->coordinates || ops->nq == ops->ncoord));
    if (ops->coordinates)
        ops->coordinates(def, X, q);
    for (int i = 0; !ops->coordinates && i < ops->nq; i++)
        q[i] = tn_row_value(&ops->coords[i].row, &at, 0.0);
}

static unsigned active_rows(const tn_model *model, int joint)
{
    const tn_joint_ops *ops = model->joints.at[joint].ops;
    return ops->active ? ops->active(model, joint) : (1u << ops->nrow) - 1u;
}

// Index of row i of the joint in the table of its kind.
static int table_row(const tn_model *model, int joint, int i)
{
    const unsigned active = active_rows(model, joint);
    int at = -1;
    for (int left = i; left >= 0; left--)
        do
            at++;
        while (!(active >> at & 1u));
    return at;
}

static int position_rows(const tn_model *model, int joint)
{
    int count = 0;
    for (unsigned active = active_rows(model, joint); active; active &= active - 1u)
        count++;
    return count;
}

int tn_constraint_count(const tn_model *model, int joint)
{
    return position_rows(model, joint) + tn_joint_roll_count(model, joint);
}

tn_constraint_row tn_constraint_get(const tn_model *model, int joint, int i)
{
    const tn_joint_ops *ops = model->joints.at[joint].ops;
    const int positions = position_rows(model, joint);
    TN_ASSERT(i >= 0 && i < tn_constraint_count(model, joint));
    if (i >= positions && ops->by_formula)
        return (tn_constraint_row){.nterm = 0};
    if (i >= positions)
        return (tn_constraint_row){
            .nterm = 1, .term[0] = {tn_joint_rolls(model, joint)[i - positions], joint, 1.0}};
    const int at = table_row(model, joint, i);
    if (ops->row)
        return ops->row(model, joint, at);
    return tn_constraint_of_table(model, joint, at);
}

tn_constraint_row tn_constraint_of_table(const tn_model *model, int joint, int i)
{
    const tn_joint_ops *ops = model->joints.at[joint].ops;
    return (tn_constraint_row){.nterm = 1, .term[0] = {ops->rows[i], joint, 1.0}};
}

static const char *const slip_names[] = {"slip 1", "slip 2"};

const char *tn_constraint_row_name(const tn_model *model, int joint, int i)
{
    const tn_joint_ops *ops = model->joints.at[joint].ops;
    const int positions = position_rows(model, joint);
    if (i >= positions && ops->rubs)
        return tn_joint_roll_count(model, joint) == 1 ? "slip" : slip_names[i - positions];
    if (i >= positions)
        return ops->roll_names[i - positions];
    const int at = table_row(model, joint, i);
    return ops->row_names ? ops->row_names[at] : tn_row_name(&ops->rows[at]);
}

tn_timefn *tn_joint_no_functions[TN_JOINT_FUNCTIONS];

// Shapes that touch and values of user-defined kinds are large. All others are up to the numbers of
// a gear: functions are compiled, and their place in the definition is left out.
static size_t definition_size(const tn_joint_ops *ops)
{
    enum { UP_TO_GEARS = offsetof(tn_joint_def, gear) + sizeof(((tn_joint_def *)0)->gear) };
    _Static_assert(UP_TO_GEARS % 8 == 0 && sizeof(tn_joint_def) % 8 == 0, "functions follow");
    _Static_assert(sizeof(((tn_joint_def *)0)->rolling) <= sizeof(((tn_joint_def *)0)->gear) &&
                       sizeof(((tn_joint_def *)0)->rack_pinion) <=
                           sizeof(((tn_joint_def *)0)->gear) &&
                       offsetof(tn_joint_def, drive.motion) <= UP_TO_GEARS,
                   "numbers of all kinds are kept");
    return ops->shapes || ops->own ? sizeof(tn_joint_def) : UP_TO_GEARS;
}

static bool has_functions(const tn_joint_data *joint)
{
    for (int i = 0; i < TN_JOINT_FUNCTIONS; i++)
        if (joint->u[i])
            return true;
    return false;
}

size_t tn_joint_kept_bytes(const tn_joint_data *joint)
{
    return definition_size(joint->ops) +
           (has_functions(joint) ? TN_JOINT_FUNCTIONS * sizeof *joint->u : 0);
}

void tn_joint_keep(tn_joint_data *joint, void *bytes)
{
    const size_t size = definition_size(joint->ops);
    tn_timefn **u = (tn_timefn **)((char *)bytes + size);
    memcpy(bytes, joint->def, size);
    if (has_functions(joint))
        memcpy(u, joint->u, TN_JOINT_FUNCTIONS * sizeof *u);
    joint->u = has_functions(joint) ? u : tn_joint_no_functions;
    joint->def = bytes;
}

static bool rubs_in_plane(const tn_model *model, const tn_joint_data *joint)
{
    return joint->ops->by_formula ||
           tn_pair_is_planar(model, joint->def->body_a, joint->def->body_b);
}

int tn_joint_roll_count(const tn_model *model, int joint)
{
    const tn_joint_data *data = &model->joints.at[joint];
    TN_ASSERT(data->ops->nroll <= TN_JOINT_MAX_ROWS);
    if (data->ops->rubs)
        return !tn_joint_rubs(data) ? 0 : rubs_in_plane(model, data) ? 1 : 2;
    return data->ops->rolling ? data->ops->rolling(data->def) : data->ops->nroll;
}

const tn_row *tn_joint_rolls(const tn_model *model, int joint)
{
    // Of a point on a plane, and of shapes: in the plane, or in space.
    static const tn_row slips[2][2][2] = {
        {{{.form = TN_ROW_SLIP}, {.form = TN_ROW_SLIP, .i = 1}}, {{.form = TN_ROW_SLIP, .k = 1}}},
        {{{.form = TN_ROW_SLIP, .j = 1}, {.form = TN_ROW_SLIP, .i = 1, .j = 1}},
         {{.form = TN_ROW_SLIP, .j = 1, .k = 1}}},
    };
    const tn_joint_data *data = &model->joints.at[joint];
    if (data->ops->by_formula)
        return NULL;
    return data->ops->rubs ? slips[data->ops->shapes != NULL][rubs_in_plane(model, data)]
                           : data->ops->rolls;
}

bool tn_joint_drives(const tn_joint_data *data, tn_driven *out)
{
    if (data->ops->drives)
        *out = data->ops->drives(data->def);
    return data->ops->drives;
}

static const char *quantity_of(const char *unit)
{
    return strcmp(unit, "rad") == 0 ? "an angle" : "a displacement";
}

// "a revolute joint has 1, numbered from 0"
static tn_status no_such_coordinate(const tn_joint_data *target, int coordinate, const char *what)
{
    const tn_joint_ops *ops = target->ops;
    if (ops->ncoord == 0)
        return tn_fail(TN_ERR_MODEL, "%s: joint '%s' has no coordinates (it is a %s joint)", what,
                       target->name, ops->name);
    return tn_fail(TN_ERR_MODEL,
                   "%s: coordinate %d of joint '%s' does not exist (a %s joint has %d, numbered "
                   "from 0)",
                   what, coordinate, target->name, ops->name, ops->ncoord);
}

tn_status tn_joint_coord_check(const tn_model *model, tn_joint joint, int coordinate,
                               const char *unit, const char *what, const char *key)
{
    if (joint.index < 0 || joint.index >= model->joints.count)
        return tn_fail(TN_ERR_MODEL, "%s: %s is not a joint of this model", what, key);
    const tn_joint_data *target = &model->joints.at[joint.index];
    if (coordinate < 0 || coordinate >= target->ops->ncoord)
        return no_such_coordinate(target, coordinate, what);
    const tn_joint_coord *c = &target->ops->coords[coordinate];
    if (unit && strcmp(unit, c->unit) != 0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: %s must be %s, but coordinate %d of joint '%s' (%s) is %s", what, key,
                       quantity_of(unit), coordinate, target->name, c->name, quantity_of(c->unit));
    char subject[256];
    snprintf(subject, sizeof(subject), "coordinate %d (%s) of joint '%s'", coordinate, c->name,
             target->name);
    return tn_check_row_bodies(model, &c->row, target->def->body_a, target->def->body_b, what,
                               subject);
}

tn_term tn_joint_coord_term(const tn_model *model, tn_joint joint, int coordinate,
                            double coefficient)
{
    const tn_joint_ops *ops = model->joints.at[joint.index].ops;
    return (tn_term){ops->coords[coordinate].row, joint.index, coefficient};
}
