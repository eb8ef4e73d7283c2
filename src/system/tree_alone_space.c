// SPDX-License-Identifier: MIT
//
// The recursions of tree_move.c and tree_dynamics.c for trees in space whose joints all turn about
// one axis and on which nothing acts but gravity, from records of their own: all of a body lies
// together, and origins and their velocities are left out.
//
// Two vectors that turn alike are one vector of pairs: with the component i of the axes of the
// predecessor in the world, x_i, y_i and z_i,
//
//   (X, Y)_i = x_i (X, Y)_x + y_i (X, Y)_y + z_i (X, Y)_z,    likewise (z, r) of (Z, d)
//   (x, y)_i = cos q (X, Y)_i + sin q (Y, -X)_i
//
// which takes half of the instructions. What follows is written once for all trees (tree_parts.h).

#include "base/carve.h"
#include "base/sincos.h"
#include "system/tree_parts.h"

#include <math.h>

typedef double pair __attribute__((vector_size(2 * sizeof(double))));

typedef struct space_body {
    pair XY[3], Zd[3]; // of the joint: tree_base
    tree_mass mass;
    pair xy[3], zr[3]; // where it is
    tn_vec3 w, cl, ca;
    tree_pivot pivot;
} space_body;

typedef struct space_seen {
    tree_spot spot;
    tree_accel accel; // without gravity
} space_seen;

enum { BLOCK = 64 }; // angles whose sines are taken together

typedef struct alone_space {
    tn_alone base;
    space_body *body;  // n, with the ground
    tree_accel *accel; // n: of bodies that carry several
    tree_carry *slot;
    space_seen *seen;      // n
    alone_centre *centre;  // n
    double *sine, *cosine; // BLOCK
} alone_space;

static void layout_alone_space(void *self, tn_carve *mem)
{
    alone_space *s = self;
    const size_t n = (size_t)s->base.n;
    s->body = tn_carve_bytes(mem, sizeof *s->body * n);
    s->accel = tn_carve_bytes(mem, sizeof *s->accel * n);
    s->slot = tn_carve_bytes(mem, sizeof *s->slot * (size_t)s->base.of->nslot);
    s->seen = tn_carve_bytes(mem, sizeof *s->seen * n);
    s->centre = tn_carve_bytes(mem, sizeof *s->centre * n);
    TN_CARVE_DOUBLES(mem, BLOCK, &s->sine, &s->cosine);
}

static void set_pairs(tn_vec3 a, tn_vec3 b, pair to[3])
{
    to[0] = (pair){a.x, b.x};
    to[1] = (pair){a.y, b.y};
    to[2] = (pair){a.z, b.z};
}

static void set_alone_space(tn_alone *self)
{
    alone_space *s = (alone_space *)self;
    const tree *t = s->base.of;
    const tn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, none = {0, 0, 0};
    s->body[0] = (space_body){.w = none};
    set_pairs(x, y, s->body[0].xy);
    set_pairs(z, none, s->body[0].zr);
    for (int k = 1; k < s->base.n; k++) {
        const tree_base *at = &t->at[k];
        s->body[k] = (space_body){.mass = t->mass[k]};
        set_pairs(at->X, at->Y, s->body[k].XY);
        set_pairs(at->Z, at->d, s->body[k].Zd);
        s->centre[k] = tn_alone_centre(t, k);
    }
}

static inline tn_vec3 first_of(const pair a[3])
{
    return (tn_vec3){a[0][0], a[1][0], a[2][0]};
}

static inline tn_vec3 second_of(const pair a[3])
{
    return (tn_vec3){a[0][1], a[1][1], a[2][1]};
}

// Axes and velocities -----------------------------------------------------------------------------

typedef struct space_pose {
    pair xy[3], zr[3];
    tn_vec3 w;
} space_pose;

static inline space_pose pose_of(const space_body *b)
{
    return (space_pose){{b->xy[0], b->xy[1], b->xy[2]}, {b->zr[0], b->zr[1], b->zr[2]}, b->w};
}

static inline void turn_space(space_body *b, space_pose *p, double sine, double cosine, double rate)
{
    const pair across = {sine, -sine};
    for (int i = 0; i < 3; i++) {
        const double x = p->xy[i][0], y = p->xy[i][1], z = p->zr[i][0];
        const pair XY = b->XY[0] * x + b->XY[1] * y + b->XY[2] * z;
        const pair YX = {XY[1], XY[0]};
        b->zr[i] = p->zr[i] = b->Zd[0] * x + b->Zd[1] * y + b->Zd[2] * z;
        b->xy[i] = p->xy[i] = XY * cosine + YX * across;
    }
    const tn_vec3 w = p->w, spin = tn_v3_scale(rate, first_of(p->zr));
    b->cl = tree_centripetal(w, second_of(p->zr));
    b->ca = tn_v3_cross(w, spin);
    b->w = p->w = tn_v3_add(w, spin);
}

__attribute__((always_inline)) static inline void move_space(alone_space *s, bool chain,
                                                             const double *q, const double *v)
{
    space_pose last = pose_of(&s->body[0]);
    alone_at *at = s->base.at;
    for (int k = 1; k < s->base.n;) {
        const int n = s->base.n - k < BLOCK ? s->base.n - k : BLOCK;
        tn_sincos(n, q + k - 1, s->sine, s->cosine);
        for (int i = 0; i < n; i++, k++) {
            const int parent = chain ? k - 1 : s->base.of->node[k].parent;
            if (parent != k - 1)
                last = pose_of(&s->body[parent]);
            turn_space(&s->body[k], &last, s->sine[i], s->cosine[i], v[k - 1]);
            at[k] = (alone_at){q[k - 1], v[k - 1]};
        }
    }
}

// Inertias and forces -----------------------------------------------------------------------------

static inline tree_link link_of(const space_body *b)
{
    return (tree_link){first_of(b->zr), second_of(b->zr), b->cl, b->ca};
}

// Where several bodies stand on one. Not inline: registers are for the way along a chain.
__attribute__((noinline)) static tree_carry gathered(tree_carry c, const tree_carry *more)
{
    tree_carry_sum(&c, more);
    return c;
}

__attribute__((noinline)) static tree_carry handed(const tree_node *node, tree_carry *slot,
                                                   tree_carry c)
{
    tree_hand_on(node, slot, &c);
    return c;
}

// False where some D is not positive.
__attribute__((always_inline)) static inline bool condense_space(alone_space *s, bool chain)
{
    tree_carry c = tree_nothing();
    bool all = true;
    for (int k = s->base.n - 1; k > 0; k--) {
        const tree_node *node = &s->base.of->node[k];
        space_body *b = &s->body[k];
        const tree_link link = link_of(b);
        const tree_rigid rigid = tree_rigid_of(&b->mass, first_of(b->xy), second_of(b->xy), link.z);
        if (!chain && node->slot >= 0)
            c = gathered(c, &s->slot[node->slot]);
        tree_rigid_add(&c.I, &rigid);
        tree_turning_force(&c.F, &rigid, b->w);
        all &= tree_eliminate(&link, &b->pivot, false, true, 0.0, 0.0, &c);
        if (!chain && node->parent != k - 1)
            c = handed(node, s->slot, c);
    }
    return all;
}

// Accelerations -----------------------------------------------------------------------------------

// Their sum, to tell whether all are finite.
__attribute__((always_inline)) static inline double unfold_space(alone_space *s, bool chain,
                                                                 double *vdot)
{
    double sum = 0.0;
    tree_accel a = s->accel[0] =
        (tree_accel){tn_v3_neg(s->base.of->base.model->gravity), {0, 0, 0}};
    for (int k = 1; k < s->base.n; k++) {
        const space_body *b = &s->body[k];
        const tree_node *node = &s->base.of->node[k];
        const tree_link link = link_of(b);
        if (!chain && node->parent != k - 1)
            a = s->accel[node->parent];
        vdot[k - 1] = tree_unfold_axis(&link, &b->pivot, false, true, b->pivot.h, &a);
        sum += vdot[k - 1];
        if (!chain && node->slot >= 0)
            s->accel[k] = a;
    }
    return sum;
}

__attribute__((always_inline)) static inline bool recurse_space(alone_space *s, bool chain,
                                                                const double *q, const double *v,
                                                                double *vdot)
{
    move_space(s, chain, q, v);
    return condense_space(s, chain) && isfinite(unfold_space(s, chain, vdot));
}

static bool accelerate_space(tn_alone *self, const double *q, const double *v, double *vdot)
{
    return recurse_space((alone_space *)self, false, q, v, vdot);
}

static bool accelerate_chain_of_space(tn_alone *self, const double *q, const double *v,
                                      double *vdot)
{
    return recurse_space((alone_space *)self, true, q, v, vdot);
}

// Energies and speeds -----------------------------------------------------------------------------

static inline space_seen follow_space(const space_seen *p, const tree_link *link, tn_vec3 w,
                                      double vdot)
{
    space_seen x = {
        .spot = {.p = tn_v3_add(p->spot.p, link->r), .u = tree_add_cross(p->spot.u, w, link->r)},
        .accel = tree_carried(link, p->accel, true)};
    x.accel.al = tn_v3_axpy(vdot, link->z, x.accel.al);
    return x;
}

static inline void see_space(tn_extremes *most, const space_body *b, const alone_centre *c,
                             const space_seen *x)
{
    const tn_vec3 none = {0, 0, 0};
    const tn_vec3 arm = tree_along(first_of(b->xy), second_of(b->xy), first_of(b->zr), c->at);
    const tn_vec3 swing = tn_v3_cross(b->w, arm);
    const tn_centre centre = {
        .place = tn_v3_add(x->spot.p, arm),
        .velocity = tn_v3_add(x->spot.u, swing),
        .acceleration = tree_add_cross(tree_add_cross(x->accel.l, x->accel.al, arm), b->w, swing),
        .rate = c->point ? none : b->w,
        .rate_dot = c->point ? none : x->accel.al};
    tn_extremes_see(most, &centre, c->gyration);
}

static void move_to_space(tn_alone *self, const double *q, const double *v)
{
    move_space((alone_space *)self, false, q, v);
}

static tn_tree_sums look_space(tn_alone *self, const double *vdot, tn_extremes *most)
{
    alone_space *s = (alone_space *)self;
    const tn_vec3 gravity = self->of->base.model->gravity;
    tn_tree_sums sum = {.kinetic = 0.0};
    s->seen[0] = (space_seen){.accel = {{0, 0, 0}, {0, 0, 0}}};
    for (int k = 1; k < self->n; k++) {
        const int parent = self->of->node[k].parent;
        const space_body *b = &s->body[k];
        const tree_link link = link_of(b);
        const tree_rigid rigid = tree_rigid_of(&b->mass, first_of(b->xy), second_of(b->xy), link.z);
        s->seen[k] =
            follow_space(&s->seen[parent], &link, s->body[parent].w, vdot ? vdot[k - 1] : 0.0);
        tree_sums_add(&sum, &rigid, &s->seen[k].spot, b->w, gravity);
        if (vdot)
            see_space(most, b, &s->centre[k], &s->seen[k]);
    }
    return sum;
}

const tn_alone_kind tn_alone_space = {
    .joint = TREE_REVOLUTE,
    .size = sizeof(alone_space),
    .layout = layout_alone_space,
    .set = set_alone_space,
    .accelerate = accelerate_space,
    .accelerate_chain = accelerate_chain_of_space,
    .move = move_to_space,
    .look = look_space,
};
