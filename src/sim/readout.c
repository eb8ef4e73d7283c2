// SPDX-License-Identifier: MIT
//
// Read-out of a simulation: bodies, joints, reactions, raw state. Where constraints are redundant
// the multipliers are those of minimum norm: with the left null vectors z_k of C (C^T z_k = 0),
//   lambda_min = lambda - Z (Z^T Z)^-1 Z^T lambda.

#include "linalg/dense.h"
#include "sim/sim.h"
#include "system/absolute.h"

static bool is_body(const tn_sim *sim, tn_body body)
{
    return sim->model && body.index >= 0 && body.index < tn_model_body_count(sim->model);
}

static bool is_joint(const tn_sim *sim, tn_joint joint)
{
    return sim->model && joint.index >= 0 && joint.index < tn_model_joint_count(sim->model);
}

// The point of a state that is seen, and what the system says of mechanisms there. States that are
// told have the q and v of the view.
static const tn_mechanism_ops *look_readout(const tn_sim *sim, const tn_state *x, tn_point *at)
{
    tn_sim *s = (tn_sim *)sim; // a cache, not a change of the state
    tn_system *sys = sim->start.sys;
    const tn_mechanism_ops *ops = sys->ops->mechanism;
    *at = tn_state_point(x);
    if (ops->look && (!sys->looked || sim->looked_at != x))
        ops->look(sys, at);
    s->looked_at = x;
    return ops;
}

static tn_body_state readout_state_of(const tn_sim *sim, const tn_state *x, tn_body body)
{
    tn_body_state state = {.frame = tn_frame_identity, .rotation = tn_quat_identity};
    tn_point at;
    if (is_body(sim, body))
        look_readout(sim, x, &at)->body(sim->start.sys, &at, body.index, &state);
    const double length = sim->start.sys->units.length;
    state.frame.p = tn_v3_scale(length, state.frame.p);
    state.velocity = tn_v3_scale(length, state.velocity);
    state.acceleration = tn_v3_scale(length, state.acceleration);
    return state;
}

// For what no reaction has part in: the state that is told, where it is known already, so that the
// system looks once.
static const tn_state *seen_state(const tn_sim *sim)
{
    return sim->told.known ? sim->told.best : sim->view;
}

static tn_body_state body_state(const tn_sim *sim, tn_body body)
{
    return readout_state_of(sim, seen_state(sim), body);
}

double tn_sim_time(const tn_sim *sim)
{
    TN_NEED(sim, 0.0);
    return sim->view->t;
}

tn_frame tn_sim_body_frame(const tn_sim *sim, tn_body body)
{
    TN_NEED(sim, tn_frame_identity);
    return body_state(sim, body).frame;
}

tn_quat tn_sim_body_rotation(const tn_sim *sim, tn_body body)
{
    TN_NEED(sim, tn_quat_identity);
    return body_state(sim, body).rotation;
}

tn_vec3 tn_sim_body_velocity(const tn_sim *sim, tn_body body)
{
    TN_NEED(sim, ((tn_vec3){0}));
    return body_state(sim, body).velocity;
}

tn_vec3 tn_sim_body_rate(const tn_sim *sim, tn_body body)
{
    TN_NEED(sim, ((tn_vec3){0}));
    return body_state(sim, body).rate;
}

tn_vec3 tn_sim_body_acceleration(const tn_sim *sim, tn_body body)
{
    TN_NEED(sim, ((tn_vec3){0}));
    return readout_state_of(sim, tn_sim_told(sim), body).acceleration;
}

tn_vec3 tn_sim_body_rate_dot(const tn_sim *sim, tn_body body)
{
    TN_NEED(sim, ((tn_vec3){0}));
    return readout_state_of(sim, tn_sim_told(sim), body).rate_dot;
}

int tn_sim_joint_coordinates(const tn_sim *sim, tn_joint joint, double *q, double *rate)
{
    TN_NEED(sim, 0);
    if (!is_joint(sim, joint))
        return 0;
    tn_point at;
    double unread[2][6];
    tn_system *sys = sim->start.sys;
    const tn_joint_coord *coords = sim->model->joints.at[joint.index].ops->coords;
    const tn_mechanism_ops *ops = look_readout(sim, seen_state(sim), &at);
    q = q ? q : unread[0];
    rate = rate ? rate : unread[1];
    const int n = ops->coordinates(sys, &at, joint.index, q, rate);
    for (int i = 0; i < n; i++) {
        const double unit = tn_unit_coordinate(sys->units, coords[i].unit);
        q[i] *= unit;
        rate[i] *= unit;
    }
    return n;
}

void tn_sim_deflection(const tn_sim *sim, int force, double *y, double *rate)
{
    tn_point at;
    const tn_mechanism_ops *ops = look_readout(sim, seen_state(sim), &at);
    ops->deflection(sim->start.sys, &at, force, y, rate);
}

// Reactions of redundant mechanisms are shared by all rows, those of joints in the tree as well:
// in other coordinates the world tells them.
static tn_start *told_by(const tn_sim *sim)
{
    tn_start *world = sim->start.world;
    return world && world->redundancy.count > 0 ? world : (tn_start *)&sim->start;
}

const tn_redundancy *tn_sim_shared_rows(const tn_sim *sim)
{
    return &told_by(sim)->redundancy;
}

// The state that is seen, in the world, with the multipliers that go with its accelerations.
static void world_state(tn_sim *sim, tn_start *world)
{
    tn_system *sys = sim->start.sys;
    tn_state *x = &world->x;
    tn_point seen;
    const tn_mechanism_ops *ops = look_readout(sim, tn_sim_told(sim), &seen);
    x->t = seen.t;
    tn_copy(world->sys->nr, seen.r, x->r);
    for (int k = 0; k < tn_model_joint_count(sim->model); k++)
        ops->multipliers(sys, &seen, k, x->lambda + tn_absolute_joint_row(world->sys, k));
    sys->ops->world->to(sys, &seen, x->q, x->v, NULL);
}

static const double *readout_multipliers(const tn_sim *sim, const tn_start *from)
{
    tn_sim *s = (tn_sim *)sim; // a cache, not a change of the state
    if (from->redundancy.count == 0)
        return tn_sim_told(sim)->lambda;
    if (!s->lambda_known) {
        const bool world = from == sim->start.world;
        if (world)
            world_state(s, sim->start.world);
        const tn_state *x = world ? &from->x : tn_sim_told(sim);
        const tn_point at = tn_state_point(x);
        tn_copy(from->sys->ng, x->lambda, s->lambda_out);
        tn_copy(from->sys->nn, x->eta, s->lambda_out + from->sys->ng);
        if (tn_row_choice_at(from->rows, &at) == TN_OK)
            tn_row_choice_share(from->rows, s->lambda_out);
        s->lambda_known = true;
    }
    return s->lambda_out;
}

// The point with its multipliers, and the system that they belong to.
static tn_system *reactions_at(const tn_sim *sim, tn_point *at)
{
    const tn_start *from = told_by(sim);
    const double *lambda = readout_multipliers(sim, from);
    if (from == sim->start.world) {
        sim->start.sys->ops->world->release(sim->start.sys);
        *at = tn_state_point(&from->x);
    } else {
        look_readout(sim, tn_sim_told(sim), at);
    }
    at->lambda = lambda;
    return from->sys;
}

tn_wrench tn_sim_joint_reaction(const tn_sim *sim, tn_joint joint)
{
    TN_NEED(sim, ((tn_wrench){0}));
    tn_point at;
    if (!is_joint(sim, joint))
        return (tn_wrench){0};
    const tn_system *sys = reactions_at(sim, &at);
    const tn_wrench w = sys->ops->mechanism->reaction(sys, &at, joint.index);
    const tn_units units = sys->units;
    return (tn_wrench){tn_v3_scale(tn_unit_force(units), w.f),
                       tn_v3_scale(tn_unit_energy(units), w.m)};
}

int tn_sim_joint_multipliers(const tn_sim *sim, tn_joint joint, double *lambda, bool *unique)
{
    TN_NEED(sim, 0);
    tn_point at;
    if (!is_joint(sim, joint))
        return 0;
    const tn_start *world = sim->start.world ? sim->start.world : &sim->start;
    const int row0 = tn_absolute_joint_row(world->sys, joint.index);
    const tn_system *sys = reactions_at(sim, &at);
    double unread[6];
    lambda = lambda ? lambda : unread;
    const int rows = sys->ops->mechanism->multipliers(sys, &at, joint.index, lambda);
    for (int i = 0; i < rows; i++)
        lambda[i] *= tn_unit_energy(sys->units) / tn_system_row_unit(world->sys, row0 + i);
    for (int i = 0; unique && i < rows; i++)
        unique[i] = world->redundancy.unique[row0 + i];
    return rows;
}

int tn_sim_nq(const tn_sim *sim)
{
    TN_NEED(sim, 0);
    return sim->start.sys->nq;
}

int tn_sim_nv(const tn_sim *sim)
{
    TN_NEED(sim, 0);
    return sim->start.sys->nv;
}

int tn_sim_nl(const tn_sim *sim)
{
    TN_NEED(sim, 0);
    return sim->start.sys->ng;
}

int tn_sim_nn(const tn_sim *sim)
{
    TN_NEED(sim, 0);
    return sim->start.sys->nn;
}

const double *tn_sim_q(const tn_sim *sim)
{
    TN_NEED(sim, NULL);
    return tn_sim_si_q(sim, sim->view->q);
}

const double *tn_sim_v(const tn_sim *sim)
{
    TN_NEED(sim, NULL);
    return tn_sim_si_v(sim, sim->view->v);
}

const double *tn_sim_a(const tn_sim *sim)
{
    TN_NEED(sim, NULL);
    return tn_sim_si_a(sim, tn_sim_told(sim)->a);
}

const double *tn_sim_lambda(const tn_sim *sim)
{
    TN_NEED(sim, NULL);
    return tn_sim_si_lambda(sim, tn_sim_told(sim)->lambda);
}

const double *tn_sim_eta(const tn_sim *sim)
{
    TN_NEED(sim, NULL);
    return tn_sim_told(sim)->eta;
}

const double *tn_sim_extra(const tn_sim *sim)
{
    TN_NEED(sim, NULL);
    return sim->view->e;
}

const double *tn_sim_sampled(const tn_sim *sim)
{
    TN_NEED(sim, NULL);
    return sim->view->r;
}

bool tn_sim_discrete(const tn_sim *sim, tn_discrete_node *out)
{
    TN_NEED(sim, false);
    TN_NEED(out, false);
    tn_sim *s = (tn_sim *)sim; // looks ahead, but does not change the motion
    const tn_integrator_ops *ops = sim->method.integrator;
    *out = (tn_discrete_node){0};
    if (!ops->node || sim->view != &sim->start.x)
        return false;
    const bool told = ops->node(s->integrator, &s->stepper, sim->view, out) == TN_OK;
    if (told)
        tn_sim_si_node(s, out);
    s->start.sys->looked = false;
    return told;
}

const char *tn_sim_method(const tn_sim *sim)
{
    TN_NEED(sim, "");
    return sim->method.name;
}

const char *tn_sim_why(const tn_sim *sim)
{
    TN_NEED(sim, "");
    return sim->method.why;
}

const char *tn_sim_rotation(const tn_sim *sim)
{
    TN_NEED(sim, "");
    return tn_sim_has_directors(sim) ? "directors" : sim->options.rotation;
}

const char *tn_sim_solver(const tn_sim *sim)
{
    TN_NEED(sim, "");
    if (sim->discrete)
        return sim->discrete->ops->solver(sim->discrete);
    if (sim->problem)
        return tn_problem_solver(sim->problem);
    return sim->ode ? tn_ode_solver(sim->ode) : "none";
}

int tn_sim_note_count(const tn_sim *sim)
{
    TN_NEED(sim, 0);
    return sim->start.notes.count;
}

const char *tn_sim_note(const tn_sim *sim, int i)
{
    TN_NEED(sim, "");
    return i >= 0 && i < sim->start.notes.count ? sim->start.notes.text[i] : "";
}

int tn_sim_freedoms(const tn_sim *sim)
{
    TN_NEED(sim, 0);
    return sim->start.sys->nv - sim->start.redundancy.rank;
}

int tn_sim_redundant(const tn_sim *sim)
{
    TN_NEED(sim, 0);
    return sim->start.redundancy.count;
}
