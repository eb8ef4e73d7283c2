// SPDX-License-Identifier: MIT
//
// Everything between a model and the first step: the system, consistent start values on all four
// levels (q, v, v', lambda), rank and redundancy. Simulations and `check` share it.

#pragma once

#include "motion/accel.h"
#include "motion/row_choice.h"
#include "start/dependence.h"
#include "start/initial.h"
#include "start/redundancy.h"
#include "tenon/model.h"
#include "tenon/sim.h"
#include "text/notes.h"

typedef struct tn_start {
    tn_system *sys;
    tn_accel *accel;
    tn_initial *initial; // kept where sampled states change forces during a run
    tn_state x;          // consistent
    tn_redundancy redundancy;
    tn_row_choice *rows;       // which of them are left out as the motion goes on; NULL: none
    double residual;           // max |g|
    double *q_given, *v_given; // as the model states them
    double dependence_tol;     // rows that repeat others but for this much are left out
    double massless_tol;       // inertias up to this part of the largest near them count as none
    int *massless;             // nv: coordinates of motions without inertia, for the system
    bool from_callbacks;
    bool one_sided;         // bodies may part at some rows
    tn_notes notes;         // of the start, and of what happens on the way
    struct tn_start *world; // of other coordinates: the same start in absolute ones, else NULL
    void *block;
} tn_start;

tn_status tn_start_model(const tn_model *model, const tn_sim_options *options, tn_start *out);
tn_status tn_start_callbacks(const tn_callbacks *callbacks, const double *q, const double *v,
                             const tn_sim_options *options, tn_start *out);
void tn_start_clear(tn_start *start);

// Rank and redundancy at q of the state, where v need not be consistent yet.
tn_status tn_start_find_redundancy(tn_start *start);

// The coordinates of models, one line of the table each; a start begins in the first.
typedef struct tn_coordinates {
    const char *name, *text;
    tn_status (*create)(tn_system *world, tn_system **out); // on absolute ones; NULL: these
} tn_coordinates;

const tn_coordinates *tn_coordinates_at(int i);              // NULL beyond the last
const tn_coordinates *tn_find_coordinates(const char *name); // NULL where there are none
tn_status tn_unknown_coordinates(const char *name);          // an error that names all
// A start that goes over to other coordinates (NULL: perhaps) has what these need of the absolute
// ones, and no more.
tn_status tn_start_model_for(const tn_model *model, const tn_sim_options *options,
                             const tn_coordinates *to, tn_start *out);
// Goes over to other coordinates: the start of a model in absolute ones (in so3) becomes `world`.
// Refuses models that cannot be combined with these (`options`: of a simulation, or NULL).
tn_status tn_start_to(tn_start *start, const tn_coordinates *to, const tn_sim_options *options);

// Rows of C that take part now: ng + nn.
const int *tn_start_active(const tn_start *start);

// Bodies part at a one-sided row, or are held there; a row that repeats others is closed and takes
// no part. The accelerations that follow are the caller's to find.
void tn_start_set_row(tn_start *start, int row, bool open, bool active);
// The bodies of a slide of the system slip that way (NULL: as before), or do not.
void tn_start_set_slide(tn_start *start, int slide, bool slips, const double *way);

// Puts another state in the place of x, in SI units (q, v NULL: as they are): quaternions are
// normalised, functions of time are those after a discontinuity, angles count their turns from
// where they were. a and lambda stay. Refused, and nothing changed: numbers that are no state.
tn_status tn_start_set(tn_start *start, double t, const double *q, const double *v);
// Gives a state of the model or a value of a sampled system another value, by its name; *known is
// false where none has it. tn_start_set follows.
tn_status tn_start_put_value(tn_start *start, const char *name, double value, bool *known);
// Finds w, s, v', lambda and eta anew at t, q, v, c and r of the state, after r has changed.
tn_status tn_start_refresh(tn_start *start);
