// SPDX-License-Identifier: MIT
//
// Positions and velocities of a model in absolute coordinates that satisfy its constraints and what
// it states. Stated coordinates and rates of joints, stated velocities of bodies and bodies with
// `fixed` hold to round-off, or the error tells what they contradict. Stated positions of bodies
// choose between the ways to assemble the mechanism and are kept as nearly as can be; what is open
// follows.

#pragma once

#include "analysis/start.h"
#include "system/absolute.h"

// Fills t, q, v, r of s->x and what the model states, and notes what was moved far. s->sys exists.
tn_status tn_assemble(const tn_model *model, const tn_sim_options *options, tn_rotation rotation,
                      tn_start *s);
