// SPDX-License-Identifier: MIT
//
// From a plot to a file: size, canvas, layout, drawing.

#include "draw/plot_parts.h"

#include "base/alloc.h"
#include "base/child.h"
#include "text/target.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum {
    USUAL_WIDTH = 800,
    USUAL_HEIGHT = 500, // of one panel
    PANEL_HEIGHT = 240, // of each of several
    PNG_DENSITY = 2,    // pixels per unit, unless the size is given
    LEAST_WIDTH = 240,
    LEAST_HEIGHT = 160,
    LARGEST = 10000
};

static const struct {
    const char *ending, *name;
    const tn_canvas_ops *canvas;
} formats[] = {
    [TN_PLOT_SVG] = {".svg", "SVG", &tn_canvas_svg},
    [TN_PLOT_PNG] = {".png", "PNG", &tn_canvas_cairo},
    [TN_PLOT_PDF] = {".pdf", "PDF", &tn_canvas_cairo},
};

tn_status tn_plot_format_of(const char *path, tn_plot_format *out)
{
    const char *dot = strrchr(path, '.');
    int i = 0;
    while (i < TN_COUNT(formats) && !(dot && strcasecmp(dot, formats[i].ending) == 0))
        i++;
    if (i == TN_COUNT(formats))
        return tn_fail(TN_ERR_USAGE,
                       "'%s': the ending tells the kind of picture, and must be .svg, .png or .pdf",
                       path);
    *out = (tn_plot_format)i;
    if (formats[i].canvas->create)
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "%s: this Tenon was built without cairo and cannot write %s; write SVG, or "
                   "build it with -DTENON_CAIRO=ON",
                   path, formats[i].name);
}

static int usual_height(const tn_plot *plot)
{
    const int several = 100 + PANEL_HEIGHT * plot->npanel;
    if (plot->usual_height > 0)
        return plot->usual_height;
    return plot->npanel > 1 ? several : USUAL_HEIGHT;
}

// Axes take some room; what is very flat or very tall is left with room beside it.
int tn_plot_equal_height(const tn_plot_panel *panel)
{
    const double beside = 90.0, least = 260.0, most = 900.0;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < panel->nseries; k++)
        for (int i = 0; i < panel->series[k].n; i++) {
            const double at[2] = {panel->series[k].x[i], panel->series[k].y[i]};
            for (int d = 0; d < 2 && isfinite(at[0]) && isfinite(at[1]); d++) {
                low[d] = fmin(low[d], at[d]);
                high[d] = fmax(high[d], at[d]);
            }
        }
    const double wanted = (USUAL_WIDTH - beside) * (high[1] - low[1]) / (high[0] - low[0]) + beside;
    return (int)(wanted > least ? fmin(wanted, most) : least);
}

void tn_plot_size(const tn_plot *plot, tn_plot_format format, int *width, int *height)
{
    const int density = format == TN_PLOT_PNG ? PNG_DENSITY : 1;
    *width = plot->width ? plot->width : density * USUAL_WIDTH;
    *height = plot->height ? plot->height : density * usual_height(plot);
}

static tn_status check_plot(const tn_plot *plot, tn_plot_format format, int width, int height)
{
    TN_ASSERT(plot->npanel > 0 && formats[format].canvas->create);
    if (plot->npanel > TN_MOST_PANELS)
        return tn_fail(TN_ERR_USAGE, "a picture has at most %d panels, and this one needs %d",
                       TN_MOST_PANELS, plot->npanel);
    if (width < LEAST_WIDTH || height < LEAST_HEIGHT || width > LARGEST || height > LARGEST)
        return tn_fail(TN_ERR_USAGE,
                       "a picture of %d x %d pixels is out of range; it must be at least %d x %d "
                       "and at most %d x %d",
                       width, height, LEAST_WIDTH, LEAST_HEIGHT, LARGEST, LARGEST);
    return TN_OK;
}

static size_t longest_series(const tn_plot *plot)
{
    int longest = 1;
    for (int p = 0; p < plot->npanel; p++)
        for (int k = 0; k < plot->panels[p].nseries; k++)
            longest = tn_larger(longest, plot->panels[p].series[k].n);
    return (size_t)longest;
}

typedef struct {
    const tn_plot *plot;
    tn_plot_format format;
} picture;

static tn_status render(void *user, char **out, size_t *size)
{
    const tn_plot *plot = ((const picture *)user)->plot;
    const tn_plot_format format = ((const picture *)user)->format;
    const size_t longest = longest_series(plot);
    tn_plot_layout *layout = tn_alloc(sizeof(*layout));
    double *points = tn_alloc(2 * longest * sizeof(double));
    tn_canvas *canvas = NULL;
    int width, height;
    tn_plot_size(plot, format, &width, &height);
    const double scale =
        fmax(1.0, fmin((double)width / USUAL_WIDTH, (double)height / usual_height(plot)));
    tn_status s = tn_got(layout && points);
    if (s == TN_OK) {
        layout->width = width / scale;
        layout->height = height / scale;
        layout->px = points;
        layout->py = points + longest;
        s = tn_plot_arrange(plot, layout);
    }
    TN_THEN(s, formats[format].canvas->create(format, width, height, scale, &canvas));
    if (s == TN_OK) {
        tn_plot_draw(plot, canvas, layout);
        s = canvas->ops->finish(canvas, out, size);
    }
    TN_FREE(layout, points);
    return s;
}

// The libraries behind PNG and PDF crash or wait for ever when memory is short: they draw in a
// process of their own, which has half a minute, a hundred times of what large pictures take.
tn_status tn_plot_render(const tn_plot *plot, tn_plot_format format, char **out, size_t *size)
{
    const tn_child_terms terms = {.who = "the drawing library", .patience = 30.0};
    picture p = {plot, format};
    int width, height;
    *out = NULL;
    *size = 0;
    tn_plot_size(plot, format, &width, &height);
    TN_TRY(check_plot(plot, format, width, height));
    if (format != TN_PLOT_SVG)
        return tn_child_take(render, &p, &terms, out, size);
    return render(&p, out, size);
}

tn_status tn_plot_write(const tn_plot *plot, const char *path)
{
    tn_plot_format format = TN_PLOT_SVG;
    char *bytes = NULL;
    size_t size = 0;
    TN_TRY(tn_plot_format_of(path, &format));
    TN_TRY(tn_plot_render(plot, format, &bytes, &size));
    const tn_status s = tn_target_write(path, bytes, size);
    tn_free(bytes);
    return s;
}
