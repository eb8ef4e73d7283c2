// SPDX-License-Identifier: MIT
//
// Where a legend goes: the corner of its panel that the fewest pieces of lines cross.

#include "io/plot_parts.h"

#include <math.h>

void tn_legend_measure(const tn_plot_panel *panel, tn_canvas *canvas, double most,
                       tn_legend *legend)
{
    char text[TN_LABEL_TEXT];
    legend->entries = 0;
    legend->text = 0.0;
    for (int k = 0; k < panel->nseries; k++)
        if (panel->series[k].label) {
            const double width =
                tn_plot_fit(canvas, panel->series[k].label, TN_SIZE_TICK, false, most, text);
            legend->entries++;
            legend->text = fmax(legend->text, width);
        }
}

double tn_legend_width(const tn_legend *legend, int columns)
{
    const double entry = TN_LEGEND_SAMPLE + TN_LEGEND_GAP + legend->text;
    return columns * (entry + 2.0 * TN_LEGEND_INSET);
}

double tn_legend_height(const tn_legend *legend, int columns)
{
    const int rows = (legend->entries + columns - 1) / columns;
    return rows * TN_LEGEND_ROW;
}

// Clips the part t0 … t1 of a segment at one side: d t <= r.
static bool clip_side(double d, double r, double *t0, double *t1)
{
    if (d == 0.0)
        return r >= 0.0;
    if (d < 0.0)
        *t0 = fmax(*t0, r / d);
    else
        *t1 = fmin(*t1, r / d);
    return *t0 <= *t1;
}

static bool crosses(const tn_box *box, double x0, double y0, double x1, double y1)
{
    double t0 = 0.0, t1 = 1.0;
    const double dx = x1 - x0, dy = y1 - y0;
    return clip_side(-dx, x0 - box->x, &t0, &t1) &&
           clip_side(dx, box->x + box->width - x0, &t0, &t1) &&
           clip_side(-dy, y0 - box->y, &t0, &t1) &&
           clip_side(dy, box->y + box->height - y0, &t0, &t1);
}

static void count_crossings(const tn_plot_layout *layout, int n, const tn_box box[4], int count[4])
{
    const double *x = layout->px, *y = layout->py;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i]))
            continue;
        const int from = i > 0 && !isnan(x[i - 1]) ? i - 1 : i;
        for (int c = 0; c < 4; c++)
            count[c] += crosses(&box[c], x[from], y[from], x[i], y[i]);
    }
}

int tn_legend_corner(const tn_plot *plot, tn_plot_layout *layout, int panel)
{
    tn_legend *legend = &layout->panel[panel].legend;
    const tn_box *p = &layout->panel[panel].box;
    const double inset = TN_LEGEND_INSET;
    const double width = tn_legend_width(legend, 1), height = tn_legend_height(legend, 1) + inset;
    const double left = p->x + inset, right = p->x + p->width - width - inset;
    const double top = p->y + inset, bottom = p->y + p->height - height - inset;
    const tn_box box[4] = {{right, top, width, height},
                           {left, top, width, height},
                           {right, bottom, width, height},
                           {left, bottom, width, height}};
    int count[4] = {0}, best = 0;
    for (int k = 0; k < plot->panels[panel].nseries; k++) {
        const int n = tn_plot_trace(layout, panel, &plot->panels[panel].series[k]);
        count_crossings(layout, n, box, count);
    }
    for (int c = 1; c < 4; c++)
        if (count[c] < count[best])
            best = c;
    legend->columns = 1;
    legend->box = box[best];
    return count[best];
}
