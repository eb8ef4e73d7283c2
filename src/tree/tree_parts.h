// SPDX-License-Identifier: MIT
//
// The compiled tree: private to the tree*.c files.
//
// Records lie in the order of nodes, split by the recursions that use them, so that a pass over the
// tree reads and writes memory once and in order:
//
//   move (forwards)       reads base, writes turn, link, spot
//   condense (backwards)  reads mass, turn, link, writes pivot
//   unfold (forwards)     reads link, pivot
//
// All vectors are in world axes. Place k with the axes x, y, z and the reference point P (the
// origin of its tree frame) moves against its predecessor p:
//
//   w = w_p + S_w v,      u = u_p + w_p x r + S_v v,      r = P - P_p
//   l = l_p + al_p x r + cl + S_v v',   al = al_p + ca + S_w v'      (accelerations of P, turning)
//   cl = w_p x (w_p x r) + w_p x S_v v + S_v' v,   ca = S_w' v
//
// Revolute and prismatic joints have z as their axis: S = (0; z) or (z; 0). The columns S of all
// other joints, and their rates, are stored beside.

#pragma once

#include "base/carve.h"
#include "tree/tree.h"
#include "tree/tree_space.h"

typedef enum tree_kind {
    TREE_WELD,      // no freedom
    TREE_REVOLUTE,  // turns about z
    TREE_PRISMATIC, // slides along z
    TREE_MOTION,    // any other joint, by its motion side
    TREE_SHIFT,     // a point mass: slides along some axes of frame A
    TREE_FREE,      // a rigid body without joint
    // Bodies of the plane, whose axes x and y are level and z is that of the world or against it:
    TREE_FLAT_TURN, // turns about z
    TREE_FLAT_SLIDE // slides along x
} tree_kind;

// Links between nodes. The state of the previous node is at hand; another predecessor is looked up.
// Going backwards the first of several children to arrive finds the slot of its predecessor empty.
typedef struct tree_node {
    int parent;
    int slot; // slot in which all children but the next node add their loads; -1: no others
    int up;   // slot of the predecessor; -1 when it is the previous node, or the ground
    unsigned char kind;
    bool first;         // sets the slot `up`
    unsigned char rank; // freedoms with inertia, found by tree_massless.c
    unsigned char nv;   // all of them
} tree_node;

typedef struct tree_spot {
    tn_vec3 p, u; // position and velocity of P
} tree_spot;

// Columns of a joint with any freedoms.
typedef struct tree_column {
    tn_twist S, Sdot; // at P, and its rate
    tn_vec3 wf, ws;   // (I S) L^-T about the reference point of the predecessor
    double L[6];      // row of the Cholesky factor of D = S^T I S
    double v, vdot;   // of the freedom: last tn_tree_move, last tn_tree_spread
} tree_column;

// A range of nodes of one kind.
typedef struct tree_run {
    int first, end;
    tree_kind kind;
} tree_run;

// The effect of a freedom of node k on motions, at the fixed point where P is now, in world axes.
// With spatial velocities V = (velocity of the body there, w) and accelerations A = dV/dt = (l - w
// x u, al), an increment dx, dv, dv' of the freedom gives all bodies that it carries the variations
//
//   pose  xi = S dx,   dV = [xi, V] + eta,   dA = [xi, A] + [eta, V] + zeta,
//   eta = Y dx + S dv,   zeta = Z dx + (Y + Sdot) dv + S dv'
//
// where xi, eta, zeta of the freedoms of a path simply add up (docs/theory/tree_derivatives.md).
typedef struct tree_slope {
    tn_twist S;
    tn_twist Y; // [L, S],  L: velocity of bodies that the freedom does not carry
    tn_twist Z; // [N, S] + [L, Y],  N: acceleration of that
    tn_twist W; // Y + Sdot
} tree_slope;

// A part of a large tree that a thread processes by itself (tree_subtrees.c): children of one body,
// with their subtrees.
typedef struct tree_subtree {
    int first, end;   // nodes
    int run, run_end; // runs
    int up;           // slot of the body that carries it, where it hands something there; or -1
    bool last;        // on that body nothing comes after it
    tree_carry *slot; // as those of the tree
    tree_carry carry; // result for the node before it
    int failed;
} tree_subtree;

typedef struct tree {
    tn_tree base;
    tree_node *node;
    tree_base *at;
    tree_mass *mass;
    tree_turn *turn;
    tree_link *link;
    tree_pivot *pivot;
    tree_spot *spot;
    tree_accel *accel;
    tree_force *load;    // on each node
    tree_force *force;   // through each joint, from the residual
    tree_column **wide;  // first column of joints that are not revolute or prismatic, else NULL
    tree_column *column; // all of them
    int nwide;
    int nrun;
    tree_run *run;
    int nsubtree; // 0: small, or without subtrees for threads
    tree_subtree *subtree;
    int nslot;
    tree_carry *slot;
    double *work;      // nv
    int nslope;        // nv
    tree_slope *slope; // for dense derivatives; NULL beyond TN_TREE_DENSE before tn_tree_pack
    bool loaded;       // some load is not zero
    bool regular;      // all freedoms had inertia when they were measured
    bool trusted;      // and again where it seemed too small
    // Freedoms without inertia (tree_massless.c):
    bool massless;       // the factors are of that kind
    double singular_tol; // below which inertia does not count
    double length;       // [m] mean distance of joints and centres of mass from the joint below
    void *block, *pack;
} tree;

static inline tn_twist tree_twist_sum(tn_twist a, tn_twist b)
{
    return (tn_twist){tn_v3_add(a.v, b.v), tn_v3_add(a.w, b.w)};
}

static inline tn_twist tree_twist_axpy(double s, tn_twist a, tn_twist b) // s a + b
{
    return (tn_twist){tn_v3_axpy(s, a.v, b.v), tn_v3_axpy(s, a.w, b.w)};
}

static inline double tree_power(tree_force F, tn_twist V)
{
    return tn_v3_dot(F.f, V.v) + tn_v3_dot(F.n, V.w);
}

enum { TREE_SLOTS = 40 }; // halvings of 2^31 bodies, and the first

void tn_tree_massless_init(tree *t);
// (T, Z)^T (b - S^T F) in place of b; adds W y to F, which goes to the predecessor.
tree_force tn_tree_massless_reduce(const tree *t, int k, tree_force F, double *b);
// The first node from the leaves with a freedom whose inertia is nothing but round-off, or is not a
// finite number; 0 for none. Overwrites the factors.
int tn_tree_massless_place(tree *t);

// The recursions over a range of bodies of the plane (tree_flat.c).
void tn_tree_flat_move(tree *t, tree_run run, const double *q, const double *v);
int tn_tree_flat_condense(tree *t, tree_run run, bool bias, double least, const double *tau,
                          tree_carry *carry);
void tn_tree_flat_unfold(tree *t, tree_run run, bool bias, double *x);

// Column i of the joint of node k, at its reference point.
static inline tn_twist tree_column_at(const tree *t, int k, int i)
{
    const tn_vec3 z = t->link[k].z, none = {0, 0, 0};
    switch ((tree_kind)t->node[k].kind) {
    case TREE_REVOLUTE:
    case TREE_FLAT_TURN:
        return (tn_twist){none, z};
    case TREE_PRISMATIC:
        return (tn_twist){z, none};
    case TREE_FLAT_SLIDE:
        return (tn_twist){t->turn[k].x, none};
    default:
        return t->wide[k][i].S;
    }
}

// The acceleration of a body that a freedom with the column S moves by x beside its predecessor.
static inline tree_accel tree_moved(tree_accel a, double x, tn_twist S)
{
    return (tree_accel){tn_v3_axpy(x, S.v, a.l), tn_v3_axpy(x, S.w, a.al)};
}

// Returns true if column i of the joint of node k moves along with its freedom j. A joint with
// several freedoms is a chain of motions with one freedom each in the order of its coordinates, the
// other way round where the joint is turned. Only the freedoms of a ball carry each other, as
// increments of quaternions turn about axes of the body (if turned: of the predecessor, so none
// carries another), and the turns of a free body do, whose slides come first.
static inline bool tree_carries(const tree *t, int k, int j, int i)
{
    const tn_tree_body *body = &t->base.body[k];
    if (t->node[k].kind == TREE_FREE)
        return i >= 3;
    return (body->nq > body->nv || j <= i) != body->turned;
}

// [a, b]: the rate of a twist b that moves along with a, both at one fixed point.
static inline tn_twist tree_bracket(tn_twist a, tn_twist b)
{
    return (tn_twist){tree_add_cross(tn_v3_cross(a.w, b.v), a.v, b.w), tn_v3_cross(a.w, b.w)};
}

// Derivative of column i by the increment j of the same joint, the predecessor held: in world axes,
// the turning of the body by the increment included, and at the reference point P, which moves
// along. (At a point that stays fixed it is [S_j, S_i] where j carries i, else zero; a derivative
// of that is one by the rule of products, so second derivatives need nothing more.)
static inline tn_twist tree_column_slope(const tree *t, int k, int i, int j)
{
    const tn_twist Si = tree_column_at(t, k, i), Sj = tree_column_at(t, k, j);
    if (tree_carries(t, k, j, i))
        return (tn_twist){tn_v3_cross(Sj.w, Si.v), tn_v3_cross(Sj.w, Si.w)};
    return (tn_twist){tn_v3_cross(Si.w, Sj.v), {0, 0, 0}};
}

// The slopes of all freedoms of node k, against an inertial frame that moves with the velocity u0:
// any will do, if velocities V are against the same. Y after tn_tree_move, Z after tn_tree_spread.
void tn_tree_slopes(const tree *t, int k, tn_vec3 u0, tree_slope *out);

static inline tree_rigid tree_rigid_at(const tree *t, int k)
{
    return tree_rigid_of(&t->mass[k], t->turn[k].x, t->turn[k].y, t->link[k].z);
}

// Backward recursions. Node k reads the results of the next node for it; its other children are
// added.
static inline void tree_gather(const tree *t, int k, tree_carry *c)
{
    if (t->node[k].slot >= 0)
        tree_carry_sum(c, &t->slot[t->node[k].slot]);
}

// The same with node k itself, and the force that turning it takes less its load.
__attribute__((always_inline)) static inline void tree_gather_body(const tree *t, int k,
                                                                   tree_carry *c, bool bias)
{
    const tree_rigid b = tree_rigid_at(t, k);
    tree_gather(t, k, c);
    tree_rigid_add(&c->I, &b);
    if (!bias)
        return;
    tree_turning_force(&c->F, &b, t->turn[k].w);
    if (t->loaded) {
        c->F.f = tn_v3_sub(c->F.f, t->load[k].f);
        c->F.n = tn_v3_sub(c->F.n, t->load[k].n);
    }
}

// Hands c to a predecessor that is not the previous node, which then finds nothing.
static inline void tree_hand_on(const tree_node *node, tree_carry *slot, tree_carry *c)
{
    if (node->up >= 0) {
        if (!node->first)
            tree_carry_sum(c, &slot[node->up]);
        slot[node->up] = *c;
    }
    *c = tree_nothing();
}

// Passes c to the predecessor and leaves the results for the previous node.
static inline void tree_deliver(tree *t, int k, tree_carry *c)
{
    if (t->node[k].parent != k - 1)
        tree_hand_on(&t->node[k], t->slot, c);
}
