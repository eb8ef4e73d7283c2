// SPDX-License-Identifier: MIT
//
// Drive: a joint coordinate follows a function of time (rheonomic).
//
//   c - u(t) = 0

#include "model/joint.h"
#include "model/model.h"

static const char *const drive_row_names[] = {"motion"};

static const tn_param drive_params[] = {
    {.name = "joint",
     .type = TN_PARAM_JOINT,
     .unit = "",
     .required = true,
     .text = "joint that is driven",
     .offset = offsetof(tn_joint_def, drive.joint)},
    {.name = "coordinate",
     .type = TN_PARAM_INTEGER,
     .unit = "",
     .range = TN_NONNEGATIVE,
     .text = "coordinate of the joint, from 0",
     .offset = offsetof(tn_joint_def, drive.coordinate)},
    {.name = "motion",
     .type = TN_PARAM_FUNCTION,
     .unit = "rad or m",
     .required = true,
     .text = "the coordinate as a function of time",
     .offset = offsetof(tn_joint_def, drive.motion)},
    {.name = "impulse",
     .type = TN_PARAM_BOOL,
     .unit = "",
     .text = "a jump of the driven velocity is an impulse; otherwise it is refused",
     .offset = offsetof(tn_joint_def, impulse)},
};

static tn_status drive_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    return tn_joint_coord_check(model, def->drive.joint, def->drive.coordinate, NULL, what,
                                "joint");
}

static tn_constraint_row drive_row(const tn_model *model, int joint, int i)
{
    const tn_joint_data *data = &model->joints.at[joint];
    (void)i;
    return (tn_constraint_row){
        .nterm = 1,
        .term[0] =
            tn_joint_coord_term(model, data->def.drive.joint, data->def.drive.coordinate, 1.0),
        .u = data->u[0],
    };
}

const tn_joint_ops tn_joint_drive = {
    .name = "drive",
    .text = "moves a joint coordinate as a function of time",
    .dim = 3,
    .coupling = true,
    .row_names = drive_row_names,
    .nrow = 1,
    .params = drive_params,
    .nparam = TN_COUNT(drive_params),
    .link = drive_link,
    .row = drive_row,
};
