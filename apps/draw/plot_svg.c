// SPDX-License-Identifier: MIT
//
// The canvas as SVG. The font is that of the viewer: texts are placed by anchor.

#include "base/alloc.h"
#include "draw/plot_parts.h"
#include "file/svg.h"
#include "text/buffer.h"

#include <stdio.h>

typedef struct svg_canvas {
    tn_canvas base;
    bool clipped;
} svg_canvas;

static tn_status svg_create(tn_plot_format format, int width, int height, double scale,
                            tn_canvas **out)
{
    svg_canvas *s = tn_alloc(sizeof(*s));
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "no memory for a picture");
    s->base.ops = &tn_canvas_svg;
    tn_svg_put(&s->base.out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
               "viewBox=\"0 0 %g %g\" " TN_SVG_FONT ">\n",
               (double)width, (double)height, width / scale, height / scale);
    tn_buffer_say(&s->base.out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    *out = &s->base;
    return TN_OK;
}

static void svg_clip(tn_canvas *canvas, const tn_box *box)
{
    svg_canvas *s = (svg_canvas *)canvas;
    if (s->clipped)
        tn_svg_put(&s->base.out, "</g>\n");
    s->clipped = box != NULL;
    if (!box)
        return;
    // Pictures that stand in one page share its names: what is named alike must be alike.
    char name[160];
    snprintf(name, sizeof(name), "tenon-clip-%.0f-%.0f-%.0f-%.0f", 10.0 * box->x, 10.0 * box->y,
             10.0 * box->width, 10.0 * box->height);
    tn_svg_put(
        &s->base.out,
        "<clipPath id=\"%s\"><rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/></clipPath>\n"
        "<g clip-path=\"url(#%s)\">\n",
        name, box->x, box->y, box->width, box->height, name);
}

static void svg_path(tn_canvas *canvas, const tn_ink *ink, int n, const double *x, const double *y)
{
    tn_buffer *out = &canvas->out;
    if (n == 1) {
        tn_svg_put(out, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"%x\"/>\n", *x, *y,
                   0.5 * ink->width, ink->color);
        return;
    }
    if (ink->width > 0.0)
        tn_svg_put(out,
                   "<polyline fill=\"none\" stroke=\"%x\" stroke-width=\"%g\" "
                   "stroke-linejoin=\"round\"",
                   ink->color, ink->width);
    else
        tn_svg_put(out, "<polygon fill=\"%x\"", ink->color);
    if (ink->opacity > 0.0 && ink->opacity < 1.0)
        tn_svg_put(out, " fill-opacity=\"%g\"", ink->opacity);
    for (int i = 0; ink->dash && ink->dash[i] > 0.0; i++)
        tn_svg_put(out, i ? " %g" : " stroke-dasharray=\"%g", ink->dash[i]);
    tn_buffer_say(out, ink->dash ? "\"" : "");
    for (int i = 0; i < n; i++)
        tn_svg_put(out, i ? " %g,%g" : " points=\"%g,%g", x[i], y[i]);
    tn_svg_put(out, "\"/>\n");
}

static void svg_label(tn_canvas *canvas, const tn_label *label)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    const bool raised = label->raised && *label->raised;
    tn_buffer *out = &canvas->out;
    tn_svg_put(out, "<text x=\"%g\" y=\"%g\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%x\"",
               label->x, label->y, label->size, anchors[label->anchor], label->color);
    if (label->bold)
        tn_svg_put(out, " font-weight=\"bold\"");
    if (label->upward)
        tn_svg_put(out, " transform=\"rotate(-90 %g %g)\"", label->x, label->y);
    tn_svg_put(out, ">%s", label->text);
    if (raised) {
        tn_buffer_say(out, "<tspan dy=\"-0.5em\" font-size=\"72%\">");
        tn_svg_put(out, "%s</tspan>", label->raised);
    }
    if (label->rest && *label->rest)
        tn_svg_put(out, raised ? "<tspan dy=\"0.36em\">%s</tspan>" : "<tspan>%s</tspan>",
                   label->rest);
    tn_svg_put(out, "</text>\n");
}

static tn_status svg_finish(tn_canvas *canvas, char **out, size_t *size)
{
    tn_buffer *text = &canvas->out;
    svg_clip(canvas, NULL);
    tn_svg_put(text, "</svg>\n");
    *size = text->length;
    const tn_status s = tn_buffer_finish(text, "a picture", out);
    tn_free(canvas);
    return s;
}

const tn_canvas_ops tn_canvas_svg = {
    .create = svg_create,
    .clip = svg_clip,
    .path = svg_path,
    .label = svg_label,
    .finish = svg_finish,
};
