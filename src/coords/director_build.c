// SPDX-License-Identifier: MIT
//
// Compiles director coordinates on top of the model in absolute ones: coordinates of the bodies,
// frames in terms of directors, sparsity patterns, and the mass matrix, which is constant.

#include "coords/director_parts.h"
#include "system/signal_blocks.h"

#include "base/alloc.h"
#include "base/carve.h"

#include <math.h>

// E = (tr J / 2) I - J [LMO08, eq. 57]. For flat and thin bodies some of it is zero: what
// round-off leaves there is no inertia. In the plane the two directors share J, as |d_1'| = |d_2'|.
static tn_mat3 euler_tensor(const abs_body *b)
{
    if (b->turns == 1)
        return tn_m3_diag(0.5 * b->J.m[2][2], 0.5 * b->J.m[2][2], 0.0);
    const double trace = b->J.m[0][0] + b->J.m[1][1] + b->J.m[2][2];
    tn_mat3 E = tn_m3_axpy(-1.0, b->J, tn_m3_diag(0.5 * trace, 0.5 * trace, 0.5 * trace));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (fabs(E.m[i][j]) < 1e-15 * trace)
                E.m[i][j] = 0.0;
    return E;
}

static void build_bodies(director *s)
{
    tn_system *sys = &s->base;
    const absolute *w = s->base.world;
    for (int k = 0; k < w->nbody; k++) {
        const abs_body *from = &w->body[k];
        dir_body *b = &s->body[k];
        *b = (dir_body){.mass = from->mass, .v0 = sys->nv};
        b->x[1].x = b->x[2].y = b->x[3].z = 1.0;
        s->rotation[k] = tn_quat_identity;
        if (k == 0)
            continue;
        b->dim = from->moves;
        b->nvec = from->turns > 0 ? 1 + b->dim : 1;
        b->nv = b->nvec * b->dim;
        b->blocks = (abs_blocks){s->nblock, dir_turns(b) ? 2 : 1};
        b->x[0].z = from->height;
        b->row0 = sys->ng;
        b->nrow = dir_count(b) * (dir_count(b) + 1) / 2;
        if (dir_turns(b))
            b->E = euler_tensor(from);
        for (int m = 0; m < b->nvec; m++) {
            const int at = sys->nv + m * b->dim;
            sys->groups[sys->ngroup++] = (tn_group){TN_GROUP_R, at, b->dim, at, b->dim};
        }
        sys->nv += b->nv;
        sys->ng += b->nrow;
        s->nblock += b->blocks.count;
    }
    s->ninternal = sys->ng;
    sys->ng += w->base.ng;
    sys->nn = w->base.nn;
    sys->nq = sys->nv;
    sys->nr = w->base.nr;
    sys->nturn = w->base.nturn;
    sys->nc = w->base.nc;
    sys->nw = w->base.nw;
    sys->ne = w->base.ne;
}

// Origin and axes of a frame that is local to a body.
static void set_lever(const tn_frame *local, double (*lever)[4])
{
    double p[3];
    tn_v3_to(local->p, p);
    lever[0][0] = 1.0;
    for (int k = 0; k < 3; k++) {
        lever[0][1 + k] = p[k];
        for (int m = 0; m < 3; m++)
            lever[1 + m][1 + k] = local->R.m[k][m];
    }
}

static void build_pairs(director *s)
{
    const absolute *w = s->base.world;
    for (int k = 0; k < w->npair; k++) {
        set_lever(&w->pair[k].fa, s->pair[k].lever[0]);
        set_lever(&w->pair[k].fb, s->pair[k].lever[1]);
    }
    for (int k = 0; k < w->nforce; k++)
        w->force[k].data.by_products = w->force[k].data.ops->products;
}

// Patterns ----------------------------------------------------------------------------------------

typedef struct pattern {
    int *size, *rows; // of the blocks of coordinates and of rows
    int nrows;
    bool *reach; // which extra variables depend on which
    abs_pattern list;
} pattern;

typedef enum coupling { BY_INERTIA, BY_FORCES, BY_ROWS } coupling;

static abs_reach reach_of(const abs_pair *p, coupling by)
{
    return by == BY_FORCES || p->force_reach > p->joint_reach ? p->force_reach : p->joint_reach;
}

// Inertia couples within each block; internal rows couple directors of a body as well.
static tn_status dynamics_matrix(const director *s, pattern *p, coupling by, tn_sparse **out)
{
    const absolute *w = s->base.world;
    for (int k = 0; by != BY_FORCES && k < s->nblock; k++)
        tn_pattern_add(&p->list, k, k);
    for (int k = 0; by != BY_INERTIA && k < w->npair; k++) {
        const abs_reach reach = reach_of(&w->pair[k], by);
        const abs_blocks end[2] = {s->body[w->pair[k].a].blocks, s->body[w->pair[k].b].blocks};
        for (int i = 0; i < 4; i++)
            tn_blocks_declare(&p->list, end[i / 2], end[i % 2], reach);
    }
    if (by != BY_INERTIA)
        tn_director_declare_lives(s, p->reach, &p->list);
    return tn_pattern_create(&p->list, s->nblock, p->size, s->nblock, p->size, out);
}

static tn_status build_dynamics(director *s, pattern *p)
{
    tn_sparse **block = s->base.block;
    const absolute *w = s->base.world;
    TN_TRY(dynamics_matrix(s, p, BY_INERTIA, &block[TN_BLOCK_M]));
    TN_TRY(dynamics_matrix(s, p, BY_ROWS, &block[TN_BLOCK_K]));
    TN_TRY(dynamics_matrix(s, p, BY_FORCES, &block[TN_BLOCK_D]));
    for (int k = 1; k < w->nbody; k++)
        s->body[k].K = tn_blocks_slots(block[TN_BLOCK_K], s->body[k].blocks, s->body[k].blocks);
    for (int k = 0; k < w->npair; k++) {
        const abs_blocks end[2] = {s->body[w->pair[k].a].blocks, s->body[w->pair[k].b].blocks};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                s->pair[k].K[i][j] = tn_blocks_slots(block[TN_BLOCK_K], end[i], end[j]);
                s->pair[k].D[i][j] = tn_blocks_slots(block[TN_BLOCK_D], end[i], end[j]);
            }
    }
    return TN_OK;
}

// The parts of their bodies on which rows of a joint depend, and with `gradient` those on which
// their gradients depend: that of COORD is constant.
static abs_reach row_reach(const abs_joint *j, bool gradient)
{
    abs_reach reach = ABS_NOTHING;
    for (int i = 0; i < j->nrow; i++)
        for (int m = 0; m < j->row[i].nterm; m++) {
            const tn_row_form form = j->row[i].term[m].row.form;
            const bool turning = form == TN_ROW_DOT || form == TN_ROW_ANGLE;
            if (!(gradient && form == TN_ROW_COORD) && reach != ABS_ALL)
                reach = turning ? ABS_TURNING : ABS_ALL;
        }
    return reach;
}

// The sizes of row blocks: of bodies, then of joints, of which some rows are positions and others
// velocities.
static void count_rows(const director *s, bool rolls, pattern *p)
{
    p->nrows = 0;
    for (int k = 1; k < s->base.world->nbody; k++)
        if (s->body[k].nrow > 0)
            p->rows[p->nrows++] = rolls ? 0 : s->body[k].nrow;
    for (int k = 0; k < s->base.world->njoint; k++)
        p->rows[p->nrows++] =
            s->base.world->joint[k].rolls == rolls ? s->base.world->joint[k].nrow : 0;
}

// For rows of positions, B and Z, or of velocities, N and NZ.
static tn_status constraint_matrix(director *s, pattern *p, bool rolls, bool gradient)
{
    static const tn_block blocks[2][2] = {{TN_BLOCK_B, TN_BLOCK_Z}, {TN_BLOCK_N, TN_BLOCK_NZ}};
    tn_sparse **out = &s->base.block[blocks[rolls][gradient]];
    const absolute *w = s->base.world;
    count_rows(s, rolls, p);
    const int joints = p->nrows - w->njoint; // row blocks of joints follow those of bodies
    for (int k = 1, row = 0; !rolls && k < w->nbody; k++)
        if (s->body[k].nrow > 0)
            tn_blocks_declare(&p->list, (abs_blocks){row++, 1}, s->body[k].blocks, ABS_TURNING);
    for (int k = 0; k < w->njoint; k++)
        for (int i = 0; w->joint[k].rolls == rolls && i < w->joint[k].nbody; i++)
            tn_blocks_declare(&p->list, (abs_blocks){joints + k, 1},
                              s->body[w->joint[k].body[i]].blocks,
                              row_reach(&w->joint[k], gradient));
    TN_TRY(tn_pattern_create(&p->list, p->nrows, p->rows, s->nblock, p->size, out));
    for (int k = 1, row = 0; !rolls && k < w->nbody; k++)
        if (s->body[k].nrow > 0)
            *(gradient ? &s->body[k].Z : &s->body[k].B) =
                tn_blocks_slots(*out, (abs_blocks){row++, 1}, s->body[k].blocks);
    for (int k = 0; k < w->njoint; k++)
        for (int i = 0; w->joint[k].rolls == rolls && i < w->joint[k].nbody; i++)
            (gradient ? s->joint[k].Z : s->joint[k].B)[i] = tn_blocks_slots(
                *out, (abs_blocks){joints + k, 1}, s->body[w->joint[k].body[i]].blocks);
    return TN_OK;
}

static void set_sizes(const director *s, pattern *p)
{
    const absolute *w = s->base.world;
    for (int k = 1; k < w->nbody; k++) {
        const dir_body *b = &s->body[k];
        p->size[b->blocks.first] = b->dim;
        if (dir_turns(b))
            p->size[b->blocks.first + 1] = b->nv - b->dim;
    }
}

static tn_status director_build_patterns(director *s)
{
    const absolute *w = s->base.world;
    pattern p = {.size = tn_alloc(sizeof(int) * (size_t)(s->nblock + 1)),
                 .rows = tn_alloc(sizeof(int) * (size_t)(w->nbody + w->njoint))};
    tn_status status = tn_got(p.size && p.rows);
    TN_THEN(status, tn_director_find_reach(s, &p.reach));
    if (status == TN_OK) {
        set_sizes(s, &p);
        status = build_dynamics(s, &p);
    }
    for (int k = 0; k < (s->base.nn > 0 ? 4 : 2); k++)
        TN_THEN(status, constraint_matrix(s, &p, k / 2, k % 2));
    TN_THEN(status, tn_signal_blocks_create(&s->base, w, &tn_director_signal_ops, &s->blocks));
    TN_FREE(p.size, p.rows, p.reach, p.list.at);
    return status;
}

// [LMO08, eq. 58], for axes that need not be principal ones.
static void set_mass(director *s)
{
    tn_sparse *M = s->base.block[TN_BLOCK_M];
    for (int k = 1; k < s->base.world->nbody; k++) {
        const dir_body *b = &s->body[k];
        const abs_slots at = tn_blocks_slots(M, b->blocks, b->blocks);
        double block[12][12] = {{0}};
        for (int c = 0; c < b->dim; c++) {
            block[c][c] = b->mass;
            for (int i = 1; i < b->nvec; i++)
                for (int j = 1; j < b->nvec; j++)
                    block[i * b->dim + c][j * b->dim + c] = b->E.m[i - 1][j - 1];
        }
        dir_add(M, &at, 1.0, b->dim, b->dim, &block[0][0]);
    }
}

static void director_build_find_lengths(director *s)
{
    tn_system *sys = &s->base;
    tn_system_set_units(sys, s->base.world->base.units);
    for (int k = 1; k < s->base.world->nbody; k++)
        for (int i = 0; i < s->body[k].dim; i++)
            sys->q_length[s->body[k].v0 + i] = sys->v_length[s->body[k].v0 + i] = true;
    for (int i = 0; i < s->base.world->base.ng + s->base.world->base.nn; i++)
        sys->g_length[s->ninternal + i] = abs_row_is_length(s->base.world, i);
}

static void layout_director_build(void *self, tn_carve *mem)
{
    director *s = self;
    tn_system *sys = &s->base;
    const absolute *w = s->base.world;
    const int nv = 12 * w->nbody, ng = 6 * w->nbody + w->base.ng;
    s->body = tn_carve_bytes(mem, sizeof *s->body * (size_t)w->nbody);
    s->pair = tn_carve_bytes(mem, sizeof *s->pair * (size_t)w->npair);
    s->joint = tn_carve_bytes(mem, sizeof *s->joint * (size_t)w->njoint);
    s->rotation = tn_carve_bytes(mem, sizeof *s->rotation * (size_t)w->nbody);
    s->middle = tn_carve_doubles(mem, nv);
    sys->groups = tn_carve_bytes(mem, sizeof *sys->groups * 4 * (size_t)w->nbody);
    tn_system_layout(sys, nv, nv, ng, w->base.nn, mem);
    sys->extra = tn_carve_doubles(mem, w->base.ne);
}

static tn_status build(director *s)
{
    TN_TRY(tn_carve_block(s, layout_director_build, &s->block));
    build_bodies(s);
    build_pairs(s);
    director_build_find_lengths(s);
    TN_TRY(director_build_patterns(s));
    set_mass(s);
    return TN_OK;
}

tn_status tn_director_create(tn_system *world, tn_system **out)
{
    TN_ASSERT(world->ops == &tn_absolute_ops);
    *out = NULL;
    TN_ASSERT(((const absolute *)world)->nformula_row == 0);
    director *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->base.ops = &tn_director_ops;
    s->base.world = (absolute *)world;
    const tn_status status = build(s);
    TN_HAND_OUT(status, &s->base, tn_system_destroy, out);
}
