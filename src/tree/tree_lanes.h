// SPDX-License-Identifier: MIT
//
// Accelerations of one tree at many states at once. Instances of the model are lanes of vectors:
// value i of lane l stands at i * TN_LANES + l of an array (structure of arrays), so that one
// instruction computes several lanes, and TN_LANES is a multiple of the width of one vector, so
// that the next vector is computed while the first one waits for its results. Each lane has masses,
// lengths, springs and gravity of its own. The results of a lane do not depend on its neighbours,
// but for angles above 1e6.
//
// Joints are revolute, prismatic or fixed, and revolute or spherical where they close loops; forces
// are gravity and springs on joint coordinates.

#pragma once

#include "tree/tree.h"

enum { TN_LANES = 8 };

typedef struct tn_lanes tn_lanes;

// The structure of a tree, without its numbers. Parts that lanes cannot take are refused by name.
// Rows of joints that close loops take part where `active` (one for each row of tree->cut) is 1;
// NULL for all: they must not depend on each other.
tn_status tn_lanes_create(const tn_tree *tree, const int *active, tn_lanes **out);
void tn_lanes_destroy(tn_lanes *lanes);
// Returns true if another tree has the same structure: bodies on the same ones by the same kinds of
// joints, springs on the same joints, the same joints closing loops.
bool tn_lanes_fits(const tn_lanes *lanes, const tn_tree *tree);

// Numbers of TN_LANES instances, and memory for an evaluation: how many doubles. Both begin at
// multiples of TN_LANES_ALIGN bytes.
enum { TN_LANES_ALIGN = 64 };
size_t tn_lanes_numbers(const tn_lanes *lanes);
size_t tn_lanes_memory(const tn_lanes *lanes);

// Puts the numbers of a tree that fits into one lane; q are its coordinates at the start, where
// springs are free whose free value is not stated.
void tn_lanes_put(const tn_lanes *lanes, const tn_tree *tree, const double *q, int lane,
                  double *numbers);

// v' of all lanes. If something has no inertia, or overflows, v' of that lane is not finite.
void tn_lanes_accelerate(const tn_lanes *lanes, const double *numbers, const double *q,
                         const double *v, double *vdot, double *memory);

// Residual of the row of a loop, or of its rate, at the state (q, v) of one lane, in parts of the
// size of the mechanism and of its speeds: the largest, and the joint that it belongs to. Zero and
// -1 without loops.
tn_status tn_lanes_gap(const tn_lanes *lanes, const double *numbers, int lane, const double *q,
                       const double *v, double *off, int *joint);
