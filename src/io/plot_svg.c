// SPDX-License-Identifier: MIT
//
// The canvas as SVG. The font is that of the viewer: texts are placed by anchor, and room for them
// is reckoned from the advance widths of Helvetica, with a margin for wider fonts.

#include "base/alloc.h"
#include "base/buffer.h"
#include "io/plot_parts.h"
#include "io/utf8.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct svg_canvas {
    tn_canvas base;
    tn_buffer out;
    int clips;
    bool clipped;
} svg_canvas;

static void put_plot_svg(svg_canvas *s, const char *text)
{
    tn_buffer_say(&s->out, text);
}

#define putf(s, ...) tn_buffer_format(&(s)->out, __VA_ARGS__)

// Two decimals, fewer where they are zero, with a point in every locale.
static void plot_svg_put_number(svg_canvas *s, double value)
{
    const long long hundredths = llround(value * 100.0), whole = llabs(hundredths) / 100;
    const int rest = (int)(llabs(hundredths) % 100);
    const char *sign = hundredths < 0 ? "-" : "";
    if (rest == 0)
        putf(s, "%s%lld", sign, whole);
    else if (rest % 10 == 0)
        putf(s, "%s%lld.%d", sign, whole, rest / 10);
    else
        putf(s, "%s%lld.%02d", sign, whole, rest);
}

static void put_attribute(svg_canvas *s, const char *name, double value)
{
    putf(s, " %s=\"", name);
    plot_svg_put_number(s, value);
    put_plot_svg(s, "\"");
}

static void put_escaped(svg_canvas *s, const char *text)
{
    for (const char *c = text; *c; c++) {
        const char one[] = {*c, '\0'};
        put_plot_svg(s, *c == '<'   ? "&lt;"
                        : *c == '>' ? "&gt;"
                        : *c == '&' ? "&amp;"
                        : *c == '"' ? "&quot;"
                                    : one);
    }
}

static void svg_destroy(tn_canvas *canvas)
{
    svg_canvas *s = (svg_canvas *)canvas;
    TN_FREE(s->out.text, s);
}

static tn_status svg_create(int width, int height, double scale, tn_canvas **out)
{
    svg_canvas *s = tn_alloc(sizeof(*s));
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "no memory for a picture");
    s->base.ops = &tn_canvas_svg;
    put_plot_svg(s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put_attribute(s, "width", width);
    put_attribute(s, "height", height);
    put_plot_svg(s, " viewBox=\"0 0 ");
    plot_svg_put_number(s, width / scale);
    put_plot_svg(s, " ");
    plot_svg_put_number(s, height / scale);
    put_plot_svg(
        s, "\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    *out = &s->base;
    return TN_OK;
}

// Advance widths of Helvetica from the space on, in 1/1000 of the size [Adobe font metrics].
static const short advance[95] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

static double text_width(const char *text)
{
    const double wider = 1.16; // DejaVu Sans, the widest of the usual ones, against Helvetica
    double width = 0.0;
    size_t left = text ? strlen(text) : 0;
    while (left > 0) {
        uint32_t code = 0;
        int n = tn_utf8_decode(text, left, &code);
        n = n < 1 ? 1 : n;
        width += code >= 32 && code < 127 ? advance[code - 32] : code < 0x1100 ? 650 : 1000;
        text += n;
        left -= (size_t)n;
    }
    return width * wider / 1000.0;
}

static double svg_width(tn_canvas *canvas, const tn_label *label)
{
    const double raised = 0.72, bold = 1.1;
    return label->size * (label->bold ? bold : 1.0) *
           (text_width(label->text) + raised * text_width(label->raised) + text_width(label->rest));
}

static void svg_clip(tn_canvas *canvas, const tn_box *box)
{
    svg_canvas *s = (svg_canvas *)canvas;
    if (s->clipped)
        put_plot_svg(s, "</g>\n");
    s->clipped = box != NULL;
    if (!box)
        return;
    putf(s, "<clipPath id=\"clip%d\"><rect", ++s->clips);
    put_attribute(s, "x", box->x);
    put_attribute(s, "y", box->y);
    put_attribute(s, "width", box->width);
    put_attribute(s, "height", box->height);
    putf(s, "/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n", s->clips);
}

static void svg_fill(tn_canvas *canvas, const tn_box *box, unsigned color, double opacity)
{
    svg_canvas *s = (svg_canvas *)canvas;
    put_plot_svg(s, "<rect");
    put_attribute(s, "x", box->x);
    put_attribute(s, "y", box->y);
    put_attribute(s, "width", box->width);
    put_attribute(s, "height", box->height);
    putf(s, " fill=\"#%06x\"", color);
    if (opacity < 1.0)
        put_attribute(s, "fill-opacity", opacity);
    put_plot_svg(s, "/>\n");
}

static void svg_line(tn_canvas *canvas, const tn_stroke *stroke, int n, const double *x,
                     const double *y)
{
    svg_canvas *s = (svg_canvas *)canvas;
    putf(s, "<polyline fill=\"none\" stroke=\"#%06x\"", stroke->color);
    put_attribute(s, "stroke-width", stroke->width);
    put_plot_svg(s, " stroke-linejoin=\"round\"");
    if (stroke->dash) {
        put_plot_svg(s, " stroke-dasharray=\"");
        for (int i = 0; stroke->dash[i] > 0.0; i++) {
            put_plot_svg(s, i ? " " : "");
            plot_svg_put_number(s, stroke->dash[i]);
        }
        put_plot_svg(s, "\"");
    }
    put_plot_svg(s, " points=\"");
    for (int i = 0; i < n; i++) {
        put_plot_svg(s, i ? " " : "");
        plot_svg_put_number(s, x[i]);
        put_plot_svg(s, ",");
        plot_svg_put_number(s, y[i]);
    }
    put_plot_svg(s, "\"/>\n");
}

static void svg_mark(tn_canvas *canvas, tn_plot_mark mark, unsigned color, double x, double y)
{
    svg_canvas *s = (svg_canvas *)canvas;
    double cx[TN_MARK_POINTS], cy[TN_MARK_POINTS];
    const double r = TN_MARK_RADIUS;
    const int n = tn_mark_corners(mark, cx, cy);
    if (n == 0 && mark == TN_MARK_CIRCLE) {
        put_plot_svg(s, "<circle");
        put_attribute(s, "cx", x);
        put_attribute(s, "cy", y);
        put_attribute(s, "r", r);
        putf(s, " fill=\"#%06x\"/>\n", color);
        return;
    }
    put_plot_svg(s, "<path d=\"");
    for (int i = 0; i < n; i++) {
        put_plot_svg(s, mark == TN_MARK_CROSS ? (i % 2 ? "L" : "M") : i ? "L" : "M");
        plot_svg_put_number(s, x + r * cx[i]);
        put_plot_svg(s, " ");
        plot_svg_put_number(s, y + r * cy[i]);
    }
    if (mark == TN_MARK_CROSS)
        putf(s, "\" stroke=\"#%06x\" stroke-width=\"1.6\"/>\n", color);
    else
        putf(s, "Z\" fill=\"#%06x\"/>\n", color);
}

static void svg_label(tn_canvas *canvas, const tn_label *label)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    svg_canvas *s = (svg_canvas *)canvas;
    put_plot_svg(s, "<text");
    put_attribute(s, "x", label->x);
    put_attribute(s, "y", label->y);
    put_attribute(s, "font-size", label->size);
    putf(s, " text-anchor=\"%s\" fill=\"#%06x\"", anchors[label->anchor], label->color);
    if (label->bold)
        put_plot_svg(s, " font-weight=\"bold\"");
    if (label->upward) {
        put_plot_svg(s, " transform=\"rotate(-90 ");
        plot_svg_put_number(s, label->x);
        put_plot_svg(s, " ");
        plot_svg_put_number(s, label->y);
        put_plot_svg(s, ")\"");
    }
    put_plot_svg(s, ">");
    put_escaped(s, label->text);
    if (label->raised && *label->raised) {
        put_plot_svg(s, "<tspan dy=\"-0.5em\" font-size=\"72%\">");
        put_escaped(s, label->raised);
        put_plot_svg(s, "</tspan>");
    }
    if (label->rest && *label->rest) {
        put_plot_svg(s, label->raised && *label->raised ? "<tspan dy=\"0.36em\">" : "<tspan>");
        put_escaped(s, label->rest);
        put_plot_svg(s, "</tspan>");
    }
    put_plot_svg(s, "</text>\n");
}

static tn_status svg_finish(tn_canvas *canvas, char **out, size_t *size)
{
    svg_canvas *s = (svg_canvas *)canvas;
    svg_clip(canvas, NULL);
    put_plot_svg(s, "</svg>\n");
    if (s->out.failed)
        return tn_fail(TN_ERR_MEMORY, "no memory for a picture");
    *out = s->out.text;
    *size = s->out.length;
    s->out.text = NULL;
    return TN_OK;
}

const tn_canvas_ops tn_canvas_svg = {
    .create = svg_create,
    .destroy = svg_destroy,
    .width = svg_width,
    .clip = svg_clip,
    .fill = svg_fill,
    .line = svg_line,
    .mark = svg_mark,
    .label = svg_label,
    .finish = svg_finish,
};
