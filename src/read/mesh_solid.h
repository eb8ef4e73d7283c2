// SPDX-License-Identifier: MIT
//
// The solid that a closed mesh bounds: volume, centre and inertia, exact but for round-off.

#pragma once

#include "file/mesh.h"
#include "tenon/model.h"

// Mass of a mesh with density 1 per unit of volume, in units of the file. Faces look outwards or,
// all of them, inwards, as *inside_out says. A mesh that is open, whose faces disagree about what
// is outside or that has no volume is refused; errors start with `name`.
tn_status tn_mesh_solid(const tn_mesh *mesh, const char *name, tn_mass *out, bool *inside_out);
