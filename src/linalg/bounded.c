// SPDX-License-Identifier: MIT
//
// Modified proportioning with reduced gradient projections [Dos09], on x_i = y_i sqrt(W_ii), so
// that the matrix A = D W D has ones on its diagonal. With the gradient g = A x + D c its parts are
//
//   free     phi = g where x > 0           chopped    beta = min(g, 0) where x = 0
//
// Conjugate gradients go on the free unknowns as long as these parts are in proportion; at a bound
// the step ends there, and one of the length a / |A| along phi is projected; where the chopped part
// is large it is a direction of its own. Each of these lessens the function, also where A is
// singular.

#include "linalg/bounded.h"

#include "linalg/dense.h"

#include <math.h>

typedef struct bounded {
    const tn_bounded_problem *p;
    double *D, *x, *g, *d, *Ad, *phi, *beta;
    double length; // of projected steps
    int products;
} bounded;

static void product(bounded *s, const double *x, double *out)
{
    const int n = s->p->n;
    tn_zero(n, out);
    for (int j = 0; j < n; j++)
        if (x[j] != 0.0)
            tn_axpy(n, s->D[j] * x[j], s->p->W + (size_t)j * (size_t)n, out);
    for (int i = 0; i < n; i++)
        out[i] *= s->D[i];
    s->products++;
}

static void take_gradient(bounded *s)
{
    product(s, s->x, s->g);
    for (int i = 0; i < s->p->n; i++)
        s->g[i] += s->D[i] * s->p->c[i];
}

static void split_gradient(bounded *s)
{
    for (int i = 0; i < s->p->n; i++) {
        s->phi[i] = s->x[i] > 0.0 ? s->g[i] : 0.0;
        s->beta[i] = s->x[i] > 0.0 ? 0.0 : fmin(s->g[i], 0.0);
    }
}

// A step along -s->d, which is a part of the gradient; the gradient follows.
static void step_along(bounded *s, double size)
{
    tn_axpy(s->p->n, -size, s->d, s->x);
    tn_axpy(s->p->n, -size, s->Ad, s->g);
}

static double way_to_bound(const bounded *s)
{
    double way = INFINITY;
    for (int i = 0; i < s->p->n; i++)
        if (s->d[i] > 0.0)
            way = fmin(way, s->x[i] / s->d[i]);
    return way;
}

// To the bound, and on along the free gradient as far as bounds let it.
static void expand(bounded *s, double way)
{
    step_along(s, way);
    for (int i = 0; i < s->p->n; i++) {
        const double free = s->x[i] > 0.0 ? s->g[i] : 0.0;
        s->x[i] = fmax(s->x[i] - s->length * free, 0.0);
    }
    take_gradient(s);
    split_gradient(s);
    tn_copy(s->p->n, s->phi, s->d);
}

static void go_on_free(bounded *s)
{
    const int n = s->p->n;
    product(s, s->d, s->Ad);
    const double curve = tn_dot(n, s->d, s->Ad), slope = tn_dot(n, s->g, s->d);
    const double size = curve > 0.0 ? slope / curve : INFINITY, way = way_to_bound(s);
    if (size > way) {
        expand(s, way);
        return;
    }
    if (!isfinite(size)) // neither a bound nor a curve: round-off
        return;
    step_along(s, size);
    split_gradient(s);
    const double share = tn_dot(n, s->phi, s->Ad) / curve;
    for (int i = 0; i < n; i++)
        s->d[i] = s->phi[i] - share * s->d[i];
}

static void leave_bounds(bounded *s)
{
    const int n = s->p->n;
    tn_copy(n, s->beta, s->d);
    product(s, s->d, s->Ad);
    const double curve = tn_dot(n, s->d, s->Ad);
    step_along(s, curve > 0.0 ? tn_dot(n, s->g, s->d) / curve : s->length);
    split_gradient(s);
    tn_copy(n, s->phi, s->d);
}

static bool is_in_proportion(const bounded *s)
{
    double chopped = 0.0, free = 0.0;
    for (int i = 0; i < s->p->n; i++) {
        const double reach = s->phi[i] > 0.0 ? fmin(s->x[i] / s->length, s->phi[i]) : s->phi[i];
        chopped += s->beta[i] * s->beta[i];
        free += reach * s->phi[i];
    }
    return chopped <= free;
}

static double misfit(const bounded *s)
{
    double most = 0.0;
    for (int i = 0; i < s->p->n; i++)
        most = fmax(most, fabs(fmin(s->x[i], s->g[i])) / s->D[i]);
    return most;
}

static void open_bounded(bounded *s, const double *y)
{
    const tn_bounded_problem *p = s->p;
    double norm = 0.0;
    for (int i = 0; i < p->n; i++)
        s->D[i] = 1.0 / sqrt(p->W[i + (size_t)i * (size_t)p->n]);
    for (int j = 0; j < p->n; j++) {
        double sum = 0.0;
        for (int i = 0; i < p->n; i++)
            sum += fabs(p->W[i + (size_t)j * (size_t)p->n]) * s->D[i] * s->D[j];
        norm = fmax(norm, sum);
        s->x[j] = fmax(y[j], 0.0) / s->D[j];
    }
    s->length = 1.0 / norm;
    take_gradient(s);
    split_gradient(s);
    tn_copy(p->n, s->phi, s->d);
}

double tn_bounded_solve(const tn_bounded_problem *p, double *y, double *u, double *work)
{
    const int n = p->n;
    bounded s = {.p = p};
    double **const arrays[] = {&s.D, &s.x, &s.g, &s.d, &s.Ad, &s.phi, &s.beta};
    for (int i = 0; i < 7; i++)
        *arrays[i] = work + i * n;
    const double scale = tn_norm_inf(n, p->c);
    open_bounded(&s, y);
    while (misfit(&s) > p->tol * scale && s.products < p->most) {
        if (is_in_proportion(&s))
            go_on_free(&s);
        else
            leave_bounds(&s);
    }
    take_gradient(&s); // what steps have added up has round-off
    for (int i = 0; i < n; i++) {
        y[i] = s.D[i] * s.x[i];
        u[i] = s.g[i] / s.D[i];
    }
    return scale > 0.0 ? misfit(&s) / scale : 0.0;
}
