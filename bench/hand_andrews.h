// SPDX-License-Identifier: MIT
//
// Andrews' squeezing mechanism by hand, in its seven angles: M q'' = f - G^T lambda, G q'' = -gamma
// [Test Set for IVP Solvers, "andrews"]. M consists of four blocks, of which three meet the first
// one, crank and coupler, in two rows of G each.
//
//   S = G M^-1 G^T = (S_1, S_2, S_3 on the diagonal) + S_0 everywhere
//
// is factored by Cholesky's method as a whole, 6 x 6. Beside it the same equations as one would
// write them down first, one matrix of 13 unknowns.

#pragma once

#include "base/sincos.h"
#include "hand_dense.h"
#include "plain_dop853.h"

enum { ANDREWS_ANGLES = 7 };

static const double andrews_start[ANDREWS_ANGLES] = {
    -0.0617138900142764496358948458001, 0,
    0.455279819163070380255912382449,   0.222668390165885884674473185609,
    0.487364979543842550225598953530,   -0.222668390165885884674473185609,
    1.23054744454982119249735015568};

// Two rows g, h of G and the inverse of the block of M they meet: their part of S.
static inline block condensed(block inverse, pair g, pair h)
{
    const pair u = block_times(inverse, g), v = block_times(inverse, h);
    return (block){pair_dot(g, u), pair_dot(g, v), pair_dot(h, v)};
}

// Cholesky's method for S x = b with six unknowns; the lower triangle of S is used up.
static inline void andrews_solve(double S[6][6], double b[6])
{
    for (int j = 0; j < 6; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < 6; i++)
                S[i][j] -= S[i][k] * S[j][k];
        const double root = 1.0 / sqrt(S[j][j]);
        for (int i = j + 1; i < 6; i++)
            S[i][j] *= root;
        S[j][j] = root;
        b[j] *= root;
        for (int i = j + 1; i < 6; i++)
            b[i] -= S[i][j] * b[j];
    }
    for (int j = 5; j >= 0; j--) {
        for (int i = j + 1; i < 6; i++)
            b[j] -= S[i][j] * b[i];
        b[j] *= S[j][j];
    }
}

typedef struct andrews_terms {
    block M0, M2, M3; // blocks of M: beta, Theta; Phi, delta; Omega, epsilon
    double M1;        // gamma
    pair f0, f2, f3;
    double f1;
    // Rows of G in x and y: the point E as part of the coupler, less the same as part of a link or
    // lever.
    pair g0, h0, g2, h2, g3, h3;
    double g1, h1;
    double gamma[6];
} andrews_terms;

static inline andrews_terms andrews_evaluate(const double *z)
{
    static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050,
                        m6 = .00706, m7 = .05498;
    static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                        I6 = 5.667e-7, I7 = 1.912e-5;
    static const double xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530, l0 = .07785,
                        mom = .033;
    static const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092,
                        ss = .035, sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308,
                        tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04,
                        fa = .01421;
    const double be = z[7], th = z[8], ga = z[9], ph = z[10], de = z[11], om = z[12], ep = z[13];
    const double angle[7] = {z[0], z[0] + z[1], z[2], z[4], z[3] + z[4], z[6], z[5] + z[6]};
    double s[7], c[7]; // of beta, beta + Theta, gamma, delta, Phi + delta, epsilon, Omega + epsilon
    tn_sincos(7, angle, s, c);
    const double sth = s[1] * c[0] - c[1] * s[0], cth = c[1] * c[0] + s[1] * s[0];
    const double sph = s[4] * c[3] - c[4] * s[3], cph = c[4] * c[3] + s[4] * s[3];
    const double som = s[6] * c[5] - c[6] * s[5], com = c[6] * c[5] + s[6] * s[5];
    const double k = e - ea, n = zf - fa, k2 = m2 * da * rr, k4 = m4 * zt * k, k6 = m6 * u * n;
    const double x = sd * c[2] + sc * s[2] + xb - xc, y = sd * s[2] - sc * c[2] + yb - yc;
    const double L = sqrt(x * x + y * y), F = -c0 * (L - l0) / L;
    const double b2 = be * be, t2 = (be + th) * (be + th), d2 = de * de, p2 = (ph + de) * (ph + de),
                 e2 = ep * ep, o2 = (om + ep) * (om + ep);
    const double X = d * c[1] * t2 - rr * c[0] * b2, Y = d * s[1] * t2 - rr * s[0] * b2;
    return (andrews_terms){
        .M0 = {m1 * ra * ra + m2 * (rr * rr + da * da) - 2.0 * k2 * cth + I1 + I2,
               m2 * da * da - k2 * cth + I2, m2 * da * da + I2},
        .M1 = m3 * (sa * sa + sb * sb) + I3,
        .M2 = {m4 * k * k + I4, m4 * k * k + k4 * sph + I4,
               m4 * (zt * zt + k * k) + 2.0 * k4 * sph + m5 * (ta * ta + tb * tb) + I4 + I5},
        .M3 = {m6 * n * n + I6, m6 * n * n - k6 * som + I6,
               m6 * (n * n + u * u) - 2.0 * k6 * som + m7 * (ua * ua + ub * ub) + I6 + I7},
        .f0 = {mom - k2 * th * (th + 2.0 * be) * sth, k2 * be * be * sth},
        .f1 = F * (x * (sc * c[2] - sd * s[2]) + y * (sd * c[2] + sc * s[2])),
        .f2 = {k4 * de * de * cph, -k4 * ph * (ph + 2.0 * de) * cph},
        .f3 = {-k6 * ep * ep * com, k6 * om * (om + 2.0 * ep) * com},
        .g0 = {d * s[1] - rr * s[0], d * s[1]},
        .h0 = {rr * c[0] - d * c[1], -d * c[1]},
        .g1 = -ss * c[2],
        .h1 = -ss * s[2],
        .g2 = {-e * c[4], zt * s[3] - e * c[4]},
        .h2 = {-e * s[4], -e * s[4] - zt * c[3]},
        .g3 = {zf * s[6], zf * s[6] - u * c[5]},
        .h3 = {-zf * c[6], -zf * c[6] - u * s[5]},
        .gamma = {X + ss * s[2] * ga * ga, Y - ss * c[2] * ga * ga,
                  X + e * s[4] * p2 + zt * c[3] * d2, Y - e * c[4] * p2 + zt * s[3] * d2,
                  X + zf * c[6] * o2 + u * s[5] * e2, Y + zf * s[6] * o2 - u * c[5] * e2}};
}

static void hand_andrews_rates(void *user, const double *z, double *zdot)
{
    (void)user;
    const andrews_terms t = andrews_evaluate(z);
    const block M0 = block_inverse(t.M0), M2 = block_inverse(t.M2), M3 = block_inverse(t.M3);
    const double M1 = 1.0 / t.M1;
    const block S0 = condensed(M0, t.g0, t.h0);
    const block own[3] = {{M1 * t.g1 * t.g1, M1 * t.g1 * t.h1, M1 * t.h1 * t.h1},
                          condensed(M2, t.g2, t.h2),
                          condensed(M3, t.g3, t.h3)};
    double S[6][6];
    for (int i = 0; i < 6; i += 2)
        for (int j = 0; j <= i; j += 2) {
            const block more = i == j ? own[i / 2] : (block){0.0, 0.0, 0.0};
            S[i][j] = S0.xx + more.xx;
            S[i][j + 1] = S[i + 1][j] = S0.xy + more.xy;
            S[i + 1][j + 1] = S0.yy + more.yy;
        }
    const pair a0 = block_times(M0, t.f0), a2 = block_times(M2, t.f2), a3 = block_times(M3, t.f3);
    const double a1 = M1 * t.f1, x = pair_dot(t.g0, a0), y = pair_dot(t.h0, a0);
    double l[6] = {x + t.g1 * a1,          y + t.h1 * a1,          x + pair_dot(t.g2, a2),
                   y + pair_dot(t.h2, a2), x + pair_dot(t.g3, a3), y + pair_dot(t.h3, a3)};
    for (int i = 0; i < 6; i++)
        l[i] += t.gamma[i];
    andrews_solve(S, l);

    const double lx = l[0] + l[2] + l[4], ly = l[1] + l[3] + l[5];
    const pair A0 = block_times(
        M0, (pair){t.f0.x - t.g0.x * lx - t.h0.x * ly, t.f0.y - t.g0.y * lx - t.h0.y * ly});
    const pair A2 = block_times(
        M2, (pair){t.f2.x - t.g2.x * l[2] - t.h2.x * l[3], t.f2.y - t.g2.y * l[2] - t.h2.y * l[3]});
    const pair A3 = block_times(
        M3, (pair){t.f3.x - t.g3.x * l[4] - t.h3.x * l[5], t.f3.y - t.g3.y * l[4] - t.h3.y * l[5]});
    const double a[ANDREWS_ANGLES] = {
        A0.x, A0.y, M1 * (t.f1 - t.g1 * l[0] - t.h1 * l[1]), A2.x, A2.y, A3.x, A3.y};
    memcpy(zdot, z + ANDREWS_ANGLES, sizeof a);
    memcpy(zdot + ANDREWS_ANGLES, a, sizeof a);
}

static void dense_andrews_rates(void *user, const double *z, double *zdot)
{
    (void)user;
    const andrews_terms t = andrews_evaluate(z);
    const block M[4] = {t.M0, {t.M1, 0.0, 0.0}, t.M2, t.M3};
    const pair g[4] = {t.g0, {t.g1, 0.0}, t.g2, t.g3}, h[4] = {t.h0, {t.h1, 0.0}, t.h2, t.h3};
    const pair f[4] = {t.f0, {t.f1, 0.0}, t.f2, t.f3};
    static const int first[4] = {0, 2, 3, 5};
    dense_system A;
    dense_open(&A, ANDREWS_ANGLES + 6);
    for (int k = 0; k < 4; k++) {
        const bool two = k != 1;
        const int row = ANDREWS_ANGLES + 2 * (k - 1);
        dense_add_block(&A, first[k], two, M[k], f[k]);
        for (int loop = 0; loop < 3; loop++)
            if (k == 0 || loop == k - 1)
                dense_add_rows(&A, k == 0 ? ANDREWS_ANGLES + 2 * loop : row, first[k], two, g[k],
                               h[k]);
    }
    for (int i = 0; i < 6; i++)
        A.a[ANDREWS_ANGLES + i][A.n] = -t.gamma[i];
    memcpy(zdot, z + ANDREWS_ANGLES, ANDREWS_ANGLES * sizeof *z);
    dense_solve(&A, ANDREWS_ANGLES, zdot + ANDREWS_ANGLES);
}
