// SPDX-License-Identifier: MIT
//
// A body on a rail with one force, for tests of what happens within and between steps.

#pragma once

#include "read/model_yaml.h"
#include "tenon/tenon.h"
#include "test.h"

static inline tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "text", &model, NULL));
    return model;
}

// A body of 2 kg on a rail along x with one force.
static inline tn_model *rail(const char *force, const char *initial)
{
    char text[2000];
    snprintf(text, sizeof text,
             "tenon: 1\nbodies:\n  m: {kind: planar, mass: 2, inertia: 1, initial: {%s}}\n"
             "joints:\n  rail: {kind: prismatic, body: m, at: [0, 0], axis: [1, 0]}\n"
             "forces:\n  f: {joint: rail, %s}\n",
             initial, force);
    return parse(text);
}

static inline tn_sim_options method(const char *name, double step)
{
    tn_sim_options o = tn_default_sim();
    o.method = name;
    o.step = step;
    o.rtol = o.atol = 1e-8;
    return o;
}

typedef struct rail_end {
    double x, v, balance;
    long steps;
} rail_end;

static inline rail_end run_rail(tn_model *model, const tn_sim_options *o, double t_end)
{
    rail_end end;
    tn_sim *sim = NULL;
    tn_ledger ledger;
    CHECK_OK(tn_sim_create(model, o, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    CHECK(tn_sim_time(sim) == t_end);
    tn_sim_joint_coordinates(sim, (tn_joint){0}, &end.x, &end.v);
    tn_sim_ledger(sim, &ledger);
    end.balance = ledger.max_balance;
    end.steps = ledger.steps;
    tn_sim_destroy(sim);
    return end;
}
