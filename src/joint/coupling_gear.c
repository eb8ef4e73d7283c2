// SPDX-License-Identifier: MIT
//
// Gear: two joint coordinates in a fixed ratio, angles or displacements alike.
//
//   ratio_1 c_1 + ratio_2 c_2 = the offset, or the same sum in the start configuration
//
// Wheels of radii r_1, r_2 that mesh from outside have the ratios r_1, r_2; a belt r_1, -r_2.

#include "model/joint.h"
#include "model/units.h"

static const char *const gear_row_names[] = {"ratio"};

static const tn_param gear_params[] = {
    TN_PARAM(tn_joint_def, gear.joint_1, JOINT, "joint_1", "", .required = true,
             .text = "first joint"),
    TN_PARAM(tn_joint_def, gear.joint_2, JOINT, "joint_2", "", .required = true,
             .text = "second joint"),
    TN_PARAM(tn_joint_def, gear.coordinate_1, INTEGER, "coordinate_1", "", .range = TN_NONNEGATIVE,
             .text = "coordinate of the first joint, from 0"),
    TN_PARAM(tn_joint_def, gear.coordinate_2, INTEGER, "coordinate_2", "", .range = TN_NONNEGATIVE,
             .text = "coordinate of the second joint, from 0"),
    TN_PARAM(tn_joint_def, gear.ratio_1, NUMBER, "ratio_1", "", .range = TN_NONZERO,
             .fallback = 1.0, .text = "factor of the first coordinate"),
    TN_PARAM(tn_joint_def, gear.ratio_2, NUMBER, "ratio_2", "", .range = TN_NONZERO,
             .fallback = 1.0, .text = "factor of the second coordinate"),
    TN_PARAM(tn_joint_def, gear.offset, NUMBER, "offset", "", .range = TN_UNBOUNDED,
             .text = "value of the sum, in the unit of the first coordinate; when left out that of "
                     "the start",
             .given = offsetof(tn_joint_def, gear.offset_given)),
};

static tn_status gear_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    const tn_joint one = def->gear.joint_1, two = def->gear.joint_2;
    TN_TRY(tn_joint_coord_check(model, one, def->gear.coordinate_1, NULL, what, "joint_1"));
    TN_TRY(tn_joint_coord_check(model, two, def->gear.coordinate_2, NULL, what, "joint_2"));
    if (one.index != two.index || def->gear.coordinate_1 != def->gear.coordinate_2)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: couples coordinate %d of joint '%s' with itself; joint_2 must be another "
                   "joint or coordinate",
                   what, def->gear.coordinate_1, model->joints.at[one.index].name);
}

static tn_constraint_row gear_row(const tn_model *model, int joint, int i)
{
    const tn_joint_def *def = model->joints.at[joint].def;
    return (tn_constraint_row){
        .nterm = 2,
        .term = {tn_joint_coord_term(model, def->gear.joint_1, def->gear.coordinate_1,
                                     def->gear.ratio_1),
                 tn_joint_coord_term(model, def->gear.joint_2, def->gear.coordinate_2,
                                     def->gear.ratio_2)},
        .start_constant = !def->gear.offset_given,
        .constant = def->gear.offset,
    };
}

// A gear counts in the unit of its first coordinate.
static void gear_scale(const tn_model *copy, tn_joint_def *def)
{
    const double unit = tn_unit_joint_coordinate(copy, def->gear.joint_1, def->gear.coordinate_1);
    def->gear.ratio_2 *=
        tn_unit_joint_coordinate(copy, def->gear.joint_2, def->gear.coordinate_2) / unit;
    def->gear.offset /= unit;
}

const tn_joint_ops tn_joint_gear = {
    .name = "gear",
    .text = "keeps ratio_1 c_1 + ratio_2 c_2 of two joint coordinates at its start value, or at an "
            "offset",
    .dim = 3,
    .coupling = true,
    .row_names = gear_row_names,
    .nrow = 1,
    TN_PARAMS(gear_params),
    .scale = gear_scale,
    .link = gear_link,
    .row = gear_row,
};
