// SPDX-License-Identifier: MIT
//
// The parts of a plot: ticks, layout and drawing, and the canvas that SVG, PNG and PDF implement.
// Coordinates on a canvas are units of 1/96 inch from the top left corner, text is UTF-8.

#pragma once

#include "base/status.h"
#include "tenon/plot.h"
#include "text/buffer.h"

// Files ------------------------------------------------------------------------------------------

typedef enum tn_plot_format { TN_PLOT_SVG, TN_PLOT_PNG, TN_PLOT_PDF } tn_plot_format;

// By the ending of a file name, .svg, .png or .pdf in any case; fails where Tenon cannot write it.
tn_status tn_plot_format_of(const char *path, tn_plot_format *out);
// The usual height for the data of a panel on equal scales.
int tn_plot_equal_height(const tn_plot_panel *panel);
// The size of the picture that will be written.
void tn_plot_size(const tn_plot *plot, tn_plot_format format, int *width, int *height);
// The picture in memory; tn_free it.
tn_status tn_plot_render(const tn_plot *plot, tn_plot_format format, char **out, size_t *size);

// Ticks ------------------------------------------------------------------------------------------

enum { TN_MOST_TICKS = 200, TN_TICK_TEXT = 32 };

typedef struct tn_tick {
    double value;
    bool minor;                // without text
    char text[TN_TICK_TEXT];   // "0.25", "10"
    char raised[TN_TICK_TEXT]; // exponent behind the text, "" for none
} tn_tick;

typedef struct tn_ticks {
    int n;
    tn_tick at[TN_MOST_TICKS];
    // Factor and offset of the texts: "×10" "-5" " + 9.81"; "" for nothing.
    char note[TN_TICK_TEXT], note_raised[TN_TICK_TEXT], note_rest[TN_TICK_TEXT];
} tn_ticks;

// At most about `most` ticks with texts in lo < hi, at multiples of 1, 2 or 5 times a power of ten.
void tn_ticks_linear(double lo, double hi, int most, tn_ticks *out);
// 0 < lo < hi: powers of ten, and multiples of them when there are too few.
void tn_ticks_log(double lo, double hi, int most, tn_ticks *out);

// Canvas -----------------------------------------------------------------------------------------

typedef struct tn_box {
    double x, y, width, height;
} tn_box;

typedef struct tn_ink {
    unsigned color;     // 0xRRGGBB
    double width;       // of a line; 0: the polygon is filled
    double opacity;     // 0: opaque
    const double *dash; // lengths on, off, …, ended by 0; NULL for a solid line
} tn_ink;

typedef enum tn_anchor { TN_ANCHOR_START, TN_ANCHOR_MIDDLE, TN_ANCHOR_END } tn_anchor;

typedef struct tn_label {
    double x, y; // of the anchor on the base line
    double size;
    tn_anchor anchor;
    bool bold;
    bool upward; // reads from bottom to top
    unsigned color;
    const char *text, *raised, *rest; // raised and rest may be NULL
} tn_label;

typedef struct tn_canvas tn_canvas;

typedef struct tn_canvas_ops {
    // A white picture of width x height pixels, `scale` of them per unit.
    tn_status (*create)(tn_plot_format format, int width, int height, double scale,
                        tn_canvas **out);
    void (*clip)(tn_canvas *canvas, const tn_box *box); // NULL ends it
    // A single point is a disc as wide as the line.
    void (*path)(tn_canvas *canvas, const tn_ink *ink, int n, const double *x, const double *y);
    void (*label)(tn_canvas *canvas, const tn_label *label);
    // The picture as a file; failures of the calls before are returned here. Frees the canvas.
    tn_status (*finish)(tn_canvas *canvas, char **out, size_t *size);
} tn_canvas_ops;

struct tn_canvas { // first member of those of the back ends
    const tn_canvas_ops *ops;
    tn_buffer out;
};

// create is NULL when not compiled in
extern const tn_canvas_ops tn_canvas_svg, tn_canvas_cairo;

// Layout -----------------------------------------------------------------------------------------

enum { TN_LABEL_TEXT = 512, TN_MORE_TEXT = 32 };
static const double TN_SIZE_TICK = 12.0, TN_SIZE_LABEL = 13.0, TN_SIZE_TITLE = 15.0;
static const double TN_LEGEND_ROW = 18.0, TN_LEGEND_SAMPLE = 28.0, TN_LEGEND_GAP = 7.0,
                    TN_LEGEND_INSET = 8.0;

typedef struct tn_scale {
    bool log;
    double lo, hi;
} tn_scale;

typedef enum tn_legend_place {
    TN_LEGEND_NONE,
    TN_LEGEND_INSIDE, // in the corner that the fewest lines cross, best none
    TN_LEGEND_ABOVE,
    TN_LEGEND_RIGHT
} tn_legend_place;

typedef struct tn_legend {
    tn_legend_place place;
    int entries; // series with a label
    int columns; // of entries, side by side
    double text; // room for the text of an entry
    tn_box box;
} tn_legend;

typedef struct tn_panel_layout {
    tn_box box; // inside the axes
    tn_scale y;
    tn_ticks ticks;
    tn_legend legend;
    tn_scale shade; // of colours, where the panel has them
    tn_ticks shade_ticks;
    tn_box strip; // that shows them
    bool empty;   // nothing to draw
} tn_panel_layout;

typedef struct tn_plot_layout {
    double width, height;
    tn_scale x;
    tn_ticks ticks;
    double title, x_label; // base lines
    double y_label;        // base line of the labels that read upward
    double shade_label;    // the same of those of strips
    double *px, *py;       // a series on the canvas, room for the longest
    tn_panel_layout panel[TN_MOST_PANELS];
} tn_plot_layout;

double tn_scale_place(const tn_scale *scale, double value); // 0 at lo, 1 at hi; NaN for no place
void tn_plot_ranges(const tn_plot *plot, tn_plot_layout *layout);
// Widens the ranges in the frames of the layout until a unit has the same length on all axes.
void tn_plot_equalize(const tn_plot *plot, tn_plot_layout *layout);
// Thins points in place and returns how many are left: of neighbours in the same of `columns`
// columns between x = from and to the first, lowest, highest and last stay, so that the picture is
// the same when columns are narrower than its pixels. Gaps inside a column close, others stay.
int tn_plot_thin(int n, double *x, double *y, double from, double to, int columns);
// Points of a series on the canvas in layout->px, py, thinned, NaN between pieces; their number.
int tn_plot_trace(const tn_plot_layout *layout, int panel, const tn_plot_series *series);

// The straight line through a series in log-log, by least squares.
typedef struct tn_plot_trend {
    double slope;
    double from, to; // log10 x
    int n;           // points with a place there
} tn_plot_trend;
tn_plot_trend tn_plot_trend_of(const tn_plot_series *series);

// Places everything on a canvas of the width and height in the layout.
tn_status tn_plot_arrange(const tn_plot *plot, tn_plot_layout *layout);
void tn_plot_draw(const tn_plot *plot, tn_canvas *canvas, const tn_plot_layout *layout);

// Text -------------------------------------------------------------------------------------------

// The width of a text, or a bit more; `raised` and `rest` may be NULL.
double tn_plot_width(const tn_label *label);
// The text without control characters and stray bytes, ended by "…" where it is wider than `width`;
// returns the width it has. NULL is empty.
double tn_plot_fit(const char *text, double size, bool bold, double width, char out[TN_LABEL_TEXT]);
// The last line of a legend that has no room for n entries.
void tn_plot_more(int n, char out[TN_MORE_TEXT]);
// "acceleration [m/s²]"
void tn_plot_axis_text(const tn_plot_axis *axis, char out[TN_LABEL_TEXT]);
