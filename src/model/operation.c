// SPDX-License-Identifier: MIT
//
// The operators and functions of expressions, each with its first and second derivative. A new
// function is one entry in the table, for one argument with its line in UNARY.

#include "model/expression.h"

#include "base/status.h"

#include <limits.h>

tn_jet *tn_op_number(tn_jet *top, double argument, double t)
{
    *++top = tn_jet_number(argument);
    return top;
}

tn_jet *tn_op_time(tn_jet *top, double argument, double t)
{
    *++top = (tn_jet){t, 1.0, 0.0};
    return top;
}

tn_jet *tn_op_neg(tn_jet *top, double argument, double t)
{
    *top = tn_jet_neg(*top);
    return top;
}

tn_jet *tn_op_select(tn_jet *top, double argument, double t)
{
    top -= 2;
    top[0] = top[0].v != 0.0 ? top[1] : top[2];
    return top;
}

// An operation on two operands a, b.
#define BINARY(name, result)                                         \
    static tn_jet *op_##name(tn_jet *top, double argument, double t) \
    {                                                                \
        (void)argument, (void)t;                                     \
        const tn_jet a = top[-1], b = top[0];                        \
        *--top = (result);                                           \
        return top;                                                  \
    }

BINARY(or, tn_jet_number(a.v != 0.0 || b.v != 0.0))
BINARY(and, tn_jet_number(a.v != 0.0 && b.v != 0.0))
BINARY(equal, tn_jet_number(a.v == b.v))
BINARY(unequal, tn_jet_number(a.v != b.v))
BINARY(not_above, tn_jet_number(a.v <= b.v))
BINARY(not_below, tn_jet_number(a.v >= b.v))
BINARY(below, tn_jet_number(a.v < b.v))
BINARY(above, tn_jet_number(a.v > b.v))
BINARY(add, tn_jet_add(a, b))
BINARY(sub, tn_jet_sub(a, b))
BINARY(mul, tn_jet_mul(a, b))
BINARY(div, tn_jet_div(a, b))
BINARY(atan2, tn_jet_atan2(a, b))

tn_jet *tn_op_pow(tn_jet *top, double argument, double t)
{
    top--;
    *top = tn_jet_pow(top[0], top[1]);
    return top;
}

const tn_operator tn_operators[] = {
    {"||", 1, op_or, tn_over_or, TN_RULE_LOGIC},
    {"&&", 2, op_and, tn_over_and, TN_RULE_LOGIC},
    {"==", TN_PRECEDENCE_COMPARE, op_equal, tn_over_equal, TN_RULE_COMPARE},
    {"!=", TN_PRECEDENCE_COMPARE, op_unequal, tn_over_unequal, TN_RULE_COMPARE},
    {"<=", TN_PRECEDENCE_COMPARE, op_not_above, tn_over_not_above, TN_RULE_COMPARE},
    {">=", TN_PRECEDENCE_COMPARE, op_not_below, tn_over_not_below, TN_RULE_COMPARE},
    {"<", TN_PRECEDENCE_COMPARE, op_below, tn_over_below, TN_RULE_COMPARE},
    {">", TN_PRECEDENCE_COMPARE, op_above, tn_over_above, TN_RULE_COMPARE},
    {"+", 4, op_add, tn_over_add, TN_RULE_SUM},
    {"-", 4, op_sub, tn_over_sub, TN_RULE_SUM},
    {"*", 5, op_mul, tn_over_mul, TN_RULE_PRODUCT},
    {"/", 5, op_div, tn_over_div, TN_RULE_RATIO},
};
const int tn_operator_count = TN_COUNT(tn_operators);

// A function of one argument x with value g, which the derivatives may use, and g', g''.
#define UNARY(name, value, first, second)                            \
    static tn_jet *op_##name(tn_jet *top, double argument, double t) \
    {                                                                \
        (void)argument, (void)t;                                     \
        const double x = top->v, g = (value), g1 = (first);          \
        *top = tn_jet_chain(*top, g, g1, (second));                  \
        return top;                                                  \
    }

// clang-format off
UNARY(sin, sin(x), cos(x), -g)
UNARY(cos, cos(x), -sin(x), -g)
UNARY(tan, tan(x), 1.0 + g * g, 2.0 * g * g1)
UNARY(asin, asin(x), 1.0 / sqrt((1.0 - x) * (1.0 + x)), x * g1 * (g1 * g1))
UNARY(acos, acos(x), -1.0 / sqrt((1.0 - x) * (1.0 + x)), x * g1 * (g1 * g1))
UNARY(atan, atan(x), 1.0 / (1.0 + x * x), -2.0 * x * g1 * g1)
UNARY(sinh, sinh(x), cosh(x), g)
UNARY(cosh, cosh(x), sinh(x), g)
UNARY(tanh, tanh(x), 1.0 / (cosh(x) * cosh(x)), -2.0 * g * g1) // 1 - g^2 would cancel
UNARY(exp, exp(x), g, g)
UNARY(log, log(x), 1.0 / x, -1.0 / (x * x))
UNARY(log10, log10(x), 0.43429448190325182765 / x, -g1 / x) // 1 / log(10)
UNARY(sqrt, sqrt(x), 0.5 / g, -0.5 * g1 / x)
UNARY(abs, fabs(x), x < 0.0 ? -1.0 : 1.0, 0.0 * g1)
UNARY(sign, x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x, 0.0 * g, g1)
// clang-format on

static tn_jet *op_min(tn_jet *top, double argument, double t)
{
    for (int k = 1; k < (int)argument; k++, top--)
        if (top[0].v < top[-1].v)
            top[-1] = top[0];
    return top;
}

static tn_jet *op_max(tn_jet *top, double argument, double t)
{
    for (int k = 1; k < (int)argument; k++, top--)
        if (top[0].v > top[-1].v)
            top[-1] = top[0];
    return top;
}

static tn_jet *op_step(tn_jet *top, double argument, double t)
{
    top -= 4;
    *top = tn_jet_step(top[0], top[1], top[2], top[3], top[4]);
    return top;
}

const tn_function_entry tn_functions[] = {
    {"sin", 1, 1, op_sin, tn_over_sin, TN_RULE_WAVE},
    {"cos", 1, 1, op_cos, tn_over_cos, TN_RULE_WAVE},
    {"tan", 1, 1, op_tan, tn_over_tan, TN_RULE_WAVE},
    {"asin", 1, 1, op_asin, tn_over_asin, TN_RULE_ARC},
    {"acos", 1, 1, op_acos, tn_over_acos, TN_RULE_ARC},
    {"atan", 1, 1, op_atan, tn_over_atan, TN_RULE_SMOOTH},
    {"atan2", 2, 2, op_atan2, tn_over_atan2, TN_RULE_ANGLE},
    {"sinh", 1, 1, op_sinh, tn_over_sinh, TN_RULE_SMOOTH},
    {"cosh", 1, 1, op_cosh, tn_over_cosh, TN_RULE_SMOOTH},
    {"tanh", 1, 1, op_tanh, tn_over_tanh, TN_RULE_SMOOTH},
    {"exp", 1, 1, op_exp, tn_over_exp, TN_RULE_SMOOTH},
    {"log", 1, 1, op_log, tn_over_log, TN_RULE_SMOOTH},
    {"ln", 1, 1, op_log, tn_over_log, TN_RULE_SMOOTH},
    {"log10", 1, 1, op_log10, tn_over_log10, TN_RULE_SMOOTH},
    {"sqrt", 1, 1, op_sqrt, tn_over_sqrt, TN_RULE_ROOT},
    {"abs", 1, 1, op_abs, tn_over_abs, TN_RULE_ABS},
    {"sign", 1, 1, op_sign, tn_over_sign, TN_RULE_SIGN},
    {"min", 1, INT_MAX, op_min, tn_over_min, TN_RULE_LEAST},
    {"max", 1, INT_MAX, op_max, tn_over_max, TN_RULE_MOST},
    {"if", 3, 3, tn_op_select, tn_over_select, TN_RULE_SELECT},
    {"step", 5, 5, op_step, tn_over_step, TN_RULE_STEP},
};
const int tn_function_count = TN_COUNT(tn_functions);
