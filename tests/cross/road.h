// SPDX-License-Identifier: MIT
//
// Roads: one problem run by many methods. A problem is a model or a set of user functions with a
// time span; a track holds what is compared, at eight times, in quantities that do not depend on
// the coordinates: frames and velocities of bodies, multipliers, states c and variables w and s.

#pragma once

#include "integrator/integrator.h"
#include "linalg/dense.h"
#include "model/model.h"
#include "tenon/tenon.h"
#include "test.h"

#include <stdlib.h>

enum { TIMES = 8, ROOM = 96 };

typedef enum quantity { OF_Q, OF_V, OF_LAMBDA, OF_C, OF_W, QUANTITIES } quantity;

static const char *const quantity_names[QUANTITIES] = {"q", "v", "lambda", "c", "w"};

typedef struct track {
    int n[QUANTITIES];
    double at[TIMES][QUANTITIES][ROOM];
} track;

typedef struct problem {
    const char *name;
    tn_model *(*model)(void); // NULL for user functions
    const tn_callbacks *callbacks;
    const double *q0, *v0;
    // Exact values at a time, in the order of a track; NULL where only a finer run can tell.
    void (*exact)(double t, double at[QUANTITIES][ROOM]);
    bool rotates; // so3 and se3 differ
    bool plain;   // errors show their leading term alone
    double t_end;
    int steps; // of the coarsest run, a multiple of TIMES
} problem;

static inline void put(track *x, int k, quantity what, double value)
{
    CHECK(x->n[what] < ROOM);
    x->at[k][what][x->n[what]++] = value;
}

static inline void put_vec3(track *x, int k, quantity what, tn_vec3 value)
{
    put(x, k, what, value.x);
    put(x, k, what, value.y);
    put(x, k, what, value.z);
}

static inline void note_bodies(track *x, int k, tn_sim *sim, const tn_model *model)
{
    for (int i = 1; i < tn_model_body_count(model); i++) {
        const tn_body body = {i};
        const tn_frame frame = tn_sim_body_frame(sim, body);
        put_vec3(x, k, OF_Q, frame.p);
        put_vec3(x, k, OF_Q, tn_m3_column(frame.R, 0));
        put_vec3(x, k, OF_Q, tn_m3_column(frame.R, 1));
        put_vec3(x, k, OF_V, tn_sim_body_velocity(sim, body));
        put_vec3(x, k, OF_V, tn_sim_body_rate(sim, body));
    }
}

// In the order of the joints, whatever the coordinates.
static inline void note_multipliers(track *x, int k, tn_sim *sim, const tn_model *model)
{
    for (int i = 0; i < tn_model_joint_count(model); i++) {
        double lambda[6];
        const int n = tn_sim_joint_multipliers(sim, (tn_joint){i}, lambda, NULL);
        for (int m = 0; m < n; m++)
            put(x, k, OF_LAMBDA, lambda[m]);
    }
}

static inline void note(track *x, int k, tn_sim *sim, const tn_model *model,
                        const tn_callbacks *callbacks)
{
    memset(x->n, 0, sizeof x->n);
    if (model) {
        note_bodies(x, k, sim, model);
        note_multipliers(x, k, sim, model);
    }
    for (int i = 0; callbacks && i < tn_sim_nq(sim); i++)
        put(x, k, OF_Q, tn_sim_q(sim)[i]);
    for (int i = 0; callbacks && i < tn_sim_nv(sim); i++)
        put(x, k, OF_V, tn_sim_v(sim)[i]);
    for (int i = 0; callbacks && i < tn_sim_nl(sim); i++)
        put(x, k, OF_LAMBDA, tn_sim_lambda(sim)[i]);
    for (int i = 0; i < tn_sim_nn(sim); i++)
        put(x, k, OF_LAMBDA, tn_sim_eta(sim)[i]);
    const int nc = callbacks ? callbacks->nc : model->states.count;
    const int nw = callbacks ? callbacks->nw + callbacks->ns : model->unknowns.count;
    for (int i = 0; i < nc + nw; i++)
        put(x, k, i < nc ? OF_C : OF_W, tn_sim_extra(sim)[i]);
}

// A simulation of the problem; the caller destroys it and the model.
static inline tn_sim *open_problem(const problem *p, const tn_sim_options *options,
                                   tn_model **model)
{
    tn_sim *sim = NULL;
    *model = p->model ? p->model() : NULL;
    if (p->model)
        CHECK_OK(tn_sim_create(*model, options, &sim));
    else
        CHECK_OK(tn_sim_create_callbacks(p->callbacks, p->q0, p->v0, options, &sim));
    return sim;
}

// Runs the problem with the options as they are and notes the track; returns the accepted steps.
static inline long follow(const problem *p, const tn_sim_options *options, track *out)
{
    tn_model *model;
    tn_sim *sim = open_problem(p, options, &model);
    for (int k = 0; k < TIMES; k++) {
        const double t = p->t_end * (k + 1) / TIMES;
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        CHECK(tn_sim_time(sim) == t);
        note(out, k, sim, model, p->callbacks);
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return ledger.steps;
}

// Damped enough that the alternating transient of the start, itself of second order, is over at the
// first time of a track.
static inline tn_sim_options fixed_step(const problem *p, const char *method, const char *rotation,
                                        int refine)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rotation = rotation;
    options.step = p->t_end / (p->steps * refine);
    options.rho_inf = 0.7;
    options.hht_alpha = -0.2;
    options.corrected_start = true;
    return options;
}

// Largest difference of one quantity over the track.
static inline double distance(const track *x, const track *y, quantity what)
{
    double d = 0.0;
    CHECK(x->n[what] == y->n[what]);
    for (int k = 0; k < TIMES; k++)
        for (int i = 0; i < x->n[what]; i++)
            d = fmax(d, fabs(x->at[k][what][i] - y->at[k][what][i]));
    return d;
}

// The exact track, or that of a run with steps much finer than any other.
static inline void reference_track(const problem *p, int refine, track *out)
{
    if (!p->exact) {
        const tn_sim_options options = fixed_step(p, "galpha/ggl", "so3", refine);
        follow(p, &options, out);
        return;
    }
    const tn_sim_options options = fixed_step(p, "galpha/ggl", "so3", 1);
    follow(p, &options, out); // for the sizes
    for (int k = 0; k < TIMES; k++)
        p->exact(p->t_end * (k + 1) / TIMES, out->at[k]);
}

static inline void method_name(const tn_integrator_ops *integrator,
                               const tn_formulation *formulation, char text[64])
{
    snprintf(text, 64, "%s/%s", integrator->name, formulation->name);
}

// Calls `run` for every legal pairing of the registry, with every way to carry rotations that the
// integrator has where the problem rotates. Discrete principles are left out: they have fixed steps
// and linear coordinates only.
typedef void (*road)(const problem *p, const tn_integrator_ops *integrator,
                     const tn_formulation *formulation, const char *rotation, void *user);

static inline bool can_carry(const tn_integrator_ops *integrator, const char *rotation)
{
    const bool linear = !strcmp(rotation, "quaternion") || !strcmp(rotation, "euler");
    return tn_integrator_takes_rotations(integrator, linear);
}

// Each pairing carries rotations in half of the ways, others than the pairings beside it; in all of
// them with TN_LONG in the environment.
static inline void every_road(const problem *p, road run, void *user)
{
    static const char *const rotations[] = {"so3", "se3", "quaternion", "euler"};
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++) {
            if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]) ||
                tn_integrators[i]->needs & TN_VIEW_DISCRETE)
                continue;
            if (!p->rotates)
                run(p, tn_integrators[i], tn_formulations[k], "auto", user);
            for (int r = 0; p->rotates && r < TN_COUNT(rotations); r++)
                if (can_carry(tn_integrators[i], rotations[r]) &&
                    ((i + k + r) % 2 == 0 || getenv("TN_LONG")))
                    run(p, tn_integrators[i], tn_formulations[k], rotations[r], user);
        }
}

// The same for the methods of second order on the group: generalized-alpha and HHT-alpha.
typedef struct second_order_road {
    road run;
    void *user;
} second_order_road;

static inline void pass_second_order(const problem *p, const tn_integrator_ops *integrator,
                                     const tn_formulation *formulation, const char *rotation,
                                     void *user)
{
    const second_order_road *only = user;
    if (integrator->needs & TN_VIEW_STEP)
        only->run(p, integrator, formulation, rotation, only->user);
}

static inline void every_second_order_road(const problem *p, road run, void *user)
{
    second_order_road only = {run, user};
    every_road(p, pass_second_order, &only);
}
