// SPDX-License-Identifier: MIT
//
// Small values of the recursions over a tree, all inline. Accelerations (l, al) of a reference
// point and of the turning, forces (f, n) with the moment about that point, in world axes:
//
//   f = A l + H al,   n = H^T l + C al          A, C symmetric: 21 numbers
//
// At a point that is r further back the same inertia is (A, G, C + [r] G + ([r] H)^T) with
// G = H - A [r], as l there is l - al x r and n there is n + r x f. [r] x = r x x.
//
// Sums are written so that a term is added to what is there: with fused multiply-add each is one
// instruction. Vectors are passed by value; inertias by pointer and changed in place, entry by
// entry, which compilers keep in registers, as they do not with copies of whole inertias.

#pragma once

#include "tenon/spatial.h"

typedef struct tree_sym {
    double xx, yy, zz, xy, xz, yz;
} tree_sym;

typedef struct tree_mat {
    double xx, xy, xz, yx, yy, yz, zx, zy, zz; // row, column
} tree_mat;

typedef struct tree_inertia {
    tree_sym A, C;
    tree_mat H;
} tree_inertia;

typedef struct tree_force {
    tn_vec3 f, n;
} tree_force;

static inline tn_vec3 tree_mix(double a, tn_vec3 x, double b, tn_vec3 y) // a x + b y
{
    return (tn_vec3){a * x.x + b * y.x, a * x.y + b * y.y, a * x.z + b * y.z};
}

// c.x x + c.y y + c.z z: the vector with the components c along the axes x, y, z.
static inline tn_vec3 tree_along(tn_vec3 x, tn_vec3 y, tn_vec3 z, tn_vec3 c)
{
    return (tn_vec3){c.x * x.x + c.y * y.x + c.z * z.x, c.x * x.y + c.y * y.y + c.z * z.y,
                     c.x * x.z + c.y * y.z + c.z * z.z};
}

static inline tn_vec3 tree_add_cross(tn_vec3 f, tn_vec3 a, tn_vec3 b) // f + a x b
{
    return (tn_vec3){f.x + a.y * b.z - a.z * b.y, f.y + a.z * b.x - a.x * b.z,
                     f.z + a.x * b.y - a.y * b.x};
}

// w x (w x r) = (w . r) w - w^2 r
static inline tn_vec3 tree_centripetal(tn_vec3 w, tn_vec3 r)
{
    return tree_mix(tn_v3_dot(w, r), w, -tn_v3_dot(w, w), r);
}

static inline tn_vec3 tree_sym_apply(const tree_sym *A, tn_vec3 x)
{
    return (tn_vec3){A->xx * x.x + A->xy * x.y + A->xz * x.z,
                     A->xy * x.x + A->yy * x.y + A->yz * x.z,
                     A->xz * x.x + A->yz * x.y + A->zz * x.z};
}

static inline tn_vec3 tree_sym_add(tn_vec3 f, const tree_sym *A, tn_vec3 x) // f + A x
{
    return (tn_vec3){f.x + A->xx * x.x + A->xy * x.y + A->xz * x.z,
                     f.y + A->xy * x.x + A->yy * x.y + A->yz * x.z,
                     f.z + A->xz * x.x + A->yz * x.y + A->zz * x.z};
}

static inline tn_vec3 tree_mat_apply(const tree_mat *H, tn_vec3 x)
{
    return (tn_vec3){H->xx * x.x + H->xy * x.y + H->xz * x.z,
                     H->yx * x.x + H->yy * x.y + H->yz * x.z,
                     H->zx * x.x + H->zy * x.y + H->zz * x.z};
}

static inline tn_vec3 tree_mat_add(tn_vec3 f, const tree_mat *H, tn_vec3 x) // f + H x
{
    return (tn_vec3){f.x + H->xx * x.x + H->xy * x.y + H->xz * x.z,
                     f.y + H->yx * x.x + H->yy * x.y + H->yz * x.z,
                     f.z + H->zx * x.x + H->zy * x.y + H->zz * x.z};
}

static inline tn_vec3 tree_mat_apply_t(const tree_mat *H, tn_vec3 x) // H^T x
{
    return (tn_vec3){H->xx * x.x + H->yx * x.y + H->zx * x.z,
                     H->xy * x.x + H->yy * x.y + H->zy * x.z,
                     H->xz * x.x + H->yz * x.y + H->zz * x.z};
}

static inline tn_vec3 tree_mat_add_t(tn_vec3 f, const tree_mat *H, tn_vec3 x) // f + H^T x
{
    return (tn_vec3){f.x + H->xx * x.x + H->yx * x.y + H->zx * x.z,
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
static inline void tree_sym_less(tree_sym *A, tn_vec3 w, tn_vec3 u)
{
    A->xx -= w.x * u.x;
    A->yy -= w.y * u.y;
    A->zz -= w.z * u.z;
    A->xy -= w.x * u.y;
    A->xz -= w.x * u.z;
    A->yz -= w.y * u.z;
}

static inline void tree_mat_less(tree_mat *H, tn_vec3 u, tn_vec3 w) // H - u w^T
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

static inline tree_force tree_force_sum(tree_force a, tree_force b)
{
    return (tree_force){tn_v3_add(a.f, b.f), tn_v3_add(a.n, b.n)};
}

// What an inertia asks for to have the accelerations (l, al), added to (f, n).
static inline tree_force tree_inertia_add(tree_force to, const tree_inertia *I, tn_vec3 l,
                                          tn_vec3 al)
{
    return (tree_force){tree_mat_add(tree_sym_add(to.f, &I->A, l), &I->H, al),
                        tree_sym_add(tree_mat_add_t(to.n, &I->H, l), &I->C, al)};
}

static inline tree_force tree_force_shift(tree_force at, tn_vec3 r)
{
    return (tree_force){at.f, tree_add_cross(at.n, r, at.f)};
}

// The same inertia about the point that is r further back.
static inline void tree_inertia_shift(tree_inertia *I, tn_vec3 r)
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
