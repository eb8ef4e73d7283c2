// SPDX-License-Identifier: MIT
//
// A ball that rolls on a plane, with nonholonomic rows on R^2 x SO(3), and every kind of coupling
// that forces, states and algebraic variables can have with eta. p is its centre, W = R w its
// angular velocity in inertial axes:
//
//   0 = x' - r W_y,   0 = y' + r W_x
//   a slope and a wind (A + 0.8 c, 0.6 w), a moment -mu s(eta) w, s = sqrt(400 + |eta|^2)
//   c' = -c + 0.05 eta_1 + 0.2 w,   0 = w + 0.2 w^3 - 0.04 eta_2 - 0.3 sin x
//
// The reference: x'' = (f_x + t_y / r) / (m + J / r^2), y'' = (f_y - t_x / r) / (m + J / r^2) with
// the moment t in inertial axes, J W_z' = t_z, and eta from the balance, the couplings by sweeps.

#pragma once

#include "road.h"

static const double BALL_MASS = 2.0, BALL_RADIUS = 0.5, BALL_INERTIA = 0.2, BALL_SLOPE = 3.0;
static const double BALL_DRAG = 0.006;

static inline tn_vec3 ball_moment(double eta1, double eta2, tn_vec3 rate)
{
    return tn_v3_scale(-BALL_DRAG * sqrt(400.0 + eta1 * eta1 + eta2 * eta2), rate);
}

static inline double ball_rate(double c, double w, double eta1)
{
    return -c + 0.05 * eta1 + 0.2 * w;
}

static inline double ball_balance(double x, double w, double eta2)
{
    return w + 0.2 * w * w * w - 0.04 * eta2 - 0.3 * sin(x);
}

static inline int ball_mass(void *user, const tn_arguments *x, double *M)
{
    (void)user, (void)x;
    memset(M, 0, 25 * sizeof *M);
    for (int i = 0; i < 5; i++)
        M[6 * i] = i < 2 ? BALL_MASS : BALL_INERTIA;
    return 0;
}

static inline int ball_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    f[0] = BALL_SLOPE + 0.8 * x->c[0];
    f[1] = 0.6 * x->w[0];
    tn_v3_to(ball_moment(x->eta[0], x->eta[1], tn_v3_from(x->v + 2)), f + 2);
    return 0;
}

static inline int ball_rolling(void *user, const tn_arguments *x, double *N, double *n0)
{
    (void)user;
    const tn_mat3 R = tn_quat_matrix(tn_quat_from(x->q + 2));
    N[0] = N[3] = 1.0;
    N[1] = N[2] = n0[0] = n0[1] = 0.0;
    for (int j = 0; j < 3; j++) {
        N[4 + 2 * j] = -BALL_RADIUS * R.m[1][j];
        N[5 + 2 * j] = BALL_RADIUS * R.m[0][j];
    }
    return 0;
}

static inline int ball_states(void *user, const tn_arguments *x, double *d)
{
    (void)user;
    d[0] = ball_rate(x->c[0], x->w[0], x->eta[0]);
    return 0;
}

static inline int ball_algebraic(void *user, const tn_arguments *x, double *b)
{
    (void)user;
    b[0] = ball_balance(x->q[0], x->w[0], x->eta[1]);
    return 0;
}

static const tn_space ball_spaces[] = {{TN_SPACE_LINEAR, 2}, {TN_SPACE_SO3, 0}};
static const double ball_c0[] = {0.5};
static const tn_callbacks ball_functions = {
    .nq = 6,
    .nspace = 2,
    .spaces = ball_spaces,
    .nn = 2,
    .nc = 1,
    .nw = 1,
    .lambda_in_force = true,
    .mass = ball_mass,
    .force = ball_force,
    .pfaffian = ball_rolling,
    .states = ball_states,
    .algebraic = ball_algebraic,
    .c0 = ball_c0,
};
// x' = r W_y and y' = -r W_x; the ball spins about z as well.
static const double ball_q0[] = {0.2, -0.1, 1.0, 0.0, 0.0, 0.0};
static const double ball_v0[] = {0.6, -0.4, 0.8, 1.2, 1.5};

// y = (x, y, e, x', y', W_z, c)
enum { BALL_SIZE = 10, BALL_STEPS = 2048 };

typedef struct ball_loads {
    double eta[2], w, a[3]; // a: x'', y'', W_z'
} ball_loads;

static inline tn_vec3 ball_spin(const double *y) // in inertial axes
{
    return tn_v3(-y[7] / BALL_RADIUS, y[6] / BALL_RADIUS, y[8]);
}

static inline ball_loads ball_solve(const double *y)
{
    const double inertia = BALL_INERTIA / (BALL_RADIUS * BALL_RADIUS), m = BALL_MASS + inertia;
    ball_loads l = {{0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
    for (int k = 0; k < 40; k++) {
        const tn_vec3 t = ball_moment(l.eta[0], l.eta[1], ball_spin(y));
        for (int n = 0; n < 20; n++)
            l.w -= ball_balance(y[0], l.w, l.eta[1]) / (1.0 + 0.6 * l.w * l.w);
        const double fx = BALL_SLOPE + 0.8 * y[9], fy = 0.6 * l.w;
        l.a[0] = (fx + t.y / BALL_RADIUS) / m;
        l.a[1] = (fy - t.x / BALL_RADIUS) / m;
        l.a[2] = t.z / BALL_INERTIA;
        l.eta[0] = fx - BALL_MASS * l.a[0];
        l.eta[1] = fy - BALL_MASS * l.a[1];
    }
    return l;
}

// e' = (0, W) o e / 2
static inline void ball_slope(const double *y, double *dy)
{
    const ball_loads l = ball_solve(y);
    const tn_vec3 W = ball_spin(y);
    const tn_quat turn =
        tn_quat_mul((tn_quat){0.0, 0.5 * W.x, 0.5 * W.y, 0.5 * W.z}, tn_quat_from(y + 2));
    dy[0] = y[6];
    dy[1] = y[7];
    tn_quat_to(turn, dy + 2);
    memcpy(dy + 6, l.a, sizeof l.a);
    dy[9] = ball_rate(y[9], l.w, l.eta[0]);
}

static inline void ball_step(double *y, double h)
{
    static const double node[] = {0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    double k[4][BALL_SIZE], z[BALL_SIZE];
    memcpy(z, y, sizeof z);
    for (int i = 0; i < 4; i++) {
        ball_slope(z, k[i]);
        for (int j = 0; i < 3 && j < BALL_SIZE; j++)
            z[j] = y[j] + node[i] * h * k[i][j];
    }
    for (int j = 0; j < BALL_SIZE; j++)
        for (int i = 0; i < 4; i++)
            y[j] += h / 6.0 * weight[i] * k[i][j];
}

static inline void ball_exact(double t, double at[QUANTITIES][ROOM])
{
    double y[BALL_SIZE] = {0.2, -0.1, 1.0, 0.0, 0.0, 0.0, 0.6, -0.4, 1.5, 0.5};
    const int steps = (int)ceil(t * BALL_STEPS);
    for (int k = 0; k < steps; k++)
        ball_step(y, t / steps);
    const ball_loads l = ball_solve(y);
    const tn_mat3 R = tn_quat_matrix(tn_quat_normalize(tn_quat_from(y + 2)));
    memcpy(at[OF_Q], y, 2 * sizeof *y);
    tn_quat_to(tn_quat_normalize(tn_quat_from(y + 2)), at[OF_Q] + 2);
    memcpy(at[OF_V], y + 6, 2 * sizeof *y);
    tn_v3_to(tn_m3_apply_t(R, ball_spin(y)), at[OF_V] + 2);
    memcpy(at[OF_LAMBDA], l.eta, sizeof l.eta);
    at[OF_C][0] = y[9];
    at[OF_W][0] = l.w;
}
