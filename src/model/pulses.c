// SPDX-License-Identifier: MIT
//
// Smooth pulses, such as exp(-((t - 5)/0.01)^2): they have no discontinuities, and error control
// sees a force only where its stages are, so that steps that have grown in the quiet before go
// across.
//
// Functions between their discontinuities, and smooth parts of other expressions that depend on t
// alone, are sampled on a grid. The measure of a pulse at a place is the turn of its chords there.
// A pulse begins where that comes above QUIET of its largest value after BEFORE quiet places, and
// ends where it is quiet again. Steps end where it begins, and 1, 2, 4, 8 ... places later up to
// its end: that is as much as an integrator needs to see it, and as often as it may double its
// steps. Fixed steps do not choose more between. Intervals that are quiet beside a pulse are
// searched for lower ones by the largest turn of their own.

#include "model/model_kinks.h"

#include "signal/expression.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { GRID = 4096, BEFORE = 8 };
static const double QUIET = 1e-4;
static const double ROUNDING = 16.0 * DBL_EPSILON; // of the largest value: turns that mean nothing

typedef struct grid {
    double from, spacing;
    int n;       // places after the first
    double step; // of fixed steps, 0 for others
} grid;

// The part of the grid of a run that begins a little before `from`.
static grid grid_from(double start, double from, double to, double step)
{
    const double spacing = (to - start) / GRID;
    const int skipped = (int)fmax(0.0, floor((from - start) / spacing) - BEFORE - 2.0);
    return (grid){start + skipped * spacing, spacing, GRID - skipped, step};
}

static double grid_time(const grid *g, int i)
{
    return g->from + g->spacing * i;
}

static void sample_function(const tn_timefn *f, const grid *g, double *u)
{
    for (int i = 0; i <= g->n; i++) {
        double v[3];
        tn_timefn_eval(f, grid_time(g, i), v);
        u[i] = v[0];
    }
}

static void sample_part(const tn_expression *f, const grid *g, double *u)
{
    for (int i = 0; i <= g->n; i++)
        u[i] = tn_expression_eval(f, grid_time(g, i)).v;
}

// From values to the turns at the places 1 ... n - 1 by the largest value, as chords of values near
// the largest number would overflow.
static void find_turns(const grid *g, double *u)
{
    double size = DBL_MIN;
    for (int i = 0; i <= g->n; i++) {
        u[i] = isfinite(u[i]) ? u[i] : 0.0;
        size = fmax(size, fabs(u[i]));
    }
    for (int i = 0; i + 2 <= g->n; i++)
        u[i] = fabs(u[i + 2] / size - 2.0 * (u[i + 1] / size) + u[i] / size);
    for (int i = g->n; i >= 1; i--) // of place i
        u[i] = i < g->n ? u[i - 1] : 0.0;
    u[0] = 0.0;
}

// One function has room for more than 300 pulses; many share the room of a few, which seldom all
// have so many.
enum { TIMES = 1024, FUNCTIONS = 8 };

static bool may_have_pulses(const tn_model *model, int k)
{
    const tn_timefn *f = tn_model_function(model, k);
    return f && tn_timefn_moves(f) && !tn_timefn_curve(f);
}

static int count_functions(const tn_model *model)
{
    int n = 0;
    for (int k = 0; k < tn_model_function_count(model); k++)
        n += may_have_pulses(model, k);
    return n;
}

static int room_of(int n)
{
    return TIMES * (n < FUNCTIONS ? n : FUNCTIONS);
}

int tn_model_pulse_room(const tn_model *model, int parts)
{
    return room_of(count_functions(model)) + room_of(parts);
}

static void add_time(tn_pulses *out, int most, double t)
{
    if (out->count < most)
        out->t[out->count++] = t;
    else
        out->dropped = fmin(out->dropped, t);
}

// Fixed steps that are short against a pulse see it as they are; others do by so many parts of it.
static void add_pulse(int begin, int end, const grid *g, int most, tn_pulses *out)
{
    enum { STEPS = 16 };
    const bool fixed = g->step > 0.0;
    const double length = (end - begin) * g->spacing;
    if (fixed && length > STEPS * g->step)
        return;
    add_time(out, most, grid_time(g, begin));
    for (int k = 1; fixed && k <= STEPS; k++)
        add_time(out, most, grid_time(g, begin) + length * k / STEPS);
    for (int k = 1; !fixed && begin + k <= end; k *= 2)
        add_time(out, most, grid_time(g, begin + k));
}

// Places of a grid, with the number of those before the first that are quiet, and up to how many
// times there may be in all.
typedef struct interval {
    int first, last, quiet, most;
} interval;

// The largest turn in an interval, but for what falls from its first place on: the foot of a pulse.
static double largest_turn(const double *turn, const interval *x)
{
    int first = x->first;
    double most = 0.0;
    while (first < x->last && turn[first + 1] <= turn[first])
        first++;
    for (int i = first + 1; i <= x->last; i++)
        most = fmax(most, turn[i]);
    return most;
}

static void find_pulses(const double *turn, const grid *g, interval x, tn_pulses *out)
{
    const double most = largest_turn(turn, &x), limit = QUIET * most;
    if (!(most > ROUNDING))
        return;
    for (int i = x.first, quiet = x.quiet; i <= x.last;) {
        interval low = {i, i, 0, x.most};
        while (low.last <= x.last && turn[low.last] <= limit)
            low.last++;
        const int begin = low.last;
        quiet += begin - i;
        while (begin <= x.last && low.last > i && turn[low.last - 1] <= turn[low.last])
            low.last--; // the foot of the pulse that begins there
        low.last = low.last < x.last ? low.last : x.last;
        if (low.last - low.first > BEFORE)
            find_pulses(turn, g, low, out);
        for (i = begin; i < x.last && turn[i] > limit;)
            i++;
        if (begin <= x.last && quiet >= BEFORE)
            add_pulse(begin - 1, i, g, x.most, out);
        quiet = 0;
        i += i == x.last;
    }
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A function of time has its pulses between its discontinuities, where integrators begin anew. With
// more of these they seldom take long steps.
static void find_between(const tn_timefn *f, const grid *g, const double *turn, int most,
                         tn_pulses *out)
{
    enum { INTERVALS = 512 };
    const double end = grid_time(g, g->n);
    interval x = {.first = 0, .most = most};
    double from = g->from;
    for (int k = 0; k < INTERVALS && from < end; k++) {
        tn_kink kink;
        if (!tn_timefn_next_kink(f, from, end, g->spacing, &kink)) {
            from = kink.t; // so far there is none
            continue;
        }
        x.last = (int)floor((kink.before - g->from) / g->spacing) - 1;
        if (x.last > x.first)
            find_pulses(turn, g, x, out);
        from = kink.after;
        x.first = (int)ceil((from - g->from) / g->spacing) + 1;
        x.quiet = BEFORE - 1; // what begins at the discontinuity is seen from there
    }
    x.last = g->n;
    if (from >= end && x.last > x.first)
        find_pulses(turn, g, x, out);
}

void tn_model_find_pulses(const tn_model *model, const tn_time_parts *parts, double start,
                          double from, double to, double step, tn_pulses *out)
{
    const grid g = grid_from(start, from, to, step);
    const int n = count_functions(model);
    double u[GRID + 1];
    out->count = 0;
    out->dropped = INFINITY;
    const int functions = to > from ? tn_model_function_count(model) : 0;
    for (int k = 0; k < functions && !tn_is_stopping(); k++) {
        const tn_timefn *f = tn_model_function(model, k);
        if (!may_have_pulses(model, k))
            continue;
        sample_function(f, &g, u);
        find_turns(&g, u);
        find_between(f, &g, u, out->count + room_of(n) / n, out);
    }
    for (int k = 0; to > from && k < parts->n && !tn_is_stopping(); k++) {
        sample_part(parts->of[k], &g, u);
        find_turns(&g, u);
        find_pulses(u, &g, (interval){0, g.n, 0, out->count + room_of(parts->n) / parts->n}, out);
    }
    if (out->count > 1)
        qsort(out->t, (size_t)out->count, sizeof *out->t, by_time);
}
