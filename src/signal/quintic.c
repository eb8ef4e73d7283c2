// SPDX-License-Identifier: MIT
//
// Unknowns are the first and second derivatives d_i, m_i at the points. On a piece of length h from
// 0 to 1, with u = (s - s_0)/h, D = h d, M = h^2 m and the rise R = y_1 - y_0, the polynomial is
//
//   y_0 + D_0 u + M_0/2 u^2 + a u^3 + b u^4 + c u^5
//   a =  10 R - 6 D_0 - 4 D_1 - 3/2 M_0 + 1/2 M_1
//   b = -15 R + 8 D_0 + 7 D_1 + 3/2 M_0 -     M_1
//   c =   6 R - 3 D_0 - 3 D_1 - 1/2 M_0 + 1/2 M_1
//
// The third and the fourth derivative are continuous: two equations for each point. In the order of
// the points they are a band; a closed spline is folded into one by the order 0, n-1, 1, n-2, ...
//
// As a function of the length of chords a smooth curve has corners at uneven points: a spline
// through these has order 4 only, and its curvature order 2. As a function of its own length it has
// none, and the spline has order 6 and 4 [Floater, Surazhsky, Parameterization for curve
// interpolation, 2006]. Near the ends of an open one the order is that of the first derivative
// which is wrong there: 3 with free ends, 4 with given slopes.

#include "signal/quintic.h"

#include "base/alloc.h"
#include "base/array.h"
#include "linalg/dense.h"
#include "tenon/spatial.h"

#include <math.h>

typedef struct fit {
    int n, pieces, band;
    bool closed;
    const double *s;
    int m; // lists of values
    const double *const *y;
    const double *slope[2]; // at the start and the end: m, or NULL
    double unit;            // of lengths: m_i times it is the unknown
    double *A;              // band of 2n
    double *b;              // m right-hand sides of 2n, then the unknowns
    double *weight;         // n: the shortest piece at each point
    int *pivot;
} fit;

// The third and fourth derivative at the start and the end of a piece, times h^3 and h^4, by
// D_0, M_0, D_1, M_1, R.
static const double by[2][2][5] = {
    {{-36.0, -9.0, -24.0, 3.0, 60.0}, {192.0, 36.0, 168.0, -24.0, -360.0}},
    {{-24.0, -3.0, -36.0, 9.0, 60.0}, {-168.0, -24.0, -192.0, 36.0, 360.0}},
};

static int point_after(const fit *f, int i)
{
    return i + 1 < f->n ? i + 1 : 0;
}

// The first of the two unknowns of a point.
static int unknown(const fit *f, int i)
{
    if (!f->closed)
        return 2 * i;
    return i < (f->n + 1) / 2 ? 4 * i : 4 * (f->n - 1 - i) + 2;
}

static double *list_of(const fit *f, int c)
{
    return f->b + 2 * (size_t)f->n * (size_t)c;
}

// The slope that is given at a point of an open spline, or NULL.
static const double *slope_at(const fit *f, int point)
{
    return f->closed ? NULL : point == 0 ? f->slope[0] : point == f->n - 1 ? f->slope[1] : NULL;
}

// Adds the part of interval i to the equations of its start (end 0) or its end: the value behind a
// point minus that before it.
static void add_piece(fit *f, int i, int end)
{
    const int point[2] = {i, point_after(f, i)}, row = unknown(f, point[end]);
    const double h = f->s[i + 1] - f->s[i], scale[2] = {h, h * h / f->unit};
    for (int k = slope_at(f, point[end]) ? 1 : 0; k < 2; k++) {
        const double w = f->weight[point[end]] / h, sign = end == 0 ? 1.0 : -1.0;
        const double factor = sign * (k == 0 ? w * w * w : w * w * w * w);
        for (int j = 0; j < 4; j++)
            f->A[tn_band_at(f->band, row + k, unknown(f, point[j / 2]) + j % 2)] +=
                factor * by[end][k][j] * scale[j % 2];
        for (int c = 0; c < f->m; c++)
            list_of(f, c)[row + k] -=
                factor * by[end][k][4] * (f->y[c][point[1]] - f->y[c][point[0]]);
    }
}

// The row of a slope, of about the size of the others.
static void put_slope(fit *f, int point)
{
    const double *slope = slope_at(f, point);
    const double w = f->weight[point];
    const int row = unknown(f, point);
    if (!slope)
        return;
    f->A[tn_band_at(f->band, row, row)] = w;
    for (int c = 0; c < f->m; c++)
        list_of(f, c)[row] = w * slope[c];
}

static void assemble(fit *f)
{
    for (int i = 0; i < f->n; i++)
        f->weight[i] = INFINITY;
    for (int i = 0; i < f->pieces; i++)
        for (int end = 0; end < 2; end++) {
            double *w = &f->weight[end == 0 ? i : point_after(f, i)];
            *w = fmin(*w, f->s[i + 1] - f->s[i]);
        }
    for (int i = 0; i < f->pieces; i++)
        for (int end = 0; end < 2; end++)
            add_piece(f, i, end);
    put_slope(f, 0);
    put_slope(f, f->n - 1);
}

static void put_piece(const fit *f, int i, const double *y, const double *x, double *out)
{
    const int next = point_after(f, i);
    const double h = f->s[i + 1] - f->s[i], R = y[next] - y[i];
    const double *p = x + unknown(f, i), *q = x + unknown(f, next);
    const double D0 = h * p[0], D1 = h * q[0];
    const double M0 = h * h / f->unit * p[1], M1 = h * h / f->unit * q[1];
    const double h3 = h * h * h;
    out[0] = y[i];
    out[1] = p[0];
    out[2] = 0.5 * p[1] / f->unit;
    out[3] = (10.0 * R - 6.0 * D0 - 4.0 * D1 - 1.5 * M0 + 0.5 * M1) / h3;
    out[4] = (-15.0 * R + 8.0 * D0 + 7.0 * D1 + 1.5 * M0 - M1) / (h3 * h);
    out[5] = (6.0 * R - 3.0 * D0 - 3.0 * D1 - 0.5 * M0 + 0.5 * M1) / (h3 * h * h);
}

tn_status tn_quintic_fit(int n, const double *s, bool closed, int m, const double *const *y,
                         const double *const *slope, double (*coefficient)[TN_QUINTIC])
{
    TN_ASSERT(n >= (closed ? 5 : 3));
    const int pieces = closed ? n : n - 1, band = closed ? 5 : 3;
    const size_t rows = 2 * (size_t)n, size = (size_t)tn_band_size(2 * n, band);
    fit f = {.n = n, .pieces = pieces, .band = band, .closed = closed, .s = s, .m = m, .y = y};
    f.slope[0] = slope ? slope[0] : NULL;
    f.slope[1] = slope ? slope[1] : NULL;
    f.unit = (s[pieces] - s[0]) / pieces;
    f.A = tn_alloc((size + (size_t)m * rows + (size_t)n) * sizeof *f.A);
    f.pivot = tn_alloc(rows * sizeof *f.pivot);
    tn_status status = tn_got(f.A && f.pivot);
    if (status == TN_OK) {
        f.b = f.A + size;
        f.weight = f.b + (size_t)m * rows;
        assemble(&f);
        status = tn_band_factor(2 * n, band, f.A, f.pivot);
    }
    for (int k = 0; k < m && status == TN_OK; k++) {
        tn_band_solve(2 * n, band, f.A, f.pivot, list_of(&f, k));
        for (int i = 0; i < pieces; i++)
            put_piece(&f, i, y[k], list_of(&f, k), coefficient[m * i + k]);
    }
    TN_FREE(f.A, f.pivot);
    return status;
}

void tn_quintic_eval(const double c[TN_QUINTIC], double r, double out[3])
{
    out[0] = c[0] + r * (c[1] + r * (c[2] + r * (c[3] + r * (c[4] + r * c[5]))));
    out[1] = c[1] + r * (2.0 * c[2] + r * (3.0 * c[3] + r * (4.0 * c[4] + r * 5.0 * c[5])));
    out[2] = 2.0 * c[2] + r * (6.0 * c[3] + r * (12.0 * c[4] + r * 20.0 * c[5]));
}

// Lengths of the pieces of the spline in the place of those that it was made of, by the rule of
// Gauss with 5 places.
static void curve_lengths(const tn_quintic_curve *c)
{
    static const double place[] = {0.04691007703066800, 0.23076534494715845, 0.5,
                                   0.76923465505284155, 0.95308992296933200};
    static const double weight[] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                    0.23931433524968324, 0.11846344252809454};
    double before = c->knot[0];
    for (int i = 0; i < c->pieces; i++) {
        const double h = c->knot[i + 1] - before;
        double length = 0.0;
        for (int k = 0; k < TN_COUNT(place); k++) {
            double d[3] = {0}, u[3];
            for (int l = 0; l < c->m; l++) {
                tn_quintic_eval(c->coefficient[c->m * i + l], h * place[k], u);
                d[l] = u[1];
            }
            length += h * weight[k] * tn_norm2(3, d);
        }
        before = c->knot[i + 1];
        c->knot[i + 1] = c->knot[i] + length;
    }
}

static void chord_lengths(int n, const double *const *y, tn_quintic_curve *c)
{
    for (int i = 0; i < c->pieces; i++) {
        const int next = i + 1 < n ? i + 1 : 0;
        double d[3] = {0};
        for (int l = 0; l < c->m; l++)
            d[l] = y[l][next] - y[l][i];
        c->knot[i + 1] = c->knot[i] + (c->m == 2 ? hypot(d[0], d[1]) : tn_v3_norm(tn_v3_from(d)));
    }
}

tn_status tn_quintic_make(int n, bool closed, int m, const double *const *y,
                          const double *const *slope, tn_quintic_curve *out)
{
    enum { PASSES = 2 };
    TN_ASSERT(m == 2 || m == 3);
    *out = (tn_quintic_curve){.m = m, .pieces = closed ? n : n - 1};
    out->knot = tn_alloc((size_t)(out->pieces + 1) * sizeof *out->knot);
    out->coefficient = tn_alloc((size_t)m * (size_t)out->pieces * sizeof *out->coefficient);
    tn_status status = tn_got(out->knot && out->coefficient);
    if (status == TN_OK)
        chord_lengths(n, y, out);
    TN_THEN(status, tn_quintic_fit(n, out->knot, closed, m, y, slope, out->coefficient));
    for (int k = 0; k < PASSES && status == TN_OK; k++) {
        curve_lengths(out);
        status = tn_quintic_fit(n, out->knot, closed, m, y, slope, out->coefficient);
    }
    return status;
}

void tn_quintic_clear(tn_quintic_curve *curve)
{
    TN_FREE(curve->knot, curve->coefficient);
    *curve = (tn_quintic_curve){0};
}

void tn_quintic_at(const tn_quintic_curve *c, double s, double (*out)[3])
{
    const int i = tn_larger(tn_count_up_to(c->pieces, c->knot, s) - 1, 0);
    for (int l = 0; l < c->m; l++)
        tn_quintic_eval(c->coefficient[c->m * i + l], s - c->knot[i], out[l]);
}
