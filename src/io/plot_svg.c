// SPDX-License-Identifier: MIT
//
// The canvas as SVG. The font is that of the viewer: texts are placed by anchor, and room for them
// is reckoned from the advance widths of Helvetica, with a margin for wider fonts.

#include "base/alloc.h"
#include "base/buffer.h"
#include "io/plot_parts.h"
#include "io/utf8.h"

#include <math.h>
#include <stdarg.h>
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

// Two decimals, fewer where they are zero, with a point in every locale.
static void plot_svg_put_number(svg_canvas *s, double value)
{
    const long long hundredths = llround(value * 100.0), whole = llabs(hundredths) / 100;
    const int rest = (int)(llabs(hundredths) % 100);
    tn_buffer_format(&s->out, "%s%lld", hundredths < 0 ? "-" : "", whole);
    if (rest != 0)
        tn_buffer_format(&s->out, rest % 10 ? ".%02d" : ".%d", rest % 10 ? rest : rest / 10);
}

// Text in which %g is a number as above, %x a colour and %s a text.
static void put_svg(svg_canvas *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_svg(svg_canvas *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *next; *format; format = next + 2) {
        next = strchr(format, '%');
        next = next ? next : format + strlen(format);
        tn_buffer_put(&s->out, format, (size_t)(next - format));
        if (!*next)
            break;
        if (next[1] == 'g')
            plot_svg_put_number(s, va_arg(args, double));
        else if (next[1] == 'x')
            tn_buffer_format(&s->out, "#%06x", va_arg(args, unsigned));
        else
            tn_buffer_say(&s->out, va_arg(args, const char *));
    }
    va_end(args);
}

static void put_escaped(svg_canvas *s, const char *text)
{
    static const char special[] = "<>&\"";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    for (const char *c = text; *c; c++) {
        const char *found = strchr(special, *c);
        if (found)
            tn_buffer_say(&s->out, names[found - special]);
        else
            tn_buffer_put(&s->out, c, 1);
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
    put_svg(s,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
            "viewBox=\"0 0 %g %g\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
            "'DejaVu Sans', sans-serif\">\n",
            (double)width, (double)height, width / scale, height / scale);
    tn_buffer_say(&s->out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
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

static void put_box(svg_canvas *s, const tn_box *box)
{
    put_svg(s, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"", box->x, box->y, box->width,
            box->height);
}

static void svg_clip(tn_canvas *canvas, const tn_box *box)
{
    svg_canvas *s = (svg_canvas *)canvas;
    if (s->clipped)
        put_svg(s, "</g>\n");
    s->clipped = box != NULL;
    if (!box)
        return;
    const double number = ++s->clips;
    put_svg(s, "<clipPath id=\"clip%g\">", number);
    put_box(s, box);
    put_svg(s, "/></clipPath>\n<g clip-path=\"url(#clip%g)\">\n", number);
}

static void svg_fill(tn_canvas *canvas, const tn_box *box, unsigned color, double opacity)
{
    svg_canvas *s = (svg_canvas *)canvas;
    put_box(s, box);
    put_svg(s, " fill=\"%x\"", color);
    if (opacity < 1.0)
        put_svg(s, " fill-opacity=\"%g\"", opacity);
    put_svg(s, "/>\n");
}

static void svg_line(tn_canvas *canvas, const tn_stroke *stroke, int n, const double *x,
                     const double *y)
{
    svg_canvas *s = (svg_canvas *)canvas;
    put_svg(s,
            "<polyline fill=\"none\" stroke=\"%x\" stroke-width=\"%g\" "
            "stroke-linejoin=\"round\"",
            stroke->color, stroke->width);
    for (int i = 0; stroke->dash && stroke->dash[i] > 0.0; i++)
        put_svg(s, "%s%g%s", i ? " " : " stroke-dasharray=\"", stroke->dash[i],
                stroke->dash[i + 1] > 0.0 ? "" : "\"");
    put_svg(s, " points=\"");
    for (int i = 0; i < n; i++)
        put_svg(s, "%s%g,%g", i ? " " : "", x[i], y[i]);
    put_svg(s, "\"/>\n");
}

static void svg_mark(tn_canvas *canvas, tn_plot_mark mark, unsigned color, double x, double y)
{
    svg_canvas *s = (svg_canvas *)canvas;
    double cx[TN_MARK_POINTS], cy[TN_MARK_POINTS];
    const double r = TN_MARK_RADIUS;
    const int n = tn_mark_corners(mark, cx, cy);
    const bool cross = mark == TN_MARK_CROSS;
    if (n == 0 && mark == TN_MARK_CIRCLE) {
        put_svg(s, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"%x\"/>\n", x, y, r, color);
        return;
    }
    put_svg(s, "<path d=\"");
    for (int i = 0; i < n; i++)
        put_svg(s, "%s%g %g", (cross ? i % 2 : i) ? "L" : "M", x + r * cx[i], y + r * cy[i]);
    put_svg(s, cross ? "\" stroke=\"%x\" stroke-width=\"1.6\"/>\n" : "Z\" fill=\"%x\"/>\n", color);
}

static void svg_label(tn_canvas *canvas, const tn_label *label)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    svg_canvas *s = (svg_canvas *)canvas;
    const bool raised = label->raised && *label->raised;
    put_svg(s, "<text x=\"%g\" y=\"%g\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%x\"%s",
            label->x, label->y, label->size, anchors[label->anchor], label->color,
            label->bold ? " font-weight=\"bold\"" : "");
    if (label->upward)
        put_svg(s, " transform=\"rotate(-90 %g %g)\"", label->x, label->y);
    put_svg(s, ">");
    put_escaped(s, label->text);
    if (raised) {
        tn_buffer_say(&s->out, "<tspan dy=\"-0.5em\" font-size=\"72%\">");
        put_escaped(s, label->raised);
        put_svg(s, "</tspan>");
    }
    if (label->rest && *label->rest) {
        put_svg(s, raised ? "<tspan dy=\"0.36em\">" : "<tspan>");
        put_escaped(s, label->rest);
        put_svg(s, "</tspan>");
    }
    put_svg(s, "</text>\n");
}

static tn_status svg_finish(tn_canvas *canvas, char **out, size_t *size)
{
    svg_canvas *s = (svg_canvas *)canvas;
    svg_clip(canvas, NULL);
    put_svg(s, "</svg>\n");
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
