// SPDX-License-Identifier: MIT
//
// Rank, redundant rows and unique multipliers; see redundancy.h.

#include "analysis/redundancy.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/solver.h"

#include <math.h>
#include <string.h>

// C = (B; N) with the values just evaluated. Where there are no nonholonomic rows it is B itself.
typedef struct stack {
    const tn_sparse *C;
    tn_composition owned;
} stack;

static tn_status stack_rows(const tn_system *sys, stack *out)
{
    *out = (stack){.C = sys->block[TN_BLOCK_B]};
    const tn_sparse *B = sys->block[TN_BLOCK_B], *N = sys->block[TN_BLOCK_N];
    if (!N)
        return TN_OK;
    const int rows = sys->ng + sys->nn, n = rows > sys->nv ? rows : sys->nv;
    const tn_placement place[2] = {{.source = B}, {.source = N, .row0 = sys->ng}};
    TN_TRY(tn_sparse_compose(n, 2, place, &out->owned));
    if (B)
        tn_sparse_scatter(out->owned.matrix->val, out->owned.maps[0], B->nnz, 1.0, B->val);
    tn_sparse_scatter(out->owned.matrix->val, out->owned.maps[1], N->nnz, 1.0, N->val);
    out->C = out->owned.matrix;
    return TN_OK;
}

// Evaluates B, and clears rows that are nothing but round-off: they would be taken for directions.
static tn_status rows_at(tn_system *sys, const tn_point *at, stack *c)
{
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_B));
    if (sys->row_noise > 0.0) {
        const tn_sparse *B = sys->block[TN_BLOCK_B];
        double *size = tn_alloc(sizeof(double) * (size_t)(sys->ng + 1));
        if (!size)
            return tn_fail(TN_ERR_MEMORY, "out of memory");
        for (int k = 0; k < B->nnz; k++)
            size[B->rowind[k]] = fmax(size[B->rowind[k]], fabs(B->val[k]));
        for (int k = 0; k < B->nnz; k++)
            if (size[B->rowind[k]] <= sys->row_noise)
                B->val[k] = 0.0;
        tn_free(size);
    }
    return stack_rows(sys, c);
}

static tn_status rank_at(tn_system *sys, const tn_point *at, double tol, int *independent,
                         int *rank)
{
    stack c;
    TN_TRY(rows_at(sys, at, &c));
    const tn_status status = tn_row_rank(c.C, tol, independent, rank);
    tn_composition_clear(&c.owned);
    return status;
}

// Rows that are dependent here but not after a small motion belong to a singular position.
static tn_status keep_singular_rows(tn_system *sys, const tn_point *at, const double *direction,
                                    double tol, tn_redundancy *r)
{
    int *moved = tn_alloc(sizeof(int) * (size_t)(sys->nv + r->rows + 1));
    double *q = tn_alloc(sizeof(double) * (size_t)(sys->nq + sys->nv + 1));
    tn_status status = moved && q ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
    const double size = direction ? tn_norm_inf(sys->nv, direction) : 0.0;
    if (status == TN_OK && size > 0.0) {
        int rank = 0;
        double *dx = q + sys->nq;
        for (int i = 0; i < sys->nv; i++)
            dx[i] = 1e-3 / size * direction[i];
        tn_group_retract(sys->ngroup, sys->groups, at->q, dx, q);
        tn_point point = *at;
        point.q = q;
        // Off the constraint manifold by 1e-6 the rows are dependent to that accuracy only.
        status = rank_at(sys, &point, fmax(tol, 1e-5), moved, &rank);
        if (status == TN_OK && rank > r->rank)
            for (int i = 0; i < r->rows; i++)
                r->active[i] = r->active[i] || moved[i];
    }
    tn_free(moved);
    tn_free(q);
    return status;
}

static tn_status combinations(tn_system *sys, const tn_point *at, tn_redundancy *r)
{
    stack c;
    TN_TRY(rows_at(sys, at, &c));
    tn_status status = TN_OK;
    int *independent = tn_alloc(sizeof(int) * (size_t)(c.C->nrow + 1));
    double *coefficient = tn_alloc(sizeof(double) * (size_t)(c.C->nrow + 1));
    if (!independent || !coefficient)
        status = tn_fail(TN_ERR_MEMORY, "out of memory");
    else
        memcpy(independent, r->active, sizeof(int) * (size_t)r->rows);
    for (int k = 0; status == TN_OK && k < r->count; k++) {
        double misfit = 0.0;
        status = tn_row_combination(c.C, independent, r->redundant[k], coefficient, &misfit);
        if (status != TN_OK)
            break;
        tn_copy(r->rows, coefficient, r->combination + (size_t)k * (size_t)r->rows);
        r->unique[r->redundant[k]] = false;
        for (int i = 0; i < r->rows; i++)
            if (fabs(coefficient[i]) > 1e-8)
                r->unique[i] = false;
    }
    tn_free(independent);
    tn_free(coefficient);
    tn_composition_clear(&c.owned);
    return status;
}

static tn_status allocate(const tn_system *sys, tn_redundancy *r)
{
    *r = (tn_redundancy){.rows = sys->ng + sys->nn};
    const size_t rows = (size_t)r->rows + (size_t)sys->nv + 1;
    r->active = tn_alloc(sizeof(int) * rows);
    r->redundant = tn_alloc(sizeof(int) * rows);
    r->unique = tn_alloc(rows);
    return r->active && r->redundant && r->unique ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
}

tn_status tn_redundancy_none(const tn_system *sys, tn_redundancy *out)
{
    const tn_status status = allocate(sys, out);
    if (status != TN_OK)
        tn_redundancy_clear(out);
    out->rank = out->rows;
    for (int i = 0; i < out->rows; i++) {
        out->active[i] = 1;
        out->unique[i] = true;
    }
    return status;
}

tn_status tn_redundancy_find(tn_system *sys, const tn_point *at, const double *direction,
                             double tol, tn_redundancy *out)
{
    tn_redundancy r;
    tn_status status = allocate(sys, &r);
    if (status == TN_OK && r.rows > 0)
        status = rank_at(sys, at, tol, r.active, &r.rank);
    if (status == TN_OK && r.rank < r.rows)
        status = keep_singular_rows(sys, at, direction, tol, &r);
    for (int i = 0; status == TN_OK && i < r.rows; i++) {
        r.unique[i] = true;
        if (!r.active[i])
            r.redundant[r.count++] = i;
    }
    if (status == TN_OK && r.count > 0) {
        r.combination = tn_alloc(sizeof(double) * (size_t)r.count * (size_t)r.rows);
        status =
            r.combination ? combinations(sys, at, &r) : tn_fail(TN_ERR_MEMORY, "out of memory");
    }
    *out = r;
    if (status != TN_OK)
        tn_redundancy_clear(out);
    return status;
}

void tn_redundancy_clear(tn_redundancy *r)
{
    tn_free(r->active);
    tn_free(r->redundant);
    tn_free(r->combination);
    tn_free(r->unique);
    *r = (tn_redundancy){0};
}
