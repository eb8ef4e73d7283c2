// SPDX-License-Identifier: MIT
//
// Expressions of the state in director coordinates. Numbers are measured on the bodies of the
// world, at the rotations nearest to the directors; the columns J of director_force.c map their
// derivatives by what bodies do,
//
//   z_q = J_q^T z_x + J_p^T z_V,   z_v = J_v^T z_V
//
// A force f(z) that depends on such a number affinely has f_z = f(1) - f(0), whatever it is made
// of: a scalar law, a wrench, or a mean over an interval. So
//
//   K -= f_z z_q^T,   D -= f_z z_v^T,   FE -= f_z z_e^T,   FL -= f_z z_lambda^T
//
// and rows of extra equations have EQ = z_q, EV = z_v, EE = z_e, EL = z_lambda. Over an interval
// these stand where it has its middle; K, by the end q1 of the interval, gets half of f_z z_q^T.

#include "system/director_parts.h"

#include "base/alloc.h"
#include "linalg/dense.h"

// Patterns ----------------------------------------------------------------------------------------

static const abs_blocks *force_blocks(const director *s, const abs_live *live, int end)
{
    const abs_pair *p = &s->world->pair[s->world->force[live->force].pair];
    return &s->body[end ? p->b : p->a].blocks;
}

// States on which others depend, directly or by way of further ones: reach[i ne + k].
static void close_reach(const abs_signals *sig, int ne, bool *reach)
{
    for (int i = 0; i < sig->nextra; i++)
        for (int k = 0; k < sig->extra[i].ndep; k++)
            if (sig->extra[i].e[k] >= 0)
                reach[i * ne + sig->extra[i].e[k]] = true;
    for (int i = 0; i < ne; i++)
        reach[i * ne + i] = true;
    for (int via = 0; via < ne; via++)
        for (int i = 0; i < ne; i++)
            for (int k = 0; k < ne && reach[i * ne + via]; k++)
                reach[i * ne + k] = reach[i * ne + k] || reach[via * ne + k];
}

int tn_director_signal_blocks(const director *s)
{
    const abs_signals *sig = s->world->signals;
    int lives = 0, bodies = 0, columns = 0;
    for (int i = 0; sig && i < sig->nlive; i++) {
        lives += 8 * sig->live[i].z.nshare;
        columns += 4 * sig->live[i].z.ndep * (1 + TN_JOINT_MAX_ROWS);
    }
    for (int i = 0; sig && i < sig->nextra; i++) {
        bodies += 8 * sig->extra[i].nshare;
        columns += sig->extra[i].ndep * (1 + TN_JOINT_MAX_ROWS);
    }
    return sig ? lives + bodies * (sig->nlive + 1) + columns : 0;
}

static void declare_shares(const director *s, const abs_live *live, const abs_outcome *o,
                           abs_pattern *list)
{
    for (int k = 0; k < 2 * o->nshare; k++)
        tn_blocks_declare(list, *force_blocks(s, live, k % 2), s->body[o->share[k / 2].body].blocks,
                          ABS_ALL);
}

// Bodies of a force with those on which its numbers depend; also by way of states, which discrete
// principles take out of the equations of a step.
void tn_director_declare_lives(const director *s, const bool *reach, abs_pattern *list)
{
    const abs_signals *sig = s->world->signals;
    const int ne = s->base.ne;
    for (int i = 0; sig && i < sig->nlive; i++) {
        const abs_live *live = &sig->live[i];
        declare_shares(s, live, &live->z, list);
        for (int row = 0; row < sig->nextra; row++) {
            bool on = false;
            for (int k = 0; k < live->z.ndep; k++)
                on = on || (live->z.e[k] >= 0 && reach[live->z.e[k] * ne + row]);
            if (on)
                declare_shares(s, live, &sig->extra[row], list);
        }
    }
}

// Columns that a formula has by its variable k: that of an extra variable, or those of the rows of
// a reaction.
typedef struct columns_of {
    int first, n;
} columns_of;

static columns_of by_variable(const director *s, const abs_outcome *o, int k, bool multipliers)
{
    const abs_measure *m = o->measure[k] >= 0 ? &s->world->signals->measure[o->measure[k]] : NULL;
    if (multipliers)
        return m && m->nrow > 0 ? (columns_of){s->ninternal + m->rows[0], m->nrow}
                                : (columns_of){0, 0};
    return (columns_of){o->e[k], o->e[k] >= 0};
}

static void declare_columns(const director *s, bool multipliers, abs_pattern *list)
{
    const abs_signals *sig = s->world->signals;
    list->count = 0;
    for (int i = 0; i < sig->nlive; i++)
        for (int k = 0; k < sig->live[i].z.ndep; k++) {
            const columns_of at = by_variable(s, &sig->live[i].z, k, multipliers);
            for (int c = 0; c < 2 * at.n; c++)
                tn_blocks_declare(list, *force_blocks(s, &sig->live[i], c % 2),
                                  (abs_blocks){at.first + c / 2, 1}, ABS_ALL);
        }
}

static void declare_motions(const director *s, abs_pattern *list)
{
    const abs_signals *sig = s->world->signals;
    list->count = 0;
    for (int i = 0; i < sig->nextra; i++)
        for (int k = 0; k < sig->extra[i].nshare; k++)
            tn_blocks_declare(list, (abs_blocks){i, 1}, s->body[sig->extra[i].share[k].body].blocks,
                              ABS_ALL);
}

static void declare_equations(const director *s, bool multipliers, abs_pattern *list)
{
    const abs_signals *sig = s->world->signals;
    list->count = 0;
    for (int i = 0; i < sig->nextra; i++)
        for (int k = 0; k < sig->extra[i].ndep; k++) {
            const columns_of at = by_variable(s, &sig->extra[i], k, multipliers);
            for (int c = 0; c < at.n; c++)
                list->at[list->count++] = (tn_pair_index){i, at.first + c};
        }
}

// Those of extra variables, whose blocks are of size one.
static tn_status extra_matrices(director *s, const int *size, const int *ones, abs_pattern list)
{
    tn_sparse **block = s->base.block;
    const int nb = s->nblock, ne = s->base.ne, ng = s->base.ng;
    declare_columns(s, false, &list);
    TN_TRY(tn_sparse_create(nb, size, ne, ones, list.count, list.at, &block[TN_BLOCK_FE]));
    declare_motions(s, &list);
    TN_TRY(tn_sparse_create(ne, ones, nb, size, list.count, list.at, &block[TN_BLOCK_EQ]));
    TN_TRY(tn_sparse_create(ne, ones, nb, size, list.count, list.at, &block[TN_BLOCK_EV]));
    declare_equations(s, false, &list);
    TN_TRY(tn_sparse_create(ne, ones, ne, ones, list.count, list.at, &block[TN_BLOCK_EE]));
    declare_equations(s, true, &list);
    return tn_sparse_create(ne, ones, ng, ones, list.count, list.at, &block[TN_BLOCK_EL]);
}

tn_status tn_director_signal_patterns(director *s, const int *size, abs_pattern list)
{
    tn_system *sys = &s->base;
    const int n = sys->ne + sys->ng;
    if (!s->world->signals)
        return TN_OK;
    int *ones = tn_alloc(sizeof(int) * (size_t)(n + 1));
    tn_status status = tn_got(ones);
    for (int i = 0; ones && i < n; i++)
        ones[i] = 1;
    sys->force_uses_lambda = s->world->signals->program->uses_reactions;
    if (sys->force_uses_lambda) {
        declare_columns(s, true, &list);
        TN_THEN(status, tn_sparse_create(s->nblock, size, sys->ng, ones, list.count, list.at,
                                         &sys->block[TN_BLOCK_FL]));
    }
    if (sys->ne > 0)
        TN_THEN(status, extra_matrices(s, size, ones, list));
    tn_free(ones);
    return status;
}

tn_status tn_director_find_reach(const director *s, bool **reach)
{
    const size_t ne = (size_t)s->base.ne;
    *reach = tn_alloc(sizeof **reach * (ne * ne + 1));
    TN_TRY(tn_got(*reach));
    if (s->world->signals)
        close_reach(s->world->signals, s->base.ne, *reach);
    return TN_OK;
}

// Pairs and bodies that numbers are measured on.
void tn_director_use_measures(const director *s, bool *pair, bool *body)
{
    const abs_signals *sig = s->world->signals;
    for (int k = 0; sig && k < sig->nmeasure; k++) {
        const abs_measure *m = &sig->measure[k];
        pair[m->pair] = body[m->body[0]] = body[m->body[1]] = true;
    }
    for (int i = 0; sig && i < sig->nlive; i++) {
        const int p = s->world->force[sig->live[i].force].pair;
        pair[p] = body[s->world->pair[p].a] = body[s->world->pair[p].b] = true;
    }
}

// Derivatives -------------------------------------------------------------------------------------

// The derivatives of a number along the coordinates of one body.
typedef struct along_body {
    double q[12], v[12];
} along_body;

static along_body along_share(const director *s, const abs_share *share)
{
    dir_columns J;
    along_body out = {{0}, {0}};
    tn_director_columns(&s->body[share->body], s->world->body[share->body].R, &J);
    for (int i = 0; i < 6; i++) {
        tn_axpy(12, share->q[i], J.q[i], out.q);
        tn_axpy(12, share->v[i], J.p[i], out.q);
        tn_axpy(12, share->v[i], J.v[i], out.v);
    }
    return out;
}

// What a force does to the coordinates of its bodies, alone; f stays as it is.
static void force_alone(director *s, const abs_force *force, const dir_act *act, double out[2][12])
{
    const abs_pair *p = &s->world->pair[force->pair];
    const dir_body *body[2] = {&s->body[p->a], &s->body[p->b]};
    double kept[2][12];
    for (int end = 0; end < 2; end++) {
        tn_copy(body[end]->nv, s->base.f + body[end]->v0, kept[end]);
        tn_zero(body[end]->nv, s->base.f + body[end]->v0);
    }
    act->force(s, force, act, TN_EVAL_FORCE);
    for (int end = 0; end < 2; end++)
        tn_copy(body[end]->nv, s->base.f + body[end]->v0, out[end]);
    for (int end = 0; end < 2; end++)
        tn_copy(body[end]->nv, kept[end], s->base.f + body[end]->v0);
}

// f(1) - f(0) of a live number.
static void force_slope(director *s, const abs_live *live, const dir_act *act, double slope[2][12])
{
    const abs_force *force = &s->world->force[live->force];
    const double now = *live->number;
    double off[2][12] = {{0}};
    *live->number = 1.0;
    force_alone(s, force, act, slope);
    *live->number = 0.0;
    force_alone(s, force, act, off);
    *live->number = now;
    for (int i = 0; i < 24; i++)
        slope[i / 12][i % 12] = (slope[i / 12][i % 12] - off[i / 12][i % 12]) / live->unit;
}

static void add_product(tn_sparse *A, const dir_body *a, const double *f, const dir_body *b,
                        double scale, const double *z)
{
    double block[12][12] = {{0}};
    const abs_slots at = tn_blocks_slots(A, a->blocks, b->blocks);
    for (int i = 0; i < a->nv; i++)
        tn_axpy(b->nv, f[i], z, block[i]);
    dir_add(A, &at, scale, a->dim, b->dim, &block[0][0]);
}

static void add_column(tn_sparse *A, const dir_body *a, double scale, const double *f, int column)
{
    double block[12][12] = {{0}};
    const abs_slots at = tn_blocks_slots(A, a->blocks, (abs_blocks){column, 1});
    for (int i = 0; i < a->nv; i++)
        block[i][0] = f[i];
    dir_add(A, &at, scale, a->dim, 0, &block[0][0]);
}

// The derivative of variable k of a formula, a reaction, by multiplier i of its joint.
static double by_row(const director *s, const abs_outcome *o, int k, int i)
{
    TN_ASSERT(o->measure[k] >= 0);
    return s->world->signals->measure[o->measure[k]].lambda[i];
}

static void add_live(director *s, const abs_live *live, const dir_act *act)
{
    const abs_pair *p = &s->world->pair[s->world->force[live->force].pair];
    const double *d = s->world->signals->d[live->z.node];
    tn_sparse *const *block = s->base.block;
    double slope[2][12] = {{0}};
    force_slope(s, live, act, slope);
    for (int end = 0; end < 2; end++) {
        const dir_body *a = &s->body[end ? p->b : p->a];
        for (int k = 0; a->nv > 0 && k < live->z.nshare; k++) {
            const dir_body *b = &s->body[live->z.share[k].body];
            const along_body z = along_share(s, &live->z.share[k]);
            add_product(block[TN_BLOCK_K], a, slope[end], b, -act->share, z.q);
            add_product(block[TN_BLOCK_D], a, slope[end], b, -1.0, z.v);
        }
        for (int k = 0; a->nv > 0 && k < live->z.ndep; k++) {
            const columns_of row = by_variable(s, &live->z, k, true);
            if (live->z.e[k] >= 0)
                add_column(block[TN_BLOCK_FE], a, -d[k], slope[end], live->z.e[k]);
            for (int i = 0; i < row.n; i++)
                add_column(block[TN_BLOCK_FL], a, -d[k] * by_row(s, &live->z, k, i), slope[end],
                           row.first + i);
        }
    }
}

static void add_row(tn_sparse *A, int row, double scale, const dir_body *b, const double *z)
{
    const abs_slots at = tn_blocks_slots(A, (abs_blocks){row, 1}, b->blocks);
    dir_add(A, &at, scale, 0, b->dim, z);
}

static void add_entry(tn_sparse *A, int row, int column, double x)
{
    tn_sparse_add(A, tn_sparse_slot(A, row, column), 1.0, &x, 1);
}

// c is the factor of a row, of units.
static void add_equation(director *s, int row, double c, const abs_outcome *o)
{
    tn_sparse *const *block = s->base.block;
    const double *d = s->world->signals->d[o->node];
    for (int k = 0; k < o->nshare; k++) {
        const dir_body *b = &s->body[o->share[k].body];
        const along_body z = along_share(s, &o->share[k]);
        add_row(block[TN_BLOCK_EQ], row, c, b, z.q);
        add_row(block[TN_BLOCK_EV], row, c, b, z.v);
    }
    for (int k = 0; k < o->ndep; k++) {
        const columns_of at = by_variable(s, o, k, true);
        if (o->e[k] >= 0)
            add_entry(block[TN_BLOCK_EE], row, o->e[k], c * d[k]);
        for (int i = 0; i < at.n; i++)
            add_entry(block[TN_BLOCK_EL], row, at.first + i, c * d[k] * by_row(s, o, k, i));
    }
}

void tn_director_signals_tangent(director *s, const dir_act *act)
{
    static const tn_block blocks[] = {TN_BLOCK_FE, TN_BLOCK_FL, TN_BLOCK_EQ,
                                      TN_BLOCK_EV, TN_BLOCK_EE, TN_BLOCK_EL};
    const abs_signals *sig = s->world->signals;
    TN_ASSERT(act->share > 0.0);
    if (!sig)
        return;
    for (int i = 0; i < TN_COUNT(blocks); i++)
        if (s->base.block[blocks[i]])
            tn_sparse_clear(s->base.block[blocks[i]]);
    for (int i = 0; i < sig->nlive; i++)
        add_live(s, &sig->live[i], act);
    for (int i = 0; i < sig->nextra; i++)
        add_equation(s, i, i < s->base.nc ? s->base.units.time : 1.0, &sig->extra[i]);
}
