// SPDX-License-Identifier: MIT
//
// Curves through the points of a table, with exact derivatives.

#pragma once

#include "signal/timefn.h"

typedef struct tn_curve {
    tn_interpolation interpolation;
    tn_beyond beyond;
    int n;
    double first[2], last[2]; // value and slope beyond the ends
    double *t, *u;            // n
    double *shape;            // n: slopes of a monotone curve, second derivatives of a spline
    bool *met;                // n: steps end at this point: a corner, or an end
    double block[];
} tn_curve; // one block

// Names of tn_interpolation and tn_beyond, in their order; they end with NULL.
extern const char *const tn_interpolation_names[];
extern const char *const tn_beyond_names[];

// As tn_timefn_table; interpolation and beyond must not be the defaults. tn_free it.
tn_status tn_curve_create(int n, const double *t, const double *u, tn_interpolation interpolation,
                          tn_beyond beyond, tn_curve **out);
void tn_curve_eval(const tn_curve *curve, double t, double u[3]);
// The same on one piece, also slightly beyond it: piece i begins at point i, -1 is the one before
// the first point and n - 1 that after the last. Not of periodic curves.
void tn_curve_eval_on(const tn_curve *curve, int piece, double t, double u[3]);
bool tn_curve_next_kink(const tn_curve *curve, double t, double end, tn_kink *out);

// By how much the curve leaves the range of its points, as a part of it, and where.
double tn_curve_overshoot(const tn_curve *curve, double *t);
// Names of `interpolation` and `beyond` are those that exist.
tn_status tn_check_table_rules(tn_interpolation interpolation, tn_beyond beyond, const char *what);
