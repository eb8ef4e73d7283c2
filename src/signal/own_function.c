// SPDX-License-Identifier: MIT
//
// Own functions of time. Derivatives that are not given are formed by differences of fourth order.

#include "signal/own_function.h"

#include <math.h>

// For u' a step of 1e-3 s leaves 1e-12 of u; for u'' it leaves 1e-9.
static const double OWN_TIME_STEP = 1e-3;
enum { NODES = 5 };

// The side on which a function takes a time at a discontinuity, or next to one, is its own
// round-off: it is evaluated a little beside.
static double beside_kink(double kink, double side)
{
    static const double BESIDE = 1e-11;
    return kink + side * BESIDE * (fabs(kink) + OWN_TIME_STEP);
}

// The smooth interval around t: from the last discontinuity before it to the next, within `reach`.
static void find_piece(const tn_own_function *f, const tn_function_at *at, double reach,
                       double *from, double *to)
{
    tn_function_at seen = {at->t - reach, at->params, at->user};
    *from = at->t - reach;
    *to = at->t + reach;
    while (f->next_kink) {
        const double kink = f->next_kink(&seen);
        if (!(kink > seen.t && kink < *to))
            return;
        if (kink > at->t) {
            *to = beside_kink(kink, -1.0);
            return;
        }
        *from = beside_kink(kink, 1.0);
        seen.t = kink;
    }
}

// Differences of fourth order from five values in a row, at each of them.
static const double FIRST[NODES][NODES] = {{-25.0, 48.0, -36.0, 16.0, -3.0},
                                           {-3.0, -10.0, 18.0, -6.0, 1.0},
                                           {1.0, -8.0, 0.0, 8.0, -1.0},
                                           {-1.0, 6.0, -18.0, 10.0, 3.0},
                                           {3.0, -16.0, 36.0, -48.0, 25.0}};
static const double SECOND[NODES][NODES] = {{35.0, -104.0, 114.0, -56.0, 11.0},
                                            {11.0, -20.0, 6.0, 4.0, -1.0},
                                            {-1.0, 16.0, -30.0, 16.0, -1.0},
                                            {-1.0, 4.0, 6.0, -20.0, 11.0},
                                            {11.0, -56.0, 114.0, -104.0, 35.0}};

// No value lies beyond a discontinuity: near one they lie on the side of t.
void tn_own_function_differences(const tn_own_function *f, const tn_function_at *at, double step,
                                 double u[2])
{
    double from, to, first = 0.0, second = 0.0;
    find_piece(f, at, (NODES - 1) * step, &from, &to);
    const double h = fmin(step, fmax(to - from, 0.0) / (NODES - 1));
    int own = NODES / 2; // the one at t
    while (own > 0 && at->t - own * h < from)
        own--;
    while (own < NODES - 1 && at->t + (NODES - 1 - own) * h > to)
        own++;
    for (int i = 0; i < NODES; i++) {
        const tn_function_at moved = {at->t + (i - own) * h, at->params, at->user};
        const double y = f->value(&moved);
        first += FIRST[own][i] * y;
        second += SECOND[own][i] * y;
    }
    u[0] = h > 0.0 ? first / (12.0 * h) : 0.0;
    u[1] = h > 0.0 ? second / (12.0 * h * h) : 0.0;
}

void tn_own_function_eval(const tn_own_function *f, const void *params, double t, double u[3])
{
    const tn_function_at at = {t, params, f->kind.user};
    u[0] = f->value(&at);
    if (f->derivatives)
        f->derivatives(&at, u + 1);
    else
        tn_own_function_differences(f, &at, OWN_TIME_STEP, u + 1);
}

bool tn_own_function_next_kink(const tn_own_function *f, const void *params, double t, double end,
                               tn_kink *out)
{
    const tn_function_at at = {t, params, f->kind.user};
    const double kink = f->next_kink ? f->next_kink(&at) : INFINITY;
    const bool found = kink > t && kink < end;
    const double where = found ? kink : end;
    *out = (tn_kink){.t = where,
                     .before = found ? beside_kink(where, -1.0) : where,
                     .after = found ? beside_kink(where, 1.0) : where};
    return found;
}
