// SPDX-License-Identifier: MIT
//
// The compiled tree: private to the tree*.c files.
//
// Records lie in the order of places, split by the recursions that use them, so that a pass over
// the tree reads and writes memory once and in order:
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
#include "system/tree.h"
#include "system/tree_math.h"

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

// Links between places. The state of the previous place is at hand; a predecessor that is another
// one is looked up. Going backwards the first of several children to arrive finds the slot of its
// predecessor empty.
typedef struct tree_node {
    int parent;
    int slot; // where all children but the next place add what they carry; -1: no others
    int up;   // slot of the predecessor; -1 when it is the previous place, or the ground
    unsigned char kind;
    bool first;         // sets the slot `up`
    unsigned char rank; // freedoms with inertia, found by tree_massless.c
    unsigned char nv;   // all of them
} tree_node;

typedef struct tree_base { // frame A of the joint in the axes of the predecessor, from its origin
    tn_vec3 X, Y, Z, d;
} tree_base;

// The inertia about P in tree axes is lambda I + g g^T + k k^T with k = (0, ky, kz): lambda is the
// least principal moment, so that two vectors suffice.
typedef struct tree_mass {
    double m;      // [kg]
    tn_vec3 mc;    // m times centre of mass [kg m]
    double lambda; // [kg m^2]
    tn_vec3 g;
    double ky, kz;
} tree_mass;

typedef struct tree_turn {
    tn_vec3 x, y, w;
} tree_turn;

typedef struct tree_link {
    tn_vec3 z, r, cl, ca;
} tree_link;

// The factors of M: with (uf; un) = I S and D = S^T I S of the condensed inertia I, wf = uf / D,
// ws = (un + r x uf) / D: about the reference point of the predecessor. In tree_massless.c these
// and those of columns are U (T, Z), and Di and the rows L are (T, Z).
typedef struct tree_pivot {
    tn_vec3 wf, ws;
    double h, Di; // v' = h - wf . l_p - ws . al_p; 1/D
} tree_pivot;

typedef struct tree_spot {
    tn_vec3 p, u; // position and velocity of P
} tree_spot;

typedef struct tree_accel {
    tn_vec3 l, al;
} tree_accel;

// Columns of a joint with any freedoms.
typedef struct tree_column {
    tn_twist S, Sdot; // at P, and its rate
    tn_vec3 wf, ws;   // (I S) L^-T about the reference point of the predecessor
    double L[6];      // row of the Cholesky factor of D = S^T I S
    double v, vdot;   // of the freedom: last tn_tree_move, last tn_tree_spread
} tree_column;

// A stretch of places of one kind.
typedef struct tree_run {
    int first, end;
    tree_kind kind;
} tree_run;

// What a place hands to its predecessor, about the reference point of the latter.
typedef struct tree_carry {
    tree_inertia I;
    tree_force F;
} tree_carry;

// What a freedom of place k does to motions, at the fixed point where P is now, in world axes. With
// spatial velocities V = (velocity of the body there, w) and accelerations A = dV/dt = (l - w x u,
// al), an increment dx, dv, dv' of the freedom gives all bodies that it carries the variations
//
//   pose  xi = S dx,   dV = [xi, V] + eta,   dA = [xi, A] + [eta, V] + zeta,
//   eta = Y dx + S dv,   zeta = Z dx + (Y + Sdot) dv + S dv'
//
// where xi, eta, zeta of the freedoms of a path simply add up (docs/theory/tree_derivatives.md).
typedef struct tree_slope {
    tn_twist S;
    tn_twist Y; // [L, S],  L: velocity of what the freedom does not carry
    tn_twist Z; // [N, S] + [L, Y],  N: acceleration of that
    tn_twist W; // Y + Sdot
} tree_slope;

// A part of a large tree that a thread goes along by itself (tree_limbs.c): places that all stand
// on one body, with all that they carry.
typedef struct tree_limb {
    int first, end;   // places
    int run, run_end; // runs
    int up;           // slot of the body that carries it, where it hands something there; or -1
    bool last;        // on that body nothing comes after it
    tree_carry *slot; // as those of the tree
    tree_carry carry; // what it leaves for the place before it
    int failed;
} tree_limb;

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
    tree_force *load;    // on each place
    tree_force *force;   // through each joint, from the residual
    tree_column **wide;  // first column of joints that are not revolute or prismatic, else NULL
    tree_column *column; // all of them
    int nwide;
    int nrun;
    tree_run *run;
    int nlimb; // 0: small, or without limbs
    tree_limb *limb;
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

enum { TREE_SLOTS = 40 }; // halvings of 2^31 bodies, and the first

void tn_tree_massless_init(tree *t);
// The first place from the leaves with a freedom whose inertia is nothing but round-off, or is not
// a finite number; 0 for none. Overwrites the factors.
int tn_tree_massless_place(tree *t);

// The recursions over a stretch of bodies of the plane (tree_flat.c).
void tn_tree_flat_move(tree *t, tree_run run, const double *q, const double *v);
int tn_tree_flat_condense(tree *t, tree_run run, bool bias, double least, const double *tau,
                          tree_carry *carry);
void tn_tree_flat_unfold(tree *t, tree_run run, bool bias, double *x);

// Column i of the joint of place k, at its reference point.
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

// Whether column i of the joint of place k moves along with its freedom j. A joint with several
// freedoms is a chain of motions with one freedom each in the order of its coordinates, the other
// way round where the joint is turned. Only the freedoms of a ball carry each other, as increments
// of quaternions turn about axes of the body (if turned: of the predecessor, so none carries
// another), and the turns of a free body do, whose slides come first.
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

// The slopes of all freedoms of place k, against an inertial frame that moves with the velocity u0:
// any will do, if velocities V are against the same. Y after tn_tree_move, Z after tn_tree_spread.
void tn_tree_slopes(const tree *t, int k, tn_vec3 u0, tree_slope *out);

// The acceleration of place k that its predecessor gives it, and with `bias` velocities.
static inline tree_accel tree_carried(const tree_link *link, tree_accel a, bool bias)
{
    a.l = tree_add_cross(a.l, a.al, link->r);
    if (bias) {
        a.l = tn_v3_add(a.l, link->cl);
        a.al = tn_v3_add(a.al, link->ca);
    }
    return a;
}

// S^T F of a joint with one axis.
static inline double tree_along_axis(const tree *t, int k, tree_force F)
{
    switch ((tree_kind)t->node[k].kind) {
    case TREE_PRISMATIC:
        return tn_v3_dot(t->link[k].z, F.f);
    case TREE_FLAT_SLIDE:
        return tn_v3_dot(t->turn[k].x, F.f);
    default:
        return tn_v3_dot(t->link[k].z, F.n);
    }
}

// The inertia of a body in world axes: m, m c and the moments about its reference point.
typedef struct tree_rigid {
    double m;
    tn_vec3 mc;
    tree_sym J;
} tree_rigid;

static inline tree_rigid tree_rigid_of(const tree_mass *mass, tn_vec3 x, tn_vec3 y, tn_vec3 z)
{
    const tn_vec3 g = tree_along(x, y, z, mass->g), h = tree_mix(mass->ky, y, mass->kz, z);
    return (tree_rigid){mass->m,
                        tree_along(x, y, z, mass->mc),
                        {mass->lambda + g.x * g.x + h.x * h.x, mass->lambda + g.y * g.y + h.y * h.y,
                         mass->lambda + g.z * g.z + h.z * h.z, g.x * g.y + h.x * h.y,
                         g.x * g.z + h.x * h.z, g.y * g.z + h.y * h.z}};
}

static inline tree_rigid tree_rigid_at(const tree *t, int k)
{
    return tree_rigid_of(&t->mass[k], t->turn[k].x, t->turn[k].y, t->link[k].z);
}

// f = m l + al x mc,   n = mc x l + J al
static inline tree_force tree_rigid_force(const tree_rigid *b, tn_vec3 l, tn_vec3 al)
{
    return (tree_force){tree_add_cross(tn_v3_scale(b->m, l), al, b->mc),
                        tree_add_cross(tree_sym_apply(&b->J, al), b->mc, l)};
}

// Adds a body with the momenta (p; L) = I (u; w) about its reference point P, which moves with u.
static inline void tree_sums_add(tn_tree_sums *sum, const tree_rigid *b, const tree_spot *at,
                                 tn_vec3 w, tn_vec3 gravity)
{
    const tree_force p = tree_rigid_force(b, at->u, w);
    sum->kinetic += 0.5 * (tn_v3_dot(at->u, p.f) + tn_v3_dot(w, p.n));
    sum->potential -= tn_v3_dot(gravity, tn_v3_axpy(b->m, at->p, b->mc));
    sum->momentum = tn_v3_add(sum->momentum, p.f);
    sum->spin = tn_v3_add(sum->spin, tree_add_cross(p.n, at->p, p.f));
}

static inline void tree_rigid_add(tree_inertia *I, const tree_rigid *b)
{
    I->A.xx += b->m;
    I->A.yy += b->m;
    I->A.zz += b->m;
    I->H.xy += b->mc.z; // H = -[mc]
    I->H.xz -= b->mc.y;
    I->H.yx -= b->mc.z;
    I->H.yz += b->mc.x;
    I->H.zx += b->mc.y;
    I->H.zy -= b->mc.x;
    tree_sym_sum(&I->C, &b->J);
}

static inline tree_carry tree_nothing(void)
{
    return (tree_carry){.F = {{0, 0, 0}, {0, 0, 0}}};
}

static inline void tree_carry_sum(tree_carry *a, const tree_carry *b)
{
    tree_inertia_sum(&a->I, &b->I);
    a->F = tree_force_sum(a->F, b->F);
}

// Backward recursions. Place k finds what the next place left for it; its other children are added.
static inline void tree_gather(const tree *t, int k, tree_carry *c)
{
    if (t->node[k].slot >= 0)
        tree_carry_sum(c, &t->slot[t->node[k].slot]);
}

// The force that turning a body with w takes.
static inline void tree_turning_force(tree_force *F, const tree_rigid *b, tn_vec3 w)
{
    F->f = tn_v3_axpy(-tn_v3_dot(w, w), b->mc, tn_v3_axpy(tn_v3_dot(w, b->mc), w, F->f));
    F->n = tree_add_cross(F->n, w, tree_sym_apply(&b->J, w));
}

// The same with place k itself, and the force that turning it takes less its load.
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

// Eliminates a joint with one axis, about which tau acts: c goes over to the predecessor. False
// where D is not above its `least` part of all inertia.
__attribute__((always_inline)) static inline bool tree_eliminate(const tree_link *link,
                                                                 tree_pivot *pivot, bool slides,
                                                                 bool bias, double least,
                                                                 double tau, tree_carry *c)
{
    const tn_vec3 z = link->z, r = link->r;
    const tn_vec3 uf = slides ? tree_sym_apply(&c->I.A, z) : tree_mat_apply(&c->I.H, z);
    const tn_vec3 un = slides ? tree_mat_apply_t(&c->I.H, z) : tree_sym_apply(&c->I.C, z);
    const tree_sym *all = slides ? &c->I.A : &c->I.C;
    const double D = tn_v3_dot(z, slides ? uf : un), Di = 1.0 / D;
    const bool large = D > least * (all->xx + all->yy + all->zz);
    if (bias) {
        const tree_force F = tree_inertia_add(c->F, &c->I, link->cl, link->ca);
        const double h = Di * (tau - tn_v3_dot(z, slides ? F.f : F.n));
        c->F.f = tn_v3_axpy(h, uf, F.f);
        c->F.n = tree_add_cross(tn_v3_axpy(h, un, F.n), r, c->F.f);
        pivot->h = h;
    }
    const tn_vec3 us = tree_add_cross(un, r, uf);
    const tn_vec3 wf = tn_v3_scale(Di, uf), ws = tn_v3_scale(Di, us);
    tree_inertia_shift(&c->I, r);
    tree_sym_less(&c->I.A, wf, uf);
    tree_mat_less(&c->I.H, uf, ws);
    tree_sym_less(&c->I.C, ws, us);
    pivot->wf = wf;
    pivot->ws = ws;
    pivot->Di = Di;
    return large; // looked at last: nothing waits for D on the way
}

// Hands c to a predecessor that is not the previous place, which then finds nothing.
static inline void tree_hand_on(const tree_node *node, tree_carry *slot, tree_carry *c)
{
    if (node->up >= 0) {
        if (!node->first)
            tree_carry_sum(c, &slot[node->up]);
        slot[node->up] = *c;
    }
    *c = tree_nothing();
}

// Hands c to the predecessor and leaves what the previous place finds.
static inline void tree_deliver(tree *t, int k, tree_carry *c)
{
    if (t->node[k].parent != k - 1)
        tree_hand_on(&t->node[k], t->slot, c);
}

// Forward recursions: v' of a joint with one axis, and the acceleration a of its predecessor
// becomes that of its body.
static inline double tree_unfold_axis(const tree_link *link, const tree_pivot *pivot, bool slides,
                                      bool bias, double h, tree_accel *a)
{
    const double gain = h - (tn_v3_dot(pivot->wf, a->l) + tn_v3_dot(pivot->ws, a->al));
    a->l = tree_add_cross(bias ? tn_v3_add(a->l, link->cl) : a->l, a->al, link->r);
    a->al = bias ? tn_v3_add(a->al, link->ca) : a->al;
    if (slides)
        a->l = tn_v3_axpy(gain, link->z, a->l);
    else
        a->al = tn_v3_axpy(gain, link->z, a->al);
    return gain;
}
