// SPDX-License-Identifier: MIT
//
// Placement by forward kinematics, see place.h.

#include "analysis/place.h"

#include "analysis/place_fit.h"
#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "system/absolute.h"
#include "system/tree.h"

#include <math.h>

// A joint that is turned further than this from what it allows is not closed on the side that it
// is meant to close on; steps of the assembly could go either way from a quarter turn on.
static const double FLIPPED = 1.0; // [rad]

// What is known of the coordinates of a joint.
typedef struct known {
    bool given[TN_JOINT_MAX_COORDS];
    double value[TN_JOINT_MAX_COORDS];
} known;

typedef struct placement {
    const tn_model *model;
    const tn_system *world;
    known *joint; // per joint of the model: coordinates, or their rates
    bool *preferred, *free;
    bool *settled;    // per body: nothing but stated coordinates lead to it
    tn_frame *frames; // per body, as the world has them
    tn_twist *twists;
    tn_tree *tree;
    double *q, *v; // of the tree
    void *block;
} placement;

static void layout_place(void *self, tn_carve *mem)
{
    placement *p = self;
    const size_t joints = (size_t)p->model->joints.count + 1;
    const size_t bodies = (size_t)p->model->bodies.count;
    p->joint = tn_carve_bytes(mem, sizeof *p->joint * joints);
    p->preferred = tn_carve_bytes(mem, sizeof *p->preferred * joints);
    p->free = tn_carve_bytes(mem, sizeof *p->free * bodies);
    p->settled = tn_carve_bytes(mem, sizeof *p->settled * bodies);
    p->frames = tn_carve_bytes(mem, sizeof *p->frames * bodies);
    p->twists = tn_carve_bytes(mem, sizeof *p->twists * bodies);
    p->q = tn_carve_doubles(mem, 7 * p->model->bodies.count);
    p->v = tn_carve_doubles(mem, 6 * p->model->bodies.count);
}

// Coordinates that the model states, that drives prescribe at time t, or that are guessed; with
// `rates` their rates.
static void collect_place(placement *p, double t, bool rates)
{
    for (int k = 0; k < p->model->joints.count; k++) {
        const tn_joint_def *def = &p->model->joints.at[k].def;
        const int n = rates ? def->nrate : def->nposition;
        for (int i = 0; i < n; i++)
            p->joint[k].given[i] = true;
        tn_copy(n, rates ? def->rate : def->position, p->joint[k].value);
    }
    for (int k = 0; k < p->model->joints.count; k++) {
        const tn_joint_data *data = &p->model->joints.at[k];
        tn_driven driven;
        double u[3];
        if (!tn_joint_drives(data, &driven))
            continue;
        known *target = &p->joint[driven.joint.index];
        tn_timefn_eval(data->u[0], t, u);
        target->given[driven.coordinate] = isfinite(u[rates]);
        target->value[driven.coordinate] = u[rates];
    }
}

static tn_status open_placement(placement *p, double t, bool rates)
{
    TN_TRY(tn_carve_block(p, layout_place, &p->block));
    collect_place(p, t, rates);
    for (int k = 0; k < p->model->joints.count; k++)
        for (int i = 0; i < TN_JOINT_MAX_COORDS; i++)
            p->preferred[k] = p->preferred[k] || p->joint[k].given[i];
    for (int k = 1; k < p->model->bodies.count; k++)
        p->free[k] = p->model->bodies.at[k].def.fixed_start;
    const tn_tree_wish wish = {p->preferred, p->free};
    return tn_tree_create_as(p->model, &wish, &p->tree);
}

static void read_bodies(placement *p, const double *q, const double *v)
{
    const tn_point at = {.q = q, .v = v};
    for (int k = 0; k < p->model->bodies.count; k++) {
        tn_body_state x;
        tn_absolute_body(p->world, &at, k, &x);
        p->frames[k] = x.frame;
        p->twists[k] = (tn_twist){x.velocity, tn_m3_apply(x.frame.R, x.rate)};
    }
}

// Coordinates of the motion side come in the order of those that a joint measures; a screw
// measures one more.
static void take_known(const placement *p, bool rates)
{
    for (int k = 1; k < p->tree->n; k++) {
        const tn_tree_body *body = &p->tree->body[k];
        const int n = rates ? body->nv : body->nq;
        double *at = rates ? p->v + body->v0 : p->q + body->q0;
        for (int i = 0; body->joint >= 0 && i < n && i < TN_JOINT_MAX_COORDS; i++)
            if (p->joint[body->joint].given[i])
                at[i] = p->joint[body->joint].value[i];
    }
}

// The body frame of a place, and the twist of its origin.
static tn_body_state place_state_of(const placement *p, int place)
{
    TN_ASSERT(place > 0 && place < p->tree->n);
    const tn_tree_body *body = &p->tree->body[place];
    const tn_frame frame = tn_tree_frame(p->tree, place);
    const tn_twist V = tn_tree_twist(p->tree, place);
    if (!tn_body_has_rotation(p->model, (tn_body){body->body}))
        return (tn_body_state){.frame = {tn_m3_identity, frame.p}, .velocity = V.v};
    const tn_mat3 R = tn_m3_mul(frame.R, tn_m3_transpose(body->seat.R));
    const tn_vec3 arm = tn_v3_neg(tn_m3_apply(R, body->seat.p));
    return (tn_body_state){.frame = {R, tn_v3_add(frame.p, arm)},
                           .velocity = tn_v3_add(V.v, tn_v3_cross(V.w, arm)),
                           .rate = tn_m3_apply_t(R, V.w)};
}

static void write_bodies(const placement *p, double *q, double *v)
{
    for (int place = 1; place < p->tree->n; place++) {
        const int body = p->tree->body[place].body;
        const tn_body_state x = place_state_of(p, place);
        if (!p->free[body]) // it keeps every bit
            tn_absolute_set_body(p->world, body, &x, q, v);
    }
}

static void close_placement(placement *p)
{
    tn_tree_destroy(p->tree);
    tn_free(p->block);
}

static bool all_known(const placement *p, const tn_tree_body *body)
{
    if (body->joint < 0 || body->nq > TN_JOINT_MAX_COORDS)
        return false;
    for (int i = 0; i < body->nq; i++)
        if (!p->joint[body->joint].given[i])
            return false;
    return true;
}

// Bodies that stated coordinates place from the ground or from fixed bodies on take that place.
static void settle_place(placement *p)
{
    p->settled[0] = true;
    for (int place = 1; place < p->tree->n; place++) {
        const tn_tree_body *body = &p->tree->body[place];
        const bool carried = p->settled[p->tree->body[body->parent].body] && all_known(p, body);
        p->settled[body->body] = p->free[body->body] || carried;
        if (carried)
            p->frames[body->body] = place_state_of(p, place).frame;
    }
}

static void carry_place(placement *p)
{
    tn_tree_coordinates(p->tree, p->frames, p->q);
    take_known(p, false);
    tn_tree_move(p->tree, p->q, NULL);
}

static void write_fitted(const placement *p, double *q, double *v)
{
    for (int k = 1; k < p->model->bodies.count; k++) {
        const tn_body_state x = {.frame = p->frames[k]};
        if (!p->free[k])
            tn_absolute_set_body(p->world, k, &x, q, v);
    }
}

static tn_status place_by(placement *p, tn_place_way way, double *q, double *v)
{
    carry_place(p);
    if (way != TN_PLACE_CARRIED) {
        settle_place(p);
        TN_TRY(tn_place_fit(p->model, p->settled, p->frames));
    }
    if (way == TN_PLACE_FITTED) {
        write_fitted(p, q, v);
        return TN_OK;
    }
    if (way == TN_PLACE_FITTED_CARRIED)
        carry_place(p);
    write_bodies(p, q, v);
    return TN_OK;
}

tn_status tn_place_positions(const tn_model *model, const tn_system *world, double t,
                             tn_place_way way, double *q)
{
    if (way == TN_PLACE_GIVEN)
        return TN_OK;
    placement p = {.model = model, .world = world};
    double *v = tn_alloc(sizeof(double) * (size_t)(world->nv + 1));
    tn_status status = v ? open_placement(&p, t, false) : tn_fail(TN_ERR_MEMORY, "out of memory");
    if (status == TN_OK) {
        read_bodies(&p, q, NULL);
        status = place_by(&p, way, q, v);
    }
    close_placement(&p);
    tn_free(v);
    return status;
}

tn_status tn_place_velocities(const tn_model *model, const tn_system *world, double t, double size,
                              const double *q, double *v)
{
    placement p = {.model = model, .world = world};
    double *same = tn_alloc(sizeof(double) * (size_t)(world->nq + 1));
    tn_status status = same ? open_placement(&p, t, true) : tn_fail(TN_ERR_MEMORY, "out of memory");
    if (status == TN_OK) {
        read_bodies(&p, q, v);
        tn_tree_coordinates(p.tree, p.frames, p.q);
        tn_tree_move(p.tree, p.q, NULL);
        tn_tree_velocities(p.tree, p.twists, size, p.v);
        take_known(&p, true);
        tn_tree_move(p.tree, p.q, p.v);
        write_bodies(&p, same, v);
    }
    close_placement(&p);
    tn_free(same);
    return status;
}

// How far the frames of a joint are turned from the nearest that its motion side allows [rad].
static double turned(const tn_joint_data *joint, tn_frame A, tn_frame B)
{
    const tn_joint_def *def = &joint->def;
    const tn_frame X = tn_frame_mul(tn_frame_inverse(tn_frame_mul(A, def->frame_a)),
                                    tn_frame_mul(B, def->frame_b));
    double q[7] = {0}, v[6] = {0};
    tn_joint_motion motion;
    tn_joint_locate(joint->ops, def, X, q);
    joint->ops->motion(def, q, v, &motion);
    const tn_mat3 apart = tn_m3_mul(tn_m3_transpose(motion.X.R), X.R);
    const double trace = apart.m[0][0] + apart.m[1][1] + apart.m[2][2];
    return acos(fmax(-1.0, fmin(1.0, 0.5 * (trace - 1.0))));
}

int tn_place_flipped(const tn_model *model, const tn_system *world, const double *q)
{
    const tn_point at = {.q = q};
    for (int k = 0; k < model->joints.count; k++) {
        const tn_joint_data *joint = &model->joints.at[k];
        const tn_body a = joint->def.body_a, b = joint->def.body_b;
        tn_body_state A, B;
        if (!joint->ops->motion || !tn_body_has_rotation(model, a) ||
            !tn_body_has_rotation(model, b))
            continue;
        tn_absolute_body(world, &at, a.index, &A);
        tn_absolute_body(world, &at, b.index, &B);
        if (turned(joint, A.frame, B.frame) > FLIPPED)
            return k;
    }
    return -1;
}
