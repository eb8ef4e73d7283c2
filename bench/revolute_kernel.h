// SPDX-License-Identifier: MIT
//
// The yardstick: forward dynamics of bodies on revolute joints and nothing else, written out by
// hand for one chain, for a tree of any shape, and for a chain in the plane. The same equations in
// the same axes as src/tree/tree_dynamics.c (world axes about joint origins), but no other
// joints, no loads, no positions or velocities to read, no check for singular inertia, and plain
// arrays of this one kind.

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
    double Axx, Ayy, Azz, Axy, Axz, Ayz, Cxx, Cyy, Czz, Cxy, Cxz, Cyz;
    double Hxx, Hxy, Hxz, Hyx, Hyy, Hyz, Hzx, Hzy, Hzz;
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

static inline void kernel_condense(const kernel_body *b, kernel_work *k, kernel_sum *t)
{
    const vec x = k->x, y = k->y, z = k->z, w = k->w, r = k->r, cl = k->cl, ca = k->ca;
    const vec c = along(x, y, z, b->mc), g = along(x, y, z, b->g);
    const vec e = {b->ky * y.x + b->kz * z.x, b->ky * y.y + b->kz * z.y, b->ky * y.z + b->kz * z.z};
    const double Jxx = b->lambda + g.x * g.x + e.x * e.x, Jyy = b->lambda + g.y * g.y + e.y * e.y,
                 Jzz = b->lambda + g.z * g.z + e.z * e.z, Jxy = g.x * g.y + e.x * e.y,
                 Jxz = g.x * g.z + e.x * e.z, Jyz = g.y * g.z + e.y * e.z;
    t->Axx += b->m, t->Ayy += b->m, t->Azz += b->m;
    t->Hxy += c.z, t->Hxz -= c.y, t->Hyx -= c.z, t->Hyz += c.x, t->Hzx += c.y, t->Hzy -= c.x;
    t->Cxx += Jxx, t->Cyy += Jyy, t->Czz += Jzz, t->Cxy += Jxy, t->Cxz += Jxz, t->Cyz += Jyz;
    vec f = plus_times(plus_times(t->f, dot(w, c), w), -dot(w, w), c);
    vec n = plus_cross(t->n, w,
                       (vec){Jxx * w.x + Jxy * w.y + Jxz * w.z, Jxy * w.x + Jyy * w.y + Jyz * w.z,
                             Jxz * w.x + Jyz * w.y + Jzz * w.z});

    const vec uf = {t->Hxx * z.x + t->Hxy * z.y + t->Hxz * z.z,
                    t->Hyx * z.x + t->Hyy * z.y + t->Hyz * z.z,
                    t->Hzx * z.x + t->Hzy * z.y + t->Hzz * z.z};
    const vec un = {t->Cxx * z.x + t->Cxy * z.y + t->Cxz * z.z,
                    t->Cxy * z.x + t->Cyy * z.y + t->Cyz * z.z,
                    t->Cxz * z.x + t->Cyz * z.y + t->Czz * z.z};
    const double Di = 1.0 / dot(z, un);
    f.x = f.x + t->Axx * cl.x + t->Axy * cl.y + t->Axz * cl.z;
    f.y = f.y + t->Axy * cl.x + t->Ayy * cl.y + t->Ayz * cl.z;
    f.z = f.z + t->Axz * cl.x + t->Ayz * cl.y + t->Azz * cl.z;
    f.x = f.x + t->Hxx * ca.x + t->Hxy * ca.y + t->Hxz * ca.z;
    f.y = f.y + t->Hyx * ca.x + t->Hyy * ca.y + t->Hyz * ca.z;
    f.z = f.z + t->Hzx * ca.x + t->Hzy * ca.y + t->Hzz * ca.z;
    n.x = n.x + t->Hxx * cl.x + t->Hyx * cl.y + t->Hzx * cl.z;
    n.y = n.y + t->Hxy * cl.x + t->Hyy * cl.y + t->Hzy * cl.z;
    n.z = n.z + t->Hxz * cl.x + t->Hyz * cl.y + t->Hzz * cl.z;
    n.x = n.x + t->Cxx * ca.x + t->Cxy * ca.y + t->Cxz * ca.z;
    n.y = n.y + t->Cxy * ca.x + t->Cyy * ca.y + t->Cyz * ca.z;
    n.z = n.z + t->Cxz * ca.x + t->Cyz * ca.y + t->Czz * ca.z;
    k->h = -Di * dot(z, n);
    t->f = plus_times(f, k->h, uf);
    t->n = plus_cross(plus_times(n, k->h, un), r, t->f);

    const vec us = plus_cross(un, r, uf);
    const vec wf = times(Di, uf), ws = times(Di, us);
    k->wf = wf;
    k->ws = ws;
    t->Cxx = t->Cxx + r.y * t->Hzx - r.z * t->Hyx;
    t->Cyy = t->Cyy + r.z * t->Hxy - r.x * t->Hzy;
    t->Czz = t->Czz + r.x * t->Hyz - r.y * t->Hxz;
    t->Cxy = t->Cxy + r.z * t->Hxx - r.x * t->Hzx;
    t->Cxz = t->Cxz + r.x * t->Hyx - r.y * t->Hxx;
    t->Cyz = t->Cyz + r.x * t->Hyy - r.y * t->Hxy;
    t->Hxx = t->Hxx - t->Axy * r.z + t->Axz * r.y;
    t->Hxy = t->Hxy - t->Axz * r.x + t->Axx * r.z;
    t->Hxz = t->Hxz - t->Axx * r.y + t->Axy * r.x;
    t->Hyx = t->Hyx - t->Ayy * r.z + t->Ayz * r.y;
    t->Hyy = t->Hyy - t->Ayz * r.x + t->Axy * r.z;
    t->Hyz = t->Hyz - t->Axy * r.y + t->Ayy * r.x;
    t->Hzx = t->Hzx - t->Ayz * r.z + t->Azz * r.y;
    t->Hzy = t->Hzy - t->Azz * r.x + t->Axz * r.z;
    t->Hzz = t->Hzz - t->Axz * r.y + t->Ayz * r.x;
    t->Cxx = t->Cxx + r.y * t->Hzx - r.z * t->Hyx - ws.x * us.x;
    t->Cyy = t->Cyy + r.z * t->Hxy - r.x * t->Hzy - ws.y * us.y;
    t->Czz = t->Czz + r.x * t->Hyz - r.y * t->Hxz - ws.z * us.z;
    t->Cxy = t->Cxy + r.y * t->Hzy - r.z * t->Hyy - ws.x * us.y;
    t->Cxz = t->Cxz + r.y * t->Hzz - r.z * t->Hyz - ws.x * us.z;
    t->Cyz = t->Cyz + r.z * t->Hxz - r.x * t->Hzz - ws.y * us.z;
    t->Axx -= wf.x * uf.x, t->Ayy -= wf.y * uf.y, t->Azz -= wf.z * uf.z;
    t->Axy -= wf.x * uf.y, t->Axz -= wf.x * uf.z, t->Ayz -= wf.y * uf.z;
    t->Hxx -= uf.x * ws.x, t->Hxy -= uf.x * ws.y, t->Hxz -= uf.x * ws.z;
    t->Hyx -= uf.y * ws.x, t->Hyy -= uf.y * ws.y, t->Hyz -= uf.y * ws.z;
    t->Hzx -= uf.z * ws.x, t->Hzy -= uf.z * ws.y, t->Hzz -= uf.z * ws.z;
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
        kernel_condense(&s->body[i], &s->work[i], &t);
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
        kernel_condense(&s->body[i], &s->work[i], &s->sum[i]);
        if (s->below[i] >= 0)
            kernel_add(&s->sum[s->below[i]], &s->sum[i]);
    }
    for (int i = 0; i < s->n; i++) {
        const int b = s->below[i];
        s->l[i] = b < 0 ? up : s->l[b];
        s->al[i] = b < 0 ? (vec){0, 0, 0} : s->al[b];
        a[i] = kernel_unfold(&s->work[i], &s->l[i], &s->al[i]);
    }
}

// A chain in the plane. Its angles are those of the joints, so the axes are carried along.
static void kernel_plane(kernel *s, vec up, const double *q, const double *v, double *a)
{
    double cx = 1.0, sx = 0.0, w = 0.0; // axis x of the predecessor
    tn_sincos(s->n, q, s->sine, s->cosine);
    for (int i = 0; i < s->n; i++) {
        const kernel_body *b = &s->body[i];
        kernel_work *k = &s->work[i];
        const double X = b->X.x * cx - b->X.y * sx, Y = b->X.x * sx + b->X.y * cx;
        k->r.x = b->d.x * cx - b->d.y * sx;
        k->r.y = b->d.x * sx + b->d.y * cx;
        k->cl.x = -w * w * k->r.x;
        k->cl.y = -w * w * k->r.y;
        cx = s->cosine[i] * X - s->sine[i] * Y;
        sx = s->cosine[i] * Y + s->sine[i] * X;
        w += v[i];
        k->x.x = cx;
        k->x.y = sx;
        k->w.z = w;
    }
    double Axx = 0.0, Ayy = 0.0, Axy = 0.0, hx = 0.0, hy = 0.0, C = 0.0, fx = 0.0, fy = 0.0,
           n = 0.0;
    for (int i = s->n - 1; i >= 0; i--) {
        const kernel_body *b = &s->body[i];
        kernel_work *k = &s->work[i];
        const double mx = b->mc.x * k->x.x - b->mc.y * k->x.y;
        const double my = b->mc.x * k->x.y + b->mc.y * k->x.x;
        const double ww = k->w.z * k->w.z, rx = k->r.x, ry = k->r.y;
        Axx += b->m, Ayy += b->m, hx -= my, hy += mx, C += b->lambda;
        fx -= ww * mx, fy -= ww * my;
        const double Di = 1.0 / C, wx = Di * hx, wy = Di * hy;
        k->h = -Di * (n + hx * k->cl.x + hy * k->cl.y);
        fx = fx + Axx * k->cl.x + Axy * k->cl.y + k->h * hx;
        fy = fy + Axy * k->cl.x + Ayy * k->cl.y + k->h * hy;
        n = rx * fy - ry * fx;
        Axx -= wx * hx, Ayy -= wy * hy, Axy -= wx * hy;
        hx = Axy * rx - Axx * ry;
        hy = Ayy * rx - Axy * ry;
        C = rx * hy - ry * hx;
        k->wf.x = wx;
        k->wf.y = wy;
        k->ws.z = 1.0 + rx * wy - ry * wx;
    }
    double lx = up.x, ly = up.y, al = 0.0;
    for (int i = 0; i < s->n; i++) {
        const kernel_work *k = &s->work[i];
        a[i] = k->h - k->wf.x * lx - k->wf.y * ly - k->ws.z * al;
        lx += k->cl.x - al * k->r.y;
        ly += k->cl.y + al * k->r.x;
        al += a[i];
    }
}
