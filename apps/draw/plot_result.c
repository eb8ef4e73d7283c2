// SPDX-License-Identifier: MIT
//
// Channels of runs as a picture: found by name, read between two times, sorted by unit into panels.

#include "draw/plot_curves.h"
#include "draw/plot_parts.h"
#include "text/notes.h"

#include <math.h>
#include <string.h>

enum { SPARSE = 60 }; // a table of no more rows has marks at its points

static void free_curves(tn_plot_curves *curves)
{
    for (int i = 0; i < curves->curve.count; i++)
        TN_FREE(curves->curve.at[i].x, curves->curve.at[i].y, curves->curve.at[i].legend);
    for (int i = 0; i < curves->panel.count; i++)
        tn_free(curves->panel.at[i].label);
    tn_array_free(&curves->curve);
    tn_array_free(&curves->panel);
    tn_plot_runs_free(&curves->runs);
    TN_FREE(curves->series, curves->panels, curves->guides);
}

// Panels ------------------------------------------------------------------------------------------

static const char *name_of(const tn_plot_curves *c, int curve)
{
    return tn_plot_place_name(c->curve.at[curve].at);
}

// One panel for each unit; numbers without unit keep to their group.
static bool belongs(const tn_plot_curves *c, const tn_plot_group *panel, const tn_plot_curve *curve)
{
    const tn_plot_place at = curve->at;
    return panel->minus == (curve->minus != NULL) &&
           strcmp(panel->unit, tn_plot_place_unit(at)) == 0 &&
           (*panel->unit || strcmp(panel->group, tn_plot_place_group(at)) == 0);
}

static tn_status sort_by_panel(tn_plot_curves *c)
{
    int sorted = 0;
    while (sorted < c->curve.count) {
        const tn_plot_place head = c->curve.at[sorted].at;
        tn_plot_group panel = {.unit = tn_plot_place_unit(head),
                               .group = tn_plot_place_group(head),
                               .first = sorted,
                               .minus = c->curve.at[sorted].minus != NULL};
        for (int i = sorted; i < c->curve.count; i++) {
            const tn_plot_curve curve = c->curve.at[i];
            if (!belongs(c, &panel, &curve))
                continue;
            tn_plot_curve *to = &c->curve.at[sorted];
            memmove(to + 1, to, (size_t)(i - sorted) * sizeof(*to));
            *to = curve;
            sorted++;
        }
        panel.n = sorted - panel.first;
        TN_TRY(tn_array_push(&c->panel, panel));
    }
    return TN_OK;
}

// Text that all curves of a panel share: their name, their quantity, their group, or nothing.
static const char *panel_text(const tn_plot_curves *c, const tn_plot_group *panel)
{
    const tn_plot_place head = c->curve.at[panel->first].at;
    const char *name = tn_plot_place_name(head);
    const char *quantity = tn_plot_place_quantity(head);
    const char *group = tn_plot_place_group(head);
    bool same_name = true, same_quantity = true, same_group = true;
    for (int i = panel->first; i < panel->first + panel->n; i++) {
        const tn_plot_place at = c->curve.at[i].at;
        same_name &= strcmp(tn_plot_place_name(at), name) == 0;
        same_quantity &= strcmp(tn_plot_place_quantity(at), quantity) == 0;
        same_group &= strcmp(tn_plot_place_group(at), group) == 0;
    }
    if (same_name)
        return name;
    if (same_quantity)
        return quantity;
    static const char *const telling[] = {"energy", "residuals", "state", "run", "discrete"};
    for (int i = 0; same_group && i < TN_COUNT(telling); i++) // others would say nothing
        if (strcmp(group, telling[i]) == 0)
            return group;
    return NULL;
}

// Legends -----------------------------------------------------------------------------------------

// Labels of the user are those of all curves, or of all runs.
static tn_status check_labels(const tn_plot_curves *c, const tn_plot_options *o)
{
    const int ncurve = c->curve.count - c->ndifference;
    if (o->nlabel == 0 || o->nlabel == ncurve || o->nlabel == c->drawn)
        return TN_OK;
    if (c->drawn > 1 && c->drawn != ncurve)
        return tn_fail(TN_ERR_USAGE,
                       "--labels: %d were given, but there are %d curves of %d runs; name all "
                       "curves or all runs",
                       o->nlabel, ncurve, c->drawn);
    return tn_fail(TN_ERR_USAGE, "--labels: %d were given, but there are %d curves", o->nlabel,
                   ncurve);
}

static const char *run_label(const tn_plot_curves *c, const tn_plot_options *o,
                             const tn_plot_run *run)
{
    int place = 0; // among the runs that have curves
    for (int i = 0; c->runs.run.at[i] != run; i++)
        place += c->runs.run.at[i]->curves > 0;
    return o->nlabel > 0 && o->nlabel == c->drawn ? o->labels[place] : run->name;
}

// "position" with what was done to it: "|position - reference|".
static tn_status name_panel(const tn_plot_curves *c, const tn_plot_options *o, tn_plot_group *panel)
{
    const char *text = panel_text(c, panel), *bar = o->absolute ? "|" : "";
    const bool is_name = text && strcmp(text, name_of(c, panel->first)) == 0;
    if (!text && !o->difference && !panel->minus)
        return TN_OK;
    if (panel->minus)
        panel->label = tn_format("%s%s: %s − %s%s", bar, text ? text : "difference",
                                 run_label(c, o, c->two[0]), run_label(c, o, c->two[1]), bar);
    else if (o->difference)
        panel->label =
            tn_format("%s%s − %s%s", bar, text ? text : "value", c->reference->name, bar);
    else
        panel->label = tn_format("%s%s%s", bar, text, bar);
    TN_TRY(tn_got(panel->label));
    for (char *at = panel->label; !is_name && !o->difference && !panel->minus && *at; at++)
        *at = *at == '_' ? ' ' : *at;
    return TN_OK;
}

static tn_status name_curves(tn_plot_curves *c, const tn_plot_options *o)
{
    const bool each = o->nlabel > 0 && o->nlabel == c->curve.count - c->ndifference;
    TN_TRY(check_labels(c, o));
    for (int p = 0; p < c->panel.count; p++) {
        const tn_plot_group *panel = &c->panel.at[p];
        bool names = false, runs = false; // more than one
        for (int i = panel->first; i < panel->first + panel->n; i++) {
            names |= strcmp(name_of(c, i), name_of(c, panel->first)) != 0;
            runs |= c->curve.at[i].at.run != c->curve.at[panel->first].at.run;
        }
        for (int i = panel->first; i < panel->first + panel->n; i++) {
            tn_plot_curve *curve = &c->curve.at[i];
            const char *run = run_label(c, o, curve->at.run);
            if (panel->minus && panel->n == 1)
                continue;
            if (panel->minus)
                curve->legend = tn_strdup(name_of(c, i));
            else if (each)
                curve->legend = tn_strdup(o->labels[curve->order]);
            else if (panel->n == 1 && !o->nlabel)
                continue;
            else
                curve->legend = tn_format("%s%s%s", runs || !names ? run : "",
                                          runs && names ? ": " : "", names ? name_of(c, i) : "");
            TN_TRY(tn_got(curve->legend));
        }
    }
    return TN_OK;
}

// The picture -------------------------------------------------------------------------------------

static tn_plot_series series_of(const tn_plot_curves *c, const tn_plot_options *o,
                                const tn_plot_curve *curve, int place)
{
    const tn_plot_run *run = curve->at.run;
    const bool sparse = run->about->is_table && curve->count <= SPARSE;
    return (tn_plot_series){
        .label = curve->legend,
        .n = curve->n,
        .x = curve->x,
        .y = curve->y,
        .line = !o->points,
        .mark = o->points || sparse ? (tn_plot_mark)(TN_MARK_CIRCLE + place % 5) : TN_MARK_NONE,
    };
}

static tn_plot_axis x_axis(const tn_plot_curves *c, const tn_plot_options *o)
{
    tn_plot_run *of = c->curve.at[0].at.run; // a run gives the unit, before a table
    bool tables = true;
    for (int i = c->runs.run.count - 1; i >= 0; i--)
        if (c->runs.run.at[i]->curves > 0 && !c->runs.run.at[i]->about->is_table) {
            of = c->runs.run.at[i];
            tables = false;
        }
    const tn_plot_place at = o->x ? c->curve.at[0].x_at : (tn_plot_place){of, TN_PLOT_TIME};
    tn_plot_axis axis = {.label = tn_plot_place_name(at),
                         .unit = tn_plot_place_unit(at),
                         .log = o->log_x,
                         .from = NAN,
                         .to = NAN};
    if (o->x_label) {
        axis.label = o->x_label;
        axis.unit = NULL;
    }
    if (!o->x) {
        axis.from = tables ? o->from : c->from;
        axis.to = tables ? o->to : c->to;
    }
    return axis;
}

static tn_plot_axis y_axis(const tn_plot_options *o, const tn_plot_group *panel)
{
    const bool own = o->y_label && !panel->minus;
    return (tn_plot_axis){
        .label = own ? o->y_label : panel->label, .unit = own ? NULL : panel->unit, .log = o->log};
}

// Differences were not asked for by name: where a picture has no room for them, they go. Their
// panels are the last.
static void make_room(tn_plot_curves *c, const tn_plot_options *o)
{
    if (c->ndifference == 0 || c->panel.count <= TN_MOST_PANELS)
        return;
    tn_tell(o->teller, "a picture has at most %d panels: differences of the runs are left out",
            TN_MOST_PANELS);
    while (c->panel.count > 0 && c->panel.at[c->panel.count - 1].minus)
        c->panel.count--;
    for (; c->ndifference > 0; c->ndifference--) {
        tn_plot_curve *last = &c->curve.at[--c->curve.count];
        TN_FREE(last->x, last->y, last->legend);
    }
}

// Sorts the curves into panels and makes them part of the plot; they must outlive it.
static tn_status arrange_curves(tn_plot_curves *c, const tn_plot_options *o, tn_plot *plot)
{
    TN_TRY(sort_by_panel(c));
    make_room(c, o);
    TN_TRY(name_curves(c, o));
    int nplain = 0;
    for (int p = 0; p < c->panel.count; p++)
        nplain += !c->panel.at[p].minus;
    if (o->y_label && nplain > 1)
        return tn_fail(TN_ERR_USAGE,
                       "--y-label: the channels have %d units and as many panels; draw those of "
                       "one unit, or leave it out",
                       nplain);
    const size_t nseries = (size_t)(c->curve.count + c->panel.count * o->nslope);
    c->series = tn_alloc(nseries * sizeof(*c->series));
    c->panels = tn_alloc((size_t)c->panel.count * sizeof(*c->panels));
    if (!c->series || !c->panels)
        return tn_fail(TN_ERR_MEMORY, "no memory for %d curves", c->curve.count);
    for (int p = 0; p < c->panel.count; p++) {
        tn_plot_group *panel = &c->panel.at[p];
        tn_plot_series *series = &c->series[panel->first + p * o->nslope];
        TN_TRY(name_panel(c, o, panel));
        for (int i = 0; i < panel->n; i++)
            series[i] = series_of(c, o, &c->curve.at[panel->first + i], i);
        c->panels[p] =
            (tn_plot_panel){.y = y_axis(o, panel), .nseries = panel->n, .series = series};
    }
    plot->x = x_axis(c, o);
    plot->npanel = c->panel.count;
    plot->panels = c->panels;
    plot->equal = o->equal;
    if (o->equal && c->panel.count == 1)
        plot->usual_height = tn_plot_equal_height(c->panels);
    plot->roomy = o->x != NULL;
    return o->nslope > 0 ? tn_plot_add_slopes(c, o, plot) : TN_OK;
}

static void tell_curve(const tn_plot_curves *c, tn_teller teller, tn_plot_place at, long n,
                       long count, const char *why)
{
    const bool several = c->drawn > 1;
    if (n > 0)
        tn_tell(teller, "%s%s%s: %ld of %ld values are %s", several ? at.run->path : "",
                several ? ":" : "", tn_plot_place_name(at), n, count, why);
}

// Tells about curves that are not shown whole; fails when nothing at all can be shown.
static tn_status look_over(const tn_plot_curves *c, const tn_plot_options *o)
{
    static const char *const why = "not positive and have no place on a log axis";
    long shown = 0, unplaced = 0, unplaced_x = 0;
    for (int i = 0; i < c->curve.count; i++) {
        const tn_plot_curve *curve = &c->curve.at[i];
        shown += curve->shown;
        unplaced += curve->unplaced;
        unplaced_x += curve->unplaced_x;
        if (curve->numbers == 0 && curve->at.run->about->is_table)
            return tn_fail(TN_ERR_USAGE, "%s: the column '%s' holds no numbers",
                           curve->at.run->path, name_of(c, i));
    }
    if (shown == 0 && unplaced > 0)
        return tn_fail(TN_ERR_USAGE,
                       "--log: none of the values is positive; leave it out to see them");
    if (shown == 0 && unplaced_x > 0)
        return tn_fail(TN_ERR_USAGE,
                       "--log-x: none of the values of '%s' is positive; leave it "
                       "out to see them",
                       tn_plot_place_name(c->curve.at[0].x_at));
    for (int i = 0; i < c->curve.count; i++) {
        const tn_plot_curve *curve = &c->curve.at[i];
        if (curve->minus)
            continue; // its gaps are those of the runs, or stretches that one of them has not
        if (i == 0 || curve->at.run != c->curve.at[i - 1].at.run)
            tell_curve(c, o->teller, curve->x_at, curve->unplaced_x, curve->count, why);
        tell_curve(c, o->teller, curve->at, curve->unplaced, curve->count, why);
        tell_curve(c, o->teller, curve->at, curve->count - curve->numbers, curve->count,
                   "no numbers and leave gaps");
    }
    return TN_OK;
}

static tn_status draw_plot_result(tn_plot_curves *c, const tn_plot_options *o, const char *path,
                                  tn_plotted *out)
{
    tn_plot plot = {.title = o->title, .width = o->width, .height = o->height};
    tn_plot_format format;
    TN_TRY(tn_plot_format_of(path, &format));
    tn_plot_size(&plot, format, &out->width, &out->height);
    TN_TRY(tn_plot_read_curves(c, o, out->width));
    TN_TRY(tn_plot_runs_name(&c->runs));
    TN_TRY(look_over(c, o));
    TN_TRY(arrange_curves(c, o, &plot));
    const tn_status s = tn_plot_write(&plot, path);
    if (s != TN_OK)
        return s == TN_ERR_FILE ? TN_ERR_USAGE : s; // where to write is said by who calls
    tn_plot_size(&plot, format, &out->width, &out->height);
    out->rows = c->rows;
    out->timed = c->from <= c->to;
    out->from = out->timed ? c->from : NAN;
    out->to = out->timed ? c->to : NAN;
    for (int i = 0; i < c->curve.count; i++) {
        const tn_plot_run *run = c->runs.time_of ? c->runs.time_of : c->curve.at[i].at.run;
        out->timed &= !run->about->is_table;
    }
    out->nrun = c->drawn;
    return TN_OK;
}

static tn_status list_drawn(const tn_plot_curves *c, tn_plotted *out)
{
    out->channels = tn_alloc((size_t)c->curve.count * sizeof *out->channels);
    out->names = tn_alloc((size_t)c->curve.count * sizeof *out->names);
    if (!out->channels || !out->names)
        return tn_fail(TN_ERR_MEMORY, "no memory for %d curves", c->curve.count);
    out->nchannel = c->curve.count;
    for (int i = 0; i < out->nchannel; i++) {
        const tn_plot_place at = c->curve.at[i].at;
        out->channels[i] = at.channel;
        if (c->curve.at[i].minus)
            out->names[i] =
                tn_format("%s - %s:%s", c->two[0]->path, c->two[1]->path, name_of(c, i));
        else
            out->names[i] = c->drawn > 1 ? tn_format("%s:%s", at.run->path, name_of(c, i))
                                         : tn_strdup(name_of(c, i));
        TN_TRY(tn_got(out->names[i]));
    }
    return TN_OK;
}

// Whole -------------------------------------------------------------------------------------------

tn_plot_options tn_default_plot(void)
{
    return (tn_plot_options){.from = NAN, .to = NAN};
}

static tn_status check_options(const tn_plot_options *o)
{
    if (o->nslope > 0 && !(o->log && o->log_x))
        return tn_fail(TN_ERR_USAGE,
                       "--slopes are straight lines in log-log pictures only; add --log-log");
    if (o->equal && (o->log || o->log_x))
        return tn_fail(TN_ERR_USAGE,
                       "--equal: log axes have no scale in common; leave one of them out");
    for (int i = 0; i < o->nslope; i++)
        if (!isfinite(o->slopes[i]))
            return tn_fail(TN_ERR_USAGE, "--slopes: %g is no slope of a line", o->slopes[i]);
    return TN_OK;
}

// With the runs in place: finds the curves and draws them.
static tn_status plot_names(tn_plot_curves *c, int n, const char *const *names,
                            const tn_plot_options *o, const char *path, tn_plotted *out)
{
    tn_plot_place_list places = {0};
    tn_plotted drawn = {0};
    tn_status s = check_options(o);
    for (int i = 0; s == TN_OK && i < n; i++)
        s = tn_plot_find(&c->runs, names[i], &places);
    for (int i = 0; s == TN_OK && i < places.count; i++)
        s = tn_array_push(&c->curve, ((tn_plot_curve){.at = places.at[i], .order = i}));
    tn_array_free(&places);
    if (s == TN_OK && c->curve.count == 0)
        s = tn_fail(TN_ERR_USAGE, "there is no channel to draw");
    TN_THEN(s, tn_plot_add_differences(c, o));
    TN_THEN(s, draw_plot_result(c, o, path, &drawn));
    if (s == TN_OK && out && (s = list_drawn(c, &drawn)) == TN_OK)
        *out = drawn;
    else
        tn_plotted_free(&drawn);
    return s;
}

// Plots results that are open, or runs by their paths.
static tn_status plot_runs(tn_result *result, int nrun, const char *const *runs, int n,
                           const char *const *names, const tn_plot_options *options,
                           const char *path, tn_plotted *out)
{
    const tn_plot_options usual = tn_default_plot(), *o = options ? options : &usual;
    tn_plot_format format;
    tn_plot_run *run;
    TN_TRY(tn_plot_format_of(path, &format)); // before anything is read
    tn_plot_curves curves = {.runs = {.trust = o->trust, .teller = o->teller}};
    tn_status s = result ? tn_plot_runs_take(&curves.runs, result) : TN_OK;
    for (int i = 0; s == TN_OK && i < nrun; i++)
        s = tn_plot_runs_add(&curves.runs, runs[i], true, &run);
    TN_THEN(s, plot_names(&curves, n, names, o, path, out));
    free_curves(&curves);
    return s;
}

tn_status tn_result_plot(tn_result *result, int n, const char *const *names,
                         const tn_plot_options *options, const char *path, tn_plotted *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, result, names, path);
    return plot_runs(result, 0, NULL, n, names, options, path, out);
}

tn_status tn_runs_plot(int nrun, const char *const *runs, int n, const char *const *names,
                       const tn_plot_options *options, const char *path, tn_plotted *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, names, path);
    if (nrun > 0)
        TN_NEED(runs, TN_ERR_USAGE);
    return plot_runs(NULL, nrun, runs, n, names, options, path, out);
}

void tn_plotted_free(tn_plotted *plotted)
{
    if (!plotted)
        return;
    for (int i = 0; plotted->names && i < plotted->nchannel; i++)
        tn_free(plotted->names[i]);
    TN_FREE(plotted->channels, plotted->names, plotted->times);
    *plotted = (tn_plotted){0};
}
