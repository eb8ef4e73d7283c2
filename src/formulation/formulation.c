// SPDX-License-Identifier: MIT
//
// Problems for implicit integrators: residual rows and the iteration matrices, composed of the
// sparse blocks of the system by tables of placements that are laid out once.
//
// The corrector of a stabilised formulation is solved in two parts after Fuehrer [Arn16, 4.3, after
// eq. 92]: the core (u, h lambda, h eta, e) with x taken for u, which is the matrix of the index-2
// form, and then the projection
//
//   ( I    B(q0)^T ) ( x  )   ( u + r_x )
//   ( B T  0       ) ( mu ) = ( r_mu    )
//
// What is left to the next iteration is the feedback of B^T mu on forces and velocity rows, h^2 K
// and h Z times mu: corrections of x are O(h) smaller there than those of u, as B u is met already.
// Two small factors take less than half the memory and time of the matrix of [Arn16, eq. 94].
//
// Extra variables stand in y as they are. The matrix has them scaled: w goes with the multipliers
// and s with the positions, so the unknowns are (c, h w, s / h) and the rows h (c' - d), -h b,
// -h() / h. All of its blocks then have a limit for h -> 0.

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

#define MAX_PLACED 24

// One matrix of the corrector with its solver.
typedef struct part {
    int nplaced;
    placed placed[MAX_PLACED];
    tn_composition matrix;
    tn_solver *solver;
    int row0; // first constraint row, and its placement of diagonal entries
    int diagonal;
    int *masked; // slots of rows that are left out
    int nmasked;
    int *unit; // their diagonal slots, set to one
    int nunit;
    bool singular; // last factorisation failed; solve by rank
} part;

struct tn_problem {
    tn_system *sys;
    const tn_formulation *formulation;
    tn_layout at;                    // of y
    tn_layout core;                  // of the unknowns of the core: u, lambda, eta, e
    part main;                       // the core
    part project;                    // x and mu, of stabilised formulations
    double h;                        // step size of the last factorisation
    double *rhs;                     // of either part
    double *times_T[TN_BLOCK_COUNT]; // values of block T(h x), where used
    double *B_start;                 // values of B at the start of the step
    int *active;                     // ng + nn
    void *block;
};

static bool stabilized(const tn_problem *p)
{
    return p->formulation->position && p->formulation->velocity && p->sys->ng > 0;
}

static void set_layout(const tn_system *s, bool apart, tn_layout *at)
{
    at->x = 0;
    at->u = apart ? s->nv : 0;
    at->lambda = at->u + s->nv;
    at->mu = apart ? at->lambda + s->ng : -1;
    at->eta = at->lambda + s->ng + (apart ? s->ng : 0);
    at->e = at->eta + s->nn;
    at->n = at->e + s->ne;
}

// Placements of one part while it is laid out.
typedef struct table {
    const tn_system *sys;
    part *part;
    tn_placement place[MAX_PLACED];
} table;

static void place(table *t, int block, variant values, weight w, int row, int col, bool transposed)
{
    const tn_sparse *source = t->sys->block[block];
    if (!source)
        return;
    const int k = t->part->nplaced++;
    t->part->placed[k] = (placed){block, values, w};
    t->place[k] =
        (tn_placement){.source = source, .row0 = row, .col0 = col, .transposed = transposed};
}

static int place_diagonal(table *t, weight w, int size, int row, int col)
{
    const int k = t->part->nplaced++;
    t->part->placed[k] = (placed){-1, PLAIN, w};
    t->place[k] = (tn_placement){.size = size, .row0 = row, .col0 = col};
    return k;
}

static void place_dynamics(table *t, const tn_layout *at)
{
    place(t, TN_BLOCK_M, PLAIN, W_HA, at->u, at->u, false);
    place(t, TN_BLOCK_D, PLAIN, W_HV, at->u, at->u, false);
    place(t, TN_BLOCK_K, TIMES_T, W_HQ, at->u, at->u, false);
    place(t, TN_BLOCK_B, PLAIN, ONE, at->u, at->lambda, true);
    place(t, TN_BLOCK_FL, PLAIN, ONE, at->u, at->lambda, false);
    place(t, TN_BLOCK_N, PLAIN, ONE, at->u, at->eta, true);
    place(t, TN_BLOCK_FN, PLAIN, ONE, at->u, at->eta, false);
    place(t, TN_BLOCK_FE, PLAIN, W_H, at->u, at->e, false);
}

static void place_constraints(table *t, const tn_layout *at, bool velocity)
{
    if (velocity) {
        place(t, TN_BLOCK_B, PLAIN, W_V, at->lambda, at->u, false);
        place(t, TN_BLOCK_Z, TIMES_T, W_Q, at->lambda, at->u, false);
        place(t, TN_BLOCK_ZE, PLAIN, ONE, at->lambda, at->e, false);
    } else {
        place(t, TN_BLOCK_B, TIMES_T, W_QH, at->lambda, at->u, false);
        place(t, TN_BLOCK_GE, PLAIN, W_1H, at->lambda, at->e, false);
    }
    place(t, TN_BLOCK_N, PLAIN, W_V, at->eta, at->u, false);
    place(t, TN_BLOCK_NZ, TIMES_T, W_Q, at->eta, at->u, false);
    place(t, TN_BLOCK_NE, PLAIN, ONE, at->eta, at->e, false);
}

static void place_extra(table *t, const tn_layout *at)
{
    place(t, TN_BLOCK_EQ, TIMES_T, W_MQ, at->e, at->u, false);
    place(t, TN_BLOCK_EV, PLAIN, W_MV, at->e, at->u, false);
    place(t, TN_BLOCK_EE, PLAIN, MINUS, at->e, at->e, false);
    place(t, TN_BLOCK_EL, PLAIN, W_M1H, at->e, at->lambda, false);
    place(t, TN_BLOCK_EN, PLAIN, W_M1H, at->e, at->eta, false);
    place_diagonal(t, W_C, t->sys->nc, at->e, at->e);
}

// The last placement is the diagonal of the constraint rows, empty unless a row is left out.
static tn_status finish_part(table *t, int n, int row0, int rows)
{
    part *m = t->part;
    m->row0 = row0;
    m->diagonal = place_diagonal(t, ONE, rows, row0, row0);
    TN_TRY(tn_sparse_compose(n, m->nplaced, t->place, &m->matrix));
    m->nplaced--; // assembled by the mask alone
    return tn_solver_create(m->matrix.matrix, &m->solver);
}

static tn_status build_main(tn_problem *p)
{
    table t = {.sys = p->sys, .part = &p->main};
    place_dynamics(&t, &p->core);
    place_constraints(&t, &p->core, p->formulation->velocity);
    if (p->sys->ne > 0)
        place_extra(&t, &p->core);
    return finish_part(&t, p->core.n, p->core.lambda, p->sys->ng + p->sys->nn);
}

static tn_status build_projection(tn_problem *p)
{
    const int nv = p->sys->nv, ng = p->sys->ng;
    table t = {.sys = p->sys, .part = &p->project};
    place_diagonal(&t, ONE, nv, 0, 0);
    place(&t, TN_BLOCK_B, AT_START, ONE, 0, nv, true);
    place(&t, TN_BLOCK_B, TIMES_T, W_QH, nv, 0, false);
    return finish_part(&t, nv + ng, nv, ng);
}

static void part_layout(part *m, tn_carve *mem)
{
    if (!m->matrix.matrix)
        return;
    m->masked = tn_carve_ints(mem, m->matrix.matrix->nnz);
    m->unit = tn_carve_ints(mem, m->matrix.matrix->nrow - m->row0);
}

static void layout(void *self, tn_carve *mem)
{
    tn_problem *p = self;
    static const tn_block moved[] = {TN_BLOCK_K, TN_BLOCK_B, TN_BLOCK_Z, TN_BLOCK_NZ, TN_BLOCK_EQ};
    const tn_system *s = p->sys;
    for (int k = 0; k < TN_COUNT(moved); k++)
        if (s->block[moved[k]])
            p->times_T[moved[k]] = tn_carve_doubles(mem, s->block[moved[k]]->nnz);
    if (s->block[TN_BLOCK_B])
        p->B_start = tn_carve_doubles(mem, s->block[TN_BLOCK_B]->nnz);
    p->rhs = tn_carve_doubles(mem, p->core.n);
    p->active = tn_carve_ints(mem, s->ng + s->nn);
    part_layout(&p->main, mem);
    part_layout(&p->project, mem);
}

static tn_status allocate(tn_problem *p)
{
    TN_TRY(tn_carve_block(p, layout, &p->block));
    for (int i = 0; i < p->sys->ng + p->sys->nn; i++)
        p->active[i] = 1;
    return TN_OK;
}

tn_status tn_problem_create(tn_system *sys, const tn_formulation *formulation,
                            const tn_sim_options *options, tn_problem **out)
{
    (void)options;
    *out = NULL;
    tn_problem *p = tn_alloc(sizeof *p);
    if (!p)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    p->sys = sys;
    p->formulation = formulation;
    set_layout(sys, stabilized(p), &p->at);
    set_layout(sys, false, &p->core);
    tn_status status = build_main(p);
    if (status == TN_OK && stabilized(p))
        status = build_projection(p);
    if (status == TN_OK)
        status = allocate(p);
    if (status == TN_OK)
        *out = p;
    else
        tn_problem_destroy(p);
    return status;
}

void tn_problem_destroy(tn_problem *p)
{
    if (!p)
        return;
    tn_solver_destroy(p->main.solver);
    tn_solver_destroy(p->project.solver);
    tn_composition_clear(&p->main.matrix);
    tn_composition_clear(&p->project.matrix);
    tn_free(p->block);
    tn_free(p);
}

static void part_mask(part *m, int rows, const int *active)
{
    const tn_sparse *A = m->matrix.matrix;
    m->nmasked = m->nunit = 0;
    for (int k = 0; k < A->nnz; k++) {
        const int i = A->rowind[k] - m->row0;
        if (i >= 0 && i < rows && !active[i])
            m->masked[m->nmasked++] = k;
    }
    for (int i = 0; i < rows; i++)
        if (!active[i])
            m->unit[m->nunit++] = m->matrix.maps[m->diagonal][i];
}

void tn_problem_set_active(tn_problem *p, const int *active)
{
    const int ng = p->sys->ng, nn = p->sys->nn;
    memcpy(p->active, active, sizeof(int) * (size_t)(ng + nn));
    part_mask(&p->main, ng + nn, active);
    if (stabilized(p))
        part_mask(&p->project, ng, active);
}

const int *tn_problem_active(const tn_problem *p)
{
    return p->active;
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
    return p->main.matrix.matrix;
}

const tn_sparse *tn_problem_projection(const tn_problem *p)
{
    return p->project.matrix.matrix;
}

const tn_solver *tn_problem_solver(const tn_problem *p)
{
    return p->main.solver;
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
        r[at->x + i] = y[at->x + i] - y[at->u + i];
    tn_sparse start = *p->sys->block[TN_BLOCK_B]; // the pattern of B with its values at the start
    start.val = p->B_start;
    tn_sparse_mul_t(&start, 1.0, y + at->mu, r + at->x);
}

static void clear_inactive(const tn_problem *p, double *r)
{
    const tn_layout *at = &p->at;
    for (int i = 0; i < p->sys->ng; i++)
        if (!p->active[i]) {
            r[at->lambda + i] = 0.0;
            if (at->mu >= 0)
                r[at->mu + i] = 0.0;
        }
    for (int i = 0; i < p->sys->nn; i++)
        if (!p->active[p->sys->ng + i])
            r[at->eta + i] = 0.0;
}

tn_status tn_problem_residual(tn_problem *p, const tn_point *point, const double *y, double h,
                              const double *cdot, double *r)
{
    tn_system *s = p->sys;
    const tn_layout *at = &p->at;
    TN_TRY(tn_system_eval(s, point, parts_of(p)));
    tn_zero(at->n, r);
    double *dynamics = r + at->u;
    tn_sparse_mul(s->block[TN_BLOCK_M], h, point->a, dynamics);
    tn_axpy(s->nv, -h, s->f, dynamics);
    if (s->ng > 0)
        tn_sparse_mul_t(s->block[TN_BLOCK_B], 1.0, y + at->lambda, dynamics);
    if (s->nn > 0)
        tn_sparse_mul_t(s->block[TN_BLOCK_N], 1.0, y + at->eta, dynamics);
    if (stabilized(p))
        kinematic_rows(p, y, r);
    if (p->formulation->velocity)
        tn_copy(s->ng, s->gdot, r + at->lambda);
    if (p->formulation->position)
        tn_axpy(s->ng, 1.0 / h, s->g, r + (stabilized(p) ? at->mu : at->lambda));
    tn_copy(s->nn, s->ndot, r + at->eta);
    for (int i = 0; i < s->ne; i++)
        r[at->e + i] = (i < s->nc ? cdot[i] : 0.0) - s->extra[i];
    clear_inactive(p, r);
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

static void assemble(tn_problem *p, part *m, tn_weights w)
{
    tn_sparse *A = m->matrix.matrix;
    tn_zero(A->nnz, A->val);
    for (int k = 0; k < m->nplaced; k++) {
        const placed *from = &m->placed[k];
        const double scale = weight_value(from->weight, &w);
        const int *map = m->matrix.maps[k];
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
    for (int k = 0; k < m->nmasked; k++)
        A->val[m->masked[k]] = 0.0;
    for (int k = 0; k < m->nunit; k++)
        A->val[m->unit[k]] = 1.0;
}

// Factors on row and column i of the core: 1 except for extra variables, see the head comment.
static double row_scale(const tn_problem *p, int i)
{
    const int first_s = p->core.n - p->sys->ns;
    return i < p->core.e ? 1.0 : i < first_s ? p->h : 1.0 / p->h;
}

static double column_scale(const tn_problem *p, int i)
{
    const int first_w = p->core.e + p->sys->nc, first_s = p->core.n - p->sys->ns;
    return i < first_w ? 1.0 : i < first_s ? 1.0 / p->h : p->h;
}

static void scale_extra(const tn_problem *p, tn_sparse *A)
{
    for (int j = 0; j < A->ncol && p->sys->ne > 0; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            A->val[k] *= row_scale(p, A->rowind[k]) * column_scale(p, j);
}

static tn_status part_factor(part *m)
{
    const tn_status status = tn_solver_factor(m->solver, m->matrix.matrix);
    m->singular = status == TN_RETRY_SINGULAR;
    return m->singular ? TN_OK : status;
}

static tn_status part_solve(part *m, double *b)
{
    if (m->singular)
        return tn_solver_solve_rank(m->solver, m->matrix.matrix, b);
    tn_solver_solve(m->solver, b);
    return TN_OK;
}

tn_status tn_problem_factor(tn_problem *p, const tn_point *at, const double *increment,
                            tn_weights w)
{
    tn_system *s = p->sys;
    TN_TRY(tn_system_eval(s, at, parts_of(p) | TN_EVAL_TANGENT | TN_EVAL_GDOT));
    for (int k = 0; k < TN_BLOCK_COUNT; k++)
        if (p->times_T[k])
            tn_system_times_tangent(s, s->block[k], increment, p->times_T[k]);
    p->h = w.h;
    assemble(p, &p->main, w);
    scale_extra(p, p->main.matrix.matrix);
    TN_TRY(part_factor(&p->main));
    if (!stabilized(p))
        return TN_OK;
    assemble(p, &p->project, w);
    return part_factor(&p->project);
}

static tn_status solve_core(tn_problem *p, double *b)
{
    for (int i = p->core.e; i < p->core.n; i++)
        b[i] *= row_scale(p, i);
    TN_TRY(part_solve(&p->main, b));
    for (int i = p->core.e; i < p->core.n; i++)
        b[i] *= column_scale(p, i);
    return TN_OK;
}

// x and mu after the core: x + B(q0)^T mu = u + r_x, B T x = r_mu.
static tn_status solve_projection(tn_problem *p, double *r)
{
    const tn_layout *at = &p->at;
    const int nv = p->sys->nv, ng = p->sys->ng;
    tn_copy(nv, r + at->x, p->rhs);
    tn_axpy(nv, 1.0, r + at->u, p->rhs);
    tn_copy(ng, r + at->mu, p->rhs + nv);
    TN_TRY(part_solve(&p->project, p->rhs));
    tn_copy(nv, p->rhs, r + at->x);
    tn_copy(ng, p->rhs + nv, r + at->mu);
    return TN_OK;
}

tn_status tn_problem_solve(tn_problem *p, double *r)
{
    if (!stabilized(p))
        return solve_core(p, r);
    const tn_layout *at = &p->at, *core = &p->core;
    const int nv = p->sys->nv, ng = p->sys->ng, tail = core->n - core->eta;
    tn_copy(nv, r + at->u, p->rhs);
    tn_copy(ng, r + at->lambda, p->rhs + core->lambda);
    tn_copy(tail, r + at->eta, p->rhs + core->eta);
    TN_TRY(solve_core(p, p->rhs));
    tn_copy(nv, p->rhs, r + at->u);
    tn_copy(ng, p->rhs + core->lambda, r + at->lambda);
    tn_copy(tail, p->rhs + core->eta, r + at->eta);
    return solve_projection(p, r);
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
