// SPDX-License-Identifier: MIT
//
// The row forms of row_linear.h with their derivatives. With d = p_B - p_A, and a, b axes:
//
//              G                                   H, in 3 x 3 blocks
//   COORD      e_i on p_B, -e_i on p_A             0
//   AXIS       a on p_B, -a on p_A, d on a         I on (a, p_B), -I on (a, p_A)
//   DOT        b on a, a on b                      I on (a, b)
//   DISTANCE   d / L on p_B, -d / L on p_A         I / L on (p_A, p_A), (p_B, p_B), -I / L between
//   LENGTH     the same with 1 / |d|               (I - e e^T) / |d| in the same places
//   ANGLE      (c G_s - s G_c) / n                 (c H_s - s H_c) / n
//                                                  - 2 s c (G_s G_s^T - G_c G_c^T) / n^2
//                                                  + (s^2 - c^2) (G_s G_c^T + G_c G_s^T) / n^2
//
// with s = a_i . b_j, c = a_k . b_l and n = s^2 + c^2. At the two points without derivatives the
// numbers are those of row.c: zero for LENGTH at d = 0 and for ANGLE at s = c = 0.

#include "model/row_linear.h"

#include "base/status.h"

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

static inline tn_vec3 separation(const tn_vec3 *x)
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
    const tn_pair pair = {.a.x = {tn_m3_columns(x[1], x[2], x[3]), x[PA]},
                          .b.x = {tn_m3_columns(x[5], x[6], x[7]), x[PB]},
                          .length = at->length};
    return tn_row_value(row, &pair, reference);
}

static inline void put(double G[24], int vector, double scale, tn_vec3 x)
{
    tn_v3_to(tn_v3_scale(scale, x), G + 3 * vector);
}

static inline void put_force(double G[24], tn_vec3 f)
{
    put(G, PA, -1.0, f);
    put(G, PB, 1.0, f);
}

// Adds scale times the gradient of the product of axis i of A with axis j of B.
static inline void add_product(double G[24], const tn_vec3 *x, int i, int j, double scale)
{
    const int a = axis_a(i), b = axis_b(j);
    tn_v3_to(tn_v3_axpy(scale, x[b], tn_v3_from(G + 3 * a)), G + 3 * a);
    tn_v3_to(tn_v3_axpy(scale, x[a], tn_v3_from(G + 3 * b)), G + 3 * b);
}

// What ANGLE and its derivatives share.
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
    const tn_vec3 *x = at->x, d = separation(x);
    memset(G, 0, 24 * sizeof *G);
    switch (row->form) {
    case TN_ROW_COORD:
        G[3 * PA + row->i] = -1.0;
        G[3 * PB + row->i] = 1.0;
        break;
    case TN_ROW_AXIS:
        put_force(G, x[axis_a(row->i)]);
        put(G, axis_a(row->i), 1.0, d);
        break;
    case TN_ROW_DOT:
        add_product(G, x, row->i, row->j, 1.0);
        break;
    case TN_ROW_DISTANCE:
        put_force(G, tn_v3_scale(1.0 / at->length, d));
        break;
    case TN_ROW_LENGTH:
        put_force(G, tn_v3_scale(inverse_or_zero(tn_v3_norm(d)), d));
        break;
    case TN_ROW_ANGLE: {
        const angle n = angle_at(row, x);
        add_product(G, x, row->i, row->j, n.c * n.inverse);
        add_product(G, x, row->k, row->l, -n.s * n.inverse);
        break;
    }
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
static inline void add_stretch(double H[24][24], double s, tn_mat3 A)
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
    add_product(S, x, row->i, row->j, 1.0);
    add_product(C, x, row->k, row->l, 1.0);
    for (int p = 0; p < 24; p++)
        for (int q = 0; q < 24; q++)
            H[p][q] += scale * (2.0 * s * c * (C[p] * C[q] - S[p] * S[q]) +
                                (s * s - c * c) * (S[p] * C[q] + C[p] * S[q]));
}

void tn_linear_hessian(const tn_row *row, const tn_linear_pair *at, double scale, double H[24][24])
{
    const tn_vec3 *x = at->x, d = separation(x);
    switch (row->form) {
    case TN_ROW_COORD:
        break;
    case TN_ROW_AXIS:
        couple(H, axis_a(row->i), PB, scale);
        couple(H, axis_a(row->i), PA, -scale);
        break;
    case TN_ROW_DOT:
        couple(H, axis_a(row->i), axis_b(row->j), scale);
        break;
    case TN_ROW_DISTANCE:
        add_stretch(H, scale / at->length, tn_m3_identity);
        break;
    case TN_ROW_LENGTH: {
        const double curvature = inverse_or_zero(tn_v3_norm(d));
        const tn_vec3 e = tn_v3_scale(curvature, d);
        add_stretch(H, scale * curvature, tn_m3_axpy(-1.0, tn_m3_outer(e, e), tn_m3_identity));
        break;
    }
    case TN_ROW_ANGLE:
        add_angle(row, x, scale, H);
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
    const tn_vec3 d = separation(at->x), v = separation(at->v);
    switch (row->form) {
    case TN_ROW_COORD:
        return 0.0;
    case TN_ROW_AXIS:
        return 2.0 * tn_v3_dot(at->v[axis_a(row->i)], v);
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
    }
    TN_ASSERT(!"row form");
    return 0.0;
}
