// SPDX-License-Identifier: MIT
//
// The yardstick: forward dynamics of bodies on revolute joints and nothing else, written out by hand
// for one chain, and for a tree of any shape. The same equations in the same axes as src/system/
// tree_dynamics.c (world axes about joint origins), but no other joints, no loads, no positions or
// velocities to read, no check for singular inertia, and plain arrays of this one kind.

#pragma once

#include "base/sincos.h"

#include <stdlib.h>

typedef struct vec {
    double x, y, z;
} vec;

typedef struct kernel_body {
    vec X, Y, Z, d; // axes and origin of the joint in the predecessor
    double m, lambda, ky, kz;
    vec mc, g; // inertia about the joint: lambda + g g^T + k k^T, k = (0, ky, kz)
} kernel_body;

typedef struct kernel_work {
    vec x, y, z, w, r, cl, ca, wf, ws;
    double h;
} kernel_work;

typedef struct kernel_sum { // what a body hands to its predecessor
    double Axx, Ayy, Azz, Axy, Axz, Ayz, H[9], Cxx, Cyy, Czz, Cxy, Cxz, Cyz;
    vec f, n;
} kernel_sum;

typedef struct kernel {
    int n;
    kernel_body *body;
    kernel_work *work;
    kernel_sum *sum;  // trees only
    vec *l, *al;      // trees only
    const int *below; // trees only: index of the predecessor, -1 for the ground
    double *sine, *cosine;
} kernel;

static inline vec along(vec x, vec y, vec z, vec c)
{
    return (vec){c.x * x.x + c.y * y.x + c.z * z.x, c.x * x.y + c.y * y.y + c.z * z.y,
                 c.x * x.z + c.y * y.z + c.z * z.z};
}

static inline vec plus(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec times(double s, vec a)
{
    return (vec){s * a.x, s * a.y, s * a.z};
}

static inline vec plus_times(vec f, double s, vec a)
{
    return (vec){f.x + s * a.x, f.y + s * a.y, f.z + s * a.z};
}

static inline double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec plus_cross(vec f, vec a, vec b)
{
    return (vec){f.x + a.y * b.z - a.z * b.y, f.y + a.z * b.x - a.x * b.z,
                 f.z + a.x * b.y - a.y * b.x};
}

static inline void kernel_place(const kernel_body *b, kernel_work *k, vec x, vec y, vec z, vec w,
                                double s, double c, double rate)
{
    const vec X = along(x, y, z, b->X), Y = along(x, y, z, b->Y);
    k->z = along(x, y, z, b->Z);
    k->r = along(x, y, z, b->d);
    const vec spin = times(rate, k->z), none = {0, 0, 0};
    k->x = (vec){c * X.x + s * Y.x, c * X.y + s * Y.y, c * X.z + s * Y.z};
    k->y = (vec){c * Y.x - s * X.x, c * Y.y - s * X.y, c * Y.z - s * X.z};
    k->w = plus(w, spin);
    k->cl = plus_times(times(dot(w, k->r), w), -dot(w, w), k->r);
    k->ca = plus_cross(none, w, spin);
}

static inline kernel_sum kernel_condense(const kernel_body *b, kernel_work *k, kernel_sum t)
{
    const vec x = k->x, y = k->y, z = k->z, w = k->w, r = k->r, cl = k->cl, ca = k->ca;
    const vec c = along(x, y, z, b->mc), g = along(x, y, z, b->g);
    const vec e = {b->ky * y.x + b->kz * z.x, b->ky * y.y + b->kz * z.y, b->ky * y.z + b->kz * z.z};
    const double Jxx = b->lambda + g.x * g.x + e.x * e.x, Jyy = b->lambda + g.y * g.y + e.y * e.y,
                 Jzz = b->lambda + g.z * g.z + e.z * e.z, Jxy = g.x * g.y + e.x * e.y,
                 Jxz = g.x * g.z + e.x * e.z, Jyz = g.y * g.z + e.y * e.z;
    t.Axx += b->m, t.Ayy += b->m, t.Azz += b->m;
    t.H[1] += c.z, t.H[2] -= c.y, t.H[3] -= c.z, t.H[5] += c.x, t.H[6] += c.y, t.H[7] -= c.x;
    t.Cxx += Jxx, t.Cyy += Jyy, t.Czz += Jzz, t.Cxy += Jxy, t.Cxz += Jxz, t.Cyz += Jyz;
    t.f = plus_times(plus_times(t.f, dot(w, c), w), -dot(w, w), c);
    t.n = plus_cross(t.n, w,
                     (vec){Jxx * w.x + Jxy * w.y + Jxz * w.z, Jxy * w.x + Jyy * w.y + Jyz * w.z,
                           Jxz * w.x + Jyz * w.y + Jzz * w.z});

    const double *H = t.H;
    const vec uf = {H[0] * z.x + H[1] * z.y + H[2] * z.z, H[3] * z.x + H[4] * z.y + H[5] * z.z,
                    H[6] * z.x + H[7] * z.y + H[8] * z.z};
    const vec un = {t.Cxx * z.x + t.Cxy * z.y + t.Cxz * z.z,
                    t.Cxy * z.x + t.Cyy * z.y + t.Cyz * z.z,
                    t.Cxz * z.x + t.Cyz * z.y + t.Czz * z.z};
    const double Di = 1.0 / dot(z, un);
    vec f = t.f, n = t.n;
    f.x += t.Axx * cl.x + t.Axy * cl.y + t.Axz * cl.z;
    f.y += t.Axy * cl.x + t.Ayy * cl.y + t.Ayz * cl.z;
    f.z += t.Axz * cl.x + t.Ayz * cl.y + t.Azz * cl.z;
    f.x += H[0] * ca.x + H[1] * ca.y + H[2] * ca.z;
    f.y += H[3] * ca.x + H[4] * ca.y + H[5] * ca.z;
    f.z += H[6] * ca.x + H[7] * ca.y + H[8] * ca.z;
    n.x += H[0] * cl.x + H[3] * cl.y + H[6] * cl.z;
    n.y += H[1] * cl.x + H[4] * cl.y + H[7] * cl.z;
    n.z += H[2] * cl.x + H[5] * cl.y + H[8] * cl.z;
    n.x += t.Cxx * ca.x + t.Cxy * ca.y + t.Cxz * ca.z;
    n.y += t.Cxy * ca.x + t.Cyy * ca.y + t.Cyz * ca.z;
    n.z += t.Cxz * ca.x + t.Cyz * ca.y + t.Czz * ca.z;
    k->h = -Di * dot(z, n);
    f = plus_times(f, k->h, uf);
    n = plus_cross(plus_times(n, k->h, un), r, f);

    const vec us = plus_cross(un, r, uf);
    const vec wf = times(Di, uf), ws = times(Di, us);
    k->wf = wf;
    k->ws = ws;
    kernel_sum o;
    double *G = o.H;
    G[0] = H[0] - t.Axy * r.z + t.Axz * r.y;
    G[1] = H[1] - t.Axz * r.x + t.Axx * r.z;
    G[2] = H[2] - t.Axx * r.y + t.Axy * r.x;
    G[3] = H[3] - t.Ayy * r.z + t.Ayz * r.y;
    G[4] = H[4] - t.Ayz * r.x + t.Axy * r.z;
    G[5] = H[5] - t.Axy * r.y + t.Ayy * r.x;
    G[6] = H[6] - t.Ayz * r.z + t.Azz * r.y;
    G[7] = H[7] - t.Azz * r.x + t.Axz * r.z;
    G[8] = H[8] - t.Axz * r.y + t.Ayz * r.x;
    o.Cxx = t.Cxx + r.y * H[6] - r.z * H[3] + r.y * G[6] - r.z * G[3] - ws.x * us.x;
    o.Cyy = t.Cyy + r.z * H[1] - r.x * H[7] + r.z * G[1] - r.x * G[7] - ws.y * us.y;
    o.Czz = t.Czz + r.x * H[5] - r.y * H[2] + r.x * G[5] - r.y * G[2] - ws.z * us.z;
    o.Cxy = t.Cxy + r.z * H[0] - r.x * H[6] + r.y * G[7] - r.z * G[4] - ws.x * us.y;
    o.Cxz = t.Cxz + r.x * H[3] - r.y * H[0] + r.y * G[8] - r.z * G[5] - ws.x * us.z;
    o.Cyz = t.Cyz + r.x * H[4] - r.y * H[1] + r.z * G[2] - r.x * G[8] - ws.y * us.z;
    o.Axx = t.Axx - wf.x * uf.x, o.Ayy = t.Ayy - wf.y * uf.y, o.Azz = t.Azz - wf.z * uf.z;
    o.Axy = t.Axy - wf.x * uf.y, o.Axz = t.Axz - wf.x * uf.z, o.Ayz = t.Ayz - wf.y * uf.z;
    G[0] -= uf.x * ws.x, G[1] -= uf.x * ws.y, G[2] -= uf.x * ws.z;
    G[3] -= uf.y * ws.x, G[4] -= uf.y * ws.y, G[5] -= uf.y * ws.z;
    G[6] -= uf.z * ws.x, G[7] -= uf.z * ws.y, G[8] -= uf.z * ws.z;
    o.f = f;
    o.n = n;
    return o;
}

static inline double kernel_unfold(const kernel_work *k, vec *l, vec *al)
{
    const double a = k->h - (dot(k->wf, *l) + dot(k->ws, *al));
    *l = plus_cross(plus(*l, k->cl), *al, k->r);
    *al = plus_times(plus(*al, k->ca), a, k->z);
    return a;
}

// Accelerations of a chain; `up` is minus gravity.
static void kernel_chain(kernel *s, vec up, const double *q, const double *v, double *a)
{
    vec x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, w = {0, 0, 0}, l = up, al = {0, 0, 0};
    tn_sincos(s->n, q, s->sine, s->cosine);
    for (int i = 0; i < s->n; i++) {
        kernel_work *k = &s->work[i];
        kernel_place(&s->body[i], k, x, y, z, w, s->sine[i], s->cosine[i], v[i]);
        x = k->x, y = k->y, z = k->z, w = k->w;
    }
    kernel_sum t = {.Axx = 0.0};
    for (int i = s->n - 1; i >= 0; i--)
        t = kernel_condense(&s->body[i], &s->work[i], t);
    for (int i = 0; i < s->n; i++)
        a[i] = kernel_unfold(&s->work[i], &l, &al);
}

static inline void kernel_add(kernel_sum *a, const kernel_sum *b)
{
    double *x = (double *)a;
    const double *y = (const double *)b;
    for (size_t i = 0; i < sizeof *a / sizeof *x; i++)
        x[i] += y[i];
}

// The same for a tree whose predecessors come first.
static void kernel_tree(kernel *s, vec up, const double *q, const double *v, double *a)
{
    const kernel_sum zero = {.Axx = 0.0};
    tn_sincos(s->n, q, s->sine, s->cosine);
    for (int i = 0; i < s->n; i++) {
        const kernel_work ground = {.x = {1, 0, 0}, .y = {0, 1, 0}, .z = {0, 0, 1}};
        const kernel_work *b = s->below[i] < 0 ? &ground : &s->work[s->below[i]];
        kernel_place(&s->body[i], &s->work[i], b->x, b->y, b->z, b->w, s->sine[i], s->cosine[i],
                     v[i]);
        s->sum[i] = zero;
    }
    for (int i = s->n - 1; i >= 0; i--) {
        const kernel_sum t = kernel_condense(&s->body[i], &s->work[i], s->sum[i]);
        if (s->below[i] >= 0)
            kernel_add(&s->sum[s->below[i]], &t);
    }
    for (int i = 0; i < s->n; i++) {
        const int b = s->below[i];
        s->l[i] = b < 0 ? up : s->l[b];
        s->al[i] = b < 0 ? (vec){0, 0, 0} : s->al[b];
        a[i] = kernel_unfold(&s->work[i], &s->l[i], &s->al[i]);
    }
}
