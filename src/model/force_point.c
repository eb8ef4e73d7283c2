// SPDX-License-Identifier: MIT
//
// A force F(t) at the origin of frame B and a torque T(t), with components in the inertial frame or
// in frame B (follower). With the arm r from the reference point of the body,
//
//   w_B = (f, r x f + m)
//   inertial:  f = F, m = T:          d(r x f) = skew(f) skew(r) dtheta
//   follower:  f = R_B F, m = R_B T:  the wrench turns with the body, dw_B = dtheta x w_B
//
// Its power is counted as supplied, also where a constant force has a potential.

#include "model/force_parts.h"

#include "model/builder.h"

#include <string.h>

static const tn_param point_params[] = {
    {.name = "force",
     .type = TN_PARAM_FUNCTION3,
     .unit = "N",
     .text = "force at the origin of frame B",
     .offset = offsetof(tn_force_def, point.force)},
    {.name = "torque",
     .type = TN_PARAM_FUNCTION3,
     .unit = "N m",
     .text = "torque",
     .offset = offsetof(tn_force_def, point.torque)},
    {.name = "follower",
     .type = TN_PARAM_BOOL,
     .unit = "",
     .text = "components in frame B, turning with the body, instead of the inertial frame",
     .offset = offsetof(tn_force_def, point.follower)},
};

static tn_vec3 vector_at(tn_timefn *const u[3], double t)
{
    double x[3], y[3], z[3];

    tn_timefn_eval(u[0], t, x);
    tn_timefn_eval(u[1], t, y);
    tn_timefn_eval(u[2], t, z);
    return tn_v3(x[0], y[0], z[0]);
}

// Force and torque at the origin of frame B, world axes.
static tn_wrench applied(const tn_force_data *data, double t, const tn_pair *at)
{
    tn_wrench w = {vector_at(data->u, t), vector_at(data->u + 3, t)};

    if (data->def.point.follower) {
        w.f = tn_m3_apply(at->b.x.R, w.f);
        w.m = tn_m3_apply(at->b.x.R, w.m);
    }
    return w;
}

static void point_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                       tn_load *out)
{
    const tn_wrench own = applied(data, t, at);
    const tn_wrench w = {own.f, tn_v3_add(tn_v3_cross(at->b.r, own.f), own.m)};

    (void)reference;
    *out = (tn_load){.supplied = tn_power(w, at->b.V)};
    tn_v3_to(w.f, out->w + TN_FB);
    tn_v3_to(w.m, out->w + TN_MB);
}

static void point_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                          tn_load_tangent *out)
{
    const tn_wrench own = applied(data, t, at);
    const tn_vec3 r = at->b.r;

    (void)reference;
    memset(out, 0, sizeof(*out));
    if (data->def.point.follower) {
        const tn_vec3 moment = tn_v3_add(tn_v3_cross(r, own.f), own.m);
        tn_block_add(out->K, TN_FB, TN_MB, -1.0, tn_m3_skew(own.f));
        tn_block_add(out->K, TN_MB, TN_MB, -1.0, tn_m3_skew(moment));
    } else {
        tn_block_add(out->K, TN_MB, TN_MB, 1.0, tn_m3_mul(tn_m3_skew(own.f), tn_m3_skew(r)));
    }
}

static bool force_point_is_zero(const tn_timefn *u)
{
    double value[3];
    tn_timefn_eval(u, 0.0, value);
    return tn_timefn_is_constant(u) && value[0] == 0.0;
}

static tn_status point_prepare(tn_force_data *data, const tn_model *model)
{
    const tn_body body = data->def.body_b;

    if (tn_body_has_rotation(model, body))
        return TN_OK;
    if (data->def.point.follower)
        return tn_fail(TN_ERR_MODEL,
                       "force '%s': a follower force turns with its body, but '%s' is a point mass",
                       data->name, tn_body_name(model, body));
    if (!force_point_is_zero(data->u[3]) || !force_point_is_zero(data->u[4]) ||
        !force_point_is_zero(data->u[5]))
        return tn_fail(TN_ERR_MODEL,
                       "force '%s': a torque cannot act on '%s', which is a point mass", data->name,
                       tn_body_name(model, body));
    return TN_OK;
}

const tn_force_ops tn_force_point = {
    .name = "point-force",
    .text = "force and torque on a body at a point, from outside",
    .params = point_params,
    .nparam = TN_COUNT(point_params),
    .single = true,
    .prepare = point_prepare,
    .eval = point_eval,
    .tangent = point_tangent,
};
