// SPDX-License-Identifier: MIT
//
// Interval arithmetic on jets: what a function of time and its derivatives can be between two
// times. Bounds are rounded outwards, so that what they exclude does not happen. Where a function
// may jump its derivatives are bounded by nothing [Moore, Kearfott, Cloud 2009].

#pragma once

typedef struct tn_interval {
    double low, high;
} tn_interval;

typedef struct tn_range_jet {
    tn_interval v, d, dd; // value, first and second derivative
} tn_range_jet;

// As tn_operation (model/expression.h), for all times of a range.
typedef tn_range_jet *(*tn_range_operation)(tn_range_jet *top, double argument, tn_interval t);

tn_range_jet tn_range_number(double value);
tn_range_jet tn_range_sub(tn_range_jet a, tn_range_jet b);
tn_range_jet tn_range_jet_least(tn_range_jet a, tn_range_jet b);
tn_range_jet tn_range_jet_most(tn_range_jet a, tn_range_jet b);
// The same value, with derivatives that may be anything.
tn_range_jet tn_range_broken(tn_range_jet a);

static inline int tn_range_has_zero(tn_interval a)
{
    return a.low <= 0.0 && a.high >= 0.0;
}

// One for each operation of model/operation.c.
#define TN_RANGE_DECLARE(name) \
    tn_range_jet *tn_over_##name(tn_range_jet *top, double argument, tn_interval t)
TN_RANGE_DECLARE(number);
TN_RANGE_DECLARE(time);
TN_RANGE_DECLARE(neg);
TN_RANGE_DECLARE(or);
TN_RANGE_DECLARE(and);
TN_RANGE_DECLARE(equal);
TN_RANGE_DECLARE(unequal);
TN_RANGE_DECLARE(not_above);
TN_RANGE_DECLARE(not_below);
TN_RANGE_DECLARE(below);
TN_RANGE_DECLARE(above);
TN_RANGE_DECLARE(add);
TN_RANGE_DECLARE(sub);
TN_RANGE_DECLARE(mul);
TN_RANGE_DECLARE(div);
TN_RANGE_DECLARE(atan2);
TN_RANGE_DECLARE(pow);
TN_RANGE_DECLARE(select);
TN_RANGE_DECLARE(sin);
TN_RANGE_DECLARE(cos);
TN_RANGE_DECLARE(tan);
TN_RANGE_DECLARE(asin);
TN_RANGE_DECLARE(acos);
TN_RANGE_DECLARE(atan);
TN_RANGE_DECLARE(sinh);
TN_RANGE_DECLARE(cosh);
TN_RANGE_DECLARE(tanh);
TN_RANGE_DECLARE(exp);
TN_RANGE_DECLARE(log);
TN_RANGE_DECLARE(log10);
TN_RANGE_DECLARE(sqrt);
TN_RANGE_DECLARE(abs);
TN_RANGE_DECLARE(sign);
TN_RANGE_DECLARE(min);
TN_RANGE_DECLARE(max);
TN_RANGE_DECLARE(step);
