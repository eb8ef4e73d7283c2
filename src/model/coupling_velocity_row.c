// SPDX-License-Identifier: MIT
//
// Velocity row: an expression of positions and velocities that stays zero, linear in the
// velocities; see velocity_row.h. Its force and torque are those on the body of the first velocity
// in it, about the origin of the frame of that body.

#include "model/joint.h"
#include "model/model.h"
#include "model/velocity_row.h"
#include "model/vocabulary.h"

#include <math.h>
#include <string.h>

// Where linearity is tried: numbers that are nothing special.
static const double PLACES[] = {0.3127, 0.8461, 0.5519};
static const double LINEAR = 1e-9; // round-off of slopes that agree

static const char *const velocity_row_roll_names[] = {"velocity"};

static const tn_param velocity_row_params[] = {
    TN_PARAM(tn_joint_def, velocity_row.row, TEXT, "row", "", .required = true,
             .text = "an expression of t, parameters, positions and velocities that stays zero; "
                     "linear in the velocities, in m/s or rad/s"),
};

static tn_status velocity_row_check(const tn_joint_def *def, const char *what)
{
    if (def->velocity_row.row && *def->velocity_row.row)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: row, the expression that stays zero, is missing", what);
}

const tn_joint_ops tn_joint_velocity_row = {
    .name = "velocity-row",
    .text = "keeps an expression at zero that is linear in velocities",
    .dim = 3,
    .coupling = true,
    .roll_names = velocity_row_roll_names,
    .nroll = 1,
    TN_PARAMS(velocity_row_params),
    .check = velocity_row_check,
};

// Compiling ---------------------------------------------------------------------------------------

typedef struct velocity_scope {
    const tn_model *model;
    tn_velocity_row *row;
} velocity_scope;

// Whether a quantity is a position (0) or a rate (1) that rows may use; -1: neither.
static int level_of(const tn_model *model, const tn_named_quantity *q)
{
    switch (q->what) {
    case TN_Q_BODY_POSITION:
    case TN_Q_BODY_ANGLE:
    case TN_Q_JOINT_COORDINATE:
    case TN_Q_FORCE_LENGTH:
    case TN_Q_FORCE_ANGLE:
        return 0;
    case TN_Q_BODY_VELOCITY:
    case TN_Q_BODY_SPIN:
    case TN_Q_BODY_ANGLE_RATE:
    case TN_Q_JOINT_RATE:
    case TN_Q_FORCE_RATE:
        return 1;
    default:
        return -1;
    }
}

static tn_status find_velocity_name(void *self, const char *name, int *number)
{
    const velocity_scope *scope = self;
    tn_velocity_row *row = scope->row;
    tn_named_quantity q;
    TN_TRY(tn_vocabulary_find(scope->model, name, &q));
    const int level = level_of(scope->model, &q);
    if (level < 0)
        return tn_fail(TN_ERR_MODEL,
                       "'%s' is neither a position nor a velocity of the mechanism, and rows of "
                       "velocities know no other numbers beside t and parameters",
                       name);
    for (*number = 0; *number < row->n; ++*number) {
        const tn_variable *v = &row->variable[*number];
        if (v->index == (int)q.what && v->element == q.element && v->component == q.component)
            return TN_OK;
    }
    if (row->n == TN_VELOCITY_VARIABLES)
        return tn_fail(TN_ERR_MODEL, "more than %d different names", TN_VELOCITY_VARIABLES);
    row->rate[row->n] = level == 1;
    row->length = row->length || (level == 1 && strcmp(q.unit, "m/s") == 0);
    row->variable[row->n++] = (tn_variable){.kind = TN_VARIABLE_QUANTITY,
                                            .index = (int)q.what,
                                            .element = q.element,
                                            .component = q.component,
                                            .unit = q.unit};
    return TN_OK;
}

// What rates change the row by may not depend on rates.
static tn_status check_linear(const tn_model *model, const tn_velocity_row *row)
{
    double x[TN_VELOCITY_VARIABLES], d[2][TN_VELOCITY_VARIABLES];
    for (int place = 0; place < TN_COUNT(PLACES); place++) {
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < row->n; i++)
                x[i] = PLACES[place] * (1.0 + 0.37 * i) * (k && row->rate[i] ? 1.7 + i : 1.0);
            tn_formula_gradient(row->formula, PLACES[place], x, NULL, d[k]);
        }
        for (int i = 0; i < row->n; i++)
            if (row->rate[i] && fabs(d[1][i] - d[0][i]) > LINEAR * (1.0 + fabs(d[0][i]))) {
                const tn_variable *v = &row->variable[i];
                const tn_named_quantity q = {(tn_quantity)v->index, v->element, v->component,
                                             v->unit};
                const tn_column column = tn_quantity_column(model, &q);
                char *name = tn_quantity_name(&tn_quantity_kinds[v->index], &column);
                const tn_status status =
                    tn_fail(TN_ERR_MODEL,
                            "it is not linear in '%s', and a row of velocities must be linear in "
                            "all of them",
                            name ? name : "a velocity");
                tn_free(name);
                return status;
            }
    }
    return TN_OK;
}

static tn_status check_velocity_row(const tn_model *model, const tn_velocity_row *row)
{
    bool any = false;
    for (int i = 0; i < row->n; i++)
        any = any || row->rate[i];
    if (!any)
        return tn_fail(TN_ERR_MODEL, "it has no velocity in it");
    if (tn_formula_switch_count(row->formula) > 0)
        return tn_fail(TN_ERR_MODEL,
                       "it has a condition in it (if, abs, min, sign and the like), and a "
                       "constraint has no branches");
    return check_linear(model, row);
}

tn_status tn_velocity_row_create(const tn_model *model, int joint, tn_velocity_row *out)
{
    const tn_joint_data *data = &model->joints.at[joint];
    velocity_scope scope = {model, out};
    const tn_lookup names = {&scope, find_velocity_name};
    *out = (tn_velocity_row){0};
    tn_status status = tn_formula_create(data->text, model->parameters.count, model->parameters.at,
                                         &names, &out->formula);
    TN_THEN(status, check_velocity_row(model, out));
    if (status == TN_OK)
        return TN_OK;
    tn_velocity_row_clear(out);
    return tn_fail_within(status, "joint '%s': row", data->name);
}

void tn_velocity_row_clear(tn_velocity_row *row)
{
    tn_formula_destroy(row->formula);
    row->formula = NULL;
}
