// SPDX-License-Identifier: MIT
//
// The car axis as functions: data, equations and the digits at t = 3 s [Test Set for IVP Solvers,
// "caraxis"], computed again for these tests by a projected method of order eight.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const double K = 5e-4, L = 1.0, L0 = 0.5, R = 0.1, W = 10.0, G = 1.0;

typedef struct car_state {
    double p[4], v[4], lambda[2]; // xl, yl, xr, yr
} car_state;

static const car_state car_end = {
    {4.9345578427524e-2, 0.496989460230007, 1.04174252488543, 0.373911027265362},
    {-7.7058368403580e-2, 7.446866592e-3, 1.755681575353e-2, 0.77034104377956},
    {-4.73688659085310e-3, -1.10468033125944e-3}};

typedef struct foot { // of the right spring, with two derivatives
    double x, y, xt, yt, xtt, ytt;
} foot;

static inline foot foot_at(double t)
{
    foot f = {.y = R * sin(W * t), .yt = R * W * cos(W * t), .ytt = -R * W * W * sin(W * t)};
    f.x = sqrt(L * L - f.y * f.y);
    f.xt = -f.y * f.yt / f.x;
    f.xtt = -(f.xt * f.xt + f.yt * f.yt + f.y * f.ytt) / f.x; // from x^2 + y^2 = L^2
    return f;
}

static inline int car_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    for (int i = 0; i < 16; i++)
        M[i] = i % 5 == 0 ? K : 0.0;
    return 0;
}

static inline int car_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    const foot b = foot_at(at->t);
    const double *p = at->q, x = p[2] - b.x, y = p[3] - b.y;
    const double Ll = hypot(p[0], p[1]), Lr = hypot(x, y);
    f[0] = (L0 - Ll) * p[0] / Ll;
    f[1] = (L0 - Ll) * p[1] / Ll - K * G;
    f[2] = (L0 - Lr) * x / Lr;
    f[3] = (L0 - Lr) * y / Lr - K * G;
    return 0;
}

static inline int car_constraint(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    const foot b = foot_at(at->t);
    const double *p = at->q, x = p[0] - p[2], y = p[1] - p[3];
    g[0] = b.x * p[0] + b.y * p[1];
    g[1] = x * x + y * y - L * L;
    return 0;
}

static inline int car_jacobian(void *user, const tn_arguments *at, double *J)
{
    (void)user;
    const foot b = foot_at(at->t);
    const double *p = at->q, x = 2.0 * (p[0] - p[2]), y = 2.0 * (p[1] - p[3]);
    const double values[8] = {b.x, x, b.y, y, 0.0, -x, 0.0, -y};
    memcpy(J, values, sizeof values);
    return 0;
}

static inline int car_constraint_t(void *user, const tn_arguments *at, double *gt)
{
    (void)user;
    const foot b = foot_at(at->t);
    gt[0] = b.xt * at->q[0] + b.yt * at->q[1];
    gt[1] = 0.0;
    return 0;
}

static inline int car_gamma(void *user, const tn_arguments *at, double *gamma)
{
    (void)user;
    const foot b = foot_at(at->t);
    const double *p = at->q, *v = at->v, x = v[0] - v[2], y = v[1] - v[3];
    gamma[0] = b.xtt * p[0] + b.ytt * p[1] + 2.0 * (b.xt * v[0] + b.yt * v[1]);
    gamma[1] = 2.0 * (x * x + y * y);
    return 0;
}

static const tn_callbacks car_functions = {.nq = 4,
                                           .ng = 2,
                                           .time_dependent = true,
                                           .mass = car_mass,
                                           .force = car_force,
                                           .constraint = car_constraint,
                                           .jacobian = car_jacobian,
                                           .constraint_t = car_constraint_t,
                                           .gamma = car_gamma};
static const double car_p0[4] = {0.0, 0.5, 1.0, 0.5}, car_v0[4] = {-0.5, 0.0, -0.5, 0.0};
