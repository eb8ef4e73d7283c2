// SPDX-License-Identifier: MIT
//
// An inextensible elastic beam of 40 rigid segments as functions [Test Set for IVP Solvers, "beam";
// Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.1]: angles th of the
// segments,
//
//   sum_k g_lk cos(th_l - th_k) th_k'' = n^4 D_l + n^2 F(t) (cos th_l + sin th_l)
//                                        - sum_k g_lk sin(th_l - th_k) th_k'^2
//   g_lk = n + 1/2 - max(l, k),  D_1 = -3 th_1 + th_2,  D_l = th_{l-1} - 2 th_l + th_{l+1},
//   D_n = th_{n-1} - th_n,       F = 1.5 sin^2 t up to t = pi, then 0
//
// and the published angles and rates at t = 5.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

enum { CHAIN_N = 40 };

static inline double chain_g(int l, int k)
{
    return CHAIN_N - 0.5 - (l > k ? l : k); // from zero
}

static inline int chain_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    for (int k = 0; k < CHAIN_N; k++)
        for (int l = 0; l < CHAIN_N; l++)
            M[l + k * CHAIN_N] = chain_g(l, k) * cos(at->q[l] - at->q[k]);
    return 0;
}

static inline int chain_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    const double *th = at->q, n2 = CHAIN_N * CHAIN_N, pi = 3.14159265358979323846;
    const double F = at->t <= pi ? 1.5 * sin(at->t) * sin(at->t) : 0.0;
    for (int l = 0; l < CHAIN_N; l++) {
        const double before = l > 0 ? th[l - 1] : -th[0];
        const double after = l < CHAIN_N - 1 ? th[l + 1] : th[l];
        f[l] = n2 * n2 * (before - 2.0 * th[l] + after) + n2 * F * (cos(th[l]) + sin(th[l]));
        for (int k = 0; k < CHAIN_N; k++)
            f[l] -= chain_g(l, k) * sin(th[l] - th[k]) * at->v[k] * at->v[k];
    }
    return 0;
}

static const tn_callbacks chain_functions = {
    .nq = CHAIN_N, .mass = chain_mass, .force = chain_force};

static const double chain_end[2 * CHAIN_N] = {
    -0.005792366591285007, -0.01695298550721735, -0.02769103312973094, -0.03800815655879158,
    -0.04790616859743763,  -0.05738710435274594, -0.06645327313454617, -0.07510730581979037,
    -0.08335219765414992,  -0.09119134654647947, -0.0986285870013209,  -0.1056682200378002,
    -0.1123150395409595,   -0.1185743552727245,  -0.1244520128755561,  -0.1299544113264161,
    -0.1350885180610398,   -0.1398618819194422,  -0.1442826441015242,  -0.1483595472463012,
    -0.1521019429001447,   -0.1555197978061129,  -0.1586236993420229,  -0.1614248603702127,
    -0.1639351238193223,   -0.1661669673440852,  -0.1681335081778558,  -0.1698485080602243,
    -0.1713263782440888,   -0.1725821847462537,  -0.1736316537975654,  -0.1744911773840049,
    -0.1751778187863392,   -0.1757093178712902,  -0.1761040960228576,  -0.1763812607175549,
    -0.1765606097564671,   -0.1766626352260565,  -0.176708527080746,   -0.1767201761075488,
    0.03747362681329794,   0.1099117880217593,   0.1798360474312799,   0.2472427305442391,
    0.3121293820596567,    0.37449473770195,     0.4343386073492798,   0.4916620354601748,
    0.5464677854586807,    0.598760970262427,    0.648549361111074,    0.6958435169132503,
    0.7406572668520808,    0.7830081747813241,   0.8229176659201515,   0.860411030519056,
    0.8955175502377805,    0.9282708263127953,   0.9587089334522034,   0.9868747821728363,
    1.012816579961883,     1.036587736679858,    1.058246826481355,    1.077857811433353,
    1.095490222005369,     1.111219164294898,    1.125125269286501,    1.137294526609229,
    1.147818025153607,     1.156792132004482,    1.164318845130183,    1.170505992596124,
    1.17546742429955,      1.179323003228859,    1.182198586299667,    1.184226111223146,
    1.185543909805575,     1.186297084203716,    1.186637618908127,    1.186724615113034};
