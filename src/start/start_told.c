// SPDX-License-Identifier: MIT
//
// Notes on a start, and the check of what is stated; see start_parts.h.

#include "start/start_parts.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "lie/so3.h"
#include "model/model.h"
#include "motion/massless.h"
#include "start/singular.h"
#include "start/sizes.h"
#include "tenon/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// From which on a body counts as moved: in sizes of the mechanism, or rad.
static const double NOTICED = 1e-3;
// Accuracy of stated values: round-off of long chains, and for velocities of bodies the digits that
// a user typed (assemble.c lets them pass).
static const double TYPED = 2e-6;

// Ratio of singular values of a position that is singular: regular ones are above 1e-4.
static const double SINGULAR = 1e-8;

// Bodies ------------------------------------------------------------------------------------------

static void tell_moved(const tn_model *model, tn_start *s, double size)
{
    const tn_point before = {.q = s->q_given, .v = s->v_given}, after = tn_state_point(&s->x);
    double most = 0.0, way = 0.0, turn = 0.0;
    int count = 0, worst = 0;
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_body_kept *def = &model->bodies.at[k].def;
        tn_body_state given, now;
        if (!def->given_position && !def->given_rotation)
            continue;
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

static void tell_force(const tn_model *model, tn_start *s, int force, double size)
{
    const tn_force_data *data = &model->forces.at[force];
    const tn_point at = tn_state_point(&s->x);
    tn_force_view view = {.size = size, .units = s->sys->units};
    tn_force_state now = {0};
    if (!data->ops->tell_start)
        return;
    tn_system_see_force(s->sys, &at, data, &view);
    s->sys->ops->mechanism->force(s->sys, &at, force, &now);
    view.y = now.deflection;
    view.energy = now.energy;
    data->ops->tell_start(data, &view, &s->notes);
}

static void tell_shares(const tn_model *model, tn_start *s)
{
    char text[400] = "";
    size_t n = 0;
    for (int k = 0; k < model->joints.count && n < sizeof text; k++)
        if (model->joints.at[k].def->share > 0.0)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s'%s' %g", n ? ", " : "",
                                  model->joints.at[k].name, model->joints.at[k].def->share);
    if (n > 0)
        tn_notes_add(&s->notes,
                     "loads that the equations do not determine are shared by the stiffnesses that "
                     "joints state: %s",
                     text);
}

void tn_start_tell(const tn_model *model, tn_start *s)
{
    tell_shares(model, s);
    const tn_point at = tn_state_point(&s->x);
    const double size = tn_sizes_length(model, s->sys, &at);
    tell_moved(model, s, size);
    for (int k = 0; k < model->forces.count; k++)
        tell_force(model, s, k, size);
}

// Velocities that a model states, drives apart.
static int stated_velocities(const tn_model *model)
{
    int count = 0;
    for (int k = 0; k < model->joints.count; k++)
        count += model->joints.at[k].def->nrate;
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_body_kept *def = &model->bodies.at[k].def;
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
    if (!s->accel->kkt.singular || stated == 0 || stated >= freedoms)
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

// Names the cause of a changed stated velocity.
static const char *deciding(const tn_system *sys)
{
    return sys->nmassless > 0 ? "forces on motions without inertia and the constraints"
                              : "the constraints";
}

static tn_status verify_joint(const verifier *v, int k)
{
    const tn_joint_data *joint = &v->model->joints.at[k];
    const tn_joint_def *def = joint->def;
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
        if (apart >
            TN_ROUND_ITERATE * (unit + fabs(q[i])) + (length ? TN_ROUND_SOLVE * v->far : 0.0))
            return tn_fail(TN_ERR_MODEL,
                           "joint '%s' states that its %s starts at %.9g %s, but in %s coordinates "
                           "it starts at %.9g",
                           joint->name, joint->ops->coords[i].name, si * def->position[i],
                           joint->ops->coords[i].unit, v->sys->ops->coordinates, si * q[i]);
        if (slip > TN_ROUND_ITERATE * unit * v->rate)
            return tn_fail(TN_ERR_MODEL,
                           "joint '%s' states a rate of %.9g %s/s of its %s, but %s make it %.9g",
                           joint->name, si * def->rate[i], joint->ops->coords[i].unit,
                           joint->ops->coords[i].name, deciding(v->sys), si * rate[i]);
    }
    return TN_OK;
}

static tn_status verify_body(const verifier *v, int k)
{
    const tn_body_kept *def = &v->model->bodies.at[k].def;
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
    v->size = tn_sizes_length(v->model, v->sys, &v->at);
    for (int k = 1; k < v->model->bodies.count; k++) {
        tn_body_state x;
        v->sys->ops->mechanism->body(v->sys, &v->at, k, &x);
        v->far = fmax(v->far, tn_v3_norm(x.frame.p));
        v->rate = fmax(v->rate, fmax(tn_v3_norm(x.velocity) / v->size, tn_v3_norm(x.rate)));
    }
    for (int k = 0; k < v->model->joints.count; k++) {
        const tn_joint_data *joint = &v->model->joints.at[k];
        for (int i = 0; i < joint->def->nrate; i++)
            v->rate = fmax(v->rate, fabs(joint->def->rate[i]) /
                                        (strcmp(joint->ops->coords[i].unit, "m") ? 1.0 : v->size));
    }
}

static bool states_something(const tn_model *model)
{
    for (int k = 0; k < model->joints.count; k++)
        if (model->joints.at[k].def->nposition + model->joints.at[k].def->nrate > 0)
            return true;
    for (int k = 1; k < model->bodies.count; k++)
        if (model->bodies.at[k].def.given_velocity || model->bodies.at[k].def.given_rate)
            return true;
    return false;
}

tn_status tn_start_verify(const tn_model *model, tn_start *s)
{
    if (!states_something(model))
        return TN_OK;
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

// Inertias ----------------------------------------------------------------------------------------

// The velocity whose inertia is the smallest part of what would count, -1: none; that part.
static int find_smallest(const tn_system *sys, const double *least, double *part)
{
    int found = -1;
    *part = 1.0;
    for (int i = 0; i < sys->nv; i++) {
        const double inertia = tn_sparse_at(sys->block[TN_BLOCK_M], i, i);
        if (inertia > 0.0 && inertia <= *part * least[i]) {
            *part = inertia / least[i];
            found = i;
        }
    }
    return found;
}

tn_status tn_dropped_inertia(const tn_system *sys, double massless_tol, char text[TN_DROPPED_TEXT])
{
    TN_ASSERT(massless_tol >= 0.0 && massless_tol < 1.0);
    double part = 1.0;
    char name[96];
    text[0] = '\0';
    if (!sys->block[TN_BLOCK_M] || sys->nv == 0)
        return TN_OK;
    double *least = tn_alloc(sizeof(double) * (size_t)sys->nv);
    TN_TRY(tn_got(least));
    const tn_status status = tn_massless_least(sys, massless_tol, least);
    const int found = status == TN_OK ? find_smallest(sys, least, &part) : -1;
    tn_free(least);
    if (found < 0)
        return status;
    sys->ops->velocity_name(sys, found, name, sizeof name);
    snprintf(
        text, TN_DROPPED_TEXT,
        "%s has an inertia that is not zero and counts as none: it is %.3g of the largest that "
        "joints connect with it, and inertias up to massless_tol = %g of that are left out; "
        "lower massless_tol if this one matters",
        name, part * massless_tol, massless_tol);
    return TN_OK;
}

tn_status tn_dropped_within(const tn_system *sys, double massless_tol, tn_status status)
{
    TN_ASSERT(status != TN_OK);
    char dropped[TN_DROPPED_TEXT];
    TN_TRY(tn_dropped_inertia(sys, massless_tol, dropped));
    return dropped[0] ? tn_fail(status, "%s; %s", tn_last_error(), dropped) : status;
}
