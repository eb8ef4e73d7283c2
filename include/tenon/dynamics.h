// SPDX-License-Identifier: MIT
//
// The equations of motion of a model at any state, without a simulation:
//
//   M a = f + tau - G^T lambda,     G a = c
//
// M: mass matrix; f: all forces, gravity and velocity terms; tau: forces of your own along the
// velocities; G: constraint rows; lambda: their multipliers. A tree of joints in joint coordinates
// has no rows.
//
//     tn_dynamics *arm = NULL;
//     tn_status s = tn_dynamics_create(model, "joint", &arm);
//     if (s == TN_OK && (s = tn_dynamics_set(arm, 0.0, q, v)) == TN_OK)
//         s = tn_dynamics_inverse(arm, a, NULL, tau); // torques for these accelerations
//     tn_dynamics_destroy(arm);
//
// Numbers are in SI units and in the coordinates of simulations with "@absolute" (rotation so3),
// "@joint" or "@director": tn_sim_q and tn_sim_v fit. Matrices are stored column by column. Nothing
// is allocated between creation and destruction. Each object is used by one thread at a time,
// several objects of one model by several threads; functions of a const object may be called at the
// same time.

#pragma once

#include "tenon/base.h"
#include "tenon/model.h"
#include "tenon/sim.h"

// A model at a state; tn_dynamics_destroy it.
typedef struct tn_dynamics tn_dynamics;

// Assembles the model, as a simulation does, and takes its start values. `coordinates` is
// "absolute", "joint" or "director"; NULL: absolute. The model is kept alive. On failure *out is
// NULL.
TN_API tn_status tn_dynamics_create(const tn_model *model, const char *coordinates,
                                    tn_dynamics **out);
TN_API void tn_dynamics_destroy(tn_dynamics *dynamics); // NULL is fine

TN_API int tn_dynamics_nq(const tn_dynamics *dynamics);   // positions; rotations are four numbers
TN_API int tn_dynamics_nv(const tn_dynamics *dynamics);   // velocities
TN_API int tn_dynamics_rows(const tn_dynamics *dynamics); // constraint rows
// Writes the name of velocity i or row i into `size` bytes: "joint 'elbow', angle", "body 'rod',
// x", "joint 'pin', row x". TN_ERR_USAGE for an index that does not exist.
TN_API tn_status tn_dynamics_velocity_name(const tn_dynamics *dynamics, int i, char *text,
                                           size_t size);
TN_API tn_status tn_dynamics_row_name(const tn_dynamics *dynamics, int i, char *text, size_t size);

// The state ---------------------------------------------------------------------------------------

// Time [s], positions (nq) and velocities (nv); NULL leaves them as they are. They need not satisfy
// the constraints. Quaternions are normalised; angles of joints that q does not hold stay within
// half a turn of their old values. Refused, and nothing changed: numbers that are not finite, and
// quaternions near zero.
TN_API tn_status tn_dynamics_set(tn_dynamics *dynamics, double t, const double *q, const double *v);
TN_API tn_status tn_dynamics_reset(tn_dynamics *dynamics); // back to the start values of the model
// An input of the model has this value from now on, with derivatives of zero.
TN_API tn_status tn_dynamics_set_input(tn_dynamics *dynamics, tn_input input, double value);
// States of the model and values of sampled systems have their start values until they are given
// others, by name as by tn_sim_set_value: those of a simulation are the channels of these names.
TN_API tn_status tn_dynamics_set_value(tn_dynamics *dynamics, const char *name, double value);
TN_API double tn_dynamics_time(const tn_dynamics *dynamics); // [s]
// Positions and velocities; the arrays live as long as the object, values until it is set again.
TN_API const double *tn_dynamics_q(const tn_dynamics *dynamics);
TN_API const double *tn_dynamics_v(const tn_dynamics *dynamics);
// Residuals of the constraints: g and its rate g' = G v + g_t (rows each; may be NULL) [m, rad,
// m/s, rad/s].
TN_API tn_status tn_dynamics_residuals(tn_dynamics *dynamics, double *g, double *rate);

// Equations ---------------------------------------------------------------------------------------

TN_API tn_status tn_dynamics_mass_matrix(tn_dynamics *dynamics, double *M); // nv x nv
TN_API tn_status tn_dynamics_forces(tn_dynamics *dynamics, double *f);      // nv: f above
// G (rows x nv) and c (rows) of G a = c; either may be NULL.
TN_API tn_status tn_dynamics_constraints(tn_dynamics *dynamics, double *G, double *c);
// Accelerations (nv) and multipliers (rows), which may be NULL, under forces tau (nv; NULL: none).
// Rows that repeat others have the multiplier 0. If motions have no inertia, their velocities
// become those that dampers determine, and a tau that is not zero is refused: a force of the model
// with an input does it.
TN_API tn_status tn_dynamics_forward(tn_dynamics *dynamics, const double *tau, double *a,
                                     double *lambda);
// Forces tau (nv) that give these accelerations (nv) and multipliers (rows; NULL: zero), tau = M a
// - f + G^T lambda. For a tree in joint coordinates these are the efforts of its motors; for
// mechanisms with loops or drives see tenon/inverse.h.
TN_API tn_status tn_dynamics_inverse(tn_dynamics *dynamics, const double *a, const double *lambda,
                                     double *tau);
// Kinetic and potential energy [J]; either may be NULL.
TN_API tn_status tn_dynamics_energy(tn_dynamics *dynamics, double *kinetic, double *potential);

// Sensors -----------------------------------------------------------------------------------------

// Accelerations and reactions are those of the last tn_dynamics_forward or _inverse at this state;
// before any, tn_dynamics_forward without tau is called. Neutral values for ids that do not exist.

// As tn_sim_frame, tn_sim_frame_between and tn_sim_frame_jacobian (6 x nv).
TN_API tn_frame_motion tn_dynamics_frame(tn_dynamics *dynamics, tn_body body, tn_frame frame);
TN_API tn_frame_motion tn_dynamics_frame_between(tn_dynamics *dynamics, tn_body body_a,
                                                 tn_frame frame_a, tn_body body_b,
                                                 tn_frame frame_b);
TN_API tn_status tn_dynamics_frame_jacobian(tn_dynamics *dynamics, tn_body body, tn_frame frame,
                                            double *J);
// As tn_sim_joint_coordinates and tn_sim_joint_reaction. In joint coordinates tau takes part in
// the reactions of joints of the tree, along their freedoms.
TN_API int tn_dynamics_joint_coordinates(tn_dynamics *dynamics, tn_joint joint, double *q,
                                         double *rate);
TN_API tn_wrench tn_dynamics_joint_reaction(tn_dynamics *dynamics, tn_joint joint);
// As tn_sim_force.
TN_API tn_status tn_dynamics_force(tn_dynamics *dynamics, tn_force force, tn_force_state *out);
