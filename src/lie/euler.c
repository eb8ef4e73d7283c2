// SPDX-License-Identifier: MIT
//
// Angles and rates of rotations about three axes in turn; see euler.h. With k the axis beside a and
// b, and sign = +1 where a, b, k is a cyclic order of x, y, z and -1 where it is not:
//
//   a = c:   R_aa = cos 2,          R_ba = sin 2 sin 1,       R_ka = -sign sin 2 cos 1
//                                   R_ab = sin 2 sin 3,       R_ak =  sign sin 2 cos 3
//   c = k:   R_ac = sign sin 2,     R_bc = -sign cos 2 sin 1, R_cc = cos 2 cos 1
//                                   R_ab = -sign cos 2 sin 3, R_aa = cos 2 cos 3

#include "lie/euler.h"

#include <math.h>
#include <stdbool.h>

// Sine or cosine of the second angle below which the first and the third are one angle, and rates
// are not computed: a rotation matrix is known to 1e-16, so that at this one they have six digits.
static const double ALIGNED = 1e-10;

typedef struct axes {
    int a, b, k;
    bool twice; // the third axis is the first one
    double sign;
} axes;

static axes axes_of(tn_sequence s)
{
    const int a = s.axis[0], b = s.axis[1];
    return (axes){a, b, 3 - a - b, s.axis[2] == a, (b - a + 3) % 3 == 1 ? 1.0 : -1.0};
}

// Sine of the second angle where the third axis is the first one, else its cosine; not negative.
static double across_of(axes x, tn_mat3 R)
{
    return x.twice ? hypot(R.m[x.b][x.a], R.m[x.k][x.a]) : hypot(R.m[x.a][x.a], R.m[x.a][x.b]);
}

void tn_euler_angles(tn_sequence s, tn_mat3 from, double angle[3])
{
    const axes x = axes_of(s);
    const double(*R)[3] = (const double(*)[3])from.m;
    const double g = x.sign, across = across_of(x, from);
    angle[1] = x.twice ? atan2(across, R[x.a][x.a]) : atan2(g * R[x.a][x.k], across);
    if (across < ALIGNED) {
        angle[0] = atan2(g * R[x.k][x.b], R[x.b][x.b]);
        angle[2] = 0.0;
    } else if (x.twice) {
        angle[0] = atan2(R[x.b][x.a], -g * R[x.k][x.a]);
        angle[2] = atan2(R[x.a][x.b], g * R[x.a][x.k]);
    } else {
        angle[0] = atan2(-g * R[x.b][x.k], R[x.k][x.k]);
        angle[2] = atan2(-g * R[x.a][x.b], R[x.a][x.a]);
    }
}

static tn_vec3 unit(int axis)
{
    return tn_v3(axis == 0, axis == 1, axis == 2);
}

// W = u rate 1 + v rate 2 + w rate 3 in body axes: the first axis is fixed in the inertial frame,
// the third one in the body, and the second turns with the third angle against it.
void tn_euler_rates(tn_sequence s, tn_mat3 R, tn_vec3 W, double rate[3])
{
    double angle[3];
    if (across_of(axes_of(s), R) < ALIGNED) {
        rate[0] = rate[1] = rate[2] = NAN;
        return;
    }
    tn_euler_angles(s, R, angle);
    const tn_vec3 w = unit(s.axis[2]), b = unit(s.axis[1]);
    const tn_vec3 u = tn_m3_apply_t(R, unit(s.axis[0]));
    const tn_vec3 v = tn_v3_axpy(-sin(angle[2]), tn_v3_cross(w, b), tn_v3_scale(cos(angle[2]), b));
    const double volume = tn_v3_dot(u, tn_v3_cross(v, w));
    rate[0] = tn_v3_dot(W, tn_v3_cross(v, w)) / volume;
    rate[1] = tn_v3_dot(u, tn_v3_cross(W, w)) / volume;
    rate[2] = tn_v3_dot(u, tn_v3_cross(v, W)) / volume;
}
