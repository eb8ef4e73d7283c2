// SPDX-License-Identifier: MIT
//
// Trees in which some freedoms carry no inertia: massless bodies, points that can turn, rods that
// can spin about themselves [Arn13]. M is then singular. A direction n in the freedoms of a joint
// is singular where n^T S^T I S n = 0 with the condensed inertia I of the bodies that the joint
// carries; each belongs to a motion N of the tree, and these span the null space of M. Their
// equations,
//
//   0 = gamma = N^T (f + tau),
//
// are algebraic and leave the accelerations in these directions free: equations for zeta in
// v = v* + N zeta, with d gamma / d zeta = N^T (df/dv) N, where dampers act on the motions. See
// docs/theory/tree_massless.md.

#pragma once

#include "tree/tree.h"

typedef struct tn_tree_massless {
    int place;           // whose joint has the direction
    int v0, nv;          // slice of v of this joint
    double direction[6]; // in it (nv), of length one
    double gamma;        // residual of its equation, as a force along the direction [N, N m]
} tn_tree_massless;

// Inertia from which a direction counts, as a part of that with the child joints locked; turning is
// also compared with masses at the mean length of links. 1e-10 when a tree is made; 0 leaves out
// round-off only. tn_tree_accelerate and tn_tree_factor do not use it.
void tn_tree_set_singular_tol(tn_tree *tree, double tol);

// As tn_tree_accelerate where some freedoms may have no inertia: v' without any part in singular
// directions (of least norm in each joint, where each freedom is measured by the inertia that
// counts), and these directions, in the order of nodes, at most nv of them. If gamma = 0, this v'
// satisfies M v' = f + tau, as does v' plus any sum of motions; otherwise gamma is the residual.
// Directions depend on q alone. Leaves the factors for tn_tree_solve and accelerations of bodies.
// TN_RETRY_SINGULAR where numbers are not finite.
tn_status tn_tree_accelerate_massless(tn_tree *tree, const double *tau, double *vdot, int *count,
                                      tn_tree_massless *out);
// The factors and directions alone, with gamma zero; count and out may be NULL.
tn_status tn_tree_factor_massless(tn_tree *tree, int *count, tn_tree_massless *out);

// After either of these. M x = b with x of the same kind; gamma, which may be NULL, is the
// residual, N^T b for each direction. tn_tree_solve does the same without gamma.
void tn_tree_solve_massless(tn_tree *tree, double *b, double *gamma);

// The columns N of the null space of M are motions: a direction moves at unit rate, and the
// freedoms of its subtree follow without force. The functions that follow overwrite accelerations
// of bodies.
//
// The sum of all motions at the rates z, in the order of nodes: x = N z.
void tn_tree_massless_sum(tn_tree *tree, const double *z, double *x);
// The bodies that move in a motion, n at most: their nodes and their twists at their reference
// points. Returns their number. The subtree of a body that rests rests too and is not visited: a
// body with mass and moments of inertia ends the motion, which so takes time for a few bodies only.
int tn_tree_massless_bodies(tn_tree *tree, const tn_tree_massless *direction, int *place,
                            tn_twist *V);
