// SPDX-License-Identifier: MIT
//
// A model as the system that compiles it reads it. Constant once simulation starts.

#pragma once

#include "base/array.h"
#include "base/pool.h"
#include "model/body.h"
#include "model/flexible.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/kind_lists.h"
#include "model/places.h"
#include "model/shape.h"
#include "model/signal.h"
#include "signal/input.h"
#include "tenon/model.h"
#include "text/notes.h"
#include "text/table.h"

#include <stdatomic.h>

// An input of a block as the user gave it. The block wraps it in states and signals of its own.
typedef struct tn_block_input {
    const char *block, *text;
} tn_block_input;

struct tn_model {
    atomic_int holders; // beside the one who made it
    const tn_kinds *kinds;
    tn_status status; // first error of a builder
    char *message;
    tn_notes notes;
    tn_units units;         // of all numbers here; SI, but for a copy in its own units (units.h)
    const tn_model *source; // of such a copy, which holds it; else NULL
    tn_vec3 gravity;
    bool timed;                    // some joint or force has a function
    TN_ARRAY(tn_body_data) bodies; // 0 is the ground
    TN_ARRAY(tn_joint_data) joints;
    TN_ARRAY(tn_force_data) forces;
    TN_ARRAY(tn_shape_data) shapes;      // in the order they were added, of all bodies
    TN_ARRAY(tn_named_value) parameters; // tables and inputs
    TN_ARRAY(struct tn_grid *) tables;   // functions that expressions call by name
    TN_ARRAY(tn_input_data *) inputs;
    // A copy, which has numbers of its own for inputs, lists here each input alone, in the order of
    // `inputs`; then the functions of joints and forces that contain inputs.
    TN_ARRAY(tn_timefn *) with_inputs;
    TN_ARRAY(tn_event_def) events;
    TN_ARRAY(tn_signal_data) signals;
    TN_ARRAY(tn_state_def) states;     // with copies of their texts
    TN_ARRAY(bool) state_own;          // of each whether it is that of an element, not of a user
    TN_ARRAY(tn_unknown_def) unknowns; // the same
    TN_ARRAY(tn_sampled_def) samplers; // the same
    TN_ARRAY(tn_live_data) lives;
    TN_ARRAY(tn_block_input) block_inputs; // as they are stated, for messages
    tn_table *body_names, *joint_names, *force_names, *event_names, *parameter_names;
    tn_table *signal_names; // of signals, states, unknowns and sampled systems: number in its list
    TN_ARRAY(struct tn_output_data *) outputs; // model/output.h; not of a copy in other units
    tn_table *output_names;
    TN_ARRAY(tn_beam_data) beams;   // in SI units, also of a copy in others
    TN_ARRAY(tn_modal_data) modals; // likewise
    tn_pool names;                  // of its elements
    tn_pool definitions;            // of its joints
    void *joint_definitions;        // of a copy: those of all joints
    TN_ARRAY(void *) owned;         // blocks that live as long as the model: strings of a file
    tn_place_list *places;          // of a model that was read from a file, else NULL
};

extern const tn_param tn_event_params[];
extern const int tn_event_param_count;

// Holds a model for a reader that needs it longer than a call, so that it outlives its destruction
// by the user; each hold is given back.
const tn_model *tn_model_hold(const tn_model *model); // NULL: nothing to hold
void tn_model_release(const tn_model *model);
// The status of the model, and an error when someone holds it: additions would move objects that
// others point to.
tn_status tn_model_open_to_change(tn_model *model);

// A name for expressions: an error where it is none or is taken by the time, a constant or a
// function; `list` is "parameter", "table" or "input".
tn_status tn_model_check_name(const char *list, const char *name);
tn_status tn_model_add_name(tn_model *model, tn_named_value named); // its name is copied
// A block that lives as long as the model, or an error where it is NULL.
tn_status tn_model_own(tn_model *model, void *block);

// The use of a function of time, which decides the default kind of a table.
typedef enum tn_use { TN_USE_DRIVE, TN_USE_FORCE } tn_use;

// The value of an expression of the parameters of the model.
tn_status tn_model_value(const tn_model *model, const char *text, double *value);
// Compiles a function of time with the parameters of the model; `what` is "joint 'motor': motion".
tn_status tn_function_compile(const tn_model *model, const tn_function *f, tn_use use,
                              const char *what, tn_timefn **out);
