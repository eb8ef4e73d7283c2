// SPDX-License-Identifier: MIT
//
// Sensors; see sensors.h. With the frame (p, R) of a body and a frame (r, Q) in it,
//
//   x = p + R r,   x' = p' + w x R r,   x'' = p'' + w' x R r + w x (w x R r)
//
// in inertial axes. Seen from a frame A, in its axes and by someone who turns with it,
//
//   y = Ra^T (xb - xa),   y' = Ra^T (xb' - xa' - wa x d),   d = xb - xa
//   y'' = Ra^T (xb'' - xa'' - wa' x d - wa x (wa x d)) - 2 (Ra^T wa) x y'
//
// If constraints are redundant, the multipliers are those of minimum norm: with the left null
// vectors z_k of C (C^T z_k = 0), lambda_min = lambda - Z (Z^T Z)^-1 Z^T lambda.

#include "readout/sensors.h"

#include "coords/joint_motion.h"
#include "linalg/dense.h"
#include "model/model.h"
#include "system/absolute.h"

#include <math.h>

// Reactions of redundant mechanisms are shared by all rows, those of joints in the tree as well:
// in other coordinates the world gives them.
static tn_start *shared_start(const tn_sensors *s)
{
    tn_start *world = s->start->world;
    return world && world->redundancy.count > 0 ? world : s->start;
}

void tn_sensors_layout(tn_sensors *s, tn_carve *mem)
{
    TN_CARVE_DOUBLES(mem, shared_start(s)->redundancy.rows, &s->lambda);
    TN_CARVE_DOUBLES(mem, s->start->sys->nv, &s->v);
    s->nsignal = s->model ? s->model->signals.count + s->model->states.count +
                                s->model->unknowns.count + tn_model_sampled_count(s->model)
                          : 0;
    TN_CARVE_DOUBLES(mem, s->nsignal, &s->signal);
    tn_planar_angles_layout(&s->planar, s->model, mem);
}

void tn_sensors_forget(tn_sensors *s)
{
    s->lambda_known = false;
    s->signals_known = s->planar.known = false;
    s->looked_at = NULL;
    s->start->sys->looked = false;
}

// The point of a state, and what the system says of mechanisms there.
static const tn_mechanism_ops *look_at(tn_sensors *s, const tn_state *x, tn_point *at)
{
    TN_ASSERT(s->start->sys->ops->mechanism);
    tn_system *sys = s->start->sys;
    const tn_mechanism_ops *ops = sys->ops->mechanism;
    *at = tn_state_point(x);
    if (ops->look && (!sys->looked || s->looked_at != x))
        ops->look(sys, at);
    s->looked_at = x;
    return ops;
}

// Counts are those of the user's model: the copy may have forces more, of applied wrenches.
static bool has_index(const tn_sensors *s, int index, int count(const tn_model *model))
{
    return s->model && index >= 0 && index < count(s->model->source);
}

static tn_status need_index(const tn_sensors *s, const char *what, int index,
                            int count(const tn_model *model))
{
    if (!s->model)
        return tn_fail(TN_ERR_USAGE, "your own equations have no %s", what);
    if (!has_index(s, index, count))
        return tn_fail(TN_ERR_USAGE, "there is no %s with the index %d; the model has %d", what,
                       index, count(s->model->source));
    return TN_OK;
}

// Bodies, joints and forces -----------------------------------------------------------------------

tn_body_state tn_sensors_body(tn_sensors *s, const tn_state *x, tn_body body)
{
    tn_body_state state = {.frame = tn_frame_identity, .rotation = tn_quat_identity};
    tn_point at;
    if (has_index(s, body.index, tn_model_body_count))
        look_at(s, x, &at)->body(s->start->sys, &at, body.index, &state);
    const double length = s->start->sys->units.length;
    state.frame.p = tn_v3_scale(length, state.frame.p);
    state.velocity = tn_v3_scale(length, state.velocity);
    state.acceleration = tn_v3_scale(length, state.acceleration);
    return state;
}

int tn_sensors_coordinates(tn_sensors *s, const tn_state *x, tn_joint joint, double *q,
                           double *rate)
{
    tn_point at;
    double unread[2][6];
    tn_system *sys = s->start->sys;
    if (!has_index(s, joint.index, tn_model_joint_count))
        return 0;
    q = q ? q : unread[0];
    rate = rate ? rate : unread[1];
    const tn_joint_coord *coords = s->model->joints.at[joint.index].ops->coords;
    const int n = look_at(s, x, &at)->coordinates(sys, &at, joint.index, q, rate);
    for (int i = 0; i < n; i++) {
        const double unit = tn_unit_coordinate(sys->units, coords[i].unit);
        q[i] *= unit;
        rate[i] *= unit;
    }
    return n;
}

static tn_frame frame_on(tn_sensors *s, const tn_state *x, tn_body body, tn_frame local)
{
    tn_body_state state = {0};
    tn_point at;
    look_at(s, x, &at)->body(s->start->sys, &at, body.index, &state);
    return tn_frame_mul(state.frame, local);
}

void tn_sensors_frames(tn_sensors *s, const tn_state *x, const tn_joint_def *def, tn_frame *a,
                       tn_frame *b)
{
    *a = frame_on(s, x, def->body_a, def->frame_a);
    *b = frame_on(s, x, def->body_b, def->frame_b);
}

void tn_sensors_contact(tn_sensors *s, const tn_state *x, tn_joint joint, double *at,
                        tn_vec3 *point)
{
    const tn_joint_def *def = s->model->joints.at[joint.index].def;
    tn_touch *touch = def->contact.touch;
    double found[TN_TOUCH_COORDS];
    tn_frame a, b;
    tn_touch_seen seen;
    tn_sensors_frames(s, x, def, &a, &b);
    const bool known = tn_touch_find(touch, a, b, found, &seen);
    if (known)
        touch->ops->within(touch, found);
    for (int k = 0; k < touch->ops->n; k++)
        at[k] = known ? found[k] : NAN;
    *point = known ? tn_v3_add(tn_v3_scale(touch->length, a.p), tn_m3_apply(a.R, seen.c))
                   : tn_v3(NAN, NAN, NAN);
}

int tn_sensors_accelerations(tn_sensors *s, const tn_state *x, tn_joint joint, double *a)
{
    if (!has_index(s, joint.index, tn_model_joint_count))
        return 0;
    tn_point at;
    tn_system *sys = s->start->sys;
    const tn_joint_coord *coords = s->model->joints.at[joint.index].ops->coords;
    look_at(s, x, &at);
    const int n = tn_joint_second_derivatives(sys, s->model, &at, joint.index, a);
    for (int i = 0; i < n; i++)
        a[i] *= tn_unit_coordinate(sys->units, coords[i].unit);
    return n;
}

// In the units of the model.
static void read_force(tn_sensors *s, const tn_state *x, int force, tn_force_state *out)
{
    TN_ASSERT(force >= 0 && force < s->model->forces.count);
    tn_point at;
    *out = (tn_force_state){0};
    look_at(s, x, &at)->force(s->start->sys, &at, force, out);
}

void tn_sensors_deflection(tn_sensors *s, const tn_state *x, int force, double *y, double *rate)
{
    tn_force_state state;
    read_force(s, x, force, &state);
    *y = state.deflection;
    *rate = state.rate;
}

tn_status tn_sensors_force(tn_sensors *s, const tn_state *x, tn_force force, tn_force_state *out)
{
    TN_TRY(need_index(s, "force", force.index, tn_model_force_count));
    read_force(s, x, force.index, out);
    tn_force_state_to_si(s->start->sys->units, &s->model->forces.at[force.index].row, out);
    return TN_OK;
}

// Reactions ---------------------------------------------------------------------------------------

// The state in the world, with the multipliers that go with its accelerations.
static void put_world_state(tn_sensors *s, const tn_state *x, tn_start *world)
{
    tn_system *sys = s->start->sys;
    tn_state *there = &world->x;
    tn_point at;
    const tn_mechanism_ops *ops = look_at(s, x, &at);
    there->t = at.t;
    tn_copy(world->sys->nr, at.r, there->r);
    for (int k = 0; k < tn_model_joint_count(s->model); k++) {
        double lambda[TN_JOINT_MAX_ROWS];
        const int rows = ops->multipliers(sys, &at, k, lambda), ng = world->sys->ng;
        for (int i = 0; i < rows; i++) {
            const int row = tn_absolute_joint_row(world->sys, k, i);
            *(row < ng ? &there->lambda[row] : &there->eta[row - ng]) = lambda[i];
        }
    }
    sys->ops->world->to(sys, &at, there->q, there->v, NULL);
}

static const double *shared_multipliers(tn_sensors *s, const tn_state *x, tn_start *from)
{
    if (from->redundancy.count == 0)
        return x->lambda;
    if (s->lambda_known)
        return s->lambda;
    if (from != s->start)
        put_world_state(s, x, from);
    const tn_state *state = from != s->start ? &from->x : x;
    const tn_point at = tn_state_point(state);
    tn_copy(from->sys->ng, state->lambda, s->lambda);
    tn_copy(from->sys->nn, state->eta, s->lambda + from->sys->ng);
    if (tn_row_choice_at(from->rows, &at) == TN_OK)
        tn_row_choice_share(from->rows, s->lambda);
    s->lambda_known = true;
    return s->lambda;
}

// The point with its multipliers, and the system that they belong to.
static tn_system *find_reactions(tn_sensors *s, const tn_state *x, tn_point *at)
{
    tn_start *from = shared_start(s);
    const double *lambda = shared_multipliers(s, x, from);
    if (from == s->start) {
        look_at(s, x, at);
    } else {
        s->looked_at = NULL; // the world stands there now
        *at = tn_state_point(&from->x);
    }
    if (lambda != x->lambda)
        at->eta = lambda + from->sys->ng;
    at->lambda = lambda;
    return from->sys;
}

tn_wrench tn_sensors_reaction(tn_sensors *s, const tn_state *x, tn_joint joint)
{
    tn_point at;
    if (!has_index(s, joint.index, tn_model_joint_count))
        return (tn_wrench){0};
    const tn_system *sys = find_reactions(s, x, &at);
    return tn_wrench_in_si(sys->units, sys->ops->mechanism->reaction(sys, &at, joint.index));
}

int tn_sensors_multipliers(tn_sensors *s, const tn_state *x, tn_joint joint, double *lambda,
                           bool *unique)
{
    tn_point at;
    double unread[TN_JOINT_MAX_ROWS];
    if (!has_index(s, joint.index, tn_model_joint_count))
        return 0;
    const tn_start *world = s->start->world ? s->start->world : s->start;
    const tn_system *sys = find_reactions(s, x, &at);
    lambda = lambda ? lambda : unread;
    const int rows = sys->ops->mechanism->multipliers(sys, &at, joint.index, lambda);
    for (int i = 0; i < rows; i++) {
        const int row = tn_absolute_joint_row(world->sys, joint.index, i);
        lambda[i] *= tn_unit_energy(sys->units) / tn_system_row_unit(world->sys, row);
        if (unique)
            unique[i] = world->redundancy.unique[row];
    }
    return rows;
}

const double *tn_sensors_signals(tn_sensors *s, const tn_state *x)
{
    tn_point at;
    if (s->nsignal == 0 || s->signals_known)
        return s->signal;
    const tn_mechanism_ops *ops = look_at(s, x, &at);
    for (int i = 0; i < s->nsignal; i++)
        s->signal[i] = NAN;
    if (ops->signals)
        ops->signals(s->start->sys, &at, s->signal);
    s->looked_at = NULL; // it has moved what the read-out uses
    s->signals_known = true;
    return s->signal;
}

// Frames ------------------------------------------------------------------------------------------

static tn_vec3 centripetal(tn_vec3 w, tn_vec3 r)
{
    return tn_v3_cross(w, tn_v3_cross(w, r));
}

// Motion of a frame that turns with the body, in inertial axes.
static tn_frame_motion frame_on_body(const tn_body_state *body, tn_frame frame)
{
    const tn_mat3 R = body->frame.R;
    const tn_vec3 r = tn_m3_apply(R, frame.p), w = tn_m3_apply(R, body->rate);
    const tn_vec3 dw = tn_m3_apply(R, body->rate_dot);
    return (tn_frame_motion){
        .frame = {.p = tn_v3_add(body->frame.p, r), .R = tn_m3_mul(R, frame.R)},
        .velocity = tn_v3_add(body->velocity, tn_v3_cross(w, r)),
        .rate = w,
        .acceleration =
            tn_v3_add(body->acceleration, tn_v3_add(tn_v3_cross(dw, r), centripetal(w, r))),
        .rate_dot = dw,
    };
}

tn_frame_motion tn_sensors_frame(tn_sensors *s, const tn_state *x, tn_body body, tn_frame frame)
{
    const tn_body_state state = tn_sensors_body(s, x, body);
    return frame_on_body(&state, frame);
}

tn_frame_motion tn_frame_seen_from(const tn_frame_motion *a, const tn_frame_motion *b)
{
    const tn_mat3 R = a->frame.R;
    const tn_vec3 d = tn_v3_sub(b->frame.p, a->frame.p), wa = tn_m3_apply_t(R, a->rate);
    const tn_vec3 moving = tn_v3_sub(tn_v3_sub(b->velocity, a->velocity), tn_v3_cross(a->rate, d));
    const tn_vec3 speeding =
        tn_v3_sub(tn_v3_sub(b->acceleration, a->acceleration),
                  tn_v3_add(tn_v3_cross(a->rate_dot, d), centripetal(a->rate, d)));
    tn_frame_motion out = {
        .frame = {.p = tn_m3_apply_t(R, d), .R = tn_m3_mul(tn_m3_transpose(R), b->frame.R)},
        .velocity = tn_m3_apply_t(R, moving),
        .rate = tn_m3_apply_t(R, tn_v3_sub(b->rate, a->rate)),
    };
    out.acceleration =
        tn_v3_sub(tn_m3_apply_t(R, speeding), tn_v3_scale(2.0, tn_v3_cross(wa, out.velocity)));
    out.rate_dot =
        tn_v3_sub(tn_m3_apply_t(R, tn_v3_sub(b->rate_dot, a->rate_dot)), tn_v3_cross(wa, out.rate));
    return out;
}

// Matrices ----------------------------------------------------------------------------------------

// Twist of a frame at the velocities s->v, in the units of the model.
static void put_twist(tn_sensors *s, const tn_state *x, int body, tn_frame frame, double out[6])
{
    TN_ASSERT(body >= 0 && body < s->model->bodies.count);
    tn_system *sys = s->start->sys;
    const tn_mechanism_ops *ops = sys->ops->mechanism;
    tn_body_state state = {.frame = tn_frame_identity};
    tn_point at = tn_state_point(x);
    at.v = s->v;
    if (ops->look)
        ops->look(sys, &at);
    ops->body(sys, &at, body, &state);
    const tn_frame_motion motion = frame_on_body(&state, frame);
    tn_v3_to(motion.velocity, out);
    tn_v3_to(motion.rate, out + 3);
}

tn_status tn_sensors_jacobian(tn_sensors *s, const tn_state *x, tn_body body, tn_frame frame,
                              double *J)
{
    TN_TRY(need_index(s, "body", body.index, tn_model_body_count));
    const tn_system *sys = s->start->sys;
    const double length = sys->units.length;
    double moved[6], rest[6];
    frame.p = tn_v3_scale(1.0 / length, frame.p);
    tn_zero(sys->nv, s->v);
    put_twist(s, x, body.index, frame, rest); // of frames that are driven
    for (int k = 0; k < sys->nv; k++) {
        s->v[k] = 1.0;
        put_twist(s, x, body.index, frame, moved);
        s->v[k] = 0.0;
        for (int i = 0; i < 6; i++)
            J[6 * k + i] = (moved[i] - rest[i]) * (i < 3 ? length : 1.0) /
                           tn_system_unit(sys, TN_MEASURE_VELOCITY, k);
    }
    s->looked_at = NULL;
    return TN_OK;
}

// Systems of many velocities have no matrix, but multiply by it.
static void put_mass_columns(tn_sensors *s, double *M)
{
    tn_system *sys = s->start->sys;
    tn_zero(sys->nv, s->v);
    for (int j = 0; j < sys->nv; j++) {
        s->v[j] = 1.0;
        sys->ops->recursive->times_mass(sys, s->v, M + (size_t)j * (size_t)sys->nv);
        s->v[j] = 0.0;
    }
}

tn_status tn_sensors_mass_matrix(tn_sensors *s, const tn_state *x, double *M)
{
    tn_system *sys = s->start->sys;
    const tn_point at = tn_state_point(x);
    const tn_sparse *block = sys->block[TN_BLOCK_M];
    const size_t n = (size_t)sys->nv;
    TN_TRY(tn_system_eval(sys, &at, block ? TN_EVAL_MASS : TN_EVAL_FORCE));
    s->looked_at = NULL;
    if (block)
        tn_sparse_to_dense(block, M);
    else
        put_mass_columns(s, M);
    for (size_t j = 0; j < n; j++) {
        tn_system_to_si(sys, TN_MEASURE_FORCE, M + j * n, M + j * n);
        tn_scale(sys->nv, 1.0 / tn_system_unit(sys, TN_MEASURE_VELOCITY, (int)j), M + j * n);
    }
    return TN_OK;
}

tn_status tn_sensors_forces(tn_sensors *s, const tn_state *x, double *f)
{
    tn_system *sys = s->start->sys;
    const tn_point at = tn_state_point(x);
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_FORCE));
    s->looked_at = NULL;
    tn_system_to_si(sys, TN_MEASURE_FORCE, sys->f, f);
    return TN_OK;
}
