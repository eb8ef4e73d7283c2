// SPDX-License-Identifier: MIT
//
// Changes of sign of the functions that are monitored within a step (watch.c): between two samples
// of other signs, and around turning points between samples of one sign.

#include "sim/sim.h"

#include <math.h>

// A value of exactly zero at the end of a part counts there and not again at the next start.
static bool passes(double a, double b)
{
    return (a < 0.0 && b >= 0.0) || (a > 0.0 && b <= 0.0);
}

// The place of the turning point of the parabola through three points, NAN where it has none, or
// one that is farthest from zero.
static double turning_point(const double t[3], const double f[3])
{
    TN_ASSERT(!(t[0] > t[1]) && !(t[1] > t[2])); // equal ones: a part of a few round-offs
    const double s0 = (f[1] - f[0]) / (t[1] - t[0]), s1 = (f[2] - f[1]) / (t[2] - t[1]);
    const double bend = (s1 - s0) / (t[2] - t[0]);
    return bend * f[1] > 0.0 ? 0.5 * (t[0] + t[1]) - 0.5 * s0 / bend : NAN;
}

// Between the middles of its neighbours, so that each turning point belongs to one part.
static bool is_own(const tn_sim *sim, int i, double t)
{
    const double left = i == 1 ? tn_sim_part_time(sim, 0)
                               : 0.5 * (tn_sim_part_time(sim, i - 1) + tn_sim_part_time(sim, i));
    const double right = i == TN_WATCH_PARTS - 1
                             ? tn_sim_part_time(sim, i + 1)
                             : 0.5 * (tn_sim_part_time(sim, i) + tn_sim_part_time(sim, i + 1));
    return t >= left && t < right;
}

// Looks for a change of sign around part i, at which and beside which the function has one sign:
// follows parabolas to the point nearest to zero. *t is NAN where it does not come to zero.
static tn_status seek(tn_sim *sim, int k, int i, double *t, double *value)
{
    TN_ASSERT(i > 0 && i < TN_WATCH_PARTS);
    double at[3], f[3];
    for (int j = 0; j < 3; j++) {
        at[j] = tn_sim_part_time(sim, i - 1 + j);
        f[j] = sim->watch.value[i - 1 + j][k];
    }
    *t = turning_point(at, f);
    if (!is_own(sim, i, *t))
        *t = NAN;
    for (int step = 0; step < 12 && *t > at[0] && *t < at[2] && *t != at[1]; step++) {
        TN_TRY(tn_sim_watch_value_at(sim, k, *t, value));
        if (*value * f[1] <= 0.0)
            return TN_OK;
        if (fabs(*value) >= fabs(f[1])) // no nearer
            break;
        const int drop = *t < at[1] ? 2 : 0;
        at[drop] = at[1];
        f[drop] = f[1];
        at[1] = *t;
        f[1] = *value;
        *t = turning_point(at, f);
    }
    *t = NAN;
    return TN_OK;
}

static bool has_one_sign(const tn_watch *w, int k, int i)
{
    TN_ASSERT(i > 0 && i < TN_WATCH_PARTS);
    const double a = w->value[i - 1][k], b = w->value[i][k], c = w->value[i + 1][k];
    return a * b > 0.0 && b * c > 0.0;
}

tn_status tn_sim_watch_changes(tn_sim *sim, int k, tn_change change[TN_CHANGES_MAX], int *count)
{
    TN_ASSERT(k >= 0 && k < sim->watch.n);
    const tn_watch *w = &sim->watch;
    int n = 0;
    for (int i = 1; i <= TN_WATCH_PARTS; i++) {
        const double a = w->value[i - 1][k], b = w->value[i][k];
        double t = NAN, f = 0.0;
        if (passes(a, b))
            change[n++] = (tn_change){tn_sim_part_time(sim, i - 1), a, tn_sim_part_time(sim, i), b};
        if (i < TN_WATCH_PARTS && has_one_sign(w, k, i))
            TN_TRY(seek(sim, k, i, &t, &f));
        if (isnan(t))
            continue;
        change[n++] = (tn_change){tn_sim_part_time(sim, i - 1), a, t, f};
        if (f != 0.0)
            change[n++] = (tn_change){t, f, tn_sim_part_time(sim, i + 1), w->value[i + 1][k]};
    }
    tn_sim_current(sim);
    *count = n;
    return TN_OK;
}

tn_status tn_sim_watch_start(tn_sim *sim, int k, int side, tn_change *change, bool *found)
{
    static const double PARTS[] = {1e-4, 1e-3, 1e-2, 1e-1}; // of the time up to the first sample
    const tn_watch *w = &sim->watch;
    const double a = tn_sim_part_time(sim, 0), b = tn_sim_part_time(sim, 1), fb = w->value[1][k];
    *found = false;
    for (int i = 0; i < TN_COUNT(PARTS) && !*found; i++) {
        const double t = a + PARTS[i] * (b - a);
        double f;
        TN_TRY(tn_sim_watch_value_at(sim, k, t, &f));
        *change = (tn_change){t, f, b, fb};
        *found = f * side > 0.0;
    }
    tn_sim_current(sim);
    return TN_OK;
}

tn_status tn_sim_watch_locate(tn_sim *sim, int k, const tn_change *change, double *when)
{
    TN_ASSERT(change->a <= change->b);
    double a = change->a, b = change->b, fa = change->fa, fb = change->fb;
    const double h = sim->start.x.t - sim->before.t;
    const double tol = 1e-15 * fabs(b) + 1e-13 * h;
    for (int step = 0; step < 100 && b - a > tol && fb != 0.0; step++) {
        double t = (a * fb - b * fa) / (fb - fa), f;
        if (step % 4 == 3 || !(t > a && t < b))
            t = 0.5 * (a + b);
        TN_TRY(tn_sim_watch_value_at(sim, k, t, &f));
        if ((f > 0.0) == (fb > 0.0) || f == 0.0) {
            b = t;
            fb = f;
            fa *= 0.5;
        } else {
            a = t;
            fa = f;
            fb *= 0.5;
        }
    }
    tn_sim_current(sim);
    *when = b;
    return TN_OK;
}
