// SPDX-License-Identifier: MIT
//
// User-defined kinds inside the library (tenon/extend.h). One file per family turns a public table
// into the table of functions that the library knows: own_force.c, own_joint.c; functions of time
// need none. Rows of own joints are one more form of rows (own_row.h).

#pragma once

#include "kinds/family.h"
#include "row/own_row.h"
#include "signal/own_function.h"

enum { TN_OWN_PARAMS = 24 }; // rows of a parameter table

// Checks the head of a table: `most` is the room for parameters.
tn_status tn_own_check(const tn_own_kind *kind, size_t most, bool functions);
// Copies a parameter table whose struct begins at `from` of a definition.
void tn_own_params(const tn_own_kind *kind, size_t from, tn_param out[TN_OWN_PARAMS]);

// Checks at the start of elements -----------------------------------------------------------------

// TN_ERR_MODEL where a derivative of the kind of an element differs from differences, at the start
// and nearby; `element` begins the sentence. All in the units of the model: the frames of a joint;
// the pair of a force, and the coordinate of its law with its rate; the time of a function, which
// may be one of the library. Bits of `still` are those of the 12 variations that its bodies never
// make, by which derivatives need not be right.
tn_status tn_own_check_joint(const char *element, const tn_joint_def *def, tn_frame a, tn_frame b,
                             unsigned still);
tn_status tn_own_check_force(const char *element, const tn_force_data *data, double t,
                             const tn_pair *pair, double x, double rate, unsigned still);
tn_status tn_own_check_function(const char *element, const tn_timefn *f, double t);

// For these and tn_check_kind ---------------------------------------------------------------------

// Arguments of a user-defined force, but for the coordinate of a law; u has room for its functions.
// Returns true if derivatives of the force are not given, and so formed by differences.
bool tn_own_force_differs(const tn_own_force *table);
tn_force_at tn_own_force_place(const tn_force_data *data, double t, const tn_pair *at,
                               double (*u)[3]);
// By differences in SI units, whatever the kind gives, with steps of positions and of velocities.
void tn_own_force_differences(const tn_own_force *table, const tn_force_at *at,
                              const tn_own_steps steps[2], tn_own_tangent *out);
void tn_own_law_differences(const tn_own_force *table, const tn_force_at *at, const double step[2],
                            tn_own_law *law);
// Freedom i of a placement as a motion by `stride` along it shows it.
tn_twist tn_own_freedom(const tn_own_joint *table, const tn_joint_at *at, const double *q, int i,
                        double stride);
