// SPDX-License-Identifier: MIT
//
// Tables and pictures of analyses: modes, modes over a parameter (tenon/modes.h), and paths of
// equilibria (tenon/equilibrium.h).

#include "analysis/campbell.h"
#include "analysis/modes.h"
#include "base/alloc.h"
#include "base/tolerance.h"
#include "tenon/equilibrium.h"
#include "tenon/plot.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/target.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_head(tn_buffer *out, const tn_model *model)
{
    tn_buffer_say(out, "mode,kind,re [1/s],im [1/s],frequency [Hz],undamped [Hz],damping [1],name");
    for (int k = 1; k < model->bodies.count; k++) {
        char *name = tn_format("%s.share", model->bodies.at[k].name);
        out->failed |= !name;
        tn_buffer_say(out, ",");
        tn_csv_name(out, name ? name : "", "1");
        tn_free(name);
    }
    tn_buffer_say(out, "\n");
}

static void put_row(tn_buffer *out, const tn_modes *m, int i)
{
    const tn_mode mode = tn_mode_of(m, i);
    const int bodies = m->state->model->bodies.count;
    tn_buffer_format(out, "%d,%s,", i + 1, tn_mode_kind_word(mode.kind));
    const double numbers[] = {mode.re, mode.im, mode.frequency, mode.undamped, mode.damping};
    for (int k = 0; k < TN_COUNT(numbers); k++) {
        tn_csv_number(out, numbers[k]);
        tn_buffer_say(out, ",");
    }
    tn_buffer_field(out, mode.name);
    for (int k = 1; k < bodies; k++) {
        tn_buffer_say(out, ",");
        tn_csv_number(out, tn_mode_share(m, i, (tn_body){k}));
    }
    tn_buffer_say(out, "\n");
}

tn_status tn_modes_write(const tn_modes *m, const char *path)
{
    tn_buffer out = {0};
    TN_NEED_ALL(TN_ERR_USAGE, m, path);
    put_head(&out, m->state->model);
    for (int i = 0; i < m->n; i++)
        put_row(&out, m, i);
    return tn_target_finish(TN_OK, path, &out, path);
}

// Paths of equilibria ----------------------------------------------------------------------------

enum { LOAD, UNSTABLE, LIMIT, FIRST_COLUMN, MOST_DRAWN = 6, LINES = 3 };

tn_status tn_equilibrium_path_write(const tn_equilibrium *s, const char *path)
{
    tn_buffer out = {0};
    TN_NEED_ALL(TN_ERR_USAGE, s, path);
    const tn_equilibrium_path t = tn_equilibrium_path_of(s);
    for (int i = 0; i < t.ncolumn; i++) {
        tn_csv_name(&out, t.names[i], t.units[i]);
        tn_buffer_say(&out, i + 1 < t.ncolumn ? "," : "\n");
    }
    tn_csv_rows(&out, t.ncolumn, t.rows, t.values);
    return tn_target_finish(TN_OK, path, &out, path);
}

static double path_at(const tn_equilibrium_path *t, int row, int column)
{
    return t->values[(size_t)row * (size_t)t->ncolumn + (size_t)column];
}

static bool column_changes(const tn_equilibrium_path *t, int column)
{
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < t->rows; k++) {
        low = fmin(low, path_at(t, k, column));
        high = fmax(high, path_at(t, k, column));
    }
    return high - low > 1e-9 * fmax(1e-3, fmax(fabs(low), fabs(high)));
}

static tn_status choose_columns(const tn_equilibrium_path *t, const char *names, int *out, int *n)
{
    *n = 0;
    for (int i = FIRST_COLUMN; !names && i < t->ncolumn && *n < MOST_DRAWN; i++)
        if (column_changes(t, i))
            out[(*n)++] = i;
    while (names && *names) {
        const size_t length = strcspn(names, ",");
        int found = -1;
        for (int i = FIRST_COLUMN; i < t->ncolumn; i++)
            if (strlen(t->names[i]) == length && strncmp(t->names[i], names, length) == 0)
                found = i;
        if (found < 0)
            return tn_fail(TN_ERR_USAGE,
                           "the path has no column '%.*s'; they are called as 'JOINT.angle' or "
                           "'BODY.x', and the table of the path has them all",
                           (int)length, names);
        if (*n == TN_MOST_PANELS)
            return tn_fail(TN_ERR_USAGE, "a picture has %d columns at most", TN_MOST_PANELS);
        out[(*n)++] = found;
        names += length + (names[length] == ',');
    }
    return *n > 0 ? TN_OK : tn_fail(TN_ERR_USAGE, "no column of the path changes with the load");
}

// Tells if a point of the path belongs to a line (stable, unstable or limit); border points are in
// both, so that they meet.
static bool belongs(const tn_equilibrium_path *t, int row, int line)
{
    const bool limit = path_at(t, row, LIMIT) != 0.0, unstable = path_at(t, row, UNSTABLE) > 0.0;
    return line == 2 ? limit : limit || unstable == (line == 1);
}

static void place_path_lines(const tn_equilibrium_path *t, int column, double *room,
                             tn_plot_series series[LINES])
{
    static const char *const labels[LINES] = {"stable", "unstable", "limit"};
    for (int line = 0; line < LINES; line++, room += 2 * t->rows) {
        int count = 0;
        for (int k = 0; k < t->rows; k++) {
            const bool here = belongs(t, k, line);
            room[k] = path_at(t, k, LOAD);
            room[t->rows + k] = here ? path_at(t, k, column) : NAN;
            count += here;
        }
        series[line] = (tn_plot_series){.label = count > 0 ? labels[line] : NULL,
                                        .n = t->rows,
                                        .x = room,
                                        .y = room + t->rows,
                                        .line = line < 2,
                                        .mark = line < 2 ? TN_MARK_NONE : TN_MARK_CIRCLE};
    }
}

static tn_status draw_path(const tn_equilibrium_path *t, int n, const int *columns,
                           const char *path)
{
    const size_t each = (size_t)LINES * 2 * (size_t)t->rows;
    tn_plot_series series[TN_MOST_PANELS][LINES];
    tn_plot_panel panels[TN_MOST_PANELS];
    double *room = tn_alloc(sizeof(double) * (size_t)n * each);
    TN_TRY(tn_got(room));
    for (int i = 0; i < n; i++) {
        place_path_lines(t, columns[i], room + (size_t)i * each, series[i]);
        panels[i] = (tn_plot_panel){.y = {t->names[columns[i]], t->units[columns[i]], false, 0, 0},
                                    .nseries = LINES,
                                    .series = series[i]};
    }
    const tn_plot plot = {.x = {.label = "load factor"}, .npanel = n, .panels = panels};
    const tn_status status = tn_plot_write(&plot, path);
    tn_free(room);
    return status;
}

tn_status tn_equilibrium_path_plot(const tn_equilibrium *s, const char *columns, const char *path)
{
    int chosen[TN_MOST_PANELS], n = 0;
    TN_NEED_ALL(TN_ERR_USAGE, s, path);
    const tn_equilibrium_path t = tn_equilibrium_path_of(s);
    if (t.rows < 2)
        return tn_fail(TN_ERR_USAGE, "there is no path of loads to draw: follow one in steps or by "
                                     "arc length");
    TN_TRY(choose_columns(&t, columns, chosen, &n));
    return draw_path(&t, n, chosen, path);
}

// Modes over a parameter --------------------------------------------------------------------------

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
