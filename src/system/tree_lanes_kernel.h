// SPDX-License-Identifier: MIT
//
// The recursions of tree_move.c and tree_dynamics.c on vectors of LANE_WIDTH lanes, for joints with
// one axis or none. A file that defines LANE_WIDTH and LANE_FUNCTION includes this one: the same
// source serves all widths. All functions are inline, so that no vector is passed in memory.
// Vectors of a block follow each other without waiting: processors begin with the next one while
// the last results of one are under way.

#include "base/sincos.h"
#include "system/tree_lanes_parts.h"

typedef double lane __attribute__((vector_size(LANE_WIDTH * sizeof(double))));

enum { VECTORS = TN_LANES / LANE_WIDTH };

typedef struct {
    lane x, y, z;
} lane3;

typedef struct {
    lane3 x, y, z, w; // axes, rate of turning
    lane3 r, cl, ca;  // as in tree_parts.h
    lane3 wf, ws;
    lane h, Di;
    lane3 l, al; // accelerations
} kept;

typedef struct {
    lane Axx, Ayy, Azz, Axy, Axz, Ayz, Cxx, Cyy, Czz, Cxy, Cxz, Cyz;
    lane Hxx, Hxy, Hxz, Hyx, Hyy, Hyz, Hzx, Hzy, Hzz;
    lane3 f, n;
} carried;

_Static_assert(sizeof(kept) <= LANES_KEPT * sizeof(lane), "room for what is kept of a place");
_Static_assert(sizeof(carried) == LANES_SUM * sizeof(lane), "room for what is handed on");

static inline lane3 get3(const lane *at) // components of one vector of a block
{
    return (lane3){at[0], at[VECTORS], at[2 * VECTORS]};
}

static inline lane3 along(const lane3 *x, const lane3 *y, const lane3 *z, lane3 c)
{
    return (lane3){c.x * x->x + c.y * y->x + c.z * z->x, c.x * x->y + c.y * y->y + c.z * z->y,
                   c.x * x->z + c.y * y->z + c.z * z->z};
}

static inline lane3 plus(lane3 a, lane3 b)
{
    return (lane3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline lane3 times(lane s, lane3 a)
{
    return (lane3){s * a.x, s * a.y, s * a.z};
}

static inline lane3 plus_times(lane3 f, lane s, lane3 a)
{
    return (lane3){f.x + s * a.x, f.y + s * a.y, f.z + s * a.z};
}

static inline lane dot(lane3 a, lane3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lane3 plus_cross(lane3 f, lane3 a, lane3 b)
{
    return (lane3){f.x + a.y * b.z - a.z * b.y, f.y + a.z * b.x - a.x * b.z,
                   f.z + a.x * b.y - a.y * b.x};
}

static inline lane3 none3(void)
{
    const lane zero = {0.0};
    return (lane3){zero, zero, zero};
}

// Forwards: axes and velocities -------------------------------------------------------------------

static inline void place(const lanes_node *node, const lane *c, const kept *b, kept *k, lane sine,
                         lane cosine, lane q, lane v)
{
    const lane3 X = along(&b->x, &b->y, &b->z, get3(c + LANES_X * VECTORS));
    const lane3 Y = along(&b->x, &b->y, &b->z, get3(c + LANES_Y * VECTORS));
    const lane3 z = along(&b->x, &b->y, &b->z, get3(c + LANES_Z * VECTORS));
    const lane3 w = b->w;
    lane3 r = along(&b->x, &b->y, &b->z, get3(c + LANES_D * VECTORS));
    k->z = z;
    if (node->kind == LANES_TURN) {
        const lane3 spin = times(v, z);
        k->x = plus_times(times(cosine, X), sine, Y);
        k->y = plus_times(times(cosine, Y), -sine, X);
        k->w = plus(w, spin);
        k->ca = plus_cross(none3(), w, spin);
        k->cl = plus_times(times(dot(w, r), w), -dot(w, w), r);
        k->r = r;
        return;
    }
    k->x = X;
    k->y = Y;
    k->w = w;
    if (node->kind == LANES_WELD) {
        k->cl = plus_times(times(dot(w, r), w), -dot(w, w), r);
        k->r = r;
        return;
    }
    const lane3 e = node->kind == LANES_SLIDE ? z : X;
    r = plus_times(r, q, e);
    k->cl = plus_times(times(dot(w, r), w), -dot(w, w), r);
    k->cl = plus_cross(k->cl, w, times(2.0 * v, e));
    k->r = r;
}

// Backwards: inertias and forces ------------------------------------------------------------------

static inline void add_body(const lane *c, const kept *k, carried *t)
{
    const lane3 x = k->x, y = k->y, z = k->z, w = k->w;
    const lane3 mc = along(&x, &y, &z, get3(c + LANES_MC * VECTORS));
    const lane3 g = along(&x, &y, &z, get3(c + LANES_G * VECTORS));
    const lane m = c[LANES_M * VECTORS], lambda = c[LANES_LAMBDA * VECTORS];
    const lane3 e = plus_times(times(c[LANES_KY * VECTORS], y), c[LANES_KZ * VECTORS], z);
    const lane Jxx = lambda + g.x * g.x + e.x * e.x, Jyy = lambda + g.y * g.y + e.y * e.y,
               Jzz = lambda + g.z * g.z + e.z * e.z, Jxy = g.x * g.y + e.x * e.y,
               Jxz = g.x * g.z + e.x * e.z, Jyz = g.y * g.z + e.y * e.z;
    t->Axx += m, t->Ayy += m, t->Azz += m;
    t->Hxy += mc.z, t->Hxz -= mc.y, t->Hyx -= mc.z;
    t->Hyz += mc.x, t->Hzx += mc.y, t->Hzy -= mc.x;
    t->Cxx += Jxx, t->Cyy += Jyy, t->Czz += Jzz, t->Cxy += Jxy, t->Cxz += Jxz, t->Cyz += Jyz;
    t->f = plus_times(plus_times(t->f, dot(w, mc), w), -dot(w, w), mc);
    t->n = plus_cross(t->n, w,
                      (lane3){Jxx * w.x + Jxy * w.y + Jxz * w.z, Jxy * w.x + Jyy * w.y + Jyz * w.z,
                              Jxz * w.x + Jyz * w.y + Jzz * w.z});
}

static inline lane3 A_times(const carried *t, lane3 a)
{
    return (lane3){t->Axx * a.x + t->Axy * a.y + t->Axz * a.z,
                   t->Axy * a.x + t->Ayy * a.y + t->Ayz * a.z,
                   t->Axz * a.x + t->Ayz * a.y + t->Azz * a.z};
}

static inline lane3 H_times(const carried *t, lane3 a)
{
    return (lane3){t->Hxx * a.x + t->Hxy * a.y + t->Hxz * a.z,
                   t->Hyx * a.x + t->Hyy * a.y + t->Hyz * a.z,
                   t->Hzx * a.x + t->Hzy * a.y + t->Hzz * a.z};
}

static inline lane3 H_times_t(const carried *t, lane3 a)
{
    return (lane3){t->Hxx * a.x + t->Hyx * a.y + t->Hzx * a.z,
                   t->Hxy * a.x + t->Hyy * a.y + t->Hzy * a.z,
                   t->Hxz * a.x + t->Hyz * a.y + t->Hzz * a.z};
}

static inline lane3 C_times(const carried *t, lane3 a)
{
    return (lane3){t->Cxx * a.x + t->Cxy * a.y + t->Cxz * a.z,
                   t->Cxy * a.x + t->Cyy * a.y + t->Cyz * a.z,
                   t->Cxz * a.x + t->Cyz * a.y + t->Czz * a.z};
}

// The inertia about the reference point of the predecessor.
static inline void shift_inertia(lane3 r, carried *t)
{
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
    t->Cxx = t->Cxx + r.y * t->Hzx - r.z * t->Hyx;
    t->Cyy = t->Cyy + r.z * t->Hxy - r.x * t->Hzy;
    t->Czz = t->Czz + r.x * t->Hyz - r.y * t->Hxz;
    t->Cxy = t->Cxy + r.y * t->Hzy - r.z * t->Hyy;
    t->Cxz = t->Cxz + r.y * t->Hzz - r.z * t->Hyz;
    t->Cyz = t->Cyz + r.z * t->Hxz - r.x * t->Hzz;
}

// I - U D^-1 U^T with U = (uf; us), W = U D^-1.
static inline void drop_freedom(lane3 uf, lane3 us, lane3 wf, lane3 ws, carried *t)
{
    t->Axx -= wf.x * uf.x, t->Ayy -= wf.y * uf.y, t->Azz -= wf.z * uf.z;
    t->Axy -= wf.x * uf.y, t->Axz -= wf.x * uf.z, t->Ayz -= wf.y * uf.z;
    t->Hxx -= uf.x * ws.x, t->Hxy -= uf.x * ws.y, t->Hxz -= uf.x * ws.z;
    t->Hyx -= uf.y * ws.x, t->Hyy -= uf.y * ws.y, t->Hyz -= uf.y * ws.z;
    t->Hzx -= uf.z * ws.x, t->Hzy -= uf.z * ws.y, t->Hzz -= uf.z * ws.z;
    t->Cxx -= ws.x * us.x, t->Cyy -= ws.y * us.y, t->Czz -= ws.z * us.z;
    t->Cxy -= ws.x * us.y, t->Cxz -= ws.x * us.z, t->Cyz -= ws.y * us.z;
}

static inline void condense(const lanes_node *node, const lane *c, kept *k, lane tau, carried *t)
{
    add_body(c, k, t);
    const lane3 r = k->r, cl = k->cl;
    lane3 f = plus(t->f, A_times(t, cl)), n = plus(t->n, H_times_t(t, cl));
    if (node->kind == LANES_WELD) {
        t->f = f;
        t->n = plus_cross(n, r, f);
        shift_inertia(r, t);
        return;
    }
    lane3 uf, un;
    lane D, along_axis;
    if (node->kind == LANES_TURN) {
        f = plus(f, H_times(t, k->ca));
        n = plus(n, C_times(t, k->ca));
        uf = H_times(t, k->z);
        un = C_times(t, k->z);
        D = dot(k->z, un);
        along_axis = dot(k->z, n);
    } else {
        const lane3 e = node->kind == LANES_SLIDE ? k->z : k->x;
        uf = A_times(t, e);
        un = H_times_t(t, e);
        D = dot(e, uf);
        along_axis = dot(e, f);
    }
    const lane Di = 1.0 / D;
    k->Di = Di;
    k->h = Di * (tau - along_axis);
    const lane3 us = plus_cross(un, r, uf);
    k->wf = times(Di, uf);
    k->ws = times(Di, us);
    if (node->parent == 0)
        return; // nothing is handed to the ground
    t->f = plus_times(f, k->h, uf);
    t->n = plus_cross(plus_times(n, k->h, un), r, t->f);
    shift_inertia(r, t);
    drop_freedom(uf, us, k->wf, k->ws, t);
}

// Hands t to a predecessor on which several places stand.
static inline void hand_on(const lanes_node *node, const carried *t, carried *sum)
{
    const lane *from = (const lane *)t;
    lane *to = (lane *)sum;
    if (node->first)
        for (int i = 0; i < LANES_SUM; i++)
            to[i] = from[i];
    else
        for (int i = 0; i < LANES_SUM; i++)
            to[i] += from[i];
}

// Forwards: accelerations -------------------------------------------------------------------------

static inline lane unfold(const lanes_node *node, const kept *b, kept *k)
{
    const lane3 l = plus_cross(plus(b->l, k->cl), b->al, k->r);
    lane a = {0.0};
    if (node->kind == LANES_WELD) {
        k->l = l;
        k->al = b->al;
        return a;
    }
    a = k->h - (dot(k->wf, b->l) + dot(k->ws, b->al));
    if (node->kind == LANES_TURN) {
        k->l = l;
        k->al = plus_times(plus(b->al, k->ca), a, k->z);
    } else {
        k->l = plus_times(l, a, node->kind == LANES_SLIDE ? k->z : k->x);
        k->al = b->al;
    }
    return a;
}

// The whole ---------------------------------------------------------------------------------------

// One vector of a block: numbers and coordinates are VECTORS apart, what is kept is not.
static inline void move_vector(const tn_lanes *s, const lane *of, const lane *sine,
                               const lane *cosine, const lane *q, const lane *v, kept *keep)
{
    const lane zero = {0.0};
    for (int k = 1; k < s->n; k++) {
        const lanes_node *node = &s->node[k];
        const lane *c = of + (k - 1) * LANES_PLACE * VECTORS;
        const int i = node->v0 * VECTORS;
        if (node->kind == LANES_WELD)
            place(node, c, &keep[node->parent], &keep[k], zero, zero, zero, zero);
        else
            place(node, c, &keep[node->parent], &keep[k], sine[i], cosine[i], q[i], v[i]);
    }
}

static inline void condense_vector(const tn_lanes *s, const lane *of, const lane *tau, kept *keep,
                                   carried *sum)
{
    const lane zero = {0.0};
    const carried nothing = {.Axx = zero};
    carried t = nothing;
    for (int k = s->n - 1; k > 0; k--) {
        const lanes_node *node = &s->node[k];
        const lane *c = of + (k - 1) * LANES_PLACE * VECTORS;
        if (node->leaf)
            t = nothing;
        else if (node->several)
            t = sum[k];
        condense(node, c, &keep[k], node->kind == LANES_WELD ? zero : tau[node->v0 * VECTORS], &t);
        if (node->parent > 0 && s->node[node->parent].several)
            hand_on(node, &t, &sum[node->parent]);
    }
}

static inline void unfold_vector(const tn_lanes *s, kept *keep, lane *a)
{
    for (int k = 1; k < s->n; k++) {
        const lanes_node *node = &s->node[k];
        const lane x = unfold(node, &keep[node->parent], &keep[k]);
        if (node->kind != LANES_WELD)
            a[node->v0 * VECTORS] = x;
    }
}

#include "system/tree_lanes_loops.h"

static inline void pull_springs(const tn_lanes *s, const lane *c, const lane *q, const lane *v,
                                lane *tau)
{
    const lane zero = {0.0};
    for (int i = 0; i < s->nv * VECTORS; i++)
        tau[i] = zero;
    for (int k = 0; k < s->nspring; k++, c += LANES_SPRING * VECTORS)
        for (int j = 0; j < VECTORS; j++) {
            const int i = s->spring[k] * VECTORS + j;
            const lane *n = c + j;
            const lane y = q[i] - n[LANES_FREE * VECTORS];
            const lane stiff = n[LANES_K * VECTORS] + n[LANES_K3 * VECTORS] * y * y;
            tau[i] -= stiff * y + n[LANES_PRELOAD * VECTORS] + n[LANES_C * VECTORS] * v[i];
        }
}

void LANE_FUNCTION(const tn_lanes *s, const double *numbers, const double *q_at, const double *v_at,
                   double *vdot, double *memory)
{
    const int size = s->nv * VECTORS;
    const lane zero = {0.0}, one = zero + 1.0;
    const lane *up = (const lane *)numbers, *of = up + 3 * VECTORS;
    const lane *q = (const lane *)q_at, *v = (const lane *)v_at;
    kept *keep = (kept *)memory;
    carried *sum = (carried *)(keep + s->n);
    lane *tau = (lane *)(sum + s->n), *sine = tau + size, *cosine = sine + size;
    const lane *springs = of + (s->n - 1) * LANES_PLACE * VECTORS;
    const lane *rows = springs + s->nspring * LANES_SPRING * VECTORS;
    pull_springs(s, springs, q, v, tau);
    tn_sincos(s->nv * TN_LANES, q_at, (double *)sine, (double *)cosine);
    keep->x = (lane3){one, zero, zero};
    keep->y = (lane3){zero, one, zero};
    keep->z = (lane3){zero, zero, one};
    keep->w = keep->al = none3();
    for (int j = 0; j < VECTORS; j++) {
        keep->l = get3(up + j);
        move_vector(s, of + j, sine + j, cosine + j, q + j, v + j, keep);
        condense_vector(s, of + j, tau + j, keep, sum);
        unfold_vector(s, keep, (lane *)vdot + j);
        if (s->nrow > 0)
            close_loops(s, rows + j, keep, cosine + size, (lane *)vdot + j);
    }
}
