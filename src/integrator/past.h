// SPDX-License-Identifier: MIT
//
// Points of the past that implicit methods in linear spaces keep: polynomials through them, and
// their coordinates where a chart has changed.

#pragma once

#include "lie/chart.h"

enum { TN_PAST_MAX = 8 }; // points of one polynomial

// Lagrange's polynomials of n nodes at t: l_j(t), and l_j'(t) (either may be NULL).
void tn_lagrange(int n, const double *node, double t, double *value, double *slope);

// out = sum_j weight[j] y[j], vectors of length n.
void tn_combine(int n, int count, const double *weight, double *const *y, double *out);

// Coordinates of the configuration q in the chart as it is now, for EULER and LOCAL with as many
// full turns as bring them nearest to `near`.
void tn_chart_near(const tn_chart *chart, const double *q, const double *near, double *z);
