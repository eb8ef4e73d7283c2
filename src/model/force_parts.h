// SPDX-License-Identifier: MIT
//
// What the kinds of force share: where the blocks of a wrench pair begin.

#pragma once

#include "model/force.h"

// Places of force and moment on A and on B in w, and of translation and rotation in K and D.
enum { TN_FA = 0, TN_MA = 3, TN_FB = 6, TN_MB = 9 };

void tn_block_add(double K[][12], int row, int col, double scale, tn_mat3 block);

// `between` of a bushing, force_bushing_between.c.
void tn_bushing_between(const tn_force_data *data, const tn_seen_span *over, tn_seen_load *out);
