// SPDX-License-Identifier: MIT
//
// Rolling ball: a ball of body B about the origin of frame B rolls without slip on the x, y plane
// of frame A. It may turn about the normal of the plane, or not: then there is one row more.
//
//   z_A . d - radius = 0,   no velocity of the ball against the plane where they touch, along x and
//   y of frame A

#include "model/builder.h"
#include "model/joint.h"
#include "model/model.h"
#include "model/shape.h"

static const tn_row rolling_ball_rows[] = {{.form = TN_ROW_HEIGHT, .k = 1}};
static const char *const rolling_ball_row_names[] = {"height"};
static const tn_row rolling_ball_rolls[] = {{.form = TN_ROW_ROLL, .i = 0, .k = 1},
                                            {.form = TN_ROW_ROLL, .i = 1, .k = 1},
                                            {.form = TN_ROW_SPIN}};
static const char *const rolling_ball_roll_names[] = {"slip along x", "slip along y", "spin"};

static const tn_param rolling_ball_params[] = {
    TN_PARAM(tn_joint_def, rolling.radius, NUMBER, "radius", "m", .range = TN_POSITIVE,
             .required = true, .text = "of the ball"),
    TN_PARAM(tn_joint_def, rolling.spin, BOOL, "spin", "", .fallback = 1.0,
             .text = "whether the ball may turn about the normal of the plane"),
};

static tn_status rolling_ball_link(const tn_model *model, const tn_joint_def *def, const char *what)
{
    return tn_check_spatial(model, def, what,
                            "a ball that rolls on a line of its plane is a rack-pinion");
}

static int rolling_ball_rolling(const tn_joint_def *def)
{
    return def->rolling.spin ? 2 : 3;
}

static void rolling_ball_touch(const tn_joint_def *def, double *radius, double *tube)
{
    *radius = 0.0;
    *tube = def->rolling.radius;
}

// A ball with six spots, one on each axis, that show how it turns.
static int rolling_ball_look(const tn_joint_def *def, tn_shape_def *out)
{
    const double radius = def->rolling.radius;
    out[0] = tn_shape_on(def, TN_SHAPE_SPHERE, tn_v3(0.0, 0.0, 0.0));
    out[0].radius = radius;
    for (int k = 0; k < 6; k++) {
        const double at = k % 2 ? -0.72 * radius : 0.72 * radius;
        out[1 + k] =
            tn_shape_on(def, TN_SHAPE_SPHERE,
                        tn_v3(k / 2 == 0 ? at : 0.0, k / 2 == 1 ? at : 0.0, k / 2 == 2 ? at : 0.0));
        out[1 + k].radius = 0.35 * radius;
        out[1 + k].color = TN_COLOR_MARK;
    }
    return 7;
}

const tn_joint_ops tn_joint_rolling_ball = {
    .name = "rolling-ball",
    .text = "rolls a ball about the origin of frame B on the plane normal to z of frame A, without "
            "slip",
    .glyph = "plate a",
    .dim = 3,
    .coupling = true,
    .relative = true,
    TN_ROWS(rolling_ball),
    .row_names = rolling_ball_row_names,
    TN_ROLLS(rolling_ball),
    TN_PLANE_COORDS,
    TN_PARAMS(rolling_ball_params),
    .link = rolling_ball_link,
    .touch = rolling_ball_touch,
    .look = rolling_ball_look,
    .rolling = rolling_ball_rolling,
};
