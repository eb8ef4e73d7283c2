// SPDX-License-Identifier: MIT
//
// Rank, redundant rows and unique multipliers; see redundancy.h.

#include "analysis/redundancy.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double INERTIA_TOL = 1e-11; // relative to the largest mass and to rows of unit length

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

tn_status tn_redundancy_find(tn_system *sys, const tn_point *at, const double *direction,
                             double tol, tn_redundancy *out)
{
    tn_redundancy r = {.rows = sys->ng + sys->nn};
    const size_t rows = (size_t)r.rows + (size_t)sys->nv + 1;
    r.active = tn_alloc(sizeof(int) * rows);
    r.redundant = tn_alloc(sizeof(int) * rows);
    r.unique = tn_alloc(rows);
    tn_status status =
        r.active && r.redundant && r.unique ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
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

// (M / max |M|, C^T) with the values just evaluated: its rows are the velocity coordinates.
static tn_status stack_columns(const tn_system *sys, tn_composition *out)
{
    const tn_sparse *part[3] = {sys->block[TN_BLOCK_M], sys->block[TN_BLOCK_B],
                                sys->block[TN_BLOCK_N]};
    const int nv = sys->nv, n = nv + sys->ng + sys->nn;
    const tn_placement place[3] = {
        {.source = part[0], .transposed = true},
        {.source = part[1], .col0 = nv, .transposed = true},
        {.source = part[2], .col0 = nv + sys->ng, .transposed = true},
    };
    TN_TRY(tn_sparse_compose(n, 3, place, out));
    const double largest = tn_norm_inf(part[0]->nnz, part[0]->val);
    for (int k = 0; k < 3; k++)
        if (part[k])
            tn_sparse_scatter(out->matrix->val, out->maps[k], part[k]->nnz,
                              k == 0 && largest > 0.0 ? 1.0 / largest : 1.0, part[k]->val);
    return TN_OK;
}

// "body 'a', x is free to move" or "the motion of body 'a', x (1) with body 'b', x (-0.5) is free".
static void describe(const tn_system *sys, const double *direction, char *text, size_t size)
{
    enum { NAMED = 3 };
    const double largest = tn_norm_inf(sys->nv, direction);
    int parts = 0;
    for (int i = 0; i < sys->nv; i++)
        parts += fabs(direction[i]) > 1e-6 * largest;
    size_t used = 0;
    for (int i = 0, named = 0; i < sys->nv && named < NAMED; i++) {
        char name[96];
        if (!(fabs(direction[i]) > 1e-6 * largest))
            continue;
        sys->ops->velocity_name(sys, i, name, sizeof name);
        if (parts == 1)
            snprintf(text, size, "%s is free to move", name);
        else
            snprintf(text + used, size - used, "%s%s (%.3g)",
                     named == 0 ? "the motion of " : " with ", name, direction[i] / largest);
        used = strlen(text);
        named++;
    }
    if (parts > NAMED)
        snprintf(text + used, size - used, " and %d more is free", parts - NAMED);
    else if (parts > 1)
        snprintf(text + used, size - used, " is free");
}

// A coordinate whose row repeats others, or is zero, has a part in the common kernel: with
// row_i = sum_j c_j row_j, M k = 0 and C k = 0 for k = e_i - sum_j c_j e_j.
static tn_status describe_kernel(const tn_system *sys, const tn_sparse *stacked,
                                 const int *independent, char *text, size_t size)
{
    int first = 0;
    double misfit = 0.0;
    while (first < sys->nv - 1 && independent[first])
        first++;
    double *k = tn_alloc(sizeof(double) * (size_t)stacked->nrow);
    if (!k)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    const tn_status status = tn_row_combination(stacked, independent, first, k, &misfit);
    tn_scale(sys->nv, -1.0, k);
    k[first] = 1.0;
    if (status == TN_OK)
        describe(sys, k, text, size);
    tn_free(k);
    return status;
}

tn_status tn_inertia_check(tn_system *sys, char *text, size_t size)
{
    tn_composition stacked = {0};
    int rank = 0;
    text[0] = '\0';
    tn_status status = stack_columns(sys, &stacked);
    int *independent =
        status == TN_OK ? tn_alloc(sizeof(int) * (size_t)stacked.matrix->nrow) : NULL;
    if (status == TN_OK && !independent)
        status = tn_fail(TN_ERR_MEMORY, "out of memory");
    if (status == TN_OK)
        status = tn_row_rank(stacked.matrix, INERTIA_TOL, independent, &rank);
    if (status == TN_OK && rank < sys->nv)
        status = describe_kernel(sys, stacked.matrix, independent, text, size);
    tn_free(independent);
    tn_composition_clear(&stacked);
    return status;
}
