// SPDX-License-Identifier: MIT
//
// Draws a plot whose layout is known: grid, series, axes, texts, legends.
//
// The colours are those of Okabe and Ito, which stay apart for colour-blind readers, without the
// yellow, which is faint on white. Seven colours and five dashes make 35 styles.

#include "draw/plot_parts.h"

#include <math.h>

static const unsigned palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                   0xe69f00, 0x000000, 0x56b4e9};
static const double dashes[][7] = {{0.0},
                                   {7.0, 3.0, 0.0},
                                   {2.0, 2.5, 0.0},
                                   {9.0, 3.0, 2.0, 3.0, 0.0},
                                   {9.0, 3.0, 2.0, 3.0, 2.0, 3.0, 0.0}};

static const unsigned INK = 0x262626, FAINT = 0xe2e2e2, FAINTER = 0xf1f1f1, AXIS = 0x595959,
                      GUIDE = 0x808080;
static const double TICK = 5.0, MINOR_TICK = 3.0;
static const double MIDDLE = 0.36; // of the size: from the base line to the middle of digits
static const double DENSE = 15.0;  // longer than so many widths, a line is no place for dashes

static void draw_segment(tn_canvas *canvas, unsigned color, double x0, double y0, double x1,
                         double y1)
{
    const tn_ink stroke = {.color = color, .width = 1.0};
    canvas->ops->path(canvas, &stroke, 2, (double[]){x0, x1}, (double[]){y0, y1});
}

static void draw_box(tn_canvas *canvas, const tn_box *b, unsigned color, double opacity)
{
    const double right = b->x + b->width, below = b->y + b->height;
    canvas->ops->path(canvas, &(tn_ink){.color = color, .opacity = opacity}, 4,
                      (double[]){b->x, right, right, b->x}, (double[]){b->y, b->y, below, below});
}

static void draw_text(tn_canvas *canvas, const char *text, double size, tn_anchor anchor, double x,
                      double y)
{
    const tn_label label = {
        .x = x, .y = y, .size = size, .anchor = anchor, .color = INK, .text = text};
    canvas->ops->label(canvas, &label);
}

// A text, what is raised behind it and the rest, in the size of ticks; returns its width.
static double draw_parts(tn_canvas *canvas, tn_anchor anchor, double x, double y,
                         const char *const parts[3])
{
    const tn_label label = {.x = x,
                            .y = y,
                            .size = TN_SIZE_TICK,
                            .anchor = anchor,
                            .color = INK,
                            .text = parts[0],
                            .raised = parts[1],
                            .rest = parts[2]};
    canvas->ops->label(canvas, &label);
    return tn_plot_width(&label);
}

// Finds the position of a tick along an axis, snapped to the middle of a pixel; false when it is
// outside.
static bool tick_place(const tn_scale *scale, double value, double *place, double length)
{
    const double s = tn_scale_place(scale, value), slack = 1e-9;
    *place = floor(s * length + 0.5);
    return s >= -slack && s <= 1.0 + slack;
}

// Axes -------------------------------------------------------------------------------------------

static void draw_grid(tn_canvas *canvas, const tn_plot_layout *layout, const tn_panel_layout *panel)
{
    const tn_box *b = &panel->box;
    double at;
    for (int minor = 1; minor >= 0; minor--) { // major lines over minor ones
        const unsigned color = minor ? FAINTER : FAINT;
        for (int i = 0; i < layout->ticks.n; i++)
            if (layout->ticks.at[i].minor == minor &&
                tick_place(&layout->x, layout->ticks.at[i].value, &at, b->width))
                draw_segment(canvas, color, b->x + at, b->y, b->x + at, b->y + b->height);
        for (int i = 0; i < panel->ticks.n; i++)
            if (panel->ticks.at[i].minor == minor &&
                tick_place(&panel->y, panel->ticks.at[i].value, &at, b->height))
                draw_segment(canvas, color, b->x, b->y + b->height - at, b->x + b->width,
                             b->y + b->height - at);
    }
}

// Draws the factor and the offset of the texts of ticks; returns their width.
static double draw_note(tn_canvas *canvas, const tn_ticks *ticks, tn_anchor anchor, double x,
                        double y)
{
    if (!*ticks->note && !*ticks->note_rest)
        return 0.0;
    return draw_parts(canvas, anchor, x, y,
                      (const char *[]){ticks->note, ticks->note_raised, ticks->note_rest});
}

typedef enum { AT_LEFT, BELOW, AT_RIGHT } axis_side; // of a box

static void draw_ticks(tn_canvas *canvas, const tn_scale *scale, const tn_ticks *ticks,
                       const tn_box *b, axis_side side, bool texts)
{
    static const tn_anchor anchors[] = {TN_ANCHOR_END, TN_ANCHOR_MIDDLE, TN_ANCHOR_START};
    const double gap = TICK + 3.0, bottom = b->y + b->height, dx = side - 1.0, dy = side == BELOW;
    double at;
    for (int i = 0; i < ticks->n; i++) {
        const tn_tick *tick = &ticks->at[i];
        const double length = tick->minor ? MINOR_TICK : TICK;
        if (!tick_place(scale, tick->value, &at, side == BELOW ? b->width : b->height))
            continue;
        const double x = side == BELOW ? b->x + at : side == AT_RIGHT ? b->x + b->width : b->x;
        const double y = side == BELOW ? bottom : bottom - at;
        draw_segment(canvas, AXIS, x, y, x + dx * length, y + dy * length);
        if (texts && !tick->minor)
            draw_parts(canvas, anchors[side], x + dx * gap,
                       y + (side == BELOW ? gap + TN_SIZE_TICK : MIDDLE * TN_SIZE_TICK),
                       (const char *[]){tick->text, tick->raised, NULL});
    }
}

// The lines at the left of a panel and below it, where the texts are those of the last panel.
static void draw_axes(tn_canvas *canvas, const tn_plot_layout *layout, const tn_panel_layout *panel,
                      bool last)
{
    const tn_box *b = &panel->box;
    const double bottom = b->y + b->height;
    draw_segment(canvas, AXIS, b->x, b->y, b->x, bottom);
    draw_ticks(canvas, &panel->y, &panel->ticks, b, AT_LEFT, true);
    draw_note(canvas, &panel->ticks, TN_ANCHOR_START, b->x, b->y - 6.0);
    draw_segment(canvas, AXIS, b->x, bottom, b->x + b->width, bottom);
    draw_ticks(canvas, &layout->x, &layout->ticks, b, BELOW, last);
}

static void draw_y_label(const tn_plot_axis *axis, tn_canvas *canvas, const tn_box *b, double x)
{
    char wanted[TN_LABEL_TEXT], text[TN_LABEL_TEXT];
    tn_plot_axis_text(axis, wanted);
    tn_plot_fit(wanted, TN_SIZE_LABEL, false, b->height, text);
    const tn_label label = {.x = x,
                            .y = b->y + 0.5 * b->height,
                            .size = TN_SIZE_LABEL,
                            .anchor = TN_ANCHOR_MIDDLE,
                            .upward = true,
                            .color = INK,
                            .text = text};
    if (*text)
        canvas->ops->label(canvas, &label);
}

// Colours from bottom to top, with ticks at the right.
static void draw_strip(tn_canvas *canvas, const tn_plot_layout *layout, int p,
                       const tn_plot_axis *axis)
{
    enum { PARTS = 64 };
    const tn_panel_layout *panel = &layout->panel[p];
    const tn_box *b = &panel->strip;
    const double part = b->height / PARTS, lap = 0.5; // no seams
    const tn_plot_axis even = {.from = 0.0, .to = PARTS - 1.0};
    for (int i = PARTS - 1; i >= 0; i--) {
        const double top = b->y + b->height - (i + 1) * part;
        const tn_box box = {b->x, top, b->width, part + (i > 0 ? lap : 0.0)};
        draw_box(canvas, &box, tn_plot_shade(&even, i), 1.0);
    }
    draw_ticks(canvas, &panel->shade, &panel->shade_ticks, b, AT_RIGHT, true);
    draw_note(canvas, &panel->shade_ticks, TN_ANCHOR_END, b->x + b->width, b->y - 6.0);
    draw_y_label(axis, canvas, b, layout->shade_label);
}

static void draw_title(const tn_plot *plot, tn_canvas *canvas, const tn_plot_layout *layout)
{
    char text[TN_LABEL_TEXT];
    const tn_box *b = &layout->panel[0].box;
    const double inset = 10.0;
    const double width =
        tn_plot_fit(plot->title, TN_SIZE_TITLE, true, layout->width - 2.0 * inset, text);
    const double half = 0.5 * width + inset, middle = b->x + 0.5 * b->width;
    const tn_label title = {.x = fmin(fmax(middle, half), layout->width - half),
                            .y = layout->title,
                            .size = TN_SIZE_TITLE,
                            .anchor = TN_ANCHOR_MIDDLE,
                            .bold = true,
                            .color = INK,
                            .text = text};
    if (*text)
        canvas->ops->label(canvas, &title);
}

// Below the middle of the axis, moved to the left where the note needs the room.
static void draw_x_label(const tn_plot *plot, tn_canvas *canvas, const tn_plot_layout *layout)
{
    char wanted[TN_LABEL_TEXT], text[TN_LABEL_TEXT];
    const tn_box *b = &layout->panel[0].box;
    const double note =
        draw_note(canvas, &layout->ticks, TN_ANCHOR_END, b->x + b->width, layout->x_label);
    const double room = b->width - (note > 0.0 ? note + 12.0 : 0.0);
    tn_plot_axis_text(&plot->x, wanted);
    const double width = tn_plot_fit(wanted, TN_SIZE_LABEL, false, room, text);
    if (*text)
        draw_text(canvas, text, TN_SIZE_LABEL, TN_ANCHOR_MIDDLE,
                  b->x + fmin(0.5 * b->width, room - 0.5 * width), layout->x_label);
}

// Cells ------------------------------------------------------------------------------------------

static void draw_cells(tn_canvas *canvas, const tn_plot_layout *layout, int p,
                       const tn_plot_panel *from)
{
    const tn_plot_cells *c = from->cells;
    const tn_box *b = &layout->panel[p].box;
    for (int j = 0; j < c->ny; j++) {
        const double low = tn_scale_place(&layout->panel[p].y, c->y[j]);
        const double high = tn_scale_place(&layout->panel[p].y, c->y[j + 1]);
        for (int i = 0; i < c->nx; i++) {
            const double value = c->values[j * c->nx + i], lap = 0.3; // no seams
            const double left = tn_scale_place(&layout->x, c->x[i]);
            const double right = tn_scale_place(&layout->x, c->x[i + 1]);
            const tn_box box = {b->x + left * b->width, b->y + (1.0 - high) * b->height,
                                (right - left) * b->width + lap, (high - low) * b->height + lap};
            if (isfinite(value))
                draw_box(canvas, &box, tn_plot_shade(from->shade, value), 1.0);
        }
    }
}

// Series -----------------------------------------------------------------------------------------

// Around the points; a cross is two lines.
static void draw_mark(tn_canvas *canvas, tn_plot_mark mark, unsigned color, double x, double y)
{
    enum { CORNERS = 4 };
    static const struct {
        int n;
        double width; // 0: filled
        double x[CORNERS], y[CORNERS];
    } marks[] = {
        [TN_MARK_CIRCLE] = {1, 7.2, {0.0}, {0.0}},
        [TN_MARK_SQUARE] = {4, 0.0, {-3.24, 3.24, 3.24, -3.24}, {-3.24, -3.24, 3.24, 3.24}},
        [TN_MARK_TRIANGLE] = {3, 0.0, {0.0, 3.96, -3.96}, {-4.32, 2.88, 2.88}},
        [TN_MARK_DIAMOND] = {4, 0.0, {0.0, 4.32, 0.0, -4.32}, {-4.32, 0.0, 4.32, 0.0}},
        [TN_MARK_CROSS] = {2, 1.6, {-3.24, 3.24, -3.24, 3.24}, {-3.24, 3.24, 3.24, -3.24}},
    };
    const tn_ink ink = {.color = color, .width = marks[mark].width};
    double at[2][CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        at[0][i] = x + marks[mark].x[i];
        at[1][i] = y + marks[mark].y[i];
    }
    for (int i = 0; i < (mark == TN_MARK_CROSS ? CORNERS : 1); i += 2)
        canvas->ops->path(canvas, &ink, marks[mark].n, at[0] + i, at[1] + i);
}

// Guides are grey and thin, with the dashes of their place among all series.
static tn_ink stroke_of(const tn_plot_series *series, int place)
{
    if (series->paint)
        return (tn_ink){.color = series->paint->stroke, .width = series->paint->width};
    if (series->guide)
        return (tn_ink){
            .color = GUIDE, .width = 1.1, .dash = dashes[1 + place % (TN_COUNT(dashes) - 1)]};
    const double *dash = dashes[place % TN_COUNT(dashes)];
    return (tn_ink){.color = palette[place % TN_COUNT(palette)],
                    .width = 1.6,
                    .dash = *dash > 0.0 ? dash : NULL};
}

static double path_length(int n, const double *x, const double *y)
{
    double length = 0.0;
    for (int i = 1; i < n; i++)
        if (!isnan(x[i]) && !isnan(x[i - 1]))
            length += hypot(x[i] - x[i - 1], y[i] - y[i - 1]);
    return length;
}

// The same for a line on its panel, traced in layout->px, py with n points.
static tn_ink stroke_on(const tn_plot_layout *layout, int panel, const tn_plot_series *series,
                        int place, int *n)
{
    tn_ink stroke = stroke_of(series, place);
    *n = tn_plot_trace(layout, panel, series);
    if (!series->paint &&
        path_length(*n, layout->px, layout->py) > DENSE * layout->panel[panel].box.width) {
        stroke.dash = NULL;
        stroke.width = 1.0;
    }
    return stroke;
}

static void draw_line(tn_canvas *canvas, const tn_plot_layout *layout, int panel,
                      const tn_plot_series *series, int place)
{
    int n = 0;
    const tn_ink stroke = stroke_on(layout, panel, series, place, &n);
    const double *x = layout->px, *y = layout->py;
    for (int i = 0, end; i < n; i = end + 1) {
        for (end = i; end < n && !isnan(x[end]);)
            end++;
        if (end - i > 2 && series->paint && series->paint->opacity > 0.0)
            canvas->ops->path(
                canvas, &(tn_ink){.color = series->paint->fill, .opacity = series->paint->opacity},
                end - i, x + i, y + i);
        if (end - i > 1)
            canvas->ops->path(canvas, &stroke, end - i, x + i, y + i);
    }
}

// Marks, and points that stand alone and have no line.
static void draw_marks(tn_canvas *canvas, const tn_plot_layout *layout, int panel,
                       const tn_plot_series *series, int place, const tn_plot_axis *shade)
{
    const int n = tn_plot_trace(layout, panel, series);
    const double *x = layout->px, *y = layout->py;
    const tn_box *b = &layout->panel[panel].box;
    const unsigned one = stroke_of(series, place).color;
    for (int i = 0; i < n; i++) {
        const bool alone =
            series->line && (i == 0 || isnan(x[i - 1])) && (i == n - 1 || isnan(x[i + 1]));
        const tn_plot_mark mark =
            series->mark == TN_MARK_NONE && alone ? TN_MARK_CIRCLE : series->mark;
        const unsigned color =
            shade && series->value ? tn_plot_shade(shade, series->value[i]) : one;
        if (shade && series->value && !isfinite(series->value[i]))
            continue;
        if (mark != TN_MARK_NONE && x[i] >= b->x && x[i] <= b->x + b->width && y[i] >= b->y &&
            y[i] <= b->y + b->height)
            draw_mark(canvas, mark, color, x[i], y[i]);
    }
}

static void draw_entry(tn_canvas *canvas, const tn_legend *legend, const tn_plot_series *series,
                       const tn_ink *stroke, int entry)
{
    const int rows = (legend->entries + legend->columns - 1) / legend->columns;
    const double width = legend->box.width / legend->columns;
    const double x = legend->box.x + TN_LEGEND_INSET + width * (entry / rows);
    const double over = legend->place == TN_LEGEND_INSIDE ? 0.5 * TN_LEGEND_INSET : 0.0;
    const double y = legend->box.y + over + TN_LEGEND_ROW * (entry % rows + 0.5);
    char text[TN_LABEL_TEXT];
    if (series->line)
        canvas->ops->path(canvas, stroke, 2, (double[]){x, x + TN_LEGEND_SAMPLE}, (double[]){y, y});
    if (series->mark != TN_MARK_NONE)
        draw_mark(canvas, series->mark, stroke->color, x + 0.5 * TN_LEGEND_SAMPLE, y);
    tn_plot_fit(series->label, TN_SIZE_TICK, false, legend->text + 0.01, text);
    draw_text(canvas, text, TN_SIZE_TICK, TN_ANCHOR_START, x + TN_LEGEND_SAMPLE + TN_LEGEND_GAP,
              y + MIDDLE * TN_SIZE_TICK);
}

static void draw_legend(const tn_plot *plot, tn_canvas *canvas, const tn_plot_layout *layout, int p)
{
    const tn_plot_panel *panel = &plot->panels[p];
    const tn_legend *legend = &layout->panel[p].legend;
    const int fit = (int)(legend->box.height / TN_LEGEND_ROW) * legend->columns;
    const int shown = legend->entries <= fit ? legend->entries : fit - 1;
    char more[TN_MORE_TEXT];
    if (legend->place == TN_LEGEND_NONE)
        return;
    if (legend->place == TN_LEGEND_INSIDE)
        draw_box(canvas, &legend->box, 0xffffff, 0.85);
    for (int k = 0, entry = 0; k < panel->nseries && entry < shown; k++)
        if (panel->series[k].label) {
            int n = 0;
            const tn_ink stroke = stroke_on(layout, p, &panel->series[k], k, &n);
            draw_entry(canvas, legend, &panel->series[k], &stroke, entry++);
        }
    if (shown == legend->entries)
        return;
    tn_plot_more(legend->entries - shown, more);
    draw_text(canvas, more, TN_SIZE_TICK, TN_ANCHOR_START,
              legend->box.x + TN_LEGEND_INSET + TN_LEGEND_SAMPLE + TN_LEGEND_GAP,
              legend->box.y + TN_LEGEND_ROW * (shown + 0.5) + MIDDLE * TN_SIZE_TICK);
}

void tn_plot_draw(const tn_plot *plot, tn_canvas *canvas, const tn_plot_layout *layout)
{
    for (int p = 0; p < plot->npanel; p++) {
        const tn_panel_layout *panel = &layout->panel[p];
        const double spare = 1.0; // lines along the frame are drawn whole
        const tn_box clip = {panel->box.x - spare, panel->box.y - spare,
                             panel->box.width + 2.0 * spare, panel->box.height + 2.0 * spare};
        draw_grid(canvas, layout, panel);
        draw_axes(canvas, layout, panel, p == plot->npanel - 1);
        canvas->ops->clip(canvas, &clip);
        if (plot->panels[p].cells)
            draw_cells(canvas, layout, p, &plot->panels[p]);
        for (int guide = 1; guide >= 0; guide--) // curves over guides
            for (int k = 0; k < plot->panels[p].nseries; k++)
                if (plot->panels[p].series[k].line && plot->panels[p].series[k].guide == guide)
                    draw_line(canvas, layout, p, &plot->panels[p].series[k], k);
        canvas->ops->clip(canvas, NULL);
        for (int k = 0; k < plot->panels[p].nseries; k++)
            draw_marks(canvas, layout, p, &plot->panels[p].series[k], k, plot->panels[p].shade);
        if (plot->panels[p].shade)
            draw_strip(canvas, layout, p, plot->panels[p].shade);
        if (panel->empty)
            draw_text(canvas, "no data", TN_SIZE_LABEL, TN_ANCHOR_MIDDLE,
                      panel->box.x + 0.5 * panel->box.width,
                      panel->box.y + 0.5 * panel->box.height);
        draw_legend(plot, canvas, layout, p);
        draw_y_label(&plot->panels[p].y, canvas, &panel->box, layout->y_label);
    }
    draw_x_label(plot, canvas, layout);
    draw_title(plot, canvas, layout);
}
