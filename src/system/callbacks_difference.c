// SPDX-License-Identifier: MIT
//
// Difference quotients of a user's functions. With respect to q they are along increments of the
// group, q o exp(dx): on linear spaces q + dx.
//
// Steps are powers of two, so that moved coordinates are exact: 2^k of the length over which
// constraints change (callbacks_scale.c), times the root of the coordinate in such lengths (if
// above one, and up to 2^-7 of the length). For functions of size one that change over lengths of
// size one, with eps = 2^-52:
//
//   what                               order  step    truncation      rounding
//   g_q, g_t, g_s, h_q, h_s, h_t           4  2^-13   d^4/30 = 7e-18  1.5 eps/d = 3e-12
//   gamma, from exact B and g_t            4  2^-13   7e-18           3e-12
//   gamma, from differenced B or g_t       4  2^-10   3e-14           1.5 3e-12/d = 4e-9
//   tangents of exact parts                2  2^-17   d^2/6 = 1e-11   eps/d = 3e-11
//   tangents of differenced B or gdot      2  2^-13   2e-9            3e-12/d = 2e-8
//
// Derivatives that enter the solution get order four; the step is shorter than the best one,
// eps^(1/5), so that functions that change over a hundredth of a unit still keep nine digits.
// Tangents only steer Newton's method.

#include "system/callbacks_parts.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>

typedef tn_callbacks_system callbacks;
typedef tn_callbacks_quotient quotient;
typedef tn_callbacks_argument argument;

static const double weights_2[] = {1.0 / 2.0};
static const double weights_4[] = {2.0 / 3.0, -1.0 / 12.0};

static const double *weights_of(int order)
{
    TN_ASSERT(order == 2 || order == 4);
    return order == 4 ? weights_4 : weights_2;
}

// The step of a difference with the exponent k for an argument x, and the length of that argument.
enum { STEP_LONGEST = -7 };

static double step_of(int k, double x, double length)
{
    TN_ASSERT(length > 0.0);
    const double lengths = fabs(x) / length;
    const int half = lengths > 1.0 && lengths < INFINITY ? ilogb(lengths) / 2 : 0;
    const int most = STEP_LONGEST - k;
    return ldexp(length, k + (half < most ? half : most));
}

// Multipliers and states that are not s have no lengths.
static double length_of(const callbacks *s, argument x, int j)
{
    TN_ASSERT(j >= 0);
    const int s0 = s->base.ne - s->base.ns;
    if (x == TN_BY_Q)
        return s->length_q[j];
    return x == TN_BY_E && j >= s0 ? s->length_s[j - s0] : 1.0;
}

// The array of the point that x names is replaced by a copy in `moved`; returns the array.
static const double *detach(const callbacks *s, tn_point *p, argument x, double *moved)
{
    const tn_system *sys = &s->base;
    const int sizes[] = {sys->nq, sys->nv, sys->ne, sys->ng, sys->nn};
    const double **fields[] = {&p->q, &p->v, &p->e, &p->lambda, &p->eta};
    const double *from = *fields[x];
    tn_copy(sizes[x], from, moved);
    *fields[x] = moved;
    return from;
}

static void move(const callbacks *s, argument x, int j, double by, const double *from,
                 double *moved)
{
    if (x == TN_BY_Q)
        tn_callbacks_move(s, j, by, from, moved);
    else
        moved[j] = from[j] + by;
}

tn_status tn_callbacks_columns(callbacks *s, const quotient *d, const tn_point *at, argument x,
                               int first, int count, double *J)
{
    TN_ASSERT(first >= 0 && count >= 0);
    if (d->m == 0 || count == 0)
        return TN_OK;
    double *moved = d->work->x;
    tn_point p = *at;
    const double *from = detach(s, &p, x, moved);
    for (int j = first; j < first + count; j++) {
        const double size = x == TN_BY_Q ? tn_callbacks_coordinate(s, j, from) : from[j];
        const double step = step_of(d->exponent, size, length_of(s, x, j));
        double *column = J + (size_t)(j - first) * (size_t)d->m;
        tn_zero(d->m, column);
        for (int k = 1; k <= d->order / 2; k++)
            for (int sign = 1; sign >= -1; sign -= 2) {
                move(s, x, j, sign * k * step, from, moved);
                TN_TRY(d->F(s, &p, d->work->y));
                tn_axpy(d->m, sign * weights_of(d->order)[k - 1] / step, d->work->y, column);
            }
        move(s, x, j, 0.0, from, moved);
    }
    return TN_OK;
}

// Lengths per second below which nothing moves: times at which functions are asked stay bounded.
static const double SLOWEST = 0x1p-20;

// The speed, in lengths, at which no coordinate, nor the time, moves farther in a second than in a
// difference of its own.
static double fastest_of(const callbacks *s, const quotient *d, const tn_point *at,
                         const double *dx, const double *ds)
{
    const tn_system *sys = &s->base;
    const double unit = ldexp(1.0, d->exponent);
    double fastest = dx && !s->rheonomic && sys->nn == 0 ? SLOWEST : 1.0 / s->length_t;
    for (int j = 0; dx && j < sys->nv; j++) {
        const double size = tn_callbacks_coordinate(s, j, at->q);
        fastest = fmax(fastest, fabs(dx[j]) * unit / step_of(d->exponent, size, s->length_q[j]));
    }
    for (int j = 0; ds && j < sys->ns; j++)
        fastest = fmax(fastest, fabs(ds[j]) / s->length_s[j]);
    return fmin(fastest, DBL_MAX);
}

tn_status tn_callbacks_along(callbacks *s, const quotient *d, const tn_point *at, const double *dx,
                             const double *ds, double *y)
{
    const tn_system *sys = &s->base;
    const int s0 = sys->ne - sys->ns;
    const double step = ldexp(1.0, d->exponent - ilogb(fastest_of(s, d, at, dx, ds)));
    tn_point p = *at;
    if (dx)
        p.q = d->work->x;
    if (ds) {
        tn_copy(sys->ne, at->e, d->work->e);
        p.e = d->work->e;
    }
    tn_zero(d->m, y);
    for (int k = 1; k <= d->order / 2; k++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            const double tau = sign * k * step;
            p.t = at->t + tau;
            for (int j = 0; dx && j < sys->nv; j++)
                d->work->dx[j] = tau * dx[j];
            if (dx)
                tn_group_retract(sys->ngroup, sys->groups, at->q, d->work->dx, d->work->x);
            for (int j = 0; ds && j < sys->ns; j++)
                d->work->e[s0 + j] = at->e[s0 + j] + tau * ds[j];
            TN_TRY(d->F(s, &p, d->work->y));
            tn_axpy(d->m, sign * weights_of(d->order)[k - 1] / step, d->work->y, y);
        }
    return TN_OK;
}
