// SPDX-License-Identifier: MIT
//
// Beams in a model: which of its bodies and forces are their nodes and elements.

#pragma once

#include "model/flexible.h"
#include "text/param.h"

// Places along a beam are one, relative to its length: an element in between would be stiffer than
// the rest by as much as round-off is smaller than what matters.
#define TN_SAME_PLACE 1e-6

#define TN_BEAM_TEXT "slender body that bends, twists, shears and stretches by any amount"

extern const tn_param tn_beam_params[]; // of the element itself, then of its start
extern const int tn_beam_param_count, tn_beam_start_param_count;
extern const tn_param tn_beam_start_params[];
extern const tn_param tn_section_params[];
extern const int tn_section_param_count;

// Returns true if the kind of a section reads this key.
bool tn_section_reads(int kind, const char *key);

// tn_section_of where `what` names the section itself: "body 'blade': end_section".
tn_status tn_section_named(const tn_section_def *def, const char *what, tn_section *out);

tn_beam tn_beam_named(const tn_model *model, const char *name); // the index -1 where there is none
// The node at a distance along a beam; the index -1 where there is none.
tn_body tn_beam_node_at(const tn_model *model, tn_beam beam, double s);
double tn_beam_length(const tn_model *model, tn_beam beam);
bool tn_body_is_node(const tn_model *model, tn_body body); // or an attachment of a modal body

// Frames and places of nodes along a line (beam_line.c).
typedef struct tn_beam_line {
    int n; // nodes
    tn_frame *frame;
    double *s;
} tn_beam_line;

// tn_beam_line_clear it, also where it failed.
tn_status tn_beam_line_make(const tn_model *model, const tn_beam_def *def, const char *what,
                            tn_beam_line *out);
// The length of the line alone.
tn_status tn_beam_line_length(const tn_model *model, const tn_beam_def *def, const char *what,
                              double *out);
void tn_beam_line_clear(tn_beam_line *nodes);
