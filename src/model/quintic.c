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

#include "model/quintic.h"

#include "base/alloc.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

typedef struct fit {
    int n, pieces, band;
    bool closed;
    const double *s;
    double unit;    // of lengths: m_i times it is the unknown
    double *A;      // band of 2n
    double *b[2];   // right-hand sides, then the unknowns, by y
    double *weight; // n: the shortest piece at each point
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

// What piece i adds to the equations of its start (end 0) or its end: the value behind a point
// minus that before it.
static void add_piece(fit *f, int i, int end, const double *const y[2])
{
    const int point[2] = {i, point_after(f, i)}, row = unknown(f, point[end]);
    const double h = f->s[i + 1] - f->s[i], scale[2] = {h, h * h / f->unit};
    for (int k = 0; k < 2; k++) {
        const double w = f->weight[point[end]] / h, sign = end == 0 ? 1.0 : -1.0;
        const double factor = sign * (k == 0 ? w * w * w : w * w * w * w);
        for (int j = 0; j < 4; j++)
            f->A[tn_band_at(f->band, row + k, unknown(f, point[j / 2]) + j % 2)] +=
                factor * by[end][k][j] * scale[j % 2];
        for (int c = 0; c < 2; c++)
            f->b[c][row + k] -= factor * by[end][k][4] * (y[c][point[1]] - y[c][point[0]]);
    }
}

static void assemble(fit *f, const double *const y[2])
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
            add_piece(f, i, end, y);
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

tn_status tn_quintic_fit(int n, const double *s, bool closed, const double *const y[2],
                         double (*coefficient)[TN_QUINTIC])
{
    TN_ASSERT(n >= (closed ? 5 : 3));
    const int pieces = closed ? n : n - 1, band = closed ? 5 : 3;
    const size_t rows = 2 * (size_t)n, size = (size_t)tn_band_size(2 * n, band);
    fit f = {.n = n, .pieces = pieces, .band = band, .closed = closed, .s = s};
    f.unit = (s[pieces] - s[0]) / pieces;
    f.A = tn_alloc((size + 2 * rows + (size_t)n) * sizeof *f.A);
    f.pivot = tn_alloc(rows * sizeof *f.pivot);
    tn_status status = tn_got(f.A && f.pivot);
    if (status == TN_OK) {
        f.b[0] = f.A + size;
        f.b[1] = f.b[0] + rows;
        f.weight = f.b[1] + rows;
        assemble(&f, y);
        status = tn_band_factor(2 * n, band, f.A, f.pivot);
    }
    for (int k = 0; k < 2 && status == TN_OK; k++) {
        tn_band_solve(2 * n, band, f.A, f.pivot, f.b[k]);
        for (int i = 0; i < pieces; i++)
            put_piece(&f, i, y[k], f.b[k], coefficient[2 * i + k]);
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
