// SPDX-License-Identifier: MIT
//
// Distance: a massless rod of length L between the origins of two frames, free to turn at its ends.
//
//   (d . d - L^2) / (2 L) = 0
//
// The form has a gradient everywhere; scaled by 2 L, its multiplier is the force in the rod [N].

#include "model/joint.h"
#include "model/model.h"

static const double COINCIDE = 1e-12; // [m] closer points determine no direction of a rod

static const tn_row distance_rows[] = {{.form = TN_ROW_DISTANCE}};

static const char *const distance_row_names[] = {"length"};

static const tn_param distance_params[] = {
    TN_PARAM(tn_joint_def, distance.length, NUMBER, "length", "m", .range = TN_NONNEGATIVE,
             .fallback = 0.0, .text = "length of the rod; 0 takes the distance at the start"),
};

static tn_status distance_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    if (def->distance.length > 0.0)
        return TN_OK;
    const tn_vec3 a = tn_frame_point(model->bodies.at[def->body_a.index].def.frame, def->frame_a.p);
    const tn_vec3 b = tn_frame_point(model->bodies.at[def->body_b.index].def.frame, def->frame_b.p);
    if (tn_v3_norm(tn_v3_sub(b, a)) > COINCIDE)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: its two points coincide at the start; give a length", what);
}

static double distance_length(const tn_joint_def *def)
{
    return def->distance.length;
}

const tn_joint_ops tn_joint_distance = {
    .name = "distance",
    .text = "keeps two points at a distance, as a massless rod does",
    .glyph = "rod; ball a 0.7; ball b 0.7; bearing",
    .dim = 3,
    .coupling = true,
    .relative = true,
    .free_side = -1, // a rope
    TN_ROWS(distance),
    .row_names = distance_row_names,
    TN_PARAMS(distance_params),
    .length = distance_length,
    .link = distance_link,
};
