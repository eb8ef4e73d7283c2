// SPDX-License-Identifier: MIT
//
// The bushing over an interval, as forces on the products y_i = a_i . d and C_ij = a_i . b_j, which
// are quadratic in the vectors of the frames: energy, momentum and spin are exact (force.h). With
// bars for means of both ends, D for differences and k, c, kr, cr the diagonal matrices,
//
//   on y:   -k ybar - c y'                          V = y . k y / 2
//   turn:   phi = F(x) s,  s = vee(C - C^T) / 2,  x = (tr C - 1) / 2 = cos,  F = angle / sin
//           D phi = Fbar D s + sbar F[x0, x1] D x
//   on s:   -Fbar kr phibar                         V = phi . kr phi / 2, D V = (kr phibar) . D phi
//   on x:   -F[x0, x1] sbar . kr phibar
//   heat:   w_i = (Cbar_p . C_q' - Cbar_q . C_p') / 2, rows p, q after i: the turning of B against
//           A in axes of A; on C: -sum_i cr_i w_i dw_i/dC'
//
// F[x0, x1] is the divided difference. F is analytic in x down to half a turn, x = -1:
//
//   (1 - x^2) F' = x F - 1,   (1 - x^2) F'' = F + 3 x F',   F = sum_k f_k (1 - x)^k
//   f_0 = 1,   f_k = f_k-1 k / (2 k + 1)

#include "model/force.h"

#include <math.h>

typedef struct turn_factor {
    double F, d1, d2; // with two derivatives
} turn_factor;

static turn_factor factor_series(double x) // f_k < 2^-k
{
    const double y = 1.0 - x;
    turn_factor f = {0};
    double coefficient = 1.0, power = 1.0, lower = 0.0, lowest = 0.0; // y^k, y^(k-1), y^(k-2)
    for (int k = 0; k < 32; k++) {
        f.F += coefficient * power;
        f.d1 -= coefficient * k * lower;
        f.d2 += coefficient * k * (k - 1) * lowest;
        coefficient *= (k + 1.0) / (2.0 * k + 3.0);
        lowest = lower;
        lower = power;
        power *= y;
    }
    return f;
}

static turn_factor factor_at(double x)
{
    if (fabs(1.0 - x) < 0.5)
        return factor_series(x);
    const double inverse = 1.0 / (1.0 - x * x);
    turn_factor f = {.F = acos(x) * sqrt(inverse)};
    f.d1 = (x * f.F - 1.0) * inverse;
    f.d2 = (f.F + 3.0 * x * f.d1) * inverse;
    return f;
}

// Divided difference of F and its derivative by x1. Near each other, means of F' and s F'' by
// Gauss's rule of four points: F varies over the distance 1 + x from its pole, and at a twentieth
// of that the rule is as good as round-off, of which the quotient has the twentyfold.
static void divided(double x0, double x1, const turn_factor *f0, const turn_factor *f1,
                    double *slope, double *slope_1)
{
    static const double node[2] = {0.3399810435848563, 0.8611363115940526};
    static const double weight[2] = {0.6521451548625461, 0.3478548451374538};
    const double dx = x1 - x0;
    if (fabs(dx) > 0.05 * (1.0 + fmin(x0, x1))) {
        *slope = (f1->F - f0->F) / dx;
        *slope_1 = (f1->d1 - *slope) / dx;
        return;
    }
    *slope = *slope_1 = 0.0;
    for (int k = 0; k < 4; k++) {
        const double s = 0.5 + 0.5 * (k % 2 ? 1.0 : -1.0) * node[k / 2];
        const turn_factor f = factor_at(x0 + s * dx);
        *slope += 0.5 * weight[k / 2] * f.d1;
        *slope_1 += 0.5 * weight[k / 2] * s * f.d2;
    }
}

// Stretch -----------------------------------------------------------------------------------------

static void force_bushing_between_add_stretch(const double k[3], const double c[3],
                                              const tn_seen_span *over, tn_seen_load *out)
{
    for (int i = 0; i < 3; i++) {
        out->Q[i] -= 0.5 * k[i] * (over->from[i] + over->to[i]) + c[i] * over->rate[i];
        out->Q_1[i][i] -= 0.5 * k[i];
        out->Q_v[i][i] -= c[i];
    }
}

// Turn --------------------------------------------------------------------------------------------

static inline int entry(int i, int j)
{
    return TN_TURN + 3 * i + j;
}

// (s, x) = E C + (0, 0, 0, -1/2)
static void force_bushing_between_parts_of(double E[4][TN_SEEN])
{
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        E[i][entry(q, p)] = 0.5;
        E[i][entry(p, q)] = -0.5;
        E[3][entry(i, i)] = 0.5;
    }
}

static void parts_at(double E[4][TN_SEEN], const double z[TN_SEEN], double out[4])
{
    for (int m = 0; m < 4; m++) {
        out[m] = m == 3 ? -0.5 : 0.0;
        for (int i = TN_TURN; i < TN_SEEN; i++)
            out[m] += E[m][i] * z[i];
    }
}

// Forces on (s, x), and their derivatives by (s1, x1).
static void turn_force(const double kr[3], const double p0[4], const double p1[4], double on[4],
                       double on_1[4][4])
{
    const turn_factor f0 = factor_at(p0[3]), f1 = factor_at(p1[3]);
    const double F = 0.5 * (f0.F + f1.F);
    double slope, slope_1, moment[3], along = 0.0;
    divided(p0[3], p1[3], &f0, &f1, &slope, &slope_1);
    for (int i = 0; i < 3; i++) {
        moment[i] = 0.5 * kr[i] * (f0.F * p0[i] + f1.F * p1[i]);
        along += 0.5 * (p0[i] + p1[i]) * moment[i];
        on[i] = -F * moment[i];
    }
    on[3] = -slope * along;
    on_1[3][3] = -slope_1 * along;
    for (int i = 0; i < 3; i++) {
        const double mean = 0.5 * (p0[i] + p1[i]);
        const double by_s = 0.5 * kr[i] * f1.F, by_x = 0.5 * kr[i] * f1.d1 * p1[i]; // of moment
        on_1[i][i] = -F * by_s;
        on_1[i][3] = -F * by_x - 0.5 * f1.d1 * moment[i];
        on_1[3][i] = -slope * (0.5 * moment[i] + mean * by_s);
        on_1[3][3] -= slope * mean * by_x;
    }
}

static void add_turn(const double kr[3], const tn_seen_span *over, tn_seen_load *out)
{
    double E[4][TN_SEEN] = {{0}}, p0[4], p1[4], on[4], on_1[4][4] = {{0}};
    force_bushing_between_parts_of(E);
    parts_at(E, over->from, p0);
    parts_at(E, over->to, p1);
    turn_force(kr, p0, p1, on, on_1);
    for (int m = 0; m < 4; m++)
        for (int i = TN_TURN; i < TN_SEEN; i++) {
            out->Q[i] += E[m][i] * on[m];
            for (int n = 0; n < 4; n++)
                for (int j = TN_TURN; j < TN_SEEN; j++)
                    out->Q_1[i][j] += E[m][i] * on_1[m][n] * E[n][j];
        }
}

// Heat --------------------------------------------------------------------------------------------

// Derivatives W of (C_p . X_q - C_q . X_p) / 2 by X.
static void turning_form(const double C[TN_SEEN], int p, int q, double W[TN_SEEN])
{
    for (int k = 0; k < 3; k++) {
        W[entry(q, k)] = 0.5 * C[entry(p, k)];
        W[entry(p, k)] = -0.5 * C[entry(q, k)];
    }
}

static void add_heat(const double cr[3], const tn_seen_span *over, tn_seen_load *out)
{
    double mean[TN_SEEN];
    for (int i = 0; i < TN_SEEN; i++)
        mean[i] = 0.5 * (over->from[i] + over->to[i]);
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        double W[TN_SEEN] = {0}, U[TN_SEEN] = {0}, w = 0.0; // dw/dC' and -dw/dCbar
        turning_form(mean, p, q, W);
        turning_form(over->rate, p, q, U);
        for (int j = TN_TURN; j < TN_SEEN; j++)
            w += W[j] * over->rate[j];
        for (int j = TN_TURN; j < TN_SEEN; j++) {
            out->Q[j] -= cr[i] * w * W[j];
            for (int k = TN_TURN; k < TN_SEEN; k++) {
                out->Q_v[j][k] -= cr[i] * W[j] * W[k];
                out->Q_1[j][k] += 0.5 * cr[i] * W[j] * U[k];
            }
        }
        for (int k = 0; k < 3; k++) {
            out->Q_1[entry(q, k)][entry(p, k)] -= 0.25 * cr[i] * w;
            out->Q_1[entry(p, k)][entry(q, k)] += 0.25 * cr[i] * w;
        }
    }
}

void tn_bushing_between(const tn_force_data *data, const tn_seen_span *over, tn_seen_load *out)
{
    double k[3], c[3], kr[3], cr[3];
    tn_v3_to(data->def.bushing.stiffness, k);
    tn_v3_to(data->def.bushing.damping, c);
    tn_v3_to(data->def.bushing.rotational_stiffness, kr);
    tn_v3_to(data->def.bushing.rotational_damping, cr);
    force_bushing_between_add_stretch(k, c, over, out);
    if (kr[0] > 0.0 || kr[1] > 0.0 || kr[2] > 0.0) // others may pass half a turn
        add_turn(kr, over, out);
    add_heat(cr, over, out);
}
