// SPDX-License-Identifier: MIT
//
// Friction acts in a joint along these: directions of slip with the speeds u_k = A_k . V of two
// surfaces, in m/s, whatever the joint measures. An angle slips at the friction radius, a gear at
// its pitch circle, a ball about the axes of frame A. A wheel on a rail slips along the rail and
// across it, and spins about the normal n of the contact, in rad/s:
//
//   u_0 = t_1 . v, u_1 = t_2 . v, u_2 = n . (w_B - w_A),   t_1 = a_x, t_2 = n x t_1,
//
// where v is the velocity of the material point of B at the contact against that of A.

#pragma once

#include "model/force.h"

// At one state: speeds, their gradients, and how these vary (dA_k = H_k times the variation).
typedef struct tn_slip_at {
    double u[TN_SLIPS], A[TN_SLIPS][12], H[TN_SLIPS][12][12];
} tn_slip_at;

// Takes pair and directions of slip from the joint of a definition; of a gear from its first joint.
tn_status tn_slip_take(const tn_model *model, tn_force_data *data, const char *what);
// Speeds and gradients, with H on request.
void tn_slip_see(const tn_force_data *data, const tn_pair *at, bool vary, tn_slip_at *out);

// Expressions of the model in SI units: the normal load by reactions, and the speed in direction k.
// Texts of at most `size` characters.
void tn_slip_load_text(const tn_model *model, const tn_force_data *data, char *text, size_t size);
void tn_slip_speed_text(const tn_model *model, const tn_force_data *data, int k, char *text,
                        size_t size);
