// SPDX-License-Identifier: MIT
//
// Curves through points and by expressions; see profile.h.

#include "contact/profile.h"

#include "base/array.h"

#include <math.h>

enum {
    PER_PIECE = 8, // samples of a piece of a spline
    FIRST_SAMPLES = 256,
    MOST_SAMPLES = 16384,
};

static const double SAME = 1e-9;   // of the size
static const double TURNED = 0.25; // between samples [rad]

// Evaluation --------------------------------------------------------------------------------------

static void eval_points(const tn_profile *p, double s, tn_profile_at *out)
{
    double u[2][3];
    tn_quintic_at(&p->spline, s, u);
    for (int k = 0; k < 2; k++)
        out->c[k] = u[k][0], out->d[k] = u[k][1], out->dd[k] = u[k][2];
}

static void eval_text(const tn_profile *p, double s, tn_profile_at *out)
{
    for (int k = 0; k < 2; k++) {
        const tn_grid_value u = tn_mapping_eval(p->map[k], &s);
        out->c[k] = u.f, out->d[k] = u.x, out->dd[k] = u.xx;
    }
}

static void eval_within(const tn_profile *p, double s, tn_profile_at *out)
{
    if (p->spline.pieces > 0)
        eval_points(p, s, out);
    else
        eval_text(p, s, out);
}

static void eval_beyond(const tn_profile_at *end, double way, tn_profile_at *out)
{
    *out = *end;
    for (int k = 0; k < 2; k++) {
        out->c[k] += way * (end->d[k] + 0.5 * way * end->dd[k]);
        out->d[k] += way * end->dd[k];
    }
}

void tn_profile_eval(const tn_profile *p, double s, tn_profile_at *out)
{
    if (p->closed)
        s -= (p->to - p->from) * floor((s - p->from) / (p->to - p->from));
    if (!p->closed && s < p->from)
        eval_beyond(&p->end[0], s - p->from, out);
    else if (!p->closed && s > p->to)
        eval_beyond(&p->end[1], s - p->to, out);
    else
        eval_within(p, s, out);
}

// Samples -----------------------------------------------------------------------------------------

// n intervals for each piece: that many places, and of an open curve the last one too.
static tn_status take_samples(tn_profile *p, int pieces, const double *knot, int n)
{
    const int count = pieces * n + !p->closed;
    TN_FREE(p->s, p->sample);
    p->s = NULL;
    p->sample = NULL;
    p->nsample = count;
    p->s = tn_alloc((size_t)count * sizeof *p->s);
    p->sample = tn_alloc((size_t)count * sizeof *p->sample);
    TN_TRY(tn_got(p->s && p->sample));
    for (int i = 0; i < count; i++) {
        const int piece = i / n, k = i % n;
        p->s[i] = knot[piece] + (k == 0 ? 0.0 : (knot[piece + 1] - knot[piece]) * k / n);
        eval_within(p, p->s[i], &p->sample[i]);
    }
    return TN_OK;
}

static double most_turned(const tn_profile *p)
{
    double most = 0.0;
    for (int i = 1; i < p->nsample; i++) {
        const double *a = p->sample[i - 1].d, *b = p->sample[i].d;
        most = fmax(most, fabs(atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])));
    }
    return most;
}

// Half the diagonal of the box of n points, whose numbers are `stride` apart.
static double half_diagonal(int n, int stride, const double *x, const double *y)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < n; i++) {
        const double c[2] = {x[i * stride], y[i * stride]};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], c[k]);
            high[k] = fmax(high[k], c[k]);
        }
    }
    return 0.5 * hypot(high[0] - low[0], high[1] - low[1]);
}

// Twice as many until the curve turns little from one to the next.
static tn_status sample_curve(tn_profile *p, int pieces, const double *knot, int n)
{
    TN_TRY(take_samples(p, pieces, knot, n));
    while (most_turned(p) > TURNED && 2 * p->nsample <= MOST_SAMPLES) {
        n *= 2;
        TN_TRY(take_samples(p, pieces, knot, n));
    }
    const int stride = sizeof *p->sample / sizeof(double);
    p->size = half_diagonal((int)p->nsample, stride, p->sample[0].c, p->sample[0].c + 1);
    eval_within(p, p->from, &p->end[0]);
    eval_within(p, p->to, &p->end[1]);
    return TN_OK;
}

// Points ------------------------------------------------------------------------------------------

static tn_status check_count(int n, bool closed, const char *what)
{
    const int least = closed ? 5 : 4;
    if (n >= least)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: %d point%s; %s curve needs at least %d", what, n,
                   n == 1 ? "" : "s", closed ? "a closed" : "an open", least);
}

static tn_status check_points(int n, const double *x, const double *y, const char *what)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return tn_fail(TN_ERR_MODEL, "%s: point %d: (%g, %g) is not finite", what, i + 1, x[i],
                           y[i]);
    return TN_OK;
}

// Neighbours are further from each other than `least`.
static tn_status check_apart(int n, bool closed, const double *x, const double *y, double least,
                             const char *what)
{
    for (int i = 0; i < n - !closed; i++) {
        const int j = i + 1 < n ? i + 1 : 0;
        if (!(hypot(x[j] - x[i], y[j] - y[i]) > least))
            return tn_fail(TN_ERR_MODEL,
                           "%s: points %d and %d are both at (%.9g, %.9g); leave one of them out",
                           what, i + 1, j + 1, x[i], y[i]);
    }
    return TN_OK;
}

static tn_status fit_points(tn_profile *p, int n, const double *x, const double *y,
                            const char *what)
{
    const tn_status status =
        tn_quintic_make(n, p->closed, 2, (const double *const[]){x, y}, NULL, &p->spline);
    if (status == TN_RETRY_SINGULAR)
        return tn_fail(TN_ERR_MODEL,
                       "%s: the distances of its points are too uneven for a spline; leave out "
                       "points that are close together",
                       what);
    TN_TRY(status);
    p->to = p->spline.knot[p->spline.pieces];
    return TN_OK;
}

tn_status tn_profile_of_points(int n, const double *x, const double *y, bool closed,
                               const char *what, tn_profile **out)
{
    *out = NULL;
    TN_TRY(check_points(n, x, y, what));
    const double least = SAME * half_diagonal(n, 1, x, y);
    if (closed && n > 1 && hypot(x[n - 1] - x[0], y[n - 1] - y[0]) <= least)
        n--;
    TN_TRY(check_count(n, closed, what));
    TN_TRY(check_apart(n, closed, x, y, least, what));
    tn_profile *p = tn_alloc(sizeof *p);
    TN_TRY(tn_got(p));
    p->closed = closed;
    p->unit = "m";
    tn_status status = fit_points(p, n, x, y, what);
    TN_THEN(status, sample_curve(p, p->spline.pieces, p->spline.knot, PER_PIECE));
    TN_HAND_OUT(status, p, tn_profile_destroy, out);
}

// Text --------------------------------------------------------------------------------------------

static double curvature(const tn_profile_at *a)
{
    const double speed = hypot(a->d[0], a->d[1]);
    return (a->d[0] * a->dd[1] - a->d[1] * a->dd[0]) / (speed * speed * speed);
}

static bool closes(const tn_profile *p)
{
    const tn_profile_at *a = &p->end[0], *b = &p->end[1];
    const double gap = hypot(a->c[0] - b->c[0], a->c[1] - b->c[1]);
    const double speeds = hypot(a->d[0], a->d[1]) * hypot(b->d[0], b->d[1]);
    const double across = a->d[0] * b->d[1] - a->d[1] * b->d[0];
    const double along = a->d[0] * b->d[0] + a->d[1] * b->d[1];
    const double bend = curvature(a) * p->size;
    return gap <= SAME * p->size && along > 0.0 && fabs(across) <= SAME * speeds &&
           fabs(bend - curvature(b) * p->size) <= SAME * fmax(1.0, fabs(bend));
}

static tn_status read_text(const tn_model *model, const char *text, const char *what,
                           const char *key, tn_mapping **out)
{
    static const char *const args[] = {"s"};
    tn_clear_error();
    const tn_status status = tn_mapping_create(model, text, 1, args, out);
    return status == TN_OK ? status : tn_fail_within(status, "%s: %s", what, key);
}

tn_status tn_profile_of_text(const tn_model *model, const char *const text[2],
                             const char *const keys[2], double from, double to, const char *what,
                             tn_profile **out)
{
    *out = NULL;
    if (!isfinite(from) || !isfinite(to) || !(from < to))
        return tn_fail(TN_ERR_MODEL, "%s: s goes from %.9g to %.9g; it must increase", what, from,
                       to);
    tn_profile *p = tn_alloc(sizeof *p);
    TN_TRY(tn_got(p));
    p->from = from;
    p->to = to;
    p->unit = "";
    tn_status status = read_text(model, text[0], what, keys[0], &p->map[0]);
    TN_THEN(status, read_text(model, text[1], what, keys[1], &p->map[1]));
    TN_THEN(status, sample_curve(p, 1, (double[2]){from, to}, FIRST_SAMPLES));
    if (status == TN_OK && closes(p)) {
        p->closed = true;
        p->nsample--; // the last one is the first
    }
    TN_HAND_OUT(status, p, tn_profile_destroy, out);
}

void tn_profile_destroy(tn_profile *p)
{
    if (!p)
        return;
    for (int k = 0; k < 2; k++)
        tn_mapping_destroy(p->map[k]);
    tn_quintic_clear(&p->spline);
    TN_FREE(p->s, p->sample, p);
}

// Queries -----------------------------------------------------------------------------------------

int tn_profile_area_sign(const tn_profile *p)
{
    const double *origin = p->sample[0].c;
    double area = 0.0;
    for (int i = 1; p->closed && i < p->nsample; i++) {
        const double *a = p->sample[i - 1].c, *b = p->sample[i].c;
        area += (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0]);
    }
    return (area > 0.0) - (area < 0.0);
}

int tn_profile_samples(const tn_profile *p, const tn_profile_at **list, const double **s)
{
    *list = p->sample;
    *s = p->s;
    return (int)p->nsample;
}
