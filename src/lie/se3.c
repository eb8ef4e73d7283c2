// SPDX-License-Identifier: MIT
//
// SE(3) [BCA12]: x = (u, w), with the 4 x 4 matrix (skew(w) u; 0 0) and the 6 x 6 adjoint
// ad(x) = (W U; 0 W), W = skew(w), U = skew(u). The tangent operator is a power series in ad(x),
//
//   T(x) = sum over k of (-1)^k ad(x)^k / (k+1)!,
//
// and any power series f of a block matrix (W U; 0 W) is (f(W) Df(W)[U]; 0 f(W)). So the upper
// right block of T(x), and in the same way of T(x)^-1, is the derivative of the SO(3) operator in
// the direction u:
//
//   D(u, w) = a U + b (W U + U W) + (w.u) (a'/t W + b'/t W^2)       for I + a W + b W^2.

#include "lie/se3.h"

#include "base/status.h"
#include "lie/coefficients.h"
#include "lie/so3.h"

#include <string.h>

tn_frame tn_se3_exp(const double x[6])
{
    const tn_vec3 u = tn_v3_from(x), w = tn_v3_from(x + 3);
    return (tn_frame){tn_so3_exp(w), tn_m3_apply_t(tn_so3_tangent(w), u)};
}

void tn_se3_log(tn_frame H, double x[6])
{
    const tn_vec3 w = tn_so3_log(H.R);
    tn_v3_to(tn_m3_apply_t(tn_so3_tangent_inv(w), H.p), x);
    tn_v3_to(w, x + 3);
}

// W U + U W = w u^T + u w^T - 2 (w.u) I and W^2 = w w^T - t^2 I
static inline tn_mat3 directional(tn_vec3 u, tn_vec3 w, const double a[2], const double b[2])
{
    const double wu = tn_v3_dot(w, u);
    const tn_vec3 linear = tn_v3_axpy(a[0], u, tn_v3_scale(wu * a[1], w));
    tn_mat3 D = tn_m3_skew(linear);
    D = tn_m3_axpy(b[0], tn_m3_outer(w, u), D);
    D = tn_m3_axpy(b[0], tn_m3_outer(u, w), D);
    D = tn_m3_axpy(wu * b[1], tn_m3_outer(w, w), D);
    return tn_m3_axpy(-wu * (2.0 * b[0] + b[1] * tn_v3_dot(w, w)), tn_m3_identity, D);
}

static void assemble_se3(tn_mat3 diagonal, tn_mat3 upper, double T[6][6])
{
    memset(T, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            T[i][j] = T[i + 3][j + 3] = diagonal.m[i][j];
            T[i][j + 3] = upper.m[i][j];
        }
}

void tn_se3_tangent(const double x[6], double T[6][6])
{
    const tn_vec3 u = tn_v3_from(x), w = tn_v3_from(x + 3);
    const double s = tn_v3_dot(w, w);
    const double a[2] = {-tn_lie_alpha1(s), -tn_lie_beta1(s)};
    const double b[2] = {tn_lie_alpha2(s), tn_lie_beta2(s)};
    assemble_se3(tn_so3_tangent(w), directional(u, w, a, b), T);
}

void tn_se3_tangent_inv(const double x[6], double T[6][6])
{
    const tn_vec3 u = tn_v3_from(x), w = tn_v3_from(x + 3);
    const double s = tn_v3_dot(w, w);
    const double a[2] = {0.5, 0.0};
    const double b[2] = {tn_lie_gamma(s), tn_lie_delta(s)};
    assemble_se3(tn_so3_tangent_inv(w), directional(u, w, a, b), T);
}

// a x (b x y) + b x (a x y)
static tn_vec3 twice(tn_vec3 a, tn_vec3 b, tn_vec3 y)
{
    return tn_v3_add(tn_v3_cross(a, tn_v3_cross(b, y)), tn_v3_cross(b, tn_v3_cross(a, y)));
}

// D(u, w) y and, below, its derivative by w in the direction v: the first two derivatives of
// F(w) y = y + w x y / 2 + gamma(t) w x (w x y). The second one is symmetric in u and v.
static tn_vec3 inverse_once(tn_vec3 w, tn_vec3 u, tn_vec3 y)
{
    return tn_m3_apply(tn_so3_tangent_inv_deriv(w, y), u);
}

static tn_vec3 inverse_twice(tn_vec3 w, tn_vec3 u, tn_vec3 v, tn_vec3 y)
{
    const double s = tn_v3_dot(w, w), wu = tn_v3_dot(w, u), wv = tn_v3_dot(w, v);
    const double delta = tn_lie_delta(s);
    const double bent = delta * tn_v3_dot(u, v) + tn_lie_epsilon(s) * wu * wv;
    tn_vec3 sum = tn_v3_scale(tn_lie_gamma(s), twice(u, v, y));
    sum = tn_v3_axpy(delta * wv, twice(w, u, y), sum);
    sum = tn_v3_axpy(delta * wu, twice(w, v, y), sum);
    return tn_v3_axpy(bent, tn_v3_cross(w, tn_v3_cross(w, y)), sum);
}

// T(x)^-1 y = (F(w) y_u + D(u, w) y_w, F(w) y_w)
void tn_se3_tangent_inv_along(const double x[6], const double y[6], const double dx[6],
                              double out[6])
{
    const tn_vec3 u = tn_v3_from(x), w = tn_v3_from(x + 3);
    const tn_vec3 yu = tn_v3_from(y), yw = tn_v3_from(y + 3);
    const tn_vec3 du = tn_v3_from(dx), dw = tn_v3_from(dx + 3);
    const tn_vec3 upper = tn_v3_add(inverse_once(w, dw, yu), inverse_once(w, du, yw));
    tn_v3_to(tn_v3_add(upper, inverse_twice(w, u, dw, yw)), out);
    tn_v3_to(inverse_once(w, dw, yw), out + 3);
}

// Both at once ------------------------------------------------------------------------------------

// I + W / 2 + gamma W^2
static tn_mat3 inverse_of_turn(tn_vec3 w, double gamma)
{
    const double one = 1.0 - gamma * tn_v3_dot(w, w);
    const tn_mat3 odd = tn_m3_axpy(0.5, tn_m3_skew(w), tn_m3_diag(one, one, one));
    return tn_m3_axpy(gamma, tn_m3_outer(w, w), odd);
}

tn_se3_inverse tn_se3_log_inverse(tn_frame H)
{
    tn_se3_inverse T = {.w = tn_so3_log(H.R)};
    tn_lie_inverse(tn_v3_dot(T.w, T.w), &T.gamma, &T.delta, &T.epsilon);
    T.F = inverse_of_turn(T.w, T.gamma);
    T.u = tn_m3_apply_t(T.F, H.p);
    T.D = directional(T.u, T.w, (double[]){0.5, 0.0}, (double[]){T.gamma, T.delta});
    return T;
}

// v -> a x (v x y) + v x (a x y)
static tn_mat3 twice_along(tn_vec3 a, tn_vec3 y)
{
    const double ay = tn_v3_dot(a, y);
    const tn_mat3 first = tn_m3_axpy(1.0, tn_m3_outer(a, y), tn_m3_diag(ay, ay, ay));
    return tn_m3_axpy(-2.0, tn_m3_outer(y, a), first);
}

// gamma twice(w, v, y) + delta (w.v) w x (w x y): the odd part of the derivative of F(w) y.
static tn_mat3 odd_once(const tn_se3_inverse *T, tn_vec3 y)
{
    const tn_vec3 bent = tn_v3_scale(T->delta, tn_v3_cross(T->w, tn_v3_cross(T->w, y)));
    return tn_m3_axpy(T->gamma, twice_along(T->w, y), tn_m3_outer(bent, T->w));
}

// The same as inverse_twice for all directions.
void tn_se3_inverse_slopes(const tn_se3_inverse *T, tn_vec3 yu, tn_vec3 yw, tn_mat3 *odd_N,
                           tn_mat3 *odd_Z)
{
    const tn_vec3 u = T->u, w = T->w;
    const double wu = tn_v3_dot(w, u);
    const tn_vec3 both = tn_v3_scale(T->delta, twice(w, u, yw));
    const tn_vec3 along = tn_v3_axpy(T->delta, u, tn_v3_scale(T->epsilon * wu, w));
    const tn_mat3 by_w = twice_along(w, yw);
    const tn_vec3 wwy = tn_v3_cross(w, tn_v3_cross(w, yw));
    *odd_N = tn_m3_axpy(T->gamma, by_w, tn_m3_outer(tn_v3_scale(T->delta, wwy), w));
    tn_mat3 Z = tn_m3_axpy(T->gamma, twice_along(u, yw), odd_once(T, yu));
    Z = tn_m3_axpy(T->delta * wu, by_w, Z);
    Z = tn_m3_axpy(1.0, tn_m3_outer(both, w), Z);
    *odd_Z = tn_m3_axpy(1.0, tn_m3_outer(wwy, along), Z);
}
