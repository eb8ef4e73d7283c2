// SPDX-License-Identifier: MIT
//
// Names of motions in messages: the joint coordinate that the motion changes fastest.

#pragma once

#include "model/model.h"
#include "system/system.h"

// "joint 'elbow', angle," for the coordinate that the motion x (nv) changes fastest at the position
// of the point, or "body 'rod', x," where no joint measures it; absolute coordinates. Returns its
// rate in this motion, in SI units.
double tn_motion_name(const tn_model *model, const tn_system *sys, const tn_point *now,
                      const double *x, char *text, size_t size);
