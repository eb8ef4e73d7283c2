// SPDX-License-Identifier: MIT
//
// Reads the curves of a plot: rows of a stretch of time, what goes up and what goes along,
// differences to another run; thinned where a picture cannot show so many.

#include "draw/plot_curves.h"

#include "text/notes.h"

#include <math.h>

enum { COLUMNS_PER_PIXEL = 4 };

// Rows --------------------------------------------------------------------------------------------

static bool has_numbers(const tn_plot_run *run)
{
    for (long i = 0; i < run->rows; i++)
        if (isfinite(run->time[i]))
            return true;
    return false;
}

// Tables need no order; those without have no stretches.
static tn_status take_all_rows(const tn_plot_run *run, const tn_plot_options *o)
{
    const char *along = run->about->along;
    if (!o->x && !has_numbers(run))
        return tn_fail(
            TN_ERR_USAGE,
            "%s: its first column, '%s', holds no numbers; --x COLUMN tells what to draw "
            "along",
            run->path, along);
    if (!isnan(o->from) || !isnan(o->to))
        return tn_fail(TN_ERR_USAGE, "%s %g: the first column of %s, '%s', does not increase",
                       isnan(o->from) ? "--to" : "--from", isnan(o->from) ? o->to : o->from,
                       run->path, along);
    return TN_OK;
}

// The rows of the stretch of time; with lines over time one more at each end, for them to come from
// and go to.
static tn_status find_rows(tn_plot_curves *c, tn_plot_run *run, const tn_plot_options *o)
{
    const double *time = run->time, begin = time[0], last = time[run->rows - 1];
    const double from = isnan(o->from) ? begin : o->from, to = isnan(o->to) ? last : o->to;
    const bool several = c->runs.run.count > 1;
    const char *unit = run->unit, *gap = *unit ? " " : "";
    if (o->from > o->to)
        return tn_fail(TN_ERR_USAGE, "--from %g%s%s lies behind --to %g%s%s", o->from, gap, unit,
                       o->to, gap, unit);
    if (from > last || to < begin)
        return tn_fail(TN_ERR_USAGE, "%s %g%s%s: the results%s%s go from %g%s%s to %g%s%s",
                       from > last ? "--from" : "--to", from > last ? from : to, gap, unit,
                       several ? " in " : "", several ? run->path : "", begin, gap, unit, last, gap,
                       unit);
    for (run->first = 0; run->first < run->rows - 1 && time[run->first] < from;)
        run->first++;
    for (run->end = run->rows; run->end > run->first + 1 && time[run->end - 1] > to;)
        run->end--;
    c->rows += run->end - run->first;
    c->from = fmin(c->from, from);
    c->to = fmax(c->to, to);
    if (!o->x && !o->points) {
        run->first -= run->first > 0;
        run->end += run->end < run->rows;
    }
    return TN_OK;
}

// All times are in the unit of the first run that is drawn, or of the first table that has one.
// Along another channel first columns need nothing in common, unless times are chosen or compared.
static tn_status choose_time(tn_plot_curves *c, const tn_plot_options *o)
{
    const char *name;
    tn_plot_run *of = NULL;
    if (o->x)
        TN_TRY(tn_plot_split(&c->runs, o->x, &of, &name));
    if (o->x && !of && !o->difference && isnan(o->from) && isnan(o->to))
        return TN_OK;
    for (int i = c->curve.count - 1; i >= 0; i--) {
        const tn_plot_run *run = c->curve.at[i].at.run, *before = c->runs.time_of;
        if (*run->unit && (!run->about->is_table || !before || before->about->is_table))
            c->runs.time_of = run;
    }
    return TN_OK;
}

static tn_status choose_rows(tn_plot_curves *c, const tn_plot_options *o)
{
    c->from = INFINITY;
    c->to = -INFINITY;
    for (int i = 0; i < c->curve.count; i++)
        c->curve.at[i].at.run->curves++;
    for (int i = 0; i < c->runs.run.count; i++) {
        tn_plot_run *run = c->runs.run.at[i];
        if (run->curves == 0)
            continue;
        c->drawn++;
        TN_TRY(tn_plot_times(&c->runs, run));
        if (run->sorted) {
            TN_TRY(find_rows(c, run, o));
        } else {
            TN_TRY(take_all_rows(run, o));
            c->rows += run->rows;
        }
    }
    return TN_OK;
}

// Values along the axis ---------------------------------------------------------------------------

static bool is_any_finite(long n, const double *x)
{
    for (long i = 0; i < n; i++)
        if (isfinite(x[i]))
            return true;
    return false;
}

// Values of a channel of another run at the times of the rows of a curve.
static tn_status read_other(const tn_plot_curves *c, const char *option, const tn_plot_run *own,
                            tn_plot_place at, double *out)
{
    const tn_plot_run *other = at.run;
    const long n = own->end - own->first;
    TN_TRY(tn_plot_values_at(&c->runs, at, n, own->time + own->first, out));
    return is_any_finite(n, out)
               ? TN_OK
               : tn_fail(TN_ERR_USAGE,
                         "%s: %s goes from %g to %g, and %s from %g to %g: they have no times in "
                         "common",
                         option, own->path, own->time[own->first], own->time[own->end - 1],
                         other->path, other->time[0], other->time[other->rows - 1]);
}

static tn_status read_along(tn_plot_curves *c, const tn_plot_options *o, tn_plot_curve *curve,
                            double *x)
{
    tn_plot_run *run = curve->at.run, *of = NULL;
    const char *name = NULL;
    curve->x_at = (tn_plot_place){run, TN_PLOT_TIME};
    if (o->x) {
        TN_TRY(tn_plot_split(&c->runs, o->x, &of, &name));
        curve->x_at.run = of ? of : run;
        TN_TRY(tn_plot_find_in(&c->runs, curve->x_at.run, name, &curve->x_at.channel));
    }
    const long n = run->end - run->first;
    TN_TRY(curve->x_at.run != run ? read_other(c, "--x", run, curve->x_at, x)
                                  : tn_plot_values(&c->runs, curve->x_at, run->first, n, x));
    double factor; // to the unit of the axis, which is that of the first curve
    TN_TRY(tn_plot_factor("--x: ", curve->x_at, c->curve.at[0].x_at, &factor));
    for (long i = 0; i < n; i++)
        x[i] *= factor;
    return TN_OK;
}

// Values up the axis ------------------------------------------------------------------------------

static tn_status subtract_reference(tn_plot_curves *c, tn_plot_curve *curve, long n, double *y)
{
    const bool own = curve->minus != NULL;
    tn_plot_place other = {.run = own ? curve->minus : c->reference};
    double factor;
    TN_TRY(tn_plot_find_in(&c->runs, other.run, tn_plot_place_name(curve->at), &other.channel));
    TN_TRY(tn_plot_factor("--difference: ", other, curve->at, &factor));
    double *reference = tn_alloc((size_t)n * sizeof(double));
    tn_status s = tn_got(reference);
    TN_THEN(s, read_other(c, "--difference", curve->at.run, other, reference));
    for (long i = 0; s == TN_OK && i < n; i++)
        y[i] = (y[i] - factor * reference[i]) * (own ? curve->sign : 1.0);
    tn_free(reference);
    return s;
}

static tn_status read_up(tn_plot_curves *c, const tn_plot_options *o, tn_plot_curve *curve,
                         double *y)
{
    const tn_plot_run *run = curve->at.run;
    const long n = run->end - run->first;
    TN_TRY(tn_plot_values(&c->runs, curve->at, run->first, n, y));
    if (c->reference || curve->minus)
        TN_TRY(subtract_reference(c, curve, n, y));
    for (long i = 0; o->absolute && i < n; i++)
        y[i] = fabs(y[i]);
    return TN_OK;
}

// Counts, and makes gaps of what has no place on a log axis.
static void place_points(tn_plot_curve *curve, const tn_plot_options *o, long n)
{
    curve->count = n;
    for (long i = 0; i < n; i++) {
        double *x = &curve->x[i], *y = &curve->y[i];
        const bool lost = o->log && isfinite(*y) && *y <= 0.0;
        const bool lost_x = o->log_x && isfinite(*x) && *x <= 0.0;
        curve->numbers += isfinite(*y) && isfinite(*x);
        curve->unplaced += lost;
        curve->unplaced_x += lost_x;
        curve->shown += isfinite(*y) && isfinite(*x) && !lost && !lost_x;
        if (lost || lost_x)
            *y = NAN;
    }
}

static void thin_curve(tn_plot_curve *curve, double from, double to, int columns)
{
    curve->n = tn_plot_thin(curve->n, curve->x, curve->y, from, to, columns);
    const size_t left = (size_t)(curve->n > 0 ? curve->n : 1) * sizeof(double);
    double *x = tn_resize(curve->x, left), *y = tn_resize(curve->y, left);
    curve->x = x ? x : curve->x; // a block that cannot shrink stays as it is
    curve->y = y ? y : curve->y;
}

static tn_status read_curve(tn_plot_curves *c, const tn_plot_options *o, tn_plot_curve *curve,
                            int columns)
{
    const tn_plot_run *run = curve->at.run;
    const long n = run->end - run->first;
    curve->x = tn_alloc((size_t)n * sizeof(double));
    curve->y = tn_alloc((size_t)n * sizeof(double));
    if (!curve->x || !curve->y)
        return tn_fail(TN_ERR_MEMORY, "no memory for %ld rows; choose fewer with --from and --to",
                       n);
    TN_TRY(read_up(c, o, curve, curve->y));
    TN_TRY(read_along(c, o, curve, curve->x));
    place_points(curve, o, n);
    curve->n = (int)n;
    // Columns are those of the picture where time goes along on a linear axis; curves that go to
    // and fro are thinned when they are drawn.
    if (n > columns && c->to > c->from && run->sorted && !o->x && !o->log_x && !o->points)
        thin_curve(curve, c->from, c->to, columns);
    return TN_OK;
}

static tn_status find_reference(tn_plot_curves *c, const tn_plot_options *o)
{
    if (!o->difference)
        return TN_OK;
    TN_TRY(tn_plot_runs_add(&c->runs, o->difference, false, &c->reference));
    for (int i = 0; i < c->curve.count; i++)
        if (c->curve.at[i].at.run == c->reference)
            return tn_fail(TN_ERR_USAGE,
                           "--difference %s: its difference to itself is zero; name other runs "
                           "to draw",
                           o->difference);
    return TN_OK;
}

// Differences of two runs -------------------------------------------------------------------------

// The two results of runs that are drawn; tables have no rows that would belong together.
static bool find_two(tn_plot_curves *c, const tn_plot_options *o)
{
    int n = 0;
    if (!o->differences || o->difference || o->x || o->log || o->log_x || o->points)
        return false;
    for (int i = 0; i < c->runs.run.count; i++) {
        tn_plot_run *run = c->runs.run.at[i];
        if (!run->listed || run->about->is_table || n == 2)
            return false;
        c->two[n++] = run;
    }
    return n == 2;
}

static bool have_times_in_common(const tn_plot_curves *c)
{
    const tn_plot_run *a = c->two[0], *b = c->two[1];
    return a->sorted && b->sorted && a->time[0] < b->time[b->rows - 1] &&
           b->time[0] < a->time[a->rows - 1];
}

static tn_status add_difference(tn_plot_curves *c, const tn_plot_options *o, tn_plot_place at)
{
    tn_plot_run *const *run = c->two, *other = at.run == run[0] ? run[1] : run[0];
    const char *name = tn_plot_place_name(at);
    const bool fine = other->rows > at.run->rows;
    int channel = -1;
    if (tn_plot_find_in(&c->runs, other, name, &channel) != TN_OK) {
        tn_clear_error();
        tn_tell(o->teller, "%s has no channel '%s': there is no difference", other->path, name);
        return TN_OK;
    }
    if (at.run == run[1])
        return TN_OK; // reported for the first already
    const tn_plot_curve curve = {.at = fine ? (tn_plot_place){other, channel} : at,
                                 .minus = fine ? at.run : other,
                                 .sign = fine ? -1.0 : 1.0,
                                 .order = c->curve.count};
    c->ndifference++;
    return tn_array_push(&c->curve, curve);
}

tn_status tn_plot_add_differences(tn_plot_curves *c, const tn_plot_options *o)
{
    const int plain = c->curve.count;
    tn_plot_run *const *run = c->two;
    if (!find_two(c, o))
        return TN_OK;
    TN_TRY(tn_plot_times(&c->runs, run[0]));
    TN_TRY(tn_plot_times(&c->runs, run[1]));
    if (!have_times_in_common(c)) {
        tn_tell(o->teller, "%s and %s have no times in common: there is no difference",
                run[0]->path, run[1]->path);
        return TN_OK;
    }
    for (int i = 0; i < plain; i++)
        TN_TRY(add_difference(c, o, c->curve.at[i].at));
    return TN_OK;
}

tn_status tn_plot_read_curves(tn_plot_curves *c, const tn_plot_options *o, int width)
{
    TN_TRY(find_reference(c, o));
    TN_TRY(choose_time(c, o));
    TN_TRY(choose_rows(c, o));
    for (int i = 0; i < c->curve.count; i++)
        TN_TRY(read_curve(c, o, &c->curve.at[i], COLUMNS_PER_PIXEL * width));
    return TN_OK;
}
