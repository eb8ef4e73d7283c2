// SPDX-License-Identifier: MIT
//
// Sensors: the motion of frames on bodies, and how it follows the raw velocities. With the frame
// (p, R) of a body and a frame (r, Q) in it,
//
//   x = p + R r,   x' = p' + w x R r,   x'' = p'' + w' x R r + w x (w x R r)
//
// in inertial axes. Seen from a frame A, in its axes and by someone who turns with it,
//
//   y = Ra^T (xb - xa),   y' = Ra^T (xb' - xa' - wa x d),   d = xb - xa
//   y'' = Ra^T (xb'' - xa'' - wa' x d - wa x (wa x d)) - 2 (Ra^T wa) x y'

#include "linalg/dense.h"
#include "sim/sim.h"

static tn_vec3 sensors_centripetal(tn_vec3 w, tn_vec3 r)
{
    return tn_v3_cross(w, tn_v3_cross(w, r));
}

// What turns with the body, and how fast its origin moves, in inertial axes.
static tn_frame_motion of_frame(const tn_body_state *body, tn_frame frame)
{
    const tn_mat3 R = body->frame.R;
    const tn_vec3 r = tn_m3_apply(R, frame.p), w = tn_m3_apply(R, body->rate),
                  dw = tn_m3_apply(R, body->rate_dot);
    return (tn_frame_motion){
        .frame = {.p = tn_v3_add(body->frame.p, r), .R = tn_m3_mul(R, frame.R)},
        .velocity = tn_v3_add(body->velocity, tn_v3_cross(w, r)),
        .rate = w,
        .acceleration =
            tn_v3_add(body->acceleration, tn_v3_add(tn_v3_cross(dw, r), sensors_centripetal(w, r))),
        .rate_dot = dw,
    };
}

static const tn_frame_motion at_rest = {
    .frame = {.R = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}}};

tn_frame_motion tn_sim_frame(tn_sim *sim, tn_body body, tn_frame frame)
{
    TN_NEED(sim, at_rest);
    const tn_body_state state = {
        .frame = tn_sim_body_frame(sim, body),
        .velocity = tn_sim_body_velocity(sim, body),
        .rate = tn_sim_body_rate(sim, body),
        .acceleration = tn_sim_body_acceleration(sim, body),
        .rate_dot = tn_sim_body_rate_dot(sim, body),
    };
    return of_frame(&state, frame);
}

tn_frame_motion tn_sim_frame_between(tn_sim *sim, tn_body body_a, tn_frame frame_a, tn_body body_b,
                                     tn_frame frame_b)
{
    TN_NEED(sim, at_rest);
    const tn_frame_motion a = tn_sim_frame(sim, body_a, frame_a);
    const tn_frame_motion b = tn_sim_frame(sim, body_b, frame_b);
    const tn_mat3 R = a.frame.R;
    const tn_vec3 d = tn_v3_sub(b.frame.p, a.frame.p), wa = tn_m3_apply_t(R, a.rate);
    const tn_vec3 moving = tn_v3_sub(tn_v3_sub(b.velocity, a.velocity), tn_v3_cross(a.rate, d));
    const tn_vec3 speeding =
        tn_v3_sub(tn_v3_sub(b.acceleration, a.acceleration),
                  tn_v3_add(tn_v3_cross(a.rate_dot, d), sensors_centripetal(a.rate, d)));
    tn_frame_motion out = {
        .frame = {.p = tn_m3_apply_t(R, d), .R = tn_m3_mul(tn_m3_transpose(R), b.frame.R)},
        .velocity = tn_m3_apply_t(R, moving),
        .rate = tn_m3_apply_t(R, tn_v3_sub(b.rate, a.rate)),
    };
    out.acceleration =
        tn_v3_sub(tn_m3_apply_t(R, speeding), tn_v3_scale(2.0, tn_v3_cross(wa, out.velocity)));
    out.rate_dot =
        tn_v3_sub(tn_m3_apply_t(R, tn_v3_sub(b.rate_dot, a.rate_dot)), tn_v3_cross(wa, out.rate));
    return out;
}

// Matrices ----------------------------------------------------------------------------------------

// Twist of a frame at raw velocities v, in the units of the model.
static void twist_at(tn_sim *sim, int body, tn_frame frame, const double *v, double out[6])
{
    tn_system *sys = sim->start.sys;
    const tn_mechanism_ops *ops = sys->ops->mechanism;
    tn_body_state state = {.frame = tn_frame_identity};
    tn_point at = tn_state_point(sim->view);
    at.v = v;
    if (ops->look)
        ops->look(sys, &at);
    ops->body(sys, &at, body, &state);
    const tn_frame_motion motion = of_frame(&state, frame);
    tn_v3_to(motion.velocity, out);
    tn_v3_to(motion.rate, out + 3);
}

static tn_status need_model(const tn_sim *sim, const char *what)
{
    return sim->model ? TN_OK
                      : tn_fail(TN_ERR_USAGE, "%s: your own equations have no bodies", what);
}

tn_status tn_sim_frame_jacobian(tn_sim *sim, tn_body body, tn_frame frame, double *J)
{
    TN_NEED(sim, TN_ERR_USAGE);
    TN_NEED(J, TN_ERR_USAGE);
    TN_TRY(need_model(sim, "tn_sim_frame_jacobian"));
    if (body.index < 0 || body.index >= tn_model_body_count(sim->model))
        return tn_fail(TN_ERR_USAGE, "there is no body with the index %d; the model has %d",
                       body.index, tn_model_body_count(sim->model));
    const tn_system *sys = sim->start.sys;
    const double length = sys->units.length;
    double *v = sim->scratch, moved[6], rest[6];
    frame.p = tn_v3_scale(1.0 / length, frame.p);
    tn_zero(sys->nv, v);
    twist_at(sim, body.index, frame, v, rest); // of frames that are driven
    for (int k = 0; k < sys->nv; k++) {
        v[k] = 1.0;
        twist_at(sim, body.index, frame, v, moved);
        v[k] = 0.0;
        const double unit = tn_system_velocity_unit(sys, k);
        for (int i = 0; i < 6; i++)
            J[6 * k + i] = (moved[i] - rest[i]) * (i < 3 ? length : 1.0) / unit;
    }
    sim->looked_at = NULL;
    return TN_OK;
}

tn_status tn_sim_mass_matrix(tn_sim *sim, double *M)
{
    TN_NEED(sim, TN_ERR_USAGE);
    TN_NEED(M, TN_ERR_USAGE);
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(sim->view);
    const int n = sys->nv;
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_MASS));
    sim->looked_at = NULL;
    tn_sparse_to_dense(sys->block[TN_BLOCK_M], M);
    const double energy = tn_unit_energy(sys->units);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            M[i + (size_t)j * n] *=
                energy / (tn_system_velocity_unit(sys, i) * tn_system_velocity_unit(sys, j));
    return TN_OK;
}

tn_status tn_sim_forces(tn_sim *sim, double *f)
{
    TN_NEED(sim, TN_ERR_USAGE);
    TN_NEED(f, TN_ERR_USAGE);
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(sim->view);
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_FORCE));
    sim->looked_at = NULL;
    tn_copy(sys->nv, sys->f, f);
    for (int i = 0; i < sys->nv; i++)
        f[i] *= tn_unit_energy(sys->units) / tn_system_velocity_unit(sys, i);
    return TN_OK;
}
