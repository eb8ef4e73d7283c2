// SPDX-License-Identifier: MIT
//
// Notes on a start, and the check of what is stated; see start_told.h.

#include "analysis/start_told.h"

#include "analysis/dropped.h"
#include "analysis/singular.h"
#include "analysis/sizes.h"
#include "lie/so3.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// From which on a body counts as moved and a stop as violated: in sizes of the mechanism, or rad.
static const double NOTICED = 1e-3;
// From which on a spring counts as far from rest: in free lengths, sizes of the mechanism, and rad.
// Springs that carry a weight are strained by a third and less.
static const double STRAINED = 0.5, WOUND = 3.141592653589793;
// How exactly stated values hold: round-off of long chains, and for velocities of bodies the digits
// that a user typed (assemble.c lets them pass).
static const double EXACT = 1e-9, TYPED = 2e-6, FAR_ROUND_OFF = 1e-12;

// Ratio of singular values of a position that is singular: regular ones are above 1e-4.
static const double SINGULAR = 1e-8;

static double start_told_size_of(const tn_model *model, tn_system *sys, const tn_point *at)
{
    const double length = tn_sizes_length(model, sys, at);
    return length > 0.0 ? length : 1.0;
}

// Bodies ------------------------------------------------------------------------------------------

static void tell_moved(const tn_model *model, tn_start *s, double size)
{
    const tn_point before = {.q = s->q_given, .v = s->v_given}, after = tn_state_point(&s->x);
    double most = 0.0, way = 0.0, turn = 0.0;
    int count = 0, worst = 0;
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_body_def *def = &model->bodies.at[k].def;
        tn_body_state given, now;
        s->sys->ops->mechanism->body(s->sys, &before, k, &given);
        s->sys->ops->mechanism->body(s->sys, &after, k, &now);
        const double d =
            def->given_position ? tn_v3_norm(tn_v3_sub(now.frame.p, given.frame.p)) : 0.0;
        const tn_mat3 apart = tn_m3_mul(tn_m3_transpose(given.frame.R), now.frame.R);
        const double a = def->given_rotation ? tn_v3_norm(tn_so3_log(apart)) : 0.0;
        count += d > NOTICED * size || a > NOTICED;
        if (fmax(d / size, a) > most) {
            most = fmax(d / size, a);
            worst = k;
            way = d;
            turn = a;
        }
    }
    char by[64] = "";
    const double length = way * model->units.length;
    snprintf(by, sizeof by, turn > 0.0 ? "%.4g m and %.4g rad" : "%.4g m", length, turn);
    if (count == 1)
        tn_notes_add(&s->notes, "assembly moved body '%s' by %s from where the model states it",
                     model->bodies.at[worst].name, by);
    else if (count > 1)
        tn_notes_add(&s->notes,
                     "assembly moved %d bodies from where the model states them, '%s' most, by %s; "
                     "tenon check lists all",
                     count, model->bodies.at[worst].name, by);
}

// Forces ------------------------------------------------------------------------------------------

// What a scalar law acts on: value, rate and whether it is an angle.
typedef struct strain {
    double x, rate;
    bool angle;
} strain;

static double unit_of(const tn_start *s, const strain *at)
{
    return at->angle ? 1.0 : s->sys->units.length;
}

static tn_frame frame_of(const tn_start *s, const tn_point *at, tn_body body, tn_frame local)
{
    tn_body_state x;
    s->sys->ops->mechanism->body(s->sys, at, body.index, &x);
    return tn_frame_mul(x.frame, local);
}

static bool find_strain(const tn_model *model, const tn_start *s, const tn_force_data *force,
                        strain *out)
{
    const tn_force_def *def = &force->def;
    const tn_point at = tn_state_point(&s->x);
    double q[TN_JOINT_MAX_COORDS] = {0}, rate[TN_JOINT_MAX_COORDS] = {0};
    if (force->ops->on_joint) {
        const tn_joint_coord *c = &model->joints.at[def->joint.index].ops->coords[def->coordinate];
        s->sys->ops->mechanism->coordinates(s->sys, &at, def->joint.index, q, rate);
        *out = (strain){q[def->coordinate], rate[def->coordinate], !strcmp(c->unit, "rad")};
        return true;
    }
    if (def->kind != TN_FORCE_SPRING)
        return false;
    const tn_vec3 a = frame_of(s, &at, def->body_a, def->frame_a).p;
    *out = (strain){.x = tn_v3_norm(tn_v3_sub(frame_of(s, &at, def->body_b, def->frame_b).p, a))};
    return true;
}

static void tell_stop(tn_start *s, const tn_force_data *force, const strain *at, double size)
{
    const double over = at->x - force->def.stop.upper, under = force->def.stop.lower - at->x;
    const double beyond = fmax(over, under);
    tn_scalar_load load = {0};
    if (!(beyond > NOTICED * (at->angle ? 1.0 : size)))
        return;
    force->ops->law(force, s->x.t, at->x, at->rate, &load);
    tn_notes_add(&s->notes, "stop '%s' starts %.4g %s beyond its %s end and stores %.4g J",
                 force->name, beyond * unit_of(s, at), at->angle ? "rad" : "m",
                 over > under ? "upper" : "lower", load.energy * tn_unit_energy(s->sys->units));
}

static void tell_spring(tn_start *s, const tn_force_data *force, const strain *at, double size)
{
    const double free = force->def.spring.free, apart = fabs(at->x - free);
    const bool own = force->def.kind == TN_FORCE_SPRING;
    const double far = at->angle ? WOUND : STRAINED * (own && free > 0.0 ? free : size);
    tn_scalar_load load = {0};
    if (!force->def.spring.free_given || !(apart > far))
        return;
    force->ops->law(force, s->x.t, at->x, at->rate, &load);
    if (load.energy > 0.0)
        tn_notes_add(&s->notes,
                     "spring '%s' starts far from rest, %.4g %s from its free %s, and stores "
                     "%.4g J",
                     force->name, apart * unit_of(s, at), at->angle ? "rad" : "m",
                     own ? "length" : "position", load.energy * tn_unit_energy(s->sys->units));
}

// Beyond a quarter turn a bushing is far from what it is made for, and beyond half a turn its
// torque jumps.
static void tell_bushing(tn_start *s, const tn_force_data *force)
{
    const tn_force_def *def = &force->def;
    const tn_point at = tn_state_point(&s->x);
    const tn_frame A = frame_of(s, &at, def->body_a, def->frame_a);
    const tn_frame B = frame_of(s, &at, def->body_b, def->frame_b);
    const double turn = tn_v3_norm(tn_so3_log(tn_m3_mul(tn_m3_transpose(A.R), B.R)));
    if (turn > 0.5 * WOUND && tn_v3_norm(def->bushing.rotational_stiffness) > 0.0)
        tn_notes_add(&s->notes,
                     "bushing '%s' starts turned by %.4g rad; beyond half a turn its torque jumps "
                     "to the other side",
                     force->name, turn);
}

void tn_start_tell(const tn_model *model, tn_start *s)
{
    const tn_point at = tn_state_point(&s->x);
    const double size = start_told_size_of(model, s->sys, &at);
    tell_moved(model, s, size);
    for (int k = 0; k < model->forces.count; k++) {
        const tn_force_data *force = &model->forces.at[k];
        strain x;
        if (force->def.kind == TN_FORCE_BUSHING)
            tell_bushing(s, force);
        else if (!find_strain(model, s, force, &x))
            continue;
        else if (force->def.kind == TN_FORCE_JOINT_STOP)
            tell_stop(s, force, &x, size);
        else if (force->def.kind == TN_FORCE_SPRING || force->def.kind == TN_FORCE_JOINT_SPRING)
            tell_spring(s, force, &x, size);
    }
}

// Velocities that a model states, drives apart.
static int stated_velocities(const tn_model *model)
{
    int count = 0;
    for (int k = 0; k < model->joints.count; k++)
        count += model->joints.at[k].def.nrate;
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_body_def *def = &model->bodies.at[k].def;
        count += (def->given_velocity ? 3 : 0) + (def->given_rate ? 3 : 0);
    }
    return count;
}

tn_status tn_start_tell_singular(const tn_model *model, tn_start *s)
{
    const tn_point at = tn_state_point(&s->x);
    const int stated = stated_velocities(model);
    tn_rank_margin margin;
    char rows[400];
    int freedoms = s->sys->nv + 1; // one more than elsewhere
    for (int i = 0; i < s->sys->ng + s->sys->nn; i++)
        freedoms -= s->redundancy.active[i];
    if (!tn_accel_is_singular(s->accel) || stated == 0 || stated >= freedoms)
        return TN_OK;
    TN_TRY(tn_singular_find(s->sys, &at, s->redundancy.active, &margin));
    if (!(margin.ratio < SINGULAR))
        return TN_OK;
    tn_singular_text(&margin, rows, sizeof rows);
    tn_notes_add(
        &s->notes,
        "the start is a singular position: %d stated %s the others open, and may belong to "
        "no motion; state more rates, or start a little away (rows that lose rank: %s)",
        stated, stated == 1 ? "velocity leaves" : "velocities leave", rows);
    return TN_OK;
}

// Stated values -----------------------------------------------------------------------------------

typedef struct verifier {
    const tn_model *model;
    tn_system *sys;
    tn_point at;
    double size, far, rate; // [m], [m], [rad/s]: largest speed of the start
} verifier;

// What has changed a stated velocity.
static const char *deciding(const tn_system *sys)
{
    return sys->nmassless > 0 ? "forces on motions without inertia and the constraints"
                              : "the constraints";
}

static tn_status verify_joint(const verifier *v, int k)
{
    const tn_joint_data *joint = &v->model->joints.at[k];
    const tn_joint_def *def = &joint->def;
    const int np = def->guess ? 0 : def->nposition;
    double q[TN_JOINT_MAX_COORDS] = {0}, rate[TN_JOINT_MAX_COORDS] = {0};
    if (np == 0 && def->nrate == 0)
        return TN_OK;
    v->sys->ops->mechanism->coordinates(v->sys, &v->at, k, q, rate);
    for (int i = 0; i < (np > def->nrate ? np : def->nrate); i++) {
        const bool length = !strcmp(joint->ops->coords[i].unit, "m");
        const double unit = length ? v->size : 1.0, si = length ? v->model->units.length : 1.0;
        const double apart = i < np ? fabs(q[i] - def->position[i]) : 0.0;
        const double slip = i < def->nrate ? fabs(rate[i] - def->rate[i]) : 0.0;
        if (apart > EXACT * (unit + fabs(q[i])) + (length ? FAR_ROUND_OFF * v->far : 0.0))
            return tn_fail(TN_ERR_MODEL,
                           "joint '%s' states that its %s starts at %.9g %s, but in %s coordinates "
                           "it starts at %.9g",
                           joint->name, joint->ops->coords[i].name, si * def->position[i],
                           joint->ops->coords[i].unit, v->sys->ops->coordinates, si * q[i]);
        if (slip > EXACT * unit * v->rate)
            return tn_fail(TN_ERR_MODEL,
                           "joint '%s' states a rate of %.9g %s/s of its %s, but %s make it %.9g",
                           joint->name, si * def->rate[i], joint->ops->coords[i].unit,
                           joint->ops->coords[i].name, deciding(v->sys), si * rate[i]);
    }
    return TN_OK;
}

static tn_status verify_body(const verifier *v, int k)
{
    const tn_body_def *def = &v->model->bodies.at[k].def;
    tn_body_state x;
    if (!def->given_velocity && !def->given_rate)
        return TN_OK;
    v->sys->ops->mechanism->body(v->sys, &v->at, k, &x);
    const double slip =
        def->given_velocity ? tn_v3_norm(tn_v3_sub(x.velocity, def->velocity)) / v->size : 0.0;
    const double turn = def->given_rate ? tn_v3_norm(tn_v3_sub(x.rate, def->rate)) : 0.0;
    if (fmax(slip, turn) <= TYPED * v->rate)
        return TN_OK;
    return tn_fail(
        TN_ERR_MODEL,
        "body '%s' does not start with the %s that it states: %s do not allow it; leave it "
        "out",
        v->model->bodies.at[k].name, turn > slip ? "rate" : "velocity", deciding(v->sys));
}

static void see_sizes(verifier *v)
{
    v->size = start_told_size_of(v->model, v->sys, &v->at);
    for (int k = 1; k < v->model->bodies.count; k++) {
        tn_body_state x;
        v->sys->ops->mechanism->body(v->sys, &v->at, k, &x);
        v->far = fmax(v->far, tn_v3_norm(x.frame.p));
        v->rate = fmax(v->rate, fmax(tn_v3_norm(x.velocity) / v->size, tn_v3_norm(x.rate)));
    }
    for (int k = 0; k < v->model->joints.count; k++) {
        const tn_joint_data *joint = &v->model->joints.at[k];
        for (int i = 0; i < joint->def.nrate; i++)
            v->rate = fmax(v->rate, fabs(joint->def.rate[i]) /
                                        (strcmp(joint->ops->coords[i].unit, "m") ? 1.0 : v->size));
    }
}

tn_status tn_start_verify(const tn_model *model, tn_start *s)
{
    verifier v = {.model = model, .sys = s->sys, .at = tn_state_point(&s->x)};
    tn_status status = TN_OK;
    if (s->sys->ops->mechanism->look)
        s->sys->ops->mechanism->look(s->sys, &v.at);
    see_sizes(&v);
    for (int k = 0; status == TN_OK && k < model->joints.count; k++)
        status = verify_joint(&v, k);
    for (int k = 1; status == TN_OK && k < model->bodies.count; k++)
        status = verify_body(&v, k);
    s->sys->looked = false;
    return status == TN_ERR_MODEL ? tn_dropped_within(s->sys, s->massless_tol, status) : status;
}
