// SPDX-License-Identifier: MIT
//
// Splines of degree 5 through points: four continuous derivatives. At the ends of an open one the
// third and the fourth derivative are zero; it is the curve of least integral of the square of the
// third derivative. A closed one goes on smoothly from its end to its start.

#pragma once

#include "base/status.h"

enum { TN_QUINTIC = 6 }; // coefficients of a piece

// Through values y[0] and y[1] (n each) at increasing places s. There are n - 1 pieces; of a closed
// spline n, and n + 1 places, the last of which is the first value again. On piece i, of either
// list of values k, it is the sum of coefficient[2 * i + k][j] (s - s_i)^j. At least 3 points, 5 of
// a closed one. TN_RETRY_SINGULAR where places are so uneven that there is no solution in numbers.
tn_status tn_quintic_fit(int n, const double *s, bool closed, const double *const y[2],
                         double (*coefficient)[TN_QUINTIC]);
// The value and its first two derivatives at a distance r from the start of a piece.
void tn_quintic_eval(const double coefficient[TN_QUINTIC], double r, double out[3]);
