// SPDX-License-Identifier: MIT
//
// The canvas as PNG and as PDF, through cairo. Only this file knows cairo.

#include "base/alloc.h"
#include "base/library.h"
#include "draw/plot_parts.h"
#include "text/buffer.h"

#ifdef TN_WITH_CAIRO

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>

typedef struct cairo_canvas {
    tn_canvas base;
    cairo_surface_t *surface;
    cairo_t *cairo;
    bool pdf, clipped;
} cairo_canvas;

static const double POINT = 0.75; // of PDF, 1/72 inch, in pixels of 1/96 inch

static cairo_status_t take_bytes(void *user, const unsigned char *bytes, unsigned length)
{
    cairo_canvas *p = user;
    tn_buffer_put(&p->base.out, (const char *)bytes, length);
    return p->base.out.failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static tn_status drawn_create(tn_plot_format format, int width, int height, double scale,
                              tn_canvas **out)
{
    const bool pdf = format == TN_PLOT_PDF;
    TN_TRY(tn_library_need(&tn_cairo_library));
    cairo_canvas *p = tn_alloc(sizeof(*p));
    if (!p)
        return tn_fail(TN_ERR_MEMORY, "no memory for a picture");
    p->base.ops = &tn_canvas_cairo;
    p->pdf = pdf;
    p->surface =
        pdf ? cairo_pdf_surface_create_for_stream(take_bytes, p, POINT * width, POINT * height)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    p->cairo = cairo_create(p->surface);
    cairo_set_source_rgb(p->cairo, 1.0, 1.0, 1.0);
    cairo_paint(p->cairo);
    cairo_scale(p->cairo, pdf ? POINT * scale : scale, pdf ? POINT * scale : scale);
    cairo_set_line_join(p->cairo, CAIRO_LINE_JOIN_ROUND);
    *out = &p->base;
    return TN_OK;
}

static void drawn_clip(tn_canvas *canvas, const tn_box *box)
{
    cairo_canvas *p = (cairo_canvas *)canvas;
    if (p->clipped)
        cairo_restore(p->cairo);
    p->clipped = box != NULL;
    if (!box)
        return;
    cairo_save(p->cairo);
    cairo_rectangle(p->cairo, box->x, box->y, box->width, box->height);
    cairo_clip(p->cairo);
}

static void set_color(cairo_canvas *p, unsigned color, double opacity)
{
    cairo_set_source_rgba(p->cairo, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                          (color & 255) / 255.0, opacity > 0.0 ? opacity : 1.0);
}

static void drawn_path(tn_canvas *canvas, const tn_ink *ink, int n, const double *x,
                       const double *y)
{
    cairo_canvas *p = (cairo_canvas *)canvas;
    int dashes = 0;
    while (ink->dash && ink->dash[dashes] > 0.0)
        dashes++;
    set_color(p, ink->color, ink->opacity);
    cairo_set_line_width(p->cairo, ink->width);
    cairo_set_dash(p->cairo, ink->dash, dashes, 0.0);
    cairo_new_path(p->cairo); // a text has left a point behind
    for (int i = 0; i < n && n > 1; i++)
        cairo_line_to(p->cairo, x[i], y[i]);
    if (n == 1)
        cairo_arc(p->cairo, *x, *y, 0.5 * ink->width, 0.0, 2.0 * acos(-1.0));
    if (n > 1 && ink->width > 0.0)
        cairo_stroke(p->cairo);
    else
        cairo_fill(p->cairo);
}

static void drawn_label(tn_canvas *canvas, const tn_label *label)
{
    const cairo_font_weight_t weight =
        label->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL;
    const char *const parts[] = {label->text, label->raised, label->rest};
    const double size[] = {label->size, 0.72 * label->size, label->size};
    cairo_t *cairo = ((cairo_canvas *)canvas)->cairo;
    cairo_text_extents_t extents;
    double width = 0.0;
    set_color((cairo_canvas *)canvas, label->color, 1.0);
    cairo_save(cairo);
    cairo_translate(cairo, label->x, label->y);
    if (label->upward)
        cairo_rotate(cairo, -0.5 * acos(-1.0));
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, weight);
    for (int drawn = 0; drawn < 2; drawn++) { // first only measured, for the anchor
        double x = -0.5 * (double)label->anchor * width;
        for (int i = 0; i < TN_COUNT(parts); i++) {
            if (!parts[i] || !*parts[i])
                continue;
            cairo_set_font_size(cairo, size[i]);
            cairo_text_extents(cairo, parts[i], &extents);
            cairo_move_to(cairo, x, i == 1 ? -0.36 * label->size : 0.0);
            if (drawn)
                cairo_show_text(cairo, parts[i]);
            x += extents.x_advance;
        }
        width = x;
    }
    cairo_restore(cairo);
}

static tn_status drawn_finish(tn_canvas *canvas, char **out, size_t *size)
{
    cairo_canvas *p = (cairo_canvas *)canvas;
    drawn_clip(canvas, NULL);
    cairo_status_t s = cairo_status(p->cairo);
    if (s == CAIRO_STATUS_SUCCESS && !p->pdf)
        s = cairo_surface_write_to_png_stream(p->surface, take_bytes, p);
    cairo_destroy(p->cairo);
    cairo_surface_finish(p->surface); // writes the rest of PDF
    if (s == CAIRO_STATUS_SUCCESS && p->pdf)
        s = canvas->out.failed ? CAIRO_STATUS_NO_MEMORY : cairo_surface_status(p->surface);
    cairo_surface_destroy(p->surface);
    *out = canvas->out.text;
    *size = canvas->out.length;
    tn_free(canvas);
    if (s == CAIRO_STATUS_SUCCESS)
        return TN_OK;
    tn_free(*out);
    *out = NULL;
    return tn_fail(TN_ERR_MEMORY, "the picture cannot be drawn: %s", cairo_status_to_string(s));
}

const tn_canvas_ops tn_canvas_cairo = {
    .create = drawn_create,
    .clip = drawn_clip,
    .path = drawn_path,
    .label = drawn_label,
    .finish = drawn_finish,
};

#else

const tn_canvas_ops tn_canvas_cairo = {0};

#endif
