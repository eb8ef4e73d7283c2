// SPDX-License-Identifier: MIT
//
// Andrews' squeezing mechanism as functions: data, equations and the digits at the end, see
// test_andrews.c for their source.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

enum { NQ = 7, NG = 6, BETA = 0, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON };

static const double T_END = 0.03;

static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                    m7 = .05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                    I6 = 5.667e-7, I7 = 1.912e-5;
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
static const double c0 = 4530, l0 = .07785, mom = .033;
static const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035,
                    sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916,
                    u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;

static const double q_start[NQ] = {
    -0.0617138900142764496358948458001, 0,
    0.455279819163070380255912382449,   0.222668390165885884674473185609,
    0.487364979543842550225598953530,   -0.222668390165885884674473185609,
    1.23054744454982119249735015568};
static const double a_start[NQ] = {14222.4439199541138705911625887,
                                   -10666.8329399655854029433719415};
static const double lambda_start[NG] = {98.5668703962410896057654982170,
                                        -6.12268834425566265503114393122};

static const double q_end[NQ] = {15.8107711951533,   -15.7563710584114, 0.040822240119633,
                                 -0.534730116342097, 0.52440996587995,  0.534730116342096,
                                 1.04808074104194};
static const double v_end[NQ] = {1139.92030225910, -1424.37929517753, 11.0329119105183,
                                 19.2933741048569, 0.57356991482434,  -19.2933741048571,
                                 0.32317914924593};
static const double beta_published = 0.1581077119629904e2;
static const double a_end[NQ] = {-24631.7631225, 51850.3196359,  324102.600708, 566749.422001,
                                 16743.6354184,  -566749.422001, 9826.50780153};
static const double lambda_end[NG] = {199.175348105, -29.7553099749, 23.0665436116,
                                      31.4527252758, 22.6424947864,  11.6173923526};

// The equations -----------------------------------------------------------------------------------

static inline int mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    const double *q = at->q, k = e - ea, n = zf - fa;
    for (int i = 0; i < NQ * NQ; i++)
        M[i] = 0.0;
    M[0 + 0 * NQ] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(q[THETA]) + da * da) + I1 + I2;
    M[0 + 1 * NQ] = M[1 + 0 * NQ] = m2 * (da * da - da * rr * cos(q[THETA])) + I2;
    M[1 + 1 * NQ] = m2 * da * da + I2;
    M[2 + 2 * NQ] = m3 * (sa * sa + sb * sb) + I3;
    M[3 + 3 * NQ] = m4 * k * k + I4;
    M[3 + 4 * NQ] = M[4 + 3 * NQ] = m4 * (k * k + zt * k * sin(q[PHI])) + I4;
    M[4 + 4 * NQ] =
        m4 * (zt * zt + 2 * zt * k * sin(q[PHI]) + k * k) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M[5 + 5 * NQ] = m6 * n * n + I6;
    M[5 + 6 * NQ] = M[6 + 5 * NQ] = m6 * (n * n - u * n * sin(q[OMEGA])) + I6;
    M[6 + 6 * NQ] =
        m6 * (n * n - 2 * u * n * sin(q[OMEGA]) + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
    return 0;
}

static inline int force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    const double *q = at->q, *v = at->v;
    const double cg = cos(q[GAMMA]), sg = sin(q[GAMMA]);
    const double x = sd * cg + sc * sg + xb - xc, y = sd * sg - sc * cg + yb - yc;
    const double L = hypot(x, y), F = -c0 * (L - l0) / L;
    const double k2 = m2 * da * rr, k4 = m4 * zt * (e - ea), k6 = m6 * u * (zf - fa);
    f[0] = mom - k2 * v[THETA] * (v[THETA] + 2 * v[BETA]) * sin(q[THETA]);
    f[1] = k2 * v[BETA] * v[BETA] * sin(q[THETA]);
    f[2] = F * x * (sc * cg - sd * sg) + F * y * (sd * cg + sc * sg);
    f[3] = k4 * v[DELTA] * v[DELTA] * cos(q[PHI]);
    f[4] = -k4 * v[PHI] * (v[PHI] + 2 * v[DELTA]) * cos(q[PHI]);
    f[5] = -k6 * v[EPSILON] * v[EPSILON] * cos(q[OMEGA]);
    f[6] = k6 * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * cos(q[OMEGA]);
    return 0;
}

static inline int constraint(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    const double *q = at->q, bt = q[BETA] + q[THETA], pd = q[PHI] + q[DELTA],
                 oe = q[OMEGA] + q[EPSILON];
    const double X = rr * cos(q[BETA]) - d * cos(bt), Y = rr * sin(q[BETA]) - d * sin(bt);
    g[0] = X - ss * sin(q[GAMMA]) - xb;
    g[1] = Y + ss * cos(q[GAMMA]) - yb;
    g[2] = X - e * sin(pd) - zt * cos(q[DELTA]) - xa;
    g[3] = Y + e * cos(pd) - zt * sin(q[DELTA]) - ya;
    g[4] = X - zf * cos(oe) - u * sin(q[EPSILON]) - xa;
    g[5] = Y - zf * sin(oe) + u * cos(q[EPSILON]) - ya;
    return 0;
}

static inline int jacobian(void *user, const tn_arguments *at, double *G)
{
    (void)user;
    const double *q = at->q, bt = q[BETA] + q[THETA], pd = q[PHI] + q[DELTA],
                 oe = q[OMEGA] + q[EPSILON];
    for (int i = 0; i < NG * NQ; i++)
        G[i] = 0.0;
    for (int i = 0; i < NG; i += 2) {
        G[i + BETA * NG] = -rr * sin(q[BETA]) + d * sin(bt);
        G[i + THETA * NG] = d * sin(bt);
        G[i + 1 + BETA * NG] = rr * cos(q[BETA]) - d * cos(bt);
        G[i + 1 + THETA * NG] = -d * cos(bt);
    }
    G[0 + GAMMA * NG] = -ss * cos(q[GAMMA]);
    G[1 + GAMMA * NG] = -ss * sin(q[GAMMA]);
    G[2 + PHI * NG] = -e * cos(pd);
    G[2 + DELTA * NG] = -e * cos(pd) + zt * sin(q[DELTA]);
    G[3 + PHI * NG] = -e * sin(pd);
    G[3 + DELTA * NG] = -e * sin(pd) - zt * cos(q[DELTA]);
    G[4 + OMEGA * NG] = zf * sin(oe);
    G[4 + EPSILON * NG] = zf * sin(oe) - u * cos(q[EPSILON]);
    G[5 + OMEGA * NG] = -zf * cos(oe);
    G[5 + EPSILON * NG] = -zf * cos(oe) - u * sin(q[EPSILON]);
    return 0;
}

// g'' - G q'': centripetal accelerations of the points that meet in E.
static inline int centripetal(void *user, const tn_arguments *at, double *gamma)
{
    (void)user;
    const double *q = at->q, *v = at->v, bt = q[BETA] + q[THETA], pd = q[PHI] + q[DELTA],
                 oe = q[OMEGA] + q[EPSILON];
    const double b2 = v[BETA] * v[BETA], bt2 = (v[BETA] + v[THETA]) * (v[BETA] + v[THETA]),
                 g2 = v[GAMMA] * v[GAMMA], d2 = v[DELTA] * v[DELTA],
                 pd2 = (v[PHI] + v[DELTA]) * (v[PHI] + v[DELTA]), e2 = v[EPSILON] * v[EPSILON],
                 oe2 = (v[OMEGA] + v[EPSILON]) * (v[OMEGA] + v[EPSILON]);
    const double X = -rr * cos(q[BETA]) * b2 + d * cos(bt) * bt2,
                 Y = -rr * sin(q[BETA]) * b2 + d * sin(bt) * bt2;
    gamma[0] = X + ss * sin(q[GAMMA]) * g2;
    gamma[1] = Y - ss * cos(q[GAMMA]) * g2;
    gamma[2] = X + e * sin(pd) * pd2 + zt * cos(q[DELTA]) * d2;
    gamma[3] = Y - e * cos(pd) * pd2 + zt * sin(q[DELTA]) * d2;
    gamma[4] = X + zf * cos(oe) * oe2 + u * sin(q[EPSILON]) * e2;
    gamma[5] = Y + zf * sin(oe) * oe2 - u * cos(q[EPSILON]) * e2;
    return 0;
}

static const tn_callbacks andrews_functions = {.nq = NQ,
                                               .ng = NG,
                                               .mass = mass,
                                               .force = force,
                                               .constraint = constraint,
                                               .jacobian = jacobian,
                                               .gamma = centripetal};
