// SPDX-License-Identifier: MIT
//
// Laws that an expression gives: between two points, on a joint coordinate, and between two
// frames. The first two are scalar laws whose force is the expression itself. The third acts on
// frame B with force F and torque T in the axes of frame A, f = R_A F and m = R_A T at the origin
// of B, and back on body A. With r_B from the reference point of body B and d from that of body A
// to this origin,
//
//   w_B = (f, r_B x f + m),   w_A = (-f, -d x f - m)
//   df = dtheta_A x f, dm = dtheta_A x m, dr_B = dtheta_B x r_B, dd = dp_B + dr_B - dp_A
//
// so that the sum of forces and moments is zero. All power is counted as supplied.

#include "model/force.h"

#include "lie/so3.h"
#include "model/model.h"

#include <string.h>

// On a joint coordinate the expression is the force itself; between two points it is the tension,
// which pulls them together.
static void law_law(const tn_force_data *data, double t, double x, double rate, double kept,
                    tn_scalar_load *out)
{
    double u[3];
    tn_timefn_eval(data->u[0], t, u);
    out->Q = data->ops->on_joint ? u[0] : -u[0];
    out->supplied = out->Q * rate;
}

static const tn_param law_params[] = {
    TN_PARAM(tn_force_def, law.law, FUNCTION, "law", "N", .required = true,
             .text = "tension, positive where it pulls the points together; an expression of "
                     "length, rate, t and all else that is known"),
};

static const tn_row law_row = {.form = TN_ROW_LENGTH};

const tn_force_ops tn_force_law = {
    .name = "law",
    .text = "tension between two points by an expression",
    TN_PARAMS(law_params),
    .glyph = "rod",
    .row = &law_row,
    .is_effort = true,
    .law = law_law,
};

static const tn_param joint_law_params[] = {
    TN_PARAM(tn_force_def, law.law, FUNCTION, "law", "N or N m", .required = true,
             .text = "force or torque on the coordinate, positive in its direction; an expression "
                     "of coordinate, rate, t and all else that is known"),
};

const tn_force_ops tn_force_joint_law = {
    .name = "joint-law",
    .text = "force or torque on a joint coordinate by an expression",
    TN_PARAMS(joint_law_params),
    .on_joint = true,
    .is_effort = true,
    .law = law_law,
};

// Between two frames ------------------------------------------------------------------------------

static const tn_param frame_law_params[] = {
    TN_PARAM(tn_force_def, frame_law.force, FUNCTION3, "force", "N",
             .text = "force on body B at the origin of frame B, in the axes of frame A; "
                     "expressions of displacement.x, displacement.x.rate, turn.x, turn.x.rate …; "
                     "turn is the rotation vector of frame B against frame A, up to pi in size"),
    TN_PARAM(tn_force_def, frame_law.torque, FUNCTION3, "torque", "N m",
             .text = "torque on body B, in the axes of frame A"),
};

// Force, moment and direction in world axes.
typedef struct frame_wrench {
    tn_vec3 f, m, d;
} frame_wrench;

static tn_vec3 in_frame(tn_mat3 R, tn_timefn *const u[3], double t)
{
    double x[3][3];
    for (int i = 0; i < 3; i++)
        tn_timefn_eval(u[i], t, x[i]);
    return tn_m3_apply(R, tn_v3(x[0][0], x[1][0], x[2][0]));
}

static frame_wrench frame_wrench_at(const tn_force_data *data, double t, const tn_pair *at)
{
    const tn_vec3 apart = tn_v3_sub(at->b.x.p, at->a.x.p);
    return (frame_wrench){.f = in_frame(at->a.x.R, data->u, t),
                          .m = in_frame(at->a.x.R, data->u + 3, t),
                          .d = tn_v3_add(at->a.r, apart)};
}

static void frame_law_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                           tn_load *out)
{
    const frame_wrench x = frame_wrench_at(data, t, at);
    const tn_wrench on_b = {x.f, tn_v3_add(tn_v3_cross(at->b.r, x.f), x.m)};
    const tn_wrench on_a = {tn_v3_neg(x.f), tn_v3_neg(tn_v3_add(tn_v3_cross(x.d, x.f), x.m))};
    *out = (tn_load){.supplied = tn_power(on_b, at->b.V) + tn_power(on_a, at->a.V)};
    tn_v3_to(on_a.f, out->w + TN_FA);
    tn_v3_to(on_a.m, out->w + TN_MA);
    tn_v3_to(on_b.f, out->w + TN_FB);
    tn_v3_to(on_b.m, out->w + TN_MB);
}

static void frame_law_tangent(const tn_force_data *data, double t, double reference,
                              const tn_pair *at, tn_load_tangent *out)
{
    const frame_wrench x = frame_wrench_at(data, t, at);
    const tn_mat3 f = tn_m3_skew(x.f), m = tn_m3_skew(x.m), r = tn_m3_skew(at->b.r);
    const tn_mat3 turned = tn_m3_mul(f, r); // d(r x f) by dtheta_B: f x (r x dtheta)
    memset(out, 0, sizeof *out);
    tn_block_add(out->K, TN_FB, TN_MA, -1.0, f);
    tn_block_add(out->K, TN_MB, TN_MA, -1.0, tn_m3_mul(r, f));
    tn_block_add(out->K, TN_MB, TN_MA, -1.0, m);
    tn_block_add(out->K, TN_MB, TN_MB, 1.0, turned);
    tn_block_add(out->K, TN_FA, TN_MA, 1.0, f);
    tn_block_add(out->K, TN_MA, TN_MA, 1.0, tn_m3_mul(tn_m3_skew(x.d), f));
    tn_block_add(out->K, TN_MA, TN_MA, 1.0, m);
    tn_block_add(out->K, TN_MA, TN_FB, 1.0, f);
    tn_block_add(out->K, TN_MA, TN_FA, -1.0, f);
    tn_block_add(out->K, TN_MA, TN_MB, -1.0, turned);
}

// Its numbers are among those of the model already, which count it as the force after the last.
static tn_status frame_law_prepare(tn_force_data *data, const tn_model *model)
{
    for (int i = 0; i < model->lives.count; i++) {
        const tn_live_data *live = &model->lives.at[i];
        if (live->force == model->forces.count && strstr(live->text, "turn."))
            data->sees_turn = true;
    }
    return TN_OK;
}

// turn.x, turn.y and turn.z jump to the other side beyond half a turn.
static tn_reach frame_law_reach(const tn_force_data *data, const tn_force_view *at)
{
    return data->sees_turn ? (tn_reach){.turn = tn_turn_between(at)} : (tn_reach){0};
}

const tn_force_ops tn_force_frame_law = {
    .name = "frame-law",
    .text = "force and torque between two frames by expressions",
    TN_PARAMS(frame_law_params),
    .needs_rotation = true,
    .prepare = frame_law_prepare,
    .reach = frame_law_reach,
    .turn_limit = M_PI,
    .eval = frame_law_eval,
    .tangent = frame_law_tangent,
};
