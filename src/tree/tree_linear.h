// SPDX-License-Identifier: MIT
//
// The linearised recursion over a tree, and the topological solver that rests on it: products with
// and solutions of
//
//   (ca M + cv D + cq K X) u = b
//
// of the residual r(q, v, v') = M v' - f of tree.h, D = dr/dv, and K = dr/dq along left-trivialised
// increments q o exp(dx). X is block diagonal, one block for each joint: increments of q are
// dx = cq X u, those of v and v' are cv u and ca u. None of the matrices is formed; time and memory
// are O(N) [Arn16, section 3.3, Example 7]. The derivation is in
// docs/theory/topological_solver.md.

#pragma once

#include "linalg/zsolver.h" // complex numbers
#include "tree/tree.h"

typedef struct tn_tree_linear tn_tree_linear;

// All memory for a tree, which must outlive it.
tn_status tn_tree_linear_create(tn_tree *tree, tn_tree_linear **out);
void tn_tree_linear_destroy(tn_tree_linear *lin);
void tn_tree_linear_values(tn_tree_linear *lin, tn_values *v);

// Takes over motion, accelerations, loads and reactions of the tree as they are after tn_tree_move,
// loads and tn_tree_residual; the tree may move on afterwards. All functions below refer to the
// last one; solutions need factors of its own. Loads count as forces and moments of constant size
// and direction in the world that act at the centres of mass and move along.
void tn_tree_linear_set(tn_tree_linear *lin);
// Adds how the loads of a force element between two nodes (0 is the ground) depend on the motion:
// forces and moments at the centres of mass, on a, then on b, change by K (dp_a, dtheta_a, dp_b,
// dtheta_b) + D (dV_a, dV_b), as in tn_load_tangent (model/force.h). False, and nothing is added,
// where the two are neither the same nor neighbours in the tree, nor is one of them the ground.
//
// Elements between neighbours cost little where they depend on relative motion alone, which is seen
// by columns of K and D that cancel. An element between the ground and a body that does not stand
// on it makes the positions of all bodies count: factors and solutions take twice the time.
bool tn_tree_linear_add(tn_tree_linear *lin, int a, int b, double K[12][12], double D[12][12]);

// y += (ca M + cv D + cq K) x
void tn_tree_linear_times(tn_tree_linear *lin, double cq, double cv, double ca, const double *x,
                          double *y);

// Factors ca M + cv D + cq K X with c = {cq, cv, ca}: real parts alone in plane 0, complex in plane
// 1; the two lie side by side. X: a row major 6 x 6 block for each group of the tree, real and
// imaginary part, NULL for identity and zero. A block is used for its part of the rotation, which
// begins at row and column tn_group_turn (as from tn_group_tangent); all else is the identity.
// TN_RETRY_SINGULAR where a pivot vanishes against the numbers it is made of; *singular (or NULL)
// receives the node.
tn_status tn_tree_linear_factor(tn_tree_linear *lin, int plane, const double complex c[3],
                                const double *const X[2], int *singular);
// b becomes the solution, by the last factors of plane 0 where im is NULL, else of plane 1.
void tn_tree_linear_solve(tn_tree_linear *lin, double *re, double *im);
