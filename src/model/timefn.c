// SPDX-License-Identifier: MIT
//
// Functions of time: constants, expressions (model/expression.c) and tables.
//
// A table is the natural cubic spline, given by the second derivatives m_i at the points. With
// h = t1 - t0, a = (t1 - t)/h, b = (t - t0)/h on an interval,
//
//   u   = a u0 + b u1 + h^2/6 ((a^3 - a) m0 + (b^3 - b) m1)
//   u'  = (u1 - u0)/h + h/6 ((3 b^2 - 1) m1 - (3 a^2 - 1) m0)
//   u'' = a m0 + b m1
//
// and continuity of u' at the inner points is the tridiagonal system, with m = 0 at both ends,
//
//   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1}
//       = 6 ((u_{i+1} - u_i)/h_i - (u_i - u_{i-1})/h_{i-1}).

#include "model/timefn.h"

#include "base/alloc.h"
#include "model/expression.h"

#include <math.h>
#include <string.h>

struct tn_timefn {
    tn_expression *expression; // or NULL
    int n;                     // points of the table, 0 for none
    double constant;           // when it is neither of the two
    double points[];           // table: times (n), values (n), second derivatives (n)
};

static tn_status create(int n, tn_timefn **out)
{
    *out = tn_alloc(sizeof(tn_timefn) + 3 * (size_t)n * sizeof(double));
    if (!*out)
        return tn_fail(TN_ERR_MEMORY, "out of memory: time function");
    (*out)->n = n;
    return TN_OK;
}

tn_status tn_timefn_constant(double value, tn_timefn **out)
{
    *out = NULL;
    if (!isfinite(value))
        return tn_fail(TN_ERR_MODEL, "constant %g is not finite", value);
    TN_TRY(create(0, out));
    (*out)->constant = value;
    return TN_OK;
}

tn_status tn_timefn_expression(const char *text, int nparam, const tn_named_value *params,
                               tn_timefn **out)
{
    TN_TRY(create(0, out));
    const tn_status status = tn_expression_create(text, nparam, params, &(*out)->expression);
    if (status != TN_OK) {
        tn_free(*out);
        *out = NULL;
    }
    return status;
}

static tn_status check_table(int n, const double *t, const double *u)
{
    if (n < 2)
        return tn_fail(TN_ERR_MODEL, "table has %d point%s; at least 2 are needed", n,
                       n == 1 ? "" : "s");
    for (int i = 0; i < n; i++) {
        if (!isfinite(t[i]) || !isfinite(u[i]))
            return tn_fail(TN_ERR_MODEL, "table, row %d: (%g, %g) is not finite", i + 1, t[i],
                           u[i]);
        if (i > 0 && !(t[i] > t[i - 1]))
            return tn_fail(TN_ERR_MODEL,
                           "table, row %d: time %.10g does not follow %.10g of row %d; times must "
                           "increase",
                           i + 1, t[i], t[i - 1], i);
    }
    return TN_OK;
}

// Elimination without exchange: the matrix is diagonally dominant. `work` holds n numbers.
static void solve_spline(int n, const double *t, const double *u, double *m, double *work)
{
    m[0] = work[0] = 0.0;
    for (int i = 1; i < n - 1; i++) {
        const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
        const double jump = (u[i + 1] - u[i]) / h1 - (u[i] - u[i - 1]) / h0;
        const double pivot = 2.0 * (h0 + h1) - h0 * work[i - 1];
        work[i] = h1 / pivot;
        m[i] = (6.0 * jump - h0 * m[i - 1]) / pivot;
    }
    m[n - 1] = 0.0;
    for (int i = n - 2; i > 0; i--)
        m[i] -= work[i] * m[i + 1];
}

tn_status tn_timefn_table(int n, const double *t, const double *u, tn_timefn **out)
{
    *out = NULL;
    TN_TRY(check_table(n, t, u));
    double *work = tn_alloc((size_t)n * sizeof(double));
    if (!work)
        return tn_fail(TN_ERR_MEMORY, "out of memory: table of %d points", n);
    const tn_status status = create(n, out);
    if (status == TN_OK) {
        double *points = (*out)->points;
        memcpy(points, t, (size_t)n * sizeof(double));
        memcpy(points + n, u, (size_t)n * sizeof(double));
        solve_spline(n, t, u, points + 2 * n, work);
    }
    tn_free(work);
    return status;
}

void tn_timefn_destroy(tn_timefn *f)
{
    if (f)
        tn_expression_destroy(f->expression);
    tn_free(f);
}

// The number of the interval that holds t, by bisection; the first and last reach to infinity.
static int interval(int n, const double *times, double t)
{
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (t < times[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

static void eval_table(const tn_timefn *f, double t, double out[3])
{
    const double *times = f->points, *u = times + f->n, *m = u + f->n;
    const double inside = fmin(fmax(t, times[0]), times[f->n - 1]);
    const int i = interval(f->n, times, inside);
    const double h = times[i + 1] - times[i];
    const double a = (times[i + 1] - inside) / h, b = (inside - times[i]) / h;
    const double cubic = (a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1];
    const double bend = (3.0 * b * b - 1.0) * m[i + 1] - (3.0 * a * a - 1.0) * m[i];

    out[1] = (u[i + 1] - u[i]) / h + h / 6.0 * bend;
    out[0] = a * u[i] + b * u[i + 1] + h * h / 6.0 * cubic + (t - inside) * out[1];
    out[2] = a * m[i] + b * m[i + 1]; // 0 outside, as m is at the ends
}

void tn_timefn_eval(const tn_timefn *f, double t, double u[3])
{
    if (f->n > 0) {
        eval_table(f, t, u);
    } else if (f->expression) {
        const tn_jet jet = tn_expression_eval(f->expression, t);
        u[0] = jet.v, u[1] = jet.d, u[2] = jet.dd;
    } else {
        u[0] = f->constant, u[1] = u[2] = 0.0;
    }
}

bool tn_timefn_is_constant(const tn_timefn *f)
{
    return f->n == 0 && (!f->expression || tn_expression_time_column(f->expression) == 0);
}
