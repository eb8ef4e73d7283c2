// SPDX-License-Identifier: MIT
//
// A heavy top (own_top.h) with every kind of coupling that forces, states and algebraic variables
// can have with reactions, on spaces with a rotation:
//
//   friction in its tip, a moment -mu s(lambda) w / sqrt(1 + |w|^2), s = sqrt(400 + |lambda|^2)
//   a wind (A c, B w, 0) on the centre of mass
//   c' = -2 c + 0.02 lambda_z + 0.3 w + 0.2 w_y + 0.1 R_zz
//   0  = w + 0.1 w^3 - 0.03 lambda_x - sin c - 0.1 w_x
//
// The reference knows nothing of constraints: Euler's equations about the tip by Runge-Kutta, with
// lambda from the motion of the centre of mass and the couplings by sweeps.

#pragma once

#include "lie/so3.h"
#include "own_top.h"

static const double TIP_FRICTION = 0.004, WIND_C = 2.0, WIND_W = 1.5; // [m], [N], [N]

static inline tn_vec3 tip_moment(tn_vec3 lambda, tn_vec3 rate)
{
    const double load = sqrt(400.0 + tn_v3_dot(lambda, lambda));
    return tn_v3_scale(-TIP_FRICTION * load / sqrt(1.0 + tn_v3_dot(rate, rate)), rate);
}

static inline tn_vec3 wind_on(double c, double w)
{
    return tn_v3(WIND_C * c, WIND_W * w, 0.0);
}

static inline double loaded_rate(tn_mat3 R, tn_vec3 rate, double c, double w, tn_vec3 lambda)
{
    return -2.0 * c + 0.02 * lambda.z + 0.3 * w + 0.2 * rate.y + 0.1 * R.m[2][2];
}

static inline double loaded_balance(tn_vec3 rate, double c, double w, tn_vec3 lambda)
{
    return w + 0.1 * w * w * w - 0.03 * lambda.x - sin(c) - 0.1 * rate.x;
}

static inline tn_vec3 lambda_of(const tn_arguments *x)
{
    return x->lambda ? tn_v3_from(x->lambda) : tn_v3(0.0, 0.0, 0.0);
}

static inline int loaded_inertial_force(void *user, const tn_arguments *x, double *f)
{
    const tn_vec3 lambda = lambda_of(x), wind = wind_on(x->c[0], x->w[0]);
    inertial_force(user, x, f);
    tn_v3_to(tn_v3_add(tn_v3_from(f), wind), f);
    tn_v3_to(tn_v3_add(tn_v3_from(f + 3), tip_moment(lambda, tn_v3_from(x->v + 3))), f + 3);
    return 0;
}

static inline int loaded_body_force(void *user, const tn_arguments *x, double *f)
{
    const tn_vec3 lambda = lambda_of(x), wind = wind_on(x->c[0], x->w[0]);
    body_force(user, x, f);
    tn_v3_to(tn_v3_add(tn_v3_from(f), tn_m3_apply_t(top_rotation(x->q + 3), wind)), f);
    tn_v3_to(tn_v3_add(tn_v3_from(f + 3), tip_moment(lambda, tn_v3_from(x->v + 3))), f + 3);
    return 0;
}

static inline int loaded_states(void *user, const tn_arguments *x, double *d)
{
    (void)user;
    d[0] =
        loaded_rate(top_rotation(x->q + 3), tn_v3_from(x->v + 3), x->c[0], x->w[0], lambda_of(x));
    return 0;
}

static inline int loaded_algebraic(void *user, const tn_arguments *x, double *b)
{
    (void)user;
    b[0] = loaded_balance(tn_v3_from(x->v + 3), x->c[0], x->w[0], lambda_of(x));
    return 0;
}

static const double loaded_c0[] = {0.4};

static inline tn_callbacks loaded_top(const tn_callbacks *top)
{
    tn_callbacks cb = *top;
    cb.nc = cb.nw = 1;
    cb.lambda_in_force = true;
    cb.force = top == &body_top ? loaded_body_force : loaded_inertial_force;
    cb.states = loaded_states;
    cb.algebraic = loaded_algebraic;
    cb.c0 = loaded_c0;
    return cb;
}

// The reference -----------------------------------------------------------------------------------

typedef struct loaded {
    tn_quat e;
    tn_vec3 rate;
    double c;
} loaded;

typedef struct loaded_change {
    tn_quat e;
    tn_vec3 rate;
    double c;
    tn_vec3 lambda; // and what was solved for
    double w;
} loaded_change;

static inline tn_vec3 solve_spin(tn_vec3 b) // (J + m r~^T r~)^-1 b
{
    tn_mat3 A;
    for (int j = 0; j < 3; j++) {
        const tn_vec3 column = top_spin(top_axis(j));
        A.m[0][j] = column.x;
        A.m[1][j] = column.y;
        A.m[2][j] = column.z;
    }
    return tn_m3_apply(tn_m3_inverse(A), b);
}

static inline double solve_balance(tn_vec3 rate, double c, tn_vec3 lambda)
{
    double w = 0.0;
    for (int k = 0; k < 30; k++)
        w -= loaded_balance(rate, c, w, lambda) / (1.0 + 0.3 * w * w);
    return w;
}

static inline loaded_change loaded_slope(loaded x)
{
    const tn_mat3 R = tn_quat_matrix(x.e);
    loaded_change d = {.lambda = {0.0, 0.0, 0.0}};
    for (int k = 0; k < 30; k++) {
        d.w = solve_balance(x.rate, x.c, d.lambda);
        const tn_vec3 push = tn_v3_add(top_weight(), wind_on(x.c, d.w));
        tn_vec3 moment = tn_v3_cross(TOP_ARM, tn_m3_apply_t(R, push));
        moment = tn_v3_add(moment, tip_moment(d.lambda, x.rate));
        d.rate = solve_spin(tn_v3_sub(moment, tn_v3_cross(x.rate, top_spin(x.rate))));
        const tn_vec3 bend = tn_v3_cross(x.rate, tn_v3_cross(x.rate, TOP_ARM));
        const tn_vec3 way = tn_m3_apply(R, tn_v3_add(tn_v3_cross(d.rate, TOP_ARM), bend));
        d.lambda = tn_v3_axpy(-TOP_MASS, way, push);
    }
    d.e = tn_quat_mul(x.e, (tn_quat){0.0, 0.5 * x.rate.x, 0.5 * x.rate.y, 0.5 * x.rate.z});
    d.c = loaded_rate(R, x.rate, x.c, d.w, d.lambda);
    return d;
}

static inline loaded loaded_moved(loaded x, double h, loaded_change d)
{
    x.e = (tn_quat){x.e.w + h * d.e.w, x.e.x + h * d.e.x, x.e.y + h * d.e.y, x.e.z + h * d.e.z};
    x.rate = tn_v3_axpy(h, d.rate, x.rate);
    x.c += h * d.c;
    return x;
}

static inline loaded loaded_step(loaded x, double h)
{
    const loaded_change k1 = loaded_slope(x), k2 = loaded_slope(loaded_moved(x, 0.5 * h, k1));
    const loaded_change k3 = loaded_slope(loaded_moved(x, 0.5 * h, k2));
    const loaded_change k4 = loaded_slope(loaded_moved(x, h, k3));
    x = loaded_moved(x, h / 6.0, k1);
    x = loaded_moved(x, h / 3.0, k2);
    x = loaded_moved(x, h / 3.0, k3);
    return loaded_moved(x, h / 6.0, k4);
}

enum { LOADED_STEPS = 4096 }; // per second: errors of 1e-13
static const double LOADED_END = 0.7;

// In the order of a track, with velocities in inertial or body axes.
static inline void loaded_values(loaded x, bool in_body, double at[QUANTITIES][ROOM])
{
    const loaded_change d = loaded_slope(x);
    const tn_mat3 R = tn_quat_matrix(x.e);
    const tn_vec3 u = tn_v3_cross(x.rate, TOP_ARM);
    tn_v3_to(tn_m3_apply(R, TOP_ARM), at[OF_Q]);
    tn_quat_to(tn_quat_normalize(x.e), at[OF_Q] + 3);
    tn_v3_to(in_body ? u : tn_m3_apply(R, u), at[OF_V]);
    tn_v3_to(x.rate, at[OF_V] + 3);
    tn_v3_to(d.lambda, at[OF_LAMBDA]);
    at[OF_C][0] = x.c;
    at[OF_W][0] = d.w;
}

static inline void loaded_exact(double t, bool in_body, double at[QUANTITIES][ROOM])
{
    loaded x = {top_start(), TOP_RATE, loaded_c0[0]};
    const int steps = (int)ceil(t * LOADED_STEPS);
    for (int k = 0; k < steps; k++)
        x = loaded_step(x, t / steps);
    loaded_values(x, in_body, at);
}

static inline void loaded_inertial_exact(double t, double at[QUANTITIES][ROOM])
{
    loaded_exact(t, false, at);
}

static inline void loaded_body_exact(double t, double at[QUANTITIES][ROOM])
{
    loaded_exact(t, true, at);
}
