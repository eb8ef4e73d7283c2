// SPDX-License-Identifier: MIT
//
// Rolling wheel: a disc of body B, or a torus, rolls without slip on the x, y plane of frame A. Its
// centre is the origin of frame B, its axle is z of that frame.
//
//   height of its lowest point = 0,   no velocity of the wheel against the plane where they touch:
//   along the track, and across it
//
// The plane may be one of a body that moves. See row_roll.c.

#include "model/builder.h"
#include "model/joint.h"
#include "model/model.h"
#include "model/shape.h"

#include <math.h>

// Sine of the angle between plane and disc, from which on a disc does not lie flat.
static const double FLAT = 1e-6;

static const tn_row rolling_wheel_rows[] = {{.form = TN_ROW_HEIGHT, .j = TN_Z}};
static const char *const rolling_wheel_row_names[] = {"height"};
static const tn_row rolling_wheel_rolls[] = {{.form = TN_ROW_ROLL, .i = 0, .j = TN_Z},
                                             {.form = TN_ROW_ROLL, .i = 1, .j = TN_Z}};
static const char *const rolling_wheel_roll_names[] = {"slip along the track",
                                                       "slip across the track"};

static const tn_param rolling_wheel_params[] = {
    TN_PARAM(tn_joint_def, rolling.radius, NUMBER, "radius", "m", .range = TN_POSITIVE,
             .required = true,
             .text = "of the disc; of a torus, from its axis to the middle of its tube"),
    TN_PARAM(tn_joint_def, rolling.tube, NUMBER, "tube", "m", .range = TN_NONNEGATIVE,
             .fallback = 0.0, .text = "radius of the tube of a torus; 0: a disc with a sharp rim"),
};

static tn_status rolling_wheel_link(const tn_model *model, const tn_joint_def *def,
                                    const char *what)
{
    TN_TRY(tn_check_spatial(model, def, what,
                            "a wheel that rolls on a line of its own plane is a rack-pinion, one "
                            "that is seen from above a knife-edge"));
    if (tn_v3_norm(tn_axes_at_start(model, def, TN_Z, TN_Z)) > FLAT)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: the disc lies flat on its plane: its axle, z of frame B, is along the "
                   "normal of the plane, z of frame A; turn the body, or state the axle in "
                   "frame_b: {axis: …}",
                   what);
}

static void rolling_wheel_touch(const tn_joint_def *def, double *radius, double *tube)
{
    *radius = def->rolling.radius;
    *tube = def->rolling.tube;
}

// A disc, and a mark on it from the axle to the rim that shows how it spins.
static int rolling_wheel_look(const tn_joint_def *def, tn_shape_def *out)
{
    const double radius = def->rolling.radius + def->rolling.tube;
    const double width = fmax(2.0 * def->rolling.tube, 0.06 * radius);
    out[0] = tn_shape_on(def, TN_SHAPE_CYLINDER, tn_v3(0.0, 0.0, 0.0));
    out[0].radius = radius;
    out[0].length = width;
    out[1] = tn_shape_on(def, TN_SHAPE_BOX, tn_v3(0.45 * radius, 0.0, 0.0));
    out[1].size = tn_v3(0.9 * radius, 0.12 * radius, 1.1 * width);
    out[1].color = TN_COLOR_MARK;
    return 2;
}

const tn_joint_ops tn_joint_rolling_wheel = {
    .name = "rolling-wheel",
    .text = "rolls a disc or torus at frame B, about z of frame B, on the plane normal to z of "
            "frame A, without slip",
    .glyph = "plate a",
    .dim = 3,
    .coupling = true,
    .relative = true,
    TN_ROWS(rolling_wheel),
    .row_names = rolling_wheel_row_names,
    TN_ROLLS(rolling_wheel),
    TN_PLANE_COORDS,
    TN_PARAMS(rolling_wheel_params),
    .link = rolling_wheel_link,
    .touch = rolling_wheel_touch,
    .look = rolling_wheel_look,
};
