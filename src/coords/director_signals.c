// SPDX-License-Identifier: MIT
//
// Director coordinates for derivatives of expressions (signal_blocks.h). Numbers are measured on
// the bodies of the world, at the rotations nearest to the directors, with the columns of
// director_force.c. f_z = f(1) - f(0) of a force is that whatever it is made of: a scalar law, a
// wrench, or a mean over an interval. Over an interval all of it stands where it has its middle; K,
// by the end q1 of the interval, gets half of f_z z_q^T.

#include "coords/director_parts.h"
#include "system/signal_blocks.h"

#include "base/alloc.h"
#include "linalg/dense.h"

// Patterns ----------------------------------------------------------------------------------------

static const abs_blocks *force_blocks(const director *s, const abs_live *live, int end)
{
    const abs_pair *p = &s->base.world->pair[s->base.world->force[live->force].pair];
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
    const abs_signals *sig = s->base.world->signals;
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

tn_status tn_director_find_reach(const director *s, bool **reach)
{
    const size_t ne = (size_t)s->base.ne;
    *reach = tn_alloc(sizeof **reach * (ne * ne + 1));
    TN_TRY(tn_got(*reach));
    if (s->base.world->signals)
        close_reach(s->base.world->signals, s->base.ne, *reach);
    return TN_OK;
}

// Derivatives -------------------------------------------------------------------------------------

// The force on the coordinates of its bodies, alone; f stays as it is.
static void force_alone(director *s, const abs_force *force, const dir_act *act, double out[2][12])
{
    const abs_pair *p = &s->base.world->pair[force->pair];
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

// f(1) - f(0) of a variable parameter.
static bool director_slope(tn_system *self, const abs_live *live, const void *user,
                           signal_blocks *b)
{
    director *s = (director *)self;
    const dir_act *act = user;
    const abs_force *force = &s->base.world->force[live->force];
    const abs_pair *p = &s->base.world->pair[force->pair];
    const double now = *live->number;
    double on[2][12] = {{0}}, off[2][12] = {{0}};
    *live->number = 1.0;
    force_alone(s, force, act, on);
    *live->number = 0.0;
    force_alone(s, force, act, off);
    *live->number = now;
    for (int end = 0; end < 2; end++) {
        const dir_body *body = &s->body[end ? p->b : p->a];
        for (int i = 0; i < body->nv; i++)
            tn_signal_push(b, body->v0 + i, (on[end][i] - off[end][i]) / live->unit);
    }
    return true;
}

static int director_path(const tn_system *self, int body, int *list)
{
    const dir_body *b = &((const director *)self)->body[body];
    for (int i = 0; i < b->nv; i++)
        list[i] = b->v0 + i;
    return b->nv;
}

static tn_twist column_of(double (*J)[12], int c)
{
    return (tn_twist){{J[0][c], J[1][c], J[2][c]}, {J[3][c], J[4][c], J[5][c]}};
}

static void director_columns(tn_system *self, int body, body_columns *out)
{
    const director *s = (const director *)self;
    dir_columns J;
    tn_director_columns(&s->body[body], s->base.world->body[body].R, &J);
    out->n = director_path(self, body, out->room.index);
    out->index = out->room.index;
    out->q = out->room.q;
    out->p = out->room.p;
    out->v = out->room.v;
    for (int c = 0; c < out->n; c++) {
        out->room.q[c] = column_of(J.q, c);
        out->room.p[c] = column_of(J.p, c);
        out->room.v[c] = column_of(J.v, c);
    }
}

static int director_row(const tn_system *self, int world_row)
{
    return ((const director *)self)->ninternal + world_row;
}

const signal_ops tn_director_signal_ops = {
    .path = director_path,
    .columns = director_columns,
    .slope = director_slope,
    .row = director_row,
};
