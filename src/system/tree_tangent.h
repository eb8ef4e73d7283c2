// SPDX-License-Identifier: MIT
//
// Derivatives of the recursive core (tree.h), dense, in O(N depth) operations. With respect to q
// they are along left-trivialised increments q o exp(dx). The derivation is in
// docs/theory/tree_derivatives.md.

#pragma once

#include "system/tree.h"

// The largest nv for which a tree keeps room for dense derivatives: matrices of 128 MiB.
enum { TN_TREE_DENSE = 4096 };

// Derivatives of the residual r = M v' - f - tau, K = dr/dq and D = dr/dv, nv x nv, column major,
// after tn_tree_residual and at its v'; nv is at most TN_TREE_DENSE. Pairs of freedoms that are not
// on one path to the ground are zero. Loads count as forces and moments of constant size and
// direction in the world that act at the centres of mass and move along with them; how they depend
// on the motion otherwise is the caller's. Loads, accelerations and reactions stay as they are.
void tn_tree_derivatives(tn_tree *tree, double *K, double *D);

// How a body moves at the point `arm` (world axes, from its reference point, fixed to the body):
// one column for each freedom on the way to the ground as in tn_tree_jacobian, whose number is
// returned. J: variation of the place of the point and of the turning, dR = skew(dtheta) R, per
// increment, which is also the twist per velocity. P: derivative of the twist of the point by the
// increment of q at constant v. After tn_tree_move. J, P may be NULL.
int tn_tree_variation(const tn_tree *tree, int place, tn_vec3 arm, int *index, tn_twist *J,
                      tn_twist *P);
