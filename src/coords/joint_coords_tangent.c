// SPDX-License-Identifier: MIT
//
// Derivatives in joint coordinates. The tree differentiates its own inertia forces, with all loads
// (of force elements, and -G^T lambda of rows) constant in world axes; the change of the loads is
// added with the columns J of the poses of bodies and P = d(J v)/dq of their twists,
//
//   K -= J^T (K_w J + D_w P),   D -= J^T D_w J     of a force with tangents K_w, D_w,
//   K += J^T H_lambda J                            of rows,
//   Z  = V^T H J + G P.
//
// A law on the only coordinate of a tree joint is a force on that coordinate, wherever the joint
// is: its load stays out of the tree, and it has a number each in K and D.

#include "coords/joint_coords_parts.h"
#include "system/signal_blocks.h"

#include "linalg/dense.h"

typedef struct pair_tangent {
    double (*K)[12], (*D)[12]; // D may be NULL
    double scale;
    bool apart; // the ends have nothing in K between them
} pair_tangent;

int tn_joint_coords_variation(joint_coords *s, int end, int body)
{
    TN_ASSERT((end == 0 || end == 1) && body >= 0 && body < s->base.world->nbody);
    if (body == 0)
        return 0;
    const int place = s->tree->place[body];
    return tn_tree_variation(s->tree, place, s->arm[body], s->index[end], s->J[end], s->P[end]);
}

// y = A (columns of one end) x
static void joint_coords_tangent_times(double (*A)[12], int end, tn_twist x, double *y)
{
    double in[6];
    tn_v3_to(x.v, in);
    tn_v3_to(x.w, in + 3);
    for (int i = 0; i < 12; i++)
        y[i] += tn_dot(6, A[i] + 6 * end, in);
}

// To K or D: within a subtree, or between subtrees to the block itself.
static void joint_coords_tangent_add_column(joint_coords *s, const int n[2], int column,
                                            double scale, const double *y, tn_block block)
{
    TN_ASSERT(column >= 0 && column < s->base.nv);
    double *to = (block == TN_BLOCK_K ? s->K : s->D) + s->tree->column[column];
    const tn_sparse *A = s->base.block[block];
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < n[end]; i++) {
            const int row = s->index[end][i];
            double *at = s->piece[row] == s->piece[column]
                             ? to + row
                             : A->val + tn_sparse_place(A, row, column);
            *at += scale * abs_along(y + 6 * end, s->J[end][i]);
        }
}

static void add_pair(joint_coords *s, const abs_pair *p, pair_tangent T)
{
    const int n[2] = {tn_joint_coords_variation(s, 0, p->a), tn_joint_coords_variation(s, 1, p->b)};
    for (int end = 0; end < 2; end++)
        for (int c = 0; c < n[end]; c++) {
            double y[12] = {0}, z[12] = {0};
            joint_coords_tangent_times(T.K, end, s->J[end][c], y);
            if (T.D) {
                joint_coords_tangent_times(T.D, end, s->P[end][c], y);
                joint_coords_tangent_times(T.D, end, s->J[end][c], z);
                joint_coords_tangent_add_column(s, n, s->index[end][c], T.scale, z, TN_BLOCK_D);
            }
            const int own[2] = {end == 0 ? n[0] : 0, end == 1 ? n[1] : 0};
            joint_coords_tangent_add_column(s, T.apart ? own : n, s->index[end][c], T.scale, y,
                                            TN_BLOCK_K);
        }
}

tn_scalar_load tn_joint_coords_law(const joint_coords *s, const abs_point *here, const abs_force *f)
{
    const tn_tree_body *body = &s->tree->body[s->alone[f - s->base.world->force]];
    tn_scalar_load load = {0};
    TN_ASSERT(body->joint >= 0 && body->nv == 1);
    f->data.ops->law(&f->data, abs_clock(s->base.world, here->t), here->q[body->q0],
                     here->v[body->v0], 0.0, &load); // those on joints keep nothing
    return load;
}

// For a force that acts on one coordinate alone: K -= Q_x, D -= Q_v there.
static void add_law(joint_coords *s, const abs_point *here, const abs_force *f, int place)
{
    const tn_scalar_load load = tn_joint_coords_law(s, here, f);
    const int v = s->tree->body[place].v0;
    const ptrdiff_t i = s->tree->column[v] + v;
    s->K[i] -= load.Q_x;
    s->D[i] -= load.Q_v;
}

static void add_forces(joint_coords *s, const abs_point *here)
{
    const absolute *w = s->base.world;
    tn_signal_blocks_tangent(s->blocks, here, 1.0, here);
    for (int k = 0; s->K && k < w->nforce; k++) {
        const abs_force *f = &w->force[k];
        if (here->alone && here->alone[k] > 0) {
            add_law(s, here, f, here->alone[k]);
            continue;
        }
        tn_load_tangent T = tn_absolute_load_tangent(w, here, f);
        add_pair(s, &w->pair[f->pair], (pair_tangent){T.K, T.D, -1.0, false});
    }
}

static void add_rates(joint_coords *s, const joint_coords_rows *set, const abs_rows *rows, int m)
{
    const tn_tree_end *end = &set->end[m];
    double *Z = s->base.block[set->rolls ? TN_BLOCK_NZ : TN_BLOCK_Z]->val;
    tn_joint_coords_variation(s, 0, s->tree->body[end->place].body);
    for (int c = 0; c < end->n; c++)
        for (int i = 0; i < set->nrow; i++)
            Z[end->at[c] + i] +=
                abs_along(rows->Z[m][i], s->J[0][c]) + abs_along(rows->G[m][i], s->P[0][c]);
}

static void joint_coords_tangent_add_rows(joint_coords *s, const abs_point *here)
{
    absolute *w = s->base.world;
    for (int k = 0; k < s->nset; k++) {
        const abs_joint *j = &w->joint[s->set[k].joint];
        abs_rows rows;
        if (j->attachment) {
            tn_joint_coords_attachment_tangent(s, &s->set[k], j->attachment,
                                               here->lambda + j->row0);
            continue;
        }
        tn_absolute_rows(w, j, here, TN_EVAL_TANGENT, &rows);
        for (int m = 0; m < s->set[k].nend; m++)
            add_rates(s, &s->set[k], &rows, m);
        for (int m = 0; m < j->npair && s->K; m++)
            add_pair(s, &w->pair[j->pair[m]],
                     (pair_tangent){rows.H[m], abs_is_bent(j) ? rows.D[m] : NULL, 1.0,
                                    w->pair[j->pair[m]].joint_reach == ABS_NOTHING});
    }
}

const tn_force_data *tn_joint_coords_across(const absolute *w, const tn_tree *tree)
{
    for (int k = 0; k < w->nforce; k++) {
        const abs_pair *p = &w->pair[w->force[k].pair];
        const int a = tree->place[p->a], b = tree->place[p->b];
        if (a > 0 && b > 0 && a != b && tree->body[a].parent != b && tree->body[b].parent != a)
            return &w->force[k].data;
        for (int i = w->force[k].live; i >= 0; i = w->signals->live[i].next)
            if (tn_live_is_far(&w->signals->live[i]))
                return &w->force[k].data;
    }
    return NULL;
}

tn_status tn_joint_coords_open_linear(tn_system *self)
{
    joint_coords *s = (joint_coords *)self;
    const tn_force_data *force = tn_joint_coords_across(s->base.world, s->tree);
    if (self->ne > 0)
        return tn_fail(TN_ERR_PAIRING,
                       "implicit methods in joint coordinates with more than %d velocities take "
                       "no states nor unknowns, this model has %d; take @absolute, or an explicit "
                       "method",
                       TN_JOINT_DENSE_MAX, self->ne);
    if (self->ng + self->nn > 0)
        return tn_fail(
            TN_ERR_PAIRING,
            "implicit methods in joint coordinates take closed loops and rolling beside "
            "expressions of the state up to %d velocities, this model has %d; take @absolute, or "
            "an explicit method",
            TN_JOINT_DENSE_MAX, self->nv);
    if (force)
        return tn_fail(TN_ERR_PAIRING,
                       "implicit methods in joint coordinates with more than %d velocities take "
                       "forces between neighbours in the tree and to the ground, which force '%s' "
                       "is not; take @absolute, or an explicit method",
                       TN_JOINT_DENSE_MAX, force->name);
    return s->linear ? TN_OK : tn_tree_linear_create(s->tree, &s->linear);
}

void tn_joint_coords_linearise(joint_coords *s, const tn_point *at)
{
    const absolute *w = s->base.world;
    const abs_point here = tn_joint_coords_here(s, at);
    tn_tree_clear_loads(s->tree);
    tn_joint_coords_add_forces(s, &here, true);
    tn_tree_residual(s->tree, NULL, at->a, s->work);
    s->known = JOINT_COORDS_MOTION;
    tn_tree_linear_set(s->linear);
    for (int k = 0; k < w->nforce; k++) {
        const abs_force *f = &w->force[k];
        const abs_pair *p = &w->pair[f->pair];
        tn_load_tangent T = tn_absolute_load_tangent(w, &here, f);
        tn_tree_linear_add(s->linear, s->tree->place[p->a], s->tree->place[p->b], T.K, T.D);
    }
}

void tn_joint_coords_unpack(const joint_coords *s, const double *from, tn_sparse *A)
{
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            if (s->piece[A->rowind[k]] == s->piece[j])
                A->val[k] = from[s->tree->column[j] + A->rowind[k]];
}

void tn_joint_coords_tangent(joint_coords *s, const tn_point *at)
{
    tn_system *sys = &s->base;
    const abs_point by = tn_joint_coords_by_coordinates(s, at);
    tn_tree_clear_loads(s->tree);
    tn_joint_coords_add_forces(s, &by, true);
    tn_joint_coords_add_reactions(s, at);
    tn_tree_residual(s->tree, NULL, at->a, s->work);
    s->known = JOINT_COORDS_MOTION;
    if (s->K) {
        tn_tree_derivatives(s->tree, s->K, s->D);
        tn_sparse_clear(sys->block[TN_BLOCK_K]);
        tn_sparse_clear(sys->block[TN_BLOCK_D]);
    }
    if (s->K || s->base.world->signals)
        add_forces(s, &by);
    tn_joint_coords_modal_tangent(s, at->a);
    tn_sparse_clear(sys->block[TN_BLOCK_Z]);
    if (sys->nn > 0)
        tn_sparse_clear(sys->block[TN_BLOCK_NZ]);
    const abs_point here = tn_joint_coords_here(s, at);
    joint_coords_tangent_add_rows(s, &here);
    if (s->K) {
        tn_joint_coords_unpack(s, s->K, sys->block[TN_BLOCK_K]);
        tn_joint_coords_unpack(s, s->D, sys->block[TN_BLOCK_D]);
    }
}
