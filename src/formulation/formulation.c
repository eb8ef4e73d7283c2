// SPDX-License-Identifier: MIT
//
// Problems for implicit integrators: residual rows and the iteration matrix, composed of the sparse
// blocks of the system by a table of placements that is laid out once.

#include "formulation/formulation.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"

#include <stdio.h>
#include <string.h>

const tn_formulation *const tn_formulations[] = {
    &tn_formulation_ggl,
    &tn_formulation_index2,
    &tn_formulation_index3,
};
const int tn_formulation_count = TN_COUNT(tn_formulations);

const tn_formulation *tn_find_formulation(const char *name)
{
    for (int k = 0; k < tn_formulation_count; k++)
        if (!strcmp(tn_formulations[k]->name, name))
            return tn_formulations[k];
    return NULL;
}

// Which number multiplies a placed block.
typedef enum weight {
    ONE,
    MINUS,
    W_HA,
    W_HV,
    W_HQ,
    W_H,
    W_V,
    W_Q,
    W_QH,
    W_1H,
    W_M1H,
    W_MQ,
    W_MV,
    W_C
} weight;

// Which values of a block are placed: as they are, times the tangent operator, or of the start.
typedef enum variant { PLAIN, TIMES_T, AT_START } variant;

typedef struct placed {
    int block; // tn_block, -1 for a diagonal
    variant values;
    weight weight;
} placed;

#define MAX_PLACED 40

struct tn_problem {
    tn_system *sys;
    const tn_formulation *formulation;
    tn_layout at;
    int nplaced;
    placed placed[MAX_PLACED];
    tn_composition matrix;
    tn_solver *solver;
    double *times_T[TN_BLOCK_COUNT]; // values of block T(h x), where used
    double *B_start;                 // values of B at the start of the step
    int *masked;                     // slots of rows that are left out
    int nmasked;
    int *unit; // their diagonal slots, set to one
    int nunit;
    int *active;                        // ng + nn
    int diag_lambda, diag_mu, diag_eta; // placements of the diagonals
    bool singular;                      // last factorisation failed; solve by rank
    void *block;
};

static bool stabilized(const tn_problem *p)
{
    return p->formulation->position && p->formulation->velocity && p->sys->ng > 0;
}

static void set_layout(tn_problem *p)
{
    const tn_system *s = p->sys;
    tn_layout *at = &p->at;
    at->x = 0;
    at->u = stabilized(p) ? s->nv : 0;
    at->lambda = at->u + s->nv;
    at->mu = stabilized(p) ? at->lambda + s->ng : -1;
    at->eta = at->lambda + s->ng + (stabilized(p) ? s->ng : 0);
    at->e = at->eta + s->nn;
    at->n = at->e + s->ne;
}

typedef struct table {
    tn_problem *p;
    tn_placement place[MAX_PLACED];
    int n;
} table;

static void place(table *t, int block, variant values, weight w, int row, int col, bool transposed)
{
    const tn_sparse *source = t->p->sys->block[block];
    if (!source)
        return;
    t->p->placed[t->n] = (placed){block, values, w};
    t->place[t->n++] =
        (tn_placement){.source = source, .row0 = row, .col0 = col, .transposed = transposed};
}

static int place_diagonal(table *t, weight w, int size, int row, int col)
{
    t->p->placed[t->n] = (placed){-1, PLAIN, w};
    t->place[t->n] = (tn_placement){.size = size, .row0 = row, .col0 = col};
    return t->n++;
}

static void place_dynamics(table *t)
{
    const tn_layout *at = &t->p->at;
    place(t, TN_BLOCK_M, PLAIN, W_HA, at->x, at->u, false);
    place(t, TN_BLOCK_D, PLAIN, W_HV, at->x, at->u, false);
    place(t, TN_BLOCK_K, TIMES_T, W_HQ, at->x, at->x, false);
    place(t, TN_BLOCK_B, PLAIN, ONE, at->x, at->lambda, true);
    place(t, TN_BLOCK_FL, PLAIN, ONE, at->x, at->lambda, false);
    place(t, TN_BLOCK_N, PLAIN, ONE, at->x, at->eta, true);
    place(t, TN_BLOCK_FN, PLAIN, ONE, at->x, at->eta, false);
    place(t, TN_BLOCK_FE, PLAIN, W_H, at->x, at->e, false);
}

static void place_constraints(table *t)
{
    const tn_layout *at = &t->p->at;
    const tn_formulation *form = t->p->formulation;
    const int velocity = at->lambda, position = form->velocity ? at->mu : at->lambda;
    if (form->position) {
        place(t, TN_BLOCK_B, TIMES_T, W_QH, position, at->x, false);
        place(t, TN_BLOCK_GE, PLAIN, W_1H, position, at->e, false);
    }
    if (form->velocity) {
        place(t, TN_BLOCK_B, PLAIN, W_V, velocity, at->u, false);
        place(t, TN_BLOCK_Z, TIMES_T, W_Q, velocity, at->x, false);
        place(t, TN_BLOCK_ZE, PLAIN, ONE, velocity, at->e, false);
    }
    place(t, TN_BLOCK_N, PLAIN, W_V, at->eta, at->u, false);
    place(t, TN_BLOCK_NZ, TIMES_T, W_Q, at->eta, at->x, false);
    place(t, TN_BLOCK_NE, PLAIN, ONE, at->eta, at->e, false);
}

static void place_extra(table *t)
{
    const tn_layout *at = &t->p->at;
    place(t, TN_BLOCK_EQ, TIMES_T, W_MQ, at->e, at->x, false);
    place(t, TN_BLOCK_EV, PLAIN, W_MV, at->e, at->u, false);
    place(t, TN_BLOCK_EE, PLAIN, MINUS, at->e, at->e, false);
    place(t, TN_BLOCK_EL, PLAIN, W_M1H, at->e, at->lambda, false);
    place(t, TN_BLOCK_EN, PLAIN, W_M1H, at->e, at->eta, false);
    place_diagonal(t, W_C, t->p->sys->nc, at->e, at->e);
}

static tn_status compose(tn_problem *p)
{
    table t = {.p = p};
    const tn_layout *at = &p->at;
    place_dynamics(&t);
    if (stabilized(p)) {
        place_diagonal(&t, ONE, p->sys->nv, at->u, at->x);
        place_diagonal(&t, MINUS, p->sys->nv, at->u, at->u);
        place(&t, TN_BLOCK_B, AT_START, ONE, at->u, at->mu, true);
    }
    if (p->sys->ng + p->sys->nn > 0)
        place_constraints(&t);
    if (p->sys->ne > 0)
        place_extra(&t);
    // Diagonals of the multiplier rows: empty unless a row is left out.
    p->nplaced = t.n;
    p->diag_lambda = place_diagonal(&t, ONE, p->sys->ng, at->lambda, at->lambda);
    p->diag_mu = place_diagonal(&t, ONE, stabilized(p) ? p->sys->ng : 0, at->lambda + p->sys->ng,
                                at->lambda + p->sys->ng);
    p->diag_eta = place_diagonal(&t, ONE, p->sys->nn, at->eta, at->eta);
    return tn_sparse_compose(at->n, t.n, t.place, &p->matrix);
}

static void layout(tn_problem *p, tn_carve *mem)
{
    static const tn_block moved[] = {TN_BLOCK_K, TN_BLOCK_B, TN_BLOCK_Z, TN_BLOCK_NZ, TN_BLOCK_EQ};
    const tn_system *s = p->sys;
    for (int k = 0; k < TN_COUNT(moved); k++)
        if (s->block[moved[k]])
            p->times_T[moved[k]] = tn_carve_doubles(mem, s->block[moved[k]]->nnz);
    if (s->block[TN_BLOCK_B])
        p->B_start = tn_carve_doubles(mem, s->block[TN_BLOCK_B]->nnz);
    p->masked = tn_carve_ints(mem, p->matrix.matrix->nnz);
    p->unit = tn_carve_ints(mem, 2 * s->ng + s->nn);
    p->active = tn_carve_ints(mem, s->ng + s->nn);
}

tn_status tn_problem_create(tn_system *sys, const tn_formulation *formulation, tn_problem **out)
{
    *out = NULL;
    tn_problem *p = tn_alloc(sizeof *p);
    if (!p)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    p->sys = sys;
    p->formulation = formulation;
    set_layout(p);
    tn_status status = compose(p);
    if (status == TN_OK) {
        tn_carve mem = {0};
        layout(p, &mem);
        p->block = tn_alloc(mem.used + 1);
        mem = (tn_carve){p->block, 0};
        if (p->block)
            layout(p, &mem);
        else
            status = tn_fail(TN_ERR_MEMORY, "out of memory");
    }
    if (status == TN_OK)
        status = tn_solver_create(p->matrix.matrix, &p->solver);
    if (status != TN_OK) {
        tn_problem_destroy(p);
        return status;
    }
    for (int i = 0; i < sys->ng + sys->nn; i++)
        p->active[i] = 1;
    *out = p;
    return TN_OK;
}

void tn_problem_destroy(tn_problem *p)
{
    if (!p)
        return;
    tn_solver_destroy(p->solver);
    tn_composition_clear(&p->matrix);
    tn_free(p->block);
    tn_free(p);
}

static bool row_is_active(const tn_problem *p, int row)
{
    const tn_layout *at = &p->at;
    const int ng = p->sys->ng;
    if (row < at->lambda || row >= at->e)
        return true;
    if (row >= at->eta)
        return p->active[ng + row - at->eta];
    return p->active[(row - at->lambda) % ng];
}

void tn_problem_set_active(tn_problem *p, const int *active)
{
    const tn_sparse *A = p->matrix.matrix;
    const int ng = p->sys->ng, nn = p->sys->nn;
    memcpy(p->active, active, sizeof(int) * (size_t)(ng + nn));
    p->nmasked = p->nunit = 0;
    for (int k = 0; k < A->nnz; k++)
        if (!row_is_active(p, A->rowind[k]))
            p->masked[p->nmasked++] = k;
    for (int i = 0; i < ng; i++)
        if (!active[i]) {
            p->unit[p->nunit++] = p->matrix.maps[p->diag_lambda][i];
            if (stabilized(p))
                p->unit[p->nunit++] = p->matrix.maps[p->diag_mu][i];
        }
    for (int i = 0; i < nn; i++)
        if (!active[ng + i])
            p->unit[p->nunit++] = p->matrix.maps[p->diag_eta][i];
}

tn_layout tn_problem_layout(const tn_problem *p)
{
    return p->at;
}

tn_system *tn_problem_system(const tn_problem *p)
{
    return p->sys;
}

const tn_formulation *tn_problem_formulation(const tn_problem *p)
{
    return p->formulation;
}

const tn_sparse *tn_problem_matrix(const tn_problem *p)
{
    return p->matrix.matrix;
}

const tn_solver *tn_problem_solver(const tn_problem *p)
{
    return p->solver;
}

tn_status tn_problem_begin(tn_problem *p, const tn_point *start)
{
    if (!stabilized(p))
        return TN_OK;
    TN_TRY(tn_system_eval(p->sys, start, TN_EVAL_B));
    tn_copy(p->sys->block[TN_BLOCK_B]->nnz, p->sys->block[TN_BLOCK_B]->val, p->B_start);
    return TN_OK;
}

static unsigned parts_of(const tn_problem *p)
{
    unsigned want = TN_EVAL_MASS | TN_EVAL_FORCE;
    if (p->sys->ng + p->sys->nn > 0)
        want |= TN_EVAL_B;
    if (p->formulation->position)
        want |= TN_EVAL_G;
    if (p->formulation->velocity || p->sys->nn > 0)
        want |= TN_EVAL_GDOT;
    if (p->sys->ne > 0)
        want |= TN_EVAL_EXTRA;
    return want;
}

// x - u + B(q0)^T mu
static void kinematic_rows(const tn_problem *p, const double *y, double *r)
{
    const tn_layout *at = &p->at;
    const int nv = p->sys->nv;
    for (int i = 0; i < nv; i++)
        r[at->u + i] = y[at->x + i] - y[at->u + i];
    tn_sparse start = *p->sys->block[TN_BLOCK_B]; // the pattern of B with its values at the start
    start.val = p->B_start;
    tn_sparse_mul_t(&start, 1.0, y + at->mu, r + at->u);
}

tn_status tn_problem_residual(tn_problem *p, const tn_point *point, const double *y, double h,
                              const double *cdot, double *r)
{
    tn_system *s = p->sys;
    const tn_layout *at = &p->at;
    TN_TRY(tn_system_eval(s, point, parts_of(p)));
    tn_zero(at->n, r);
    tn_sparse_mul(s->block[TN_BLOCK_M], h, point->a, r);
    tn_axpy(s->nv, -h, s->f, r);
    if (s->ng > 0)
        tn_sparse_mul_t(s->block[TN_BLOCK_B], 1.0, y + at->lambda, r);
    if (s->nn > 0)
        tn_sparse_mul_t(s->block[TN_BLOCK_N], 1.0, y + at->eta, r);
    if (stabilized(p))
        kinematic_rows(p, y, r);
    if (p->formulation->velocity)
        tn_copy(s->ng, s->gdot, r + at->lambda);
    if (p->formulation->position)
        tn_axpy(s->ng, 1.0 / h, s->g, r + (stabilized(p) ? at->mu : at->lambda));
    tn_copy(s->nn, s->ndot, r + at->eta);
    for (int i = 0; i < s->ne; i++)
        r[at->e + i] = (i < s->nc ? cdot[i] : 0.0) - s->extra[i];
    for (int i = at->lambda; i < at->e; i++)
        if (!row_is_active(p, i))
            r[i] = 0.0;
    return TN_OK;
}

static double weight_value(weight w, const tn_weights *x)
{
    switch (w) {
    case MINUS:
        return -1.0;
    case W_HA:
        return x->h * x->a;
    case W_HV:
        return x->h * x->v;
    case W_HQ:
        return x->h * x->q;
    case W_H:
        return x->h;
    case W_V:
        return x->v;
    case W_Q:
        return x->q;
    case W_QH:
        return x->q / x->h;
    case W_1H:
        return 1.0 / x->h;
    case W_M1H:
        return -1.0 / x->h;
    case W_MQ:
        return -x->q;
    case W_MV:
        return -x->v;
    case W_C:
        return x->c;
    default:
        return 1.0;
    }
}

static void assemble(tn_problem *p, tn_weights w)
{
    tn_sparse *A = p->matrix.matrix;
    tn_zero(A->nnz, A->val);
    for (int k = 0; k < p->nplaced; k++) {
        const placed *from = &p->placed[k];
        const double scale = weight_value(from->weight, &w);
        const int *map = p->matrix.maps[k];
        if (from->block < 0) {
            const int size = from->weight == W_C ? p->sys->nc : p->sys->nv;
            for (int i = 0; i < size; i++)
                A->val[map[i]] += scale;
            continue;
        }
        const tn_sparse *source = p->sys->block[from->block];
        const double *values = from->values == TIMES_T    ? p->times_T[from->block]
                               : from->values == AT_START ? p->B_start
                                                          : source->val;
        tn_sparse_scatter(A->val, map, source->nnz, scale, values);
    }
    for (int k = 0; k < p->nmasked; k++)
        A->val[p->masked[k]] = 0.0;
    for (int k = 0; k < p->nunit; k++)
        A->val[p->unit[k]] = 1.0;
}

tn_status tn_problem_factor(tn_problem *p, const tn_point *at, const double *increment,
                            tn_weights w)
{
    tn_system *s = p->sys;
    TN_TRY(tn_system_eval(s, at, parts_of(p) | TN_EVAL_TANGENT | TN_EVAL_GDOT));
    for (int k = 0; k < TN_BLOCK_COUNT; k++)
        if (p->times_T[k])
            tn_system_times_tangent(s, s->block[k], increment, p->times_T[k]);
    assemble(p, w);
    const tn_status status = tn_solver_factor(p->solver, p->matrix.matrix);
    p->singular = status == TN_RETRY_SINGULAR;
    return p->singular ? TN_OK : status;
}

tn_status tn_problem_solve(tn_problem *p, double *r)
{
    if (p->singular)
        return tn_solver_solve_rank(p->solver, p->matrix.matrix, r);
    tn_solver_solve(p->solver, r);
    return TN_OK;
}

void tn_problem_name(const tn_problem *p, int i, char *text, size_t size)
{
    const tn_layout *at = &p->at;
    const tn_system *s = p->sys;
    if (i < at->lambda)
        s->ops->velocity_name(s, i % s->nv, text, size);
    else if (i < at->eta)
        s->ops->row_name(s, (i - at->lambda) % s->ng, text, size);
    else if (i < at->e)
        s->ops->row_name(s, s->ng + i - at->eta, text, size);
    else
        snprintf(text, size, "extra variable %d", i - at->e + 1);
}
