// SPDX-License-Identifier: MIT
//
// Rows by expressions: of positions, or of positions and velocities (formula_row.h). The force and
// torque of one are those on the body of the first of its names, in a velocity row of the first
// velocity, about the origin of the frame of that body.

#include "joint/formula_row.h"
#include "model/joint.h"

static const char *const position_row_names[] = {"position"};
static const char *const velocity_row_names[] = {"velocity"};

static const tn_param position_row_params[] = {
    TN_PARAM(tn_joint_def, formula.row, TEXT, "row", "", .required = true,
             .role = TN_ROLE_EXPRESSION,
             .text = "an expression of t, parameters and positions (of bodies, joints and outputs, "
                     "lengths and angles of forces) that stays zero, in any unit"),
    TN_PARAM(tn_joint_def, formula.slip, TEXT, "slip", "", .role = TN_ROLE_EXPRESSION,
             .text = "beside friction: the velocity of slip, linear in velocities, whose unit by "
                     "that of `row` is 1/s"),
};

static const tn_param velocity_row_params[] = {
    TN_PARAM(tn_joint_def, formula.row, TEXT, "row", "", .required = true,
             .role = TN_ROLE_EXPRESSION,
             .text = "an expression of t, parameters, positions and velocities that stays zero; "
                     "in m/s or rad/s where it is linear in the velocities"),
};

static tn_status formula_row_check(const tn_joint_def *def, const char *what)
{
    const bool slips = def->formula.slip && *def->formula.slip;
    if (slips && !(def->friction > 0.0))
        return tn_fail(TN_ERR_MODEL,
                       "%s: slip is where friction acts; state the coefficient 'friction' too, or "
                       "leave slip out",
                       what);
    if (def->friction > 0.0 && !slips)
        return tn_fail(TN_ERR_MODEL,
                       "%s: friction acts along a velocity; state the expression 'slip' too", what);
    if (def->formula.row && *def->formula.row)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: row, the expression that stays zero, is missing", what);
}

// Its value comes from the expression alone.
static tn_constraint_row no_terms(const tn_model *model, int joint, int i)
{
    (void)model, (void)joint, (void)i;
    return (tn_constraint_row){.nterm = 0};
}

const tn_joint_ops tn_joint_position_row = {
    .name = "position-row",
    .text = "keeps an expression of positions at zero",
    .dim = 3,
    .coupling = true,
    .row_names = position_row_names,
    .nrow = 1,
    .row = no_terms,
    .free_side = 1,
    .rubs = true,
    .by_formula = tn_formula_row_is_length,
    TN_PARAMS(position_row_params),
    .check = formula_row_check,
};

const tn_joint_ops tn_joint_velocity_row = {
    .name = "velocity-row",
    .text = "keeps an expression of velocities at zero",
    .dim = 3,
    .coupling = true,
    .roll_names = velocity_row_names,
    .nroll = 1,
    .by_formula = tn_formula_row_is_length,
    TN_PARAMS(velocity_row_params),
    .check = formula_row_check,
};
