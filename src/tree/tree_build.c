// SPDX-License-Identifier: MIT
//
// Compiles a model into a tree: coordinates of its joints, constant frames and inertias in tree
// axes, links between nodes, runs of equal kinds. See tree.h and tree_parts.h.
//
// Axes. The tree frame of a body is the frame of its joint on its own side. If body A is the child
// of body B and the joint has one axis, both frames are turned by half a turn, since
//
//   F^T X(q)^-1 F = X(q)   with F = Rx(pi) for turns about z and slides along z,
//                          with F = Rz(pi) for slides along x.
//
// So q and v mean the same whichever way a joint is walked. Other joints that stand upside down are
// inverted when they are evaluated.

#include "tree/tree_subtrees.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "tree/tree_plan.h"

#include <math.h>
#include <string.h>

typedef struct builder {
    const tn_model *model;
    tree_plan plan;
    tree *t;
} builder;

// Joints ------------------------------------------------------------------------------------------

// The joint of the model, or none, by which the tree carries a body.
typedef struct carrier {
    tree_kind kind;
    int nq, nv;
} carrier;

static carrier free_carrier(const tn_body_ops *body)
{
    const int nv = body->moves + body->turns;
    return body->turns == 3   ? (carrier){TREE_FREE, 7, nv}
           : body->turns == 1 ? (carrier){TREE_MOTION, nv, nv}
                              : (carrier){TREE_SHIFT, nv, nv};
}

// A point mass slides along the remaining axes of frame A (point_freedoms in tree_plan.c).
static carrier point_carrier(bool flat, int freedoms)
{
    TN_ASSERT(freedoms >= 0 && freedoms < 3);
    static const tree_kind kinds[] = {TREE_WELD, TREE_PRISMATIC, TREE_SHIFT};
    return (carrier){flat && freedoms > 0 ? TREE_FLAT_SLIDE : kinds[freedoms], freedoms, freedoms};
}

static carrier carrier_of(const builder *b, int body)
{
    static const tree_kind kinds[2][3] = {
        // of bodies in space and in the plane
        {TREE_MOTION, TREE_REVOLUTE, TREE_PRISMATIC},
        {TREE_MOTION, TREE_FLAT_TURN, TREE_FLAT_SLIDE},
    };
    const tn_body_ops *child = b->model->bodies.at[body].ops;
    const int joint = b->plan.joint[body];
    if (joint < 0)
        return free_carrier(child);
    const tn_joint_ops *ops = b->model->joints.at[joint].ops;
    const int freedoms = tn_tree_freedoms(b->model, joint, b->plan.parent[body], body);
    if (child->turns == 0)
        return point_carrier(child->moves == 2, freedoms);
    if (freedoms == 0)
        return (carrier){TREE_WELD, 0, 0};
    return (carrier){kinds[ops->dim == 2][ops->step], ops->nq, ops->nv};
}

// The turn F of both frames of a joint.
static tn_mat3 turn_of(tree_kind kind, bool turned)
{
    if (turned && (kind == TREE_REVOLUTE || kind == TREE_FLAT_TURN || kind == TREE_PRISMATIC))
        return tn_m3_diag(1, -1, -1);
    if (turned && kind == TREE_FLAT_SLIDE)
        return tn_m3_diag(-1, -1, 1);
    return tn_m3_identity;
}

// Linear factors that follow each other are one, up to a length that leaves enough of them for
// threads.
static void add_group(tn_tree *t, tn_group group)
{
    enum { LONGEST = 16 };
    tn_group *last = t->ngroup > 0 ? &t->groups[t->ngroup - 1] : NULL;
    if (!last || tn_group_turns(last) || tn_group_turns(&group) || last->nv + group.nv > LONGEST) {
        t->groups[t->ngroup++] = group;
        return;
    }
    TN_ASSERT(group.q0 == last->q0 + last->nq && group.v0 == last->v0 + last->nv);
    last->nq += group.nq;
    last->nv += group.nv;
}

static void set_coordinates(builder *b, int k)
{
    TN_ASSERT(k > 0 && k < b->t->base.n);
    tree *t = b->t;
    tn_tree_body *body = &t->base.body[k];
    const int index = b->plan.order[k], joint = b->plan.joint[index];
    const carrier c = carrier_of(b, index);
    *body = (tn_tree_body){.body = index,
                           .joint = joint,
                           .parent = b->plan.place[b->plan.parent[index]],
                           .end = b->plan.end[k],
                           .q0 = t->base.nq,
                           .nq = c.nq,
                           .v0 = t->base.nv,
                           .nv = c.nv};
    body->turned = joint >= 0 && b->model->joints.at[joint].def->body_a.index == index;
    t->node[k].parent = body->parent;
    t->node[k].kind = (unsigned char)c.kind;
    t->node[k].nv = (unsigned char)c.nv;
    t->base.nq += c.nq;
    t->base.nv += c.nv;
    if (c.nv > 0)
        add_group(&t->base, (tn_group){.kind = c.kind == TREE_FREE ? TN_GROUP_SO3
                                               : c.nq == c.nv      ? TN_GROUP_R
                                                                   : TN_GROUP_ROTATION,
                                       .q0 = body->q0,
                                       .nq = c.nq,
                                       .v0 = body->v0,
                                       .nv = c.nv});
}

// Frames ------------------------------------------------------------------------------------------

static bool is_planar(const builder *b, int index)
{
    return index > 0 && tn_body_is_planar(b->model, (tn_body){index});
}

// Bodies of the plane keep the height that they start at, whatever offsets along z their joints
// state.
static void set_height(const builder *b, int k)
{
    const tn_tree_body *body = &b->t->base.body[k], *parent = &b->t->base.body[body->parent];
    const tn_body_kept *def = &b->model->bodies.at[body->body].def;
    const tn_body_kept *below = &b->model->bodies.at[parent->body].def;
    tree_base *at = &b->t->at[k];
    const double there = def->frame.p.z + body->attachment.p.z;
    const double origin = parent->body > 0 ? below->frame.p.z + parent->attachment.p.z : 0.0;
    const double rise = there - origin - tn_m3_apply(parent->attachment.R, at->d).z;
    at->d = tn_v3_axpy(rise, tn_m3_apply_t(parent->attachment.R, tn_v3(0, 0, 1)), at->d);
    if (b->t->node[k].kind == TREE_FLAT_TURN ||
        b->t->node[k].kind == TREE_FLAT_SLIDE) { // tree_flat.c leaves these as they are
        b->t->link[k].z = tn_v3(0, 0, body->attachment.R.m[2][2] > 0.0 ? 1.0 : -1.0);
        b->t->link[k].r.z = there - origin;
        b->t->spot[k].p.z = there;
    }
}

static void set_frames(builder *b, int k)
{
    TN_ASSERT(k > 0 && k < b->t->base.n);
    tree *t = b->t;
    tn_tree_body *body = &t->base.body[k];
    const tn_body_data *data = &b->model->bodies.at[body->body];
    tn_frame below = tn_frame_identity; // frame A on the predecessor
    body->attachment = (tn_frame){tn_m3_identity, data->def.com};
    if (body->joint >= 0) {
        const tn_joint_def *def = b->model->joints.at[body->joint].def;
        const tn_frame F = {turn_of((tree_kind)t->node[k].kind, body->turned), {0, 0, 0}};
        below = tn_frame_mul(body->turned ? def->frame_b : def->frame_a, F);
        body->attachment = tn_frame_mul(body->turned ? def->frame_a : def->frame_b, F);
    }
    const tn_frame A = tn_frame_mul(tn_frame_inverse(t->base.body[body->parent].attachment), below);
    t->at[k] = (tree_base){tn_m3_column(A.R, 0), tn_m3_column(A.R, 1), tn_m3_column(A.R, 2), A.p};
    if (is_planar(b, body->body))
        set_height(b, k);
}

// Inertia -----------------------------------------------------------------------------------------

// J = lambda I + g g^T + k k^T: two of the principal axes, each scaled by the root of the excess of
// its moment over the least one, and mixed so that the x component of k vanishes.
static void split_inertia(tn_mat3 J, tree_mass *mass)
{
    double moment[3];
    tn_mat3 axes;
    tn_principal_axes(J, moment, &axes);
    int least = 0;
    for (int i = 1; i < 3; i++)
        least = moment[i] < moment[least] ? i : least;
    const int i = (least + 1) % 3, j = (least + 2) % 3;
    const tn_vec3 g = tn_v3_scale(sqrt(moment[i] - moment[least]), tn_m3_column(axes, i));
    const tn_vec3 k = tn_v3_scale(sqrt(moment[j] - moment[least]), tn_m3_column(axes, j));
    const double size = hypot(g.x, k.x), c = size > 0.0 ? g.x / size : 1.0,
                 s = size > 0.0 ? k.x / size : 0.0;
    mass->lambda = moment[least];
    mass->g = tn_v3_axpy(c, g, tn_v3_scale(s, k));
    mass->ky = c * k.y - s * g.y;
    mass->kz = c * k.z - s * g.z;
}

static void set_mass(builder *b, int k)
{
    const tn_frame attachment = b->t->base.body[k].attachment;
    const tn_body_data *data = &b->model->bodies.at[b->t->base.body[k].body];
    const double m = data->def.mass;
    const tn_vec3 c = tn_frame_point(tn_frame_inverse(attachment), data->def.com);
    tn_mat3 J = tn_m3_mul(tn_m3_transpose(attachment.R), tn_m3_mul(data->inertia, attachment.R));
    J = tn_m3_axpy(-m, tn_m3_outer(c, c), J);
    for (int i = 0; i < 3; i++)
        J.m[i][i] += m * tn_v3_dot(c, c);
    b->t->mass[k] = (tree_mass){.m = m, .mc = tn_v3_scale(m, c)};
    split_inertia(J, &b->t->mass[k]);
}

// Links -------------------------------------------------------------------------------------------

// A body with several children has a slot while the recursion, on its way back, is between its last
// child and itself. These intervals are nested, so slots are a stack.
static void set_slots(builder *b, int *stack)
{
    tree *t = b->t;
    int depth = 0;
    for (int k = 0; k < t->base.n; k++) // `slot` keeps the last child until its turn comes
        t->node[k].slot = -1;
    for (int k = 1; k < t->base.n; k++)
        t->node[t->node[k].parent].slot = k;
    for (int k = 1; k < t->base.n; k++) {
        const int last = t->node[k].slot;
        if (last <= k + 1) {
            t->node[k].slot = -1;
            continue;
        }
        while (depth > 0 && stack[depth - 1] < k)
            depth--;
        t->node[last].first = true;
        t->node[k].slot = depth;
        stack[depth++] = last;
        t->nslot = depth > t->nslot ? depth : t->nslot;
    }
    t->node[0].slot = -1;
    for (int k = 1; k < t->base.n; k++) {
        const int parent = t->node[k].parent;
        t->node[k].up = parent == k - 1 ? -1 : t->node[parent].slot;
    }
}

// Runs end where subtrees of threads begin or end.
static void set_runs(tree *t)
{
    for (int k = 1, i = 0; k < t->base.n; k++) {
        tree_run *last = t->nrun > 0 ? &t->run[t->nrun - 1] : NULL;
        const bool after = i < t->nsubtree && k == t->subtree[i].end;
        i += after;
        const bool begins = after || (i < t->nsubtree && k == t->subtree[i].first);
        if (last && !begins && last->kind == (tree_kind)t->node[k].kind)
            last->end = k + 1;
        else
            t->run[t->nrun++] = (tree_run){k, k + 1, (tree_kind)t->node[k].kind};
    }
    tn_tree_subtree_runs(t);
}

static bool has_columns(tree_kind kind)
{
    return kind == TREE_MOTION || kind == TREE_SHIFT || kind == TREE_FREE;
}

static void tree_build_set_columns(tree *t)
{
    tree_column *next = t->column;
    for (int k = 1; k < t->base.n; k++)
        if (has_columns((tree_kind)t->node[k].kind)) {
            t->wide[k] = next;
            next += t->base.body[k].nv;
        }
}

static void list_others(builder *b)
{
    tn_tree *base = &b->t->base;
    for (int j = 0; j < b->model->joints.count; j++) {
        const tn_joint_data *data = &b->model->joints.at[j];
        const int body = data->def->body_b.index, other = data->def->body_a.index;
        const bool carries =
            data->ops->relative && (b->plan.joint[body] == j || b->plan.joint[other] == j);
        if (carries)
            continue;
        if (data->ops->coupling)
            base->coupling[base->ncoupling++] = j;
        else
            base->cut[base->ncut++] = j;
    }
}

// Memory ------------------------------------------------------------------------------------------

static void layout_tree_build(void *self, tn_carve *mem)
{
    tree *t = self;
    const size_t n = (size_t)t->base.n;
    t->node = tn_carve_bytes(mem, sizeof *t->node * n);
    t->at = tn_carve_bytes(mem, sizeof *t->at * n);
    t->mass = tn_carve_bytes(mem, sizeof *t->mass * n);
    t->turn = tn_carve_bytes(mem, sizeof *t->turn * n);
    t->link = tn_carve_bytes(mem, sizeof *t->link * n);
    t->pivot = tn_carve_bytes(mem, sizeof *t->pivot * n);
    t->spot = tn_carve_bytes(mem, sizeof *t->spot * n);
    t->accel = tn_carve_bytes(mem, sizeof *t->accel * n);
    t->load = tn_carve_bytes(mem, sizeof *t->load * n);
    t->force = tn_carve_bytes(mem, sizeof *t->force * n);
    t->wide = tn_carve_bytes(mem, sizeof *t->wide * n);
    t->column = tn_carve_bytes(mem, sizeof *t->column * (size_t)t->nwide);
    t->run = tn_carve_bytes(mem, sizeof *t->run * n);
    t->slot = tn_carve_bytes(mem, sizeof *t->slot * TREE_SLOTS);
    t->work = tn_carve_doubles(mem, 6 * t->base.n);
    if (t->nslope <= TN_TREE_DENSE)
        t->slope = tn_carve_bytes(mem, sizeof *t->slope * (size_t)t->nslope);
    t->base.body = tn_carve_bytes(mem, sizeof *t->base.body * n);
    t->base.place = tn_carve_ints(mem, t->base.n);
    TN_CARVE_INTS(mem, t->base.model->joints.count, &t->base.cut, &t->base.coupling);
    t->base.groups = tn_carve_bytes(mem, sizeof *t->base.groups * n);
    t->base.column = tn_carve_bytes(mem, sizeof *t->base.column * (size_t)t->nslope);
}

// Matrices ----------------------------------------------------------------------------------------

// The velocities of the subtree that begins with node k.
static int piece_size(const tn_tree *self, int k)
{
    const tn_tree_body *last = &self->body[self->body[k].end - 1];
    return last->v0 + last->nv - self->body[k].v0;
}

// Columns of a full block on the diagonal whose entries begin at `at`.
static void set_block(tn_tree *self, int v0, int n, size_t at)
{
    for (int j = 0; j < n; j++)
        self->column[v0 + j] = (ptrdiff_t)at + (ptrdiff_t)j * n - v0;
}

size_t tn_tree_pieces(const tn_tree *self)
{
    size_t count = 0;
    for (int k = 1; k < self->n; k = self->body[k].end) {
        const size_t n = (size_t)piece_size(self, k);
        count += n * n;
    }
    return count;
}

tn_status tn_tree_pack(tn_tree *self)
{
    tree *t = (tree *)self;
    if (!t->slope) {
        t->pack = tn_alloc(sizeof *t->slope * (size_t)self->nv);
        TN_TRY(tn_got(t->pack));
        t->slope = t->pack;
    }
    self->nentry = 0;
    for (int k = 1; k < self->n; k = self->body[k].end) {
        const int n = piece_size(self, k);
        set_block(self, self->body[k].v0, n, self->nentry);
        self->nentry += (size_t)n * (size_t)n;
    }
    return TN_OK;
}

// The whole ---------------------------------------------------------------------------------------

static void count_columns(builder *b)
{
    for (int body = 1; body < b->plan.n; body++) {
        const carrier c = carrier_of(b, body);
        b->t->nwide += has_columns(c.kind) ? c.nv : 0;
        b->t->nslope += c.nv;
    }
}

static tn_status compile(builder *b)
{
    tree *t = b->t;
    count_columns(b);
    TN_TRY(tn_carve_block(t, layout_tree_build, &t->block));
    memcpy(t->base.place, b->plan.place, sizeof(int) * (size_t)t->base.n);
    t->base.body[0] = (tn_tree_body){.joint = -1, .parent = -1, .end = t->base.n};
    t->base.body[0].attachment = tn_frame_identity;
    t->node[0] = (tree_node){.parent = -1, .up = -1};
    t->turn[0] = (tree_turn){.x = {1, 0, 0}, .y = {0, 1, 0}};
    t->link[0].z = tn_v3(0, 0, 1);
    for (int k = 1; k < t->base.n; k++) {
        set_coordinates(b, k);
        set_frames(b, k);
        set_mass(b, k);
    }
    set_slots(b, b->plan.end); // the ends are copied, so their memory serves as a stack
    TN_TRY(tn_tree_find_subtrees(t));
    set_runs(t);
    tree_build_set_columns(t);
    list_others(b);
    set_block(&t->base, 0, t->base.nv, 0);
    t->base.nentry = (size_t)t->base.nv * (size_t)t->base.nv;
    tn_tree_massless_init(t);
    return TN_OK;
}

tn_status tn_tree_create(const tn_model *model, tn_tree **out)
{
    return tn_tree_create_as(model, NULL, out);
}

tn_status tn_tree_create_as(const tn_model *model, const tn_tree_request *request, tn_tree **out)
{
    builder b = {.model = model};
    *out = NULL;
    TN_TRY(tn_model_status(model));
    b.t = tn_alloc(sizeof *b.t);
    TN_TRY(tn_got(b.t));
    b.t->base.model = model;
    b.t->base.n = model->bodies.count;
    tn_status status = tn_tree_plan(model, request, &b.plan);
    TN_THEN(status, compile(&b));
    tn_tree_plan_clear(&b.plan);
    TN_HAND_OUT(status, &b.t->base, tn_tree_destroy, out);
}

void tn_tree_destroy(tn_tree *self)
{
    tree *t = (tree *)self;
    if (!t)
        return;
    TN_FREE(t->block, t->pack, t->subtree, t);
}
