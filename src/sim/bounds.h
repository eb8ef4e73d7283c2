// SPDX-License-Identifier: MIT
//
// Bounds of the verdict by their names: 'energy<1e-2,g<1e-6'.

#pragma once

#include "base/status.h"

typedef enum tn_quantity {
    TN_QUANTITY_G,      // residuals of all rows at ends of steps
    TN_QUANTITY_BV,     // of their rates
    TN_QUANTITY_ENERGY, // balance of energy
    TN_QUANTITY_ROWS,   // g of states shown between steps
    TN_QUANTITY_START,  // how far the start has moved bodies from where they are stated
    TN_QUANTITY_TURN,   // how far rotations of bodies lag behind, by what they have turned
    TN_QUANTITY_JOINTS, // as g; what is beyond it ends a run
    TN_QUANTITY_COUNT
} tn_quantity;

extern const char *const tn_quantity_names[TN_QUANTITY_COUNT];

// Fills those bounds that the text states (NULL: none); the others become NAN. TN_ERR_USAGE with a
// sentence otherwise.
tn_status tn_bounds_parse(const char *text, double bound[TN_QUANTITY_COUNT]);
