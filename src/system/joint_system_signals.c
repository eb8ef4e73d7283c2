// SPDX-License-Identifier: MIT
//
// Derivatives of live numbers and of the extra equations in joint coordinates. With the columns J
// of the bodies of a force and J, P of those on which a number z depends (joint_system_tangent.c),
//
//   K -= (J^T w_z) (z_q J + z_v P),   D -= (J^T w_z) (z_v J),   FE -= (J^T w_z) z_e
//
// and FL -= (J^T w_z) z_lambda for the rows that the tree does not carry, as those of joints whose
// reactions are used always are. Bodies that the force acts on itself are among the tangents of
// the force.
//
// A measure that is a coordinate of the tree or its rate is a column of its own, and J^T w_z of a
// force that acts on one coordinate alone is one number. So controllers of joints couple extra
// variables with few others, and elimination leaves these matrices as sparse as the tree is.

#include "system/joint_system_parts.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"

// Blocks of extra variables and multipliers.
static const tn_block blocks[] = {TN_BLOCK_FE, TN_BLOCK_FL, TN_BLOCK_EQ,
                                  TN_BLOCK_EV, TN_BLOCK_EE, TN_BLOCK_EL};

typedef struct block_size {
    int nrow, ncol; // no rows where there is no such block
} block_size;

static block_size size_of(const jointed *s, tn_block block)
{
    const int nv = s->base.nv, ng = s->base.ng, ne = s->base.ne;
    const bool reactions = s->world->signals->program->uses_reactions;
    switch (block) {
    case TN_BLOCK_FE:
        return (block_size){ne > 0 ? nv : 0, ne};
    case TN_BLOCK_FL:
        return (block_size){reactions ? nv : 0, ng};
    case TN_BLOCK_EE:
        return (block_size){ne, ne};
    case TN_BLOCK_EL:
        return (block_size){reactions ? ne : 0, ng};
    default:
        return (block_size){ne, nv};
    }
}

void tn_jointed_signals_layout(jointed *s, tn_carve *mem)
{
    TN_CARVE_DOUBLES(mem, s->base.nv, &s->along[0], &s->along[1], &s->along[2]);
    for (int k = 0; k < TN_COUNT(blocks); k++) {
        const block_size n = size_of(s, blocks[k]);
        s->dense[blocks[k]] = tn_carve_doubles(mem, n.nrow * n.ncol);
    }
}

// Where row i of the world is here: the tree leaves it.
static int row_here(const jointed *s, int i)
{
    int k = 0;
    while (k < s->base.ng && s->world_row[k] != i)
        k++;
    TN_ASSERT(k < s->base.ng);
    return k;
}

static const abs_measure *reaction_of(const jointed *s, const abs_outcome *o, int k)
{
    const abs_measure *m = o->measure[k] >= 0 ? &s->world->signals->measure[o->measure[k]] : NULL;
    return m && m->nrow > 0 ? m : NULL;
}

// Derivatives -------------------------------------------------------------------------------------

// Adds the derivatives by the freedoms below a body: `q` by positions, `v` by velocities.
static void add_share(jointed *s, const abs_share *share, double *q, double *v)
{
    const int n = tn_jointed_variation(s, 0, share->body);
    for (int c = 0; c < n; c++) {
        const int k = s->index[0][c];
        q[k] += abs_along(share->q, s->J[0][c]) + abs_along(share->v, s->P[0][c]);
        v[k] += abs_along(share->v, s->J[0][c]);
    }
}

// The derivatives of a formula by positions and velocities, into along[1] and along[2]; with what
// is near to its force or without.
static void find_along(jointed *s, const abs_point *here, const abs_outcome *o, bool near)
{
    const abs_signals *sig = s->world->signals;
    double *q = s->along[1], *v = s->along[2];
    tn_zero(s->base.nv, q);
    tn_zero(s->base.nv, v);
    for (int k = 0; here->alone && k < o->ndep; k++) {
        const int m = o->measure[k], i = m >= 0 ? s->direct[m] : -1;
        if (i >= 0)
            (i < here->nq ? q : v)[s->freedom[m]] += sig->d[o->node][k] * sig->measure[m].unit;
    }
    for (int k = 0; k < o->nshare; k++)
        if (o->share[k].varies && (near || o->share[k].far))
            add_share(s, &o->share[k], q, v);
}

// J^T w of a wrench on the two bodies of a pair.
static void add_wrench(jointed *s, const abs_pair *p, const double *w, double *out)
{
    for (int end = 0; end < 2; end++) {
        const int n = tn_jointed_variation(s, 0, end ? p->b : p->a);
        for (int c = 0; c < n; c++)
            out[s->index[0][c]] += abs_along(w + 6 * end, s->J[0][c]);
    }
}

// What a force that acts on one coordinate alone changes by with a live number: Q(1) - Q(0).
static double slope_of(const jointed *s, const abs_point *here, const abs_live *live)
{
    const abs_force *f = &s->world->force[live->force];
    const double now = *live->number;
    double Q[2];
    for (int k = 0; k < 2; k++) {
        *live->number = k;
        Q[k] = tn_jointed_law(s, here, f).Q;
    }
    *live->number = now;
    return (Q[1] - Q[0]) / live->unit;
}

// A few rows of a block: those of a force.
typedef struct row_span {
    int first, count;
} row_span;

// Fills along[0] with what a force changes by with a live number; the rows where it does.
static row_span find_force(jointed *s, const abs_point *here, const abs_live *live)
{
    const int place = here->alone ? here->alone[live->force] : 0, k = s->tree->body[place].v0;
    double *a = s->along[0];
    if (place > 0) {
        a[k] = slope_of(s, here, live);
        return (row_span){k, 1};
    }
    tn_zero(s->base.nv, a);
    add_wrench(s, &s->world->pair[s->world->force[live->force].pair], live->w, a);
    return (row_span){0, s->base.nv};
}

// A -= d a in these rows of a column of a block with nv rows.
static void subtract_rows(const jointed *s, row_span rows, double d, double *A, int c)
{
    if (d != 0.0)
        tn_axpy(rows.count, -d, s->along[0] + rows.first,
                A + (size_t)c * (size_t)s->base.nv + rows.first);
}

static void add_live(jointed *s, const abs_point *here, const abs_live *live)
{
    const abs_signals *sig = s->world->signals;
    const row_span rows = find_force(s, here, live);
    find_along(s, here, &live->z, here->alone && here->alone[live->force] > 0);
    for (int c = 0; s->K && c < s->base.nv; c++) {
        subtract_rows(s, rows, s->along[1][c], s->K, c);
        subtract_rows(s, rows, s->along[2][c], s->D, c);
    }
    for (int k = 0; k < live->z.ndep; k++) {
        const abs_measure *m = reaction_of(s, &live->z, k);
        const double d = sig->d[live->z.node][k];
        if (live->z.e[k] >= 0)
            subtract_rows(s, rows, d, s->dense[TN_BLOCK_FE], live->z.e[k]);
        for (int i = 0; m && i < m->nrow; i++)
            subtract_rows(s, rows, d * m->lambda[i], s->dense[TN_BLOCK_FL],
                          row_here(s, m->rows[i]));
    }
}

static void add_equation(jointed *s, const abs_point *here, int row, const abs_outcome *o)
{
    const int ne = s->base.ne;
    const double c = row < s->base.nc ? s->base.units.time : 1.0;
    const double *d = s->world->signals->d[o->node];
    find_along(s, here, o, true);
    for (int k = 0; k < s->base.nv; k++) {
        s->dense[TN_BLOCK_EQ][row + (size_t)k * (size_t)ne] = c * s->along[1][k];
        s->dense[TN_BLOCK_EV][row + (size_t)k * (size_t)ne] = c * s->along[2][k];
    }
    for (int k = 0; k < o->ndep; k++) {
        const abs_measure *m = reaction_of(s, o, k);
        if (o->e[k] >= 0)
            s->dense[TN_BLOCK_EE][row + (size_t)o->e[k] * (size_t)ne] += c * d[k];
        for (int i = 0; m && i < m->nrow; i++)
            s->dense[TN_BLOCK_EL][row + (size_t)row_here(s, m->rows[i]) * (size_t)ne] +=
                c * d[k] * m->lambda[i];
    }
}

void tn_jointed_signals_tangent(jointed *s, const abs_point *here)
{
    const abs_signals *sig = s->world->signals;
    for (int k = 0; k < TN_COUNT(blocks); k++) {
        const block_size n = size_of(s, blocks[k]);
        tn_zero(n.nrow * n.ncol, s->dense[blocks[k]]);
    }
    for (int i = 0; i < sig->nlive; i++)
        add_live(s, here, &sig->live[i]);
    for (int i = 0; i < sig->nextra; i++)
        add_equation(s, here, i, &sig->extra[i]);
    for (int k = 0; k < TN_COUNT(blocks); k++)
        if (s->base.block[blocks[k]])
            tn_jointed_gather(s->dense[blocks[k]], s->base.block[blocks[k]]);
}

// Patterns ----------------------------------------------------------------------------------------

// The freedoms below a body.
static void mark_path(const jointed *s, int body, bool *freedom)
{
    for (int k = s->tree->place[body]; k > 0; k = s->tree->body[k].parent)
        for (int i = 0; i < s->tree->body[k].nv; i++)
            freedom[s->tree->body[k].v0 + i] = true;
}

static void mark_force(const jointed *s, int force, bool *freedom)
{
    const abs_pair *p = &s->world->pair[s->world->force[force].pair];
    for (int k = 0; k < s->base.nv; k++)
        freedom[k] = false;
    if (s->alone[force] > 0) {
        freedom[s->tree->body[s->alone[force]].v0] = true;
        return;
    }
    mark_path(s, p->a, freedom);
    mark_path(s, p->b, freedom);
}

static void mark_measures(const jointed *s, const abs_outcome *o, bool *freedom)
{
    for (int k = 0; k < s->base.nv; k++)
        freedom[k] = false;
    for (int k = 0; k < o->ndep; k++) {
        const int m = o->measure[k];
        if (m >= 0 && s->direct[m] >= 0)
            freedom[s->freedom[m]] = true;
        for (int end = 0; m >= 0 && s->direct[m] < 0 && end < 2; end++)
            mark_path(s, s->world->signals->measure[m].body[end], freedom);
    }
}

// The columns of extra variables or multipliers on which a formula depends.
static void mark_others(const jointed *s, const abs_outcome *o, bool multipliers, bool *column)
{
    const int n = multipliers ? s->base.ng : s->base.ne;
    for (int k = 0; k < n; k++)
        column[k] = false;
    for (int k = 0; k < o->ndep; k++) {
        const abs_measure *m = reaction_of(s, o, k);
        if (!multipliers && o->e[k] >= 0)
            column[o->e[k]] = true;
        for (int i = 0; multipliers && m && i < m->nrow; i++)
            column[row_here(s, m->rows[i])] = true;
    }
}

typedef struct marks {
    bool *at;           // by columns
    bool *row, *column; // work
} marks;

static void mark_product(const marks *m, block_size n)
{
    for (int j = 0; j < n.ncol; j++)
        for (int i = 0; i < n.nrow && m->column[j]; i++)
            if (m->row[i])
                m->at[i + (size_t)j * (size_t)n.nrow] = true;
}

static void mark_block(const jointed *s, tn_block block, const marks *m)
{
    const abs_signals *sig = s->world->signals;
    const block_size n = size_of(s, block);
    const bool forces = block == TN_BLOCK_FE || block == TN_BLOCK_FL;
    const bool multipliers = block == TN_BLOCK_FL || block == TN_BLOCK_EL;
    for (int k = 0; k < (forces ? sig->nlive : sig->nextra); k++) {
        const abs_outcome *o = forces ? &sig->live[k].z : &sig->extra[k];
        for (int i = 0; !forces && i < n.nrow; i++)
            m->row[i] = i == k;
        if (forces)
            mark_force(s, sig->live[k].force, m->row);
        if (block == TN_BLOCK_EQ || block == TN_BLOCK_EV)
            mark_measures(s, o, m->column);
        else
            mark_others(s, o, multipliers, m->column);
        mark_product(m, n);
    }
}

// A matrix of the entries that are marked.
static tn_status create_block(const bool *mark, block_size n, tn_sparse **out)
{
    const int most = tn_larger(n.nrow, n.ncol);
    int count = 0, *ones = tn_alloc(sizeof *ones * (size_t)(most + 1));
    tn_pair_index *list = tn_alloc(sizeof *list * ((size_t)n.nrow * (size_t)n.ncol + 1));
    tn_status status = tn_got(ones && list);
    for (int k = 0; status == TN_OK && k < most; k++)
        ones[k] = 1;
    for (int j = 0; status == TN_OK && j < n.ncol; j++)
        for (int i = 0; i < n.nrow; i++)
            if (mark[i + (size_t)j * (size_t)n.nrow])
                list[count++] = (tn_pair_index){i, j};
    TN_THEN(status, tn_sparse_create(n.nrow, ones, n.ncol, ones, count, list, out));
    TN_FREE(ones, list);
    return status;
}

static tn_status block_pattern(jointed *s, tn_block block)
{
    const block_size n = size_of(s, block);
    const size_t size = (size_t)n.nrow * (size_t)n.ncol;
    if (n.nrow == 0)
        return TN_OK;
    bool *memory = tn_alloc(sizeof *memory * (size + (size_t)n.nrow + (size_t)n.ncol));
    TN_TRY(tn_got(memory));
    mark_block(s, block, &(marks){memory, memory + size, memory + size + n.nrow});
    const tn_status status = create_block(memory, n, &s->base.block[block]);
    tn_free(memory);
    return status;
}

tn_status tn_jointed_signal_patterns(jointed *s)
{
    s->base.force_uses_lambda = s->world->signals->program->uses_reactions;
    s->base.live_forces = s->world->signals->nlive > 0;
    for (int k = 0; k < TN_COUNT(blocks); k++)
        TN_TRY(block_pattern(s, blocks[k]));
    return TN_OK;
}
