// SPDX-License-Identifier: MIT
//
// The lengths over which the constraints of a user change, which the steps of differences follow:
// with steps of a size of their own, equations of a machine in millimetres would lose digits that
// the same one in metres keeps.
//
// For one argument at a time the rows are sampled at seven places, -3 h ... 3 h. The residual of
// polynomials of fourth degree,
//
//   even = F3 - 6 F2 + 15 F1 - 20 F0 + ...      odd = F3 - 4 F2 + 5 F1 - ...
//
// is small by the range of the values where h is well below that length; for a wave sin(x) it is
// three hundredths at h = 0.5. h is halved, from half the size of the coordinates or 0.5 on, until
// that holds seven times in a row, as samples far apart can seem smooth by chance. Twice the first
// of the seven is the length of a row, and the shortest one that of the argument. Rows that are
// polynomials keep the first one: their differences are exact.
//
// Next to a discontinuity a row is unresolved until its range is lost in round-off, and has no
// length. Functions of time often begin at the start: where one has no length there, places 0 ... 6
// h are sampled.

#include "system/callbacks_parts.h"

#include "base/alloc.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

typedef tn_callbacks_system callbacks;

enum { IN_A_ROW = 7, HALVINGS = 80 };
static const double ROUGH = 0.1;  // of the range; more and lengths are too long for smooth waves
static const double NOISE = 64.0; // sum of the weights of `even`, times DBL_EPSILON
// A row whose range was below these when it was still unresolved has a discontinuity: half the step
// makes even cubes only 8 times smaller, and a row that becomes constant falls from a range that is
// not small.
static const double LOST_BY_NOISE = 16.0, LOST_BY_RANGE = 1e-10; // of the largest one

typedef struct probe {
    callbacks *s;
    tn_point at;
    double *moved;   // the argument, in a copy; NULL where it is `velocity`
    int velocity;    // along which q moves
    const double *q; // from here, in the place of p->at.q
    double *q_moved;
    double ahead;                    // the middle of the seven places, in h
    int n;                           // rows
    double *y;                       // n: their values at one place
    double *even, *odd, *low, *high; // n
    double *range, *most;            // n: of the step before, and the largest so far
    double *length;                  // n: zero while none shows
    int *passed;                     // n: how often in a row, -1 after an unresolved one
} probe;

static void callbacks_scale_move(probe *p, double start, double by)
{
    if (p->moved)
        *p->moved = start + by;
    else
        tn_callbacks_move(p->s, p->velocity, by, p->q, p->q_moved);
}

static tn_status callbacks_scale_look_at(probe *p, double start, double h)
{
    TN_ASSERT(h > 0.0);
    static const double even[] = {1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0};
    static const double odd[] = {-1.0, 4.0, -5.0, 0.0, 5.0, -4.0, 1.0};
    tn_zero(2 * p->n, p->even);
    for (int k = 0; k < 7; k++) {
        callbacks_scale_move(p, start, (k - 3 + p->ahead) * h);
        TN_TRY(tn_callbacks_rows(p->s, &p->at, p->y));
        tn_axpy(p->n, even[k], p->y, p->even);
        tn_axpy(p->n, odd[k], p->y, p->odd);
        for (int i = 0; i < p->n; i++) {
            p->low[i] = k ? fmin(p->low[i], p->y[i]) : p->y[i];
            p->high[i] = k ? fmax(p->high[i], p->y[i]) : p->y[i];
        }
    }
    return TN_OK;
}

// Checks row i. A function that is evaluated beyond its domain is not smooth there. Returns true if
// it needs to be sampled with shorter steps.
static bool judge_row(const probe *p, int i, double h, bool asked)
{
    const double range = p->high[i] - p->low[i], left_over = fabs(p->even[i]) + fabs(p->odd[i]);
    const double size = fmax(fabs(p->low[i]), fabs(p->high[i]));
    const double noise = NOISE * DBL_EPSILON * size;
    int *passed = &p->passed[i];
    if (p->length[i] > 0.0)
        return false;
    if (!asked) {
        *passed = -1;
        return true;
    }
    if (!(left_over <= ROUGH * range + noise))
        *passed = -1;
    else if (*passed < 0 && p->range[i] <= fmax(LOST_BY_NOISE * noise, LOST_BY_RANGE * p->most[i]))
        return false;
    else
        *passed = *passed < 0 ? 1 : *passed + 1;
    p->range[i] = range;
    p->most[i] = fmax(p->most[i], range);
    if (*passed == IN_A_ROW)
        p->length[i] = ldexp(h, IN_A_ROW);
    return *passed < IN_A_ROW;
}

static tn_status look_closer(probe *p, double start, double h)
{
    bool rest = true;
    for (int i = 0; i < p->n; i++) {
        p->length[i] = p->most[i] = 0.0;
        p->passed[i] = 0;
    }
    for (int k = 0; k < HALVINGS && rest; k++, h *= 0.5) {
        const tn_status status = callbacks_scale_look_at(p, start, h);
        callbacks_scale_move(p, start, 0.0);
        if (status == TN_RETRY_FUNCTION)
            tn_clear_error();
        else
            TN_TRY(status);
        rest = false;
        for (int i = 0; i < p->n; i++)
            rest = judge_row(p, i, h, status == TN_OK) || rest;
    }
    return TN_OK;
}

// Returns true if all rows have one. The shortest is a power of two; one where no length shows.
static bool shortest(const probe *p, double *length)
{
    bool all = true;
    *length = INFINITY;
    for (int i = 0; i < p->n; i++) {
        all = all && p->length[i] > 0.0;
        if (p->length[i] > 0.0)
            *length = fmin(*length, p->length[i]);
    }
    *length = isfinite(*length) ? *length : 1.0;
    return all;
}

static tn_status find_length(probe *p, double size, double *length)
{
    TN_ASSERT(size >= 0.0);
    const double start = p->moved ? *p->moved : 0.0;
    const double h = 0.5 * ldexp(1.0, ilogb(fmin(fmax(size, 1.0), 0x1p500)));
    p->ahead = 0.0;
    TN_TRY(look_closer(p, start, h));
    if (shortest(p, length) || p->moved != &p->at.t)
        return TN_OK;
    p->ahead = 3.0;
    TN_TRY(look_closer(p, start, h));
    shortest(p, length);
    return TN_OK;
}

// A rotation begins with half a radian.
static double size_along(const callbacks *s, int j, const double *q)
{
    const tn_group *factor = &s->group[s->group_of[j]];
    const bool turn = tn_group_turns(factor) && j - factor->v0 >= tn_group_turn(factor);
    return turn ? 1.0 : tn_norm_inf(s->base.nq, q);
}

static tn_status find_all(callbacks *s, probe *p, const tn_point *at)
{
    const tn_system *sys = &s->base;
    const int s0 = sys->ne - sys->ns;
    tn_copy(sys->nq, at->q, s->in.x);
    p->q = at->q;
    p->at.q = p->q_moved = s->in.x;
    for (int j = 0; j < sys->nv; j++) {
        p->velocity = j;
        TN_TRY(find_length(p, size_along(s, j, at->q), &s->length_q[j]));
    }
    if (sys->ns > 0) {
        tn_copy(sys->ne, at->e, s->in.e);
        p->at.e = s->in.e;
    }
    for (int j = 0; j < sys->ns; j++) {
        p->moved = s->in.e + s0 + j;
        TN_TRY(find_length(p, tn_norm_inf(sys->ns, at->e + s0), &s->length_s[j]));
    }
    p->moved = &p->at.t;
    return s->rheonomic ? find_length(p, 1.0, &s->length_t) : TN_OK;
}

tn_status tn_callbacks_find_lengths(tn_system *sys, const tn_point *at)
{
    callbacks *s = (callbacks *)sys;
    const int n = sys->ng + sys->ns;
    if (n == 0)
        return TN_OK;
    double *room = tn_alloc((size_t)n * (8 * sizeof *room + sizeof(int)));
    if (!room)
        return tn_fail(TN_ERR_MEMORY, "callbacks: no memory for %d rows", n);
    probe p = {.s = s,
               .at = *at,
               .n = n,
               .even = room,
               .odd = room + n,
               .low = room + 2 * n,
               .high = room + 3 * n,
               .y = room + 4 * n,
               .range = room + 5 * n,
               .most = room + 6 * n,
               .length = room + 7 * n,
               .passed = (int *)(room + 8 * n)};
    const tn_status status = find_all(s, &p, at);
    tn_free(room);
    return status;
}
