// SPDX-License-Identifier: MIT
//
// Bushings that are turned beyond half a turn. Their torque follows the rotation vector phi from
// frame A to frame B (model/force_bushing.c), which jumps to the other side there.

#include "lie/so3.h"
#include "model/model.h"
#include "sim/sim.h"

// A step from here on can end beyond half a turn; before, nothing needs to be compared.
static const double WIDE = 2.0; // [rad]

static tn_vec3 turn_of(const tn_sim *sim, const tn_state *x, const tn_force_def *def)
{
    const tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(x);
    tn_body_state a, b;
    sys->ops->mechanism->body(sys, &at, def->body_a.index, &a);
    sys->ops->mechanism->body(sys, &at, def->body_b.index, &b);
    const tn_mat3 A = tn_m3_mul(a.frame.R, def->frame_a.R);
    return tn_so3_log(tn_m3_mul(tn_m3_transpose(A), tn_m3_mul(b.frame.R, def->frame_b.R)));
}

void tn_sim_watch_bushings(tn_sim *sim)
{
    for (int k = 0; sim->model && k < sim->model->forces.count; k++) {
        const tn_force_data *force = &sim->model->forces.at[k];
        if (force->def.kind != TN_FORCE_BUSHING ||
            tn_v3_norm(force->def.bushing.rotational_stiffness) == 0.0)
            continue;
        const tn_vec3 now = turn_of(sim, &sim->start.x, &force->def);
        if (tn_v3_norm(now) > WIDE && tn_v3_dot(now, turn_of(sim, &sim->before, &force->def)) < 0.0)
            tn_notes_add(&sim->start.notes,
                         "bushing '%s' was turned beyond half a turn, where its torque jumps to "
                         "the other side; a spring on a joint counts turns",
                         force->name);
    }
}
