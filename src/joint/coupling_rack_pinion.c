// SPDX-License-Identifier: MIT
//
// Rack and pinion: a displacement that follows an angle.
//
//   c_rack - radius c_pinion = the same difference in the start configuration

#include "model/joint.h"
#include "model/model.h"

static const char *const rack_pinion_row_names[] = {"rolling"};

static const tn_param rack_pinion_params[] = {
    TN_PARAM(tn_joint_def, rack_pinion.rack, JOINT, "rack", "", .required = true,
             .text = "joint whose displacement is the way of the rack"),
    TN_PARAM(tn_joint_def, rack_pinion.pinion, JOINT, "pinion", "", .required = true,
             .text = "joint whose angle is the turn of the pinion"),
    TN_PARAM(tn_joint_def, rack_pinion.rack_coordinate, INTEGER, "rack_coordinate", "",
             .range = TN_NONNEGATIVE, .text = "coordinate of the rack's joint, from 0"),
    TN_PARAM(tn_joint_def, rack_pinion.pinion_coordinate, INTEGER, "pinion_coordinate", "",
             .range = TN_NONNEGATIVE, .text = "coordinate of the pinion's joint, from 0"),
    TN_PARAM(tn_joint_def, rack_pinion.radius, NUMBER, "radius", "m/rad", .range = TN_NONZERO,
             .required = true,
             .text = "displacement of the rack per angle of the pinion, sign included"),
};

static tn_status rack_pinion_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    TN_TRY(tn_joint_coord_check(model, def->rack_pinion.rack, def->rack_pinion.rack_coordinate, "m",
                                what, "rack"));
    return tn_joint_coord_check(model, def->rack_pinion.pinion, def->rack_pinion.pinion_coordinate,
                                "rad", what, "pinion");
}

static tn_constraint_row rack_pinion_row(const tn_model *model, int joint, int i)
{
    const tn_joint_def *def = model->joints.at[joint].def;
    return (tn_constraint_row){
        .nterm = 2,
        .term = {tn_joint_coord_term(model, def->rack_pinion.rack, def->rack_pinion.rack_coordinate,
                                     1.0),
                 tn_joint_coord_term(model, def->rack_pinion.pinion,
                                     def->rack_pinion.pinion_coordinate, -def->rack_pinion.radius)},
        .start_constant = true,
    };
}

const tn_joint_ops tn_joint_rack_pinion = {
    .name = "rack-pinion",
    .text = "keeps the displacement of one joint at radius times the angle of another",
    .dim = 3,
    .coupling = true,
    .row_names = rack_pinion_row_names,
    .nrow = 1,
    TN_PARAMS(rack_pinion_params),
    .link = rack_pinion_link,
    .row = rack_pinion_row,
};
