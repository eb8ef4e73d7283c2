// SPDX-License-Identifier: MIT
//
// Layout of a plot, from the outside inward: margins follow from the texts of ticks and labels,
// the number of ticks from the room that is left. Two rounds suffice.

#include "draw/plot_parts.h"
#include "file/svg.h"
#include "text/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double BORDER = 10.0;     // around everything
static const double TICK_GAP = 8.0;    // between an axis and the texts of its ticks
static const double LINE = 1.45;       // height of a line of text, of its size
static const double PER_Y_TICK = 46.0; // room for a tick
static const double PER_X_TICK = 80.0;
static const double BETWEEN = 16.0; // texts of the x axis, panels
static const double LEAST_PANEL = 40.0;
static const double STRIP = 14.0; // of colours, and the room before it

// Text -------------------------------------------------------------------------------------------

// Copies a text character by character; what XML and fonts cannot show becomes a space or U+FFFD.
static void clean(const char *text, char out[TN_LABEL_TEXT])
{
    size_t left = text ? strlen(text) : 0;
    int n = 0;
    while (left > 0 && n < TN_LABEL_TEXT - 8) {
        uint32_t code = 0;
        int bytes = tn_utf8_decode(text, left, &code);
        if (bytes == 0 || code == 0xfffe || code == 0xffff) {
            n += snprintf(out + n, 4, "\xef\xbf\xbd");
        } else if (code < 32 || (code >= 127 && code < 160)) {
            out[n++] = ' ';
        } else {
            memcpy(out + n, text, (size_t)bytes);
            n += bytes;
        }
        bytes = bytes < 1 ? 1 : bytes;
        text += bytes;
        left -= (size_t)bytes;
    }
    snprintf(out + n, 4, "%s", left > 0 ? "…" : "");
}

double tn_plot_width(const tn_label *label)
{
    const double raised = 0.72, bold = 1.1; // of the size, wider than plain text
    return label->size * (label->bold ? bold : 1.0) *
           (tn_svg_width(label->text) + raised * tn_svg_width(label->raised) +
            tn_svg_width(label->rest));
}

double tn_plot_fit(const char *text, double size, bool bold, double width, char out[TN_LABEL_TEXT])
{
    const tn_label label = {.text = out, .size = size, .bold = bold};
    clean(text, out);
    for (size_t n = strlen(out); n > 0 && tn_plot_width(&label) > width;) {
        do
            n--;
        while (n > 0 && ((unsigned char)out[n] & 0xc0) == 0x80);
        snprintf(out + n, 4, "…");
    }
    return tn_plot_width(&label);
}

void tn_plot_more(int n, char out[TN_MORE_TEXT])
{
    snprintf(out, TN_MORE_TEXT, "and %d more", n);
}

void tn_plot_axis_text(const tn_plot_axis *axis, char out[TN_LABEL_TEXT])
{
    char unit[64] = "";
    size_t n = 0;
    const char *given = axis->unit && strcmp(axis->unit, "1") != 0 ? axis->unit : "";
    for (const char *c = given; *c && n < sizeof(unit) - 4; c++) {
        if (c[0] == '^' && (c[1] == '2' || c[1] == '3'))
            n += (size_t)snprintf(unit + n, 4, "%s", *++c == '2' ? "²" : "³");
        else
            unit[n++] = *c;
        unit[n] = '\0';
    }
    const char *label = axis->label ? axis->label : "";
    if (*unit)
        snprintf(out, TN_LABEL_TEXT, "%.400s%s[%s]", label, *label ? " " : "", unit);
    else
        snprintf(out, TN_LABEL_TEXT, "%.500s", label);
}

static bool has_text(const tn_plot_axis *axis)
{
    return (axis->label && *axis->label) || (axis->unit && *axis->unit);
}

// Legends, best in the corner of a panel that the fewest pieces of lines cross -------------------

static void legend_measure(const tn_plot_panel *panel, double most, tn_legend *legend)
{
    char text[TN_LABEL_TEXT];
    legend->entries = 0;
    legend->text = 0.0;
    for (int k = 0; k < panel->nseries; k++)
        if (panel->series[k].label) {
            const double width =
                tn_plot_fit(panel->series[k].label, TN_SIZE_TICK, false, most, text);
            legend->entries++;
            legend->text = fmax(legend->text, width);
        }
}

static double legend_width(const tn_legend *legend, int columns)
{
    const double entry = TN_LEGEND_SAMPLE + TN_LEGEND_GAP + legend->text;
    return columns * (entry + 2.0 * TN_LEGEND_INSET);
}

static double legend_height(const tn_legend *legend, int columns)
{
    const int rows = (legend->entries + columns - 1) / columns;
    return rows * TN_LEGEND_ROW;
}

// By points of the segment that are closer to each other than any legend is high.
static bool crosses(const tn_box *box, double x0, double y0, double x1, double y1)
{
    const int steps = 1 + (int)(hypot(x1 - x0, y1 - y0) / (0.5 * TN_LEGEND_ROW));
    bool inside = false;
    for (int i = 0; i <= steps && !inside; i++) {
        const double x = x0 + (x1 - x0) * i / steps, y = y0 + (y1 - y0) * i / steps;
        inside =
            x >= box->x && x <= box->x + box->width && y >= box->y && y <= box->y + box->height;
    }
    return inside;
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

static int legend_corner(const tn_plot *plot, tn_plot_layout *layout, int panel)
{
    tn_legend *legend = &layout->panel[panel].legend;
    const tn_box *p = &layout->panel[panel].box;
    const double inset = TN_LEGEND_INSET;
    const double width = legend_width(legend, 1), height = legend_height(legend, 1) + inset;
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

// Ticks ------------------------------------------------------------------------------------------

// About as many as `most`, and three where twice as many allow it.
static void choose_ticks(const tn_scale *scale, int most, tn_ticks *out)
{
    for (int more = most; more <= 2 * most; more++) {
        if (scale->log)
            tn_ticks_log(scale->lo, scale->hi, more, out);
        else
            tn_ticks_linear(scale->lo, scale->hi, more, out);
        int texts = 0;
        for (int i = 0; i < out->n; i++)
            texts += !out->at[i].minor;
        if (texts >= 3)
            return;
    }
}

static double tick_width(const tn_ticks *ticks)
{
    double widest = 0.0;
    for (int i = 0; i < ticks->n; i++) {
        const tn_tick *t = &ticks->at[i];
        const tn_label label = {.text = t->text, .raised = t->raised, .size = TN_SIZE_TICK};
        widest = fmax(widest, tn_plot_width(&label));
    }
    return widest;
}

static bool has_note(const tn_ticks *ticks)
{
    return *ticks->note || *ticks->note_rest;
}

static bool are_crowded(const tn_plot_layout *layout, double width)
{
    const double least = tick_width(&layout->ticks) + BETWEEN;
    double last = -INFINITY;
    for (int i = 0; i < layout->ticks.n; i++) {
        const double place = tn_scale_place(&layout->x, layout->ticks.at[i].value) * width;
        if (layout->ticks.at[i].minor)
            continue;
        if (place - last < least)
            return true;
        last = place;
    }
    return false;
}

// As many ticks on the x axis as their texts have room for.
static void x_ticks(double width, tn_plot_layout *layout)
{
    int most = (int)fmax(width / PER_X_TICK, 2.0);
    do
        choose_ticks(&layout->x, most--, &layout->ticks);
    while (most > 0 && are_crowded(layout, width));
}

// Frames -----------------------------------------------------------------------------------------

// Height above a panel, for its legend and the factor of the texts of ticks.
static double head_height(const tn_panel_layout *panel)
{
    const tn_legend *legend = &panel->legend;
    const bool note = has_note(&panel->ticks) || has_note(&panel->shade_ticks);
    double height = note ? LINE * TN_SIZE_TICK : 0.0;
    if (legend->place == TN_LEGEND_ABOVE)
        height = fmax(height, legend_height(legend, legend->columns) + 6.0);
    return height;
}

static double top_margin(const tn_plot *plot)
{
    return plot->title && *plot->title ? BORDER + LINE * TN_SIZE_TITLE + 4.0 : BORDER + 2.0;
}

static double bottom_margin(const tn_plot *plot, const tn_plot_layout *layout)
{
    double margin = BORDER + TICK_GAP + LINE * TN_SIZE_TICK;
    if (has_text(&plot->x) || has_note(&layout->ticks))
        margin += LINE * TN_SIZE_LABEL;
    return margin;
}

static tn_status stack_panels(const tn_plot *plot, tn_plot_layout *layout)
{
    const double top = top_margin(plot);
    double room = layout->height - top - bottom_margin(plot, layout), y = top;
    for (int p = 0; p < plot->npanel; p++)
        room -= head_height(&layout->panel[p]) + (p > 0 ? BETWEEN : 0.0);
    const double height = floor(room / plot->npanel);
    if (height < LEAST_PANEL)
        return tn_fail(TN_ERR_USAGE,
                       "%d panels have no room in a picture of this height; make it higher",
                       plot->npanel);
    for (int p = 0; p < plot->npanel; p++) {
        tn_panel_layout *panel = &layout->panel[p];
        y += head_height(panel) + (p > 0 ? BETWEEN : 0.0);
        panel->box.y = floor(y) + 0.5;
        panel->box.height = height;
        y += height;
        const int most = (int)fmax(height / PER_Y_TICK, 2.0);
        choose_ticks(&panel->y, most, &panel->ticks);
        if (plot->panels[p].shade)
            choose_ticks(&panel->shade, most, &panel->shade_ticks);
    }
    return TN_OK;
}

// Room at the right of a panel for its strip of colours with ticks and label.
static double shade_width(const tn_plot_panel *panel, const tn_panel_layout *layout)
{
    if (!panel->shade)
        return 0.0;
    return 2.0 * STRIP + TICK_GAP + tick_width(&layout->shade_ticks) +
           (has_text(panel->shade) ? LINE * TN_SIZE_LABEL : 0.0);
}

static void set_widths(const tn_plot *plot, tn_plot_layout *layout)
{
    double ticks = 0.0, labels = 0.0, beside = 0.0;
    for (int p = 0; p < plot->npanel; p++) {
        tn_panel_layout *panel = &layout->panel[p];
        ticks = fmax(ticks, tick_width(&panel->ticks));
        if (has_text(&plot->panels[p].y))
            labels = LINE * TN_SIZE_LABEL;
        if (panel->legend.place == TN_LEGEND_RIGHT)
            beside = fmax(beside, legend_width(&panel->legend, 1));
        beside = fmax(beside, shade_width(&plot->panels[p], panel));
    }
    const double left = BORDER + labels + ticks + TICK_GAP;
    const double half = 0.5 * tick_width(&layout->ticks);
    const double right = fmax(BORDER + beside, 4.0 + half);
    const double width = floor(fmax(layout->width - left - right, 20.0));
    layout->y_label = BORDER + TN_SIZE_LABEL;
    for (int p = 0; p < plot->npanel; p++) {
        layout->panel[p].box.x = floor(left) + 0.5;
        layout->panel[p].box.width = width;
        layout->panel[p].strip = (tn_box){floor(left) + 0.5 + width + STRIP, layout->panel[p].box.y,
                                          STRIP, layout->panel[p].box.height};
    }
    layout->shade_label = layout->width - BORDER;
    if (plot->equal)
        tn_plot_equalize(plot, layout);
    x_ticks(width, layout);
}

static tn_status set_frames(const tn_plot *plot, tn_plot_layout *layout)
{
    const int rounds = plot->equal ? 4 : 2; // margins follow from ticks, equal scales from margins
    for (int round = 0; round < rounds; round++) {
        TN_TRY(stack_panels(plot, layout));
        set_widths(plot, layout);
    }
    layout->title = BORDER + TN_SIZE_TITLE;
    layout->x_label = layout->height - BORDER - 0.2 * TN_SIZE_LABEL;
    return TN_OK;
}

// Places of legends ------------------------------------------------------------------------------

// A corner that is free; else above the panel or at its side, whichever leaves more of the panel.
static void choose_legend(const tn_plot *plot, tn_plot_layout *layout, int p)
{
    const double most_width = 0.5, most_height = 0.6, most_above = 0.4; // of the panel
    tn_legend *legend = &layout->panel[p].legend;
    const tn_box *box = &layout->panel[p].box;
    const double one = legend_width(legend, 1);
    if (legend->entries == 0)
        return;
    legend->columns = 1;
    legend->place = TN_LEGEND_RIGHT;
    const int columns = (int)fmin(box->width * 0.85 / one, legend->entries);
    if (one <= most_width * box->width && legend_height(legend, 1) <= most_height * box->height &&
        legend_corner(plot, layout, p) == 0) {
        legend->place = TN_LEGEND_INSIDE;
    } else if (columns > 0 && legend_height(legend, columns) < most_above * box->height &&
               legend_height(legend, columns) * box->width < one * box->height) {
        const int rows = (legend->entries + columns - 1) / columns;
        legend->place = TN_LEGEND_ABOVE;
        legend->columns = (legend->entries + rows - 1) / rows;
    } else if (legend_height(legend, 1) > most_height * box->height) { // it may be cut
        char more[TN_MORE_TEXT];
        tn_plot_more(legend->entries, more);
        legend->text = fmax(legend->text, TN_SIZE_TICK * tn_svg_width(more));
    }
}

static void place_legend(const tn_plot *plot, tn_plot_layout *layout, int p)
{
    tn_legend *legend = &layout->panel[p].legend;
    const tn_box *box = &layout->panel[p].box;
    if (legend->place == TN_LEGEND_NONE)
        return;
    const double width = legend_width(legend, legend->columns);
    const double height = legend_height(legend, legend->columns);
    if (legend->place == TN_LEGEND_INSIDE)
        legend_corner(plot, layout, p);
    else if (legend->place == TN_LEGEND_ABOVE)
        legend->box = (tn_box){box->x + box->width - width + TN_LEGEND_INSET, box->y - height - 4.0,
                               width, height};
    else if (legend->place == TN_LEGEND_RIGHT)
        legend->box = (tn_box){box->x + box->width, box->y, width, fmin(height, box->height)};
}

tn_status tn_plot_arrange(const tn_plot *plot, tn_plot_layout *layout)
{
    const double longest = 0.35; // text of a legend, of the width
    tn_plot_ranges(plot, layout);
    for (int p = 0; p < plot->npanel; p++)
        legend_measure(&plot->panels[p], longest * layout->width, &layout->panel[p].legend);
    TN_TRY(set_frames(plot, layout));
    for (int p = 0; p < plot->npanel; p++)
        choose_legend(plot, layout, p);
    TN_TRY(set_frames(plot, layout));
    for (int p = 0; p < plot->npanel; p++)
        place_legend(plot, layout, p);
    return TN_OK;
}
