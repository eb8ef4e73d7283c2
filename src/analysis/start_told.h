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
