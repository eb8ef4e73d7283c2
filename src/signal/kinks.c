// SPDX-License-Identifier: MIT
//
// Finds discontinuities of an expression in t and of its derivatives. Some of its operations decide
// by the sign of a function s(t): a comparison by the difference of its operands, abs and sign by
// their operand, min and max by differences, step by x - x0 and x - x1. A discontinuity is a zero
// of such a function.
//
// Roots, powers, asin and acos have discontinuities where f, 1 - f and 1 + f are zero, which
// includes zeros at which f touches: sqrt((t - 1)^2).
//
// They are found by interval arithmetic (signal/range.h): between two times s has no zero where its
// range has none, at most one where it is monotone, and where it is bent one way its ends and its
// turning point decide. All other intervals of time are halved. If that does not come to an end, as
// of a function that is zero but for its round-off, s is sampled.
//
// Zeros are located to neighbouring numbers on both sides, by the signs that evaluations with
// their round-off will have.

#include "signal/kinks.h"

#include <float.h>
#include <string.h>

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

static tn_jet value(const tn_expression *expression, int k, double t)
{
    tn_look at;
    tn_kinks_look(expression, t, &at);
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

// Between a and b, which have different signs. If evaluations give zero at a few numbers, these
// belong to neither interval.
static tn_kink locate_kinks(const tn_expression *expression, int k, double a, double b)
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

// Returns true if function k, of one sign at a and b, changes it between them; then *b is the time
// of the change, else the time at which it comes nearest to zero.
static bool comes_back(const tn_expression *expression, int k, double a, const tn_look *at_a,
                       const tn_look *at_b, double *b)
{
    const int sign = sign_of(at_a->of[k].v);
    if (!(sign * at_a->of[k].d < 0.0 && sign * at_b->of[k].d > 0.0))
        return false;
    double low = a;
    for (int i = 0; i < 60; i++) {
        const double middle = low + 0.5 * (*b - low);
        if (!(middle > low && middle < *b))
            break;
        const tn_jet s = value(expression, k, middle);
        const int now = sign_of(s.v);
        if (now == -sign || (now == 0 && !at_a->touches[k])) {
            *b = middle;
            return true;
        }
        if (sign * s.d < 0.0)
            low = middle;
        else
            *b = middle;
    }
    return false;
}

// Times nearer to each other are one; near t = 0 those that no run separates.
static double least_stretch(double t)
{
    return tn_time_round_off(fmax(fabs(t), 1e-9));
}

// Beside a zero at which a function turns back: so far away that round-off is a small part of it,
// and with it of derivatives that are divided by its root.
static double beside(const tn_expression *expression, int k, double t, double sense)
{
    static const double PART = 1.0 / 32.0;
    double away = DBL_EPSILON * fmax(fabs(t), 1e-9);
    tn_expression_bounds s;
    for (int i = 0; i < 40; i++, away *= 2.0) {
        const double at = t + sense * away;
        tn_kinks_see(expression, at, at, &s);
        const tn_interval v = s.of[k].v;
        if (!tn_range_has_zero(v) && v.high - v.low <= PART * fmin(fabs(v.low), fabs(v.high)))
            return at;
    }
    return t + sense * away;
}

// Returns true if function k, which turns back at t, is zero there but for round-off.
static bool touches_at(const tn_expression *expression, int k, double t, tn_kink *out)
{
    const double slack = least_stretch(t);
    tn_expression_bounds s;
    tn_kinks_see(expression, t - slack, t + slack, &s);
    if (!tn_range_has_zero(s.of[k].v))
        return false;
    *out = (tn_kink){
        .t = t, .before = beside(expression, k, t, -1.0), .after = beside(expression, k, t, 1.0)};
    return true;
}

// A zero of function k between a and b, by its values at both. If one that may touch zero does so
// at a, that is the end of the interval before.
static bool zero_by_ends(const tn_expression *expression, int k, double a, double b,
                         const tn_look *at_a, const tn_look *at_b, tn_kink *out)
{
    const int before = sign_of(at_a->of[k].v), after = sign_of(at_b->of[k].v);
    const bool touching = at_a->touches[k] && before * after == 0;
    double end = b;
    if (touching)
        return before != 0 && touches_at(expression, k, b, out);
    if (before != after || comes_back(expression, k, a, at_a, at_b, &end)) {
        *out = locate_kinks(expression, k, a, end);
        return true;
    }
    return at_a->touches[k] && end < b && touches_at(expression, k, end, out) && out->after > a;
}

// Stretches of time in which functions may have zeros, in their order.
enum {
    STRETCHES = 512, // at a time; those behind them are searched later
    SIGHTS = 8192,   // in all, then functions are sampled
    LOOKS_MAX = 4096,
};

typedef struct stretch {
    double a, b;
} stretch;

typedef struct hunt {
    const tn_expression *expression;
    double spacing, end; // behind `end` nothing is of interest any more
    double finest;       // to which intervals are halved where there are too many
    int sights, looks;
    bool found, sampled;
    tn_kink first;
    stretch at[STRETCHES], next[STRETCHES];
} hunt;

static void take_first(hunt *h, const tn_kink *kink)
{
    if (!h->found || kink->t < h->first.t)
        h->first = *kink;
    h->found = true;
    h->end = fmin(h->end, h->first.t);
}

// Returns true if the sign of function k at t is more than round-off.
static bool is_sure(const hunt *h, int k, double t)
{
    tn_expression_bounds range;
    tn_kinks_see(h->expression, t, t, &range);
    return !tn_range_has_zero(range.of[k].v);
}

// Takes the zeros that are certain; whether there may be others.
static bool is_open(hunt *h, const stretch *s)
{
    tn_expression_bounds range;
    tn_look at[2];
    bool open = false, looked = false;
    tn_kinks_look(h->expression, s->a, &at[0]);
    tn_kinks_see(h->expression, s->a, s->b, &range);
    h->sights++;
    for (int k = 0; k < at[0].n; k++) {
        const tn_range_jet *r = &range.of[k];
        tn_kink kink;
        if (!tn_range_has_zero(r->v) || r->v.low == r->v.high)
            continue;
        if (!looked)
            tn_kinks_look(h->expression, s->b, &at[1]);
        looked = true;
        if (tn_range_has_zero(r->d) && tn_range_has_zero(r->dd)) {
            open = true;
            if (sign_of(at[0].of[k].v) * sign_of(at[1].of[k].v) < 0 && is_sure(h, k, s->a) &&
                is_sure(h, k, s->b))
                h->end = fmin(h->end, s->b); // there is one before
        } else if (zero_by_ends(h->expression, k, s->a, s->b, &at[0], &at[1], &kink)) {
            take_first(h, &kink);
        }
    }
    return open;
}

// Takes the discontinuities between samples a and b. Within a wide interval values of the size of
// their round-off mean nothing: a function that is zero but for it has discontinuities everywhere.
static void take_between(hunt *h, bool wide, double a, double b, const tn_look *at_a,
                         const tn_look *at_b)
{
    tn_expression_bounds range;
    if (wide)
        tn_kinks_see(h->expression, b, b, &range);
    for (int k = 0; k < at_b->n; k++) {
        tn_kink kink;
        if (wide && tn_range_has_zero(range.of[k].v))
            continue;
        if (zero_by_ends(h->expression, k, a, b, at_a, at_b, &kink))
            take_first(h, &kink);
    }
}

// Samples functions between a and b. An interval of round-off is sampled as well as can be.
static void sample_kinks(hunt *h, const stretch *s)
{
    const bool wide = s->b - s->a > least_stretch(s->b);
    tn_look at[2];
    double a = s->a;
    h->sampled = h->sampled || wide;
    tn_kinks_look(h->expression, a, &at[0]);
    for (int i = 0; a < fmin(s->b, h->end); i++) {
        const tn_look *last = &at[i % 2];
        tn_look *now = &at[(i + 1) % 2];
        const double b = fmin(s->b, a + fmin(h->spacing, 0.25 / last->fastest)); // of 0: infinite
        if (h->looks++ > LOOKS_MAX) {
            h->end = a;
            return;
        }
        tn_kinks_look(h->expression, b, now);
        take_between(h, wide, a, b, last, now);
        a = b;
    }
}

// Processes one interval: nothing is left of it, or two halves, or it is sampled.
static void halve(hunt *h, const stretch *s, int *n)
{
    const double middle = s->a + 0.5 * (s->b - s->a);
    if (!is_open(h, s))
        return;
    const bool crowded = *n + 2 > STRETCHES;
    if (crowded && s->b - s->a <= h->finest)
        h->sights = SIGHTS; // finer ones would be as many
    if (s->b - s->a <= least_stretch(s->b) || h->sights >= SIGHTS) {
        sample_kinks(h, s);
    } else if (crowded) {
        h->end = fmin(h->end, s->a);
    } else {
        h->next[(*n)++] = (stretch){s->a, middle};
        h->next[(*n)++] = (stretch){middle, s->b};
    }
}

// If none has a zero, out->t is the end of the search.
static bool search_kinks(const tn_expression *expression, double t, double end, double spacing,
                         tn_kink *out)
{
    tn_look at;
    tn_kinks_look(expression, t, &at);
    hunt h = {.expression = expression, .spacing = spacing, .end = end};
    h.finest = fmin(spacing, 0.25 / at.fastest);
    h.at[0] = (stretch){t, end};
    for (int n = t < end && at.n > 0 ? 1 : 0, m; n > 0; n = m) {
        m = 0;
        for (int i = 0; i < n && h.at[i].a < h.end; i++)
            halve(&h, &h.at[i], &m);
        memcpy(h.at, h.next, (size_t)m * sizeof *h.at);
    }
    *out = h.found ? h.first : (tn_kink){.t = h.end, .before = h.end, .after = h.end};
    out->sampled = h.sampled;
    return h.found;
}

bool tn_expression_is_searched(const tn_expression *expression)
{
    tn_look at;
    tn_kinks_look(expression, 0.0, &at);
    return at.n > 0;
}

// Functions whose signs change within round-off of a discontinuity have theirs there too: it
// becomes one, with numbers on both sides of all of them. The interval before it is valid from t
// on.
static void unite_near(const tn_expression *expression, double t, tn_kink *kink)
{
    const double begin = fmax(t, kink->before - tn_time_round_off(kink->before));
    const double end = kink->after + tn_time_round_off(kink->after);
    tn_look at[2];
    tn_kinks_look(expression, begin, &at[0]);
    tn_kinks_look(expression, end, &at[1]);
    for (int k = 0; k < at[0].n; k++) {
        if (sign_of(at[0].of[k].v) == sign_of(at[1].of[k].v))
            continue;
        const tn_kink near = locate_kinks(expression, k, begin, end);
        kink->before = fmin(kink->before, near.before);
        kink->after = fmax(kink->after, near.after);
    }
}

bool tn_expression_next_kink(const tn_expression *expression, double t, double end, double spacing,
                             tn_kink *out)
{
    const bool found = search_kinks(expression, t, end, spacing, out);
    if (found)
        unite_near(expression, t, out);
    return found;
}
