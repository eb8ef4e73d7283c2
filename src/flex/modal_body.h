// SPDX-License-Identifier: MIT
//
// Modal bodies in a model: which of its bodies and joints are their frames, amplitudes and
// attachments, and their inertia as a polynomial of the amplitudes.
//
// The frame is a rigid body with the mass of the undeformed whole, amplitudes are bodies with one
// coordinate each and no inertia of their own, attachments are bodies without mass that rows of
// their own hold (tn_joint_attachment). Changes of the inertia by deformation, and all elastic
// forces, belong to the system (system/absolute_modal.c).

#pragma once

#include "flex/modal.h"
#include "model/body.h"
#include "model/flexible.h"
#include "model/force.h"
#include "model/joint.h"
#include "tenon/modal.h"

#define TN_MODAL_TEXT "flexible body by modes, seen from a frame that moves with it"

extern const tn_body_ops tn_body_amplitude;    // moves along x, which is an amplitude
extern const tn_joint_ops tn_joint_attachment; // rows of a fixed joint; its frame A deforms

extern const tn_param tn_modal_params[], tn_modal_start_params[];
extern const int tn_modal_param_count, tn_modal_start_param_count;

// Adds the parts of a body to a model, which takes `modal` where it succeeds.
tn_status tn_modal_add(tn_model *model, const tn_modal_def *def, const char *what, tn_modal *modal);
// The rod of a definition as numbers.
tn_status tn_modal_of_rod(const tn_model *model, const tn_rod_def *def, const char *what,
                          tn_modal **out);

// Kinetic energy that deformation adds, with the velocities V = (U, W) of the frame's point that is
// the centre of mass of the undeformed body, in its axes, and the rates r of the amplitudes q:
//
//   T = 1/2 V^T A V + V^T B r + 1/2 r^T C r
//   A = sum q_i A1_i + 1/2 sum q_i q_j A2_ij,   B = B0 + sum q_i B1_i
//
// and its stiffness K and damping D. All in the units of the model.
typedef struct tn_modal_attachment_numbers {
    tn_vec3 arm; // of the undeformed attachment from the centre of mass
    tn_mat3 R;
    double *modes; // 6 x m: displacement and rotation vector per amplitude
    double *bend;  // 6 x m x m: displacement and turn have -1/2 q^T bend_k q beside; NULL: nothing
} tn_modal_attachment_numbers;

typedef struct tn_modal_numbers {
    int m, nattachment;
    double *A1;        // m x 6 x 6
    double *A2;        // m x m x 6 x 6
    double *B0;        // 6 x m
    double *B1;        // m x 6 x m
    double *C, *K, *D; // m x m
    tn_modal_attachment_numbers *attachment;
    void *block;
} tn_modal_numbers;

tn_status tn_modal_numbers_make(const tn_modal_data *data, tn_units units, tn_modal_numbers *out);
void tn_modal_numbers_clear(tn_modal_numbers *x); // zeroed is fine

// Pose of an attachment in the frame of the centre of mass, at the amplitudes q: its origin and the
// rotation vector by which its axes have turned.
typedef struct tn_modal_place {
    tn_vec3 arm, turn;
} tn_modal_place;
tn_modal_place tn_modal_place_at(const tn_modal_numbers *x, int attachment, const double *q);
