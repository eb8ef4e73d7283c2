// SPDX-License-Identifier: MIT
//
// Writes and draws the path of an equilibrium; see tenon/equilibrium.h.

#include "base/alloc.h"
#include "tenon/equilibrium.h"
#include "tenon/plot.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/target.h"

#include <math.h>
#include <string.h>

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

// Pictures ----------------------------------------------------------------------------------------

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
