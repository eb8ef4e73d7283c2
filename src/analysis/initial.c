// SPDX-License-Identifier: MIT
//
// Consistent initial values; see initial.h. Projections in a weighted norm after
// [Arn16, eq. 88 to 91].

#include "analysis/initial.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "linalg/solver.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double EPS = 1e-9;      // regularisation of the constraint block
static const double MOST_EPS = 1e4;  // the same in search of the least misfit: steepest descent
static const double KEEP = 1e10;     // weight factor of values that must not move
static const double MASSLESS = 1e-6; // weight of a coordinate without mass, relative to the largest

enum { PLACE_D, PLACE_L, PLACE_B, PLACE_BT, PLACE_N, PLACE_NT, PLACE_EPS, PLACE_COUNT };

struct tn_initial {
    tn_system *sys;
    const tn_sparse *L;
    int n, rows;
    tn_composition matrix;
    tn_solver *solver;
    double *factor;           // nv
    double *weight;           // nv
    int *position, *velocity; // rows
    double *rhs;              // n
    double eps;               // EPS, or more where Gauss-Newton steps gain nothing
    double *dx, *q1;          // nv, nq
    double *E;                // dense (nw + ns)^2
    double *re;               // ne
    int *pivot;               // ne
    void *block;
};

static tn_status compose(tn_initial *s)
{
    const tn_system *sys = s->sys;
    const tn_sparse *B = sys->block[TN_BLOCK_B], *N = sys->block[TN_BLOCK_N];
    tn_placement place[PLACE_COUNT] = {
        [PLACE_D] = {.size = sys->nv},
        [PLACE_L] = {.source = s->L},
        [PLACE_B] = {.source = B, .row0 = sys->nv},
        [PLACE_BT] = {.source = B, .col0 = sys->nv, .transposed = true},
        [PLACE_N] = {.source = N, .row0 = sys->nv + sys->ng},
        [PLACE_NT] = {.source = N, .col0 = sys->nv + sys->ng, .transposed = true},
        [PLACE_EPS] = {.size = s->rows, .row0 = sys->nv, .col0 = sys->nv},
    };
    return tn_sparse_compose(s->n, PLACE_COUNT, place, &s->matrix);
}

static void layout(void *self, tn_carve *mem)
{
    tn_initial *s = self;
    const tn_system *sys = s->sys;
    const int ne = sys->nw + sys->ns;
    s->factor = tn_carve_doubles(mem, sys->nv);
    s->weight = tn_carve_doubles(mem, sys->nv);
    s->position = tn_carve_ints(mem, s->rows);
    s->velocity = tn_carve_ints(mem, s->rows);
    s->rhs = tn_carve_doubles(mem, s->n);
    s->dx = tn_carve_doubles(mem, sys->nv);
    s->q1 = tn_carve_doubles(mem, sys->nq);
    s->E = tn_carve_doubles(mem, sys->ne * sys->ne);
    s->re = tn_carve_doubles(mem, sys->ne + ne);
    s->pivot = tn_carve_ints(mem, sys->ne);
}

tn_status tn_initial_create(tn_system *sys, const tn_sparse *L, tn_initial **out)
{
    *out = NULL;
    tn_initial *s = tn_alloc(sizeof *s);
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    s->sys = sys;
    s->L = L;
    s->rows = sys->ng + sys->nn;
    s->n = sys->nv + s->rows;
    s->eps = EPS;
    tn_status status = compose(s);
    if (status == TN_OK)
        status = tn_carve_block(s, layout, &s->block);
    if (status == TN_OK)
        status = tn_solver_create(s->matrix.matrix, &s->solver);
    if (status != TN_OK) {
        tn_initial_destroy(s);
        return status;
    }
    for (int i = 0; i < sys->nv; i++)
        s->factor[i] = 1.0;
    for (int i = 0; i < s->rows; i++) {
        s->position[i] = i < sys->ng;
        s->velocity[i] = 1;
    }
    *out = s;
    return TN_OK;
}

void tn_initial_destroy(tn_initial *s)
{
    if (!s)
        return;
    tn_solver_destroy(s->solver);
    tn_composition_clear(&s->matrix);
    tn_free(s->block);
    tn_free(s);
}

void tn_initial_set_weights(tn_initial *s, const double *factor)
{
    tn_copy(s->sys->nv, factor, s->factor);
}

void tn_initial_set_rows(tn_initial *s, const int *position, const int *velocity)
{
    memcpy(s->position, position, sizeof(int) * (size_t)s->rows);
    memcpy(s->velocity, velocity, sizeof(int) * (size_t)s->rows);
}

// Weights from the diagonal of M (just evaluated), relative to its largest entry.
static void set_weights(tn_initial *s)
{
    const tn_system *sys = s->sys;
    const tn_sparse *M = sys->block[TN_BLOCK_M];
    double largest = 0.0;
    for (int i = 0; i < sys->nv; i++) {
        s->weight[i] = M ? tn_sparse_at(M, i, i) : 1.0; // large trees have no matrix
        largest = fmax(largest, s->weight[i]);
    }
    if (largest <= 0.0)
        largest = 1.0;
    for (int i = 0; i < sys->nv; i++) {
        const double factor = isfinite(s->factor[i]) ? s->factor[i] : KEEP;
        s->weight[i] = factor * fmax(s->weight[i] / largest, MASSLESS);
    }
}

// Adds D L + L^T D + L^T D L. The block that holds column j starts at row `first`.
static void add_levers(const tn_initial *s, double *val)
{
    const tn_sparse *L = s->L;
    const int *map = s->matrix.maps[PLACE_L];
    for (int j = 0; L && j < L->ncol; j++)
        for (int k = L->colptr[j]; k < L->colptr[j + 1]; k++) {
            const int i = L->rowind[k], first = L->rowind[L->colptr[j]];
            const int end = first + L->colptr[j + 1] - L->colptr[j];
            const double DL = s->weight[i] * L->val[k];
            val[map[k]] += DL;
            val[map[L->colptr[i] + j - first]] += DL;
            for (int m = first; m < end; m++)
                val[map[L->colptr[m] + j - first]] += DL * L->val[L->colptr[m] + i - first];
        }
}

static tn_status factor(tn_initial *s, const int *rows)
{
    const tn_system *sys = s->sys;
    const tn_sparse *B = sys->block[TN_BLOCK_B], *N = sys->block[TN_BLOCK_N];
    tn_sparse *A = s->matrix.matrix;
    int **map = s->matrix.maps;
    tn_zero(A->nnz, A->val);
    for (int i = 0; i < sys->nv; i++)
        A->val[map[PLACE_D][i]] += s->weight[i];
    add_levers(s, A->val);
    for (int k = 0; B && k < B->nnz; k++)
        if (rows[B->rowind[k]]) {
            A->val[map[PLACE_B][k]] += B->val[k];
            A->val[map[PLACE_BT][k]] += B->val[k];
        }
    for (int k = 0; N && k < N->nnz; k++)
        if (rows[sys->ng + N->rowind[k]]) {
            A->val[map[PLACE_N][k]] += N->val[k];
            A->val[map[PLACE_NT][k]] += N->val[k];
        }
    for (int i = 0; i < s->rows; i++)
        A->val[map[PLACE_EPS][i]] += rows[i] ? -s->eps : 1.0;
    return tn_solver_factor(s->solver, A);
}

// dx from the residual rows in rhs[nv…]; the values that must not move are cut off exactly.
static void solve(tn_initial *s, double *dx)
{
    tn_zero(s->sys->nv, s->rhs);
    tn_solver_solve(s->solver, s->rhs);
    for (int i = 0; i < s->sys->nv; i++)
        dx[i] = isfinite(s->factor[i]) ? s->rhs[i] : 0.0;
}

tn_status tn_initial_extra(tn_initial *s, const tn_point *at, double *e)
{
    tn_system *sys = s->sys;
    const int n = sys->nw + sys->ns, nc = sys->nc;
    tn_point point = *at;
    point.e = e;
    for (int k = 0; n > 0 && k < 50; k++) {
        TN_TRY(tn_system_eval(sys, &point,
                              TN_EVAL_EXTRA | TN_EVAL_TANGENT | TN_EVAL_MASS | TN_EVAL_FORCE |
                                  TN_EVAL_B | TN_EVAL_GDOT));
        for (int j = 0; j < n; j++) {
            s->re[j] = -sys->extra[nc + j];
            for (int i = 0; i < n; i++)
                s->E[j * n + i] = tn_sparse_at(sys->block[TN_BLOCK_EE], nc + i, nc + j);
        }
        if (tn_lu_factor(n, s->E, s->pivot) != TN_OK)
            return tn_fail(TN_ERR_SINGULAR,
                           "the equations of the algebraic variables w and s are "
                           "singular at t = %g s: db/dw and dh/ds must be regular",
                           at->t);
        tn_lu_solve(n, s->E, s->pivot, s->re);
        tn_axpy(n, 1.0, s->re, e + nc);
        if (tn_norm_inf(n, s->re) <= 1e-14 * (1.0 + tn_norm_inf(n, e + nc)))
            break;
    }
    return TN_OK;
}

// The first of equals: which of two rows is larger by round-off must not decide a message.
static double largest(const tn_system *sys, const double *g, const int *rows, int *where)
{
    double most = 0.0;
    *where = 0;
    for (int i = 0; i < sys->ng; i++)
        if (rows[i] && fabs(g[i]) > (1.0 + 1e-6) * most) {
            most = fabs(g[i]);
            *where = i;
        }
    return most;
}

// 2-norm of the rows that take part: what a Gauss-Newton step is sure to lower.
static double residual_at(tn_initial *s, const tn_point *at, double *e, const double *q)
{
    tn_point point = *at;
    point.q = q;
    if (tn_initial_extra(s, &point, e) != TN_OK)
        return INFINITY;
    point.e = e;
    if (tn_system_eval(s->sys, &point, TN_EVAL_G) != TN_OK)
        return INFINITY;
    double sum = 0.0;
    for (int i = 0; i < s->sys->ng; i++)
        sum += s->position[i] ? s->sys->g[i] * s->sys->g[i] : 0.0;
    return sqrt(sum);
}

// At the best point found, C^T g = 0 with g != 0. Where that also holds nearby the rows contradict
// each other whatever the configuration; otherwise the mechanism just does not reach.
static bool contradicts(tn_initial *s, const tn_point *at, const double *q)
{
    tn_system *sys = s->sys;
    tn_point point = *at;
    uint32_t seed = 12345u;
    double *g = s->rhs, *force = s->dx;
    point.q = q;
    if (tn_system_eval(sys, &point, TN_EVAL_G) != TN_OK)
        return false;
    for (int i = 0; i < sys->ng; i++)
        g[i] = s->position[i] ? sys->g[i] : 0.0;
    for (int i = 0; i < sys->nv; i++) {
        seed = seed * 1664525u + 1013904223u;
        s->weight[i] = 1e-2 * ((double)seed / 4294967296.0 - 0.5);
    }
    tn_group_retract(sys->ngroup, sys->groups, q, s->weight, s->q1);
    point.q = s->q1;
    if (tn_system_eval(sys, &point, TN_EVAL_B) != TN_OK)
        return false;
    tn_zero(sys->nv, force);
    tn_sparse_mul_t(sys->block[TN_BLOCK_B], 1.0, g, force);
    return tn_norm_inf(sys->nv, force) <= 1e-6 * tn_norm_inf(sys->ng, g);
}

static tn_status cannot_assemble(tn_initial *s, const tn_point *at, const double *q, double *e)
{
    tn_system *sys = s->sys;
    int where = 0, other = -1;
    char name[160], second[160] = "";
    residual_at(s, at, e, q);
    const double most = largest(sys, sys->g, s->position, &where);
    sys->ops->row_name(sys, where, name, sizeof name);
    for (int i = 0; i < sys->ng; i++)
        if (i != where && s->position[i] && fabs(sys->g[i]) > 0.1 * most &&
            (other < 0 || fabs(sys->g[i]) > fabs(sys->g[other])))
            other = i;
    if (contradicts(s, at, q)) {
        if (other >= 0)
            sys->ops->row_name(sys, other, second, sizeof second);
        return tn_fail(TN_ERR_MODEL,
                       "the constraints contradict each other: %s%s%s cannot hold together, they "
                       "miss each other by %.4g; remove one of them or make them agree",
                       name, other >= 0 ? " and " : "", second, 2.0 * most);
    }
    return tn_fail(TN_ERR_MODEL,
                   "the mechanism cannot be assembled: %s stays %.4g apart; check the lengths, "
                   "positions and stated start values of the bodies that it connects",
                   name, most);
}

// A step towards g = 0 from q into dx, Gauss-Newton at eps = EPS.
static tn_status find_step(tn_initial *s, const tn_point *at, const double *q, const double *e)
{
    tn_system *sys = s->sys;
    tn_point point = *at;
    point.q = q;
    point.e = e;
    TN_TRY(tn_system_eval(sys, &point, TN_EVAL_MASS | TN_EVAL_G | TN_EVAL_B));
    set_weights(s);
    TN_TRY(factor(s, s->position));
    for (int i = 0; i < s->rows; i++)
        s->rhs[sys->nv + i] = i < sys->ng && s->position[i] ? -sys->g[i] : 0.0;
    solve(s, s->dx);
    return TN_OK;
}

// The longest part of dx, halved up to eight times, that lowers the residual `norm`; q1 is there.
// `whole` tells that the first trial did.
static double search(tn_initial *s, const tn_point *at, double *e, const double *q, double norm,
                     bool *whole)
{
    const tn_system *sys = s->sys;
    const double size = tn_norm_inf(sys->nv, s->dx);
    double scale = size > 0.5 ? 0.5 / size : 1.0; // no leaps over half a metre or radian
    double found = INFINITY;
    for (int half = 0; half < 8 && !(found < norm); half++, scale *= 0.5) {
        for (int i = 0; i < sys->nv; i++)
            s->weight[i] = scale * s->dx[i];
        tn_group_retract(sys->ngroup, sys->groups, q, s->weight, s->q1);
        found = residual_at(s, at, e, s->q1);
        *whole = half == 0;
    }
    return found;
}

// Gauss-Newton to round-off, not to tol: the integrators start from what is left. Where its steps
// are too long eps grows, as in the method of Levenberg and Marquardt, so that a mechanism that
// cannot be assembled ends at its least misfit, which is what the message tells.
tn_status tn_initial_position(tn_initial *s, const tn_point *at, double tol, double *q, double *e)
{
    tn_system *sys = s->sys;
    int where = 0, stalled = 0;
    double norm = residual_at(s, at, e, q);
    // Round-off of all rows together, where bodies are far from the origin.
    const double noise = fmax(1e-10, 1e-14 * sqrt(sys->ng) * tn_norm_inf(sys->nq, q));
    tn_status status = TN_OK;
    if (!isfinite(norm))
        return tn_fail(TN_ERR_MODEL, "%s", tn_last_error());
    for (int k = 0; k < 200 && norm > 1e-15 && stalled < 8 && status == TN_OK; k++) {
        status = find_step(s, at, q, e);
        bool whole = false;
        const double found = status == TN_OK ? search(s, at, e, q, norm, &whole) : INFINITY;
        const bool better = found < norm;
        stalled = found < (1.0 - 1e-6) * norm ? 0 : stalled + 1;
        if (!better && norm < noise)
            break;
        s->eps = better && whole ? fmax(0.1 * s->eps, EPS) : fmin(100.0 * s->eps, MOST_EPS);
        if (better) {
            tn_copy(sys->nq, s->q1, q);
            norm = found;
        }
    }
    s->eps = EPS;
    TN_TRY(status);
    residual_at(s, at, e, q); // w and s, and g, belong to q again
    return largest(sys, sys->g, s->position, &where) <= tol ? TN_OK : cannot_assemble(s, at, q, e);
}

static double velocity_residual(tn_initial *s, tn_point *at, const double *v, int *where)
{
    tn_system *sys = s->sys;
    at->v = v;
    if (tn_system_eval(sys, at, TN_EVAL_MASS | TN_EVAL_B | TN_EVAL_GDOT) != TN_OK)
        return INFINITY;
    double most = 0.0;
    for (int i = 0; i < s->rows; i++) {
        const double r = i < sys->ng ? sys->gdot[i] : sys->ndot[i - sys->ng];
        s->rhs[sys->nv + i] = s->velocity[i] ? -r : 0.0;
        if (s->velocity[i] && fabs(r) > (1.0 + 1e-6) * most) { // the first of equals
            most = fabs(r);
            *where = i;
        }
    }
    return most;
}

tn_status tn_initial_velocity(tn_initial *s, const tn_point *at, double tol, double *v)
{
    tn_system *sys = s->sys;
    tn_point point = *at;
    int where = 0;
    double most = velocity_residual(s, &point, v, &where), last = INFINITY;
    set_weights(s);
    if (most > 0.0)
        TN_TRY(factor(s, s->velocity));
    for (int k = 0; k < 10 && most > 0.0 && most < 0.5 * last; k++) {
        solve(s, s->dx);
        tn_axpy(sys->nv, 1.0, s->dx, v);
        last = most;
        most = velocity_residual(s, &point, v, &where);
    }
    if (most <= tol * (1.0 + tn_norm_inf(sys->nv, v)))
        return TN_OK;
    char name[160];
    sys->ops->row_name(sys, where, name, sizeof name);
    return tn_fail(TN_ERR_MODEL,
                   "the velocities cannot be made consistent: %s is violated at a rate of %.4g; "
                   "stated start velocities, drives and joints contradict each other",
                   name, most);
}
