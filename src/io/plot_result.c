// SPDX-License-Identifier: MIT
//
// Channels over time as a picture: found by name, read between two times, sorted by unit into
// panels.

#include "base/array.h"
#include "base/notes.h"
#include "base/table.h"
#include "io/plot.h"
#include "io/result.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { COLUMNS_PER_PIXEL = 4 };

typedef struct {
    int channel;
    int n;         // points that are kept
    long count;    // rows it was read from
    long unplaced; // of these, numbers that a log axis has no place for
    long numbers;  // of these, numbers at all
    double *x, *y; // n
} plot_curve;

typedef struct {
    const char *unit, *group;
    char *label;  // of its y axis, NULL for none
    int first, n; // series
} plot_group;

typedef struct {
    TN_ARRAY(plot_curve) curve; // by panel
    TN_ARRAY(plot_group) panel;
    tn_plot_series *series;
    tn_plot_panel *panels;
    long rows;       // in the stretch of time
    double from, to; // its first and last time [s]
} plot_curves;

static void free_curves(plot_curves *curves)
{
    for (int i = 0; i < curves->curve.count; i++) {
        TN_FREE(curves->curve.at[i].x, curves->curve.at[i].y);
    }
    for (int i = 0; i < curves->panel.count; i++)
        tn_free(curves->panel.at[i].label);
    tn_array_free(&curves->curve);
    tn_array_free(&curves->panel);
    TN_FREE(curves->series, curves->panels);
}

// Names -------------------------------------------------------------------------------------------

// Whether * in the pattern can stand for parts of the name.
static bool plot_result_fits(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool is_meant(const char *word, const char *name)
{
    const size_t n = strlen(word);
    return (strncmp(word, name, n) == 0 && (name[n] == '\0' || name[n] == '.')) ||
           (strchr(word, '*') && plot_result_fits(word, name));
}

// Adds every beginning of a name up to a dot, and the name.
static tn_status add_beginnings(tn_table *table, const char *name)
{
    char *text = tn_strdup(name);
    tn_status s = tn_got(text);
    for (size_t i = 1; s == TN_OK && i <= strlen(name); i++)
        if (name[i] == '.' || name[i] == '\0') {
            text[i] = '\0';
            if (tn_table_find(table, text) < 0)
                s = tn_table_add(table, text, 0);
            text[i] = name[i];
        }
    tn_free(text);
    return s;
}

static tn_status fail_unknown(const tn_result *result, const char *word)
{
    const char *dir = tn_result_about(result)->named;
    tn_table *table = NULL;
    const char *nearest = NULL;
    char *today = tn_name_of_today(word);
    tn_status s = tn_table_create(&table);
    for (int i = 0; s == TN_OK && i < tn_result_channel_count(result); i++)
        s = add_beginnings(table, tn_result_channel_at(result, i)->name);
    if (s == TN_OK)
        nearest = today && tn_table_find(table, today) >= 0 ? today : tn_table_nearest(table, word);
    if (s == TN_OK && nearest)
        s = tn_fail(TN_ERR_USAGE,
                    "no channel '%s'; did you mean '%s'? 'tenon plot %s --list' lists "
                    "them all",
                    word, nearest, dir);
    else if (s == TN_OK)
        s = tn_fail(TN_ERR_USAGE, "no channel '%s'; 'tenon plot %s --list' lists them all", word,
                    dir);
    tn_table_destroy(table);
    tn_free(today);
    return s;
}

static bool has_channel(const plot_curves *curves, int channel)
{
    for (int i = 0; i < curves->curve.count; i++)
        if (curves->curve.at[i].channel == channel)
            return true;
    return false;
}

// The channels of a word: a name, the beginning of names up to a dot, or a pattern with *.
static tn_status add_curves(plot_curves *curves, const tn_result *result, const char *word)
{
    bool known = false;
    int only;
    for (int i = 0; i < tn_result_channel_count(result); i++) {
        const char *name = tn_result_channel_at(result, i)->name;
        if (!is_meant(word, name))
            continue;
        if (strcmp(word, name) == 0)
            TN_TRY(tn_result_find(result, word, &only)); // a name of two channels is an error
        known = true;
        if (!has_channel(curves, i))
            TN_TRY(tn_array_push(&curves->curve, ((plot_curve){.channel = i})));
    }
    return known ? TN_OK : fail_unknown(result, word);
}

// Values ------------------------------------------------------------------------------------------

// The rows of the stretch of time, and one more at each end for the lines to come from and go to.
static tn_status find_rows(plot_curves *curves, long rows, const double *time, double from,
                           double to, long *first, long *end)
{
    const double begin = time[0], last = time[rows - 1];
    curves->from = isnan(from) ? begin : from;
    curves->to = isnan(to) ? last : to;
    if (from > to)
        return tn_fail(TN_ERR_USAGE, "--from %g s lies behind --to %g s", from, to);
    if (curves->from > last || curves->to < begin)
        return tn_fail(TN_ERR_USAGE, "%s %g s: the results go from %g s to %g s",
                       curves->from > last ? "--from" : "--to", curves->from > last ? from : to,
                       begin, last);
    for (*first = 0; *first < rows - 1 && time[*first] < curves->from;)
        ++*first;
    for (*end = rows; *end > *first + 1 && time[*end - 1] > curves->to;)
        --*end;
    curves->rows = *end - *first;
    *first -= *first > 0;
    *end += *end < rows;
    return TN_OK;
}

static void count_values(plot_curve *curve, long n, const double *y, bool log)
{
    curve->count = n;
    for (long i = 0; i < n; i++) {
        curve->numbers += isfinite(y[i]);
        curve->unplaced += log && isfinite(y[i]) && y[i] <= 0.0;
    }
}

// Values in the order of time, with what has no place on a log axis as a gap, thinned.
static tn_status read_curve(plot_curve *curve, tn_result *result, const double *time, long first,
                            long n, bool log, const plot_curves *curves, int columns)
{
    curve->x = tn_alloc((size_t)n * sizeof(double));
    curve->y = tn_alloc((size_t)n * sizeof(double));
    if (!curve->x || !curve->y)
        return tn_fail(TN_ERR_MEMORY, "no memory for %ld rows; choose fewer with --from and --to",
                       n);
    TN_TRY(tn_result_read(result, curve->channel, first, n, curve->y));
    count_values(curve, n, curve->y, log);
    memcpy(curve->x, time + first, (size_t)n * sizeof(double));
    for (long i = 0; i < n && log; i++)
        if (curve->y[i] <= 0.0)
            curve->y[i] = NAN;
    curve->n = (int)n;
    if (n <= columns || !(curves->to > curves->from))
        return TN_OK;
    curve->n = tn_plot_thin((int)n, curve->x, curve->y, curves->from, curves->to, columns);
    const size_t left = (size_t)(curve->n > 0 ? curve->n : 1) * sizeof(double);
    double *x = tn_resize(curve->x, left), *y = tn_resize(curve->y, left);
    curve->x = x ? x : curve->x; // a block that cannot shrink stays as it is
    curve->y = y ? y : curve->y;
    return TN_OK;
}

// Values between two times, thinned for a picture of `width` pixels.
static tn_status read_curves(plot_curves *curves, tn_result *result, double from, double to,
                             bool log, int width)
{
    const long rows = tn_result_rows(result);
    long first = 0, end = 0;
    if (rows == 0)
        return tn_fail(TN_ERR_FILE, "%s has no rows yet: there is nothing to plot",
                       tn_result_about(result)->path);
    if (rows > INT_MAX / 2)
        return tn_fail(TN_ERR_FILE, "%s has %ld rows, more than a plot can take",
                       tn_result_about(result)->path, rows);
    double *time = tn_alloc((size_t)rows * sizeof(double));
    if (!time)
        return tn_fail(TN_ERR_MEMORY, "no memory for %ld rows", rows);
    tn_status s = tn_result_time(result, 0, rows, time);
    TN_THEN(s, find_rows(curves, rows, time, from, to, &first, &end));
    for (int i = 0; s == TN_OK && i < curves->curve.count; i++)
        s = read_curve(&curves->curve.at[i], result, time, first, end - first, log, curves,
                       COLUMNS_PER_PIXEL * width);
    tn_free(time);
    return s;
}

// Panels ------------------------------------------------------------------------------------------

static const tn_result_channel *channel_of(const tn_result *result, const plot_curve *curve)
{
    return tn_result_channel_at(result, curve->channel);
}

// One panel for each unit; numbers without unit keep to their group.
static bool belongs(const plot_group *panel, const tn_result_channel *channel)
{
    return strcmp(panel->unit, channel->unit) == 0 &&
           (*panel->unit || strcmp(panel->group, channel->group) == 0);
}

static tn_status sort_by_panel(plot_curves *curves, const tn_result *result)
{
    int sorted = 0;
    while (sorted < curves->curve.count) {
        const tn_result_channel *head = channel_of(result, &curves->curve.at[sorted]);
        plot_group panel = {.unit = head->unit, .group = head->group, .first = sorted};
        for (int i = sorted; i < curves->curve.count; i++) {
            const plot_curve curve = curves->curve.at[i];
            if (!belongs(&panel, channel_of(result, &curve)))
                continue;
            plot_curve *to = &curves->curve.at[sorted];
            memmove(to + 1, to, (size_t)(i - sorted) * sizeof(*to));
            *to = curve;
            sorted++;
        }
        panel.n = sorted - panel.first;
        TN_TRY(tn_array_push(&curves->panel, panel));
    }
    return TN_OK;
}

// What all curves of a panel are: their name, their quantity, their group, or nothing.
static tn_status name_panel(const plot_curves *curves, const tn_result *result, plot_group *panel)
{
    const tn_result_channel *head = channel_of(result, &curves->curve.at[panel->first]);
    const char *path = tn_result_dataset_at(result, head->dataset)->path;
    const char *quantity = strchr(path, '/') ? strchr(path, '/') + 1 : path, *text = NULL;
    bool same_quantity = true, same_group = true;
    for (int i = panel->first; i < panel->first + panel->n; i++) {
        const tn_result_channel *channel = channel_of(result, &curves->curve.at[i]);
        same_quantity &= channel->dataset == head->dataset;
        same_group &= strcmp(channel->group, head->group) == 0;
    }
    if (panel->n == 1)
        text = head->name;
    else if (same_quantity)
        text = quantity;
    else if (same_group && head->owner < 0)
        text = head->group;
    if (!text)
        return TN_OK;
    panel->label = tn_strdup(text);
    TN_TRY(tn_got(panel->label));
    for (char *c = panel->label; panel->n > 1 && *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return TN_OK;
}

// Sorts the curves into panels and makes them part of the plot; they must outlive it.
static tn_status arrange_curves(plot_curves *curves, const tn_result *result, bool log,
                                tn_plot *plot)
{
    TN_TRY(sort_by_panel(curves, result));
    curves->series = tn_alloc((size_t)curves->curve.count * sizeof(*curves->series));
    curves->panels = tn_alloc((size_t)curves->panel.count * sizeof(*curves->panels));
    if (!curves->series || !curves->panels)
        return tn_fail(TN_ERR_MEMORY, "no memory for %d curves", curves->curve.count);
    for (int p = 0; p < curves->panel.count; p++) {
        plot_group *panel = &curves->panel.at[p];
        TN_TRY(name_panel(curves, result, panel));
        curves->panels[p] = (tn_plot_panel){
            .y = {.label = panel->label, .unit = panel->unit, .log = log},
            .nseries = panel->n,
            .series = &curves->series[panel->first],
        };
        for (int i = panel->first; i < panel->first + panel->n; i++) {
            const plot_curve *curve = &curves->curve.at[i];
            curves->series[i] = (tn_plot_series){
                .label = panel->n > 1 ? channel_of(result, curve)->name : NULL,
                .n = curve->n,
                .x = curve->x,
                .y = curve->y,
                .line = true,
            };
        }
    }
    plot->x = (tn_plot_axis){.label = "time", .unit = "s", .from = curves->from, .to = curves->to};
    plot->npanel = curves->panel.count;
    plot->panels = curves->panels;
    return TN_OK;
}

// The picture -------------------------------------------------------------------------------------

static void tell_curve(tn_teller teller, const char *name, long n, long count, const char *why)
{
    if (n > 0)
        tn_tell(teller, "%s: %ld of %ld values are %s", name, n, count, why);
}

// Tells about curves that are not shown whole; fails when nothing at all can be shown.
static tn_status look_over(const plot_curves *curves, const tn_result *result, tn_teller teller)
{
    long shown = 0, unplaced = 0;
    for (int i = 0; i < curves->curve.count; i++) {
        shown += curves->curve.at[i].numbers - curves->curve.at[i].unplaced;
        unplaced += curves->curve.at[i].unplaced;
    }
    if (shown == 0 && unplaced > 0)
        return tn_fail(TN_ERR_USAGE,
                       "--log: none of the values is positive; leave it out to see them");
    for (int i = 0; i < curves->curve.count; i++) {
        const plot_curve *c = &curves->curve.at[i];
        const char *name = channel_of(result, c)->name;
        tell_curve(teller, name, c->unplaced, c->count,
                   "not positive and have no place on a log axis");
        tell_curve(teller, name, c->count - c->numbers, c->count, "no numbers and leave gaps");
    }
    return TN_OK;
}

static tn_status draw_plot_result(plot_curves *curves, tn_result *result, const tn_plot_options *o,
                                  const char *path, tn_plotted *out)
{
    tn_plot plot = {.title = o->title, .width = o->width, .height = o->height};
    tn_plot_format format;
    TN_TRY(tn_plot_format_of(path, &format));
    tn_plot_size(&plot, format, &out->width, &out->height);
    TN_TRY(read_curves(curves, result, o->from, o->to, o->log, out->width));
    TN_TRY(look_over(curves, result, o->teller));
    TN_TRY(arrange_curves(curves, result, o->log, &plot));
    TN_TRY(tn_plot_write(&plot, path));
    tn_plot_size(&plot, format, &out->width, &out->height);
    out->rows = curves->rows;
    out->from = curves->from;
    out->to = curves->to;
    return TN_OK;
}

static tn_status list_drawn(const plot_curves *curves, tn_plotted *out)
{
    out->channels = tn_alloc((size_t)curves->curve.count * sizeof *out->channels);
    if (!out->channels)
        return tn_fail(TN_ERR_MEMORY, "no memory for %d curves", curves->curve.count);
    out->nchannel = curves->curve.count;
    for (int i = 0; i < out->nchannel; i++)
        out->channels[i] = curves->curve.at[i].channel;
    return TN_OK;
}

tn_plot_options tn_default_plot(void)
{
    return (tn_plot_options){.from = NAN, .to = NAN};
}

tn_status tn_result_plot(tn_result *result, int n, const char *const *names,
                         const tn_plot_options *options, const char *path, tn_plotted *out)
{
    const tn_plot_options usual = tn_default_plot();
    plot_curves curves = {0};
    tn_plotted drawn = {0};
    tn_plot_format format;
    TN_NEED_ALL(TN_ERR_USAGE, result, names, path);
    tn_status s = tn_plot_format_of(path, &format); // before anything is read
    for (int i = 0; s == TN_OK && i < n; i++)
        s = add_curves(&curves, result, names[i]);
    TN_THEN(s, draw_plot_result(&curves, result, options ? options : &usual, path, &drawn));
    if (s == TN_OK && out && (s = list_drawn(&curves, &drawn)) == TN_OK)
        *out = drawn;
    free_curves(&curves);
    return s;
}

void tn_plotted_free(tn_plotted *plotted)
{
    if (!plotted)
        return;
    tn_free(plotted->channels);
    *plotted = (tn_plotted){0};
}
