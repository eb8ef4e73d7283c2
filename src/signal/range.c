// SPDX-License-Identifier: MIT
//
// Ranges of all operations of expressions: see range.h. Formulas of derivatives are those of
// signal/jet.h and signal/operation.c.

#include "signal/range.h"

#include "signal/expression.h"
#include "signal/grid.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static const tn_interval ANY = {-INFINITY, INFINITY}, ZERO = {0.0, 0.0};

// Ranges ------------------------------------------------------------------------------------------

// Results of the C library are within a few units of their last place.
static tn_interval outwards(double low, double high)
{
    const double part = 4.0 * DBL_EPSILON;
    if (isnan(low) || isnan(high))
        return ANY;
    return (tn_interval){low - (isfinite(low) ? part * fabs(low) : 0.0),
                         high + (isfinite(high) ? part * fabs(high) : 0.0)};
}

static tn_interval hull(tn_interval a, tn_interval b)
{
    return (tn_interval){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static tn_interval neg(tn_interval a)
{
    return (tn_interval){-a.high, -a.low};
}

static tn_interval add(tn_interval a, tn_interval b)
{
    return outwards(a.low + b.low, a.high + b.high);
}

static tn_interval sub(tn_interval a, tn_interval b)
{
    return add(a, neg(b));
}

// An end that is infinite stands for numbers without bound: zero times these is zero.
static double times(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static tn_interval mul(tn_interval a, tn_interval b)
{
    const double p = times(a.low, b.low), q = times(a.low, b.high);
    const double r = times(a.high, b.low), s = times(a.high, b.high);
    return outwards(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static tn_interval scaled(double factor, tn_interval a)
{
    return mul((tn_interval){factor, factor}, a);
}

static tn_interval inverse(tn_interval a)
{
    if (a.low < 0.0 && a.high > 0.0)
        return ANY;
    if (a.low == 0.0 && a.high == 0.0)
        return ANY;
    if (a.low == 0.0)
        return outwards(1.0 / a.high, INFINITY);
    if (a.high == 0.0)
        return outwards(-INFINITY, 1.0 / a.low);
    return outwards(1.0 / a.high, 1.0 / a.low);
}

static tn_interval ratio(tn_interval a, tn_interval b)
{
    return mul(a, inverse(b));
}

static tn_interval square(tn_interval a)
{
    const double p = a.low * a.low, q = a.high * a.high;
    return outwards(tn_range_has_zero(a) ? 0.0 : fmin(p, q), fmax(p, q));
}

// The range of a function that rises.
static tn_interval rising(double (*f)(double), tn_interval a)
{
    const double low = f(a.low), high = f(a.high);
    return outwards(isinf(low) && low > 0.0 ? DBL_MAX : low, high);
}

static tn_interval within(tn_interval a, double low, double high)
{
    return (tn_interval){fmin(fmax(a.low, low), high), fmax(fmin(a.high, high), low)};
}

static tn_interval positive(tn_interval a)
{
    return within(a, 0.0, INFINITY);
}

// Returns true if one of the numbers `first` + k `period` is in a range, or may be.
static bool meets(tn_interval a, double first, double period)
{
    const double low = (a.low - first) / period, high = (a.high - first) / period;
    const double slack = 8.0 * DBL_EPSILON * (1.0 + fmax(fabs(low), fabs(high)));
    return !(ceil(low - slack) > floor(high + slack));
}

// sin or cos, the one whose maxima are at `top` + 2 k pi.
static tn_interval wave(double (*f)(double), tn_interval a, double top)
{
    if (!(a.high - a.low < 2.0 * M_PI))
        return (tn_interval){-1.0, 1.0};
    const double p = f(a.low), q = f(a.high);
    tn_interval out = within(outwards(fmin(p, q), fmax(p, q)), -1.0, 1.0);
    if (meets(a, top, 2.0 * M_PI))
        out.high = 1.0;
    if (meets(a, top + M_PI, 2.0 * M_PI))
        out.low = -1.0;
    return out;
}

static tn_interval whole_power(tn_interval a, double p)
{
    if (p < 0.0)
        return inverse(whole_power(a, -p));
    const double low = pow(a.low, p), high = pow(a.high, p);
    if (fmod(p, 2.0) != 0.0)
        return outwards(low, high);
    return outwards(tn_range_has_zero(a) ? 0.0 : fmin(low, high), fmax(low, high));
}

// a^p, of numbers that are not negative where p is not whole.
static tn_interval power(tn_interval a, double p)
{
    if (p == 0.0)
        return (tn_interval){1.0, 1.0};
    if (floor(p) == p)
        return whole_power(a, p);
    if (a.high < 0.0)
        return ANY;
    const double low = pow(fmax(a.low, 0.0), p), high = pow(a.high, p);
    return outwards(fmin(low, high), fmax(low, high));
}

// Jets --------------------------------------------------------------------------------------------

// Nothing is known of a function that may go through a pole.
static tn_range_jet chain(tn_range_jet u, tn_interval g, tn_interval g1, tn_interval g2)
{
    if (g.low == -INFINITY && g.high == INFINITY)
        return (tn_range_jet){ANY, ANY, ANY};
    return (tn_range_jet){g, mul(g1, u.d), add(mul(g2, square(u.d)), mul(g1, u.dd))};
}

tn_range_jet tn_range_number(double value)
{
    return (tn_range_jet){{value, value}, ZERO, ZERO};
}

static tn_range_jet jet_neg(tn_range_jet a)
{
    return (tn_range_jet){neg(a.v), neg(a.d), neg(a.dd)};
}

static tn_range_jet jet_add(tn_range_jet a, tn_range_jet b)
{
    return (tn_range_jet){add(a.v, b.v), add(a.d, b.d), add(a.dd, b.dd)};
}

tn_range_jet tn_range_sub(tn_range_jet a, tn_range_jet b)
{
    return jet_add(a, jet_neg(b));
}

tn_range_jet tn_range_broken(tn_range_jet a)
{
    return (tn_range_jet){a.v, ANY, ANY};
}

static tn_range_jet jet_mul(tn_range_jet a, tn_range_jet b)
{
    const tn_interval cross = scaled(2.0, mul(a.d, b.d));
    return (tn_range_jet){mul(a.v, b.v), add(mul(a.d, b.v), mul(a.v, b.d)),
                          add(add(mul(a.dd, b.v), cross), mul(a.v, b.dd))};
}

static tn_range_jet jet_div(tn_range_jet a, tn_range_jet b)
{
    const tn_interval r = inverse(b.v);
    const tn_interval r1 = neg(square(r)), r2 = scaled(2.0, power(r, 3.0));
    return jet_mul(a, chain(b, r, r1, r2));
}

static tn_range_jet jet_hull(tn_range_jet a, tn_range_jet b)
{
    return (tn_range_jet){hull(a.v, b.v), hull(a.d, b.d), hull(a.dd, b.dd)};
}

// A function that is one of the two, with a corner between them but no jump.
static tn_range_jet either(tn_range_jet a, tn_range_jet b)
{
    tn_range_jet out = jet_hull(a, b);
    out.dd = ANY;
    return out;
}

tn_range_jet tn_range_jet_least(tn_range_jet a, tn_range_jet b)
{
    if (a.v.high < b.v.low)
        return a;
    if (b.v.high < a.v.low)
        return b;
    tn_range_jet out = either(a, b);
    out.v.high = fmin(a.v.high, b.v.high);
    return out;
}

tn_range_jet tn_range_jet_most(tn_range_jet a, tn_range_jet b)
{
    return jet_neg(tn_range_jet_least(jet_neg(a), jet_neg(b)));
}

// Operators ---------------------------------------------------------------------------------------

#define OPERATION(name) \
    tn_range_jet *tn_over_##name(tn_range_jet *top, const tn_instruction *at, tn_interval t)

OPERATION(number)
{
    *++top = tn_range_number(at->argument);
    return top;
}

OPERATION(time)
{
    *++top = (tn_range_jet){t, {1.0, 1.0}, ZERO};
    return top;
}

OPERATION(copy)
{
    const tn_range_jet x = top[-(int)at->argument];
    *++top = x;
    return top;
}

OPERATION(keep)
{
    const tn_range_jet x = *top;
    top -= at->operands - 1;
    *top = x;
    return top;
}

OPERATION(neg)
{
    *top = jet_neg(*top);
    return top;
}

// 1, 0, or one after the other.
static tn_range_jet truth(bool always, bool never)
{
    if (always || never)
        return tn_range_number(always ? 1.0 : 0.0);
    return (tn_range_jet){{0.0, 1.0}, ANY, ANY};
}

static bool always(tn_range_jet a)
{
    return !tn_range_has_zero(a.v);
}

static bool never(tn_range_jet a)
{
    return a.v.low == 0.0 && a.v.high == 0.0;
}

#define BINARY(name, result)                      \
    OPERATION(name)                               \
    {                                             \
        (void)at, (void)t;                        \
        const tn_range_jet a = top[-1], b = *top; \
        *--top = (result);                        \
        return top;                               \
    }

static bool apart(tn_range_jet a, tn_range_jet b)
{
    return a.v.high < b.v.low || b.v.high < a.v.low;
}

static bool same(tn_range_jet a, tn_range_jet b)
{
    return a.v.low == a.v.high && b.v.low == b.v.high && a.v.low == b.v.low;
}

BINARY(or, truth(always(a) || always(b), never(a) && never(b)))
BINARY(and, truth(always(a) && always(b), never(a) || never(b)))
BINARY(equal, truth(same(a, b), apart(a, b)))
BINARY(unequal, truth(apart(a, b), same(a, b)))
BINARY(not_above, truth(a.v.high <= b.v.low, a.v.low > b.v.high))
BINARY(not_below, truth(a.v.low >= b.v.high, a.v.high < b.v.low))
BINARY(below, truth(a.v.high < b.v.low, a.v.low >= b.v.high))
BINARY(above, truth(a.v.low > b.v.high, a.v.high <= b.v.low))
BINARY(add, jet_add(a, b))
BINARY(sub, tn_range_sub(a, b))
BINARY(mul, jet_mul(a, b))
BINARY(div, jet_div(a, b))

OPERATION(if)
{
    top -= 2;
    if (always(top[0]))
        top[0] = top[1];
    else if (never(top[0]))
        top[0] = top[2];
    else
        top[0] = tn_range_broken(jet_hull(top[1], top[2]));
    return top;
}

// The angle is the largest and smallest at corners, unless the origin or the cut is among the
// points.
static tn_range_jet angle(tn_range_jet y, tn_range_jet x)
{
    if (x.v.low <= 0.0 && tn_range_has_zero(y.v))
        return (tn_range_jet){outwards(-M_PI, M_PI), ANY, ANY};
    const double p = atan2(y.v.low, x.v.low), q = atan2(y.v.low, x.v.high);
    const double r = atan2(y.v.high, x.v.low), s = atan2(y.v.high, x.v.high);
    const tn_interval value = outwards(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
    const tn_interval turn = inverse(add(square(x.v), square(y.v)));
    const tn_interval d = mul(turn, sub(mul(x.v, y.d), mul(y.v, x.d)));
    const tn_interval radial = add(mul(x.v, x.d), mul(y.v, y.d));
    const tn_interval ahead = sub(mul(x.v, y.dd), mul(y.v, x.dd));
    return (tn_range_jet){value, d, mul(turn, sub(ahead, scaled(2.0, mul(d, radial))))};
}

BINARY(atan2, angle(a, b))

// The power of a negative number has a value where the exponent is whole at the moment.
static tn_range_jet moving_power(tn_range_jet u, tn_range_jet p)
{
    if (u.v.low < 0.0)
        return (tn_range_jet){ANY, ANY, ANY};
    const tn_interval base = positive(u.v), r = inverse(base);
    const tn_range_jet logarithm = chain(u, rising(log, base), r, neg(square(r)));
    const tn_range_jet x = jet_mul(p, logarithm);
    const tn_interval g = rising(exp, x.v);
    return chain(x, g, g, g);
}

static tn_range_jet jet_pow(tn_range_jet u, tn_range_jet p)
{
    const double n = p.v.low;
    if (n != p.v.high || !never((tn_range_jet){.v = p.d}))
        return moving_power(u, p);
    const double c1 = n, c2 = n * (n - 1.0);
    return chain(u, power(u.v, n), c1 == 0.0 ? ZERO : scaled(c1, power(u.v, n - 1.0)),
                 c2 == 0.0 ? ZERO : scaled(c2, power(u.v, n - 2.0)));
}

BINARY(pow, jet_pow(a, b))

// Functions ---------------------------------------------------------------------------------------

// A function of one argument with range x; g, g1, g2 are the ranges of the function and its
// derivatives.
#define UNARY(name, domain, value, first, second)                  \
    OPERATION(name)                                                \
    {                                                              \
        (void)at, (void)t;                                         \
        const tn_interval x = (domain), g = (value), g1 = (first); \
        *top = chain(*top, g, g1, (second));                       \
        return top;                                                \
    }

static tn_interval tangent(tn_interval x)
{
    if (!(x.high - x.low < M_PI) || meets(x, 0.5 * M_PI, M_PI))
        return ANY;
    return outwards(tan(x.low), tan(x.high));
}

static tn_interval even_cosh(tn_interval x)
{
    const double p = cosh(x.low), q = cosh(x.high);
    return outwards(tn_range_has_zero(x) ? 1.0 : fmin(p, q), fmax(p, q));
}

static const double LOG10_E = 0.43429448190325182765; // 1 / log(10)
static const tn_interval ONE = {1.0, 1.0};

// 1 / sqrt((1 - x)(1 + x))
static tn_interval arc_slope(tn_interval x)
{
    return inverse(power(positive(mul(sub(ONE, x), add(ONE, x))), 0.5));
}

static tn_interval falling_acos(tn_interval x)
{
    return outwards(acos(x.high), acos(x.low));
}

// clang-format off
UNARY(sin, top->v, wave(sin, x, 0.5 * M_PI), wave(cos, x, 0.0), neg(g))
UNARY(cos, top->v, wave(cos, x, 0.0), neg(wave(sin, x, 0.5 * M_PI)), neg(g))
UNARY(tan, top->v, tangent(x), add(ONE, square(g)), scaled(2.0, mul(g, g1)))
UNARY(asin, within(top->v, -1.0, 1.0), rising(asin, x), arc_slope(x), mul(x, power(g1, 3.0)))
UNARY(acos, within(top->v, -1.0, 1.0), falling_acos(x), neg(arc_slope(x)), mul(x, power(g1, 3.0)))
UNARY(atan, top->v, rising(atan, x), inverse(add(ONE, square(x))), scaled(-2.0, mul(x, square(g1))))
UNARY(sinh, top->v, rising(sinh, x), even_cosh(x), g)
UNARY(cosh, top->v, even_cosh(x), rising(sinh, x), g)
UNARY(tanh, top->v, rising(tanh, x), inverse(square(even_cosh(x))), scaled(-2.0, mul(g, g1)))
UNARY(exp, top->v, rising(exp, x), g, g)
UNARY(log, positive(top->v), rising(log, x), inverse(x), neg(square(g1)))
UNARY(log10, positive(top->v), rising(log10, x), scaled(LOG10_E, inverse(x)), neg(ratio(g1, x)))
UNARY(sqrt, positive(top->v), rising(sqrt, x), scaled(0.5, inverse(g)), scaled(-0.5, ratio(g1, x)))
// clang-format on

OPERATION(abs)
{
    if (top->v.high < 0.0) {
        *top = jet_neg(*top);
    } else if (top->v.low < 0.0) {
        *top = either(*top, jet_neg(*top));
        top->v.low = 0.0;
    }
    return top;
}

OPERATION(sign)
{
    if (!tn_range_has_zero(top->v))
        *top = tn_range_number(top->v.low > 0.0 ? 1.0 : -1.0);
    else if (!never(*top))
        *top = (tn_range_jet){{-1.0, 1.0}, ANY, ANY};
    return top;
}

OPERATION(min)
{
    for (int k = 1; k < at->operands; k++, top--)
        top[-1] = tn_range_jet_least(top[-1], top[0]);
    return top;
}

OPERATION(max)
{
    for (int k = 1; k < at->operands; k++, top--)
        top[-1] = tn_range_jet_most(top[-1], top[0]);
    return top;
}

// s^2 (3 - 2 s), which rises between 0 and 1; s (1 - s) is the largest at 1/2.
static tn_range_jet step_weight(tn_range_jet s)
{
    const tn_interval x = within(s.v, 0.0, 1.0);
    const double p = x.low * (1.0 - x.low), q = x.high * (1.0 - x.high);
    const double most = x.low <= 0.5 && x.high >= 0.5 ? 0.25 : fmax(p, q);
    return chain(
        s, outwards(x.low * x.low * (3.0 - 2.0 * x.low), x.high * x.high * (3.0 - 2.0 * x.high)),
        scaled(6.0, outwards(fmin(p, q), most)), sub((tn_interval){6.0, 6.0}, scaled(12.0, x)));
}

OPERATION(step)
{
    top -= 4;
    const tn_range_jet x = top[0], x0 = top[1], u0 = top[2], x1 = top[3], u1 = top[4];
    const bool begun = x.v.low > x0.v.high, over = x.v.low >= x1.v.high && begun;
    if (x.v.high <= x0.v.low || over) {
        *top = over ? u1 : u0;
        return top;
    }
    const tn_range_jet s = jet_div(tn_range_sub(x, x0), tn_range_sub(x1, x0));
    const tn_range_jet way = jet_add(u0, jet_mul(tn_range_sub(u1, u0), step_weight(s)));
    if (!(begun && x.v.high < x1.v.low))
        *top = either(way, either(u0, u1));
    else
        *top = way;
    if (!(x0.v.high < x1.v.low)) // no way between the two
        *top = tn_range_broken(*top);
    return top;
}

// As in operation.c.
static int choice_at(double i, int operands)
{
    int k = 1;
    while (k + 1 < operands && i > k + 0.5)
        k++;
    return k;
}

OPERATION(select)
{
    top -= at->operands - 1;
    const int from = choice_at(top->v.low, at->operands), to = choice_at(top->v.high, at->operands);
    tn_range_jet out = top[from];
    for (int k = from + 1; k <= to; k++)
        out = jet_hull(out, top[k]);
    *top = from < to ? tn_range_broken(out) : out;
    return top;
}

static tn_interval even_log_cosh(tn_interval u)
{
    const double p = tn_log_cosh(u.low), q = tn_log_cosh(u.high);
    return outwards(tn_range_has_zero(u) ? tn_log_cosh(0.0) : fmin(p, q), fmax(p, q));
}

static tn_range_jet softened(tn_range_jet x, tn_range_jet w)
{
    const tn_range_jet u = jet_div(x, w);
    return jet_mul(
        w, chain(u, even_log_cosh(u.v), rising(tanh, u.v), inverse(square(even_cosh(u.v)))));
}

BINARY(smooth_abs, softened(a, b))

// With two arguments the derivatives are unknown, unless both rest.
OPERATION(table)
{
    const bool two = at->operands == 2;
    top -= at->operands - 1;
    const tn_interval a[2] = {top[0].v, two ? top[1].v : ZERO};
    tn_interval g[3];
    tn_grid_range(at->table, a, g);
    *top = chain(*top, g[0], g[1], g[2]);
    if (two && !never((tn_range_jet){.v = hull(top[0].d, top[1].d)}))
        *top = (tn_range_jet){g[0], ANY, ANY};
    return top;
}
