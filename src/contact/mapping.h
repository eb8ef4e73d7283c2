// SPDX-License-Identifier: MIT
//
// Expressions of one or two named arguments, x(s) or z(u, v), with their exact first and second
// derivatives: shapes on which bodies touch. The language is that of signal/timefn.h; parameters
// and tables of the model are known, the time and inputs are not. An argument hides a parameter and
// a table of its name.
//
// Reactions contain the curvature of a shape: what decides (if, abs, min, comparisons, step) and
// tables that are linear or monotone are refused. A spline table is smooth; where it holds its ends
// its curvature jumps there. Evaluations do not allocate and may run side by side.

#pragma once

#include "signal/grid.h"

typedef struct tn_mapping tn_mapping;

// Errors begin with "expression '...'"; callers put their element before it by tn_fail_within.
// narg is 1 or 2. The tables of the model must stay.
tn_status tn_mapping_create(const tn_model *model, const char *text, int narg,
                            const char *const *args, tn_mapping **out);
void tn_mapping_destroy(tn_mapping *mapping); // NULL is fine

tn_grid_value tn_mapping_eval(const tn_mapping *mapping, const double *a); // narg arguments
