// SPDX-License-Identifier: MIT
//
// Sensors: what is seen of a mechanism at one state, in SI units. They know no time: a simulation
// (readout.c) and tn_dynamics (dynamics.c) bring the state.

#pragma once

#include "analysis/start.h"
#include "tenon/sim.h"

typedef struct tn_sensors {
    const tn_model *model; // in units of its own size; NULL for user equations
    tn_start *start;
    const tn_state *looked_at; // the state that the read-out of the system is at
    double *lambda;            // of minimum norm where constraints are redundant
    bool lambda_known;
    double *v; // nv, for Jacobians
} tn_sensors;

void tn_sensors_layout(tn_sensors *s, tn_carve *mem); // once model and start are known
void tn_sensors_forget(tn_sensors *s);                // the state has changed

// Values that mean nothing for bodies, joints and forces that do not exist.
tn_body_state tn_sensors_body(tn_sensors *s, const tn_state *x, tn_body body);
int tn_sensors_coordinates(tn_sensors *s, const tn_state *x, tn_joint joint, double *q,
                           double *rate);
// What a force with one coordinate acts on, and its rate, in the units of the model.
void tn_sensors_deflection(tn_sensors *s, const tn_state *x, int force, double *y, double *rate);
tn_status tn_sensors_force(tn_sensors *s, const tn_state *x, tn_force force, tn_force_state *out);
// With the accelerations and multipliers of the state.
tn_wrench tn_sensors_reaction(tn_sensors *s, const tn_state *x, tn_joint joint);
int tn_sensors_multipliers(tn_sensors *s, const tn_state *x, tn_joint joint, double *lambda,
                           bool *unique);

tn_frame_motion tn_sensors_frame(tn_sensors *s, const tn_state *x, tn_body body, tn_frame frame);
// Frame B seen from frame A.
tn_frame_motion tn_frame_seen_from(const tn_frame_motion *a, const tn_frame_motion *b);
tn_status tn_sensors_jacobian(tn_sensors *s, const tn_state *x, tn_body body, tn_frame frame,
                              double *J);
tn_status tn_sensors_mass_matrix(tn_sensors *s, const tn_state *x, double *M);
tn_status tn_sensors_forces(tn_sensors *s, const tn_state *x, double *f);
