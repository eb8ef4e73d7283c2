// SPDX-License-Identifier: MIT
//
// The chain of a system that has none: every coordinate is a free node of its own, a child of the
// ground. All rows are then those of closed loops.

#include "base/alloc.h"
#include "linalg/dense.h"
#include "motion/chain.h"

typedef struct linear {
    tn_group space;
    tn_chain_node node[];
} linear;

tn_status tn_chain_open_linear(const tn_system *sys, tn_chain *out, void **block)
{
    const int n = sys->nv;
    linear *c = tn_alloc(sizeof *c + sizeof c->node[0] * (size_t)n);
    TN_TRY(tn_got(c));
    *block = c;
    c->space = (tn_group){.kind = TN_GROUP_R, .nq = n, .nv = n};
    for (int i = 0; i < n; i++)
        c->node[i] = (tn_chain_node){.parent = -1, .v0 = i, .nv = 1, .nm = 1, .w0 = i, .nw = 1};
    *out = (tn_chain){.n = n, .node = c->node, .ny = n, .nw = n, .ngroup = 1, .groups = &c->space};
    return TN_OK;
}

static void chain_linear_same(tn_system *self, const double *x, double *y)
{
    tn_copy(self->nv, x, y);
}

static void chain_linear_blocks(tn_system *self, tn_chain_block *out)
{
    for (int i = 0; i < self->nv; i++)
        out[i].I[0] = out[i].S[0] = 1.0;
}

static void chain_linear_rigid(tn_system *self, const double *q, tn_chain_block *out)
{
}

const tn_chain_ops tn_chain_linear = {
    .from = chain_linear_same,
    .to = chain_linear_same,
    .velocities = chain_linear_same,
    .blocks = chain_linear_blocks,
    .rigid = chain_linear_rigid,
};
