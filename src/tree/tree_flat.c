// SPDX-License-Identifier: MIT
//
// The recursions of tree_move.c and tree_dynamics.c for bodies of the plane on joints with one
// axis, by the functions of tree_plane.h. Components that do not change in the plane are written
// once when the tree is built; everything else that reads the records sees bodies like all others.
//
// Its gain: a run of dopri5/index1@joint takes 1.3 times as long without it on a double pendulum,
// 1.8 on ten links, 2.2 on fifty, and 1.1 to 1.2 where every joint has a spring.

#include "base/sincos.h"
#include "tree/tree_parts.h"
#include "tree/tree_plane.h"

enum { BLOCK = 64 }; // angles whose sines are taken together

typedef struct flat_pose {
    plane_pose at;
    double px, py, ux, uy;
} flat_pose;

static inline flat_pose pose_at(const tree *t, int k)
{
    const tree_spot *spot = &t->spot[k];
    return (flat_pose){plane_pose_at(&t->turn[k]), spot->p.x, spot->p.y, spot->u.x, spot->u.y};
}

// Node k with its axes `at` on b, at whose rate it turns about the point of that.
static inline flat_pose put_pose(tree *t, int k, plane_pose at, flat_pose b)
{
    const tn_vec3 r = t->link[k].r;
    tree_spot *spot = &t->spot[k];
    const flat_pose next = {at, b.px + r.x, b.py + r.y, b.ux - b.at.w * r.y, b.uy + b.at.w * r.x};
    plane_put_pose(at, &t->turn[k]);
    spot->p.x = next.px;
    spot->p.y = next.py;
    spot->u.x = next.ux;
    spot->u.y = next.uy;
    return next;
}

static inline flat_pose turn(tree *t, int k, flat_pose b, double sine, double cosine, double rate)
{
    TN_ASSERT(k > 0 && k < t->base.n);
    const double s = t->link[k].z.z;
    return put_pose(t, k, plane_turn(&t->at[k], b.at, s, sine, cosine, rate, &t->link[k]), b);
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
    const flat_pose b = pose_at(t, t->node[k].parent);
    put_pose(t, k, plane_slide(&t->at[k], b.at, place, rate, &t->link[k]), b);
    t->spot[k].u.x += rate * t->turn[k].x.x;
    t->spot[k].u.y += rate * t->turn[k].x.y;
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
    plane_carry c;
    double size; // that C could have, to decide what is small
} flat_carry;

static inline flat_carry tree_flat_in_plane(const tree_carry *c)
{
    return (flat_carry){{c->I.A.xx, c->I.A.yy, c->I.A.xy, c->I.H.xz, c->I.H.yz, c->I.C.zz, c->F.f.x,
                         c->F.f.y, c->F.n.z},
                        c->I.C.xx + c->I.C.yy + c->I.C.zz};
}

// Nothing in the plane tilts: the moments about x are free to keep the size.
static inline tree_carry in_space(flat_carry f)
{
    const plane_carry c = f.c;
    return (tree_carry){.I = {.A = {.xx = c.Axx, .yy = c.Ayy, .xy = c.Axy},
                              .C = {.xx = f.size, .zz = c.C},
                              .H = {.xz = c.hx, .yz = c.hy}},
                        .F = {{c.fx, c.fy, 0.0}, {0.0, 0.0, c.n}}};
}

static inline flat_carry flat_sum(flat_carry a, flat_carry b)
{
    return (flat_carry){plane_sum(a.c, b.c), a.size + b.size};
}

static inline flat_carry gather_tree_flat(const tree *t, int k, flat_carry c, bool bias)
{
    if (t->node[k].slot >= 0)
        c = flat_sum(c, tree_flat_in_plane(&t->slot[t->node[k].slot]));
    c.c = plane_add_body(&t->mass[k], plane_pose_at(&t->turn[k]), bias, c.c);
    c.size += plane_moment(&t->mass[k]);
    if (bias && t->loaded) {
        c.c.fx -= t->load[k].f.x;
        c.c.fy -= t->load[k].f.y;
        c.c.n -= t->load[k].n.z;
    }
    return c;
}

static inline flat_carry eliminate(tree *t, int k, bool slides, bool bias, double tau, flat_carry f)
{
    const tree_link *link = &t->link[k];
    const tn_vec3 e = t->turn[k].x, r = link->r;
    f.c = slides ? plane_eliminate_slide(link, &t->pivot[k], e.x, e.y, bias, tau, f.c)
                 : plane_eliminate_turn(link, &t->pivot[k], link->z.z, bias, tau, f.c);
    f.size = (slides ? f.size : 0.0) + (f.c.Axx + f.c.Ayy) * (r.x * r.x + r.y * r.y);
    return f;
}

static inline bool is_small(const tree *t, int k, bool slides, double least, flat_carry f)
{
    const double ex = t->turn[k].x.x, ey = t->turn[k].x.y;
    const plane_carry c = f.c;
    if (slides) {
        const double D = ex * (c.Axx * ex + 2.0 * c.Axy * ey) + c.Ayy * ey * ey;
        return !(D > least * (c.Axx + c.Ayy));
    }
    return !(c.C > least * f.size);
}

static inline int tree_flat_condense(tree *t, tree_run run, bool slides, bool bias, double least,
                                     const double *tau, tree_carry *carry)
{
    flat_carry c = tree_flat_in_plane(carry);
    const double *own = tau ? tau + t->base.body[run.first].v0 : NULL;
    for (int k = run.end - 1; k >= run.first; k--) {
        const tree_node *node = &t->node[k];
        c = gather_tree_flat(t, k, c, bias);
        if (is_small(t, k, slides, least, c))
            return k;
        c = eliminate(t, k, slides, bias, own ? own[k - run.first] : 0.0, c);
        if (node->parent == k - 1)
            continue;
        if (node->up >= 0) {
            if (!node->first)
                c = flat_sum(c, tree_flat_in_plane(&t->slot[node->up]));
            t->slot[node->up] = in_space(c);
        }
        c = (flat_carry){.size = 0.0};
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
        *xk = plane_unfold(link, pivot, link->z.z, slides ? &t->turn[k].x : NULL, bias,
                           bias ? pivot->h : *xk, &a);
        if (t->node[k].slot >= 0)
            t->accel[k] = a;
    }
    t->accel[run.end - 1] = a;
}
