// SPDX-License-Identifier: MIT
//
// Velocity analysis of the joints [LB08, 4.2]: the motions of an open tree, from the free twists S
// of its joints. A freedom of a joint moves the body that the joint carries, and the subtree of
// that body, as one rigid body with the world twist of the freedom; nothing has to be solved for.
//
// Joints enter the tree where their motion side has all freedoms that their rows leave
// (tn_tree_freedoms). Other bodies, and those that only other joints reach, float as free edges;
// the rows left over are for the caller. The tree is not that of tree_plan.c: it follows the rows
// that are active, which change on the way, and so it is made without memory.
//
// If the constraints are violated a little, the twists satisfy the rows of their joint up to that
// violation.

#include "system/absolute_parts.h"

#include "linalg/dense.h"
#include "tree/tree_plan.h"

// The tree ----------------------------------------------------------------------------------------

typedef struct tree {
    const absolute *s;
    const int *active;
    int n;
    tn_tree_edge *edges;
} tree;

static int edge_of(const tree *t, int body)
{
    int k = t->n - 1;
    while (k >= 0 && t->edges[k].body != body)
        k--;
    return k;
}

static bool in_tree(const tree *t, int body)
{
    return body == 0 || edge_of(t, body) >= 0;
}

static void append_absolute_natural(tree *t, tn_tree_edge edge)
{
    TN_ASSERT(edge.body > 0 && edge.body < t->s->nbody && t->n < t->s->nbody);
    const abs_body *b = &t->s->body[edge.body];
    const tn_tree_edge *last = t->n > 0 ? &t->edges[t->n - 1] : NULL;
    edge.v0 = b->v0;
    edge.nv = b->nv;
    edge.col0 = last ? last->col0 + last->ncol : 0;
    t->edges[t->n++] = edge;
}

// As the tree of joint coordinates has it, but that points stand free and all rows must be active.
static bool can_carry(const tree *t, int joint, int parent, int child)
{
    TN_ASSERT(parent != child);
    const abs_joint *j = &t->s->joint[joint];
    for (int i = 0; i < j->nrow; i++)
        if (!t->active[j->row0 + i])
            return false;
    return t->s->body[child].turns > 0 && tn_tree_freedoms(t->s->model, joint, parent, child) >= 0;
}

// Adds the body at the open end of the joint, if it has one.
static bool follow_joint(tree *t, int joint)
{
    const abs_joint *j = &t->s->joint[joint];
    if (j->own_pair < 0)
        return false;
    const abs_pair *p = &t->s->pair[j->own_pair];
    const bool has_a = in_tree(t, p->a), has_b = in_tree(t, p->b);
    const int parent = has_a ? p->a : p->b, child = has_a ? p->b : p->a;
    if (has_a == has_b || !can_carry(t, joint, parent, child))
        return false;
    append_absolute_natural(t, (tn_tree_edge){.joint = joint,
                                              .body = child,
                                              .parent = edge_of(t, parent),
                                              .row0 = j->row0,
                                              .nrow = j->nrow,
                                              .ncol = t->s->model->joints.at[joint].ops->nv});
    return true;
}

static void grow_absolute_natural(tree *t)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (int k = 0; k < t->s->model->joints.count; k++)
            grown = follow_joint(t, k) || grown;
    }
}

static int absolute_natural_plan(const tn_system *self, const int *active, tn_tree_edge *edges)
{
    tree t = {(const absolute *)self, active, 0, edges};
    grow_absolute_natural(&t);
    for (int body = 1; body < t.s->nbody; body++)
        if (!in_tree(&t, body)) {
            const int nv = t.s->body[body].nv;
            append_absolute_natural(
                &t, (tn_tree_edge){.joint = -1, .body = body, .parent = -1, .ncol = nv});
            grow_absolute_natural(&t);
        }
    return t.n;
}

// Its motions -------------------------------------------------------------------------------------

// World twists of the freedoms of an edge, at the point `at`.
typedef struct freedoms {
    tn_vec3 at;
    tn_twist V[6];
} freedoms;

static freedoms joint_freedoms(const absolute *s, int joint)
{
    TN_ASSERT(s->joint[joint].own_pair >= 0);
    const tn_joint_data *data = &s->model->joints.at[joint];
    const tn_pair *pair = &s->pair[s->joint[joint].own_pair].at;
    const tn_frame B = pair->b.x, X = tn_frame_mul(tn_frame_inverse(pair->a.x), B);
    double q[7] = {0}, v[6] = {0};
    tn_joint_motion motion = {0};
    tn_joint_locate(data->ops, data->def, X, q);
    data->ops->motion(data->def, q, v, &motion);
    freedoms f = {.at = B.p};
    for (int i = 0; i < data->ops->nv; i++)
        f.V[i] = (tn_twist){tn_m3_apply(B.R, motion.S[i].v), tn_m3_apply(B.R, motion.S[i].w)};
    return f;
}

// The freedoms of a free body, at its centre of mass, in the order of its coordinates.
static freedoms body_freedoms(const abs_body *b)
{
    static const tn_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    freedoms f = {.at = b->p};
    for (int i = 0; i < b->nv; i++)
        if (i < b->moves)
            f.V[i].v = axis[i];
        else
            f.V[i].w = axis[b->turns == 1 ? 2 : i - b->moves];
    return f;
}

// Velocities of a body that moves with the twist V at the point `at`.
static void carry_absolute_natural(const abs_body *b, tn_vec3 at, tn_twist V, double *x)
{
    const tn_vec3 u = tn_v3_add(V.v, tn_v3_cross(V.w, tn_v3_sub(b->p, at)));
    tn_body_components(b->moves, b->turns, b->se3 ? tn_m3_apply_t(b->R, u) : u,
                       b->turns == 3 ? tn_m3_apply_t(b->R, V.w) : V.w, x);
}

static bool stands_on(const tn_tree_edge *edges, int k, int root)
{
    TN_ASSERT(k >= 0 && root >= 0);
    while (k > root)
        k = edges[k].parent;
    return k == root;
}

static void absolute_natural_motions(tn_system *self, const tn_point *at, int n,
                                     const tn_tree_edge *edges, double *T)
{
    absolute *s = (absolute *)self;
    const size_t nv = (size_t)self->nv;
    tn_absolute_place(s, at);
    for (int e = 0; e < n; e++) {
        const tn_tree_edge *edge = &edges[e];
        const freedoms f =
            edge->joint >= 0 ? joint_freedoms(s, edge->joint) : body_freedoms(&s->body[edge->body]);
        for (int c = 0; c < edge->ncol; c++) {
            double *column = T + (size_t)(edge->col0 + c) * nv;
            tn_zero(self->nv, column);
            for (int k = e; k < n; k++)
                if (stands_on(edges, k, e))
                    carry_absolute_natural(&s->body[edges[k].body], f.at, f.V[c],
                                           column + edges[k].v0);
        }
    }
}

const tn_tree_ops tn_absolute_tree = {.plan = absolute_natural_plan,
                                      .motions = absolute_natural_motions};
