// SPDX-License-Identifier: MIT
//
// The operators and functions of expressions: on jets, with first and second derivative in t, and
// on numbers, with partial derivatives and conditions. A new function is one entry in the table,
// for one argument with its line in UNARY; one that is made of others is an expression there.

#include "signal/expression.h"

#include "base/status.h"
#include "signal/grid.h"

#include <float.h>
#include <limits.h>

#define ON_JETS(name) static tn_jet *op_##name(tn_jet *top, const tn_instruction *at, double t)
#define ON_NUMBERS(name) static double slope_##name(const tn_site *p)

// Values ------------------------------------------------------------------------------------------

ON_JETS(number)
{
    *++top = tn_jet_number(at->argument);
    return top;
}

ON_JETS(time)
{
    *++top = (tn_jet){t, 1.0, 0.0};
    return top;
}

ON_JETS(variable)
{
    TN_ASSERT(false && "variables have values in formulas only");
    *++top = tn_jet_number(NAN);
    return top;
}

ON_JETS(copy)
{
    const tn_jet x = top[-(int)at->argument];
    *++top = x;
    return top;
}

ON_JETS(keep)
{
    const tn_jet x = *top;
    top -= at->operands - 1;
    *top = x;
    return top;
}

// Decisions ---------------------------------------------------------------------------------------

static int sign_of(double s)
{
    return (s > 0.0) - (s < 0.0);
}

// Mode of condition k of an operation, decided by s, -1, 0 or 1: as the caller says, else by the
// numbers. Puts s where it is asked for.
static int decide_side(const tn_site *p, int k, double s)
{
    TN_ASSERT(k >= 0 && k < tn_decision_count(p->at));
    if (p->s)
        p->s[k] = s;
    const int side = p->side ? p->side[k] : 0;
    return side == TN_SIDE_ZERO ? 0 : side != 0 ? side : sign_of(s);
}

// The value of operand k, with the derivatives of it alone.
static double chosen(const tn_site *p, int k)
{
    TN_ASSERT(k >= 0 && k < p->at->operands);
    for (int i = 0; p->d && i < p->at->operands; i++)
        p->d[i] = i == k;
    return p->a[k];
}

// A value that does not change with any operand.
static double level(const tn_site *p, double value)
{
    for (int i = 0; p->d && i < p->at->operands; i++)
        p->d[i] = 0.0;
    return value;
}

int tn_decision_count(const tn_instruction *at)
{
    switch (at->rule) {
    case TN_RULE_COMPARE:
    case TN_RULE_SIGN:
    case TN_RULE_ABS:
    case TN_RULE_ANGLE:
    case TN_RULE_HELD:
        return 1;
    case TN_RULE_STEP:
        return 2;
    case TN_RULE_LEAST:
    case TN_RULE_MOST:
        return at->operands - 1;
    case TN_RULE_CHOICE:
        return at->operands - 2;
    case TN_RULE_TABLE:
        return at->table->nknot[0] + at->table->nknot[1];
    default:
        return 0;
    }
}

// Operators ---------------------------------------------------------------------------------------

ON_JETS(neg)
{
    *top = tn_jet_neg(*top);
    return top;
}

ON_NUMBERS(neg)
{
    if (p->d)
        p->d[0] = -1.0;
    return -p->a[0];
}

ON_JETS(if)
{
    top -= 2;
    top[0] = top[0].v != 0.0 ? top[1] : top[2];
    return top;
}

// The condition is made of comparisons, which decide.
ON_NUMBERS(if)
{
    return chosen(p, p->a[0] != 0.0 ? 1 : 2);
}

// An operation on jets of two operands a, b.
#define BINARY(name, result)                  \
    ON_JETS(name)                             \
    {                                         \
        (void)at, (void)t;                    \
        const tn_jet a = top[-1], b = top[0]; \
        *--top = (result);                    \
        return top;                           \
    }

BINARY(or, tn_jet_number(a.v != 0.0 || b.v != 0.0))
BINARY(and, tn_jet_number(a.v != 0.0 && b.v != 0.0))
BINARY(add, tn_jet_add(a, b))
BINARY(sub, tn_jet_sub(a, b))
BINARY(mul, tn_jet_mul(a, b))
BINARY(div, tn_jet_div(a, b))
BINARY(pow, tn_jet_pow(a, b))
BINARY(atan2, tn_jet_atan2(a, b))

ON_NUMBERS(or)
{
    return level(p, p->a[0] != 0.0 || p->a[1] != 0.0);
}

ON_NUMBERS(and)
{
    return level(p, p->a[0] != 0.0 && p->a[1] != 0.0);
}

// A comparison of two operands is one of the sign of their difference with zero. Infinite operands
// that are equal have no difference.
#define COMPARISON(name, relation)                                      \
    BINARY(name, tn_jet_number(a.v relation b.v))                       \
    ON_NUMBERS(name)                                                    \
    {                                                                   \
        const double a = p->a[0], b = p->a[1];                          \
        const int side = decide_side(p, 0, a == b ? 0.0 : a - b);       \
        return level(p, isnan(a - b) ? a relation b : side relation 0); \
    }

COMPARISON(equal, ==)
COMPARISON(unequal, !=)
COMPARISON(not_above, <=)
COMPARISON(not_below, >=)
COMPARISON(below, <)
COMPARISON(above, >)

// Squares are most of the powers that people write.
static double power(double a, double b)
{
    return b == 2.0 ? a * a : b == 1.0 ? a : pow(a, b);
}

// Arithmetic on numbers with its two partial derivatives.
#define ARITHMETIC(name, value, by_a, by_b)     \
    ON_NUMBERS(name)                            \
    {                                           \
        const double a = p->a[0], b = p->a[1];  \
        const double g = (value);               \
        if (p->d)                               \
            p->d[0] = (by_a), p->d[1] = (by_b); \
        return g;                               \
    }

ARITHMETIC(add, a + b, 1.0, 1.0)
ARITHMETIC(sub, a - b, 1.0, -1.0)
ARITHMETIC(mul, a *b, b, a)
ARITHMETIC(div, a / b, 1.0 / b, -g / b)
ARITHMETIC(pow, power(a, b), b == 0.0 ? 0.0 : b * power(a, b - 1.0), tn_jet_term(log(a), g))

// The branch cut is on the left. Above it and on the right max(x, y) is positive, in the quadrant
// below it negative: there are two branches, each of which goes on smoothly beyond both its ends.
ON_NUMBERS(atan2)
{
    static const double TURN = 6.28318530717958647693, EIGHTH = 0.78539816339744830962;
    const double y = p->a[0], x = p->a[1], r2 = x * x + y * y;
    double angle = atan2(y, x);
    const bool frozen = p->side && p->side[0] != 0;
    const int side = decide_side(p, 0, fmax(x, y));
    if (p->d)
        p->d[0] = x / r2, p->d[1] = -y / r2;
    if (frozen && side > 0 && angle < -3.0 * EIGHTH)
        angle += TURN;
    if (frozen && side < 0 && angle > EIGHTH)
        angle -= TURN;
    return angle;
}

// A table of one or two arguments a, b, with f' = f_x a' + f_y b', and once more.
ON_JETS(table)
{
    TN_ASSERT(at->operands == at->table->narg);
    top -= at->operands - 1;
    const tn_jet a = top[0], b = at->operands == 2 ? top[1] : tn_jet_number(0.0);
    const tn_grid_value g = tn_grid_eval(at->table, (double[2]){a.v, b.v}, NULL);
    const double bend = tn_jet_term(g.xx, a.d * a.d) + tn_jet_term(g.yy, b.d * b.d);
    const double drift = tn_jet_term(g.x, a.dd) + tn_jet_term(g.y, b.dd);
    *top = (tn_jet){g.f, tn_jet_term(g.x, a.d) + tn_jet_term(g.y, b.d),
                    bend + tn_jet_term(2.0 * g.xy, a.d * b.d) + drift};
    return top;
}

ON_NUMBERS(table)
{
    const tn_grid *table = p->at->table;
    int piece[2] = {0, 0};
    for (int k = 0, d = 0; k < table->narg; k++)
        for (int i = 0; i < table->nknot[k]; i++, d++)
            if (decide_side(p, d, p->a[k] - table->knot[k][i]) > 0)
                piece[k] = i + 1;
    const tn_grid_value g = tn_grid_eval(table, p->a, piece);
    if (p->d)
        p->d[0] = g.x;
    if (p->d && table->narg == 2)
        p->d[1] = g.y;
    return g.f;
}

// 1 from where x reaches the upper end of the band, 0 from where it falls to the lower one. The
// mode of the condition itself is its memory: its function is the distance to the end at which the
// value changes, with the sign of the mode while it holds. To be at that end is to change. Without
// a mode, which is at the start, operand 3 gives the value within the band.
ON_NUMBERS(hysteresis)
{
    const double x = p->a[0], low = fmin(p->a[1], p->a[2]), high = fmax(p->a[1], p->a[2]);
    const int side = p->side ? p->side[0] : 0;
    const bool on = side > 0 || (side == 0 && (x >= high || (x > low && p->a[3] != 0.0)));
    double s = x - (on ? low : high);
    if (s == 0.0)
        s = on ? -DBL_MIN : DBL_MIN;
    (void)decide_side(p, 0, isnan(s) ? (on ? 1.0 : -1.0) : s);
    return level(p, isnan(x) ? x : on);
}

#define OPERATION(name, rule)                         \
    {                                                 \
        op_##name, tn_over_##name, slope_##name, rule \
    }

const tn_operation tn_op_number = {op_number, tn_over_number, NULL, TN_RULE_SUM};
const tn_operation tn_op_time = {op_time, tn_over_time, NULL, TN_RULE_SUM};
const tn_operation tn_op_variable = {op_variable, tn_over_number, NULL, TN_RULE_SUM};
const tn_operation tn_op_copy = {op_copy, tn_over_copy, NULL, TN_RULE_COPY};
const tn_operation tn_op_keep = {op_keep, tn_over_keep, NULL, TN_RULE_KEEP};
const tn_operation tn_op_neg = OPERATION(neg, TN_RULE_SUM);
const tn_operation tn_op_pow = OPERATION(pow, TN_RULE_ROOT);
const tn_operation tn_op_table = OPERATION(table, TN_RULE_TABLE);
const tn_operation tn_op_if = OPERATION(if, TN_RULE_SELECT);
const tn_operation tn_op_hysteresis = {NULL, NULL, slope_hysteresis, TN_RULE_HELD};

const tn_operator tn_operators[] = {
    {"||", 1, OPERATION(or, TN_RULE_LOGIC)},
    {"&&", 2, OPERATION(and, TN_RULE_LOGIC)},
    {"==", TN_PRECEDENCE_COMPARE, OPERATION(equal, TN_RULE_COMPARE)},
    {"!=", TN_PRECEDENCE_COMPARE, OPERATION(unequal, TN_RULE_COMPARE)},
    {"<=", TN_PRECEDENCE_COMPARE, OPERATION(not_above, TN_RULE_COMPARE)},
    {">=", TN_PRECEDENCE_COMPARE, OPERATION(not_below, TN_RULE_COMPARE)},
    {"<", TN_PRECEDENCE_COMPARE, OPERATION(below, TN_RULE_COMPARE)},
    {">", TN_PRECEDENCE_COMPARE, OPERATION(above, TN_RULE_COMPARE)},
    {"+", 4, OPERATION(add, TN_RULE_SUM)},
    {"-", 4, OPERATION(sub, TN_RULE_SUM)},
    {"*", 5, OPERATION(mul, TN_RULE_PRODUCT)},
    {"/", 5, OPERATION(div, TN_RULE_RATIO)},
};
const int tn_operator_count = TN_COUNT(tn_operators);

// Functions ---------------------------------------------------------------------------------------

// A function of one argument x with value g, which the derivatives may use, and g', g''.
#define UNARY(name, value, first, second)                   \
    ON_JETS(name)                                           \
    {                                                       \
        (void)at, (void)t;                                  \
        const double x = top->v, g = (value), g1 = (first); \
        *top = tn_jet_chain(*top, g, g1, (second));         \
        return top;                                         \
    }                                                       \
    ON_NUMBERS(name)                                        \
    {                                                       \
        const double x = p->a[0], g = (value);              \
        if (p->d)                                           \
            p->d[0] = (first);                              \
        return g;                                           \
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
// clang-format on

ON_JETS(abs)
{
    const double x = top->v;
    *top = tn_jet_chain(*top, fabs(x), x < 0.0 ? -1.0 : 1.0, 0.0);
    return top;
}

ON_NUMBERS(abs)
{
    const double slope = decide_side(p, 0, p->a[0]) < 0 ? -1.0 : 1.0;
    if (p->d)
        p->d[0] = slope;
    return slope * p->a[0];
}

ON_JETS(sign)
{
    const double x = top->v;
    *top = tn_jet_number(isnan(x) ? x : sign_of(x));
    return top;
}

ON_NUMBERS(sign)
{
    const double x = p->a[0];
    const int side = decide_side(p, 0, x);
    return level(p, isnan(x) ? x : side);
}

ON_JETS(min)
{
    for (int k = 1; k < at->operands; k++, top--)
        if (top[0].v < top[-1].v)
            top[-1] = top[0];
    return top;
}

ON_JETS(max)
{
    for (int k = 1; k < at->operands; k++, top--)
        if (top[0].v > top[-1].v)
            top[-1] = top[0];
    return top;
}

// The best so far is compared with one operand after the other, from the last to the first.
static double extreme(const tn_site *p, int sense)
{
    int best = p->at->operands - 1;
    for (int k = 0, i = best - 1; i >= 0; k++, i--)
        if (sense * decide_side(p, k, p->a[best] - p->a[i]) <= 0)
            best = i;
    return chosen(p, best);
}

ON_NUMBERS(min)
{
    return extreme(p, -1);
}

ON_NUMBERS(max)
{
    return extreme(p, 1);
}

ON_JETS(step)
{
    top -= 4;
    *top = tn_jet_step(top[0], top[1], top[2], top[3], top[4]);
    return top;
}

// u0 + (u1 - u0) w(s), s = (x - x0) / (x1 - x0).
static double step_way(const tn_site *p)
{
    const double *a = p->a, width = a[3] - a[1], rise = a[4] - a[2], s = (a[0] - a[1]) / width;
    const double w = s * s * (3.0 - 2.0 * s), by_x = rise * 6.0 * s * (1.0 - s) / width;
    if (p->d) {
        p->d[0] = by_x;
        p->d[1] = -by_x * (1.0 - s);
        p->d[2] = 1.0 - w;
        p->d[3] = -by_x * s;
        p->d[4] = w;
    }
    return a[2] + rise * w;
}

// A condition that is not a number makes a result that is none.
ON_NUMBERS(step)
{
    const double since = p->a[0] - p->a[1], past = p->a[0] - p->a[3];
    const int begun = decide_side(p, 0, since), over = decide_side(p, 1, past);
    if (begun <= 0 && !isnan(since))
        return chosen(p, 2);
    return over >= 0 && !isnan(past) ? chosen(p, 4) : step_way(p);
}

// The value with the number nearest to i, from 1 on; the first and the last reach to infinity.
ON_JETS(select)
{
    int k = 1;
    top -= at->operands - 1;
    while (k + 1 < at->operands && top->v > k + 0.5)
        k++;
    *top = isnan(top->v) ? tn_jet_number(NAN) : top[k];
    return top;
}

ON_NUMBERS(select)
{
    int chosen_one = 1;
    for (int k = 1; k + 1 < p->at->operands; k++)
        if (decide_side(p, k - 1, p->a[0] - (k + 0.5)) > 0)
            chosen_one = k + 1;
    return isnan(p->a[0]) ? level(p, NAN) : chosen(p, chosen_one);
}

BINARY(smooth_abs, tn_jet_smooth_abs(a, b))
ARITHMETIC(smooth_abs, b *tn_log_cosh(a / b), tanh(a / b), (g - a * tanh(a / b)) / b)

// A function that is made of others.
#define MADE                             \
    {                                    \
        NULL, NULL, NULL, TN_RULE_SMOOTH \
    }

const tn_function_entry tn_functions[] = {
    {"sin", 1, 1, OPERATION(sin, TN_RULE_WAVE), NULL, NULL},
    {"cos", 1, 1, OPERATION(cos, TN_RULE_WAVE), NULL, NULL},
    {"tan", 1, 1, OPERATION(tan, TN_RULE_WAVE), NULL, NULL},
    {"asin", 1, 1, OPERATION(asin, TN_RULE_ARC), NULL, NULL},
    {"acos", 1, 1, OPERATION(acos, TN_RULE_ARC), NULL, NULL},
    {"atan", 1, 1, OPERATION(atan, TN_RULE_SMOOTH), NULL, NULL},
    {"atan2", 2, 2, OPERATION(atan2, TN_RULE_ANGLE), NULL, NULL},
    {"sinh", 1, 1, OPERATION(sinh, TN_RULE_SMOOTH), NULL, NULL},
    {"cosh", 1, 1, OPERATION(cosh, TN_RULE_SMOOTH), NULL, NULL},
    {"tanh", 1, 1, OPERATION(tanh, TN_RULE_SMOOTH), NULL, NULL},
    {"exp", 1, 1, OPERATION(exp, TN_RULE_SMOOTH), NULL, NULL},
    {"log", 1, 1, OPERATION(log, TN_RULE_SMOOTH), NULL, NULL},
    {"ln", 1, 1, OPERATION(log, TN_RULE_SMOOTH), NULL, NULL},
    {"log10", 1, 1, OPERATION(log10, TN_RULE_SMOOTH), NULL, NULL},
    {"sqrt", 1, 1, OPERATION(sqrt, TN_RULE_ROOT), NULL, NULL},
    {"abs", 1, 1, OPERATION(abs, TN_RULE_ABS), NULL, NULL},
    {"sign", 1, 1, OPERATION(sign, TN_RULE_SIGN), NULL, NULL},
    {"min", 1, INT_MAX, OPERATION(min, TN_RULE_LEAST), NULL, NULL},
    {"max", 1, INT_MAX, OPERATION(max, TN_RULE_MOST), NULL, NULL},
    {"if", 3, 3, OPERATION(if, TN_RULE_SELECT), NULL, NULL},
    {"step", 5, 5, OPERATION(step, TN_RULE_STEP), NULL, NULL},
    {"select", 2, INT_MAX, OPERATION(select, TN_RULE_CHOICE), NULL, NULL},
    {"smooth_abs", 2, 2, OPERATION(smooth_abs, TN_RULE_SMOOTH), NULL, NULL},
    {"hypot", 2, 2, MADE, "xy", "sqrt(x^2 + y^2)"},
    {"clamp", 3, 3, MADE, "xlh", "min(max(x, l), h)"},
    {"limited", 4, 4, MADE, "rxlh", "if((x >= h && r > 0) || (x <= l && r < 0), 0, r)"},
    {"deadband", 2, 2, MADE, "xd", "x - min(max(x, -d), d)"},
    {"smooth_sign", 2, 2, MADE, "xw", "tanh(x/w)"},
    {"smooth_step", 2, 2, MADE, "xw", "(1 + tanh(x/w))/2"},
    {"smooth_min", 3, 3, MADE, "abw", "(a + b - smooth_abs(a - b, w))/2"},
    {"smooth_max", 3, 3, MADE, "abw", "(a + b + smooth_abs(a - b, w))/2"},
    {"smooth_clamp", 4, 4, MADE, "xlhw", "(l + h + smooth_abs(x - l, w) - smooth_abs(x - h, w))/2"},
    {"smooth_deadband", 3, 3, MADE, "xdw", "x - (smooth_abs(x + d, w) - smooth_abs(x - d, w))/2"},
};
const int tn_function_count = TN_COUNT(tn_functions);
