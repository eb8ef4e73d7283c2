// SPDX-License-Identifier: MIT
//
// Compiles rows that expressions give; see formula_row.h.

#include "joint/formula_row.h"

#include "model/joint.h"
#include "model/model.h"
#include "model/output.h"
#include "model/vocabulary.h"

#include <math.h>
#include <string.h>

// Arguments at which slopes are sampled: numbers that are nothing special.
static const double PLACES[] = {0.3127, 0.8461, 0.5519};
static const double NO_SLOPE = 1e-14; // round-off of names that cancel

typedef struct row_scope {
    const tn_model *model;
    tn_formula_row *row;
} row_scope;

// Returns the level of a quantity that rows may use: a position (0) or a rate (1); -1: neither.
static int level_of(const tn_model *model, const tn_named_quantity *q)
{
    static const int of_output[] = {[TN_OUTPUT_POSITION] = 0,
                                    [TN_OUTPUT_VELOCITY] = 1,
                                    [TN_OUTPUT_ACCELERATION] = -1,
                                    [TN_OUTPUT_DISTANCE] = 0};
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
    case TN_Q_OUTPUT: {
        const tn_output_data *output = model->outputs.at[q->element];
        return output->formula || output->def.of.index == output->def.in.index
                   ? -1
                   : of_output[output->def.quantity];
    }
    default:
        return -1;
    }
}

static tn_status find_row_name(void *self, const char *name, int *number)
{
    const row_scope *scope = self;
    tn_formula_row *row = scope->row;
    tn_named_quantity q;
    TN_TRY(tn_vocabulary_find(scope->model, name, &q));
    const int level = level_of(scope->model, &q);
    if (level == 1 && row->holds_position)
        return tn_fail(TN_ERR_MODEL,
                       "'%s' is a velocity, and a row of positions has none; take a velocity-row",
                       name);
    if (level < 0)
        return tn_fail(TN_ERR_MODEL,
                       "'%s' is neither a position nor a velocity of the mechanism, and rows know "
                       "no other numbers beside t and parameters",
                       name);
    for (*number = 0; *number < row->n; ++*number) {
        const tn_variable *v = &row->variable[*number];
        if (v->index == (int)q.what && v->element == q.element && v->component == q.component)
            return TN_OK;
    }
    if (row->n == TN_ROW_VARIABLES)
        return tn_fail(TN_ERR_MODEL, "more than %d different names", TN_ROW_VARIABLES);
    row->rate[row->n] = level == 1;
    row->length = row->length || strcmp(q.unit, row->holds_position ? "m" : "m/s") == 0;
    row->variable[row->n++] = (tn_variable){.kind = TN_VARIABLE_QUANTITY,
                                            .index = (int)q.what,
                                            .element = q.element,
                                            .component = q.component,
                                            .unit = q.unit};
    return TN_OK;
}

// Some rate (or position) changes the row, or it has no value at any place, as a root has none.
static bool some_moves(const tn_formula_row *row)
{
    int places = 0;
    for (int place = 0; place < TN_COUNT(PLACES); place++) {
        double x[TN_ROW_VARIABLES], slope[TN_ROW_VARIABLES];
        for (int i = 0; i < row->n; i++)
            x[i] = PLACES[place] * (1.0 + 0.37 * i);
        places += isfinite(tn_formula_gradient(row->formula, PLACES[place], x, NULL, slope));
        for (int i = 0; i < row->n; i++)
            if ((row->rate[i] || row->holds_position) && fabs(slope[i]) > NO_SLOPE)
                return true;
    }
    return places == 0;
}

static tn_status check_formula_row(const tn_formula_row *row)
{
    bool any = false;
    const char *what = row->holds_position ? "position" : "velocity";
    for (int i = 0; i < row->n; i++)
        any = any || row->rate[i] || row->holds_position;
    if (!any)
        return tn_fail(TN_ERR_MODEL, "it has no %s in it%s", what,
                       !row->holds_position && row->n > 0 ? "; take a position-row" : "");
    if (tn_formula_switch_count(row->formula) > 0)
        return tn_fail(TN_ERR_MODEL,
                       "it has a condition in it (if, abs, min, sign and the like), and a "
                       "constraint has no branches");
    if (some_moves(row))
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "no %s in it changes it, as all of them cancel or are multiplied by zero, so "
                   "that it constrains nothing; correct it or take the joint out",
                   what);
}

tn_status tn_formula_row_create(const tn_model *model, int joint, bool slip, tn_formula_row *out)
{
    const tn_joint_data *data = &model->joints.at[joint];
    row_scope scope = {model, out};
    const tn_lookup names = {&scope, find_row_name};
    *out = (tn_formula_row){.holds_position = !slip && data->ops->nroll == 0};
    tn_status status =
        tn_formula_create(slip ? data->def->formula.slip : data->def->formula.row,
                          model->parameters.count, model->parameters.at, &names, &out->formula);
    TN_THEN(status, check_formula_row(out));
    if (status == TN_OK)
        out->linear = tn_formula_is_linear(out->formula, out->rate);
    if (status == TN_OK && slip && !out->linear)
        status = tn_fail(TN_ERR_MODEL, "it is not linear in velocities");
    if (status == TN_OK)
        return TN_OK;
    tn_formula_row_clear(out);
    return tn_fail_within(status, "joint '%s': %s", data->name, slip ? "slip" : "row");
}

void tn_formula_row_clear(tn_formula_row *row)
{
    tn_formula_destroy(row->formula);
    row->formula = NULL;
}

bool tn_formula_row_is_length(const tn_model *model, int joint)
{
    static _Thread_local bool asked = false; // names in a row may be those of other rows
    tn_formula_row row = {0};
    if (asked)
        return false;
    asked = true;
    if (tn_formula_row_create(model, joint, false, &row) == TN_OK)
        tn_formula_row_clear(&row);
    else
        tn_clear_error(); // it is refused where it is used
    asked = false;
    return row.length;
}
