// SPDX-License-Identifier: MIT
//
// What the kinds of force share: where the blocks of a wrench pair begin, and scalar laws.

#pragma once

#include "model/force.h"

extern const tn_force_ops tn_force_point, tn_force_spring, tn_force_torsion_spring,
    tn_force_bushing, tn_force_joint_spring, tn_force_joint_stop, tn_force_motor;

// Places of force and moment on A and on B in w, and of translation and rotation in K and D.
enum { TN_FA = 0, TN_MA = 3, TN_FB = 6, TN_MB = 9 };

void tn_block_add(double K[][12], int row, int col, double scale, tn_mat3 block);

void tn_scalar_eval(tn_scalar_law *law, const tn_force_data *data, double t, double reference,
                    const tn_pair *at, tn_load *out);
void tn_scalar_tangent(tn_scalar_law *law, const tn_force_data *data, double t, double reference,
                       const tn_pair *at, tn_load_tangent *out);

// Of a bushing, force_bushing_between.c.
void tn_bushing_between(const tn_force_data *data, const tn_seen_span *over, tn_seen_load *out);
