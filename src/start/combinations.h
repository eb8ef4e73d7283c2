// SPDX-License-Identifier: MIT
//
// Combinations that are refused: kinds of elements, coordinates, methods and commands, and why. One
// table refuses all of it, and docs/theory/combinations.md is made from it.

#pragma once

#include "tenon/modes.h"

#include "integrator/integrator.h"
#include "start/start.h"

// Moment of the check of a row: as soon as its subjects are known.
typedef enum tn_moment {
    TN_BEFORE_COORDINATES, // the system is in absolute coordinates, and is to go over to others
    TN_BEFORE_VIEWS,       // coordinates and method are known
    TN_BEFORE_MODES,
    TN_BEFORE_EQUILIBRIUM, // of the model alone
    TN_AT_EQUILIBRIUM,
    TN_BEFORE_INVERSE,
} tn_moment;

// Parts to combine, as far as they are known at the moment; else NULL.
typedef struct tn_combination {
    const tn_model *model; // NULL: equations of a user
    const tn_system *sys;
    const tn_coordinates *to;
    const tn_integrator_ops *integrator;
    const tn_formulation *formulation;
    const tn_sim_options *options;
    const tn_modes_options *modes;
    const char *name; // of the element that does not fit, which a row finds
    int count;        // of what a row counts
} tn_combination;

// The sentence of the first row that holds, with its status.
tn_status tn_combination_check(tn_moment moment, tn_combination of);
// The page as Markdown; tn_free it.
tn_status tn_combinations_page(char **out);
