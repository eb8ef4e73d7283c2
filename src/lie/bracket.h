// SPDX-License-Identifier: MIT
//
// The Lie bracket of the configuration group: [x, y]~ = x~ y~ - y~ x~. On SO(3) it is x cross y, on
// SE(3) with x = (u, w): (w_x cross u_y - w_y cross u_x, w_x cross w_y), on linear factors zero.

#pragma once

#include "lie/product.h"

void tn_group_bracket(int n, const tn_group *groups, const double *x, const double *y, double *out);
