// SPDX-License-Identifier: MIT
//
// Algebra on the open chain of a system (tn_chain of system/system.h). Its blocks make the null
// space matrix P of the rows that the chain satisfies [LMO08, eq. 68, 75, 94]: velocities of a node
// are I X, and X = T X_parent + S w from the ground on. P is never formed: everything is O(N).
//
// Blocks in closed form belong to the rows B at a position of the chain. Other carriers A of
// impulses, such as discrete derivatives, which belong to no position, have another kernel. It is
// found node by node from the rows of the joint, with C = (A I)_own and C_p = (A I)_parent,
//
//   C X + C_p X_parent = 0:     T - C^+ (C T + C_p)  and  S - C^+ C S
//
// which are the nearest to given T and S, so that kernels go on smoothly from one carrier to the
// next.

#pragma once

#include "system/system.h"

// The rows of the joint of a node on rigid motions, C^T and C_p^T by columns of 6 numbers, zero
// from the number of motions on.
typedef struct tn_chain_joint {
    double own[6 * 6], parent[6 * 6];
    double qr[6 * 6], beta[6]; // C^T = Q R by reflections
} tn_chain_joint;

// Rows that are not those of a joint of the chain: of closed loops, and internal ones of a node.
enum { TN_CHAIN_LOOP = -1, TN_CHAIN_INTERNAL = -2 };

// The chain of a system that has none, every coordinate free: all but `open`, which follows and
// whose memory is the caller's to free.
extern const tn_chain_ops tn_chain_linear;
tn_status tn_chain_open_linear(const tn_system *sys, tn_chain *out, void **block);

// Node of each row of g (ng), as far as it is that of a joint, and of each velocity (nv).
void tn_chain_owners(const tn_chain *c, int ng, int *of_row, int *of_velocity);

// v = P w and out = P^T f; X has room for 6 numbers a node.
void tn_chain_expand(const tn_chain *c, const tn_chain_block *P, const double *w, double *X,
                     double *v);
void tn_chain_reduce(const tn_chain *c, const tn_chain_block *P, const double *f, double *X,
                     double *out);

// A carrier, with I of the blocks as it is there. TN_RETRY_SINGULAR where rows of a joint repeat
// each other. of_row and of_velocity are those of tn_chain_owners.
tn_status tn_chain_carry(const tn_chain *c, const tn_sparse *A, const int *of_row,
                         const int *of_velocity, const tn_chain_block *P, tn_chain_joint *joints);
// T and S become those of the carrier.
void tn_chain_follow(const tn_chain *c, const tn_chain_joint *joints, tn_chain_block *P);
// out = P^T f as it would be after tn_chain_follow, and with J not NULL what joints take of f.
void tn_chain_reduce_along(const tn_chain *c, const tn_chain_block *P, const tn_chain_joint *joints,
                           const double *f, double *X, double *out, double *J);
// J of the rows that the chain satisfies with A^T J = f [LMO08, eq. 38], where f does no work on P
// and the other entries of J are given. `rest` and `out` are of the sizes of f and w, for work.
void tn_chain_impulse(const tn_chain *c, const tn_sparse *A, const tn_chain_block *P,
                      const tn_chain_joint *joints, const double *f, double *rest, double *X,
                      double *out, double *J);

// Solutions with L^T W R along the chain by two-sided elimination of articulated bodies, for
// matrices W that couple nodes with themselves, with their parents, and a few across.
typedef struct tn_chain_solver tn_chain_solver;

bool tn_chain_follows(const tn_chain *c, const int *of_velocity, const tn_sparse *W);
tn_status tn_chain_solver_create(const tn_chain *c, const int *of_velocity, const tn_sparse *W,
                                 tn_chain_solver **out);
void tn_chain_solver_destroy(tn_chain_solver *s);
// Keeps L and R. TN_RETRY_SINGULAR where a pivot is zero.
tn_status tn_chain_solver_factor(tn_chain_solver *s, const tn_sparse *W, const tn_chain_block *L,
                                 const tn_chain_block *R);
void tn_chain_solver_solve(tn_chain_solver *s, double *b);
