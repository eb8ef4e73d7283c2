// SPDX-License-Identifier: MIT
//
// The iteration matrices of a problem, composed of the sparse blocks of the system by tables of
// placements that are laid out once.
//
// A stabilised formulation is solved in parts after Fuehrer [Arn16, 4.3, after eq. 92]: the core
// (u, h lambda, h eta, e) with x taken for u, nearly the matrix of the index-2 form (of the index-1
// form in stabilized-index1), then projections of the increments onto the lower levels,
//
//   ( I          C^T ) ( v   )   ( u    )          ( I    B^T ) ( x  )   ( v + r_x )
//   ( C + q Z T  0   ) ( tau ) = ( r_tau )         ( B T  0   ) ( mu ) = ( r_mu    )
//
// with C = (B; N). The next iteration still has the feedback of B^T mu on forces and velocity rows,
// h^2 K and h Z times mu: corrections of x are O(h) smaller there than those of u, as B u is met
// already; and that of C^T tau in the same way. The factors have two thirds of the entries of those
// of one matrix.
//
// If stiff forces make h^2 K large, that feedback is as large as the rest, and the iteration may
// diverge. The whole is one matrix of all rows then, with increments x, v and u of q, v and v'
// apart:
//
//   dynamics      h (a M u + v D v + q K T x) + B^T h lambda + N^T h eta + ...
//   kinematics    x - v + B^T mu,     and v - u + C^T tau in stabilized-index1, else v is u
//   constraints   acceleration by u and v, velocity by v and x, position by x
//
// In ggl the velocity rows of the core are without Z. Where B loses rank along a direction s of
// motion, B s ~ delta passes through zero with its rate Z s ~ omega. Positions there are met by the
// projection, so that the rows say delta s' = ...; with x taken for u they would say
// (delta v + omega q) s' = ..., which has another sign soon after a singular position: the
// iteration would diverge in the first steps beyond it. Elsewhere an iteration in thirty or so is
// the price.
//
// Acceleration level. The rows are h (B v' + gamma). With Z = d(B v + g_t)/dq and left-trivialised
// derivatives X (Y g) - Y (X g) = [X, Y] g
//
//   d gamma / dv = 2 Z + B ad(v)            ad(v) w = [v, w]
//
// and d(N v' + ngamma)/dv = NZ + N', where N', the rate of N along the motion, is not among the
// blocks of a system and left out, as are derivatives of these rows by q and s, which would need
// third derivatives of g: all of them are O(h) of the matrix and cost a factor O(h) in the rate of
// convergence.
//
// Extra variables stand in y as they are. The matrix has them scaled: w goes with the multipliers
// and s with the positions, so the unknowns are (c, h w, s / h) and the rows h (c' - d), -h b,
// -h() / h. All of its blocks then have a limit for h -> 0.

#include "formulation/corrector_parts.h"

#include "base/alloc.h"
#include "base/carve.h"

#include <math.h>

bool tn_projects_position(const tn_system *sys, const tn_formulation *f)
{
    return f->position && (f->velocity || f->acceleration) && sys->ng > 0;
}

bool tn_projects_velocity(const tn_system *sys, const tn_formulation *f)
{
    return f->velocity && f->acceleration && sys->ng + sys->nn > 0;
}

int tn_lambda_power(const tn_formulation *f)
{
    return f->acceleration ? 1 : f->velocity ? 0 : -1;
}

int tn_eta_power(const tn_formulation *f)
{
    return f->acceleration ? 1 : 0;
}

// Layout of the matrices --------------------------------------------------------------------------

// Placements of one part while it is laid out.
typedef struct table {
    const tn_system *sys;
    tn_part *part;
    tn_places row, col; // those of the part
    tn_placement place[MAX_PLACED];
} table;

static tn_place_weight weighted(double factor, int power, by kind)
{
    return (tn_place_weight){factor, power, kind};
}

static void place_block(table *t, int block, variant values, tn_place_weight w, int row, int col)
{
    TN_ASSERT(block >= 0 && block < TN_BLOCK_COUNT && t->part->nplaced < MAX_PLACED);
    const tn_sparse *source = t->sys->block[block];
    if (!source)
        return;
    const int k = t->part->nplaced++;
    t->part->placed[k] = (placed){block, source->nnz, values, w};
    t->place[k] = (tn_placement){.source = source, .row0 = row, .col0 = col};
}

static void place_transposed(table *t, int block, variant values, int row, int col)
{
    const int before = t->part->nplaced;
    place_block(t, block, values, weighted(1.0, 0, BY_ONE), row, col);
    if (t->part->nplaced > before)
        t->place[before].transposed = true;
}

static int place_diagonal(table *t, tn_place_weight w, int size, int row, int col)
{
    TN_ASSERT(size >= 0 && t->part->nplaced < MAX_PLACED);
    const int k = t->part->nplaced++;
    t->part->placed[k] = (placed){-1, size, PLAIN, w};
    t->place[k] = (tn_placement){.size = size, .row0 = row, .col0 = col};
    return k;
}

static void place_dynamics(table *t)
{
    const int row = t->row.u;
    t->part->nmotion = t->sys->nv;
    place_block(t, TN_BLOCK_M, PLAIN, weighted(1.0, 1, BY_A), row, t->col.u);
    place_block(t, TN_BLOCK_D, PLAIN, weighted(1.0, 1, BY_V), row, t->col.v);
    place_block(t, TN_BLOCK_K, TIMES_T, weighted(1.0, 1, BY_Q), row, t->col.x);
    place_transposed(t, TN_BLOCK_B, PLAIN, row, t->col.lambda);
    place_block(t, TN_BLOCK_FL, PLAIN, weighted(1.0, 0, BY_ONE), row, t->col.lambda);
    place_transposed(t, TN_BLOCK_N, PLAIN, row, t->col.eta);
    place_block(t, TN_BLOCK_FN, PLAIN, weighted(1.0, 0, BY_ONE), row, t->col.eta);
    place_block(t, TN_BLOCK_FE, PLAIN, weighted(1.0, 1, BY_ONE), row, t->col.e);
}

static void place_position(table *t, int row)
{
    place_block(t, TN_BLOCK_B, TIMES_T, weighted(1.0, -1, BY_Q), row, t->col.x);
    place_block(t, TN_BLOCK_GE, PLAIN, weighted(1.0, -1, BY_ONE), row, t->col.e);
}

static void place_velocity(table *t, int row)
{
    place_block(t, TN_BLOCK_B, PLAIN, weighted(1.0, 0, BY_V), row, t->col.v);
    place_block(t, TN_BLOCK_Z, TIMES_T, weighted(1.0, 0, BY_Q), row, t->col.x);
    place_block(t, TN_BLOCK_ZE, PLAIN, weighted(1.0, 0, BY_ONE), row, t->col.e);
}

// In the core of ggl: without Z, see the head comment.
static void place_velocity_alone(table *t, int row)
{
    place_block(t, TN_BLOCK_B, PLAIN, weighted(1.0, 0, BY_V), row, t->col.v);
    place_block(t, TN_BLOCK_ZE, PLAIN, weighted(1.0, 0, BY_ONE), row, t->col.e);
}

static void place_nonholonomic(table *t, int row)
{
    place_block(t, TN_BLOCK_N, PLAIN, weighted(1.0, 0, BY_V), row, t->col.v);
    place_block(t, TN_BLOCK_NZ, TIMES_T, weighted(1.0, 0, BY_Q), row, t->col.x);
    place_block(t, TN_BLOCK_NE, PLAIN, weighted(1.0, 0, BY_ONE), row, t->col.e);
}

// (C/h) g
static void place_weighted_position(table *t, int row, double c)
{
    place_block(t, TN_BLOCK_B, TIMES_T, weighted(c, 0, BY_Q_STEP), row, t->col.x);
    place_block(t, TN_BLOCK_GE, PLAIN, weighted(c, 0, BY_STEP), row, t->col.e);
}

static void place_acceleration(table *t)
{
    const int lambda = t->row.lambda, eta = t->row.eta;
    place_block(t, TN_BLOCK_B, PLAIN, weighted(1.0, 1, BY_A), lambda, t->col.u);
    place_block(t, TN_BLOCK_Z, PLAIN, weighted(2.0, 1, BY_V), lambda, t->col.v);
    place_block(t, TN_BLOCK_B, TIMES_AD, weighted(1.0, 1, BY_V), lambda, t->col.v);
    place_block(t, TN_BLOCK_N, PLAIN, weighted(1.0, 1, BY_A), eta, t->col.u);
    place_block(t, TN_BLOCK_NZ, PLAIN, weighted(1.0, 1, BY_V), eta, t->col.v);
}

static void place_baumgarte(table *t, double alpha, double beta)
{
    const double a = 2.0 * alpha, b = beta * beta;
    const int lambda = t->row.lambda, eta = t->row.eta;
    place_block(t, TN_BLOCK_B, PLAIN, weighted(a, 1, BY_V), lambda, t->col.v);
    place_block(t, TN_BLOCK_Z, TIMES_T, weighted(a, 1, BY_Q), lambda, t->col.x);
    place_block(t, TN_BLOCK_ZE, PLAIN, weighted(a, 1, BY_ONE), lambda, t->col.e);
    place_block(t, TN_BLOCK_B, TIMES_T, weighted(b, 1, BY_Q), lambda, t->col.x);
    place_block(t, TN_BLOCK_GE, PLAIN, weighted(b, 1, BY_ONE), lambda, t->col.e);
    place_block(t, TN_BLOCK_N, PLAIN, weighted(a, 1, BY_V), eta, t->col.v);
    place_block(t, TN_BLOCK_NZ, TIMES_T, weighted(a, 1, BY_Q), eta, t->col.x);
    place_block(t, TN_BLOCK_NE, PLAIN, weighted(a, 1, BY_ONE), eta, t->col.e);
}

static void place_extra(table *t)
{
    const int row = t->row.e;
    if (t->sys->ne == 0)
        return;
    place_block(t, TN_BLOCK_EQ, TIMES_T, weighted(-1.0, 0, BY_Q), row, t->col.x);
    place_block(t, TN_BLOCK_EV, PLAIN, weighted(-1.0, 0, BY_V), row, t->col.v);
    place_block(t, TN_BLOCK_EE, PLAIN, weighted(-1.0, 0, BY_ONE), row, t->col.e);
    place_block(t, TN_BLOCK_EL, PLAIN, weighted(-1.0, -1, BY_ONE), row, t->col.lambda);
    place_block(t, TN_BLOCK_EN, PLAIN, weighted(-1.0, -1, BY_ONE), row, t->col.eta);
    place_diagonal(t, weighted(1.0, 0, BY_C), t->sys->nc, row, t->col.e);
}

// x - v + B^T mu
static void place_kinematics(table *t)
{
    TN_ASSERT(t->col.mu >= 0);
    const int row = t->row.x, nv = t->sys->nv;
    place_diagonal(t, weighted(1.0, 0, BY_ONE), nv, row, t->col.x);
    place_diagonal(t, weighted(-1.0, 0, BY_ONE), nv, row, t->col.v);
    place_transposed(t, TN_BLOCK_B, KINEMATIC, row, t->col.mu);
}

// v - u + C^T tau
static void place_velocity_kinematics(table *t)
{
    TN_ASSERT(t->col.tau >= 0);
    const int row = t->row.v, nv = t->sys->nv;
    place_diagonal(t, weighted(1.0, 0, BY_ONE), nv, row, t->col.v);
    place_diagonal(t, weighted(-1.0, 0, BY_ONE), nv, row, t->col.u);
    place_transposed(t, TN_BLOCK_B, PLAIN, row, t->col.tau);
    place_transposed(t, TN_BLOCK_N, PLAIN, row, t->col.tau_n);
}

// The last placement is the diagonal of the constraint rows, empty unless a row is left out.
static tn_status finish_part(table *t, int row0, int rows)
{
    TN_ASSERT(row0 >= 0 && row0 + rows <= t->part->col.n);
    tn_part *m = t->part;
    m->row0 = row0;
    m->rows = rows;
    m->diagonal = place_diagonal(t, weighted(1.0, 0, BY_ONE), rows, row0, row0);
    TN_ASSERT(m->nplaced <= MAX_PLACED);
    TN_TRY(tn_sparse_compose(m->col.n, m->col.n, m->nplaced, t->place, &m->matrix));
    m->nplaced--; // assembled by the mask alone
    TN_TRY(tn_solver_create(m->matrix.matrix, &m->solver));
    tn_solver_set_inertia(m->solver, m->row.u, m->col.u, m->nmotion);
    return TN_OK;
}

static table open_part(const tn_system *sys, tn_part *m, tn_places row, tn_places col)
{
    TN_ASSERT(row.n == col.n);
    m->row = row;
    m->col = col;
    return (table){.sys = sys, .part = m, .row = row, .col = col};
}

// One set of increments for x, v and u; rows stand where the unknown is that they determine.
static tn_places core_places(const tn_system *s)
{
    tn_places at = {.lambda = s->nv, .mu = -1, .tau = -1, .tau_n = -1, .eta = s->nv + s->ng};
    at.e = at.eta + s->nn;
    at.n = at.e + s->ne;
    return at;
}

static tn_status build_core(tn_corrector *cr)
{
    const tn_formulation *f = cr->formulation;
    const tn_places at = core_places(cr->sys);
    table t = open_part(cr->sys, &cr->core, at, at);
    place_dynamics(&t);
    if (f->acceleration) {
        place_acceleration(&t);
        if (f->baumgarte)
            place_baumgarte(&t, cr->alpha, cr->beta);
    } else {
        if (f->velocity && f->position)
            place_velocity_alone(&t, at.lambda);
        else if (f->velocity)
            place_velocity(&t, at.lambda);
        else
            place_position(&t, at.lambda);
        if (f->velocity && f->baumgarte)
            place_weighted_position(&t, at.lambda, cr->c);
        place_nonholonomic(&t, at.eta);
    }
    place_extra(&t);
    return finish_part(&t, at.lambda, cr->sys->ng + cr->sys->nn);
}

static tn_status build_position(tn_corrector *cr)
{
    const int nv = cr->sys->nv, ng = cr->sys->ng;
    const tn_places at = {.n = nv + ng, .e = nv + ng};
    table t = open_part(cr->sys, &cr->position, at, at);
    place_diagonal(&t, weighted(1.0, 0, BY_ONE), nv, 0, 0);
    place_transposed(&t, TN_BLOCK_B, KINEMATIC, 0, nv);
    place_block(&t, TN_BLOCK_B, TIMES_T, weighted(1.0, -1, BY_Q), nv, 0);
    return finish_part(&t, nv, ng);
}

static tn_status build_velocity(tn_corrector *cr)
{
    const int nv = cr->sys->nv, ng = cr->sys->ng, nn = cr->sys->nn;
    const tn_places at = {.n = nv + ng + nn, .e = nv + ng + nn};
    table t = open_part(cr->sys, &cr->velocity, at, at);
    place_diagonal(&t, weighted(1.0, 0, BY_ONE), nv, 0, 0);
    place_transposed(&t, TN_BLOCK_B, PLAIN, 0, nv);
    place_transposed(&t, TN_BLOCK_N, PLAIN, 0, nv + ng);
    place_block(&t, TN_BLOCK_B, PLAIN, weighted(1.0, 0, BY_V), nv, 0);
    place_block(&t, TN_BLOCK_Z, TIMES_T, weighted(1.0, 0, BY_Q), nv, 0);
    place_block(&t, TN_BLOCK_N, PLAIN, weighted(1.0, 0, BY_V), nv + ng, 0);
    place_block(&t, TN_BLOCK_NZ, TIMES_T, weighted(1.0, 0, BY_Q), nv + ng, 0);
    return finish_part(&t, nv, ng + nn);
}

// (x, [v,] u, lambda, [mu,] [tau,] eta, e)
static tn_places whole_columns(const tn_corrector *cr)
{
    const tn_system *s = cr->sys;
    const bool position = tn_projects_position(s, cr->formulation);
    const bool velocity = tn_projects_velocity(s, cr->formulation);
    tn_places at = {.mu = -1, .tau = -1, .tau_n = -1};
    at.v = position ? s->nv : 0;
    at.u = at.v + (velocity ? s->nv : 0);
    at.lambda = at.u + s->nv;
    at.eta = at.lambda + s->ng;
    if (position) {
        at.mu = at.eta;
        at.eta += s->ng;
    }
    if (velocity) {
        at.tau = at.eta;
        at.tau_n = at.tau + s->ng;
        at.eta += s->ng + s->nn;
    }
    at.e = at.eta + s->nn;
    at.n = at.e + s->ne;
    return at;
}

// Rows stand where elimination finds a pivot before it has to search one: the kinematic row that
// holds u has -1 there; with u gone the dynamics have a mass at the next increment, and the upper
// levels B B^T at mu and tau. On chains of rods L and U so have 1.6 times the entries of those of
// the parts (2.2 times in stabilized-index1); with rows in the order of the unknowns, which has
// zeros for pivots, ten times and more.
static tn_places whole_rows(const tn_places *col)
{
    tn_places row = *col;
    row.mu = col->lambda;
    if (col->tau < 0) {
        row.u = col->x;
        row.x = col->v;
        row.lambda = col->mu;
        return row;
    }
    row.u = col->v;
    row.v = col->u;
    row.lambda = col->tau;
    row.eta = col->tau_n;
    row.tau = col->mu;
    row.tau_n = col->eta;
    return row;
}

static tn_status build_whole(tn_corrector *cr)
{
    const tn_places col = whole_columns(cr), row = whole_rows(&col);
    table t = open_part(cr->sys, &cr->whole, row, col);
    place_dynamics(&t);
    if (col.mu >= 0) {
        place_kinematics(&t);
        place_position(&t, row.mu);
    }
    if (col.tau >= 0) {
        place_acceleration(&t);
        place_velocity_kinematics(&t);
        place_velocity(&t, row.tau);
        place_nonholonomic(&t, row.tau_n);
    } else {
        place_velocity(&t, row.lambda);
        place_nonholonomic(&t, row.eta);
    }
    place_extra(&t);
    return finish_part(&t, col.lambda, col.e - col.lambda);
}

// Memory ------------------------------------------------------------------------------------------

static void part_layout(tn_part *m, tn_carve *mem)
{
    m->masked = tn_carve_ints(mem, m->matrix.matrix->nnz);
    m->unit = tn_carve_ints(mem, m->rows);
}

static void layout_products(tn_corrector *cr, int plane, tn_carve *mem)
{
    for (int k = 0; k < TN_COUNT(tn_moved_blocks); k++)
        if (cr->sys->block[tn_moved_blocks[k]])
            TN_CARVE_DOUBLES(mem, cr->sys->block[tn_moved_blocks[k]]->nnz,
                             &cr->times_T[tn_moved_blocks[k]][plane]);
}

static void layout(void *self, tn_carve *mem)
{
    tn_corrector *cr = self;
    layout_products(cr, 0, mem);
    if (cr->formulation->acceleration && cr->sys->block[TN_BLOCK_B])
        TN_CARVE_DOUBLES(mem, cr->sys->block[TN_BLOCK_B]->nnz, &cr->times_ad);
    for (int k = 0; k < cr->nused; k++)
        part_layout(cr->used[k], mem);
}

static void whole_layout(void *self, tn_carve *mem)
{
    tn_corrector *cr = self;
    part_layout(&cr->whole, mem);
}

static void zlayout(void *self, tn_carve *mem)
{
    tn_corrector *cr = self;
    layout_products(cr, 1, mem);
    int most = 0;
    for (int k = 0; k < cr->nused; k++) {
        tn_part *m = cr->used[k];
        TN_CARVE_NUMBERS(mem, sizeof(double complex) * (size_t)m->matrix.matrix->nnz, m->zval);
        most = m->col.n > most ? m->col.n : most;
    }
    cr->zrhs = tn_carve_bytes(mem, sizeof(double complex) * (size_t)most);
}

// Velocities of a tree without loops from which on elimination along it beats a full matrix.
static const int TREE_FROM = 16;

static bool suits_tree(const tn_system *s)
{
    const bool alone = s->ng + s->nn + s->ne == 0;
    return s->ops->recursive && (!s->block[TN_BLOCK_M] || (alone && s->nv >= TREE_FROM));
}

static tn_status build_corrector_layout(tn_corrector *cr)
{
    if (suits_tree(cr->sys)) {
        const tn_status status = cr->sys->ops->recursive->open_linear(cr->sys);
        cr->by_tree = status == TN_OK;
        cr->used[0] = &cr->core;
        cr->core.row = cr->core.col = core_places(cr->sys);
        if (cr->by_tree || !cr->sys->block[TN_BLOCK_M])
            return status;
    }
    cr->used[cr->nused++] = &cr->core;
    TN_TRY(build_core(cr));
    if (tn_projects_velocity(cr->sys, cr->formulation)) {
        cr->used[cr->nused++] = &cr->velocity;
        TN_TRY(build_velocity(cr));
    }
    if (tn_projects_position(cr->sys, cr->formulation)) {
        cr->used[cr->nused++] = &cr->position;
        TN_TRY(build_position(cr));
    }
    return tn_carve_block(cr, layout, &cr->block);
}

tn_status tn_corrector_create(tn_system *sys, const tn_formulation *formulation,
                              const tn_sim_options *options, tn_corrector **out)
{
    *out = NULL;
    tn_corrector *cr = tn_alloc(sizeof *cr);
    TN_TRY(tn_got(cr));
    const tn_sim_options taken = options ? *options : tn_default_sim();
    cr->sys = sys;
    cr->formulation = formulation;
    cr->alpha = taken.baumgarte_alpha;
    cr->beta = taken.baumgarte_beta;
    cr->c = taken.baumgarte_c;
    const tn_status status = build_corrector_layout(cr);
    TN_HAND_OUT(status, cr, tn_corrector_destroy, out);
}

tn_status tn_corrector_open_complex(tn_corrector *cr)
{
    if (cr->zblock || cr->by_tree)
        return TN_OK;
    TN_TRY(tn_carve_block(cr, zlayout, &cr->zblock));
    for (int k = 0; k < cr->nused; k++) {
        tn_part *m = cr->used[k];
        TN_TRY(tn_solver_create_complex(m->matrix.matrix, &m->zsolver));
        tn_solver_set_inertia(m->zsolver, m->row.u, m->col.u, m->nmotion);
    }
    return TN_OK;
}

static void part_clear(tn_part *m)
{
    tn_solver_destroy(m->solver);
    tn_solver_destroy(m->zsolver);
    tn_composition_clear(&m->matrix);
    *m = (tn_part){0};
}

tn_status tn_corrector_make_exact(tn_corrector *cr)
{
    TN_ASSERT(!cr->zblock);
    if (cr->nused < 2)
        return TN_OK;
    TN_TRY(build_whole(cr));
    TN_TRY(tn_carve_block(cr, whole_layout, &cr->whole_block));
    for (int k = 0; k < cr->nused; k++)
        part_clear(cr->used[k]);
    cr->used[0] = &cr->whole;
    cr->nused = 1;
    return TN_OK;
}

void tn_corrector_destroy(tn_corrector *cr)
{
    if (!cr)
        return;
    part_clear(&cr->core);
    part_clear(&cr->position);
    part_clear(&cr->velocity);
    part_clear(&cr->whole);
    TN_FREE(cr->block, cr->zblock, cr->whole_block, cr);
}

static void part_values(tn_part *m, tn_values *v)
{
    const int nnz = m->matrix.matrix->nnz;
    TN_VALUES(v, "1", nnz, m->matrix.matrix->val);
    TN_VALUES_BOOLS(v, 2, m->singular);
    tn_solver_values(m->solver, v);
    if (!m->zsolver)
        return;
    TN_VALUES(v, "1", 2 * nnz, (double *)m->zval);
    tn_solver_values(m->zsolver, v);
}

void tn_corrector_values(tn_corrector *cr, tn_values *v)
{
    tn_values_enter(v, "corrector");
    TN_VALUES(v, "1", 4, (double *)cr->h);
    for (int k = 0; k < cr->nused && !cr->by_tree; k++) {
        tn_values_enter_at(v, "part", k);
        part_values(cr->used[k], v);
        tn_values_leave(v);
    }
    tn_values_leave(v);
}

// The constraint, holonomic ones first, of the unknown at a row; only the whole has more than one
// for each.
static int constraint_of(const tn_corrector *cr, const tn_part *m, int row)
{
    TN_ASSERT(row >= m->row0 && row < m->row0 + m->rows);
    const tn_places *at = &m->col;
    if (m != &cr->whole)
        return row - m->row0;
    if (row >= at->eta)
        return cr->sys->ng + row - at->eta;
    if (at->tau >= 0 && row >= at->tau)
        return row - at->tau;
    return (row - at->lambda) % cr->sys->ng;
}

static void part_mask(const tn_corrector *cr, tn_part *m, const int *active)
{
    const tn_sparse *A = m->matrix.matrix;
    m->nmasked = m->nunit = 0;
    for (int k = 0; k < A->nnz; k++) {
        const int row = A->rowind[k];
        if (row >= m->row0 && row < m->row0 + m->rows && !active[constraint_of(cr, m, row)])
            m->masked[m->nmasked++] = k;
    }
    for (int i = 0; i < m->rows; i++)
        if (!active[constraint_of(cr, m, m->row0 + i)])
            m->unit[m->nunit++] = m->matrix.maps[m->diagonal][i];
}

void tn_corrector_set_active(tn_corrector *cr, const int *active)
{
    for (int k = 0; k < cr->nused; k++)
        part_mask(cr, cr->used[k], active);
}

tn_places tn_corrector_columns(const tn_corrector *cr)
{
    return cr->used[0]->col;
}

tn_places tn_corrector_rows(const tn_corrector *cr)
{
    return cr->used[0]->row;
}

const char *tn_corrector_solver(const tn_corrector *cr)
{
    return cr->by_tree ? "tree" : tn_solver_name(cr->used[0]->solver);
}

unsigned tn_corrector_wants(const tn_corrector *cr)
{
    return TN_EVAL_B | (cr->by_tree ? TN_EVAL_LINEAR : TN_EVAL_MASS | TN_EVAL_TANGENT);
}

double tn_corrector_rcond(const tn_corrector *cr)
{
    const bool only = cr->position.solver && !cr->velocity.solver;
    return only ? cr->position.solver->stats.rcond : NAN;
}
