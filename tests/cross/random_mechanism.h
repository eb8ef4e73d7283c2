// SPDX-License-Identifier: MIT
//
// Random mechanisms: a tree of random joints with point masses as leaves, loops closed by joints
// whose frames are built from the configuration so that they fit, gears, copies of joints (which
// repeat rows), springs without dampers.

#pragma once

#include "kinds/family.h"
#include "workshop.h"

#include <string.h>

enum { MOST_BODIES = 8, ROOM = 64 }; // of a random size, of any size

typedef struct mechanism {
    tn_model *model;
    bool planar, floating;
    bool mixed; // some joints have the earlier body as their body B
    int nbody;  // moving ones
    int nv;     // velocity coordinates
    int tree_rows, loop_rows, copied_rows;
    bool point[ROOM + 1];
    int parent[ROOM + 1];   // of each moving body; -1 for a free one
    int freedoms[ROOM + 1]; // of the joint to the parent
    tn_frame frame[ROOM + 1];
} mechanism;

static inline int random_int(int n) // 0 to n - 1
{
    const int k = (int)(random_unit() * n);
    return k < n ? k : n - 1;
}

// A frame B in A that the kind of joint allows, somewhere in its range.
static inline tn_frame random_placement(const tn_joint_def *def, bool planar)
{
    const tn_joint_ops *ops = tn_joint_ops_of(def->kind);
    if (ops->motion) {
        double q[7] = {0}, v[6] = {0};
        tn_joint_motion motion = {0};
        for (int i = 0; i < ops->nq; i++)
            q[i] = 0.6 * tn_random();
        if (ops->nq == 4) // a quaternion
            tn_quat_to(tn_quat_normalize((tn_quat){1.0, q[1], q[2], q[3]}), q);
        ops->motion(def, q, v, &motion);
        return motion.X;
    }
    tn_frame X = {planar ? tn_m3_rot_z(tn_random()) : random_rotation(), {0, 0, 0}};
    if (def->kind == TN_JOINT_POINT_ON_LINE)
        X.p.z = 0.5 * tn_random();
    else if (def->kind == TN_JOINT_POINT_IN_PLANE)
        X.p.x = 0.5 * tn_random(), X.p.y = 0.5 * tn_random();
    else
        X.p.x = 0.4, X.p.y = 0.3 + 0.1 * tn_random(), X.p.z = planar ? 0.0 : 0.2 * tn_random();
    return X;
}

static inline tn_frame joint_frame(bool planar)
{
    tn_frame f = {planar ? tn_m3_rot_z(3.0 * tn_random()) : random_rotation(), random_vec3(0.4)};
    if (planar)
        f.p.z = 0.0;
    return f;
}

static inline tn_joint_kind random_point_kind(const mechanism *m)
{
    static const tn_joint_kind kinds[] = {TN_JOINT_DISTANCE, TN_JOINT_POINT_ON_LINE,
                                          TN_JOINT_POINT_IN_PLANE, TN_JOINT_SPHERICAL};
    return m->planar ? TN_JOINT_PIN_IN_SLOT : kinds[random_int(TN_COUNT(kinds))];
}

static inline tn_joint_kind random_kind(const mechanism *m, bool loop)
{
    static const tn_joint_kind spatial[] = {
        TN_JOINT_REVOLUTE, TN_JOINT_SPHERICAL, TN_JOINT_UNIVERSAL,     TN_JOINT_CYLINDRICAL,
        TN_JOINT_SCREW,    TN_JOINT_PRISMATIC, TN_JOINT_PLANAR,        TN_JOINT_FIXED,
        TN_JOINT_DISTANCE, TN_JOINT_DISTANCE,  TN_JOINT_POINT_ON_LINE, TN_JOINT_POINT_IN_PLANE};
    static const tn_joint_kind flat[] = {TN_JOINT_PLANAR_REVOLUTE, TN_JOINT_PLANAR_PRISMATIC,
                                         TN_JOINT_PIN_IN_SLOT, TN_JOINT_PLANAR_FIXED,
                                         TN_JOINT_DISTANCE};
    if (m->planar)
        return flat[random_int(loop ? TN_COUNT(flat) : TN_COUNT(flat) - 1)];
    return spatial[random_int(loop ? TN_COUNT(spatial) : TN_COUNT(spatial) - 4)];
}

// A moving body that turns, or the ground where the mechanism stands on it.
static inline int random_carrier(const mechanism *m)
{
    const int least = m->floating ? 1 : 0;
    int k;
    do
        k = least + random_int(m->nbody + 1 - least);
    while (m->point[k]);
    return k;
}

static inline tn_body_def random_link(bool planar)
{
    tn_body_def def = tn_default_body();
    def.kind = planar ? TN_BODY_PLANAR : TN_BODY_RIGID;
    def.mass = 0.5 + random_unit();
    def.com = random_vec3(0.2);
    def.inertia = tn_v3_scale(0.1, tn_v3_add(tn_v3(1.0, 1.0, 1.0), random_vec3(0.3)));
    def.velocity = random_vec3(0.3);
    def.rate = random_vec3(0.5);
    if (planar) {
        def.com.z = def.velocity.z = 0.0;
        def.rate = tn_v3(0.0, 0.0, def.rate.z);
    } else
        def.inertia_axes = random_rotation();
    return def;
}

static inline int rows_of(const mechanism *m, tn_joint joint)
{
    return tn_model_joint_row_count(m->model, joint);
}

static inline void add_tree_joint(mechanism *m, int b, const tn_joint_def *joint)
{
    const int rows = rows_of(m, tn_model_add_joint(m->model, joint));
    m->tree_rows += rows;
    m->freedoms[b] -= rows;
}

// One more body, on a random joint to a random earlier one, placed where the joint wants it.
static inline void grow(mechanism *m)
{
    const bool free = m->nbody == 0 && m->floating;
    const bool point = m->nbody > 1 && random_int(6) == 0;
    const int parent = free ? -1 : m->nbody == 0 ? 0 : random_carrier(m);
    const int b = ++m->nbody;
    tn_body_def body = random_link(m->planar);
    tn_joint_def joint = tn_default_joint(point ? random_point_kind(m) : random_kind(m, false));
    if (b == 1 && tn_joint_ops_of(joint.kind)->nv == 0)
        joint.kind = TN_JOINT_REVOLUTE; // something shall move
    if (joint.kind == TN_JOINT_SCREW)
        joint.screw.pitch = 0.2;
    joint.frame_a = joint_frame(m->planar);
    joint.frame_b = joint_frame(m->planar);
    if (point) {
        body.kind = m->planar ? TN_BODY_POINT_2D : TN_BODY_POINT;
        body.com = body.rate = joint.frame_b.p = tn_v3(0, 0, 0);
        joint.frame_b.R = tn_m3_identity;
    }
    const bool back = m->mixed && !point && random_int(3) == 0;
    body.frame = joint.frame_a;
    if (!free) {
        const tn_frame X = random_placement(&joint, m->planar);
        const tn_frame below = tn_frame_mul(m->frame[parent], back ? joint.frame_b : joint.frame_a);
        body.frame = tn_frame_mul(tn_frame_mul(below, back ? tn_frame_inverse(X) : X),
                                  tn_frame_inverse(back ? joint.frame_a : joint.frame_b));
    }
    if (point)
        body.frame.R = tn_m3_identity;
    m->parent[b] = parent;
    m->point[b] = point;
    m->frame[b] = body.frame;
    m->freedoms[b] = (m->planar ? 3 : 6) - (point ? (m->planar ? 1 : 3) : 0);
    m->nv += m->freedoms[b];
    joint.body_a = (tn_body){parent};
    joint.body_b = tn_model_add_body(m->model, &body);
    if (back) {
        joint.body_a = joint.body_b;
        joint.body_b = (tn_body){parent};
    }
    if (!free)
        add_tree_joint(m, b, &joint);
}

static inline bool is_ancestor(const mechanism *m, int a, int b)
{
    while (b > 0 && b != a)
        b = m->parent[b];
    return b == a;
}

// Freedoms of the joints on the way from a to b through the tree.
static inline int path_freedoms(const mechanism *m, int a, int b)
{
    int sum = 0;
    for (int k = a; k > 0 && !is_ancestor(m, k, b); k = m->parent[k])
        sum += m->freedoms[k];
    for (int k = b; k > 0 && !is_ancestor(m, k, a); k = m->parent[k])
        sum += m->freedoms[k];
    return sum;
}

// A joint across two bodies that leaves their loop something to move.
static inline bool close_loop(mechanism *m)
{
    const int a = random_carrier(m), b = random_carrier(m);
    if (a == b || b == 0 || m->parent[b] == a || m->parent[a > 0 ? a : b] == b)
        return false;
    tn_joint_def joint = tn_default_joint(random_kind(m, true));
    if (joint.kind == TN_JOINT_SCREW)
        joint.screw.pitch = 0.2;
    if (path_freedoms(m, a, b) - m->loop_rows <= tn_joint_ops_of(joint.kind)->nrow)
        return false;
    joint.body_a = (tn_body){a};
    joint.body_b = (tn_body){b};
    joint.frame_a = joint_frame(m->planar);
    joint.frame_b = tn_frame_mul(tn_frame_mul(tn_frame_inverse(m->frame[b]), m->frame[a]),
                                 tn_frame_mul(joint.frame_a, random_placement(&joint, m->planar)));
    m->loop_rows += rows_of(m, tn_model_add_joint(m->model, &joint));
    return true;
}

static inline void copy_joint(mechanism *m)
{
    if (m->model->joints.count == 0)
        return;
    const tn_joint_data *from = &m->model->joints.at[random_int(m->model->joints.count)];
    tn_joint_def def = tn_default_joint(from->def->kind);
    memcpy(&def, from->def, tn_joint_kept_bytes(from));
    def.name = NULL;
    m->copied_rows += rows_of(m, tn_model_add_joint(m->model, &def));
}

// A random coordinate of a tree joint; the joint's index is -1 where none was found.
static inline tn_joint random_coordinate(const mechanism *m, int *coordinate)
{
    for (int tries = 0; tries < 20 && m->model->joints.count > 0; tries++) {
        const tn_joint joint = {random_int(m->model->joints.count)};
        const int n = tn_model_joint_coordinate_count(m->model, joint);
        const tn_body b = m->model->joints.at[joint.index].def->body_b;
        *coordinate = n > 0 ? random_int(n) : 0;
        if (n > 0 && !m->point[b.index])
            return joint;
    }
    return (tn_joint){-1};
}

static inline int freedoms_left(const mechanism *m)
{
    return m->nv - m->tree_rows - m->loop_rows - (m->floating ? (m->planar ? 3 : 6) : 0);
}

static inline void add_gear(mechanism *m)
{
    tn_joint_def gear = tn_default_joint(TN_JOINT_GEAR);
    gear.gear.joint_1 = random_coordinate(m, &gear.gear.coordinate_1);
    gear.gear.joint_2 = random_coordinate(m, &gear.gear.coordinate_2);
    gear.gear.ratio_1 = 1.0 + random_unit();
    gear.gear.ratio_2 = 1.0 - 3.0 * random_unit();
    if (gear.gear.joint_1.index < 0 || gear.gear.joint_2.index < 0 ||
        gear.gear.joint_1.index == gear.gear.joint_2.index || freedoms_left(m) < 2)
        return;
    m->loop_rows += rows_of(m, tn_model_add_joint(m->model, &gear));
}

static inline void add_springs(mechanism *m)
{
    for (int k = random_int(3); k > 0; k--) {
        tn_force_def spring = tn_default_force(TN_FORCE_SPRING);
        spring.body_a = (tn_body){random_carrier(m)};
        spring.body_b = (tn_body){random_carrier(m)};
        if (spring.body_a.index == spring.body_b.index)
            continue;
        spring.frame_a = joint_frame(m->planar);
        spring.frame_b = joint_frame(m->planar);
        spring.frame_b.p.x += 1.0; // long enough
        spring.spring.stiffness = 20.0 + 20.0 * random_unit();
        tn_model_add_force(m->model, &spring);
    }
}

// With as many bodies as wanted, up to ROOM, and joints of either direction; a random number for 0.
static inline mechanism random_mechanism_of(int seed, int bodies)
{
    tn_random_seed((uint64_t)seed);
    mechanism m = {.model = tn_model_create(), .planar = seed % 4 == 3, .floating = seed % 5 == 4};
    m.frame[0] = tn_frame_identity;
    m.mixed = bodies > 0;
    if (!m.floating)
        tn_model_set_gravity(m.model, m.planar ? tn_v3(3.0, -9.0, 0.0) : random_vec3(8.0));
    for (int k = bodies > 0 ? bodies : 2 + random_int(MOST_BODIES - 1); k > 0; k--)
        grow(&m);
    int loops = random_int(3);
    for (int tries = 0; loops > 0 && tries < 40; tries++)
        loops -= close_loop(&m);
    if (seed % 7 == 0)
        add_gear(&m);
    if (seed % 6 == 0)
        copy_joint(&m);
    add_springs(&m);
    CHECK_OK(tn_model_status(m.model));
    return m;
}

static inline mechanism random_mechanism(int seed)
{
    return random_mechanism_of(seed, 0);
}
