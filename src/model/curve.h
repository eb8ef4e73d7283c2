// SPDX-License-Identifier: MIT
//
// Curves through the points of a table, with exact derivatives.

#pragma once

#include "model/timefn.h"

typedef struct tn_curve tn_curve;

// Names of tn_interpolation and tn_beyond, in their order; they end with NULL.
extern const char *const tn_interpolation_names[];
extern const char *const tn_beyond_names[];

// As tn_timefn_table; interpolation and beyond must not be the defaults.
tn_status tn_curve_create(int n, const double *t, const double *u, tn_interpolation interpolation,
                          tn_beyond beyond, tn_curve **out);
void tn_curve_destroy(tn_curve *curve);
void tn_curve_eval(const tn_curve *curve, double t, double u[3]);
bool tn_curve_next_kink(const tn_curve *curve, double t, double end, tn_kink *out);

// Whether steps end at point i: a kink, or the begin of something new.
bool tn_curve_meets(const tn_curve *curve, int i);
tn_beyond tn_curve_beyond(const tn_curve *curve);
void tn_curve_ends(const tn_curve *curve, double *from, double *to);
// By how much the curve leaves the range of its points, as a part of it, and where.
double tn_curve_overshoot(const tn_curve *curve, double *t);
