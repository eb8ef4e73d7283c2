// SPDX-License-Identifier: MIT
//
// The recursions of tree_space.h for bodies of the plane on joints with one axis, over the same
// scalar types and records, of which they leave alone what does not change in the plane (z of
// vectors, zeros): accelerations (l_x, l_y, al), forces (f_x, f_y, n), and the inertia
//
//   f = A l + h al,   n = h . l + C al          six numbers
//
// and about a point that is r further back, with t = e_z x r,
//
//   A,   h + A t,   C + 2 t . h + t . A t.
//
// Turning: the axis is s e_z, s = 1 or -1. Eliminating the joint leaves A - h h^T / C and no h and
// C: a pin passes no moment on but tau. Sliding along e, the axis x of the body, has uf = A e,
// un = h . e and D = e . uf.

#pragma once

#include "tree/tree_space.h"

typedef struct plane_pose {
    tree_real xx, xy, yx, yy, w; // axes x and y, rate of turning
} plane_pose;

typedef struct plane_carry {
    tree_real Axx, Ayy, Axy, hx, hy, C;
    tree_real fx, fy, n;
} plane_carry;

static inline plane_pose plane_pose_at(const tree_turn *turn)
{
    return (plane_pose){turn->x.x, turn->x.y, turn->y.x, turn->y.y, turn->w.z};
}

static inline void plane_put_pose(plane_pose at, tree_turn *turn)
{
    turn->x.x = at.xx;
    turn->x.y = at.xy;
    turn->y.x = at.yx;
    turn->y.y = at.yy;
    turn->w.z = at.w;
}

// Axis y is e_z x x times s, as x is level: one axis is carried along, and the other follows.
static inline plane_pose plane_turn(const tree_base *at, plane_pose b, double s, tree_real sine,
                                    tree_real cosine, tree_real rate, tree_link *link)
{
    const tree_real across = s * sine, ww = b.w * b.w;
    const tree_real Xx = at->X.x * b.xx + at->X.y * b.yx, Xy = at->X.x * b.xy + at->X.y * b.yy;
    const tree_real rx = at->d.x * b.xx + at->d.y * b.yx, ry = at->d.x * b.xy + at->d.y * b.yy;
    const tree_real xx = cosine * Xx - across * Xy, xy = cosine * Xy + across * Xx;
    link->r.x = rx;
    link->r.y = ry;
    link->cl.x = -ww * rx;
    link->cl.y = -ww * ry;
    return (plane_pose){xx, xy, -s * xy, s * xx, b.w + s * rate};
}

static inline plane_pose plane_slide(const tree_base *at, plane_pose b, tree_real place,
                                     tree_real rate, tree_link *link)
{
    const tree_real ex = at->X.x * b.xx + at->X.y * b.yx, ey = at->X.x * b.xy + at->X.y * b.yy;
    const tree_real rx = at->d.x * b.xx + at->d.y * b.yx + place * ex;
    const tree_real ry = at->d.x * b.xy + at->d.y * b.yy + place * ey;
    const tree_real ww = b.w * b.w, twice = 2.0 * b.w * rate;
    link->r.x = rx;
    link->r.y = ry;
    link->cl.x = -ww * rx - twice * ey;
    link->cl.y = -ww * ry + twice * ex;
    return (plane_pose){ex, ey, at->Y.x * b.xx + at->Y.y * b.yx, at->Y.x * b.xy + at->Y.y * b.yy,
                        b.w};
}

static inline plane_carry plane_sum(plane_carry a, plane_carry b)
{
    return (plane_carry){a.Axx + b.Axx, a.Ayy + b.Ayy, a.Axy + b.Axy, a.hx + b.hx, a.hy + b.hy,
                         a.C + b.C,     a.fx + b.fx,   a.fy + b.fy,   a.n + b.n};
}

static inline tree_real plane_moment(const tree_mass *mass) // about its reference point
{
    return mass->lambda + mass->g.z * mass->g.z + mass->kz * mass->kz;
}

static inline plane_carry plane_add_body(const tree_mass *mass, plane_pose at, bool bias,
                                         plane_carry c)
{
    const tree_real cx = mass->mc.x * at.xx + mass->mc.y * at.yx;
    const tree_real cy = mass->mc.x * at.xy + mass->mc.y * at.yy;
    c.Axx += mass->m;
    c.Ayy += mass->m;
    c.hx -= cy;
    c.hy += cx;
    c.C += plane_moment(mass);
    if (bias) {
        const tree_real ww = at.w * at.w;
        c.fx -= ww * cx;
        c.fy -= ww * cy;
    }
    return c;
}

// With t = e_z x r, all that the predecessor gets is written as something less a multiple of 1 / C:
// A - h h^T / C, A t - h (h . t) / C, t . A t - (h . t)^2 / C. The next division waits for this one
// and a product, not for the sums of the first formulas of this file.
static inline plane_carry plane_eliminate_turn(const tree_link *link, tree_pivot *pivot, double s,
                                               bool bias, tree_real tau, plane_carry c)
{
    const tree_real rx = link->r.x, ry = link->r.y, Di = 1.0 / c.C;
    const tree_real ax = c.Axy * rx - c.Axx * ry, ay = c.Ayy * rx - c.Axy * ry;
    const tree_real ht = c.hy * rx - c.hx * ry, At = ay * rx - ax * ry;
    const tree_real wx = Di * c.hx, wy = Di * c.hy;
    plane_carry o = {.Axx = c.Axx - wx * c.hx,
                     .Ayy = c.Ayy - wy * c.hy,
                     .Axy = c.Axy - wx * c.hy,
                     .hx = ax - wx * ht,
                     .hy = ay - wy * ht,
                     .C = At - ht * ht * Di};
    if (bias) {
        const tree_real lx = link->cl.x, ly = link->cl.y;
        const tree_real fx = c.fx + c.Axx * lx + c.Axy * ly, fy = c.fy + c.Axy * lx + c.Ayy * ly;
        const tree_real e = Di * (s * tau - (c.hx * lx + c.hy * ly + c.n));
        o.fx = fx + e * c.hx;
        o.fy = fy + e * c.hy;
        o.n = s * tau + rx * fy - ry * fx + e * ht;
        pivot->h = s * e;
    }
    pivot->wf.x = s * wx;
    pivot->wf.y = s * wy;
    pivot->ws.z = s * (1.0 + Di * ht);
    pivot->Di = Di;
    return o;
}

static inline plane_carry plane_eliminate_slide(const tree_link *link, tree_pivot *pivot,
                                                tree_real ex, tree_real ey, bool bias,
                                                tree_real tau, plane_carry c)
{
    const tree_real rx = link->r.x, ry = link->r.y;
    const tree_real ux = c.Axx * ex + c.Axy * ey, uy = c.Axy * ex + c.Ayy * ey;
    const tree_real un = c.hx * ex + c.hy * ey, Di = 1.0 / (ex * ux + ey * uy);
    const tree_real wx = Di * ux, wy = Di * uy, wn = Di * un;
    plane_carry o = {.Axx = c.Axx - wx * ux, .Ayy = c.Ayy - wy * uy, .Axy = c.Axy - wx * uy};
    if (bias) {
        const tree_real lx = link->cl.x, ly = link->cl.y;
        o.fx = c.fx + c.Axx * lx + c.Axy * ly;
        o.fy = c.fy + c.Axy * lx + c.Ayy * ly;
        pivot->h = Di * (tau - ex * o.fx - ey * o.fy);
        o.fx += pivot->h * ux;
        o.fy += pivot->h * uy;
        o.n = c.n + c.hx * lx + c.hy * ly + pivot->h * un + rx * o.fy - ry * o.fx;
    }
    const tree_real hx = c.hx - wn * ux, hy = c.hy - wn * uy;
    o.hx = hx + o.Axy * rx - o.Axx * ry;
    o.hy = hy + o.Ayy * rx - o.Axy * ry;
    o.C = c.C - wn * un + rx * (hy + o.hy) - ry * (hx + o.hx);
    pivot->wf.x = wx;
    pivot->wf.y = wy;
    pivot->ws.z = wn + rx * wy - ry * wx;
    pivot->Di = Di;
    return o;
}

// Forwards; the axis of a slide is the axis x of the body.
static inline tree_real plane_unfold(const tree_link *link, const tree_pivot *pivot, double s,
                                     const tree_vec *slides, bool bias, tree_real h, tree_accel *a)
{
    const tree_real gain = h - pivot->wf.x * a->l.x - pivot->wf.y * a->l.y - pivot->ws.z * a->al.z;
    const tree_vec cl = bias ? link->cl : tree_none();
    a->l.x = a->l.x + cl.x - a->al.z * link->r.y;
    a->l.y = a->l.y + cl.y + a->al.z * link->r.x;
    if (slides) {
        a->l.x += slides->x * gain;
        a->l.y += slides->y * gain;
    } else {
        a->al.z += s * gain;
    }
    return gain;
}
