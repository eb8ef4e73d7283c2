// SPDX-License-Identifier: MIT
//
// Writes and draws modes over a parameter; see tenon/modes.h.

#include "analysis/campbell.h"
#include "base/alloc.h"
#include "base/tolerance.h"
#include "tenon/plot.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/target.h"

#include <math.h>
#include <stdio.h>

enum { ORDERS = 3, MOST_LABELS = 10, COLUMNS = 4 };

static void put_campbell(tn_buffer *out, const tn_campbell *c)
{
    tn_csv_name(out, c->over, *tn_campbell_unit(c) ? tn_campbell_unit(c) : "1");
    tn_buffer_say(out, ",speed [rad/s]");
    for (int l = 0; l < c->nline; l++)
        tn_buffer_format(out, ",%d.frequency [Hz],%d.damping [1],%d.re [1/s],%d.im [1/s]", l + 1,
                         l + 1, l + 1, l + 1);
    tn_buffer_say(out, "\n");
    for (int k = 0; k < c->npoint; k++) {
        tn_csv_finite(out, c->value[k]);
        tn_buffer_say(out, ",");
        tn_csv_finite(out, c->speed[k]);
        for (int l = 0; l < c->nline; l++) {
            const tn_mode *m = &c->mode[l * c->npoint + k];
            const double values[COLUMNS] = {m->frequency, m->damping, m->re, m->im};
            for (int i = 0; i < COLUMNS; i++) {
                tn_buffer_say(out, ",");
                tn_csv_finite(out, values[i]);
            }
        }
        tn_buffer_say(out, "\n");
    }
}

tn_status tn_campbell_write(const tn_campbell *c, const char *path)
{
    tn_buffer out = {0};
    TN_NEED_ALL(TN_ERR_USAGE, c, path);
    put_campbell(&out, c);
    return tn_target_finish(TN_OK, path, &out, path);
}

// Pictures ----------------------------------------------------------------------------------------

typedef struct drawing {
    const tn_campbell *c;
    int n; // series of a panel
    tn_plot_series *frequency, *damping;
    double *room; // npoint for each series
    char (*label)[16];
    void *block;
} drawing;

static tn_status open_drawing(drawing *d)
{
    const size_t n = (size_t)d->c->nline + ORDERS;
    const size_t points = (size_t)d->c->npoint;
    d->frequency = tn_alloc(2 * n * sizeof *d->frequency + 2 * n * points * sizeof(double) +
                            n * sizeof *d->label);
    TN_TRY(tn_got(d->frequency));
    d->block = d->frequency;
    d->damping = d->frequency + n;
    d->room = (double *)(d->damping + n);
    d->label = (char(*)[16])(d->room + 2 * n * points);
    return TN_OK;
}

static void place_lines(drawing *d)
{
    const tn_campbell *c = d->c;
    double *at = d->room;
    for (int l = 0; l < c->nline; l++) {
        double *frequency = at, *damping = at + c->npoint;
        at += 2 * c->npoint;
        for (int k = 0; k < c->npoint; k++) {
            frequency[k] = c->mode[l * c->npoint + k].frequency;
            damping[k] = c->mode[l * c->npoint + k].damping;
        }
        snprintf(d->label[l], sizeof d->label[l], "%d", l + 1);
        d->frequency[l] = (tn_plot_series){.label = c->nline <= MOST_LABELS ? d->label[l] : NULL,
                                           .n = c->npoint,
                                           .x = c->value,
                                           .y = frequency,
                                           .line = true};
        d->damping[l] = d->frequency[l];
        d->damping[l].label = NULL;
        d->damping[l].y = damping;
    }
    for (int order = 1; order <= ORDERS && c->turns; order++, at += c->npoint) {
        const int l = c->nline + order - 1;
        for (int k = 0; k < c->npoint; k++)
            at[k] = order * c->speed[k] / (2.0 * TN_PI);
        snprintf(d->label[l], sizeof d->label[l], "%dx", order);
        d->frequency[l] = (tn_plot_series){
            .label = d->label[l], .n = c->npoint, .x = c->value, .y = at, .line = true};
    }
}

// Lines of the orders go on beyond the modes: the picture ends with these.
static double highest(const tn_campbell *c)
{
    double most = 0.0;
    for (int i = 0; i < c->nline * c->npoint; i++)
        if (isfinite(c->mode[i].frequency))
            most = fmax(most, c->mode[i].frequency);
    return most;
}

tn_status tn_campbell_plot(const tn_campbell *c, const char *path)
{
    drawing d = {.c = c};
    TN_NEED_ALL(TN_ERR_USAGE, c, path);
    TN_TRY(open_drawing(&d));
    place_lines(&d);
    const double top = highest(c);
    const tn_plot_panel panels[] = {
        {.y = {.label = "frequency", .unit = "Hz", .from = 0.0, .to = top > 0.0 ? 1.1 * top : 1.0},
         .nseries = c->nline + (c->turns ? ORDERS : 0),
         .series = d.frequency},
        {.y = {.label = "damping ratio"}, .nseries = c->nline, .series = d.damping},
    };
    const tn_plot plot = {
        .x = {.label = c->over, .unit = tn_campbell_unit(c)}, .npanel = 2, .panels = panels};
    const tn_status status = tn_plot_write(&plot, path);
    tn_free(d.block);
    return status;
}
