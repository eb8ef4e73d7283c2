// SPDX-License-Identifier: MIT
//
// Second-order jets: a value with its first and second derivative in t, and the arithmetic that
// carries them along exactly. For a function g of a jet u (Leibniz and chain rule):
//
//   (g(u))' = g' u'      (g(u))'' = g'' u'^2 + g' u''

#pragma once

#include <math.h>

typedef struct tn_jet {
    double v, d, dd; // value, first and second derivative
} tn_jet;

// A factor that does not move stays out, even where the other is infinite: sqrt(0) of a constant.
static inline double tn_jet_term(double g, double rate)
{
    return rate == 0.0 ? 0.0 : g * rate;
}

static inline tn_jet tn_jet_chain(tn_jet u, double g, double g1, double g2)
{
    return (tn_jet){g, tn_jet_term(g1, u.d), tn_jet_term(g2, u.d * u.d) + tn_jet_term(g1, u.dd)};
}

static inline tn_jet tn_jet_number(double value)
{
    return (tn_jet){value, 0.0, 0.0};
}

static inline tn_jet tn_jet_neg(tn_jet a)
{
    return (tn_jet){-a.v, -a.d, -a.dd};
}

static inline tn_jet tn_jet_add(tn_jet a, tn_jet b)
{
    return (tn_jet){a.v + b.v, a.d + b.d, a.dd + b.dd};
}

static inline tn_jet tn_jet_sub(tn_jet a, tn_jet b)
{
    return (tn_jet){a.v - b.v, a.d - b.d, a.dd - b.dd};
}

static inline tn_jet tn_jet_mul(tn_jet a, tn_jet b)
{
    return (tn_jet){a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2.0 * a.d * b.d + a.v * b.dd};
}

// From q b = a: q' b + q b' = a', and once more.
static inline tn_jet tn_jet_div(tn_jet a, tn_jet b)
{
    const double q = a.v / b.v;
    const double d = (a.d - tn_jet_term(q, b.d)) / b.v;
    return (tn_jet){q, d, (a.dd - tn_jet_term(2.0 * d, b.d) - tn_jet_term(q, b.dd)) / b.v};
}

// p u^(p-1) and p (p-1) u^(p-2) while the exponent rests; a factor 0 ends the polynomial there,
// also at u = 0. Otherwise u^p = exp(p log u), where only the logarithm's derivatives are needed.
static inline tn_jet tn_jet_pow(tn_jet u, tn_jet p)
{
    const double value = pow(u.v, p.v);
    if (p.d == 0.0 && p.dd == 0.0) {
        const double c1 = p.v, c2 = p.v * (p.v - 1.0);
        return tn_jet_chain(u, value, c1 == 0.0 ? 0.0 : c1 * pow(u.v, p.v - 1.0),
                            c2 == 0.0 ? 0.0 : c2 * pow(u.v, p.v - 2.0));
    }
    const tn_jet exponent = tn_jet_mul(p, tn_jet_chain(u, log(u.v), 1.0 / u.v, -1.0 / (u.v * u.v)));
    return (tn_jet){value, value * exponent.d, value * (exponent.dd + exponent.d * exponent.d)};
}

// The angle turns at (x y' - y x') / r^2.
static inline tn_jet tn_jet_atan2(tn_jet y, tn_jet x)
{
    const double inverse = 1.0 / (x.v * x.v + y.v * y.v);
    const double d = tn_jet_term(inverse, x.v * y.d - y.v * x.d);
    const double radial = x.v * x.d + y.v * y.d;
    const double dd = tn_jet_term(inverse, x.v * y.dd - y.v * x.dd - tn_jet_term(2.0 * d, radial));
    return (tn_jet){atan2(y.v, x.v), d, dd};
}

// log(2 cosh u) without overflow: |u| but for a part e^(-2|u|). Its derivative is tanh u.
static inline double tn_log_cosh(double u)
{
    return fabs(u) + log1p(exp(-2.0 * fabs(u)));
}

// w log(2 cosh(x/w))
static inline tn_jet tn_jet_smooth_abs(tn_jet x, tn_jet w)
{
    const tn_jet u = tn_jet_div(x, w);
    const double c = cosh(u.v);
    return tn_jet_mul(w, tn_jet_chain(u, tn_log_cosh(u.v), tanh(u.v), 1.0 / (c * c)));
}

// u0 up to x0, u1 from x1 on, between them u0 + (u1 - u0) s^2 (3 - 2 s), s = (x - x0) / (x1 - x0).
static inline tn_jet tn_jet_step(tn_jet x, tn_jet x0, tn_jet u0, tn_jet x1, tn_jet u1)
{
    if (x.v <= x0.v)
        return u0;
    if (x.v >= x1.v)
        return u1;
    const tn_jet s = tn_jet_div(tn_jet_sub(x, x0), tn_jet_sub(x1, x0));
    const tn_jet weight =
        tn_jet_chain(s, s.v * s.v * (3.0 - 2.0 * s.v), 6.0 * s.v * (1.0 - s.v), 6.0 - 12.0 * s.v);
    return tn_jet_add(u0, tn_jet_mul(tn_jet_sub(u1, u0), weight));
}
