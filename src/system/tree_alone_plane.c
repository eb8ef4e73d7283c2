// SPDX-License-Identifier: MIT
//
// The recursions of tree_flat.c for trees of the plane whose joints all turn and on which nothing
// acts but gravity, from records of their own that hold nothing else. Vectors are complex numbers:
// with the axis x of a body, its axis y is +-i x, and all that turns with it is a number times x.
//
//   x = x_p X exp(i s q),   w = w_p + s v,   r = x_p d,   cl = -w_p^2 r,   c = x (m c)
//
// s is 1, or -1 where the axis of the joint points down; X, d and m c have the signs of the axes y
// in them. Backwards and forwards as in tree_flat.c.
//
// What it wins: a chain of 4 takes 0.6 and one of 1000 takes 0.75 of the time of the records that
// serve everybody (docs/theory/cost.md).

#include "base/carve.h"
#include "base/sincos.h"
#include "system/tree_parts.h"

#include <math.h>

typedef struct alone_body {
    double Xx, Xy, dx, dy, s; // of the joint
    double m, mx, my, J;      // of the body, about P
    double xx, xy, w;         // where it is
    double rx, ry, lx, ly;    // r and cl
    double cx, cy;            // m c in the world
    double wx, wy, wn, h;     // factors
} alone_body;

typedef struct alone_carry {
    double Axx, Ayy, Axy, hx, hy, C, fx, fy, n;
} alone_carry;

typedef struct alone_accel {
    double x, y, turn;
} alone_accel;

// How a body moves, about P, and what of it does not change.
typedef struct alone_seen {
    double px, py, ux, uy, ax, ay, turn;
} alone_seen;

typedef struct alone_still {
    double cx, cy, z; // centre of mass from P, with the signs of m c; its height
    double gyration, turns;
} alone_still;

enum { BLOCK = 64 }; // angles whose sines are taken together

typedef struct alone_plane {
    tn_alone base;
    alone_body *body;   // n, with the ground
    alone_accel *accel; // n: of bodies that carry several
    alone_carry *slot;
    alone_seen *seen;      // n
    alone_still *still;    // n
    double *sine, *cosine; // BLOCK
} alone_plane;

static void layout_alone_plane(void *self, tn_carve *mem)
{
    alone_plane *s = self;
    const size_t n = (size_t)s->base.n;
    s->body = tn_carve_bytes(mem, sizeof *s->body * n);
    s->accel = tn_carve_bytes(mem, sizeof *s->accel * n);
    s->slot = tn_carve_bytes(mem, sizeof *s->slot * (size_t)s->base.of->nslot);
    s->seen = tn_carve_bytes(mem, sizeof *s->seen * n);
    s->still = tn_carve_bytes(mem, sizeof *s->still * n);
    TN_CARVE_DOUBLES(mem, BLOCK, &s->sine, &s->cosine);
}

static void set_alone_plane(tn_alone *self)
{
    alone_plane *s = (alone_plane *)self;
    const tree *t = s->base.of;
    s->body[0] = (alone_body){.xx = 1.0, .s = 1.0};
    for (int k = 1; k < s->base.n; k++) {
        const tree_base *at = &t->at[k];
        const tree_mass *mass = &t->mass[k];
        const double below = t->link[t->node[k].parent].z.z, own = t->link[k].z.z;
        s->body[k] = (alone_body){.Xx = at->X.x,
                                  .Xy = below * at->X.y,
                                  .dx = at->d.x,
                                  .dy = below * at->d.y,
                                  .s = own,
                                  .m = mass->m,
                                  .mx = mass->mc.x,
                                  .my = own * mass->mc.y,
                                  .J = mass->lambda + mass->g.z * mass->g.z + mass->kz * mass->kz};
        const alone_centre c = tn_alone_centre(t, k);
        s->still[k] = (alone_still){.cx = c.at.x,
                                    .cy = own * c.at.y,
                                    .z = t->spot[k].p.z + own * c.at.z,
                                    .gyration = c.gyration,
                                    .turns = c.point ? 0.0 : 1.0};
    }
}

// Axes and velocities -----------------------------------------------------------------------------

typedef struct alone_pose {
    double x, y, w;
} alone_pose;

static inline alone_pose turn_alone(alone_body *b, alone_pose p, double sine, double cosine,
                                    double rate)
{
    const double across = b->s * sine, ww = p.w * p.w;
    const double Xx = b->Xx * p.x - b->Xy * p.y, Xy = b->Xx * p.y + b->Xy * p.x;
    const alone_pose next = {cosine * Xx - across * Xy, cosine * Xy + across * Xx,
                             p.w + b->s * rate};
    b->rx = b->dx * p.x - b->dy * p.y;
    b->ry = b->dx * p.y + b->dy * p.x;
    b->lx = -ww * b->rx;
    b->ly = -ww * b->ry;
    b->cx = b->mx * next.x - b->my * next.y;
    b->cy = b->mx * next.y + b->my * next.x;
    b->xx = next.x;
    b->xy = next.y;
    b->w = next.w;
    return next;
}

__attribute__((always_inline)) static inline void move_alone(alone_plane *s, bool chain,
                                                             const double *q, const double *v)
{
    double *sine = s->sine, *cosine = s->cosine;
    alone_at *at = s->base.at;
    alone_pose last = {1.0, 0.0, 0.0};
    for (int k = 1; k < s->base.n;) {
        const int n = s->base.n - k < BLOCK ? s->base.n - k : BLOCK;
        tn_sincos(n, q + k - 1, sine, cosine);
        for (int i = 0; i < n; i++, k++) {
            const int parent = chain ? k - 1 : s->base.of->node[k].parent;
            if (parent != k - 1)
                last = (alone_pose){s->body[parent].xx, s->body[parent].xy, s->body[parent].w};
            last = turn_alone(&s->body[k], last, sine[i], cosine[i], v[k - 1]);
            at[k] = (alone_at){q[k - 1], v[k - 1]};
        }
    }
}

// Inertias and forces -----------------------------------------------------------------------------

static inline void sum_alone(alone_carry *a, const alone_carry *b)
{
    a->Axx += b->Axx, a->Ayy += b->Ayy, a->Axy += b->Axy;
    a->hx += b->hx, a->hy += b->hy, a->C += b->C;
    a->fx += b->fx, a->fy += b->fy, a->n += b->n;
}

// As eliminate_turn of tree_flat.c, where nothing drives the joint.
static inline void drop_alone(alone_body *b, alone_carry *t)
{
    const double rx = b->rx, ry = b->ry, lx = b->lx, ly = b->ly, ww = b->w * b->w;
    const double Axx = t->Axx + b->m, Ayy = t->Ayy + b->m, Axy = t->Axy;
    const double hx = t->hx - b->cy, hy = t->hy + b->cx, Di = 1.0 / (t->C + b->J);
    const double ax = Axy * rx - Axx * ry, ay = Ayy * rx - Axy * ry;
    const double ht = hy * rx - hx * ry, At = ay * rx - ax * ry;
    const double fx = t->fx - ww * b->cx + Axx * lx + Axy * ly;
    const double fy = t->fy - ww * b->cy + Axy * lx + Ayy * ly;
    const double wx = Di * hx, wy = Di * hy, e = -Di * (hx * lx + hy * ly + t->n);
    t->Axx = Axx - wx * hx;
    t->Ayy = Ayy - wy * hy;
    t->Axy = Axy - wx * hy;
    t->hx = ax - wx * ht;
    t->hy = ay - wy * ht;
    t->C = At - ht * ht * Di;
    t->fx = fx + e * hx;
    t->fy = fy + e * hy;
    t->n = rx * fy - ry * fx + e * ht;
    b->wx = wx;
    b->wy = wy;
    b->wn = 1.0 + Di * ht;
    b->h = e;
}

__attribute__((always_inline)) static inline void condense_alone(alone_plane *s, bool chain)
{
    const alone_carry nothing = {.n = 0.0};
    alone_carry t = nothing;
    for (int k = s->base.n - 1; k > 0; k--) {
        const tree_node *node = &s->base.of->node[k];
        if (!chain && node->slot >= 0)
            sum_alone(&t, &s->slot[node->slot]);
        drop_alone(&s->body[k], &t);
        if (chain || node->parent == k - 1)
            continue;
        if (node->up >= 0) {
            if (!node->first)
                sum_alone(&t, &s->slot[node->up]);
            s->slot[node->up] = t;
        }
        t = nothing;
    }
}

// Accelerations -----------------------------------------------------------------------------------

// Their sum, to tell whether all are finite.
__attribute__((always_inline)) static inline double unfold_alone(alone_plane *s, bool chain,
                                                                 double *vdot)
{
    double sum = 0.0;
    const tn_vec3 gravity =
        s->base.of->base.model->gravity; // an acceleration of the ground upwards
    alone_accel a = s->accel[0] = (alone_accel){-gravity.x, -gravity.y, 0.0};
    for (int k = 1; k < s->base.n; k++) {
        const alone_body *b = &s->body[k];
        const tree_node *node = &s->base.of->node[k];
        if (!chain && node->parent != k - 1)
            a = s->accel[node->parent];
        const double gain = b->h - b->wx * a.x - b->wy * a.y - b->wn * a.turn;
        a.x += b->lx - a.turn * b->ry;
        a.y += b->ly + a.turn * b->rx;
        a.turn += gain;
        sum += gain;
        vdot[k - 1] = b->s * gain;
        if (!chain && node->slot >= 0)
            s->accel[k] = a;
    }
    return sum;
}

__attribute__((always_inline)) static inline bool recurse_plane(alone_plane *s, bool chain,
                                                                const double *q, const double *v,
                                                                double *vdot)
{
    move_alone(s, chain, q, v);
    condense_alone(s, chain);
    return isfinite(unfold_alone(s, chain, vdot));
}

static bool accelerate_plane(tn_alone *self, const double *q, const double *v, double *vdot)
{
    return recurse_plane((alone_plane *)self, false, q, v, vdot);
}

static bool accelerate_chain_of_plane(tn_alone *self, const double *q, const double *v,
                                      double *vdot)
{
    return recurse_plane((alone_plane *)self, true, q, v, vdot);
}

// Energies and speeds -----------------------------------------------------------------------------

static inline alone_seen follow_alone(const alone_seen *p, const alone_body *b, double w, double a)
{
    return (alone_seen){.px = p->px + b->rx,
                        .py = p->py + b->ry,
                        .ux = p->ux - w * b->ry,
                        .uy = p->uy + w * b->rx,
                        .ax = p->ax + b->lx - p->turn * b->ry,
                        .ay = p->ay + b->ly + p->turn * b->rx,
                        .turn = p->turn + b->s * a};
}

// As tn_tree_energy, where all of a body is as high as its centre of mass.
static inline void add_sums_alone(tn_tree_sums *sum, const alone_body *b, const alone_still *c,
                                  const alone_seen *at, tn_vec3 gravity)
{
    const double fx = b->m * at->ux - b->w * b->cy, fy = b->m * at->uy + b->w * b->cx;
    const double n = b->cx * at->uy - b->cy * at->ux + b->J * b->w;
    sum->kinetic += 0.5 * (at->ux * fx + at->uy * fy + b->w * n);
    sum->potential -= gravity.x * (b->m * at->px + b->cx) + gravity.y * (b->m * at->py + b->cy) +
                      gravity.z * b->m * c->z;
    sum->momentum.x += fx;
    sum->momentum.y += fy;
    sum->spin.x -= c->z * fy;
    sum->spin.y += c->z * fx;
    sum->spin.z += n + at->px * fy - at->py * fx;
}

static inline void see_alone(tn_extremes *most, const alone_body *b, const alone_still *c,
                             const alone_seen *at)
{
    const double ww = b->w * b->w;
    const double x = c->cx * b->xx - c->cy * b->xy, y = c->cx * b->xy + c->cy * b->xx;
    const tn_centre centre = {
        .place = {at->px + x, at->py + y, c->z},
        .velocity = {at->ux - b->w * y, at->uy + b->w * x, 0.0},
        .acceleration = {at->ax - at->turn * y - ww * x, at->ay + at->turn * x - ww * y, 0.0},
        .rate = {0.0, 0.0, c->turns * b->w},
        .rate_dot = {0.0, 0.0, c->turns * at->turn}};
    tn_extremes_see(most, &centre, c->gyration);
}

static void move_plane(tn_alone *self, const double *q, const double *v)
{
    move_alone((alone_plane *)self, false, q, v);
}

static tn_tree_sums look_plane(tn_alone *self, const double *vdot, tn_extremes *most)
{
    alone_plane *s = (alone_plane *)self;
    const tn_vec3 gravity = self->of->base.model->gravity;
    tn_tree_sums sum = {.kinetic = 0.0};
    s->seen[0] = (alone_seen){.px = 0.0};
    for (int k = 1; k < self->n; k++) {
        const int parent = self->of->node[k].parent;
        const alone_body *b = &s->body[k];
        s->seen[k] = follow_alone(&s->seen[parent], b, s->body[parent].w, vdot ? vdot[k - 1] : 0.0);
        add_sums_alone(&sum, b, &s->still[k], &s->seen[k], gravity);
        if (vdot)
            see_alone(most, b, &s->still[k], &s->seen[k]);
    }
    return sum;
}

const tn_alone_kind tn_alone_plane = {
    .joint = TREE_FLAT_TURN,
    .size = sizeof(alone_plane),
    .layout = layout_alone_plane,
    .set = set_alone_plane,
    .accelerate = accelerate_plane,
    .accelerate_chain = accelerate_chain_of_plane,
    .move = move_plane,
    .look = look_plane,
};
