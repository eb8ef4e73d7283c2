// SPDX-License-Identifier: MIT
//
// The formulations by name; formulation.c lists them in one table.

#pragma once

#include "formulation/formulation.h"

extern const tn_formulation tn_formulation_index3;
extern const tn_formulation tn_formulation_index2;
extern const tn_formulation tn_formulation_ggl;
extern const tn_formulation tn_formulation_index1;
extern const tn_formulation tn_formulation_baumgarte;
extern const tn_formulation tn_formulation_baumgarte2;
extern const tn_formulation tn_formulation_stabilized_index1;
extern const tn_formulation tn_formulation_udwadia_kalaba;
extern const tn_formulation tn_formulation_minimal;
extern const tn_formulation tn_formulation_nullspace;
extern const tn_formulation tn_formulation_maggi;
extern const tn_formulation tn_formulation_projective;
extern const tn_formulation tn_formulation_phase_space;
extern const tn_formulation tn_formulation_multiplier;
extern const tn_formulation tn_formulation_dalembert;
extern const tn_formulation tn_formulation_reparam;
