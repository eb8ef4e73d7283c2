// SPDX-License-Identifier: MIT
//
// Drive: a joint coordinate follows a function of time (rheonomic).
//
//   c - u(t) = 0

#include "model/joint.h"
#include "model/model.h"

static const char *const drive_row_names[] = {"motion"};

static const tn_param drive_params[] = {
    TN_PARAM(tn_joint_def, drive.joint, JOINT, "joint", "", .required = true,
             .text = "joint that is driven"),
    TN_PARAM(tn_joint_def, drive.coordinate, INTEGER, "coordinate", "", .range = TN_NONNEGATIVE,
             .text = "coordinate of the joint, from 0"),
    TN_PARAM(tn_joint_def, drive.motion, FUNCTION, "motion", "m or rad", .required = true,
             .text = "the coordinate as a function of time"),
    TN_PARAM(tn_joint_def, impulse, BOOL, "impulse", "",
             .text = "a jump of the driven velocity, not by an input, is an impulse; otherwise it "
                     "is refused"),
};

static tn_status drive_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    return tn_joint_coord_check(model, def->drive.joint, def->drive.coordinate, NULL, what,
                                "joint");
}

static tn_constraint_row drive_row(const tn_model *model, int joint, int i)
{
    const tn_joint_data *data = &model->joints.at[joint];
    return (tn_constraint_row){
        .nterm = 1,
        .term[0] =
            tn_joint_coord_term(model, data->def->drive.joint, data->def->drive.coordinate, 1.0),
        .u = data->u[0],
    };
}

static tn_driven drive_drives(const tn_joint_def *def)
{
    return (tn_driven){def->drive.joint, def->drive.coordinate};
}

const tn_joint_ops tn_joint_drive = {
    .name = "drive",
    .text = "moves a joint coordinate as a function of time",
    .dim = 3,
    .coupling = true,
    .row_names = drive_row_names,
    .nrow = 1,
    TN_PARAMS(drive_params),
    .drives = drive_drives,
    .link = drive_link,
    .row = drive_row,
};
