// SPDX-License-Identifier: MIT
//
// Splines of degree 5 through points: four continuous derivatives. At the ends of an open one the
// third and the fourth derivative are zero; it is the curve of least integral of the square of the
// third derivative. A closed one goes on smoothly from its end to its start.

#pragma once

#include "base/status.h"

enum { TN_QUINTIC = 6 }; // coefficients of a piece

// Through m lists of values y[k] (n each) at increasing places s. There are n - 1 pieces; of a
// closed spline n, and n + 1 places, the last of which is the first value again. On piece i, of
// list k, it is the sum of coefficient[m * i + k][j] (s - s_i)^j. There are at least 3 points, 5 of
// a closed one. `slope`, or NULL, holds the first derivatives (m) at the start and at the end of an
// open one, NULL where they are free: a given one takes the place of the third derivative that is
// zero. TN_RETRY_SINGULAR where places are so uneven that there is no solution in numbers.
tn_status tn_quintic_fit(int n, const double *s, bool closed, int m, const double *const *y,
                         const double *const *slope, double (*coefficient)[TN_QUINTIC]);
// The same as a function of its own length, as far as two passes come: `knot` (pieces + 1) holds
// increasing places, as the sums of chords, and becomes lengths along the curve. m is 2 or 3, and
// slopes are unit vectors.
tn_status tn_quintic_by_length(int n, bool closed, int m, const double *const *y,
                               const double *const *slope, double *knot,
                               double (*coefficient)[TN_QUINTIC]);
// The value and its first two derivatives at a distance r from the start of a piece.
void tn_quintic_eval(const double coefficient[TN_QUINTIC], double r, double out[3]);
