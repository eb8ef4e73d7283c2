// SPDX-License-Identifier: MIT
//
// Lines of given slopes in log-log pictures, y = c x^p, to read orders of convergence by. A line
// stands a little below the curve whose own slope is nearest to it, over the same stretch, or goes
// through the middle of the panel where it would be out of sight there.

#include "draw/plot_curves.h"
#include "draw/plot_parts.h"

#include <math.h>
#include <stdio.h>

enum { LABEL_SIZE = 32 };
static const double BELOW = 0.05, LEAST_BELOW = 0.15; // of the decades in the panel; decades
static const double SEEN = 0.25; // of the width or the height of the panel, at least

static bool is_placed(const tn_plot_series *s, int i)
{
    return isfinite(s->x[i]) && isfinite(s->y[i]) && s->x[i] > 0.0 && s->y[i] > 0.0;
}

tn_plot_trend tn_plot_trend_of(const tn_plot_series *s)
{
    double x1 = 0.0, y1 = 0.0, xx = 0.0, xy = 0.0;
    tn_plot_trend f = {.from = INFINITY, .to = -INFINITY};
    for (int i = 0; i < s->n; i++) {
        if (!is_placed(s, i))
            continue;
        const double x = log10(s->x[i]), y = log10(s->y[i]);
        f.n++;
        f.from = fmin(f.from, x);
        f.to = fmax(f.to, x);
        x1 += x;
        y1 += y;
        xx += x * x;
        xy += x * y;
    }
    f.slope = (f.n * xy - x1 * y1) / (f.n * xx - x1 * x1);
    return f;
}

// The part of the picture in log10 that a line has: the stretch of its curve, the height of the
// panel.
typedef struct {
    double from, to, low, high;
} frame;

static const tn_plot_series *nearest_curve(const tn_plot_panel *panel, double slope,
                                           tn_plot_trend *out)
{
    const tn_plot_series *best = NULL;
    for (int k = 0; k < panel->nseries; k++) {
        const tn_plot_trend f = tn_plot_trend_of(&panel->series[k]);
        if (f.n < 2 || !(f.to > f.from))
            continue;
        if (!best || fabs(f.slope - slope) < fabs(out->slope - slope)) {
            best = &panel->series[k];
            *out = f;
        }
    }
    return best;
}

static frame frame_of(const tn_plot_layout *layout, int panel, const tn_plot_trend *f)
{
    const tn_scale *x = &layout->x, *y = &layout->panel[panel].y;
    frame all = {log10(x->lo), log10(x->hi), log10(y->lo), log10(y->hi)};
    if (fmin(f->to, all.to) > fmax(f->from, all.from)) {
        all.from = fmax(f->from, all.from);
        all.to = fmin(f->to, all.to);
    }
    return all;
}

// Clips the line through a point to the frame, ends in x[2] and y[2]; returns the part of the frame
// that it goes across, along or up, whichever is more; not positive where it lies outside.
static double clip_line(const frame *in, double slope, const double at[2], double x[2], double y[2])
{
    const double left = at[1] + slope * (in->from - at[0]),
                 right = at[1] + slope * (in->to - at[0]);
    x[0] = in->from;
    x[1] = in->to;
    y[0] = fmin(fmax(left, in->low), in->high);
    y[1] = fmin(fmax(right, in->low), in->high);
    if (y[0] != left)
        x[0] = at[0] + (y[0] - at[1]) / slope;
    if (y[1] != right)
        x[1] = at[0] + (y[1] - at[1]) / slope;
    if (!(x[1] >= x[0]) || x[0] < in->from || x[1] > in->to)
        return 0.0;
    return fmax((x[1] - x[0]) / (in->to - in->from), fabs(y[1] - y[0]) / (in->high - in->low));
}

// Two points of the line in xy[0 … 1] and xy[2 … 3]; false where no curve has a slope. Where too
// little of the line below its curve would be seen, it goes through the middle of the frame.
static bool place_slope(const tn_plot_layout *layout, const tn_plot_panel *panel, int p,
                        double slope, double xy[4])
{
    tn_plot_trend f = {0};
    const tn_plot_series *curve = nearest_curve(panel, slope, &f);
    double lowest = INFINITY, at[2] = {0};
    if (!curve)
        return false;
    const frame in = frame_of(layout, p, &f);
    for (int i = 0; i < curve->n; i++) {
        const double x = log10(curve->x[i]), y = log10(curve->y[i]);
        if (is_placed(curve, i) && y - slope * x < lowest) {
            lowest = y - slope * x;
            at[0] = x;
            at[1] = y - fmax(BELOW * (in.high - in.low), LEAST_BELOW);
        }
    }
    if (!(clip_line(&in, slope, at, xy, xy + 2) >= SEEN)) {
        const double middle[2] = {0.5 * (in.from + in.to), 0.5 * (in.low + in.high)};
        clip_line(&in, slope, middle, xy, xy + 2);
    }
    for (int i = 0; i < 4; i++)
        xy[i] = pow(10.0, xy[i]);
    return true;
}

static tn_status add_guides(tn_plot_curves *c, const tn_plot_options *o,
                            const tn_plot_layout *layout)
{
    const size_t each = 4 * sizeof(double) + LABEL_SIZE, n = (size_t)(c->panel.count * o->nslope);
    c->guides = tn_alloc(n * each);
    TN_TRY(tn_got(c->guides));
    double *xy = c->guides;
    char *label = (char *)(c->guides + 4 * n);
    for (int p = 0; p < c->panel.count; p++) {
        tn_plot_panel *panel = &c->panels[p];
        tn_plot_series *series = (tn_plot_series *)panel->series;
        int placed = 0; // behind the curves, which alone are asked for their slopes
        for (int i = 0; i < o->nslope; i++, xy += 4, label += LABEL_SIZE) {
            if (!place_slope(layout, panel, p, o->slopes[i], xy))
                continue;
            snprintf(label, LABEL_SIZE, "slope %g", o->slopes[i]);
            series[panel->nseries + placed++] = (tn_plot_series){
                .label = label, .n = 2, .x = xy, .y = xy + 2, .line = true, .guide = true};
        }
        if (placed == 0)
            return tn_fail(TN_ERR_USAGE, "--slopes: no curve has two points to draw a line below");
        panel->nseries += placed;
    }
    return TN_OK;
}

tn_status tn_plot_add_slopes(tn_plot_curves *c, const tn_plot_options *o, const tn_plot *plot)
{
    if (plot->npanel > TN_MOST_PANELS)
        return TN_OK; // which is refused when it is drawn
    tn_plot_layout *layout = tn_alloc(sizeof(*layout));
    TN_TRY(tn_got(layout));
    tn_plot_ranges(plot, layout); // by the curves alone
    const tn_status s = add_guides(c, o, layout);
    tn_free(layout);
    return s;
}
