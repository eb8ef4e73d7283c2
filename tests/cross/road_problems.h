// SPDX-License-Identifier: MIT
//
// The problems that are run by many methods: together they have every kind of variable.

#pragma once

#include "road_functions.h"
#include "road_models.h"

enum {
    POINT_PENDULUM,
    SLOW_TOP,
    SLIDER_CRANK,
    TUMBLER,
    DRIVEN_ARM,
    LOOP,
    KNIFE_EDGE,
    BEAD,
    CONTROLLER,
    PROBLEMS
};

static const problem problems[PROBLEMS] = {
    [POINT_PENDULUM] = {.name = "point pendulum",
                        .model = point_pendulum,
                        .plain = true,
                        .t_end = 1.0,
                        .steps = 80},
    [SLOW_TOP] =
        {.name = "slow top", .model = slow_top, .rotates = true, .t_end = 0.8, .steps = 80},
    [SLIDER_CRANK] = {.name = "slider-crank", .model = slider_crank, .t_end = 0.8, .steps = 160},
    [TUMBLER] = {.name = "tumbler", .model = tumbler, .rotates = true, .t_end = 0.8, .steps = 80},
    [DRIVEN_ARM] =
        {.name = "driven arm", .model = driven_arm, .rotates = true, .t_end = 0.8, .steps = 80},
    [LOOP] = {.name = "filter and algebraic loop",
              .callbacks = &loop_functions,
              .q0 = loop_q0,
              .v0 = loop_v0,
              .exact = loop_exact,
              .t_end = 1.0,
              .steps = 80},
    [KNIFE_EDGE] = {.name = "knife edge",
                    .callbacks = &blade_functions,
                    .q0 = blade_q0,
                    .v0 = blade_v0,
                    .exact = blade_exact,
                    .t_end = 1.0,
                    .steps = 40},
    [BEAD] = {.name = "bead with contact coordinate",
              .callbacks = &bead_functions,
              .q0 = bead_q0,
              .v0 = bead_v0,
              .exact = bead_exact,
              .t_end = 1.0,
              .steps = 80},
    [CONTROLLER] = {.name = "sampled controller",
                    .callbacks = &held_functions,
                    .q0 = loop_q0,
                    .v0 = loop_v0,
                    .exact = held_exact,
                    .t_end = 1.0,
                    .steps = 80},
};
