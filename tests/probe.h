// SPDX-License-Identifier: MIT
//
// A system at a point, and exact-looking differences of what it evaluates there: along a coordinate
// q o exp(e dx), along a velocity, or along the motion q o exp(e v + e^2 a / 2), v + e a, t + e.
//
// Differences of fourth order, (8 (f_1 - f_-1) - (f_2 - f_-2)) / 12 e.

#pragma once

#include "linalg/dense.h"
#include "system/absolute.h"
#include "test.h"

// Truncation e^4 / 30 times fifth derivatives, round-off 1e-16 / e times the size of the functions:
// with fifth derivatives of 1e4 (stops, long arms, accelerations of 100) both are near 1e-12.
static const double PROBE_STEP = 2e-4;

typedef struct probe {
    tn_system *sys;
    double t;
    double *q, *v, *a, *lambda, *eta, *e, *r;
    double *x, *q1, *v1; // increment and moved state
    double *block;
} probe;

static inline tn_point probe_point(const probe *p)
{
    return (tn_point){p->t, p->q, p->v, p->a, p->lambda, p->eta, p->e, p->r};
}

static inline probe probe_open(tn_system *sys)
{
    probe p = {.sys = sys};
    const int size[] = {sys->nq, sys->nv, sys->nv, sys->ng, sys->nn,
                        sys->ne, sys->nr, sys->nv, sys->nq, sys->nv};
    double **at[] = {&p.q, &p.v, &p.a, &p.lambda, &p.eta, &p.e, &p.r, &p.x, &p.q1, &p.v1};
    size_t total = 1;
    for (int k = 0; k < TN_COUNT(size); k++)
        total += (size_t)size[k];
    p.block = calloc(total, sizeof(double));
    CHECK(p.block != NULL);
    double *next = p.block;
    for (int k = 0; k < TN_COUNT(size); k++) {
        *at[k] = next;
        next += size[k];
    }
    return p;
}

static inline void probe_close(probe *p)
{
    free(p->block);
    tn_system_destroy(p->sys);
    *p = (probe){0};
}

static inline void random_fill(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = tn_random();
}

// The start configuration of the model, moved at random; velocities, accelerations and multipliers
// of size one, the time anywhere.
static inline void probe_randomize(probe *p, double moved)
{
    tn_system *s = p->sys;
    tn_absolute_start(s, p->q, p->v, p->r);
    random_fill(s->nv, p->x);
    tn_scale(s->nv, moved, p->x);
    tn_group_retract(s->ngroup, s->groups, p->q, p->x, p->q);
    random_fill(s->nv, p->v);
    random_fill(s->nv, p->a);
    random_fill(s->ng, p->lambda);
    random_fill(s->nn, p->eta);
    p->t = tn_random();
    // Branches of angles near the present ones, so that differences do not meet a jump.
    const tn_point at = probe_point(p);
    s->ops->accept(s, &at, p->r);
}

// Where to go: column j of q, of v, or the motion itself.
typedef enum probe_kind { ALONG_Q, ALONG_V, ALONG_MOTION } probe_kind;

static inline tn_point probe_moved(probe *p, probe_kind kind, int j, double e)
{
    tn_system *s = p->sys;
    tn_point at = probe_point(p);
    tn_zero(s->nv, p->x);
    tn_copy(s->nv, p->v, p->v1);
    at.q = p->q1;
    at.v = p->v1;
    if (kind == ALONG_Q)
        p->x[j] = e;
    else if (kind == ALONG_V)
        p->v1[j] += e;
    else {
        at.t += e;
        for (int i = 0; i < s->nv; i++)
            p->x[i] = e * (p->v[i] + 0.5 * e * p->a[i]);
        tn_axpy(s->nv, e, p->a, p->v1);
    }
    tn_group_retract(s->ngroup, s->groups, p->q, p->x, p->q1);
    return at;
}

// M a - f + B^T lambda + N^T eta
static inline void probe_residual(tn_system *s, const tn_point *at, double *r)
{
    CHECK_OK(tn_system_eval(s, at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B));
    for (int i = 0; i < s->nv; i++)
        r[i] = -s->f[i];
    tn_sparse_mul(s->block[TN_BLOCK_M], 1.0, at->a, r);
    if (s->ng > 0)
        tn_sparse_mul_t(s->block[TN_BLOCK_B], 1.0, at->lambda, r);
    if (s->nn > 0)
        tn_sparse_mul_t(s->block[TN_BLOCK_N], 1.0, at->eta, r);
}

// d/de of (g, gdot, ndot, residual): 2 ng + nn + nv numbers.
static inline void probe_derivative(probe *p, probe_kind kind, int j, double *out)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    tn_system *s = p->sys;
    const int ng = s->ng, nn = s->nn, nv = s->nv;
    double *r = calloc((size_t)nv + 1, sizeof(double));
    CHECK(r != NULL);
    tn_zero(2 * ng + nn + nv, out);
    for (int k = 0; k < 4; k++) {
        const tn_point at = probe_moved(p, kind, j, at_step[k] * PROBE_STEP);
        const double scale = weight[k] / (12.0 * PROBE_STEP);
        CHECK_OK(tn_system_eval(s, &at, TN_EVAL_G | TN_EVAL_GDOT));
        tn_axpy(ng, scale, s->g, out);
        tn_axpy(ng, scale, s->gdot, out + ng);
        tn_axpy(nn, scale, s->ndot, out + 2 * ng);
        probe_residual(s, &at, r);
        tn_axpy(nv, scale, r, out + 2 * ng + nn);
    }
    free(r);
}

// Column j of a block, dense.
static inline void probe_column(const tn_sparse *A, int j, double *out)
{
    tn_zero(A->nrow, out);
    for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
        out[A->rowind[k]] = A->val[k];
}

// The largest deviation of the blocks B, Z, NZ, K (N, D where `kind` is ALONG_V) in column j,
// relative to one plus the size of the column. Blocks as last evaluated.
static inline double probe_misfit(probe *p, probe_kind kind, int j)
{
    tn_system *s = p->sys;
    const int ng = s->ng, nn = s->nn, nv = s->nv, n = 2 * ng + nn + nv;
    double *difference = calloc(2 * (size_t)n + 1, sizeof(double)), *exact = difference + n;
    CHECK(difference != NULL);
    const tn_point at = probe_point(p);
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_B | TN_EVAL_TANGENT));
    if (kind == ALONG_Q) {
        probe_column(s->block[TN_BLOCK_B], j, exact);
        probe_column(s->block[TN_BLOCK_Z], j, exact + ng);
        if (nn > 0)
            probe_column(s->block[TN_BLOCK_NZ], j, exact + 2 * ng);
        probe_column(s->block[TN_BLOCK_K], j, exact + 2 * ng + nn);
    } else {
        probe_column(s->block[TN_BLOCK_B], j, exact + ng);
        if (nn > 0)
            probe_column(s->block[TN_BLOCK_N], j, exact + 2 * ng);
        probe_column(s->block[TN_BLOCK_D], j, exact + 2 * ng + nn);
    }
    probe_derivative(p, kind, j, difference);
    const double size = 1.0 + tn_norm_inf(n, exact);
    tn_axpy(n, -1.0, exact, difference);
    const double misfit =
        tn_all_finite(n, difference) ? tn_norm_inf(n, difference) / size : INFINITY;
    free(difference);
    return misfit;
}
