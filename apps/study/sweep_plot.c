// SPDX-License-Identifier: MIT
//
// Pictures of a sweep: curves of the outputs over a parameter, maps of two parameters, and points
// of any two columns. Each is one file with a panel for each output.

#include "base/alloc.h"
#include "base/pool.h"
#include "signal/parser.h"
#include "study/sweep_parts.h"
#include "tenon/plot.h"
#include "text/buffer.h"
#include "text/notes.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_STYLES = 7, // lines with a colour of their own; more have one by the value of a parameter
    MOST_LINES = 200,
    MOST_CELLS = 200, // along an axis; more are joined
    ACROSS = 200,     // points that are nearer to each other than this part of a panel are one
    UP = 120,
    MAP_TITLE = 400
};

static const char *const kinds[] = {"curves", "map", "scatter"};

// Requested pictures -----------------------------------------------------------------------------

// The column at the beginning of a text, up to a colon or its end; -1 for none. Names of outputs
// may hold colons themselves: the longest one counts.
static int column_at(const tn_sweep *s, int ncolumn, const char *text, size_t *length)
{
    int best = -1;
    *length = 0;
    for (int i = 0; i < ncolumn; i++) {
        const size_t n = strlen(s->columns[i].name);
        if (n > *length && strncmp(text, s->columns[i].name, n) == 0 &&
            (text[n] == ':' || text[n] == '\0')) {
            best = i;
            *length = n;
        }
    }
    return best;
}

static tn_status refuse_column(const tn_sweep *s, int ncolumn, const char *item, const char *name)
{
    tn_buffer list = {0};
    for (int i = 0; i < ncolumn; i++)
        tn_buffer_format(&list, "%s%s", i ? ", " : "", s->columns[i].name);
    tn_fail(TN_ERR_USAGE, "--plots: '%s': the table has no column '%s'; it has %s", item, name,
            list.text && !list.failed ? list.text : "others");
    tn_free(list.text);
    return TN_ERR_USAGE;
}

static tn_status check_plot_columns(const tn_sweep *s, const char *item, const sweep_plot *p)
{
    const int varied = tn_sweep_varied(s);
    const int most = p->kind == SWEEP_CURVES ? 1 : p->kind == SWEEP_MAP ? 2 : 3;
    if (p->ncolumn > most)
        return tn_fail(TN_ERR_USAGE, "--plots: '%s' has %d columns, and %s take%s up to %d", item,
                       p->ncolumn, kinds[p->kind], p->kind == SWEEP_CURVES ? "" : "s", most);
    if (p->kind == SWEEP_MAP && p->ncolumn == 1)
        return tn_fail(TN_ERR_USAGE, "--plots: '%s': a map goes over two parameters, map:A:B",
                       item);
    if (varied == 0 || (p->kind == SWEEP_MAP && varied < 2))
        return p->kind == SWEEP_SCATTER && p->ncolumn > 0
                   ? TN_OK
                   : tn_fail(TN_ERR_USAGE, "--plots: '%s' needs %s, and the sweep has %d", item,
                             p->kind == SWEEP_MAP ? "two parameters that are varied"
                                                  : "a parameter that is varied",
                             varied);
    for (int i = 0; i < p->ncolumn && p->kind != SWEEP_SCATTER; i++)
        if (p->column[i] >= varied)
            return tn_fail(TN_ERR_USAGE,
                           "--plots: '%s': %s go%s over parameters, and '%s' is an "
                           "output; scatter takes any columns",
                           item, kinds[p->kind], p->kind == SWEEP_MAP ? "es" : "",
                           s->columns[p->column[i]].name);
    for (int i = 0; i < p->ncolumn; i++)
        for (int k = 0; k < i; k++)
            if (p->column[i] == p->column[k] && i < 2)
                return tn_fail(TN_ERR_USAGE, "--plots: '%s' names '%s' twice", item,
                               s->columns[p->column[i]].name);
    return TN_OK;
}

// "map:k:m"
static tn_status read_plot(const tn_sweep *s, const char *item, sweep_plot *out)
{
    const int ncolumn = tn_sweep_varied(s) + s->outputs.count;
    const size_t word = strcspn(item, ":");
    int kind = 0;
    while (kind < TN_COUNT(kinds) &&
           (strlen(kinds[kind]) != word || strncmp(kinds[kind], item, word) != 0))
        kind++;
    if (kind == TN_COUNT(kinds))
        return tn_fail(TN_ERR_USAGE,
                       "--plots: '%.*s' is no picture of a sweep; write auto, none, curves, map or "
                       "scatter, with columns behind it as in map:k:m",
                       (int)word, item);
    *out = (sweep_plot){.kind = (sweep_plot_kind)kind};
    for (const char *at = item + word; *at;) {
        size_t length = 0;
        const int column = column_at(s, ncolumn, ++at, &length);
        if (column < 0)
            return refuse_column(s, ncolumn, item, at);
        if (out->ncolumn < TN_COUNT(out->column))
            out->column[out->ncolumn] = column;
        out->ncolumn++;
        at += length;
    }
    TN_TRY(check_plot_columns(s, item, out));
    const int usual = out->kind == SWEEP_MAP ? 2 : out->kind == SWEEP_CURVES ? 1 : 0;
    while (out->ncolumn < usual) { // the first parameters
        out->column[out->ncolumn] = out->ncolumn;
        out->ncolumn++;
    }
    return TN_OK;
}

static tn_status add_plot(tn_sweep *s, const char *item)
{
    sweep_plot plot;
    TN_TRY(read_plot(s, item, &plot));
    if (plot.kind != SWEEP_SCATTER || plot.ncolumn > 0)
        return tn_array_push(&s->plots, plot);
    plot.ncolumn = 1;
    for (plot.column[0] = 0; plot.column[0] < tn_sweep_varied(s); plot.column[0]++)
        TN_TRY(tn_array_push(&s->plots, plot));
    return TN_OK;
}

// Curves over one parameter, the map of two and the curves over the first of them, else points over
// each.
static tn_status add_usual(tn_sweep *s)
{
    const int varied = tn_sweep_varied(s);
    const bool counted = s->sample.way <= SWEEP_ROWS;
    if (varied == 0)
        return TN_OK;
    if (varied == 1 && counted)
        return add_plot(s, "curves");
    if (varied == 2 && s->sample.way == SWEEP_GRID)
        TN_TRY(add_plot(s, "curves"));
    return add_plot(s, varied == 2 ? "map" : "scatter");
}

tn_status tn_sweep_read_plots(tn_sweep *s)
{
    const char *wanted = s->wanted.plots ? s->wanted.plots : "auto";
    if (strcmp(wanted, "none") == 0)
        return TN_OK;
    if (strcmp(wanted, "auto") == 0)
        return add_usual(s);
    char *copy = tn_strdup(wanted);
    tn_status status = tn_got(copy);
    for (char *at = copy, *next; status == TN_OK && *at; at = next) {
        int depth = 0;
        for (next = at; *next && (*next != ',' || depth > 0); next++) {
            const char *behind = tn_behind_quotes(next);
            next += behind > next ? behind - next - 1 : 0; // to the last quote
            depth += (*next == '(') - (*next == ')');
        }
        if (*next)
            *next++ = '\0';
        at += strspn(at, " ");
        if (*at)
            status = add_plot(s, at);
    }
    tn_free(copy);
    if (status == TN_OK && s->plots.count == 0)
        return tn_fail(TN_ERR_USAGE, "--plots: the list is empty; none writes no pictures");
    return status;
}

// Columns ----------------------------------------------------------------------------------------

typedef struct drawing {
    tn_sweep *sweep;
    const tn_sweep_facts *facts;
    const sweep_rows *rows;
    char title[200];
    tn_pool pool; // of the picture that is being drawn
    tn_plot plot;
    tn_plot_panel panels[TN_MOST_PANELS];
} drawing;

static double at_row(const drawing *d, int64_t row, int column)
{
    return d->rows->values[row * d->facts->ncolumn + column];
}

// n zeroed numbers that live as long as the picture.
static double *numbers(drawing *d, int64_t n)
{
    return tn_pool_take(&d->pool, sizeof(double) * (size_t)(n + 1));
}

typedef struct distinct {
    int count;
    double *at; // increasing, each once
} distinct;

static tn_status find_distinct(drawing *d, int column, distinct *out)
{
    int n = 0, kept = 0;
    double *at = numbers(d, d->rows->count);
    TN_TRY(tn_got(at));
    for (int64_t i = 0; i < d->rows->count; i++)
        if (isfinite(at_row(d, i, column)))
            at[n++] = at_row(d, i, column);
    qsort(at, (size_t)n, sizeof *at, tn_sweep_by_size);
    for (int i = 0; i < n; i++)
        if (kept == 0 || at[i] != at[kept - 1])
            at[kept++] = at[i];
    *out = (distinct){kept, at};
    return TN_OK;
}

// Returns true if powers of ten show numbers better: their median is nearer to the middle of these
// than to that of the numbers. The page goes by the same rule.
static bool is_wide(const distinct *v)
{
    if (v->count < 3 || !(v->at[0] > 0.0) || !(v->at[v->count - 1] >= 50.0 * v->at[0]))
        return false;
    const double low = v->at[0], high = v->at[v->count - 1], median = v->at[v->count / 2];
    return fabs(median - sqrt(low * high)) < fabs(median - 0.5 * (low + high));
}

static tn_status axis_of(drawing *d, int column, tn_plot_axis *out)
{
    const tn_sweep_column *c = &d->facts->columns[column];
    distinct values = {0};
    if (c->varied)
        TN_TRY(find_distinct(d, column, &values));
    *out = (tn_plot_axis){.label = c->name, .unit = c->unit, .log = is_wide(&values)};
    return TN_OK;
}

// An axis of colours from the least to the most of a column.
static tn_status shade_of(drawing *d, int column, const tn_plot_axis **out)
{
    const tn_sweep_column *c = &d->facts->columns[column];
    tn_plot_axis *shade = tn_pool_take(&d->pool, sizeof *shade);
    TN_TRY(tn_got(shade));
    *shade = (tn_plot_axis){.label = c->name,
                            .unit = c->unit,
                            .from = isfinite(c->least) ? c->least : 0.0,
                            .to = isfinite(c->most) ? c->most : 1.0};
    *out = shade;
    return TN_OK;
}

// The outputs, of which a picture has room for so many; one varied column stands alone.
static bool is_alone(const sweep_plot *p)
{
    return p->kind == SWEEP_SCATTER && p->ncolumn > 1;
}

static int panel_column(const drawing *d, const sweep_plot *p, int panel)
{
    return is_alone(p) ? p->column[1] : tn_sweep_varied(d->sweep) + panel;
}

// Files ------------------------------------------------------------------------------------------

// "map_k_m.svg", without what shells and file systems take amiss.
static void name_plot(const tn_sweep *s, const sweep_plot *p, char out[SWEEP_PLOT_NAME])
{
    static const char amiss[] = "/\\:*?\"<>|()[]{} ,;&$'`!^+=~#%@";
    const int room = SWEEP_PLOT_NAME - 20; // for a number and the ending
    int n = snprintf(out, SWEEP_PLOT_NAME, "%s", kinds[p->kind]), again = 2;
    for (int i = 0; i < p->ncolumn && n < room; i++) {
        const int from = n;
        n += snprintf(out + n, (size_t)(room - n), "_%s", s->columns[p->column[i]].name);
        n = n < room ? n : room - 1;
        for (int k = from; k < n; k++)
            out[k] = (unsigned char)out[k] < 32 || strchr(amiss, out[k]) ? '-' : out[k];
    }
    snprintf(out + n, (size_t)(SWEEP_PLOT_NAME - n), ".svg");
    for (int i = 0; i < s->drawn.count; i++)
        if (strcmp(s->drawn.at[i].name, out) == 0) {
            snprintf(out + n, (size_t)(SWEEP_PLOT_NAME - n), "-%d.svg", again++);
            i = -1;
        }
}

static tn_status write_plot(const drawing *d, const sweep_plot *p)
{
    sweep_drawn drawn;
    name_plot(d->sweep, p, drawn.name);
    char *path = tn_sweep_file(d->sweep->directory, drawn.name);
    tn_status status = tn_got(path);
    TN_THEN(status, tn_plot_write(&d->plot, path));
    TN_THEN(status, tn_array_push(&d->sweep->drawn, drawn));
    tn_free(path);
    return status;
}

// Returns true if a file is a picture that a sweep has written here.
static bool is_picture(const char *name)
{
    const char *end = strrchr(name, '.');
    for (int i = 0; i < TN_COUNT(kinds) && end && strcmp(end, ".svg") == 0; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0 && name[strlen(kinds[i])] == '_')
            return true;
    return false;
}

// Pictures of what was drawn before would not be of the table beside them.
static tn_status remove_pictures(const tn_sweep *s)
{
    DIR *folder = opendir(s->directory);
    tn_status status = TN_OK;
    for (struct dirent *e; folder && status == TN_OK && (e = readdir(folder));) {
        if (!is_picture(e->d_name))
            continue;
        char *path = tn_sweep_file(s->directory, e->d_name);
        status = tn_got(path);
        if (status == TN_OK)
            (void)unlink(path);
        tn_free(path);
    }
    if (folder)
        closedir(folder);
    return status;
}

// Points -----------------------------------------------------------------------------------------

// Position of a number between the least and the most of its column, from 0 to n - 1.
static int step_of(const tn_sweep_column *c, bool log_scale, double value, int n)
{
    const double u = log_scale ? log(value / c->least) / log(c->most / c->least)
                               : (value - c->least) / (c->most - c->least);
    return u > 0.0 ? (int)fmin(u * n, n - 1.0) : 0;
}

// Cases with both numbers and that of a colour, where `color` is a column; of those that would lie
// on each other the first.
static tn_status place_points(drawing *d, int up, int along, int color, tn_plot_series *out)
{
    const tn_sweep_column *c = d->facts->columns;
    double *x = numbers(d, d->rows->count), *y = numbers(d, d->rows->count);
    double *shown = numbers(d, d->rows->count);
    char *taken = tn_pool_take(&d->pool, (size_t)ACROSS * UP);
    int n = 0;
    TN_TRY(tn_got(x && y && shown && taken));
    for (int64_t i = 0; i < d->rows->count; i++) {
        const double a = at_row(d, i, along), b = at_row(d, i, up);
        const double value = color >= 0 ? at_row(d, i, color) : 0.0;
        if (!isfinite(a) || !isfinite(b) || !isfinite(value))
            continue;
        char *cell = &taken[step_of(&c[along], d->plot.x.log, a, ACROSS) * UP +
                            step_of(&c[up], false, b, UP)];
        if (*cell && d->rows->count > ACROSS)
            continue;
        *cell = 1;
        x[n] = a;
        y[n] = b;
        shown[n++] = value;
    }
    *out = (tn_plot_series){
        .n = n, .x = x, .y = y, .mark = TN_MARK_CIRCLE, .value = color >= 0 ? shown : NULL};
    return TN_OK;
}

static tn_status draw_points(drawing *d, const sweep_plot *p)
{
    tn_plot_series *series = tn_pool_take(&d->pool, TN_MOST_PANELS * sizeof *series);
    TN_TRY(tn_got(series));
    TN_TRY(axis_of(d, p->column[0], &d->plot.x));
    for (int k = 0; k < d->plot.npanel; k++) {
        const int column = panel_column(d, p, k);
        const bool third = p->kind == SWEEP_SCATTER && p->ncolumn > 2;
        const int color = p->kind == SWEEP_MAP ? column : third ? p->column[2] : -1;
        const int up = p->kind == SWEEP_MAP ? p->column[1] : column;
        TN_TRY(place_points(d, up, p->column[0], color, &series[k]));
        d->panels[k] = (tn_plot_panel){.nseries = 1, .series = &series[k]};
        if (color >= 0)
            TN_TRY(shade_of(d, color, &d->panels[k].shade));
        TN_TRY(axis_of(d, up, &d->panels[k].y));
    }
    return TN_OK;
}

// Curves -----------------------------------------------------------------------------------------

typedef struct place {
    int64_t group; // of cases that differ by what goes along alone
    double along;
    int64_t row;
} place;

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->along != y->along)
        return x->along < y->along ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

typedef struct curve_set {
    int lines;
    int64_t *first; // place of each line, lines + 1
    place *places;
    bool scattered; // no two cases share the values of the other parameters: points, no lines
} curve_set;

// Numbers of groups count through the values of the other parameters.
static tn_status group_rows(drawing *d, int along, curve_set *set)
{
    double groups = 1.0;
    for (int64_t i = 0; i < d->rows->count; i++)
        set->places[i] = (place){0, at_row(d, i, along), i};
    for (int c = 0; c < tn_sweep_varied(d->sweep); c++) {
        distinct values = {0};
        if (c == along)
            continue;
        TN_TRY(find_distinct(d, c, &values));
        groups *= values.count;
        set->scattered |= groups > 0x1p62;
        for (int64_t i = 0; i < d->rows->count && !set->scattered; i++)
            set->places[i].group = set->places[i].group * values.count +
                                   tn_count_up_to(values.count, values.at, at_row(d, i, c));
    }
    return TN_OK;
}

static tn_status find_curves(drawing *d, int along, curve_set *set)
{
    const size_t n = (size_t)d->rows->count;
    set->places = tn_pool_take(&d->pool, sizeof *set->places * (n + 1));
    set->first = tn_pool_take(&d->pool, sizeof *set->first * (n + 2));
    TN_TRY(tn_got(set->places && set->first));
    TN_TRY(group_rows(d, along, set));
    qsort(set->places, n, sizeof *set->places, by_place);
    for (int64_t i = 0; i < d->rows->count; i++)
        if (i == 0 || set->places[i].group != set->places[i - 1].group)
            set->first[set->lines++] = i;
    set->first[set->lines] = d->rows->count;
    set->scattered |= set->lines > 1 && 2 * set->lines > d->rows->count;
    return TN_OK;
}

// "m = 2, c = 0.1"; NULL where memory is short.
static const char *label_curve(drawing *d, int along, int64_t row)
{
    char text[120] = "";
    size_t n = 0;
    for (int c = 0; c < tn_sweep_varied(d->sweep) && n < sizeof text; c++)
        if (c != along)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s = %g", n ? ", " : "",
                                  d->facts->columns[c].name, at_row(d, row, c));
    return tn_pool_text(&d->pool, text, strlen(text));
}

// A line of the first panel, without its values; in colours by the value of `other` where there
// are many.
static tn_status style_curve(drawing *d, const curve_set *set, int along, int64_t first,
                             const tn_plot_axis *shade, tn_plot_series *line)
{
    const int other = along == 0 ? 1 : 0;
    const int64_t row = set->places[first].row;
    line->line = true;
    line->mark = line->n <= 60 && !shade ? TN_MARK_CIRCLE : TN_MARK_NONE;
    if (shade) {
        tn_plot_paint *paint = tn_pool_take(&d->pool, sizeof *paint);
        TN_TRY(tn_got(paint));
        *paint =
            (tn_plot_paint){.stroke = tn_plot_shade(shade, at_row(d, row, other)), .width = 1.2};
        line->paint = paint;
    } else if (set->lines > 1) {
        line->label = label_curve(d, along, row);
        TN_TRY(tn_got(line->label));
    }
    return TN_OK;
}

static tn_status draw_lines(drawing *d, const sweep_plot *p, const curve_set *set)
{
    const int along = p->column[0], every = 1 + (set->lines - 1) / MOST_LINES;
    const int shown = (set->lines - 1) / every + 1, npanel = d->plot.npanel;
    const int64_t rows = d->rows->count;
    const tn_plot_axis *shade = NULL;
    tn_plot_series *series = tn_pool_take(&d->pool, sizeof *series * (size_t)(npanel * shown));
    double *x = numbers(d, rows), *y = numbers(d, rows * npanel);
    TN_TRY(tn_got(series && x && y));
    TN_TRY(axis_of(d, along, &d->plot.x));
    if (set->lines > MOST_STYLES)
        TN_TRY(shade_of(d, along == 0 ? 1 : 0, &shade));
    d->plot.roomy = true;
    for (int64_t i = 0; i < rows; i++) {
        x[i] = set->places[i].along;
        for (int k = 0; k < npanel; k++)
            y[k * rows + i] = at_row(d, set->places[i].row, panel_column(d, p, k));
    }
    for (int k = 0; k < npanel * shown; k++) {
        const int64_t *first = &set->first[k % shown * every];
        tn_plot_series *line = &series[k];
        if (k >= shown)
            *line = series[k % shown];
        line->label = NULL;
        line->n = (int)(first[1] - first[0]);
        line->x = x + first[0];
        line->y = y + k / shown * rows + first[0];
        if (k < shown)
            TN_TRY(style_curve(d, set, along, first[0], shade, line));
    }
    for (int k = 0; k < npanel; k++) {
        d->panels[k] =
            (tn_plot_panel){.nseries = shown, .series = series + k * shown, .shade = shade};
        TN_TRY(axis_of(d, panel_column(d, p, k), &d->panels[k].y));
    }
    return TN_OK;
}

static tn_status draw_curves(drawing *d, const sweep_plot *p)
{
    curve_set set = {0};
    TN_TRY(find_curves(d, p->column[0], &set));
    return set.scattered || set.lines == 0 ? draw_points(d, p) : draw_lines(d, p, &set);
}

// Maps -------------------------------------------------------------------------------------------

// Half-way between neighbours; the outer ones as wide as their neighbours. Many values share a
// cell.
static int find_edges(const distinct *v, bool log_scale, double *edges)
{
    const int n = v->count < MOST_CELLS ? v->count : MOST_CELLS;
    for (int i = 0; i <= n; i++) {
        const int at = (int)((long long)i * v->count / n); // first value of the cell
        const int below = at > 0 ? at - 1 : 0, above = at < v->count ? at : v->count - 1;
        double a = v->at[below], b = v->at[above];
        if (at == 0)
            a = log_scale ? v->at[0] * v->at[0] / v->at[1] : 2.0 * v->at[0] - v->at[1];
        if (at == v->count)
            b = log_scale ? v->at[at - 1] * v->at[at - 1] / v->at[at - 2]
                          : 2.0 * v->at[at - 1] - v->at[at - 2];
        edges[i] = log_scale ? sqrt(a * b) : 0.5 * a + 0.5 * b;
    }
    return n;
}

static int cell_of(const double *edges, int n, double value)
{
    const int k = tn_count_up_to(n + 1, edges, value) - 1;
    return k < 0 ? 0 : k < n ? k : n - 1;
}

// The mean over all other parameters in each cell.
static void fill_cells(const drawing *d, const sweep_plot *p, int column, const tn_plot_cells *c,
                       double *sum, double *count)
{
    for (int64_t i = 0; i < d->rows->count; i++) {
        const double x = at_row(d, i, p->column[0]), y = at_row(d, i, p->column[1]);
        const double value = at_row(d, i, column);
        if (!isfinite(value) || !isfinite(x) || !isfinite(y))
            continue;
        const int at = cell_of(c->y, c->ny, y) * c->nx + cell_of(c->x, c->nx, x);
        sum[at] += value;
        count[at] += 1.0;
    }
    for (int i = 0; i < c->nx * c->ny; i++)
        sum[i] = count[i] > 0.0 ? sum[i] / count[i] : NAN;
}

// "model.yaml: 40 cases; cells are means over m" where more parameters than two are varied.
static void title_map(const drawing *d, const sweep_plot *p, size_t size, char *out)
{
    int n = snprintf(out, size, "%s", d->title);
    const char *before = "; cells are means over ";
    for (int c = 0; c < tn_sweep_varied(d->sweep) && n < (int)size; c++) {
        if (c == p->column[0] || c == p->column[1])
            continue;
        n += snprintf(out + n, size - (size_t)n, "%s%s", before, d->facts->columns[c].name);
        before = ", ";
    }
}

// Cells where the values are those of a grid, else points with colours.
static tn_status draw_map(drawing *d, const sweep_plot *p)
{
    tn_plot_cells *cells = tn_pool_take(&d->pool, TN_MOST_PANELS * sizeof *cells);
    char *title = tn_pool_take(&d->pool, MAP_TITLE);
    double *edges[2] = {numbers(d, MOST_CELLS), numbers(d, MOST_CELLS)};
    tn_plot_axis axis[2];
    distinct v[2];
    int n[2];
    TN_TRY(tn_got(cells && title && edges[0] && edges[1]));
    for (int i = 0; i < 2; i++)
        TN_TRY(find_distinct(d, p->column[i], &v[i]));
    if (v[0].count < 2 || v[1].count < 2 ||
        (double)v[0].count * v[1].count > 1.5 * (double)d->rows->count)
        return draw_points(d, p);
    for (int i = 0; i < 2; i++) {
        TN_TRY(axis_of(d, p->column[i], &axis[i]));
        n[i] = find_edges(&v[i], axis[i].log, edges[i]);
        axis[i].from = edges[i][0];
        axis[i].to = edges[i][n[i]];
    }
    for (int k = 0; k < d->plot.npanel; k++) {
        const int64_t count = (int64_t)n[0] * n[1];
        double *values = numbers(d, 2 * count);
        TN_TRY(tn_got(values));
        cells[k] = (tn_plot_cells){n[0], n[1], edges[0], edges[1], values};
        fill_cells(d, p, panel_column(d, p, k), &cells[k], values, values + count);
        d->panels[k] = (tn_plot_panel){.y = axis[1], .cells = &cells[k]};
        TN_TRY(shade_of(d, panel_column(d, p, k), &d->panels[k].shade));
    }
    title_map(d, p, MAP_TITLE, title);
    d->plot.x = axis[0];
    d->plot.title = title;
    return TN_OK;
}

// All of them ------------------------------------------------------------------------------------

static void title_plots(drawing *d)
{
    const tn_sweep_facts *f = d->facts;
    const char *slash = strrchr(d->sweep->model_path, '/');
    int n = snprintf(d->title, sizeof d->title, "%.100s: %lld case%s",
                     slash ? slash + 1 : d->sweep->model_path, (long long)f->cases,
                     f->cases == 1 ? "" : "s");
    const struct {
        const char *name;
        int64_t count;
    } wrong[] = {{"doubtful", f->doubtful}, {"failed", f->failed}, {"missing", f->missing}};
    for (int i = 0; i < TN_COUNT(wrong); i++)
        if (wrong[i].count > 0)
            n += snprintf(d->title + n, sizeof d->title - (size_t)n, ", %lld %s",
                          (long long)wrong[i].count, wrong[i].name);
}

tn_status tn_sweep_write_plots(tn_sweep *sweep, const tn_sweep_facts *facts, const sweep_rows *rows)
{
    static tn_status (*const drawers[])(drawing *, const sweep_plot *) = {
        [SWEEP_CURVES] = draw_curves, [SWEEP_MAP] = draw_map, [SWEEP_SCATTER] = draw_points};
    drawing d = {.sweep = sweep, .facts = facts, .rows = rows};
    sweep->drawn.count = 0;
    title_plots(&d);
    TN_TRY(remove_pictures(sweep));
    for (int i = 0; i < sweep->plots.count && rows->count > 0; i++) {
        const sweep_plot *p = &sweep->plots.at[i];
        d.plot =
            (tn_plot){.npanel = is_alone(p) ? 1 : tn_smaller(sweep->outputs.count, TN_MOST_PANELS),
                      .panels = d.panels,
                      .title = d.title};
        tn_status status = drawers[p->kind](&d, p);
        TN_THEN(status, write_plot(&d, p));
        tn_pool_clear(&d.pool);
        TN_TRY(status);
    }
    if (sweep->plots.count > 0 && sweep->outputs.count > TN_MOST_PANELS)
        tn_tell(sweep->wanted.teller, "pictures of the sweep show the first %d of %d outputs",
                TN_MOST_PANELS, sweep->outputs.count);
    return TN_OK;
}

const char *tn_sweep_plot(const tn_sweep *sweep, int index)
{
    return sweep && index >= 0 && index < sweep->drawn.count ? sweep->drawn.at[index].name : NULL;
}
