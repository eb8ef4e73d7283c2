// SPDX-License-Identifier: MIT
//
// Ensembles: one model at many states, and with many masses, lengths and springs, moved together by
// an explicit method with fixed steps. Instances share vector instructions and are spread over the
// processors, so that ten thousand of them take a fraction of the time of as many simulations.
//
//     tn_ensemble_options options = tn_default_ensemble();
//     options.step = 1e-3;
//     tn_ensemble *ensemble = NULL;
//     tn_status s = tn_ensemble_create(model, 10000, &options, &ensemble);
//     for (int i = 0; i < 10000 && s == TN_OK; i++)
//         s = tn_ensemble_set_joint(ensemble, i, pin, 1e-4 * i, 0.0);
//     if (s == TN_OK)
//         s = tn_ensemble_run(ensemble, 10.0);
//     double angle, rate;
//     if (s == TN_OK)
//         s = tn_ensemble_joint(ensemble, 17, pin, &angle, &rate);
//     tn_ensemble_destroy(ensemble);
//
// The model is a tree of rigid bodies on revolute, prismatic and fixed joints, in space or in the
// plane, with gravity and springs and dampers on joint coordinates (without tables), and with a few
// revolute or spherical joints that close loops. Anything else is refused by its name. Motions are
// those of a simulation by "dopri5/index1@joint" or "dop853/index1@joint" with the same fixed step,
// but for round-off; loops are closed by their accelerations and drift apart slowly, the less the
// smaller steps are. Nothing is checked and nothing recorded: simulate an instance in question.
//
// An ensemble belongs to one thread at a time; functions of a const one may be called at the same
// time as long as none of the others is. The motion of an instance depends neither on the number of
// threads nor on other instances, as long as no angle or length exceeds 1e6. Nothing is allocated
// by tn_ensemble_run.

#pragma once

#include "tenon/sim.h"

// Settings for the motion of the instances.
typedef struct tn_ensemble_options {
    const char *method; // "dopri5" or "dop853"
    double step;        // [s]
    double t_start;     // [s]
    int threads;        // that tn_ensemble_run uses; 0: one for each processor
} tn_ensemble_options;

// Many instances of one model; tn_ensemble_destroy it.
typedef struct tn_ensemble tn_ensemble;

// DOPRI5 with a step of 1 ms on all processors.
TN_API tn_ensemble_options tn_default_ensemble(void);
// Makes `count` instances, all with the numbers of the model and at its start. Fails as
// tn_sim_create does, and with TN_ERR_MODEL where the model has parts that an ensemble cannot move.
// The model is held as long as the ensemble lives. On failure *out is NULL.
TN_API tn_status tn_ensemble_create(const tn_model *model, int count,
                                    const tn_ensemble_options *options, tn_ensemble **out);
TN_API void tn_ensemble_destroy(tn_ensemble *ensemble); // NULL is fine

TN_API int tn_ensemble_count(const tn_ensemble *ensemble);   // of instances; 0 for NULL
TN_API int tn_ensemble_nv(const tn_ensemble *ensemble);      // freedoms of one; 0 for NULL
TN_API double tn_ensemble_time(const tn_ensemble *ensemble); // of all instances [s]; NAN for NULL

// Gives an instance the masses, lengths, springs, gravity and start values of another model: one
// with the same bodies and joints in the same order, as the same file with other values of its
// parameters has. TN_ERR_MODEL where the two differ in more than numbers.
TN_API tn_status tn_ensemble_set_model(tn_ensemble *ensemble, int instance, const tn_model *model);
// Sets all coordinates and velocities of an instance, nv each: those of a simulation of the model
// in joint coordinates, tn_sim_q and tn_sim_v [rad, m, rad/s, m/s]. TN_ERR_USAGE where loops are
// not closed there, or their rates do not fit; the state stays as it was then.
TN_API tn_status tn_ensemble_set_state(tn_ensemble *ensemble, int instance, const double *q,
                                       const double *v);
// Tells them; either may be NULL.
TN_API tn_status tn_ensemble_state(const tn_ensemble *ensemble, int instance, double *q, double *v);
// Sets the coordinate of a joint and its rate in one instance [rad, m, rad/s, m/s]. A joint of a
// loop cannot be set alone: TN_ERR_USAGE.
TN_API tn_status tn_ensemble_set_joint(tn_ensemble *ensemble, int instance, tn_joint joint,
                                       double q, double rate);
// Tells them; either may be NULL.
TN_API tn_status tn_ensemble_joint(const tn_ensemble *ensemble, int instance, tn_joint joint,
                                   double *q, double *rate);

// Moves all instances to this time by steps of the size of the options, of which the last is
// shorter where they do not fit. TN_ERR_NUMERIC where the motion of an instance has no bounds, by
// its number: all others are where they should be.
TN_API tn_status tn_ensemble_run(tn_ensemble *ensemble, double t_end);
