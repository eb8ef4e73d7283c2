// SPDX-License-Identifier: MIT
//
// Placement by forward kinematics, see start_parts.h.

#include "start/start_parts.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "system/absolute.h"
#include "tree/tree.h"

#include <math.h>

// A joint that is turned further than this from what it allows is not closed on the side that it
// is meant to close on; steps of the assembly could go either way from a quarter turn on.
static const double FLIPPED = 1.0; // [rad]

// The placement nearest to X that the motion side of a joint allows.
static tn_frame nearest_placement(const tn_joint_data *joint, tn_frame X)
{
    double q[7] = {0}, v[6] = {0};
    tn_joint_motion motion;
    tn_joint_locate(joint->ops, joint->def, X, q);
    joint->ops->motion(joint->def, q, v, &motion);
    return motion.X;
}

// Frames fitted body after body, over and over ----------------------------------------------------

// Each sweep lowers the gaps. An approximate fit is enough, the search that follows is exact: with
// a few sweeps only, long chains of bodies without stated angles would stay as they are.
enum { SWEEPS = 40 };

typedef struct fit {
    const tn_model *model;
    const bool *settled;
    tn_frame *frames;
    bool *placed, *turned; // per body: something is known of where it is, of how it is turned
    int *head, *next;      // lists of the ends of joints at each body: 2 joint + (body B)
    void *block;
} fit;

static void layout_place_fit(void *self, tn_carve *mem)
{
    fit *f = self;
    const int bodies = f->model->bodies.count, joints = f->model->joints.count;
    f->placed = tn_carve_bytes(mem, sizeof *f->placed * (size_t)bodies);
    f->turned = tn_carve_bytes(mem, sizeof *f->turned * (size_t)bodies);
    f->head = tn_carve_ints(mem, bodies);
    f->next = tn_carve_ints(mem, 2 * joints + 1);
}

static void add_end(fit *f, int end, tn_body body)
{
    TN_ASSERT(end / 2 < f->model->joints.count && body.index < f->model->bodies.count);
    f->next[end] = f->head[body.index];
    f->head[body.index] = end;
}

static void open_fit(fit *f)
{
    for (int k = 0; k < f->model->bodies.count; k++) {
        const tn_body_kept *def = &f->model->bodies.at[k].def;
        f->head[k] = -1;
        f->placed[k] = f->settled[k] || def->given_position;
        f->turned[k] =
            f->settled[k] || def->given_rotation || !tn_body_has_rotation(f->model, (tn_body){k});
    }
    for (int k = 0; k < f->model->joints.count; k++) {
        const tn_joint_data *joint = &f->model->joints.at[k];
        if (!joint->ops->motion)
            continue;
        add_end(f, 2 * k, joint->def->body_a);
        add_end(f, 2 * k + 1, joint->def->body_b);
    }
}

// The end of a joint, in its body frame, and where the body beside it wants that point. As long as
// nothing is known of how that body is turned, its origin stands for its joint points.
static bool find_target(const fit *f, int end, tn_vec3 *arm, tn_vec3 *target)
{
    TN_ASSERT(end >= 0 && end / 2 < f->model->joints.count);
    const tn_joint_data *joint = &f->model->joints.at[end / 2];
    const tn_joint_def *def = joint->def;
    const bool b = end % 2;
    const int other = b ? def->body_a.index : def->body_b.index;
    const tn_frame A = tn_frame_mul(f->frames[def->body_a.index], def->frame_a);
    const tn_frame B = tn_frame_mul(f->frames[def->body_b.index], def->frame_b);
    *arm = b ? def->frame_b.p : def->frame_a.p;
    *target = f->frames[other].p;
    if (!f->placed[other] || !f->turned[other])
        return f->placed[other];
    const tn_frame X = nearest_placement(joint, tn_frame_mul(tn_frame_inverse(A), B));
    *target = b ? tn_frame_mul(A, X).p : tn_frame_mul(B, tn_frame_inverse(X)).p;
    return true;
}

typedef struct gaps {
    int count;
    tn_vec3 arm, target; // means, in body axes and in the world
} gaps;

static gaps look_place_fit(const fit *f, int body)
{
    gaps g = {0};
    for (int end = f->head[body]; end >= 0; end = f->next[end]) {
        tn_vec3 arm, target;
        if (!find_target(f, end, &arm, &target))
            continue;
        g.count++;
        g.arm = tn_v3_add(g.arm, arm);
        g.target = tn_v3_add(g.target, target);
    }
    g.arm = tn_v3_scale(1.0 / fmax(1.0, g.count), g.arm);
    g.target = tn_v3_scale(1.0 / fmax(1.0, g.count), g.target);
    return g;
}

// Turns a body about the moment of its targets, to where they are nearest: in the plane that is the
// fit, in space a step that lowers the gaps. Levers count from `arm` and `centre`.
static void turn_place_fit(fit *f, int body, tn_vec3 arm_mean, tn_vec3 centre)
{
    tn_mat3 *R = &f->frames[body].R;
    tn_mat3 H = {{{0}}}; // sum of target and lever, both in the world
    for (int end = f->head[body]; end >= 0; end = f->next[end]) {
        tn_vec3 arm, target;
        if (!find_target(f, end, &arm, &target))
            continue;
        const tn_vec3 a = tn_m3_apply(*R, tn_v3_sub(arm, arm_mean)), t = tn_v3_sub(target, centre);
        H = tn_m3_axpy(1.0, tn_m3_outer(a, t), H);
    }
    const tn_vec3 moment = {H.m[1][2] - H.m[2][1], H.m[2][0] - H.m[0][2], H.m[0][1] - H.m[1][0]};
    const bool planar = f->model->bodies.at[body].ops->turns == 1;
    const double size = tn_v3_norm(moment);
    if (!planar && !(size > 0.0))
        return;
    const tn_vec3 n = planar ? (tn_vec3){0.0, 0.0, 1.0} : tn_v3_scale(1.0 / size, moment);
    const double along = tn_v3_dot(n, tn_m3_apply(H, n));
    const double level = H.m[0][0] + H.m[1][1] + H.m[2][2] - along;
    const double angle = atan2(tn_v3_dot(n, moment), level);
    *R = tn_m3_mul(tn_so3_exp(tn_v3_scale(angle, n)), *R);
}

static void fit_body(fit *f, int body)
{
    TN_ASSERT(body > 0 && body < f->model->bodies.count);
    const tn_body_kept *def = &f->model->bodies.at[body].def;
    tn_frame *frame = &f->frames[body];
    const gaps g = look_place_fit(f, body);
    if (g.count == 0)
        return;
    const bool has_rotation = tn_body_has_rotation(f->model, (tn_body){body});
    if (!def->given_rotation && has_rotation) {
        if (def->given_position)
            turn_place_fit(f, body, (tn_vec3){0.0, 0.0, 0.0}, frame->p);
        else
            turn_place_fit(f, body, g.arm, g.target);
        f->turned[body] = true;
    }
    if (!def->given_position) {
        frame->p = tn_v3_sub(g.target, tn_m3_apply(frame->R, g.arm));
        f->placed[body] = true;
    }
}

// Fits the open parts of the frames of bodies to what the model states of their neighbours: a body
// of which the position is stated is turned until its joint points are nearest to those of the
// bodies beside it, one of which nothing is stated goes where they are. Changes frames but those of
// `settled` bodies, and no part that is stated.
static tn_status fit_frames(const tn_model *model, const bool *settled, tn_frame *frames)
{
    fit f = {.model = model, .settled = settled, .frames = frames};
    TN_TRY(tn_carve_block(&f, layout_place_fit, &f.block));
    open_fit(&f);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int k = 1; k < model->bodies.count; k++)
            if (!settled[k])
                fit_body(&f, k);
    tn_free(f.block);
    return TN_OK;
}

// Placement along the joints ----------------------------------------------------------------------

// Known coordinates of a joint.
typedef struct known {
    bool given[TN_JOINT_MAX_COORDS];
    double value[TN_JOINT_MAX_COORDS];
} known;

typedef struct placement {
    const tn_model *model;
    const tn_system *world;
    known *joint; // per joint of the model: coordinates, or their rates
    bool *preferred, *free;
    bool *settled;         // per body: nothing but stated coordinates lead to it
    tn_frame *frames;      // per body, as the world has them
    tn_frame *attachments; // per place of the tree, where it carries bodies
    tn_twist *twists;
    tn_tree *tree, *given; // along which bodies are placed; `given`: that of somebody else
    double *q, *v;         // of the tree
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
    p->attachments = tn_carve_bytes(mem, sizeof *p->attachments * bodies);
    p->twists = tn_carve_bytes(mem, sizeof *p->twists * bodies);
    p->q = tn_carve_doubles(mem, 7 * p->model->bodies.count);
    p->v = tn_carve_doubles(mem, 6 * p->model->bodies.count);
}

// Coordinates that the model states, that drives prescribe at time t, or that are guessed; with
// `rates` their rates.
static void collect_place(placement *p, double t, bool rates)
{
    for (int k = 0; k < p->model->joints.count; k++) {
        const tn_joint_def *def = p->model->joints.at[k].def;
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
    p->tree = p->given;
    if (p->given)
        return TN_OK;
    const tn_tree_request request = {.preferred = p->preferred, .free = p->free};
    return tn_tree_create_as(p->model, &request, &p->tree);
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

// The body frame of a place where its tree frame is, and the twist of its origin.
static tn_body_state place_state_of(const placement *p, int place, tn_frame frame, tn_twist V)
{
    TN_ASSERT(place > 0 && place < p->tree->n);
    const tn_tree_body *body = &p->tree->body[place];
    if (!tn_body_has_rotation(p->model, (tn_body){body->body}))
        return (tn_body_state){.frame = {tn_m3_identity, frame.p}, .velocity = V.v};
    const tn_mat3 R = tn_m3_mul(frame.R, tn_m3_transpose(body->attachment.R));
    const tn_vec3 arm = tn_v3_neg(tn_m3_apply(R, body->attachment.p));
    return (tn_body_state){.frame = {R, tn_v3_add(frame.p, arm)},
                           .velocity = tn_v3_add(V.v, tn_v3_cross(V.w, arm)),
                           .rate = tn_m3_apply_t(R, V.w)};
}

static tn_body_state seated_state(const placement *p, int place)
{
    return place_state_of(p, place, p->attachments[place], (tn_twist){0});
}

static void write_body(const placement *p, int place, const tn_body_state *x, double *q, double *v)
{
    const int body = p->tree->body[place].body;
    if (!p->free[body]) // it keeps every bit
        tn_absolute_set_body(p->world, body, x, q, v);
}

static void write_seated(const placement *p, double *q, double *v)
{
    for (int place = 1; place < p->tree->n; place++) {
        const tn_body_state x = seated_state(p, place);
        write_body(p, place, &x, q, v);
    }
}

static void write_moving(const placement *p, double *q, double *v)
{
    for (int place = 1; place < p->tree->n; place++) {
        const tn_body_state x =
            place_state_of(p, place, tn_tree_frame(p->tree, place), tn_tree_twist(p->tree, place));
        write_body(p, place, &x, q, v);
    }
}

static void close_placement(placement *p)
{
    if (p->tree != p->given)
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
            p->frames[body->body] = seated_state(p, place).frame;
    }
}

static void carry_place(placement *p)
{
    tn_tree_coordinates(p->tree, p->frames, p->q);
    take_known(p, false);
    tn_tree_frames(p->tree, p->q, p->attachments);
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
        TN_TRY(fit_frames(p->model, p->settled, p->frames));
    }
    if (way == TN_PLACE_FITTED) {
        write_fitted(p, q, v);
        return TN_OK;
    }
    if (way == TN_PLACE_FITTED_CARRIED)
        carry_place(p);
    write_seated(p, q, v);
    return TN_OK;
}

tn_status tn_place_positions(const tn_model *model, const tn_system *world, tn_tree *along,
                             double t, tn_place_way way, double *q)
{
    if (way == TN_PLACE_GIVEN)
        return TN_OK;
    placement p = {.model = model, .world = world, .given = along};
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

tn_status tn_place_velocities(const tn_model *model, const tn_system *world, tn_tree *along,
                              double t, double size, const double *q, double *v)
{
    placement p = {.model = model, .world = world, .given = along};
    double *same = tn_alloc(sizeof(double) * (size_t)(world->nq + 1));
    tn_status status = same ? open_placement(&p, t, true) : tn_fail(TN_ERR_MEMORY, "out of memory");
    if (status == TN_OK) {
        read_bodies(&p, q, v);
        tn_tree_coordinates(p.tree, p.frames, p.q);
        tn_tree_move(p.tree, p.q, NULL);
        tn_tree_velocities(p.tree, p.twists, size, p.v);
        take_known(&p, true);
        tn_tree_move(p.tree, p.q, p.v);
        write_moving(&p, same, v);
    }
    close_placement(&p);
    tn_free(same);
    return status;
}

// Angle of the frames of a joint from the nearest ones that its motion allows [rad].
static double turned(const tn_joint_data *joint, tn_frame A, tn_frame B)
{
    const tn_joint_def *def = joint->def;
    const tn_frame X = tn_frame_mul(tn_frame_inverse(tn_frame_mul(A, def->frame_a)),
                                    tn_frame_mul(B, def->frame_b));
    const tn_mat3 apart = tn_m3_mul(tn_m3_transpose(nearest_placement(joint, X).R), X.R);
    const double trace = apart.m[0][0] + apart.m[1][1] + apart.m[2][2];
    return acos(fmax(-1.0, fmin(1.0, 0.5 * (trace - 1.0))));
}

int tn_place_flipped(const tn_model *model, const tn_system *world, const double *q)
{
    const tn_point at = {.q = q};
    for (int k = 0; k < model->joints.count; k++) {
        const tn_joint_data *joint = &model->joints.at[k];
        const tn_body a = joint->def->body_a, b = joint->def->body_b;
        tn_body_state A, B;
        if (!joint->ops->motion || (joint->ops->dim == 2 && joint->ops->step == TN_STEP_TURN) ||
            !tn_body_has_rotation(model, a) || !tn_body_has_rotation(model, b))
            continue;
        tn_absolute_body(world, &at, a.index, &A);
        tn_absolute_body(world, &at, b.index, &B);
        if (turned(joint, A.frame, B.frame) > FLIPPED)
            return k;
    }
    return -1;
}
