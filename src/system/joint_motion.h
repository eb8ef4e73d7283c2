// SPDX-License-Identifier: MIT
//
// What the joints of a model do at a point of a system, in any coordinates and in its units.

#pragma once

#include "model/model.h"
#include "system/system.h"

// Second derivatives of the coordinates of a joint at v' of the point; returns how many. The system
// has been told to look there.
int tn_joint_second_derivatives(const tn_system *sys, const tn_model *model, const tn_point *at,
                                int joint, double *a);
