// SPDX-License-Identifier: MIT
//
// Sensors: what is seen of a mechanism at one state, in SI units. They know no time: a simulation
// (readout.c) and tn_dynamics (dynamics.c) bring the state.

#pragma once

#include "start/start.h"
#include "tenon/sim.h"

// Angles of planar bodies by those of joints (planar_angles.c), by body.
typedef struct tn_planar_angles {
    int count;         // of bodies that joints lead to
    int *order;        // these, each behind the one before it
    int *joint, *from; // the joint that leads there, -1 for none; the body before it
    double *constant, *angle;
    bool known; // the angles are those of the state
} tn_planar_angles;

typedef struct tn_sensors {
    const tn_model *model; // in units of its own size; NULL for user equations
    tn_start *start;
    const tn_state *looked_at; // the state that the read-out of the system is at
    double *lambda;            // of minimum norm where constraints are redundant
    bool lambda_known;
    double *v; // nv, for Jacobians
    int nsignal;
    double *signal; // of signals, states, unknowns and sampled values
    bool signals_known;
    tn_planar_angles planar;
} tn_sensors;

void tn_sensors_layout(tn_sensors *s, tn_carve *mem); // once model and start are known
void tn_sensors_forget(tn_sensors *s);                // the state has changed

void tn_planar_angles_layout(tn_planar_angles *p, const tn_model *model, tn_carve *mem);
void tn_planar_angles_open(tn_sensors *s, const tn_state *x); // at the start
// The angle of a planar body with its turns since the start.
double tn_sensors_planar_angle(tn_sensors *s, const tn_state *x, int body);

// Values that mean nothing for bodies, joints and forces that do not exist.
tn_body_state tn_sensors_body(tn_sensors *s, const tn_state *x, tn_body body);
int tn_sensors_coordinates(tn_sensors *s, const tn_state *x, tn_joint joint, double *q,
                           double *rate);
// Contact of the shapes of a joint: contact coordinates, between the ends of closed ones, and the
// point in the world. Not numbers where they do not touch.
void tn_sensors_contact(tn_sensors *s, const tn_state *x, tn_joint joint, double *at,
                        tn_vec3 *point);
// The frames of a joint, of the copy of the model, in the world and in its units.
void tn_sensors_frames(tn_sensors *s, const tn_state *x, const tn_joint_def *def, tn_frame *a,
                       tn_frame *b);
// Second derivatives of the coordinates of a joint by time; returns how many.
int tn_sensors_accelerations(tn_sensors *s, const tn_state *x, tn_joint joint, double *a);
// Coordinate that a force with one of them acts on, and its rate, in the units of the model.
void tn_sensors_deflection(tn_sensors *s, const tn_state *x, int force, double *y, double *rate);
tn_status tn_sensors_force(tn_sensors *s, const tn_state *x, tn_force force, tn_force_state *out);
// With the accelerations and multipliers of the state.
tn_wrench tn_sensors_reaction(tn_sensors *s, const tn_state *x, tn_joint joint);
int tn_sensors_multipliers(tn_sensors *s, const tn_state *x, tn_joint joint, double *lambda,
                           bool *unique);

// The values of all signals, states, unknowns and sampled values, one after the other.
const double *tn_sensors_signals(tn_sensors *s, const tn_state *x);

tn_frame_motion tn_sensors_frame(tn_sensors *s, const tn_state *x, tn_body body, tn_frame frame);
// Frame B seen from frame A.
tn_frame_motion tn_frame_seen_from(const tn_frame_motion *a, const tn_frame_motion *b);
tn_status tn_sensors_jacobian(tn_sensors *s, const tn_state *x, tn_body body, tn_frame frame,
                              double *J);
tn_status tn_sensors_mass_matrix(tn_sensors *s, const tn_state *x, double *M);
tn_status tn_sensors_forces(tn_sensors *s, const tn_state *x, double *f);
