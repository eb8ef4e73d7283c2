// SPDX-License-Identifier: MIT
//
// Sine and cosine of many angles at once, in a loop that compilers turn into vector instructions.
//
// With k the integer nearest to 2 x / pi, r = x - k pi/2 in |r| <= pi/4; pi/2 is subtracted in
// three parts of 33, 33 and 53 bits, so that the first two products are exact for |k| < 2^20. The
// polynomials are those of fdlibm (k_sin.c, k_cos.c), of degree 13 and 14; the absolute error is
// below 2^-52. Larger angles, and numbers that are none, are left to the library.

#pragma once

#include "base/status.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Numbers without meaning where |x| is above 1e6.
static inline void tn_sincos_small(double x, double *sine, double *cosine)
{
    static const double SHIFT = 6755399441055744.0; // 1.5 2^52: the sum ends in the integer
    const double shifted = x * 0.63661977236758134308 + SHIFT, k = shifted - SHIFT;
    uint64_t n;
    memcpy(&n, &shifted, sizeof n);
    const double r = x - k * 1.57079632673412561417 - k * 6.07710050630396597660e-11 -
                     k * 2.02226624879595063154e-21;
    const double z = r * r;
    // Pairs of terms, then pairs of pairs: fewer results to wait for than term by term.
    const double zz = z * z;
    const double s2 = -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10;
    const double s1 = -1.98412698298579493134e-04 + z * 2.75573137070700676789e-06;
    const double s0 = -1.66666666666666324348e-01 + z * 8.33333333332248946124e-03;
    const double s = r + r * z * (s0 + zz * (s1 + zz * s2));
    const double c2 = 2.08757232129817482790e-09 + z * -1.13596475577881948265e-11;
    const double c1 = 2.48015872894767294178e-05 + z * -2.75573143513906633035e-07;
    const double c0 = 4.16666666666666019037e-02 + z * -1.38888888888741095749e-03;
    const double c = 1.0 - (0.5 * z - zz * (c0 + zz * (c1 + zz * c2)));
    // Odd k exchange the two, and bit 1 of k and of k + 1 is their sign. The selection is one of
    // bits, which every vector unit has.
    const uint64_t swap = -(n & 1);
    uint64_t a, b;
    memcpy(&a, &s, sizeof a);
    memcpy(&b, &c, sizeof b);
    const uint64_t mix = (a ^ b) & swap;
    a ^= mix ^ (n & 2) << 62;
    b ^= mix ^ ((n + 1) & 2) << 62;
    memcpy(sine, &a, sizeof a);
    memcpy(cosine, &b, sizeof b);
}

static inline void tn_sincos(int n, const double *restrict x, double *restrict sine,
                             double *restrict cosine)
{
    TN_ASSERT(n == 0 || (sine != cosine && x != sine && x != cosine));
    uint64_t small = 1; // as wide as a number, so that vectors of either have the same lanes
    for (int i = 0; i < n; i++) {
        small &= fabs(x[i]) <= 1e6; // false where x is not a number
        tn_sincos_small(x[i], &sine[i], &cosine[i]);
    }
    if (small)
        return;
    for (int i = 0; i < n; i++) {
        sine[i] = sin(x[i]);
        cosine[i] = cos(x[i]);
    }
}
