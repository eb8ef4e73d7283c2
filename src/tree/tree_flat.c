// SPDX-License-Identifier: MIT
//
// The recursions of tree_move.c and tree_dynamics.c for bodies of the plane on joints with one
// axis, written for the plane: accelerations (l_x, l_y, al), forces (f_x, f_y, n), and the inertia
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
//
// Components that do not change in the plane (z of vectors, zeros) are written once when the tree
// is built; everything else that reads the records sees bodies like all others.

#include "base/sincos.h"
#include "tree/tree_parts.h"

enum { BLOCK = 64 }; // angles whose sines are taken together

typedef struct flat_pose {
    double xx, xy, yx, yy; // axes x and y of the tree frame
    double w, px, py, ux, uy;
} flat_pose;

static inline flat_pose pose_at(const tree *t, int k)
{
    const tree_turn *turn = &t->turn[k];
    const tree_spot *spot = &t->spot[k];
    return (flat_pose){turn->x.x, turn->x.y, turn->y.x, turn->y.y, turn->w.z,
                       spot->p.x, spot->p.y, spot->u.x, spot->u.y};
}

static inline void put_pose(tree *t, int k, flat_pose at)
{
    t->turn[k].x.x = at.xx;
    t->turn[k].x.y = at.xy;
    t->turn[k].y.x = at.yx;
    t->turn[k].y.y = at.yy;
    t->turn[k].w.z = at.w;
    t->spot[k].p.x = at.px;
    t->spot[k].p.y = at.py;
    t->spot[k].u.x = at.ux;
    t->spot[k].u.y = at.uy;
}

// Axis y is e_z x x times s, as x is level: one axis is carried along, and the other follows.
static inline flat_pose turn(tree *t, int k, flat_pose b, double sine, double cosine, double rate)
{
    TN_ASSERT(k > 0 && k < t->base.n);
    const tree_base *at = &t->at[k];
    tree_link *link = &t->link[k];
    const double s = link->z.z, across = s * sine, ww = b.w * b.w;
    const double Xx = at->X.x * b.xx + at->X.y * b.yx, Xy = at->X.x * b.xy + at->X.y * b.yy;
    const double rx = at->d.x * b.xx + at->d.y * b.yx, ry = at->d.x * b.xy + at->d.y * b.yy;
    const double xx = cosine * Xx - across * Xy, xy = cosine * Xy + across * Xx;
    const flat_pose next = {xx,        xy,        -s * xy,         s * xx,         b.w + s * rate,
                            b.px + rx, b.py + ry, b.ux - b.w * ry, b.uy + b.w * rx};
    put_pose(t, k, next);
    link->r.x = rx;
    link->r.y = ry;
    link->cl.x = -ww * rx;
    link->cl.y = -ww * ry;
    return next;
}

static void move_turning(tree *t, tree_run run, const double *q, const double *v)
{
    const double *angle = q + t->base.body[run.first].q0;
    const double *rate = v ? v + t->base.body[run.first].v0 : NULL;
    flat_pose last = pose_at(t, t->node[run.first].parent);
    for (int k = run.first; k < run.end;) {
        double sine[BLOCK], cosine[BLOCK];
        const int n = run.end - k < BLOCK ? run.end - k : BLOCK;
        tn_sincos(n, angle, sine, cosine);
        for (int i = 0; i < n; i++, k++) {
            if (t->node[k].parent != k - 1)
                last = pose_at(t, t->node[k].parent);
            last = turn(t, k, last, sine[i], cosine[i], rate ? rate[i] : 0.0);
        }
        angle += n;
        rate = rate ? rate + n : NULL;
    }
}

static void slide(tree *t, int k, double place, double rate)
{
    const tree_base *at = &t->at[k];
    const flat_pose b = pose_at(t, t->node[k].parent);
    tree_link *link = &t->link[k];
    const double ex = at->X.x * b.xx + at->X.y * b.yx, ey = at->X.x * b.xy + at->X.y * b.yy;
    const double rx = at->d.x * b.xx + at->d.y * b.yx + place * ex;
    const double ry = at->d.x * b.xy + at->d.y * b.yy + place * ey;
    const double ww = b.w * b.w, twice = 2.0 * b.w * rate;
    put_pose(t, k,
             (flat_pose){ex, ey, at->Y.x * b.xx + at->Y.y * b.yx, at->Y.x * b.xy + at->Y.y * b.yy,
                         b.w, b.px + rx, b.py + ry, b.ux - b.w * ry + rate * ex,
                         b.uy + b.w * rx + rate * ey});
    link->r.x = rx;
    link->r.y = ry;
    link->cl.x = -ww * rx - twice * ey;
    link->cl.y = -ww * ry + twice * ex;
}

void tn_tree_flat_move(tree *t, tree_run run, const double *q, const double *v)
{
    TN_ASSERT(run.kind == TREE_FLAT_TURN || run.kind == TREE_FLAT_SLIDE);
    if (run.kind == TREE_FLAT_TURN)
        move_turning(t, run, q, v);
    for (int k = run.first; k < run.end && run.kind == TREE_FLAT_SLIDE; k++)
        slide(t, k, q[t->base.body[k].q0], v ? v[t->base.body[k].v0] : 0.0);
}

// Backwards ---------------------------------------------------------------------------------------

typedef struct flat_carry {
    double Axx, Ayy, Axy, hx, hy, C;
    double fx, fy, n;
    double size; // that C could have, to decide what is small
} flat_carry;

static inline flat_carry tree_flat_in_plane(const tree_carry *c)
{
    return (flat_carry){
        c->I.A.xx, c->I.A.yy, c->I.A.xy, c->I.H.xz, c->I.H.yz,
        c->I.C.zz, c->F.f.x,  c->F.f.y,  c->F.n.z,  c->I.C.xx + c->I.C.yy + c->I.C.zz};
}

// Nothing in the plane tilts: the moments about x are free to keep the size.
static inline tree_carry in_space(flat_carry c)
{
    tree_carry s = tree_nothing();
    s.I.A.xx = c.Axx;
    s.I.A.yy = c.Ayy;
    s.I.A.xy = c.Axy;
    s.I.H.xz = c.hx;
    s.I.H.yz = c.hy;
    s.I.C.zz = c.C;
    s.I.C.xx = c.size;
    s.F.f.x = c.fx;
    s.F.f.y = c.fy;
    s.F.n.z = c.n;
    return s;
}

static inline flat_carry flat_sum(flat_carry a, flat_carry b)
{
    return (flat_carry){a.Axx + b.Axx, a.Ayy + b.Ayy, a.Axy + b.Axy, a.hx + b.hx, a.hy + b.hy,
                        a.C + b.C,     a.fx + b.fx,   a.fy + b.fy,   a.n + b.n,   a.size + b.size};
}

static inline flat_carry gather_tree_flat(const tree *t, int k, flat_carry c, bool bias)
{
    const tree_mass *mass = &t->mass[k];
    const tree_turn *axes = &t->turn[k];
    const double cx = mass->mc.x * axes->x.x + mass->mc.y * axes->y.x;
    const double cy = mass->mc.x * axes->x.y + mass->mc.y * axes->y.y;
    if (t->node[k].slot >= 0)
        c = flat_sum(c, tree_flat_in_plane(&t->slot[t->node[k].slot]));
    c.Axx += mass->m;
    c.Ayy += mass->m;
    c.hx -= cy;
    c.hy += cx;
    const double J = mass->lambda + mass->g.z * mass->g.z + mass->kz * mass->kz;
    c.C += J;
    c.size += J;
    if (bias) {
        const double ww = axes->w.z * axes->w.z;
        c.fx -= ww * cx;
        c.fy -= ww * cy;
        if (t->loaded) {
            c.fx -= t->load[k].f.x;
            c.fy -= t->load[k].f.y;
            c.n -= t->load[k].n.z;
        }
    }
    return c;
}

// With t = e_z x r, all that the predecessor gets is written as something less a multiple of 1 / C:
// A - h h^T / C, A t - h (h . t) / C, t . A t - (h . t)^2 / C. The next division waits for this one
// and a product, not for the sums of the first formulas of this file.
static inline flat_carry eliminate_turn(const tree_link *link, tree_pivot *pivot, bool bias,
                                        double tau, flat_carry c)
{
    const double rx = link->r.x, ry = link->r.y, s = link->z.z, Di = 1.0 / c.C;
    const double ax = c.Axy * rx - c.Axx * ry, ay = c.Ayy * rx - c.Axy * ry;
    const double ht = c.hy * rx - c.hx * ry, At = ay * rx - ax * ry;
    const double wx = Di * c.hx, wy = Di * c.hy;
    flat_carry o = {.Axx = c.Axx - wx * c.hx,
                    .Ayy = c.Ayy - wy * c.hy,
                    .Axy = c.Axy - wx * c.hy,
                    .hx = ax - wx * ht,
                    .hy = ay - wy * ht,
                    .C = At - ht * ht * Di};
    if (bias) {
        const double lx = link->cl.x, ly = link->cl.y;
        const double fx = c.fx + c.Axx * lx + c.Axy * ly, fy = c.fy + c.Axy * lx + c.Ayy * ly;
        const double e = Di * (s * tau - (c.hx * lx + c.hy * ly + c.n));
        o.fx = fx + e * c.hx;
        o.fy = fy + e * c.hy;
        o.n = s * tau + rx * fy - ry * fx + e * ht;
        pivot->h = s * e;
    }
    o.size = (o.Axx + o.Ayy) * (rx * rx + ry * ry);
    pivot->wf.x = s * wx;
    pivot->wf.y = s * wy;
    pivot->ws.z = s * (1.0 + Di * ht);
    pivot->Di = Di;
    return o;
}

static inline flat_carry eliminate_slide(const tree_link *link, tree_pivot *pivot, double ex,
                                         double ey, bool bias, double tau, flat_carry c)
{
    const double rx = link->r.x, ry = link->r.y;
    const double ux = c.Axx * ex + c.Axy * ey, uy = c.Axy * ex + c.Ayy * ey;
    const double un = c.hx * ex + c.hy * ey, Di = 1.0 / (ex * ux + ey * uy);
    const double wx = Di * ux, wy = Di * uy, wn = Di * un;
    flat_carry o = {.Axx = c.Axx - wx * ux, .Ayy = c.Ayy - wy * uy, .Axy = c.Axy - wx * uy};
    if (bias) {
        const double lx = link->cl.x, ly = link->cl.y;
        o.fx = c.fx + c.Axx * lx + c.Axy * ly;
        o.fy = c.fy + c.Axy * lx + c.Ayy * ly;
        pivot->h = Di * (tau - ex * o.fx - ey * o.fy);
        o.fx += pivot->h * ux;
        o.fy += pivot->h * uy;
        o.n = c.n + c.hx * lx + c.hy * ly + pivot->h * un + rx * o.fy - ry * o.fx;
    }
    const double hx = c.hx - wn * ux, hy = c.hy - wn * uy;
    o.hx = hx + o.Axy * rx - o.Axx * ry;
    o.hy = hy + o.Ayy * rx - o.Axy * ry;
    o.C = c.C - wn * un + rx * (hy + o.hy) - ry * (hx + o.hx);
    o.size = c.size + (o.Axx + o.Ayy) * (rx * rx + ry * ry);
    pivot->wf.x = wx;
    pivot->wf.y = wy;
    pivot->ws.z = wn + rx * wy - ry * wx;
    pivot->Di = Di;
    return o;
}

static inline bool is_small(const tree *t, int k, bool slides, double least, flat_carry c)
{
    const double ex = t->turn[k].x.x, ey = t->turn[k].x.y;
    if (slides) {
        const double D = ex * (c.Axx * ex + 2.0 * c.Axy * ey) + c.Ayy * ey * ey;
        return !(D > least * (c.Axx + c.Ayy));
    }
    return !(c.C > least * c.size);
}

static inline int tree_flat_condense(tree *t, tree_run run, bool slides, bool bias, double least,
                                     const double *tau, tree_carry *carry)
{
    flat_carry c = tree_flat_in_plane(carry);
    const double *own = tau ? tau + t->base.body[run.first].v0 : NULL;
    for (int k = run.end - 1; k >= run.first; k--) {
        const tree_node *node = &t->node[k];
        const tree_turn *axes = &t->turn[k];
        const double tau_k = own ? own[k - run.first] : 0.0;
        c = gather_tree_flat(t, k, c, bias);
        if (is_small(t, k, slides, least, c))
            return k;
        c = slides
                ? eliminate_slide(&t->link[k], &t->pivot[k], axes->x.x, axes->x.y, bias, tau_k, c)
                : eliminate_turn(&t->link[k], &t->pivot[k], bias, tau_k, c);
        if (node->parent == k - 1)
            continue;
        if (node->up >= 0) {
            if (!node->first)
                c = flat_sum(c, tree_flat_in_plane(&t->slot[node->up]));
            t->slot[node->up] = in_space(c);
        }
        c = (flat_carry){.n = 0.0};
    }
    *carry = in_space(c);
    return 0;
}

int tn_tree_flat_condense(tree *t, tree_run run, bool bias, double least, const double *tau,
                          tree_carry *carry)
{
    TN_ASSERT(run.kind == TREE_FLAT_TURN || run.kind == TREE_FLAT_SLIDE);
    if (run.kind == TREE_FLAT_SLIDE)
        return tree_flat_condense(t, run, true, bias, least, tau, carry);
    if (bias)
        return tree_flat_condense(t, run, false, true, least, tau, carry);
    return tree_flat_condense(t, run, false, false, least, tau, carry);
}

// Forwards ----------------------------------------------------------------------------------------

void tn_tree_flat_unfold(tree *t, tree_run run, bool bias, double *x)
{
    TN_ASSERT(run.first > 0 && run.first < run.end);
    const bool slides = run.kind == TREE_FLAT_SLIDE;
    double *own = x + t->base.body[run.first].v0;
    tree_accel a = t->accel[t->node[run.first].parent];
    for (int k = run.first; k < run.end; k++) {
        const tree_link *link = &t->link[k];
        const tree_pivot *pivot = &t->pivot[k];
        if (t->node[k].parent != k - 1)
            a = t->accel[t->node[k].parent];
        double *xk = &own[k - run.first];
        const double h = bias ? pivot->h : *xk;
        const double xdd = h - pivot->wf.x * a.l.x - pivot->wf.y * a.l.y - pivot->ws.z * a.al.z;
        a.l.x = a.l.x + (bias ? link->cl.x : 0.0) - a.al.z * link->r.y;
        a.l.y = a.l.y + (bias ? link->cl.y : 0.0) + a.al.z * link->r.x;
        if (slides) {
            a.l.x += t->turn[k].x.x * xdd;
            a.l.y += t->turn[k].x.y * xdd;
        } else
            a.al.z += link->z.z * xdd;
        *xk = xdd;
        if (t->node[k].slot >= 0)
            t->accel[k] = a;
    }
    t->accel[run.end - 1] = a;
}
