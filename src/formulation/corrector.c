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
// with C = (B; N). What is left to the next iteration is the feedback of B^T mu on forces and
// velocity rows, h^2 K and h Z times mu: corrections of x are O(h) smaller there than those of u,
// as B u is met already; and that of C^T tau in the same way. The factors have two thirds of the
// entries of those of one matrix.
//
// Where stiff forces make h^2 K large that feedback is as large as the rest, and the iteration may
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

#include "formulation/corrector.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "lie/bracket.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// Which number multiplies a placed block: factor h^power, times one of the weights.
typedef enum by { BY_ONE, BY_Q, BY_V, BY_A, BY_C, BY_STEP, BY_Q_STEP } by;

typedef struct weight {
    double factor;
    int power;
    by by;
} weight;

// Which values of a block are placed: as they are, times T, times ad(v), or those of the kinematic
// rows.
typedef enum variant { PLAIN, TIMES_T, TIMES_AD, KINEMATIC } variant;

typedef struct placed {
    int block; // tn_block, -1 for a diagonal
    int count; // of values
    variant values;
    weight weight;
} placed;

#define MAX_PLACED 48

// One matrix of the corrector with its solvers.
typedef struct part {
    tn_places row, col;
    int nplaced;
    placed placed[MAX_PLACED];
    tn_composition matrix;
    tn_forest forest; // along which it may be eliminated
    tn_solver *solver;
    tn_zsolver *zsolver;
    double complex *zval; // values of the complex matrix
    int row0, rows;       // constraint rows, and the placement of their diagonal entries
    int diagonal;
    int *masked; // slots of rows that are left out
    int nmasked;
    int *unit; // their diagonal slots, set to one
    int nunit;
    bool singular[2]; // last factorisation, real and complex, failed; solve by rank
} part;

struct tn_corrector {
    tn_system *sys;
    const tn_formulation *formulation;
    double alpha, beta, c;         // of Baumgarte's combinations
    part core, position, velocity; // the latter two of stabilised formulations
    part whole;                    // instead of these three, where it is asked for
    part *used[3];                 // in the order of solving
    int nused;
    bool by_tree;        // instead of the core: solutions along the topology of the system
    double complex h[2]; // of the last factorisations, real and complex
    double *times_T[TN_BLOCK_COUNT][2]; // values of block T, where used
    double *times_ad;                   // values of B ad(v)
    double complex *zrhs;               // of any part
    void *block, *zblock, *whole_block;
};

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
    part *part;
    tn_places row, col; // those of the part
    tn_placement place[MAX_PLACED];
} table;

static weight times(double factor, int power, by kind)
{
    return (weight){factor, power, kind};
}

static void place(table *t, int block, variant values, weight w, int row, int col)
{
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
    place(t, block, values, times(1.0, 0, BY_ONE), row, col);
    if (t->part->nplaced > before)
        t->place[before].transposed = true;
}

static int place_diagonal(table *t, weight w, int size, int row, int col)
{
    const int k = t->part->nplaced++;
    t->part->placed[k] = (placed){-1, size, PLAIN, w};
    t->place[k] = (tn_placement){.size = size, .row0 = row, .col0 = col};
    return k;
}

static void place_dynamics(table *t)
{
    const int row = t->row.u;
    place(t, TN_BLOCK_M, PLAIN, times(1.0, 1, BY_A), row, t->col.u);
    place(t, TN_BLOCK_D, PLAIN, times(1.0, 1, BY_V), row, t->col.v);
    place(t, TN_BLOCK_K, TIMES_T, times(1.0, 1, BY_Q), row, t->col.x);
    place_transposed(t, TN_BLOCK_B, PLAIN, row, t->col.lambda);
    place(t, TN_BLOCK_FL, PLAIN, times(1.0, 0, BY_ONE), row, t->col.lambda);
    place_transposed(t, TN_BLOCK_N, PLAIN, row, t->col.eta);
    place(t, TN_BLOCK_FN, PLAIN, times(1.0, 0, BY_ONE), row, t->col.eta);
    place(t, TN_BLOCK_FE, PLAIN, times(1.0, 1, BY_ONE), row, t->col.e);
}

static void place_position(table *t, int row)
{
    place(t, TN_BLOCK_B, TIMES_T, times(1.0, -1, BY_Q), row, t->col.x);
    place(t, TN_BLOCK_GE, PLAIN, times(1.0, -1, BY_ONE), row, t->col.e);
}

static void place_velocity(table *t, int row)
{
    place(t, TN_BLOCK_B, PLAIN, times(1.0, 0, BY_V), row, t->col.v);
    place(t, TN_BLOCK_Z, TIMES_T, times(1.0, 0, BY_Q), row, t->col.x);
    place(t, TN_BLOCK_ZE, PLAIN, times(1.0, 0, BY_ONE), row, t->col.e);
}

// In the core of ggl: without Z, see the head comment.
static void place_velocity_alone(table *t, int row)
{
    place(t, TN_BLOCK_B, PLAIN, times(1.0, 0, BY_V), row, t->col.v);
    place(t, TN_BLOCK_ZE, PLAIN, times(1.0, 0, BY_ONE), row, t->col.e);
}

static void place_nonholonomic(table *t, int row)
{
    place(t, TN_BLOCK_N, PLAIN, times(1.0, 0, BY_V), row, t->col.v);
    place(t, TN_BLOCK_NZ, TIMES_T, times(1.0, 0, BY_Q), row, t->col.x);
    place(t, TN_BLOCK_NE, PLAIN, times(1.0, 0, BY_ONE), row, t->col.e);
}

// (C/h) g
static void place_weighted_position(table *t, int row, double c)
{
    place(t, TN_BLOCK_B, TIMES_T, times(c, 0, BY_Q_STEP), row, t->col.x);
    place(t, TN_BLOCK_GE, PLAIN, times(c, 0, BY_STEP), row, t->col.e);
}

static void place_acceleration(table *t)
{
    const int lambda = t->row.lambda, eta = t->row.eta;
    place(t, TN_BLOCK_B, PLAIN, times(1.0, 1, BY_A), lambda, t->col.u);
    place(t, TN_BLOCK_Z, PLAIN, times(2.0, 1, BY_V), lambda, t->col.v);
    place(t, TN_BLOCK_B, TIMES_AD, times(1.0, 1, BY_V), lambda, t->col.v);
    place(t, TN_BLOCK_N, PLAIN, times(1.0, 1, BY_A), eta, t->col.u);
    place(t, TN_BLOCK_NZ, PLAIN, times(1.0, 1, BY_V), eta, t->col.v);
}

static void place_baumgarte(table *t, double alpha, double beta)
{
    const double a = 2.0 * alpha, b = beta * beta;
    const int lambda = t->row.lambda, eta = t->row.eta;
    place(t, TN_BLOCK_B, PLAIN, times(a, 1, BY_V), lambda, t->col.v);
    place(t, TN_BLOCK_Z, TIMES_T, times(a, 1, BY_Q), lambda, t->col.x);
    place(t, TN_BLOCK_ZE, PLAIN, times(a, 1, BY_ONE), lambda, t->col.e);
    place(t, TN_BLOCK_B, TIMES_T, times(b, 1, BY_Q), lambda, t->col.x);
    place(t, TN_BLOCK_GE, PLAIN, times(b, 1, BY_ONE), lambda, t->col.e);
    place(t, TN_BLOCK_N, PLAIN, times(a, 1, BY_V), eta, t->col.v);
    place(t, TN_BLOCK_NZ, TIMES_T, times(a, 1, BY_Q), eta, t->col.x);
    place(t, TN_BLOCK_NE, PLAIN, times(a, 1, BY_ONE), eta, t->col.e);
}

static void place_extra(table *t)
{
    const int row = t->row.e;
    if (t->sys->ne == 0)
        return;
    place(t, TN_BLOCK_EQ, TIMES_T, times(-1.0, 0, BY_Q), row, t->col.x);
    place(t, TN_BLOCK_EV, PLAIN, times(-1.0, 0, BY_V), row, t->col.v);
    place(t, TN_BLOCK_EE, PLAIN, times(-1.0, 0, BY_ONE), row, t->col.e);
    place(t, TN_BLOCK_EL, PLAIN, times(-1.0, -1, BY_ONE), row, t->col.lambda);
    place(t, TN_BLOCK_EN, PLAIN, times(-1.0, -1, BY_ONE), row, t->col.eta);
    place_diagonal(t, times(1.0, 0, BY_C), t->sys->nc, row, t->col.e);
}

// x - v + B^T mu
static void place_kinematics(table *t)
{
    const int row = t->row.x, nv = t->sys->nv;
    place_diagonal(t, times(1.0, 0, BY_ONE), nv, row, t->col.x);
    place_diagonal(t, times(-1.0, 0, BY_ONE), nv, row, t->col.v);
    place_transposed(t, TN_BLOCK_B, KINEMATIC, row, t->col.mu);
}

// v - u + C^T tau
static void place_velocity_kinematics(table *t)
{
    const int row = t->row.v, nv = t->sys->nv;
    place_diagonal(t, times(1.0, 0, BY_ONE), nv, row, t->col.v);
    place_diagonal(t, times(-1.0, 0, BY_ONE), nv, row, t->col.u);
    place_transposed(t, TN_BLOCK_B, PLAIN, row, t->col.tau);
    place_transposed(t, TN_BLOCK_N, PLAIN, row, t->col.tau_n);
}

// The last placement is the diagonal of the constraint rows, empty unless a row is left out.
static tn_status finish_part(table *t, int row0, int rows)
{
    part *m = t->part;
    m->row0 = row0;
    m->rows = rows;
    m->diagonal = place_diagonal(t, times(1.0, 0, BY_ONE), rows, row0, row0);
    TN_ASSERT(m->nplaced <= MAX_PLACED);
    TN_TRY(tn_sparse_compose(m->col.n, m->nplaced, t->place, &m->matrix));
    m->nplaced--; // assembled by the mask alone
    return tn_solver_create_along(m->matrix.matrix, &m->forest, &m->solver);
}

static table open_part(const tn_system *sys, part *m, tn_places row, tn_places col)
{
    m->row = row;
    m->col = col;
    if (col.e == col.n && col.n <= sys->nv + sys->ng + sys->nn)
        m->forest = sys->forest;
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
    place_diagonal(&t, times(1.0, 0, BY_ONE), nv, 0, 0);
    place_transposed(&t, TN_BLOCK_B, KINEMATIC, 0, nv);
    place(&t, TN_BLOCK_B, TIMES_T, times(1.0, -1, BY_Q), nv, 0);
    return finish_part(&t, nv, ng);
}

static tn_status build_velocity(tn_corrector *cr)
{
    const int nv = cr->sys->nv, ng = cr->sys->ng, nn = cr->sys->nn;
    const tn_places at = {.n = nv + ng + nn, .e = nv + ng + nn};
    table t = open_part(cr->sys, &cr->velocity, at, at);
    place_diagonal(&t, times(1.0, 0, BY_ONE), nv, 0, 0);
    place_transposed(&t, TN_BLOCK_B, PLAIN, 0, nv);
    place_transposed(&t, TN_BLOCK_N, PLAIN, 0, nv + ng);
    place(&t, TN_BLOCK_B, PLAIN, times(1.0, 0, BY_V), nv, 0);
    place(&t, TN_BLOCK_Z, TIMES_T, times(1.0, 0, BY_Q), nv, 0);
    place(&t, TN_BLOCK_N, PLAIN, times(1.0, 0, BY_V), nv + ng, 0);
    place(&t, TN_BLOCK_NZ, TIMES_T, times(1.0, 0, BY_Q), nv + ng, 0);
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

// Rows stand where elimination finds a pivot before it has to look for one: the kinematic row that
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

static const tn_block moved[] = {TN_BLOCK_K, TN_BLOCK_B, TN_BLOCK_Z, TN_BLOCK_NZ, TN_BLOCK_EQ};

static void part_layout(part *m, tn_carve *mem)
{
    m->masked = tn_carve_ints(mem, m->matrix.matrix->nnz);
    m->unit = tn_carve_ints(mem, m->rows);
}

static void layout_products(tn_corrector *cr, int plane, tn_carve *mem)
{
    for (int k = 0; k < TN_COUNT(moved); k++)
        if (cr->sys->block[moved[k]])
            cr->times_T[moved[k]][plane] = tn_carve_doubles(mem, cr->sys->block[moved[k]]->nnz);
}

static void layout(void *self, tn_carve *mem)
{
    tn_corrector *cr = self;
    layout_products(cr, 0, mem);
    if (cr->formulation->acceleration && cr->sys->block[TN_BLOCK_B])
        cr->times_ad = tn_carve_doubles(mem, cr->sys->block[TN_BLOCK_B]->nnz);
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
        part *m = cr->used[k];
        m->zval = tn_carve_bytes(mem, sizeof(double complex) * (size_t)m->matrix.matrix->nnz);
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

static tn_status build(tn_corrector *cr)
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
    if (!cr)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    const tn_sim_options taken = options ? *options : tn_default_sim();
    cr->sys = sys;
    cr->formulation = formulation;
    cr->alpha = taken.baumgarte_alpha;
    cr->beta = taken.baumgarte_beta;
    cr->c = taken.baumgarte_c;
    const tn_status status = build(cr);
    if (status == TN_OK)
        *out = cr;
    else
        tn_corrector_destroy(cr);
    return status;
}

tn_status tn_corrector_open_complex(tn_corrector *cr)
{
    if (cr->zblock || cr->by_tree)
        return TN_OK;
    TN_TRY(tn_carve_block(cr, zlayout, &cr->zblock));
    for (int k = 0; k < cr->nused; k++)
        TN_TRY(tn_zsolver_create_along(cr->used[k]->matrix.matrix, &cr->used[k]->forest,
                                       &cr->used[k]->zsolver));
    return TN_OK;
}

static void part_clear(part *m)
{
    tn_solver_destroy(m->solver);
    tn_zsolver_destroy(m->zsolver);
    tn_composition_clear(&m->matrix);
    *m = (part){0};
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
    tn_free(cr->block);
    tn_free(cr->zblock);
    tn_free(cr->whole_block);
    tn_free(cr);
}

// The constraint, holonomic ones first, of the unknown at a row; only the whole has more than one
// for each.
static int constraint_of(const tn_corrector *cr, const part *m, int row)
{
    const tn_places *at = &m->col;
    if (m != &cr->whole)
        return row - m->row0;
    if (row >= at->eta)
        return cr->sys->ng + row - at->eta;
    if (at->tau >= 0 && row >= at->tau)
        return row - at->tau;
    return (row - at->lambda) % cr->sys->ng;
}

static void part_mask(const tn_corrector *cr, part *m, const int *active)
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

const tn_sparse *tn_corrector_matrix(const tn_corrector *cr)
{
    return cr->used[0]->matrix.matrix;
}

const tn_sparse *tn_corrector_position(const tn_corrector *cr)
{
    return cr->position.matrix.matrix;
}

const tn_sparse *tn_corrector_velocity(const tn_corrector *cr)
{
    return cr->velocity.matrix.matrix;
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
    return only ? tn_solver_statistics(cr->position.solver)->rcond : NAN;
}

// Products with block diagonal operators ----------------------------------------------------------

// The columns that X mixes have the same rows, so a row of the product mixes entries at one offset.
// Moving columns of R^3 x SO(3) are not mixed: X is `diagonal` times the identity there.
static void group_product(const tn_group *group, const tn_sparse *A, const double *val,
                          const double *X, double diagonal, double *out)
{
    const int first = group->kind == TN_GROUP_SO3 ? 3 : 0, n = group->nv;
    const int *column = A->colptr + group->v0;
    const int rows = column[first + 1] - column[first];
    for (int i = column[0]; i < column[first]; i++)
        out[i] = diagonal * val[i];
    for (int j = first; j < n; j++) {
        tn_zero(rows, out + column[j]);
        for (int i = first; i < n; i++)
            if (X[6 * i + j] != 0.0)
                tn_axpy(rows, X[6 * i + j], val + column[i], out + column[j]);
    }
}

// out = A X for X of 6 x 6 blocks, row major; on linear factors X is `diagonal` times the identity.
static void product(const tn_system *s, const tn_sparse *A, const double *val, const double *X,
                    double diagonal, double *out)
{
    for (int k = 0; k < s->ngroup; k++) {
        const tn_group *group = &s->groups[k];
        const int begin = A->colptr[group->v0], end = A->colptr[group->v0 + group->nv];
        if (group->kind != TN_GROUP_R)
            group_product(group, A, val, X + 36 * k, diagonal, out);
        else
            for (int i = begin; i < end; i++)
                out[i] = diagonal * val[i];
    }
}

// ad(v) of one factor, by columns.
static void adjoint(const tn_group *group, const double *v, double *X)
{
    tn_group at_zero = *group;
    at_zero.v0 = 0;
    for (int j = 0; j < group->nv; j++) {
        double unit[6] = {0}, column[6];
        unit[j] = 1.0;
        tn_group_bracket(1, &at_zero, v + group->v0, unit, column);
        for (int i = 0; i < group->nv; i++)
            X[6 * i + j] = column[i];
    }
}

static void times_adjoint(tn_corrector *cr, const tn_tangent *at)
{
    const tn_sparse *B = cr->sys->block[TN_BLOCK_B];
    for (int k = 0; k < cr->sys->ngroup; k++) {
        const tn_group *group = &cr->sys->groups[k];
        double X[36] = {0};
        if (group->kind == TN_GROUP_R) {
            const int begin = B->colptr[group->v0], end = B->colptr[group->v0 + group->nv];
            tn_zero(end - begin, cr->times_ad + begin);
            continue;
        }
        adjoint(group, at->v, X);
        group_product(group, B, at->value[TN_BLOCK_B], X, 0.0, cr->times_ad);
    }
}

static void form_products(tn_corrector *cr, const tn_tangent *at)
{
    for (int k = 0; k < TN_COUNT(moved); k++)
        for (int plane = 0; plane < 2; plane++) {
            const tn_sparse *A = cr->sys->block[moved[k]];
            if (A && at->T[plane])
                product(cr->sys, A, at->value[moved[k]], at->T[plane], plane == 0 ? 1.0 : 0.0,
                        cr->times_T[moved[k]][plane]);
        }
    if (cr->times_ad)
        times_adjoint(cr, at);
}

// Assembly ----------------------------------------------------------------------------------------

static double complex weight_value(const weight *w, const tn_zweights *x, double step)
{
    const double complex weights[] = {[BY_ONE] = 1.0,
                                      [BY_Q] = x->q,
                                      [BY_V] = x->v,
                                      [BY_A] = x->a,
                                      [BY_C] = x->c,
                                      [BY_STEP] = 1.0 / step,
                                      [BY_Q_STEP] = x->q / step};
    const double complex h = w->power > 0 ? x->h : w->power < 0 ? 1.0 / x->h : 1.0;
    return w->factor * h * weights[w->by];
}

// Values of a placed block: real and imaginary part (or NULL).
static void values_of(const tn_corrector *cr, const tn_tangent *at, const placed *p,
                      const double *value[2])
{
    value[0] = at->value[p->block];
    value[1] = NULL;
    if (p->values == TIMES_AD)
        value[0] = cr->times_ad;
    else if (p->values == KINEMATIC)
        value[0] = at->kinematic;
    else if (p->values == TIMES_T)
        for (int plane = 0; plane < 2; plane++)
            if (at->T[plane])
                value[plane] = cr->times_T[p->block][plane];
}

static void scatter_complex(double complex *val, const int *map, int n, double complex s,
                            const double *const value[2])
{
    double *to = (double *)val; // pairs of real and imaginary parts
    const double a = creal(s), b = cimag(s);
    for (int i = 0; i < n; i++) {
        const double re = value[0][i], im = value[1] ? value[1][i] : 0.0;
        to[2 * map[i]] += a * re - b * im;
        to[2 * map[i] + 1] += a * im + b * re;
    }
}

static void assemble(tn_corrector *cr, part *m, const tn_tangent *at, const tn_zweights *w)
{
    tn_sparse *A = m->matrix.matrix;
    tn_zero(A->nnz, A->val);
    for (int k = 0; k < m->nplaced; k++) {
        const placed *p = &m->placed[k];
        const double scale = creal(weight_value(&p->weight, w, at->step));
        const int *map = m->matrix.maps[k];
        const double *value[2];
        if (p->block < 0) {
            for (int i = 0; i < p->count; i++)
                A->val[map[i]] += scale;
            continue;
        }
        values_of(cr, at, p, value);
        tn_sparse_scatter(A->val, map, p->count, scale, value[0]);
    }
    for (int k = 0; k < m->nmasked; k++)
        A->val[m->masked[k]] = 0.0;
    for (int k = 0; k < m->nunit; k++)
        A->val[m->unit[k]] = 1.0;
}

static void assemble_complex(tn_corrector *cr, part *m, const tn_tangent *at, const tn_zweights *w)
{
    for (int i = 0; i < m->matrix.matrix->nnz; i++)
        m->zval[i] = 0.0;
    for (int k = 0; k < m->nplaced; k++) {
        const placed *p = &m->placed[k];
        const double complex scale = weight_value(&p->weight, w, at->step);
        const int *map = m->matrix.maps[k];
        const double *value[2];
        if (p->block < 0) {
            for (int i = 0; i < p->count; i++)
                m->zval[map[i]] += scale;
            continue;
        }
        values_of(cr, at, p, value);
        scatter_complex(m->zval, map, p->count, scale, value);
    }
    for (int k = 0; k < m->nmasked; k++)
        m->zval[m->masked[k]] = 0.0;
    for (int k = 0; k < m->nunit; k++)
        m->zval[m->unit[k]] = 1.0;
}

// Factors on row and column i: 1 except for extra variables, see the head comment.
static double complex row_scale(const tn_corrector *cr, const tn_places *at, double complex h,
                                int i)
{
    const int first_s = at->n - cr->sys->ns;
    return i < at->e ? 1.0 : i < first_s ? h : 1.0 / h;
}

static double complex column_scale(const tn_corrector *cr, const tn_places *at, double complex h,
                                   int i)
{
    const int first_w = at->e + cr->sys->nc, first_s = at->n - cr->sys->ns;
    return i < first_w ? 1.0 : i < first_s ? 1.0 / h : h;
}

static void scale_extra(const tn_corrector *cr, part *m, bool is_complex)
{
    tn_sparse *A = m->matrix.matrix;
    const double complex h = cr->h[is_complex];
    for (int j = 0; j < A->ncol && m->col.e < m->col.n; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            const double complex scale =
                row_scale(cr, &m->col, h, A->rowind[k]) * column_scale(cr, &m->col, h, j);
            if (is_complex)
                m->zval[k] *= scale;
            else
                A->val[k] *= creal(scale);
        }
}

static tn_status part_factor(tn_corrector *cr, part *m, bool is_complex)
{
    const tn_status status = is_complex ? tn_zsolver_factor(m->zsolver, m->zval)
                                        : tn_solver_factor(m->solver, m->matrix.matrix);
    // Projections tell of the constraints alone; pivots of the core are those of masses and stiff
    // forces as well.
    if (!is_complex && (m != &cr->core || !cr->position.solver) && cr->sys->ng + cr->sys->nn > 0)
        tn_system_note_rcond(cr->sys, tn_solver_statistics(m->solver)->rcond);
    m->singular[is_complex] = status == TN_RETRY_SINGULAR;
    return m->singular[is_complex] ? TN_OK : status;
}

static tn_status factor(tn_corrector *cr, const tn_tangent *at, const tn_zweights *w,
                        bool is_complex)
{
    cr->h[is_complex] = w->h;
    if (cr->by_tree) {
        const double complex c[3] = {w->h * w->q, w->h * w->v, w->h * w->a};
        return cr->sys->ops->recursive->factor_linear(cr->sys, is_complex, c, at->T);
    }
    form_products(cr, at);
    for (int k = 0; k < cr->nused; k++) {
        if (is_complex)
            assemble_complex(cr, cr->used[k], at, w);
        else
            assemble(cr, cr->used[k], at, w);
        scale_extra(cr, cr->used[k], is_complex);
        TN_TRY(part_factor(cr, cr->used[k], is_complex));
    }
    return TN_OK;
}

tn_status tn_corrector_factor(tn_corrector *cr, const tn_tangent *at, const tn_zweights *w)
{
    return factor(cr, at, w, false);
}

tn_status tn_corrector_factor_complex(tn_corrector *cr, const tn_tangent *at, const tn_zweights *w)
{
    return factor(cr, at, w, true);
}

// Solving -----------------------------------------------------------------------------------------

static tn_status part_solve(part *m, double *b)
{
    if (m->singular[0])
        return tn_solver_solve_rank(m->solver, m->matrix.matrix, b);
    tn_solver_solve(m->solver, b);
    return TN_OK;
}

static tn_status part_solve_complex(tn_corrector *cr, part *m, double *re, double *im)
{
    const int n = m->matrix.matrix->nrow;
    for (int i = 0; i < n; i++)
        cr->zrhs[i] = CMPLX(re[i], im[i]);
    if (m->singular[1])
        TN_TRY(tn_zsolver_solve_rank(m->zsolver, m->zval, cr->zrhs));
    else
        tn_zsolver_solve(m->zsolver, cr->zrhs);
    for (int i = 0; i < n; i++) {
        re[i] = creal(cr->zrhs[i]);
        im[i] = cimag(cr->zrhs[i]);
    }
    return TN_OK;
}

static tn_status solve(tn_corrector *cr, part *m, double *re, double *im)
{
    if (cr->by_tree) {
        cr->sys->ops->recursive->solve_linear(cr->sys, re, im);
        return TN_OK;
    }
    return im ? part_solve_complex(cr, m, re, im) : part_solve(m, re);
}

static void multiply(double complex s, double *re, double *im)
{
    const double complex x = s * CMPLX(*re, im ? *im : 0.0);
    *re = creal(x);
    if (im)
        *im = cimag(x);
}

tn_status tn_corrector_solve(tn_corrector *cr, double *re, double *im)
{
    const double complex h = cr->h[im != NULL];
    const tn_places *at = &cr->used[0]->col; // e has its rows there, too
    for (int i = at->e; i < at->n; i++)
        multiply(row_scale(cr, at, h, i), re + i, im ? im + i : NULL);
    TN_TRY(solve(cr, cr->used[0], re, im));
    for (int i = at->e; i < at->n; i++)
        multiply(column_scale(cr, at, h, i), re + i, im ? im + i : NULL);
    return TN_OK;
}

tn_status tn_corrector_solve_position(tn_corrector *cr, double *re, double *im)
{
    return solve(cr, &cr->position, re, im);
}

tn_status tn_corrector_solve_velocity(tn_corrector *cr, double *re, double *im)
{
    return solve(cr, &cr->velocity, re, im);
}

void tn_corrector_times_mass(const tn_corrector *cr, const tn_tangent *at, const double *x,
                             double *y)
{
    if (cr->by_tree)
        cr->sys->ops->recursive->times_linear(cr->sys, (double[3]){0.0, 0.0, 1.0}, x, y);
    else
        tn_tangent_mul(cr->sys, at, TN_BLOCK_M, 1.0, x, y);
}

// Products with the tangent -----------------------------------------------------------------------

static tn_sparse with_values(const tn_sparse *pattern, const double *val)
{
    tn_sparse A = *pattern;
    A.val = (double *)val; // read only
    return A;
}

void tn_tangent_mul(const tn_system *sys, const tn_tangent *at, tn_block block, double s,
                    const double *x, double *y)
{
    if (!sys->block[block] || s == 0.0)
        return;
    const tn_sparse A = with_values(sys->block[block], at->value[block]);
    tn_sparse_mul(&A, s, x, y);
}

void tn_tangent_mul_t(const tn_system *sys, const tn_tangent *at, tn_block block, double s,
                      const double *x, double *y)
{
    if (!sys->block[block] || s == 0.0)
        return;
    const tn_sparse A = with_values(sys->block[block], at->value[block]);
    tn_sparse_mul_t(&A, s, x, y);
}

// Of the projections, which are among the rows of the whole.
static void projections_along(const tn_system *s, const tn_tangent *at, const part *m,
                              const double *x, double *rows)
{
    const tn_places *place = &m->row;
    if (m->col.mu >= 0)
        tn_tangent_mul(s, at, TN_BLOCK_B, -1.0, x, rows + place->mu);
    if (m->col.tau < 0)
        return;
    tn_tangent_mul(s, at, TN_BLOCK_Z, -1.0, x, rows + place->tau);
    tn_tangent_mul(s, at, TN_BLOCK_NZ, -1.0, x, rows + place->tau_n);
}

void tn_corrector_along(const tn_corrector *cr, const tn_tangent *at, const double *x, double *rows)
{
    const tn_formulation *f = cr->formulation;
    const tn_system *s = cr->sys;
    const tn_places *place = &cr->used[0]->row;
    double *lambda = rows + place->lambda, *eta = rows + place->eta;
    if (cr->by_tree)
        s->ops->recursive->times_linear(cr->sys, (double[3]){-1.0, 0.0, 0.0}, x, rows + place->u);
    else
        tn_tangent_mul(s, at, TN_BLOCK_K, -1.0, x, rows + place->u);
    tn_tangent_mul(s, at, TN_BLOCK_EQ, 1.0, x, rows + place->e);
    projections_along(s, at, cr->used[0], x, rows);
    if (f->acceleration) {
        const double a = f->baumgarte ? 2.0 * cr->alpha : 0.0;
        tn_tangent_mul(s, at, TN_BLOCK_Z, -a, x, lambda);
        tn_tangent_mul(s, at, TN_BLOCK_NZ, -a, x, eta);
        tn_tangent_mul(s, at, TN_BLOCK_B, f->baumgarte ? -cr->beta * cr->beta : 0.0, x, lambda);
        return;
    }
    tn_tangent_mul(s, at, TN_BLOCK_NZ, -1.0, x, eta);
    if (f->velocity)
        tn_tangent_mul(s, at, TN_BLOCK_Z, -1.0, x, lambda);
    const double position = !f->velocity ? 1.0 : f->baumgarte ? cr->c / at->step : 0.0;
    tn_tangent_mul(s, at, TN_BLOCK_B, -position, x, lambda);
}
