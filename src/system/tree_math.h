// SPDX-License-Identifier: MIT
//
// Small values of the recursions over a tree, all inline. Accelerations (l, al) of a reference point
// and of the turning, forces (f, n) with the moment about that point, in world axes:
//
//   f = A l + H al,   n = H^T l + C al          A, C symmetric: 21 numbers
//
// At a point that is r further back the same inertia is (A, G, C + [r] G + ([r] H)^T) with
// G = H - A [r], as l there is l - al x r and n there is n + r x f. [r] x = r x x.
//
// Sums are written so that a term is added to what is there: with fused multiply-add each is one
// instruction.

#pragma once

#include "tenon/spatial.h"

typedef struct tree_sym {
    double xx, yy, zz, xy, xz, yz;
} tree_sym;

typedef struct tree_inertia {
    tree_sym A, C;
    tn_mat3 H;
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

static inline tn_vec3 tree_sym_apply(tree_sym A, tn_vec3 x)
{
    return (tn_vec3){A.xx * x.x + A.xy * x.y + A.xz * x.z, A.xy * x.x + A.yy * x.y + A.yz * x.z,
                     A.xz * x.x + A.yz * x.y + A.zz * x.z};
}

static inline tn_vec3 tree_sym_add(tn_vec3 f, tree_sym A, tn_vec3 x) // f + A x
{
    return (tn_vec3){f.x + A.xx * x.x + A.xy * x.y + A.xz * x.z,
                     f.y + A.xy * x.x + A.yy * x.y + A.yz * x.z,
                     f.z + A.xz * x.x + A.yz * x.y + A.zz * x.z};
}

static inline tn_vec3 tree_mat_add(tn_vec3 f, tn_mat3 H, tn_vec3 x) // f + H x
{
    return (tn_vec3){f.x + H.m[0][0] * x.x + H.m[0][1] * x.y + H.m[0][2] * x.z,
                     f.y + H.m[1][0] * x.x + H.m[1][1] * x.y + H.m[1][2] * x.z,
                     f.z + H.m[2][0] * x.x + H.m[2][1] * x.y + H.m[2][2] * x.z};
}

static inline tn_vec3 tree_mat_add_t(tn_vec3 f, tn_mat3 H, tn_vec3 x) // f + H^T x
{
    return (tn_vec3){f.x + H.m[0][0] * x.x + H.m[1][0] * x.y + H.m[2][0] * x.z,
                     f.y + H.m[0][1] * x.x + H.m[1][1] * x.y + H.m[2][1] * x.z,
                     f.z + H.m[0][2] * x.x + H.m[1][2] * x.y + H.m[2][2] * x.z};
}

static inline tree_sym tree_sym_sum(tree_sym a, tree_sym b)
{
    return (tree_sym){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

// A - w u^T, where w is a multiple of u
static inline tree_sym tree_sym_less(tree_sym A, tn_vec3 w, tn_vec3 u)
{
    return (tree_sym){A.xx - w.x * u.x, A.yy - w.y * u.y, A.zz - w.z * u.z,
                      A.xy - w.x * u.y, A.xz - w.x * u.z, A.yz - w.y * u.z};
}

static inline tn_mat3 tree_mat_less(tn_mat3 H, tn_vec3 u, tn_vec3 w) // H - u w^T
{
    return (tn_mat3){{{H.m[0][0] - u.x * w.x, H.m[0][1] - u.x * w.y, H.m[0][2] - u.x * w.z},
                      {H.m[1][0] - u.y * w.x, H.m[1][1] - u.y * w.y, H.m[1][2] - u.y * w.z},
                      {H.m[2][0] - u.z * w.x, H.m[2][1] - u.z * w.y, H.m[2][2] - u.z * w.z}}};
}

static inline tree_inertia tree_inertia_sum(tree_inertia a, tree_inertia b)
{
    tree_inertia sum = {tree_sym_sum(a.A, b.A), tree_sym_sum(a.C, b.C), a.H};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum.H.m[i][j] += b.H.m[i][j];
    return sum;
}

static inline tree_force tree_force_sum(tree_force a, tree_force b)
{
    return (tree_force){tn_v3_add(a.f, b.f), tn_v3_add(a.n, b.n)};
}

// What an inertia asks for to have the accelerations (l, al), added to (f, n).
static inline tree_force tree_inertia_add(tree_force to, const tree_inertia *I, tn_vec3 l,
                                          tn_vec3 al)
{
    return (tree_force){tree_mat_add(tree_sym_add(to.f, I->A, l), I->H, al),
                        tree_sym_add(tree_mat_add_t(to.n, I->H, l), I->C, al)};
}

static inline tree_force tree_force_shift(tree_force at, tn_vec3 r)
{
    return (tree_force){at.f, tree_add_cross(at.n, r, at.f)};
}

// G = H - A [r]
static inline tn_mat3 tree_shift_coupling(const tree_sym A, tn_mat3 H, tn_vec3 r)
{
    return (tn_mat3){{{H.m[0][0] - A.xy * r.z + A.xz * r.y, H.m[0][1] - A.xz * r.x + A.xx * r.z,
                       H.m[0][2] - A.xx * r.y + A.xy * r.x},
                      {H.m[1][0] - A.yy * r.z + A.yz * r.y, H.m[1][1] - A.yz * r.x + A.xy * r.z,
                       H.m[1][2] - A.xy * r.y + A.yy * r.x},
                      {H.m[2][0] - A.yz * r.z + A.zz * r.y, H.m[2][1] - A.zz * r.x + A.xz * r.z,
                       H.m[2][2] - A.xz * r.y + A.yz * r.x}}};
}

// The same inertia about the point that is r further back.
static inline tree_inertia tree_inertia_shift(tree_inertia I, tn_vec3 r)
{
    const tn_mat3 H = I.H, G = tree_shift_coupling(I.A, H, r);
    const tree_sym C = I.C;
    I.H = G;
    I.C.xx = C.xx + r.y * H.m[2][0] - r.z * H.m[1][0] + r.y * G.m[2][0] - r.z * G.m[1][0];
    I.C.yy = C.yy + r.z * H.m[0][1] - r.x * H.m[2][1] + r.z * G.m[0][1] - r.x * G.m[2][1];
    I.C.zz = C.zz + r.x * H.m[1][2] - r.y * H.m[0][2] + r.x * G.m[1][2] - r.y * G.m[0][2];
    I.C.xy = C.xy + r.z * H.m[0][0] - r.x * H.m[2][0] + r.y * G.m[2][1] - r.z * G.m[1][1];
    I.C.xz = C.xz + r.x * H.m[1][0] - r.y * H.m[0][0] + r.y * G.m[2][2] - r.z * G.m[1][2];
    I.C.yz = C.yz + r.x * H.m[1][1] - r.y * H.m[0][1] + r.z * G.m[0][2] - r.x * G.m[2][2];
    return I;
}
