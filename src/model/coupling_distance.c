// SPDX-License-Identifier: MIT
//
// Distance: a massless rod of length L between the origins of two frames, free to turn at its ends.
//
//   (d . d - L^2) / (2 L) = 0
//
// The form has a gradient everywhere; scaled by 2 L, its multiplier is the force in the rod [N].

#include "model/joint.h"

static const tn_row distance_rows[] = {{.form = TN_ROW_DISTANCE}};

static const char *const distance_row_names[] = {"length"};

static const tn_param distance_params[] = {
    {.name = "length",
     .type = TN_PARAM_NUMBER,
     .unit = "m",
     .range = TN_NONNEGATIVE,
     .fallback = 0.0,
     .text = "length of the rod; 0 takes the distance at the start",
     .offset = offsetof(tn_joint_def, distance.length)},
};

const tn_joint_ops tn_coupling_distance = {
    .name = "distance",
    .text = "keeps two points at a distance, as a massless rod does",
    .dim = 3,
    .planar = TN_JOINT_DISTANCE,
    .coupling = true,
    .relative = true,
    .rows = distance_rows,
    .row_names = distance_row_names,
    .nrow = TN_COUNT(distance_rows),
    .params = distance_params,
    .nparam = TN_COUNT(distance_params),
};
