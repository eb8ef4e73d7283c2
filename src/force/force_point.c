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
//
// Wrenches that a program sets while a simulation runs are such forces as well, at a point that may
// change. They belong to the copy of a model that a simulation has.

#include "model/builder.h"

#include "model/units.h"

#include <string.h>

static const tn_param point_params[] = {
    TN_PARAM(tn_force_def, point.force, FUNCTION3, "force", "N", .role = TN_ROLE_DIRECTION,
             .text = "force at the origin of frame B"),
    TN_PARAM(tn_force_def, point.torque, FUNCTION3, "torque", "N m", .role = TN_ROLE_DIRECTION,
             .text = "torque"),
    TN_PARAM(tn_force_def, point.follower, BOOL, "follower", "",
             .text = "components in frame B, turning with the body, instead of the inertial frame"),
};

static tn_vec3 vector_at(tn_timefn *const u[3], double t)
{
    double x[3], y[3], z[3];
    tn_timefn_eval(u[0], t, x);
    tn_timefn_eval(u[1], t, y);
    tn_timefn_eval(u[2], t, z);
    return tn_v3(x[0], y[0], z[0]);
}

// Force and torque at a point of the body, world axes, and its arm r.
typedef struct acting {
    tn_wrench w;
    tn_vec3 r;
    bool follower;
} acting;

static acting acting_at(const tn_force_data *data, double t, const tn_pair *at)
{
    acting x = {.r = at->b.r, .follower = data->def.point.follower};
    if (data->applied) {
        x.w = data->applied->own;
        x.r = tn_v3_add(x.r, tn_m3_apply(at->b.x.R, data->applied->from_com));
        x.follower = data->applied->follower;
    } else {
        x.w = (tn_wrench){vector_at(data->u, t), vector_at(data->u + 3, t)};
    }
    if (x.follower) {
        x.w.f = tn_m3_apply(at->b.x.R, x.w.f);
        x.w.m = tn_m3_apply(at->b.x.R, x.w.m);
    }
    return x;
}

static void point_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                       tn_load *out)
{
    const acting x = acting_at(data, t, at);
    const tn_wrench w = {x.w.f, tn_v3_add(tn_v3_cross(x.r, x.w.f), x.w.m)};
    *out = (tn_load){.supplied = tn_power(w, at->b.V)};
    tn_v3_to(w.f, out->w + TN_FB);
    tn_v3_to(w.m, out->w + TN_MB);
}

static void point_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                          tn_load_tangent *out)
{
    const acting x = acting_at(data, t, at);
    memset(out, 0, sizeof(*out));
    if (x.follower) {
        const tn_vec3 moment = tn_v3_add(tn_v3_cross(x.r, x.w.f), x.w.m);
        tn_block_add(out->K, TN_FB, TN_MB, -1.0, tn_m3_skew(x.w.f));
        tn_block_add(out->K, TN_MB, TN_MB, -1.0, tn_m3_skew(moment));
    } else {
        tn_block_add(out->K, TN_MB, TN_MB, 1.0, tn_m3_mul(tn_m3_skew(x.w.f), tn_m3_skew(x.r)));
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
                       data->name, tn_model_body_name(model, body));
    if (!force_point_is_zero(data->u[3]) || !force_point_is_zero(data->u[4]) ||
        !force_point_is_zero(data->u[5]))
        return tn_fail(TN_ERR_MODEL,
                       "force '%s': a torque cannot act on '%s', which is a point mass", data->name,
                       tn_model_body_name(model, body));
    return TN_OK;
}

const tn_force_ops tn_force_point = {
    .name = "point-force",
    .text = "force and torque on a body at a point, from outside",
    TN_PARAMS(point_params),
    .single = true,
    .prepare = point_prepare,
    .eval = point_eval,
    .tangent = point_tangent,
};

static tn_force_data wrench_on(const tn_model *copy, int body, const tn_applied *applied)
{
    tn_force_data data = {
        .name = copy->bodies.at[body].name,
        .ops = &tn_force_point,
        .def = tn_force_def_of(copy->kinds, TN_FORCE_POINT),
        .applied = applied,
    };
    data.def.body_b = (tn_body){body};
    data.def.frame_b.p = copy->bodies.at[body].def.com;
    return data;
}

tn_status tn_model_take_wrenches(tn_model *copy, tn_applied **out)
{
    const int nbody = copy->bodies.count, nforce = copy->forces.count;
    *out = tn_alloc((size_t)nbody * sizeof **out);
    TN_TRY(tn_model_own(copy, *out));
    tn_force_data *at = tn_alloc((size_t)(nforce + nbody) * sizeof *at);
    TN_TRY(tn_got(at));
    memcpy(at, copy->forces.at, (size_t)nforce * sizeof *at);
    for (int k = 1; k < nbody; k++)
        at[nforce + k - 1] = wrench_on(copy, k, &(*out)[k]);
    tn_free(copy->forces.at);
    copy->forces.at = at;
    copy->forces.count = nforce + nbody - 1;
    return TN_OK;
}
