// SPDX-License-Identifier: MIT
//
// The configuration group of a whole system: a direct product of factors, each on its own slice of
// q (storage) and of v (tangent coordinates).
//
//   TN_GROUP_R     R^n            q: n numbers             increment: q + x
//   TN_GROUP_SO3   R^3 x SO(3)    q: p (3), quaternion (4) x = (dp inertial, rotation vector body)
//   TN_GROUP_SE3   SE(3)          q: p (3), quaternion (4) x = body-fixed twist increment
//   TN_GROUP_ROTATION  SO(3)      q: quaternion (4)        x = rotation vector body
//
// The quaternion stores the rotation; it is normalised after each product, which is no change of
// the group element. Tangent coordinates are left-trivialised: body-fixed for rotations.

#pragma once

#include "base/status.h"

typedef enum tn_group_kind {
    TN_GROUP_R,
    TN_GROUP_SO3,
    TN_GROUP_SE3,
    TN_GROUP_ROTATION
} tn_group_kind;

typedef struct tn_group {
    tn_group_kind kind;
    int q0, nq; // slice of q
    int v0, nv; // slice of v
} tn_group;

static inline bool tn_group_turns(const tn_group *group) // it has a rotation
{
    return group->kind != TN_GROUP_R;
}

// Velocities of moving are along axes of the body, not of the inertial frame.
static inline bool tn_group_moves_in_body(const tn_group *group)
{
    return group->kind == TN_GROUP_SE3;
}

// The first velocity that the tangent operator mixes with others.
static inline int tn_group_mixed(const tn_group *group)
{
    return group->kind == TN_GROUP_SO3 ? 3 : 0;
}

// First index of the rotation of a factor in its slices of q and v: after the translation, if any.
static inline int tn_group_turn(const tn_group *group)
{
    return group->kind == TN_GROUP_ROTATION ? 0 : 3;
}

// q1 = q o exp(x); q1 may be q.
void tn_group_retract(int n, const tn_group *groups, const double *q, const double *x, double *q1);
// x = log(q0^-1 o q1)
void tn_group_difference(int n, const tn_group *groups, const double *q0, const double *q1,
                         double *x);
// Tangent operator of one factor at its slice of x: T (nv x nv, row major, ld 6); identity on R.
void tn_group_tangent(const tn_group *group, const double *x, double T[6][6]);

// The Lie bracket [x, y]~ = x~ y~ - y~ x~. On SO(3) it is x cross y, on SE(3) with x = (u, w):
// (w_x cross u_y - w_y cross u_x, w_x cross w_y), on linear factors zero.
void tn_group_bracket(int n, const tn_group *groups, const double *x, const double *y, double *out);
