// SPDX-License-Identifier: MIT
//
// Discs that come to lie flat on the plane on which they roll, and blades that come to stand
// upright on theirs. With the axle b of a disc, or the direction of a blade, in the axes of frame A
//
//   s = (b_x, b_y)
//
// vanishes there (z is the normal), and the rows of rolling are not defined (row_roll.c). As s has
// two components a motion passes zero only by a fall without any turn, and a step may pass it
// without a word: the constraints hold again on the other side, where no motion leads. So s is
// checked after steps. One in which a short s turns by nearly half a circle has passed zero, or is
// too long to tell.

#include "model/joint.h"
#include "sim/monitor.h"
#include "sim/sim.h"

#include <math.h>

static const double HALF_CIRCLE = -0.98; // cosine of the turn from which on zero was passed
static const double LOW = 0.5;   // |s| below which a turn is reported: wheels may turn upright
static const double FLAT = 1e-3; // |s| at a step that fails

typedef struct tilt {
    double x, y;
} tilt;

// Along which axis of frame B a row of rolling needs a direction in the plane; -1 for none, and in
// the plane, where it always has one.
static int axis_of_rolling(const tn_model *model, const tn_joint_data *joint)
{
    const tn_joint_ops *ops = joint->ops;
    if (!ops->rolls || (tn_body_is_planar(model, joint->def->body_a) &&
                        tn_body_is_planar(model, joint->def->body_b)))
        return -1;
    for (int i = 0; i < ops->nroll; i++)
        if (ops->rolls[i].form == TN_ROW_ROLL && ops->rolls[i].k == 0)
            return ops->rolls[i].j;
    return -1;
}

static tilt tilt_at(tn_sim *sim, const tn_state *x, const tn_joint_def *def, int axis)
{
    TN_ASSERT(axis >= 0 && axis < 3);
    const tn_body_state a = tn_sensors_body(&sim->sensors, x, def->body_a);
    const tn_body_state b = tn_sensors_body(&sim->sensors, x, def->body_b);
    const tn_vec3 in_b = tn_m3_column(def->frame_b.R, axis);
    const tn_vec3 in_a =
        tn_m3_apply_t(def->frame_a.R, tn_m3_apply_t(a.frame.R, tn_m3_apply(b.frame.R, in_b)));
    return (tilt){in_a.x, in_a.y};
}

static double size_of(tilt s)
{
    return hypot(s.x, s.y);
}

static bool has_passed(tilt from, tilt to)
{
    const double a = size_of(from), b = size_of(to);
    return fmin(a, b) < LOW && from.x * to.x + from.y * to.y <= HALF_CIRCLE * a * b;
}

static tn_status fail_flat(const tn_joint_data *joint, double t)
{
    const bool disc = joint->ops->nrow > 0 && joint->ops->rows[0].form == TN_ROW_HEIGHT;
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s %s of joint '%s' %s: no motion without slip goes on from there; "
                   "end the run before by an event, or check what should hold it up",
                   t, disc ? "the disc" : "the blade", joint->name,
                   disc ? "lies flat on its plane and touches it in no single point"
                        : "stands upright on its plane");
}

static tn_status watch_flat(tn_monitor *m, tn_sim *sim)
{
    for (int k = 0; k < sim->model->joints.count; k++) {
        const tn_joint_data *joint = &sim->model->joints.at[k];
        const int axis = axis_of_rolling(sim->model, joint);
        if (axis < 0)
            continue;
        const tilt from = tilt_at(sim, &sim->before, joint->def, axis);
        const tilt to = tilt_at(sim, &sim->start.x, joint->def, axis);
        const double part = size_of(from) / fmax(size_of(from) + size_of(to), 1e-300);
        if (has_passed(from, to))
            return fail_flat(joint, sim->before.t + part * (sim->start.x.t - sim->before.t));
    }
    return TN_OK;
}

static tn_status explain_flat(tn_monitor *m, tn_sim *sim, tn_status status, double h)
{
    for (int k = 0; k < sim->model->joints.count; k++) {
        const tn_joint_data *joint = &sim->model->joints.at[k];
        const int axis = axis_of_rolling(sim->model, joint);
        if (axis < 0)
            continue;
        const tilt now = tilt_at(sim, &sim->start.x, joint->def, axis);
        tn_sim_look_ahead(sim, h);
        if (size_of(now) < FLAT || has_passed(now, tilt_at(sim, &sim->shown, joint->def, axis)))
            return fail_flat(joint, sim->start.x.t);
    }
    return TN_OK;
}

static bool may_roll(const tn_sim *sim)
{
    return sim->model && sim->start.sys->nn > 0;
}

const tn_monitor_ops tn_monitor_flat_disc = {
    .name = "flat_disc", .applies = may_roll, .after = watch_flat, .explain = explain_flat};
