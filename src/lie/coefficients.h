// SPDX-License-Identifier: MIT
//
// The scalar coefficients of the exponential map and of its tangent operator [BCA12], as functions
// of s = t^2, where t is the rotation angle. All are even in t, so s is all they need.
//
//   alpha0 = sin t / t          alpha1 = (1 - cos t) / t^2     alpha2 = (t - sin t) / t^3
//   beta1  = alpha1'(t) / t     beta2  = alpha2'(t) / t
//   gamma  = (1 - (t/2) cot(t/2)) / t^2                        delta  = gamma'(t) / t
//   epsilon = delta'(t) / t
//
// The closed forms of alpha2, beta1 and beta2 subtract nearly equal numbers when t is small: at
// t = 3 the largest term is still at most three times the result, at t = 1 it is 150 times. The
// Taylor series alternate and converge for every t; up to t = 3 no term exceeds twice the result,
// and 13 terms leave a remainder below 1e-17. So the switch is at t = 3 and neither side loses more
// than a few units in the last place.

#pragma once

#include <math.h>

#define TN_LIE_SWITCH 9.0 // s = t^2 below which the series are used
#define TN_LIE_TERMS 13

// sum over k of (-s)^k weight_k / (2k + first)!, with weight_k = 1, 2(k+1) or 4(k+1)(k+2): the
// series itself, and what (1/t) d/dt makes of it once and twice (the sign left to the caller).
// Horner's rule on the ratio of neighbouring terms.
static inline double tn_lie_series(double s, int first, int derivative)
{
    double sum = 1.0;
    for (int k = TN_LIE_TERMS - 1; k >= 1; k--) {
        const double n = 2.0 * k + first;
        const double ratio = (k + derivative) / (k * n * (n - 1.0));
        sum = 1.0 - s * ratio * sum;
    }
    static const double factorial[] = {1, 1, 2, 6, 24, 120, 720};
    static const double weight[] = {1, 2, 8};
    return weight[derivative] / factorial[first] * sum;
}

// sin t / t needs help only where s underflows or t is 0: the next term is below 1e-18.
static inline double tn_lie_alpha0(double s)
{
    if (s < 1e-8)
        return 1.0 - s / 6.0;
    const double t = sqrt(s);
    return sin(t) / t;
}

// 1 - cos t = 2 sin^2(t/2) has nothing to cancel.
static inline double tn_lie_alpha1(double s)
{
    const double half = tn_lie_alpha0(0.25 * s);
    return 0.5 * half * half;
}

static inline double tn_lie_alpha2(double s)
{
    if (s < TN_LIE_SWITCH)
        return tn_lie_series(s, 3, 0);
    const double t = sqrt(s);
    return (t - sin(t)) / (s * t);
}

static inline double tn_lie_beta1(double s)
{
    if (s < TN_LIE_SWITCH)
        return -tn_lie_series(s, 4, 1);
    const double t = sqrt(s), sine = sin(0.5 * t), cosine = cos(0.5 * t);
    return 2.0 * sine * (t * cosine - 2.0 * sine) / (s * s);
}

static inline double tn_lie_beta2(double s)
{
    if (s < TN_LIE_SWITCH)
        return -tn_lie_series(s, 5, 1);
    const double t = sqrt(s);
    return (3.0 * sin(t) - t * (2.0 + cos(t))) / (s * s * t);
}

// gamma = -beta1 / (2 alpha1), which has no cancellation below 2 pi.
static inline double tn_lie_gamma(double s)
{
    if (s < TN_LIE_SWITCH)
        return -0.5 * tn_lie_beta1(s) / tn_lie_alpha1(s);
    const double t = sqrt(s);
    return (1.0 - 0.5 * t / tan(0.5 * t)) / s;
}

// The derivative of that quotient; beta1'(t)/t is the series of alpha1 differentiated twice. The
// difference of the two products is never below a fifth of the larger one.
static inline double tn_lie_delta(double s)
{
    if (s < TN_LIE_SWITCH) {
        const double alpha1 = tn_lie_alpha1(s), beta1 = tn_lie_beta1(s);
        return (beta1 * beta1 - tn_lie_series(s, 6, 2) * alpha1) / (2.0 * alpha1 * alpha1);
    }
    const double t = sqrt(s), sine = sin(0.5 * t), cosine = cos(0.5 * t);
    return (-8.0 + t * (2.0 * cosine / sine + t / (sine * sine))) / (4.0 * s * s);
}

// gamma, delta and epsilon together. From the equation of the cotangent, cot' = -1 - cot^2, which
// is t^2 delta = 1/4 - 3 gamma + t^2 gamma^2, epsilon follows by t once more. That cancels near 0.
// Up to t = 2 the partial fractions of the cotangent serve,
//   gamma = 2 / (2 pi)^2 * sum of 1 / (n^2 - x),   delta = 4 / (2 pi)^4 * sum of 1 / (n^2 - x)^2,
//   epsilon = 16 / (2 pi)^6 * sum over n of 1 / (n^2 - x)^3,   x = (t / 2 pi)^2,
// where the terms n > 1 are a power series in x with sums of n^-2k as coefficients.
static inline void tn_lie_inverse(double s, double *gamma, double *delta, double *epsilon)
{
    if (s >= 4.0) {
        *gamma = tn_lie_gamma(s);
        *delta = tn_lie_delta(s);
        *epsilon = (2.0 * *gamma * *gamma - 5.0 * *delta) / s + 2.0 * *gamma * *delta;
        return;
    }
    static const double beyond[] = {
        // zeta(2k) - 1
        0.644934066848226436472415, 0.082323233711138191516004, 0.017343061984449139714518,
        0.004077356197944339378685, 0.000994575127818085337146, 0.000246086553308048298638,
        6.12481350587048292585e-05, 1.52822594086518717326e-05, 3.81729326499983985646e-06,
        9.53962033872796113152e-07, 2.38450502727732990004e-07, 5.96081890512594796124e-08,
        1.49015548283650412347e-08,
    };
    const double turn = 39.478417604357434475; // (2 pi)^2
    const double x = s / turn, first = 1.0 / (1.0 - x);
    double c = beyond[12], d = 0.0, e = 0.0;
    for (int j = 10; j >= 0; j--) {
        e = e * x + 0.5 * (j + 1.0) * (j + 2.0) * beyond[j + 2];
        d = d * x + (j + 2.0) * beyond[j + 2];
        c = c * x + beyond[j + 1];
    }
    d = d * x + beyond[1];
    c = c * x + beyond[0];
    *gamma = 2.0 / turn * (first + c);
    *delta = 4.0 / (turn * turn) * (first * first + d);
    *epsilon = 16.0 / (turn * turn * turn) * (first * first * first + e);
}

static inline double tn_lie_epsilon(double s)
{
    double gamma, delta, epsilon;
    tn_lie_inverse(s, &gamma, &delta, &epsilon);
    return epsilon;
}
