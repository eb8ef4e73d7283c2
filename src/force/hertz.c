// SPDX-License-Identifier: MIT
//
// The contact ellipse; see hertz.h.

#include "force/hertz.h"

#include <math.h>

// Curvatures so near each other satisfy d / c = (A / B)^(2/3), its first order at A = B.
static const double ROUND = 1e-5;

// Complete elliptic integrals of the modulus e by the arithmetic-geometric mean, g^2 = 1 - e^2.
static void integrals(double g, double *K, double *E)
{
    double a = 1.0, b = g, c = sqrt(1.0 - g * g), sum = 0.5 * c * c, weight = 0.5;
    while (fabs(c) > 1e-16 * a) {
        c = 0.5 * (a - b);
        b = sqrt(a * b);
        a -= c;
        weight *= 2.0;
        sum += weight * c * c;
        if (weight > 1e6)
            break;
    }
    *K = 0.5 * M_PI / a;
    *E = *K * (1.0 - sum);
}

static double curvature_ratio(double g)
{
    double K, E;
    integrals(g, &K, &E);
    return (E / (g * g) - K) / (K - E);
}

// g = d / c of a ratio B / A >= 1, which falls as g rises.
static double axis_ratio(double ratio)
{
    double low = 1e-6, high = 1.0 - 1e-7;
    if (ratio < 1.0 + ROUND)
        return pow(ratio, -2.0 / 3.0);
    for (int k = 0; k < 100; k++) {
        const double g = 0.5 * (low + high);
        if (curvature_ratio(g) > ratio)
            low = g;
        else
            high = g;
    }
    return 0.5 * (low + high);
}

tn_hertz tn_hertz_ellipse(double curvature_x, double curvature_y, double shear, double poisson)
{
    const double least = fmin(curvature_x, curvature_y), most = fmax(curvature_x, curvature_y);
    const double g = axis_ratio(most / least);
    double K, E;
    integrals(g, &K, &E);
    const double c = cbrt(3.0 * E * (1.0 - poisson) / (M_PI * shear * (least + most) * g * g));
    return curvature_x <= curvature_y ? (tn_hertz){c, g * c} : (tn_hertz){g * c, c};
}
