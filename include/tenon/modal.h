// SPDX-License-Identifier: MIT
//
// Modal bodies: flexible bodies whose deformation is small and seen from a frame that moves with
// them, u = sum of q_j phi_j (floating frame of reference, docs/theory/modal_bodies.md). The frame
// is a body of the model with the name of the modal body, "bracket"; places of it to which joints
// and forces are attached are bodies, too, "bracket.pin", held by constraints of the same name.
// Amplitudes are "bracket.q1", "bracket.q2", …, each a body that has one coordinate, its x.

#pragma once

#include "tenon/beam.h"
#include "tenon/model.h"

// One shape of a rod: displacement along x, y and z per unit amplitude, as expressions of the
// distance s [m]; NULL: none.
typedef struct tn_rod_shape {
    const char *x, *y, *z;
} tn_rod_shape;

// A straight rod along x of its frame, from x = 0 on, whose shapes are given by expressions. Its
// section is that of a beam along x: x and y of the section are y and z of the rod.
typedef struct tn_rod_def {
    double length; // [m]; 0: it is not a rod
    tn_section_def section;
    int nshape;
    const tn_rod_shape *shapes;
    int nattachment; // places with names: distance along the rod [m]
    const double *attachment_at;
    const char *const *attachment_name;
} tn_rod_def;

// A modal body as it is added to a model.
typedef struct tn_modal_def {
    const char *name;
    const char *file;         // docs/formats/modal.md; NULL: a rod
    bool stiffening;          // with geometric stiffness, where the body has it
    int ndamping;             // damping ratios of its natural modes: none, one for all, or one for
    const double *damping;    //   each in the order of frequencies
    int namplitude;           // amplitudes at the start, none or all
    const double *amplitudes; //
    int nrate;                // and their rates
    const double *amplitude_rates;
    tn_rod_def rod;
    tn_frame frame;   // start of its frame, in the inertial frame
    tn_vec3 velocity; // of the origin of the frame, inertial axes [m/s]
    tn_vec3 rate;     // angular velocity, body axes [rad/s]
    bool given_position, given_rotation, given_velocity, given_rate;
    bool fixed_start; // keep the start of the frame when the mechanism is assembled
} tn_modal_def;

// The id of a modal body.
typedef struct tn_modal_body {
    int index; // -1 is invalid
} tn_modal_body;

// At the origin, at rest, without file and without shapes: state one of the two.
TN_API tn_modal_def tn_default_modal(void);
// Adds a modal body; all is copied. Reads its file.
TN_API tn_modal_body tn_model_add_modal(tn_model *model, const tn_modal_def *def);

TN_API int tn_model_modal_count(const tn_model *model); // number of modal bodies in the model
TN_API const char *tn_model_modal_name(const tn_model *model, tn_modal_body body); // "" for none
TN_API int tn_model_modal_mode_count(const tn_model *model, tn_modal_body body);   // 0 for none
// Bodies of the model: the frame, amplitude j from 0 on, attachment k from 0 on, and the
// attachment of a name; the index is -1 where there is none.
TN_API tn_body tn_model_modal_frame(const tn_model *model, tn_modal_body body);
TN_API tn_body tn_model_modal_amplitude(const tn_model *model, tn_modal_body body, int j);
TN_API int tn_model_modal_attachment_count(const tn_model *model, tn_modal_body body);
TN_API tn_body tn_model_modal_attached(const tn_model *model, tn_modal_body body, int k);
TN_API tn_body tn_model_modal_attached_at(const tn_model *model, tn_modal_body body,
                                          const char *name);
