// SPDX-License-Identifier: MIT
//
// The parts of a start (start.c).

#pragma once

#include "analysis/start.h"
#include "system/absolute.h"

// Assembly ----------------------------------------------------------------------------------------
//
// Positions and velocities of a model in absolute coordinates that satisfy its constraints and what
// it states. Stated coordinates and rates of joints, stated velocities of bodies and bodies with
// `fixed` hold to round-off, or the error tells what they contradict. Stated positions of bodies
// choose between the ways to assemble the mechanism and are kept as nearly as can be; what is open
// follows.

// Fills t, q, v, r of s->x and what the model states, and notes what was moved far. s->sys exists.
tn_status tn_assemble(const tn_model *model, const tn_sim_options *options, tn_rotation rotation,
                      tn_start *s);

// Multipliers -------------------------------------------------------------------------------------
//
// Users' forces and extra equations that use multipliers which the equations do not determine. With
// C^T z = 0 the multipliers lambda and lambda + z are the same reactions on the bodies [Arn16,
// section 2.3]: functions that differ for the two give a motion that depends on which row was left
// out.

// TN_ERR_MODEL with the rows where f, c', b or h changes along such a z.
tn_status tn_unique_judge(tn_start *start);

// Notes -------------------------------------------------------------------------------------------
//
// What a user should know of a start: bodies that do not stand where the model states them, stops
// and springs that begin strained. And the last word on what is stated: it holds in the coordinates
// of the run, after every conversion.

// Adds notes to the start of a model in absolute coordinates.
void tn_start_tell(const tn_model *model, tn_start *s);
// Adds one where the start is a singular position, with more freedoms than velocities are stated;
// the start has its accelerations. Allocates.
tn_status tn_start_tell_singular(const tn_model *model, tn_start *s);
// Fails where a stated coordinate or rate of a joint, or a stated velocity of a body, does not hold
// in the start, in whatever coordinates it is.
tn_status tn_start_verify(const tn_model *model, tn_start *s);

// Inertias that a model states and that count as none, being too small beside those that joints
// connect with them (formulation/massless.h): which one, by how much, and by which option.
enum { TN_DROPPED_TEXT = 480 };

// A sentence on the smallest of them; empty where all inertias that are not zero count. Allocates.
tn_status tn_dropped_inertia(const tn_system *sys, double massless_tol, char text[TN_DROPPED_TEXT]);

// The error that has been raised, with that sentence after it where there is one.
tn_status tn_dropped_within(const tn_system *sys, double massless_tol, tn_status status);
