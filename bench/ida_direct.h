// SPDX-License-Identifier: MIT
//
// The yardstick: the four-bars of fourbars.h as one would write them for IDA by hand, in planar
// coordinates q = (x, y, angle) of each rod and the stabilised index-2 form [Arn16, eq. 92],
//
//   q' - v + G^T mu = 0,   M v' - f + G^T lambda = 0,   G v = 0,   g = 0,
//
// residual and Jacobian written out for this one mechanism, the Jacobian as one sparse matrix in
// compressed columns, factored by KLU. Tolerances and weights are those of the method bdf.

#pragma once

#include "fourbars.h"

#include <ida/ida.h>
#include <klu.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <string.h>

typedef struct direct {
    fourbars m;
    int nq, nl, n; // 3 rods, 2 pins, unknowns (q, v, lambda, mu)
    double tol;
    // The Jacobian, and where each term of it goes: in the order in which `each_term` makes them.
    int nnz, *start, *row, nterm, *slot;
    double *value;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    void *ida;
    SUNContext context;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    N_Vector y, yp, id;
} direct;

// Vector from the middle of a rod to its end, turned with it.
static inline void arm(const rod *r, double end, double angle, double *x, double *y)
{
    *x = 0.5 * end * r->length * cos(angle);
    *y = 0.5 * end * r->length * sin(angle);
}

static inline int direct_residual(double t, N_Vector y_, N_Vector yp_, N_Vector r_, void *self)
{
    const direct *d = self;
    const double *q = NV_DATA_S(y_), *v = q + d->nq, *lambda = v + d->nq, *mu = lambda + d->nl;
    const double *qp = NV_DATA_S(yp_), *vp = qp + d->nq;
    double *rq = NV_DATA_S(r_), *rv = rq + d->nq, *rl = rv + d->nq, *rm = rl + d->nl;
    (void)t;
    for (int k = 0; k < d->m.nrod; k++) {
        const rod *body = &d->m.rods[k];
        const int i = 3 * k;
        for (int c = 0; c < 3; c++)
            rq[i + c] = qp[i + c] - v[i + c];
        rv[i] = body->mass * vp[i];
        rv[i + 1] = body->mass * (vp[i + 1] + GRAVITY);
        rv[i + 2] = body->inertia * vp[i + 2];
    }
    for (int k = 0; k < d->m.npin; k++) {
        const pin *p = &d->m.pins[k];
        const int j = 2 * k, b = 3 * p->b;
        double x, y;
        arm(&d->m.rods[p->b], p->end_b, q[b + 2], &x, &y);
        rm[j] = q[b] + x - p->x;
        rm[j + 1] = q[b + 1] + y - p->y;
        rl[j] = v[b] - y * v[b + 2];
        rl[j + 1] = v[b + 1] + x * v[b + 2];
        rq[b] += mu[j];
        rq[b + 1] += mu[j + 1];
        rq[b + 2] += x * mu[j + 1] - y * mu[j];
        rv[b] += lambda[j];
        rv[b + 1] += lambda[j + 1];
        rv[b + 2] += x * lambda[j + 1] - y * lambda[j];
        if (p->a < 0)
            continue;
        const int a = 3 * p->a;
        arm(&d->m.rods[p->a], p->end_a, q[a + 2], &x, &y);
        rm[j] -= q[a] + x - p->x;
        rm[j + 1] -= q[a + 1] + y - p->y;
        rl[j] -= v[a] - y * v[a + 2];
        rl[j + 1] -= v[a + 1] + x * v[a + 2];
        rq[a] -= mu[j];
        rq[a + 1] -= mu[j + 1];
        rq[a + 2] -= x * mu[j + 1] - y * mu[j];
        rv[a] -= lambda[j];
        rv[a + 1] -= lambda[j + 1];
        rv[a + 2] -= x * lambda[j + 1] - y * lambda[j];
    }
    return 0;
}

// Takes the terms of the Jacobian one after the other: row, column, value.
typedef void (*term_taker)(direct *d, int row, int column, double value);

// The part of one end of a pin: sign is 1 at b and -1 at a.
static inline void end_terms(direct *d, term_taker take, const double *at, int k, int body,
                             double end, double sign)
{
    const double *q = at, *v = q + d->nq, *lambda = v + d->nq, *mu = lambda + d->nl;
    const int i = 3 * body, iv = d->nq + i, jl = 2 * d->nq + 2 * k, jm = jl + d->nl;
    double x, y;
    arm(&d->m.rods[body], end, q[i + 2], &x, &y);
    const double G[2][3] = {{sign, 0.0, -sign * y}, {0.0, sign, sign * x}};
    for (int r = 0; r < 2; r++)
        for (int c = r; c < 3; c += 2 - r) { // entries that are not zero
            take(d, jm + r, i + c, G[r][c]);
            take(d, jl + r, iv + c, G[r][c]);
            take(d, i + c, jm + r, G[r][c]);
            take(d, iv + c, jl + r, G[r][c]);
        }
    const double *m = mu + 2 * k, *l = lambda + 2 * k;
    take(d, i + 2, i + 2, -sign * (x * m[0] + y * m[1]));
    take(d, iv + 2, i + 2, -sign * (x * l[0] + y * l[1]));
    take(d, jl, i + 2, -sign * x * v[i + 2]);
    take(d, jl + 1, i + 2, -sign * y * v[i + 2]);
}

static inline void each_term(direct *d, term_taker take, const double *at, double c)
{
    for (int k = 0; k < d->m.nrod; k++) {
        const rod *body = &d->m.rods[k];
        const double mass[3] = {body->mass, body->mass, body->inertia};
        for (int i = 3 * k; i < 3 * k + 3; i++) {
            take(d, i, i, c);
            take(d, i, d->nq + i, -1.0);
            take(d, d->nq + i, d->nq + i, c * mass[i - 3 * k]);
        }
    }
    for (int k = 0; k < d->m.npin; k++) {
        const pin *p = &d->m.pins[k];
        end_terms(d, take, at, k, p->b, p->end_b, 1.0);
        if (p->a >= 0)
            end_terms(d, take, at, k, p->a, p->end_a, -1.0);
    }
}

static inline void add_term(direct *d, int row, int column, double value)
{
    (void)row, (void)column;
    d->value[d->slot[d->nterm++]] += value;
}

static inline int direct_jacobian(double t, double c, N_Vector y, N_Vector yp, N_Vector r,
                                  SUNMatrix J, void *self, N_Vector w1, N_Vector w2, N_Vector w3)
{
    direct *d = self;
    (void)t, (void)yp, (void)r, (void)J, (void)w1, (void)w2, (void)w3;
    memset(d->value, 0, (size_t)d->nnz * sizeof *d->value);
    d->nterm = 0;
    each_term(d, add_term, NV_DATA_S(y), c);
    return 0;
}

// The pattern ------------------------------------------------------------------------------------

static inline void count_term(direct *d, int row, int column, double value)
{
    (void)row, (void)value;
    d->start[column + 1]++;
    d->nterm++;
}

static inline void place_term(direct *d, int row, int column, double value)
{
    (void)value;
    int at = d->start[column];
    while (d->row[at] >= 0 && d->row[at] != row)
        at++;
    d->row[at] = row;
    d->slot[d->nterm++] = at;
}

// Columns have room for terms that fall on the same entry: closes the gaps.
static inline void pack(direct *d)
{
    int *moved = calloc((size_t)d->start[d->n], sizeof(int)), packed = 0;
    for (int j = 0; j < d->n; j++) {
        const int first = packed;
        for (int k = d->start[j]; k < d->start[j + 1] && d->row[k] >= 0; k++) {
            moved[k] = packed;
            d->row[packed++] = d->row[k];
        }
        d->start[j] = first;
    }
    d->nnz = d->start[d->n] = packed;
    for (int k = 0; k < d->nterm; k++)
        d->slot[k] = moved[d->slot[k]];
    free(moved);
}

static inline void find_pattern(direct *d, const double *at)
{
    d->start = calloc((size_t)d->n + 1, sizeof(int));
    d->nterm = 0;
    each_term(d, count_term, at, 1.0);
    for (int j = 0; j < d->n; j++)
        d->start[j + 1] += d->start[j];
    d->row = malloc((size_t)d->nterm * sizeof(int));
    d->slot = malloc((size_t)d->nterm * sizeof(int));
    d->value = malloc((size_t)d->nterm * sizeof(double));
    memset(d->row, -1, (size_t)d->nterm * sizeof(int));
    d->nterm = 0;
    each_term(d, place_term, at, 1.0);
    pack(d);
}

// What IDA asks of a matrix and a solver ---------------------------------------------------------

static inline SUNMatrix_ID direct_matrix_id(SUNMatrix A)
{
    (void)A;
    return SUNMATRIX_CUSTOM;
}

static inline int direct_matrix_zero(SUNMatrix A)
{
    (void)A;
    return 0;
}

static inline SUNLinearSolver_Type direct_solver_type(SUNLinearSolver s)
{
    (void)s;
    return SUNLINEARSOLVER_DIRECT;
}

// As SUNDIALS' own interface to KLU does: new values in the old pivot order, new pivots where that
// has become poor.
static inline int direct_setup(SUNLinearSolver s, SUNMatrix A)
{
    direct *d = s->content;
    (void)A;
    if (!d->symbolic)
        d->symbolic = klu_analyze(d->n, d->start, d->row, &d->common);
    if (d->numeric) {
        klu_refactor(d->start, d->row, d->value, d->symbolic, d->numeric, &d->common);
        klu_rcond(d->symbolic, d->numeric, &d->common);
        if (d->common.rcond > 3.7e-11) // eps^(2/3)
            return 0;
        klu_free_numeric(&d->numeric, &d->common);
    }
    d->numeric = klu_factor(d->start, d->row, d->value, d->symbolic, &d->common);
    return d->numeric ? 0 : 1;
}

static inline int direct_solve(SUNLinearSolver s, SUNMatrix A, N_Vector x, N_Vector b, double tol)
{
    direct *d = s->content;
    (void)A, (void)tol;
    memcpy(NV_DATA_S(x), NV_DATA_S(b), (size_t)d->n * sizeof(double));
    return klu_solve(d->symbolic, d->numeric, d->n, 1, NV_DATA_S(x), &d->common) ? 0 : 1;
}

static inline int direct_weights(N_Vector y, N_Vector w, void *self)
{
    const direct *d = self;
    double h = 0.0;
    IDAGetCurrentStep(d->ida, &h);
    if (h == 0.0)
        h = 1e-3;
    const double scale = sqrt((double)d->n / (2.0 * d->nq));
    for (int i = 0; i < d->n; i++)
        NV_Ith_S(w, i) =
            scale * (i < 2 * d->nq ? 1.0 : h) / (d->tol + d->tol * fabs(NV_Ith_S(y, i)));
    return 0;
}

// Opens a run; direct_start gives it its first values.
static inline bool direct_open(direct *d, int loops, double tol)
{
    *d = (direct){.m = fourbars_create(loops), .tol = tol};
    d->nq = 3 * d->m.nrod;
    d->nl = 2 * d->m.npin;
    d->n = 2 * (d->nq + d->nl);
    SUNContext_Create(NULL, &d->context);
    d->y = N_VNew_Serial(d->n, d->context);
    d->yp = N_VNew_Serial(d->n, d->context);
    d->id = N_VNew_Serial(d->n, d->context);
    N_VConst(0.0, d->y);
    N_VConst(0.0, d->yp);
    N_VConst(0.0, d->id);
    for (int k = 0; k < d->m.nrod; k++) {
        NV_Ith_S(d->y, 3 * k) = d->m.rods[k].x;
        NV_Ith_S(d->y, 3 * k + 1) = d->m.rods[k].y;
        NV_Ith_S(d->y, 3 * k + 2) = d->m.rods[k].angle;
    }
    for (int i = 0; i < 2 * d->nq; i++)
        NV_Ith_S(d->id, i) = 1.0;
    klu_defaults(&d->common);
    find_pattern(d, NV_DATA_S(d->y));
    d->matrix = SUNMatNewEmpty(d->context);
    d->matrix->ops->getid = direct_matrix_id;
    d->matrix->ops->zero = direct_matrix_zero;
    d->solver = SUNLinSolNewEmpty(d->context);
    d->solver->content = d;
    d->solver->ops->gettype = direct_solver_type;
    d->solver->ops->setup = direct_setup;
    d->solver->ops->solve = direct_solve;
    d->ida = IDACreate(d->context);
    return IDASetUserData(d->ida, d) == 0 &&
           IDAInit(d->ida, direct_residual, 0.0, d->y, d->yp) == 0 &&
           IDAWFtolerances(d->ida, direct_weights) == 0 &&
           IDASetLinearSolver(d->ida, d->solver, d->matrix) == 0 &&
           IDASetJacFn(d->ida, direct_jacobian) == 0 && IDASetId(d->ida, d->id) == 0 &&
           IDASetSuppressAlg(d->ida, 1) == 0;
}

// Accelerations and multipliers at rest: M v' + G^T lambda = f, G v' = 0 are among the rows of the
// Jacobian, with v' = c v.
static inline void direct_start(direct *d)
{
    const double c = 1e3;
    N_Vector r = N_VNew_Serial(d->n, d->context), x = N_VNew_Serial(d->n, d->context);
    direct_residual(0.0, d->y, d->yp, r, d);
    direct_jacobian(0.0, c, d->y, d->yp, r, d->matrix, d, NULL, NULL, NULL);
    direct_setup(d->solver, d->matrix);
    direct_solve(d->solver, d->matrix, x, r, 0.0);
    for (int i = d->nq; i < 2 * d->nq; i++)
        NV_Ith_S(d->yp, i) = -c * NV_Ith_S(x, i);
    for (int i = 2 * d->nq; i < 2 * d->nq + d->nl; i++)
        NV_Ith_S(d->y, i) = -NV_Ith_S(x, i);
    N_VDestroy(r);
    N_VDestroy(x);
    IDAReInit(d->ida, 0.0, d->y, d->yp);
}

static inline void direct_close(direct *d)
{
    IDAFree(&d->ida);
    N_VDestroy(d->y);
    N_VDestroy(d->yp);
    N_VDestroy(d->id);
    klu_free_numeric(&d->numeric, &d->common);
    klu_free_symbolic(&d->symbolic, &d->common);
    SUNLinSolFreeEmpty(d->solver);
    SUNMatFreeEmpty(d->matrix);
    SUNContext_Free(&d->context);
    free(d->start);
    free(d->row);
    free(d->slot);
    free(d->value);
    fourbars_destroy(&d->m);
}
