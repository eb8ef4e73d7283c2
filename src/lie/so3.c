// SPDX-License-Identifier: MIT
//
// SO(3) by rotation vectors and unit quaternions [BCA12], [Arn16, section 3.1]. With X = skew(x),
// t = |x| and the coefficients of lie/coefficients.h:
//
//   exp(x)  = I + alpha0 X + alpha1 X^2              T(x) = integral over [0,1] of exp(-s x) ds
//   T(x)    = I - alpha1 X + alpha2 X^2
//   T(x)^-1 = I + X/2 + gamma X^2                    T(x)^T = T(-x)
//
// Every operator here is I + a X + b X^2 with a, b functions of t, so one pair of functions builds
// all of them and all their derivatives:
//
//   d/dx (a X y + b X^2 y) = -a skew(y) + b (x y^T + (x.y) I - 2 y x^T)
//                            + (a'/t X y + b'/t X^2 y) x^T

#include "lie/so3.h"

#include "base/status.h"
#include "lie/coefficients.h"

// I + a X + b X^2, with X^2 = x x^T - t^2 I
static tn_mat3 quadratic(tn_vec3 x, double a, double b)
{
    const double xx = x.x * x.x, yy = x.y * x.y, zz = x.z * x.z;
    const double xy = b * x.x * x.y, xz = b * x.x * x.z, yz = b * x.y * x.z;
    return (tn_mat3){{{1.0 - b * (yy + zz), xy - a * x.z, xz + a * x.y},
                      {xy + a * x.z, 1.0 - b * (xx + zz), yz - a * x.x},
                      {xz - a * x.y, yz + a * x.x, 1.0 - b * (xx + yy)}}};
}

tn_mat3 tn_so3_exp(tn_vec3 x)
{
    const double s = tn_v3_dot(x, x);
    return quadratic(x, tn_lie_alpha0(s), tn_lie_alpha1(s));
}

// (cos(t/2), sin(t/2) x / t)
tn_quat tn_so3_exp_quat(tn_vec3 x)
{
    const double s = 0.25 * tn_v3_dot(x, x);
    const double half = 0.5 * tn_lie_alpha0(s);
    return (tn_quat){cos(sqrt(s)), half * x.x, half * x.y, half * x.z};
}

// The one of e and -e with w >= 0; at half a turn, where w = 0, the first component that is not 0
// is made positive, so that both give the same rotation vector.
static tn_quat canonical(tn_quat e)
{
    double sign = e.w;
    if (sign == 0.0)
        sign = e.x != 0.0 ? e.x : e.y != 0.0 ? e.y : e.z;
    return sign < 0.0 ? (tn_quat){-e.w, -e.x, -e.y, -e.z} : e;
}

// The four rows are 4w, 4x, 4y and 4z times the quaternion; the longest has no cancellation.
tn_quat tn_quat_from_matrix(tn_mat3 R)
{
    TN_ASSERT(!(fabs(tn_m3_det(R) - 1.0) > 1e-3));
    const double xx = R.m[0][0], yy = R.m[1][1], zz = R.m[2][2];
    const double wx = R.m[2][1] - R.m[1][2], wy = R.m[0][2] - R.m[2][0];
    const double wz = R.m[1][0] - R.m[0][1];
    const double xy = R.m[1][0] + R.m[0][1], xz = R.m[0][2] + R.m[2][0];
    const double yz = R.m[2][1] + R.m[1][2];
    tn_quat e;
    if (xx + yy + zz >= 0.0)
        e = (tn_quat){1.0 + xx + yy + zz, wx, wy, wz};
    else if (xx >= yy && xx >= zz)
        e = (tn_quat){wx, 1.0 + xx - yy - zz, xy, xz};
    else if (yy >= zz)
        e = (tn_quat){wy, xy, 1.0 - xx + yy - zz, yz};
    else
        e = (tn_quat){wz, xz, yz, 1.0 - xx - yy + zz};
    return canonical(tn_quat_normalize(e));
}

tn_vec3 tn_so3_log(tn_mat3 R)
{
    return tn_so3_log_quat(tn_quat_from_matrix(R));
}

// x = 2 atan2(|v|, w) v / |v|, indifferent to the length of e. Below |v| = 1e-8 w the arc is the
// tangent to round-off; that branch also keeps angles whose square underflows.
tn_vec3 tn_so3_log_quat(tn_quat e)
{
    TN_ASSERT(e.w != 0.0 || e.x != 0.0 || e.y != 0.0 || e.z != 0.0);
    e = canonical(e);
    const tn_vec3 v = {e.x, e.y, e.z};
    const double n = tn_v3_norm(v);
    return tn_v3_scale(n < 1e-8 * e.w ? 2.0 / e.w : 2.0 * atan2(n, e.w) / n, v);
}

tn_mat3 tn_so3_tangent(tn_vec3 x)
{
    const double s = tn_v3_dot(x, x);
    return quadratic(x, -tn_lie_alpha1(s), tn_lie_alpha2(s));
}

tn_mat3 tn_so3_tangent_inv(tn_vec3 x)
{
    return quadratic(x, 0.5, tn_lie_gamma(tn_v3_dot(x, x)));
}

// The derivative of y + x x y / 2 + gamma(t) x x (x x y), where delta = gamma'/t.
tn_mat3 tn_so3_tangent_inv_deriv(tn_vec3 x, tn_vec3 y)
{
    const double s = tn_v3_dot(x, x), gamma = tn_lie_gamma(s);
    const tn_vec3 xxy = tn_v3_cross(x, tn_v3_cross(x, y));
    tn_mat3 D = tn_m3_scale(-0.5, tn_m3_skew(y));
    D = tn_m3_axpy(gamma, tn_m3_outer(x, y), D);
    D = tn_m3_axpy(-2.0 * gamma, tn_m3_outer(y, x), D);
    D = tn_m3_axpy(gamma * tn_v3_dot(x, y), tn_m3_identity, D);
    return tn_m3_axpy(tn_lie_delta(s), tn_m3_outer(xxy, x), D);
}

static tn_mat3 cofactors(tn_mat3 A) // det(A) A^-T
{
    const tn_vec3 a = tn_m3_column(A, 0), b = tn_m3_column(A, 1), c = tn_m3_column(A, 2);
    return tn_m3_columns(tn_v3_cross(b, c), tn_v3_cross(c, a), tn_v3_cross(a, b));
}

tn_mat3 tn_m3_inverse(tn_mat3 A)
{
    return tn_m3_scale(1.0 / tn_m3_det(A), tn_m3_transpose(cofactors(A)));
}

// The orthogonal polar factor by Newton's iteration A <- (A + A^-T)/2. Quadratic: an error e
// becomes e^2/2, so from 0.1 five steps reach round-off; far from a rotation it still converges
// when det A > 0. Trial values of an iteration may have det A < 0: the nearest reflection.
tn_mat3 tn_m3_orthonormalize(tn_mat3 A)
{
    for (int n = 0; n < 20; n++) {
        const tn_mat3 next = tn_m3_axpy(0.5 / tn_m3_det(A), cofactors(A), tn_m3_scale(0.5, A));
        double change = 0.0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                change = fmax(change, fabs(next.m[i][j] - A.m[i][j]));
        A = next;
        if (change < 1e-8) // the next correction is its square
            break;
    }
    return A;
}

tn_mat3 tn_m3_polar_turn(tn_mat3 S)
{
    const double trace = S.m[0][0] + S.m[1][1] + S.m[2][2];
    const tn_mat3 T = tn_m3_axpy(-1.0, S, tn_m3_diag(trace, trace, trace));
    return tn_m3_inverse(T);
}
