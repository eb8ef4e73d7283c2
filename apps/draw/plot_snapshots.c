// SPDX-License-Identifier: MIT
//
// The mechanism at several times in one picture, projected onto a plane: early ones pale, later
// ones darker and over them, and the ways of points over the whole run as thin lines.

#include "base/notes.h"
#include "draw/plot_parts.h"
#include "draw/plot_scene.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_SIZE = 48, MOST_LABELS = 12, DISC = 16, TURNS = 6, MOST_WAY = 20000 };

static const double PALE = 0.25;        // how much of its colour the first one has
static const double OPACITY = 0.35;     // of areas
static const double COIL_WIDTH = 0.012; // of the size of the model
static const double LINE = 2.4, EDGE = 1.2, THIN = 1.0, WAY = 0.9;
static const unsigned WHITE = 0xffffff, LEGEND = 0x333333, PATH = 0x777777;

typedef struct {
    int first, n; // numbers in xy
    int paint;
    const char *label;
} snap_series;

// What is drawn for a time that was asked for.
typedef struct {
    double asked, time;
    long row;
    int given; // its place among those asked for
} shot;

typedef struct {
    tn_result *result;
    tn_plot_scene scene;
    int axis[2];         // of space, along x and y of the picture
    int nbody;           // without the ground
    tn_frame *pose;      // ground first
    double *row;         // of positions, then of quaternions
    tn_piece_point *way; // points whose ways are drawn
    TN_ARRAY(double) x;
    TN_ARRAY(double) y;
    TN_ARRAY(snap_series) series;
    TN_ARRAY(tn_plot_paint) paint;
    double *corner; // of a piece as it is seen, and room to sort
    tn_plot_series *drawn;
    char (*label)[LABEL_SIZE];
    shot *shots; // early ones first
    int n;
} snapshots;

static void free_snapshots(snapshots *s)
{
    tn_plot_scene_free(&s->scene);
    TN_FREE(s->pose, s->row, s->way, s->corner, s->drawn, s->label, s->shots);
    tn_array_free(&s->x);
    tn_array_free(&s->y);
    tn_array_free(&s->series);
    tn_array_free(&s->paint);
}

// Colours -----------------------------------------------------------------------------------------

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

// Points ------------------------------------------------------------------------------------------

static tn_status begin_series(snapshots *s, tn_plot_paint paint, const char *label)
{
    TN_TRY(tn_array_push(&s->paint, paint));
    const snap_series series = {.first = s->x.count, .paint = s->paint.count - 1, .label = label};
    return tn_array_push(&s->series, series);
}

static tn_status put(snapshots *s, double x, double y)
{
    TN_TRY(tn_array_push(&s->x, x));
    TN_TRY(tn_array_push(&s->y, y));
    s->series.at[s->series.count - 1].n++;
    return TN_OK;
}

static tn_vec3 in_space(const snapshots *s, tn_piece_point point)
{
    const tn_frame *f = &s->pose[point.body];
    return tn_v3_add(f->p, tn_m3_apply(f->R, point.at));
}

static void see(const snapshots *s, tn_piece_point point, double *x, double *y)
{
    const tn_vec3 p = in_space(s, point);
    const double at[3] = {p.x, p.y, p.z};
    *x = at[s->axis[0]];
    *y = at[s->axis[1]];
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

// Pieces ------------------------------------------------------------------------------------------

static tn_status put_disc(snapshots *s, const tn_piece *piece)
{
    double x, y;
    see(s, s->scene.point.at[piece->first], &x, &y);
    for (int i = 0; i <= DISC; i++) {
        const double angle = 2.0 * acos(-1.0) * i / DISC;
        TN_TRY(put(s, x + piece->size * cos(angle), y + piece->size * sin(angle)));
    }
    return TN_OK;
}

// A zigzag between two points, straight at its ends.
static tn_status put_coil(snapshots *s, const tn_piece *piece)
{
    double x[2], y[2];
    for (int i = 0; i < 2; i++)
        see(s, s->scene.point.at[piece->first + i], &x[i], &y[i]);
    const double dx = x[1] - x[0], dy = y[1] - y[0], length = hypot(dx, dy);
    const double wide = length > 0.0 ? COIL_WIDTH * s->scene.size / length : 0.0, lead = 0.2;
    TN_TRY(put(s, x[0], y[0]));
    for (int i = 0; i <= 2 * TURNS; i++) {
        const double part = lead + (1.0 - 2.0 * lead) * i / (2 * TURNS);
        const double side = i == 0 || i == 2 * TURNS ? 0.0 : i % 2 ? wide : -wide;
        TN_TRY(put(s, x[0] + part * dx - side * dy, y[0] + part * dy + side * dx));
    }
    return put(s, x[1], y[1]);
}

static tn_status put_points(snapshots *s, const tn_piece *piece)
{
    int n = piece->n;
    double *at = s->corner, *hull = s->corner + 2 * n;
    for (int i = 0; i < n; i++)
        see(s, s->scene.point.at[piece->first + i], &at[2 * i], &at[2 * i + 1]);
    if (piece->form == TN_PIECE_HULL && n > 2) {
        n = hull_of(n, at, hull);
        at = hull;
    }
    for (int i = 0; i < n; i++)
        TN_TRY(put(s, at[2 * i], at[2 * i + 1]));
    return piece->form == TN_PIECE_AREA && n > 0 ? put(s, at[0], at[1]) : TN_OK;
}

static tn_status draw_piece(snapshots *s, const tn_piece *piece, double part)
{
    const unsigned color = mix(piece->color, part);
    tn_plot_paint paint = {.stroke = color, .width = EDGE, .fill = color, .opacity = OPACITY};
    switch (piece->form) {
    case TN_PIECE_DOT:
        paint.fill = piece->joint ? WHITE : color;
        paint.opacity = 1.0;
        TN_TRY(begin_series(s, paint, NULL));
        return put_disc(s, piece);
    case TN_PIECE_COIL:
        TN_TRY(begin_series(s, (tn_plot_paint){.stroke = color, .width = THIN}, NULL));
        return put_coil(s, piece);
    case TN_PIECE_LINE:
        TN_TRY(begin_series(s, (tn_plot_paint){.stroke = color, .width = LINE}, NULL));
        return put_points(s, piece);
    default:
        TN_TRY(begin_series(s, paint, NULL));
        return put_points(s, piece);
    }
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
static tn_status choose_shots(snapshots *s, long rows, const double *time, const double *at)
{
    const double slack = 1e-9 * (time[rows - 1] - time[0]);
    for (int i = 0; i < s->n; i++)
        if (!(at[i] >= time[0] - slack && at[i] <= time[rows - 1] + slack))
            return tn_fail(TN_ERR_USAGE,
                           "--snapshots: %g s is no time of %s, which goes from %g s "
                           "to %g s",
                           at[i], tn_result_about(s->result)->named, time[0], time[rows - 1]);
    for (int i = 0; i < s->n; i++) {
        const long row = nearest_row(rows, time, at[i]);
        s->shots[i] = (shot){.asked = at[i], .time = time[row], .row = row, .given = i};
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

// How far everything goes along x, y and z, over all snapshots.
static tn_status measure(snapshots *s, double extent[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < s->n; i++) {
        TN_TRY(read_poses(s, s->shots[i].row));
        for (int k = 0; k < s->scene.point.count; k++) {
            const tn_vec3 p = in_space(s, s->scene.point.at[k]);
            const double place[3] = {p.x, p.y, p.z};
            for (int d = 0; d < 3; d++) {
                low[d] = fmin(low[d], place[d]);
                high[d] = fmax(high[d], place[d]);
            }
        }
    }
    for (int d = 0; d < 3; d++)
        extent[d] = high[d] > low[d] ? high[d] - low[d] : 0.0;
    return TN_OK;
}

// That of planar models, the one across the shortest extent, else an upright one.
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

static tn_status choose_plane(snapshots *s, const tn_plot_options *o)
{
    const char *name = o->plane;
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

static bool is_between(const tn_plot_options *o, double t)
{
    return !(t < o->from || t > o->to);
}

static tn_status draw_ways(snapshots *s, const tn_plot_options *o, long rows, const double *time)
{
    const long every = rows / MOST_WAY + 1;
    const int first = s->series.count;
    for (int i = 0; i < o->npath; i++) {
        TN_TRY(tn_plot_scene_find(s->result, o->paths[i], &s->way[i]));
        TN_TRY(begin_series(s, (tn_plot_paint){.stroke = PATH, .width = WAY}, NULL));
    }
    if (o->npath == 0)
        return TN_OK;
    // Row by row for all of them: a series at a time would read each row again.
    const int begin = s->x.count;
    int n = 0, k = 0;
    for (long row = 0; row < rows; row += every)
        n += is_between(o, time[row]);
    for (int i = 0; i < n * o->npath; i++) {
        TN_TRY(tn_array_push(&s->x, 0.0));
        TN_TRY(tn_array_push(&s->y, 0.0));
    }
    for (long row = 0; row < rows; row += every) {
        if (!is_between(o, time[row]))
            continue;
        TN_TRY(read_poses(s, row));
        for (int i = 0; i < o->npath; i++)
            see(s, s->way[i], &s->x.at[begin + i * n + k], &s->y.at[begin + i * n + k]);
        k++;
    }
    for (int i = 0; i < o->npath; i++) {
        s->series.at[first + i].first = begin + i * n;
        s->series.at[first + i].n = n;
    }
    return TN_OK;
}

static tn_status draw_still(snapshots *s, bool joints)
{
    for (int i = 0; i < s->scene.piece.count; i++)
        if (s->scene.piece.at[i].still && s->scene.piece.at[i].joint == joints)
            TN_TRY(draw_piece(s, &s->scene.piece.at[i], 1.0));
    return TN_OK;
}

static tn_status draw_snapshot(snapshots *s, long row, double part)
{
    TN_TRY(read_poses(s, row));
    for (int i = 0; i < s->scene.piece.count; i++)
        if (!s->scene.piece.at[i].still)
            TN_TRY(draw_piece(s, &s->scene.piece.at[i], part));
    return TN_OK;
}

static tn_status draw_all(snapshots *s, const double *at, const tn_plot_options *o, long rows,
                          const double *time)
{
    const int n = s->n;
    TN_TRY(choose_shots(s, rows, time, at));
    TN_TRY(choose_plane(s, o));
    TN_TRY(read_poses(s, 0));
    TN_TRY(draw_still(s, false));
    TN_TRY(draw_ways(s, o, rows, time));
    for (int i = 0; i < n; i++) {
        const shot *shown = &s->shots[i];
        const double part = n > 1 ? PALE + (1.0 - PALE) * i / (n - 1) : 1.0;
        if (fabs(shown->time - shown->asked) > 1e-6 * (time[rows - 1] - time[0]))
            tn_tell(o->teller, "--snapshots: there is no row at %g s; that at %g s is drawn",
                    shown->asked, shown->time);
        TN_TRY(draw_snapshot(s, shown->row, part));
        if (o->nlabel == n)
            snprintf(s->label[i], LABEL_SIZE, "%s", o->labels[shown->given]);
        else
            snprintf(s->label[i], LABEL_SIZE, "t = %g s", shown->time);
        if (n <= MOST_LABELS && n > 1) // a sample for the legend, without points
            TN_TRY(begin_series(s, (tn_plot_paint){.stroke = mix(LEGEND, part), .width = LINE},
                                s->label[i]));
    }
    return draw_still(s, true);
}

static int height_for(const snapshots *s)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < s->x.count; i++) {
        low[0] = fmin(low[0], s->x.at[i]);
        high[0] = fmax(high[0], s->x.at[i]);
        low[1] = fmin(low[1], s->y.at[i]);
        high[1] = fmax(high[1], s->y.at[i]);
    }
    return tn_plot_equal_height(high[0] - low[0], high[1] - low[1]);
}

static tn_status write_picture(snapshots *s, const tn_plot_options *o, const char *path,
                               tn_plotted *out)
{
    static const char *const names[] = {"x", "y", "z"};
    tn_plot_panel panel = {.y = {.label = o->y_label ? o->y_label : names[s->axis[1]],
                                 .unit = o->y_label ? NULL : "m"},
                           .nseries = s->series.count};
    tn_plot plot = {.x = {.label = o->x_label ? o->x_label : names[s->axis[0]],
                          .unit = o->x_label ? NULL : "m"},
                    .npanel = 1,
                    .panels = &panel,
                    .title = o->title,
                    .width = o->width,
                    .height = o->height,
                    .usual_height = height_for(s),
                    .equal = true,
                    .roomy = true};
    tn_plot_format format;
    TN_TRY(tn_plot_format_of(path, &format));
    s->drawn = tn_alloc((size_t)(s->series.count + 1) * sizeof(*s->drawn));
    TN_TRY(tn_got(s->drawn));
    for (int i = 0; i < s->series.count; i++) {
        const snap_series *from = &s->series.at[i];
        s->drawn[i] = (tn_plot_series){.label = from->label,
                                       .n = from->n,
                                       .x = s->x.at ? s->x.at + from->first : NULL,
                                       .y = s->y.at ? s->y.at + from->first : NULL,
                                       .line = true,
                                       .paint = &s->paint.at[from->paint]};
    }
    panel.series = s->drawn;
    tn_plot_size(&plot, format, &out->width, &out->height);
    const tn_status status = tn_plot_write(&plot, path);
    return status == TN_ERR_FILE ? TN_ERR_USAGE : status; // where to write is said by who calls
}

static tn_status make_room(snapshots *s, const tn_plot_options *o)
{
    const int position = tn_result_dataset_find(s->result, "bodies/position");
    int most = 1;
    s->nbody = tn_result_dataset_at(s->result, position)->width / 3;
    for (int i = 0; i < s->scene.piece.count; i++)
        most = tn_larger(most, s->scene.piece.at[i].n);
    s->pose = tn_alloc((size_t)(s->nbody + 1) * sizeof(*s->pose));
    s->row = tn_alloc((size_t)(7 * s->nbody + 1) * sizeof(double));
    s->way = tn_alloc((size_t)(o->npath + 1) * sizeof(*s->way));
    s->corner = tn_alloc((size_t)(6 * most + 8) * sizeof(double));
    s->label = tn_alloc((size_t)(s->n + 1) * sizeof(*s->label));
    s->shots = tn_alloc((size_t)(s->n + 1) * sizeof(*s->shots));
    return tn_got(s->pose && s->row && s->way && s->corner && s->label && s->shots);
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

static tn_status draw_snapshots(snapshots *s, const double *at, const tn_plot_options *o,
                                const char *path, tn_plotted *out)
{
    const int n = s->n;
    const long rows = tn_result_rows(s->result);
    if (n < 1)
        return tn_fail(TN_ERR_USAGE, "--snapshots: at which times?");
    if (o->nlabel > 0 && o->nlabel != n)
        return tn_fail(TN_ERR_USAGE, "--labels: %d were given, but there are %d snapshots",
                       o->nlabel, n);
    if (rows == 0 || rows > INT_MAX / 2)
        return tn_fail(TN_ERR_FILE, "%s has %ld rows: there is nothing to plot",
                       tn_result_about(s->result)->path, rows);
    TN_TRY(tn_plot_scene_read(s->result, &s->scene));
    TN_TRY(make_room(s, o));
    double *time = tn_alloc((size_t)rows * sizeof(double));
    tn_status status = tn_got(time);
    TN_THEN(status, tn_result_time(s->result, 0, rows, time));
    TN_THEN(status, draw_all(s, at, o, rows, time));
    tn_free(time);
    TN_THEN(status, write_picture(s, o, path, out));
    TN_THEN(status, list_shots(s, out));
    return status;
}

tn_status tn_result_snapshots(tn_result *result, int n, const double *times,
                              const tn_plot_options *options, const char *path, tn_plotted *out)
{
    const tn_plot_options usual = tn_default_plot(), *o = options ? options : &usual;
    tn_plotted drawn = {0};
    tn_plot_format format;
    TN_NEED_ALL(TN_ERR_USAGE, result, times, path);
    TN_TRY(tn_plot_format_of(path, &format));
    snapshots s = {.result = result, .n = n};
    const tn_status status = draw_snapshots(&s, times, o, path, &drawn);
    free_snapshots(&s);
    if (status == TN_OK && out)
        *out = drawn;
    else
        tn_plotted_free(&drawn);
    return status;
}
