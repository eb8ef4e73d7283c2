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
    tn_buffer out;
    bool clipped;
} svg_canvas;

static void svg_destroy(tn_canvas *canvas)
{
    svg_canvas *s = (svg_canvas *)canvas;
    TN_FREE(s->out.text, s);
}

static tn_status svg_create(tn_plot_format format, int width, int height, double scale,
                            tn_canvas **out)
{
    svg_canvas *s = tn_alloc(sizeof(*s));
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "no memory for a picture");
    s->base.ops = &tn_canvas_svg;
    tn_svg_put(&s->out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
               "viewBox=\"0 0 %g %g\" " TN_SVG_FONT ">\n",
               (double)width, (double)height, width / scale, height / scale);
    tn_buffer_say(&s->out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    *out = &s->base;
    return TN_OK;
}

static void svg_clip(tn_canvas *canvas, const tn_box *box)
{
    svg_canvas *s = (svg_canvas *)canvas;
    if (s->clipped)
        tn_svg_put(&s->out, "</g>\n");
    s->clipped = box != NULL;
    if (!box)
        return;
    // Pictures that stand in one page share its names: what is named alike must be alike.
    char name[160];
    snprintf(name, sizeof(name), "tenon-clip-%.0f-%.0f-%.0f-%.0f", 10.0 * box->x, 10.0 * box->y,
             10.0 * box->width, 10.0 * box->height);
    tn_svg_put(
        &s->out,
        "<clipPath id=\"%s\"><rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/></clipPath>\n"
        "<g clip-path=\"url(#%s)\">\n",
        name, box->x, box->y, box->width, box->height, name);
}

static void svg_path(tn_canvas *canvas, const tn_ink *ink, int n, const double *x, const double *y)
{
    svg_canvas *s = (svg_canvas *)canvas;
    if (n == 1) {
        tn_svg_put(&s->out, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"%x\"/>\n", *x, *y,
                   0.5 * ink->width, ink->color);
        return;
    }
    if (ink->width > 0.0)
        tn_svg_put(&s->out,
                   "<polyline fill=\"none\" stroke=\"%x\" stroke-width=\"%g\" "
                   "stroke-linejoin=\"round\"",
                   ink->color, ink->width);
    else
        tn_svg_put(&s->out, "<polygon fill=\"%x\"", ink->color);
    if (ink->opacity > 0.0 && ink->opacity < 1.0)
        tn_svg_put(&s->out, " fill-opacity=\"%g\"", ink->opacity);
    for (int i = 0; ink->dash && ink->dash[i] > 0.0; i++)
        tn_svg_put(&s->out, "%s%g%s", i ? " " : " stroke-dasharray=\"", ink->dash[i],
                   ink->dash[i + 1] > 0.0 ? "" : "\"");
    for (int i = 0; i < n; i++)
        tn_svg_put(&s->out, "%s%g,%g", i ? " " : " points=\"", x[i], y[i]);
    tn_svg_put(&s->out, "\"/>\n");
}

static void svg_label(tn_canvas *canvas, const tn_label *label)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    svg_canvas *s = (svg_canvas *)canvas;
    const bool raised = label->raised && *label->raised;
    tn_svg_put(&s->out, "<text x=\"%g\" y=\"%g\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%x\"%s",
               label->x, label->y, label->size, anchors[label->anchor], label->color,
               label->bold ? " font-weight=\"bold\"" : "");
    if (label->upward)
        tn_svg_put(&s->out, " transform=\"rotate(-90 %g %g)\"", label->x, label->y);
    tn_svg_put(&s->out, ">");
    tn_svg_escape(&s->out, label->text);
    if (raised) {
        tn_buffer_say(&s->out, "<tspan dy=\"-0.5em\" font-size=\"72%\">");
        tn_svg_escape(&s->out, label->raised);
        tn_svg_put(&s->out, "</tspan>");
    }
    if (label->rest && *label->rest) {
        tn_svg_put(&s->out, raised ? "<tspan dy=\"0.36em\">" : "<tspan>");
        tn_svg_escape(&s->out, label->rest);
        tn_svg_put(&s->out, "</tspan>");
    }
    tn_svg_put(&s->out, "</text>\n");
}

static tn_status svg_finish(tn_canvas *canvas, char **out, size_t *size)
{
    svg_canvas *s = (svg_canvas *)canvas;
    svg_clip(canvas, NULL);
    tn_svg_put(&s->out, "</svg>\n");
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
    .clip = svg_clip,
    .path = svg_path,
    .label = svg_label,
    .finish = svg_finish,
};
