// SPDX-License-Identifier: MIT
//
// Sampled systems about a point. In a linear model they hold their values a, x' = A x + B a, and so
// its eigenvalues are not those of the loop that they close. Where all periods and delays are whole
// multiples of one time h the loop is linear from sample to sample: in X = (x, a, values as
// computed last, those that wait)
//
//   x(t + h) = exp(h A) x + (int_0^h exp(t A) dt) B a     between samples, by the exponential of
//                                                         ((A, B), (0, 0)) h [VL78]
//   next = N_x x + N_a a + N_l last                       at a sample
//
// and over the common period X becomes M X. The eigenvalues z of M are the poles, s = ln(z) / T.

#include "analysis/linear_sampled.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "system/absolute.h"

#include <math.h>
#include <stdio.h>

enum { MOST_FINE = 64, MOST_STEPS = 5000, MOST_SIZE = 600 };

typedef struct loop {
    tn_equilibrium *s;
    const tn_model *model;
    tn_linear_motion *l; // sampled values are its inputs
    int n, ns, size;     // states of the mechanism, sampled values, all
    int steps;           // of the period
    double h;            // [units of the model]
    int *every, *delay;  // of each system, in steps
    int *first;          // of each system: its first value that waits, in X
    double *N;           // ns x (n + 2 ns)
    double *F;           // n x (n + ns): one step of the mechanism
    double *X;           // size x size
    double *next;        // ns
} loop;

// A time as a multiple of h / fine; -1 where it is none.
static int multiple_of(double time, double h)
{
    const double n = nearbyint(time / h);
    return fabs(time / h - n) <= TN_ROUND_ITERATE * fmax(n, 1.0) && n < MOST_STEPS ? (int)n : -1;
}

static bool fits(const tn_model *m, double h, loop *o)
{
    int steps = 1;
    for (int k = 0; k < m->samplers.count; k++) {
        const tn_sampled_def *def = &m->samplers.at[k];
        o->every[k] = multiple_of(def->every, h);
        o->delay[k] = multiple_of(def->delay, h);
        if (o->every[k] < 1 || o->delay[k] < 0)
            return false;
        int a = steps, b = o->every[k];
        while (b) {
            const int rest = a % b;
            a = b;
            b = rest;
        }
        if ((double)steps / a * o->every[k] > MOST_STEPS)
            return false;
        steps = steps / a * o->every[k];
    }
    o->steps = steps;
    o->h = h / m->units.time;
    return true;
}

static bool find_grid(loop *o)
{
    const tn_model *m = o->model;
    double least = INFINITY;
    for (int k = 0; k < m->samplers.count; k++) {
        least = fmin(least, m->samplers.at[k].every);
        if (m->samplers.at[k].delay > 0.0)
            least = fmin(least, m->samplers.at[k].delay);
    }
    for (int fine = 1; fine <= MOST_FINE; fine++)
        if (fits(m, least / fine, o))
            return true;
    return false;
}

static int waiting(const loop *o, int k) // samples at a time
{
    return (o->delay[k] + o->every[k] - 1) / o->every[k];
}

static void count_places(loop *o)
{
    o->size = o->n + 2 * o->ns;
    for (int k = 0; k < o->model->samplers.count; k++) {
        o->first[k] = o->size;
        o->size += waiting(o, k) * o->model->samplers.at[k].n;
    }
}

// The mechanism ---------------------------------------------------------------------------------

// X (n x n) becomes exp(X): Pade (6, 6) with scaling and squaring.
static tn_status exponentiate(int n, double *X)
{
    static const double c[] = {1.0,         1.0 / 2.0,     5.0 / 44.0,    1.0 / 66.0,
                               1.0 / 792.0, 1.0 / 15840.0, 1.0 / 665280.0};
    const size_t nn = (size_t)n * (size_t)n;
    double *room = tn_alloc(sizeof(double) * (4 * nn + 1) + sizeof(int) * (size_t)(n + 1));
    double norm = 0.0;
    int squares = 0;
    TN_TRY(tn_got(room));
    double *P = room, *Q = P + nn, *power = Q + nn, *other = power + nn;
    int *pivot = (int *)(other + nn);
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += fabs(tn_column_of(X, n, j)[i]);
        norm = fmax(norm, sum);
    }
    while (norm > 0.5 && squares < 1000) {
        norm *= 0.5;
        squares++;
    }
    tn_scale((int)nn, ldexp(1.0, -squares), X);
    for (int i = 0; i < n; i++)
        tn_column_of(power, n, i)[i] = 1.0;
    for (int k = 0; k < TN_COUNT(c); k++) {
        tn_axpy((int)nn, c[k], power, P);
        tn_axpy((int)nn, k % 2 ? -c[k] : c[k], power, Q);
        tn_linear_times(n, n, X, n, power, n, other);
        tn_copy((int)nn, other, power);
    }
    const tn_status status = tn_lu_factor(n, Q, pivot);
    for (int j = 0; status == TN_OK && j < n; j++)
        tn_lu_solve(n, Q, pivot, tn_column_of(P, n, j));
    for (int k = 0; k < squares; k++) {
        tn_linear_times(n, n, P, n, P, n, other);
        tn_copy((int)nn, other, P);
    }
    tn_copy((int)nn, P, X);
    tn_free(room);
    return status;
}

static tn_status find_step(loop *o)
{
    const int n = o->n, all = n + o->ns;
    double *E = tn_alloc(sizeof(double) * ((size_t)all * (size_t)all + 1));
    TN_TRY(tn_got(E));
    for (int j = 0; j < all; j++)
        tn_axpy(n, o->h, j < n ? tn_column_of(o->l->A, n, j) : tn_column_of(o->l->B, n, j - n),
                tn_column_of(E, all, j));
    const tn_status status = exponentiate(all, E);
    for (int j = 0; j < all; j++)
        tn_copy(n, tn_column_of(E, all, j), tn_column_of(o->F, n, j));
    tn_free(E);
    return status;
}

// Computation of sampled systems ----------------------------------------------------------------

typedef struct variation_room {
    const loop *o;
    tn_linear_variation vary;
    double *r, *x;
} variation_room;

static void layout_variation(void *self, tn_carve *mem)
{
    variation_room *v = self;
    const tn_system *sys = v->o->s->sys;
    TN_CARVE_DOUBLES(mem, sys->nv, &v->vary.x, &v->vary.v, &v->vary.a);
    v->vary.lambda = tn_carve_doubles(mem, sys->ng);
    v->vary.eta = tn_carve_doubles(mem, sys->nn);
    v->vary.e = tn_carve_doubles(mem, sys->ne);
    v->r = tn_carve_doubles(mem, sys->nr);
    v->x = tn_carve_doubles(mem, v->o->n + v->o->ns);
}

// The next values by x, by a, and by values as computed last.
static tn_status find_next(loop *o)
{
    tn_equilibrium *s = o->s;
    variation_room v = {.o = o};
    void *block = NULL;
    const int r0 = tn_absolute_sampled_place(s->sys), n = o->n, ns = o->ns;
    TN_TRY(tn_carve_block(&v, layout_variation, &block));
    tn_status status = TN_OK;
    for (int j = 0; j < n + 2 * ns && status == TN_OK; j++) {
        int first_signal, first_next;
        tn_zero(n + ns, v.x);
        tn_zero(s->sys->nr, v.r);
        if (j < n + ns)
            v.x[j] = 1.0;
        if (j >= n)
            v.r[r0 + j - n] = 1.0;
        status = tn_linear_vary(o->l, v.x, v.x + n, 0.0, &v.vary);
        const tn_variation by = {.x = v.vary.x,
                                 .v = v.vary.v,
                                 .lambda = v.vary.lambda,
                                 .e = v.vary.e,
                                 .r = v.r,
                                 .input = -1};
        const tn_point at = tn_eq_point(s, &s->now);
        tn_absolute_vary_signals(s->sys, &at, &by);
        const double *all = tn_absolute_varied(s->sys, &first_signal, &first_next);
        tn_copy(ns, all + first_next, tn_column_of(o->N, ns, j));
    }
    tn_free(block);
    return status;
}

// One period --------------------------------------------------------------------------------------

static void sample(loop *o, int k, int value0, double *X)
{
    const int n = o->model->samplers.at[k].n, wait = waiting(o, k);
    double *acts = X + o->n + value0, *last = acts + o->ns, *queue = X + o->first[k];
    tn_copy(n, o->next + value0, last);
    for (int i = n * (wait - 1) - 1; i >= 0; i--)
        queue[i + n] = queue[i];
    tn_copy(n, last, wait > 0 ? queue : acts);
}

static void take_step(loop *o, int step, double *X)
{
    const int n = o->n, ns = o->ns;
    int value0 = 0;
    tn_linear_times(ns, ns, o->N, n + 2 * ns, X, 1, o->next);
    for (int k = 0; k < o->model->samplers.count; k++) {
        const int own = o->model->samplers.at[k].n, wait = waiting(o, k);
        if (wait > 0 && (step + o->every[k] * wait - o->delay[k]) % o->every[k] == 0)
            tn_copy(own, X + o->first[k] + own * (wait - 1), X + n + value0);
        if (step % o->every[k] == 0)
            sample(o, k, value0, X);
        value0 += own;
    }
    double *x = o->next; // n of them: room for both
    tn_linear_times(n, n, o->F, n + ns, X, 1, x);
    tn_copy(n, x, X);
}

static tn_status find_poles(loop *o, tn_sampled_poles *out)
{
    const int size = o->size;
    out->re = tn_alloc(sizeof(double) * 2 * (size_t)(size + 1));
    TN_TRY(tn_got(out->re));
    out->im = out->re + size + 1;
    out->n = size;
    out->period = o->h * o->steps * o->model->units.time;
    for (int j = 0; j < size; j++) {
        double *X = tn_column_of(o->X, size, j);
        X[j] = 1.0;
        for (int step = 0; step < o->steps; step++)
            take_step(o, step, X);
    }
    return tn_eigen_general(size, o->X, out->re, out->im, NULL);
}

static tn_status close_loop(loop *o, tn_sampled_poles *out)
{
    const size_t n = (size_t)o->n, ns = (size_t)o->ns, nk = (size_t)o->model->samplers.count;
    int *room = tn_alloc(sizeof(int) * 3 * (nk + 1));
    TN_TRY(tn_got(room));
    o->every = room;
    o->delay = room + nk;
    o->first = o->delay + nk;
    double *block = NULL;
    tn_status status = TN_OK;
    if (find_grid(o)) {
        count_places(o);
        const size_t size = (size_t)o->size;
        if (o->size <= MOST_SIZE) {
            block = tn_alloc(sizeof(double) *
                             (ns * (n + 2 * ns) + n * (n + ns) + size * size + n + ns + 1));
            status = tn_got(block);
        }
    }
    if (block) {
        o->N = block;
        o->F = o->N + ns * (n + 2 * ns);
        o->X = o->F + n * (n + ns);
        o->next = o->X + (size_t)o->size * (size_t)o->size;
        TN_THEN(status, find_next(o));
        TN_THEN(status, find_step(o));
        TN_THEN(status, find_poles(o, out));
    }
    TN_FREE(room, block);
    return status;
}

static void tell_held(tn_equilibrium *s, const tn_sampled_poles *poles)
{
    const tn_model *m = s->model;
    char closed[200] = "the poles of the loop are not told, as a period or a delay is no whole "
                       "multiple of a common time, or the motion is not at rest";
    double most = 0.0;
    for (int i = 0; i < poles->n; i++)
        most = fmax(most, hypot(poles->re[i], poles->im[i]));
    if (poles->n > 0)
        snprintf(closed, sizeof closed,
                 "from one period of %.4g s to the next the loop has poles up to |z| = %.6g, and "
                 "it is %s",
                 poles->period, most,
                 most > 1.0 + TN_ROUND_ITERATE   ? "unstable"
                 : most > 1.0 - TN_ROUND_ITERATE ? "neutral"
                                                 : "stable");
    tn_judged what = {
        .quantity = "held", .value = m->samplers.count, .bound = 0.0, .t = s->facts.t};
    snprintf(what.where, sizeof what.where, "sampled '%.80s'", m->samplers.at[0].name);
    tn_verdict_add(&s->verdict, &what,
                   "sampled '%s'%s held in this linear motion, whose values are not those of the "
                   "loop that it closes; %s",
                   m->samplers.at[0].name, m->samplers.count > 1 ? " and others are" : " is",
                   closed);
}

// Returns true if held values act on the mechanism.
static bool matter(const tn_linear_motion *l)
{
    return tn_norm_inf(l->n * l->nu, l->B) > 0.0 || tn_norm_inf(l->nall * l->nu, l->S) > 0.0;
}

tn_status tn_linear_judge_sampled(tn_equilibrium *s, tn_sampled_poles *out)
{
    loop o = {.s = s, .model = s->model, .ns = tn_model_sampled_count(s->model)};
    *out = (tn_sampled_poles){0};
    if (o.ns == 0 || s->sys->nv > TN_LINEAR_MOST_VELOCITIES)
        return TN_OK;
    int *input = tn_alloc(sizeof(int) * (size_t)o.ns);
    TN_TRY(tn_got(input));
    for (int i = 0; i < o.ns; i++)
        input[i] = s->model->inputs.count + i;
    const bool rests = !tn_eq_moves(s) || tn_norm_inf(s->sys->nv, s->v) == 0.0;
    tn_status status = rests ? tn_linear_motion_create(s, o.ns, input, &o.l) : TN_OK;
    if (status == TN_OK && (!rests || matter(o.l))) {
        o.n = rests ? o.l->n : 0;
        if (rests && !tn_absolute_reads_others(s->sys))
            status = close_loop(&o, out);
        if (status == TN_OK)
            tell_held(s, out);
    }
    tn_linear_motion_destroy(o.l);
    tn_free(input);
    if (status != TN_OK) {
        tn_free(out->re);
        *out = (tn_sampled_poles){0};
    }
    if (status == TN_ERR_MEMORY)
        return status;
    if (status != TN_OK) {
        tn_clear_error();
        tell_held(s, out);
    }
    return tn_eq_linearise(s, &s->now);
}
