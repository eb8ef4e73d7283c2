// SPDX-License-Identifier: MIT
//
// Simulations that are driven from outside: methods in all coordinates, and how far they may be
// from each other where the forces jump.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

static const struct {
    const char *name;
    double step, tol;
} driven_methods[] = {
    {"dop853@joint", 0.0, 1e-7},
    {"dopri5/index1+project@absolute", 0.0, 1e-7},
    {"radau5/ggl@absolute", 0.0, 1e-6},
    {"bdf/ggl@absolute", 0.0, 1e-5},
    {"adams@joint", 0.0, 1e-5},
    {"herk5/index2@absolute", 1e-3, 1e-7},
    {"galpha/ggl@absolute", 1e-3, 1e-5},
    {"galpha/ggl@joint", 1e-3, 1e-5},
    {"hht/index3@absolute", 1e-3, 1e-4},
    {"galpha/index1@director", 1e-3, 1e-5},
    {"variational/dalembert@director", 1e-3, 1e-5},
    {"energy-momentum/multiplier@director", 1e-3, 1e-5},
};

// A step of 0: controlled by errors, of rtol.
static inline tn_sim *start_driven(const tn_model *model, const char *method, double rtol,
                                   double step, bool wrenches)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = step;
    options.wrenches = wrenches;
    if (step == 0.0) {
        options.adaptive = true;
        options.rtol = options.atol = rtol;
    }
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}
