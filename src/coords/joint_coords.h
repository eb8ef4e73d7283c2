// SPDX-License-Identifier: MIT
//
// Joint coordinates: the freedoms of a spanning tree of joints (tree.h), with the rows of all other
// joints and couplings as constraints. Rows, forces and memories of angles are those of the same
// model in absolute coordinates (the world), whose bodies the tree moves: loads in world axes, on
// centres of mass, become generalised with the columns J of the tree,
//
//   B = G J        f = J^T w - (inertia)       gamma = V^T H V + G (J' v)
//
// so that nothing about joints and forces is written twice, and a state has the same form in all
// coordinates.

#pragma once

#include "system/system.h"
#include "tree/tree.h"

// Above this number of velocities there are no blocks M, K and D where they would be dense: where
// the subtrees of the ground have more than so many velocities, in the mean.
#define TN_JOINT_DENSE_MAX 1000
enum { TN_JOINT_PIECE = 64 };

// `world` is a system of tn_absolute_create in so3 without start rows, which must outlive the new
// one and is moved by it from now on.
tn_status tn_joint_coords_create(tn_system *world, tn_system **out);

// Set if the systems that use the world from now on are evaluated by recursions, with few rows, and
// need no matrices M, K and D: as explicit methods with index1. False at first.
void tn_joint_coords_by_recursion(tn_system *world, bool alone);

// Cost of solving for accelerations and multipliers, in products of a sparse elimination
// (joint_coords_cut.c): in absolute coordinates, and in those of tn_joint_coords_create.
typedef struct tn_joint_coords_cost {
    double absolute, joint;
} tn_joint_coords_cost;

tn_status tn_joint_coords_estimate(const tn_system *world, tn_joint_coords_cost *out);

// The spanning tree: joints whose reactions expressions of the state use are cut, as joints that
// carry a body have no multipliers. Joint coordinates cut it where loops make its paths long.
tn_status tn_joint_coords_tree(const tn_system *world, tn_tree **out);

// The same once for all: it stays with the world, until joint coordinates take it over.
tn_status tn_joint_coords_keep_tree(tn_system *world, tn_tree **out);

// Rows of the world that the joints of the tree do not satisfy.
int tn_joint_coords_rows_left(const tn_system *world, const tn_tree *tree);

// Numbers of velocities and rows in the uncut tree; *local is set if forces act between neighbours
// in the tree and to the ground alone.
tn_status tn_joint_coords_size(const tn_system *world, int *nv, int *ng, bool *local);

// Marks the rows of the world (ng) that the joints of the tree satisfy: 1, else 0.
tn_status tn_joint_coords_tree_rows(const tn_system *world, int *rows);
