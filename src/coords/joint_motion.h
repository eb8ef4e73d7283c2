// SPDX-License-Identifier: MIT
//
// Motion of the joints of a model at a point of a system, in any coordinates and in its units.

#pragma once

#include "model/model.h"
#include "system/system.h"

// A frame on a body as rows see it, with the origin of the body for its reference point.
tn_end tn_end_on_body(const tn_body_state *body, tn_frame frame);
// Second derivatives of the coordinates of a joint at v' of the point; returns how many. The caller
// has posed the system there.
int tn_joint_second_derivatives(const tn_system *sys, const tn_model *model, const tn_point *at,
                                int joint, double *a);
