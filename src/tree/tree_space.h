// SPDX-License-Identifier: MIT
//
// The recursions of tree_parts.h at one node, over a scalar type: one double, or a vector of them
// in files that define TREE_REAL (tree_lanes_by_two.c and its sister). Branches depend on the tree,
// never on numbers. Accelerations (l, al) of a reference point and of the turning, forces (f, n)
// with the moment about that point, in world axes:
//
//   f = A l + H al,   n = H^T l + C al          A, C symmetric: 21 numbers
//
// At a point that is r further back the same inertia is (A, G, C + [r] G + ([r] H)^T) with
// G = H - A [r], as l there is l - al x r and n there is n + r x f. [r] x = r x x.
//
// Sums are written so that a term is added to the old value: with fused multiply-add each is one
// instruction. Vectors are passed by value; inertias by pointer and changed in place, entry by
// entry, which compilers keep in registers, as they do not with copies of whole inertias.

#pragma once

#include "tree/tree.h"

#ifdef TREE_REAL
typedef TREE_REAL tree_real;
typedef struct tree_vec {
    tree_real x, y, z;
} tree_vec;

static inline tree_vec tree_plus(tree_vec a, tree_vec b)
{
    return (tree_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline tree_vec tree_times(tree_real s, tree_vec a)
{
    return (tree_vec){s * a.x, s * a.y, s * a.z};
}

static inline tree_vec tree_axpy(tree_real s, tree_vec a, tree_vec b) // s a + b
{
    return (tree_vec){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static inline tree_real tree_dot(tree_vec a, tree_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline tree_vec tree_cross(tree_vec a, tree_vec b)
{
    return (tree_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
#else
typedef double tree_real;
typedef tn_vec3 tree_vec;
#define tree_plus tn_v3_add
#define tree_times tn_v3_scale
#define tree_axpy tn_v3_axpy
#define tree_dot tn_v3_dot
#define tree_cross tn_v3_cross
#endif

static inline tree_vec tree_none(void)
{
    const tree_real zero = {0.0};
    return (tree_vec){zero, zero, zero};
}

typedef struct tree_sym {
    tree_real xx, yy, zz, xy, xz, yz;
} tree_sym;

typedef struct tree_mat {
    tree_real xx, xy, xz, yx, yy, yz, zx, zy, zz; // row, column
} tree_mat;

typedef struct tree_inertia {
    tree_sym A, C;
    tree_mat H;
} tree_inertia;

typedef struct tree_force {
    tree_vec f, n;
} tree_force;

static inline tree_vec tree_mix(tree_real a, tree_vec x, tree_real b, tree_vec y) // a x + b y
{
    return (tree_vec){a * x.x + b * y.x, a * x.y + b * y.y, a * x.z + b * y.z};
}

// c.x x + c.y y + c.z z: the vector with the components c along the axes x, y, z.
static inline tree_vec tree_along(tree_vec x, tree_vec y, tree_vec z, tree_vec c)
{
    return (tree_vec){c.x * x.x + c.y * y.x + c.z * z.x, c.x * x.y + c.y * y.y + c.z * z.y,
                      c.x * x.z + c.y * y.z + c.z * z.z};
}

static inline tree_vec tree_add_cross(tree_vec f, tree_vec a, tree_vec b) // f + a x b
{
    return (tree_vec){f.x + a.y * b.z - a.z * b.y, f.y + a.z * b.x - a.x * b.z,
                      f.z + a.x * b.y - a.y * b.x};
}

// w x (w x r) = (w . r) w - w^2 r
static inline tree_vec tree_centripetal(tree_vec w, tree_vec r)
{
    return tree_mix(tree_dot(w, r), w, -tree_dot(w, w), r);
}

static inline tree_vec tree_sym_apply(const tree_sym *A, tree_vec x)
{
    return (tree_vec){A->xx * x.x + A->xy * x.y + A->xz * x.z,
                      A->xy * x.x + A->yy * x.y + A->yz * x.z,
                      A->xz * x.x + A->yz * x.y + A->zz * x.z};
}

static inline tree_vec tree_sym_add(tree_vec f, const tree_sym *A, tree_vec x) // f + A x
{
    return (tree_vec){f.x + A->xx * x.x + A->xy * x.y + A->xz * x.z,
                      f.y + A->xy * x.x + A->yy * x.y + A->yz * x.z,
                      f.z + A->xz * x.x + A->yz * x.y + A->zz * x.z};
}

static inline tree_vec tree_mat_apply(const tree_mat *H, tree_vec x)
{
    return (tree_vec){H->xx * x.x + H->xy * x.y + H->xz * x.z,
                      H->yx * x.x + H->yy * x.y + H->yz * x.z,
                      H->zx * x.x + H->zy * x.y + H->zz * x.z};
}

static inline tree_vec tree_mat_add(tree_vec f, const tree_mat *H, tree_vec x) // f + H x
{
    return (tree_vec){f.x + H->xx * x.x + H->xy * x.y + H->xz * x.z,
                      f.y + H->yx * x.x + H->yy * x.y + H->yz * x.z,
                      f.z + H->zx * x.x + H->zy * x.y + H->zz * x.z};
}

static inline tree_vec tree_mat_apply_t(const tree_mat *H, tree_vec x) // H^T x
{
    return (tree_vec){H->xx * x.x + H->yx * x.y + H->zx * x.z,
                      H->xy * x.x + H->yy * x.y + H->zy * x.z,
                      H->xz * x.x + H->yz * x.y + H->zz * x.z};
}

static inline tree_vec tree_mat_add_t(tree_vec f, const tree_mat *H, tree_vec x) // f + H^T x
{
    return (tree_vec){f.x + H->xx * x.x + H->yx * x.y + H->zx * x.z,
                      f.y + H->xy * x.x + H->yy * x.y + H->zy * x.z,
                      f.z + H->xz * x.x + H->yz * x.y + H->zz * x.z};
}

static inline void tree_sym_sum(tree_sym *a, const tree_sym *b) // a + b
{
    a->xx += b->xx;
    a->yy += b->yy;
    a->zz += b->zz;
    a->xy += b->xy;
    a->xz += b->xz;
    a->yz += b->yz;
}

// A - w u^T, where w is a multiple of u
static inline void tree_sym_less(tree_sym *A, tree_vec w, tree_vec u)
{
    A->xx -= w.x * u.x;
    A->yy -= w.y * u.y;
    A->zz -= w.z * u.z;
    A->xy -= w.x * u.y;
    A->xz -= w.x * u.z;
    A->yz -= w.y * u.z;
}

static inline void tree_mat_less(tree_mat *H, tree_vec u, tree_vec w) // H - u w^T
{
    H->xx -= u.x * w.x;
    H->xy -= u.x * w.y;
    H->xz -= u.x * w.z;
    H->yx -= u.y * w.x;
    H->yy -= u.y * w.y;
    H->yz -= u.y * w.z;
    H->zx -= u.z * w.x;
    H->zy -= u.z * w.y;
    H->zz -= u.z * w.z;
}

static inline void tree_mat_sum(tree_mat *a, const tree_mat *b)
{
    a->xx += b->xx;
    a->xy += b->xy;
    a->xz += b->xz;
    a->yx += b->yx;
    a->yy += b->yy;
    a->yz += b->yz;
    a->zx += b->zx;
    a->zy += b->zy;
    a->zz += b->zz;
}

static inline void tree_inertia_sum(tree_inertia *a, const tree_inertia *b)
{
    tree_sym_sum(&a->A, &b->A);
    tree_sym_sum(&a->C, &b->C);
    tree_mat_sum(&a->H, &b->H);
}

static inline tree_force tree_force_sum(tree_force a, tree_force b)
{
    return (tree_force){tree_plus(a.f, b.f), tree_plus(a.n, b.n)};
}

// Adds the force that an inertia needs for the accelerations (l, al) to (f, n).
static inline tree_force tree_inertia_add(tree_force to, const tree_inertia *I, tree_vec l,
                                          tree_vec al)
{
    return (tree_force){tree_mat_add(tree_sym_add(to.f, &I->A, l), &I->H, al),
                        tree_sym_add(tree_mat_add_t(to.n, &I->H, l), &I->C, al)};
}

static inline tree_force tree_force_shift(tree_force at, tree_vec r)
{
    return (tree_force){at.f, tree_add_cross(at.n, r, at.f)};
}

// The same inertia about the point that is r further back.
static inline void tree_inertia_shift(tree_inertia *I, tree_vec r)
{
    const tree_sym *A = &I->A;
    tree_sym *C = &I->C;
    tree_mat *H = &I->H;
    C->xx = C->xx + r.y * H->zx - r.z * H->yx; // ([r] H)^T
    C->yy = C->yy + r.z * H->xy - r.x * H->zy;
    C->zz = C->zz + r.x * H->yz - r.y * H->xz;
    C->xy = C->xy + r.z * H->xx - r.x * H->zx;
    C->xz = C->xz + r.x * H->yx - r.y * H->xx;
    C->yz = C->yz + r.x * H->yy - r.y * H->xy;
    H->xx = H->xx - A->xy * r.z + A->xz * r.y; // G
    H->xy = H->xy - A->xz * r.x + A->xx * r.z;
    H->xz = H->xz - A->xx * r.y + A->xy * r.x;
    H->yx = H->yx - A->yy * r.z + A->yz * r.y;
    H->yy = H->yy - A->yz * r.x + A->xy * r.z;
    H->yz = H->yz - A->xy * r.y + A->yy * r.x;
    H->zx = H->zx - A->yz * r.z + A->zz * r.y;
    H->zy = H->zy - A->zz * r.x + A->xz * r.z;
    H->zz = H->zz - A->xz * r.y + A->yz * r.x;
    C->xx = C->xx + r.y * H->zx - r.z * H->yx; // [r] G
    C->yy = C->yy + r.z * H->xy - r.x * H->zy;
    C->zz = C->zz + r.x * H->yz - r.y * H->xz;
    C->xy = C->xy + r.y * H->zy - r.z * H->yy;
    C->xz = C->xz + r.y * H->zz - r.z * H->yz;
    C->yz = C->yz + r.z * H->xz - r.x * H->zz;
}

typedef struct tree_base { // frame A of the joint in the axes of the predecessor, from its origin
    tree_vec X, Y, Z, d;
} tree_base;

// The inertia about P in tree axes is lambda I + g g^T + k k^T with k = (0, ky, kz): lambda is the
// least principal moment, so that two vectors suffice.
typedef struct tree_mass {
    tree_real m;      // [kg]
    tree_vec mc;      // m times centre of mass [kg m]
    tree_real lambda; // [kg m^2]
    tree_vec g;
    tree_real ky, kz;
} tree_mass;

typedef struct tree_turn { // axes x and y, rate of turning
    tree_vec x, y, w;
} tree_turn;

typedef struct tree_link {
    tree_vec z, r, cl, ca;
} tree_link;

// The factors of M: with (uf; un) = I S and D = S^T I S of the condensed inertia I, wf = uf / D,
// ws = (un + r x uf) / D: about the reference point of the predecessor. In tree_massless.c these
// and those of columns are U (T, Z), and Di and the rows L are (T, Z).
typedef struct tree_pivot {
    tree_vec wf, ws;
    tree_real h, Di; // v' = h - wf . l_p - ws . al_p; 1/D
} tree_pivot;

typedef struct tree_accel {
    tree_vec l, al;
} tree_accel;

// A node propagates this to its predecessor, about the reference point of the latter.
typedef struct tree_carry {
    tree_inertia I;
    tree_force F;
} tree_carry;

// The inertia of a body in world axes: m, m c and the moments about its reference point.
typedef struct tree_rigid {
    tree_real m;
    tree_vec mc;
    tree_sym J;
} tree_rigid;

static inline tree_rigid tree_rigid_of(const tree_mass *mass, tree_vec x, tree_vec y, tree_vec z)
{
    const tree_vec g = tree_along(x, y, z, mass->g), h = tree_mix(mass->ky, y, mass->kz, z);
    return (tree_rigid){mass->m,
                        tree_along(x, y, z, mass->mc),
                        {mass->lambda + g.x * g.x + h.x * h.x, mass->lambda + g.y * g.y + h.y * h.y,
                         mass->lambda + g.z * g.z + h.z * h.z, g.x * g.y + h.x * h.y,
                         g.x * g.z + h.x * h.z, g.y * g.z + h.y * h.z}};
}

// f = m l + al x mc,   n = mc x l + J al
static inline tree_force tree_rigid_force(const tree_rigid *b, tree_vec l, tree_vec al)
{
    return (tree_force){tree_add_cross(tree_times(b->m, l), al, b->mc),
                        tree_add_cross(tree_sym_apply(&b->J, al), b->mc, l)};
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
    return (tree_carry){.F = {tree_none(), tree_none()}};
}

static inline void tree_carry_sum(tree_carry *a, const tree_carry *b)
{
    tree_inertia_sum(&a->I, &b->I);
    a->F = tree_force_sum(a->F, b->F);
}

// The acceleration of node k that its predecessor gives it, and with `bias` velocities.
static inline tree_accel tree_carried(const tree_link *link, tree_accel a, bool bias)
{
    a.l = tree_add_cross(a.l, a.al, link->r);
    if (bias) {
        a.l = tree_plus(a.l, link->cl);
        a.al = tree_plus(a.al, link->ca);
    }
    return a;
}

// The force that turning a body with w takes.
static inline void tree_turning_force(tree_force *F, const tree_rigid *b, tree_vec w)
{
    F->f = tree_axpy(-tree_dot(w, w), b->mc, tree_axpy(tree_dot(w, b->mc), w, F->f));
    F->n = tree_add_cross(F->n, w, tree_sym_apply(&b->J, w));
}

// Axes of a node, its rate of turning and its link, from those of the predecessor with its axis z.
static inline void tree_pose(tree_axis axis, const tree_base *at, const tree_turn *b, tree_vec bz,
                             tree_real sine, tree_real cosine, tree_real q, tree_real v,
                             tree_turn *turn, tree_link *link)
{
    const tree_vec X = tree_along(b->x, b->y, bz, at->X), Y = tree_along(b->x, b->y, bz, at->Y);
    const tree_vec z = tree_along(b->x, b->y, bz, at->Z), w = b->w;
    tree_vec r = tree_along(b->x, b->y, bz, at->d);
    const tree_vec e = axis == TREE_SLIDES_X ? X : z, moves = tree_times(v, e);
    const bool slides = axis == TREE_SLIDES_Z || axis == TREE_SLIDES_X;
    if (slides)
        r = tree_axpy(q, e, r);
    link->z = z;
    link->r = r;
    link->cl = tree_centripetal(w, r);
    if (slides)
        link->cl = tree_add_cross(link->cl, w, tree_plus(moves, moves));
    link->ca = axis == TREE_TURNS_Z ? tree_cross(w, moves) : tree_none();
    turn->x = axis == TREE_TURNS_Z ? tree_mix(cosine, X, sine, Y) : X;
    turn->y = axis == TREE_TURNS_Z ? tree_mix(-sine, X, cosine, Y) : Y;
    turn->w = axis == TREE_TURNS_Z ? tree_plus(w, moves) : w;
}

// Eliminates a joint with the axis z, about which tau acts: c goes over to the predecessor, unless
// that is the ground, the last of all. Returns D.
__attribute__((always_inline)) static inline tree_real tree_eliminate(const tree_link *link,
                                                                      tree_pivot *pivot, tree_vec z,
                                                                      bool slides, bool bias,
                                                                      bool last, tree_real tau,
                                                                      tree_carry *c)
{
    const tree_vec r = link->r;
    const tree_vec uf = slides ? tree_sym_apply(&c->I.A, z) : tree_mat_apply(&c->I.H, z);
    const tree_vec un = slides ? tree_mat_apply_t(&c->I.H, z) : tree_sym_apply(&c->I.C, z);
    const tree_real D = tree_dot(z, slides ? uf : un), Di = 1.0 / D;
    if (bias) {
        const tree_force F = tree_inertia_add(c->F, &c->I, link->cl, link->ca);
        const tree_real h = Di * (tau - tree_dot(z, slides ? F.f : F.n));
        c->F.f = tree_axpy(h, uf, F.f);
        c->F.n = tree_add_cross(tree_axpy(h, un, F.n), r, c->F.f);
        pivot->h = h;
    }
    const tree_vec us = tree_add_cross(un, r, uf);
    const tree_vec wf = tree_times(Di, uf), ws = tree_times(Di, us);
    pivot->wf = wf;
    pivot->ws = ws;
    pivot->Di = Di;
    if (last)
        return D;
    tree_inertia_shift(&c->I, r);
    tree_sym_less(&c->I.A, wf, uf);
    tree_mat_less(&c->I.H, uf, ws);
    tree_sym_less(&c->I.C, ws, us);
    return D; // computed last: nothing waits for it on the way
}

// Forward recursions: v' of a joint with one axis, and the acceleration a of its predecessor
// becomes that of its body.
static inline tree_real tree_unfold_axis(const tree_link *link, const tree_pivot *pivot, tree_vec z,
                                         bool slides, bool bias, tree_real h, tree_accel *a)
{
    const tree_real gain = h - (tree_dot(pivot->wf, a->l) + tree_dot(pivot->ws, a->al));
    a->l = tree_add_cross(bias ? tree_plus(a->l, link->cl) : a->l, a->al, link->r);
    a->al = bias ? tree_plus(a->al, link->ca) : a->al;
    if (slides)
        a->l = tree_axpy(gain, z, a->l);
    else
        a->al = tree_axpy(gain, z, a->al);
    return gain;
}
