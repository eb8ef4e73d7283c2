// SPDX-License-Identifier: MIT
//
// Sizes of bodies and rows, whatever the units: thresholds for rank and for rows that are left out
// are parts of these. In absolute coordinates a body is as large as the levers at which rows act on
// it, or as its radius of gyration where that is more. Velocities are scaled by
//
//   1 where they move a body, 1 / (its size) where they turn it
//
// so that the entries of a row that holds a point are of size one, also on a small part of a large
// mechanism. The size of row k is its length then, times the smallest of its bodies: about that
// body for rows in metres, about one for those in radians.

#pragma once

#include "system/system.h"

typedef struct tn_row_sizes {
    double *column; // nv: factors of the velocities
    double *unit;   // nv: a motion as large as the body: its size [m], or one [rad]
    double *row;    // ng + nn
    double whole;   // the largest body [m]; one for users' equations
} tn_row_sizes;

// Evaluates M, B and N at the point. `turns` (nv) says which velocities turn bodies; NULL for
// users' equations, whose rows are as large as their gradients times the coordinates.
tn_status tn_row_sizes_find(tn_system *sys, const tn_point *at, const bool *turns,
                            tn_row_sizes *out);
void tn_row_sizes_clear(tn_row_sizes *sizes);
