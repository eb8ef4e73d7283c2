// SPDX-License-Identifier: MIT
//
// Where the search for an assembled mechanism begins: bodies are placed one after the other from
// the ground on, each by one joint at its stated coordinates, those of a drive or a guess; where
// there are none, at the coordinates that its bodies have where the model leaves them. What forms a
// tree is assembled by that, and no joint begins with its axes against each other.

#pragma once

#include "model/model.h"
#include "system/system.h"

typedef enum tn_place_way {
    TN_PLACE_CARRIED, // as above: what stands on a joint moves along with it
    TN_PLACE_GIVEN,   // not at all
    TN_PLACE_FITTED,  // bodies stay where they are stated; what is open is fitted to neighbours
    TN_PLACE_FITTED_CARRIED, // that first, then along the joints
    TN_PLACE_WAYS
} tn_place_way;

// Moves q, of `world` in absolute coordinates, at time t. Allocates.
tn_status tn_place_positions(const tn_model *model, const tn_system *world, double t,
                             tn_place_way way, double *q);
// Changes v likewise, by rates of joints, at the positions q: what stands on a joint without a rate
// moves along, or as the velocities of its bodies in v tell; a speed of `size`, that of the
// mechanism, counts as a rate of 1. Allocates.
tn_status tn_place_velocities(const tn_model *model, const tn_system *world, double t, double size,
                              const double *q, double *v);

// The first joint whose frames are turned against each other by more than it allows, though its
// rows may hold: products of axes vanish at half a turn too. -1 for none.
int tn_place_flipped(const tn_model *model, const tn_system *world, const double *q);
