// SPDX-License-Identifier: MIT
//
// What a user should know of a start: bodies that do not stand where the model states them, stops
// and springs that begin strained. And the last word on what is stated: it holds in the coordinates
// of the run, after every conversion.

#pragma once

#include "analysis/start.h"

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
