// SPDX-License-Identifier: MIT
//
// The open chain of director systems [LMO08, sect. 5]: the spanning tree of joint coordinates
// (tree.h), seen from the directors. The rigid motion X of a body is the velocity V of its centre
// of mass and its angular velocity w, in world axes; in the plane (V_x, V_y, w_z), of a point mass
// V alone. With the columns s of the joint that carries it, at the centre of mass,
//
//   q' = I X:             phi' = V,  d_k' = w x d_k                           [LMO08, eq. 69]
//   X = T X_p + S v:      V = V_p + w_p x (phi - phi_p) + s_V v,  w = w_p + s_w v
//
// These are [LMO08, eq. 82, 91] of spherical and revolute pairs, but that v of a ball is relative
// and in the axes of the joint. A free body has the increments of [LMO08, eq. 61], turns in its own
// axes. The tree reads the model alone: the world stays where it is.
//
// A body that is carried by the ground moves by its own freedoms alone, so that it may as well
// stand on any other body with T = 0. Such bodies are hung on those that force elements couple them
// with: nodes of beams on their neighbours, with six freedoms. Then the matrix of a step is
// eliminated along the chain (motion/chain_solver.c).

#include "coords/director_parts.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "tree/tree.h"

#include <string.h>

struct dir_chain {
    tn_tree *tree;
    tn_chain_node *node; // in the order of elimination
    int *node_of;        // of each place; -1 for the ground
    int *stands_on;      // of each place, another place: its parent, or what T = 0 hangs it on
    int *queue;          // places in the order of elimination
    int *first, *beside; // places that force elements couple with each one
    int nbeside;
    tn_frame *local; // of each place: centre of mass and body axes in its tree frame
    tn_frame *at;    //   and in the world
    tn_frame *frame; // of each body of the model
    tn_twist *twist; //
    void *block;
};

// Rigid motions -----------------------------------------------------------------------------------

static int director_chain_motions(const dir_body *b)
{
    return dir_turns(b) ? 3 * (b->dim - 1) : b->dim;
}

// Index of motion i in (V, w): in the plane the last one turns about z.
static int component(const dir_body *b, int i)
{
    TN_ASSERT(i >= 0 && i < 6);
    return dir_turns(b) && b->dim == 2 && i == 2 ? 5 : i;
}

static tn_twist unit_motion(const dir_body *b, int i)
{
    double x[6] = {0};
    x[component(b, i)] = 1.0;
    return (tn_twist){tn_v3_from(x), tn_v3_from(x + 3)};
}

static void put_motion(const dir_body *b, tn_twist X, double *out)
{
    double all[6];
    tn_v3_to(X.v, all);
    tn_v3_to(X.w, all + 3);
    for (int i = 0; i < director_chain_motions(b); i++)
        out[i] = all[component(b, i)];
}

static tn_twist moved(tn_twist X, tn_vec3 arm)
{
    return (tn_twist){tn_v3_add(X.v, tn_v3_cross(X.w, arm)), X.w};
}

// I of a body with these vectors, which need not be orthonormal: identity, and -[d_k] below it.
static void put_rigid(const dir_body *b, const tn_vec3 *x, double *I)
{
    const int n = b->nv;
    tn_zero(n * director_chain_motions(b), I);
    for (int c = 0; c < b->dim; c++)
        I[c + n * c] = 1.0;
    for (int k = 1; k < b->nvec; k++) {
        double *turn = I + n * b->dim + k * b->dim;
        if (b->dim == 3) {
            turn[1] = -x[k].z; // about x
            turn[2] = x[k].y;
            turn[n] = x[k].z; // about y
            turn[n + 2] = -x[k].x;
            turn += 2 * n;
        }
        turn[0] = -x[k].y; // about z
        turn[1] = x[k].x;
    }
}

static void vectors_of(tn_frame at, tn_vec3 *x)
{
    x[0] = at.p;
    for (int k = 1; k < 4; k++)
        x[k] = tn_m3_column(at.R, k - 1);
}

// Opening -----------------------------------------------------------------------------------------

static void layout_director_chain(void *self, tn_carve *mem)
{
    dir_chain *c = self;
    const size_t n = (size_t)c->tree->n;
    c->node = tn_carve_bytes(mem, sizeof *c->node * n);
    TN_CARVE_INTS(mem, c->tree->n, &c->node_of, &c->stands_on, &c->queue);
    c->first = tn_carve_ints(mem, c->tree->n + 1);
    c->beside = tn_carve_ints(mem, c->nbeside);
    c->local = tn_carve_bytes(mem, sizeof *c->local * n);
    c->at = tn_carve_bytes(mem, sizeof *c->at * n);
    c->frame = tn_carve_bytes(mem, sizeof *c->frame * n);
    c->twist = tn_carve_bytes(mem, sizeof *c->twist * n);
}

// Both places of a force element, if it couples two bodies that move.
static bool coupled(const director *s, const abs_force *f, int place[2])
{
    const abs_pair *p = &s->base.world->pair[f->pair];
    place[0] = s->chain->tree->place[p->a];
    place[1] = s->chain->tree->place[p->b];
    return p->a > 0 && p->b > 0 && p->a != p->b;
}

static void find_neighbours(const director *s, dir_chain *c)
{
    int place[2];
    for (int k = 0; k < s->base.world->nforce; k++)
        if (coupled(s, &s->base.world->force[k], place)) {
            c->first[place[0]]++;
            c->first[place[1]]++;
        }
    for (int i = 0, sum = 0; i <= c->tree->n; i++) {
        sum += c->first[i];
        c->first[i] = sum; // ends; the entries are filled from there down
    }
    for (int k = s->base.world->nforce - 1; k >= 0; k--)
        if (coupled(s, &s->base.world->force[k], place)) {
            c->beside[--c->first[place[0]]] = place[1];
            c->beside[--c->first[place[1]]] = place[0];
        }
}

static void hang(dir_chain *c, int place, int on, int *count)
{
    TN_ASSERT(place > 0 && c->node_of[place] < 0);
    c->stands_on[place] = on;
    c->node_of[place] = *count;
    c->queue[(*count)++] = place;
}

// Adds the children of a place, then neighbours that the ground carries.
static void hang_on(dir_chain *c, int place, int *count)
{
    const tn_tree_body *body = c->tree->body;
    for (int k = place + 1; k < body[place].end; k = body[k].end)
        hang(c, k, place, count);
    for (int i = c->first[place]; i < c->first[place + 1]; i++) {
        const int next = c->beside[i];
        if (c->node_of[next] < 0 && body[next].parent == 0)
            hang(c, next, place, count);
    }
}

// From what the ground carries outwards, by breadth: first by joints, then by force elements.
static void order_nodes(const director *s, dir_chain *c)
{
    int count = 0, done = 0;
    find_neighbours(s, c);
    for (int k = 0; k < c->tree->n; k++)
        c->node_of[k] = -1;
    for (int k = 1; k < c->tree->n; k = c->tree->body[k].end) {
        if (c->node_of[k] < 0)
            hang(c, k, 0, &count);
        for (; done < count; done++)
            hang_on(c, c->queue[done], &count);
    }
    TN_ASSERT(count == c->tree->n - 1);
}

// Joints of the tree have no rows but those that their motion satisfies: drives and gears are
// couplings of their own.
static void build_node(const director *s, dir_chain *c, int place)
{
    TN_ASSERT(place > 0 && place < c->tree->n);
    const tn_tree_body *from = &c->tree->body[place];
    const dir_body *b = &s->body[from->body];
    const abs_joint *joint = from->joint >= 0 ? &s->base.world->joint[from->joint] : NULL;
    c->node[c->node_of[place]] = (tn_chain_node){.parent = c->node_of[c->stands_on[place]],
                                                 .v0 = b->v0,
                                                 .nv = b->nv,
                                                 .nm = director_chain_motions(b),
                                                 .w0 = from->v0,
                                                 .nw = from->nv,
                                                 .row0 = joint ? s->ninternal + joint->row0 : 0,
                                                 .nrow = joint ? joint->nrow : 0,
                                                 .internal0 = b->row0,
                                                 .ninternal = b->nrow};
    c->local[place] = tn_tree_local(
        c->tree, place, (tn_frame){tn_m3_identity, s->base.world->body[from->body].com});
}

static tn_status build_director_chain(director *s)
{
    s->chain = tn_alloc(sizeof *s->chain);
    TN_TRY(tn_got(s->chain));
    dir_chain *c = s->chain;
    c->nbeside = 2 * s->base.world->nforce;
    TN_TRY(tn_tree_create(s->base.world->model, &c->tree));
    TN_TRY(tn_carve_block(c, layout_director_chain, &c->block));
    c->at[0] = c->frame[0] = tn_frame_identity;
    order_nodes(s, c);
    for (int k = 1; k < c->tree->n; k++)
        build_node(s, c, k);
    return TN_OK;
}

void tn_director_close_chain(director *s)
{
    if (!s->chain)
        return;
    tn_tree_destroy(s->chain->tree);
    TN_FREE(s->chain->block, s->chain);
    s->chain = NULL;
}

static tn_status open_chain(tn_system *self, tn_chain *out)
{
    director *s = (director *)self;
    const tn_status status = s->chain ? TN_OK : build_director_chain(s);
    if (status != TN_OK) {
        tn_director_close_chain(s);
        return status;
    }
    const tn_tree *tree = s->chain->tree;
    *out = (tn_chain){.n = tree->n - 1,
                      .node = s->chain->node,
                      .ny = tree->nq,
                      .nw = tree->nv,
                      .ngroup = tree->ngroup,
                      .groups = tree->groups};
    return TN_OK;
}

// Coordinates -------------------------------------------------------------------------------------

static void from_directors(tn_system *self, const double *q, double *y)
{
    const director *s = (const director *)self;
    TN_ASSERT(s->chain);
    tn_frame *frame = s->chain->frame;
    for (int k = 1; k < s->base.world->nbody; k++) {
        const dir_body *b = &s->body[k];
        tn_vec3 x[4];
        memcpy(x, b->x, sizeof x); // height and normal of bodies of the plane
        tn_director_vectors(b, q + b->v0, x);
        frame[k].R =
            dir_turns(b) ? tn_m3_orthonormalize(tn_m3_columns(x[1], x[2], x[3])) : tn_m3_identity;
        frame[k].p = tn_v3_sub(x[0], tn_m3_apply(frame[k].R, s->base.world->body[k].com));
    }
    tn_tree_coordinates(s->chain->tree, frame, y);
}

static void to_directors(tn_system *self, const double *y, double *q)
{
    const director *s = (const director *)self;
    TN_ASSERT(s->chain);
    dir_chain *c = s->chain;
    tn_tree_move(c->tree, y, NULL);
    for (int k = 1; k < c->tree->n; k++) {
        const dir_body *b = &s->body[c->tree->body[k].body];
        tn_vec3 x[4];
        c->at[k] = tn_frame_mul(tn_tree_frame(c->tree, k), c->local[k]);
        vectors_of(c->at[k], x);
        tn_director_put(b, x, q + b->v0);
    }
}

// Rigid motions first, by least squares body by body: V = phi', w = 1/2 sum of d_k x d_k'.
static void velocities(tn_system *self, const double *v, double *w)
{
    const director *s = (const director *)self;
    const dir_chain *c = s->chain;
    for (int k = 1; k < c->tree->n; k++) {
        const int body = c->tree->body[k].body;
        const dir_body *b = &s->body[body];
        const tn_vec3 to_origin = tn_v3_neg(tn_m3_apply(c->at[k].R, s->base.world->body[body].com));
        tn_vec3 x[4], rate[4] = {{0}};
        vectors_of(c->at[k], x);
        tn_director_vectors(b, v + b->v0, rate);
        tn_twist X = {rate[0], {0, 0, 0}};
        for (int m = 1; m < b->nvec; m++)
            X.w = tn_v3_axpy(0.5, tn_v3_cross(x[m], rate[m]), X.w);
        c->twist[body] = moved(X, to_origin);
    }
    tn_tree_velocities(c->tree, c->twist, 1.0, w);
}

// Blocks ------------------------------------------------------------------------------------------

static void put_block(const director *s, int place, tn_chain_block *out)
{
    TN_ASSERT(place > 0 && place < s->chain->tree->n);
    const dir_chain *c = s->chain;
    const tn_tree_body *body = &c->tree->body[place];
    const dir_body *b = &s->body[body->body], *below = &s->body[c->tree->body[body->parent].body];
    const tn_vec3 centre = c->at[place].p;
    const tn_vec3 from_below = tn_v3_sub(centre, c->at[body->parent].p);
    const tn_vec3 from_joint = tn_v3_sub(centre, tn_tree_frame(c->tree, place).p);
    tn_vec3 x[4];
    vectors_of(c->at[place], x);
    put_rigid(b, x, out->I);
    for (int i = 0; body->parent > 0 && i < director_chain_motions(below); i++) // else 0
        put_motion(b, moved(unit_motion(below, i), from_below),
                   out->T + director_chain_motions(b) * i);
    for (int i = 0; i < body->nv; i++)
        put_motion(b, moved(tn_tree_column(c->tree, place, i), from_joint),
                   out->S + director_chain_motions(b) * i);
}

static void director_chain_blocks(tn_system *self, tn_chain_block *out)
{
    const director *s = (const director *)self;
    for (int k = 1; k < s->chain->tree->n; k++)
        put_block(s, k, &out[s->chain->node_of[k]]);
}

static void director_chain_rigid(tn_system *self, const double *q, tn_chain_block *out)
{
    const director *s = (const director *)self;
    const tn_tree *tree = s->chain->tree;
    for (int k = 1; k < tree->n; k++) {
        const dir_body *b = &s->body[tree->body[k].body];
        tn_vec3 x[4] = {{0}};
        tn_director_vectors(b, q + b->v0, x);
        put_rigid(b, x, out[s->chain->node_of[k]].I);
    }
}

const tn_chain_ops tn_director_chain = {
    .open = open_chain,
    .from = from_directors,
    .to = to_directors,
    .velocities = velocities,
    .blocks = director_chain_blocks,
    .rigid = director_chain_rigid,
};
