// SPDX-License-Identifier: MIT
//
// DOP853 as one would write it for a single problem z' = F(z): twelve stages in straight loops,
// the error of orders 5 and 3, nothing else. Coefficients and rules are those of Hairer's code
// [HNW93, II.5, II.10 and appendix], the factor of safety that of Tenon's dop853, 0.8.

#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct plain_problem {
    int n;
    void *user;
    void (*rates)(void *user, const double *z, double *zdot);
    // After a step that was good enough, NULL for nothing to do: may project z, or ask for a step
    // of 0.8 times the length by returning false.
    bool (*after)(void *user, const double *before, double *z);
} plain_problem;

typedef struct plain_count {
    long steps, rejected, evaluations;
} plain_count;

// Root mean square of x in units of the tolerance at z.
static double plain_size(int n, double tol, const double *z, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double e = x[i] / (1.0 + fabs(z[i]));
        sum += e * e;
    }
    return sqrt(sum / n) / tol;
}

// First step [HNW93, II.4]: an explicit Euler step tells the second derivative.
static double plain_first(const plain_problem *p, double tol, const double *z, const double *k,
                          double *z1, double *k1)
{
    const double d0 = plain_size(p->n, tol, z, z), d1 = plain_size(p->n, tol, z, k);
    const double h = d0 < 1e-10 || d1 < 1e-10 ? 1e-6 : 0.01 * d0 / d1;
    for (int i = 0; i < p->n; i++)
        z1[i] = z[i] + h * k[i];
    p->rates(p->user, z1, k1);
    for (int i = 0; i < p->n; i++)
        k1[i] -= k[i];
    const double d2 = fmax(d1, plain_size(p->n, tol, z, k1) / h);
    return fmin(100.0 * h, d2 <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / d2, 1.0 / 8.0));
}

// Stages 2 to 12 and the new point, from k[0]; stages 2 and 3 later serve as 11 and 12, as in
// Hairer's code: only ten arrays are touched.
static void plain_stages(const plain_problem *p, double h, const double *y, double *restrict z,
                         double *restrict *k)
{
    const int n = p->n;
    double *restrict k1 = k[0], *restrict k2 = k[1], *restrict k3 = k[2], *restrict k4 = k[3],
                     *restrict k5 = k[4], *restrict k6 = k[5], *restrict k7 = k[6],
                     *restrict k8 = k[7], *restrict k9 = k[8], *restrict k10 = k[9];
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * 5.26001519587677318785587544488e-2 * k1[i];
    p->rates(p->user, z, k2);
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * (1.97250569845378994544595329183e-2 * k1[i] +
                           5.91751709536136983633785987549e-2 * k2[i]);
    p->rates(p->user, z, k3);
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * (2.95875854768068491816892993775e-2 * k1[i] +
                           8.87627564304205475450678981324e-2 * k3[i]);
    p->rates(p->user, z, k4);
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * (2.41365134159266685502369798665e-1 * k1[i] -
                           8.84549479328286085344864962717e-1 * k3[i] +
                           9.24834003261792003115737966543e-1 * k4[i]);
    p->rates(p->user, z, k5);
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * (3.7037037037037037037037037037e-2 * k1[i] +
                           1.70828608729473871279604482173e-1 * k4[i] +
                           1.25467687566822425016691814123e-1 * k5[i]);
    p->rates(p->user, z, k6);
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * (3.7109375e-2 * k1[i] + 1.70252211019544039314978060272e-1 * k4[i] +
                           6.02165389804559606850219397283e-2 * k5[i] - 1.7578125e-2 * k6[i]);
    p->rates(p->user, z, k7);
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * (3.70920001185047927108779319836e-2 * k1[i] +
                           1.70383925712239993810214054705e-1 * k4[i] +
                           1.07262030446373284651809199168e-1 * k5[i] -
                           1.53194377486244017527936158236e-2 * k6[i] +
                           8.27378916381402288758473766002e-3 * k7[i]);
    p->rates(p->user, z, k8);
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * (6.24110958716075717114429577812e-1 * k1[i] -
                           3.36089262944694129406857109825 * k4[i] -
                           8.68219346841726006818189891453e-1 * k5[i] +
                           27.5920996994467083049415600797 * k6[i] +
                           20.1540675504778934086186788979 * k7[i] -
                           43.4898841810699588477366255144 * k8[i]);
    p->rates(p->user, z, k9);
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * (4.77662536438264365890433908527e-1 * k1[i] -
                           2.48811461997166764192642586468 * k4[i] -
                           5.90290826836842996371446475743e-1 * k5[i] +
                           21.2300514481811942347288949897 * k6[i] +
                           15.2792336328824235832596922938 * k7[i] -
                           33.2882109689848629194453265587 * k8[i] -
                           2.03312017085086261358222928593e-2 * k9[i]);
    p->rates(p->user, z, k10);
    for (int i = 0; i < n; i++)
        z[i] =
            y[i] +
            h * (-9.3714243008598732571704021658e-1 * k1[i] +
                 5.18637242884406370830023853209 * k4[i] + 1.09143734899672957818500254654 * k5[i] -
                 8.14978701074692612513997267357 * k6[i] - 18.5200656599969598641566180701 * k7[i] +
                 22.7394870993505042818970056734 * k8[i] + 2.49360555267965238987089396762 * k9[i] -
                 3.0467644718982195003823669022 * k10[i]);
    p->rates(p->user, z, k2); // stage 11
    for (int i = 0; i < n; i++)
        z[i] =
            y[i] +
            h * (2.27331014751653820792359768449 * k1[i] - 10.5344954667372501984066689879 * k4[i] -
                 2.00087205822486249909675718444 * k5[i] - 17.9589318631187989172765950534 * k6[i] +
                 27.9488845294199600508499808837 * k7[i] - 2.85899827713502369474065508674 * k8[i] -
                 8.87285693353062954433549289258 * k9[i] +
                 12.3605671757943030647266201528 * k10[i] +
                 6.43392746015763530355970484046e-1 * k2[i]);
    p->rates(p->user, z, k3); // stage 12
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * (5.42937341165687622380535766363e-2 * k1[i] +
                           4.45031289275240888144113950566 * k6[i] +
                           1.89151789931450038304281599044 * k7[i] -
                           5.8012039600105847814672114227 * k8[i] +
                           3.1116436695781989440891606237e-1 * k9[i] -
                           1.52160949662516078556178806805e-1 * k10[i] +
                           2.01365400804030348374776537501e-1 * k2[i] +
                           4.47106157277725905176885569043e-2 * k3[i]);
}

// Error in units of the tolerance: |e5|^2 / sqrt(|e5|^2 + |e3|^2 / 100).
static double plain_error(int n, double h, double tol, const double *y, const double *z,
                          double *restrict const *k)
{
    const double *k1 = k[0], *k6 = k[5], *k7 = k[6], *k8 = k[7], *k9 = k[8], *k10 = k[9],
                 *k11 = k[1], *k12 = k[2];
    double fine = 0.0, rough = 0.0;
    for (int i = 0; i < n; i++) {
        const double unit = 1.0 / (1.0 + fmax(fabs(y[i]), fabs(z[i])));
        const double e5 =
            0.1312004499419488073250102996e-1 * k1[i] - 0.1225156446376204440720569753e1 * k6[i] -
            0.4957589496572501915214079952 * k7[i] + 0.1664377182454986536961530415e1 * k8[i] -
            0.3503288487499736816886487290 * k9[i] + 0.3341791187130174790297318841 * k10[i] +
            0.8192320648511571246570742613e-1 * k11[i] - 0.2235530786388629525884427845e-1 * k12[i];
        const double e3 = (z[i] - y[i]) / h - 0.244094488188976377952755905512 * k1[i] -
                          0.733846688281611857341361741547 * k9[i] -
                          0.220588235294117647058823529412e-1 * k12[i];
        fine += e5 * unit * e5 * unit;
        rough += e3 * unit * e3 * unit;
    }
    return fine + rough > 0.0 ? fabs(h) / tol * fine / sqrt(n * (fine + 0.01 * rough)) : 0.0;
}

// From z at 0 to z at t_end, with relative and absolute tolerance `tol`.
static plain_count plain_dop853(const plain_problem *p, double t_end, double tol, double *z)
{
    enum { ARRAYS = 11 };
    const size_t n = (size_t)p->n;
    double *memory = malloc(ARRAYS * n * sizeof *memory), *restrict k[10], *z1 = memory + 10 * n;
    plain_count count = {.evaluations = 2};
    for (size_t i = 0; i < 10; i++)
        k[i] = memory + i * n;
    p->rates(p->user, z, k[0]);
    double h = plain_first(p, tol, z, k[0], z1, k[1]);
    bool rejected = false;
    for (double t = 0.0; t < t_end;) {
        const bool last = t + 1.01 * h >= t_end;
        h = last ? t_end - t : h;
        plain_stages(p, h, z, z1, k);
        count.evaluations += 11;
        const double error = plain_error(p->n, h, tol, z, z1, k);
        const double factor = fmin(6.0, fmax(1.0 / 3.0, 0.8 * pow(fmax(error, 1e-12), -0.125)));
        if (error > 1.0 || (p->after && !p->after(p->user, z, z1))) {
            h *= error > 1.0 ? factor : 0.8;
            rejected = true;
            count.rejected++;
            continue;
        }
        t = last ? t_end : t + h;
        memcpy(z, z1, n * sizeof *z);
        p->rates(p->user, z, k[0]);
        count.evaluations++;
        count.steps++;
        h *= rejected ? fmin(1.0, factor) : factor;
        rejected = false;
    }
    free(memory);
    return count;
}
