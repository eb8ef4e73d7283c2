// SPDX-License-Identifier: MIT
//
// Discrete equations with multipliers [LMO08, eq. 22]: unknowns y = (u, J), rows
//
//   b(u) + A^T J        at u
//   g(t1, q0 + h u) / h at J
//   N u + n0            at the impulses of rows of velocities, in the middle
//
// scaled so that the matrix of the iteration stays bounded for h -> 0,
//
//   ( M + d D + k K   A^T )
//   ( B(q1)           0   )
//   ( N + h/2 NZ      0   )
//
// which is not symmetric, as A and B(q1) are those of different points. Unscaled, with q1 and
// lambda for unknowns, its condition grows like h^-3 [LMO08, Table 1].

#include "base/alloc.h"
#include "base/tolerance.h"
#include "formulation/discrete.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"

#include <math.h>

// Projections by the factors of the interval: iterations, the rate below which they are worth more
// than new factors, and the size of round-off, to which they lead.
enum { PROJECT_MAX = 8 };
static const double PROJECT_RATE = 0.1;

enum {
    PLACE_M,
    PLACE_D,
    PLACE_K,
    PLACE_B,
    PLACE_A,
    PLACE_DIAGONAL,
    PLACE_HOLONOMIC,
    PLACE_N = PLACE_HOLONOMIC,
    PLACE_NZ,
    PLACE_CARRY_N,
    PLACE_COUNT
};

typedef struct multiplier {
    tn_composition matrix;
    tn_solver *solver;
    double *r; // n, scratch
} multiplier;

static tn_status multiplier_open(tn_discrete *d)
{
    const tn_system *s = d->sys;
    const tn_sparse *B = s->block[TN_BLOCK_B];
    multiplier *f = tn_alloc(sizeof *f);
    TN_TRY(tn_got(f));
    d->form = f;
    d->n = s->nv + d->rows;
    const tn_placement place[PLACE_COUNT] = {
        [PLACE_M] = {.source = s->block[TN_BLOCK_M]},
        [PLACE_D] = {.source = s->block[TN_BLOCK_D]},
        [PLACE_K] = {.source = s->block[TN_BLOCK_K]},
        [PLACE_B] = {.source = B, .row0 = s->nv},
        [PLACE_A] = {.source = B, .col0 = s->nv, .transposed = true},
        [PLACE_DIAGONAL] = {.size = d->rows, .row0 = s->nv, .col0 = s->nv},
        [PLACE_N] = {.source = s->block[TN_BLOCK_N], .row0 = s->nv + s->ng},
        [PLACE_NZ] = {.source = s->block[TN_BLOCK_NZ], .row0 = s->nv + s->ng},
        [PLACE_CARRY_N] = {.source = s->block[TN_BLOCK_N],
                           .col0 = s->nv + s->ng,
                           .transposed = true},
    };
    f->r = tn_alloc(sizeof(double) * (size_t)(d->n + 1));
    TN_TRY(tn_got(f->r));
    const int nplace = s->nn > 0 ? PLACE_COUNT : PLACE_HOLONOMIC;
    TN_TRY(tn_sparse_compose(d->n, d->n, nplace, place, &f->matrix));
    TN_TRY(tn_solver_create(f->matrix.matrix, &f->solver));
    tn_solver_set_inertia(f->solver, 0, 0, s->nv);
    return TN_OK;
}

static void multiplier_close(tn_discrete *d)
{
    multiplier *f = d->form;
    if (!f)
        return;
    tn_solver_destroy(f->solver);
    tn_composition_clear(&f->matrix);
    TN_FREE(f->r, f);
}

static void multiplier_values(tn_discrete *d, tn_values *v)
{
    multiplier *f = d->form;
    TN_VALUES(v, "1", f->matrix.matrix->nnz, f->matrix.matrix->val);
    tn_solver_values(f->solver, v);
}

static void multiplier_predict(tn_discrete *d, const double *u, const double *J, double *y)
{
    tn_copy(d->sys->nv, u, y);
    tn_copy(d->rows, J, y + d->sys->nv);
}

static tn_status multiplier_move(tn_discrete *d, const double *y, double *u)
{
    tn_copy(d->sys->nv, y, u);
    return TN_OK;
}

static void multiplier_impulse(tn_discrete *d, const double *y, const double *b, double *J)
{
    tn_copy(d->rows, y + d->sys->nv, J);
}

static tn_status multiplier_residual(tn_discrete *d, const double *y, const double *u,
                                     const double *b, bool tangent, double *r)
{
    const tn_system *s = d->sys;
    const double *J = y + s->nv;
    TN_TRY(tn_discrete_eval_end(d, u, TN_EVAL_G | (tangent ? TN_EVAL_B : 0)));
    tn_copy(s->nv, b, r);
    tn_discrete_apply(d, 1.0, J, r);
    for (int i = 0; i < s->ng; i++)
        r[s->nv + i] = d->active[i] ? s->g[i] / d->h : J[i];
    for (int i = s->ng; i < d->rows; i++)
        r[s->nv + i] = d->active[i] ? d->slip[i - s->ng] : J[i];
    return TN_OK;
}

// Rows of B that are left out become J_i = 0.
static void multiplier_add_rows(const tn_discrete *d, tn_composition *A)
{
    const tn_sparse *B = d->sys->block[TN_BLOCK_B];
    double *val = A->matrix->val;
    for (int k = 0; B && k < B->nnz; k++) {
        if (d->active[B->rowind[k]])
            val[A->maps[PLACE_B][k]] += B->val[k];
        val[A->maps[PLACE_A][k]] += d->carry[k];
    }
    for (int i = 0; i < d->rows; i++)
        val[A->maps[PLACE_DIAGONAL][i]] = d->active[i] ? 0.0 : 1.0;
}

// The same of rows of velocities.
static void multiplier_add_velocities(const tn_discrete *d, tn_composition *A)
{
    const tn_sparse *N = d->sys->block[TN_BLOCK_N], *NZ = d->sys->block[TN_BLOCK_NZ];
    const int *active = d->active + d->sys->ng;
    double *val = A->matrix->val;
    for (int k = 0; N && k < N->nnz; k++) {
        if (active[N->rowind[k]])
            val[A->maps[PLACE_N][k]] += d->N[k];
        val[A->maps[PLACE_CARRY_N][k]] += d->carry_N[k];
    }
    for (int k = 0; NZ && k < NZ->nnz; k++)
        if (active[NZ->rowind[k]])
            val[A->maps[PLACE_NZ][k]] += 0.5 * d->h * d->NZ[k];
}

static tn_status multiplier_factor(tn_discrete *d, const double *y, const tn_balance *at)
{
    multiplier *f = d->form;
    tn_zero(f->matrix.matrix->nnz, f->matrix.matrix->val);
    tn_composition_add(&f->matrix, PLACE_M, 1.0, d->sys->block[TN_BLOCK_M]);
    tn_composition_add(&f->matrix, PLACE_D, at->d, d->sys->block[TN_BLOCK_D]);
    tn_composition_add(&f->matrix, PLACE_K, at->k, d->sys->block[TN_BLOCK_K]);
    multiplier_add_rows(d, &f->matrix);
    multiplier_add_velocities(d, &f->matrix);
    return tn_solver_factor(f->solver, f->matrix.matrix);
}

static void multiplier_solve(tn_discrete *d, double *r)
{
    const multiplier *f = d->form;
    tn_solver_solve(f->solver, r);
}

// r_v -= B^T mu, r_g -= B v, in one pass.
static void multiplier_take_rows(const tn_sparse *B, const double *mu, const double *v, double *r_v,
                                 double *r_g)
{
    TN_ASSERT(mu != r_g && v != r_v);
    for (int j = 0; j < B->ncol; j++) {
        double sum = 0.0;
        for (int p = B->colptr[j]; p < B->colptr[j + 1]; p++) {
            const int i = B->rowind[p];
            sum += B->val[p] * mu[i];
            r_g[i] -= B->val[p] * v[j];
        }
        r_v[j] -= sum;
    }
}

// Residual of M v + B^T mu = p, B v = c; mu = 0 for rows that are left out.
static void projection_residual(const tn_discrete *d, const double *p, const double *c,
                                const double *mu, const double *v, double *r)
{
    const tn_system *s = d->sys;
    tn_copy(s->nv, p, r);
    tn_sparse_mul(s->block[TN_BLOCK_M], -1.0, v, r);
    tn_copy(s->ng, c, r + s->nv);
    if (s->ng == 0)
        return;
    multiplier_take_rows(s->block[TN_BLOCK_B], mu, v, r, r + s->nv);
    for (int i = 0; i < s->ng; i++)
        if (!d->active[i])
            r[s->nv + i] = -mu[i];
}

// The matrix of the interval is that of the projection but for terms of h: corrections shrink by
// that much, down to round-off.
static tn_status multiplier_project(tn_discrete *d, const double *p, const double *c, double *mu,
                                    double *v)
{
    const multiplier *f = d->form;
    const int nv = d->sys->nv, ng = d->sys->ng;
    double last = 0.0;
    if (d->sys->nn > 0)
        return TN_RETRY_NEWTON;
    for (int k = 0; k < PROJECT_MAX; k++) {
        projection_residual(d, p, c, mu, v, f->r);
        tn_solver_solve(f->solver, f->r);
        tn_axpy(nv, 1.0, f->r, v);
        tn_axpy(ng, 1.0, f->r + nv, mu);
        const double size = tn_norm_inf(nv, f->r), scale = tn_norm_inf(nv, v);
        const double rate = k > 0 ? fmin(size / last, 1.0) : 1.0; // what is left is smaller by it
        if (size * rate <= TN_ROUND_MATRIX * scale)
            return TN_OK;
        if (k > 0 && !(rate <= PROJECT_RATE))
            break;
        last = size;
    }
    return TN_RETRY_NEWTON;
}

static void multiplier_dense(const tn_discrete *d, double *matrix)
{
    const multiplier *f = d->form;
    tn_sparse_to_dense(f->matrix.matrix, matrix);
}

static void multiplier_name(const tn_discrete *d, int i, char *text, size_t size)
{
    const tn_system *s = d->sys;
    if (i < s->nv)
        s->ops->velocity_name(s, i, text, size);
    else
        s->ops->row_name(s, i - s->nv, text, size);
}

// (22), or M (v1 - v0) and what belongs to it: u = (q1 - q0) / h, J = share h lambda, and g in the
// place of g / h; rows of velocities stay as they are.
static void multiplier_written(const tn_discrete *d, double share, double *row, double *column)
{
    const tn_system *s = d->sys;
    const double energy = tn_unit_energy(s->units);
    for (int i = 0; i < s->nv; i++) {
        const double unit = tn_system_unit(s, TN_MEASURE_VELOCITY, i);
        row[i] = energy / unit / share;
        column[i] = 1.0 / (unit * d->h);
    }
    for (int i = 0; i < d->rows; i++) {
        const double unit = d->active[i] ? tn_system_row_unit(s, i) : 0.0;
        row[s->nv + i] = unit * (i < s->ng ? d->h : 1.0);
        column[s->nv + i] = unit / energy * share * d->h;
    }
}

static const char *multiplier_solver(const tn_discrete *d)
{
    const multiplier *f = d->form;
    return tn_solver_name(f->solver);
}

static const tn_discrete_ops multiplier_ops = {
    .rolls = true,
    .open = multiplier_open,
    .close = multiplier_close,
    .values = multiplier_values,
    .predict = multiplier_predict,
    .move = multiplier_move,
    .residual = multiplier_residual,
    .factor = multiplier_factor,
    .solve = multiplier_solve,
    .impulse = multiplier_impulse,
    .project = multiplier_project,
    .name = multiplier_name,
    .solver = multiplier_solver,
    .dense = multiplier_dense,
    .written = multiplier_written,
};

const tn_formulation tn_formulation_multiplier = {
    .name = "multiplier",
    .text = "discrete equations with multipliers, g = 0 at every node",
    .source = "[LMO08, eq. 22]",
    .offers = TN_VIEW_DISCRETE,
    .index = 3,
    .position = true,
    .discrete = &multiplier_ops,
};
