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
static const double LINEAR = 1e-9;    // round-off of values and slopes that agree
static const double NO_SLOPE = 1e-14; // round-off of velocities that cancel
// Times the first value of a rate: backwards, slower, faster and at rest.
static const double RATES[] = {-1.0, 1.7, 0.0, 1e-3, -1e-3, 1e3, -1e3, 1e-6, -1e-6};

static const char *const velocity_row_roll_names[] = {"velocity"};

static const tn_param velocity_row_params[] = {
    TN_PARAM(tn_joint_def, velocity_row.row, TEXT, "row", "", .required = true,
             .role = TN_ROLE_EXPRESSION,
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

// Trials of a row: at each of some places each rate has some values, one rate after the other.
// Value and slopes are then those of a linear function, or not; at places where the row has no
// value at all, as a root of a position has, nothing is known.
typedef struct row_trial {
    const tn_model *model;
    const tn_velocity_row *row;
    double t, x[TN_VELOCITY_VARIABLES];
    double value, slope[TN_VELOCITY_VARIABLES];
} row_trial;

static bool try_row(row_trial *r)
{
    r->value = tn_formula_gradient(r->row->formula, r->t, r->x, NULL, r->slope);
    bool finite = isfinite(r->value);
    for (int i = 0; i < r->row->n; i++)
        finite = finite && (!r->row->rate[i] || isfinite(r->slope[i]));
    return finite;
}

static bool trials_differ(double a, double b, double size)
{
    return fabs(a - b) > LINEAR * (1.0 + fabs(a) + fabs(b) + size);
}

static char *rate_name(const row_trial *r, int i)
{
    const tn_variable *v = &r->row->variable[i];
    const tn_named_quantity q = {(tn_quantity)v->index, v->element, v->component, v->unit};
    const tn_column column = tn_quantity_column(r->model, &q);
    return tn_quantity_name(&tn_quantity_kinds[v->index], &column);
}

static tn_status tell_no_value(const row_trial *has, const row_trial *none, int k)
{
    char *name = rate_name(has, k);
    const tn_status status = tn_fail(
        TN_ERR_MODEL,
        "it has a value where '%s' is %.4g, but none, or no slope, where that is %.4g, and a row "
        "of velocities must be linear in all of them, which is finite for every velocity",
        name ? name : "a velocity", has->x[k], none->x[k]);
    tn_free(name);
    return status;
}

static tn_status tell_not_linear(const row_trial *a, const row_trial *b, int k, int by)
{
    char *name = rate_name(a, k), *slope = rate_name(a, by);
    const tn_status status = tn_fail(
        TN_ERR_MODEL,
        "it is not linear in '%s': where that goes from %.4g to %.4g, the row goes from %.6g to "
        "%.6g and its slope by '%s' from %.6g to %.6g; a row of velocities must be linear in all "
        "of them",
        name ? name : "a velocity", a->x[k], b->x[k], a->value, b->value,
        slope ? slope : "a velocity", a->slope[by], b->slope[by]);
    TN_FREE(name, slope);
    return status;
}

// Rate k has another value in b than in a.
static tn_status compare_trials(const row_trial *a, const row_trial *b, int k)
{
    const double moved = b->x[k] - a->x[k], size = fabs(a->slope[k] * moved);
    for (int i = 0; i < a->row->n; i++)
        if (a->row->rate[i] && trials_differ(a->slope[i], b->slope[i], 0.0))
            return tell_not_linear(a, b, k, i);
    if (trials_differ(a->value + a->slope[k] * moved, b->value, size))
        return tell_not_linear(a, b, k, k);
    return TN_OK;
}

// `known`: it has a value at first.
static tn_status try_rate(const row_trial *first, bool known, int k)
{
    for (int j = 0; j < TN_COUNT(RATES); j++) {
        row_trial next = *first;
        next.x[k] = first->x[k] * RATES[j];
        const bool finite = try_row(&next);
        if (finite != known)
            return finite ? tell_no_value(&next, first, k) : tell_no_value(first, &next, k);
        if (finite)
            TN_TRY(compare_trials(first, &next, k));
    }
    return TN_OK;
}

// *moves: some velocity changes the row, or it has no value at any place.
static tn_status check_linear(const tn_model *model, const tn_velocity_row *row, bool *moves)
{
    int places = 0;
    *moves = false;
    for (int place = 0; place < TN_COUNT(PLACES); place++) {
        row_trial first = {.model = model, .row = row, .t = PLACES[place]};
        for (int i = 0; i < row->n; i++)
            first.x[i] = PLACES[place] * (1.0 + 0.37 * i);
        const bool known = try_row(&first);
        for (int k = 0; k < row->n; k++) {
            if (row->rate[k])
                TN_TRY(try_rate(&first, known, k));
            *moves = *moves || (known && row->rate[k] && fabs(first.slope[k]) > NO_SLOPE);
        }
        places += known;
    }
    *moves = *moves || places == 0;
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
    bool moves;
    TN_TRY(check_linear(model, row, &moves));
    if (moves)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "no velocity in it changes it, as all of them cancel or are multiplied by zero, "
                   "so that it constrains nothing; correct it or take the joint out");
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
