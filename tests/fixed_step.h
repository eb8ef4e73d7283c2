// SPDX-License-Identifier: MIT
//
// Runs with a fixed step for tests, and all discrete principles in all their forms.

#pragma once

#include "integrator/integrator.h"
#include "tenon/tenon.h"
#include "test.h"

#include <stdio.h>

static inline tn_sim *open_fixed(const tn_model *model, const char *method, double h)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = h;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static inline tn_model *load_model(const char *name) // "fourbar"
{
    char path[160];
    tn_model *model = NULL;
    tn_simulate simulate;
    snprintf(path, sizeof path, "models/%s.yaml", name);
    CHECK_OK(tn_model_load(tn_test_path(path), &model, &simulate));
    return model;
}

// A body of no symmetry whose centre of mass is not its origin.
static inline tn_body add_block(tn_model *model, const char *name, tn_vec3 position, tn_vec3 rate)
{
    tn_body_def def = tn_default_body();
    def.name = name;
    def.mass = 2.0;
    def.com = tn_v3(0.1, 0.2, -0.1);
    def.inertia = tn_v3(0.5, 0.7, 0.4);
    def.frame.p = position;
    def.rate = rate;
    return tn_model_add_body(model, &def);
}

typedef void with_discrete_method(const char *method, const tn_integrator_ops *integrator,
                                  void *user);

// Calls `each` for all discrete principles in all their forms; how many there are.
static inline int for_discrete_methods(with_discrete_method *each, void *user)
{
    int count = 0;
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++) {
            char method[64];
            if (!(tn_integrators[i]->needs & TN_VIEW_DISCRETE) ||
                !tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]))
                continue;
            snprintf(method, sizeof method, "%s/%s@director", tn_integrators[i]->name,
                     tn_formulations[k]->name);
            each(method, tn_integrators[i], user);
            count++;
        }
    return count;
}
