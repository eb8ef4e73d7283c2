// SPDX-License-Identifier: MIT
//
// The spanning tree. Prim's algorithm from the ground: of all joints that lead out of the tree the
// one with the fewest freedoms comes next, among equals the one nearest to the ground, then the one
// listed first. If rows and freedoms of each joint add up to the freedoms of the body (6, in the
// plane 3) a tree with the least sum of freedoms also cuts the fewest rows.
//
// Places are numbered depth first, the children of a body from the lightest subtree to the
// heaviest: the memory of a backward recursion for bodies with several children is then at most one
// item for each halving of the tree, log2 N in all. The ground needs none; its children come in the
// order of the model.

#include "tree/tree_plan.h"

#include "base/carve.h"

// Which joints can carry which bodies -------------------------------------------------------------

static bool in_plane(const tn_model *model, int body)
{
    return body == 0 || model->bodies.at[body].ops->turns == 1;
}

// Axes of frame A along which the rows hold the origin of frame B, a bit each; -1 where they say
// anything else.
static int held_axes(const tn_model *model, int joint)
{
    int held = 0;
    for (int i = 0; i < tn_constraint_count(model, joint); i++) {
        const tn_constraint_row row = tn_constraint_get(model, joint, i);
        const tn_row_form form = row.term[0].row.form;
        if (row.nterm != 1 || row.u || (form != TN_ROW_COORD && form != TN_ROW_AXIS))
            return -1;
        held |= 1 << row.term[0].row.i;
    }
    return model->joints.at[joint].ops->prescribe ? -1 : held;
}

// A point mass has no axes: a pin holds it, a line along z (in the plane along x) leaves it one
// freedom and a plane two. Lines and planes belong to body A.
static int point_freedoms(const tn_model *model, int joint, int parent, int child)
{
    enum { X = 1 << TN_X, Y = 1 << TN_Y, Z = 1 << TN_Z };
    const bool flat = model->bodies.at[child].ops->moves == 2;
    const bool on_a = model->joints.at[joint].def->body_a.index == parent;
    if (flat ? !in_plane(model, parent) : !tn_body_has_rotation(model, (tn_body){parent}))
        return -1;
    switch (held_axes(model, joint)) {
    case X | Y | Z:
        return flat ? -1 : 0;
    case X | Y:
        return flat ? 0 : on_a ? 1 : -1;
    case Y:
        return flat && on_a ? 1 : -1;
    case Z:
        return !flat && on_a ? 2 : -1;
    default:
        return -1;
    }
}

int tn_tree_freedoms(const tn_model *model, int joint, int parent, int child)
{
    const tn_joint_ops *ops = model->joints.at[joint].ops;
    const tn_body_ops *body = model->bodies.at[child].ops;
    if (child == 0 || !ops->relative)
        return -1;
    if (body->turns == 0)
        return point_freedoms(model, joint, parent, child);
    const bool flat = body->turns == 1;
    const bool stands = flat ? in_plane(model, parent) : model->bodies.at[parent].ops->turns > 0;
    const bool carries = !ops->coupling && ops->motion && ops->dim == (flat ? 2 : 3);
    return stands && carries &&
                   tn_constraint_count(model, joint) + ops->nv == body->moves + body->turns
               ? ops->nv
               : -1;
}

// Growing -----------------------------------------------------------------------------------------

typedef struct edge { // a joint that leads out of the tree
    int freedoms;     // that it leaves, fewer than any other where it is preferred
    int depth, joint, parent, child;
} edge;

typedef struct grower {
    const tn_model *model;
    const tn_tree_request *request; // NULL: none
    tree_plan *plan;
    int *begin, *list; // joints of each body: list[begin[b]] … list[begin[b + 1] - 1]
    int *depth;        // of each body; -1 while it is not in the tree
    edge *heap;
    int nheap;
} grower;

static bool before(edge a, edge b)
{
    if (a.freedoms != b.freedoms)
        return a.freedoms < b.freedoms;
    return a.depth != b.depth ? a.depth < b.depth : a.joint < b.joint;
}

static void push_tree_plan(grower *g, edge e)
{
    int i = g->nheap++;
    for (; i > 0 && before(e, g->heap[(i - 1) / 2]); i = (i - 1) / 2)
        g->heap[i] = g->heap[(i - 1) / 2];
    g->heap[i] = e;
}

static edge pop(grower *g)
{
    const edge top = g->heap[0], e = g->heap[--g->nheap];
    int i = 0;
    for (int child = 1; child < g->nheap; child = 2 * i + 1) {
        if (child + 1 < g->nheap && before(g->heap[child + 1], g->heap[child]))
            child++;
        if (!before(g->heap[child], e))
            break;
        g->heap[i] = g->heap[child];
        i = child;
    }
    g->heap[i] = e;
    return top;
}

typedef enum wave { PLANAR_BODIES, RIGID_BODIES, POINT_MASSES, WAVES } wave;

static wave wave_of(const tn_model *model, int body)
{
    const tn_body_ops *ops = model->bodies.at[body].ops;
    return ops->turns == 0 ? POINT_MASSES : ops->turns == 1 ? PLANAR_BODIES : RIGID_BODIES;
}

static int other_end(const tn_model *model, int joint, int body)
{
    const tn_joint_def *def = model->joints.at[joint].def;
    return def->body_a.index == body ? def->body_b.index : def->body_a.index;
}

// All joints by which the body in the tree can carry others of this wave.
static void look_from(grower *g, wave w, int body)
{
    const tn_tree_request *request = g->request;
    for (int i = g->begin[body]; i < g->begin[body + 1]; i++) {
        const int joint = g->list[i], child = other_end(g->model, joint, body);
        if (g->depth[child] >= 0 || wave_of(g->model, child) != w ||
            (request && request->cut && request->cut[joint]))
            continue;
        const int freedoms = tn_tree_freedoms(g->model, joint, body, child);
        const bool preferred = request && request->preferred && request->preferred[joint];
        if (freedoms >= 0)
            push_tree_plan(g,
                           (edge){preferred ? -1 : freedoms, g->depth[body], joint, body, child});
    }
}

static void grow_tree_plan(grower *g, wave w)
{
    while (g->nheap > 0) {
        const edge e = pop(g);
        if (g->depth[e.child] >= 0)
            continue;
        g->depth[e.child] = e.depth + 1;
        g->plan->parent[e.child] = e.parent;
        g->plan->joint[e.child] = e.joint;
        look_from(g, w, e.child);
    }
}

static void set_free(grower *g, int body)
{
    g->depth[body] = 1;
    g->plan->parent[body] = 0;
    g->plan->joint[body] = -1;
}

static void grow_wave(grower *g, wave w)
{
    for (int body = 1; g->request && g->request->free && body < g->plan->n; body++)
        if (g->request->free[body] && wave_of(g->model, body) == w)
            set_free(g, body);
    for (int body = 0; body < g->plan->n; body++)
        if (g->depth[body] >= 0)
            look_from(g, w, body);
    grow_tree_plan(g, w);
    for (int body = 1; body < g->plan->n; body++) {
        if (g->depth[body] >= 0 || wave_of(g->model, body) != w)
            continue;
        set_free(g, body);
        look_from(g, w, body);
        grow_tree_plan(g, w);
    }
}

static void list_joints(grower *g)
{
    const int n = g->plan->n, joints = g->model->joints.count;
    for (int pass = 0; pass < 2; pass++) { // count, then place; `begin` moves back to its own
        for (int k = 0; k < joints; k++) {
            const tn_joint_data *data = &g->model->joints.at[k];
            if (!data->ops->relative)
                continue;
            const int ends[2] = {data->def->body_a.index, data->def->body_b.index};
            for (int i = 0; i < 2; i++)
                if (pass == 0)
                    g->begin[ends[i]]++;
                else
                    g->list[--g->begin[ends[i]]] = k;
        }
        for (int b = 0; b <= n && pass == 0; b++)
            g->begin[b] += b > 0 ? g->begin[b - 1] : 0;
    }
}

// Order -------------------------------------------------------------------------------------------

typedef struct sorter {
    int *size;         // bodies of the subtree of each body
    int *first, *next; // children of each body as a list
    int *head;         // bodies with a subtree of each size, as lists
} sorter;

// Children in lists from the lightest to the heaviest, those of equal weight as in the model: all
// bodies by their size (a sort by counting), then from the heaviest down to the front of the list
// of their predecessor. Children of the ground as in the model: parts of a net that are neighbours
// are so in memory.
static void sort_children(const tree_plan *plan, sorter *s)
{
    const int n = plan->n;
    for (int b = 0; b < n; b++) {
        s->first[b] = -1;
        s->head[b + 1] = -1;
    }
    for (int b = 1; b < n; b++) { // later ones to the front: each list is descending
        s->next[b] = s->head[s->size[b]];
        s->head[s->size[b]] = b;
    }
    for (int size = n; size > 0; size--)
        for (int b = s->head[size]; b >= 0;) {
            const int more = s->next[b], parent = plan->parent[b];
            s->next[b] = s->first[parent];
            s->first[parent] = b;
            b = more;
        }
    s->first[0] = -1;
    for (int b = n - 1; b > 0; b--)
        if (plan->parent[b] == 0) {
            s->next[b] = s->first[0];
            s->first[0] = b;
        }
}

// Depth first without recursion; `stack` is the path of bodies whose children are being numbered.
static void number(tree_plan *plan, sorter *s, int *stack)
{
    int depth = 0, place = 0;
    stack[0] = 0;
    plan->order[0] = 0;
    plan->place[0] = place++;
    while (depth >= 0) {
        const int body = stack[depth], child = s->first[body];
        if (child < 0) {
            plan->end[plan->place[body]] = place;
            depth--;
            continue;
        }
        s->first[body] = s->next[child];
        plan->order[place] = child;
        plan->place[child] = place++;
        stack[++depth] = child;
    }
}

// Sizes need children before predecessors: by depth, from the deepest.
static void subtree_sizes(const tree_plan *plan, const int *depth, int *head, int *next, int *size)
{
    const int n = plan->n;
    for (int d = 0; d <= n; d++)
        head[d] = -1;
    for (int b = 0; b < n; b++) {
        size[b] = 1;
        next[b] = head[depth[b]];
        head[depth[b]] = b;
    }
    for (int d = n; d > 0; d--)
        for (int b = head[d]; b >= 0; b = next[b])
            size[plan->parent[b]] += size[b];
}

// The whole ---------------------------------------------------------------------------------------

typedef struct scratch {
    grower g;
    sorter s;
    int *stack;
} scratch;

static void layout_scratch(void *self, tn_carve *mem)
{
    scratch *w = self;
    const int n = w->g.plan->n, ends = 2 * w->g.model->joints.count;
    w->g.begin = tn_carve_ints(mem, n + 1);
    w->g.list = tn_carve_ints(mem, ends);
    w->g.depth = tn_carve_ints(mem, n);
    w->g.heap = tn_carve_bytes(mem, sizeof *w->g.heap * (size_t)(ends + 1));
    TN_CARVE_INTS(mem, n, &w->s.size, &w->s.first, &w->s.next);
    TN_CARVE_INTS(mem, n + 1, &w->s.head, &w->stack);
}

static void layout_plan(void *self, tn_carve *mem)
{
    tree_plan *plan = self;
    TN_CARVE_INTS(mem, plan->n, &plan->parent, &plan->joint, &plan->order, &plan->place,
                  &plan->end);
}

tn_status tn_tree_plan(const tn_model *model, const tn_tree_request *request, tree_plan *out)
{
    scratch w = {.g = {.model = model, .request = request, .plan = out}};
    void *block = NULL;
    *out = (tree_plan){.n = model->bodies.count};
    TN_TRY(tn_carve_block(out, layout_plan, &out->block));
    const tn_status status = tn_carve_block(&w, layout_scratch, &block);
    if (status != TN_OK) {
        tn_tree_plan_clear(out);
        return status;
    }
    list_joints(&w.g);
    for (int b = 0; b < out->n; b++)
        w.g.depth[b] = b == 0 ? 0 : -1;
    out->parent[0] = out->joint[0] = -1;
    for (int k = 0; k < WAVES; k++)
        grow_wave(&w.g, (wave)k);
    subtree_sizes(out, w.g.depth, w.s.head, w.s.next, w.s.size);
    sort_children(out, &w.s);
    number(out, &w.s, w.stack);
    tn_free(block);
    return TN_OK;
}

void tn_tree_plan_clear(tree_plan *plan)
{
    tn_free(plan->block);
    *plan = (tree_plan){0};
}
