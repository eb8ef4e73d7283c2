// SPDX-License-Identifier: MIT
//
// Plots for papers. A plot is data: panels one above the other that share the x axis, each with
// its own y axis and its series of points. Lines, scattered points and both; linear and
// logarithmic axes. It is written as SVG, PNG or PDF, without a display.
//
//   const tn_plot_series errors = {.label = "q", .n = n, .x = h, .y = e, .mark = TN_MARK_CIRCLE};
//   const tn_plot_panel panel = {.y = {.label = "error", .unit = "m", .log = true}, 1, &errors};
//   tn_plot plot = {.x = {.label = "step", .unit = "s", .log = true}, 1, &panel};
//   TN_TRY(tn_plot_write(&plot, "convergence.svg"));
//
// Parts left out of a definition (zero) are chosen: ranges from the data, colours and dashes by the
// order of the series, the size of the picture by the number of panels.

#pragma once

#include "tenon/base.h"

#include <stdbool.h>

// The mark at each point of a series.
typedef enum tn_plot_mark {
    TN_MARK_NONE,
    TN_MARK_CIRCLE,
    TN_MARK_SQUARE,
    TN_MARK_TRIANGLE,
    TN_MARK_DIAMOND,
    TN_MARK_CROSS
} tn_plot_mark;

// A line, or the edge of an area where there is an opacity; colours are 0xRRGGBB.
typedef struct tn_plot_paint {
    unsigned stroke;
    double width;
    unsigned fill;
    double opacity; // 0: it is no area
} tn_plot_paint;

// Points of one curve, joined or marked.
typedef struct tn_plot_series {
    const char *label; // in the legend; NULL for none
    int n;
    const double *x, *y;        // other than finite, or not positive on a log axis, leaves a gap
    bool line;                  // joins the points
    tn_plot_mark mark;          // at each point
    const tn_plot_paint *paint; // NULL: by the order of the series
    bool guide;                 // a grey line behind the others, which does not count for the axes
    const double *value;        // of the points, for their colours by the panel's shade; NULL: none
} tn_plot_series;

// An axis of a panel, or of its colours.
typedef struct tn_plot_axis {
    const char *label; // NULL for none
    const char *unit;  // "m/s^2", shown behind the label; NULL or "" for none
    bool log;
    double from, to; // equal: from the data; a NaN leaves one end to the data
} tn_plot_axis;

// Rectangles with colours by the shade of the panel, under its series. Ranges of axes do not
// follow from them: state both ends.
typedef struct tn_plot_cells {
    int nx, ny;
    const double *x, *y;  // edges, nx + 1 and ny + 1, increasing
    const double *values; // row by row from y[0] on; other than finite stays white
} tn_plot_cells;

enum { TN_MOST_PANELS = 16 };

// Curves and cells over the common x axis, with a y axis of their own.
typedef struct tn_plot_panel {
    tn_plot_axis y;
    int nseries;
    const tn_plot_series *series;
    const tn_plot_cells *cells; // NULL for none
    const tn_plot_axis *shade;  // of colours, both ends stated, beside the panel; NULL for none
} tn_plot_panel;

// A picture: panels one below the other.
typedef struct tn_plot {
    tn_plot_axis x;
    int npanel;
    const tn_plot_panel *panels; // from top to bottom
    const char *title;           // NULL for none
    // In pixels, both or none. Text and lines grow with pictures larger than the usual size.
    int width, height;
    int usual_height; // if none is given, of a width of 800; 0: by the number of panels
    bool equal;       // a unit is as long along x as along y; not on log axes
    bool roomy;       // the x axis goes on a little beyond the data, as y axes do
} tn_plot;

// Writes FILE.svg, FILE.png or FILE.pdf; a file that exists is replaced.
TN_API tn_status tn_plot_write(const tn_plot *plot, const char *path);

// The colour of a value on an axis of colours: from dark blue over green to yellow.
TN_API unsigned tn_plot_shade(const tn_plot_axis *axis, double value);
