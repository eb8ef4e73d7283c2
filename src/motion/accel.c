// SPDX-License-Identifier: MIT
//
// The linear system of the acceleration level; see accel.h.

#include "motion/accel.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "motion/schur.h"

#include <math.h>
#include <string.h>

// Rows up to which the Schur complement beats the matrix, where there is one: a step of Andrews'
// mechanism (6 rows) and one of ten four-bars (20 rows) both take 0.8 of the time. It is full, and
// its factors take the cube of the rows.
enum { SCHUR_MOST = 24 };

tn_status tn_kkt_open(tn_kkt *k, tn_system *sys)
{
    TN_ASSERT(sys->block[TN_BLOCK_M]);
    const tn_sparse *B = sys->block[TN_BLOCK_B], *N = sys->block[TN_BLOCK_N];
    const int nv = sys->nv, rows = sys->ng + sys->nn;
    const tn_placement place[TN_KKT_COUNT] = {
        [TN_KKT_M] = {.source = sys->block[TN_BLOCK_M]},
        [TN_KKT_B] = {.source = B, .row0 = nv},
        [TN_KKT_BT] = {.source = B, .col0 = nv, .transposed = true},
        [TN_KKT_N] = {.source = N, .row0 = nv + sys->ng},
        [TN_KKT_NT] = {.source = N, .col0 = nv + sys->ng, .transposed = true},
        [TN_KKT_DIAGONAL] = {.size = rows, .row0 = nv, .col0 = nv},
        [TN_KKT_FILL] = {.size = sys->nmassless > 0 ? nv : 0},
    };
    k->sys = sys;
    TN_TRY(tn_sparse_compose(nv + rows, nv + rows, TN_KKT_COUNT, place, &k->matrix));
    TN_TRY(tn_solver_create(k->matrix.matrix, &k->solver));
    tn_solver_set_inertia(k->solver, 0, 0, nv);
    return TN_OK;
}

void tn_kkt_close(tn_kkt *k)
{
    tn_solver_destroy(k->solver);
    tn_composition_clear(&k->matrix);
}

void tn_kkt_fill(tn_kkt *k)
{
    tn_sparse *const *block = k->sys->block;
    tn_composition *A = &k->matrix;
    tn_zero(A->matrix->nnz, A->matrix->val);
    tn_composition_add(A, TN_KKT_M, 1.0, block[TN_BLOCK_M]);
    tn_composition_add(A, TN_KKT_B, 1.0, block[TN_BLOCK_B]);
    tn_composition_add(A, TN_KKT_BT, 1.0, block[TN_BLOCK_B]);
    tn_composition_add(A, TN_KKT_N, 1.0, block[TN_BLOCK_N]);
    tn_composition_add(A, TN_KKT_NT, 1.0, block[TN_BLOCK_N]);
}

tn_status tn_kkt_factor(tn_kkt *k, const int *active)
{
    tn_sparse *A = k->matrix.matrix;
    const int nv = k->sys->nv, rows = k->sys->ng + k->sys->nn;
    int left_out = 0;
    for (int i = 0; i < rows; i++)
        left_out += !active[i];
    for (int i = 0; i < A->nnz && left_out > 0; i++)
        if (A->rowind[i] >= nv && !active[A->rowind[i] - nv])
            A->val[i] = 0.0;
    for (int i = 0; i < rows && left_out > 0; i++)
        if (!active[i])
            A->val[k->matrix.maps[TN_KKT_DIAGONAL][i]] = 1.0;
    const tn_status status = tn_solver_factor(k->solver, A);
    k->singular = status == TN_RETRY_SINGULAR;
    tn_system_note_rcond(k->sys, k->solver->stats.rcond);
    return k->singular ? TN_OK : status;
}

tn_status tn_kkt_solve(tn_kkt *k, double *b)
{
    if (k->singular)
        return tn_solver_solve_rank(k->solver, k->matrix.matrix, b);
    tn_solver_solve(k->solver, b);
    return TN_OK;
}

void tn_kkt_values(tn_kkt *k, tn_values *v)
{
    TN_VALUES_BOOL(v, &k->singular);
    TN_VALUES(v, "1", k->matrix.matrix->nnz, k->matrix.matrix->val);
    tn_solver_values(k->solver, v);
}

static void layout_accel(void *self, tn_carve *mem)
{
    tn_accel *acc = self;
    acc->active = tn_carve_ints(mem, acc->n);
    TN_CARVE_DOUBLES(mem, acc->n, &acc->rhs);
    TN_CARVE_DOUBLES(mem, acc->n - acc->sys->nv, &acc->lower);
    tn_reactions_layout(&acc->reactions, acc->sys, mem);
}

tn_status tn_accel_create(tn_system *sys, tn_accel **out)
{
    *out = NULL;
    tn_accel *acc = tn_alloc(sizeof *acc);
    TN_TRY(tn_got(acc));
    acc->sys = sys;
    acc->n = sys->nv + sys->ng + sys->nn;
    acc->by_recursion = sys->nmassless > 0 && !sys->massless;
    const bool never_fails = sys->ops->recursive && sys->solid;
    const bool has_matrix = sys->block[TN_BLOCK_M] && !acc->by_recursion && !never_fails;
    tn_status status = has_matrix ? tn_kkt_open(&acc->kkt, sys) : TN_OK;
    TN_THEN(status, tn_carve_block(acc, layout_accel, &acc->block));
    TN_THEN(status, tn_massless_create(sys, &acc->massless));
    const bool suits = sys->ng + sys->nn <= SCHUR_MOST || !has_matrix;
    if (status == TN_OK && sys->ops->recursive && !acc->massless && suits)
        status = tn_schur_create(sys, acc->active, &acc->schur);
    if (status != TN_OK) {
        tn_accel_destroy(acc);
        return status;
    }
    for (int i = 0; i < sys->ng + sys->nn; i++)
        acc->active[i] = 1;
    tn_reactions_open(&acc->reactions);
    *out = acc;
    return TN_OK;
}

void tn_accel_destroy(tn_accel *acc)
{
    if (!acc)
        return;
    tn_massless_destroy(acc->massless);
    tn_schur_destroy(acc->schur);
    tn_kkt_close(&acc->kkt);
    TN_FREE(acc->block, acc);
}

void tn_accel_values(tn_accel *acc, tn_values *v)
{
    tn_carve_values(acc, layout_accel, acc->block, v);
    tn_values_enter(v, "accel");
    TN_VALUES_BOOL(v, &acc->by_schur, &acc->has_extra);
    tn_reactions_values(&acc->reactions, v);
    if (acc->kkt.solver)
        tn_kkt_values(&acc->kkt, v);
    if (acc->schur)
        tn_schur_values(acc->schur, v);
    if (acc->massless)
        tn_massless_values(acc->massless, v);
    tn_values_leave(v);
}

void tn_accel_set_active(tn_accel *acc, const int *active)
{
    memcpy(acc->active, active, sizeof(int) * (size_t)(acc->n - acc->sys->nv));
}

// By the matrix, with its blocks as last evaluated.
static tn_status factor_once(tn_accel *acc)
{
    TN_ASSERT(acc->kkt.solver);
    const tn_composition *A = &acc->kkt.matrix;
    acc->by_schur = false;
    tn_kkt_fill(&acc->kkt);
    if (acc->massless)
        tn_massless_fill(acc->massless, A->maps[TN_KKT_FILL], A->matrix->val);
    return tn_kkt_factor(&acc->kkt, acc->active);
}

// The matrix as last evaluated, and the motions without inertia.
static tn_status factor_accel(tn_accel *acc)
{
    bool poor = false;
    TN_TRY(factor_once(acc));
    if (acc->massless)
        TN_TRY(tn_massless_span(acc->massless, acc, &poor));
    if (!poor)
        return TN_OK;
    TN_TRY(factor_once(acc));
    return tn_massless_span(acc->massless, acc, &poor);
}

static tn_status solve_accel(tn_accel *acc)
{
    if (acc->by_recursion) {
        acc->sys->ops->recursive->solve(acc->sys, acc->rhs);
        return TN_OK;
    }
    if (acc->by_schur) {
        tn_schur_solve(acc->schur, acc->rhs, acc->rhs + acc->sys->nv);
        return TN_OK;
    }
    return tn_kkt_solve(&acc->kkt, acc->rhs);
}

static void clear_inactive(tn_accel *acc, double *rows)
{
    for (int i = 0; i < acc->n - acc->sys->nv; i++)
        if (!acc->active[i])
            rows[i] = 0.0;
}

void tn_accel_set_baumgarte(tn_accel *acc, double alpha, double beta)
{
    TN_ASSERT(alpha >= 0.0 && beta >= 0.0);
    acc->damping = 2.0 * alpha;
    acc->stiffness = beta * beta;
}

static void constraint_rows(tn_accel *acc)
{
    const tn_system *s = acc->sys;
    double *holonomic = acc->rhs + s->nv, *nonholonomic = holonomic + s->ng;
    tn_system_stack(s, -1.0, s->gamma, s->ngamma, holonomic);
    if (acc->damping > 0.0) {
        tn_axpy(s->ng, -acc->damping, s->gdot, holonomic);
        tn_axpy(s->nn, -acc->damping, s->ndot, nonholonomic);
    }
    if (acc->stiffness > 0.0)
        tn_axpy(s->ng, -acc->stiffness, s->g, holonomic);
    clear_inactive(acc, holonomic);
}

// By recursion and the Schur complement, where the system can: what is singular for it (a joint
// without inertia, a singular position) is left to the matrix, if there is one.
static tn_status solve_recursive(tn_accel *acc, const tn_point *at, unsigned want)
{
    tn_system *s = acc->sys;
    acc->by_schur = acc->kkt.singular = false;
    TN_TRY(tn_system_accelerate(s, at, want, acc->rhs));
    TN_TRY(tn_schur_factor(acc->schur));
    acc->by_schur = true;
    constraint_rows(acc);
    tn_schur_finish(acc->schur, acc->rhs, acc->rhs + s->nv);
    return TN_OK;
}

static bool is_left(const tn_accel *acc, tn_status status)
{
    return status == TN_RETRY_SINGULAR && acc->kkt.solver;
}

// The same of a tree without rows, right into a.
static tn_status solve_tree(tn_accel *acc, const tn_point *at, double *a)
{
    acc->by_schur = true;
    acc->kkt.singular = false;
    return tn_system_accelerate(acc->sys, at, acc->has_extra ? TN_EVAL_EXTRA : 0, a);
}

static tn_status solve_once(tn_accel *acc, const tn_point *at)
{
    tn_system *s = acc->sys;
    if (acc->by_recursion)
        return tn_massless_accelerate(acc->massless, at, acc->rhs);
    const unsigned want = TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA |
                          (acc->stiffness > 0.0 ? (unsigned)TN_EVAL_G : 0) |
                          (acc->has_extra ? (unsigned)TN_EVAL_EXTRA : 0);
    if (acc->schur) {
        const unsigned rate = acc->damping > 0.0 ? 0 : TN_EVAL_GDOT;
        const tn_status status = solve_recursive(acc, at, want & ~rate);
        if (!is_left(acc, status))
            return status;
    }
    TN_TRY(tn_system_eval(s, at, want | TN_EVAL_MASS | TN_EVAL_FORCE));
    TN_TRY(factor_accel(acc));
    tn_copy(s->nv, s->f, acc->rhs);
    constraint_rows(acc);
    return solve_accel(acc);
}

static void take_multipliers(const tn_accel *acc, const double *from, double *lambda, double *eta)
{
    tn_copy(acc->sys->ng, from, lambda);
    tn_copy(acc->sys->nn, from + acc->sys->ng, eta);
}

// Forces that depend on the multipliers (friction), by the factors at the point.
static tn_status accel_solve_again(void *self, double *b)
{
    tn_accel *acc = self;
    tn_copy(acc->n, b, acc->rhs);
    TN_TRY(solve_accel(acc));
    tn_copy(acc->n, acc->rhs, b);
    return TN_OK;
}

static tn_status solve_multiplier_forces(tn_accel *acc, const tn_point *point, double *e)
{
    const tn_system *s = acc->sys;
    tn_copy(s->ng, point->lambda, acc->reactions.y);
    tn_copy(s->nn, point->eta, acc->reactions.y + s->ng);
    tn_zero(s->nv, acc->rhs);
    constraint_rows(acc);
    tn_copy(s->ng + s->nn, acc->rhs + s->nv, acc->lower);
    const tn_reaction_solver by = {acc, accel_solve_again, acc->lower};
    TN_TRY(tn_reactions_find(&acc->reactions, &by, point, e));
    tn_copy(acc->n, acc->reactions.found, acc->rhs);
    return TN_OK;
}

tn_status tn_accel_solve(tn_accel *acc, const tn_point *at, double *e, double *a, double *lambda,
                         double *eta)
{
    const tn_system *s = acc->sys;
    TN_ASSERT(!e || e == at->e);
    tn_point point = *at;
    point.a = a;
    point.lambda = lambda;
    point.eta = eta;
    if (!s->force_uses_lambda || !tn_all_finite(s->ng, lambda) || !tn_all_finite(s->nn, eta)) {
        tn_zero(s->ng, lambda);
        tn_zero(s->nn, eta);
    }
    acc->has_extra = e && s->nc > 0 && !s->force_uses_lambda && !acc->massless;
    if (acc->schur && acc->n == s->nv && !s->force_uses_lambda) {
        const tn_status status = solve_tree(acc, &point, a);
        if (!is_left(acc, status))
            return status;
    }
    TN_TRY(solve_once(acc, &point));
    if (s->force_uses_lambda)
        TN_TRY(solve_multiplier_forces(acc, &point, e));
    tn_copy(s->nv, acc->rhs, a);
    take_multipliers(acc, acc->rhs + s->nv, lambda, eta);
    return acc->massless ? tn_massless_acceleration(acc->massless, &point, a) : TN_OK;
}

tn_status tn_accel_reserve(tn_accel *acc, const tn_point *at, double *reserve, int *row)
{
    TN_ASSERT(acc->sys->force_uses_lambda && at->lambda && at->a);
    const tn_reaction_solver by = {acc, accel_solve_again, acc->lower};
    TN_TRY(tn_accel_factor(acc, at));
    return tn_reactions_reserve(&acc->reactions, &by, at, reserve, row);
}

tn_status tn_accel_complete(tn_accel *acc, const tn_point *at, double *v)
{
    if (!acc->massless)
        return TN_OK;
    TN_TRY(tn_accel_factor(acc, at));
    return tn_massless_velocity(acc->massless, at, v);
}

// The factors at a point, and the parts in `want` beside B.
static tn_status factor_at(tn_accel *acc, const tn_point *at, unsigned want)
{
    tn_system *s = acc->sys;
    if (acc->by_recursion)
        return tn_massless_factor(acc->massless, at);
    if (acc->schur) {
        tn_status status = s->ops->recursive->factor(s, at, want | TN_EVAL_B);
        TN_THEN(status, tn_schur_factor(acc->schur));
        acc->by_schur = status == TN_OK;
        acc->kkt.singular = false;
        if (!is_left(acc, status))
            return status;
    }
    TN_TRY(tn_system_eval(s, at, want | TN_EVAL_MASS | TN_EVAL_B));
    return factor_accel(acc);
}

tn_status tn_accel_project(tn_accel *acc, const tn_point *at, double *v)
{
    tn_system *s = acc->sys;
    tn_point point = *at;
    point.v = v;
    TN_TRY(factor_at(acc, &point, TN_EVAL_GDOT));
    tn_zero(s->nv, acc->rhs);
    tn_system_stack(s, -1.0, s->gdot, s->ndot, acc->rhs + s->nv);
    clear_inactive(acc, acc->rhs + s->nv);
    TN_TRY(solve_accel(acc));
    tn_axpy(s->nv, 1.0, acc->rhs, v);
    return acc->massless ? tn_massless_velocity(acc->massless, at, v) : TN_OK;
}

tn_status tn_accel_factor(tn_accel *acc, const tn_point *at)
{
    return factor_at(acc, at, 0);
}

tn_status tn_accel_resolve(tn_accel *acc, double *b, double *c)
{
    const int nv = acc->sys->nv, rows = acc->n - nv;
    TN_ASSERT(b != c || nv == 0 || rows == 0);
    tn_copy(nv, b, acc->rhs);
    tn_copy(rows, c, acc->rhs + nv);
    clear_inactive(acc, acc->rhs + nv);
    TN_TRY(solve_accel(acc));
    tn_copy(nv, acc->rhs, b);
    tn_copy(rows, acc->rhs + nv, c);
    return TN_OK;
}

tn_status tn_accel_catch_up(tn_accel *acc, const tn_point *at, double *da, double *dl)
{
    tn_system *s = acc->sys;
    const int nv = s->nv, rows = acc->n - nv;
    TN_ASSERT(!acc->massless);
    tn_zero(rows, dl);
    if (acc->schur && rows == 0) {
        TN_TRY(tn_system_accelerate(s, at, 0, da));
        tn_axpy(nv, -1.0, at->a, da);
        return TN_OK;
    }
    TN_TRY(tn_system_eval(s, at, tn_system_residual_parts(s)));
    tn_system_residual(s, at, da);
    tn_scale(nv, -1.0, da);
    TN_TRY(tn_accel_factor(acc, at));
    return tn_accel_resolve(acc, da, dl);
}

const char *tn_accel_solver(const tn_accel *acc)
{
    // Without a matrix a failed recursion has left nothing else.
    const bool tree = acc->by_schur || acc->by_recursion || !acc->kkt.solver;
    return tree ? "tree" : tn_solver_name(acc->kkt.solver);
}
