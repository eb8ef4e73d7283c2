// SPDX-License-Identifier: MIT
//
// Nets of closed loops, built by the library:
//
//   row      planar four-bars side by side (fourbars.h): neighbours share a link; one freedom
//   even     the same with links of one length, which move alike in rows of any length
//   ladder   planar rungs and rails: each loop shares a side with the next; one freedom a loop
//   truss    a girder of planar triangles that hangs by its first pin; one freedom
//   wheel    a planar hub with spokes, whose ends rods join: a body that many others are pinned on
//   grid     a cloth of spatial rods on balls, that hangs by its upper edge; n x n loops
//   mail     n x n rings, rigid bodies that short rods without mass tie to four neighbours
//   tangle   rigid bodies in a row, with rods without mass between any two: no order suits
//   tower    Stewart platforms, one on the other, on legs of two bodies each
//
// and, to be measured beside them, trees without loops, of n bodies in space on revolute joints:
//
//   chain    a string of short links that hangs by its first joint
//   star     16 such strings on one body on a ball
//
// All are closed as they are stated, at rest, and in no singular position.

#pragma once

#include "fourbars.h"
#include "tenon/tenon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct net {
    tn_model *model;
    int loops, bodies, joints; // loops: joints beyond those of a tree from the ground
    tn_frame *frame;           // of the bodies, the ground first
} net;

static inline void net_open(net *n)
{
    *n = (net){.model = tn_model_create(), .frame = malloc(sizeof(tn_frame))};
    n->frame[0] = tn_frame_identity;
    tn_model_set_gravity(n->model, (tn_vec3){0.0, -GRAVITY, 0.0});
}

static inline void net_destroy(net *n)
{
    tn_model_destroy(n->model);
    free(n->frame);
}

static inline tn_body net_add(net *n, const tn_body_def *def)
{
    n->bodies++;
    n->frame = realloc(n->frame, ((size_t)n->bodies + 1) * sizeof(tn_frame));
    n->frame[n->bodies] = def->frame;
    return tn_model_add_body(n->model, def);
}

// A joint whose two frames agree at the start; `at` is in the inertial frame.
static inline void net_join(net *n, tn_joint_kind kind, tn_body a, tn_body b, tn_frame at)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a = a;
    def.body_b = b;
    def.frame_a = tn_frame_mul(tn_frame_inverse(n->frame[a.index]), at);
    def.frame_b = tn_frame_mul(tn_frame_inverse(n->frame[b.index]), at);
    tn_model_add_joint(n->model, &def);
    n->joints++;
}

static inline void net_tie(net *n, tn_joint_kind kind, tn_body a, tn_body b, tn_vec3 at)
{
    net_join(n, kind, a, b, (tn_frame){tn_m3_identity, at});
}

// In the plane ------------------------------------------------------------------------------------

static inline tn_body net_planar_rod(net *n, tn_vec3 from, tn_vec3 to)
{
    const rod r = rod_between(from.x, from.y, to.x, to.y);
    tn_body_def def = tn_default_body();
    def.kind = TN_BODY_PLANAR;
    def.mass = r.mass;
    def.inertia.z = r.inertia;
    def.frame = (tn_frame){tn_m3_rot_z(r.angle), {r.x, r.y, 0.0}};
    return net_add(n, &def);
}

static inline void net_pin(net *n, tn_body a, tn_body b, tn_vec3 at)
{
    net_tie(n, TN_JOINT_PLANAR_REVOLUTE, a, b, at);
}

static inline void net_row(net *n, int loops)
{
    fourbars m = fourbars_create(loops);
    for (int k = 0; k < m.nrod; k++) {
        const rod *r = &m.rods[k];
        const double x = 0.5 * r->length * cos(r->angle), y = 0.5 * r->length * sin(r->angle);
        net_planar_rod(n, (tn_vec3){r->x - x, r->y - y, 0.0}, (tn_vec3){r->x + x, r->y + y, 0.0});
    }
    for (int k = 0; k < m.npin; k++) {
        const pin *p = &m.pins[k];
        net_pin(n, (tn_body){p->a + 1}, (tn_body){p->b + 1}, (tn_vec3){p->x, p->y, 0.0});
    }
    fourbars_destroy(&m);
}

static inline void net_even(net *n, int loops)
{
    const double x = sin(0.7), y = -cos(0.7);
    tn_body last = TN_GROUND;
    for (int k = 0; k <= loops; k++) {
        const tn_vec3 pivot = {k, 0.0, 0.0}, tip = {k + x, y, 0.0}, before = {k - 1 + x, y, 0.0};
        const tn_body link = net_planar_rod(n, pivot, tip);
        net_pin(n, TN_GROUND, link, pivot);
        if (k > 0) {
            const tn_body coupler = net_planar_rod(n, before, tip);
            net_pin(n, last, coupler, before);
            net_pin(n, coupler, link, tip);
        }
        last = link;
    }
}

// Rails lean, so that no loop is a rectangle or flat.
static inline tn_vec3 ladder_node(int k, int side)
{
    return (tn_vec3){k + 0.1 * sin(k), side - 0.3 * k + 0.05 * side * cos(2.0 * k), 0.0};
}

static inline void net_ladder(net *n, int loops)
{
    tn_body last = TN_GROUND;
    for (int k = 1; k <= loops; k++) {
        const tn_body rung = net_planar_rod(n, ladder_node(k, 0), ladder_node(k, 1));
        for (int side = 0; side < 2; side++) {
            const tn_vec3 from = ladder_node(k - 1, side), to = ladder_node(k, side);
            const tn_body rail = net_planar_rod(n, from, to);
            net_pin(n, last, rail, from);
            net_pin(n, rail, rung, to);
        }
        last = rung;
    }
}

static inline void net_wheel(net *n, int loops)
{
    const tn_body hub = net_planar_rod(n, (tn_vec3){-0.5, 0.0, 0.0}, (tn_vec3){0.5, 0.0, 0.0});
    tn_body last = TN_GROUND;
    tn_vec3 end = {0.0, 0.0, 0.0};
    net_pin(n, TN_GROUND, hub, end);
    for (int k = 0; k <= loops; k++) {
        const double angle = 6.0 * k / loops, length = 2.0 + 0.3 * (k % 2);
        const tn_vec3 from = {cos(angle), sin(angle), 0.0}, to = tn_v3_scale(length, from);
        const tn_body spoke = net_planar_rod(n, from, to);
        net_pin(n, hub, spoke, from);
        if (k > 0) {
            const tn_body rim = net_planar_rod(n, end, to);
            net_pin(n, last, rim, end);
            net_pin(n, rim, spoke, to);
        }
        last = spoke;
        end = to;
    }
}

static inline tn_vec3 truss_node(int k)
{
    return (tn_vec3){0.5 * k, k % 2 ? -0.8 : 0.0, 0.0};
}

// Bars from each node to the next two. Those that meet at a node are pinned to the first of them.
static inline void net_truss(net *n, int loops)
{
    const int nodes = loops + 2;
    tn_body *at = calloc((size_t)nodes, sizeof *at); // the first bar of each node
    for (int k = 0; k < nodes; k++)
        for (int reach = 1; reach <= 2 && k + reach < nodes; reach++) {
            const tn_body bar = net_planar_rod(n, truss_node(k), truss_node(k + reach));
            if (k == 0 || at[k].index > 0)
                net_pin(n, at[k], bar, truss_node(k)); // the ground holds node 0
            else
                at[k] = bar;
            if (k == 0)
                at[0] = bar;
            if (at[k + reach].index > 0)
                net_pin(n, at[k + reach], bar, truss_node(k + reach));
            else
                at[k + reach] = bar;
        }
    free(at);
}

// In space ----------------------------------------------------------------------------------------

// A frame whose z axis has a direction.
static inline tn_mat3 net_along(tn_vec3 z)
{
    z = tn_v3_scale(1.0 / tn_v3_norm(z), z);
    const tn_vec3 aside = fabs(z.x) < 0.6 ? (tn_vec3){1.0, 0.0, 0.0} : (tn_vec3){0.0, 1.0, 0.0};
    tn_vec3 x = tn_v3_cross(aside, z);
    x = tn_v3_scale(1.0 / tn_v3_norm(x), x);
    return tn_m3_columns(x, tn_v3_cross(z, x), z);
}

static inline tn_body net_rod(net *n, tn_vec3 from, tn_vec3 to)
{
    const double length = tn_v3_norm(tn_v3_sub(to, from)), mass = DENSITY * length;
    tn_body_def def = tn_default_body();
    def.mass = mass;
    def.inertia =
        (tn_vec3){mass * length * length / 12.0, mass * length * length / 12.0, 1e-3 * mass};
    def.frame = (tn_frame){net_along(tn_v3_sub(to, from)), tn_v3_scale(0.5, tn_v3_add(from, to))};
    return net_add(n, &def);
}

static inline tn_vec3 grid_node(int i, int j)
{
    return (tn_vec3){i, -j, 0.2 * sin(0.7 * i + 1.1 * j)};
}

// Rods that meet at a knot are tied to the first of them; knots of the upper edge are the ground.
static inline void grid_hold(net *n, tn_body *knot, bool is_held, tn_body bar, tn_vec3 at)
{
    if (is_held || knot->index > 0)
        net_tie(n, TN_JOINT_SPHERICAL, is_held ? TN_GROUND : *knot, bar, at);
    else
        *knot = bar;
}

static inline void net_grid(net *n, int loops)
{
    const int side = (int)lround(sqrt(loops)), across = side + 1;
    tn_body *knot = calloc((size_t)(across * across), sizeof *knot);
    for (int j = 0; j < across; j++)
        for (int i = 0; i < across; i++) {
            const tn_vec3 here = grid_node(i, j);
            if (j > 0) {
                const tn_body bar = net_rod(n, grid_node(i, j - 1), here);
                grid_hold(n, &knot[i + (j - 1) * across], j == 1, bar, grid_node(i, j - 1));
                grid_hold(n, &knot[i + j * across], false, bar, here);
            }
            if (i > 0 && j > 0) {
                const tn_body bar = net_rod(n, grid_node(i - 1, j), here);
                grid_hold(n, &knot[i - 1 + j * across], false, bar, grid_node(i - 1, j));
                grid_hold(n, &knot[i + j * across], false, bar, here);
            }
        }
    free(knot);
}

static inline void mail_link(net *n, tn_body a, tn_body b, tn_vec3 from, tn_vec3 to)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_DISTANCE);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.p = tn_frame_point(tn_frame_inverse(n->frame[a.index]), from);
    def.frame_b.p = tn_frame_point(tn_frame_inverse(n->frame[b.index]), to);
    tn_model_add_joint(n->model, &def);
    n->joints++;
}

static inline void net_mail(net *n, int loops)
{
    const int side = (int)lround(sqrt(loops)) + 1;
    tn_body *ring = calloc((size_t)(side * side), sizeof *ring);
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const tn_vec3 at = grid_node(i, j);
            tn_body_def def = tn_default_body();
            def.mass = 0.1;
            def.inertia = (tn_vec3){0.005, 0.005, 0.01};
            def.frame = (tn_frame){tn_m3_rot_x(0.3 * sin(i + 2.0 * j)), at};
            ring[i + j * side] = net_add(n, &def);
            const tn_vec3 right = {0.4, 0.0, 0.0}, up = {0.0, 0.4, 0.0};
            if (i > 0)
                mail_link(n, ring[i - 1 + j * side], ring[i + j * side],
                          tn_v3_add(grid_node(i - 1, j), right), tn_v3_sub(at, right));
            const tn_vec3 above = grid_node(i, j - 1);
            mail_link(n, j > 0 ? ring[i + (j - 1) * side] : TN_GROUND, ring[i + j * side],
                      tn_v3_sub(above, up), tn_v3_add(at, up));
        }
    free(ring);
}

static inline tn_vec3 tangle_place(int k)
{
    return (tn_vec3){k % 30, k / 30, 0.3 * sin(1.3 * k)};
}

static inline void net_tangle(net *n, int loops)
{
    unsigned random = 1;
    for (int k = 1; k <= loops; k++) {
        tn_body_def def = tn_default_body();
        def.inertia = (tn_vec3){0.1, 0.2, 0.3};
        def.frame.p = tangle_place(k);
        net_add(n, &def);
        const tn_vec3 aside = {0.0, 0.2, 0.1};
        mail_link(n, (tn_body){k - 1}, (tn_body){k}, tn_v3_add(tangle_place(k - 1), aside),
                  tn_v3_sub(tangle_place(k), aside));
    }
    for (int k = 0; k < 2 * loops; k++) {
        random = 1664525u * random + 1013904223u;
        const int one = 1 + k / 2, other = 1 + (int)((random >> 8) % (unsigned)loops);
        const tn_vec3 up = {0.1, k % 2 ? 0.2 : -0.2, 0.2};
        if (other != one)
            mail_link(n, (tn_body){one}, (tn_body){other}, tn_v3_add(tangle_place(one), up),
                      tn_v3_sub(tangle_place(other), up));
    }
}

static inline tn_vec3 tower_corner(int level, double angle)
{
    return (tn_vec3){cos(angle), level, sin(angle)};
}

// Five loops a level. Feet and heads stand in pairs, those of the head between those of the feet.
static inline void net_tower(net *n, int loops)
{
    tn_body base = TN_GROUND;
    for (int level = 0; level < (loops + 4) / 5; level++) {
        tn_body_def plate = tn_default_body();
        plate.mass = 5.0;
        plate.inertia = (tn_vec3){1.3, 2.5, 1.3};
        plate.frame.p = (tn_vec3){0.0, level + 1.0, 0.0};
        const tn_body head = net_add(n, &plate);
        for (int k = 0; k < 6; k++) {
            const double pair = M_PI / 3.0 * (k - k % 2), turn = k % 2 ? 1.0 : -1.0;
            const tn_vec3 foot = tower_corner(level, pair + 0.2 * turn);
            const tn_vec3 top = tower_corner(level + 1, pair + (M_PI / 3.0 - 0.2) * turn);
            const tn_vec3 middle = tn_v3_scale(0.5, tn_v3_add(foot, top));
            const tn_mat3 R = net_along(tn_v3_sub(top, foot));
            const tn_body lower = net_rod(n, foot, middle), upper = net_rod(n, middle, top);
            net_join(n, TN_JOINT_UNIVERSAL, base, lower, (tn_frame){R, foot});
            net_join(n, TN_JOINT_PRISMATIC, lower, upper, (tn_frame){R, middle});
            net_join(n, TN_JOINT_SPHERICAL, upper, head, (tn_frame){R, top});
        }
        base = head;
    }
}

// Links from a body on, each `along` and a little up, about axes across them by turns.
static inline void net_string(net *n, tn_body last, tn_vec3 at, tn_vec3 along, int links)
{
    const tn_mat3 level = tn_m3_rot_y(-atan2(along.z, along.x)); // its x axis goes along
    for (int k = 0; k < links; k++) {
        const tn_vec3 to = {at.x + along.x, at.y + along.y + 0.03 * sin(0.01 * k), at.z + along.z};
        const tn_body link = net_rod(n, at, to);
        const tn_mat3 axes = k % 2 ? level : tn_m3_mul(level, tn_m3_rot_x(M_PI / 2.0));
        net_join(n, TN_JOINT_REVOLUTE, last, link, (tn_frame){axes, at});
        last = link;
        at = to;
    }
}

static inline void net_chain(net *n, int links)
{
    net_string(n, TN_GROUND, (tn_vec3){0.0, 0.0, 0.0}, (tn_vec3){0.1, 0.0, 0.0}, links);
}

static inline void net_star(net *n, int links)
{
    enum { LIMBS = 16 };
    const tn_vec3 foot = {0.0, 0.0, 0.0}, head = {0.0, 1.0, 0.0};
    const tn_body hub = net_rod(n, foot, head);
    net_tie(n, TN_JOINT_SPHERICAL, TN_GROUND, hub, foot);
    for (int limb = 0; limb < LIMBS; limb++) {
        const double angle = 2.0 * M_PI * limb / LIMBS;
        net_string(n, hub, head, (tn_vec3){0.1 * cos(angle), 0.0, 0.1 * sin(angle)}, links / LIMBS);
    }
}

// By name; false for none of these.
static inline bool net_create(const char *name, int loops, net *n)
{
    static const struct {
        const char *name;
        void (*build)(net *, int);
    } kinds[] = {{"row", net_row},     {"even", net_even},   {"ladder", net_ladder},
                 {"truss", net_truss}, {"grid", net_grid},   {"mail", net_mail},
                 {"tower", net_tower}, {"wheel", net_wheel}, {"tangle", net_tangle},
                 {"chain", net_chain}, {"star", net_star}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].name, name) == 0) {
            net_open(n);
            kinds[k].build(n, loops);
            n->loops = n->joints - n->bodies;
            return true;
        }
    return false;
}
