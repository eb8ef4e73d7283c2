// SPDX-License-Identifier: MIT
//
// Nodes along the line of a beam: their distances s from its start, and frames whose z axis is
// tangent to it. The x axis is carried along without turning about the tangent: from one tangent to
// the next it turns about their normal alone.
//
// A line is a function c(a). Its length is taken by Gauss's rule of four points on panels, which
// end at the points of a spline, and the a of a distance s is found by Newton's method in the panel
// that holds it.

#include "flex/beam.h"

#include "base/array.h"
#include "base/status.h"
#include "contact/locus.h"
#include "model/model.h"
#include "signal/quintic.h"

#include <math.h>
#include <stdlib.h>

enum {
    PANELS = 256,  // of a line
    PER_PIECE = 8, // of a piece of a spline
    STEPS = 16     // between neighbours on the way of the x axis
};
static const double SAME_POINT = 1e-9; // of neighbours, relative to the farthest two

typedef struct line {
    tn_line_kind kind;
    tn_vec3 from, along;     // straight: unit vector
    tn_vec3 centre, u, v;    // arc: c = centre + radius (cos u + sin v)
    double radius;           //
    tn_locus curve;          // expressions
    tn_quintic_curve spline; // through points
    double a0, a1;           // its ends
    int panels;              //
    double *place;           // panels + 1: a at their ends
    double *length;          // panels + 1: from the start on
} line;

static tn_vec3 unit(tn_vec3 a)
{
    return tn_v3_scale(1.0 / tn_v3_norm(a), a);
}

static void line_at(const line *l, double a, tn_vec3 *c, tn_vec3 *d)
{
    *c = *d = (tn_vec3){0};
    switch (l->kind) {
    case TN_LINE_STRAIGHT:
        *c = tn_v3_axpy(a, l->along, l->from);
        *d = l->along;
        break;
    case TN_LINE_ARC: {
        const double turn = a / l->radius, x = cos(turn), y = sin(turn);
        const tn_vec3 out = tn_v3_add(tn_v3_scale(x, l->u), tn_v3_scale(y, l->v));
        *c = tn_v3_axpy(l->radius, out, l->centre);
        *d = tn_v3_add(tn_v3_scale(-y, l->u), tn_v3_scale(x, l->v));
        break;
    }
    case TN_LINE_CURVE: {
        const tn_locus_at at = tn_locus_eval(&l->curve, &a);
        *c = at.c;
        *d = at.d[0];
        break;
    }
    case TN_LINE_SPLINE: {
        double u[3][3];
        tn_quintic_at(&l->spline, a, u);
        *c = tn_v3(u[0][0], u[1][0], u[2][0]);
        *d = tn_v3(u[0][1], u[1][1], u[2][1]);
        break;
    }
    }
}

static double length_between(const line *l, double a, double b)
{
    static const double node[2] = {0.3399810435848563, 0.8611363115940526};
    static const double weight[2] = {0.6521451548625461, 0.3478548451374538};
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        const double at = 0.5 * (a + b) + 0.5 * (b - a) * (k % 2 ? node[k / 2] : -node[k / 2]);
        tn_vec3 c, d;
        line_at(l, at, &c, &d);
        sum += 0.5 * (b - a) * weight[k / 2] * tn_v3_norm(d);
    }
    return sum;
}

static double panel_end(const line *l, int k)
{
    const double *knot = l->spline.knot;
    const int piece = k / PER_PIECE, part = k % PER_PIECE;
    if (l->kind != TN_LINE_SPLINE)
        return l->a0 + (l->a1 - l->a0) * k / l->panels;
    return part == 0 ? knot[piece]
                     : knot[piece] + (knot[piece + 1] - knot[piece]) * part / PER_PIECE;
}

static tn_status measure(line *l)
{
    l->panels = l->kind == TN_LINE_SPLINE ? PER_PIECE * l->spline.pieces : PANELS;
    l->place = tn_alloc(2 * (size_t)(l->panels + 1) * sizeof *l->place);
    TN_TRY(tn_got(l->place));
    l->length = l->place + l->panels + 1;
    for (int k = 0; k <= l->panels; k++)
        l->place[k] = panel_end(l, k);
    for (int k = 0; k < l->panels; k++)
        l->length[k + 1] = l->length[k] + length_between(l, l->place[k], l->place[k + 1]);
    return TN_OK;
}

static double place_of(const line *l, double s)
{
    if (l->kind == TN_LINE_STRAIGHT || l->kind == TN_LINE_ARC)
        return s; // both run by their length
    const int up_to = tn_count_up_to(l->panels, l->length, s), k = up_to > 0 ? up_to - 1 : 0;
    const double start = l->place[k];
    double a = start;
    for (int n = 0; n < 20; n++) {
        tn_vec3 c, d;
        line_at(l, a, &c, &d);
        const double move = (s - l->length[k] - length_between(l, start, a)) / tn_v3_norm(d);
        a += move;
        if (fabs(move) < 1e-15 * (l->a1 - l->a0))
            break;
    }
    return fmin(fmax(a, l->a0), l->a1);
}

// Lines -------------------------------------------------------------------------------------------

static double distance(tn_vec3 a, tn_vec3 b)
{
    return tn_v3_norm(tn_v3_sub(a, b));
}

// The distance that points which differ have at least.
static double least_distance(const tn_beam_def *def)
{
    double most = 0.0;
    for (int i = 1; i < def->npoint; i++)
        most = fmax(most, distance(def->points[i], def->points[0]));
    return SAME_POINT * most;
}

static tn_status check_count(const tn_beam_def *def, const char *what)
{
    static const struct {
        int least;
        const char *needs;
    } lines[] = {
        {2, "a straight line needs 2; take 'line: spline' for one through more"},
        {3, "an arc needs 3: its start, a point on it, its end"},
        {0, "a curve is stated by 'x', 'y' and 'z' alone"},
        {3, "a spline needs 3 at least"},
    };
    const int least = lines[def->line].least;
    if (def->npoint == least || (def->line == TN_LINE_SPLINE && def->npoint > least))
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: points: there %s %d; %s", what,
                   def->npoint == 1 ? "is" : "are", def->npoint, lines[def->line].needs);
}

static tn_status check_points(const tn_beam_def *def, const char *what)
{
    const tn_vec3 *p = def->points;
    TN_TRY(check_count(def, what));
    for (int i = 0; i < def->npoint; i++)
        for (int j = 0; j < 3; j++)
            if (!isfinite((&p[i].x)[j]))
                return tn_fail(TN_ERR_MODEL, "%s: point %d of 'points' is not finite", what, i + 1);
    const double least = least_distance(def);
    for (int i = 1; i < def->npoint; i++)
        if (distance(p[i], p[i - 1]) <= least)
            return tn_fail(TN_ERR_MODEL,
                           "%s: points %d and %d of 'points' coincide at (%g, %g, %g); leave out "
                           "one of them, or move it",
                           what, i, i + 1, p[i].x, p[i].y, p[i].z);
    if (def->line == TN_LINE_ARC && distance(p[0], p[2]) <= least)
        return tn_fail(TN_ERR_MODEL,
                       "%s: points 1 and 3 of 'points' coincide at (%g, %g, %g), and no single "
                       "circle goes through the two that are left; end the arc before it closes, "
                       "or state a closed line by 'line: curve' or 'line: spline'",
                       what, p[0].x, p[0].y, p[0].z);
    return TN_OK;
}

static void make_straight(const tn_vec3 *p, line *out)
{
    const tn_vec3 d = tn_v3_sub(p[1], p[0]);
    out->from = p[0];
    out->along = unit(d);
    out->a1 = tn_v3_norm(d);
}

// The circle through three points: with a = p1 - p0, b = p2 - p0 and n = a x b its centre is
// p0 + (|a|^2 b x n - |b|^2 a x n) / (2 |n|^2), up to the sign of the order of factors.
static tn_status make_arc(const tn_vec3 *p, const char *what, line *out)
{
    const tn_vec3 a = tn_v3_sub(p[1], p[0]), b = tn_v3_sub(p[2], p[0]), n = tn_v3_cross(a, b);
    const double aa = tn_v3_dot(a, a), bb = tn_v3_dot(b, b), nn = tn_v3_dot(n, n);
    if (!(nn > 1e-18 * aa * bb))
        return tn_fail(TN_ERR_MODEL,
                       "%s: points: the three of its arc are on one line; move the second one, or "
                       "take a straight line",
                       what);
    const tn_vec3 sum =
        tn_v3_sub(tn_v3_scale(aa, tn_v3_cross(b, n)), tn_v3_scale(bb, tn_v3_cross(a, n)));
    const tn_vec3 to_centre = tn_v3_scale(0.5 / nn, sum);
    out->centre = tn_v3_add(p[0], to_centre);
    out->radius = tn_v3_norm(to_centre);
    out->u = tn_v3_scale(-1.0 / out->radius, to_centre);
    out->v = tn_v3_cross(unit(n), out->u); // from p0 by p1 to p2 the arc turns about n
    const tn_vec3 end = tn_v3_sub(p[2], out->centre);
    double turn = atan2(tn_v3_dot(end, out->v), tn_v3_dot(end, out->u));
    turn += turn < 0.0 ? 2.0 * 3.14159265358979323846 : 0.0;
    out->a1 = turn * out->radius;
    return TN_OK;
}

// The unit vector that an end goes along, or NULL where it is free.
static const double *direction_of(tn_vec3 given, double out[3])
{
    if (!(tn_v3_norm(given) > 0.0))
        return NULL;
    tn_v3_to(unit(given), out);
    return out;
}

// A spline whose last point is the first is closed.
static tn_status make_spline(const tn_beam_def *def, const char *what, line *out)
{
    enum { LEAST = 5 };
    double at[2][3];
    const double *const direction[2] = {direction_of(def->start_direction, at[0]),
                                        direction_of(def->end_direction, at[1])};
    const int n = def->npoint;
    const bool ring = distance(def->points[0], def->points[n - 1]) <= least_distance(def);
    const bool closed = ring && !direction[0] && !direction[1];
    if (closed && n - 1 < LEAST)
        return tn_fail(
            TN_ERR_MODEL,
            "%s: points: they close with %d points beside the last, which is the first; a "
            "closed spline needs %d at least",
            what, n - 1, LEAST);
    double *x = tn_alloc(3 * (size_t)n * sizeof *x);
    tn_status status = tn_got(x);
    for (int i = 0; x && i < 3 * n; i++)
        x[i] = (&def->points[i % n].x)[i / n];
    TN_THEN(status,
            tn_quintic_make(closed ? n - 1 : n, closed, 3,
                            (const double *const[]){x, x + n, x + 2 * n}, direction, &out->spline));
    tn_free(x);
    if (status == TN_RETRY_SINGULAR)
        return tn_fail(TN_ERR_MODEL,
                       "%s: points: their distances are too uneven for a spline; leave out "
                       "points that are close together",
                       what);
    TN_TRY(status);
    out->a1 = out->spline.knot[out->spline.pieces];
    return TN_OK;
}

static tn_status make_line(const tn_model *model, const tn_beam_def *def, const char *what,
                           line *out)
{
    out->kind = (tn_line_kind)def->line;
    TN_TRY(check_points(def, what));
    switch (out->kind) {
    case TN_LINE_STRAIGHT:
        make_straight(def->points, out);
        break;
    case TN_LINE_ARC:
        TN_TRY(make_arc(def->points, what, out));
        break;
    case TN_LINE_CURVE:
        TN_TRY(tn_locus_make(model, 1, &def->curve, what, "", &out->curve));
        out->a0 = out->curve.from[0];
        out->a1 = out->curve.to[0];
        break;
    case TN_LINE_SPLINE:
        TN_TRY(make_spline(def, what, out));
        break;
    }
    return measure(out);
}

// Nodes -------------------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static tn_status check_place(double s, double length, const char *key, const char *what)
{
    if (s >= -TN_SAME_PLACE * length && s <= (1.0 + TN_SAME_PLACE) * length)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: %s: s = %g m is not on the beam, which is %.9g m long; take 0 to %.9g",
                   what, key, s, length, length);
}

// All wanted places in order, each once; a node that is asked for moves none of the others.
static tn_status place_nodes(const tn_beam_def *def, double length, const char *what,
                             tn_beam_line *out)
{
    const int most = def->elements + 1 + def->nmass + def->nnode + def->nplace;
    int n = 0;
    out->s = tn_alloc((size_t)most * sizeof(double));
    TN_TRY(tn_got(out->s));
    for (int k = 0; k <= def->elements; k++)
        out->s[n++] = length * k / def->elements;
    for (int k = 0; k < def->nmass; k++) {
        TN_TRY(check_place(def->mass_at[k], length, "masses", what));
        out->s[n++] = def->mass_at[k];
    }
    for (int k = 0; k < def->nplace; k++) {
        TN_TRY(check_place(def->place_at[k], length, "places", what));
        out->s[n++] = def->place_at[k];
    }
    for (int k = 0; k < def->nnode; k++) {
        TN_TRY(check_place(def->nodes[k], length, "nodes", what));
        out->s[n++] = def->nodes[k];
    }
    qsort(out->s, (size_t)n, sizeof(double), compare_numbers);
    for (int k = 0; k < n; k++)
        if (out->n == 0 || out->s[k] - out->s[out->n - 1] > TN_SAME_PLACE * length)
            out->s[out->n++] = fmax(out->s[k], 0.0);
    out->s[out->n - 1] = length;
    return TN_OK;
}

// x turned as the tangent turns from z to to.
static tn_vec3 carried(tn_vec3 x, tn_vec3 z, tn_vec3 to)
{
    const tn_vec3 n = tn_v3_cross(z, to), nx = tn_v3_cross(n, x);
    const double factor = 1.0 / (1.0 + tn_v3_dot(z, to));
    return tn_v3_axpy(factor, tn_v3_cross(n, nx), tn_v3_add(x, nx));
}

static tn_vec3 across(tn_vec3 x, tn_vec3 z)
{
    return tn_v3_axpy(-tn_v3_dot(x, z), z, x);
}

static tn_status first_axis(const tn_beam_def *def, tn_vec3 z, const char *what, tn_vec3 *out)
{
    const double ax = fabs(z.x), ay = fabs(z.y), az = fabs(z.z);
    const bool given = tn_v3_norm(def->x_axis) > 0.0;
    const tn_vec3 request = given                  ? unit(def->x_axis)
                            : ax <= ay && ax <= az ? tn_v3(1.0, 0.0, 0.0)
                            : ay <= az             ? tn_v3(0.0, 1.0, 0.0)
                                                   : tn_v3(0.0, 0.0, 1.0);
    const tn_vec3 x = across(request, z);
    if (tn_v3_norm(x) < 1e-6)
        return tn_fail(TN_ERR_MODEL,
                       "%s: x_axis: (%g, %g, %g) is along the beam; x of its section is across it",
                       what, def->x_axis.x, def->x_axis.y, def->x_axis.z);
    *out = unit(x);
    return TN_OK;
}

static tn_status place_frames(const line *l, const tn_beam_def *def, const char *what,
                              tn_beam_line *out)
{
    tn_vec3 c, d, x, z;
    double a = l->a0;
    out->frame = tn_alloc((size_t)out->n * sizeof(tn_frame));
    TN_TRY(tn_got(out->frame));
    line_at(l, a, &c, &d);
    z = unit(d);
    TN_TRY(first_axis(def, z, what, &x));
    for (int k = 0; k < out->n; k++) {
        const double from = a, to = place_of(l, out->s[k]);
        for (int i = 1; i <= STEPS; i++) {
            line_at(l, from + (to - from) * i / STEPS, &c, &d);
            const tn_vec3 next = unit(d);
            x = carried(x, z, next);
            z = next;
        }
        a = to;
        x = unit(across(x, z));
        out->frame[k] = (tn_frame){tn_m3_columns(x, tn_v3_cross(z, x), z), c};
    }
    return TN_OK;
}

static void line_clear(line *l)
{
    tn_locus_clear(&l->curve);
    tn_quintic_clear(&l->spline);
    tn_free(l->place);
}

tn_status tn_beam_line_make(const tn_model *model, const tn_beam_def *def, const char *what,
                            tn_beam_line *out)
{
    line l = {0};
    *out = (tn_beam_line){0};
    tn_status status = make_line(model, def, what, &l);
    TN_THEN(status, place_nodes(def, l.length[l.panels], what, out));
    TN_THEN(status, place_frames(&l, def, what, out));
    line_clear(&l);
    return status;
}

tn_status tn_beam_line_length(const tn_model *model, const tn_beam_def *def, const char *what,
                              double *out)
{
    line l = {0};
    const tn_status status = make_line(model, def, what, &l);
    *out = status == TN_OK ? l.length[l.panels] : 0.0;
    line_clear(&l);
    return status;
}

void tn_beam_line_clear(tn_beam_line *nodes)
{
    TN_FREE(nodes->frame, nodes->s);
    *nodes = (tn_beam_line){0};
}
