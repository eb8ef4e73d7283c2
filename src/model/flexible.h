// SPDX-License-Identifier: MIT
//
// Flexible bodies of a model: the bodies, joints and forces of which they are made.

#pragma once

#include "tenon/beam.h"
#include "tenon/modal.h"

typedef struct tn_beam_data {
    char *name;
    int nnode, body, force; // number of nodes, the first one, and the first element
    double *s;              // of the nodes along the line [m]
    tn_section section;     // at its start, in SI units
    tn_section_def stated;  // its definition
} tn_beam_data;

typedef struct tn_modal_data {
    char *name;
    struct tn_modal *from; // in SI units
    double *damping;       // m x m [N s/m]; NULL: none
    bool stiffening;
    int m, frame, amplitude; // modes; the bodies that are its frame and its first amplitude
    int nattachment, attachment, joint; // the first body and joint of these
    int held;                           // an attachment that is fixed to the frame, -1 for none
    void (*clear)(struct tn_modal_data *data); // by whom it was made
} tn_modal_data;

// The modal body that has this one as its frame, or as one of its amplitudes; -1 for none.
int tn_modal_of_frame(const tn_model *model, int body);
int tn_modal_of_amplitude(const tn_model *model, int body);
// Checks that joints and forces may hold a body: amplitudes and frames that are no place of the
// body are refused.
tn_status tn_modal_check_use(const tn_model *model, tn_body body, const char *what);
