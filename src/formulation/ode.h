// SPDX-License-Identifier: MIT
//
// The ACCEL view: a problem as an explicit ordinary differential equation z' = F(t, z) in a linear
// space, for explicit integrators. The formulation defines z: mostly (chart coordinates of q, v,
// c), for maggi kinematic characteristics instead of v, for phase-space momenta, for minimal only
// the independent coordinates. Each ACCEL formulation has its own file with a tn_ode_ops; ode.c
// holds what they share (chart, extra variables, extension to the full state).
//
// Algebraic variables w and s are found by Newton's method in each evaluation, and where forces
// depend on multipliers these too, from those of the last evaluation (reaction_roots.h).

#pragma once

#include "formulation/formulation.h"
#include "lie/chart.h"

typedef struct tn_ode tn_ode;

tn_status tn_ode_create(tn_system *sys, const tn_formulation *formulation, tn_chart_kind chart,
                        const tn_sim_options *options, tn_ode **out);
void tn_ode_destroy(tn_ode *ode);
// The rows that take part are set. `r` are the sampled states of the last evaluation.
void tn_ode_values(tn_ode *ode, const double *r, tn_values *v);
// Kinematic characteristics by name, of the model that the system is made of (NULL: of none), for
// formulations that read the option `characteristics`. Before anything is evaluated.
tn_status tn_ode_choose(tn_ode *ode, const tn_model *model, const char *names);
void tn_ode_set_active(tn_ode *ode, const int *active); // as tn_problem_set_active
int tn_ode_size(const tn_ode *ode);                     // of z

// Start of the search for algebraic variables: those of the state, after a step that failed.
void tn_ode_guess(tn_ode *ode, const double *e);
// Sampled states for evaluations; those before. Within the last step they may be others than now.
const double *tn_ode_use_samples(tn_ode *ode, const double *r);
// Way of algebraic variables to points that are far, within the last step and in steps of a given
// size: e, those of some other point, become those of `at`. NULL: by the plain search, which asks
// for a smaller step. Returns what it was before.
typedef struct tn_ode_way {
    tn_status (*follow)(void *self, const tn_point *at, double *e);
    void *self;
} tn_ode_way;
const tn_ode_way *tn_ode_follow(tn_ode *ode, const tn_ode_way *way);
// Takes the state as the base of the chart (and of the choice of independent coordinates, of the
// null space …) and writes z and z'. `known`: a, lambda, eta, e of the state belong to its t, q, v,
// c, r, so that F need not be evaluated where z' follows from them. `changed` (may be NULL) says
// whether the meaning of z has changed, so that multi-step methods must start anew; one-step
// methods call this at the start of each step.
tn_status tn_ode_begin(tn_ode *ode, const tn_state *x, bool known, double *z, double *zdot,
                       bool *changed);
// One evaluation at the state, after which solvers have chosen pivots and taken their memory.
tn_status tn_ode_warm_up(tn_ode *ode, const tn_state *x);
// False where the chart or the choice of coordinates has become poor: `begin` is due.
bool tn_ode_is_good(const tn_ode *ode, const double *z);
// z' = F(t, z). A positive status asks for a smaller step.
tn_status tn_ode_eval(tn_ode *ode, double t, const double *z, double *zdot);
// The full state at t, z: q, v, a, lambda, eta, e (r stays). Evaluates F, unless the last
// evaluation was at the same t and the same z (values are compared, not pointers).
tn_status tn_ode_state(tn_ode *ode, double t, const double *z, tn_state *x);
// Configuration, velocity and e only, without evaluating F where the formulation allows.
tn_status tn_ode_motion(tn_ode *ode, double t, const double *z, tn_state *x);
// Typical sizes of z for relative errors.
void tn_ode_sizes(const tn_ode *ode, const double *z, double *size);
// The value of its kind for each component of z.
void tn_ode_by_kind(const tn_ode *ode, const double value[TN_KIND_COUNT], double *out);
const char *tn_ode_solver(const tn_ode *ode); // linear solver in use, for the summary
