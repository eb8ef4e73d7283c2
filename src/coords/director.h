// SPDX-License-Identifier: MIT
//
// Director coordinates: the centre of mass of a body and its three axes, the directors, in inertial
// components [LMO08, sect. 5.1]. They span a linear space, v = q', in which the mass matrix is
// constant, and that a body is rigid is a matter of constraints,
//
//   q = (phi, d_1, d_2, d_3)                              [LMO08, eq. 55]
//   0 = (d_i . d_i - 1) / 2,  0 = d_i . d_j               [LMO08, eq. 56], six internal rows
//   M = diag(m I, E_ij I),  E = (tr J / 2) I - J          [LMO08, eqs. 57, 58]
//
// Planar bodies have x, y, d_1 and d_2 in the plane and three internal rows, point masses their
// position alone. Points and axes of a body are linear in q, so that rows of joints are at most
// quadratic (row/row_linear.h).
//
// Force elements, memories of angles and read-out are those of the same model in absolute
// coordinates (the world), as in joint coordinates (joint_coords.h).

#pragma once

#include "system/system.h"

// `world` is a system of tn_absolute_create in so3 without start rows, which must outlive the new
// one and is moved by it from now on.
tn_status tn_director_create(tn_system *world, tn_system **out);
