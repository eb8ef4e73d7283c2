// SPDX-License-Identifier: MIT
//
// The row forms of row_linear.h with their derivatives. With d = p_B - p_A, and a, b axes:
//
//              G                                   H, in 3 x 3 blocks
//   COORD      e_i on p_B, -e_i on p_A             0
//   AXIS       a on p_B, -a on p_A, d on a         I on (a, p_B), -I on (a, p_A)
//   AXIS_B     the same with b
//   DOT        b on a, a on b                      I on (a, b)
//   DISTANCE   d / L on p_B, -d / L on p_A         I / L on (p_A, p_A), (p_B, p_B), -I / L between
//   LENGTH     the same with 1 / |d|               (I - e e^T) / |d| in the same places
//   ANGLE      (c G_s - s G_c) / n                 (c H_s - s H_c) / n
//                                                  - 2 s c (G_s G_s^T - G_c G_c^T) / n^2
//                                                  + (s^2 - c^2) (G_s G_c^T + G_c G_s^T) / n^2
//
// with s = a_i . b_j, c = a_k . b_l and n = s^2 + c^2. At the two points without derivatives the
// numbers are those of row.c: zero for LENGTH at d = 0 and for ANGLE at s = c = 0.

#include "row/row_linear.h"

#include "base/status.h"
#include "row/own_row.h"

#include <math.h>
#include <string.h>

enum { PA = 0, PB = 4 }; // origins among the eight vectors

static inline int axis_a(int i)
{
    return 1 + i;
}

static inline int axis_b(int j)
{
    return 5 + j;
}

static inline tn_vec3 row_linear_separation(const tn_vec3 *x)
{
    return tn_v3_sub(x[PB], x[PA]);
}

static inline double inverse_or_zero(double x)
{
    return x > 0.0 ? 1.0 / x : 0.0;
}

// The pair as row.h sees it: values are the same functions of the axes.
double tn_linear_value(const tn_row *row, const tn_linear_pair *at, double reference)
{
    const tn_vec3 *x = at->x;
    tn_pair pair = {.a.x = {tn_m3_columns(x[1], x[2], x[3]), x[PA]},
                    .b.x = {tn_m3_columns(x[5], x[6], x[7]), x[PB]},
                    .length = at->length,
                    .own = at->own};
    if (tn_row_needs_rotation(row))
        tn_own_nearest(at, &pair);
    return tn_row_value(row, &pair, reference);
}

static inline void put_row_linear(double G[24], int vector, double scale, tn_vec3 x)
{
    tn_v3_to(tn_v3_scale(scale, x), G + 3 * vector);
}

static inline void row_linear_put_force(double G[24], tn_vec3 f)
{
    put_row_linear(G, PA, -1.0, f);
    put_row_linear(G, PB, 1.0, f);
}

// Adds scale times the gradient of the product of axis i of A with axis j of B.
static inline void row_linear_add_product(double G[24], const tn_vec3 *x, int i, int j,
                                          double scale)
{
    const int a = axis_a(i), b = axis_b(j);
    tn_v3_to(tn_v3_axpy(scale, x[b], tn_v3_from(G + 3 * a)), G + 3 * a);
    tn_v3_to(tn_v3_axpy(scale, x[a], tn_v3_from(G + 3 * b)), G + 3 * b);
}

// Values that ANGLE and its derivatives share.
typedef struct angle {
    double s, c, inverse; // of s^2 + c^2
} angle;

static inline angle angle_at(const tn_row *row, const tn_vec3 *x)
{
    angle n = {.s = tn_v3_dot(x[axis_a(row->i)], x[axis_b(row->j)]),
               .c = tn_v3_dot(x[axis_a(row->k)], x[axis_b(row->l)])};
    n.inverse = inverse_or_zero(n.s * n.s + n.c * n.c);
    return n;
}

void tn_linear_gradient(const tn_row *row, const tn_linear_pair *at, double G[24])
{
    const tn_vec3 *x = at->x, d = row_linear_separation(x);
    memset(G, 0, 24 * sizeof *G);
    switch (row->form) {
    case TN_ROW_COORD:
        G[3 * PA + row->i] = -1.0;
        G[3 * PB + row->i] = 1.0;
        break;
    case TN_ROW_AXIS:
        row_linear_put_force(G, x[axis_a(row->i)]);
        put_row_linear(G, axis_a(row->i), 1.0, d);
        break;
    case TN_ROW_AXIS_B:
        row_linear_put_force(G, x[axis_b(row->i)]);
        put_row_linear(G, axis_b(row->i), 1.0, d);
        break;
    case TN_ROW_DOT:
        row_linear_add_product(G, x, row->i, row->j, 1.0);
        break;
    case TN_ROW_DISTANCE:
        row_linear_put_force(G, tn_v3_scale(1.0 / at->length, d));
        break;
    case TN_ROW_LENGTH:
        row_linear_put_force(G, tn_v3_scale(inverse_or_zero(tn_v3_norm(d)), d));
        break;
    case TN_ROW_ANGLE: {
        const angle n = angle_at(row, x);
        row_linear_add_product(G, x, row->i, row->j, n.c * n.inverse);
        row_linear_add_product(G, x, row->k, row->l, -n.s * n.inverse);
        break;
    }
    default:
        tn_own_linear_gradient(row, at, G);
        break;
    }
}

static inline void add_identity(double H[24][24], int a, int b, double s)
{
    for (int i = 0; i < 3; i++)
        H[3 * a + i][3 * b + i] += s;
}

// s I between two different vectors, both ways.
static inline void couple(double H[24][24], int a, int b, double s)
{
    add_identity(H, a, b, s);
    add_identity(H, b, a, s);
}

// s A for the separation of the origins.
static inline void row_linear_add_stretch(double H[24][24], double s, tn_mat3 A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            H[3 * PA + i][3 * PA + j] += s * A.m[i][j];
            H[3 * PB + i][3 * PB + j] += s * A.m[i][j];
            H[3 * PA + i][3 * PB + j] -= s * A.m[i][j];
            H[3 * PB + i][3 * PA + j] -= s * A.m[i][j];
        }
}

static void add_angle(const tn_row *row, const tn_vec3 *x, double scale, double H[24][24])
{
    const angle n = angle_at(row, x);
    const double s = n.s * n.inverse, c = n.c * n.inverse; // over s^2 + c^2
    double S[24] = {0}, C[24] = {0};
    couple(H, axis_a(row->i), axis_b(row->j), scale * c);
    couple(H, axis_a(row->k), axis_b(row->l), -scale * s);
    row_linear_add_product(S, x, row->i, row->j, 1.0);
    row_linear_add_product(C, x, row->k, row->l, 1.0);
    for (int p = 0; p < 24; p++)
        for (int q = 0; q < 24; q++)
            H[p][q] += scale * (2.0 * s * c * (C[p] * C[q] - S[p] * S[q]) +
                                (s * s - c * c) * (S[p] * C[q] + C[p] * S[q]));
}

void tn_linear_hessian(const tn_row *row, const tn_linear_pair *at, double scale, double H[24][24])
{
    const tn_vec3 *x = at->x, d = row_linear_separation(x);
    switch (row->form) {
    case TN_ROW_COORD:
        break;
    case TN_ROW_AXIS:
        couple(H, axis_a(row->i), PB, scale);
        couple(H, axis_a(row->i), PA, -scale);
        break;
    case TN_ROW_AXIS_B:
        couple(H, axis_b(row->i), PB, scale);
        couple(H, axis_b(row->i), PA, -scale);
        break;
    case TN_ROW_DOT:
        couple(H, axis_a(row->i), axis_b(row->j), scale);
        break;
    case TN_ROW_DISTANCE:
        row_linear_add_stretch(H, scale / at->length, tn_m3_identity);
        break;
    case TN_ROW_LENGTH: {
        const double curvature = inverse_or_zero(tn_v3_norm(d));
        const tn_vec3 e = tn_v3_scale(curvature, d);
        row_linear_add_stretch(H, scale * curvature,
                               tn_m3_axpy(-1.0, tn_m3_outer(e, e), tn_m3_identity));
        break;
    }
    case TN_ROW_ANGLE:
        add_angle(row, x, scale, H);
        break;
    default:
        tn_own_linear_hessian(row, at, scale, H);
        break;
    }
}

double tn_linear_rate(const double G[24], const tn_linear_pair *at)
{
    double sum = 0.0;
    for (int k = 0; k < 8; k++)
        sum += tn_v3_dot(tn_v3_from(G + 3 * k), at->v[k]);
    return sum;
}

// (a . b)' and (a . b)'' at a'' = b'' = 0, of axis i of A and axis j of B.
static inline double first_rate(const tn_linear_pair *at, int i, int j)
{
    return tn_v3_dot(at->v[axis_a(i)], at->x[axis_b(j)]) +
           tn_v3_dot(at->x[axis_a(i)], at->v[axis_b(j)]);
}

static inline double second_rate(const tn_linear_pair *at, int i, int j)
{
    return 2.0 * tn_v3_dot(at->v[axis_a(i)], at->v[axis_b(j)]);
}

// (c s'' - s c'') / n - n' (c s' - s c') / n^2, as in row.c.
static double angle_curvature(const tn_row *row, const tn_linear_pair *at)
{
    const angle n = angle_at(row, at->x);
    const double s1 = first_rate(at, row->i, row->j), c1 = first_rate(at, row->k, row->l);
    const double rate = (n.c * s1 - n.s * c1) * n.inverse;
    const double growth = 2.0 * (n.s * s1 + n.c * c1) * n.inverse;
    return (n.c * second_rate(at, row->i, row->j) - n.s * second_rate(at, row->k, row->l)) *
               n.inverse -
           growth * rate;
}

double tn_linear_curvature(const tn_row *row, const tn_linear_pair *at)
{
    const tn_vec3 d = row_linear_separation(at->x), v = row_linear_separation(at->v);
    switch (row->form) {
    case TN_ROW_COORD:
        return 0.0;
    case TN_ROW_AXIS:
        return 2.0 * tn_v3_dot(at->v[axis_a(row->i)], v);
    case TN_ROW_AXIS_B:
        return 2.0 * tn_v3_dot(at->v[axis_b(row->i)], v);
    case TN_ROW_DOT:
        return second_rate(at, row->i, row->j);
    case TN_ROW_DISTANCE:
        return tn_v3_dot(v, v) / at->length;
    case TN_ROW_LENGTH: {
        const double inverse = inverse_or_zero(tn_v3_norm(d)), rate = inverse * tn_v3_dot(d, v);
        return inverse * (tn_v3_dot(v, v) - rate * rate);
    }
    case TN_ROW_ANGLE:
        return angle_curvature(row, at);
    default:
        return tn_own_linear_curvature(row, at);
    }
}

// Intervals ---------------------------------------------------------------------------------------
//
// Forms that are quadratic at most have D = G and T = H / 2 at the middle. Lengths l = |d| and
// angles have, with bars for means of both ends and G_s, G_c at the middle,
//
//   LENGTH   D = (d0 + d1) / (l0 + l1)             as l1 - l0 = (d1 . d1 - d0 . d0) / (l0 + l1)
//   ANGLE    D = k (cbar G_s - sbar G_c),  k = atan2(w, m) / w,  w = s1 c0 - c1 s0
//                                                                m = c1 c0 + s1 s0
//
// where tan of the change is w / m, and w = cbar (s1 - s0) - sbar (c1 - c0).

static void add_length_tangent(const tn_linear_span *over, double scale, double T[24][24])
{
    const tn_vec3 d1 = row_linear_separation(over->to.x),
                  sum = tn_v3_add(row_linear_separation(over->from.x), d1);
    const double l1 = tn_v3_norm(d1);
    const double inverse = inverse_or_zero(tn_v3_norm(row_linear_separation(over->from.x)) + l1);
    const tn_vec3 e1 = tn_v3_scale(inverse_or_zero(l1), d1);
    const tn_mat3 own = tn_m3_scale(inverse, tn_m3_outer(sum, e1));
    row_linear_add_stretch(T, scale * inverse, tn_m3_axpy(-1.0, own, tn_m3_identity));
}

// The factor k of ANGLE with its derivatives.
typedef struct mean_angle {
    angle from, to;
    double k, k_w, k_m;
} mean_angle;

// k_w = (m / (w^2 + m^2) - k) / w, which loses digits where z = w / m is small: the derivative of
// k = (1 - z^2/3 + z^4/5 - z^6/7 …) / m there. Both are good to twelve digits at the border.
static double factor_rate(double k, double w, double m, double inverse)
{
    const double z = w / m, zz = z * z;
    if (m > 0.0 && zz < 1e-4)
        return -2.0 * z * (1.0 / 3.0 - zz * (2.0 / 5.0 - zz * (3.0 / 7.0 - zz * 4.0 / 9.0))) /
               (m * m);
    return w != 0.0 ? (m * inverse - k) / w : 0.0;
}

static mean_angle mean_angle_at(const tn_row *row, const tn_linear_span *over)
{
    mean_angle n = {.from = angle_at(row, over->from.x), .to = angle_at(row, over->to.x)};
    const double w = n.to.s * n.from.c - n.to.c * n.from.s;
    const double m = n.to.c * n.from.c + n.to.s * n.from.s;
    const double inverse = inverse_or_zero(w * w + m * m);
    n.k = w != 0.0 ? atan2(w, m) / w : inverse_or_zero(m);
    n.k_w = factor_rate(n.k, w, m, inverse);
    n.k_m = -inverse;
    return n;
}

void tn_linear_mean_gradient(const tn_row *row, const tn_linear_span *over, double D[24])
{
    if (row->form == TN_ROW_LENGTH) {
        const tn_vec3 d0 = row_linear_separation(over->from.x),
                      d1 = row_linear_separation(over->to.x);
        const double inverse = inverse_or_zero(tn_v3_norm(d0) + tn_v3_norm(d1));
        memset(D, 0, 24 * sizeof *D);
        row_linear_put_force(D, tn_v3_scale(inverse, tn_v3_add(d0, d1)));
    } else if (row->form == TN_ROW_ANGLE) {
        const mean_angle n = mean_angle_at(row, over);
        memset(D, 0, 24 * sizeof *D);
        row_linear_add_product(D, over->middle.x, row->i, row->j, 0.5 * n.k * (n.from.c + n.to.c));
        row_linear_add_product(D, over->middle.x, row->k, row->l, -0.5 * n.k * (n.from.s + n.to.s));
    } else if (tn_row_needs_rotation(row) && tn_row_has_value(row)) {
        tn_own_mean_gradient(row, over, D);
    } else {
        tn_linear_gradient(row, &over->middle, D);
    }
}

// T = k (cbar H_s - sbar H_c) / 2 + k (G_s cbar' - G_c sbar') + (cbar G_s - sbar G_c) k', primes
// for derivatives by X1.
static void add_angle_tangent(const tn_row *row, const tn_linear_span *over, double scale,
                              double T[24][24])
{
    const mean_angle n = mean_angle_at(row, over);
    const double c = 0.5 * (n.from.c + n.to.c), s = 0.5 * (n.from.s + n.to.s);
    double S[24] = {0}, C[24] = {0}, S1[24] = {0}, C1[24] = {0};
    couple(T, axis_a(row->i), axis_b(row->j), 0.5 * scale * n.k * c);
    couple(T, axis_a(row->k), axis_b(row->l), -0.5 * scale * n.k * s);
    row_linear_add_product(S, over->middle.x, row->i, row->j, 1.0);
    row_linear_add_product(C, over->middle.x, row->k, row->l, 1.0);
    row_linear_add_product(S1, over->to.x, row->i, row->j, 1.0);
    row_linear_add_product(C1, over->to.x, row->k, row->l, 1.0);
    for (int q = 0; q < 24; q++) {
        const double w = n.from.c * S1[q] - n.from.s * C1[q];
        const double m = n.from.c * C1[q] + n.from.s * S1[q];
        const double k = n.k_w * w + n.k_m * m;
        const double on_s = c * k + 0.5 * n.k * C1[q], on_c = -s * k - 0.5 * n.k * S1[q];
        for (int p = 0; p < 24; p++)
            T[p][q] += scale * (S[p] * on_s + C[p] * on_c);
    }
}

void tn_linear_mean_tangent(const tn_row *row, const tn_linear_span *over, double scale,
                            double T[24][24])
{
    if (row->form == TN_ROW_LENGTH)
        add_length_tangent(over, scale, T);
    else if (row->form == TN_ROW_ANGLE)
        add_angle_tangent(row, over, scale, T);
    else if (tn_row_needs_rotation(row) && tn_row_has_value(row))
        tn_own_mean_tangent(row, over, scale, T);
    else
        tn_linear_hessian(row, &over->middle, 0.5 * scale, T);
}
