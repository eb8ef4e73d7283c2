// SPDX-License-Identifier: MIT
//
// The equations of equilibrium and their matrix, see equilibrium.h.
//
// In steady motion bodies turn with w together, and each with its own e about an axis of its own:
//
//   p(t) = c + exp(t w) (p - c),   R(t) = exp(t w) R exp(t e),   Omega = R^T w + e = o + e
//   u' = w x u,                    Omega' = o x e
//
// Variations go along in frames that turn with w, but not with e: p = c + exp(t w) (p - c + y) and
// R(t) = exp(t w) R exp(x) exp(t e), so that at t = 0
//
//   du = w x y + y'                dOmega = o x x + x'
//   du' = w x (w x y) + 2 w x y' + y''     dOmega' = -e x (o x x) + (o - e) x x' + x''
//
// of which V and A are what stands before (y, x) in du and du', and G what stands before (y', x').
// Steady rotation of the whole has e = 0, and u = w x (p - c).

#include "analysis/equilibrium.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "system/absolute.h"

#include <math.h>
#include <string.h>

// Placements in the matrix.
enum {
    AT_K,
    AT_D,
    AT_M,
    AT_B,
    AT_BT,
    AT_N,
    AT_NT,
    AT_FL,
    AT_FN,
    AT_FE,
    AT_GE,
    AT_EQ,
    AT_EL,
    AT_EN,
    AT_EE,
    AT_ROWS,
    AT_EXTRA,
    AT_P,
    AT_Q,
    AT_S,
    AT_COUNT
};

bool tn_eq_moves(const tn_equilibrium *s)
{
    return s->as_stated || tn_v3_norm(s->spin) > 0.0;
}

// The rotation ------------------------------------------------------------------------------------

// Rotation of a body at its slice of q, and whether it has one.
static tn_mat3 rotation_of(const tn_group *group, const double *q)
{
    if (group->kind != TN_GROUP_SO3)
        return tn_m3_identity;
    return tn_quat_matrix(tn_quat_from(q + group->q0 + 3));
}

static int moves_of(const tn_equilibrium *s, const tn_group *group)
{
    int n = 0;
    while (n < group->nv && !s->turns[group->v0 + n])
        n++;
    return n;
}

static void spin_body(tn_equilibrium *s, const tn_group *group, const double *q)
{
    const int n = moves_of(s, group);
    if (tn_eq_is_amplitude(group))
        return;
    double p[3] = {0};
    tn_copy(n, q + group->q0, p);
    const tn_vec3 arm = tn_v3_sub(tn_v3(p[0], p[1], p[2]), s->about);
    const tn_vec3 u = tn_v3_cross(s->spin, arm), du = tn_v3_cross(s->spin, u);
    const double move[3] = {u.x, u.y, u.z}, rate[3] = {du.x, du.y, du.z};
    tn_copy(n, move, s->v + group->v0);
    tn_copy(n, rate, s->a + group->v0);
    if (group->nv - n == 1)
        s->v[group->v0 + n] = s->spin.z;
    if (group->nv - n == 3)
        tn_v3_to(tn_m3_apply_t(rotation_of(group, q), s->spin), s->v + group->v0 + n);
}

tn_point tn_eq_point(tn_equilibrium *s, const eq_state *x)
{
    if (tn_eq_moves(s) && !s->as_stated)
        for (int k = 0; k < s->sys->ngroup; k++)
            spin_body(s, &s->sys->groups[k], x->q);
    if (s->beside) {
        tn_copy(s->sys->nv, s->v, s->force1);
        tn_axpy(s->sys->nv, 1.0, s->beside, s->force1);
    }
    return (tn_point){.t = s->start.x.t,
                      .q = x->q,
                      .v = s->beside ? s->force1 : s->v,
                      .a = s->a,
                      .lambda = x->lambda,
                      .eta = x->eta,
                      .e = x->e,
                      .r = x->r};
}

// V, A or G of a body: nv x nv, row major, ld 6.
typedef enum eq_part { EQ_V, EQ_A, EQ_G } eq_part;

static void motion_block(const tn_equilibrium *s, int k, const double *q, eq_part part,
                         double out[6][6])
{
    const tn_group *group = &s->sys->groups[k];
    const int n = moves_of(s, group);
    const tn_mat3 w = tn_m3_skew(s->spin);
    const tn_mat3 o = tn_m3_skew(tn_m3_apply_t(rotation_of(group, q), s->spin));
    const tn_mat3 e = tn_m3_skew(s->own_spin[k]);
    const tn_mat3 move[] = {w, tn_m3_mul(w, w), tn_m3_scale(2.0, w)};
    const tn_mat3 turn[] = {o, tn_m3_scale(-1.0, tn_m3_mul(e, o)), tn_m3_axpy(-1.0, e, o)};
    memset(out, 0, sizeof(double[6][6]));
    for (int i = 0; i < n && i < 3 && !tn_eq_is_amplitude(group); i++)
        for (int j = 0; j < n && j < 3; j++)
            out[i][j] = move[part].m[i][j];
    for (int i = 0; i < 3 && group->nv - n == 3; i++)
        for (int j = 0; j < 3; j++)
            out[n + i][n + j] = turn[part].m[i][j];
}

// Values of X Y in the pattern of X, Y being a block for each body: its columns share one pattern.
static void times_blocks(const tn_equilibrium *s, const tn_sparse *X, const double *q, eq_part part,
                         double *out)
{
    tn_zero(X->nnz, out);
    for (int k = 0; k < s->sys->ngroup; k++) {
        const tn_group *group = &s->sys->groups[k];
        double Y[6][6];
        motion_block(s, k, q, part, Y);
        for (int j = 0; j < group->nv; j++)
            for (int l = 0; l < group->nv; l++) {
                const int to = X->colptr[group->v0 + j], from = X->colptr[group->v0 + l];
                const int rows = X->colptr[group->v0 + j + 1] - to;
                TN_ASSERT(rows == X->colptr[group->v0 + l + 1] - from);
                tn_axpy(rows, Y[l][j], X->val + from, out + to);
            }
    }
}

// Creation ----------------------------------------------------------------------------------------

static tn_status create_full(int rows, int columns, tn_sparse **out)
{
    return tn_sparse_create(1, &rows, 1, &columns, 1, &(tn_pair_index){0, 0}, out);
}

static tn_status compose_equilibrium(tn_equilibrium *s)
{
    const tn_system *sys = s->sys;
    const int l = sys->nv, h = l + sys->ng, e = h + sys->nn, p = e + sys->ne;
    tn_sparse *const *block = sys->block;
    const tn_placement places[AT_COUNT] = {
        [AT_K] = {.source = block[TN_BLOCK_K]},
        [AT_D] = {.source = block[TN_BLOCK_D]},
        [AT_M] = {.source = block[TN_BLOCK_M]},
        [AT_B] = {.source = block[TN_BLOCK_B], .row0 = l},
        [AT_BT] = {.source = block[TN_BLOCK_B], .col0 = l, .transposed = true},
        [AT_N] = {.source = block[TN_BLOCK_N], .row0 = h},
        [AT_NT] = {.source = block[TN_BLOCK_N], .col0 = h, .transposed = true},
        [AT_FL] = {.source = block[TN_BLOCK_FL], .col0 = l},
        [AT_FN] = {.source = block[TN_BLOCK_FN], .col0 = h},
        [AT_FE] = {.source = block[TN_BLOCK_FE], .col0 = e},
        [AT_GE] = {.source = block[TN_BLOCK_GE], .row0 = l, .col0 = e},
        [AT_EQ] = {.source = block[TN_BLOCK_EQ], .row0 = e},
        [AT_EL] = {.source = block[TN_BLOCK_EL], .row0 = e, .col0 = l},
        [AT_EN] = {.source = block[TN_BLOCK_EN], .row0 = e, .col0 = h},
        [AT_EE] = {.source = block[TN_BLOCK_EE], .row0 = e, .col0 = e},
        [AT_ROWS] = {.size = sys->ng + sys->nn, .row0 = l, .col0 = l},
        [AT_EXTRA] = {.size = sys->nc, .row0 = e, .col0 = e},
        [AT_P] = {.source = s->P, .col0 = p},
        [AT_Q] = {.source = s->Q, .row0 = p},
        [AT_S] = {.source = s->S, .row0 = p, .col0 = p},
    };
    TN_TRY(tn_sparse_compose(s->n, s->n, AT_COUNT, places, &s->matrix));
    TN_TRY(tn_solver_create(s->matrix.matrix, &s->solver));
    if (s->np == 0)
        tn_solver_set_inertia(s->solver, 0, 0, 0);
    return TN_OK;
}

tn_status tn_eq_open(tn_equilibrium *s)
{
    const tn_system *sys = s->sys;
    s->n0 = sys->nv + sys->ng + sys->nn + sys->ne;
    s->n = s->n0 + s->np;
    if (s->np > 0) {
        TN_TRY(create_full(s->n0, s->np, &s->P));
        TN_TRY(create_full(s->np, sys->nv, &s->Q));
        TN_TRY(create_full(s->np, s->np, &s->S));
    }
    return compose_equilibrium(s);
}

void tn_eq_close(tn_equilibrium *s)
{
    tn_solver_destroy(s->solver);
    tn_composition_clear(&s->matrix);
    tn_sparse_destroy(s->P);
    tn_sparse_destroy(s->Q);
    tn_sparse_destroy(s->S);
    s->solver = NULL;
    s->P = s->Q = s->S = NULL;
}

// Rows --------------------------------------------------------------------------------------------

// f - M a into `force`, at the point of the last evaluation.
static void balance_equilibrium(tn_equilibrium *s)
{
    tn_copy(s->sys->nv, s->sys->f, s->force);
    if (tn_eq_moves(s))
        tn_sparse_mul(s->sys->block[TN_BLOCK_M], -1.0, s->a, s->force);
}

static void settle_decisions(tn_equilibrium *s, const tn_point *at)
{
    if (tn_absolute_decision_count(s->sys) > 0)
        s->sys->ops->mechanism->settle(s->sys, at, NULL);
}

// All rows but those of the border, at the loads that the model has now.
static tn_status rows_without_border(tn_equilibrium *s, const tn_point *at, double *rows)
{
    tn_system *sys = s->sys;
    const unsigned extra = sys->ne > 0 ? TN_EVAL_EXTRA : 0;
    TN_TRY(tn_system_eval(sys, at, tn_system_residual_parts(sys) | TN_EVAL_G | extra));
    tn_system_residual(sys, at, rows);
    balance_equilibrium(s);
    for (int i = 0; i < sys->ng; i++)
        rows[sys->nv + i] = s->active[i] ? sys->g[i] : 0.0;
    tn_zero(sys->nn, rows + sys->nv + sys->ng);
    tn_copy(sys->ne, sys->extra, rows + sys->nv + sys->ng + sys->nn);
    return TN_OK;
}

tn_status tn_eq_rows(tn_equilibrium *s, const eq_state *x, double *rows)
{
    const tn_point at = tn_eq_point(s, x);
    tn_eq_set_unknowns(s, x->p);
    settle_decisions(s, &at);
    TN_TRY(rows_without_border(s, &at, rows));
    tn_zero(s->np, rows + s->n0);
    if (s->border == EQ_TRIM)
        tn_eq_trim_rows(s, &at, rows + s->n0, NULL);
    return TN_OK;
}

// The matrix --------------------------------------------------------------------------------------

// P by differences: rows are linear in the load factor, and in inputs mostly.
static tn_status find_border(tn_equilibrium *s, const eq_state *x)
{
    static const double PART = 1e-4;
    const tn_point at = tn_eq_point(s, x);
    TN_TRY(rows_without_border(s, &at, s->other));
    for (int k = 0; k < s->np; k++) {
        double *column = s->P->val + (size_t)k * (size_t)s->n0;
        const double p = x->p[k], d = PART * fmax(1.0, fabs(p));
        x->p[k] = p + d;
        tn_eq_set_unknowns(s, x->p);
        const tn_status status = rows_without_border(s, &at, column);
        x->p[k] = p;
        tn_eq_set_unknowns(s, x->p);
        TN_TRY(status);
        tn_axpy(s->n0, -1.0, s->other, column);
        tn_scale(s->n0, 1.0 / d, column);
    }
    tn_zero(s->Q->nnz, s->Q->val);
    tn_zero(s->S->nnz, s->S->val);
    if (s->border == EQ_TRIM) {
        tn_eq_trim_rows(s, &at, NULL, s->Q->val);
    } else if (s->border == EQ_ARC) {
        tn_copy(s->sys->nv, s->tangent, s->Q->val);
        s->S->val[0] = s->tangent[s->n0];
    } else {
        for (int k = 0; k < s->np; k++)
            s->S->val[(size_t)k * (size_t)(s->np + 1)] = 1.0;
    }
    return TN_OK;
}

tn_status tn_eq_linearise(tn_equilibrium *s, const eq_state *x)
{
    tn_system *sys = s->sys;
    tn_eq_set_unknowns(s, x->p);
    if (s->np > 0)
        TN_TRY(find_border(s, x));
    const tn_point at = tn_eq_point(s, x);
    s->unsure = tn_absolute_settle_differences(sys, &at);
    TN_TRY(tn_system_eval(sys, &at,
                          TN_EVAL_TANGENT | TN_EVAL_B | TN_EVAL_MASS | TN_EVAL_FORCE |
                              (sys->ne > 0 ? TN_EVAL_EXTRA : 0)));
    if (!tn_eq_moves(s))
        return TN_OK;
    s->linear_at = x->q;
    times_blocks(s, sys->block[TN_BLOCK_D], x->q, EQ_V, s->spun);
    times_blocks(s, sys->block[TN_BLOCK_M], x->q, EQ_A, s->moved);
    return TN_OK;
}

static void put_constraints(tn_equilibrium *s, tn_block block, int place, int row0)
{
    const tn_sparse *C = s->sys->block[block];
    double *val = s->matrix.matrix->val;
    for (int k = 0; C && k < C->nnz; k++)
        if (s->active[row0 + C->rowind[k]]) {
            val[s->matrix.maps[place][k]] += C->val[k];
            val[s->matrix.maps[place + 1][k]] += C->val[k];
        }
}

// FL, FN, EL and EN have columns of multipliers, zero where these are.
static void put_block(tn_equilibrium *s, int place, tn_block block)
{
    tn_composition_add(&s->matrix, place, 1.0, s->sys->block[block]);
}

static void form_matrix(tn_equilibrium *s, double shift)
{
    const tn_system *sys = s->sys;
    tn_sparse_clear(s->matrix.matrix);
    put_block(s, AT_K, TN_BLOCK_K);
    tn_composition_add(&s->matrix, AT_M, shift, sys->block[TN_BLOCK_M]);
    if (tn_eq_moves(s)) {
        double *val = s->matrix.matrix->val;
        tn_sparse_scatter(val, s->matrix.maps[AT_D], sys->block[TN_BLOCK_D]->nnz, 1.0, s->spun);
        tn_sparse_scatter(val, s->matrix.maps[AT_M], sys->block[TN_BLOCK_M]->nnz, 1.0, s->moved);
    }
    put_constraints(s, TN_BLOCK_B, AT_B, 0);
    put_constraints(s, TN_BLOCK_N, AT_N, sys->ng);
    put_block(s, AT_FL, TN_BLOCK_FL);
    put_block(s, AT_FN, TN_BLOCK_FN);
    put_block(s, AT_FE, TN_BLOCK_FE);
    put_block(s, AT_GE, TN_BLOCK_GE);
    put_block(s, AT_EQ, TN_BLOCK_EQ);
    put_block(s, AT_EL, TN_BLOCK_EL);
    put_block(s, AT_EN, TN_BLOCK_EN);
    put_block(s, AT_EE, TN_BLOCK_EE);
    for (int i = 0; i < sys->ng + sys->nn; i++)
        s->matrix.matrix->val[s->matrix.maps[AT_ROWS][i]] += s->active[i] ? 0.0 : 1.0;
    for (int i = 0; i < sys->nc; i++)
        s->matrix.matrix->val[s->matrix.maps[AT_EXTRA][i]] -= sqrt(shift);
    if (s->np > 0) {
        tn_composition_add(&s->matrix, AT_P, 1.0, s->P);
        tn_composition_add(&s->matrix, AT_Q, 1.0, s->Q);
        tn_composition_add(&s->matrix, AT_S, 1.0, s->S);
    }
}

// Forces and multipliers by the size of K + s M where that is far from one, as that of mechanisms
// that move within nanoseconds is: beside it, rows of constraints would pass for round-off.
static void choose_force_unit(tn_equilibrium *s)
{
    static const double FAR_FROM_ONE = 1e10;
    const tn_system *sys = s->sys;
    tn_sparse *A = s->matrix.matrix;
    const int nv = sys->nv, end = nv + sys->ng + sys->nn;
    double size = 0.0;
    for (int j = 0; j < nv; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            size = A->rowind[k] < nv ? fmax(size, fabs(A->val[k])) : size;
    const bool far = size > FAR_FROM_ONE || (size > 0.0 && size < 1.0 / FAR_FROM_ONE);
    s->force_unit = far ? tn_power_of_two(size) : 1.0;
    for (int j = 0; j < A->ncol && far; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            A->val[k] *= j >= nv && j < end ? s->force_unit : 1.0;
            A->val[k] /= A->rowind[k] < nv ? s->force_unit : 1.0;
        }
}

static tn_status factor_formed(tn_equilibrium *s)
{
    choose_force_unit(s);
    const tn_status status = tn_solver_factor(s->solver, s->matrix.matrix);
    s->by_rank = status == TN_RETRY_SINGULAR;
    return status;
}

tn_status tn_eq_factor(tn_equilibrium *s, double shift)
{
    form_matrix(s, shift);
    s->shift = shift;
    return factor_formed(s);
}

tn_status tn_eq_factor_exponent(tn_equilibrium *s, double c)
{
    const tn_sparse *D = s->sys->block[TN_BLOCK_D], *M = s->sys->block[TN_BLOCK_M];
    double *val = s->matrix.matrix->val;
    form_matrix(s, c * c);
    s->shift = NAN;
    tn_composition_add(&s->matrix, AT_D, c, D);
    if (tn_eq_moves(s)) {
        double *turned = tn_alloc(sizeof(double) * (size_t)(M->nnz + 1));
        TN_TRY(tn_got(turned));
        times_blocks(s, M, s->linear_at, EQ_G, turned);
        tn_sparse_scatter(val, s->matrix.maps[AT_M], M->nnz, c, turned);
        tn_free(turned);
    }
    return factor_formed(s);
}

tn_status tn_eq_solve(tn_equilibrium *s, double *b)
{
    const int nv = s->sys->nv;
    tn_status status = TN_OK;
    tn_scale(nv, 1.0 / s->force_unit, b);
    if (s->by_rank)
        status = tn_solver_solve_rank(s->solver, s->matrix.matrix, b);
    else
        tn_solver_solve(s->solver, b);
    tn_scale(s->sys->ng + s->sys->nn, s->force_unit, b + nv);
    return status == TN_OK && !tn_all_finite(s->n, b) ? TN_RETRY_SINGULAR : status;
}

void tn_eq_times_stiffness(tn_equilibrium *s, const double *x, double *y)
{
    const tn_system *sys = s->sys;
    tn_zero(sys->nv, y);
    tn_sparse_mul(sys->block[TN_BLOCK_K], 1.0, x, y);
    if (!tn_eq_moves(s))
        return;
    tn_sparse D = *sys->block[TN_BLOCK_D], M = *sys->block[TN_BLOCK_M];
    D.val = s->spun;
    M.val = s->moved;
    tn_sparse_mul(&D, 1.0, x, y);
    tn_sparse_mul(&M, 1.0, x, y);
}

void tn_eq_times_mass(tn_equilibrium *s, const double *x, double *y)
{
    tn_zero(s->sys->nv, y);
    tn_sparse_mul(s->sys->block[TN_BLOCK_M], 1.0, x, y);
}

// y = V x, A x or G x
static void times_motion(const tn_equilibrium *s, eq_part part, const double *x, double *y)
{
    const tn_system *sys = s->sys;
    tn_zero(sys->nv, y);
    for (int k = 0; k < sys->ngroup && tn_eq_moves(s); k++) {
        const tn_group *group = &sys->groups[k];
        double block[6][6];
        motion_block(s, k, s->linear_at, part, block);
        for (int i = 0; i < group->nv && i < 6; i++)
            y[group->v0 + i] = tn_dot(group->nv < 6 ? group->nv : 6, block[i], x + group->v0);
    }
}

void tn_eq_times_damping(tn_equilibrium *s, const double *x, double *y)
{
    times_motion(s, EQ_G, x, s->y);
    tn_zero(s->sys->nv, y);
    tn_sparse_mul(s->sys->block[TN_BLOCK_M], 1.0, s->y, y);
    tn_sparse_mul(s->sys->block[TN_BLOCK_D], 1.0, x, y);
}

void tn_eq_velocity_of(tn_equilibrium *s, const double *x, double *y)
{
    times_motion(s, EQ_V, x, y);
}

void tn_eq_acceleration_of(tn_equilibrium *s, const double *x, const double *rate, double *y)
{
    times_motion(s, EQ_G, rate, s->y);
    times_motion(s, EQ_A, x, y);
    tn_axpy(s->sys->nv, 1.0, s->y, y);
}

// States ------------------------------------------------------------------------------------------

void tn_eq_copy(const tn_equilibrium *s, const eq_state *from, eq_state *to)
{
    const tn_system *sys = s->sys;
    tn_copy(sys->nq, from->q, to->q);
    tn_copy(sys->ng, from->lambda, to->lambda);
    tn_copy(sys->nn, from->eta, to->eta);
    tn_copy(sys->ne, from->e, to->e);
    tn_copy(sys->nr, from->r, to->r);
    tn_copy(s->np, from->p, to->p);
}

tn_status tn_eq_advance(tn_equilibrium *s, double scale, const double *step)
{
    const tn_system *sys = s->sys;
    const double *x = step;
    tn_eq_copy(s, &s->now, &s->next);
    for (int i = 0; i < sys->nv; i++)
        s->y[i] = scale * x[i];
    tn_group_retract(sys->ngroup, sys->groups, s->now.q, s->y, s->next.q);
    x += sys->nv;
    tn_axpy(sys->ng, scale, x, s->next.lambda);
    x += sys->ng;
    tn_axpy(sys->nn, scale, x, s->next.eta);
    x += sys->nn;
    tn_axpy(sys->ne, scale, x, s->next.e);
    x += sys->ne;
    tn_axpy(s->np, scale, x, s->next.p);
    const tn_point at = tn_eq_point(s, &s->next);
    return sys->ops->accept ? sys->ops->accept(s->sys, &at, s->next.r) : TN_OK;
}

void tn_eq_accept(tn_equilibrium *s)
{
    tn_eq_copy(s, &s->next, &s->now);
}
