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

static tn_body_state body_state(const tn_sim *sim, tn_body body)
{
    tn_body_state state = {.frame = tn_frame_identity, .rotation = tn_quat_identity};
    const tn_point at = tn_state_point(sim->view);
    if (is_body(sim, body))
        tn_absolute_body(sim->start.sys, &at, body.index, &state);
    return state;
}

double tn_sim_time(const tn_sim *sim)
{
    return sim->view->t;
}

tn_frame tn_sim_body_frame(const tn_sim *sim, tn_body body)
{
    return body_state(sim, body).frame;
}

tn_quat tn_sim_body_rotation(const tn_sim *sim, tn_body body)
{
    return body_state(sim, body).rotation;
}

tn_vec3 tn_sim_body_velocity(const tn_sim *sim, tn_body body)
{
    return body_state(sim, body).velocity;
}

tn_vec3 tn_sim_body_rate(const tn_sim *sim, tn_body body)
{
    return body_state(sim, body).rate;
}

tn_vec3 tn_sim_body_acceleration(const tn_sim *sim, tn_body body)
{
    return body_state(sim, body).acceleration;
}

tn_vec3 tn_sim_body_rate_dot(const tn_sim *sim, tn_body body)
{
    return body_state(sim, body).rate_dot;
}

int tn_sim_joint_coordinates(const tn_sim *sim, tn_joint joint, double *q, double *rate)
{
    if (!is_joint(sim, joint))
        return 0;
    const tn_point at = tn_state_point(sim->view);
    return tn_absolute_coordinates(sim->start.sys, &at, joint.index, q, rate);
}

// Row i of C as a dense vector.
static void constraint_row(const tn_system *sys, int i, double *out)
{
    const bool holonomic = i < sys->ng;
    const tn_sparse *C = sys->block[holonomic ? TN_BLOCK_B : TN_BLOCK_N];
    const int row = holonomic ? i : i - sys->ng;
    tn_zero(sys->nv, out);
    for (int j = 0; j < sys->nv; j++)
        for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
            if (C->rowind[k] == row)
                out[j] = C->val[k];
}

// With C_k^T on the right, M x + C^T y = C_k^T, C x = 0 has x = 0 and y the combination of C_k.
static tn_status kernel_vectors(tn_sim *sim)
{
    const tn_redundancy *r = &sim->start.redundancy;
    const tn_point at = tn_state_point(sim->view);
    TN_TRY(tn_accel_factor(sim->start.accel, &at));
    for (int k = 0; k < r->count; k++) {
        double *z = sim->kernel + (size_t)k * (size_t)r->rows;
        constraint_row(sim->start.sys, r->redundant[k], sim->scratch);
        tn_zero(r->rows, z);
        TN_TRY(tn_accel_resolve(sim->start.accel, sim->scratch, z));
        tn_scale(r->rows, -1.0, z);
        z[r->redundant[k]] += 1.0;
    }
    return TN_OK;
}

static void minimum_norm(tn_sim *sim)
{
    const tn_redundancy *r = &sim->start.redundancy;
    const int n = r->count;
    double *gram = sim->gram, *rhs = gram + n * n;
    if (kernel_vectors(sim) != TN_OK)
        return;
    for (int i = 0; i < n; i++) {
        const double *z = sim->kernel + (size_t)i * (size_t)r->rows;
        rhs[i] = tn_dot(r->rows, z, sim->lambda_out);
        for (int j = 0; j < n; j++)
            gram[i + j * n] = tn_dot(r->rows, z, sim->kernel + (size_t)j * (size_t)r->rows);
    }
    if (tn_lu_factor(n, gram, sim->gram_pivot) != TN_OK)
        return;
    tn_lu_solve(n, gram, sim->gram_pivot, rhs);
    for (int i = 0; i < n; i++)
        tn_axpy(r->rows, -rhs[i], sim->kernel + (size_t)i * (size_t)r->rows, sim->lambda_out);
}

static const double *multipliers(const tn_sim *sim)
{
    tn_sim *s = (tn_sim *)sim; // a cache, not a change of the state
    const tn_system *sys = sim->start.sys;
    if (sim->start.redundancy.count == 0)
        return sim->view->lambda;
    if (!s->lambda_known) {
        tn_copy(sys->ng, s->view->lambda, s->lambda_out);
        tn_copy(sys->nn, s->view->eta, s->lambda_out + sys->ng);
        minimum_norm(s);
        s->lambda_known = true;
    }
    return s->lambda_out;
}

tn_wrench tn_sim_joint_reaction(const tn_sim *sim, tn_joint joint)
{
    if (!is_joint(sim, joint))
        return (tn_wrench){0};
    tn_point at = tn_state_point(sim->view);
    at.lambda = multipliers(sim);
    return tn_absolute_reaction(sim->start.sys, &at, joint.index);
}

int tn_sim_joint_multipliers(const tn_sim *sim, tn_joint joint, double *lambda, bool *unique)
{
    if (!is_joint(sim, joint))
        return 0;
    const int row0 = tn_absolute_joint_row(sim->start.sys, joint.index);
    const int rows = tn_joint_row_count(sim->model, joint);
    tn_copy(rows, multipliers(sim) + row0, lambda);
    for (int i = 0; unique && i < rows; i++)
        unique[i] = sim->start.redundancy.unique[row0 + i];
    return rows;
}

int tn_sim_nq(const tn_sim *sim)
{
    return sim->start.sys->nq;
}

int tn_sim_nv(const tn_sim *sim)
{
    return sim->start.sys->nv;
}

int tn_sim_nl(const tn_sim *sim)
{
    return sim->start.sys->ng;
}

int tn_sim_nn(const tn_sim *sim)
{
    return sim->start.sys->nn;
}

const double *tn_sim_q(const tn_sim *sim)
{
    return sim->view->q;
}

const double *tn_sim_v(const tn_sim *sim)
{
    return sim->view->v;
}

const double *tn_sim_a(const tn_sim *sim)
{
    return sim->view->a;
}

const double *tn_sim_lambda(const tn_sim *sim)
{
    return sim->view->lambda;
}

const double *tn_sim_eta(const tn_sim *sim)
{
    return sim->view->eta;
}

const double *tn_sim_extra(const tn_sim *sim)
{
    return sim->view->e;
}

const double *tn_sim_sampled(const tn_sim *sim)
{
    return sim->view->r;
}

const char *tn_sim_method(const tn_sim *sim)
{
    return sim->method.name;
}

const char *tn_sim_why(const tn_sim *sim)
{
    return sim->method.why;
}

const char *tn_sim_rotation(const tn_sim *sim)
{
    return sim->options.rotation;
}

const char *tn_sim_solver(const tn_sim *sim)
{
    return sim->problem ? tn_solver_name(tn_problem_solver(sim->problem)) : tn_ode_solver(sim->ode);
}

int tn_sim_freedoms(const tn_sim *sim)
{
    return sim->start.sys->nv - sim->start.redundancy.rank;
}

int tn_sim_redundant(const tn_sim *sim)
{
    return sim->start.redundancy.count;
}
