// SPDX-License-Identifier: MIT
//
// Finds faults of a curve. Between neighbouring samples it may hide a jump, a stop or a corner:
// halving follows the largest change, and a fault is there if that does not become small. The
// polygon of its samples shows if the curve crosses itself.

#include "contact/profile.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

enum { HALVINGS = 45 };              // of an interval between samples
static const double CORNER = 0.52;   // [rad], 30 degrees
static const double STOPPED = 1e-6;  // of the mean speed
static const double MEETING = 1e-6;  // of the size: ends at one place
static const double JUMP = 1e-6;     // of the size
static const double PLAUSIBLE = 4.0; // a chord is no longer than so many steps of the speed

typedef struct track {
    const tn_profile *profile;
    const char *what;
    int n; // samples
    const tn_profile_at *at;
    const double *s;
    double speed; // mean
} track;

// A coordinate for people: a zero but for round-off is zero.
static double shown(const track *k, double x)
{
    return fabs(x) < 1e-9 * k->profile->size ? 0.0 : x;
}

static tn_status fail_place(const track *k, double s, const char *reason)
{
    tn_profile_at a;
    tn_profile_eval(k->profile, s, &a);
    return tn_fail(TN_ERR_MODEL, "%s: at s = %.6g, (%.6g, %.6g), %s", k->what, s, shown(k, a.c[0]),
                   shown(k, a.c[1]), reason);
}

// Segments between samples; a closed curve has one from the last to the first.
static int segments(const track *k)
{
    return k->n - !k->profile->closed;
}

static const tn_profile_at *end_of(const track *k, int i)
{
    return &k->at[i + 1 < k->n ? i + 1 : 0];
}

static double s_end_of(const track *k, int i)
{
    return i + 1 < k->n ? k->s[i + 1] : k->profile->to;
}

static double distance(const double a[2], const double b[2])
{
    return hypot(b[0] - a[0], b[1] - a[1]);
}

static double turn(const double a[2], const double b[2])
{
    return fabs(atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]));
}

// Values ------------------------------------------------------------------------------------------

static tn_status check_finite(const track *k)
{
    for (int i = 0; i < k->n; i++) {
        const tn_profile_at *a = &k->at[i];
        bool finite = true;
        for (int j = 0; j < 2; j++)
            finite = finite && isfinite(a->c[j]) && isfinite(a->d[j]) && isfinite(a->dd[j]);
        if (!finite)
            return fail_place(k, k->s[i],
                              "the curve or one of its first two derivatives is not finite");
    }
    return TN_OK;
}

// Jumps and corners -------------------------------------------------------------------------------

typedef double change(const tn_profile_at *a, const tn_profile_at *b);

static double moved(const tn_profile_at *a, const tn_profile_at *b)
{
    return distance(a->c, b->c);
}

static double turned(const tn_profile_at *a, const tn_profile_at *b)
{
    return turn(a->d, b->d);
}

// Follows the half in which it changes more; returns the change that is left, and where.
static double halve(const track *k, int i, change *of, double *s)
{
    double from = k->s[i], to = s_end_of(k, i);
    tn_profile_at a = k->at[i], b = *end_of(k, i), middle;
    for (int j = 0; j < HALVINGS; j++) {
        const double at = 0.5 * (from + to);
        tn_profile_eval(k->profile, at, &middle);
        if (of(&a, &middle) > of(&middle, &b))
            to = at, b = middle;
        else
            from = at, a = middle;
    }
    *s = to;
    return of(&a, &b);
}

static tn_status check_jumps(const track *k)
{
    for (int i = 0; i < segments(k); i++) {
        const tn_profile_at *a = &k->at[i], *b = end_of(k, i);
        const double h = s_end_of(k, i) - k->s[i];
        const double speed = fmax(fmax(hypot(a->d[0], a->d[1]), hypot(b->d[0], b->d[1])), k->speed);
        double s;
        if (moved(a, b) > PLAUSIBLE * h * speed && halve(k, i, moved, &s) > JUMP * k->profile->size)
            return fail_place(k, s, "the curve jumps");
    }
    return TN_OK;
}

static tn_status check_corners(const track *k)
{
    for (int i = 0; i < segments(k); i++) {
        double s;
        if (turned(&k->at[i], end_of(k, i)) > CORNER && halve(k, i, turned, &s) > CORNER)
            return fail_place(k, s, "the curve has a corner; round it");
    }
    return TN_OK;
}

// Stops -------------------------------------------------------------------------------------------

static double gain(const tn_profile_at *a)
{
    return a->d[0] * a->dd[0] + a->d[1] * a->dd[1]; // half the derivative of the squared speed
}

// The least speed between two samples, where d . d'' changes its sign.
static double least_speed(const track *k, int i, double *s)
{
    double from = k->s[i], to = s_end_of(k, i);
    tn_profile_at a;
    for (int j = 0; j < HALVINGS; j++) {
        *s = 0.5 * (from + to);
        tn_profile_eval(k->profile, *s, &a);
        if (gain(&a) < 0.0)
            from = *s;
        else
            to = *s;
    }
    return hypot(a.d[0], a.d[1]);
}

static tn_status check_stops(const track *k)
{
    static const char reason[] = "the curve stops: both derivatives by s are zero; choose another "
                                 "function for the same curve, or round a cusp";
    const double least = STOPPED * k->speed;
    for (int i = 0; i < segments(k); i++) {
        const tn_profile_at *a = &k->at[i], *b = end_of(k, i);
        double s;
        if (hypot(a->d[0], a->d[1]) <= least)
            return fail_place(k, k->s[i], reason);
        if (gain(a) < 0.0 && gain(b) > 0.0 && least_speed(k, i, &s) <= least)
            return fail_place(k, s, reason);
    }
    const tn_profile_at *last = &k->at[k->n - 1];
    return hypot(last->d[0], last->d[1]) <= least ? fail_place(k, k->s[k->n - 1], reason) : TN_OK;
}

// Crossings ---------------------------------------------------------------------------------------

// A segment and where it is along x.
typedef struct segment {
    double low, high;
    int i;
} segment;

static int compare_segments(const void *a, const void *b)
{
    const segment *p = a, *q = b;
    return p->low != q->low ? (p->low > q->low) - (p->low < q->low) : p->i - q->i;
}

// On which side of the line from a to b the point p is.
static double side_of(const double *a, const double *b, const double *p)
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

// False where one is above the other, as those of a straight vertical part are.
static bool share_height(const double *a, const double *b, const double *c, const double *d)
{
    return fmax(a[1], b[1]) >= fmin(c[1], d[1]) && fmax(c[1], d[1]) >= fmin(a[1], b[1]);
}

// Neighbours share a point.
static bool cross_segments(const track *k, int i, int j)
{
    const bool round = k->profile->closed && j - i == segments(k) - 1;
    if (j - i <= 1 || round)
        return false;
    const double *a = k->at[i].c, *b = end_of(k, i)->c;
    const double *c = k->at[j].c, *d = end_of(k, j)->c;
    return share_height(a, b, c, d) && side_of(a, b, c) * side_of(a, b, d) <= 0.0 &&
           side_of(c, d, a) * side_of(c, d, b) <= 0.0;
}

// Only segments that share some x are compared: each with those that begin before it ends.
static tn_status find_crossing(const track *k, bool *found, int out[2])
{
    const int n = segments(k);
    segment *list = tn_alloc((size_t)n * sizeof *list);
    TN_TRY(tn_got(list));
    for (int i = 0; i < n; i++) {
        const double from = k->at[i].c[0], to = end_of(k, i)->c[0];
        list[i] = (segment){fmin(from, to), fmax(from, to), i};
    }
    qsort(list, (size_t)n, sizeof *list, compare_segments);
    *found = false;
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n && list[b].low <= list[a].high && !*found; b++) {
            out[0] = tn_smaller(list[a].i, list[b].i);
            out[1] = tn_larger(list[a].i, list[b].i);
            *found = cross_segments(k, out[0], out[1]);
        }
    tn_free(list);
    return TN_OK;
}

static tn_status check_ends(const track *k)
{
    const double *first = k->at[0].c, *last = k->at[k->n - 1].c;
    if (k->profile->closed || distance(first, last) > MEETING * k->profile->size)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: both ends are at (%.6g, %.6g), but it is not closed; let position, "
                   "direction and curvature agree there, or close a curve through points by "
                   "leaving out 'open'",
                   k->what, first[0], first[1]);
}

// Returns the parameter on segment i at which segment j crosses it.
static double crossed_at(const track *k, int i, int j)
{
    const double *c = k->at[j].c, *d = end_of(k, j)->c;
    const double before = side_of(c, d, k->at[i].c), after = side_of(c, d, end_of(k, i)->c);
    const double part = before == after ? 0.0 : before / (before - after);
    return k->s[i] + part * (s_end_of(k, i) - k->s[i]);
}

static tn_status check_crossings(const track *k)
{
    bool found;
    int of[2] = {0};
    TN_TRY(check_ends(k));
    TN_TRY(find_crossing(k, &found, of));
    if (!found)
        return TN_OK;
    const double s[2] = {crossed_at(k, of[0], of[1]), crossed_at(k, of[1], of[0])};
    tn_profile_at a;
    tn_profile_eval(k->profile, s[0], &a);
    return tn_fail(TN_ERR_MODEL,
                   "%s: at s = %.3g and s = %.3g, (%.3g, %.3g), the curve crosses itself", k->what,
                   s[0], s[1], shown(k, a.c[0]), shown(k, a.c[1]));
}

// All ---------------------------------------------------------------------------------------------

tn_status tn_profile_check(const tn_profile *profile, const char *what)
{
    track k = {.profile = profile, .what = what};
    k.n = tn_profile_samples(profile, &k.at, &k.s);
    TN_TRY(check_finite(&k));
    for (int i = 0; i < segments(&k); i++)
        k.speed += distance(k.at[i].c, end_of(&k, i)->c);
    k.speed /= profile->to - profile->from;
    TN_TRY(check_jumps(&k));
    TN_TRY(check_stops(&k));
    TN_TRY(check_corners(&k));
    return check_crossings(&k);
}
