// SPDX-License-Identifier: MIT
//
// Quantities that unknowns measure (tn_kind), for tolerances that differ between lengths and
// angles.

#pragma once

#include "lie/chart.h"
#include "system/system.h"

// The value of its kind for each coordinate of a chart, and for each velocity.
void tn_coordinates_by_kind(const tn_system *sys, const tn_chart *chart,
                            const double value[TN_KIND_COUNT], double *out);
void tn_velocities_by_kind(const tn_system *sys, const double value[TN_KIND_COUNT], double *out);
