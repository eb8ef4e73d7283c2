// SPDX-License-Identifier: MIT
//
// Where an expression in t has kinks and jumps. Some of its operations decide by the sign of a
// function s(t): a comparison by the difference of its operands, abs and sign by their operand,
// min and max by differences, step by x - x0 and x - x1. A kink is a zero of such a function.
//
// In pieces between kinks most of them are linear in t, which is known from the operations that
// they are made of: their next zero is t - s / s', however far away, and if an inner kink comes
// before it, that one is found first. All others are looked for: sign changes between times a
// little apart, and between two of them the turning point where s comes nearer to zero and goes
// away again.
//
// Zeros are located to neighbouring numbers on both sides, by the signs that evaluations with
// their round-off will have.

#include "model/expression.h"

#include <float.h>

// Shapes ------------------------------------------------------------------------------------------

static tn_shape widest(int n, const tn_shape *of)
{
    tn_shape most = TN_CONSTANT_PIECES;
    for (int i = 0; i < n; i++)
        most = of[i] > most ? of[i] : most;
    return most;
}

static tn_shape curved_unless_constant(int n, const tn_shape *of)
{
    return widest(n, of) == TN_CONSTANT_PIECES ? TN_CONSTANT_PIECES : TN_CURVED;
}

static tn_shape result_shape(const tn_instruction *at, const tn_shape *of)
{
    switch (at->rule) {
    case TN_SHAPE_SUM:
        return at->run == tn_op_time ? TN_LINEAR_PIECES : widest(at->operands, of);
    case TN_SHAPE_PRODUCT:
        return of[0] == TN_CONSTANT_PIECES   ? of[1]
               : of[1] == TN_CONSTANT_PIECES ? of[0]
                                             : TN_CURVED;
    case TN_SHAPE_RATIO:
        return of[1] == TN_CONSTANT_PIECES ? of[0] : TN_CURVED;
    case TN_SHAPE_LOGIC:
    case TN_SHAPE_COMPARE:
    case TN_SHAPE_SIGN:
        return TN_CONSTANT_PIECES;
    case TN_SHAPE_ABS:
    case TN_SHAPE_LEAST:
    case TN_SHAPE_MOST:
        return widest(at->operands, of);
    case TN_SHAPE_SELECT:
        return of[0] == TN_CONSTANT_PIECES ? widest(2, of + 1) : TN_CURVED;
    case TN_SHAPE_STEP:
    case TN_SHAPE_ANGLE:
    case TN_SHAPE_WAVE:
    case TN_SHAPE_SMOOTH:
        break;
    }
    return curved_unless_constant(at->operands, of);
}

static tn_shape deciding_shape(const tn_instruction *at, const tn_shape *of)
{
    if (at->rule != TN_SHAPE_STEP)
        return widest(at->operands, of);
    const tn_shape ends = of[1] > of[3] ? of[1] : of[3];
    return of[0] > ends ? of[0] : ends;
}

static int deciders(const tn_instruction *at)
{
    switch (at->rule) {
    case TN_SHAPE_COMPARE:
    case TN_SHAPE_SIGN:
    case TN_SHAPE_ABS:
    case TN_SHAPE_ANGLE:
        return 1;
    case TN_SHAPE_STEP:
        return 2;
    case TN_SHAPE_LEAST:
    case TN_SHAPE_MOST:
        return at->operands - 1;
    default:
        return 0;
    }
}

int tn_kinks_prepare(int count, tn_instruction *code)
{
    tn_shape stack[TN_EXPRESSION_STACK + 1], *top = stack; // one above the last
    int n = 0;
    for (int i = 0; i < count; i++) {
        top -= code[i].operands;
        code[i].shape = deciding_shape(&code[i], top);
        n += code[i].shape == TN_CONSTANT_PIECES ? 0 : deciders(&code[i]);
        *top = result_shape(&code[i], top);
        top++;
    }
    return n;
}

// Values ------------------------------------------------------------------------------------------

// All functions that decide, at one time.
typedef struct look {
    int n;
    tn_jet of[TN_KINKS_MAX];
    bool linear[TN_KINKS_MAX];
    double fastest; // rate of the operand of a wave
} look;

static int put_running(const tn_jet *top, int n, double sense, tn_jet *out)
{
    tn_jet best = top[0];
    for (int k = 1; k < n; k++) {
        out[k - 1] = tn_jet_sub(best, top[-k]);
        if (sense * (best.v - top[-k].v) >= 0.0)
            best = top[-k];
    }
    return n - 1;
}

static int decide(const tn_instruction *at, const tn_jet *top, tn_jet *out)
{
    switch (at->rule) {
    case TN_SHAPE_COMPARE:
        out[0] = tn_jet_sub(top[-1], top[0]);
        return 1;
    case TN_SHAPE_SIGN:
    case TN_SHAPE_ABS:
        out[0] = top[0];
        return 1;
    case TN_SHAPE_ANGLE:
        out[0] = top[0].v < 0.0 ? top[-1] : tn_jet_number(1.0);
        return 1;
    case TN_SHAPE_STEP:
        out[0] = tn_jet_sub(top[-4], top[-3]);
        out[1] = tn_jet_sub(top[-4], top[-1]);
        return 2;
    case TN_SHAPE_LEAST:
        return put_running(top, at->operands, 1.0, out);
    case TN_SHAPE_MOST:
        return put_running(top, at->operands, -1.0, out);
    default:
        return 0;
    }
}

static void look_at(const tn_expression *expression, double t, look *out)
{
    const tn_instruction *code;
    const int count = tn_expression_code(expression, &code);
    tn_jet stack[TN_EXPRESSION_STACK + 1], *top = stack; // one below the first value
    out->n = 0;
    out->fastest = 0.0;
    for (int i = 0; i < count; i++) {
        const bool moves = code[i].shape != TN_CONSTANT_PIECES;
        if (moves && code[i].rule == TN_SHAPE_WAVE)
            out->fastest = fmax(out->fastest, fabs(top->d));
        const int n = moves ? decide(&code[i], top, out->of + out->n) : 0;
        for (int k = 0; k < n; k++)
            out->linear[out->n + k] = code[i].shape == TN_LINEAR_PIECES;
        out->n += n;
        top = code[i].run(top, code[i].argument, t);
    }
}

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

static tn_jet value(const tn_expression *expression, int k, double t)
{
    look at;
    look_at(expression, t, &at);
    return at.of[k];
}

static int sign_at(const tn_expression *expression, int k, double t)
{
    return sign_of(value(expression, k, t).v);
}

// Zeros -------------------------------------------------------------------------------------------

// The last number from a on with the sign of a; b has another one and becomes the next number.
static double last_with(const tn_expression *expression, int k, double a, double *b)
{
    const int sign = sign_at(expression, k, a);
    for (;;) {
        const double middle = a + 0.5 * (*b - a);
        if (!(middle > a && middle < *b))
            return a;
        if (sign_at(expression, k, middle) == sign)
            a = middle;
        else
            *b = middle;
    }
}

// Between a and b, which have different signs. Where evaluations give zero at a few numbers, these
// belong to neither side.
static tn_kink locate(const tn_expression *expression, int k, double a, double b)
{
    const double before = last_with(expression, k, a, &b);
    tn_kink kink = {.before = before, .after = b, .t = b};
    if (sign_at(expression, k, b) != 0) {
        const double left = fabs(value(expression, k, kink.before).v);
        kink.t = left <= fabs(value(expression, k, b).v) ? kink.before : b;
        return kink;
    }
    double beyond = b + fmax(tn_time_round_off(b), 64.0 * DBL_EPSILON * DBL_MIN);
    if (sign_at(expression, k, beyond) != 0) {
        last_with(expression, k, b, &beyond);
        kink.after = beyond;
    }
    return kink;
}

// Of a function that is linear from t on to its zero near `zero`, or nearly so in its round-off.
static tn_kink locate_near(const tn_expression *expression, int k, double t, double zero)
{
    const int sign = sign_at(expression, k, t);
    double reach = 8.0 * DBL_EPSILON * fmax(fabs(zero), fabs(t));
    for (int i = 0; i < 12; i++, reach *= 8.0) {
        const double a = fmax(t, zero - reach), b = zero + reach;
        if (sign_at(expression, k, a) == sign && sign_at(expression, k, b) != sign)
            return locate(expression, k, a, b);
    }
    return (tn_kink){zero, nextafter(zero, -INFINITY), nextafter(zero, INFINITY)};
}

// The first zero of linear functions after t: its place, and which function.
static double next_linear(const look *at, double t, int *which)
{
    double first = INFINITY;
    for (int k = 0; k < at->n; k++) {
        const double zero = t - at->of[k].v / at->of[k].d;
        if (!at->linear[k] || !(zero > t) || !(zero < first))
            continue;
        first = zero;
        *which = k;
    }
    return first;
}

// Whether function k, of one sign at a and b, comes to zero between them; then *b is where it has.
static bool comes_back(const tn_expression *expression, int k, double a, const look *at_a,
                       const look *at_b, double *b)
{
    const int sign = sign_of(at_a->of[k].v);
    if (!(sign * at_a->of[k].d < 0.0 && sign * at_b->of[k].d > 0.0))
        return false;
    double low = a, high = *b;
    for (int i = 0; i < 60; i++) {
        const double middle = low + 0.5 * (high - low);
        if (!(middle > low && middle < high))
            break;
        const tn_jet s = value(expression, k, middle);
        if (sign_of(s.v) != sign) {
            *b = middle;
            return true;
        }
        if (sign * s.d < 0.0)
            low = middle;
        else
            high = middle;
    }
    return false;
}

// The first kink of curved functions between a and b, neighbours of the search.
static bool find_between(const tn_expression *expression, double a, double b, const look *at_a,
                         const look *at_b, tn_kink *out)
{
    bool found = false;
    for (int k = 0; k < at_a->n; k++) {
        double end = b;
        if (at_a->linear[k] || (sign_of(at_a->of[k].v) == sign_of(at_b->of[k].v) &&
                                !comes_back(expression, k, a, at_a, at_b, &end)))
            continue;
        const tn_kink kink = locate(expression, k, a, end);
        if (!found || kink.t < out->t)
            *out = kink;
        found = true;
    }
    return found;
}

enum { LOOKS_MAX = 4096 }; // at a time; what is left is looked at later

// Curved functions from t to `end`; where none has a zero out->t is how far they were looked at.
static bool search(const tn_expression *expression, double t, double end, double spacing,
                   const look *first, tn_kink *out)
{
    look at[2];
    double a = t;
    at[0] = *first;
    for (int i = 0; i < LOOKS_MAX && a < end; i++) {
        const look *last = &at[i % 2];
        look *now = &at[(i + 1) % 2];
        const double b = fmin(end, a + fmin(spacing, 0.25 / last->fastest)); // of 0: infinite
        look_at(expression, b, now);
        if (find_between(expression, a, b, last, now, out))
            return true;
        a = b;
    }
    *out = (tn_kink){a, a, a};
    return false;
}

static bool is_searched(const look *at)
{
    for (int k = 0; k < at->n; k++)
        if (!at->linear[k])
            return true;
    return false;
}

bool tn_expression_is_searched(const tn_expression *expression)
{
    look at;
    look_at(expression, 0.0, &at);
    return is_searched(&at);
}

// Functions whose signs change within round-off of a kink have theirs there too: it becomes one,
// with numbers on both sides of all of them. The piece before it is valid from t on.
static void unite_near(const tn_expression *expression, double t, tn_kink *kink)
{
    const double begin = fmax(t, kink->before - tn_time_round_off(kink->before));
    const double end = kink->after + tn_time_round_off(kink->after);
    look at[2];
    look_at(expression, begin, &at[0]);
    look_at(expression, end, &at[1]);
    for (int k = 0; k < at[0].n; k++) {
        if (sign_of(at[0].of[k].v) == sign_of(at[1].of[k].v))
            continue;
        const tn_kink near = locate(expression, k, begin, end);
        kink->before = fmin(kink->before, near.before);
        kink->after = fmax(kink->after, near.after);
    }
}

static bool next_kink(const tn_expression *expression, double t, double end, double spacing,
                      tn_kink *out)
{
    look at;
    int which = 0;
    look_at(expression, t, &at);
    const double zero = next_linear(&at, t, &which);
    const double clear = zero < end ? nextafter(zero, -INFINITY) : end;
    *out = (tn_kink){clear, clear, clear};
    if (is_searched(&at) && search(expression, t, clear, spacing, &at, out))
        return true;
    if (!(zero < end) || out->t < clear)
        return false;
    *out = locate_near(expression, which, t, zero);
    return true;
}

bool tn_expression_next_kink(const tn_expression *expression, double t, double end, double spacing,
                             tn_kink *out)
{
    const bool found = next_kink(expression, t, end, spacing, out);
    if (found)
        unite_near(expression, t, out);
    return found;
}
