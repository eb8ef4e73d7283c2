// SPDX-License-Identifier: MIT
//
// A table is one of three curves through its points. With h = t1 - t0, a = (t1 - t)/h,
// b = (t - t0)/h on an interval:
//
// linear     u = a u0 + b u1.
// monotone   the cubic with slopes d at the points, which are zero where the points turn and else
//            Brodlie's weighted harmonic means of the slopes s on both sides, so that no piece
//            leaves the range of its two points [Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5,
//            1984]:  1/d = w/s0 + (1 - w)/s1,  w = (h0 + 2 h1) / (3 (h0 + h1)).
// spline     with second derivatives m at the points,
//
//   u   = a u0 + b u1 + h^2/6 ((a^3 - a) m0 + (b^3 - b) m1)
//   u'  = (u1 - u0)/h + h/6 ((3 b^2 - 1) m1 - (3 a^2 - 1) m0)
//   u'' = a m0 + b m1
//
// and continuity of u' at the inner points is a tridiagonal system,
//
//   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1}
//       = 6 ((u_{i+1} - u_i)/h_i - (u_i - u_{i-1})/h_{i-1}).
//
// At its ends the spline is natural (m = 0) where it goes on straight, has slope zero where it
// holds its value, and closes where it is periodic.

#include "signal/curve.h"

#include "base/alloc.h"
#include "base/array.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const tn_interpolation_names[] = {"default", "linear", "monotone", "spline", NULL};
const char *const tn_beyond_names[] = {"default", "hold", "linear", "periodic", "error", NULL};

// Slope of the chord from point i on.
static double chord(const tn_curve *c, int i)
{
    return (c->u[i + 1] - c->u[i]) / (c->t[i + 1] - c->t[i]);
}

static bool closes(const tn_curve *c)
{
    return c->beyond == TN_BEYOND_PERIODIC && c->u[0] == c->u[c->n - 1];
}

// Splines -----------------------------------------------------------------------------------------

// Solves a tridiagonal system in place, x from its right side; it is diagonally dominant.
static void solve_tridiagonal(int n, const double *lower, const double *diagonal,
                              const double *upper, double *x, double *work)
{
    double pivot = diagonal[0];
    x[0] /= pivot;
    for (int i = 1; i < n; i++) {
        work[i] = upper[i - 1] / pivot;
        pivot = diagonal[i] - lower[i] * work[i];
        x[i] = (x[i] - lower[i] * x[i - 1]) / pivot;
    }
    for (int i = n - 2; i >= 0; i--)
        x[i] -= work[i + 1] * x[i + 1];
}

// The rows of the inner points, and of both ends by the rule beyond them.
static void spline_rows(const tn_curve *c, double *lower, double *diagonal, double *upper,
                        double *right)
{
    const int last = c->n - 1;
    const bool held = c->beyond == TN_BEYOND_HOLD;
    for (int i = 1; i < last; i++) {
        lower[i] = c->t[i] - c->t[i - 1];
        upper[i] = c->t[i + 1] - c->t[i];
        diagonal[i] = 2.0 * (lower[i] + upper[i]);
        right[i] = 6.0 * (chord(c, i) - chord(c, i - 1));
    }
    diagonal[0] = diagonal[last] = 1.0;
    lower[0] = upper[0] = lower[last] = upper[last] = right[0] = right[last] = 0.0;
    if (held) { // slope zero
        upper[0] = lower[last] = 0.5;
        right[0] = 3.0 * chord(c, 0) / (c->t[1] - c->t[0]);
        right[last] = -3.0 * chord(c, last - 1) / (c->t[last] - c->t[last - 1]);
    }
}

// The first and the last point are one: unknowns m_0 ... m_{n-2} on a circle, by the formula of
// Sherman and Morrison from the system that is cut open at the first.
static void close_spline(const tn_curve *c, double *lower, double *diagonal, double *upper,
                         double *m, double *work, double *z)
{
    const int n = c->n - 1;
    const double h0 = c->t[1] - c->t[0], h_ = c->t[n] - c->t[n - 1];
    spline_rows(c, lower, diagonal, upper, m);
    m[0] = 6.0 * (chord(c, 0) - chord(c, n - 1));
    const double corner = h_, gamma = -2.0 * (h0 + h_);
    lower[0] = 0.0;
    upper[0] = h0;
    diagonal[0] = 2.0 * (h0 + h_) - gamma;
    diagonal[n - 1] -= corner * corner / gamma;
    memset(z, 0, (size_t)n * sizeof *z);
    z[0] = gamma;
    z[n - 1] += corner;
    solve_tridiagonal(n, lower, diagonal, upper, m, work);
    solve_tridiagonal(n, lower, diagonal, upper, z, work);
    const double factor =
        (m[0] + corner * m[n - 1] / gamma) / (1.0 + z[0] + corner * z[n - 1] / gamma);
    for (int i = 0; i < n; i++)
        m[i] -= factor * z[i];
    m[n] = m[0];
}

static tn_status make_spline(tn_curve *c)
{
    const size_t n = (size_t)c->n;
    double *work = tn_alloc(5 * n * sizeof *work);
    TN_TRY(tn_got(work));
    double *lower = work, *diagonal = work + n, *upper = work + 2 * n;
    if (closes(c) && c->n > 3) {
        close_spline(c, lower, diagonal, upper, c->shape, work + 3 * n, work + 4 * n);
    } else {
        spline_rows(c, lower, diagonal, upper, c->shape);
        solve_tridiagonal(c->n, lower, diagonal, upper, c->shape, work + 3 * n);
    }
    tn_free(work);
    return TN_OK;
}

// Monotone curves ---------------------------------------------------------------------------------

static double harmonic(double h0, double s0, double h1, double s1)
{
    if (!(s0 * s1 > 0.0))
        return 0.0;
    const double w = (h0 + 2.0 * h1) / (3.0 * (h0 + h1));
    return s0 * s1 / (w * s1 + (1.0 - w) * s0);
}

static void make_monotone(tn_curve *c)
{
    const int last = c->n - 1;
    for (int i = 1; i < last; i++)
        c->shape[i] =
            harmonic(c->t[i] - c->t[i - 1], chord(c, i - 1), c->t[i + 1] - c->t[i], chord(c, i));
    c->shape[0] = c->shape[last] = 0.0;
    if (closes(c))
        c->shape[0] = c->shape[last] = harmonic(c->t[last] - c->t[last - 1], chord(c, last - 1),
                                                c->t[1] - c->t[0], chord(c, 0));
    else if (c->beyond != TN_BEYOND_HOLD) {
        c->shape[0] = chord(c, 0);
        c->shape[last] = chord(c, last - 1);
    }
}

// Evaluation --------------------------------------------------------------------------------------

// The number of the interval that holds t; the first and last reach to infinity.
static int interval(int n, const double *times, double t)
{
    return tn_smaller(tn_larger(tn_count_up_to(n, times, t) - 1, 0), n - 2);
}

static void eval_spline(const tn_curve *c, int i, double h, double a, double b, double out[3])
{
    const double *u = c->u + i, *m = c->shape + i;
    const double cubic = (a * a * a - a) * m[0] + (b * b * b - b) * m[1];
    const double bend = (3.0 * b * b - 1.0) * m[1] - (3.0 * a * a - 1.0) * m[0];
    out[0] = a * u[0] + b * u[1] + h * h / 6.0 * cubic;
    out[1] = (u[1] - u[0]) / h + h / 6.0 * bend;
    out[2] = a * m[0] + b * m[1];
}

// From u0 with s = b: u0 + h (d0 s + e s^2 + f s^3), e = 3 c - 2 d0 - d1, f = d0 + d1 - 2 c.
static void eval_monotone(const tn_curve *c, int i, double h, double b, double out[3])
{
    const double d0 = c->shape[i], d1 = c->shape[i + 1], slope = chord(c, i);
    const double e = 3.0 * slope - 2.0 * d0 - d1, f = d0 + d1 - 2.0 * slope;
    out[0] = c->u[i] + h * b * (d0 + b * (e + b * f));
    out[1] = d0 + b * (2.0 * e + 3.0 * b * f);
    out[2] = (2.0 * e + 6.0 * b * f) / h;
}

static void eval_interval(const tn_curve *c, int i, double t, double out[3])
{
    const double h = c->t[i + 1] - c->t[i], a = (c->t[i + 1] - t) / h, b = (t - c->t[i]) / h;
    if (c->interpolation == TN_TABLE_SPLINE) {
        eval_spline(c, i, h, a, b, out);
    } else if (c->interpolation == TN_TABLE_MONOTONE) {
        eval_monotone(c, i, h, b, out);
    } else {
        out[0] = a * c->u[i] + b * c->u[i + 1];
        out[1] = chord(c, i);
        out[2] = 0.0;
    }
}

static void eval_inside(const tn_curve *c, double t, double out[3])
{
    eval_interval(c, interval(c->n, c->t, t), t, out);
}

static void eval_beyond(const tn_curve *c, bool before, double t, double out[3])
{
    const double *from = before ? c->first : c->last, way = t - c->t[before ? 0 : c->n - 1];
    out[0] = c->beyond == TN_BEYOND_ERROR ? NAN : from[0] + way * from[1];
    out[1] = from[1];
    out[2] = 0.0;
}

static double period(const tn_curve *c)
{
    return c->t[c->n - 1] - c->t[0];
}

void tn_curve_eval(const tn_curve *c, double t, double out[3])
{
    const double begin = c->t[0], end = c->t[c->n - 1];
    if (c->beyond == TN_BEYOND_PERIODIC)
        t -= period(c) * floor((t - begin) / period(c));
    const bool beyond = t < begin || t > end;
    if (!beyond || c->beyond == TN_BEYOND_PERIODIC)
        eval_inside(c, fmin(fmax(t, begin), end), out);
    else
        eval_beyond(c, t < begin, t, out);
}

void tn_curve_eval_on(const tn_curve *c, int piece, double t, double out[3])
{
    TN_ASSERT(piece >= -1 && piece < c->n && c->beyond != TN_BEYOND_PERIODIC);
    if (piece >= 0 && piece < c->n - 1)
        eval_interval(c, piece, t, out);
    else
        eval_beyond(c, piece < 0, t, out);
}

// Kinks -------------------------------------------------------------------------------------------

// Error control sees a curve where a step is evaluated, and steps grow while nothing happens. A
// point at which the chords turn more than BEFORE times as much as at the LENGTH points before it
// begins something new: steps end there and at the LENGTH points that follow. With a larger factor
// or fewer points short pulses in flat tables are stepped over.
enum { LENGTH = 8 };
static const double BEFORE = 10.0;
static const double ROUNDING = 1e-12; // of the largest turn: points on a straight line

static double turn_curve(const tn_curve *c, int i)
{
    const int last = c->n - 1;
    const bool held = c->beyond == TN_BEYOND_HOLD, round = c->beyond == TN_BEYOND_PERIODIC;
    const double left = i > 0 ? chord(c, i - 1) : held ? 0.0 : chord(c, round ? last - 1 : 0);
    const double right = i < last ? chord(c, i) : held ? 0.0 : chord(c, round ? 0 : last - 1);
    return fabs(right - left);
}

static double most_turned(const tn_curve *c, int from, int to)
{
    double most = 0.0;
    for (int i = from < 0 ? 0 : from; i < to; i++)
        most = fmax(most, turn_curve(c, i));
    return most;
}

static void choose_met(tn_curve *c)
{
    const double least = ROUNDING * most_turned(c, 0, c->n);
    int since = LENGTH;
    for (int i = 0; i < c->n; i++) {
        const double now = turn_curve(c, i);
        since = now > BEFORE * most_turned(c, i - LENGTH, i) ? 0 : since + 1;
        c->met[i] = now > least && (c->interpolation == TN_TABLE_LINEAR || since <= LENGTH);
    }
    if (c->beyond == TN_BEYOND_PERIODIC && !closes(c))
        c->met[0] = true;
}

// Reduced times have a round-off of their own.
static tn_kink kink_at(const tn_curve *c, double t)
{
    const double slack = 16.0 * DBL_EPSILON * fmax(fabs(t), period(c));
    if (c->beyond == TN_BEYOND_PERIODIC)
        return (tn_kink){.t = t, .before = t - slack, .after = t + slack};
    const bool last = t == c->t[c->n - 1]; // which belongs to the last interval
    return last ? (tn_kink){.t = t, .before = t, .after = nextafter(t, INFINITY)}
                : (tn_kink){.t = t, .before = nextafter(t, -INFINITY), .after = t};
}

bool tn_curve_next_kink(const tn_curve *c, double t, double end, tn_kink *out)
{
    const bool round = c->beyond == TN_BEYOND_PERIODIC;
    const double turns = round ? floor((t - c->t[0]) / period(c)) : 0.0;
    for (int k = 0; k < (round ? 3 : 1); k++) {
        const double shift = (turns + k) * (round ? period(c) : 0.0);
        const int from = k > 0 || t - shift < c->t[0] ? 0 : interval(c->n, c->t, t - shift);
        for (int i = from; i < c->n - round; i++) {
            *out = kink_at(c, c->t[i] + shift);
            if (c->met[i] && out->after > t && out->t < end)
                return true;
        }
    }
    *out = (tn_kink){.t = end, .before = end, .after = end};
    return false;
}

// Creation ----------------------------------------------------------------------------------------

static tn_status check_table(int n, const double *t, const double *u)
{
    if (n < 2)
        return tn_fail(TN_ERR_MODEL, "table has %d point%s; at least 2 are needed", n,
                       n == 1 ? "" : "s");
    for (int i = 0; i < n; i++) {
        if (!isfinite(t[i]) || !isfinite(u[i]))
            return tn_fail(TN_ERR_MODEL, "table, row %d: (%g, %g) is not finite", i + 1, t[i],
                           u[i]);
        if (i > 0 && !(t[i] > t[i - 1]))
            return tn_fail(TN_ERR_MODEL,
                           "table, row %d: %.10g does not follow %.10g of row %d; the first of "
                           "each pair must increase",
                           i + 1, t[i], t[i - 1], i);
    }
    return TN_OK;
}

static void set_ends(tn_curve *c)
{
    double u[3];
    eval_inside(c, c->t[0], u);
    c->first[0] = c->u[0];
    c->first[1] = c->beyond == TN_BEYOND_LINEAR ? u[1] : 0.0;
    eval_inside(c, c->t[c->n - 1], u);
    c->last[0] = c->u[c->n - 1];
    c->last[1] = c->beyond == TN_BEYOND_LINEAR ? u[1] : 0.0;
}

static tn_status allocate_curve(int n, tn_curve **out)
{
    const size_t size = (size_t)n;
    tn_curve *c = tn_alloc(sizeof *c + 3 * size * sizeof(double) + size * sizeof(bool));
    TN_TRY(tn_got(c));
    c->n = n;
    c->t = c->block;
    c->u = c->t + n;
    c->shape = c->u + n;
    c->met = (bool *)(c->shape + n);
    *out = c;
    return TN_OK;
}

tn_status tn_curve_create(int n, const double *t, const double *u, tn_interpolation interpolation,
                          tn_beyond beyond, tn_curve **out)
{
    tn_curve *c = NULL;
    *out = NULL;
    TN_TRY(check_table(n, t, u));
    TN_TRY(allocate_curve(n, &c));
    memcpy(c->t, t, (size_t)n * sizeof *t);
    memcpy(c->u, u, (size_t)n * sizeof *u);
    c->interpolation = interpolation;
    c->beyond = beyond;
    tn_status status = TN_OK;
    if (interpolation == TN_TABLE_SPLINE)
        status = make_spline(c);
    if (interpolation == TN_TABLE_MONOTONE)
        make_monotone(c);
    if (status != TN_OK) {
        tn_free(c);
        return status;
    }
    set_ends(c);
    choose_met(c);
    *out = c;
    return TN_OK;
}

// Queries -----------------------------------------------------------------------------------------

double tn_curve_overshoot(const tn_curve *c, double *t)
{
    enum { LOOKS = 16 };
    double low = c->u[0], high = c->u[0], most = 0.0;
    for (int i = 1; i < c->n; i++) {
        low = fmin(low, c->u[i]);
        high = fmax(high, c->u[i]);
    }
    *t = c->t[0];
    for (int i = 0; i + 1 < c->n; i++)
        for (int k = 1; k < LOOKS; k++) {
            double u[3];
            const double at = c->t[i] + (c->t[i + 1] - c->t[i]) * k / LOOKS;
            tn_curve_eval(c, at, u);
            const double beyond = fmax(u[0] - high, low - u[0]);
            if (beyond > most) {
                most = beyond;
                *t = at;
            }
        }
    return high > low ? most / (high - low) : most > 0.0 ? INFINITY : 0.0;
}

tn_status tn_check_table_rules(tn_interpolation interpolation, tn_beyond beyond, const char *what)
{
    if ((int)interpolation < 0 || interpolation > TN_TABLE_SPLINE)
        return tn_fail(TN_ERR_MODEL, "%s: %d is not a kind of interpolation", what,
                       (int)interpolation);
    if ((int)beyond < 0 || beyond > TN_BEYOND_ERROR)
        return tn_fail(TN_ERR_MODEL, "%s: %d is not a rule beyond the ends of a table", what,
                       (int)beyond);
    return TN_OK;
}
