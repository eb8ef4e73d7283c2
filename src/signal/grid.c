// SPDX-License-Identifier: MIT
//
// The product of two splines. In one direction, with h = x1 - x0, a = (x1 - x)/h, b = (x - x0)/h,
// a spline is  a u0 + b u1 + A m0 + B m1  with  A = h^2/6 (a^3 - a),  B = h^2/6 (b^3 - b)
// (signal/curve.c). A spline in y of splines in x therefore is, of the corners of a cell,
//
//   f = sum_ij  a_i a_j f_ij + A_i a_j (f_xx)_ij + a_i A_j (f_yy)_ij + A_i A_j (f_xxyy)_ij
//
// where f_xx are the second derivatives of the splines in x through f, f_yy of those in y, and
// f_xxyy of those in x through f_yy [de Boor, J. Math. Phys. 41, 1962].

#include "signal/grid.h"

#include "base/array.h"

// Evaluation --------------------------------------------------------------------------------------

// The weights of both ends of a cell in one direction, with their derivatives: those of the values
// and those of the second derivatives.
typedef struct weights {
    int cell;
    double value[3][2], bend[3][2];
} weights;

static void put_bend(double h, double a, double b, weights *w)
{
    w->bend[0][0] = h * h / 6.0 * (a * a * a - a);
    w->bend[0][1] = h * h / 6.0 * (b * b * b - b);
    w->bend[1][0] = -h / 6.0 * (3.0 * a * a - 1.0);
    w->bend[1][1] = h / 6.0 * (3.0 * b * b - 1.0);
    w->bend[2][0] = a;
    w->bend[2][1] = b;
}

static weights in_cell(const tn_grid *g, int k, int cell, double x)
{
    TN_ASSERT(cell >= 0 && cell < g->n[k] - 1);
    const double *at = g->at[k] + cell, h = at[1] - at[0];
    const double a = (at[1] - x) / h, b = (x - at[0]) / h;
    weights w = {.cell = cell, .value = {{a, b}, {-1.0 / h, 1.0 / h}}};
    if (g->interpolation == TN_TABLE_SPLINE)
        put_bend(h, a, b, &w);
    return w;
}

// Straight on from an end by `way`, or level.
static void go_beyond(const tn_grid *g, double way, weights *w)
{
    const double slope = g->beyond == TN_BEYOND_LINEAR ? 1.0 : 0.0;
    for (int i = 0; i < 2; i++) {
        w->value[0][i] += slope * way * w->value[1][i];
        w->bend[0][i] += slope * way * w->bend[1][i];
        w->value[1][i] *= slope;
        w->bend[1][i] *= slope;
        w->bend[2][i] = 0.0;
    }
}

// Cell -1 is before the first argument, n - 1 after the last.
static weights on_cell(const tn_grid *g, int k, int cell, double x)
{
    const int last = g->n[k] - 1;
    if (cell >= 0 && cell < last)
        return in_cell(g, k, cell, x);
    const double end = g->at[k][cell < 0 ? 0 : last];
    weights w = in_cell(g, k, cell < 0 ? 0 : last - 1, end);
    go_beyond(g, x - end, &w);
    return w;
}

// The cell that holds an argument.
static int cell_of(const tn_grid *g, int k, double x)
{
    const int n = g->n[k];
    return x == g->at[k][n - 1] ? n - 2 : tn_count_up_to(n, g->at[k], x) - 1;
}

// A linear table that holds its ends has corners there too.
static int cell_from(const tn_grid *g, int k, double x, const int *piece)
{
    if (!piece || g->interpolation != TN_TABLE_LINEAR)
        return cell_of(g, k, x);
    return g->beyond == TN_BEYOND_HOLD ? piece[k] - 1 : piece[k];
}

// The derivative of order i in x and j in y.
static double combine(const tn_grid *g, const weights *x, const weights *y, int i, int j)
{
    const bool bent = g->interpolation == TN_TABLE_SPLINE;
    double sum = 0.0;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            const int at = (x->cell + p) * g->n[1] + y->cell + q;
            sum += x->value[i][p] * y->value[j][q] * g->f[0][at];
            if (bent)
                sum += x->bend[i][p] * y->value[j][q] * g->f[1][at] +
                       x->value[i][p] * y->bend[j][q] * g->f[2][at] +
                       x->bend[i][p] * y->bend[j][q] * g->f[3][at];
        }
    return sum;
}

// Beyond the ends of a table that has no beyond, and where an argument is no number.
static bool is_outside(const tn_grid *g, const double *a)
{
    bool outside = false;
    for (int k = 0; k < g->narg; k++) {
        const bool within = a[k] >= g->at[k][0] && a[k] <= g->at[k][g->n[k] - 1];
        outside = outside || isnan(a[k]) || (g->beyond == TN_BEYOND_ERROR && !within);
    }
    return outside;
}

tn_grid_value tn_grid_eval(const tn_grid *g, const double *a, const int *piece)
{
    TN_ASSERT(g->narg == 1 ? g->curve != NULL : g->f[0] != NULL);
    if (is_outside(g, a))
        return (tn_grid_value){NAN, NAN, NAN, NAN, NAN, NAN};
    const int cell = cell_from(g, 0, a[0], piece);
    if (g->narg == 1) {
        double u[3];
        tn_curve_eval_on(g->curve, cell, a[0], u);
        return (tn_grid_value){.f = u[0], .x = u[1], .xx = u[2]};
    }
    const weights x = on_cell(g, 0, cell, a[0]);
    const weights y = on_cell(g, 1, cell_from(g, 1, a[1], piece), a[1]);
    return (tn_grid_value){
        .f = combine(g, &x, &y, 0, 0),
        .x = combine(g, &x, &y, 1, 0),
        .y = combine(g, &x, &y, 0, 1),
        .xx = combine(g, &x, &y, 2, 0),
        .xy = combine(g, &x, &y, 1, 1),
        .yy = combine(g, &x, &y, 0, 2),
    };
}

// Ranges ------------------------------------------------------------------------------------------

static const tn_interval ANY = {-INFINITY, INFINITY}, NONE = {INFINITY, -INFINITY};

static void include(tn_interval *range, double x)
{
    range->low = fmin(range->low, x);
    range->high = fmax(range->high, x);
}

static void include_all(tn_interval *range, tn_interval of)
{
    include(range, of.low);
    include(range, of.high);
}

// Between two places, `h` apart, at which it is p and q, with such a slope: all that a function can
// be. `size` is that of the numbers that it was computed from.
static tn_interval between(double p, double q, double h, tn_interval slope, double size)
{
    const bool one_way = slope.low >= 0.0 || slope.high <= 0.0;
    const double way = one_way ? 0.0 : h * fmax(-slope.low, slope.high);
    const double slack = 64.0 * DBL_EPSILON * (size + fabs(p) + fabs(q) + way);
    return (tn_interval){fmin(p, q) - way - slack, fmax(p, q) + way + slack};
}

// A cubic has a linear second derivative.
static void include_piece(const tn_curve *c, int piece, double low, double high, tn_interval out[3])
{
    TN_ASSERT(low <= high);
    const tn_interval level = {0.0, 0.0};
    const double h = high - low;
    double p[3], q[3];
    tn_curve_eval_on(c, piece, low, p);
    tn_curve_eval_on(c, piece, high, q);
    const int i = tn_smaller(tn_larger(piece, 0), c->n - 2);
    const double width = c->t[i + 1] - c->t[i], size = fabs(c->u[i]) + fabs(c->u[i + 1]);
    const tn_interval dd = between(p[2], q[2], h, level, size / width / width);
    const tn_interval d = between(p[1], q[1], h, dd, size / width);
    include_all(&out[0], between(p[0], q[0], h, d, size));
    include_all(&out[1], d);
    include_all(&out[2], dd);
}

static void curve_range(const tn_grid *g, tn_interval a, tn_interval out[3])
{
    const int from = cell_of(g, 0, a.low), to = cell_of(g, 0, a.high);
    for (int i = 0; i < 3; i++)
        out[i] = NONE;
    for (int i = from; i <= to; i++)
        include_piece(g->curve, i, i > from ? g->at[0][i] : a.low,
                      i < to ? g->at[0][i + 1] : a.high, out);
    if (g->interpolation == TN_TABLE_LINEAR && from < to)
        out[2] = ANY;
}

// A product of cubics is within the hull of its Bernstein coefficients, here those of one corner;
// hx and hy lead into the rectangle.
static void include_corner(const tn_grid *g, const int *cell, double x, double y, double hx,
                           double hy, tn_interval *out)
{
    const weights u = on_cell(g, 0, cell[0], x), v = on_cell(g, 1, cell[1], y);
    const double f = combine(g, &u, &v, 0, 0), dx = combine(g, &u, &v, 1, 0) * hx / 3.0;
    const double dy = combine(g, &u, &v, 0, 1) * hy / 3.0;
    const double dxy = combine(g, &u, &v, 1, 1) * hx * hy / 9.0;
    const double slack = 256.0 * DBL_EPSILON * (fabs(f) + fabs(dx) + fabs(dy) + fabs(dxy));
    const double at[4] = {f, f + dx, f + dy, f + dx + dy + dxy};
    for (int i = 0; i < 4; i++) {
        include(out, at[i] - slack);
        include(out, at[i] + slack);
    }
}

static void surface_range(const tn_grid *g, const tn_interval *a, tn_interval *out)
{
    int cell[2], to[2];
    *out = NONE;
    for (int k = 0; k < 2; k++)
        to[k] = cell_of(g, k, a[k].high);
    for (cell[0] = cell_of(g, 0, a[0].low); cell[0] <= to[0]; cell[0]++)
        for (cell[1] = cell_of(g, 1, a[1].low); cell[1] <= to[1]; cell[1]++) {
            double low[2], high[2];
            for (int k = 0; k < 2; k++) {
                low[k] = cell[k] < 0 ? a[k].low : fmax(a[k].low, g->at[k][cell[k]]);
                high[k] =
                    cell[k] == g->n[k] - 1 ? a[k].high : fmin(a[k].high, g->at[k][cell[k] + 1]);
            }
            const double hx = high[0] - low[0], hy = high[1] - low[1];
            include_corner(g, cell, low[0], low[1], hx, hy, out);
            include_corner(g, cell, high[0], low[1], -hx, hy, out);
            include_corner(g, cell, low[0], high[1], hx, -hy, out);
            include_corner(g, cell, high[0], high[1], -hx, -hy, out);
        }
}

void tn_grid_range(const tn_grid *g, const tn_interval *a, tn_interval out[3])
{
    double ends[2][2] = {{a[0].low, 0.0}, {a[0].high, 0.0}};
    bool known = isfinite(a[0].low) && isfinite(a[0].high);
    if (g->narg == 2) {
        ends[0][1] = a[1].low, ends[1][1] = a[1].high;
        known = known && isfinite(a[1].low) && isfinite(a[1].high);
    }
    out[0] = out[1] = out[2] = ANY;
    if (!known || is_outside(g, ends[0]) || is_outside(g, ends[1]))
        return;
    if (g->narg == 1)
        curve_range(g, a[0], out);
    else
        surface_range(g, a, &out[0]);
}
