// SPDX-License-Identifier: MIT
//
// Masses of solids: closed forms of the shapes that have some, sums, and solids that are placed
// elsewhere (docs/theory/mass.md).

#pragma once

#include "tenon/model.h"

// A symmetric matrix with these second moments of mass about the centre as an inertia: tr(C) - C.
tn_mat3 tn_inertia_of_moments(tn_mat3 second);

// The solid of density 1 kg/m^3 in the frame of the shape; false for a mesh, whose file knows.
bool tn_shape_solid(const tn_shape_def *shape, tn_mass *out);

tn_mass tn_mass_in_frame(tn_mass mass, tn_frame frame);
tn_mass tn_mass_scaled(tn_mass mass, double factor); // another density
tn_mass tn_mass_sum(tn_mass a, tn_mass b);
