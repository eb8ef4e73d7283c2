// SPDX-License-Identifier: MIT
//
// The integrator if coordinates leave no unknown, as with bodies that are all fixed: time goes on
// and nothing moves. It stands in for every integrator there, and has no name of its own.

#include "integrator/integrator_list.h"

static void rest_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem)
{
}

static tn_status rest_begin(tn_integrator *self, const tn_sim_options *options)
{
    return TN_OK;
}

static tn_status rest_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    stepper->error = 0.0;
    stepper->moved = false;
    x->t += h;
    return TN_OK;
}

const tn_integrator_ops tn_integrator_rest = {
    .name = "rest",
    .text = "nothing to integrate",
    .source = "",
    .order = 1,
    .controlled = true,
    .own_steps = true,
    .size = sizeof(tn_integrator),
    .layout = rest_layout,
    .begin = rest_begin,
    .step = rest_step,
};
