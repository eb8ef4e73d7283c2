// SPDX-License-Identifier: MIT
//
// Sizes of a mechanism. One body at a time, not the box around all: the joints of a chain of a
// hundred links are as narrow as those of one link, and a carriage that has gone a mile is as large
// as it was. Distances on the ground and shapes say nothing about what moves.

#include "start/sizes.h"

#include "linalg/dense.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// Sizes if nothing else gives them: one metre, one second, one kilogram.
static const double UNIT = 1.0;

static tn_body_state sizes_state_of(tn_system *sys, const tn_point *at, tn_body body)
{
    tn_body_state x = {.frame = tn_frame_identity};
    if (body.index > 0)
        sys->ops->mechanism->body(sys, at, body.index, &x);
    return x;
}

static double span(tn_system *sys, const tn_point *at, tn_body a, tn_frame A, tn_body b, tn_frame B)
{
    const tn_vec3 p = tn_frame_point(sizes_state_of(sys, at, a).frame, A.p);
    return tn_v3_norm(tn_v3_sub(tn_frame_point(sizes_state_of(sys, at, b).frame, B.p), p));
}

// The diameter of the sphere about the centre of mass that a frame lies on.
static double diameter(const tn_model *model, tn_body body, tn_frame frame)
{
    if (body.index <= 0)
        return 0.0;
    return 2.0 * tn_v3_norm(tn_v3_sub(frame.p, model->bodies.at[body.index].def.com));
}

// Beams are as large as they are long: joints on their nodes have no levers, but for round-off.
static double longest_beam(const tn_model *model)
{
    double most = 0.0;
    for (int k = 0; k < model->beams.count; k++) {
        const tn_beam_data *beam = &model->beams.at[k];
        double length = 0.0;
        for (int e = 0; e + 1 < beam->nnode; e++)
            length += model->forces.at[beam->force + e].def.beam.length;
        most = fmax(most, length);
    }
    return most;
}

// The extent of bodies that are more than points, and of rods without a mass.
static double sizes_extent(const tn_model *model, tn_system *sys, const tn_point *at)
{
    double most = longest_beam(model);
    for (int i = 0; i < model->joints.count; i++) {
        const tn_joint_def *d = model->joints.at[i].def;
        if (!model->joints.at[i].ops->relative)
            continue;
        most = fmax(most, diameter(model, d->body_a, d->frame_a));
        most = fmax(most, diameter(model, d->body_b, d->frame_b));
        if (tn_row_spans(model->joints.at[i].ops->rows))
            most = fmax(most, span(sys, at, d->body_a, d->frame_a, d->body_b, d->frame_b));
    }
    for (int i = 0; i < model->forces.count; i++) {
        const tn_force_def *d = &model->forces.at[i].def;
        if (model->forces.at[i].ops->on_joint)
            continue;
        if (!model->forces.at[i].ops->single)
            most = fmax(most, diameter(model, d->body_a, d->frame_a));
        most = fmax(most, diameter(model, d->body_b, d->frame_b));
    }
    return most;
}

static double displacement(tn_system *sys, const tn_point *at, const tn_joint_ops *ops, int joint)
{
    double q[TN_JOINT_MAX_COORDS] = {0}, rate[TN_JOINT_MAX_COORDS], most = 0.0;
    const int n = ops->ncoord ? sys->ops->mechanism->coordinates(sys, at, joint, q, rate) : 0;
    for (int k = 0; k < n; k++)
        if (!strcmp(ops->coords[k].unit, "m"))
            most = fmax(most, fabs(q[k]));
    return most;
}

// The extent of points that joints and springs hold.
static double extent_of_points(const tn_model *model, tn_system *sys, const tn_point *at)
{
    double most = 0.0;
    for (int k = 1; k < model->bodies.count; k++)
        most = fmax(most, sqrt(tn_body_gyration(&model->bodies.at[k])));
    for (int i = 0; i < model->forces.count; i++) {
        const tn_force_def *d = &model->forces.at[i].def;
        if (tn_row_spans(model->forces.at[i].ops->row))
            most = fmax(most, span(sys, at, d->body_a, d->frame_a, d->body_b, d->frame_b));
    }
    for (int i = 0; i < model->joints.count; i++)
        most = fmax(most, displacement(sys, at, model->joints.at[i].ops, i));
    return most;
}

// 0 if nothing gives a length.
static double find_length(const tn_model *model, tn_system *sys, const tn_point *at)
{
    const double length = model ? sizes_extent(model, sys, at) : 0.0;
    return length > 0.0 || !model ? length : extent_of_points(model, sys, at);
}

double tn_sizes_length(const tn_model *model, tn_system *sys, const tn_point *at)
{
    const double length = find_length(model, sys, at);
    return length > 0.0 ? length : UNIT;
}

// Motion ------------------------------------------------------------------------------------------

// Motion of the centre of mass of a body, in inertial axes; rates of turning may be in any.
typedef struct centre {
    tn_vec3 place, velocity, acceleration, rate, rate_dot;
} centre;

// The largest over all bodies; of see_bodies in squares, which saves a root for each.
typedef struct extremes {
    double speed; // of centres of mass, and at the radius of gyration from them
    double rate, gain, rate_gain, far;
} extremes;

// A body with the square of its radius of gyration.
static void see_centre(extremes *most, const centre *x, double gyration)
{
    const double around = tn_v3_dot(x->rate, x->rate);
    most->speed = fmax(most->speed, fmax(tn_v3_dot(x->velocity, x->velocity), around * gyration));
    most->rate = fmax(most->rate, around);
    most->gain = fmax(most->gain, tn_v3_dot(x->acceleration, x->acceleration));
    most->rate_gain = fmax(most->rate_gain, tn_v3_dot(x->rate_dot, x->rate_dot));
    most->far = fmax(most->far, tn_v3_dot(x->place, x->place));
}

static centre centre_of(const tn_body_data *b, const tn_body_state *x)
{
    const tn_vec3 com = b->def.com, w = x->rate;
    const tn_vec3 turn =
        tn_v3_add(tn_v3_cross(x->rate_dot, com), tn_v3_cross(w, tn_v3_cross(w, com)));
    return (centre){.place = tn_frame_point(x->frame, com),
                    .velocity =
                        tn_v3_add(x->velocity, tn_m3_apply(x->frame.R, tn_v3_cross(w, com))),
                    .acceleration = tn_v3_add(x->acceleration, tn_m3_apply(x->frame.R, turn)),
                    .rate = w,
                    .rate_dot = x->rate_dot};
}

static extremes see_bodies(const tn_model *model, tn_system *sys, const tn_point *at)
{
    extremes most = {.speed = 0.0};
    if (sys->ops->mechanism->look)
        sys->ops->mechanism->look(sys, at);
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_body_data *body = &model->bodies.at[k];
        const tn_body_state x = sizes_state_of(sys, at, (tn_body){k});
        const centre c = centre_of(body, &x);
        see_centre(&most, &c, tn_body_gyration(body));
    }
    sys->looked = false;
    return most;
}

static extremes see_numbers(const tn_system *sys, const tn_point *at)
{
    return (extremes){.speed = tn_norm_inf(sys->nv, at->v),
                      .gain = tn_norm_inf(sys->nv, at->a),
                      .far = tn_norm_inf(sys->nq, at->q)};
}

static extremes roots_of(extremes m)
{
    return (extremes){sqrt(m.speed), sqrt(m.rate), sqrt(m.gain), sqrt(m.rate_gain), sqrt(m.far)};
}

static double heaviest(const tn_model *model, double length)
{
    TN_ASSERT(length > 0.0);
    double most = 0.0;
    for (int k = 1; model && k < model->bodies.count; k++)
        most = fmax(most, model->bodies.at[k].def.mass);
    for (int k = 1; model && k < model->bodies.count && most == 0.0; k++)
        most = fmax(most, model->bodies.at[k].inertia.m[2][2] / (length * length));
    return most > 0.0 ? most : UNIT;
}

// Speed and rate follow from each other by the length; the time goes with the faster one.
static void settle_sizes(tn_sizes *s)
{
    TN_ASSERT(s->length > 0.0);
    const bool moves = s->speed > 0.0 || s->rate > 0.0;
    s->still = s->still && !moves;
    if (!moves)
        s->speed = s->length / UNIT;
    else if (s->speed == 0.0)
        s->speed = s->rate * s->length;
    s->rate = fmax(s->rate, s->speed / s->length);
    s->time = 1.0 / s->rate;
    s->change = s->rate;
    if (s->fastest > 0.0)
        s->change = fmax(s->change, s->gain / s->fastest);
    if (s->fastest_turn > 0.0)
        s->change = fmax(s->change, s->turn_gain / s->fastest_turn);
}

static void keep_largest(tn_sizes *s, const extremes *m)
{
    s->far = fmax(s->far, m->far);
    s->fastest = fmax(s->fastest, m->speed);
    s->gain = fmax(s->gain, m->gain);
    s->fastest_turn = fmax(s->fastest_turn, m->rate);
    s->turn_gain = fmax(s->turn_gain, m->rate_gain);
    s->turning = m->rate;
}

static void widen_sizes(tn_sizes *s, const tn_model *model, tn_system *sys, const tn_point *at)
{
    double way = model ? 0.0 : s->far;
    for (int i = 0; model && i < model->joints.count; i++)
        way = fmax(way, displacement(sys, at, model->joints.at[i].ops, i));
    way = way > 0.0 ? way : s->far;
    s->length = way > 0.0 ? way : UNIT;
}

tn_sizes tn_sizes_at_start(const tn_model *model, tn_system *sys, const tn_point *at)
{
    const double length = find_length(model, sys, at);
    const extremes m = model ? roots_of(see_bodies(model, sys, at)) : see_numbers(sys, at);
    tn_sizes s = {.length = length, .grows = !(length > 0.0), .still = true};
    keep_largest(&s, &m);
    if (s.grows)
        widen_sizes(&s, model, sys, at);
    const double falls = model ? tn_v3_norm(model->gravity) : 0.0;
    s.speed = fmax(m.speed, sqrt(fmax(m.gain, falls) * s.length));
    s.rate = fmax(m.rate, sqrt(m.rate_gain));
    s.mass = heaviest(model, s.length);
    settle_sizes(&s);
    return s;
}

static void take_motion(tn_sizes *s, const tn_model *model, tn_system *sys, const tn_point *at,
                        extremes m)
{
    keep_largest(s, &m);
    if (s->grows)
        widen_sizes(s, model, sys, at);
    if (s->still && fmax(m.speed, m.rate) > 0.0)
        s->speed = s->rate = 0.0; // what was taken for want of anything
    s->speed = fmax(s->speed, m.speed);
    s->rate = fmax(s->rate, m.rate);
    settle_sizes(s);
}

// All has been larger before, as in most steps: no size changes.
static bool is_within(const tn_sizes *s, const extremes *squares)
{
    return !s->grows && !s->still && squares->far <= s->far * s->far &&
           squares->speed <= s->fastest * s->fastest && squares->gain <= s->gain * s->gain &&
           squares->rate <= s->fastest_turn * s->fastest_turn &&
           squares->rate_gain <= s->turn_gain * s->turn_gain;
}

void tn_sizes_see(tn_sizes *s, const tn_model *model, tn_system *sys, const tn_point *at)
{
    if (!model) {
        take_motion(s, model, sys, at, see_numbers(sys, at));
        return;
    }
    const extremes squares = see_bodies(model, sys, at);
    if (is_within(s, &squares))
        s->turning = sqrt(squares.rate);
    else
        take_motion(s, model, sys, at, roots_of(squares));
}

// Joint coordinates that are stated say where bodies are: those that they move were placed for the
// frames of the joints.
static bool is_placed_by_joints(const tn_model *model)
{
    for (int k = 0; k < model->joints.count; k++)
        if (model->joints.at[k].def->nposition > 0)
            return true;
    return false;
}

double tn_sizes_moved(const tn_sizes *sizes, const tn_model *model, tn_system *sys,
                      const tn_point *at, int *body)
{
    double most = 0.0;
    *body = -1;
    if (!model || sizes->grows || is_placed_by_joints(model))
        return 0.0;
    if (sys->ops->mechanism->look)
        sys->ops->mechanism->look(sys, at);
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_body_kept *def = &model->bodies.at[k].def;
        tn_body_state x;
        if (!def->given_position)
            continue;
        sys->ops->mechanism->body(sys, at, k, &x);
        const double moved = tn_v3_norm(tn_v3_sub(x.frame.p, def->frame.p)) / sizes->length;
        if (*body < 0 || moved > most) {
            most = moved;
            *body = k;
        }
    }
    sys->looked = false;
    return most;
}
