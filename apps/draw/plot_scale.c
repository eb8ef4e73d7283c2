// SPDX-License-Identifier: MIT
//
// Ranges of the axes from the data, and the points of a series on the canvas.
//
//   linear  s = (v - lo) / (hi - lo)          log  s = log(v / lo) / log(hi / lo)

#include "draw/plot_parts.h"

#include <float.h>
#include <math.h>

static const double MARGIN = 0.05;    // of the range, above and below the data
static const double CONSTANT = 1e-12; // relative range below which a series does not vary
static const double FAR_AWAY = 1e5;   // places outside of the picture end here

double tn_scale_place(const tn_scale *scale, double value)
{
    if (!isfinite(value) || (scale->log && value <= 0.0))
        return NAN;
    if (scale->log)
        return (log(value) - log(scale->lo)) / (log(scale->hi) - log(scale->lo));
    return (0.5 * value - 0.5 * scale->lo) / (0.5 * scale->hi - 0.5 * scale->lo);
}

// Makes [lo, hi] wide enough to be divided. A constant is shown in the middle.
static void widen_plot_scale(tn_scale *s)
{
    const double largest = fmax(fabs(s->lo), fabs(s->hi));
    if (s->log && !(s->hi > s->lo * (1.0 + CONSTANT))) {
        s->lo = fmax(s->lo / sqrt(10.0), DBL_TRUE_MIN);
        s->hi = fmin(s->hi * sqrt(10.0), DBL_MAX);
    } else if (!s->log && !(0.5 * s->hi - 0.5 * s->lo > 0.5 * CONSTANT * largest)) {
        const double half = fmax(0.1 * largest, largest > 0.0 ? 4.0 * DBL_MIN : 1.0);
        s->lo = fmax(s->lo - half, -DBL_MAX);
        s->hi = fmin(s->hi + half, DBL_MAX);
    }
}

static void add_margin(tn_scale *s, bool below, bool above)
{
    if (s->log) {
        const double factor = exp(MARGIN * (log(s->hi) - log(s->lo)));
        s->lo = below ? fmax(s->lo / factor, DBL_TRUE_MIN) : s->lo;
        s->hi = above ? fmin(s->hi * factor, DBL_MAX) : s->hi;
    } else {
        const double part = 2.0 * MARGIN * (0.5 * s->hi - 0.5 * s->lo);
        s->lo = below ? fmax(s->lo - part, -DBL_MAX) : s->lo;
        s->hi = above ? fmin(s->hi + part, DBL_MAX) : s->hi;
    }
}

// The given ends of an axis; those left to the data are NaN.
static void given_ends(const tn_plot_axis *axis, double *from, double *to)
{
    const bool both = axis->from == axis->to;
    *from = both || !isfinite(axis->from) || (axis->log && axis->from <= 0.0) ? NAN : axis->from;
    *to = both || !isfinite(axis->to) || (axis->log && axis->to <= 0.0) ? NAN : axis->to;
}

// Turns the extremes of the data into a range; `tight` leaves no margin.
static void set_range(const tn_plot_axis *axis, tn_scale *s, bool tight)
{
    double from, to;
    given_ends(axis, &from, &to);
    if (!(s->lo <= s->hi)) { // no data
        s->lo = !isnan(from) ? from : !isnan(to) ? to : axis->log ? 1.0 : 0.0;
        s->hi = !isnan(to) ? to : !isnan(from) ? from : axis->log ? 10.0 : 1.0;
    }
    s->lo = isnan(from) ? s->lo : from;
    s->hi = isnan(to) ? s->hi : to;
    if (s->lo > s->hi) { // a given end beyond all data
        s->lo = isnan(from) ? s->hi : s->lo;
        s->hi = isnan(to) ? s->lo : s->hi;
    }
    widen_plot_scale(s);
    if (!tight)
        add_margin(s, isnan(from), isnan(to));
}

static void take_plot_scale(tn_scale *s, double value)
{
    if (isnan(tn_scale_place(&(tn_scale){s->log, 1.0, 2.0}, value)))
        return;
    s->lo = fmin(s->lo, value);
    s->hi = fmax(s->hi, value);
}

static void x_range(const tn_plot *plot, tn_scale *s)
{
    bool marks = false;
    *s = (tn_scale){plot->x.log, INFINITY, -INFINITY};
    for (int p = 0; p < plot->npanel; p++)
        for (int k = 0; k < plot->panels[p].nseries; k++) {
            const tn_plot_series *series = &plot->panels[p].series[k];
            marks |= series->mark != TN_MARK_NONE;
            for (int i = 0; i < series->n && !series->guide; i++)
                take_plot_scale(s, series->x[i]);
        }
    set_range(&plot->x, s, !marks && !plot->roomy);
}

static void y_range(const tn_plot_panel *panel, const tn_scale *x, tn_panel_layout *out)
{
    tn_scale *s = &out->y;
    *s = (tn_scale){panel->y.log, INFINITY, -INFINITY};
    for (int k = 0; k < panel->nseries; k++) {
        const tn_plot_series *series = &panel->series[k];
        for (int i = 0; i < series->n && !series->guide; i++) {
            const double place = tn_scale_place(x, series->x[i]);
            if (place >= 0.0 && place <= 1.0)
                take_plot_scale(s, series->y[i]);
        }
    }
    out->empty = !(s->lo <= s->hi) && !panel->cells;
    set_range(&panel->y, s, false);
    if (panel->shade) {
        out->shade = (tn_scale){panel->shade->log, panel->shade->from, panel->shade->to};
        widen_plot_scale(&out->shade);
    }
}

void tn_plot_ranges(const tn_plot *plot, tn_plot_layout *layout)
{
    x_range(plot, &layout->x);
    for (int p = 0; p < plot->npanel; p++)
        y_range(&plot->panels[p], &layout->x, &layout->panel[p]);
}

// Steps of even lightness, the same as in the page of a sweep (web/src/sweepplot.js).
unsigned tn_plot_shade(const tn_plot_axis *axis, double value)
{
    static const int stops[][3] = {
        {48, 18, 99}, {51, 92, 148}, {33, 145, 140}, {92, 190, 98}, {249, 222, 40}};
    tn_scale scale = {axis->log, axis->from, axis->to};
    widen_plot_scale(&scale);
    const double place = fmin(fmax(tn_scale_place(&scale, value), 0.0), 1.0);
    const double at = place * (TN_COUNT(stops) - 1);
    const int k = (int)fmin(floor(at), TN_COUNT(stops) - 2);
    unsigned color = 0;
    for (int i = 0; i < 3; i++)
        color =
            color << 8 | (unsigned)lround(stops[k][i] + (at - k) * (stops[k + 1][i] - stops[k][i]));
    return color;
}

static void stretch(tn_scale *s, double length)
{
    const double middle = 0.5 * s->lo + 0.5 * s->hi;
    s->lo = middle - 0.5 * length;
    s->hi = middle + 0.5 * length;
}

void tn_plot_equalize(const tn_plot *plot, tn_plot_layout *layout)
{
    tn_plot_ranges(plot, layout);
    double per_pixel = (layout->x.hi - layout->x.lo) / layout->panel[0].box.width;
    for (int p = 0; p < plot->npanel; p++) {
        const tn_panel_layout *panel = &layout->panel[p];
        per_pixel = fmax(per_pixel, (panel->y.hi - panel->y.lo) / panel->box.height);
    }
    stretch(&layout->x, per_pixel * layout->panel[0].box.width);
    for (int p = 0; p < plot->npanel; p++)
        stretch(&layout->panel[p].y, per_pixel * layout->panel[p].box.height);
}

// Thinning ---------------------------------------------------------------------------------------

// Points of a column by their places.
typedef struct {
    int first, low, high, last;
} bucket;

// Writing never overtakes reading: a bucket returns no more points than it took in.
static int put_bucket(double *x, double *y, int n, const bucket *b)
{
    const int at[] = {b->first, tn_smaller(b->low, b->high), tn_larger(b->low, b->high), b->last};
    for (int k = 0; k < TN_COUNT(at); k++)
        if (k == 0 || at[k] > at[k - 1]) {
            x[n] = x[at[k]];
            y[n++] = y[at[k]];
        }
    return n;
}

int tn_plot_thin(int n, double *x, double *y, double from, double to, int columns)
{
    const double per_column = columns / (to - from);
    double open = NAN; // the column of the bucket
    bool gap = false;
    bucket b = {0};
    int out = 0;
    for (int i = 0; i < n; i++) {
        const double column = floor((x[i] - from) * per_column);
        if (!isfinite(x[i]) || !isfinite(y[i])) {
            gap = true;
            continue;
        }
        if (column == open) {
            b.low = y[i] < y[b.low] ? i : b.low;
            b.high = y[i] > y[b.high] ? i : b.high;
            b.last = i;
        } else {
            if (!isnan(open))
                out = put_bucket(x, y, out, &b);
            if (!isnan(open) && gap) {
                x[out] = y[out] = NAN;
                out++;
            }
            b = (bucket){i, i, i, i};
            open = column;
        }
        gap = false;
    }
    return isnan(open) ? out : put_bucket(x, y, out, &b);
}

static double clamp(double value)
{
    return fmin(fmax(value, -FAR_AWAY), FAR_AWAY); // keeps no NaN: callers check first
}

int tn_plot_trace(const tn_plot_layout *layout, int panel, const tn_plot_series *series)
{
    const tn_panel_layout *at = &layout->panel[panel];
    const tn_box *box = &at->box;
    const int per_pixel = 4; // columns, so that those of a picture at twice the size differ
    for (int i = 0; i < series->n; i++) {
        const double sx = tn_scale_place(&layout->x, series->x[i]);
        const double sy = tn_scale_place(&at->y, series->y[i]);
        const bool gap = isnan(sx) || isnan(sy);
        layout->px[i] = gap ? NAN : clamp(box->x + sx * box->width);
        layout->py[i] = gap ? NAN : clamp(box->y + (1.0 - sy) * box->height);
    }
    const int columns = (int)(box->width * per_pixel);
    if (series->mark != TN_MARK_NONE || series->n <= columns)
        return series->n;
    return tn_plot_thin(series->n, layout->px, layout->py, box->x, box->x + box->width, columns);
}
