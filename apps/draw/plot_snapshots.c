// SPDX-License-Identifier: MIT
//
// The mechanism at several times in one picture, projected onto a plane: early ones pale, later
// ones darker and over them, and the ways of points over the whole run as thin lines.

#include "base/pool.h"
#include "draw/plot_parts.h"
#include "draw/plot_scene.h"
#include "text/notes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 12, DISC = 16, TURNS = 6, MOST_WAY = 20000 };

static const double PALE = 0.25;        // how much of its colour the first one has
static const double OPACITY = 0.35;     // of areas
static const double COIL_WIDTH = 0.012; // of the size of the model
static const double LINE = 2.4, EDGE = 1.2, THIN = 1.0, WAY = 0.9;
static const unsigned WHITE = 0xffffff, LEGEND = 0x333333, PATH = 0x777777;

// Snapshot that is drawn for a requested time.
typedef struct {
    double asked, time;
    long row;
    int given; // its place among those asked for
} shot;

typedef struct {
    tn_result *result;
    const tn_plot_options *options;
    tn_plot_scene scene;
    tn_pool pool;   // of all that is below but the list of series
    int axis[2];    // of space, along x and y of the picture
    int nbody;      // without the ground
    tn_frame *pose; // ground first
    double *row;    // of positions, then of quaternions
    double *corner; // of a piece as it is seen, and room to sort
    TN_ARRAY(tn_plot_series) series;
    shot *shots; // early ones first
    int n;
    long rows;
    double *time; // rows
} snapshots;

// A part of a colour, the rest white.
static unsigned mix(unsigned color, double part)
{
    unsigned out = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const double full = (double)(color >> shift & 255), white = 255.0;
        out |= (unsigned)lround(white + part * (full - white)) << shift;
    }
    return out;
}

// Pieces ------------------------------------------------------------------------------------------

static tn_status add_series(snapshots *s, tn_plot_paint paint, const char *label, int n,
                            const double *corner)
{
    tn_plot_paint *own = tn_pool_take(&s->pool, sizeof *own);
    double *x = tn_pool_take(&s->pool, (size_t)(2 * n + 1) * sizeof *x);
    TN_TRY(tn_got(own && x));
    *own = paint;
    for (int i = 0; i < n && corner; i++) {
        x[i] = corner[2 * i];
        x[n + i] = corner[2 * i + 1];
    }
    const tn_plot_series series = {
        .label = label, .n = n, .x = x, .y = x + n, .line = true, .paint = own};
    return tn_array_push(&s->series, series);
}

static tn_vec3 place_of(const snapshots *s, tn_piece_point point)
{
    const tn_frame *f = &s->pose[point.body];
    return tn_v3_add(f->p, tn_m3_apply(f->R, point.at));
}

static void see(const snapshots *s, tn_piece_point point, double *x, double *y)
{
    const tn_vec3 at = place_of(s, point);
    *x = (&at.x)[s->axis[0]];
    *y = (&at.x)[s->axis[1]];
}

static int by_place(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return p[0] < q[0] ? -1 : p[0] > q[0] ? 1 : p[1] < q[1] ? -1 : p[1] > q[1];
}

static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The corners of the convex hull of n points (x, y), the first one again at the end; returns how
// many. Andrew's monotone chain: below from left to right, above back again.
static int hull_of(int n, double *points, double *hull)
{
    int m = 0;
    qsort(points, (size_t)n, 2 * sizeof(double), by_place);
    for (int pass = 0; pass < 2; pass++) {
        const int least = m + 1 + (pass == 0);
        for (int k = pass == 0 ? 0 : n - 2; k >= 0 && k < n; k += pass == 0 ? 1 : -1) {
            while (m >= least && turn(hull + 2 * (m - 2), hull + 2 * (m - 1), points + 2 * k) <= 0)
                m--;
            memcpy(hull + 2 * m++, points + 2 * k, 2 * sizeof(double));
        }
    }
    return m;
}

// A circle around the point that is there.
static int disc_of(double radius, double *at)
{
    const double x = at[0], y = at[1];
    for (int i = 0; i <= DISC; i++) {
        const double angle = 2.0 * acos(-1.0) * i / DISC;
        at[2 * i] = x + radius * cos(angle);
        at[2 * i + 1] = y + radius * sin(angle);
    }
    return DISC + 1;
}

// A zigzag between the two points that are there, straight at its ends.
static int coil_of(double width, double *at)
{
    const double x = at[0], y = at[1], dx = at[2] - x, dy = at[3] - y, length = hypot(dx, dy);
    const double wide = length > 0.0 ? width / length : 0.0, lead = 0.2;
    const int last = 2 * TURNS;
    at[2 * (last + 2)] = at[2];
    at[2 * (last + 2) + 1] = at[3];
    for (int i = 0; i <= last; i++) {
        const double part = lead + (1.0 - 2.0 * lead) * i / last;
        const double side = i == 0 || i == last ? 0.0 : i % 2 ? wide : -wide;
        at[2 * (i + 1)] = x + part * dx - side * dy;
        at[2 * (i + 1) + 1] = y + part * dy + side * dx;
    }
    return last + 3;
}

static tn_status draw_piece(snapshots *s, const tn_piece *piece, double part)
{
    const unsigned color = mix(piece->color, part);
    tn_plot_paint paint = {.stroke = color,
                           .width = EDGE,
                           .fill = piece->joint ? WHITE : color,
                           .opacity = piece->form == TN_PIECE_DOT ? 1.0 : OPACITY};
    double *at = s->corner;
    int n = piece->n;
    for (int i = 0; i < n; i++)
        see(s, s->scene.point.at[piece->first + i], &at[2 * i], &at[2 * i + 1]);
    if (piece->form == TN_PIECE_DOT) {
        n = disc_of(piece->size, at);
    } else if (piece->form == TN_PIECE_COIL) {
        paint = (tn_plot_paint){.stroke = color, .width = THIN};
        n = coil_of(COIL_WIDTH * s->scene.size, at);
    } else if (piece->form == TN_PIECE_LINE) {
        paint = (tn_plot_paint){.stroke = color, .width = LINE};
    } else if (piece->form == TN_PIECE_HULL && n > 2) {
        at += 2 * n;
        n = hull_of(n, s->corner, at);
    } else if (piece->form == TN_PIECE_AREA && n > 0) {
        memcpy(at + 2 * n++, at, 2 * sizeof(double));
    }
    return add_series(s, paint, NULL, n, at);
}

// Rows --------------------------------------------------------------------------------------------

static tn_status read_poses(snapshots *s, long row)
{
    const int position = tn_result_dataset_find(s->result, "bodies/position");
    const int quaternion = tn_result_dataset_find(s->result, "bodies/quaternion");
    double *p = s->row, *e = s->row + 3 * s->nbody;
    TN_TRY(tn_result_read_rows(s->result, position, row, 1, p));
    TN_TRY(tn_result_read_rows(s->result, quaternion, row, 1, e));
    s->pose[0] = tn_frame_identity;
    for (int i = 0; i < s->nbody; i++)
        s->pose[i + 1] = (tn_frame){.p = tn_v3(p[3 * i], p[3 * i + 1], p[3 * i + 2]),
                                    .R = tn_quat_matrix(tn_quat_from(e + 4 * i))};
    return TN_OK;
}

// The row nearest to a time; times do not decrease.
static long nearest_row(long n, const double *time, double t)
{
    const long right = tn_count_up_to((int)n, time, t);
    if (right == 0 || right == n)
        return right == 0 ? 0 : n - 1;
    return t - time[right - 1] <= time[right] - t ? right - 1 : right;
}

static int by_time(const void *a, const void *b)
{
    const shot *p = a, *q = b;
    return p->row != q->row ? (p->row > q->row) - (p->row < q->row) : p->given - q->given;
}

// Finds the rows to draw and puts them in order, so that later ones are darker and over the others.
static tn_status choose_shots(snapshots *s, const double *at)
{
    const double first = s->time[0], last = s->time[s->rows - 1], slack = 1e-9 * (last - first);
    for (int i = 0; i < s->n; i++) {
        if (!(at[i] >= first - slack && at[i] <= last + slack))
            return tn_fail(TN_ERR_USAGE,
                           "--snapshots: %g s is no time of %s, which goes from %g s "
                           "to %g s",
                           at[i], tn_result_about(s->result)->named, first, last);
        const long row = nearest_row(s->rows, s->time, at[i]);
        s->shots[i] = (shot){.asked = at[i], .time = s->time[row], .row = row, .given = i};
    }
    qsort(s->shots, (size_t)s->n, sizeof(*s->shots), by_time);
    for (int i = 1; i < s->n; i++)
        if (s->shots[i].row == s->shots[i - 1].row)
            return tn_fail(TN_ERR_USAGE,
                           "--snapshots: for %g s and %g s the same row is drawn, that at %g s; "
                           "leave one of them out",
                           s->shots[i - 1].asked, s->shots[i].asked, s->shots[i].time);
    return TN_OK;
}

// The plane ---------------------------------------------------------------------------------------

// Measures the extent of everything along x, y and z, over all snapshots.
static tn_status measure(snapshots *s, double extent[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < s->n; i++) {
        TN_TRY(read_poses(s, s->shots[i].row));
        for (int k = 0; k < s->scene.point.count; k++) {
            const tn_vec3 at = place_of(s, s->scene.point.at[k]);
            for (int d = 0; d < 3; d++) {
                low[d] = fmin(low[d], (&at.x)[d]);
                high[d] = fmax(high[d], (&at.x)[d]);
            }
        }
    }
    for (int d = 0; d < 3; d++)
        extent[d] = high[d] > low[d] ? high[d] - low[d] : 0.0;
    return TN_OK;
}

// Returns the plane of planar models, the one across the shortest extent, else an upright one.
static const char *best_plane(const tn_plot_scene *scene, const double extent[3])
{
    static const char *const without[] = {"yz", "xz", "xy"};
    const double flat = 0.95; // of the middle extent: what is nearly as wide leaves the choice
    const tn_vec3 g = scene->gravity;
    int least = 2;
    for (int d = 1; d >= 0; d--)
        if (extent[d] < extent[least])
            least = d;
    const double middle = fmin(extent[(least + 1) % 3], extent[(least + 2) % 3]);
    if (scene->planar)
        return "xy";
    if (extent[least] < flat * middle)
        return without[least];
    return fabs(g.z) > fabs(g.y) && fabs(g.z) > fabs(g.x) ? "xz" : "xy";
}

static tn_status choose_plane(snapshots *s)
{
    const char *name = s->options->plane;
    double extent[3];
    if (!name) {
        TN_TRY(measure(s, extent));
        name = best_plane(&s->scene, extent);
    }
    if (strlen(name) != 2 || !strchr("xyz", name[0]) || !strchr("xyz", name[1]) ||
        name[0] == name[1])
        return tn_fail(TN_ERR_USAGE,
                       "--plane: expected two of x, y and z, for example xz, found '%s'", name);
    s->axis[0] = name[0] - 'x';
    s->axis[1] = name[1] - 'x';
    return TN_OK;
}

// The picture -------------------------------------------------------------------------------------

// Row by row for all ways: a series at a time would read each row again.
static tn_status draw_ways(snapshots *s)
{
    const tn_plot_options *o = s->options;
    const long every = s->rows / MOST_WAY + 1;
    tn_piece_point *way = tn_pool_take(&s->pool, (size_t)(o->npath + 1) * sizeof *way);
    int first = s->series.count, n = 0, k = 0;
    TN_TRY(tn_got(way));
    for (long row = 0; row < s->rows; row += every)
        n += !(s->time[row] < o->from || s->time[row] > o->to);
    for (int i = 0; i < o->npath; i++) {
        TN_TRY(tn_plot_scene_find(&s->scene, s->result, o->paths[i], &way[i]));
        TN_TRY(add_series(s, (tn_plot_paint){.stroke = PATH, .width = WAY}, NULL, n, NULL));
    }
    for (long row = 0; row < s->rows && o->npath > 0; row += every) {
        if (s->time[row] < o->from || s->time[row] > o->to)
            continue;
        TN_TRY(read_poses(s, row));
        for (int i = 0; i < o->npath; i++) {
            const tn_plot_series *series = &s->series.at[first + i];
            see(s, way[i], (double *)series->x + k, (double *)series->y + k);
        }
        k++;
    }
    return TN_OK;
}

// Joints that stand still are drawn last, over everything.
static tn_status draw_pieces(snapshots *s, bool still, bool joints, double part)
{
    for (int i = 0; i < s->scene.piece.count; i++) {
        const tn_piece *piece = &s->scene.piece.at[i];
        if (piece->still == still && (!still || piece->joint == joints))
            TN_TRY(draw_piece(s, piece, part));
    }
    return TN_OK;
}

static tn_status draw_shot(snapshots *s, int i)
{
    const shot *shown = &s->shots[i];
    const double part = s->n > 1 ? PALE + (1.0 - PALE) * i / (s->n - 1) : 1.0;
    char text[48];
    if (fabs(shown->time - shown->asked) > 1e-6 * (s->time[s->rows - 1] - s->time[0]))
        tn_tell(s->options->teller, "--snapshots: there is no row at %g s; that at %g s is drawn",
                shown->asked, shown->time);
    TN_TRY(read_poses(s, shown->row));
    TN_TRY(draw_pieces(s, false, false, part));
    if (s->n > MOST_LABELS || s->n == 1)
        return TN_OK;
    snprintf(text, sizeof text, "t = %g s", shown->time);
    const char *label = s->options->nlabel > 0 ? s->options->labels[shown->given] : text;
    label = tn_pool_text(&s->pool, label, strlen(label));
    TN_TRY(tn_got(label));
    // A sample for the legend, without points.
    return add_series(s, (tn_plot_paint){.stroke = mix(LEGEND, part), .width = LINE}, label, 0,
                      NULL);
}

static tn_status draw_all(snapshots *s)
{
    TN_TRY(choose_plane(s));
    TN_TRY(read_poses(s, 0));
    TN_TRY(draw_pieces(s, true, false, 1.0));
    TN_TRY(draw_ways(s));
    for (int i = 0; i < s->n; i++)
        TN_TRY(draw_shot(s, i));
    return draw_pieces(s, true, true, 1.0);
}

static tn_status write_picture(const snapshots *s, const char *path, tn_plotted *out)
{
    static const char *const names[] = {"x", "y", "z"};
    const tn_plot_options *o = s->options;
    const tn_plot_panel panel = {.y = {.label = o->y_label ? o->y_label : names[s->axis[1]],
                                       .unit = o->y_label ? NULL : "m"},
                                 .nseries = s->series.count,
                                 .series = s->series.at};
    tn_plot plot = {.x = {.label = o->x_label ? o->x_label : names[s->axis[0]],
                          .unit = o->x_label ? NULL : "m"},
                    .npanel = 1,
                    .panels = &panel,
                    .title = o->title,
                    .width = o->width,
                    .height = o->height,
                    .equal = true,
                    .roomy = true};
    tn_plot_format format;
    TN_TRY(tn_plot_format_of(path, &format));
    plot.usual_height = tn_plot_equal_height(&panel);
    tn_plot_size(&plot, format, &out->width, &out->height);
    const tn_status status = tn_plot_write(&plot, path);
    return status == TN_ERR_FILE ? TN_ERR_USAGE : status; // where to write is said by who calls
}

static tn_status make_room(snapshots *s)
{
    const int position = tn_result_dataset_find(s->result, "bodies/position");
    int most = 1;
    s->nbody = tn_result_dataset_at(s->result, position)->width / 3;
    for (int i = 0; i < s->scene.piece.count; i++)
        most = tn_larger(most, s->scene.piece.at[i].n);
    s->pose = tn_pool_take(&s->pool, (size_t)(s->nbody + 1) * sizeof(*s->pose));
    s->row = tn_pool_take(&s->pool, (size_t)(7 * s->nbody + 1) * sizeof(double));
    s->corner = tn_pool_take(&s->pool, (size_t)(6 * most + 2 * DISC + 8) * sizeof(double));
    s->shots = tn_pool_take(&s->pool, (size_t)s->n * sizeof(*s->shots));
    s->time = tn_pool_take(&s->pool, (size_t)s->rows * sizeof(double));
    TN_TRY(tn_got(s->pose && s->row && s->corner && s->shots && s->time));
    return tn_result_time(s->result, 0, s->rows, s->time);
}

static tn_status list_shots(const snapshots *s, tn_plotted *out)
{
    out->times = tn_alloc((size_t)s->n * sizeof(double));
    TN_TRY(tn_got(out->times));
    for (int i = 0; i < s->n; i++)
        out->times[i] = s->shots[i].time;
    out->rows = s->n;
    out->from = out->times[0];
    out->to = out->times[s->n - 1];
    out->timed = true;
    out->nrun = 1;
    return TN_OK;
}

static tn_status draw_snapshots(snapshots *s, const double *at, const char *path, tn_plotted *out)
{
    s->rows = tn_result_rows(s->result);
    if (s->n < 1)
        return tn_fail(TN_ERR_USAGE, "--snapshots: at which times?");
    if (s->options->nlabel > 0 && s->options->nlabel != s->n)
        return tn_fail(TN_ERR_USAGE, "--labels: %d were given, but there are %d snapshots",
                       s->options->nlabel, s->n);
    if (s->rows == 0 || s->rows > INT_MAX / 2)
        return tn_fail(TN_ERR_FILE, "%s has %ld rows: there is nothing to plot",
                       tn_result_about(s->result)->path, s->rows);
    TN_TRY(tn_plot_scene_read(s->result, &s->scene));
    TN_TRY(make_room(s));
    TN_TRY(choose_shots(s, at));
    TN_TRY(draw_all(s));
    TN_TRY(write_picture(s, path, out));
    return list_shots(s, out);
}

tn_status tn_result_snapshots(tn_result *result, int n, const double *times,
                              const tn_plot_options *options, const char *path, tn_plotted *out)
{
    const tn_plot_options usual = tn_default_plot();
    tn_plotted drawn = {0};
    tn_plot_format format;
    TN_NEED_ALL(TN_ERR_USAGE, result, times, path);
    TN_TRY(tn_plot_format_of(path, &format));
    snapshots s = {.result = result, .n = n, .options = options ? options : &usual};
    const tn_status status = draw_snapshots(&s, times, path, &drawn);
    tn_plot_scene_free(&s.scene);
    tn_array_free(&s.series);
    tn_pool_clear(&s.pool);
    if (status == TN_OK && out)
        *out = drawn;
    else
        tn_plotted_free(&drawn);
    return status;
}
