// SPDX-License-Identifier: MIT
//
// Joint coordinates for derivatives of expressions (signal_blocks.h): the columns J of a body and P
// of its twist (joint_coords_tangent.c). Bodies that a force acts on itself are among the tangents
// of the force.
//
// A measure that is a coordinate of the tree or its rate is a column of its own, and f_z of a force
// that acts on one coordinate alone is one number. So controllers of joints couple extra variables
// with few others, and elimination leaves these matrices as sparse as the tree is.

#include "coords/joint_coords_parts.h"
#include "system/signal_blocks.h"

// The freedoms below a body.
static int joint_path(const tn_system *self, int body, int *list)
{
    const joint_coords *s = (const joint_coords *)self;
    int n = 0;
    for (int k = s->tree->place[body]; k > 0; k = s->tree->body[k].parent)
        for (int i = 0; i < s->tree->body[k].nv; i++)
            list[n++] = s->tree->body[k].v0 + i;
    return n;
}

static int joint_of_force(const tn_system *self, int force, int *list)
{
    const joint_coords *s = (const joint_coords *)self;
    list[0] = s->tree->body[s->alone[force]].v0;
    return s->alone[force] > 0;
}

static int joint_of_measure(const tn_system *self, int measure, int *list)
{
    const joint_coords *s = (const joint_coords *)self;
    list[0] = s->freedom[measure];
    return s->direct[measure] >= 0;
}

static void joint_columns(tn_system *self, int body, body_columns *out)
{
    joint_coords *s = (joint_coords *)self;
    out->n = tn_joint_coords_variation(s, 0, body);
    out->index = s->index[0];
    out->q = out->v = s->J[0];
    out->p = s->P[0];
}

// For a force that acts on one coordinate alone: Q(1) - Q(0).
static bool joint_slope(tn_system *self, const abs_live *live, const void *act, signal_blocks *b)
{
    const joint_coords *s = (const joint_coords *)self;
    const abs_point *here = act;
    const abs_force *f = &s->base.world->force[live->force];
    const double now = *live->number;
    double Q[2];
    if (!here->alone || here->alone[live->force] == 0) {
        tn_signal_push_wrench(b, live);
        return false;
    }
    for (int k = 0; k < 2; k++) {
        *live->number = k;
        Q[k] = tn_joint_coords_law(s, here, f).Q;
    }
    *live->number = now;
    tn_signal_push(b, s->tree->body[here->alone[live->force]].v0, (Q[1] - Q[0]) / live->unit);
    return true;
}

static double *joint_entry(tn_system *self, tn_block block, int row, int column)
{
    const joint_coords *s = (const joint_coords *)self;
    double *all = block == TN_BLOCK_K ? s->K : s->D;
    return all ? all + s->tree->column[column] + row : NULL;
}

// Index of row i of the world here: the tree leaves it.
static int joint_row(const tn_system *self, int i)
{
    const joint_coords *s = (const joint_coords *)self;
    int k = 0;
    while (k < self->ng && s->world_row[k] != i)
        k++;
    TN_ASSERT(k < self->ng);
    return k;
}

const signal_ops tn_joint_coords_signal_ops = {
    .path = joint_path,
    .of_force = joint_of_force,
    .of_measure = joint_of_measure,
    .columns = joint_columns,
    .slope = joint_slope,
    .entry = joint_entry,
    .row = joint_row,
};
