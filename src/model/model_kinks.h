// SPDX-License-Identifier: MIT
//
// Discontinuities and jumps of all functions of time of a model together.

#pragma once

#include "model/model.h"

// As tn_timefn_next_kink, of all functions; discontinuities that differ by round-off are one.
bool tn_model_next_kink(const tn_model *model, double t, double end, double spacing, tn_kink *out);
// Returns true if some discontinuities can only be found by sampling.
bool tn_model_kinks_are_searched(const tn_model *model);
// A time at which the smooth interval is valid that begins at t, where a discontinuity is at t
// itself; else -INFINITY.
double tn_model_piece_after(const tn_model *model, double t);

// TN_ERR_MODEL where a drive has a forbidden jump between two times: a jump of its position, or of
// its velocity without `impulse`. *joint is that drive, -1 for none.
tn_status tn_model_check_drives(const tn_model *model, double from, double to, int *joint);
// Returns true if driven velocities jump at a discontinuity.
bool tn_model_has_impulse(const tn_model *model, const tn_kink *kink);
// TN_ERR_MODEL where a function is not finite at the start, of a drive also its derivatives.
tn_status tn_model_check_start(const tn_model *model, double t);

// The first time at which a function, of a drive also its velocity, is not finite.
typedef struct tn_singular {
    double t;       // INFINITY for none
    bool pole;      // it grows without bound there; else it is not defined from there on
    char what[400]; // "force 'push': effort"
} tn_singular;
// Looks from `from` on, with the grid of a run from `start` to `to`.
void tn_model_find_singular(const tn_model *model, double start, double from, double to,
                            tn_singular *out);

// Times at which steps must end so that smooth pulses of functions are seen, in order.
typedef struct tn_pulses {
    int count, room;
    double *t;      // room
    double dropped; // the first time that had no room; INFINITY for none
} tn_pulses;
// Parts of expressions that depend on t alone.
typedef struct tn_time_parts {
    int n;
    const struct tn_expression **of;
} tn_time_parts;
// Number of pulse times that a model with so many such parts may need, 0 where there can be none.
int tn_model_pulse_room(const tn_model *model, int parts);
// The same, for those from `from` on; `step` of fixed steps, 0 for others. Each function has its
// share of the room.
void tn_model_find_pulses(const tn_model *model, const tn_time_parts *parts, double start,
                          double from, double to, double step, tn_pulses *out);

// Functions of time of all joints, then of all forces, so many of each; NULL where there is none.
enum { TN_ELEMENT_FUNCTIONS = 6 };
int tn_model_function_count(const tn_model *model);
bool tn_model_moves(const tn_model *model); // some function changes with time by itself
const tn_timefn *tn_model_function(const tn_model *model, int k);

// TN_ERR_MODEL where a table that must not be left is left between two times.
tn_status tn_model_check_tables(const tn_model *model, double from, double to);
