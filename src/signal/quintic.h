// SPDX-License-Identifier: MIT
//
// Splines of degree 5 through points: four continuous derivatives. At the ends of an open one the
// third and the fourth derivative are zero; it is the curve of least integral of the square of the
// third derivative. A closed one goes on smoothly from its end to its start.

#pragma once

#include "base/status.h"

enum { TN_QUINTIC = 6 }; // coefficients of an interval

// Through m lists of values y[k] (n each) at increasing places s. There are n - 1 pieces; of a
// closed spline n, and n + 1 places, the last of which is the first value again. On piece i, of
// list k, it is the sum of coefficient[m * i + k][j] (s - s_i)^j. There are at least 3 points, 5 of
// a closed one. `slope`, or NULL, holds the first derivatives (m) at the start and at the end of an
// open one, NULL where they are free: a given one takes the place of the third derivative that is
// zero. TN_RETRY_SINGULAR where places are so uneven that there is no solution in numbers.
tn_status tn_quintic_fit(int n, const double *s, bool closed, int m, const double *const *y,
                         const double *const *slope, double (*coefficient)[TN_QUINTIC]);
// The value and its first two derivatives at a distance r from the start of a piece.
void tn_quintic_eval(const double coefficient[TN_QUINTIC], double r, double out[3]);

// A spline as a function of its own length, as far as two passes come: |c'| is 1 up to the order of
// the spline.
typedef struct tn_quintic_curve {
    int m, pieces;
    double *knot;                      // pieces + 1, from 0 on
    double (*coefficient)[TN_QUINTIC]; // of the lists by turns
} tn_quintic_curve;

// As tn_quintic_fit, of 2 or 3 lists and slopes that are unit vectors. No two neighbours are one
// point. tn_quintic_clear it, also where it failed.
tn_status tn_quintic_make(int n, bool closed, int m, const double *const *y,
                          const double *const *slope, tn_quintic_curve *out);
void tn_quintic_clear(tn_quintic_curve *curve);
// The value of each list and its first two derivatives at s; beyond the ends their pieces go on.
void tn_quintic_at(const tn_quintic_curve *curve, double s, double (*out)[3]);
