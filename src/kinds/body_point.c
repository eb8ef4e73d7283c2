// SPDX-License-Identifier: MIT
//
// Point masses, in space and in a plane z = const: they do not turn.

#include "model/builder.h"

static const tn_param point_params[] = {TN_BODY_MASS, TN_BODY_POSITION, TN_BODY_VELOCITY,
                                        TN_BODY_FIXED_START};

static tn_status point_check(const tn_body_def *def, tn_body_data *data, const char *what)
{
    if (data->ops->moves == 2)
        TN_TRY(tn_body_check_plane(def, what));
    if (tn_v3_norm(def->com) != 0.0)
        return tn_fail(TN_ERR_MODEL, "%s: a point mass is its own centre of mass; com must be zero",
                       what);
    if (tn_v3_norm(def->rate) != 0.0)
        return tn_fail(TN_ERR_MODEL, "%s: a point mass does not turn; rate must be zero", what);
    return TN_OK;
}

const tn_body_ops tn_body_point = {
    .name = "point",
    .text = "point mass in space",
    TN_PARAMS(point_params),
    .moves = 3,
    .check = point_check,
};

const tn_body_ops tn_body_point_2d = {
    .name = "point-2d",
    .text = "point mass in a plane z = const",
    TN_PARAMS(point_params),
    .moves = 2,
    .check = point_check,
};
