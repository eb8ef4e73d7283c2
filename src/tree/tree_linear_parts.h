// SPDX-License-Identifier: MIT
//
// The linearised recursion: private to the tree_linear*.c files.
//
// A variation of the motion gives body k at its reference point P, in world axes,
//
//   theta  its turn, dR = [theta] R            p   the displacement of P
//   eta    dw - theta x w                      u   the variation of the velocity of P
//   zeta   dal - theta x al - eta x w          lambda   dl - theta x l
//
// with w, l, al as in tree_parts.h: as an observer who turns along measures them. It follows from
// that of the predecessor by Y_k = T Y_p + E du,
//
//   lambda_k = lambda + zeta x r + 2 eta x nu     p_k = p + theta x r
//   zeta, eta, theta as they are                  u_k = u + eta x r + theta x nu,   nu = u_k - u_p
//
// and by the freedoms of the joint as tree_slope gives them at the velocity of P. Forces depend on
// lambda, zeta, eta and, where there are loads, on theta (12 numbers); where elements act on the
// ground also on p and u (18).

#pragma once

#include "tree/tree_linear.h"
#include "tree/tree_parts.h"

// Blocks of three numbers of a variation, in this order.
enum {
    LINEAR_LAMBDA,
    LINEAR_ZETA,
    LINEAR_ETA,
    LINEAR_THETA,
    LINEAR_PLACE,
    LINEAR_SPEED,
    LINEAR_BLOCKS,
    LINEAR_RELATIVE = LINEAR_PLACE // those that count without elements to the ground
};
enum {
    LINEAR_MOTIONS = 3 * LINEAR_BLOCKS, // numbers of a variation
    LINEAR_ELEMENT =
        LINEAR_MOTIONS - 3 * LINEAR_ETA, // those that elements depend on: from LINEAR_ETA on
    LINEAR_MOST = 6,                     // of a joint
    LINEAR_FORKS = 40                    // as slots of the tree
};

typedef struct linear_body {
    tn_vec3 r, nu; // P - P_p, u - u_p
    tn_vec3 w;
    tree_rigid own;
    tree_force load; // at the centre of mass
    tn_vec3 c;       // from P to it
    int element;     // its record of elements; -1 for none
} linear_body;

// A freedom: its effect on the motion, and the force F that it turns through the joint.
typedef struct linear_freedom {
    tree_slope slope;
    tree_force turned;          // (S_w x f; S_w x n + S_v x f)
    double across[LINEAR_MOST]; // d(S_i^T F) by this freedom j, all bodies held in their own axes
} linear_freedom;

typedef struct linear_column {
    double at[6]; // force and moment
} linear_column;

// Elements: forces less loads. `own` of a body by its variation, `below` by that of its
// predecessor.
typedef struct linear_element {
    linear_column own[LINEAR_ELEMENT], below[LINEAR_ELEMENT];
} linear_element;

// Elements between a body and its predecessor by the increment of a freedom and by its velocity:
// force on the body, and on the predecessor.
typedef struct linear_tie {
    double on[2][6];
    double back[2][6];
} linear_tie;

// A node propagates this to its predecessor, for real or complex numbers: the matrix that takes the
// variation of the motion to that of the force, columns of 6, each followed by its imaginary part;
// and the size that forces and moments had before the joint was eliminated.
typedef struct linear_carry {
    double A[LINEAR_MOTIONS * 12];
    double was[2];
} linear_carry;

typedef struct linear_factors {
    int blocks; // that counted
    double *at; // records of all freedoms, see linear_at
} linear_factors;

struct tn_tree_linear {
    tree *t;
    linear_body *body;       // n
    tn_vec3 *com;            // n, from P in tree axes
    linear_freedom *freedom; // nv
    linear_tie *tie;         // nv
    int *group;              // of each node; -1 without freedoms
    int blocks;              // that count
    linear_element *element; // taken in order, so that unused memory is not touched
    int nelement;
    linear_factors factors[2];
    linear_carry *slot; // LINEAR_FORKS
    double (*fork)[2 * LINEAR_MOTIONS];
    double (*force)[6]; // n
    void *block, *room;
};

// The record of a freedom: E and K (3 blocks each), V (6), its row of the inverse pivot (6), each
// with the imaginary part behind the real one.
typedef struct linear_record {
    double *E, *K, *V, *D;
} linear_record;

static inline int linear_stride(int planes, int blocks)
{
    return planes * (6 * blocks + 6 + LINEAR_MOST);
}

static inline linear_record linear_at(double *at, int planes, int blocks, int i)
{
    double *first = at + (size_t)linear_stride(planes, blocks) * (size_t)i;
    return (linear_record){first, first + 3 * planes * blocks, first + 6 * planes * blocks,
                           first + 6 * planes * (blocks + 1)};
}
