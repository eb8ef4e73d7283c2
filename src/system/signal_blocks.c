// SPDX-License-Identifier: MIT
//
// Derivatives of variable parameters and extra equations; see signal_blocks.h. Few coordinates take
// part in each of them: those are listed, and nothing is done for the others.

#include "system/signal_blocks.h"

#include "base/alloc.h"
#include "linalg/dense.h"

static const tn_block extra_blocks[] = {TN_BLOCK_FE, TN_BLOCK_FL, TN_BLOCK_EQ,
                                        TN_BLOCK_EV, TN_BLOCK_EE, TN_BLOCK_EL};

// Numbers of which a few are other than zero.
typedef struct few {
    int n, *list; // which
    bool *in;     // of all
} few;

struct signal_blocks {
    tn_system *sys;
    const absolute *world;
    const signal_ops *ops;
    few rows, columns;
    double *slope, *q, *v; // nv: f_z at the rows, z_q and z_v at the columns
    int *list;
    void *block;
};

static int most_numbers(const tn_system *sys)
{
    return tn_larger(sys->nv, tn_larger(sys->ne, sys->ng)) + 1;
}

static void layout_signal_blocks(void *self, tn_carve *mem)
{
    signal_blocks *b = self;
    const int n = most_numbers(b->sys);
    TN_CARVE_INTS(mem, n, &b->rows.list, &b->columns.list);
    b->list = tn_carve_ints(mem, tn_larger(n, 12));
    TN_CARVE_DOUBLES(mem, n, &b->slope, &b->q, &b->v);
    b->rows.in = tn_carve_bytes(mem, sizeof(bool) * (size_t)n);
    b->columns.in = tn_carve_bytes(mem, sizeof(bool) * (size_t)n);
}

static void forget(few *f)
{
    while (f->n > 0)
        f->in[f->list[--f->n]] = false;
}

static void note(few *f, int k)
{
    if (!f->in[k])
        f->list[f->n++] = k;
    f->in[k] = true;
}

static const abs_measure *measure_at(const signal_blocks *b, const abs_outcome *o, int k)
{
    return o->measure[k] >= 0 ? &b->world->signals->measure[o->measure[k]] : NULL;
}

static int row_here(const signal_blocks *b, int world_row)
{
    return b->ops->row ? b->ops->row(b->sys, world_row) : world_row;
}

// Patterns ----------------------------------------------------------------------------------------

static void note_body(signal_blocks *b, int body, few *f)
{
    const int n = body > 0 ? b->ops->path(b->sys, body, b->list) : 0;
    for (int i = 0; i < n; i++)
        note(f, b->list[i]);
}

static void note_pair(signal_blocks *b, int first, int second, int n, few *f)
{
    for (int i = 0; i < n; i++)
        note(f, b->list[i]);
    if (n > 0)
        return;
    note_body(b, first, f);
    note_body(b, second, f);
}

static void note_rows(signal_blocks *b, const abs_live *live)
{
    const abs_pair *p = &b->world->pair[b->world->force[live->force].pair];
    const int n = b->ops->of_force ? b->ops->of_force(b->sys, live->force, b->list) : 0;
    note_pair(b, p->a, p->b, n, &b->rows);
}

static void note_columns(signal_blocks *b, tn_block block, const abs_outcome *o)
{
    const bool multipliers = block == TN_BLOCK_FL || block == TN_BLOCK_EL;
    const bool motions = block == TN_BLOCK_EQ || block == TN_BLOCK_EV;
    for (int k = 0; k < o->ndep; k++) {
        const abs_measure *m = measure_at(b, o, k);
        if (!multipliers && !motions && o->e[k] >= 0)
            note(&b->columns, o->e[k]);
        for (int i = 0; multipliers && m && i < m->nrow; i++)
            note(&b->columns, row_here(b, m->rows[i]));
        if (!motions || !m)
            continue;
        const int n = b->ops->of_measure ? b->ops->of_measure(b->sys, o->measure[k], b->list) : 0;
        note_pair(b, m->body[0], m->body[1], n, &b->columns);
    }
}

// Entries of a block, some more than once.
static void declare(signal_blocks *b, tn_block block, abs_pattern *list)
{
    const abs_signals *sig = b->world->signals;
    const bool forces = block == TN_BLOCK_FE || block == TN_BLOCK_FL;
    for (int k = 0; k < (forces ? sig->nlive : sig->nextra); k++) {
        forget(&b->rows);
        forget(&b->columns);
        if (forces)
            note_rows(b, &sig->live[k]);
        else
            note(&b->rows, k);
        note_columns(b, block, forces ? &sig->live[k].z : &sig->extra[k]);
        for (int i = 0; i < b->rows.n * b->columns.n; i++)
            tn_pattern_add(list, b->rows.list[i % b->rows.n], b->columns.list[i / b->rows.n]);
    }
}

static tn_status create_extra_block(signal_blocks *b, tn_block block, const int *ones)
{
    const tn_system *sys = b->sys;
    const bool forces = block == TN_BLOCK_FE || block == TN_BLOCK_FL;
    const bool multipliers = block == TN_BLOCK_FL || block == TN_BLOCK_EL;
    const bool motions = block == TN_BLOCK_EQ || block == TN_BLOCK_EV;
    const int nrow = forces ? sys->nv : sys->ne;
    const int ncol = multipliers ? sys->ng : motions ? sys->nv : sys->ne;
    if (nrow == 0 || (!multipliers && sys->ne == 0) || (multipliers && !sys->force_uses_lambda))
        return TN_OK;
    abs_pattern list = {0};
    declare(b, block, &list);
    const tn_status status =
        tn_pattern_create(&list, nrow, ones, ncol, ones, &b->sys->block[block]);
    tn_free(list.at);
    return status;
}

static tn_status create_extra_blocks(signal_blocks *b)
{
    const int n = most_numbers(b->sys);
    int *ones = tn_alloc(sizeof *ones * (size_t)n);
    tn_status status = tn_got(ones);
    for (int i = 0; ones && i < n; i++)
        ones[i] = 1;
    for (int k = 0; k < TN_COUNT(extra_blocks); k++)
        TN_THEN(status, create_extra_block(b, extra_blocks[k], ones));
    tn_free(ones);
    return status;
}

tn_status tn_signal_blocks_create(tn_system *sys, const absolute *world, const signal_ops *ops,
                                  signal_blocks **out)
{
    *out = NULL;
    if (!world->signals || world->signals->idle)
        return TN_OK;
    signal_blocks *b = tn_alloc(sizeof *b);
    TN_TRY(tn_got(b));
    b->sys = sys;
    b->world = world;
    b->ops = ops;
    sys->force_uses_lambda = world->signals->program->uses_reactions;
    sys->live_forces = world->signals->nlive > 0;
    tn_status status = tn_carve_block(b, layout_signal_blocks, &b->block);
    TN_THEN(status, create_extra_blocks(b));
    TN_HAND_OUT(status, b, tn_signal_blocks_destroy, out);
}

void tn_signal_blocks_destroy(signal_blocks *b)
{
    if (b)
        TN_FREE(b->block, b);
}

// Derivatives -------------------------------------------------------------------------------------

static void add_along(signal_blocks *b, int k, double q, double v)
{
    if (!b->columns.in[k])
        b->q[k] = b->v[k] = 0.0;
    note(&b->columns, k);
    b->q[k] += q;
    b->v[k] += v;
}

// z_q and z_v of a formula, with the bodies near to its force or without.
static void find_along(signal_blocks *b, const abs_point *here, const abs_outcome *o, bool near)
{
    const abs_signals *sig = b->world->signals;
    body_columns c;
    forget(&b->columns);
    for (int k = 0; here->alone && k < o->ndep; k++) {
        const int m = o->measure[k];
        if (m < 0 || here->direct[m] < 0)
            continue;
        const double d = sig->d[o->node][k] * sig->measure[m].unit;
        const bool rate = here->direct[m] >= here->nq;
        b->ops->of_measure(b->sys, m, b->list);
        add_along(b, b->list[0], rate ? 0.0 : d, rate ? d : 0.0);
    }
    for (int i = 0; i < o->nshare; i++) {
        const abs_share *share = &o->share[i];
        if (!share->varies || !(near || share->far))
            continue;
        b->ops->columns(b->sys, share->body, &c);
        for (int k = 0; k < c.n; k++)
            add_along(b, c.index[k], abs_along(share->q, c.q[k]) + abs_along(share->v, c.p[k]),
                      abs_along(share->v, c.v[k]));
    }
}

void tn_signal_push(signal_blocks *b, int k, double x)
{
    if (!b->rows.in[k])
        b->slope[k] = 0.0;
    note(&b->rows, k);
    b->slope[k] += x;
}

void tn_signal_push_wrench(signal_blocks *b, const abs_live *live)
{
    const abs_pair *p = &b->world->pair[b->world->force[live->force].pair];
    body_columns c;
    for (int end = 0; end < 2; end++) {
        const int body = end ? p->b : p->a;
        if (body == 0)
            continue;
        b->ops->columns(b->sys, body, &c);
        for (int k = 0; k < c.n; k++)
            tn_signal_push(b, c.index[k], abs_along(live->w + 6 * end, c.v[k]));
    }
}

static void add_entry(const signal_blocks *b, tn_block block, int row, int column, double x)
{
    tn_sparse *A = b->sys->block[block];
    const bool dynamics = block == TN_BLOCK_K || block == TN_BLOCK_D;
    if (x == 0.0)
        return;
    if (dynamics && b->ops->entry) {
        double *at = b->ops->entry(b->sys, block, row, column);
        if (at)
            *at += x;
        return;
    }
    const int at = tn_sparse_place(A, row, column);
    if (at >= 0)
        A->val[at] += x;
}

// Column `column` of a block less d f_z.
static void subtract_slope(const signal_blocks *b, tn_block block, int column, double d)
{
    for (int i = 0; i < b->rows.n && d != 0.0; i++)
        add_entry(b, block, b->rows.list[i], column, -d * b->slope[b->rows.list[i]]);
}

static void add_live(signal_blocks *b, const abs_point *here, const abs_live *live, double share,
                     const void *act)
{
    const double *d = b->world->signals->d[live->z.node];
    bool near = false;
    forget(&b->rows);
    if (b->ops->slope)
        near = b->ops->slope(b->sys, live, act, b);
    else
        tn_signal_push_wrench(b, live);
    find_along(b, here, &live->z, near);
    for (int k = 0; k < b->columns.n; k++) {
        const int column = b->columns.list[k];
        subtract_slope(b, TN_BLOCK_K, column, share * b->q[column]);
        subtract_slope(b, TN_BLOCK_D, column, b->v[column]);
    }
    for (int k = 0; k < live->z.ndep; k++) {
        const abs_measure *m = measure_at(b, &live->z, k);
        if (live->z.e[k] >= 0)
            subtract_slope(b, TN_BLOCK_FE, live->z.e[k], d[k]);
        for (int i = 0; m && i < m->nrow; i++)
            subtract_slope(b, TN_BLOCK_FL, row_here(b, m->rows[i]), d[k] * m->lambda[i]);
    }
}

// c is the factor of the row, of units.
static void add_equation(signal_blocks *b, const abs_point *here, int row, double c,
                         const abs_outcome *o)
{
    const double *d = b->world->signals->d[o->node];
    find_along(b, here, o, true);
    for (int k = 0; k < b->columns.n; k++) {
        const int column = b->columns.list[k];
        add_entry(b, TN_BLOCK_EQ, row, column, c * b->q[column]);
        add_entry(b, TN_BLOCK_EV, row, column, c * b->v[column]);
    }
    for (int k = 0; k < o->ndep; k++) {
        const abs_measure *m = measure_at(b, o, k);
        if (o->e[k] >= 0)
            add_entry(b, TN_BLOCK_EE, row, o->e[k], c * d[k]);
        for (int i = 0; m && i < m->nrow; i++)
            add_entry(b, TN_BLOCK_EL, row, row_here(b, m->rows[i]), c * d[k] * m->lambda[i]);
    }
}

void tn_signal_blocks_tangent(signal_blocks *b, const abs_point *here, double share,
                              const void *act)
{
    if (!b)
        return;
    const abs_signals *sig = b->world->signals;
    const tn_system *sys = b->sys;
    for (int i = 0; i < TN_COUNT(extra_blocks); i++)
        if (sys->block[extra_blocks[i]])
            tn_sparse_clear(sys->block[extra_blocks[i]]);
    for (int i = 0; i < sig->nlive; i++)
        add_live(b, here, &sig->live[i], share, act);
    for (int i = 0; i < sig->nextra; i++)
        add_equation(b, here, i, i < sys->nc ? sys->units.time : 1.0, &sig->extra[i]);
}
